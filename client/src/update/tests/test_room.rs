//! A room on a server, for tests without a server.

use super::*;

pub(crate) struct TestRoom {
    pub(crate) game: Game,
    at: u64,
    pub(crate) code: Option<RoomCode>,
}

impl TestRoom {
    /// Creates a room where Ann waits with X.
    pub(crate) fn open(rules: &str, clock: Option<&str>) -> TestRoom {
        TestRoom::open_with(rules, clock, false)
    }

    /// Like [`TestRoom::open`]. With `free_first_moves`, the first move of each side costs no time.
    fn open_with(rules: &str, clock: Option<&str>, free_first_moves: bool) -> TestRoom {
        let rules: Rules = rules.parse().unwrap();
        let clock: Option<TimeControl> = clock.map(|clock| clock.parse().unwrap());
        let opened = Event::Opened {
            rules,
            clock,
            public: true,
            free_first_moves,
        };
        let at = 1_000_000;
        let game = Game::open(&EventRecord {
            seq: Seq::new(1),
            at,
            by: None,
            event: opened,
        })
        .unwrap();
        let mut host = TestRoom {
            game,
            at,
            code: None,
        };
        host.apply_event(seated_event(Seat::X, "Ann", PlayerKind::Person));
        host
    }

    /// Creates a room where Ann plays X and Bob plays O.
    pub(crate) fn in_game(rules: &str, clock: Option<&str>) -> TestRoom {
        let mut host = TestRoom::open(rules, clock);
        host.apply_event(seated_event(Seat::O, "Bob", PlayerKind::Person));
        host.apply_event(Event::Started { game: 1 });
        host
    }

    /// Creates a game with a free first move for each side.
    pub(crate) fn with_free_first_moves(rules: &str, clock: &str) -> TestRoom {
        let mut host = TestRoom::open_with(rules, Some(clock), true);
        host.apply_event(seated_event(Seat::O, "Bob", PlayerKind::Person));
        host.apply_event(Event::Started { game: 1 });
        host
    }

    pub(crate) fn snapshot(&self, seat: Option<Seat>) -> Message {
        self.snapshot_for(seat, None)
    }

    /// Returns the snapshot for the player in a seat, with the token to resume it.
    pub(crate) fn snapshot_with_token(&self, seat: Seat) -> Message {
        self.snapshot_for(Some(seat), Some(ResumeToken::from_bits(77)))
    }

    fn snapshot_for(&self, seat: Option<Seat>, token: Option<ResumeToken>) -> Message {
        let role = OwnRole {
            seat,
            token,
            code: self.code,
        };
        Message::Snapshot {
            re: None,
            room: room_id(),
            role,
            state: self.state(),
        }
    }

    pub(crate) fn state(&self) -> Snapshot {
        self.game.snapshot(self.at)
    }

    /// Applies an event, and returns the server's message.
    pub(crate) fn apply_event(&mut self, event: Event) -> Message {
        self.apply_event_by(event, None)
    }

    /// Like `apply_event`, for an event that a request has caused.
    pub(crate) fn apply_event_by(&mut self, event: Event, by: Option<RequestRef>) -> Message {
        let record = EventRecord {
            seq: self.game.seq().next(),
            at: self.at,
            by,
            event,
        };
        self.game.apply(&record).unwrap();
        Message::Events {
            re: None,
            room: room_id(),
            events: vec![record],
        }
    }

    /// Plays a move for the side to move.
    pub(crate) fn play(&mut self, cell: &str) -> Message {
        let cell = self.game.rules().parse_cell(cell).unwrap();
        let cell = self.game.position().landing_cell(cell).unwrap();
        let seat = self.game.position().turn();
        let left = self
            .game
            .clock()
            .map(|clock| clock.left_after_move(seat, self.at));
        self.apply_event(Event::Moved { seat, cell, left })
    }

    /// Ends the game with this outcome.
    pub(crate) fn end(&mut self, outcome: Outcome) -> Message {
        self.apply_event(Event::Ended {
            outcome,
            left: None,
        })
    }

    /// Ends the game with the outcome of its position.
    pub(crate) fn end_on_board(&mut self) -> Message {
        let outcome = self.game.position().outcome();
        self.end(outcome.expect("the position is final"))
    }

    pub(crate) fn offer(&mut self, seat: Seat, offer: Offer) -> Message {
        self.apply_event(Event::Offered { seat, offer })
    }

    pub(crate) fn close(&mut self, reason: RoomCloseReason) -> Message {
        self.apply_event(Event::Closed { reason })
    }

    pub(crate) fn advance(&mut self, ms: u64) {
        self.at += ms;
    }
}
