//! Texts about a game: offers, presence, results, and answers to queries.

mod analysis;
mod notifications;
mod saved_games;
mod sentences;

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Offer, Outcome, Rules, Seat, WinningLine};

use crate::facts::{PlayerRef, QueryAnswer, ScanLabel};
use crate::i18n::errors::capitalize;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// States that a player made an offer. An offer of another player is followed by how to answer it.
    pub fn offer_made(self, who: &PlayerRef, offer: Offer) -> String {
        if who.you {
            return match offer {
                Offer::Draw => {
                    tr!(self, "You offer a draw.", "Вы предлагаете ничью.", "你提和。", "你提和。")
                }
                Offer::Takeback => tr!(
                    self,
                    "You ask to take back a move.",
                    "Вы просите вернуть ход.",
                    "你请求悔棋。",
                    "你請求悔棋。"
                ),
                Offer::Rematch => tr!(
                    self,
                    "You offer a rematch.",
                    "Вы предлагаете реванш.",
                    "你提议再来一局。",
                    "你提議再來一局。"
                ),
            }
            .to_owned();
        }
        let offered = self.offer_received(who.name.as_str(), offer);
        trf!(
            self,
            "{offered} Accept or decline?",
            "{offered} Принять (accept) или отклонить (decline)?",
            "{offered}接受 (accept) 还是拒绝 (decline)？",
            "{offered}接受 (accept) 還是拒絕 (decline)？"
        )
    }

    /// States that another player made an offer.
    pub fn offer_received(self, name: &str, offer: Offer) -> String {
        match offer {
            Offer::Draw => trf!(
                self,
                "{name} offers a draw.",
                "{name} предлагает ничью.",
                "{name} 提和。",
                "{name} 提和。"
            ),
            Offer::Takeback => trf!(
                self,
                "{name} asks to take back a move.",
                "{name} просит вернуть ход.",
                "{name} 请求悔棋。",
                "{name} 請求悔棋。"
            ),
            Offer::Rematch => trf!(
                self,
                "{name} offers a rematch.",
                "{name} предлагает реванш.",
                "{name} 提议再来一局。",
                "{name} 提議再來一局。"
            ),
        }
    }

    /// States that a player declined an offer.
    pub(crate) fn offer_declined(self, who: &PlayerRef, offer: Offer) -> String {
        let name = &who.name;
        match (offer, who.you) {
            (Offer::Draw, true) => {
                tr!(self, "You declined the draw.", "Вы отклонили ничью.", "你拒绝了和棋。", "你拒絕了和棋。")
                    .to_owned()
            }
            (Offer::Draw, false) => trf!(
                self,
                "{name} declined the draw.",
                "{name} отклоняет ничью.",
                "{name} 拒绝了和棋。",
                "{name} 拒絕了和棋。"
            ),
            (Offer::Takeback, true) => tr!(
                self,
                "You declined the takeback.",
                "Вы отклонили возврат хода.",
                "你拒绝了悔棋。",
                "你拒絕了悔棋。"
            )
            .to_owned(),
            (Offer::Takeback, false) => trf!(
                self,
                "{name} declined the takeback.",
                "{name} отклоняет возврат хода.",
                "{name} 拒绝了悔棋。",
                "{name} 拒絕了悔棋。"
            ),
            (Offer::Rematch, true) => tr!(
                self,
                "You declined the rematch.",
                "Вы отклонили реванш.",
                "你拒绝了再来一局。",
                "你拒絕了再來一局。"
            )
            .to_owned(),
            (Offer::Rematch, false) => trf!(
                self,
                "{name} declined the rematch.",
                "{name} отклоняет реванш.",
                "{name} 拒绝了再来一局。",
                "{name} 拒絕了再來一局。"
            ),
        }
    }

    fn presence(self, presence: Presence) -> &'static str {
        match presence {
            Presence::Connected => tr!(self, "connected", "на связи", "在线", "在線上"),
            Presence::Disconnected => tr!(self, "disconnected", "не на связи", "已断线", "已斷線"),
            Presence::Left => tr!(self, "left", "больше не в комнате", "已离开", "已離開"),
        }
    }

    /// States whether a player is connected, with the time left to reconnect if there is a countdown.
    pub fn absence(self, name: &str, presence: Presence, left: Option<Duration>) -> String {
        let state = self.presence(presence);
        let verb = match presence {
            Presence::Connected | Presence::Disconnected => " is",
            Presence::Left => "",
        };
        match (self.lang(), left.map(|left| self.duration(left))) {
            (Lang::En, Some(left)) => format!("{name}{verb} {state}: {left} to reconnect."),
            (Lang::En, None) => format!("{name}{verb} {state}."),
            (Lang::Ru, Some(left)) => format!("{name} {state}, {left} на возвращение."),
            (Lang::Ru, None) => format!("{name} {state}."),
            (Lang::Hans, Some(left)) => format!("{name} {state}，须在 {left}内重新连接。"),
            (Lang::Hant, Some(left)) => format!("{name} {state}，須在 {left}內重新連線。"),
            (Lang::Hans | Lang::Hant, None) => format!("{name} {state}。"),
        }
    }

    /// States who won and how, from the point of view of the reader.
    pub fn outcome(self, outcome: &Outcome, rules: &Rules, players: &[PlayerRef; 2]) -> String {
        match outcome {
            Outcome::Line { winner, line } => {
                let reason = match rules.misere() {
                    true => self.misere_result(&players[winner.index()], &players[winner.other().index()]),
                    false => self.line_result(&players[winner.index()], &players[winner.other().index()]),
                };
                let line = self.winning_line(line, rules);
                trf!(self, "{reason} {line}", "{reason} {line}", "{reason}{line}", "{reason}{line}")
            }
            Outcome::Full => tr!(
                self,
                "Draw: the board is full.",
                "Ничья: доска заполнена.",
                "平局：棋盘已满。",
                "平局：棋盤已滿。"
            )
            .to_owned(),
            Outcome::Agreed => {
                tr!(self, "Draw by agreement.", "Ничья по соглашению.", "双方议和。", "雙方議和。").to_owned()
            }
            Outcome::Abandoned { winner: None } => tr!(
                self,
                "Draw: a player did not reconnect.",
                "Ничья: игрок не вернулся.",
                "平局：有一方未重新连接。",
                "平局：有一方未重新連線。"
            )
            .to_owned(),
            Outcome::Resigned { winner } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                let (name, other) = (&winner.name, &loser.name);
                match (winner.you, loser.you) {
                    (true, false) => trf!(
                        self,
                        "You win: {other} resigned.",
                        "Вы выиграли: соперник сдался.",
                        "你赢了：{other} 认输。",
                        "你贏了：{other} 認輸。"
                    ),
                    (false, true) => trf!(
                        self,
                        "You resigned: {name} wins.",
                        "Вы сдались. Победитель: {name}.",
                        "你认输了：{name} 获胜。",
                        "你認輸了：{name} 獲勝。"
                    ),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins}: {other} resigned.",
                            "{wins}, соперник сдался.",
                            "{wins}：{other} 认输。",
                            "{wins}：{other} 認輸。"
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
                        "你赢了：对方超时。",
                        "你贏了：對方超時。"
                    )
                    .to_owned(),
                    (false, true) => tr!(
                        self,
                        "You lost on time.",
                        "Вы проиграли: время вышло.",
                        "你输了：已超时。",
                        "你輸了：已超時。"
                    )
                    .to_owned(),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins} on time.",
                            "{wins}, у соперника вышло время.",
                            "{wins}：对方超时。",
                            "{wins}：對方超時。"
                        )
                    }
                }
            }
            Outcome::Abandoned { winner: Some(winner) } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                let other = &loser.name;
                match (winner.you, loser.you) {
                    (true, false) => trf!(
                        self,
                        "You win: {other} did not reconnect.",
                        "Вы выиграли: соперник не вернулся.",
                        "你赢了：{other} 未重新连接。",
                        "你贏了：{other} 未重新連線。"
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
                            "{wins}, соперник не вернулся.",
                            "{wins}：{other} 未重新连接。",
                            "{wins}：{other} 未重新連線。"
                        )
                    }
                }
            }
        }
    }

    /// States who completed a line, as a sentence.
    fn line_result(self, winner: &PlayerRef, loser: &PlayerRef) -> String {
        let name = &winner.name;
        match (winner.you, loser.you) {
            (true, false) => tr!(self, "You win!", "Вы выиграли!", "你赢了！", "你贏了！").to_owned(),
            (false, true) => trf!(
                self,
                "You lost: {name} wins.",
                "Вы проиграли. Победитель: {name}.",
                "你输了：{name} 获胜。",
                "你輸了：{name} 獲勝。"
            ),
            (true, true) | (false, false) => self.with_period(&self.winner_text(winner)),
        }
    }

    /// States who won a misere game, which the player of a complete line loses.
    fn misere_result(self, winner: &PlayerRef, loser: &PlayerRef) -> String {
        let other = &loser.name;
        match (winner.you, loser.you) {
            (true, false) => trf!(
                self,
                "You win: {other} completed a line.",
                "Вы выиграли: линию замыкает {other}.",
                "你赢了：{other} 连成一线。",
                "你贏了：{other} 連成一線。"
            ),
            (false, true) => tr!(
                self,
                "You lost: you completed a line.",
                "Вы проиграли: линию замкнули вы.",
                "你输了：你连成一线。",
                "你輸了：你連成一線。"
            )
            .to_owned(),
            (true, true) | (false, false) => {
                let wins = self.winner_text(winner);
                trf!(
                    self,
                    "{wins}: {other} completed a line.",
                    "{wins}. Линию замыкает {other}.",
                    "{wins}：{other} 连成一线。",
                    "{wins}：{other} 連成一線。"
                )
            }
        }
    }

    /// Names the winner to a spectator, without a period.
    fn winner_text(self, who: &PlayerRef) -> String {
        let PlayerRef { name, seat, .. } = who;
        trf!(
            self,
            "{name} ({seat}) wins",
            "Победа: {name} ({seat})",
            "{name} ({seat}) 获胜",
            "{name} ({seat}) 獲勝"
        )
    }

    /// Names the line that ended a game, and its cells.
    pub fn winning_line(self, line: &WinningLine, rules: &Rules) -> String {
        let (name, cells) = (capitalize(self.winning_line_name(line.name)), self.cells(&line.cells, rules));
        match self.lang() {
            Lang::En => format!("{name} {}.", cells.replace(' ', "-")),
            Lang::Ru | Lang::Hans | Lang::Hant => self.with_period(&self.with_reason(&name, &cells)),
        }
    }

    /// Lists cells in order.
    pub fn cells(self, cells: &[Cell], rules: &Rules) -> String {
        cells.iter().map(|&cell| rules.cell_text(cell)).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn query_answer(self, answer: &QueryAnswer) -> String {
        match answer {
            QueryAnswer::Board { position, .. } => self.rules(position.rules()),
            QueryAnswer::Scan { name, cells, rules } => self.scan_text(*name, cells, rules),
            QueryAnswer::Marks { who, cells, .. } if cells.is_empty() => {
                let name = &who.name;
                match who.you {
                    true => tr!(
                        self,
                        "You have not moved yet.",
                        "Вы ещё не ходили.",
                        "你还没有落子。",
                        "你還沒有落子。"
                    )
                    .to_owned(),
                    false => trf!(
                        self,
                        "{name} has not moved yet.",
                        "{name}: ходов ещё не было.",
                        "{name} 还没有落子。",
                        "{name} 還沒有落子。"
                    ),
                }
            }
            QueryAnswer::Marks { who, cells, rules } => {
                self.with_period(&self.with_reason(&self.player_subject(who), &self.cells(cells, rules)))
            }
            QueryAnswer::Last(None) => {
                tr!(self, "No moves yet.", "Ходов ещё не было.", "还没有落子。", "還沒有落子。").to_owned()
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
                tr!(self, "No clock in this game.", "Партия без часов.", "本局不计时。", "本局不計時。")
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
                    true => tr!(self, "bot", "бот", "机器人", "機器人"),
                    false => tr!(self, "person", "человек", "真人", "真人"),
                };
                let (who, there) = (self.player_subject(who), self.presence(*presence));
                let lag = lag.map(|ms| trf!(self, ", {ms} ms", ", {ms} мс", "，{ms} 毫秒", "，{ms} 毫秒"));
                let lag = lag.unwrap_or_default();
                trf!(
                    self,
                    "{who}: {kind}, {there}{lag}.",
                    "{who}: {kind}, {there}{lag}.",
                    "{who}：{kind}，{there}{lag}。",
                    "{who}：{kind}，{there}{lag}。"
                )
            }
            QueryAnswer::Help(_) => tr!(self, "Help.", "Справка.", "帮助。", "說明。").to_owned(),
        }
    }

    /// Describes a row or column as runs of equal cells, which suits screen readers.
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
