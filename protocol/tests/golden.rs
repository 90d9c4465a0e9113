//! Pins the JSON of every message: what is in `golden/` is what travels, byte for byte.
//!
//! A kind of message has a file of its own, one value a line. Each list below matches its enum
//! without a wildcard: a new variant does not compile until it is named there, and does not pass
//! until it has a value and a file. `NOUGHTS_GOLDEN=write cargo test -p noughts-protocol --test golden`
//! writes the files; what changes then is a change of the wire, and belongs on the page.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use noughts_protocol::wire::{
    Body, Claim, CloseCode, Command, Held, Hello, Limits, Listing, Lobby, Message, Notice, OpenSeek,
    Presence, Reject, RejectCode, Remark, Request, Score, You,
};
use noughts_protocol::{
    By, Cell, Closing, Code, Event, Game, Kind, LineName, Offer, Outcome, Phase, Player, RequestId,
    ResumeToken, RoomId, RoomRef, Rules, Seat, Seq, Snapshot, Stamped, Status, TimeControl,
};
use serde_json::Value;

/// The names of an enum's kinds, once: as a list, and as a match that has to be complete.
macro_rules! kinds {
    ($kind_of:ident, $names:ident, $type:ty, { $($pattern:pat => $name:literal,)+ }) => {
        const $names: &[&str] = &[$($name,)+];

        fn $kind_of(value: &$type) -> &'static str {
            match value { $($pattern => $name,)+ }
        }
    };
}

kinds!(request_kind, REQUESTS, Body, {
    Body::Hello(Hello { .. }) => "hello",
    Body::Lobby(Lobby::Seek { .. }) => "seek",
    Body::Lobby(Lobby::Cancel) => "cancel",
    Body::Lobby(Lobby::Create { .. }) => "create",
    Body::Lobby(Lobby::Join { .. }) => "join",
    Body::Lobby(Lobby::Watch { .. }) => "watch",
    Body::Lobby(Lobby::Resume { .. }) => "resume",
    Body::Lobby(Lobby::Sync { .. }) => "sync",
    Body::Lobby(Lobby::Leave) => "leave",
    Body::Lobby(Lobby::List) => "list",
    Body::Command(Command::Move { .. }) => "move",
    Body::Command(Command::Resign) => "resign",
    Body::Command(Command::Offer { .. }) => "offer",
    Body::Command(Command::Accept { .. }) => "accept",
    Body::Command(Command::Decline { .. }) => "decline",
    Body::Command(Command::Claim { .. }) => "claim",
    Body::Command(Command::Flag) => "flag",
    Body::Remark(Remark { .. }) => "remark",
});

kinds!(message_kind, MESSAGES, Message, {
    Message::Welcome { .. } => "welcome",
    Message::Done { .. } => "done",
    Message::Reject { .. } => "reject",
    Message::Snapshot { .. } => "snapshot",
    Message::Events { .. } => "events",
    Message::Notice { .. } => "notice",
    Message::Rooms { .. } => "rooms",
    Message::Restarting { .. } => "restarting",
});

kinds!(event_kind, EVENTS, Event, {
    Event::Opened { .. } => "opened",
    Event::Seated { .. } => "seated",
    Event::Started { .. } => "started",
    Event::Moved { .. } => "moved",
    Event::Offered { .. } => "offered",
    Event::Declined { .. } => "declined",
    Event::TakenBack { .. } => "taken_back",
    Event::Ended { .. } => "ended",
    Event::Closed { .. } => "closed",
});

kinds!(notice_kind, NOTICES, Notice, {
    Notice::Presence { .. } => "presence",
    Notice::Lag { .. } => "lag",
    Notice::Crowd { .. } => "crowd",
    Notice::Remark { .. } => "remark",
});

kinds!(outcome_kind, OUTCOMES, Outcome, {
    Outcome::Line { .. } => "line",
    Outcome::Full => "full",
    Outcome::Resigned { .. } => "resigned",
    Outcome::Flag { .. } => "flag",
    Outcome::Agreed => "agreed",
    Outcome::Abandoned { .. } => "abandoned",
});

/// An enum of bare words: all of them, and a match that has to be complete.
macro_rules! words {
    ($name:ident, $type:ident, [$($variant:ident),+]) => {
        fn $name() -> Vec<String> {
            fn complete(value: $type) -> $type {
                match value { $($type::$variant => $type::$variant,)+ }
            }
            let all = [$($type::$variant,)+].map(complete);
            all.map(|value| {
                let text = serde_json::to_string(&value).unwrap();
                assert_eq!(serde_json::from_str::<$type>(&text).unwrap(), value);
                text
            })
            .into()
        }
    };
}

