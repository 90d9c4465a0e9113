//! The terminal is restored on every way to exit.

use noughts_tests::server::TestServer;
use noughts_tests::terminal::pty::Pty;

/// Ways to end the program.
#[derive(Clone, Copy, Debug)]
enum ExitPath {
    Keys(&'static str),
    Signal(&'static str),
}

const SIGNAL_EXITS: [(ExitPath, u32); 4] = [
    (ExitPath::Keys("\x03"), 130),
    (ExitPath::Signal("TERM"), 143),
    (ExitPath::Signal("HUP"), 129),
    (ExitPath::Signal("INT"), 130),
];

async fn check_restored(pty: &Pty, exit_path: ExitPath, code: u32) {
    let changed_modes = pty.unrestored_modes();
    assert!(
        changed_modes.len() >= 2,
        "only {changed_modes:?} while the program runs: {pty:?}"
    );
    match exit_path {
        ExitPath::Keys(keys) => pty.send_keys(keys),
        ExitPath::Signal(name) => pty.send_signal(name),
    }
    assert_eq!(pty.wait_for_exit().await, code, "{exit_path:?}");
    pty.wait_until_restored().await;
}

#[tokio::test]
async fn the_terminal_is_restored_from_the_home_screen() {
    for (exit_path, code) in [(ExitPath::Keys("q"), 0), (ExitPath::Keys("й"), 0)]
        .into_iter()
        .chain(SIGNAL_EXITS)
    {
        let pty = Pty::spawn_noughts(&[]);
        pty.wait_for_text("Quick play").await;
        check_restored(&pty, exit_path, code).await;
    }
}

#[tokio::test]
async fn the_terminal_is_restored_while_waiting() {
    let server = TestServer::start().await;
    for (exit_path, code) in [(ExitPath::Keys("q"), 0)].into_iter().chain(SIGNAL_EXITS) {
        let pty = Pty::spawn_noughts(&["play", &server.url()]);
        pty.wait_for_text("LOOKING FOR AN OPPONENT").await;
        check_restored(&pty, exit_path, code).await;
    }
    server.wait_until_idle().await;
}

#[tokio::test]
async fn the_terminal_is_restored_with_mouse_capture() {
    let server = TestServer::start().await;
    // During a game the first Ctrl-C asks.
    let keys = [(ExitPath::Keys("qy"), 0), (ExitPath::Keys("\x03\x03"), 130)];
    for (exit_path, code) in keys.into_iter().chain(SIGNAL_EXITS.into_iter().skip(1)) {
        let pty = Pty::spawn_noughts(&["play", &server.url(), "--vs", "bot:easy", "--seat", "x"]);
        pty.wait_for_text("YOUR MOVE").await;
        pty.wait_until("the mouse", |pty| {
            pty.unrestored_modes()
                .contains(&"the mouse is captured")
                .then_some(())
        })
        .await;
        assert!(
            !pty.unrestored_modes()
                .contains(&"each movement of the mouse is reported")
        );
        check_restored(&pty, exit_path, code).await;
    }
}

#[tokio::test]
async fn the_terminal_is_restored_while_a_bot_searches() {
    for (exit_path, code) in [
        (ExitPath::Keys("\x03"), 130),
        (ExitPath::Signal("TERM"), 143),
    ] {
        let pty = Pty::spawn_noughts(&[
            "local",
            "--x",
            "bot:perfect",
            "--o",
            "bot:perfect",
            "--rules",
            "15x15:5",
        ]);
        pty.wait_for_text("is thinking").await;
        check_restored(&pty, exit_path, code).await;
    }
}

#[tokio::test]
async fn the_terminal_is_restored_around_job_control_stop() {
    let pty = Pty::spawn_shell();
    pty.wait_for_text("ready>").await;
    let program = noughts_tests::program::binary_path("noughts");
    pty.send_keys(&format!("{} local --x Ann --o Bob\n", program.display()));
    pty.wait_for_text("Ann (X) TO MOVE").await;
    pty.send_keys("\x1a");
    pty.wait_for_text("Stopped").await;
    pty.wait_until("the shell's screen", |pty| {
        (!pty
            .unrestored_modes()
            .contains(&"the alternate screen is shown"))
        .then_some(())
    })
    .await;
    pty.send_keys("fg\n");
    pty.wait_for_text("Ann (X) TO MOVE").await;
    pty.send_keys("5");
    pty.wait_for_text("Bob (O) TO MOVE").await;
    pty.send_keys("\x03\x03");
    // Earlier prompts are on the screen too; keys before the new prompt would go to the program.
    pty.wait_until("a new prompt", |pty| {
        pty.screen_text()
            .trim_end()
            .ends_with("\nready>")
            .then_some(())
    })
    .await;
    pty.send_keys("echo code $?\n");
    pty.wait_for_text("code 130").await;
}

#[tokio::test]
async fn hostile_input_is_harmless() {
    let pty = Pty::spawn_noughts(&["local", "--x", "Ann", "--o", "Bob"]);
    pty.wait_for_text("Ann (X) TO MOVE").await;
    // The input is an incomplete sequence, a paste with control characters, invalid UTF-8, and many keys.
    pty.send_keys("\x1b[");
    pty.send_keys("\x1b[200~\x07\x1b]0;title\x07\u{202e}:resign\r\x1b[201~");
    pty.send_keys("\x1b[<0;9999;9999M\x1b[<35;1;1M\x1b[999;999R\x1bOP");
    pty.send_keys(&"?".repeat(501));
    pty.send_keys("\x1b");
    pty.wait_for_text("TO MOVE").await;
    // The keys of the paste may have begun the game; then the first Ctrl-C asks.
    pty.send_keys("\x03\x03");
    assert_eq!(pty.wait_for_exit().await, 130);
    pty.wait_until_restored().await;
}

#[tokio::test]
async fn the_title_names_the_turn_and_returns_to_the_previous_one() {
    let server = TestServer::start().await;
    let pty = Pty::spawn_noughts(&["play", &server.url(), "--vs", "bot:easy", "--seat", "x"]);
    pty.wait_for_text("YOUR MOVE").await;
    let written = |text: &str| {
        let bytes = pty.written_bytes();
        bytes
            .windows(text.len())
            .position(|window| window == text.as_bytes())
    };
    let saved = written("\x1b[22;0t").expect("the previous title is saved");
    let turn =
        written("\x1b]0;* your move - Bot easy - Noughts\x1b\\").expect("the title names the turn");
    assert!(saved < turn, "{saved} {turn}");
    assert_eq!(written("\x1b[23;0t"), None);
    check_restored(&pty, ExitPath::Signal("TERM"), 143).await;
    assert!(written("\x1b[23;0t").expect("the previous title returns") > turn);
}
