//! What a search found out about a game, in words.

use noughts_protocol::{Cell, Rules};

use crate::engine::Evaluation;
use crate::engines::analysis::{GameReview, MoveLoss, MoveValues, ReviewedMove};
use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::model::EngineEvaluation;

/// Cells that are named where there is one line for all.
const MAX_BEST_CELLS: usize = 3;
/// Moves that are named of what is expected to be played.
const MAX_PV_MOVES: usize = 5;

impl Texts {
    /// What a position is worth to one who moves: `wins in 3`, counted in own moves.
    pub fn evaluation(self, score: Evaluation) -> String {
        match score {
            Evaluation::Win(plies) => {
                let moves = plies.div_ceil(2);
                let counted = russian_plural(u64::from(moves), "ход", "хода", "ходов");
                trf!(
                    self,
                    "wins in {moves}",
                    "выигрыш в {moves} {counted}",
                    "{moves} 步内胜",
                    "{moves} 步內勝"
                )
            }
            Evaluation::Loss(plies) => {
                let moves = plies.div_ceil(2);
                let counted = russian_plural(u64::from(moves), "ход", "хода", "ходов");
                trf!(
                    self,
                    "loses in {moves}",
                    "проигрыш в {moves} {counted}",
                    "{moves} 步内负",
                    "{moves} 步內負"
                )
            }
            Evaluation::Draw => tr!(self, "draws", "ничья", "和", "和").to_owned(),
            Evaluation::Estimate(estimate) => format!("{estimate:+}"),
        }
    }

    /// What a program thinks, and what it expects to be played.
    pub fn engine_evaluation(self, evaluation: &EngineEvaluation, rules: &Rules) -> String {
        let worth = self.evaluation(evaluation.score);
        if evaluation.pv.is_empty() {
            return worth;
        }
        let line: Vec<String> =
            evaluation.pv.iter().take(MAX_PV_MOVES).map(|&cell| rules.cell_text(cell)).collect();
        format!("{worth} ({})", line.join(" "))
    }

