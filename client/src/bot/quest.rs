//! How a bot comes by a game: what to ask of the lobby, and when. Pure: messages and the time come in, the
//! next request goes out.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Lobby, Message, Reject, RejectCode};
use noughts_protocol::{Name, RequestId, RoomRef};
use tokio::time::Instant;

use super::policy::Policy;

/// How long to wait before a wish that was refused is uttered again, if the server does not say.
const AGAIN_AFTER: Duration = Duration::from_secs(2);
/// However long the server says.
const AGAIN_AT_LAST: Duration = Duration::from_secs(60);
/// How long one wish stands before it looks round again.
const SHOWN: Duration = Duration::from_secs(15);
/// How often it looks for people where it does not wait for anyone; and how long somebody whom it has
/// picked has to be there still.
const GLANCE: Duration = Duration::from_secs(2);

/// What a bot came for.
#[derive(Clone, Debug)]
pub(super) enum Aim {
    /// Games, again and again, as its owner lets it.
    Play(Arc<Policy>),
    /// One room.
    Join(RoomRef),
}

/// What to do next.
#[derive(Clone, Debug)]
pub(super) enum Errand {
    /// Nothing until something happens, or until then.
    Wait(Option<Instant>),
    /// This is to be asked.
    Ask(Lobby),
}

/// What is asked next, or has been.
#[derive(Clone, Debug)]
enum Plan {
    Look,
    Utter(Lobby),
    /// To wait no longer; then this, if anything.
    Cancel(Option<Lobby>),
}

/// A search for a game.
#[derive(Debug)]
pub(super) struct Quest {
    aim: Aim,
    own: Name,
    people_only: bool,
    plan: Plan,
    /// When the plan is to be carried out; none: it rests.
    at: Option<Instant>,
    asked: Option<RequestId>,
    /// It waits in the lobby.
    waits: bool,
    /// Wishes of its own so far.
    turn: usize,
}

impl Quest {
    /// A search that begins now.
    pub(super) fn new(aim: Aim, own: Name, people_only: bool, now: Instant) -> Quest {
        let plan = Plan::Look;
        let mut quest = Quest { aim, own, people_only, plan, at: None, asked: None, waits: false, turn: 0 };
        quest.begins(now);
        quest
    }

    /// Begins: also when the line is back, since the server forgets wishes when it is cut.
    pub(super) fn begins(&mut self, now: Instant) {
        self.plan = match &self.aim {
            Aim::Join(room) => Plan::Utter(Lobby::Join { room: *room }),
            Aim::Play(policy) if policy.looks_round(self.people_only) => Plan::Look,
            Aim::Play(policy) => Plan::Utter(policy.wish(self.turn)),
        };
        (self.at, self.asked, self.waits) = (Some(now), None, false);
    }

    /// Whether it plays with people only this time.
    pub(super) fn is_for_people(&self) -> bool {
        self.people_only
    }

    /// What to do at `now`.
    pub(super) fn next(&self, now: Instant) -> Errand {
        match self.at {
            Some(at) if self.asked.is_none() && at <= now => Errand::Ask(match &self.plan {
                Plan::Look => Lobby::List,
                Plan::Utter(wish) => wish.clone(),
                Plan::Cancel(_) => Lobby::Cancel,
            }),
            Some(at) if self.asked.is_none() => Errand::Wait(Some(at)),
            Some(_) | None => Errand::Wait(None),
        }
    }

    /// The step of [`Quest::next`] was sent under this number.
    pub(super) fn has_asked(&mut self, id: RequestId) {
        self.asked = Some(id);
    }

    /// The answer to this request will not come.
    pub(super) fn has_lost(&mut self, id: RequestId, now: Instant) {
        if self.asked == Some(id) {
            self.has_not_asked(now);
        }
    }

    /// It could not be sent: the same again in a moment.
    pub(super) fn has_not_asked(&mut self, now: Instant) {
        (self.asked, self.at) = (None, Some(now + AGAIN_AFTER));
    }

