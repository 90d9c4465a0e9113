//! Sample values: at least one of each kind, and several where fields are optional.

mod finished_games;
mod lobby;

use noughts_protocol::wire::{
    AnnouncedLimits, Claim, EngineRemark, Evaluation, FeatureSet, Hello, ListedSeek, LobbyChange,
    LobbyCounts, LobbyView, Message, Notice, OpenSeek, OwnRole, Phrase, Presence, Reject,
    RejectCode, Request, RoomCommand, RoomListing, SeatGrant, SeekId, SessionRequest,
};
use noughts_protocol::{
    Cell, Event, EventRecord, Game, Identity, Offer, Outcome, Phase, Player, PlayerKind, RequestId,
    RequestRef, ResumeToken, RoomCloseReason, RoomCode, RoomId, RoomRef, Rules, Seat, Seq,
    Snapshot, Status, TimeControl,
};

pub(super) fn request_id(number: u64) -> RequestId {
    RequestId::new(number).unwrap()
}

pub(super) fn room() -> RoomId {
    "k7qf3mzx".parse().unwrap()
}

fn code() -> RoomCode {
    "pet1-t97t-9axa".parse().unwrap()
}

pub(super) fn token() -> ResumeToken {
    "2dpnwxmgr54gck3ecaadybb1f2".parse().unwrap()
}

fn identity() -> Identity {
    "5k7qf3mzxw2tq9v7c3hmr5eyb1".parse().unwrap()
}

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn clock(text: &str) -> Option<TimeControl> {
    Some(text.parse().unwrap())
}

fn player(name: &str, kind: PlayerKind) -> Player {
    Player::guest(name.parse().unwrap(), kind)
}

pub(super) fn snapshot(role: OwnRole, state: Snapshot) -> Message {
    Message::Snapshot {
        re: None,
        room: room(),
        role,
        state,
    }
}

pub(super) fn events_message(events: Vec<EventRecord>) -> Message {
    Message::Events {
        re: None,
        room: room(),
        events,
    }
}

pub(super) fn requests() -> Vec<Request> {
    let hello = |client: Option<&str>, party: Option<&str>| Hello {
        versions: [1, 1],
        name: "Ann".parse().unwrap(),
        kind: PlayerKind::Bot,
        client: client.map(str::to_owned),
        party: party.map(|party| party.parse().unwrap()),
        identity_secret: party.map(|_| "7dpnwxmgr54gck3ecaadybb1f2".parse().unwrap()),
        wants: FeatureSet::default(),
    };
    let mut requests = vec![
        Request::hello(request_id(1), hello(Some("ann-bot 0.1"), None)),
        Request::hello(request_id(RequestId::MAX), hello(None, None)),
        Request::hello(
            request_id(1),
            hello(None, Some("4n8kxw2tq9v7c3hmr5eyb1dz6g")),
        ),
    ];
    let lobby = [
        SessionRequest::Seek {
            rules: rules("15x15:5"),
            clock: clock("5+3"),
            seat: Some(Seat::X),
            opponents: Some(PlayerKind::Person),
        },
        SessionRequest::Seek {
            rules: rules("3x3:3"),
            clock: None,
            seat: None,
            opponents: None,
        },
        SessionRequest::Cancel,
        SessionRequest::Create {
            rules: rules("connect4"),
            clock: clock("90s+0"),
            seat: Some(Seat::O),
            public: true,
        },
        SessionRequest::Create {
            rules: rules("3x3:3+misere"),
            clock: None,
            seat: None,
            public: false,
        },
        SessionRequest::Join {
            room: RoomRef::Id(room()),
        },
        SessionRequest::Join {
            room: RoomRef::Code(code()),
        },
        SessionRequest::Watch {
            room: RoomRef::Id(room()),
            remarks: false,
        },
        SessionRequest::Watch {
            room: RoomRef::Code(code()),
            remarks: true,
        },
        SessionRequest::Resume {
            room: room(),
            token: Some(token()),
            seq: Some(Seq::new(7)),
        },
        SessionRequest::Resume {
            room: room(),
            token: Some(token()),
            seq: None,
        },
        SessionRequest::Resume {
            room: room(),
            token: None,
            seq: None,
        },
        SessionRequest::Sync { seq: Seq::new(7) },
        SessionRequest::Leave,
        SessionRequest::List,
        SessionRequest::Ping,
        SessionRequest::Lobby { end: false },
        SessionRequest::Lobby { end: true },
        SessionRequest::AcceptSeek { seek: SeekId(17) },
        SessionRequest::Say {
            phrase: Phrase::GoodLuck,
        },
        SessionRequest::Substitute { end: false },
        SessionRequest::Substitute { end: true },
    ];
    let lobby = lobby.into_iter().chain(finished_games::requests());
    requests.extend(lobby.map(|lobby| Request::lobby(request_id(2), lobby)));
    let mut commands = vec![
        RoomCommand::Move {
            cell: Cell::new(4),
            seq: Seq::new(4),
        },
        RoomCommand::Resign,
        RoomCommand::Claim { result: Claim::Win },
        RoomCommand::Claim {
            result: Claim::Draw,
        },
        RoomCommand::Flag,
        RoomCommand::Abort,
    ];
    for offer in Offer::ALL {
        commands.extend([
            RoomCommand::Offer { offer },
            RoomCommand::Accept { offer },
            RoomCommand::Decline { offer },
        ]);
    }
    requests.extend(
        commands
            .into_iter()
            .map(|command| Request::command(request_id(3), command)),
    );
    requests.extend(remarks().map(|remark| Request::remark(request_id(4), remark)));
    requests
}

