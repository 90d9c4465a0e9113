//! How a bot comes by a game: what to ask of the lobby, and when. Pure: messages and the time come in, the
//! next request goes out.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{LobbyRequest, Message, Reject, RejectCode};
use noughts_protocol::{Name, RequestId, RoomRef};
use tokio::time::Instant;

use super::policy::Policy;

/// How long to wait before a wish that was refused is uttered again, if the server does not say.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// However long the server says.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);
/// How long one wish stands before it looks round again.
const ADVERTISE_DURATION: Duration = Duration::from_secs(15);
/// How often it looks for people where it does not wait for anyone; and how long somebody whom it has
/// picked has to be there still.
const LIST_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// What a bot came for.
#[derive(Clone, Debug)]
pub(super) enum BotTarget {
    /// Games, again and again, as its owner lets it.
    Play(Arc<Policy>),
    /// One room.
    Join(RoomRef),
}

/// What to do next.
#[derive(Clone, Debug)]
pub(super) enum MatchmakingAction {
    /// Nothing until something happens, or until then.
    Wait(Option<Instant>),
    /// This is to be asked.
    Send(LobbyRequest),
}

/// What is asked next, or has been.
#[derive(Clone, Debug)]
enum PendingStep {
    List,
    SeekOrJoin(LobbyRequest),
    /// To wait no longer; then this, if anything.
    Cancel(Option<LobbyRequest>),
}

/// A search for a game.
#[derive(Debug)]
pub(super) struct Matchmaking {
    target: BotTarget,
    own_name: Name,
    people_only: bool,
    pending: PendingStep,
    /// When the plan is to be carried out; none: it rests.
    due_at: Option<Instant>,
    request_id: Option<RequestId>,
    /// It waits in the lobby.
    seeking: bool,
    /// Wishes of its own so far.
    seek_count: usize,
}

impl Matchmaking {
    /// A search that begins now.
    pub(super) fn new(target: BotTarget, own_name: Name, people_only: bool, now: Instant) -> Matchmaking {
        let pending = PendingStep::List;
        let mut matchmaking = Matchmaking {
            target,
            own_name,
            people_only,
            pending,
            due_at: None,
            request_id: None,
            seeking: false,
            seek_count: 0,
        };
        matchmaking.start(now);
        matchmaking
    }

    /// Begins: also when the line is back, since the server forgets wishes when it is cut.
    pub(super) fn start(&mut self, now: Instant) {
        self.pending = match &self.target {
            BotTarget::Join(room) => PendingStep::SeekOrJoin(LobbyRequest::Join { room: *room }),
            BotTarget::Play(policy) if policy.browses_lobby(self.people_only) => PendingStep::List,
            BotTarget::Play(policy) => PendingStep::SeekOrJoin(policy.next_seek(self.seek_count)),
        };
        (self.due_at, self.request_id, self.seeking) = (Some(now), None, false);
    }

    /// Whether it plays with people only this time.
    pub(super) fn is_people_only(&self) -> bool {
        self.people_only
    }

    /// What to do at `now`.
    pub(super) fn next_action(&self, now: Instant) -> MatchmakingAction {
        match self.due_at {
            Some(at) if self.request_id.is_none() && at <= now => {
                MatchmakingAction::Send(match &self.pending {
                    PendingStep::List => LobbyRequest::List,
                    PendingStep::SeekOrJoin(wish) => wish.clone(),
                    PendingStep::Cancel(_) => LobbyRequest::Cancel,
                })
            }
            Some(at) if self.request_id.is_none() => MatchmakingAction::Wait(Some(at)),
            Some(_) | None => MatchmakingAction::Wait(None),
        }
    }

    /// The step of [`Matchmaking::next_action`] was sent under this number.
    pub(super) fn on_sent(&mut self, id: RequestId) {
        self.request_id = Some(id);
    }

    /// The answer to this request will not come.
    pub(super) fn on_request_lost(&mut self, id: RequestId, now: Instant) {
        if self.request_id == Some(id) {
            self.on_send_failed(now);
        }
    }

