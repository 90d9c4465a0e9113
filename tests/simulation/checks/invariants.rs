//! Invariants after a crash and at the end of a run.

use std::sync::Arc;

use noughts_protocol::{RoomId, Seat};
use noughts_server::testing::Room;
use noughts_tests::oracle::observations::Observations;

use crate::checks::room_log_model::{RoomLogModel, untimed_view};
use crate::sim_state::{ConnectionTrace, RoomStay, SimState};

/// Checks the disk after a crash: every event that a client received is stored, and each room has a valid
/// history.
pub(crate) fn check_after_crash(sim_state: &Arc<SimState>) -> Result<(), String> {
    let rooms = sim_state.disk.room_models();
    if let Some(violation) = rooms.values().find_map(|room| room.violation.clone()) {
        return Err(violation);
    }
    // Only the log of a single server archives games: nodes publish them to a stream.
    for room in rooms.values().filter(|_| sim_state.cluster.is_none()) {
        let (played, archived) = (room.played_game_count(), room.archived_games.len());
        if played != archived {
            return Err(format!(
                "room {} has ended {played} games and keeps {archived}",
                room.secrets.room
            ));
        }
    }
    let observations = Observations::default();
    sim_state.with_connections(|connections| {
        for RoomStay { room, to, .. } in connections.iter().flat_map(|connection| &connection.stays)
        {
            if let Some(to) = to {
                observations.record_seq(*room, *to);
            }
        }
    });
    let stored: Vec<_> = rooms.values().map(RoomLogModel::to_stored).collect();
    observations.check(&stored);
    // Loading with checkpoints must give the same state as replaying all events.
    let limits = Arc::new(sim_state.plan.limits.clone());
    for (secrets, stored) in sim_state.disk.open_rooms() {
        let known = &rooms[&secrets.room];
        let at = known.events.last().map_or(0, |event| event.at);
        let room = Room::replay(&stored, Arc::clone(&limits), at)
            .map_err(|error| format!("{}: {error}", secrets.room))?;
        if Some(&untimed_view(room.game())) != known.last_view() {
            return Err(format!(
                "room {} is not the fold of its history",
                secrets.room
            ));
        }
    }
    Ok(())
}

/// Checks the state after all clients have left.
pub(crate) fn check_at_end(sim_state: &Arc<SimState>) -> Result<(), String> {
    check_after_crash(sim_state)?;
    let rooms = sim_state.disk.room_models();
    for room in rooms.values() {
        for _ in room.outcomes() {
            sim_state.trace.count("games ended");
        }
    }
    sim_state.with_connections(|connections| {
        check_secrets(connections, rooms.values())?;
        check_one_connection_per_seat(connections)?;
        // If the log did not answer, a room that no client knows may remain. The next start of the server closes it.
        let known = |room: RoomId| {
            connections
                .iter()
                .any(|connection| connection.stays.iter().any(|stay| stay.room == room))
        };
        for (secrets, _) in sim_state.disk.open_rooms() {
            let room = secrets.room;
            if known(room) && !rooms[&room].is_closed() {
                return Err(format!("room {room} is still open in the log"));
            }
        }
        Ok(())
    })
}

/// Checks that no connection received a secret of another client.
fn check_secrets<'a>(
    connections: &[ConnectionTrace],
    rooms: impl Iterator<Item = &'a RoomLogModel> + Clone,
) -> Result<(), String> {
    for connection in connections {
        for room in rooms.clone() {
            let others = Seat::ALL
                .into_iter()
                .filter(|seat| !room.is_seated(connection.actor, *seat));
            for seat in others.clone() {
                if connection
                    .text
                    .contains(&room.secrets.token(seat, 1).to_string())
                {
                    return Err(format!(
                        "{} received the token of {seat} in room {}",
                        connection.actor, room.secrets.room
                    ));
                }
            }
            if let Some(code) = room.secrets.code.filter(|_| others.count() == 2)
                && connection.text.contains(&code.to_string())
            {
                return Err(format!(
                    "{} received the code of room {}",
                    connection.actor, room.secrets.room
                ));
            }
        }
    }
    Ok(())
}

/// Checks pairs of connections to one seat: the older connection received nothing after the newer connection resumed
/// the seat.
fn check_one_connection_per_seat(connections: &[ConnectionTrace]) -> Result<(), String> {
    for (at, first) in connections.iter().enumerate() {
        for second in connections[at + 1..]
            .iter()
            .filter(|second| second.actor == first.actor)
        {
            for one in &first.stays {
                for other in second.stays.iter().filter(|other| other.room == one.room) {
                    let (Some(from), Some(to)) = (one.from, one.to) else {
                        continue;
                    };
                    let (Some(other_from), Some(other_to)) = (other.from, other.to) else {
                        continue;
                    };
                    if to > other_from && other_to > from {
                        return Err(format!(
                            "two connections of {} received events of room {} at once",
                            first.actor, one.room
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Checks that a client with a working connection was informed of the restart and of the retry delay.
pub(crate) fn check_restart_notice(sim_state: &SimState, number: usize) {
    let (actor, was_notified, closed) = sim_state.with_connection(number, |connection| {
        (connection.actor, connection.restarting, connection.closed)
    });
    // A newer connection may have taken over the seat at that moment.
    if closed == Some(4002) {
        return;
    }
    if !was_notified || closed != Some(1012) {
        sim_state.record_violation(
            actor,
            format_args!(
                "connection {number}: restart announced: {was_notified}; closed with {closed:?}"
            ),
        );
    } else {
        sim_state.trace.count("restart notices");
    }
}