words!(seats, Seat, [X, O]);
words!(player_kinds, Kind, [Human, Bot]);
words!(offers, Offer, [Draw, Takeback, Rematch]);
words!(claims, Claim, [Win, Draw]);
words!(phases, Phase, [Waiting, Playing, Over, Closed]);
words!(closings, Closing, [Deserted, Idle]);
words!(presences, Presence, [Here, Away, Left]);
words!(line_names, LineName, [Row, Column, Pillar, MainDiagonal, OtherDiagonal, SpaceDiagonal, Direction]);

/// One arm a close code, so that a new one is known here, and in the list that clients walk.
fn close_codes() -> Vec<String> {
    fn number(code: CloseCode) -> u16 {
        match code {
            CloseCode::Normal => 1000,
            CloseCode::ProtocolError => 1002,
            CloseCode::Unsupported => 1003,
            CloseCode::NotUtf8 => 1007,
            CloseCode::Policy => 1008,
            CloseCode::TooBig => 1009,
            CloseCode::Internal => 1011,
            CloseCode::Restarting => 1012,
            CloseCode::HelloTimeout => 4000,
            CloseCode::Version => 4001,
            CloseCode::Replaced => 4002,
            CloseCode::Garbage => 4003,
            CloseCode::SlowConsumer => 4200,
            CloseCode::Unresponsive => 4201,
        }
    }
    let all = CloseCode::ALL.map(|code| {
        assert_eq!(code.code(), number(code));
        assert_eq!(CloseCode::from_code(code.code()), Some(code));
        format!("[{},\"{}\",{}]", code.code(), code.reason(), code.may_resume())
    });
    all.into()
}

fn reject_codes() -> Vec<String> {
    let all = RejectCode::ALL.iter().map(|code| {
        let text = serde_json::to_string(code).unwrap();
        assert_eq!(serde_json::from_str::<RejectCode>(&text).unwrap(), *code);
        assert_eq!(text, format!("\"{code}\""));
        text
    });
    all.collect()
}

/// A list of words: the name of its file, and how to write all of it.
type Words = (&'static str, fn() -> Vec<String>);

const WORDS: &[Words] = &[
    ("word-seat", seats),
    ("word-kind", player_kinds),
    ("word-offer", offers),
    ("word-result", claims),
    ("word-phase", phases),
    ("word-closing", closings),
    ("word-presence", presences),
    ("word-line", line_names),
    ("code-reject", reject_codes),
    ("code-close", close_codes),
];

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(file).with_extension("jsonl")
}

/// Holds `lines` to a golden file, and returns the lines of the file.
fn golden(file: &str, lines: &[String]) -> Vec<String> {
    assert!(!lines.is_empty(), "{file}: a kind without a value to show for it");
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    if std::env::var_os("NOUGHTS_GOLDEN").is_some_and(|how| how == "write") {
        fs::write(path(file), &text).unwrap();
    }
    let stored = fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(text, stored, "{file}: the wire has changed");
    stored.lines().map(str::to_owned).collect()
}

/// Holds the values of one enum to the files of its kinds, in both directions.
fn check<T>(
    group: &str,
    names: &[&str],
    kind: impl Fn(&T) -> &'static str,
    values: &[T],
    write: impl Fn(&T) -> String,
    read: impl Fn(&str) -> T,
    same: impl Fn(&T, &T) -> bool,
) {
    for name in names {
        let file = format!("{group}-{name}");
        let of_kind: Vec<&T> = values.iter().filter(|value| kind(value) == *name).collect();
        let lines: Vec<String> = of_kind.iter().map(|value| write(value)).collect();
        for (value, line) in of_kind.into_iter().zip(golden(&file, &lines)) {
            let again = read(&line);
            assert_eq!(write(&again), line, "{file}: read and written again");
            assert!(same(value, &again), "{file}: read as something else: {line}");
        }
    }
}

// The same few names all through.

fn id(number: u64) -> RequestId {
    RequestId::new(number).unwrap()
}

fn room() -> RoomId {
    "k7qf3mzx".parse().unwrap()
}

fn code() -> Code {
    "pet1-t97t-9axa".parse().unwrap()
}

