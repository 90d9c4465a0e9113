//! Secrets: each seat is tried with every wrong token, each private room without its code. No token and no
//! code appears in messages to other clients, in log output, or in archived games.

use std::process::{Command as Process, Stdio};
use std::time::Duration;

use noughts_protocol::wire::{
    Claim, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Offer, RequestId, ResumeToken, RoomCode, RoomRef, Seat};
use noughts_server::testing::EventLog;
use noughts_server::testing::ServerClock;
use noughts_server::testing::{Durability, SqliteLog, SqliteOptions};
use noughts_tests::client::game_setup::play_moves;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::proxy::{Proxy, StreamDirection};
use noughts_tests::program::{TempDir, binary_path, output};
use noughts_tests::server::ServerProcess;

/// Game of two players with its secrets.
struct SecretGame {
    players: [TestClient; 2],
    secrets: Vec<String>,
}

async fn start_game(url: &str, public: bool) -> SecretGame {
    let mut x = TestClient::connect_as(url, "Ann").await;
    let room = x.create("3x3:3", None, Some(Seat::X), public).await;
    let mut o = TestClient::connect_as(url, "Bob").await;
    o.join(room).await.expect("the cell is free");
    x.wait_until_seq(o.game().seq()).await;
    let token = |client: &TestClient| client.seat_info().role.token.expect("a player").to_string();
    let mut secrets = vec![token(&x), token(&o)];
    secrets.extend(x.seat_info().role.code.map(|code| code.to_string()));
    SecretGame {
        players: [x, o],
        secrets,
    }
}

/// Searches for a secret in any letter case and grouping.
fn contains_secret(text: &str, secret: &str) -> bool {
    text.contains(secret) || text.contains(&secret.replace('-', ""))
}

/// Tries wrong secrets, each on its own connection so that no rate limit applies.
async fn try_wrong_secrets(url: &str, games: &[SecretGame; 2]) {
    let [public_game, private_game] = games;
    let altered_token = |client: &TestClient, bit: u32| {
        let token = client.seat_info().role.token.expect("a player");
        ResumeToken::from_bits(u128::from_be_bytes(token.to_bytes()) ^ 1 << bit)
    };
    let [x, _] = &public_game.players;
    let [host, _] = &private_game.players;
    let other_token = host.seat_info().role.token.expect("a player");
    let mut tokens: Vec<_> = (0..128)
        .step_by(16)
        .map(|bit| altered_token(x, bit))
        .collect();
    tokens.extend([
        ResumeToken::from_bits(0),
        ResumeToken::from_bits(u128::MAX),
        other_token,
    ]);
    for room in [x.seat_info().id, noughts_protocol::RoomId::from_bits(12345)] {
        for token in &tokens {
            let request = SessionRequest::Resume {
                room,
                token: *token,
                seq: None,
            };
            expect_unknown_room(url, request).await;
        }
    }
    // Without the exact code a private room does not exist.
    let code = host.seat_info().role.code.expect("a private room");
    let wrong_code: RoomCode = RoomCode::from_bits(7);
    assert_ne!(code.to_string(), wrong_code.to_string());
    for room in [RoomRef::Id(host.seat_info().id), RoomRef::Code(wrong_code)] {
        expect_unknown_room(url, SessionRequest::Join { room }).await;
        expect_unknown_room(
            url,
            SessionRequest::Watch {
                room,
                remarks: false,
            },
        )
        .await;
    }
}

async fn expect_unknown_room(url: &str, request: SessionRequest) {
    let mut eve = TestClient::connect_as(url, "Eve").await;
    // Over the limit of guesses the server announces a delay.
    loop {
        let reject = eve
            .request(RequestBody::Session(request.clone()))
            .await
            .expect_err("a secret is needed for this");
        match reject.wait_ms {
            Some(wait) => tokio::time::sleep(Duration::from_millis(wait)).await,
            None => {
                assert_eq!(
                    (reject.code, reject.seq),
                    (RejectCode::UnknownRoom, None),
                    "{request:?}"
                );
                return;
            }
        }
    }
}