/// Returns one remark for each kind of evaluation.
fn remarks() -> [EngineRemark; 4] {
    let remark = |evaluation, pv: &[u16]| EngineRemark {
        seq: Seq::new(7),
        evaluation,
        pv: pv.iter().map(|&cell| Cell::new(cell)).collect(),
    };
    [
        remark(Evaluation::Win(5), &[4, 0, 2, 6, 8]),
        remark(Evaluation::Loss(2), &[3]),
        remark(Evaluation::Draw, &[]),
        remark(Evaluation::Estimate(-12), &[112, 96]),
    ]
}

/// History of a room, with a second between two requests.
pub(super) struct SampleRoom {
    pub(super) game: Game,
    pub(super) events: Vec<EventRecord>,
    at: u64,
}

impl SampleRoom {
    const START_MS: u64 = 1_767_225_600_000;

    pub(super) fn open(rules: Rules, clock: Option<TimeControl>, public: bool) -> SampleRoom {
        SampleRoom::start(Event::Opened {
            rules,
            clock,
            public,
            free_first_moves: false,
        })
    }

    pub(super) fn start(event: Event) -> SampleRoom {
        let opening = EventRecord {
            seq: Seq::new(1),
            at: SampleRoom::START_MS,
            by: None,
            event,
        };
        SampleRoom {
            game: Game::open(&opening).unwrap(),
            events: vec![opening],
            at: SampleRoom::START_MS,
        }
    }

    pub(super) fn push_event(&mut self, by: Option<(Seat, u64)>, event: Event) {
        let by = by.map(|(seat, number)| RequestRef {
            seat,
            id: request_id(number),
        });
        let stamped = EventRecord {
            seq: self.game.seq().next(),
            at: self.at,
            by,
            event,
        };
        self.game.apply(&stamped).unwrap();
        self.events.push(stamped);
    }

    pub(super) fn push_seated(&mut self, name: &str, kind: PlayerKind, seat: Seat) {
        self.at += 1000;
        self.push_event(
            None,
            Event::Seated {
                seat,
                player: player(name, kind),
            },
        );
    }

    /// Seats Ann with X and Bob with O, and starts the game.
    pub(super) fn push_start(&mut self, kind_of_bob: PlayerKind) {
        self.push_seated("Ann", PlayerKind::Person, Seat::X);
        self.push_seated("Bob", kind_of_bob, Seat::O);
        self.push_event(None, Event::Started { game: 1 });
    }

    pub(super) fn push_offer(&mut self, seat: Seat, number: u64, offer: Offer) {
        self.push_requested_event(seat, number, Event::Offered { seat, offer });
    }

