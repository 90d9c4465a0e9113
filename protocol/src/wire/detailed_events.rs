//! The message `events` for a client with the feature `replies` or `details`.

use serde::{Deserialize, Serialize};

use super::{Feature, FeatureSet};
use crate::{Event, EventRecord, Game, Player, RequestId, RequestRef, RoomId, Seat, Seq};

/// Events with details that a client would otherwise derive from earlier events. The JSON has the fields of
/// [`Message::Events`] and further fields, so a client may parse it as either type.
///
/// [`Message::Events`]: super::Message::Events
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "events")]
pub struct DetailedEvents {
    /// The id of the answered request, as in [`Message::Events`].
    ///
    /// [`Message::Events`]: super::Message::Events
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The room of the connection.
    pub room: RoomId,
    /// The events with their details; empty when the client has them all.
    pub events: Vec<DetailedEvent>,
}

/// An [`EventRecord`] as one client receives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetailedEvent {
    /// Number of the event, as in [`EventRecord`].
    pub seq: Seq,
    /// Time of the decision, as in [`EventRecord`].
    pub at: u64,
    /// The request that the event answers, as in [`EventRecord`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<RequestRef>,
    /// With `replies`: the id of that request, if the receiver sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The event, and the details that the client requested.
    pub event: EventDetails,
}

/// An [`Event`] and the state that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDetails {
    /// The event, with the fields that every client receives.
    #[serde(flatten)]
    pub event: Event,
    /// With `details`, in `moved`: the number of moves of the game after this move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    /// With `details`, in `started`: the players of X and of O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<[Player; 2]>,
    /// With `details`, in `started`: the seat of the receiver; absent for a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_seat: Option<Seat>,
}

impl DetailedEvents {
    /// Returns the details of `events`, the last events of `game`, for a receiver that has the seat `own` after them.
    ///
    /// Returns `None` if the details depend on earlier events: the number of moves that a game had when the next game
    /// started. The receiver then needs a snapshot.
    pub fn new(
        room: RoomId,
        events: &[EventRecord],
        game: &Game,
        own: Option<Seat>,
        features: FeatureSet,
    ) -> Option<DetailedEvents> {
        let (mut own, mut swapped) = (own, false);
        let (mut knows_players, mut is_own_seat) = (true, true);
        let mut ply =
            Some(u32::try_from(game.position().ply()).expect("a board has at most 1024 cells"));
        let mut detailed = Vec::with_capacity(events.len());
        // The events are visited in reverse order, because only the state after the last event is known.
        for record in events.iter().rev() {
            let mut details = EventDetails {
                event: record.event.clone(),
                ply: None,
                players: None,
                own_seat: None,
            };
            match record.event {
                Event::Moved { .. } => {
                    if ply.is_none() && features.has(Feature::Details) {
                        return None;
                    }
                    details.ply = ply;
                    ply = ply.and_then(|ply| ply.checked_sub(1));
                }
                Event::TakenBack { plies, .. } => ply = ply.map(|ply| ply + u32::from(plies)),
                // The player before the substitute is unknown.
                Event::Seated { seat, .. } if record.is_substitution() => {
                    knows_players = false;
                    is_own_seat &= Some(seat) != own;
                }
                Event::Started { .. } if !knows_players && features.has(Feature::Details) => {
                    return None;
                }
                Event::Started { game: started } => {
                    let player =
                        |seat: Seat| game.player(if swapped { seat.other() } else { seat });
                    let players = Seat::ALL.map(|seat| player(seat).cloned());
                    let [Some(x), Some(o)] = players else {
                        return None;
                    };
                    (details.players, details.own_seat) = (Some([x, o]), own);
                    ply = (started == 1).then_some(0);
                    // The players swap before every game but the first.
                    if started > 1 {
                        (own, swapped) = (own.map(Seat::other), !swapped);
                    }
                }
                Event::Opened { .. }
                | Event::Seated { .. }
                | Event::Offered { .. }
                | Event::Declined { .. }
                | Event::Ended { .. }
                | Event::Closed { .. } => {}
            }
            let re = record
                .by
                .filter(|by| is_own_seat && Some(by.seat) == own)
                .map(|by| by.id);
            detailed.push(DetailedEvent {
                seq: record.seq,
                at: record.at,
                by: record.by,
                re: re.filter(|_| features.has(Feature::Replies)),
                event: if features.has(Feature::Details) {
                    details
                } else {
                    details.without_state()
                },
            });
        }
        detailed.reverse();
        Some(DetailedEvents {
            re: None,
            room,
            events: detailed,
        })
    }

    /// Returns the JSON text of the message.
    pub fn to_json(&self) -> String {
        super::to_json(self)
    }
}

impl EventDetails {
    fn without_state(self) -> EventDetails {
        EventDetails {
            ply: None,
            players: None,
            own_seat: None,
            ..self
        }
    }
}