fn token() -> ResumeToken {
    "2dpnwxmgr54gck3ecaadybb1f2".parse().unwrap()
}

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn clock(text: &str) -> Option<TimeControl> {
    Some(text.parse().unwrap())
}

fn player(name: &str, kind: Kind) -> Player {
    Player { name: name.parse().unwrap(), kind }
}

fn requests() -> Vec<Request> {
    let hello = |client: Option<&str>, party: Option<&str>| Hello {
        versions: [1, 1],
        name: "Ann".parse().unwrap(),
        kind: Kind::Bot,
        client: client.map(str::to_owned),
        party: party.map(|party| party.parse().unwrap()),
    };
    let mut requests = vec![
        Request::hello(id(1), hello(Some("ann-bot 0.1"), None)),
        Request::hello(id(RequestId::MAX), hello(None, None)),
        Request::hello(id(1), hello(None, Some("4n8kxw2tq9v7c3hmr5eyb1dz6g"))),
    ];
    let lobby = [
        Lobby::Seek { rules: rules("15x15:5"), clock: clock("5+3"), seat: Some(Seat::X) },
        Lobby::Seek { rules: rules("3x3:3"), clock: None, seat: None },
        Lobby::Cancel,
        Lobby::Create { rules: rules("connect4"), clock: clock("90s+0"), seat: Some(Seat::O), public: true },
        Lobby::Create { rules: rules("3x3:3+misere"), clock: None, seat: None, public: false },
        Lobby::Join { room: RoomRef::Id(room()) },
        Lobby::Join { room: RoomRef::Code(code()) },
        Lobby::Watch { room: RoomRef::Id(room()), remarks: false },
        Lobby::Watch { room: RoomRef::Code(code()), remarks: true },
        Lobby::Resume { room: room(), token: token(), seq: Some(Seq::new(7)) },
        Lobby::Resume { room: room(), token: token(), seq: None },
        Lobby::Sync { seq: Seq::new(7) },
        Lobby::Leave,
        Lobby::List,
    ];
    requests.extend(lobby.into_iter().map(|lobby| Request::lobby(id(2), lobby)));
    let mut commands = vec![
        Command::Move { cell: Cell::new(4), seq: Seq::new(4) },
        Command::Resign,
        Command::Claim { result: Claim::Win },
        Command::Claim { result: Claim::Draw },
        Command::Flag,
    ];
    for offer in Offer::ALL {
        commands.extend([Command::Offer { offer }, Command::Accept { offer }, Command::Decline { offer }]);
    }
    requests.extend(commands.into_iter().map(|command| Request::command(id(3), command)));
    requests.extend(remarks().map(|remark| Request::remark(id(4), remark)));
    requests
}

/// One of each kind of score.
fn remarks() -> [Remark; 4] {
    let remark = |score, line: &[u16]| Remark {
        seq: Seq::new(7),
        score,
        line: line.iter().map(|&cell| Cell::new(cell)).collect(),
    };
    [
        remark(Score::Win(5), &[4, 0, 2, 6, 8]),
        remark(Score::Loss(2), &[3]),
        remark(Score::Draw, &[]),
        remark(Score::Estimate(-12), &[112, 96]),
    ]
}

/// A room's history, written as a room writes it: a second passes between two requests.
struct Scribe {
    game: Game,
    events: Vec<Stamped>,
    at: u64,
}

impl Scribe {
    const START: u64 = 1_767_225_600_000;

    fn open(rules: Rules, clock: Option<TimeControl>, public: bool) -> Scribe {
        let event = Event::Opened { rules, clock, public };
        let first = Stamped { seq: Seq::new(1), at: Scribe::START, by: None, event };
        Scribe { game: Game::open(&first).unwrap(), events: vec![first], at: Scribe::START }
    }

    fn note(&mut self, by: Option<(Seat, u64)>, event: Event) {
        let by = by.map(|(seat, number)| By { seat, id: id(number) });
        let stamped = Stamped { seq: self.game.seq().next(), at: self.at, by, event };
        self.game.apply(&stamped).unwrap();
        self.events.push(stamped);
    }

    fn sit(&mut self, name: &str, kind: Kind, seat: Seat) {
        self.at += 1000;
        self.note(None, Event::Seated { seat, player: player(name, kind) });
    }

    fn asked(&mut self, seat: Seat, number: u64, event: Event) {
        self.at += 1000;
        self.note(Some((seat, number)), event);
    }

