//! A terminal that vanishes without a word, as it does under a program that is not its session's: the program
//! notices by itself, and ends.

use std::io::{Read, Write};

use noughts_tests::program::{self, Folder};
use noughts_tests::server::Server;
use noughts_tests::wait::until;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

/// A program that does not outlive its test.
struct Ours(Box<dyn Child + Send + Sync>);

impl Drop for Ours {
    fn drop(&mut self) {
        // It has ended already where all is well.
        let (Ok(()) | Err(_)) = self.0.kill();
        let (Ok(_) | Err(_)) = self.0.wait();
    }
}

/// Runs the program until its terminal shows this, then takes the terminal away. Gives the exit code.
async fn code(arguments: &[&str], shown: &'static str) -> u32 {
    let home = Folder::default();
    let mut command = CommandBuilder::new(program::path("noughts"));
    command.args(arguments);
    for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")] {
        command.env(name, value);
    }
    command.env("HOME", home.path());
    // So the system sends it no signal.
    command.set_controlling_tty(false);
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut child = Ours(pair.slave.spawn_command(command).expect("the program starts"));
    let mut reader = pair.master.try_clone_reader().expect("a terminal can be read");
    let mut writer = pair.master.take_writer().expect("and written");
    drop(pair.slave);
    let seen = tokio::task::spawn_blocking(move || {
        let (mut seen, mut chunk) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains(shown) {
            match reader.read(&mut chunk) {
                Ok(read @ 1..) => seen.extend_from_slice(&chunk[..read]),
                Ok(0) | Err(_) => break,
            }
            // The width of a line is asked for.
            if chunk.windows(4).any(|asked| asked == b"\x1b[6n") {
                writer.write_all(b"\x1b[1;2R").expect("a terminal takes answers");
                chunk.fill(0);
            }
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    let seen = seen.await.expect("what was seen");
    assert!(seen.contains(shown), "{seen:?}");
    drop(pair.master);
    let ended = until("the end of the program", async || child.0.try_wait().expect("our own child"));
    ended.await.exit_code()
}

#[tokio::test]
async fn from_under_any_screen() {
    let server = Server::start().await;
    let url = server.url();
    assert_eq!(code(&[], "Quick play").await, 129);
    assert_eq!(code(&["local", "--x", "Ann", "--o", "Bob"], "Ann is to move.").await, 129);
    assert_eq!(code(&["play", &url], "Waiting for an opponent.").await, 129);
    assert_eq!(code(&["play", &url, "--vs", "bot:easy", "--seat", "x"], "Your move.").await, 129);
    // Line by line the system says either that nobody is there, or that the input has ended, or that nobody reads.
    let lines = code(&["local", "--x", "Ann", "--o", "Bob", "--ui", "line"], "Ann (X) to move.").await;
    assert!([0, 129, 141].contains(&lines), "{lines}");
}
