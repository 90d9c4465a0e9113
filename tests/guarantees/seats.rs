//! P5 to P8: only the holder of a token controls its seat.

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Once};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{
    Claim, Message, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Offer, ResumeToken, RoomRef, Seat};
use noughts_server::testing::{EventLog, MemoryLog};
use noughts_tests::client::game_setup::{pair_players, play_moves, request_id, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::Fault;
use noughts_tests::faults::proxy::{Proxy, StreamDirection};
use noughts_tests::server::TestServer;

use crate::{start_server, wait_timeout};

pub(super) fn a_seat_needs_its_token(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |_| {}).await;
        let [x, o] = pair_players(&server, "3x3:3", None).await;
        let [other_game, _other] = pair_players(&server, "3x3:3", None).await;
        let token = |client: &TestClient| client.seat_info().role.token.expect("a player");
        let almost_token = u128::from_be_bytes(token(&x).to_bytes()) ^ 1;
        let wrong_tokens = [
            ResumeToken::from_bits(0),
            ResumeToken::from_bits(almost_token),
            token(&other_game),
        ];
        for (at, token) in wrong_tokens.into_iter().enumerate() {
            let mut thief = server.connect_client("Eve").await;
            let room = x.seat_info().id;
            let response = thief
                .request(RequestBody::Session(SessionRequest::Resume {
                    room,
                    token: Some(token),
                    seq: None,
                }))
                .await;
            let reject = response.map(|response| panic!("token {at} took the seat: {response:?}"));
            let Err(reject) = reject;
            assert_eq!(
                (reject.code, reject.seq),
                (RejectCode::UnknownRoom, None),
                "token {at}"
            );
        }
        // The failed attempts changed nothing; the valid token resumes the seat.
        let mut resumed = server.connect_client("Bob").await;
        resumed
            .resume(o.seat_info(), None)
            .await
            .expect("the holder's token");
        assert_eq!(o.wait_for_close().await, Some(4002));
        drop(x);
    }
    .boxed_local()
}

