//! Authority over a local game: turns commands into events, as a room does on a server. Pure.

use noughts_protocol::game::referee::Referee;
use noughts_protocol::wire::{Reject, RejectCode, RoomCommand};
use noughts_protocol::{Event, EventRecord, Game, Player, Rules, Seat, Seq};

/// Opens a game with both players seated and the first game started.
pub(crate) fn open_game(rules: Rules, players: [Player; 2], now: u64) -> Game {
    let stamp = |number: u64, event| EventRecord {
        seq: Seq::new(number),
        at: now,
        request: None,
        event,
    };
    let opened = Event::Opened {
        rules,
        clock: None,
        public: false,
        free_first_moves: false,
    };
    let mut game = Game::open(&stamp(1, opened)).expect("a first event opens a game");
    let [x, o] = players;
    let events = [
        Event::Seated {
            seat: Seat::X,
            player: x,
        },
        Event::Seated {
            seat: Seat::O,
            player: o,
        },
        Event::Started { game: 1 },
    ];
    for (number, event) in (2..).zip(events) {
        game.apply(&stamp(number, event))
            .expect("two players can be seated and start");
    }
    game
}

/// Decides a command of `seat` and returns the resulting events. Offers are accepted at once, because both players share
/// one terminal.
///
/// # Errors
/// Returns the rejection that a server would send.
pub(crate) fn decide(game: &Game, seat: Seat, command: RoomCommand) -> Result<Vec<Event>, Reject> {
    // A local game has no clock, so the time does not matter.
    let referee = Referee::new(game, game.last_event_at());
    match command {
        RoomCommand::Move { cell, .. } => referee.play(seat, cell),
        RoomCommand::Resign => Ok(vec![referee.resign(seat)?]),
        RoomCommand::Offer { offer } => Ok(vec![referee.agree(seat, offer)?]),
        RoomCommand::Accept { .. } | RoomCommand::Decline { .. } => Err(RejectCode::NoOffer.into()),
        RoomCommand::Claim { .. } => Err(RejectCode::NotClaimable.into()),
        RoomCommand::Flag => Err(RejectCode::FlagNotFallen.into()),
        RoomCommand::Abort => Ok(vec![referee.abort()?]),
    }
}

/// Applies an event as the next one. Returns false if the event is impossible; events of [`decide`] never are.
pub(crate) fn apply(game: &mut Game, event: Event, now: u64) -> bool {
    let at = now.max(game.last_event_at());
    game.apply(&EventRecord {
        seq: game.seq().next(),
        at,
        request: None,
        event,
    })
    .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::{Cell, Offer, Outcome, PlayerKind};

    fn game(rules: &str) -> Game {
        let player = |name: &str| Player {
            name: name.parse().unwrap(),
            kind: PlayerKind::Human,
        };
        open_game(rules.parse().unwrap(), [player("Ann"), player("Bob")], 0)
    }

    fn play(game: &mut Game, seat: Seat, command: RoomCommand) -> Result<(), RejectCode> {
        let events = decide(game, seat, command).map_err(|reject| reject.code)?;
        assert!(events.into_iter().all(|event| apply(game, event, 1)));
        Ok(())
    }

    fn at(cell: u16) -> RoomCommand {
        RoomCommand::Move {
            cell: Cell::new(cell),
            seq: Seq::ZERO,
        }
    }

    #[test]
    fn a_finished_game_is_followed_by_a_rematch() {
        let mut game = game("3x3:3");
        for (ply, cell) in [4, 0, 2, 1, 6].into_iter().enumerate() {
            let seat = Seat::ALL[ply % 2];
            assert_eq!(
                play(&mut game, seat.other(), at(cell)),
                Err(RejectCode::NotYourTurn)
            );
            assert_eq!(play(&mut game, seat, at(cell)), Ok(()));
        }
        assert_eq!(game.outcome().and_then(Outcome::winner), Some(Seat::X));
        assert_eq!(play(&mut game, Seat::O, at(8)), Err(RejectCode::GameOver));
        assert_eq!(
            play(
                &mut game,
                Seat::O,
                RoomCommand::Offer {
                    offer: Offer::Rematch
                }
            ),
            Ok(())
        );
        assert_eq!((game.number(), game.score().wins), (2, [0, 1]));
        assert_eq!(game.player(Seat::X).unwrap().name.as_str(), "Bob");
    }

    #[test]
    fn players_can_take_back_moves_and_resign() {
        let mut game = game("7x6:4+gravity");
        let takeback = RoomCommand::Offer {
            offer: Offer::Takeback,
        };
        assert_eq!(
            play(&mut game, Seat::X, takeback),
            Err(RejectCode::NothingToTakeBack)
        );
        assert_eq!(play(&mut game, Seat::X, at(3)), Ok(()));
        assert_eq!(game.position().moves(), [Cell::new(38)]);
        assert_eq!(play(&mut game, Seat::X, takeback), Ok(()));
        assert_eq!(game.position().ply(), 0);
        assert_eq!(play(&mut game, Seat::X, RoomCommand::Resign), Ok(()));
        assert_eq!(game.outcome().and_then(Outcome::winner), Some(Seat::O));
        assert_eq!(
            play(
                &mut game,
                Seat::X,
                RoomCommand::Offer { offer: Offer::Draw }
            ),
            Err(RejectCode::GameOver)
        );
    }
}
