//! One room as a bot sees it, and what it does next there. Pure: messages and the time come in, the next
//! step goes out.

use std::time::Duration;

use noughts_protocol::wire::{Claim, Command, Message, Notice, Presence, Reject, RejectCode, Remark, Score};
use noughts_protocol::{
    Cell, FoldError, Game, Kind, Offer, Phase, Position, RequestId, RoomId, Seat, Seq, Snapshot, Stamped,
};
use tokio::time::Instant;

use super::allowance::allowance;
use super::manners::Manners;
use crate::thinker::Choice;

/// How long to wait before something refused is tried again, if the server does not say.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// However long the server says.
const AGAIN_AT_LAST: Duration = Duration::from_secs(60);

/// What a bot does next.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing until something happens, or until then.
    Wait(Option<Instant>),
    /// Asks the server for this.
    Ask(Command),
    /// Tells those who watch what it thinks.
    Tell(Remark),
    /// Has lost the thread and asks what happened after this event.
    Sync(Seq),
    /// Thinks about this position for so long, and says with [`Table::decides`] what came of it.
    Think(Box<Position>, Duration),
    /// Goes.
    Leave,
}

/// A room, a seat in it, and what is under way.
#[derive(Debug)]
pub(super) struct Table {
    room: RoomId,
    game: Game,
    seat: Seat,
    manners: Manners,
    budget: Duration,
    /// When the last event came: the clock has run since.
    since: Instant,
    /// The request without an answer; nothing is asked meanwhile.
    asked: Option<RequestId>,
    /// Nothing is asked before then.
    pause_until: Option<Instant>,
    /// The move that was chosen for the board as it was after an event.
    chosen: Option<(Seq, Cell)>,
    /// Another game in this room is not wanted.
    retires: bool,
    /// The game is to be given up.
    gives_up: bool,
    /// Rematches in this room.
    rematches: u32,
    /// What the last thought found.
    score: Option<Score>,
    /// What is still to be told of it, and as which request it was.
    untold: Option<(Score, Vec<Cell>)>,
    told: Option<RequestId>,
    /// How many watch.
    watching: u32,
    /// The server has said that it does not know remarks.
    mute: bool,
    other: Other,
    over_since: Option<Instant>,
    /// Games that ended while this bot was here, in this room and before.
    finished: u32,
    /// Events are missing, or make no sense.
    torn: Torn,
}

