//! Somebody who wants what is not theirs: every seat with every wrong token, every private room without its
//! code. Nothing of a secret is in what anybody else is sent, in what the process says of itself, or in what
//! is kept of games.

use std::process::{Command as Process, Stdio};
use std::time::Duration;

use noughts_protocol::wire::{Body, Claim, Command, Lobby, RejectCode, Request};
use noughts_protocol::{Cell, Code, Offer, RequestId, ResumeToken, RoomRef, Seat};
use noughts_server::log::EventLog;
use noughts_server::log::sqlite::{Durability, Options, SqliteLog};
use noughts_server::time::Time;
use noughts_tests::peer::Peer;
use noughts_tests::program::{Folder, ServerProcess, output, path};
use noughts_tests::proxy::{Proxy, Way};
use noughts_tests::table::play;

/// Two at a board, and what nobody else may know of it.
struct Table {
    players: [Peer; 2],
    secrets: Vec<String>,
}

async fn table(url: &str, public: bool) -> Table {
    let mut x = Peer::hello(url, "Ann").await;
    let room = x.create("3x3:3", None, Some(Seat::X), public).await;
    let mut o = Peer::hello(url, "Bob").await;
    o.join(room).await.expect("free");
    x.caught_up(o.game().seq()).await;
    let token = |peer: &Peer| peer.place().you.token.expect("a player").to_string();
    let mut secrets = vec![token(&x), token(&o)];
    secrets.extend(x.place().you.code.map(|code| code.to_string()));
    Table { players: [x, o], secrets }
}

/// As it is written, and as a person might write it.
fn holds(text: &str, secret: &str) -> bool {
    text.contains(secret) || text.contains(&secret.replace('-', ""))
}

/// One wrong wish after the other, each on a line of its own so that a guess costs nothing but itself.
async fn try_everything(url: &str, tables: &[Table; 2]) {
    let [open, private] = tables;
    let near = |peer: &Peer, bit: u32| {
        let token = peer.place().you.token.expect("a player");
        ResumeToken::from_bits(u128::from_be_bytes(token.to_bytes()) ^ 1 << bit)
    };
    let [x, _] = &open.players;
    let [host, _] = &private.players;
    let foreign = host.place().you.token.expect("a player");
    let mut tokens: Vec<_> = (0..128).step_by(16).map(|bit| near(x, bit)).collect();
    tokens.extend([ResumeToken::from_bits(0), ResumeToken::from_bits(u128::MAX), foreign]);
    for room in [x.place().id, noughts_protocol::RoomId::from_bits(12345)] {
        for token in &tokens {
            let wish = Lobby::Resume { room, token: *token, seq: None };
            unknown(url, wish).await;
        }
    }
    // A private room is none to who has no code, and a code that is nearly right is wrong.
    let code = host.place().you.code.expect("a private room");
    let nearly: Code = Code::from_bits(7);
    assert_ne!(code.to_string(), nearly.to_string());
    for room in [RoomRef::Id(host.place().id), RoomRef::Code(nearly)] {
        unknown(url, Lobby::Join { room }).await;
        unknown(url, Lobby::Watch { room, remarks: false }).await;
    }
}

