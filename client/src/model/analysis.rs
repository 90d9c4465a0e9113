//! The analysis of a record: a saved game, or a game that has just ended.

use std::borrow::Cow;

use noughts_protocol::{Cell, Position, Record, Seat};

use crate::engine::Evaluation;
use crate::engines::analysis::{GameReview, MoveLoss, ReviewProgress};

/// A record, the displayed position, and a line of moves that the player tries out.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub record: Record,
    /// The position after `position.ply()` moves of the record, or of the line that the player tries out.
    pub position: Position,
    /// The number of record moves before the player's own moves; `None` on the record.
    pub branch_ply: Option<usize>,
    pub cursor: Cell,
    /// The seat of the user in this game; `None` if the user had no seat, or the seat is not known.
    pub own_seat: Option<Seat>,
    /// The evaluation of all moves, once it is computed.
    pub review: Option<GameReview>,
    /// Progress of the evaluation of the moves.
    pub progress: Option<ReviewProgress>,
}

impl Analysis {
    /// Shows the first position of a record.
    pub(crate) fn new(record: Record) -> Analysis {
        let position = Position::new(record.rules);
        let cursor = record.moves.first().copied().unwrap_or(Cell::new(0));
        Analysis {
            record,
            position,
            branch_ply: None,
            cursor,
            own_seat: None,
            review: None,
            progress: None,
        }
    }

    /// Shows the position after this number of record moves, or else the last position.
    pub(crate) fn go_to(&mut self, ply: usize) {
        self.leave_branch();
        while self.position.ply() > ply && self.position.undo().is_some() {}
        while self.position.ply() < ply && self.try_play_next() {}
        self.follow_last_move();
    }

    /// Shows the next position of the record. Returns `false` at its end, and on a line that the player tries out.
    pub(crate) fn try_play_next(&mut self) -> bool {
        if self.branch_ply.is_some() {
            return false;
        }
        let next = self.record.moves.get(self.position.ply()).copied();
        let is_played = next.is_some_and(|cell| self.position.play(cell).is_ok());
        self.follow_last_move();
        is_played
    }

    /// Takes back a move of the record or of the line. A line without moves ends.
    pub(crate) fn step_back(&mut self) {
        self.position.undo();
        if self
            .branch_ply
            .is_some_and(|ply| self.position.ply() <= ply)
        {
            self.branch_ply = None;
        }
        self.follow_last_move();
    }

    /// Tries out a move. The record keeps its own move. Returns whether the move is legal.
    pub(crate) fn try_move(&mut self, cell: Cell) -> bool {
        let ply = self.position.ply();
        let Ok(landing) = self.position.landing_cell(cell) else {
            return false;
        };
        if self.branch_ply.is_none() && self.record.moves.get(ply) == Some(&landing) {
            return self.try_play_next();
        }
        let is_legal = self.position.play(cell).is_ok();
        if is_legal && self.branch_ply.is_none() {
            self.branch_ply = Some(ply);
        }
        is_legal
    }

    /// Returns to the record position before the moves that the player tried out. Returns `false` without such moves.
    pub(crate) fn leave_branch(&mut self) -> bool {
        let Some(ply) = self.branch_ply.take() else {
            return false;
        };
        while self.position.ply() > ply && self.position.undo().is_some() {}
        true
    }

    /// Returns one-based numbers of the mistakes, in the order of the screen: first the user's mistakes (without a
    /// known seat, the loser's mistakes), then the opponent's mistakes. Each side begins with its losing move, or else
    /// with its last mistake.
    fn mistakes_in_order(&self) -> Vec<usize> {
        let Some(review) = &self.review else {
            return Vec::new();
        };
        let first_side = self.own_seat.or(review.winner.map(Seat::other));
        let mut sides = match first_side {
            Some(seat) => [seat, seat.other()].map(|seat| review.mistakes_of(Some(seat))),
            None => [review.mistakes_of(None), Vec::new()],
        };
        let losing = review.losing_move().map(|index| index + 1);
        for side in &mut sides {
            let losing = side.iter().position(|number| Some(*number) == losing);
            let start = losing.unwrap_or(side.len().saturating_sub(1));
            side.rotate_left(start);
        }
        sides.concat()
    }

    /// Returns the number of the first mistake to show.
    pub(crate) fn first_mistake(&self) -> Option<usize> {
        self.mistakes_in_order().first().copied()
    }

    /// Returns the number of the mistake to show after the displayed move. After the last mistake comes the first.
    pub(crate) fn next_mistake(&self) -> Option<usize> {
        let order = self.mistakes_in_order();
        let shown = self.shown_move().map(|index| index + 1);
        let place = order.iter().position(|number| Some(*number) == shown);
        let next = place.and_then(|place| order.get(place + 1));
        next.or(order.first()).copied()
    }

    /// Returns the number of the displayed move if it is a mistake, and all mistakes of its side.
    pub(crate) fn shown_mistake(&self) -> Option<(usize, Vec<usize>)> {
        let (review, index) = self.review.as_ref().zip(self.shown_move())?;
        let of = review.mistakes_of(Some(review.moves.get(index)?.seat));
        of.contains(&(index + 1)).then_some((index + 1, of))
    }

    /// Returns the index of the last displayed move in the review; `None` if the displayed position is not in the
    /// record.
    pub(crate) fn shown_move(&self) -> Option<usize> {
        self.position
            .ply()
            .checked_sub(1)
            .filter(|_| self.branch_ply.is_none())
    }

