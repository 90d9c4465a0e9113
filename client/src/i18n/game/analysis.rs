//! Evaluations, reviews, and games that can be resumed.

use noughts_protocol::{Cell, Rules, Seat};

use crate::connection::server_url::ServerUrl;
use crate::engine::{Evaluation, SearchScore, claims_win};
use crate::engines::analysis::{GameReview, MoveLoss, MoveValues, ReviewedMove};
use crate::facts::EngineEvaluation;
use crate::i18n::Texts;
use crate::i18n::messages::JUDGEMENT;
use crate::input::DigitOrder;
use crate::input::text_command::{is_named_by_digits, shown_name};
use crate::io::saved_games::{SavedGame, SavedGameError};

/// Maximum number of best cells in a notification.
const MAX_BEST_CELLS: usize = 3;
/// Maximum number of moves of a principal variation in the panel of a game.
const MAX_EXPECTED_MOVES: usize = 3;
/// Maximum estimate of a position that counts as even.
const MAX_EVEN_ESTIMATE: i32 = 500;
/// Maximum number of moves shown of a principal variation.
const MAX_PV_MOVES: usize = 5;

impl Texts {
    /// Describes an evaluation for the side to move: `wins in 3`, counted in the side's own moves.
    pub fn evaluation(self, score: Evaluation) -> String {
        match score {
            Evaluation::Win(plies) => self.wins_in(plies.div_ceil(2)),
            Evaluation::Loss(plies) => self.loses_in(plies.div_ceil(2)),
            Evaluation::Draw => self.draws().to_owned(),
            Evaluation::Estimate(estimate) => format!("{estimate:+}"),
        }
    }

    /// Describes a score for the side to move: `wins in 3`, or `wins in at most 3` if the distance is a bound.
    pub fn search_score(self, score: SearchScore) -> String {
        if score.exact {
            return self.evaluation(score.evaluation);
        }
        let (plies, is_win) = match score.evaluation {
            Evaluation::Win(plies) => (plies, true),
            Evaluation::Loss(plies) => (plies, false),
            Evaluation::Draw | Evaluation::Estimate(_) => return self.evaluation(score.evaluation),
        };
        let moves = plies.div_ceil(2);
        if is_win {
            self.wins_in_at_most(moves)
        } else {
            self.loses_in_at_most(moves)
        }
    }

    /// Describes an engine's evaluation and its principal variation.
    pub fn engine_evaluation(self, evaluation: &EngineEvaluation, rules: &Rules) -> String {
        // The message does not say whether a distance is exact.
        let score = self.search_score(SearchScore {
            evaluation: evaluation.score,
            exact: false,
        });
        if evaluation.pv.is_empty() {
            return score;
        }
        let moves: Vec<String> = evaluation
            .pv
            .iter()
            .take(MAX_PV_MOVES)
            .map(|&cell| rules.cell_text(cell))
            .collect();
        format!("{score} ({})", moves.join(" "))
    }

    /// Says in words how an engine judges its position, and which moves it expects.
    pub fn engine_thoughts(
        self,
        name: &str,
        evaluation: &EngineEvaluation,
        rules: &Rules,
        order: DigitOrder,
    ) -> String {
        let word = self.keyed(&JUDGEMENT, judgement(evaluation.score));
        let thinks = self.engine_thinks(word, name);
        let moves = evaluation.pv.iter().take(MAX_EXPECTED_MOVES);
        let moves: Vec<String> = moves.map(|&cell| shown_name(rules, order, cell)).collect();
        if moves.is_empty() {
            thinks
        } else {
            self.engine_expects(moves.join(" "), thinks)
        }
    }

    /// Names the best cells, grouped by value.
    pub fn best_cells(self, values: &MoveValues) -> String {
        let rules = values.position.rules();
        let mut groups: Vec<(SearchScore, Vec<String>)> = Vec::new();
        for &(cell, score) in values.cells.iter().take(MAX_BEST_CELLS) {
            let text = rules.cell_text(cell);
            match groups.last_mut() {
                Some((group_score, cells)) if *group_score == score => cells.push(text),
                Some(_) | None => groups.push((score, vec![text])),
            }
        }
        let group = |(score, cells): &(SearchScore, Vec<String>)| {
            format!("{} ({})", self.join_list(cells), self.result_noun(*score))
        };
        self.best_moves(self.join_list(&groups.iter().map(group).collect::<Vec<_>>()))
    }

    /// Names the value of a cell in parentheses: `draw`, `wins in 3`.
    fn result_noun(self, score: SearchScore) -> String {
        match score.evaluation {
            Evaluation::Draw => self.draw_in_parentheses().to_owned(),
            Evaluation::Win(_) | Evaluation::Loss(_) | Evaluation::Estimate(_) => {
                self.search_score(score)
            }
        }
    }

