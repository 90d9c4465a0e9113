//! A program that nothing happens to does nothing: neither the processor nor the terminal hears of it. A clock that runs
//! is drawn once a second.

use std::time::Duration;

use noughts_tests::pty::Pty;
use noughts_tests::server::Server;
use tokio::time::Instant;

/// How long each screen is watched.
const WATCHED: Duration = Duration::from_secs(4);
/// The processor time that the program may take meanwhile. Drawing in a loop, or waking a hundred times a second,
/// takes more by far, and waiting for the processor counts for nothing.
const MOST: Duration = Duration::from_millis(200);

#[tokio::test]
async fn nothing_is_done_when_nothing_happens() {
    let server = Server::start().await;
    let url = server.url();
    let home = Pty::noughts(&[]);
    let form = Pty::noughts(&["local"]);
    let lobby = Pty::noughts_in(&[], &[("NOUGHTS_SERVER", &url)]);
    lobby.sees("Watch").await;
    lobby.keys("jjj\r");
    let waiting = Pty::noughts(&["play", &url]);
    let game = Pty::noughts(&["play", &url, "--vs", "bot:easy", "--seat", "x"]);
    let clock = Pty::noughts(&["play", &url, "--vs", "bot:easy", "--seat", "x", "--clock", "5+0"]);
    let quiet = [
        (&home, "Quick play"),
        (&form, "Second player"),
        (&lobby, "Waiting to be paired"),
        (&waiting, "Waiting for an opponent."),
        (&game, "Your move."),
    ];
    for (pty, shown) in quiet.iter().chain([&(&clock, "(you)                      4:5")]) {
        pty.sees(shown).await;
    }
    // What was begun by the last key is over, and the first lag is measured.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let all =
        || quiet.iter().map(|(pty, _)| pty).chain([&&clock]).map(|pty| pty.effort()).collect::<Vec<_>>();
    let (before, began) = (all(), Instant::now());
    tokio::time::sleep(WATCHED).await;
    let (after, watched) = (all(), began.elapsed());
    for (place, (before, after)) in before.iter().zip(&after).enumerate() {
        let (drawn, worked) = (after.0 - before.0, after.1 - before.1);
        assert!(worked < MOST, "screen {place} worked {worked:?} in {watched:?}");
        if place < quiet.len() {
            // A lag may be measured in between.
            assert!(drawn <= 1, "screen {place} was drawn {drawn} times in {watched:?}");
        } else {
            let seconds = watched.as_secs() as usize;
            assert!((1..=seconds + 2).contains(&drawn), "{drawn} times in {watched:?}");
        }
    }
}