    /// It could not be sent: the same again in a moment.
    pub(super) fn on_send_failed(&mut self, now: Instant) {
        (self.request_id, self.due_at) = (None, Some(now + RETRY_DELAY));
    }

    /// An answer came, if it is one to this quest.
    ///
    /// # Errors
    /// A refusal that waiting does not change.
    pub(super) fn on_message(&mut self, message: &Message, now: Instant) -> Result<(), Reject> {
        match message {
            Message::Done { re, .. } if Some(*re) == self.request_id => self.on_done(now),
            Message::Rooms { re, rooms, seeks } if Some(*re) == self.request_id => {
                let BotTarget::Play(policy) = &self.target else { return Ok(()) };
                let picked = policy.choose_opponent(rooms, seeks, self.people_only, &self.own_name);
                self.on_list(picked, now);
            }
            Message::Reject { re: Some(re), reject } if Some(*re) == self.request_id => {
                return self.on_reject(reject, now);
            }
            Message::Done { .. }
            | Message::Rooms { .. }
            | Message::Reject { .. }
            | Message::Welcome { .. }
            | Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Restarting { .. } => {}
        }
        Ok(())
    }

    fn on_done(&mut self, now: Instant) {
        self.request_id = None;
        match std::mem::replace(&mut self.pending, PendingStep::List) {
            // A list is no answer of this kind; whoever sends it will send the list too.
            PendingStep::List => self.due_at = Some(now + RETRY_DELAY),
            PendingStep::SeekOrJoin(_) => {
                self.seeking = true;
                let polls_list = match &self.target {
                    BotTarget::Play(policy) => policy.browses_lobby(self.people_only),
                    BotTarget::Join(_) => false,
                };
                self.due_at = polls_list
                    .then(|| now + if self.people_only { LIST_POLL_INTERVAL } else { ADVERTISE_DURATION });
            }
            PendingStep::Cancel(next) => {
                self.seeking = false;
                self.set_goal(next, now);
            }
        }
    }

    /// Asks for this next, or looks again in a moment.
    fn set_goal(&mut self, next: Option<LobbyRequest>, now: Instant) {
        match next {
            Some(wish) => (self.pending, self.due_at) = (PendingStep::SeekOrJoin(wish), Some(now)),
            None => (self.pending, self.due_at) = (PendingStep::List, Some(now + LIST_POLL_INTERVAL)),
        }
    }

    fn on_list(&mut self, picked: Option<LobbyRequest>, now: Instant) {
        self.request_id = None;
        let BotTarget::Play(policy) = &self.target else { return };
        // With nobody to go to, it offers a game itself, unless it would be to people only: in the lobby it
        // cannot choose who comes.
        let next = picked.or_else(|| {
            let offers = !self.people_only && (!self.seeking || policy.rules.len() > 1);
            offers.then(|| policy.next_seek(self.seek_count))
        });
        match (next, self.seeking) {
            (Some(wish), true) => {
                self.seek_count += 1;
                (self.pending, self.due_at) = (PendingStep::Cancel(Some(wish)), Some(now));
            }
            (Some(wish), false) => {
                self.seek_count += 1;
                self.set_goal(Some(wish), now);
            }
            (None, true) if self.people_only => {
                (self.pending, self.due_at) = (PendingStep::Cancel(None), Some(now))
            }
            (None, true) => (self.pending, self.due_at) = (PendingStep::List, Some(now + ADVERTISE_DURATION)),
            (None, false) => self.set_goal(None, now),
        }
    }

