//! What a log gives back: events and images of rooms, as they lie on a disk.

use std::sync::{Arc, LazyLock};

use noughts_protocol::{Game, Seq, Stamped};
use noughts_server::config::Limits;
use noughts_server::log::{Image, Stored};
use noughts_server::room::{Patience, Room};

use crate::text::same_view;

/// An event as the body of a row: what is read is written again as the same. The checksum beside it is the log's
/// affair, and not to be guessed by a fuzzer.
fn event(body: &[u8]) -> Option<Stamped> {
    let event: Stamped = serde_json::from_slice(body).ok()?;
    let written = serde_json::to_vec(&event).expect("an event has only string keys and finite numbers");
    assert_eq!(serde_json::from_slice::<Stamped>(&written).as_ref().ok(), Some(&event));
    Some(event)
}

/// Events, one a line, as far as each follows the one before: a history folds to one state, whoever folds it.
pub fn stored(bytes: &[u8]) -> bool {
    let mut game: Option<Game> = None;
    let mut events: Vec<Stamped> = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Some(event) = event(line) else { continue };
        let taken = match &mut game {
            None => Game::open(&event).map(|opened| game = Some(opened)),
            Some(game) => {
                let before = (game.seq(), game.snapshot(game.at()));
                let taken = game.apply(&event);
                if taken.is_err() {
                    assert_eq!(
                        (game.seq(), game.snapshot(game.at())),
                        before,
                        "a refused event changes nothing"
                    );
                }
                taken
            }
        };
        if taken.is_ok() {
            events.push(event);
        }
    }
    let Some(game) = game else { return false };
    assert_eq!(game.seq(), events.last().expect("the first opened it").seq);
    let at = game.at();
    let stored = Stored { image: None, events };
    let room = Room::replay(&stored, patience(), at).expect("what folds can be replayed");
    assert_eq!(room.game().seq(), game.seq());
    assert_eq!(room.game().position(), game.position());
    room.poll_timeout();
    room.decide_timeout(at.saturating_add(1 << 40));
    same_view(&game, at);
    if let Some(image) = room.image() {
        same_image(&image);
    }
    true
}

/// An image of a room.
pub fn image(bytes: &[u8]) -> bool {
    let seq = serde_json::from_slice::<serde_json::Value>(bytes)
        .ok()
        .and_then(|document| document.get("snapshot")?.get("seq")?.as_u64());
    let image = Image { seq: Seq::new(seq.unwrap_or_default()), body: bytes.to_vec() };
    let stored = Stored { image: Some(image), events: Vec::new() };
    let Ok(room) = Room::replay(&stored, patience(), 0) else { return false };
    room.poll_timeout();
    room.decide_timeout(room.game().at().saturating_add(1 << 40));
    if let Some(image) = room.image() {
        same_image(&image);
    }
    true
}

/// A room that was written whole is read as the same.
fn same_image(image: &Image) {
    let stored = Stored { image: Some(image.clone()), events: Vec::new() };
    let room = Room::replay(&stored, patience(), 0).expect("an image that a room gives is one");
    let again = room.image().expect("it is as whole as it was");
    assert_eq!((again.seq, &again.body), (image.seq, &image.body));
}

fn patience() -> Arc<Patience> {
    static PATIENCE: LazyLock<Arc<Patience>> = LazyLock::new(|| Patience::new(&Limits::default()).into());
    Arc::clone(&PATIENCE)
}