    fn moved(&mut self, number: u64, cell: u16) {
        self.at += 1000;
        let seat = self.game.position().turn();
        let cell = self.game.check_move(seat, Cell::new(cell)).unwrap();
        let left = self.game.clock().map(|clock| clock.after_move(seat, self.at));
        self.note(Some((seat, number)), Event::Moved { seat, cell, left });
        if self.game.position().status() != Status::Ongoing {
            let outcome = self.game.position().outcome().unwrap();
            self.note(None, Event::Ended { outcome, left });
        }
    }

    fn left(&self) -> Option<[u64; 2]> {
        self.game.left(self.at)
    }

    /// What a member sees who comes half a second later.
    fn snapshot(&self) -> Snapshot {
        self.game.snapshot(self.at + 500)
    }
}

/// A private room with a clock, from the first event to the last, and its snapshots on the way.
fn private_room() -> (Vec<Stamped>, Vec<Snapshot>) {
    let (x, o) = (Seat::X, Seat::O);
    let mut room = Scribe::open(rules("3x3:3"), clock("5+3"), false);
    room.sit("Ann", Kind::Human, x);
    let mut snapshots = vec![room.snapshot()];
    room.sit("Bob", Kind::Bot, o);
    room.note(None, Event::Started { game: 1 });
    room.moved(11, 4);
    room.asked(x, 12, Event::Offered { seat: x, offer: Offer::Takeback });
    snapshots.push(room.snapshot());
    room.asked(o, 21, Event::Declined { seat: o, offer: Offer::Takeback });
    room.moved(22, 0);
    room.asked(x, 13, Event::Offered { seat: x, offer: Offer::Takeback });
    room.at += 1000;
    let left = room.left();
    room.note(Some((o, 23)), Event::TakenBack { plies: 2, left });
    for (number, cell) in [(14, 4), (24, 1), (15, 2), (25, 0), (16, 6)] {
        room.moved(number, cell);
    }
    snapshots.push(room.snapshot());
    room.asked(x, 17, Event::Offered { seat: x, offer: Offer::Rematch });
    room.asked(o, 26, Event::Started { game: 2 });
    room.asked(x, 27, Event::Offered { seat: x, offer: Offer::Draw });
    room.at += 1000;
    let left = room.left();
    room.note(Some((o, 18)), Event::Ended { outcome: Outcome::Agreed, left });
    snapshots.push(room.snapshot());
    room.at += 3_600_000;
    room.note(None, Event::Closed { closing: Closing::Idle });
    snapshots.push(room.snapshot());
    (room.events, snapshots)
}

/// A public room without a clock, where stones fall.
fn public_room() -> (Vec<Stamped>, Vec<Snapshot>) {
    let mut room = Scribe::open(rules("connect4"), None, true);
    room.sit("Cleo", Kind::Bot, Seat::O);
    let mut snapshots = vec![room.snapshot()];
    room.sit("小明", Kind::Human, Seat::X);
    room.note(None, Event::Started { game: 1 });
    room.moved(1, 3);
    room.moved(1, 3);
    room.asked(Seat::O, 2, Event::Offered { seat: Seat::O, offer: Offer::Takeback });
    room.asked(Seat::X, 2, Event::TakenBack { plies: 1, left: None });
    snapshots.push(room.snapshot());
    room.at += 60_000;
    room.note(None, Event::Ended { outcome: Outcome::Abandoned { winner: None }, left: None });
    snapshots.push(room.snapshot());
    room.note(None, Event::Closed { closing: Closing::Deserted });
    (room.events, snapshots)
}

/// Each kind of outcome, with a winner and without where both may be.
fn outcomes() -> Vec<Outcome> {
    let line = |text: &str, moves: &[u16]| {
        let mut room = Scribe::open(rules(text), None, true);
        room.sit("Ann", Kind::Human, Seat::X);
        room.sit("Bob", Kind::Human, Seat::O);
        room.note(None, Event::Started { game: 1 });
        for (number, cell) in moves.iter().enumerate() {
            room.moved(number as u64, *cell);
        }
        room.game.outcome().unwrap().clone()
    };
    vec![
        line("3x3:3", &[0, 3, 1, 4, 2]),
        line("3x3:3+misere", &[0, 3, 1, 4, 2]),
        line("7x6:4+gravity", &[3, 2, 3, 2, 3, 2, 3]),
        line("5x1:2", &[0, 4, 2, 3]),
        line("3x3x3:3", &[0, 1, 13, 2, 26]),
        line("4x4x4:4", &[0, 1, 20, 2, 40, 4, 60]),
        line("9:3", &[0, 3, 1, 4, 6, 5]),
        Outcome::Full,
        Outcome::Resigned { winner: Seat::O },
        Outcome::Flag { winner: Seat::X },
        Outcome::Agreed,
        Outcome::Abandoned { winner: Some(Seat::O) },
        Outcome::Abandoned { winner: None },
    ]
}

