//! Events for members that requested more than the events themselves. Pure.

use noughts_protocol::wire::{DetailedEvents, FeatureSet};
use noughts_protocol::{EventRecord, Game, RoomId, Seat};

use crate::send_queue::EncodedFrame;

/// Whether a member with these features receives events in a text of its own.
pub(super) fn is_detailed(features: FeatureSet) -> bool {
    !features.is_empty()
}

/// The texts of one broadcast for members with details. Each is encoded when the first member needs it: a room without
/// such members encodes none.
#[derive(Debug)]
pub(super) struct DetailedFrames<'a> {
    /// Room, events, and the game after them. None if there are no details.
    source: Option<(RoomId, &'a [EventRecord], &'a Game)>,
    /// At most one text for each seat or none, and each set of features.
    frames: Vec<(Option<Seat>, FeatureSet, EncodedFrame)>,
}

impl<'a> DetailedFrames<'a> {
    /// Prepares the texts of `events`, the last ones of `game`.
    pub(super) fn new(
        room: RoomId,
        events: &'a [EventRecord],
        game: &'a Game,
    ) -> DetailedFrames<'a> {
        DetailedFrames {
            source: Some((room, events, game)),
            frames: Vec::new(),
        }
    }

    /// No texts.
    #[cfg(test)]
    pub(super) fn none() -> DetailedFrames<'a> {
        DetailedFrames {
            source: None,
            frames: Vec::new(),
        }
    }

    /// The text for a member that has the seat `own`; `None` if the events alone do not determine the details. The events of one decision do.
    pub(super) fn frame_for(
        &mut self,
        own: Option<Seat>,
        features: FeatureSet,
    ) -> Option<&EncodedFrame> {
        let known = |(seat, set, _): &(Option<Seat>, FeatureSet, EncodedFrame)| {
            *seat == own && *set == features
        };
        let at = match self.frames.iter().position(known) {
            Some(at) => at,
            None => {
                let (room, events, game) = self.source?;
                let detailed = DetailedEvents::new(room, events, game, own, features)?;
                self.frames
                    .push((own, features, EncodedFrame::from(&*detailed.to_json())));
                self.frames.len() - 1
            }
        };
        Some(&self.frames[at].2)
    }
}
