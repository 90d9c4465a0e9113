//! Lines that are there and bad: slow, silent, torn in the middle of a frame, and repeated by somebody who
//! listened. What the game is does not depend on them.

use std::time::Duration;

use noughts::connection::{Link, News, Offline, Options, Retry};
use noughts_protocol::wire::{self, Body, Command, Hello, Lobby, Message, Notice, Presence, Request};
use noughts_protocol::{Cell, Game, Kind, RequestId, RoomRef, Seat};
use noughts_tests::faulty::FaultyLog;
use noughts_tests::frame::{self, TEXT};
use noughts_tests::peer::Peer;
use noughts_tests::proxy::{End, Proxy, Script, Way};
use noughts_tests::raw::Raw;
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::pair;
use noughts_tests::wait::{until, within};

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

/// The client's own connection in a seat, and the game as it is told.
struct Client {
    link: Link,
    game: Option<Game>,
}

impl Client {
    /// Takes the free seat of a room over a proxy.
    async fn joining(proxy: &Proxy, room: RoomRef) -> Client {
        let hello = Hello {
            versions: [wire::VERSION; 2],
            name: "Bob".parse().expect("a name"),
            kind: Kind::Bot,
            client: None,
            party: None,
        };
        let url = proxy.url().parse().expect("an address");
        let retry = Retry::For(Duration::from_secs(120));
        let mut client = Client { link: Link::open(Options { url, hello, retry }), game: None };
        client.link.send(Body::Lobby(Lobby::Join { room })).expect("nothing waits");
        while client.game.is_none() {
            client.hear().await;
        }
        client
    }

    /// The next piece of news, folded into the game.
    async fn hear(&mut self) -> News {
        let news = within("news", self.link.next()).await.expect("the link lives");
        match &news {
            News::Message(Message::Snapshot { state, .. }) => {
                self.game = Some(Game::from_snapshot(state).expect("a snapshot that holds together"));
            }
            News::Message(Message::Events { events, .. }) => {
                let game = self.game.as_mut().expect("a snapshot comes first");
                events.iter().for_each(|event| game.apply(event).expect("no gap, and nothing twice"));
            }
            News::Ended(why) => panic!("the connection has ended: {why}"),
            News::Lost(id) => panic!("request {id} was given up"),
            News::Message(_) | News::Connecting { .. } | News::Online { .. } | News::Offline { .. } => {}
        }
        news
    }

    fn game(&self) -> &Game {
        self.game.as_ref().expect("seated")
    }

    async fn caught_up(&mut self, with: &Game) {
        while self.game().seq() < with.seq() {
            self.hear().await;
        }
        assert_eq!(self.game().position().moves(), with.position().moves());
    }

    fn play(&mut self, cell: u16) {
        let seq = self.game().seq();
        let command = Command::Move { cell: Cell::new(cell), seq };
        self.link.send(Body::Command(command)).expect("nothing waits");
    }
}

fn is_away(notice: &Notice) -> bool {
    matches!(notice, Notice::Presence { seat: Seat::O, presence: Presence::Away, .. })
}

fn is_here(notice: &Notice) -> bool {
    matches!(notice, Notice::Presence { seat: Seat::O, presence: Presence::Here, .. })
}

/// X on a sound line, O over a proxy, and pings that find out soon.
async fn table() -> (Server, Proxy, Peer, Client) {
    let server = Server::limited(|limits| limits.ping = Duration::from_millis(400)).await;
    let proxy = Proxy::before(server.address()).await;
    let mut x = server.peer("Ann").await;
    let room = x.create("5x5:5", None, Some(Seat::X), true).await;
    let o = Client::joining(&proxy, room).await;
    let seq = o.game().seq();
    x.caught_up(seq).await;
    (server, proxy, x, o)
}

#[tokio::test]
async fn a_line_of_a_byte_a_second_is_given_up_and_taken_up_again() {
    let (_server, proxy, mut x, mut o) = table().await;
    proxy.change(|script| (script.up.rate, script.down.rate) = (Some(1), Some(1)));
    x.play(0).await.expect("X begins");
    // The pongs do not come in time.
    x.notice("absence", is_away).await;
    // Nobody waits for it meanwhile.
    x.offer(noughts_protocol::Offer::Draw).await.expect("a game is on");
    x.command(Command::Decline { offer: noughts_protocol::Offer::Draw }).await.expect("its own");
    proxy.change(|script| (script.up.rate, script.down.rate) = (None, None));
    x.notice("return", is_here).await;
    o.caught_up(x.game()).await;
    o.play(1);
    x.caught_up(x.game().seq().next()).await;
    o.caught_up(x.game()).await;
}

/// What a network that drops everything looks like, without the rights to make one.
#[tokio::test]
async fn a_silent_line_is_given_up_by_both_sides_and_its_request_is_done_once() {
    let (server, proxy, mut x, mut o) = table().await;
    x.play(0).await.expect("X begins");
    o.caught_up(x.game()).await;
    // The next line is in order; this one is not.
    proxy.next(Script::default());
    let silent = |script: &mut Script| (script.up.flows, script.down.flows) = (false, false);
    proxy.change(silent);
    o.play(1);
    x.notice("absence", is_away).await;
    let lost = async {
        loop {
            if let News::Offline { why, .. } = o.hear().await {
                return why;
            }
        }
    };
    // X answers its pings meanwhile.
    let (why, _) = tokio::join!(lost, x.notice("return", is_here));
    assert_eq!(why, Offline::Silent);
    x.caught_up(x.game().seq().next()).await;
    o.caught_up(x.game()).await;
    assert_eq!(x.game().position().moves(), [Cell::new(0), Cell::new(1)]);
    assert_eq!(server.metric("noughts_moves_total").await, 2);
}

