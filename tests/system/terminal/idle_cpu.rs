//! An idle program uses no processor time and draws nothing; a running clock and a waiting time are drawn once a
//! second.

use std::time::Duration;

use noughts_tests::server::TestServer;
use noughts_tests::terminal::pty::Pty;
use tokio::time::Instant;

/// Time that each screen is watched.
const WATCH_TIME: Duration = Duration::from_secs(2);
/// Maximum processor time of an idle client. Drawing in a loop or 100 wake-ups a second exceed it by far.
const MAX_CPU_TIME: Duration = Duration::from_millis(100);

#[tokio::test]
async fn idle_screens_use_no_cpu() {
    let server = TestServer::start().await;
    let url = server.url();
    let home = Pty::spawn_noughts(&[]);
    let form = Pty::spawn_noughts(&["local"]);
    let lobby = Pty::spawn_noughts_with_env(&[], &[("NOUGHTS_SERVER", &url)]);
    lobby.wait_for_text("Rooms").await;
    lobby.send_keys("jjj\r");
    let waiting = Pty::spawn_noughts(&["play", &url]);
    let game = Pty::spawn_noughts(&["play", &url, "--vs", "bot:easy", "--seat", "x"]);
    let clock = Pty::spawn_noughts(&[
        "play", &url, "--vs", "bot:easy", "--seat", "x", "--clock", "5+0",
    ]);
    // The first move of each side costs no time.
    clock.wait_for_text("YOUR MOVE").await;
    clock.send_keys("5");
    let idle_screens = [(&form, "Second player"), (&game, "YOUR MOVE")];
    // The home screen counts the seconds until the next attempt to reach its server.
    let ticking_screens = [
        (&home, "next try in"),
        (&lobby, "LOOKING FOR AN OPPONENT"),
        (&waiting, "LOOKING FOR AN OPPONENT"),
        (&clock, "4:5"),
    ];
    for (pty, shown) in idle_screens.iter().chain(&ticking_screens) {
        pty.wait_for_text(shown).await;
    }
    // The effects of the last key are over, and the first ping is measured.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let sample_effort = || {
        idle_screens
            .iter()
            .chain(&ticking_screens)
            .map(|(pty, _)| pty.write_count_and_cpu_time())
            .collect::<Vec<_>>()
    };
    let (before, began) = (sample_effort(), Instant::now());
    tokio::time::sleep(WATCH_TIME).await;
    let (after, watched) = (sample_effort(), began.elapsed());
    for (screen, (before, after)) in before.iter().zip(&after).enumerate() {
        let (redraws, cpu_time) = (after.0 - before.0, after.1 - before.1);
        assert!(
            cpu_time < MAX_CPU_TIME,
            "screen {screen} worked {cpu_time:?} in {watched:?}"
        );
        if screen < idle_screens.len() {
            // The result of one ping may be drawn as well.
            assert!(
                redraws <= 1,
                "screen {screen} was drawn {redraws} times in {watched:?}"
            );
        } else {
            let seconds = watched.as_secs() as usize;
            assert!(
                (1..=seconds + 2).contains(&redraws),
                "{redraws} times in {watched:?}"
            );
        }
    }
}
