//! Terminal that disappears without a signal because it is not the session's controlling terminal: the
//! program detects it and exits.

use std::io::{Read, Write};

use noughts_tests::program::{self, TempDir};
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

/// Process, killed when dropped.
struct HangupChild(Box<dyn Child + Send + Sync>);

impl Drop for HangupChild {
    fn drop(&mut self) {
        // The process has usually ended.
        let (Ok(()) | Err(_)) = self.0.kill();
        let (Ok(_) | Err(_)) = self.0.wait();
    }
}

/// Runs the program until its terminal shows a text, closes the terminal, and returns the exit code.
async fn exit_code_after_hangup(arguments: &[&str], shown: &'static str) -> u32 {
    let home = TempDir::default();
    let mut command = CommandBuilder::new(program::binary_path("noughts"));
    command.args(arguments);
    for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")] {
        command.env(name, value);
    }
    command.env("HOME", home.path());
    // The system sends no SIGHUP without a controlling terminal.
    command.set_controlling_tty(false);
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut child = HangupChild(
        pair.slave
            .spawn_command(command)
            .expect("the program starts"),
    );
    let mut reader = pair
        .master
        .try_clone_reader()
        .expect("a terminal can be read");
    let mut writer = pair
        .master
        .take_writer()
        .expect("a terminal can be written");
    drop(pair.slave);
    let seen = tokio::task::spawn_blocking(move || {
        let (mut seen, mut chunk) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains(shown) {
            match reader.read(&mut chunk) {
                Ok(read @ 1..) => seen.extend_from_slice(&chunk[..read]),
                Ok(0) | Err(_) => break,
            }
            // The program queries the width of a character.
            if chunk.windows(4).any(|asked| asked == b"\x1b[6n") {
                writer
                    .write_all(b"\x1b[1;2R")
                    .expect("a terminal takes answers");
                chunk.fill(0);
            }
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    let seen = seen.await.expect("recorded text");
    assert!(seen.contains(shown), "{seen:?}");
    drop(pair.master);
    let ended = wait_until("the end of the program", async || {
        child.0.try_wait().expect("a child of this process")
    });
    ended.await.exit_code()
}

#[tokio::test]
async fn a_terminal_hangup_ends_the_program_on_any_screen() {
    let server = TestServer::start().await;
    let url = server.url();
    assert_eq!(exit_code_after_hangup(&[], "Quick play").await, 129);
    assert_eq!(
        exit_code_after_hangup(&["local", "--x", "Ann", "--o", "Bob"], "Ann (X) TO MOVE").await,
        129
    );
    assert_eq!(
        exit_code_after_hangup(&["play", &url], "Meanwhile").await,
        129
    );
    assert_eq!(
        exit_code_after_hangup(
            &["play", &url, "--vs", "bot:easy", "--seat", "x"],
            "YOUR MOVE"
        )
        .await,
        129
    );
    // In line mode the system reports an error of the input, its end, or an error of the output.
    let lines = exit_code_after_hangup(
        &["local", "--x", "Ann", "--o", "Bob", "--ui", "line"],
        "Ann (X) to move.",
    )
    .await;
    assert!([0, 129, 141].contains(&lines), "{lines}");
}