    pub(super) fn push_requested_event(&mut self, seat: Seat, number: u64, event: Event) {
        self.at += 1000;
        self.push_event(Some((seat, number)), event);
    }

    pub(super) fn push_move(&mut self, number: u64, cell: u16) {
        self.at += 1000;
        let seat = self.game.position().turn();
        let cell = self.game.check_move(seat, Cell::new(cell)).unwrap();
        let left = self
            .game
            .clock()
            .map(|clock| clock.left_after_move(seat, self.at));
        self.push_event(Some((seat, number)), Event::Moved { seat, cell, left });
        if self.game.position().status() != Status::Ongoing {
            let outcome = self.game.position().outcome().unwrap();
            self.push_event(None, Event::Ended { outcome, left });
        }
    }

    fn clock_left(&self) -> Option<[u64; 2]> {
        self.game.left(self.at)
    }

    /// Returns a snapshot for a client that joins half a second later.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.game.snapshot(self.at + 500)
    }
}

/// Returns the events of a private room with a clock, and snapshots in between.
pub(super) fn private_room() -> (Vec<EventRecord>, Vec<Snapshot>) {
    let (x, o) = (Seat::X, Seat::O);
    let mut room = SampleRoom::open(rules("3x3:3"), clock("5+3"), false);
    room.push_seated("Ann", PlayerKind::Person, x);
    let mut snapshots = vec![room.snapshot()];
    room.push_seated("Bob", PlayerKind::Bot, o);
    room.push_event(None, Event::Started { game: 1 });
    room.push_move(11, 4);
    room.push_offer(x, 12, Offer::Takeback);
    snapshots.push(room.snapshot());
    room.push_requested_event(
        o,
        21,
        Event::Declined {
            seat: o,
            offer: Offer::Takeback,
        },
    );
    room.push_move(22, 0);
    room.push_offer(x, 13, Offer::Takeback);
    room.at += 1000;
    let left = room.clock_left();
    room.push_event(Some((o, 23)), Event::TakenBack { plies: 2, left });
    for (number, cell) in [(14, 4), (24, 1), (15, 2), (25, 0), (16, 6)] {
        room.push_move(number, cell);
    }
    snapshots.push(room.snapshot());
    room.push_offer(x, 17, Offer::Rematch);
    room.push_requested_event(o, 26, Event::Started { game: 2 });
    room.push_offer(x, 27, Offer::Draw);
    room.at += 1000;
    let left = room.clock_left();
    room.push_event(
        Some((o, 18)),
        Event::Ended {
            outcome: Outcome::Agreed,
            left,
        },
    );
    snapshots.push(room.snapshot());
    room.at += 3_600_000;
    room.push_event(
        None,
        Event::Closed {
            reason: RoomCloseReason::Idle,
        },
    );
    snapshots.push(room.snapshot());
    (room.events, snapshots)
}

/// Returns the events and snapshots of a public room without a clock, with gravity.
fn public_room() -> (Vec<EventRecord>, Vec<Snapshot>) {
    let mut room = SampleRoom::open(rules("connect4"), None, true);
    room.push_seated("Cleo", PlayerKind::Bot, Seat::O);
    let mut snapshots = vec![room.snapshot()];
    room.push_seated("小明", PlayerKind::Person, Seat::X);
    room.push_event(None, Event::Started { game: 1 });
    room.push_move(1, 3);
    room.push_move(1, 3);
    room.push_offer(Seat::O, 2, Offer::Takeback);
    room.push_requested_event(
        Seat::X,
        2,
        Event::TakenBack {
            plies: 1,
            left: None,
        },
    );
    snapshots.push(room.snapshot());
    room.at += 60_000;
    room.push_event(
        None,
        Event::Ended {
            outcome: Outcome::Abandoned { winner: None },
            left: None,
        },
    );
    snapshots.push(room.snapshot());
    room.push_event(
        None,
        Event::Closed {
            reason: RoomCloseReason::Deserted,
        },
    );
    (room.events, snapshots)
}

