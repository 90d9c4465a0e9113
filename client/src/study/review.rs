//! What each move of a game was worth, and where it was lost.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Record, Rules, Seat, Status};

use super::{Watch, before, compare, of_the_end, search};
use crate::engine::Score;

/// Before a move is called the losing one, the position before it is looked at for so many times as long.
const SECOND_LOOK: u32 = 4;

/// A game, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// What was played.
    pub rules: Rules,
    /// The moves that could be judged, in order.
    pub moves: Vec<Judged>,
}

/// A move, judged for the side that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Who moved.
    pub seat: Seat,
    /// Where.
    pub cell: Cell,
    /// What the position was worth.
    pub before: Score,
    /// What it was worth with this move.
    pub after: Score,
    /// The best move that was found.
    pub best: Cell,
}

/// What a move cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regret {
    /// Nothing that was found.
    None,
    /// So many plies: a win that comes later, or a loss that comes sooner.
    Plies(u32),
    /// So much of an estimate.
    Points(u32),
    /// The win.
    Win,
    /// The game: it was won or even, as far as was seen, and is lost.
    Game,
}

impl Judged {
    /// What it cost.
    pub fn regret(&self) -> Regret {
        match (self.before, self.after) {
            (Score::Win(best), Score::Win(plies)) | (Score::Loss(plies), Score::Loss(best))
                if plies > best =>
            {
                Regret::Plies(plies - best)
            }
            (Score::Win(_), Score::Win(_)) | (Score::Loss(_), Score::Loss(_)) => Regret::None,
            (Score::Win(_), Score::Estimate(_) | Score::Draw) => Regret::Win,
            (Score::Win(_) | Score::Estimate(_) | Score::Draw, Score::Loss(_)) => Regret::Game,
            (Score::Estimate(best), Score::Estimate(value)) if value < best => {
                Regret::Points(best.abs_diff(value))
            }
            (Score::Estimate(best @ 1..), Score::Draw) => Regret::Points(best.unsigned_abs()),
            (Score::Draw, Score::Estimate(value @ ..0)) => Regret::Points(value.unsigned_abs()),
            (Score::Estimate(_) | Score::Draw, Score::Estimate(_) | Score::Draw | Score::Win(_))
            | (Score::Loss(_), Score::Estimate(_) | Score::Draw | Score::Win(_)) => Regret::None,
        }
    }
}

impl Review {
    /// The first move after which its side was lost by force and before which it was not: its number from
    /// 0. That is the truth where the position before it is solved, and else as far as the search saw.
    pub fn losing_mistake(&self) -> Option<usize> {
        self.moves.iter().position(|judged| judged.regret() == Regret::Game)
    }
}

