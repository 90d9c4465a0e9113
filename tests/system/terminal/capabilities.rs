//! The terminal receives only the colours, characters and sequences that it supports.

use noughts_protocol::{Event, Seat};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::pty::Pty;

/// Returns colour sequences (`CSI … m` with a parameter from 30 to 49 or 90 to 107).
fn color_sequences(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let sequences = text.split("\x1b[").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        rest[end..].starts_with('m').then(|| rest[..end].to_owned())
    });
    let coloured = |sequence: &String| {
        sequence
            .split([';', ':'])
            .any(|number| matches!(number.parse(), Ok(30..=38 | 40..=48 | 90..=107)))
    };
    sequences.filter(coloured).collect()
}

/// Plays a move on a local board; returns all output.
async fn start_and_capture(environment: &[(&str, &str)]) -> (Pty, Vec<u8>) {
    let pty = Pty::spawn_noughts_with_env(&["local", "--x", "Ann", "--o", "Bob"], environment);
    pty.wait_for_text("Ann (X) TO MOVE").await;
    pty.send_keys("5");
    pty.wait_for_text("Bob (O) TO MOVE").await;
    let bytes = pty.written_bytes();
    (pty, bytes)
}

#[tokio::test]
async fn marks_differ_by_shape_without_colours() {
    let (_, coloured) = start_and_capture(&[]).await;
    assert!(
        !color_sequences(&coloured).is_empty(),
        "colours are on by default"
    );
    let (pty, plain) = start_and_capture(&[("NO_COLOR", "1")]).await;
    assert_eq!(color_sequences(&plain), Vec::<String>::new());
    let empty = plain.windows(3).any(|bytes| bytes == b"\x1b[m");
    assert!(!empty, "an empty CSI m wipes what is bold or reversed");
    // Without colours, the cursor is drawn as a shape.
    pty.wait_for_text(">    X    <").await;
}

#[tokio::test]
async fn a_locale_without_utf8_gets_ascii() {
    let (pty, bytes) = start_and_capture(&[("LANG", "C")]).await;
    assert!(bytes.is_ascii(), "{pty:?}");
    let (pty, bytes) = start_and_capture(&[]).await;
    assert!(
        !bytes.is_ascii(),
        "the frame is not drawn with box characters: {pty:?}"
    );
}

#[tokio::test]
async fn a_dumb_terminal_gets_lines() {
    let pty =
        Pty::spawn_noughts_with_env(&["local", "--x", "Ann", "--o", "Bob"], &[("TERM", "dumb")]);
    pty.wait_for_text("Ann (X) to move.").await;
    pty.send_keys("b2\n");
    pty.wait_for_text("Bob (O) to move.").await;
    pty.send_keys("q\ny\n");
    pty.wait_for_exit().await;
    assert!(!pty.written_bytes().contains(&0x1b), "{pty:?}");
}

#[tokio::test]
async fn an_unfocused_terminal_is_notified() {
    let server = TestServer::start().await;
    for (bell, called) in [("bell", "\x07"), ("notify", "\x1b]9;Your move.\x07")] {
        let mut bob = server.connect_client("Bob").await;
        bob.seek("3x3:3", None, Some(Seat::X)).await;
        let pty = Pty::spawn_noughts(&["play", &server.url(), "--bell", bell]);
        bob.next_snapshot().await;
        pty.wait_for_text("Bob to move").await;
        let rung = |pty: &Pty| {
            String::from_utf8_lossy(&pty.written_bytes())
                .matches(called)
                .count()
        };
        bob.play(4).await.expect("X moves first");
        pty.wait_for_text("YOUR MOVE").await;
        assert_eq!(rung(&pty), 0, "no bell while the terminal has the focus");
        // Lose focus before the move; the move's redraw then proves that the focus change was handled.
        pty.send_keys("1\x1b[O");
        bob.wait_for_event("the opponent's move", |event| {
            matches!(event, Event::Moved { seat: Seat::O, .. })
        })
        .await;
        bob.play(1).await.expect("the cell is free");
        pty.wait_until("the call", |pty| (rung(pty) == 1).then_some(()))
            .await;
        pty.send_keys("\x1b[I\x03\x03");
        assert_eq!(pty.wait_for_exit().await, 130);
        pty.wait_until_restored().await;
    }
}

#[tokio::test]
async fn an_unresponsive_terminal_does_not_block_startup() {
    let pty = Pty::spawn_without_replies(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.wait_for_text("Ann (X) TO MOVE").await;
    // The screen is drawn with ASCII, which every terminal shows. A key ends the wait for the reply, and the character
    // set stays ASCII.
    pty.send_keys("5");
    pty.wait_for_text("Bob (O) TO MOVE").await;
    pty.send_keys("1");
    pty.wait_for_text("5     1").await;
    pty.wait_for_text("---+---").await;
    // The program does not take a late reply for a key.
    pty.send_keys("\x1b[1;2R2");
    pty.wait_for_text("3.   2").await;
    pty.wait_for_text("---+---").await;
    // A late reply before any key is still used.
    let pty = Pty::spawn_without_replies(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.wait_for_text("---+---").await;
    pty.send_keys("\x1b[1;2R");
    pty.wait_for_text("\u{2500}\u{253c}\u{2500}").await;
    // Signals are handled while the program waits for the reply.
    let pty = Pty::spawn_without_replies(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.wait_for_text("Ann (X) TO MOVE").await;
    pty.send_signal("TERM");
    assert_eq!(pty.wait_for_exit().await, 143);
    pty.wait_until_restored().await;
}

#[tokio::test]
async fn a_late_reply_about_the_background_is_not_typed() {
    let reply = "\x1b]11;rgb:1111/2222/3333\x1b\\";
    let pty = Pty::spawn_without_replies(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.wait_for_text("Ann (X) TO MOVE").await;
    // The key ends the wait for the reply.
    pty.send_keys("5");
    pty.wait_for_text("Bob (O) TO MOVE").await;
    pty.send_keys(&format!("{reply}9"));
    pty.wait_for_text("5     9").await;
    // The program uses the reply. It expects no second reply, so Esc is a key again.
    pty.send_keys("?");
    pty.wait_for_text("move the cursor").await;
    pty.send_keys("\x1b");
    pty.wait_for_text("Ann (X) TO MOVE").await;
}