fn is_measured(notice: &Notice) -> bool {
    matches!(notice, Notice::Lag { ms } if ms[Seat::X.index()].is_some())
}

/// Every byte of a request, and every way in which a line can end there.
#[tokio::test]
async fn a_request_torn_at_any_byte_is_done_once_or_not_at_all() {
    let log = FaultyLog::new();
    let server = Server::with(Setup { log: log.clone(), ..Setup::default() }).await;
    let proxy = Proxy::before(server.address()).await;
    for end in [End::Reset, End::Close, End::HalfClose] {
        // A frame has a head of 6 bytes, or 8 when it is long.
        let length = |seq| {
            let text = Request::command(id(500), Command::Move { cell: Cell::new(7), seq }).to_json();
            text.len() as u64 + if text.len() < 126 { 6 } else { 8 }
        };
        for at in 0..=60 {
            let [x, mut o] = pair(&server, "5x5:5", None).await;
            let (place, seq) = (x.cut(), o.game().seq());
            let mut x = Peer::hello(&proxy.url(), "Ann").await;
            x.resume(&place, Some(seq)).await.expect("its token");
            // Its answer to the ping that follows would count for bytes of what it asks.
            x.notice("its lag", is_measured).await;
            let at = at * length(seq) / 60;
            proxy.end_after(Way::Up, at, end);
            let command = Command::Move { cell: Cell::new(7), seq };
            // More follows, so that there is a byte for the line to end before.
            let text = Request::command(id(500), command).to_json();
            let frames = [text.as_str(), r#"{"type":"list","id":501}"#];
            for frame in frames {
                if x.try_text(frame).await.is_err() {
                    break;
                }
            }
            until("the line's end", async || proxy_struck(&proxy, 1).then_some(())).await;
            let whole = at == length(seq);
            let surely = whole && end == End::HalfClose;
            if surely {
                // It may be on its way still, but it comes before the end of the line.
                o.caught_up(seq.next()).await;
            }
            drop(x);
            let mut x = server.peer("Ann").await;
            x.resume(&place, Some(seq)).await.expect("its token");
            let again = x.ask_as(id(500), Body::Command(command)).await.expect("the same request");
            let done_before = matches!(again, Message::Done { seq: Some(_), .. });
            // What was written before it may be overtaken by a reset, and by an end both ways: whoever then writes to
            // that line finds it broken, and gives it up with what came by it.
            assert!(
                if surely { done_before } else { whole || !done_before },
                "{end:?} at byte {at}: {again:?}"
            );
            x.caught_up(seq.next()).await;
            o.caught_up(seq.next()).await;
            let stored = log.events(place.id).await;
            assert_eq!(stored.len() as u64, seq.get() + 1, "{end:?} at byte {at}");
        }
    }
}

/// Whether the next answer says that the request has been done before.
async fn is_done(line: &mut Raw) -> bool {
    loop {
        match line.message().await {
            Message::Done { seq: Some(_), .. } => return true,
            Message::Welcome { .. } | Message::Events { re: Some(_), .. } | Message::Snapshot { .. } => {
                return false;
            }
            Message::Events { re: None, .. } | Message::Notice { .. } => {}
            other @ (Message::Done { .. }
            | Message::Reject { .. }
            | Message::Rooms { .. }
            | Message::Restarting { .. }) => panic!("{other:?}"),
        }
    }
}

fn proxy_struck(proxy: &Proxy, newest: usize) -> bool {
    proxy.struck() >= proxy.lines() + 1 - newest
}

#[tokio::test]
async fn what_was_said_on_a_line_may_be_said_again_and_does_nothing_again() {
    let log = FaultyLog::new();
    let server = Server::with(Setup { log: log.clone(), ..Setup::default() }).await;
    let proxy = Proxy::before(server.address()).await;
    let [x, mut o] = pair(&server, "5x5:5", None).await;
    let place = x.cut();
    let mut x = Peer::hello(&proxy.url(), "Ann").await;
    x.resume(&place, Some(place.game.seq())).await.expect("its token");
    x.play(0).await.expect("X begins");
    x.offer(noughts_protocol::Offer::Draw).await.expect("a game is on");
    o.caught_up(x.game().seq()).await;
    o.command(Command::Decline { offer: noughts_protocol::Offer::Draw }).await.expect("on the table");
    o.play(1).await.expect("O answers");
    x.caught_up(o.game().seq()).await;
    let before = log.events(place.id).await;
    for _ in 0..3 {
        // Byte for byte: the handshake, the hello, the token, the move, the offer.
        let said = proxy.said_on(0, Way::Up);
        let head = 4 + said.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a handshake");
        let mut echo = Raw::connect(server.address()).await;
        echo.write(&said[..head]).await;
        assert!(echo.head().await.starts_with("HTTP/1.1 101 "));
        let mut done = 0;
        for (kind, frame) in frame::apart(&said[head..]) {
            echo.write(frame).await;
            // Each is answered before the next, as it was then.
            if kind == TEXT {
                done += u32::from(is_done(&mut echo).await);
            }
        }
        assert_eq!(done, 2, "the move and the offer");
        assert_eq!(log.events(place.id).await, before, "said again and done again");
        // Whoever repeats it has the token, and so the seat: the holder takes it back.
        let mut again = server.peer("Ann").await;
        again.resume(x.place(), Some(x.game().seq())).await.expect("its token");
        assert_eq!(echo.close_code().await, Some(4002));
        drop(again);
    }
    let mut x_again = server.peer("Ann").await;
    x_again.resume(x.place(), Some(x.game().seq())).await.expect("its token");
    x_again.play(2).await.expect("X is to move");
    o.caught_up(x_again.game().seq()).await;
}
