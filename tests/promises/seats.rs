//! P5 to P8: whose a seat is, and that nobody else can do anything with it.

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Once};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Body, Claim, Command, Lobby, Message, RejectCode, Request};
use noughts_protocol::{Offer, RequestId, ResumeToken, RoomRef, Seat};
use noughts_server::fault::Faults;
use noughts_server::log::{EventLog, MemoryLog};
use noughts_tests::peer::Peer;
use noughts_tests::proxy::{Proxy, Way};
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};

use crate::{patience, server};

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

pub(super) fn only_its_token_takes_a_seat(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |_| {}).await;
        let [x, o] = pair(&server, "3x3:3", None).await;
        let [elsewhere, _other] = pair(&server, "3x3:3", None).await;
        let token = |peer: &Peer| peer.place().you.token.expect("a player");
        let near = u128::from_be_bytes(token(&x).to_bytes()) ^ 1;
        let wrong = [ResumeToken::from_bits(0), ResumeToken::from_bits(near), token(&elsewhere)];
        for (at, token) in wrong.into_iter().enumerate() {
            let mut thief = server.peer("Eve").await;
            let room = x.place().id;
            let answer = thief.ask(Body::Lobby(Lobby::Resume { room, token, seq: None })).await;
            let refused = answer.map(|answer| panic!("token {at} took the seat: {answer:?}"));
            let Err(refused) = refused;
            assert_eq!((refused.code, refused.seq), (RejectCode::UnknownRoom, None), "token {at}");
        }
        // Nobody was disturbed, and the right one takes it.
        let mut again = server.peer("Bob").await;
        again.resume(o.place(), None).await.expect("its token");
        assert_eq!(o.closed().await, Some(4002));
        drop(x);
    }
    .boxed_local()
}