    /// Lists all cells, one line for each value.
    pub fn all_evaluations(self, values: &MoveValues) -> Vec<String> {
        let rules = values.position.rules();
        let mut lines: Vec<(SearchScore, Vec<String>)> = Vec::new();
        for &(cell, score) in &values.cells {
            let text = rules.cell_text(cell);
            match lines.last_mut() {
                Some((group_score, cells)) if *group_score == score => cells.push(text),
                Some(_) | None => lines.push((score, vec![text])),
            }
        }
        let line = |(score, cells): &(SearchScore, Vec<String>)| {
            self.with_period(self.with_reason(self.search_score(*score), cells.join(" ")))
        };
        let mut texts: Vec<String> = lines.iter().map(line).collect();
        let unknown = values
            .position
            .legal_moves()
            .filter(|&cell| values.score(cell).is_none());
        let unknown: Vec<String> = unknown.map(|cell| rules.cell_text(cell)).collect();
        if !unknown.is_empty() {
            let reason = self.not_evaluated();
            texts.push(self.with_period(self.with_reason(reason, unknown.join(" "))));
        }
        texts
    }

    /// Names the move that lost the game and a better move.
    pub fn losing_mistake(self, review: &GameReview) -> String {
        let Some(index) = review.losing_move() else {
            return self.no_losing_move().to_owned();
        };
        let reviewed = review.moves[index];
        let [best, cell] =
            [reviewed.best_cell, reviewed.cell].map(|cell| review.rules.cell_text(cell));
        let (number, seat) = (index + 1, self.mark(reviewed.seat));
        if reviewed.is_proven() {
            self.losing_move(best, cell, number, seat)
        } else {
            let opponent = self.mark(reviewed.seat.other());
            self.losing_move_unproven(best, cell, number, opponent, seat)
        }
    }

    /// Judges the move with this index: what it cost, and which move would have been better.
    pub fn verdict(self, review: &GameReview, index: usize, order: DigitOrder) -> Option<String> {
        let reviewed = review.moves.get(index)?;
        let (number, seat) = (index + 1, self.mark(reviewed.seat));
        let opponent = self.mark(reviewed.seat.other());
        let [best, cell] =
            [reviewed.best_cell, reviewed.cell].map(|cell| self.place(&review.rules, order, cell));
        Some(match (reviewed.loss(), reviewed.was_won()) {
            (MoveLoss::Game, _) if !reviewed.is_proven() => {
                self.losing_move_unproven(best, cell, number, opponent, seat)
            }
            (MoveLoss::Game, true) => self.mistake_lost_win(best, cell, number, seat),
            (MoveLoss::Game, false) => self.mistake_lost_draw(best, cell, number, opponent, seat),
            (MoveLoss::Win, _) => self.mistake_missed_win(best, cell, number, seat),
            _ if reviewed.cell == reviewed.best_cell => self.move_best(cell, number, seat),
            (MoveLoss::Points(_), true) => self.move_less_sure(best, cell, number, seat),
            (MoveLoss::Points(points), false) if points > MAX_EVEN_ESTIMATE.unsigned_abs() => {
                self.move_weaker(best, cell, number, seat)
            }
            (MoveLoss::None | MoveLoss::Plies(_) | MoveLoss::Points(_), _) => {
                self.move_good(cell, number, seat)
            }
        })
    }

    /// Names a cell in a sentence: `column 4`, `cell 5`, `b2`.
    fn place(self, rules: &Rules, order: DigitOrder, cell: Cell) -> String {
        let name = shown_name(rules, order, cell);
        match (is_named_by_digits(rules), rules.gravity()) {
            (true, true) => self.place_column(name),
            (true, false) => self.place_cell(name),
            (false, _) => name,
        }
    }

    /// Says in a word or two which side is ahead.
    pub fn position_value(self, seat: Seat, evaluation: Evaluation) -> String {
        let (word, other) = (judgement(evaluation), self.mark(seat.other()));
        match word {
            "even" => self.keyed(&JUDGEMENT, word).to_owned(),
            // The text names the side that is ahead.
            "losing" => self.with_reason(other, self.keyed(&JUDGEMENT, "winning")),
            "worse" => self.with_reason(other, self.keyed(&JUDGEMENT, "better")),
            _ => self.with_reason(self.mark(seat), self.keyed(&JUDGEMENT, word)),
        }
    }