    fn on_reject(&mut self, reject: &Reject, now: Instant) -> Result<(), Reject> {
        use RejectCode as Code;
        self.request_id = None;
        let wait = reject.wait_ms.map_or(RETRY_DELAY, Duration::from_millis);
        self.due_at = Some(now + wait.clamp(RETRY_DELAY, MAX_RETRY_DELAY));
        let playing = matches!(self.target, BotTarget::Play(_));
        let (code, utters) = (reject.code, matches!(self.pending, PendingStep::SeekOrJoin(_)));
        if code == Code::AlreadySeeking && utters {
            // It waits already, and as it wished: nothing else was ever asked.
            self.on_done(now);
            Ok(())
        } else if playing && matches!(code, Code::NotSeeking | Code::UnknownRoom | Code::RoomFull) {
            // It has just been paired and the table comes, or somebody else was faster.
            self.seeking = false;
            self.pending = PendingStep::List;
            Ok(())
        } else if matches!(
            code,
            Code::Busy
                | Code::Unavailable
                | Code::RateLimited
                | Code::ServerFull
                | Code::Draining
                | Code::AlreadyInRoom
        ) {
            Ok(())
        } else {
            Err(reject.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::wire::OpenSeek;
    use noughts_protocol::{Player, PlayerKind};

    /// A quest, and a clock for it that a test moves.
    struct MatchmakingHarness {
        matchmaking: Matchmaking,
        now: Instant,
        asked: u64,
    }

    impl MatchmakingHarness {
        fn new(change: impl FnOnce(&mut Policy), people_only: bool) -> MatchmakingHarness {
            let mut policy = Policy::new("3x3:3".parse().unwrap());
            change(&mut policy);
            let now = Instant::now();
            let aim = BotTarget::Play(Arc::new(policy));
            MatchmakingHarness {
                matchmaking: Matchmaking::new(aim, "Bot own".parse().unwrap(), people_only, now),
                now,
                asked: 0,
            }
        }

        /// Waits as long as the quest wants, and checks after how many seconds it asks what.
        fn expect_request(&mut self, after: u64, expected: &str) {
            let from = self.now;
            let lobby = loop {
                match self.matchmaking.next_action(self.now) {
                    MatchmakingAction::Send(lobby) => break lobby,
                    MatchmakingAction::Wait(Some(at)) => self.now = at,
                    MatchmakingAction::Wait(None) => panic!("it rests instead of «{expected}»"),
                }
            };
            let text = match lobby {
                LobbyRequest::List => "list".to_owned(),
                LobbyRequest::Cancel => "cancel".to_owned(),
                LobbyRequest::Seek { rules, clock: None, seat: None } => format!("seek {rules}"),
                LobbyRequest::Seek { .. }
                | LobbyRequest::Create { .. }
                | LobbyRequest::Join { .. }
                | LobbyRequest::Watch { .. }
                | LobbyRequest::Resume { .. }
                | LobbyRequest::Sync { .. }
                | LobbyRequest::Leave => format!("{lobby:?}"),
            };
            assert_eq!((text.as_str(), (self.now - from).as_secs()), (expected, after));
            self.asked += 1;
            self.matchmaking.on_sent(RequestId::new(self.asked).unwrap());
            assert!(self.is_idle(), "one thing at a time");
        }

        fn is_idle(&self) -> bool {
            matches!(self.matchmaking.next_action(self.now), MatchmakingAction::Wait(None))
        }

        fn on_message(&mut self, message: Message) -> Result<(), Reject> {
            self.matchmaking.on_message(&message, self.now)
        }

        fn send_done(&mut self) {
            let re = RequestId::new(self.asked).unwrap();
            self.on_message(Message::Done { re, seq: None }).unwrap();
        }

        fn send_list(&mut self, seeks: &[(&str, &str)]) {
            let seeks = seeks.iter().map(|(name, rules)| {
                let kind = if name.starts_with("Bot") { PlayerKind::Bot } else { PlayerKind::Human };
                let player = Player { name: name.parse().unwrap(), kind };
                OpenSeek { player, rules: rules.parse().unwrap(), clock: None, seat: None }
            });
            let re = RequestId::new(self.asked).unwrap();
            self.on_message(Message::Rooms { re, rooms: Vec::new(), seeks: seeks.collect() }).unwrap();
        }

        fn send_reject(&mut self, code: RejectCode) -> Result<(), Reject> {
            let re = RequestId::new(self.asked);
            self.on_message(Message::Reject { re, reject: code.into() })
        }
    }

    fn two_games(policy: &mut Policy) {
        policy.rules.push("4x4:4".parse().unwrap());
    }

    #[test]
    fn one_seek_stands_until_it_is_paired() {
        let mut harness = MatchmakingHarness::new(|_| {}, false);
        harness.expect_request(0, "seek 3x3:3");
        harness.send_done();
        assert!(harness.is_idle());
        harness.matchmaking.start(harness.now);
        harness.expect_request(0, "seek 3x3:3");
        assert_eq!(harness.send_reject(RejectCode::AlreadySeeking), Ok(()));
        assert!(harness.is_idle(), "it waits already");
    }

    #[test]
    fn seeks_rotate_and_waiting_players_are_joined() {
        let mut harness = MatchmakingHarness::new(two_games, false);
        harness.expect_request(0, "list");
        harness.send_list(&[("Ann", "5x5:4"), ("Bot own", "4x4:4")]);
        harness.expect_request(0, "seek 3x3:3");
        harness.send_done();
        harness.expect_request(15, "list");
        harness.send_list(&[("Bot own", "3x3:3")]);
        harness.expect_request(0, "cancel");
        harness.send_done();
        harness.expect_request(0, "seek 4x4:4");
        harness.send_done();
        harness.expect_request(15, "list");
        harness.send_list(&[("Bot own", "4x4:4"), ("Bob", "3x3:3")]);
        harness.expect_request(0, "cancel");
        harness.send_done();
        harness.expect_request(0, "seek 3x3:3");
        harness.send_done();
        // Paired while it wanted to cancel: the table is on its way, and it looks round if not.
        harness.expect_request(15, "list");
        harness.send_list(&[]);
        harness.expect_request(0, "cancel");
        assert_eq!(harness.send_reject(RejectCode::NotSeeking), Ok(()));
        harness.expect_request(2, "list");
    }

    #[test]
    fn people_only_it_never_waits_but_joins_people() {
        let mut harness = MatchmakingHarness::new(|_| {}, true);
        harness.expect_request(0, "list");
        harness.send_list(&[("Bot other", "3x3:3")]);
        harness.expect_request(2, "list");
        harness.send_list(&[("Bot other", "3x3:3"), ("Ann", "3x3:3")]);
        harness.expect_request(0, "seek 3x3:3");
        harness.send_done();
        // She has gone meanwhile: it does not stay for whoever comes.
        harness.expect_request(2, "list");
        harness.send_list(&[]);
        harness.expect_request(0, "cancel");
        harness.send_done();
        harness.expect_request(2, "list");
    }

    #[test]
    fn a_rejection_is_retried_or_returned() {
        let mut harness = MatchmakingHarness::new(two_games, false);
        harness.expect_request(0, "list");
        assert_eq!(harness.send_reject(RejectCode::Busy), Ok(()));
        harness.expect_request(2, "list");
        harness.send_list(&[]);
        harness.expect_request(0, "seek 3x3:3");
        let re = RequestId::new(harness.asked);
        let reject = Reject::new(RejectCode::ServerFull).wait_ms(7_000);
        assert_eq!(harness.on_message(Message::Reject { re, reject }), Ok(()));
        harness.expect_request(7, "seek 3x3:3");
        harness.matchmaking.on_send_failed(harness.now);
        harness.expect_request(2, "seek 3x3:3");
        harness.matchmaking.on_request_lost(RequestId::new(harness.asked + 1).unwrap(), harness.now);
        assert!(harness.is_idle(), "that was another request");
        harness.matchmaking.on_request_lost(RequestId::new(harness.asked).unwrap(), harness.now);
        harness.expect_request(2, "seek 3x3:3");
        assert!(harness.send_reject(RejectCode::BadField).is_err());
        let join = BotTarget::Join("k7qf3mzx".parse().unwrap());
        let mut matchmaking = Matchmaking::new(join, "Bot own".parse().unwrap(), false, harness.now);
        assert!(matches!(
            matchmaking.next_action(harness.now),
            MatchmakingAction::Send(LobbyRequest::Join { .. })
        ));
        matchmaking.on_sent(RequestId::new(1).unwrap());
        let gone = Message::Reject { re: RequestId::new(1), reject: RejectCode::UnknownRoom.into() };
        assert!(matchmaking.on_message(&gone, harness.now).is_err());
    }
}
