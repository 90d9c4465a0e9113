//! The terminal is given back as it was, however the program ends; and it writes what a terminal can show.

use noughts_protocol::{Event, Seat};
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;

/// How a program is ended.
#[derive(Clone, Copy, Debug)]
enum Way {
    Keys(&'static str),
    Signal(&'static str),
}

const SIGNALS: [(Way, u32); 4] = [
    (Way::Keys("\x03"), 130),
    (Way::Signal("TERM"), 143),
    (Way::Signal("HUP"), 129),
    (Way::Signal("INT"), 130),
];

async fn check(pty: &Pty, way: Way, code: u32) {
    let taken = pty.out_of_order();
    assert!(taken.len() >= 2, "only {taken:?} while the program runs: {pty:?}");
    match way {
        Way::Keys(keys) => pty.keys(keys),
        Way::Signal(name) => pty.signal(name),
    }
    assert_eq!(pty.ended().await, code, "{way:?}");
    pty.given_back().await;
}

#[tokio::test]
async fn from_the_first_screen() {
    for (way, code) in [(Way::Keys("q"), 0), (Way::Keys("й"), 0)].into_iter().chain(SIGNALS) {
        let pty = Pty::noughts(&[]);
        pty.sees("Quick play").await;
        check(&pty, way, code).await;
    }
}

#[tokio::test]
async fn while_waiting_for_an_opponent() {
    let server = Server::start().await;
    for (way, code) in [(Way::Keys("q"), 0)].into_iter().chain(SIGNALS) {
        let pty = Pty::noughts(&["play", &server.url()]);
        pty.sees("Waiting for an opponent.").await;
        check(&pty, way, code).await;
    }
    server.settled().await;
}

#[tokio::test]
async fn in_a_game_with_the_mouse_captured() {
    let server = Server::start().await;
    for (way, code) in [(Way::Keys("qy"), 0)].into_iter().chain(SIGNALS) {
        let pty = Pty::noughts(&["play", &server.url(), "--vs", "bot:easy", "--seat", "x"]);
        pty.sees("Your move.").await;
        pty.until("the mouse", |pty| pty.out_of_order().contains(&"the mouse is captured").then_some(()))
            .await;
        check(&pty, way, code).await;
    }
}

#[tokio::test]
async fn while_a_bot_thinks() {
    for (way, code) in [(Way::Keys("\x03"), 130), (Way::Signal("TERM"), 143)] {
        let pty = Pty::noughts(&["local", "--x", "bot:perfect", "--o", "bot:perfect", "--rules", "15x15:5"]);
        pty.sees("thinks").await;
        check(&pty, way, code).await;
    }
}

#[tokio::test]
async fn stopped_by_the_shell_and_brought_back() {
    let pty = Pty::shell();
    pty.sees("ready>").await;
    let program = noughts_tests::program::path("noughts");
    pty.keys(&format!("{} local --x Ann --o Bob\n", program.display()));
    pty.sees("Ann is to move.").await;
    pty.keys("\x1a");
    pty.sees("Stopped").await;
    pty.until("the shell's screen", |pty| {
        (!pty.out_of_order().contains(&"the other screen is shown")).then_some(())
    })
    .await;
    pty.keys("fg\n");
    pty.sees("Ann is to move.").await;
    pty.keys("5");
    pty.sees("Bob is to move.").await;
    pty.keys("\x03");
    // The prompts from before are on the screen too; whoever types before the new one types to the program.
    pty.until("a new prompt", |pty| pty.text().trim_end().ends_with("\nready>").then_some(())).await;
    pty.keys("echo code $?\n");
    pty.sees("code 130").await;
}

/// The escape sequences that choose colours (`CSI … m` with anything from 30 to 49 or 90 to 107).
fn colours(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let sequences = text.split("\x1b[").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        rest[end..].starts_with('m').then(|| rest[..end].to_owned())
    });
    let coloured = |sequence: &String| {
        sequence.split([';', ':']).any(|number| matches!(number.parse(), Ok(30..=38 | 40..=48 | 90..=107)))
    };
    sequences.filter(coloured).collect()
}

/// Plays a move on a local board, and gives all that was written.
async fn written(environment: &[(&str, &str)]) -> (Pty, Vec<u8>) {
    let pty = Pty::noughts_in(&["local", "--x", "Ann", "--o", "Bob"], environment);
    pty.sees("Ann is to move.").await;
    pty.keys("5");
    pty.sees("Bob is to move.").await;
    let bytes = pty.bytes();
    (pty, bytes)
}