    /// Names a mistake and the better move in a few words.
    pub fn short_mistake(
        self,
        review: &GameReview,
        index: usize,
        order: DigitOrder,
    ) -> Option<String> {
        let reviewed = review.moves.get(index)?;
        let [best, cell] =
            [reviewed.best_cell, reviewed.cell].map(|cell| shown_name(&review.rules, order, cell));
        let seat = self.mark(reviewed.seat);
        match reviewed.loss() {
            MoveLoss::Game if !reviewed.is_proven() => {
                Some(self.mistake_short_unproven(best, cell, seat))
            }
            MoveLoss::Game | MoveLoss::Win => Some(self.mistake_short(best, cell, seat)),
            MoveLoss::None | MoveLoss::Plies(_) | MoveLoss::Points(_) => None,
        }
    }

    /// Lists the moves of a game, and after a mistake the better move. The last line names the losing move.
    pub fn review(self, review: &GameReview) -> Vec<String> {
        let line = |(index, reviewed): (usize, &ReviewedMove)| {
            let [best, cell] =
                [reviewed.best_cell, reviewed.cell].map(|cell| review.rules.cell_text(cell));
            let seat = self.mark(reviewed.seat);
            let moved = format!("{}. {seat} {cell}", index + 1);
            match (reviewed.loss(), reviewed.was_won()) {
                (MoveLoss::Win, _) => self.better_than(best, moved),
                (MoveLoss::Game, _) if reviewed.is_proven() => self.better_than(best, moved),
                (MoveLoss::Game, _) => self.forced_after(moved, self.mark(reviewed.seat.other())),
                (MoveLoss::Points(_), true) => self.surer_than(best, moved),
                (MoveLoss::Points(points), false) if points > MAX_EVEN_ESTIMATE.unsigned_abs() => {
                    self.perhaps_better_than(best, moved)
                }
                (MoveLoss::None | MoveLoss::Plies(_) | MoveLoss::Points(_), _) => moved,
            }
        };
        let mut lines: Vec<String> = review.moves.iter().enumerate().map(line).collect();
        lines.push(self.losing_mistake(review));
        lines
    }
}

/// Returns the key of the word for an evaluation, from the point of view of its side.
fn judgement(evaluation: Evaluation) -> &'static str {
    match evaluation {
        Evaluation::Win(_) => "winning",
        Evaluation::Loss(_) => "losing",
        Evaluation::Draw => "even",
        Evaluation::Estimate(estimate) => match claims_win(estimate) {
            Some(true) => "winning",
            Some(false) => "losing",
            None if estimate > MAX_EVEN_ESTIMATE => "better",
            None if estimate < -MAX_EVEN_ESTIMATE => "worse",
            None => "even",
        },
    }
}

impl Texts {
    /// Describes a resumable game: the opponent, the rules, and the server unless it is the default server.
    pub fn saved_game(self, game: &SavedGame) -> String {
        let against = match &game.opponent {
            Some(name) => self.saved_opponent(name),
            None => self.saved_own_room(game.room),
        };
        let (rules, host) = (self.rules_in_sentence(&game.rules), game.server.host());
        if game.server == ServerUrl::default() {
            self.saved_local_game(against, rules)
        } else {
            self.saved_game_on(against, host, rules)
        }
    }

    pub(crate) fn continue_offer(self, game: &SavedGame) -> String {
        self.unfinished_game(self.saved_game(game))
    }

    pub(crate) fn continue_error(self, error: &SavedGameError) -> String {
        match error {
            SavedGameError::Held => self.saved_game_locked().to_owned(),
            SavedGameError::Gone => self.nothing_to_continue().to_owned(),
            SavedGameError::Io(error) => self.cannot_resume(self.io_error(error)),
        }
    }