/// Judges the moves of a record, with the time shared out among them. Stopped early it has the last moves
/// only: a game is looked at from its end, where most is known.
pub fn review(record: &Record, time: Duration, watch: Watch<'_>) -> Review {
    let mut position = Position::new(record.rules);
    for &cell in &record.moves {
        if position.play(cell).is_err() {
            break;
        }
    }
    let mut moves = Vec::new();
    // What the position is worth to the side to move; an end is worth something to the one who made it.
    let mut worth = match position.status() {
        Status::Ongoing => look(&position, time, watch).map(|(score, _)| score),
        Status::Drawn | Status::Won(_) => None,
    };
    while let Some(&cell) = position.moves().last() {
        let (status, plies) = (position.status(), position.ply());
        position.undo();
        let seat = position.turn();
        let share = (time.saturating_sub((watch.elapsed)())) / u32::try_from(plies).unwrap_or(1);
        let after = of_the_end(status, seat).or(worth.map(before));
        let (Some(after), Some((mut found, mut best))) = (after, look(&position, share, watch)) else {
            break;
        };
        if let (Score::Estimate(_), Score::Loss(_)) = (found, after)
            && let Some(again) = look(&position, share * SECOND_LOOK, watch)
        {
            (found, best) = again;
        }
        if compare(after, found).is_gt() {
            // The game itself showed more than the search saw.
            (found, best) = (after, cell);
        }
        moves.push(Judged { seat, cell, before: found, after, best });
        worth = Some(found);
        if watch.stop.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    moves.reverse();
    Review { rules: record.rules, moves }
}

/// The value of a position to the side to move, and its best move.
fn look(position: &Position, time: Duration, watch: Watch<'_>) -> Option<(Score, Cell)> {
    let until = (watch.elapsed)() + time;
    search(position, None, None, until, watch).map(|report| (report.score, report.best))
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// More time than a small board takes.
    pub(in super::super) const WIDE: Duration = Duration::from_secs(60);

    /// A clock that stands, and nobody who says to stop.
    pub(in super::super) fn at_once() -> Watch<'static> {
        static STOP: AtomicBool = AtomicBool::new(false);
        Watch { elapsed: &|| Duration::ZERO, stop: &STOP }
    }

    pub(in super::super) fn position(rules: &str, moves: &str) -> Position {
        let rules: Rules = rules.parse().unwrap();
        let mut position = Position::new(rules);
        for text in moves.split_whitespace() {
            position.play(rules.parse_cell(text).unwrap()).unwrap();
        }
        position
    }

    fn reviewed(rules: &str, moves: &str) -> Review {
        let position = position(rules, moves);
        let record = Record {
            rules: *position.rules(),
            control: None,
            players: ["Ann".to_owned(), "Bob".to_owned()],
            moves: position.moves().to_vec(),
            outcome: position.outcome(),
        };
        review(&record, WIDE, at_once())
    }

    #[test]
    fn regret_is_what_a_move_cost() {
        use Score::{Draw, Estimate, Loss, Win};
        for (before, after, expected) in [
            (Win(1), Win(1), Regret::None),
            (Win(1), Win(5), Regret::Plies(4)),
            (Loss(8), Loss(2), Regret::Plies(6)),
            (Loss(2), Loss(2), Regret::None),
            (Win(3), Draw, Regret::Win),
            (Win(3), Estimate(90), Regret::Win),
            (Win(3), Loss(2), Regret::Game),
            (Draw, Loss(2), Regret::Game),
            (Estimate(-5), Loss(2), Regret::Game),
            (Estimate(5), Estimate(-7), Regret::Points(12)),
            (Estimate(5), Estimate(5), Regret::None),
            (Estimate(5), Draw, Regret::Points(5)),
            (Estimate(-5), Draw, Regret::None),
            (Draw, Estimate(-5), Regret::Points(5)),
            (Draw, Draw, Regret::None),
        ] {
            let judged = Judged { seat: Seat::X, cell: Cell::new(0), before, after, best: Cell::new(0) };
            assert_eq!(judged.regret(), expected, "{before} to {after}");
        }
    }

    #[test]
    fn a_perfect_game_has_nothing_to_regret() {
        let review = reviewed("3x3:3", "b2 a1 c3 c1 b1 b3 a3 a2 c2");
        assert_eq!(review.moves.len(), 9);
        assert!(review.moves.iter().all(|judged| judged.regret() == Regret::None), "{review:?}");
        assert_eq!(review.losing_mistake(), None);
    }

    #[test]
    fn the_move_that_lost_is_found() {
        // O answers the middle on an edge, and is lost.
        let review = reviewed("3x3:3", "b2 b1 a1 c3 a2 a3 c2");
        assert_eq!(review.losing_mistake(), Some(1));
        let mistake = review.moves[1];
        assert_eq!((mistake.before, mistake.seat), (Score::Draw, Seat::O), "solved: it is the truth");
        assert!(matches!(mistake.after, Score::Loss(_)));
        let corners = ["a1", "c1", "a3", "c3"].map(|text| review.rules.parse_cell(text).unwrap());
        assert!(corners.contains(&mistake.best), "{mistake:?}");
    }

    #[test]
    fn a_win_at_hand_that_becomes_a_loss() {
        // X passes over a3, and O completes its own column.
        let review = reviewed("3x3:3", "a1 b1 a2 b2 c1 b3");
        let missed = review.moves[4];
        assert_eq!(
            (missed.before, missed.after, missed.regret()),
            (Score::Win(1), Score::Loss(2), Regret::Game)
        );
        assert_eq!(missed.best, review.rules.parse_cell("a3").unwrap());
        assert_eq!(review.losing_mistake(), Some(1), "the first one counts");
    }

    #[test]
    fn who_completes_a_line_of_misere_regrets_it() {
        let review = reviewed("3x3:3+misere", "b2 a1 c3 c1 a3 c2 b1 b3");
        let last = *review.moves.last().unwrap();
        assert!(review.moves.len() == 8 && last.seat == Seat::O, "{review:?}");
        let lost = reviewed("4x1:2+misere", "a1 c1 b1");
        assert_eq!(lost.moves[2].after, Score::Loss(1));
    }
}