    /// Returns a move that was better than the displayed move, and its player.
    pub(crate) fn better_move(&self) -> Option<(Cell, Seat)> {
        let reviewed = self.review.as_ref()?.moves.get(self.shown_move()?)?;
        let is_better = reviewed.best_cell != reviewed.cell && reviewed.loss() != MoveLoss::None;
        is_better.then_some((reviewed.best_cell, reviewed.seat))
    }

    /// Returns the position that the letters on the board describe: the displayed position, or the position before a
    /// move that was not the best, so that the letters and the better move belong to the same player.
    pub(crate) fn evaluated_position(&self) -> Cow<'_, Position> {
        if self.better_move().is_none() {
            return Cow::Borrowed(&self.position);
        }
        let mut position = self.position.clone();
        position.undo();
        Cow::Owned(position)
    }

    /// Returns the value of the displayed position for a side, from the evaluation of the moves.
    pub(crate) fn value(&self) -> Option<(Seat, Evaluation)> {
        let moves = &self.review.as_ref()?.moves;
        if self.branch_ply.is_some() {
            return None;
        }
        match self.shown_move() {
            Some(index) => {
                let reviewed = moves.get(index)?;
                Some((reviewed.seat, reviewed.score_after.evaluation))
            }
            None => {
                let first = moves.first()?;
                Some((first.seat, first.score_before.evaluation))
            }
        }
    }

    /// Returns whether the cursor is on the last move and would hide that move's sign.
    pub(crate) fn is_cursor_at_rest(&self) -> bool {
        self.position.moves().last() == Some(&self.cursor)
    }

    /// Returns the cell that the cursor selects. With gravity, it is the cell where a stone would come to rest.
    pub(crate) fn effective_cursor(&self) -> Cell {
        let landing = self.position.landing_cell(self.cursor);
        landing.unwrap_or(self.cursor)
    }

    fn follow_last_move(&mut self) {
        if let Some(&last) = self.position.moves().last() {
            self.cursor = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SearchScore;
    use crate::engines::analysis::ReviewedMove;

    fn analysis() -> Analysis {
        let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";
        Analysis::new(text.parse().unwrap())
    }

    /// Returns a review of a game that X won. The moves with these one-based numbers are mistakes.
    fn review_with_mistakes(mistakes: &[usize]) -> GameReview {
        let record = analysis().record;
        let score = |evaluation| SearchScore {
            evaluation,
            exact: true,
        };
        let moves = record.moves.iter().enumerate().map(|(index, &cell)| {
            let after = match mistakes.contains(&(index + 1)) {
                true => Evaluation::Loss(4),
                false => Evaluation::Draw,
            };
            ReviewedMove {
                seat: Seat::ALL[index % 2],
                cell,
                score_before: score(Evaluation::Draw),
                score_after: score(after),
                best_cell: cell,
            }
        });
        GameReview {
            rules: record.rules,
            moves: moves.collect(),
            winner: Some(Seat::X),
        }
    }

    #[test]
    fn the_letters_after_a_mistake_describe_the_position_before_it() {
        let mut analysis = analysis();
        let mut review = review_with_mistakes(&[2]);
        review.moves[1].best_cell = analysis.record.moves[4];
        analysis.review = Some(review);
        for (ply, expected) in [(1, 1), (2, 1), (3, 3)] {
            analysis.go_to(ply);
            assert_eq!(analysis.evaluated_position().ply(), expected, "{ply}");
        }
    }

    #[test]
    fn the_mistakes_of_the_reader_come_before_the_mistakes_of_the_opponent() {
        // X has won, so the last mistake of O lost the game.
        for (own_seat, expected) in [
            (None, [4, 2, 3, 1]),
            (Some(Seat::O), [4, 2, 3, 1]),
            (Some(Seat::X), [3, 1, 4, 2]),
        ] {
            let mut analysis = analysis();
            analysis.own_seat = own_seat;
            analysis.review = Some(review_with_mistakes(&[1, 2, 3, 4]));
            for number in expected.into_iter().chain(expected) {
                assert_eq!(analysis.next_mistake(), Some(number), "{own_seat:?}");
                analysis.go_to(number);
            }
        }
    }

    #[test]
    fn tried_moves_form_a_line_beside_the_record() {
        let mut analysis = analysis();
        analysis.go_to(2);
        let cell = |text: &str| analysis.record.rules.parse_cell(text).unwrap();
        let (c3, a3, taken, recorded) = (cell("c3"), cell("a3"), cell("b2"), cell("c1"));
        assert!(!analysis.try_move(taken));
        assert_eq!(analysis.branch_ply, None);
        assert!(analysis.try_move(c3) && analysis.try_move(a3));
        assert_eq!((analysis.branch_ply, analysis.position.ply()), (Some(2), 4));
        assert!(!analysis.try_play_next());
        analysis.step_back();
        analysis.step_back();
        assert_eq!((analysis.branch_ply, analysis.position.ply()), (None, 2));
        // A move of the record does not start a line.
        assert!(analysis.try_move(recorded));
        assert_eq!((analysis.branch_ply, analysis.position.ply()), (None, 3));
        assert!(analysis.try_move(c3) && analysis.leave_branch());
        assert_eq!((analysis.branch_ply, analysis.position.ply()), (None, 3));
        analysis.go_to(usize::MAX);
        assert_eq!(analysis.position.ply(), 5);
    }
}
