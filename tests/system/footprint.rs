//! What a real process holds: descriptors, tasks and memory, of one connection, of many bad ones when they
//! have gone, and when there is no descriptor left.

use std::process::{Command, Stdio};
use std::time::Duration;

use noughts_protocol::Seat;
use noughts_protocol::wire::{Body, Lobby};
use noughts_tests::frame::{BINARY, CONTINUATION, Frame, PING, TEXT, bytes};
use noughts_tests::peer::Peer;
use noughts_tests::program::{self, Folder, ServerProcess};
use noughts_tests::raw::{Raw, handshake};
use noughts_tests::wait::until;
use tokio::net::TcpStream;

/// Two at a board of a server process: X, then O.
async fn pair(server: &ServerProcess) -> [Peer; 2] {
    let [mut x, mut o] = [Peer::hello(&server.url, "Ann").await, Peer::hello(&server.url, "Bob").await];
    x.seek("5x5:5", None, Some(Seat::X)).await;
    o.seek("5x5:5", None, Some(Seat::O)).await;
    x.snapshot().await;
    o.snapshot().await;
    [x, o]
}

async fn play(players: &mut [Peer; 2], cells: std::ops::Range<u16>) {
    for cell in cells {
        let mover = usize::from(cell % 2 == 1);
        players[mover].play(cell).await.expect("legal");
        let seq = players[mover].game().seq();
        players[1 - mover].caught_up(seq).await;
    }
}

#[tokio::test]
async fn without_descriptors_those_connected_play_on_and_then_others_come_in() {
    let folder = Folder::default();
    let stderr = folder.path().join("stderr");
    let mut command = Command::new(program::path("noughts-server"));
    // Nobody of the crowd is given up for saying nothing, which would let in others.
    command.args(["--listen", "127.0.0.1:0", "--max-per-address", "1000", "--handshake", "60s", "--data"]);
    command.arg(folder.path().join("data")).env_remove("RUST_LOG");
    command.stderr(Stdio::from(std::fs::File::create(&stderr).expect("a file")));
    let server = ServerProcess::of(command);
    let mut players = pair(&server).await;
    play(&mut players, 0..4).await;
    let most = server.highest_descriptor() + 1 + 8;
    let before = server.descriptors();
    server.limit_descriptors(most);
    let said = || std::fs::read_to_string(&stderr).expect("text");
    let mut crowd = vec![];
    // One waits in the kernel: of several, some might be let in before the descriptors of all are free again.
    for _ in 0..=most - before {
        crowd.push(TcpStream::connect(server.address()).await.expect("the kernel's queue is long"));
    }
    until("the last to find no descriptor", async || said().contains("nobody can be let in").then_some(()))
        .await;
    assert_eq!(server.descriptors(), most);
    let ticks = server.ticks();
    play(&mut players, 4..12).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    // It rests between its attempts: a loop that does not would take all two seconds, and more.
    let took = server.ticks() - ticks;
    assert!(took < 100, "{took} hundredths of a second of work in two seconds of rest");
    play(&mut players, 12..16).await;
    drop(crowd);
    until("the crowd to be gone", async || (server.descriptors() == before).then_some(())).await;
    let mut late = Peer::hello(&server.url, "Late").await;
    late.ask(Body::Lobby(Lobby::List)).await.expect("it is served");
    play(&mut players, 16..20).await;
    let said = said();
    for line in ["nobody can be let in", "people are let in again"] {
        assert_eq!(said.matches(line).count(), 1, "{line} in\n{said}");
    }
}

