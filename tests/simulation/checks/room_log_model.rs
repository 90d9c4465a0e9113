//! All that a room's log ever had, and the view that it gives after each event.

use std::collections::BTreeSet;

use noughts_protocol::{Event, EventRecord, Game, Outcome, Phase, RequestId, Seat, Seq, Snapshot};
use noughts_server::store::{RoomSecrets, StoredRoom};

/// A room from its first event to its last.
pub(crate) struct RoomLogModel {
    pub(crate) founding: RoomSecrets,
    pub(crate) events: Vec<EventRecord>,
    /// The fold, as far as there is one.
    game: Option<Game>,
    /// The view after each event.
    views: Vec<Snapshot>,
    /// Why it is no history of a room, if it is none.
    pub(crate) violation: Option<String>,
    /// The games that are kept beyond the room.
    pub(crate) archived_games: BTreeSet<u32>,
    /// Who has which seat of the first game.
    seat_names: [Option<String>; 2],
}

/// A view without what a clock says between events.
pub(crate) fn untimed_view(game: &Game) -> Snapshot {
    Snapshot { left: None, at: 0, ..game.snapshot(game.last_event_at()) }
}

impl RoomLogModel {
    pub(crate) fn new(founding: RoomSecrets, events: Vec<EventRecord>) -> RoomLogModel {
        let mut model = RoomLogModel {
            founding,
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
                self.violation.get_or_insert(format!("room {}: {error}: {event:?}", self.founding.room));
            }
            self.views.extend(self.game.as_ref().map(untimed_view));
            self.events.push(event);
        }
    }

    /// The event with this number.
    pub(crate) fn event(&self, seq: Seq) -> Option<&EventRecord> {
        self.events.get(index(seq)?)
    }

    /// Whether a request led to something.
    pub(crate) fn has_applied(&self, id: RequestId) -> bool {
        self.events.iter().any(|event| event.by.is_some_and(|by| by.id == id))
    }

    /// What there was to see after it.
    pub(crate) fn view_at(&self, seq: Seq) -> Option<&Snapshot> {
        self.views.get(index(seq)?)
    }

    /// What there is to see at last.
    pub(crate) fn last_view(&self) -> Option<&Snapshot> {
        self.views.last()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.phase() == Phase::Closed)
    }

    /// Whether this party has this seat of the first game. It may have both: the server knows connections,
    /// and a wish may still wait in the lobby on one that is dead.
    pub(crate) fn is_seated(&self, name: &str, seat: Seat) -> bool {
        self.seat_names[seat.index()].as_deref() == Some(name)
    }

    /// The party that holds a seat in the running or last game.
    pub(crate) fn seat_holder(&self, seat: Seat) -> Option<&str> {
        self.last_view()?.players[seat.index()].as_ref().map(|player| player.name.as_str())
    }

    /// The games that came to an end, and how.
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

    /// How many games have ended in which somebody had moved: these are kept.
    pub(crate) fn played_game_count(&self) -> usize {
        let (mut moves, mut played_games) = (0_u32, 0);
        for event in &self.events {
            match &event.event {
                Event::Started { .. } => moves = 0,
                Event::Moved { .. } => moves += 1,
                Event::TakenBack { plies, .. } => moves -= u32::from(*plies),
                Event::Ended { .. } => played_games += usize::from(moves > 0),
                Event::Opened { .. }
                | Event::Seated { .. }
                | Event::Offered { .. }
                | Event::Declined { .. }
                | Event::Closed { .. } => {}
            }
        }
        played_games
    }

    /// The whole of it, as a log that cuts nothing would give it back.
    pub(crate) fn to_stored(&self) -> (RoomSecrets, StoredRoom) {
        (self.founding, StoredRoom { checkpoint: None, events: self.events.clone() })
    }
}

fn index(seq: Seq) -> Option<usize> {
    usize::try_from(seq.get()).ok()?.checked_sub(1)
}
