//! Model of a room's complete log, with a snapshot after each event.

use std::collections::BTreeSet;

use noughts_protocol::{Event, EventRecord, Game, Outcome, Phase, RequestId, Seat, Seq, Snapshot};
use noughts_server::testing::{RoomSecrets, StoredRoom};

/// Room from its first event to its last.
pub(crate) struct RoomLogModel {
    pub(crate) secrets: RoomSecrets,
    pub(crate) events: Vec<EventRecord>,
    /// Folded game, if the history is valid so far.
    game: Option<Game>,
    /// Snapshot after each event.
    views: Vec<Snapshot>,
    /// Reason why the history is invalid.
    pub(crate) violation: Option<String>,
    /// Numbers of the archived games.
    pub(crate) archived_games: BTreeSet<u32>,
    /// Names of the players in the first game.
    seat_names: [Option<String>; 2],
}

/// Returns the snapshot without the times of the clocks.
pub(crate) fn untimed_view(game: &Game) -> Snapshot {
    let snapshot = game.snapshot(game.last_event_at());
    Snapshot {
        left: None,
        shown: snapshot.shown.map(|_| [0; 2]),
        at: 0,
        ..snapshot
    }
}

impl RoomLogModel {
    pub(crate) fn new(secrets: RoomSecrets, events: Vec<EventRecord>) -> RoomLogModel {
        let mut model = RoomLogModel {
            secrets,
            events: Vec::new(),
            game: None,
            views: Vec::new(),
            violation: None,
            archived_games: BTreeSet::new(),
            seat_names: [None, None],
        };
        model.extend(events);
        model
    }

    pub(crate) fn extend(&mut self, events: Vec<EventRecord>) {
        for event in events {
            if let Event::Seated { seat, player } = &event.event {
                self.seat_names[seat.index()] = Some(player.name.to_string());
            }
            let folded = match &mut self.game {
                None => Game::open(&event).map(|game| self.game = Some(game)),
                Some(game) => game.apply(&event),
            };
            if let Err(error) = folded {
                self.violation
                    .get_or_insert(format!("room {}: {error}: {event:?}", self.secrets.room));
            }
            self.views.extend(self.game.as_ref().map(untimed_view));
            self.events.push(event);
        }
    }

    pub(crate) fn event(&self, seq: Seq) -> Option<&EventRecord> {
        self.events.get(index(seq)?)
    }

    /// Returns whether a request caused an event.
    pub(crate) fn has_applied(&self, id: RequestId) -> bool {
        self.events
            .iter()
            .any(|event| event.by.is_some_and(|by| by.id == id))
    }

    /// Returns the snapshot after an event.
    pub(crate) fn view_at(&self, seq: Seq) -> Option<&Snapshot> {
        self.views.get(index(seq)?)
    }

    pub(crate) fn last_view(&self) -> Option<&Snapshot> {
        self.views.last()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.game
            .as_ref()
            .is_some_and(|game| game.phase() == Phase::Closed)
    }

    /// Returns whether a player has this seat in the first game. One player may have both seats: the lobby may pair a
    /// seek of the player's dead connection with a seek of the new connection.
    pub(crate) fn is_seated(&self, name: &str, seat: Seat) -> bool {
        self.seat_names[seat.index()].as_deref() == Some(name)
    }

    /// Returns the holder of a seat in the current or last game.
    pub(crate) fn seat_holder(&self, seat: Seat) -> Option<&str> {
        self.last_view()?.players[seat.index()]
            .as_ref()
            .map(|player| player.name.as_str())
    }

    /// Returns the outcomes of all ended games.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.events.iter().filter_map(|event| match &event.event {
            Event::Ended { outcome, .. } => Some(outcome),
            Event::Opened { .. }
            | Event::Seated { .. }
            | Event::Started { .. }
            | Event::Moved { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TakenBack { .. }
            | Event::Closed { .. } => None,
        })
    }

    /// Returns the number of ended games with moves of both players; these games are archived.
    pub(crate) fn played_game_count(&self) -> usize {
        let (mut moves, mut played_games) = (0_u32, 0);
        for event in &self.events {
            match &event.event {
                Event::Started { .. } => moves = 0,
                Event::Moved { .. } => moves += 1,
                Event::TakenBack { plies, .. } => moves -= u32::from(*plies),
                Event::Ended { .. } => played_games += usize::from(moves > 1),
                Event::Opened { .. }
                | Event::Seated { .. }
                | Event::Offered { .. }
                | Event::Declined { .. }
                | Event::Closed { .. } => {}
            }
        }
        played_games
    }

    /// Converts to the stored form, with all events.
    pub(crate) fn to_stored(&self) -> (RoomSecrets, StoredRoom) {
        (
            self.secrets,
            StoredRoom {
                checkpoint: None,
                events: self.events.clone(),
            },
        )
    }
}

fn index(seq: Seq) -> Option<usize> {
    usize::try_from(seq.get()).ok()?.checked_sub(1)
}