fn notices() -> Vec<Notice> {
    let remarks =
        remarks().map(|Remark { seq, score, line }| Notice::Remark { seat: Seat::X, seq, score, line });
    let mut notices = vec![
        Notice::Presence { seat: Seat::O, presence: Presence::Here, claim_in_ms: None },
        Notice::Presence { seat: Seat::O, presence: Presence::Away, claim_in_ms: Some(60_000) },
        Notice::Presence { seat: Seat::X, presence: Presence::Left, claim_in_ms: None },
        Notice::Presence { seat: Seat::X, presence: Presence::Left, claim_in_ms: Some(0) },
        Notice::Lag { ms: [Some(21), None] },
        Notice::Lag { ms: [Some(21), Some(140)] },
        Notice::Crowd { watching: 3 },
    ];
    notices.extend(remarks);
    notices
}

/// The refusals by what they carry: each field that may be there alone, and all that go together.
fn rejects() -> Vec<(Option<RequestId>, Reject)> {
    let re = Some(id(9));
    let mut version = Reject::new(RejectCode::Version).field("versions");
    version.versions = Some([1, 1]);
    vec![
        (re, Reject::new(RejectCode::AlreadySeeking)),
        (None, Reject::new(RejectCode::BadMessage).detail("EOF while parsing an object at line 1 column 1")),
        (None, Reject::new(RejectCode::BadField).field("id").detail("missing")),
        (re, Reject::new(RejectCode::UnknownType).field("type")),
        (re, version),
        (re, Reject::new(RejectCode::RateLimited).wait_ms(100)),
        (re, Reject::new(RejectCode::CellTaken).field("cell").at_seq(Seq::new(7))),
        (re, Reject::new(RejectCode::NotClaimable).wait_ms(41_500).at_seq(Seq::new(7))),
    ]
}

fn messages() -> Vec<Message> {
    let limits = Limits {
        message_bytes: 4096,
        burst: 20,
        per_second: 10,
        ping_ms: 15_000,
        grace_ms: 60_000,
        left_grace_ms: 10_000,
        tail: 64,
        outbox: 64,
    };
    let (history, private) = private_room();
    let (_, public) = public_room();
    let mut messages = vec![
        Message::Welcome {
            re: id(1),
            version: 1,
            server: "noughts-server 0.1.0".to_owned(),
            name: "Ann".parse().unwrap(),
            limits,
            held: None,
        },
        Message::Welcome {
            re: id(1),
            version: 1,
            server: "noughts-server 0.1.0".to_owned(),
            name: "Ann".parse().unwrap(),
            limits,
            held: Some(Held { room: room(), token: token() }),
        },
        Message::Done { re: id(2), seq: None },
        Message::Done { re: id(3), seq: Some(Seq::new(5)) },
        Message::Restarting { back_in_ms: 5000 },
        Message::Events { re: None, room: room(), events: history[5..6].to_vec() },
        Message::Events { re: Some(id(4)), room: room(), events: vec![] },
        Message::Events { re: Some(id(4)), room: room(), events: history.clone() },
        Message::Rooms { re: id(5), rooms: vec![], seeks: vec![] },
        Message::Rooms {
            re: id(5),
            rooms: vec![
                Listing {
                    room: room(),
                    rules: rules("15x15:5"),
                    clock: clock("5+3"),
                    phase: Phase::Playing,
                    players: [Some(player("Ann", Kind::Human)), Some(player("Bob", Kind::Bot))],
                    moves: 12,
                    watching: 3,
                },
                Listing {
                    room: "0123abcd".parse().unwrap(),
                    rules: rules("3x3:3"),
                    clock: None,
                    phase: Phase::Waiting,
                    players: [None, Some(player("Cleo", Kind::Human))],
                    moves: 0,
                    watching: 0,
                },
            ],
            seeks: vec![
                OpenSeek {
                    player: player("Dan", Kind::Bot),
                    rules: rules("connect4"),
                    clock: clock("1+2"),
                    seat: Some(Seat::O),
                },
                OpenSeek {
                    player: player("Eve", Kind::Human),
                    rules: rules("qubic"),
                    clock: None,
                    seat: None,
                },
            ],
        },
    ];
    messages.extend(rejects().into_iter().map(|(re, reject)| Message::Reject { re, reject }));
    messages.extend(notices().into_iter().map(|notice| Message::Notice { room: room(), notice }));
    let holder = You { seat: Some(Seat::O), token: Some(token()), code: Some(code()) };
    let seeker = You { seat: Some(Seat::X), token: Some(token()), code: None };
    for state in private {
        messages.push(Message::Snapshot { re: Some(id(6)), room: room(), you: holder, state });
    }
    for (state, you) in public.into_iter().zip([seeker, seeker, You::default()]) {
        messages.push(Message::Snapshot { re: None, room: room(), you, state });
    }
    messages
}

