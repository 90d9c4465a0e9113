//! What a search found out about a game, in words.

use noughts_protocol::{Cell, Rules};

use super::{Words, plural, say, text};
use crate::engine::Score;
use crate::model::Thinks;
use crate::study::{Judged, Regret, Review, Values};

/// Cells that are named where there is one line for all.
const NAMED: usize = 3;
/// Moves that are named of what is expected to be played.
const EXPECTED: usize = 5;

impl Words {
    /// What a position is worth to one who moves: `wins in 3`, counted in own moves.
    pub fn worth(self, score: Score) -> String {
        match score {
            Score::Win(plies) => {
                let moves = plies.div_ceil(2);
                let counted = plural(u64::from(moves), "ход", "хода", "ходов");
                say!(
                    self,
                    "wins in {moves}",
                    "выигрыш в {moves} {counted}",
                    "{moves} 步内胜",
                    "{moves} 步內勝"
                )
            }
            Score::Loss(plies) => {
                let moves = plies.div_ceil(2);
                let counted = plural(u64::from(moves), "ход", "хода", "ходов");
                say!(
                    self,
                    "loses in {moves}",
                    "проигрыш в {moves} {counted}",
                    "{moves} 步内负",
                    "{moves} 步內負"
                )
            }
            Score::Draw => text!(self, "draws", "ничья", "和", "和").to_owned(),
            Score::Estimate(estimate) => format!("{estimate:+}"),
        }
    }

    /// What a program thinks, and what it expects to be played.
    pub fn thinks_so(self, thinks: &Thinks, rules: &Rules) -> String {
        let worth = self.worth(thinks.score);
        if thinks.line.is_empty() {
            return worth;
        }
        let line: Vec<String> =
            thinks.line.iter().take(EXPECTED).map(|&cell| rules.cell_text(cell)).collect();
        format!("{worth} ({})", line.join(" "))
    }

    /// While something is found out.
    pub fn studying(self) -> &'static str {
        text!(self, "Looking ...", "Поиск ...", "正在分析 ...", "正在分析 ...")
    }

    /// The best cells, in a sentence.
    pub fn best_cells(self, values: &Values) -> String {
        let rules = values.position.rules();
        let best = values.cells.iter().take(NAMED);
        let named: Vec<String> = best.map(|&(cell, score)| self.valued(rules, cell, score)).collect();
        let named = named.join(text!(self, ", ", ", ", "，", "，"));
        say!(self, "Best: {named}.", "Лучшее: {named}.", "最佳：{named}。", "最佳：{named}。")
    }

    /// All cells by their value, a line for each value.
    pub fn all_cells(self, values: &Values) -> Vec<String> {
        let rules = values.position.rules();
        let mut lines: Vec<(Score, Vec<String>)> = Vec::new();
        for &(cell, score) in &values.cells {
            let text = rules.cell_text(cell);
            match lines.last_mut() {
                Some((known, cells)) if *known == score => cells.push(text),
                Some(_) | None => lines.push((score, vec![text])),
            }
        }
        let line = |(score, cells): &(Score, Vec<String>)| {
            self.stop(&self.because(&self.worth(*score), &cells.join(" ")))
        };
        lines.iter().map(line).collect()
    }

    fn valued(self, rules: &Rules, cell: Cell, score: Score) -> String {
        format!("{} {}", rules.cell_text(cell), self.worth(score))
    }

    /// Where a game was lost, in a sentence or two.
    pub fn losing_mistake(self, review: &Review) -> String {
        let Some(place) = review.losing_mistake() else {
            return text!(
                self,
                "No losing mistake was found.",
                "Решающей ошибки не найдено.",
                "没有发现致败的失误。",
                "沒有發現致敗的失誤。"
            )
            .to_owned();
        };
        let judged = review.moves[place];
        let (number, moved, better) = (place + 1, self.moved(review, &judged), self.better(review, &judged));
        say!(
            self,
            "The first losing mistake: move {number}, {moved}. It {better}.",
            "Первая решающая ошибка: ход {number}, {moved}. Это {better}.",
            "首个致败失误：第 {number} 手 {moved}。{better}。",
            "首個致敗失誤：第 {number} 手 {moved}。{better}。"
        )
    }

    /// A review, a line for each move and one for where it was lost.
    pub fn review(self, review: &Review) -> Vec<String> {
        let line = |(place, judged): (usize, &Judged)| {
            let moved = format!("{}. {}", place + 1, self.moved(review, judged));
            match judged.regret() {
                Regret::None => moved,
                Regret::Plies(_) | Regret::Points(_) | Regret::Win | Regret::Game => {
                    self.because(&moved, &self.better(review, judged))
                }
            }
        };
        let mut lines: Vec<String> = review.moves.iter().enumerate().map(line).collect();
        lines.push(self.losing_mistake(review));
        lines
    }

    fn moved(self, review: &Review, judged: &Judged) -> String {
        format!("{} {}", self.mark(judged.seat), review.rules.cell_text(judged.cell))
    }

    /// What a move is worth, and what would have been better.
    fn better(self, review: &Review, judged: &Judged) -> String {
        let best = self.valued(&review.rules, judged.best, judged.before);
        let worth = self.worth(judged.after);
        say!(self, "{worth}, where {best}", "{worth}, а {best}", "{worth}，而 {best}", "{worth}，而 {best}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::{Position, Seat};

    fn review(before: Score, after: Score) -> Review {
        let moves = vec![
            Judged {
                seat: Seat::X,
                cell: Cell::new(4),
                before: Score::Draw,
                after: Score::Draw,
                best: Cell::new(4),
            },
            Judged { seat: Seat::O, cell: Cell::new(1), before, after, best: Cell::new(0) },
        ];
        Review { rules: "3x3:3".parse().unwrap(), moves }
    }

    #[test]
    fn a_game_is_reviewed_in_words() {
        assert_eq!(
            Words::default().review(&review(Score::Draw, Score::Loss(6))),
            [
                "1. X b2",
                "2. O b1: loses in 3, where a1 draws",
                "The first losing mistake: move 2, O b1. It loses in 3, where a1 draws.",
            ]
        );
        assert_eq!(
            Words::default().review(&review(Score::Estimate(7), Score::Estimate(-3)))[1..],
            ["2. O b1: -3, where a1 +7", "No losing mistake was found."]
        );
    }

    #[test]
    fn cells_of_one_value_share_a_line() {
        let position = Position::new("3x3:3".parse().unwrap());
        let cells = vec![
            (Cell::new(4), Score::Win(5)),
            (Cell::new(0), Score::Draw),
            (Cell::new(2), Score::Draw),
            (Cell::new(1), Score::Loss(2)),
        ];
        let values = Values { position, cells };
        assert_eq!(
            Words::default().all_cells(&values),
            ["wins in 3: b2.", "draws: a1 c1.", "loses in 1: b1."]
        );
        assert_eq!(Words::default().best_cells(&values), "Best: b2 wins in 3, a1 draws, c1 draws.");
    }
}
