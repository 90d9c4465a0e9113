//! The requests of the matchmaking and their delays, in a time that the test advances.

use super::*;
use crate::bot::tests::listed_seek;

/// Matchmaking in a time that the test advances.
struct MatchmakingHarness {
    matchmaking: Matchmaking,
    now: Instant,
    sent_count: u64,
}

impl MatchmakingHarness {
    fn new(change: impl FnOnce(&mut Policy)) -> MatchmakingHarness {
        let mut policy = Policy::new("3x3:3".parse().unwrap());
        change(&mut policy);
        let now = Instant::now();
        let target = BotTarget::Play(Arc::new(policy));
        MatchmakingHarness {
            matchmaking: Matchmaking::new(target, "Bot own".parse().unwrap(), now),
            now,
            sent_count: 0,
        }
    }

    /// Waits for the next request, and checks its delay in seconds and its text.
    fn expect_request(&mut self, after: u64, expected: &str) {
        let from = self.now;
        let lobby = loop {
            match self.matchmaking.next_action(self.now) {
                MatchmakingAction::Send(lobby) => break lobby,
                MatchmakingAction::Wait(Some(at)) => self.now = at,
                MatchmakingAction::Wait(None) => panic!("no request; expected {expected}"),
            }
        };
        let text = match lobby {
            SessionRequest::Lobby { end: false } => "subscribe".to_owned(),
            SessionRequest::AcceptSeek { seek } => format!("answer {}", seek.0),
            SessionRequest::Cancel => "cancel".to_owned(),
            SessionRequest::Seek {
                rules,
                clock: None,
                seat: None,
                opponents: None,
            } => format!("seek {rules}"),
            SessionRequest::Seek { .. }
            | SessionRequest::Create { .. }
            | SessionRequest::Join { .. }
            | SessionRequest::Watch { .. }
            | SessionRequest::Resume { .. }
            | SessionRequest::Sync { .. }
            | SessionRequest::Leave
            | SessionRequest::List
            | SessionRequest::Lobby { end: true }
            | SessionRequest::Say { .. }
            | SessionRequest::Substitute { .. }
            | SessionRequest::Games(_)
            | SessionRequest::Game { .. }
            | SessionRequest::Profile { .. }
            | SessionRequest::Ping => format!("{lobby:?}"),
        };
        assert_eq!(
            (text.as_str(), (self.now - from).as_secs()),
            (expected, after)
        );
        self.sent_count += 1;
        self.matchmaking
            .on_sent(RequestId::new(self.sent_count).unwrap());
        assert!(self.waits_for_a_message(), "one request at a time");
    }

    fn waits_for_a_message(&mut self) -> bool {
        matches!(
            self.matchmaking.next_action(self.now),
            MatchmakingAction::Wait(None)
        )
    }

    fn on_message(&mut self, message: Message) -> Result<(), Reject> {
        self.matchmaking.on_message(&message, self.now)
    }

    fn send_done(&mut self) {
        let re = RequestId::new(self.sent_count).unwrap();
        self.on_message(Message::Done { re, seq: None }).unwrap();
    }

    fn send_reject(&mut self, code: RejectCode) -> Result<(), Reject> {
        let re = RequestId::new(self.sent_count);
        self.on_message(Message::Reject {
            re,
            reject: code.into(),
        })
    }
}

fn two_games(policy: &mut Policy) {
    policy.rules.push("4x4:4".parse().unwrap());
}

#[test]
fn one_seek_stays_open_until_it_is_paired() {
    let mut harness = MatchmakingHarness::new(|_| {});
    harness.expect_request(0, "subscribe");
    pushed(&mut harness, Some(1), &[]);
    harness.expect_request(0, "seek 3x3:3");
    harness.send_done();
    assert!(harness.waits_for_a_message());
    harness.matchmaking.start(harness.now);
    harness.expect_request(0, "subscribe");
    pushed(&mut harness, Some(3), &[]);
    harness.expect_request(0, "seek 3x3:3");
    assert_eq!(harness.send_reject(RejectCode::AlreadySeeking), Ok(()));
    assert!(harness.waits_for_a_message(), "the seek is already open");
}

