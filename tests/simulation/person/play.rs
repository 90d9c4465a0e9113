//! What a person does next, by chance.

use std::time::Duration;

use noughts_protocol::wire::{Body, Claim, Command, Lobby, Presence};
use noughts_protocol::{Offer, Phase, RoomRef};
use tokio::time::Instant;

use super::{Errand, Goes, OVERDUE, Program, View};
use crate::plan::{LONGEST, Wanted};

/// A line that is there for so long has its seat.
const SETTLED: Duration = Duration::from_millis(LONGEST + 1_000);
/// Without an event for so long at the end, a game is given up.
const STUCK: Duration = Duration::from_secs(4);
/// A room in which nothing happens for so long is left, to begin anew.
const BORED: Duration = Duration::from_secs(20);

/// What there is to do in a room.
enum Wish {
    Ask(Command),
    Leave,
    /// Without a word.
    Go,
    Wait,
}

impl Program<'_> {
    /// Does the next thing, if there is one.
    pub(super) fn acts(&mut self) -> Goes {
        if let Some(id) = self.accounts.overdue(OVERDUE) {
            self.breach(format_args!("request {id} has no answer"));
        }
        if self.online_since.is_none() || self.way.is_some() || self.command.is_some() {
            return Goes::On;
        }
        if self.view.is_none() {
            let seat = self.person.papers().seat;
            match seat {
                // After a crash of the program.
                Some((room, token)) => {
                    self.way = self.send(Body::Lobby(Lobby::Resume { room, token, seq: None }));
                }
                None if self.world().is_finishing() => return Goes::Down,
                None if self.seeking => {}
                None => self.sets_out(),
            }
            return Goes::On;
        }
        // Not while the seat may still be asked for by this one.
        let settled = self.online_since.is_some_and(|since| since.elapsed() > SETTLED);
        if settled && !self.world().is_finishing() && self.chance.one_in(40) {
            return Goes::Aside;
        }
        match self.wish() {
            Wish::Wait => {}
            Wish::Go => return Goes::Down,
            Wish::Leave => {
                if let Some(view) = &self.view {
                    self.world().notes.leaves(self.person.name, view.room);
                }
                self.way = self.send(Body::Lobby(Lobby::Leave));
            }
            Wish::Ask(command) => self.command = self.send(Body::Command(command)),
        }
        Goes::On
    }

    fn sets_out(&mut self) {
        let lobby = match self.person.errand {
            Errand::Host(Wanted { rules, clock }) => {
                Lobby::Create { rules, clock, seat: None, public: false }
            }
            Errand::Seek(Wanted { rules, clock }) => Lobby::Seek { rules, clock, seat: None },
            Errand::Guest => match self.world().phoned() {
                Some(code) => Lobby::Join { room: RoomRef::Code(code) },
                None => return,
            },
        };
        self.way = self.send(Body::Lobby(lobby));
    }

    fn wish(&mut self) -> Wish {
        let roll = self.chance.below(100);
        let number = self.chance.number();
        let (finishing, hosts) = (self.world().is_finishing(), matches!(self.person.errand, Errand::Host(_)));
        let Some(view) = &self.view else { return Wish::Wait };
        let bored = view.changed.elapsed() > BORED;
        match view.game.phase() {
            Phase::Closed => Wish::Wait,
            Phase::Waiting => {
                // The guest could not come in: its seat was given away in an answer that it never got.
                let spoiled = hosts && self.world().phoned().is_none();
                if finishing || spoiled || bored { Wish::Leave } else { Wish::Wait }
            }
            Phase::Over => {
                let spoiled = hosts && self.world().phoned().is_none();
                let offered = view.game.offered(Offer::Rematch);
                if finishing && roll < 4 {
                    Wish::Go
                } else if finishing || spoiled || bored || view.other == Presence::Left || roll < 10 {
                    Wish::Leave
                } else if offered == Some(view.seat) {
                    Wish::Wait
                } else {
                    Wish::Ask(Command::Offer { offer: Offer::Rematch })
                }
            }
            Phase::Playing => view.wish(finishing, roll, number),
        }
    }
}

impl View {
    /// In a game.
    fn wish(&self, finishing: bool, roll: u64, number: u64) -> Wish {
        let (seq, mine) = (self.game.seq(), self.game.position().turn() == self.seat);
        for offer in [Offer::Draw, Offer::Takeback] {
            if self.game.offered(offer) == Some(self.seat.other()) && roll < 60 {
                let yes = Command::Accept { offer };
                return Wish::Ask(if roll < 25 { yes } else { Command::Decline { offer } });
            }
        }
        let stuck = self.changed.elapsed() > if finishing { STUCK } else { BORED };
        if !mine && self.claim_at.is_some_and(|at| at <= Instant::now()) {
            let result = if roll < 50 { Claim::Win } else { Claim::Draw };
            return Wish::Ask(Command::Claim { result });
        }
        if !mine && stuck {
            return Wish::Ask(Command::Resign);
        }
        if !finishing {
            match roll {
                0..3 => return Wish::Ask(Command::Offer { offer: Offer::Draw }),
                3..8 if self.game.takeback_plies(self.seat).is_some() => {
                    return Wish::Ask(Command::Offer { offer: Offer::Takeback });
                }
                8 => return Wish::Ask(Command::Resign),
                // Now and then somebody just goes, and the other one is to win.
                9 if number.is_multiple_of(4) => return Wish::Leave,
                _ => {}
            }
        }
        if !mine {
            return Wish::Wait;
        }
        let legal: Vec<_> = self.game.position().legal_moves().collect();
        Wish::Ask(Command::Move { cell: legal[(number % legal.len() as u64) as usize], seq })
    }
}
