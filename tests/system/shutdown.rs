//! The server as a process: what it prints, how it stops, how it says that it cannot start.

use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

use noughts_protocol::wire::{Body, Lobby, Message};
use noughts_protocol::{RoomRef, Seat};
use noughts_tests::frame::{Frame, TEXT};
use noughts_tests::http::Response;
use noughts_tests::peer::Peer;
use noughts_tests::program::{self, Folder, ServerProcess};
use noughts_tests::raw::{Raw, handshake};
use noughts_tests::wait::until;
use tokio::net::TcpStream;

/// Where a server listens.
fn address(server: &ServerProcess) -> std::net::SocketAddr {
    let rest = server.url.strip_prefix("ws://").and_then(|rest| rest.strip_suffix("/ws"));
    rest.and_then(|address| address.parse().ok()).unwrap_or_else(|| panic!("{}", server.url))
}

/// What the program says with these flags, when it does not go on.
async fn said(flags: &[&str]) -> Output {
    let mut command = Command::new(program::path("noughts-server"));
    command.args(flags).env_remove("RUST_LOG");
    program::output(command).await
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Reads to the end: what it was told, and the code.
async fn farewell(mut line: Raw) -> (bool, Option<u16>) {
    let (messages, code) = line.to_the_end().await;
    (messages.iter().any(|message| matches!(message, Message::Restarting { back_in_ms: 1.. })), code)
}

#[tokio::test]
async fn two_lines_say_where_it_is() {
    let mut server = ServerProcess::start(&[]);
    assert!(server.url.starts_with("ws://127.0.0.1:") && server.url.ends_with("/ws"), "{}", server.url);
    assert_eq!(server.join, format!("noughts play {}", server.url));
    Peer::hello(&server.url, "Ann").await;
    server.signal("TERM");
    assert_eq!(server.ended().await.code(), Some(0));
    assert_eq!(server.rest_of_stdout(), "", "logs are not for stdout");
}

async fn stops(signal: &str) -> ExitStatus {
    let mut server = ServerProcess::start(&["--drain", "5s"]);
    let to = address(&server);
    // Everyone there can be: before the hello, free, waiting, in a room, in a game, watching.
    let door = Raw::websocket(to).await;
    let hall = Raw::greeted(to).await;
    let mut seeks = Raw::greeted(to).await;
    seeks.text(r#"{"type":"seek","id":1,"rules":"7x6:4+gravity"}"#).await;
    assert!(matches!(seeks.message().await, Message::Done { .. }));
    let mut host = Raw::greeted(to).await;
    host.text(r#"{"type":"create","id":1,"rules":"3x3:3","public":true}"#).await;
    let room = loop {
        if let Message::Snapshot { room, .. } = host.message().await {
            break room;
        }
    };
    let mut lines = vec![door, hall, seeks, host];
    for wish in ["join", "watch"] {
        let mut line = Raw::greeted(to).await;
        line.text(&format!(r#"{{"type":"{wish}","id":1,"room":"{room}"}}"#)).await;
        while !matches!(line.message().await, Message::Snapshot { .. }) {}
        lines.push(line);
    }
    server.signal(signal);
    for (at, farewell) in futures::future::join_all(lines.into_iter().map(farewell)).await.iter().enumerate()
    {
        assert_eq!(*farewell, (true, Some(1012)), "the {at}th client");
    }
    let status = server.ended().await;
    assert!(TcpStream::connect(to).await.is_err(), "nobody listens any more");
    status
}

#[tokio::test]
async fn everybody_is_told_and_the_exit_is_clean() {
    assert_eq!(stops("TERM").await.code(), Some(0));
    assert_eq!(stops("INT").await.code(), Some(0));
}

#[tokio::test]
async fn those_who_hold_on_do_not_hold_it_up() {
    let mut server = ServerProcess::start(&["--drain", "500ms", "--handshake", "60s"]);
    let to = address(&server);
    let mut held = vec![];
    // One that has said nothing, one in the middle of its request, one that reads nothing, and one in
    // the middle of a message.
    held.push(Raw::connect(to).await);
    let mut half = Raw::connect(to).await;
    half.write(b"GET /ws HTTP/1.1\r\n").await;
    held.push(half);
    let mut deaf = Raw::narrow(to).await;
    deaf.upgrade().await;
    deaf.greet().await;
    let mut talks = Raw::greeted(to).await;
    talks.frames(&[Frame::new(TEXT, "{").more()]).await;
    server.signal("TERM");
    let ended = tokio::time::timeout(Duration::from_secs(8), server.ended()).await;
    assert_eq!(ended.expect("ends in its time").code(), Some(0));
    assert_eq!(farewell(talks).await, (true, Some(1012)));
    drop((held, deaf));
}

#[tokio::test]
async fn while_it_drains_nobody_comes_in_and_a_second_signal_ends_it() {
    for (first, second) in [("TERM", "TERM"), ("TERM", "INT"), ("INT", "TERM")] {
        let mut server = ServerProcess::start(&["--drain", "60s", "--handshake", "60s"]);
        let to = address(&server);
        // Both are waited for.
        let [mut late, mut silent] = [Raw::connect(to).await, Raw::connect(to).await];
        let shake = handshake("");
        let (begin, rest) = shake.split_at(20);
        late.write(begin.as_bytes()).await;
        silent.write(begin.as_bytes()).await;
        let told = Raw::greeted(to).await;
        server.signal(first);
        assert_eq!(farewell(told).await, (true, Some(1012)));
        until("the door is shut", async || TcpStream::connect(to).await.err()).await;
        // Who was about to come in is told to come back.
        late.write(rest.as_bytes()).await;
        let answer = Response::parse(&late.head().await);
        assert_eq!((answer.status, answer.header("retry-after").is_some()), (503, true), "{answer:?}");
        server.signal(second);
        assert_eq!(server.ended().await.code(), Some(130), "{first}, then {second}");
        drop(silent);
    }
}

#[tokio::test]
async fn what_cannot_be_served_is_said() {
    let server = ServerProcess::start(&[]);
    let taken = address(&server).to_string();
    let output = said(&["--listen", &taken, "--data", "memory"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).is_empty(), "no address is printed that is not served");
    let error = text(&output.stderr);
    assert!(error.contains(&taken) && error.contains("--listen"), "{error}");
    for flags in [
        &["--listen", "nowhere"][..],
        &["--grace", "soon"],
        &["--durability", "hope"],
        &["--max-rooms", "-1"],
        &["--burst", "many"],
        &["--no-such-flag"],
        &["serve"],
    ] {
        let output = said(flags).await;
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{flags:?}: {output:?}");
    }
}

#[tokio::test]
async fn data_that_cannot_be_used_is_said() {
    let folder = Folder::default();
    let data = folder.path().to_str().expect("UTF-8").to_owned();
    let first = ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", &data]);
    let output = said(&["--listen", "127.0.0.1:0", "--data", &data]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("in use by another server"), "{output:?}");
    assert!(output.stdout.is_empty(), "no address is printed that is not served: {output:?}");
    first.kill();
    // The lock goes with the process.
    ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", &data]).kill();
    // The write-ahead log alone would still hold everything.
    for file in std::fs::read_dir(folder.path()).expect("the data directory") {
        std::fs::remove_file(file.expect("a file").path()).expect("nobody uses it");
    }
    std::fs::write(folder.path().join("noughts.db"), b"this is no database at all").expect("written");
    let output = said(&["--listen", "127.0.0.1:0", "--data", &data]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let file = folder.path().join("noughts.db");
    let output = said(&["--listen", "127.0.0.1:0", "--data", file.to_str().expect("UTF-8")]).await;
    assert_eq!(output.status.code(), Some(1), "a file is no directory: {output:?}");
}

#[tokio::test]
async fn help_names_every_limit() {
    let output = said(&["--help"]).await;
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    let page = include_str!("../../server/README.md");
    let flags = page.split(['`', ' ', '\n', '=']).filter(|word| word.starts_with("--") && word.len() > 2);
    let mut count = 0;
    for flag in flags.filter(|flag| !["--release", "--path", "--help"].contains(flag)) {
        let flag = flag.trim_end_matches([',', '.', ':', ';', ')']);
        assert!(help.contains(flag), "{flag} of the page is not in the help");
        count += 1;
    }
    assert!(count > 20, "{count} flags on the page");
    let version = said(&["--version"]).await;
    assert_eq!(text(&version.stdout).trim(), concat!("noughts-server ", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn nothing_that_is_printed_holds_a_secret() {
    let log = Folder::default();
    let file = log.path().join("stderr");
    let mut command = Command::new(program::path("noughts-server"));
    command.args(["--listen", "127.0.0.1:0", "--data", "memory"]).env("RUST_LOG", "trace");
    command.stderr(std::fs::File::create(&file).expect("a file"));
    let mut server = ServerProcess::of(command);
    let [mut ann, mut bob] = [Peer::hello(&server.url, "Ann").await, Peer::hello(&server.url, "Bob").await];
    let room = ann.create("3x3:3", None, Some(Seat::X), false).await;
    let RoomRef::Code(code) = room else { panic!("a private room has a code") };
    bob.join(room).await.expect("the free seat");
    ann.caught_up(bob.game().seq()).await;
    ann.play(4).await.expect("a legal move");
    let place = bob.cut();
    let mut bob = Peer::hello(&server.url, "Bob").await;
    bob.resume(&place, None).await.expect("its seat");
    assert!(bob.ask(Body::Lobby(Lobby::Leave)).await.is_ok());
    server.signal("TERM");
    assert_eq!(server.ended().await.code(), Some(0));
    let printed = std::fs::read_to_string(&file).expect("text");
    assert!(printed.contains(&place.id.to_string()), "the log is on:\n{printed}");
    let tokens = [place.you.token, ann.place().you.token].map(|token| token.expect("a player").to_string());
    let code = code.to_string();
    for secret in [&tokens[0], &tokens[1], &code, &code.replace('-', "")] {
        assert!(!printed.contains(secret), "a secret is in the log");
    }
}