#[test]
fn a_bot_that_is_paired_before_its_cancel_arrives_looks_again() {
    let mut harness = MatchmakingHarness::new(two_games);
    harness.expect_request(0, "subscribe");
    pushed(&mut harness, Some(1), &[]);
    harness.expect_request(0, "seek 3x3:3");
    harness.send_done();
    harness.expect_request(15, "cancel");
    assert_eq!(harness.send_reject(RejectCode::NotSeeking), Ok(()));
    harness.expect_request(2, "seek 3x3:3");
}

#[test]
fn a_bot_whose_waiting_seek_is_rejected_seeks_again() {
    let mut harness = MatchmakingHarness::new(|_| {});
    harness.expect_request(0, "subscribe");
    pushed(&mut harness, Some(1), &[]);
    harness.expect_request(0, "seek 3x3:3");
    harness.send_done();
    assert!(harness.waits_for_a_message());
    assert_eq!(harness.send_reject(RejectCode::Unavailable), Ok(()));
    harness.expect_request(2, "seek 3x3:3");
}

#[test]
fn a_rejection_is_retried_or_returned() {
    let mut harness = MatchmakingHarness::new(two_games);
    harness.expect_request(0, "subscribe");
    assert_eq!(harness.send_reject(RejectCode::Busy), Ok(()));
    harness.expect_request(2, "subscribe");
    pushed(&mut harness, Some(2), &[]);
    harness.expect_request(0, "seek 3x3:3");
    let re = RequestId::new(harness.sent_count);
    let reject = Reject::new(RejectCode::ServerFull).wait_ms(7_000);
    assert_eq!(harness.on_message(Message::Reject { re, reject }), Ok(()));
    harness.expect_request(7, "seek 3x3:3");
    harness.matchmaking.on_send_failed(harness.now);
    harness.expect_request(2, "seek 3x3:3");
    harness
        .matchmaking
        .on_request_lost(RequestId::new(harness.sent_count + 1).unwrap(), harness.now);
    assert!(
        harness.waits_for_a_message(),
        "the lost request was another one"
    );
    harness
        .matchmaking
        .on_request_lost(RequestId::new(harness.sent_count).unwrap(), harness.now);
    harness.expect_request(2, "seek 3x3:3");
    assert!(harness.send_reject(RejectCode::BadField).is_err());
    let join = BotTarget::Join("k7qf3mzx".parse().unwrap());
    let mut matchmaking = Matchmaking::new(join, "Bot own".parse().unwrap(), harness.now);
    assert!(matches!(
        matchmaking.next_action(harness.now),
        MatchmakingAction::Send(SessionRequest::Join { .. })
    ));
    matchmaking.on_sent(RequestId::new(1).unwrap());
    let gone = Message::Reject {
        re: RequestId::new(1),
        reject: RejectCode::UnknownRoom.into(),
    };
    assert!(matchmaking.on_message(&gone, harness.now).is_err());
}

/// Pushes a lobby with these seeks: number, name and rules.
fn pushed(harness: &mut MatchmakingHarness, re: Option<u64>, seeks: &[(u64, &str, &str)]) {
    let seeks = seeks.iter();
    let seeks = seeks.map(|(number, name, rules)| listed_seek(*number, name, rules));
    let view = LobbyView {
        seeks: seeks.collect(),
        ..LobbyView::default()
    };
    harness
        .on_message(Message::Lobby {
            re: re.and_then(RequestId::new),
            at: 0,
            view,
        })
        .unwrap();
}

#[test]
fn a_pushed_seek_is_answered_at_once() {
    let mut harness = MatchmakingHarness::new(two_games);
    harness.expect_request(0, "subscribe");
    pushed(
        &mut harness,
        Some(1),
        &[(1, "Ann", "5x5:4"), (2, "Bot own", "4x4:4")],
    );
    harness.expect_request(0, "seek 3x3:3");
    harness.send_done();
    // The bot's own seek is listed, too.
    pushed(&mut harness, None, &[(3, "Bot own", "3x3:3")]);
    harness.expect_request(15, "cancel");
    harness.send_done();
    harness.expect_request(0, "seek 4x4:4");
    harness.send_done();
    pushed(
        &mut harness,
        None,
        &[(4, "Bot other", "3x3:3"), (5, "Ann", "4x4:4")],
    );
    harness.expect_request(0, "cancel");
    harness.send_done();
    harness.expect_request(0, "answer 5");
    // Another bot was faster.
    assert_eq!(harness.send_reject(RejectCode::NoOffer), Ok(()));
    pushed(&mut harness, None, &[]);
    harness.expect_request(0, "seek 4x4:4");
}