#[tokio::test]
async fn without_colours_the_marks_are_told_apart_by_shape() {
    let (_, coloured) = written(&[]).await;
    assert!(!colours(&coloured).is_empty(), "colours are the rule");
    let (pty, plain) = written(&[("NO_COLOR", "1")]).await;
    assert_eq!(colours(&plain), Vec::<String>::new());
    let empty = plain.windows(3).any(|bytes| bytes == b"\x1b[m");
    assert!(!empty, "an empty CSI m wipes what is bold or reversed");
    assert!(pty.text().contains(">X<"), "the cursor is a shape: {pty:?}");
}

#[tokio::test]
async fn a_locale_without_utf8_gets_ascii() {
    let (pty, bytes) = written(&[("LANG", "C")]).await;
    assert!(bytes.is_ascii(), "{pty:?}");
    let (pty, bytes) = written(&[]).await;
    assert!(!bytes.is_ascii(), "lines are drawn as lines where that can be: {pty:?}");
}

#[tokio::test]
async fn a_dumb_terminal_gets_lines() {
    let pty = Pty::noughts_in(&["local", "--x", "Ann", "--o", "Bob"], &[("TERM", "dumb")]);
    pty.sees("Ann (X) to move.").await;
    pty.keys("b2\n");
    pty.sees("Bob (O) to move.").await;
    pty.keys("q\ny\n");
    pty.ended().await;
    assert!(!pty.bytes().contains(&0x1b), "{pty:?}");
}

#[tokio::test]
async fn hostile_input_harms_nobody() {
    let pty = Pty::noughts(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.sees("Ann is to move.").await;
    // Half a sequence, a paste of controls, bytes that are no text, a storm of keys.
    pty.keys("\x1b[");
    pty.keys("\x1b[200~\x07\x1b]0;title\x07\u{202e}:resign\r\x1b[201~");
    pty.keys("\x1b[<0;9999;9999M\x1b[<35;1;1M\x1b[999;999R\x1bOP");
    pty.keys(&"?".repeat(501));
    pty.keys("\x1b");
    pty.sees("is to move.").await;
    pty.keys("\x03");
    assert_eq!(pty.ended().await, 130);
    pty.given_back().await;
}

#[tokio::test]
async fn who_looks_elsewhere_is_called_and_nobody_else() {
    let server = Server::start().await;
    for (bell, called) in [("bell", "\x07"), ("notify", "\x1b]9;Your move.\x07")] {
        let mut bob = server.peer("Bob").await;
        bob.seek("3x3:3", None, Some(Seat::X)).await;
        let pty = Pty::noughts(&["play", &server.url(), "--bell", bell]);
        bob.snapshot().await;
        pty.sees("Bob is to move.").await;
        let rung = |pty: &Pty| String::from_utf8_lossy(&pty.bytes()).matches(called).count();
        bob.play(4).await.expect("X begins");
        pty.sees("Your move.").await;
        assert_eq!(rung(&pty), 0, "whoever looks sees it");
        // Focus out, then a move: its picture comes after whatever was done about the focus.
        pty.keys("1\x1b[O");
        bob.event("the answer", |event| matches!(event, Event::Moved { seat: Seat::O, .. })).await;
        bob.play(1).await.expect("free");
        pty.until("the call", |pty| (rung(pty) == 1).then_some(())).await;
        pty.keys("\x1b[I\x03");
        assert_eq!(pty.ended().await, 130);
        pty.given_back().await;
    }
}

#[tokio::test]
async fn a_terminal_that_answers_nothing_is_not_waited_for() {
    let pty = Pty::mute(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.sees("Ann is to move.").await;
    // Drawn with ASCII, which is right everywhere. A key is acted on at once: then the answer is no longer
    // waited for, and the picture stays as it is.
    pty.keys("5");
    pty.sees("Bob is to move.").await;
    pty.keys("1");
    pty.sees("Last   O a1").await;
    assert!(pty.text().contains("---+---"), "{pty:?}");
    // An answer that comes later is no key, and harms nobody.
    pty.keys("\x1b[1;2R2");
    pty.sees("Last   X b1").await;
    assert!(pty.text().contains("---+---"), "{pty:?}");
    // One that comes before any key is taken, however late.
    let pty = Pty::mute(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.sees("---+---").await;
    pty.keys("\x1b[1;2R");
    pty.sees("\u{2500}\u{253c}\u{2500}").await;
    // And a signal is heard before any answer.
    let pty = Pty::mute(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.sees("Ann is to move.").await;
    pty.signal("TERM");
    assert_eq!(pty.ended().await, 143);
    pty.given_back().await;
}
