//! Values and steps that tests of several modules need.

use std::time::Duration;

use noughts_protocol::wire::{ListedSeek, OpenSeek, RoomListing, SeekId};
use noughts_protocol::{Event, EventRecord, Phase, Player, PlayerKind, ResumeToken, RoomId, Seq};

use crate::store::RoomSecrets;

/// Waits for a condition that another thread fulfils, at most ten seconds.
pub(crate) async fn wait_until(mut condition: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(10), async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    waited
        .await
        .expect("the condition is fulfilled within ten seconds");
}

/// Returns the secrets of a public room without parties.
pub(crate) fn room_secrets(room: u64) -> RoomSecrets {
    RoomSecrets {
        room: RoomId::from_bits(room),
        code: None,
        tokens: [ResumeToken::from_bits(room.into()); 2],
        parties: [None; 2],
        left: [false; 2],
    }
}

/// Returns an event for a log that does not read its content.
pub(crate) fn event(seq: u64, at: u64) -> EventRecord {
    EventRecord {
        seq: Seq::new(seq),
        at,
        by: None,
        event: Event::Started { game: 1 },
    }
}

/// Returns a room of the lobby without players.
pub(crate) fn listing(room: u64, phase: Phase, moves: u32) -> RoomListing {
    RoomListing {
        room: RoomId::from_bits(room),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        phase,
        players: [None, None],
        moves,
        spectators: 0,
        open_seat: None,
    }
}

/// Returns a seek of the lobby.
pub(crate) fn listed_seek(seek: u64, since: u64) -> ListedSeek {
    let player = Player::guest("Ann".parse().unwrap(), PlayerKind::Person);
    ListedSeek {
        seek: SeekId(seek),
        since,
        open: OpenSeek {
            player,
            rules: "3x3:3".parse().unwrap(),
            clock: None,
            seat: None,
            opponents: None,
        },
    }
}