thread_local! {
    /// Log output of this thread, while it is captured.
    static LINES: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Log writer that appends to the buffer of the current thread.
///
/// A test and its server run on one thread. The subscriber is global because `tracing` caches interest for
/// each call site: with one subscriber per thread, a site first reached on another thread could be disabled.
struct LogCapture;

impl LogCapture {
    /// Starts capturing on this thread.
    fn start() {
        static SUBSCRIBED: Once = Once::new();
        SUBSCRIBED.call_once(|| {
            let log = tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_writer(|| LogCapture);
            tracing::subscriber::set_global_default(log.finish()).expect("the first one");
        });
        LINES.set(Some(Vec::new()));
    }

    /// Stops capturing; returns the output.
    fn finish() -> String {
        String::from_utf8_lossy(&LINES.take().expect("kept")).into_owned()
    }
}

impl io::Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.with_borrow_mut(|lines| lines.as_mut().map(|lines| lines.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Searches for a secret, with and without its hyphens.
fn contains_secret(text: &str, secret: &str) -> bool {
    text.contains(secret) || text.contains(&secret.replace('-', ""))
}

pub(super) fn no_secret_leaks(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        LogCapture::start();
        let log = Arc::new(MemoryLog::default());
        let server = start_server(fault, |options| options.log = log.clone()).await;
        let [to_host, to_guest, to_others] = [
            Proxy::start(server.address()).await,
            Proxy::start(server.address()).await,
            Proxy::start(server.address()).await,
        ];
        let mut host = TestClient::connect_as(&to_host.url(), "Ann").await;
        let code = host.create("3x3:3", None, Some(Seat::X), false).await;
        let mut guest = TestClient::connect_as(&to_guest.url(), "Bob").await;
        guest.join(code).await.expect("the cell is free");
        host.wait_until_seq(guest.game().seq()).await;
        let [mut x, o] = pair_players_through(&server, &to_others).await;
        let mut spectator = TestClient::connect_as(&to_others.url(), "Fan").await;
        spectator.watch(room_ref(&x)).await.expect("public");
        // The scenario contains a takeover, a wrong guess and a game with spectators.
        let seat_info = guest.disconnect();
        let mut guest = TestClient::connect_as(&to_guest.url(), "Bob").await;
        guest
            .resume(&seat_info, None)
            .await
            .expect("the holder's token");
        let wrong_resume = SessionRequest::Resume {
            room: seat_info.id,
            token: Some(ResumeToken::from_bits(7)),
            seq: None,
        };
        assert_eq!(
            x.expect_reject(RequestBody::Session(wrong_resume)).await,
            RejectCode::AlreadyInRoom
        );
        let mut players = [host, guest];
        play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
        spectator
            .request(RequestBody::Session(SessionRequest::List))
            .await
            .expect("a list");
        let [host, guest] = players;
        let RoomRef::Code(code) = code else {
            panic!("a private room has a code")
        };
        let token =
            |client: &TestClient| client.seat_info().role.token.expect("a player").to_string();
        let received = |proxy: &Proxy| {
            String::from_utf8_lossy(&proxy.transferred(StreamDirection::Down)).into_owned()
        };
        let tokens = [token(&host), token(&guest), token(&x), token(&o)];
        for (whose, proxy) in [&to_host, &to_guest].into_iter().enumerate() {
            let received = received(proxy);
            assert!(
                contains_secret(&received, &tokens[whose]),
                "nothing was recorded"
            );
            for (at, token) in tokens.iter().enumerate().filter(|(at, _)| *at != whose) {
                assert!(
                    !contains_secret(&received, token),
                    "token {at} leaked to another client"
                );
            }
        }
        let received = received(&to_others);
        // The other clients receive their own tokens once, when they take their seats.
        for token in &tokens[2..] {
            assert_eq!(
                received.matches(token.as_str()).count(),
                1,
                "a token leaked to another client"
            );
        }
        for secret in [&tokens[0], &tokens[1], &code.to_string()] {
            assert!(
                !contains_secret(&received, secret),
                "a secret leaked to another client"
            );
        }
        let stored = serde_json::to_string(
            &log.recover()
                .await
                .expect("in memory")
                .into_iter()
                .map(|(_, stored)| stored.events)
                .collect::<Vec<_>>(),
        )
        .expect("events");
        let log_text = LogCapture::finish();
        assert!(
            log_text.contains("room opened"),
            "no log output was captured"
        );
        for secret in tokens.iter().chain([&code.to_string()]) {
            assert!(
                !contains_secret(&log_text, secret),
                "a secret is in the log output"
            );
            assert!(
                !contains_secret(&stored, secret),
                "a secret is in the events"
            );
        }
    }
    .boxed_local()
}

/// Pairs two players in a public room through one proxy.
async fn pair_players_through(server: &TestServer, proxy: &Proxy) -> [TestClient; 2] {
    let [mut x, mut o] = [
        TestClient::connect_as(&proxy.url(), "Cat").await,
        TestClient::connect_as(&proxy.url(), "Dan").await,
    ];
    x.seek("3x3:3", None, Some(Seat::X)).await;
    o.seek("3x3:3", None, Some(Seat::O)).await;
    x.next_snapshot().await;
    o.next_snapshot().await;
    assert_eq!(server.metric("noughts_connections").await, 4);
    [x, o]
}

/// Requests that must be rejected, both of the player who is not to move and of the spectator.
const BAD_REQUESTS: [&str; 12] = [
    "",
    "[]",
    "{",
    r#"{"type":"move","id":1,"cell":0}"#,
    r#"{"type":"move","id":1,"cell":0,"seq":4}"#,
    r#"{"type":"move","id":2,"cell":9,"seq":4}"#,
    r#"{"type":"move","id":3,"cell":-1,"seq":4}"#,
    r#"{"type":"move","id":4,"cell":1e400,"seq":4}"#,
    r#"{"type":"move","id":5,"cell":0,"seq":18446744073709551616}"#,
    r#"{"type":"accept","id":6,"offer":"draw"}"#,
    r#"{"type":"claim","id":7,"result":"win"}"#,
    r#"{"type":"flag","id":8}"#,
];

pub(super) fn bad_input_changes_nothing(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let server = start_server(fault, |options| {
            options.log = log.clone();
            options.limits.reconnect_grace = Duration::from_millis(100);
            options.limits.abandon_after = Duration::from_millis(100);
        })
        .await;
        let [x, mut o] = pair_players(&server, "3x3:3", None).await;
        let mut spectator = server.connect_client("Fan").await;
        spectator.watch(room_ref(&x)).await.expect("public");
        let before = log.load(x.seat_info().id).await.expect("open");
        for text in BAD_REQUESTS {
            for client in [&mut o, &mut spectator] {
                client.send_text(text).await;
                let is_response = |message: &Message| {
                    matches!(message, Message::Reject { .. } | Message::Events { .. })
                };
                let response = client.wait_for("a response", is_response).await;
                assert!(
                    matches!(response, Message::Reject { .. }),
                    "{text} is not rejected: {response:?}"
                );
            }
        }
        assert_eq!(log.load(x.seat_info().id).await.expect("open"), before);
        drop([x, o, spectator]);
        let result = tokio::time::timeout(wait_timeout(fault), server.wait_until_idle()).await;
        assert!(result.is_ok(), "resources of disconnected clients remain");
    }
    .boxed_local()
}

pub(super) fn a_resumed_player_misses_nothing(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |options| options.limits.resume_buffer = 6).await;
        let [mut x, o] = pair_players(&server, "3x3:3", None).await;
        let mut seat_info = o.disconnect();
        x.play(0).await.expect("X moves first");
        x.wait_for_notice("absence", |notice| {
            matches!(
                notice,
                noughts_protocol::wire::Notice::Presence { seat: Seat::O, .. }
            )
        })
        .await;
        let claimed = x
            .send_command(RoomCommand::Claim { result: Claim::Win })
            .await;
        let reject = claimed.map(|_| panic!("a briefly absent player has lost"));
        let Err(reject) = reject;
        assert_eq!(reject.code, RejectCode::NotClaimable);
        for rounds in [2, 6] {
            for _ in 0..rounds {
                x.offer(Offer::Draw).await.expect("no offer is pending");
                x.send_command(RoomCommand::Decline { offer: Offer::Draw })
                    .await
                    .expect("an own offer can be withdrawn");
            }
            let mut resumed = server.connect_client("Bob").await;
            let response = resumed
                .resume(&seat_info, Some(seat_info.game.seq()))
                .await
                .expect("the holder's token");
            let whole = matches!(response, Message::Snapshot { .. });
            assert_eq!(whole, rounds == 6, "{response:?}");
            assert_eq!(resumed.game().seq(), x.game().seq());
            seat_info = resumed.disconnect();
        }
    }
    .boxed_local()
}

pub(super) fn the_newest_connection_has_the_seat(
    fault: Option<Fault>,
) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |_| {}).await;
        let [x, mut o] = pair_players(&server, "3x3:3", None).await;
        let seat_info = x.seat_info().clone();
        let mut newer = server.connect_client("Ann").await;
        newer
            .resume(&seat_info, None)
            .await
            .expect("the holder's token");
        let closed = tokio::time::timeout(wait_timeout(fault), x.wait_for_close()).await;
        assert_eq!(closed, Ok(Some(4002)), "two connections have the seat");
        newer
            .send(&Request::command(request_id(900), RoomCommand::Resign))
            .await;
        o.wait_until_seq(seat_info.game.seq().next()).await;
    }
    .boxed_local()
}