/// Returns each kind of outcome, with and without a winner where both exist.
pub(super) fn outcomes() -> Vec<Outcome> {
    let outcome_of = |text: &str, moves: &[u16]| {
        let mut room = SampleRoom::open(rules(text), None, true);
        room.push_start(PlayerKind::Person);
        for (number, cell) in moves.iter().enumerate() {
            room.push_move(number as u64, *cell);
        }
        room.game.outcome().unwrap().clone()
    };
    vec![
        outcome_of("3x3:3", &[0, 3, 1, 4, 2]),
        outcome_of("3x3:3+misere", &[0, 3, 1, 4, 2]),
        outcome_of("7x6:4+gravity", &[3, 2, 3, 2, 3, 2, 3]),
        outcome_of("5x1:2", &[0, 4, 2, 3]),
        outcome_of("3x3x3:3", &[0, 1, 13, 2, 26]),
        outcome_of("4x4x4:4", &[0, 1, 20, 2, 40, 4, 60]),
        outcome_of("9:3", &[0, 3, 1, 4, 6, 5]),
        Outcome::Full,
        Outcome::Resigned { winner: Seat::O },
        Outcome::Flag { winner: Seat::X },
        Outcome::Agreed,
        Outcome::Abandoned {
            winner: Some(Seat::O),
        },
        Outcome::Abandoned { winner: None },
        Outcome::Aborted,
    ]
}

pub(super) fn notices() -> Vec<Notice> {
    let remarks = remarks().map(
        |EngineRemark {
             seq,
             evaluation,
             pv,
         }| Notice::Remark {
            seat: Seat::X,
            seq,
            evaluation,
            pv,
        },
    );
    let mut notices = vec![
        Notice::Presence {
            seat: Seat::O,
            presence: Presence::Connected,
            claim_in_ms: None,
        },
        Notice::Presence {
            seat: Seat::O,
            presence: Presence::Disconnected,
            claim_in_ms: Some(60_000),
        },
        Notice::Presence {
            seat: Seat::X,
            presence: Presence::Left,
            claim_in_ms: None,
        },
        Notice::Presence {
            seat: Seat::X,
            presence: Presence::Left,
            claim_in_ms: Some(0),
        },
        Notice::Lag {
            ms: [Some(21), None],
        },
        Notice::Lag {
            ms: [Some(21), Some(140)],
        },
        Notice::Spectators { count: 3 },
    ];
    notices.extend(remarks);
    notices.push(Notice::Phrase {
        seat: Seat::O,
        phrase: Phrase::WellPlayed,
    });
    notices
}

/// Returns rejects with each optional field alone, and with the combinations of fields that occur.
fn rejects() -> Vec<(Option<RequestId>, Reject)> {
    let re = Some(request_id(9));
    let mut version = Reject::new(RejectCode::Version).field("versions");
    version.versions = Some([1, 1]);
    vec![
        (re, Reject::new(RejectCode::AlreadySeeking)),
        (
            None,
            Reject::new(RejectCode::BadMessage)
                .detail("EOF while parsing an object at line 1 column 1"),
        ),
        (
            None,
            Reject::new(RejectCode::BadField)
                .field("id")
                .detail("missing"),
        ),
        (re, Reject::new(RejectCode::UnknownType).field("type")),
        (re, version),
        (re, Reject::new(RejectCode::RateLimited).wait_ms(100)),
        (
            re,
            Reject::new(RejectCode::CellTaken)
                .field("cell")
                .at_seq(Seq::new(7)),
        ),
        (
            re,
            Reject::new(RejectCode::NotClaimable)
                .wait_ms(41_500)
                .at_seq(Seq::new(7)),
        ),
    ]
}

pub(super) fn limits() -> AnnouncedLimits {
    AnnouncedLimits {
        message_bytes: 4096,
        burst: 20,
        per_second: 10,
        ping_ms: 15_000,
        grace_ms: 60_000,
        left_grace_ms: 10_000,
        resume_events: 64,
        send_queue: 64,
    }
}