#[tokio::test]
async fn secrets_are_required_and_never_leaked() {
    let data = TempDir::default();
    let directory = data.path().to_str().expect("a path in UTF-8");
    let stderr_path = data.path().join("stderr");
    let mut command = Process::new(binary_path("noughts-server"));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--data",
        directory,
        "--rate-burst",
        "100000",
        "--rate-per-second",
        "100000",
    ]);
    command
        .args(["--max-per-address", "1000"])
        .env("RUST_LOG", "trace");
    command.stderr(Stdio::from(
        std::fs::File::create(&stderr_path).expect("a file"),
    ));
    let mut server = ServerProcess::start_command(command);
    let mut games = [
        start_game(&server.url, true).await,
        start_game(&server.url, false).await,
    ];

    // Eve sees everything a spectator can see; the proxy records it.
    let proxy = Proxy::start(server.address()).await;
    let mut spectator = TestClient::connect_as(&proxy.url(), "Eve").await;
    let room = games[0].players[0].seat_info().id;
    spectator.watch(RoomRef::Id(room)).await.expect("public");
    try_wrong_secrets(&proxy.url(), &games).await;
    // A spectator sends every command.
    for command in [
        RoomCommand::Move {
            cell: Cell::new(0),
            seq: spectator.game().seq(),
        },
        RoomCommand::Resign,
        RoomCommand::Offer { offer: Offer::Draw },
        RoomCommand::Accept { offer: Offer::Draw },
        RoomCommand::Decline { offer: Offer::Draw },
        RoomCommand::Claim { result: Claim::Win },
        RoomCommand::Flag,
    ] {
        assert_eq!(
            spectator.expect_reject(RequestBody::Command(command)).await,
            RejectCode::NotAPlayer
        );
    }
    for game in &mut games {
        // A reconnect, and the game to its end.
        let seat_info = game.players[1].seat_info().clone();
        let mut reconnected = TestClient::connect_as(&server.url, "Bob").await;
        reconnected
            .resume(&seat_info, Some(seat_info.game.seq()))
            .await
            .expect("the holder's token");
        game.players[1] = reconnected;
        play_moves(&mut game.players, &[0, 3, 1, 4, 2]).await;
    }
    let end = games[0].players[0].game().seq();
    spectator.wait_until_seq(end).await;
    spectator
        .request(RequestBody::Session(SessionRequest::List))
        .await
        .expect("a list");
    // The opponent, and a spectator who was a player before.
    let [x, o] = &mut games[0].players;
    let id = RequestId::new(77).expect("fits the type");
    o.send(&Request::command(id, RoomCommand::Resign)).await;
    assert_eq!(
        o.wait_for_response(id, Some(Seat::O))
            .await
            .expect_err("the game is over")
            .code,
        RejectCode::GameOver
    );
    assert_eq!(x.game().seq(), end);

    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    let options = SqliteOptions::new(Durability::Process, ServerClock::start());
    let log = SqliteLog::open(data.path(), options).expect("the log");
    let rooms = log.recover().await.expect("the histories");
    tokio::task::spawn_blocking(|| drop(log))
        .await
        .expect("the log can be closed");
    assert_eq!(rooms.len(), 2);
    let stored: Vec<_> = rooms.into_iter().map(|(_, stored)| stored.events).collect();
    let mut export = Process::new(binary_path("noughts-server"));
    export.args(["games", "export", "--data", directory]);
    let export = output(export).await.stdout;
    let outputs = [
        (
            "messages to other clients",
            String::from_utf8_lossy(&proxy.transferred(StreamDirection::Down)).into_owned(),
            "Bob",
        ),
        (
            "log output",
            std::fs::read_to_string(&stderr_path).expect("text"),
            "room opened",
        ),
        (
            "the events",
            serde_json::to_string(&stored).expect("events"),
            "Bob",
        ),
        (
            "the kept games",
            String::from_utf8(export).expect("text"),
            "Bob",
        ),
    ];
    for (output_name, text, expected) in &outputs {
        assert!(text.contains(expected), "{output_name}: empty: {text}");
        for secret in games.iter().flat_map(|game| &game.secrets) {
            assert!(
                !contains_secret(text, secret),
                "a secret is in the {output_name}"
            );
        }
    }
    // The search finds a secret that is there.
    let file = std::fs::read(data.path().join("noughts.db")).expect("the file");
    assert!(
        contains_secret(&String::from_utf8_lossy(&file), &games[0].secrets[0]),
        "the file contains the tokens"
    );
    assert!(games.iter().map(|game| game.secrets.len()).eq([2, 3]));
}