    /// While something is found out.
    pub fn analysis_running(self) -> &'static str {
        tr!(self, "Looking ...", "Поиск ...", "正在分析 ...", "正在分析 ...")
    }

    /// The best cells, in a sentence.
    pub fn best_cells(self, values: &MoveValues) -> String {
        let rules = values.position.rules();
        let best = values.cells.iter().take(MAX_BEST_CELLS);
        let named: Vec<String> =
            best.map(|&(cell, score)| self.cell_evaluation(rules, cell, score)).collect();
        let named = named.join(tr!(self, ", ", ", ", "，", "，"));
        trf!(self, "Best: {named}.", "Лучшее: {named}.", "最佳：{named}。", "最佳：{named}。")
    }

    /// All cells by their value, a line for each value.
    pub fn all_evaluations(self, values: &MoveValues) -> Vec<String> {
        let rules = values.position.rules();
        let mut lines: Vec<(Evaluation, Vec<String>)> = Vec::new();
        for &(cell, score) in &values.cells {
            let text = rules.cell_text(cell);
            match lines.last_mut() {
                Some((known, cells)) if *known == score => cells.push(text),
                Some(_) | None => lines.push((score, vec![text])),
            }
        }
        let line = |(score, cells): &(Evaluation, Vec<String>)| {
            self.with_period(&self.with_reason(&self.evaluation(*score), &cells.join(" ")))
        };
        lines.iter().map(line).collect()
    }

    fn cell_evaluation(self, rules: &Rules, cell: Cell, score: Evaluation) -> String {
        format!("{} {}", rules.cell_text(cell), self.evaluation(score))
    }

    /// Where a game was lost, in a sentence or two.
    pub fn losing_mistake(self, review: &GameReview) -> String {
        let Some(index) = review.losing_move() else {
            return tr!(
                self,
                "No losing mistake was found.",
                "Решающей ошибки не найдено.",
                "没有发现致败的失误。",
                "沒有發現致敗的失誤。"
            )
            .to_owned();
        };
        let reviewed = review.moves[index];
        let (number, moved, better) =
            (index + 1, self.move_text(review, &reviewed), self.better_move(review, &reviewed));
        trf!(
            self,
            "The first losing mistake: move {number}, {moved}. It {better}.",
            "Первая решающая ошибка: ход {number}, {moved}. Это {better}.",
            "首个致败失误：第 {number} 手 {moved}。{better}。",
            "首個致敗失誤：第 {number} 手 {moved}。{better}。"
        )
    }

    /// A review, a line for each move and one for where it was lost.
    pub fn review(self, review: &GameReview) -> Vec<String> {
        let line = |(place, reviewed): (usize, &ReviewedMove)| {
            let moved = format!("{}. {}", place + 1, self.move_text(review, reviewed));
            match reviewed.loss() {
                MoveLoss::None => moved,
                MoveLoss::Plies(_) | MoveLoss::Points(_) | MoveLoss::Win | MoveLoss::Game => {
                    self.with_reason(&moved, &self.better_move(review, reviewed))
                }
            }
        };
        let mut lines: Vec<String> = review.moves.iter().enumerate().map(line).collect();
        lines.push(self.losing_mistake(review));
        lines
    }

    fn move_text(self, review: &GameReview, reviewed: &ReviewedMove) -> String {
        format!("{} {}", self.mark(reviewed.seat), review.rules.cell_text(reviewed.cell))
    }

    /// What a move is worth, and what would have been better.
    fn better_move(self, review: &GameReview, reviewed: &ReviewedMove) -> String {
        let best = self.cell_evaluation(&review.rules, reviewed.best_cell, reviewed.score_before);
        let worth = self.evaluation(reviewed.score_after);
        trf!(self, "{worth}, where {best}", "{worth}, а {best}", "{worth}，而 {best}", "{worth}，而 {best}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::{Position, Seat};

    fn review(before: Evaluation, after: Evaluation) -> GameReview {
        let moves = vec![
            ReviewedMove {
                seat: Seat::X,
                cell: Cell::new(4),
                score_before: Evaluation::Draw,
                score_after: Evaluation::Draw,
                best_cell: Cell::new(4),
            },
            ReviewedMove {
                seat: Seat::O,
                cell: Cell::new(1),
                score_before: before,
                score_after: after,
                best_cell: Cell::new(0),
            },
        ];
        GameReview { rules: "3x3:3".parse().unwrap(), moves }
    }

    #[test]
    fn review_is_worded() {
        assert_eq!(
            Texts::default().review(&review(Evaluation::Draw, Evaluation::Loss(6))),
            [
                "1. X b2",
                "2. O b1: loses in 3, where a1 draws",
                "The first losing mistake: move 2, O b1. It loses in 3, where a1 draws.",
            ]
        );
        assert_eq!(
            Texts::default().review(&review(Evaluation::Estimate(7), Evaluation::Estimate(-3)))[1..],
            ["2. O b1: -3, where a1 +7", "No losing mistake was found."]
        );
    }

    #[test]
    fn cells_of_equal_value_share_a_row() {
        let position = Position::new("3x3:3".parse().unwrap());
        let cells = vec![
            (Cell::new(4), Evaluation::Win(5)),
            (Cell::new(0), Evaluation::Draw),
            (Cell::new(2), Evaluation::Draw),
            (Cell::new(1), Evaluation::Loss(2)),
        ];
        let values = MoveValues { position, cells };
        assert_eq!(
            Texts::default().all_evaluations(&values),
            ["wins in 3: b2.", "draws: a1 c1.", "loses in 1: b1."]
        );
        assert_eq!(Texts::default().best_cells(&values), "Best: b2 wins in 3, a1 draws, c1 draws.");
    }
}