    pub(crate) fn save_error(self, error: &SavedGameError) -> String {
        let why = match error {
            SavedGameError::Held | SavedGameError::Gone => self.continue_error(error),
            SavedGameError::Io(error) => self.with_period(self.io_error(error)),
        };
        self.cannot_save(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::Position;

    fn exact(evaluation: Evaluation) -> SearchScore {
        SearchScore {
            evaluation,
            exact: true,
        }
    }

    fn review(before: Evaluation, after: Evaluation) -> GameReview {
        let moves = vec![
            ReviewedMove {
                seat: Seat::X,
                cell: Cell::new(4),
                score_before: exact(Evaluation::Draw),
                score_after: exact(Evaluation::Draw),
                best_cell: Cell::new(4),
            },
            ReviewedMove {
                seat: Seat::O,
                cell: Cell::new(1),
                score_before: exact(before),
                score_after: exact(after),
                best_cell: Cell::new(0),
            },
        ];
        GameReview {
            rules: "3x3:3".parse().unwrap(),
            moves,
            winner: Some(Seat::X),
        }
    }

    #[test]
    fn review_is_worded() {
        assert_eq!(
            Texts::default().review(&review(Evaluation::Draw, Evaluation::Loss(6))),
            [
                "1. X b2",
                "2. O b1? a1 was better.",
                "Move 2, O b1, lost the game. a1 still held.",
            ]
        );
        use Evaluation::{Estimate, Loss, Win};
        for (before, after, expected) in [
            (Estimate(7), Estimate(-3), "2. O b1"),
            (Estimate(900), Estimate(-30), "2. O b1 (perhaps better: a1)"),
            (Win(9), Estimate(-30), "2. O b1 (a1 was a sure win)"),
        ] {
            assert_eq!(
                Texts::default().review(&review(before, after))[1..],
                [expected, "No losing move found."]
            );
        }
        assert_eq!(
            Texts::default().review(&review(Estimate(7), Loss(6)))[1..],
            [
                "2. O b1? Then X wins by force.",
                "After move 2, O b1, X wins by force. Perhaps a1 holds."
            ]
        );
    }

    #[test]
    fn a_verdict_says_what_was_wrong_and_what_was_better() {
        let verdict = |before, after| {
            Texts::default().verdict(&review(before, after), 1, DigitOrder::Reading)
        };
        for (before, after, expected) in [
            (
                Evaluation::Draw,
                Evaluation::Loss(6),
                "Move 2 (O, cell 2) gave X a forced win. Better: cell 1.",
            ),
            (
                Evaluation::Win(5),
                Evaluation::Loss(6),
                "Move 2 (O, cell 2) turned a forced win into a loss. Better: cell 1.",
            ),
            (
                Evaluation::Win(5),
                Evaluation::Draw,
                "Move 2 (O, cell 2) gave away a forced win. Better: cell 1.",
            ),
            (
                Evaluation::Draw,
                Evaluation::Draw,
                "Move 2 (O, cell 2): a good move.",
            ),
            (
                Evaluation::Estimate(700),
                Evaluation::Estimate(-200),
                "Move 2 (O, cell 2): perhaps cell 1 was better.",
            ),
            (
                Evaluation::Win(5),
                Evaluation::Estimate(-200),
                "Move 2 (O, cell 2): cell 1 was a sure win.",
            ),
            (
                Evaluation::Estimate(-200),
                Evaluation::Loss(6),
                "After move 2, O cell 2, X wins by force. Perhaps cell 1 holds.",
            ),
        ] {
            assert_eq!(verdict(before, after).as_deref(), Some(expected));
        }
        let best = review(Evaluation::Draw, Evaluation::Draw);
        let verdict = Texts::default().verdict(&best, 0, DigitOrder::Reading);
        assert_eq!(
            verdict.as_deref(),
            Some("Move 1 (X, cell 5): the best move.")
        );
    }

    #[test]
    fn the_value_of_a_position_names_the_side_that_is_ahead() {
        for (evaluation, expected) in [
            (Evaluation::Win(3), "O: winning"),
            (Evaluation::Loss(4), "X: winning"),
            (Evaluation::Estimate(-900), "X: better"),
            (Evaluation::Draw, "even"),
        ] {
            let text = Texts::default().position_value(Seat::O, evaluation);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn what_an_engine_thinks_is_worded() {
        let rules: Rules = "3x3:3".parse().unwrap();
        for (score, pv, expected) in [
            (
                Evaluation::Estimate(0),
                vec![Cell::new(4), Cell::new(0)],
                "Gamma thinks: even, expects 5 1",
            ),
            (Evaluation::Estimate(1350), vec![], "Gamma thinks: better"),
            (Evaluation::Loss(4), vec![], "Gamma thinks: losing"),
        ] {
            let evaluation = EngineEvaluation { score, pv };
            let text =
                Texts::default().engine_thoughts("Gamma", &evaluation, &rules, DigitOrder::Reading);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn cells_of_equal_value_share_a_row() {
        let position = Position::new("3x3:3".parse().unwrap());
        let cells = vec![
            (Cell::new(4), exact(Evaluation::Win(5))),
            (
                Cell::new(3),
                SearchScore {
                    exact: false,
                    ..exact(Evaluation::Win(5))
                },
            ),
            (Cell::new(0), exact(Evaluation::Draw)),
            (Cell::new(2), exact(Evaluation::Draw)),
            (Cell::new(5), exact(Evaluation::Estimate(0))),
            (Cell::new(1), exact(Evaluation::Loss(2))),
        ];
        let values = MoveValues {
            position,
            cells,
            nodes: 1,
        };
        assert_eq!(
            Texts::default().all_evaluations(&values),
            [
                "wins in 3: b2.",
                "wins in at most 3: a2.",
                "draws: a1 c1.",
                "+0: c2.",
                "loses in 1: b1.",
                "not evaluated: a3 b3 c3."
            ]
        );
        assert_eq!(
            Texts::default().best_cells(&values),
            "Best: b2 (wins in 3), a2 (wins in at most 3), a1 (draw)."
        );
    }
}
