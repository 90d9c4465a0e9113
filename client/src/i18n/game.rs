//! What happens in a game: proposals, presence, results, and the answers to a player's questions.

mod analysis;
mod notifications;
mod saved_games;
mod sentences;

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Offer, Outcome, Rules, Seat, WinningLine};

use crate::i18n::errors::capitalize;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::model::{PlayerRef, QueryAnswer, ScanLabel};

impl Texts {
    /// That something is proposed, and how to answer.
    pub fn offer_made(self, who: &PlayerRef, offer: Offer) -> String {
        let offered = if who.you {
            let (who, offer) = (self.player_subject(who), self.offer(offer));
            return trf!(
                self,
                "{who} propose {offer}.",
                "{who} предлагаете: {offer}.",
                "{who} 提议：{offer}。",
                "{who} 提議：{offer}。"
            );
        } else {
            self.offer_received(&self.player_subject(who), offer)
        };
        trf!(
            self,
            "{offered} Accept or decline?",
            "{offered} Принять (accept) или отклонить (decline)?",
            "{offered}接受 (accept) 还是拒绝 (decline)？",
            "{offered}接受 (accept) 還是拒絕 (decline)？"
        )
    }

    /// That somebody else proposes something.
    pub fn offer_received(self, name: &str, offer: Offer) -> String {
        let offer = self.offer(offer);
        trf!(
            self,
            "{name} proposes {offer}.",
            "{name} предлагает: {offer}.",
            "{name} 提议：{offer}。",
            "{name} 提議：{offer}。"
        )
    }

