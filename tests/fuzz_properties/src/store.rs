//! Stored data: events and checkpoints of rooms as read from disk.

use std::sync::{Arc, LazyLock};

use noughts_protocol::{EventRecord, Game, Seq};
use noughts_server::ServerLimits;
use noughts_server::testing::Room;
use noughts_server::testing::{Checkpoint, StoredRoom};

use crate::text::assert_snapshot_round_trip;

/// Parses the body of one stored event and checks that it is written back unchanged. The input has no checksum, because
/// a fuzzer would not guess it.
fn parse_event(body: &[u8]) -> Option<EventRecord> {
    let event: EventRecord = serde_json::from_slice(body).ok()?;
    let written =
        serde_json::to_vec(&event).expect("an event has only string keys and finite numbers");
    assert_eq!(
        serde_json::from_slice::<EventRecord>(&written)
            .as_ref()
            .ok(),
        Some(&event)
    );
    Some(event)
}

/// Checks a history with one event a line, up to the first event that does not follow: the server's room and
/// the client's game fold it to the same state.
pub fn event_history(bytes: &[u8]) -> bool {
    let mut game: Option<Game> = None;
    let mut events: Vec<EventRecord> = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Some(event) = parse_event(line) else {
            continue;
        };
        let result = match &mut game {
            None => Game::open(&event).map(|opened| game = Some(opened)),
            Some(game) => {
                let before = (game.seq(), game.snapshot(game.last_event_at()));
                let result = game.apply(&event);
                if result.is_err() {
                    assert_eq!(
                        (game.seq(), game.snapshot(game.last_event_at())),
                        before,
                        "a rejected event changes nothing"
                    );
                }
                result
            }
        };
        if result.is_ok() {
            events.push(event);
        }
    }
    let Some(game) = game else { return false };
    assert_eq!(
        game.seq(),
        events.last().expect("the first event opens the room").seq
    );
    let at = game.last_event_at();
    let stored = StoredRoom {
        checkpoint: None,
        events,
    };
    let room =
        Room::replay(&stored, default_limits(), at).expect("a valid history can be replayed");
    assert_eq!(room.game().seq(), game.seq());
    assert_eq!(room.game().position(), game.position());
    room.poll_timeout();
    room.decide_timeout(at.saturating_add(1 << 40));
    assert_snapshot_round_trip(&game, at);
    if let Some(checkpoint) = room.checkpoint() {
        assert_checkpoint_round_trip(&checkpoint);
    }
    true
}

/// Checks that a room restored from a checkpoint writes the same checkpoint.
pub fn checkpoint(bytes: &[u8]) -> bool {
    let seq = serde_json::from_slice::<serde_json::Value>(bytes)
        .ok()
        .and_then(|document| document.get("snapshot")?.get("seq")?.as_u64());
    let checkpoint = Checkpoint {
        seq: Seq::new(seq.unwrap_or_default()),
        body: bytes.to_vec(),
    };
    let stored = StoredRoom {
        checkpoint: Some(checkpoint),
        events: Vec::new(),
    };
    let Ok(room) = Room::replay(&stored, default_limits(), 0) else {
        return false;
    };
    room.poll_timeout();
    room.decide_timeout(room.game().last_event_at().saturating_add(1 << 40));
    if let Some(checkpoint) = room.checkpoint() {
        assert_checkpoint_round_trip(&checkpoint);
    }
    true
}

fn assert_checkpoint_round_trip(checkpoint: &Checkpoint) {
    let stored = StoredRoom {
        checkpoint: Some(checkpoint.clone()),
        events: Vec::new(),
    };
    let room = Room::replay(&stored, default_limits(), 0).expect("a room's checkpoint is valid");
    let restored = room
        .checkpoint()
        .expect("a restored room can be checkpointed");
    assert_eq!(
        (restored.seq, &restored.body),
        (checkpoint.seq, &checkpoint.body)
    );
}

fn default_limits() -> Arc<ServerLimits> {
    static LIMITS: LazyLock<Arc<ServerLimits>> = LazyLock::new(|| ServerLimits::default().into());
    Arc::clone(&LIMITS)
}