pub(super) fn messages() -> Vec<Message> {
    let limits = limits();
    let (history, private) = private_room();
    let (_, public) = public_room();
    let mut messages = vec![
        Message::Welcome {
            re: request_id(1),
            version: 1,
            server: "noughts-server 0.1.0".to_owned(),
            name: "Ann".parse().unwrap(),
            identity: None,
            limits,
            grant: None,
            own_rooms: vec![],
            has: FeatureSet::default(),
            address: None,
        },
        Message::Welcome {
            re: request_id(1),
            version: 1,
            server: "noughts-server 0.1.0".to_owned(),
            name: "Ann".parse().unwrap(),
            identity: Some(identity()),
            limits,
            grant: Some(SeatGrant {
                room: room(),
                token: token(),
            }),
            own_rooms: vec![room()],
            has: FeatureSet::default(),
            address: Some("wss://games.example.org/ws".to_owned()),
        },
        Message::Done {
            re: request_id(2),
            seq: None,
        },
        Message::Done {
            re: request_id(3),
            seq: Some(Seq::new(5)),
        },
        Message::Announcement {
            text: "The server restarts at 22:00.".parse().unwrap(),
        },
        Message::Restarting {
            retry_after_ms: 5000,
        },
        events_message(history[5..6].to_vec()),
        Message::Events {
            re: Some(request_id(4)),
            room: room(),
            events: vec![],
        },
        Message::Events {
            re: Some(request_id(4)),
            room: room(),
            events: history.clone(),
        },
        Message::Rooms {
            re: request_id(5),
            rooms: vec![],
            seeks: vec![],
        },
        Message::Rooms {
            re: request_id(5),
            rooms: vec![
                RoomListing {
                    room: room(),
                    rules: rules("15x15:5"),
                    clock: clock("5+3"),
                    phase: Phase::Playing,
                    players: [
                        Some(player("Ann", PlayerKind::Person)),
                        Some(player("Bob", PlayerKind::Bot)),
                    ],
                    moves: 12,
                    spectators: 3,
                    open_seat: None,
                },
                RoomListing {
                    room: "0123abcd".parse().unwrap(),
                    rules: rules("3x3:3"),
                    clock: None,
                    phase: Phase::Waiting,
                    players: [None, Some(player("Cleo", PlayerKind::Person))],
                    moves: 0,
                    spectators: 0,
                    open_seat: None,
                },
            ],
            seeks: vec![
                OpenSeek {
                    player: player("Dan", PlayerKind::Bot),
                    rules: rules("connect4"),
                    clock: clock("1+2"),
                    seat: Some(Seat::O),
                    opponents: None,
                },
                OpenSeek {
                    player: Player {
                        identity: Some(identity()),
                        ..player("Eve", PlayerKind::Person)
                    },
                    rules: rules("qubic"),
                    clock: None,
                    seat: None,
                    opponents: Some(PlayerKind::Person),
                },
            ],
        },
    ];
    messages.extend(lobby::lobby_messages());
    messages.extend(finished_games::messages());
    messages.extend(
        rejects()
            .into_iter()
            .map(|(re, reject)| Message::Reject { re, reject }),
    );
    let is_of_first_version = |notice: &Notice| !matches!(notice, Notice::Phrase { .. });
    let old_notices = notices().into_iter().filter(is_of_first_version);
    messages.extend(old_notices.map(|notice| Message::Notice {
        room: room(),
        notice,
    }));
    let private_role = OwnRole {
        seat: Some(Seat::O),
        token: Some(token()),
        code: Some(code()),
    };
    let public_role = OwnRole {
        seat: Some(Seat::X),
        token: Some(token()),
        code: None,
    };
    for state in private {
        messages.push(Message::Snapshot {
            re: Some(request_id(6)),
            room: room(),
            role: private_role,
            state,
        });
    }
    for (state, role) in public
        .into_iter()
        .zip([public_role, public_role, OwnRole::default()])
    {
        messages.push(snapshot(role, state));
    }
    messages
}

/// Returns histories that together contain every kind of event.
pub(super) fn events() -> Vec<EventRecord> {
    let (mut events, _) = private_room();
    events.extend(public_room().0);
    events
}
