//! The real server on a disk that is full, that fails, that has become read-only, or that does not sync. A library put before the
//! C library (`disk/shim.c`, built by the compiler that builds SQLite) fails on demand: no root is needed,
//! and no disk is filled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use noughts_protocol::wire::{Body, Command, RejectCode};
use noughts_protocol::{Cell, RequestId};
use noughts_tests::peer::Peer;
use noughts_tests::preload::library;
use noughts_tests::program::{self, Folder, ServerProcess};
use noughts_tests::server::get;
use noughts_tests::wait::until;

fn shim(folder: &Path) -> PathBuf {
    library(folder, "system/disk/shim.c")
}

fn start(folder: &Path, library: &Path, listen: &str) -> ServerProcess {
    start_with(folder, library, &["--listen", listen])
}

fn start_with(folder: &Path, library: &Path, flags: &[&str]) -> ServerProcess {
    let mut command = Process::new(program::path("noughts-server"));
    command.env("LD_PRELOAD", library).env("NOUGHTS_TEST_DISK", folder.join("fault"));
    command.args(flags).arg("--data").arg(folder.join("data")).stderr(Stdio::null());
    ServerProcess::of(command)
}

async fn ready(server: &ServerProcess) -> u16 {
    let address = server.url.trim_start_matches("ws://").trim_end_matches("/ws");
    get(address.parse().expect("an address"), "/ready").await.0
}

/// X and O at a board.
async fn seated(server: &ServerProcess) -> [Peer; 2] {
    let mut x = Peer::hello(&server.url, "Ann").await;
    let code = x.create("3x3:3", None, Some(noughts_protocol::Seat::X), false).await;
    let mut o = Peer::hello(&server.url, "Bob").await;
    o.join(code).await.expect("a free seat");
    x.caught_up(o.game().seq()).await;
    [x, o]
}

fn place(cell: u16, peer: &Peer) -> Body {
    Body::Command(Command::Move { cell: Cell::new(cell), seq: peer.game().seq() })
}

#[tokio::test]
async fn a_disk_that_takes_nothing_is_told_of_and_does_no_harm() {
    for fault in ["full", "error", "read-only"] {
        let folder = Folder::default();
        let library = shim(folder.path());
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let [mut x, mut o] = seated(&server).await;
        x.play(0).await.expect("the disk is in order");
        o.caught_up(x.game().seq()).await;
        assert_eq!(ready(&server).await, 200);

        fs::write(folder.path().join("fault"), fault).expect("the test's own");
        let body = place(4, &o);
        let id = RequestId::new(500).expect("small");
        let refused = o.ask_as(id, body.clone()).await.unwrap_err();
        assert_eq!(refused.code, RejectCode::Unavailable, "{fault}");
        assert_eq!(ready(&server).await, 503, "{fault}");
        // Watching goes on, and nobody sees what is not stored.
        let before = x.game().seq();
        let sync = Body::Lobby(noughts_protocol::wire::Lobby::Sync { seq: before });
        x.ask(sync).await.expect("the room answers");
        assert_eq!(x.game().seq(), before, "{fault}");

        fs::remove_file(folder.path().join("fault")).expect("just written");
        until("readiness", async || (ready(&server).await == 200).then_some(())).await;
        until("the move", async || o.ask_as(id, body.clone()).await.ok()).await;
        x.caught_up(o.game().seq()).await;
        x.play(8).await.expect("it goes on");
        o.caught_up(x.game().seq()).await;
        let (place, moves) = (o.place().clone(), x.game().position().moves().to_vec());
        server.kill();
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let mut o = Peer::hello(&server.url, "Bob").await;
        o.resume(&place, None).await.expect("its seat");
        assert_eq!(o.game().position().moves(), moves, "{fault}: what was told is there after a kill");
    }
}

#[tokio::test]
async fn a_disk_that_does_not_sync_ends_the_server_before_it_can_lie() {
    let folder = Folder::default();
    let library = shim(folder.path());
    let mut server = start(folder.path(), &library, "127.0.0.1:0");
    let [mut x, o] = seated(&server).await;
    x.play(0).await.expect("the disk is in order");
    let (place, told) = (o.place().clone(), x.game().position().moves().to_vec());
    fs::write(folder.path().join("fault"), "sync").expect("the test's own");
    let body = self::place(4, &o);
    let mut o = o;
    o.send(&noughts_protocol::wire::Request { id: RequestId::new(500).expect("small"), body }).await;
    let status = server.ended().await;
    assert!(!status.success(), "{status}");
    fs::remove_file(folder.path().join("fault")).expect("just written");
    let server = start(folder.path(), &library, "127.0.0.1:0");
    let mut back = Peer::hello(&server.url, "Bob").await;
    back.resume(&place, None).await.expect("its seat");
    // The move that was never acknowledged is there or not; what was told is there.
    assert!(back.game().position().moves().starts_with(&told));
}

#[tokio::test]
async fn a_disk_that_hangs_is_told_of_and_does_not_keep_the_process() {
    let folder = Folder::default();
    let (library, fault) = (shim(folder.path()), folder.path().join("fault"));
    let flags = ["--listen", "127.0.0.1:0", "--append", "500ms", "--drain", "500ms"];
    let mut server = start_with(folder.path(), &library, &flags);
    let [mut x, mut o] = seated(&server).await;
    x.play(0).await.expect("the disk is in order");
    o.caught_up(x.game().seq()).await;
    assert_eq!(ready(&server).await, 200);

    fs::write(&fault, "hang").expect("the test's own");
    let (id, body) = (RequestId::new(500).expect("small"), place(4, &o));
    o.send(&noughts_protocol::wire::Request { id, body: body.clone() }).await;
    until("a server that is not ready", async || (ready(&server).await == 503).then_some(())).await;
    fs::remove_file(&fault).expect("just written");
    until("readiness", async || (ready(&server).await == 200).then_some(())).await;
    // The move was under way all the time, and its answer comes now that it is stored.
    o.answer(id, Some(o.seat())).await.expect("it was stored");
    x.caught_up(o.game().seq()).await;

    fs::write(&fault, "hang").expect("the test's own");
    let body = place(8, &x);
    x.send(&noughts_protocol::wire::Request { id, body }).await;
    until("a server that is not ready", async || (ready(&server).await == 503).then_some(())).await;
    // Two of one kind at once would be one.
    server.signal("TERM");
    server.signal("INT");
    let status = server.ended().await;
    assert_eq!(status.code(), Some(130), "a disk that hangs kept the process");
    fs::remove_file(&fault).expect("just written");
}

#[tokio::test]
async fn a_directory_that_may_not_be_written_is_named_at_the_start() {
    let folder = Folder::default();
    let data = folder.path().join("data");
    // A file where the directory should be: nobody, not even root, may make one there.
    fs::write(&data, "no directory").expect("the test's own");
    let mut command = Process::new(program::path("noughts-server"));
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(&data);
    let output = program::output(command).await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("cannot use") && said.contains("data"), "{said}");
    assert!(output.stdout.is_empty(), "nobody is told an address");
}
