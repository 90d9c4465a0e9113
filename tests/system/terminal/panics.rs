//! A panic, in the client's loop or in a background task, restores the terminal and is reported on it.

use std::path::Path;

use noughts_tests::terminal::pty::Pty;

/// The program that cargo builds together with this test.
const PANICKING_CLIENT: &str = env!("CARGO_BIN_EXE_panicking_client");

#[tokio::test]
async fn a_panic_restores_the_terminal_and_is_reported() {
    for place in ["task", "loop"] {
        let pty = Pty::spawn_program(Path::new(PANICKING_CLIENT), &[place]);
        pty.wait_for_text("Ann (X) TO MOVE").await;
        pty.send_keys("5");
        pty.wait_for_text("Bob (O) TO MOVE").await;
        assert!(
            pty.unrestored_modes().contains(&"the mouse is captured"),
            "{pty:?}"
        );
        pty.send_signal("USR1");
        assert_eq!(pty.wait_for_exit().await, 101, "panic in the {place}");
        pty.wait_until_restored().await;
        // The shell's screen shows the earlier output and the report.
        for text in [
            "panicking_client started",
            "noughts: internal error:",
            "on demand",
            "panicking_client.rs",
        ] {
            pty.wait_for_text(text).await;
        }
    }
}