    /// Whether somebody is there.
    fn presence(self, presence: Presence) -> &'static str {
        match presence {
            Presence::Here => tr!(self, "is here", "на месте", "在线", "在線上"),
            Presence::Away => tr!(self, "is away", "отсутствует", "已离线", "已離線"),
            Presence::Left => tr!(self, "has left", "больше не в комнате", "已离开", "已離開"),
        }
    }

    /// Whether somebody is there, as a sentence; with the time that is left to return, if any is counted.
    pub fn absence(self, name: &str, presence: Presence, left: Option<Duration>) -> String {
        let there = self.presence(presence);
        match left.map(|left| self.duration(left)) {
            Some(left) => trf!(
                self,
                "{name} {there}, {left} left to return.",
                "{name} {there}, {left} на возвращение.",
                "{name} {there}，须在 {left}内返回。",
                "{name} {there}，須在 {left}內返回。"
            ),
            None => trf!(self, "{name} {there}.", "{name} {there}.", "{name} {there}。", "{name} {there}。"),
        }
    }

    /// Who won, and how.
    pub fn outcome(self, outcome: &Outcome, rules: &Rules, players: &[PlayerRef; 2]) -> String {
        let wins = |seat: Seat| self.winner_text(&players[seat.index()]);
        match outcome {
            Outcome::Line { winner, line } if rules.misere() => {
                let loser = self.player_object(&players[winner.other().index()]);
                let (wins, line) = (wins(*winner), self.winning_line(line, rules));
                trf!(
                    self,
                    "{wins}: {loser} completed a line. {line}",
                    "{wins}. Линия у проигравшего: {loser}. {line}",
                    "{wins}：{loser} 连成一线。{line}",
                    "{wins}：{loser} 連成一線。{line}"
                )
            }
            Outcome::Line { winner, line } => {
                let (wins, line) = (wins(*winner), self.winning_line(line, rules));
                trf!(self, "{wins}. {line}", "{wins}. {line}", "{wins}。{line}", "{wins}。{line}")
            }
            Outcome::Full => tr!(
                self,
                "Drawn: the board is full.",
                "Ничья: доска заполнена.",
                "平局：棋盘已满。",
                "平局：棋盤已滿。"
            )
            .to_owned(),
            Outcome::Resigned { winner } => {
                let wins = wins(*winner);
                trf!(
                    self,
                    "{wins}: the other resigned.",
                    "{wins}, соперник сдался.",
                    "{wins}：对方认输。",
                    "{wins}：對方認輸。"
                )
            }
            Outcome::Flag { winner } => {
                let wins = wins(*winner);
                trf!(
                    self,
                    "{wins}: the other's time is over.",
                    "{wins}, у соперника вышло время.",
                    "{wins}：对方超时。",
                    "{wins}：對方超時。"
                )
            }
            Outcome::Agreed => {
                tr!(self, "Drawn by agreement.", "Ничья по соглашению.", "双方议和。", "雙方議和。")
                    .to_owned()
            }
            Outcome::Abandoned { winner: Some(winner) } => {
                let wins = wins(*winner);
                trf!(
                    self,
                    "{wins}: the other did not return.",
                    "{wins}, соперник не вернулся.",
                    "{wins}：对方未返回。",
                    "{wins}：對方未返回。"
                )
            }
            Outcome::Abandoned { winner: None } => tr!(
                self,
                "Drawn: a player did not return.",
                "Ничья: игрок не вернулся.",
                "平局：有一方未返回。",
                "平局：有一方未返回。"
            )
            .to_owned(),
        }
    }

    /// That somebody wins, without a stop.
    fn winner_text(self, who: &PlayerRef) -> String {
        let name = self.player_subject(who);
        let wins = if who.you { "win" } else { "wins" };
        match self.lang() {
            Lang::En => format!("{name} {wins}"),
            Lang::Ru => format!("Победа: {}", self.player_object(who)),
            Lang::Hans => format!("{name} 获胜"),
            Lang::Hant => format!("{name} 獲勝"),
        }
    }

    /// The line that ended a game, with its cells.
    pub fn winning_line(self, line: &WinningLine, rules: &Rules) -> String {
        let (name, cells) = (capitalize(self.winning_line_name(line.name)), self.cells(&line.cells, rules));
        self.with_period(&self.with_reason(&name, &cells))
    }

    /// Cells in order.
    pub fn cells(self, cells: &[Cell], rules: &Rules) -> String {
        cells.iter().map(|&cell| rules.cell_text(cell)).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn query_answer(self, answer: &QueryAnswer) -> String {
        match answer {
            QueryAnswer::Board { position, .. } => self.rules(position.rules()),
            QueryAnswer::Scan { name, cells, rules } => self.scan_text(*name, cells, rules),
            QueryAnswer::Marks { who, cells, rules } if cells.is_empty() => {
                let (name, rules) = (self.player_subject(who), self.rules(rules));
                let has = if who.you { "have" } else { "has" };
                match self.lang() {
                    Lang::En => format!("{name} {has} no mark yet on {rules}."),
                    Lang::Ru => format!("{name}: ходов ещё не было, {rules}."),
                    Lang::Hans => format!("{name} 还没有落子，{rules}。"),
                    Lang::Hant => format!("{name} 還沒有落子，{rules}。"),
                }
            }
            QueryAnswer::Marks { who, cells, rules } => {
                self.with_period(&self.with_reason(&self.player_subject(who), &self.cells(cells, rules)))
            }
            QueryAnswer::Last(None) => {
                tr!(self, "No move yet.", "Ходов ещё не было.", "还没有落子。", "還沒有落子。").to_owned()
            }
            QueryAnswer::Last(Some((who, cell, rules))) => {
                let (who, cell) = (self.player_object(who), rules.cell_text(*cell));
                trf!(
                    self,
                    "Last: {who} at {cell}.",
                    "Последний ход: {who}, {cell}.",
                    "上一手：{who} {cell}。",
                    "上一手：{who} {cell}。"
                )
            }
            QueryAnswer::Clocks(None) => {
                tr!(self, "This game has no clock.", "Партия без часов.", "本局不计时。", "本局不計時。")
                    .to_owned()
            }
            QueryAnswer::Clocks(Some([(x, left_x), (o, left_o)])) => {
                let (x, o) = (self.player_object(x), self.player_object(o));
                let (left_x, left_o) = (self.clock(*left_x), self.clock(*left_o));
                trf!(
                    self,
                    "Time left: {x} {left_x}, {o} {left_o}.",
                    "Осталось времени: {x} {left_x}, {o} {left_o}.",
                    "剩余时间：{x} {left_x}，{o} {left_o}。",
                    "剩餘時間：{x} {left_x}，{o} {left_o}。"
                )
            }
            QueryAnswer::Opponent { who, bot, presence, lag } => {
                let kind = match bot {
                    true => tr!(self, "a bot", "бот", "机器人", "機器人"),
                    false => tr!(self, "a person", "человек", "真人", "真人"),
                };
                let (who, there) = (self.player_subject(who), self.presence(*presence));
                let lag = lag.map(|ms| {
                    trf!(self, ", lag {ms} ms", ", задержка {ms} мс", "，延迟 {ms} 毫秒", "，延遲 {ms} 毫秒")
                });
                let lag = lag.unwrap_or_default();
                trf!(
                    self,
                    "{who}, {kind}, {there}{lag}.",
                    "{who}, {kind}, {there}{lag}.",
                    "{who}，{kind}，{there}{lag}。",
                    "{who}，{kind}，{there}{lag}。"
                )
            }
            QueryAnswer::Help(_) => tr!(self, "Help.", "Справка.", "帮助。", "說明。").to_owned(),
        }
    }

    /// A row or column as runs: what a listener can follow.
    fn scan_text(self, name: ScanLabel, cells: &[(Cell, Option<Seat>)], rules: &Rules) -> String {
        let letters = rules.dimensions() <= 2;
        let head = match name {
            ScanLabel::Row(row) => {
                let row = row + 1;
                trf!(self, "Row {row}", "Строка {row}", "横行 {row}", "橫列 {row}")
            }
            ScanLabel::Column(column) => {
                let number = (column + 1).to_string();
                let column = if letters { char::from(b'a' + column).to_string() } else { number };
                trf!(self, "Column {column}", "Столбец {column}", "竖列 {column}", "直行 {column}")
            }
        };
        let mut segments: Vec<String> = Vec::new();
        let mut rest = cells;
        while let Some((first, mark)) = rest.first() {
            let length = rest.iter().take_while(|(_, other)| other == mark).count();
            let (segment, after) = rest.split_at(length);
            rest = after;
            let what = mark.map_or(tr!(self, "free", "пусто", "空", "空"), |seat| self.mark(seat));
            let (from, to) =
                (rules.cell_text(*first), segment.last().map(|(cell, _)| rules.cell_text(*cell)));
            segments.push(match to {
                Some(to) if length > 1 => trf!(
                    self,
                    "{what} {from} to {to}",
                    "{what} от {from} до {to}",
                    "{what} {from} 至 {to}",
                    "{what} {from} 至 {to}"
                ),
                Some(_) | None => format!("{what} {from}"),
            });
        }
        let separator = tr!(self, ", ", ", ", "，", "，");
        self.with_period(&self.with_reason(&head, &segments.join(separator)))
    }
}
