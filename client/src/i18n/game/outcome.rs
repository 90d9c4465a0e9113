//! Results of games.

use noughts_protocol::outcome::LineName;
use noughts_protocol::{Outcome, Rules, WinningLine};

use crate::facts::PlayerRef;
use crate::i18n::errors::capitalize;
use crate::i18n::game::sentences::with_blank_after;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// States who won and how, from the point of view of the reader.
    pub fn outcome(self, outcome: &Outcome, rules: &Rules, players: &[PlayerRef; 2]) -> String {
        match outcome {
            Outcome::Line { winner, line } => {
                let reason = match rules.misere() {
                    true => self
                        .misere_result(&players[winner.index()], &players[winner.other().index()]),
                    false => {
                        self.line_result(&players[winner.index()], &players[winner.other().index()])
                    }
                };
                let line = self.winning_line(line, rules);
                trf!(
                    self,
                    "{reason} {line}",
                    "{reason} {line}",
                    "{reason}{line}",
                    "{reason}{line}"
                )
            }
            Outcome::Full => tr!(
                self,
                "Draw: the board is full.",
                "Ничья: доска заполнена.",
                "平局：棋盘已满。",
                "平局：棋盤已滿。"
            )
            .to_owned(),
            Outcome::Agreed => tr!(
                self,
                "Draw by agreement.",
                "Ничья по соглашению.",
                "双方议和。",
                "雙方議和。"
            )
            .to_owned(),
            Outcome::Aborted => tr!(
                self,
                "The game was aborted.",
                "Партия отменена.",
                "对局已取消。",
                "對局已取消。"
            )
            .to_owned(),
            Outcome::Abandoned { winner: None } => tr!(
                self,
                "Draw: a player did not reconnect.",
                "Ничья: игрок не вернулся.",
                "平局：一方未重新连接。",
                "平局：一方未重新連線。"
            )
            .to_owned(),
            Outcome::Resigned { winner } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                let (name, other) = (&winner.name, &loser.name);
                let (zh_name, zh_other) = (
                    with_blank_after(name.as_str()),
                    with_blank_after(other.as_str()),
                );
                match (winner.you, loser.you) {
                    (true, false) => trf!(
                        self,
                        "You win: {other} resigned.",
                        "Вы выиграли: соперник сдался.",
                        "你赢了：{zh_other}认输。",
                        "你贏了：{zh_other}認輸。"
                    ),
                    (false, true) => trf!(
                        self,
                        "You resigned: {name} wins.",
                        "Вы сдались. Побеждает {name}.",
                        "你认输了：{zh_name}获胜。",
                        "你認輸了：{zh_name}獲勝。"
                    ),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins}: {other} resigned.",
                            "{wins}: соперник сдался.",
                            "{wins}：{zh_other}认输。",
                            "{wins}：{zh_other}認輸。"
                        )
                    }
                }
            }
            Outcome::Flag { winner } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                match (winner.you, loser.you) {
                    (true, false) => tr!(
                        self,
                        "You win on time.",
                        "Вы выиграли: у соперника вышло время.",
                        "你赢了：对手超时。",
                        "你贏了：對手超時。"
                    )
                    .to_owned(),
                    (false, true) => tr!(
                        self,
                        "You lost on time.",
                        "Вы проиграли: время вышло.",
                        "你输了：你超时了。",
                        "你輸了：你超時了。"
                    )
                    .to_owned(),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins} on time.",
                            "{wins}: у соперника вышло время.",
                            "{wins}：对方超时。",
                            "{wins}：對方超時。"
                        )
                    }
                }
            }
            Outcome::Abandoned {
                winner: Some(winner),
            } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                let other = &loser.name;
                let zh_other = with_blank_after(other.as_str());
                match (winner.you, loser.you) {
                    (true, false) => trf!(
                        self,
                        "You win: {other} did not reconnect.",
                        "Вы выиграли: соперник не вернулся.",
                        "你赢了：{zh_other}未重新连接。",
                        "你贏了：{zh_other}未重新連線。"
                    ),
                    (false, true) => tr!(
                        self,
                        "You lost: you did not reconnect.",
                        "Вы проиграли: вы не вернулись.",
                        "你输了：你未重新连接。",
                        "你輸了：你未重新連線。"
                    )
                    .to_owned(),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins}: {other} did not reconnect.",
                            "{wins}: соперник не вернулся.",
                            "{wins}：{zh_other}未重新连接。",
                            "{wins}：{zh_other}未重新連線。"
                        )
                    }
                }
            }
        }
    }

    /// States who completed a line, as a sentence.
    pub(in crate::i18n) fn line_result(self, winner: &PlayerRef, loser: &PlayerRef) -> String {
        let name = &winner.name;
        let zh_name = with_blank_after(name.as_str());
        match (winner.you, loser.you) {
            (true, false) => {
                tr!(self, "You win!", "Вы выиграли!", "你赢了！", "你贏了！").to_owned()
            }
            (false, true) => trf!(
                self,
                "You lost: {name} wins.",
                "Вы проиграли. Побеждает {name}.",
                "你输了：{zh_name}获胜。",
                "你輸了：{zh_name}獲勝。"
            ),
            (true, true) | (false, false) => self.with_period(&self.winner_text(winner)),
        }
    }

    /// States who won a misere game, which the player of a complete line loses.
    fn misere_result(self, winner: &PlayerRef, loser: &PlayerRef) -> String {
        let other = &loser.name;
        let zh_other = with_blank_after(other.as_str());
        match (winner.you, loser.you) {
            (true, false) => trf!(
                self,
                "You win: {other} completed a line.",
                "Вы выиграли: соперник собрал линию.",
                "你赢了：{zh_other}连成一线。",
                "你贏了：{zh_other}連成一線。"
            ),
            (false, true) => tr!(
                self,
                "You lost: you completed a line.",
                "Вы проиграли: вы собрали линию.",
                "你输了：你连成一线。",
                "你輸了：你連成一線。"
            )
            .to_owned(),
            (true, true) | (false, false) => {
                let wins = self.winner_text(winner);
                trf!(
                    self,
                    "{wins}: {other} completed a line.",
                    "{wins}: соперник собрал линию.",
                    "{wins}：{zh_other}连成一线。",
                    "{wins}：{zh_other}連成一線。"
                )
            }
        }
    }

    /// Names the winner to a spectator, without a period.
    pub(in crate::i18n) fn winner_text(self, who: &PlayerRef) -> String {
        let PlayerRef { name, seat, .. } = who;
        trf!(
            self,
            "{name} ({seat}) wins",
            "{name} ({seat}) побеждает",
            "{name} ({seat}) 获胜",
            "{name} ({seat}) 獲勝"
        )
    }

    /// Names the line that ended a game, and its cells.
    pub fn winning_line(self, line: &WinningLine, rules: &Rules) -> String {
        let cells = self.cells(&line.cells, rules);
        match self.lang() {
            Lang::En => self.winning_line_sentence(line.name, &cells.replace(' ', "-")),
            Lang::Ru | Lang::Hans | Lang::Hant => self.winning_line_sentence(line.name, &cells),
        }
    }

    /// Names a line and its cells as a sentence.
    pub(in crate::i18n) fn winning_line_sentence(self, name: LineName, cells: &str) -> String {
        let name = capitalize(self.winning_line_name(name));
        match self.lang() {
            Lang::En => format!("{name} {cells}."),
            Lang::Ru | Lang::Hans | Lang::Hant => self.with_period(&self.with_reason(&name, cells)),
        }
    }
}
