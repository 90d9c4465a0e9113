//! Chooses the next action of a [`BotGame`] from its state and the time.

use std::time::Duration;

use noughts_protocol::wire::{Claim, EngineRemark, RoomCommand};
use noughts_protocol::{Offer, Phase, Position, Seq};
use tokio::time::Instant;

use super::{BotGame, OpponentPresence, SyncState};
use crate::engines::network_move_budget;

/// Next action of a bot in a game.
#[derive(Debug)]
pub(in crate::bot) enum BotGameAction {
    /// Wait for an event, at most until this time.
    Wait(Option<Instant>),
    Send(RoomCommand),
    /// Send this evaluation to the spectators.
    SendRemark(EngineRemark),
    /// Request the events that follow this event.
    Sync(Seq),
    /// Search this position for this time, then report the result to [`BotGame::on_search_result`].
    Search(Box<Position>, Duration),
    Leave,
}

impl BotGame {
    pub(in crate::bot) fn next_action(&self, now: Instant) -> BotGameAction {
        if self.sync_state == SyncState::Unrecoverable {
            return BotGameAction::Leave;
        }
        if let Some(until) = self.paused_until.filter(|&until| until > now) {
            return BotGameAction::Wait(Some(until));
        }
        match self.sync_state {
            SyncState::Gap(None) => return BotGameAction::Sync(self.game.seq()),
            SyncState::Gap(Some(_)) => return BotGameAction::Wait(None),
            SyncState::InSync | SyncState::Unrecoverable => {}
        }
        if self.pending_request.is_some() {
            return BotGameAction::Wait(None);
        }
        match self.game.phase() {
            Phase::Closed => BotGameAction::Leave,
            Phase::Waiting if self.retiring => BotGameAction::Leave,
            Phase::Waiting => BotGameAction::Wait(None),
            Phase::Over => self.action_after_game(now),
            Phase::Playing => self.action_in_game(now),
        }
    }

    fn action_after_game(&self, now: Instant) -> BotGameAction {
        let until = self.over_since.map_or(now, |since| {
            since + self.behaviour.rematch_timeout(self.opponent_kind())
        });
        let has_left = matches!(self.opponent, OpponentPresence::Absent { left: true, .. });
        if self.retiring
            || self.behaviour.has_played_enough(self.finished_games)
            || has_left
            || until <= now
        {
            BotGameAction::Leave
        } else if self.game.offered_by(Offer::Rematch) == Some(self.seat.other()) {
            BotGameAction::Send(RoomCommand::Accept {
                offer: Offer::Rematch,
            })
        } else {
            BotGameAction::Wait(Some(until))
        }
    }

    fn action_in_game(&self, now: Instant) -> BotGameAction {
        if self.resigning {
            return BotGameAction::Send(RoomCommand::Resign);
        }
        for offer in [Offer::Draw, Offer::Takeback] {
            if self.game.offered_by(offer) == Some(self.seat.other()) {
                let yes = self
                    .behaviour
                    .should_accept(offer, &self.game, self.last_score);
                return BotGameAction::Send(if yes {
                    RoomCommand::Accept { offer }
                } else {
                    RoomCommand::Decline { offer }
                });
            }
        }
        if self.game.position().turn() == self.seat {
            return match self.chosen_move {
                Some((board_seq, cell)) if board_seq == self.game.board_seq() => {
                    if let Some((score, pv)) = &self.unsent_remark
                        && self.behaviour.sends_remarks(self.spectators)
                        && !self.remarks_unsupported
                    {
                        return BotGameAction::SendRemark(EngineRemark {
                            seq: self.game.seq(),
                            evaluation: *score,
                            pv: pv.clone(),
                        });
                    }
                    let at = self.last_event_at
                        + self
                            .behaviour
                            .move_delay(self.opponent_kind(), self.time_left(now));
                    if at > now {
                        return BotGameAction::Wait(Some(at));
                    }
                    BotGameAction::Send(RoomCommand::Move {
                        cell,
                        seq: self.game.seq(),
                    })
                }
                Some(_) | None => BotGameAction::Search(
                    Box::new(self.game.position().clone()),
                    self.move_budget(now),
                ),
            };
        }
        match self.opponent {
            OpponentPresence::Absent {
                claim_at: Some(at), ..
            } if at <= now => BotGameAction::Send(RoomCommand::Claim { result: Claim::Win }),
            OpponentPresence::Absent { claim_at, .. } => BotGameAction::Wait(claim_at),
            OpponentPresence::Connected => BotGameAction::Wait(None),
        }
    }

    /// Returns the search time for the next move.
    fn move_budget(&self, now: Instant) -> Duration {
        let increment = self
            .game
            .control()
            .map_or(0, |control| control.increment_ms());
        network_move_budget(
            self.move_time,
            self.time_left(now),
            Duration::from_millis(increment),
        )
    }

    /// Returns the time until the bot's flag falls when the bot is to move; `None` without a clock. A free first move
    /// does not change what the clock shows, but the time limit applies to that move too.
    fn time_left(&self, now: Instant) -> Option<Duration> {
        let ran = now - self.last_event_at;
        let left = self
            .game
            .clock()
            .map(|clock| clock.left(self.seat, self.game.last_event_at()));
        left.map(|left| Duration::from_millis(left).saturating_sub(ran))
    }
}