thread_local! {
    /// The log lines of this thread, while somebody wants them.
    static LINES: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Where log lines go: to the thread that wants them. A test and its server are one thread. The subscriber is
/// that of the whole process, since what one thread alone subscribes to may be found switched off where
/// another thread was there first.
struct Lines;

impl Lines {
    /// From now on the lines of this thread are kept.
    fn keep() {
        static SUBSCRIBED: Once = Once::new();
        SUBSCRIBED.call_once(|| {
            let log = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(|| Lines);
            tracing::subscriber::set_global_default(log.finish()).expect("the first one");
        });
        LINES.set(Some(Vec::new()));
    }

    /// What was kept. Nothing is from now on.
    fn take() -> String {
        String::from_utf8_lossy(&LINES.take().expect("kept")).into_owned()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.with_borrow_mut(|lines| lines.as_mut().map(|lines| lines.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// As a person could have written it down.
fn holds(text: &str, secret: &str) -> bool {
    text.contains(secret) || text.contains(&secret.replace('-', ""))
}

pub(super) fn no_secret_gets_out(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        Lines::keep();
        let kept = Arc::new(MemoryLog::default());
        let server = server(faults, |setup| setup.log = kept.clone()).await;
        let [to_host, to_guest, to_others] = [
            Proxy::before(server.address()).await,
            Proxy::before(server.address()).await,
            Proxy::before(server.address()).await,
        ];
        let mut host = Peer::hello(&to_host.url(), "Ann").await;
        let code = host.create("3x3:3", None, Some(Seat::X), false).await;
        let mut guest = Peer::hello(&to_guest.url(), "Bob").await;
        guest.join(code).await.expect("free");
        host.caught_up(guest.game().seq()).await;
        let [mut x, o] = pair_over(&server, &to_others).await;
        let mut fan = Peer::hello(&to_others.url(), "Fan").await;
        fan.watch(public(&x)).await.expect("public");
        // A seat is taken again, a guess is wrong, a game is played, and all the while others look on.
        let place = guest.cut();
        let mut guest = Peer::hello(&to_guest.url(), "Bob").await;
        guest.resume(&place, None).await.expect("its token");
        let nowhere = Lobby::Resume { room: place.id, token: ResumeToken::from_bits(7), seq: None };
        assert_eq!(x.refused(Body::Lobby(nowhere)).await, RejectCode::AlreadyInRoom);
        let mut friends = [host, guest];
        play(&mut friends, &[0, 3, 1, 4, 2]).await;
        fan.ask(Body::Lobby(Lobby::List)).await.expect("a list");
        let [host, guest] = friends;
        let RoomRef::Code(code) = code else { panic!("a private room has a code") };
        let token = |peer: &Peer| peer.place().you.token.expect("a player").to_string();
        let heard = |proxy: &Proxy| String::from_utf8_lossy(&proxy.said(Way::Down)).into_owned();
        let tokens = [token(&host), token(&guest), token(&x), token(&o)];
        for (whose, proxy) in [&to_host, &to_guest].into_iter().enumerate() {
            let heard = heard(proxy);
            assert!(holds(&heard, &tokens[whose]), "nothing was heard at all");
            for (at, token) in tokens.iter().enumerate().filter(|(at, _)| *at != whose) {
                assert!(!holds(&heard, token), "token {at} was told to somebody else");
            }
        }
        let heard = heard(&to_others);
        // The others are told their own tokens once each, when they sit down.
        for token in &tokens[2..] {
            assert_eq!(heard.matches(token.as_str()).count(), 1, "a token was told to somebody else");
        }
        for secret in [&tokens[0], &tokens[1], &code.to_string()] {
            assert!(!holds(&heard, secret), "a secret was told to somebody else");
        }
        let stored = serde_json::to_string(
            &kept
                .recover()
                .await
                .expect("in memory")
                .into_iter()
                .map(|(_, stored)| stored.events)
                .collect::<Vec<_>>(),
        )
        .expect("events");
        let logged = Lines::take();
        assert!(logged.contains("room opened"), "no log lines were kept");
        for secret in tokens.iter().chain([&code.to_string()]) {
            assert!(!holds(&logged, secret), "a secret stands in the log lines");
            assert!(!holds(&stored, secret), "a secret stands in the events");
        }
    }
    .boxed_local()
}

/// Two at a public board, over one proxy.
async fn pair_over(server: &Server, proxy: &Proxy) -> [Peer; 2] {
    let [mut x, mut o] = [Peer::hello(&proxy.url(), "Cat").await, Peer::hello(&proxy.url(), "Dan").await];
    x.seek("3x3:3", None, Some(Seat::X)).await;
    o.seek("3x3:3", None, Some(Seat::O)).await;
    x.snapshot().await;
    o.snapshot().await;
    assert_eq!(server.metric("noughts_connections").await, 4);
    [x, o]
}

/// What none of these three may do now, as it is written: (whose turn it is not, who watches).
const BAD: [&str; 12] = [
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

pub(super) fn bad_input_changes_nothing(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let server = server(faults, |setup| {
            setup.log = log.clone();
            setup.limits.grace = Duration::from_millis(100);
            setup.limits.abandon = Duration::from_millis(100);
        })
        .await;
        let [x, mut o] = pair(&server, "3x3:3", None).await;
        let mut fan = server.peer("Fan").await;
        fan.watch(public(&x)).await.expect("public");
        let before = log.load(x.place().id).await.expect("open");
        for text in BAD {
            for peer in [&mut o, &mut fan] {
                peer.text(text).await;
                let answers =
                    |message: &Message| matches!(message, Message::Reject { .. } | Message::Events { .. });
                let answer = peer.wait_for("an answer", answers).await;
                assert!(matches!(answer, Message::Reject { .. }), "{text} is not refused: {answer:?}");
            }
        }
        assert_eq!(log.load(x.place().id).await.expect("open"), before);
        drop([x, o, fan]);
        let settled = tokio::time::timeout(patience(faults), server.settled()).await;
        assert!(settled.is_ok(), "something is left of those who have gone");
    }
    .boxed_local()
}

pub(super) fn who_resumes_misses_nothing(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |setup| setup.limits.tail = 6).await;
        let [mut x, o] = pair(&server, "3x3:3", None).await;
        let mut place = o.cut();
        x.play(0).await.expect("X begins");
        x.notice("absence", |notice| {
            matches!(notice, noughts_protocol::wire::Notice::Presence { seat: Seat::O, .. })
        })
        .await;
        let claimed = x.command(Command::Claim { result: Claim::Win }).await;
        let refused = claimed.map(|_| panic!("who was away for a moment has lost already"));
        let Err(refused) = refused;
        assert_eq!(refused.code, RejectCode::NotClaimable);
        for rounds in [2, 6] {
            for _ in 0..rounds {
                x.offer(Offer::Draw).await.expect("none is on the table");
                x.command(Command::Decline { offer: Offer::Draw }).await.expect("its own");
            }
            let mut again = server.peer("Bob").await;
            let answer = again.resume(&place, Some(place.game.seq())).await.expect("its token");
            let whole = matches!(answer, Message::Snapshot { .. });
            assert_eq!(whole, rounds == 6, "{answer:?}");
            assert_eq!(again.game().seq(), x.game().seq());
            place = again.cut();
        }
    }
    .boxed_local()
}

pub(super) fn the_newest_line_has_the_seat(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |_| {}).await;
        let [x, mut o] = pair(&server, "3x3:3", None).await;
        let place = x.place().clone();
        let mut newer = server.peer("Ann").await;
        newer.resume(&place, None).await.expect("its token");
        let closed = tokio::time::timeout(patience(faults), x.closed()).await;
        assert_eq!(closed, Ok(Some(4002)), "two lines have the seat");
        newer.send(&Request::command(id(900), Command::Resign)).await;
        o.caught_up(place.game.seq().next()).await;
    }
    .boxed_local()
}
