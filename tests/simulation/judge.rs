//! What must hold after a crash, and when everything has come to rest.

use std::sync::Arc;

use noughts_protocol::{RoomId, Seat};
use noughts_server::room::{Patience, Room};
use noughts_tests::journal::Journal;

use crate::chronicle::{Chronicle, view};
use crate::world::{LineNotes, Stay, World};

/// The disk after a crash: whatever anybody was told is on it, and it is a history of rooms.
pub(crate) fn after_crash(world: &Arc<World>) -> Result<(), String> {
    let rooms = world.disk.rooms();
    if let Some(breach) = rooms.values().find_map(|room| room.breach.clone()) {
        return Err(breach);
    }
    for room in rooms.values() {
        let (played, kept) = (room.played(), room.kept.len());
        if played != kept {
            return Err(format!("room {} has ended {played} games and keeps {kept}", room.founding.room));
        }
    }
    let journal = Journal::default();
    world.lines(|lines| {
        for Stay { room, to, .. } in lines.iter().flat_map(|line| &line.stays) {
            if let Some(to) = to {
                journal.tell_seq(*room, *to);
            }
        }
    });
    let whole: Vec<_> = rooms.values().map(Chronicle::whole).collect();
    journal.check(&whole);
    // What a start reads, images and all, gives the same state as all the events.
    let patience = Arc::new(Patience::new(&world.plan.limits));
    for (founding, stored) in world.disk.open_rooms() {
        let known = &rooms[&founding.room];
        let at = known.events.last().map_or(0, |event| event.at);
        let room = Room::replay(&stored, Arc::clone(&patience), at)
            .map_err(|error| format!("{}: {error}", founding.room))?;
        if Some(&view(room.game())) != known.last_view() {
            return Err(format!("room {} is not the fold of its history", founding.room));
        }
    }
    Ok(())
}

/// Everybody has gone.
pub(crate) fn at_rest(world: &Arc<World>) -> Result<(), String> {
    after_crash(world)?;
    let rooms = world.disk.rooms();
    for room in rooms.values() {
        for _ in room.outcomes() {
            world.notes.count("games ended");
        }
    }
    world.lines(|lines| {
        secrets(lines, rooms.values())?;
        one_line_a_seat(lines)?;
        // A room that nobody was ever told of may be left, where the log gave no answer: the next start closes it.
        let known = |room: RoomId| lines.iter().any(|line| line.stays.iter().any(|stay| stay.room == room));
        for (founding, _) in world.disk.open_rooms() {
            let room = founding.room;
            if known(room) && !rooms[&room].is_closed() {
                return Err(format!("room {room} is still open in the log"));
            }
        }
        Ok(())
    })
}

/// Nobody was told a secret that is not for it.
fn secrets<'a>(
    lines: &[LineNotes],
    rooms: impl Iterator<Item = &'a Chronicle> + Clone,
) -> Result<(), String> {
    for line in lines {
        for room in rooms.clone() {
            let others = Seat::ALL.into_iter().filter(|seat| !room.is_seated(line.who, *seat));
            for seat in others.clone() {
                if line.text.contains(&room.founding.token(seat, 1).to_string()) {
                    return Err(format!(
                        "{} was told the token of {seat} in room {}",
                        line.who, room.founding.room
                    ));
                }
            }
            if let Some(code) = room.founding.code.filter(|_| others.count() == 2)
                && line.text.contains(&code.to_string())
            {
                return Err(format!("{} was told the code of room {}", line.who, room.founding.room));
            }
        }
    }
    Ok(())
}

/// Of two connections to one seat, the older one hears nothing of what came after the newer one took it.
fn one_line_a_seat(lines: &[LineNotes]) -> Result<(), String> {
    for (at, first) in lines.iter().enumerate() {
        for second in lines[at + 1..].iter().filter(|second| second.who == first.who) {
            for one in &first.stays {
                for other in second.stays.iter().filter(|other| other.room == one.room) {
                    let (Some(from), Some(to)) = (one.from, one.to) else { continue };
                    let (Some(other_from), Some(other_to)) = (other.from, other.to) else { continue };
                    if to > other_from && other_to > from {
                        return Err(format!(
                            "two lines of {} were told of room {} at once",
                            first.who, one.room
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// A client at a good line knows by now that the server restarts, and when to come back.
pub(crate) fn told_of_restart(world: &World, number: usize) {
    let (who, told, closed) = world.line(number, |line| (line.who, line.restarting, line.closed));
    // A newer window may have taken the seat in that moment.
    if closed == Some(4002) {
        return;
    }
    if !told || closed != Some(1012) {
        world.breach(who, format_args!("line {number}: told of the restart: {told}; closed with {closed:?}"));
    } else {
        world.notes.count("clients told of a restart");
    }
}
