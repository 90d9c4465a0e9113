//! Choice of a player's next action.

use std::time::Duration;

use noughts_protocol::wire::{Claim, Presence, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Offer, Phase, RoomRef};
use tokio::time::Instant;

use super::{JoinGoal, PlayerProgram, ProgramFlow, RESPONSE_TIMEOUT, SimRoomView};
use crate::plan::{MAX_FAULT_MS, PlannedGame};

/// A connection of this age is known to hold its seat.
const SETTLED_AFTER: Duration = Duration::from_millis(MAX_FAULT_MS + 1_000);
/// At the end of the run, a player resigns a game that has had no event for this time.
const FINAL_GAME_TIMEOUT: Duration = Duration::from_secs(4);
/// A player leaves a room that has had no event for this time.
const ROOM_IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Action in a room.
enum SimAction {
    Send(RoomCommand),
    Leave,
    /// Ends the program without a message.
    Exit,
    Wait,
}

impl PlayerProgram<'_> {
    /// Performs the next action, if there is one.
    pub(super) fn act(&mut self) -> ProgramFlow {
        if let Some(id) = self.ledger.overdue_request(RESPONSE_TIMEOUT) {
            self.report_violation(format_args!("request {id} has no response"));
        }
        if self.online_since.is_none()
            || self.pending_room_request.is_some()
            || self.pending_command.is_some()
        {
            return ProgramFlow::Continue;
        }
        if self.room_view.is_none() {
            let seat = self.player.persistent_state().seat;
            match seat {
                // An earlier program crashed or detached: resume its seat.
                Some((room, token)) => {
                    self.pending_room_request =
                        self.send(RequestBody::Session(SessionRequest::Resume {
                            room,
                            token: Some(token),
                            seq: None,
                        }));
                }
                None if self.sim_state().is_finishing() => return ProgramFlow::Exit,
                None if self.seeking => {}
                None => self.join_game(),
            }
            return ProgramFlow::Continue;
        }
        // A resume may still be in flight for some time after the client has connected.
        let is_settled = self
            .online_since
            .is_some_and(|since| since.elapsed() > SETTLED_AFTER);
        if is_settled && !self.sim_state().is_finishing() && self.rng.random_one_in(40) {
            return ProgramFlow::Detach;
        }
        match self.next_action() {
            SimAction::Wait => {}
            SimAction::Exit => return ProgramFlow::Exit,
            SimAction::Leave => {
                if let Some(view) = &self.room_view {
                    self.sim_state()
                        .trace
                        .record_departure(self.player.name, view.room);
                }
                self.pending_room_request = self.send(RequestBody::Session(SessionRequest::Leave));
            }
            SimAction::Send(command) => {
                self.pending_command = self.send(RequestBody::Command(command));
            }
        }
        ProgramFlow::Continue
    }

    fn join_game(&mut self) {
        let lobby = match self.player.goal {
            JoinGoal::Host(PlannedGame { rules, clock }) => SessionRequest::Create {
                rules,
                clock,
                seat: None,
                public: false,
            },
            JoinGoal::Seek(PlannedGame { rules, clock }) => SessionRequest::Seek {
                rules,
                clock,
                seat: None,
                opponents: None,
            },
            JoinGoal::Guest => match self.sim_state().shared_code() {
                Some(code) => SessionRequest::Join {
                    room: RoomRef::Code(code),
                },
                None => return,
            },
        };
        self.pending_room_request = self.send(RequestBody::Session(lobby));
    }

    fn next_action(&mut self) -> SimAction {
        let roll = self.rng.random_below(100);
        let number = self.rng.next_u64();
        let (finishing, is_host) = (
            self.sim_state().is_finishing(),
            matches!(self.player.goal, JoinGoal::Host(_)),
        );
        let Some(room_view) = &self.room_view else {
            return SimAction::Wait;
        };
        let is_idle = room_view.changed_at.elapsed() > ROOM_IDLE_TIMEOUT;
        match room_view.game.phase() {
            Phase::Closed => SimAction::Wait,
            Phase::Waiting => {
                // The guest could not join: its seat was granted in a response that it did not receive.
                let guest_failed = is_host && self.sim_state().shared_code().is_none();
                if finishing || guest_failed || is_idle {
                    SimAction::Leave
                } else {
                    SimAction::Wait
                }
            }
            Phase::Over => {
                let guest_failed = is_host && self.sim_state().shared_code().is_none();
                let offered = room_view.game.offered_by(Offer::Rematch);
                if finishing && roll < 4 {
                    SimAction::Exit
                } else if finishing
                    || guest_failed
                    || is_idle
                    || room_view.opponent_presence == Presence::Left
                    || roll < 10
                {
                    SimAction::Leave
                } else if offered == Some(room_view.seat) {
                    SimAction::Wait
                } else {
                    SimAction::Send(RoomCommand::Offer {
                        offer: Offer::Rematch,
                    })
                }
            }
            Phase::Playing => room_view.next_game_action(finishing, roll, number),
        }
    }
}

impl SimRoomView {
    /// Chooses an action during a game.
    fn next_game_action(&self, finishing: bool, roll: u64, number: u64) -> SimAction {
        let (seq, mine) = (self.game.seq(), self.game.position().turn() == self.seat);
        for offer in [Offer::Draw, Offer::Takeback] {
            if self.game.offered_by(offer) == Some(self.seat.other()) && roll < 60 {
                let yes = RoomCommand::Accept { offer };
                return SimAction::Send(if roll < 25 {
                    yes
                } else {
                    RoomCommand::Decline { offer }
                });
            }
        }
        let is_stuck = self.changed_at.elapsed()
            > if finishing {
                FINAL_GAME_TIMEOUT
            } else {
                ROOM_IDLE_TIMEOUT
            };
        if !mine && self.claim_at.is_some_and(|at| at <= Instant::now()) {
            let result = if roll < 50 { Claim::Win } else { Claim::Draw };
            return SimAction::Send(RoomCommand::Claim { result });
        }
        if !mine && is_stuck {
            return SimAction::Send(RoomCommand::Resign);
        }
        if !finishing {
            match roll {
                0..3 => return SimAction::Send(RoomCommand::Offer { offer: Offer::Draw }),
                3..8 if self.game.takeback_plies(self.seat).is_some() => {
                    return SimAction::Send(RoomCommand::Offer {
                        offer: Offer::Takeback,
                    });
                }
                8 => return SimAction::Send(RoomCommand::Resign),
                // Occasionally a player leaves, and the opponent is to win.
                9 if number.is_multiple_of(4) => return SimAction::Leave,
                _ => {}
            }
        }
        if !mine {
            return SimAction::Wait;
        }
        let legal: Vec<_> = self.game.position().legal_moves().collect();
        SimAction::Send(RoomCommand::Move {
            cell: legal[(number % legal.len() as u64) as usize],
            seq,
        })
    }
}