/// One of each kind of guest that no server wants.
async fn guests(server: &ServerProcess) {
    let to = server.address();
    let head = handshake("");
    // Those who never finish a handshake, or say something else.
    let mut held = vec![];
    for said in [
        &b""[..],
        b"G",
        &head.as_bytes()[..head.len() - 1],
        b"\x16\x03\x01\x00\xf1\x01\x00\x00\xed\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[0xff; 2000],
    ] {
        let mut line = Raw::connect(to).await;
        line.try_write(said).await;
        held.push(line);
    }
    let mut large = Raw::connect(to).await;
    large.try_write(handshake(&format!("X-Long: {}\r\n", "y".repeat(100_000))).as_bytes()).await;
    // Those who break off.
    for at in [1, head.len() / 2, head.len()] {
        let mut line = Raw::connect(to).await;
        line.try_write(&head.as_bytes()[..at]).await;
        line.reset();
    }
    // Those who break the protocol of frames, and read or do not read what comes of it.
    for sent in [
        bytes(&[Frame::new(TEXT, "{}").unmasked()]),
        bytes(&[Frame::new(BINARY, "{}")]),
        bytes(&[Frame::new(TEXT, b"\xff")]),
        bytes(&[Frame::new(TEXT, "").announcing(u64::MAX >> 1)]),
        bytes(&[Frame::new(TEXT, "").more()])
            .into_iter()
            .chain(Frame::new(CONTINUATION, "").more().bytes().repeat(9000))
            .collect(),
        Frame::new(PING, "").bytes().repeat(200),
        Frame::new(TEXT, "[").bytes().repeat(20),
        Frame::close(1005, b"").bytes(),
        Frame::close(1000, b"bye").bytes(),
        bytes(&[Frame::new(TEXT, "{\"type").more()]),
    ] {
        let mut read = Raw::greeted(to).await;
        read.try_write(&sent).await;
        let mut unread = Raw::greeted(to).await;
        unread.try_write(&sent).await;
        unread.reset();
        held.push(read);
    }
    // Those who come in and leave something behind: a seek, rooms, a game, an audience.
    let mut seeks = Peer::hello(&server.url, "Seeks").await;
    seeks.seek("9x9:5", None, None).await;
    let mut host = Peer::hello(&server.url, "Host").await;
    host.create("3x3:3", None, None, false).await;
    let mut players = pair(server).await;
    play(&mut players, 0..3).await;
    let mut fan = Peer::hello(&server.url, "Fan").await;
    fan.watch(noughts_tests::table::public(&players[0])).await.expect("public");
    // One who waits to be told of an end reads to it; all others are just dropped.
    for line in held.iter_mut().skip(6).take(6) {
        line.close_code().await;
    }
    drop((held, large, seeks, host, players, fan));
}

#[tokio::test]
async fn nothing_is_left_of_bad_guests() {
    let server = ServerProcess::start(&[
        "--max-per-address",
        "1000",
        "--handshake",
        "1s",
        "--hello",
        "1s",
        "--grace",
        "200ms",
        "--left-grace",
        "100ms",
        "--abandon",
        "300ms",
        "--idle-room",
        "500ms",
    ]);
    let open = server.descriptors();
    let tasks = server.metric("noughts_tasks").await;
    let gone = async || {
        for gauge in ["connections", "rooms", "room_tasks", "seeks"] {
            let name = format!("noughts_{gauge}");
            until(("gauge at zero", &name), async || (server.metric(&name).await == 0).then_some(())).await;
        }
        until("no sockets but the one that asks", async || {
            (server.metric("noughts_sockets").await == 1).then_some(())
        })
        .await;
        until(("tasks", tasks), async || (server.metric("noughts_tasks").await <= tasks).then_some(())).await;
        // The scrape's own connection is closed a moment after its answer.
        until(("descriptors", open), async || (server.descriptors() <= open).then_some(())).await;
    };
    // The first round warms up what is kept for the next: buffers, the allocator.
    guests(&server).await;
    gone().await;
    let memory = server.resident_kib();
    for _ in 0..5 {
        guests(&server).await;
        gone().await;
    }
    let grown = server.resident_kib().saturating_sub(memory);
    println!("five rounds of bad guests: {tasks} tasks, {open} descriptors as before, {grown} KiB more");
    assert!(grown < 8 << 10, "{grown} KiB more after five rounds");
}

/// `cargo test --release -p noughts-tests --test system -- an_idle_connection --nocapture` prints the figure.
#[tokio::test]
async fn an_idle_connection_costs_little() {
    const EACH: usize = 200;
    let server = ServerProcess::start(&["--max-per-address", "2000"]);
    let mut lines = vec![];
    let mut resident = vec![];
    // The first of them warm up what all share.
    for _ in 0..3 {
        for _ in 0..EACH {
            lines.push(Raw::greeted(server.address()).await);
        }
        resident.push(server.resident_kib());
    }
    let each = 1024 * (resident[2] - resident[0]) / (2 * EACH as u64);
    println!("an idle connection: {each} bytes of memory, {resident:?} KiB at {EACH} more each");
    assert!(each < 24 << 10, "{each} bytes for each idle connection");
    assert_eq!(server.metric("noughts_connections").await, 3 * EACH as i64);
}