/// Histories whose events together are of every kind.
fn events() -> Vec<Stamped> {
    let (mut events, _) = private_room();
    events.extend(public_room().0);
    events
}

fn type_of(text: &str, field: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    value.pointer(field).and_then(Value::as_str).unwrap().to_owned()
}

#[test]
fn requests_are_golden() {
    let requests = requests();
    for request in &requests {
        assert_eq!(type_of(&request.to_json(), "/type"), request_kind(&request.body));
    }
    check(
        "request",
        REQUESTS,
        |request: &Request| request_kind(&request.body),
        &requests,
        Request::to_json,
        |text| Request::parse(text).unwrap(),
        |one, other| one.id == other.id && one.to_json() == other.to_json(),
    );
}

#[test]
fn messages_are_golden() {
    let messages = messages();
    for message in &messages {
        assert_eq!(type_of(&message.to_json(), "/type"), message_kind(message));
    }
    check(
        "message",
        MESSAGES,
        message_kind,
        &messages,
        Message::to_json,
        |text| Message::parse(text).unwrap(),
        |one, other| one.to_json() == other.to_json(),
    );
}

#[test]
fn events_are_golden() {
    let events = events();
    for stamped in &events {
        let text = serde_json::to_string(stamped).unwrap();
        assert_eq!(type_of(&text, "/event/type"), event_kind(&stamped.event));
    }
    check(
        "event",
        EVENTS,
        |stamped: &Stamped| event_kind(&stamped.event),
        &events,
        |stamped| serde_json::to_string(stamped).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn notices_are_golden() {
    let notices = notices();
    for notice in &notices {
        assert_eq!(type_of(&serde_json::to_string(notice).unwrap(), "/type"), notice_kind(notice));
    }
    check(
        "notice",
        NOTICES,
        notice_kind,
        &notices,
        |notice| serde_json::to_string(notice).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn outcomes_are_golden() {
    let outcomes = outcomes();
    for outcome in &outcomes {
        assert_eq!(type_of(&serde_json::to_string(outcome).unwrap(), "/reason"), outcome_kind(outcome));
    }
    check(
        "outcome",
        OUTCOMES,
        outcome_kind,
        &outcomes,
        |outcome| serde_json::to_string(outcome).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn words_and_codes_are_golden() {
    for (file, words) in WORDS {
        golden(file, &words());
    }
}

/// The golden snapshots are of rooms that can be: a client that takes one in sees the same room.
#[test]
fn golden_snapshots_hold_together() {
    let mut phases = BTreeSet::new();
    for message in messages() {
        let Message::Snapshot { state, .. } = message else { continue };
        let game = Game::from_snapshot(&state).unwrap();
        assert_eq!(game.snapshot(state.at), state);
        phases.insert(serde_json::to_string(&state.phase).unwrap());
    }
    assert_eq!(phases, self::phases().into_iter().collect(), "a snapshot in each phase");
}

/// A file without a kind would pin nothing.
#[test]
fn nothing_else_is_golden() {
    let groups = [
        ("request", REQUESTS),
        ("message", MESSAGES),
        ("event", EVENTS),
        ("notice", NOTICES),
        ("outcome", OUTCOMES),
    ];
    let mut expected: BTreeSet<String> = WORDS.iter().map(|(file, _)| format!("{file}.jsonl")).collect();
    for (group, names) in groups {
        expected.extend(names.iter().map(|name| format!("{group}-{name}.jsonl")));
    }
    let found: BTreeSet<String> = fs::read_dir(path("any").parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);
}