/// Whether the other player is there.
#[derive(Clone, Copy, Debug)]
enum Other {
    Here,
    Gone { on_purpose: bool, claim_at: Option<Instant> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Torn {
    No,
    /// Something is missing; it may have been asked for already.
    Gap(Option<RequestId>),
    /// There is no telling what the server means.
    Hopeless,
}

impl Table {
    /// Takes a seat. `None` when the snapshot makes no sense.
    pub(super) fn new(
        room: RoomId,
        seat: Seat,
        state: &Snapshot,
        manners: Manners,
        budget: Duration,
        finished: u32,
        now: Instant,
    ) -> Option<Table> {
        let game = Game::from_snapshot(state).ok()?;
        let over_since = (game.phase() == Phase::Over).then_some(now);
        Some(Table {
            room,
            game,
            seat,
            manners,
            budget,
            since: now,
            asked: None,
            pause_until: None,
            chosen: None,
            retires: false,
            gives_up: false,
            rematches: 0,
            score: None,
            untold: None,
            told: None,
            watching: 0,
            mute: false,
            other: Other::Here,
            over_since,
            finished,
            torn: Torn::No,
        })
    }

    /// Games finished so far.
    pub(super) fn finished(&self) -> u32 {
        self.finished
    }

    /// The last event that changed the board: a thought about an older one is idle.
    pub(super) fn board_seq(&self) -> Seq {
        self.game.board_seq()
    }

    /// A message came.
    pub(super) fn hears(&mut self, message: &Message, now: Instant) {
        match message {
            Message::Snapshot { re, room, you, state } if *room == self.room => {
                self.is_answered(*re);
                let Ok(game) = Game::from_snapshot(state) else {
                    self.torn = Torn::Hopeless;
                    return;
                };
                let was_playing = self.game.phase() == Phase::Playing;
                self.gives_up &= game.number() == self.game.number();
                // What happened in between is not told: a game that is over now, or another one, ended.
                if was_playing && (game.phase() != Phase::Playing || game.number() != self.game.number()) {
                    self.finished += 1;
                }
                self.game = game;
                self.seat = you.seat.unwrap_or(self.seat);
                self.torn = Torn::No;
                self.settles(now);
            }
            Message::Events { re, room, events } if *room == self.room => {
                for stamped in events {
                    self.takes_in(stamped, now);
                }
                if matches!(self.torn, Torn::Gap(sync) if sync.is_some() && sync == *re) {
                    // All that there is has come, and it does not fit.
                    self.torn = Torn::Hopeless;
                }
            }
            Message::Notice { room, notice: Notice::Presence { seat, presence, claim_in_ms } }
                if *room == self.room =>
            {
                if *seat != self.seat {
                    let claim_at = claim_in_ms.map(|ms| now + Duration::from_millis(ms));
                    self.other = match presence {
                        Presence::Here => Other::Here,
                        Presence::Away => Other::Gone { on_purpose: false, claim_at },
                        Presence::Left => Other::Gone { on_purpose: true, claim_at },
                    };
                }
            }
            Message::Notice { room, notice: Notice::Crowd { watching } } if *room == self.room => {
                self.watching = *watching;
            }
            // Whatever else may be wrong with a remark, the next one may be right.
            Message::Reject { re: Some(re), reject } if self.told == Some(*re) => {
                self.mute |= reject.code == RejectCode::UnknownType;
            }
            Message::Reject { re: Some(re), reject } if self.has_asked_as(*re) => {
                self.is_refused(reject, now);
            }
            Message::Done { re, .. } => self.is_answered(Some(*re)),
            Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Reject { .. }
            | Message::Welcome { .. }
            | Message::Rooms { .. }
            | Message::Restarting { .. } => {}
        }
    }

    fn takes_in(&mut self, stamped: &Stamped, now: Instant) {
        self.is_answered(stamped.by.map(|by| by.id));
        let number = self.game.number();
        let was_over = self.game.phase() == Phase::Over;
        match self.game.apply(stamped) {
            Ok(()) => {}
            // Known already.
            Err(FoldError::Gap { expected, got }) if got < expected => return,
            Err(FoldError::Gap { .. }) => {
                if self.torn == Torn::No {
                    self.torn = Torn::Gap(None);
                }
                return;
            }
            Err(FoldError::Impossible { .. }) => {
                self.torn = Torn::Hopeless;
                return;
            }
        }
        if let Torn::Gap(_) = self.torn {
            self.torn = Torn::No;
        }
        if self.game.number() > number && number > 0 {
            self.seat = self.seat.other();
            self.rematches += 1;
            self.gives_up = false;
        }
        if self.game.phase() == Phase::Over && !was_over {
            self.finished += 1;
        }
        self.settles(now);
    }

    /// The board is as of now.
    fn settles(&mut self, now: Instant) {
        self.since = now;
        if self.game.phase() == Phase::Over {
            self.over_since.get_or_insert(now);
        } else {
            self.over_since = None;
        }
        if self.game.position().moves().is_empty() {
            self.score = None;
        }
    }

    fn has_asked_as(&self, id: RequestId) -> bool {
        self.asked == Some(id) || self.torn == Torn::Gap(Some(id))
    }

    fn is_answered(&mut self, id: Option<RequestId>) {
        if id.is_some() && id == self.asked {
            self.asked = None;
        }
    }

    /// Whatever was asked cannot be had as things are: look again in a moment.
    fn is_refused(&mut self, reject: &Reject, now: Instant) {
        tracing::debug!(%reject, "refused");
        let wait = reject.wait_ms.map_or(AGAIN_AFTER, Duration::from_millis);
        self.tries_again_at(now + wait.clamp(AGAIN_AFTER, AGAIN_AT_LAST));
        let behind =
            matches!(reject.code, RejectCode::Stale | RejectCode::CellTaken | RejectCode::NotYourTurn)
                && reject.seq.is_none_or(|seq| seq > self.game.seq());
        if behind && self.torn == Torn::No {
            self.torn = Torn::Gap(None);
        }
    }

    /// What to do at `now`.
    pub(super) fn next(&self, now: Instant) -> Step {
        if self.torn == Torn::Hopeless {
            return Step::Leave;
        }
        if let Some(until) = self.pause_until.filter(|&until| until > now) {
            return Step::Wait(Some(until));
        }
        match self.torn {
            Torn::Gap(None) => return Step::Sync(self.game.seq()),
            Torn::Gap(Some(_)) => return Step::Wait(None),
            Torn::No | Torn::Hopeless => {}
        }
        if self.asked.is_some() {
            return Step::Wait(None);
        }
        match self.game.phase() {
            Phase::Closed => Step::Leave,
            Phase::Waiting if self.retires => Step::Leave,
            Phase::Waiting => Step::Wait(None),
            Phase::Over => self.after_a_game(now),
            Phase::Playing => self.in_a_game(now),
        }
    }

    fn plays_on(&self) -> bool {
        self.manners.plays_on(self.finished, self.rematches)
    }

    fn after_a_game(&self, now: Instant) -> Step {
        let until = self.over_since.map_or(now, |since| since + self.manners.rematch_wait(self.other_kind()));
        let gone = matches!(self.other, Other::Gone { on_purpose: true, .. });
        if self.retires || !self.plays_on() || gone || until <= now {
            Step::Leave
        } else if self.game.offered(Offer::Rematch) == Some(self.seat.other()) {
            Step::Ask(Command::Accept { offer: Offer::Rematch })
        } else {
            Step::Wait(Some(until))
        }
    }

    /// Whether a person or a program sits opposite.
    pub(super) fn other_kind(&self) -> Option<Kind> {
        self.game.player(self.seat.other()).map(|player| player.kind)
    }

    fn in_a_game(&self, now: Instant) -> Step {
        if self.gives_up {
            return Step::Ask(Command::Resign);
        }
        for offer in [Offer::Draw, Offer::Takeback] {
            if self.game.offered(offer) == Some(self.seat.other()) {
                let yes = self.manners.accepts(offer, &self.game, self.score);
                return Step::Ask(if yes { Command::Accept { offer } } else { Command::Decline { offer } });
            }
        }
        if self.game.position().turn() == self.seat {
            return match self.chosen {
                Some((board_seq, cell)) if board_seq == self.game.board_seq() => {
                    if let Some((score, line)) = &self.untold
                        && self.manners.tells(self.watching)
                        && !self.mute
                    {
                        return Step::Tell(Remark {
                            seq: self.game.seq(),
                            score: *score,
                            line: line.clone(),
                        });
                    }
                    let at = self.since + self.manners.pause(self.other_kind(), self.left(now));
                    if at > now {
                        return Step::Wait(Some(at));
                    }
                    Step::Ask(Command::Move { cell, seq: self.game.seq() })
                }
                Some(_) | None => Step::Think(Box::new(self.game.position().clone()), self.allowance(now)),
            };
        }
        match self.other {
            Other::Gone { claim_at: Some(at), .. } if at <= now => {
                Step::Ask(Command::Claim { result: Claim::Win })
            }
            Other::Gone { claim_at, .. } => Step::Wait(claim_at),
            Other::Here => Step::Wait(None),
        }
    }

    /// The time for the move to be made now.
    fn allowance(&self, now: Instant) -> Duration {
        let increment = self.game.control().map_or(0, |control| control.increment_ms());
        allowance(self.budget, self.left(now), Duration::from_millis(increment))
    }

    /// What its clock has left while it is to move; none without a clock.
    fn left(&self, now: Instant) -> Option<Duration> {
        let ran = now - self.since;
        let left = self.game.left(self.game.at());
        left.map(|left| Duration::from_millis(left[self.seat.index()]).saturating_sub(ran))
    }

    /// This game is the last one here.
    pub(super) fn retires(&mut self) {
        self.retires = true;
    }

    /// The game that is on is given up.
    pub(super) fn gives_up(&mut self) {
        self.gives_up = true;
    }

    /// A thought about the board after `board_seq` came to this.
    pub(super) fn decides(&mut self, board_seq: Seq, choice: &Choice) {
        self.chosen = Some((board_seq, choice.cell));
        self.score = choice.score();
        self.untold = choice
            .report
            .as_ref()
            .map(|report| (report.score, report.line.iter().copied().take(Remark::MAX_LINE).collect()));
    }

    /// What it thinks was sent under this number, or could not be sent: it is not told again.
    pub(super) fn has_told(&mut self, id: Option<RequestId>) {
        (self.untold, self.told) = (None, id);
    }

    /// A step of [`Table::next`] was sent under this number.
    pub(super) fn has_asked(&mut self, id: RequestId) {
        self.asked = Some(id);
    }

    /// The missing events have been asked for under this number.
    pub(super) fn has_synced(&mut self, id: RequestId) {
        self.torn = Torn::Gap(Some(id));
    }

    /// The answer to a request is lost with the line.
    pub(super) fn has_lost(&mut self, id: RequestId, now: Instant) {
        if self.told != Some(id) {
            self.has_not_asked(now);
        }
    }

    /// Nothing could be sent: tries again in a moment.
    pub(super) fn has_not_asked(&mut self, now: Instant) {
        self.tries_again_at(now + AGAIN_AFTER);
    }

    fn tries_again_at(&mut self, at: Instant) {
        self.asked = None;
        self.pause_until = Some(at);
        if let Torn::Gap(_) = self.torn {
            self.torn = Torn::Gap(None);
        }
    }
}