async fn unknown(url: &str, wish: Lobby) {
    let mut eve = Peer::hello(url, "Eve").await;
    // A server that has heard too many guesses says when it will listen again.
    loop {
        let refused = eve.ask(Body::Lobby(wish.clone())).await.expect_err("a secret is needed for this");
        match refused.wait_ms {
            Some(wait) => tokio::time::sleep(Duration::from_millis(wait)).await,
            None => {
                assert_eq!((refused.code, refused.seq), (RejectCode::UnknownRoom, None), "{wish:?}");
                return;
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_to_be_had_without_its_secret_and_no_secret_gets_out() {
    let data = Folder::default();
    let directory = data.path().to_str().expect("a plain path");
    let said = data.path().join("stderr");
    let mut command = Process::new(path("noughts-server"));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--data",
        directory,
        "--burst",
        "100000",
        "--per-second",
        "100000",
    ]);
    command.args(["--max-per-address", "1000"]).env("RUST_LOG", "trace");
    command.stderr(Stdio::from(std::fs::File::create(&said).expect("a file")));
    let mut server = ServerProcess::of(command);
    let mut tables = [table(&server.url, true).await, table(&server.url, false).await];

    // Eve sees all that is to be seen, through a line that remembers it.
    let proxy = Proxy::before(server.address()).await;
    let mut fan = Peer::hello(&proxy.url(), "Eve").await;
    let room = tables[0].players[0].place().id;
    fan.watch(RoomRef::Id(room)).await.expect("public");
    try_everything(&proxy.url(), &tables).await;
    // A spectator who would play, in every way that there is.
    for command in [
        Command::Move { cell: Cell::new(0), seq: fan.game().seq() },
        Command::Resign,
        Command::Offer { offer: Offer::Draw },
        Command::Accept { offer: Offer::Draw },
        Command::Decline { offer: Offer::Draw },
        Command::Claim { result: Claim::Win },
        Command::Flag,
    ] {
        assert_eq!(fan.refused(Body::Command(command)).await, RejectCode::NotAPlayer);
    }
    for table in &mut tables {
        // Lost and taken again, and the game to its end.
        let place = table.players[1].place().clone();
        let mut again = Peer::hello(&server.url, "Bob").await;
        again.resume(&place, Some(place.game.seq())).await.expect("its token");
        table.players[1] = again;
        play(&mut table.players, &[0, 3, 1, 4, 2]).await;
    }
    let end = tables[0].players[0].game().seq();
    fan.caught_up(end).await;
    fan.ask(Body::Lobby(Lobby::List)).await.expect("a list");
    // One who is in the other seat, and one who only was.
    let [x, o] = &mut tables[0].players;
    let id = RequestId::new(77).expect("small");
    o.send(&Request::command(id, Command::Resign)).await;
    assert_eq!(o.answer(id, Some(Seat::O)).await.expect_err("it is over").code, RejectCode::GameOver);
    assert_eq!(x.game().seq(), end);

    server.signal("TERM");
    assert_eq!(server.ended().await.code(), Some(0));
    let options = Options::new(Durability::Process, Time::start());
    let log = SqliteLog::open(data.path(), options).expect("the log");
    let rooms = log.recover().await.expect("the histories");
    tokio::task::spawn_blocking(|| drop(log)).await.expect("the log closes");
    assert_eq!(rooms.len(), 2);
    let stored: Vec<_> = rooms.into_iter().map(|(_, stored)| stored.events).collect();
    let mut export = Process::new(path("noughts-server"));
    export.args(["games", "export", "--data", directory]);
    let export = output(export).await.stdout;
    let places = [
        ("what others are sent", String::from_utf8_lossy(&proxy.said(Way::Down)).into_owned(), "Bob"),
        ("the log lines", std::fs::read_to_string(&said).expect("text"), "room opened"),
        ("the events", serde_json::to_string(&stored).expect("events"), "Bob"),
        ("the kept games", String::from_utf8(export).expect("text"), "Bob"),
    ];
    for (place, text, sure) in &places {
        assert!(text.contains(sure), "{place} hold nothing at all: {text}");
        for secret in tables.iter().flat_map(|table| &table.secrets) {
            assert!(!holds(text, secret), "a secret is in {place}");
        }
    }
    // The search finds what is there.
    let file = std::fs::read(data.path().join("noughts.db")).expect("the file");
    assert!(
        holds(&String::from_utf8_lossy(&file), &tables[0].secrets[0]),
        "the rights to the seats are kept"
    );
    assert!(tables.iter().map(|table| table.secrets.len()).eq([2, 3]));
}