    /// An answer came, if it is one to this quest.
    ///
    /// # Errors
    /// A refusal that waiting does not change.
    pub(super) fn hears(&mut self, message: &Message, now: Instant) -> Result<(), Reject> {
        match message {
            Message::Done { re, .. } if Some(*re) == self.asked => self.is_done(now),
            Message::Rooms { re, rooms, seeks } if Some(*re) == self.asked => {
                let Aim::Play(policy) = &self.aim else { return Ok(()) };
                let picked = policy.picks(rooms, seeks, self.people_only, &self.own);
                self.has_looked(picked, now);
            }
            Message::Reject { re: Some(re), reject } if Some(*re) == self.asked => {
                return self.is_refused(reject, now);
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

    fn is_done(&mut self, now: Instant) {
        self.asked = None;
        match std::mem::replace(&mut self.plan, Plan::Look) {
            // A list is no answer of this kind; whoever sends it will send the list too.
            Plan::Look => self.at = Some(now + AGAIN_AFTER),
            Plan::Utter(_) => {
                self.waits = true;
                let looks = match &self.aim {
                    Aim::Play(policy) => policy.looks_round(self.people_only),
                    Aim::Join(_) => false,
                };
                self.at = looks.then(|| now + if self.people_only { GLANCE } else { SHOWN });
            }
            Plan::Cancel(next) => {
                self.waits = false;
                self.goes_for(next, now);
            }
        }
    }

    /// Asks for this next, or looks again in a moment.
    fn goes_for(&mut self, next: Option<Lobby>, now: Instant) {
        match next {
            Some(wish) => (self.plan, self.at) = (Plan::Utter(wish), Some(now)),
            None => (self.plan, self.at) = (Plan::Look, Some(now + GLANCE)),
        }
    }

    fn has_looked(&mut self, picked: Option<Lobby>, now: Instant) {
        self.asked = None;
        let Aim::Play(policy) = &self.aim else { return };
        // With nobody to go to, it offers a game itself, unless it would be to people only: in the lobby it
        // cannot choose who comes.
        let next = picked.or_else(|| {
            let offers = !self.people_only && (!self.waits || policy.rules.len() > 1);
            offers.then(|| policy.wish(self.turn))
        });
        match (next, self.waits) {
            (Some(wish), true) => {
                self.turn += 1;
                (self.plan, self.at) = (Plan::Cancel(Some(wish)), Some(now));
            }
            (Some(wish), false) => {
                self.turn += 1;
                self.goes_for(Some(wish), now);
            }
            (None, true) if self.people_only => (self.plan, self.at) = (Plan::Cancel(None), Some(now)),
            (None, true) => (self.plan, self.at) = (Plan::Look, Some(now + SHOWN)),
            (None, false) => self.goes_for(None, now),
        }
    }

    fn is_refused(&mut self, reject: &Reject, now: Instant) -> Result<(), Reject> {
        use RejectCode as Code;
        self.asked = None;
        let wait = reject.wait_ms.map_or(AGAIN_AFTER, Duration::from_millis);
        self.at = Some(now + wait.clamp(AGAIN_AFTER, AGAIN_AT_LAST));
        let playing = matches!(self.aim, Aim::Play(_));
        let (code, utters) = (reject.code, matches!(self.plan, Plan::Utter(_)));
        if code == Code::AlreadySeeking && utters {
            // It waits already, and as it wished: nothing else was ever asked.
            self.is_done(now);
            Ok(())
        } else if playing && matches!(code, Code::NotSeeking | Code::UnknownRoom | Code::RoomFull) {
            // It has just been paired and the table comes, or somebody else was faster.
            self.waits = false;
            self.plan = Plan::Look;
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
    use noughts_protocol::{Kind, Player};

    /// A quest, and a clock for it that a test moves.
    struct Script {
        quest: Quest,
        now: Instant,
        asked: u64,
    }

    impl Script {
        fn new(change: impl FnOnce(&mut Policy), people_only: bool) -> Script {
            let mut policy = Policy::of("3x3:3".parse().unwrap());
            change(&mut policy);
            let now = Instant::now();
            let aim = Aim::Play(Arc::new(policy));
            Script { quest: Quest::new(aim, "Bot own".parse().unwrap(), people_only, now), now, asked: 0 }
        }

        /// Waits as long as the quest wants, and checks after how many seconds it asks what.
        fn asks(&mut self, after: u64, expected: &str) {
            let from = self.now;
            let lobby = loop {
                match self.quest.next(self.now) {
                    Errand::Ask(lobby) => break lobby,
                    Errand::Wait(Some(at)) => self.now = at,
                    Errand::Wait(None) => panic!("it rests instead of «{expected}»"),
                }
            };
            let text = match lobby {
                Lobby::List => "list".to_owned(),
                Lobby::Cancel => "cancel".to_owned(),
                Lobby::Seek { rules, clock: None, seat: None } => format!("seek {rules}"),
                Lobby::Seek { .. }
                | Lobby::Create { .. }
                | Lobby::Join { .. }
                | Lobby::Watch { .. }
                | Lobby::Resume { .. }
                | Lobby::Sync { .. }
                | Lobby::Leave => format!("{lobby:?}"),
            };
            assert_eq!((text.as_str(), (self.now - from).as_secs()), (expected, after));
            self.asked += 1;
            self.quest.has_asked(RequestId::new(self.asked).unwrap());
            assert!(self.rests(), "one thing at a time");
        }

        fn rests(&self) -> bool {
            matches!(self.quest.next(self.now), Errand::Wait(None))
        }

        fn hears(&mut self, message: Message) -> Result<(), Reject> {
            self.quest.hears(&message, self.now)
        }

        fn done(&mut self) {
            let re = RequestId::new(self.asked).unwrap();
            self.hears(Message::Done { re, seq: None }).unwrap();
        }

        fn list(&mut self, seeks: &[(&str, &str)]) {
            let seeks = seeks.iter().map(|(name, rules)| {
                let kind = if name.starts_with("Bot") { Kind::Bot } else { Kind::Human };
                let player = Player { name: name.parse().unwrap(), kind };
                OpenSeek { player, rules: rules.parse().unwrap(), clock: None, seat: None }
            });
            let re = RequestId::new(self.asked).unwrap();
            self.hears(Message::Rooms { re, rooms: Vec::new(), seeks: seeks.collect() }).unwrap();
        }

        fn refused(&mut self, code: RejectCode) -> Result<(), Reject> {
            let re = RequestId::new(self.asked);
            self.hears(Message::Reject { re, reject: code.into() })
        }
    }

    fn two_games(policy: &mut Policy) {
        policy.rules.push("4x4:4".parse().unwrap());
    }

    #[test]
    fn one_wish_stands_until_it_comes_true() {
        let mut script = Script::new(|_| {}, false);
        script.asks(0, "seek 3x3:3");
        script.done();
        assert!(script.rests());
        script.quest.begins(script.now);
        script.asks(0, "seek 3x3:3");
        assert_eq!(script.refused(RejectCode::AlreadySeeking), Ok(()));
        assert!(script.rests(), "it waits already");
    }

    #[test]
    fn games_are_offered_in_turn_and_who_waits_is_met() {
        let mut script = Script::new(two_games, false);
        script.asks(0, "list");
        script.list(&[("Ann", "5x5:4"), ("Bot own", "4x4:4")]);
        script.asks(0, "seek 3x3:3");
        script.done();
        script.asks(15, "list");
        script.list(&[("Bot own", "3x3:3")]);
        script.asks(0, "cancel");
        script.done();
        script.asks(0, "seek 4x4:4");
        script.done();
        script.asks(15, "list");
        script.list(&[("Bot own", "4x4:4"), ("Bob", "3x3:3")]);
        script.asks(0, "cancel");
        script.done();
        script.asks(0, "seek 3x3:3");
        script.done();
        // Paired while it wanted to cancel: the table is on its way, and it looks round if not.
        script.asks(15, "list");
        script.list(&[]);
        script.asks(0, "cancel");
        assert_eq!(script.refused(RejectCode::NotSeeking), Ok(()));
        script.asks(2, "list");
    }

    #[test]
    fn for_people_it_waits_for_nobody_and_goes_to_them() {
        let mut script = Script::new(|_| {}, true);
        script.asks(0, "list");
        script.list(&[("Bot other", "3x3:3")]);
        script.asks(2, "list");
        script.list(&[("Bot other", "3x3:3"), ("Ann", "3x3:3")]);
        script.asks(0, "seek 3x3:3");
        script.done();
        // She has gone meanwhile: it does not stay for whoever comes.
        script.asks(2, "list");
        script.list(&[]);
        script.asks(0, "cancel");
        script.done();
        script.asks(2, "list");
    }

    #[test]
    fn a_refusal_is_waited_out_or_told() {
        let mut script = Script::new(two_games, false);
        script.asks(0, "list");
        assert_eq!(script.refused(RejectCode::Busy), Ok(()));
        script.asks(2, "list");
        script.list(&[]);
        script.asks(0, "seek 3x3:3");
        let re = RequestId::new(script.asked);
        let reject = Reject::new(RejectCode::ServerFull).wait_ms(7_000);
        assert_eq!(script.hears(Message::Reject { re, reject }), Ok(()));
        script.asks(7, "seek 3x3:3");
        script.quest.has_not_asked(script.now);
        script.asks(2, "seek 3x3:3");
        script.quest.has_lost(RequestId::new(script.asked + 1).unwrap(), script.now);
        assert!(script.rests(), "that was another request");
        script.quest.has_lost(RequestId::new(script.asked).unwrap(), script.now);
        script.asks(2, "seek 3x3:3");
        assert!(script.refused(RejectCode::BadField).is_err());
        let join = Aim::Join("k7qf3mzx".parse().unwrap());
        let mut quest = Quest::new(join, "Bot own".parse().unwrap(), false, script.now);
        assert!(matches!(quest.next(script.now), Errand::Ask(Lobby::Join { .. })));
        quest.has_asked(RequestId::new(1).unwrap());
        let gone = Message::Reject { re: RequestId::new(1), reject: RejectCode::UnknownRoom.into() };
        assert!(quest.hears(&gone, script.now).is_err());
    }
}
