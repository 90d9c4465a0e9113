//! Texts about a game: presence, sentences about players and moves, offers, phrases, and answers to queries.

mod analysis;
mod notifications;
pub(crate) mod outcome;

use std::time::Duration;

use noughts_protocol::wire::{Phrase, Presence};
use noughts_protocol::{Cell, Offer, RoomCloseReason, Rules, Seat, TimeControl};
use unicode_width::UnicodeWidthChar;

use crate::facts::{NextMove, PlayerRef, QueryAnswer, ScanLabel};
use crate::i18n::errors::capitalize;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::input::DigitOrder;
use crate::input::cell_names::{cell_name, row_number};

impl Texts {
    /// State of a player's connection as a label.
    pub fn presence_label(self, presence: Presence) -> &'static str {
        self.presence(presence)
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
            (Lang::Ru, Some(left)) => format!("{name} {state}: {left} на возвращение."),
            (Lang::Ru, None) => format!("{name} {state}."),
            (Lang::Hans, Some(left)) => format!("{name} {state}，须在 {left}内重新连接。"),
            (Lang::Hant, Some(left)) => format!("{name} {state}，須在 {left}內重新連線。"),
            (Lang::Hans | Lang::Hant, None) => format!("{name} {state}。"),
        }
    }

    /// Lists cells in order.
    pub fn cells(self, cells: &[Cell], rules: &Rules) -> String {
        cells
            .iter()
            .map(|&cell| cell_name(rules, cell))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl Texts {
    /// Names the rules and the time control of a game as a heading.
    pub fn game_description(self, rules: &Rules, clock: Option<TimeControl>) -> String {
        capitalize(&self.game_in_sentence(rules, clock))
    }

    /// Names the rules and the time control of a game within a sentence.
    pub(crate) fn game_in_sentence(self, rules: &Rules, clock: Option<TimeControl>) -> String {
        let (rules, clock) = (self.rules_in_sentence(rules), self.time_control(clock));
        trf!(
            self,
            "{rules}, {clock}",
            "{rules}, {clock}",
            "{rules}，{clock}",
            "{rules}，{clock}"
        )
    }

    pub(crate) fn game_started(
        self,
        number: u32,
        rules: &Rules,
        players: &[PlayerRef; 2],
        next: &NextMove,
    ) -> String {
        let seat_clause = |who: &PlayerRef| {
            let PlayerRef { name, seat, you } = who;
            let zh_name = with_blank_after(name.as_str());
            if *you {
                trf!(
                    self,
                    "you are {seat}",
                    "вы за {seat}",
                    "你执 {seat}",
                    "你執 {seat}"
                )
            } else {
                trf!(
                    self,
                    "{name} is {seat}",
                    "{name} за {seat}",
                    "{zh_name}执 {seat}",
                    "{zh_name}執 {seat}"
                )
            }
        };
        let [x, o] = players.each_ref().map(seat_clause);
        // A name stays as it is.
        let x = if players[0].you { capitalize(&x) } else { x };
        let (rules, next) = (self.rules_in_sentence(rules), self.next_move(next));
        trf!(
            self,
            "Game {number}, {rules}. {x}, {o}.{next}",
            "Партия {number}, {rules}. {x}, {o}.{next}",
            "第 {number} 局，{rules}。{x}，{o}。{next}",
            "第 {number} 局，{rules}。{x}，{o}。{next}"
        )
    }

    /// States why a room was closed.
    pub(crate) fn room_closed(self, reason: RoomCloseReason) -> &'static str {
        match reason {
            RoomCloseReason::Deserted => tr!(
                self,
                "Room closed: both players left.",
                "Комната закрыта: оба игрока ушли.",
                "房间已关闭：双方都已离开。",
                "房間已關閉：雙方都已離開。"
            ),
            RoomCloseReason::Idle => tr!(
                self,
                "Room closed: inactive for too long.",
                "Комната закрыта: слишком долго ничего не происходило.",
                "房间已关闭：长时间无人操作。",
                "房間已關閉：長時間無人操作。"
            ),
        }
    }

    pub(crate) fn digit_order(self, order: DigitOrder) -> &'static str {
        match order {
            DigitOrder::Reading => tr!(
                self,
                "Number keys: 1 2 3 on top.",
                "Цифры: 1 2 3 сверху.",
                "数字键：1 2 3 在上。",
                "數字鍵：1 2 3 在上。"
            ),
            DigitOrder::Numpad => tr!(
                self,
                "Number keys: 7 8 9 on top.",
                "Цифры: 7 8 9 сверху.",
                "数字键：7 8 9 在上。",
                "數字鍵：7 8 9 在上。"
            ),
        }
    }

    /// Names the player to move, to be appended to a sentence.
    pub(crate) fn next_move(self, next: &NextMove) -> String {
        match next {
            NextMove::You => {
                tr!(self, " Your move.", " Ваш ход.", "轮到你。", "輪到你。").to_owned()
            }
            NextMove::Local(who) => {
                let who = self.player_subject(who);
                let zh_who = with_blank_before(&who);
                trf!(
                    self,
                    " {who} to move.",
                    " Ходит {who}.",
                    "轮到{zh_who}。",
                    "輪到{zh_who}。"
                )
            }
            NextMove::Other => String::new(),
        }
    }

    /// Joins a subject and a reason with a colon.
    pub fn with_reason(self, what: &str, why: &str) -> String {
        trf!(
            self,
            "{what}: {why}",
            "{what}: {why}",
            "{what}：{why}",
            "{what}：{why}"
        )
    }

    /// Joins parts with commas.
    pub fn join_list(self, parts: &[impl AsRef<str>]) -> String {
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        parts.join(tr!(self, ", ", ", ", "，", "，"))
    }

    /// Makes a sentence: upper-case first letter and final period.
    pub(crate) fn to_sentence(self, text: &str) -> String {
        self.with_period(&capitalize(text))
    }

    /// Appends a period. For texts that start with a name or a cell.
    pub(crate) fn with_period(self, text: &str) -> String {
        trf!(self, "{text}.", "{text}.", "{text}。", "{text}。")
    }
}

/// Appends a blank to a name that Chinese text follows, unless the name ends with a wide character.
pub(crate) fn with_blank_after(name: &str) -> String {
    let is_wide = name.chars().last().and_then(UnicodeWidthChar::width) == Some(2);
    if is_wide {
        name.to_owned()
    } else {
        format!("{name} ")
    }
}

/// Prepends a blank to a name that follows Chinese text, unless the name starts with a wide character.
pub(crate) fn with_blank_before(name: &str) -> String {
    let is_wide = name.chars().next().and_then(UnicodeWidthChar::width) == Some(2);
    if is_wide {
        name.to_owned()
    } else {
        format!(" {name}")
    }
}

impl Texts {
    /// States that a player made an offer. An offer of another player is followed by how to answer it.
    pub fn offer_made(self, who: &PlayerRef, offer: Offer) -> String {
        if who.you {
            return match offer {
                Offer::Draw => {
                    tr!(
                        self,
                        "You offer a draw.",
                        "Вы предлагаете ничью.",
                        "你提和。",
                        "你提和。"
                    )
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
        let zh_name = with_blank_after(name);
        match offer {
            Offer::Draw => trf!(
                self,
                "{name} offers a draw.",
                "{name} предлагает ничью.",
                "{zh_name}提和。",
                "{zh_name}提和。"
            ),
            Offer::Takeback => trf!(
                self,
                "{name} asks to take back a move.",
                "{name} просит вернуть ход.",
                "{zh_name}请求悔棋。",
                "{zh_name}請求悔棋。"
            ),
            Offer::Rematch => trf!(
                self,
                "{name} offers a rematch.",
                "{name} предлагает реванш.",
                "{zh_name}提议再来一局。",
                "{zh_name}提議再來一局。"
            ),
        }
    }

    /// States that a player declined an offer.
    pub(crate) fn offer_declined(self, who: &PlayerRef, offer: Offer) -> String {
        let name = &who.name;
        let zh_name = with_blank_after(name.as_str());
        match (offer, who.you) {
            (Offer::Draw, true) => tr!(
                self,
                "You declined the draw.",
                "Вы отклонили ничью.",
                "你拒绝了和棋。",
                "你拒絕了和棋。"
            )
            .to_owned(),
            (Offer::Draw, false) => trf!(
                self,
                "{name} declined the draw.",
                "{name} отклоняет ничью.",
                "{zh_name}拒绝和棋。",
                "{zh_name}拒絕和棋。"
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
                "{zh_name}拒绝悔棋。",
                "{zh_name}拒絕悔棋。"
            ),
            (Offer::Rematch, true) => tr!(
                self,
                "You declined the rematch.",
                "Вы отклонили реванш.",
                "你拒绝了再来一局的提议。",
                "你拒絕了再來一局的提議。"
            )
            .to_owned(),
            (Offer::Rematch, false) => trf!(
                self,
                "{name} declined the rematch.",
                "{name} отклоняет реванш.",
                "{zh_name}拒绝再来一局。",
                "{zh_name}拒絕再來一局。"
            ),
        }
    }
}

impl Texts {
    /// Words a phrase.
    pub(crate) fn phrase(self, phrase: Phrase) -> &'static str {
        match phrase {
            Phrase::Hello => tr!(self, "Hello", "Привет", "你好", "你好"),
            Phrase::GoodLuck => tr!(self, "Good luck", "Удачи", "祝你好运", "祝你好運"),
            Phrase::HaveFun => tr!(self, "Have fun", "Приятной игры", "玩得开心", "玩得開心"),
            Phrase::NiceMove => tr!(self, "Nice move", "Хороший ход", "好棋", "好棋"),
            Phrase::Oops => tr!(self, "Oops", "Ой", "哎呀", "哎呀"),
            Phrase::Thinking => tr!(
                self,
                "I am thinking",
                "Дайте подумать",
                "我在思考",
                "我在思考"
            ),
            Phrase::Sorry => tr!(self, "Sorry", "Извините", "抱歉", "抱歉"),
            Phrase::WellPlayed => tr!(self, "Well played", "Отличная игра", "下得好", "下得好"),
            Phrase::GoodGame => tr!(self, "Good game", "Хорошая партия", "好局", "好局"),
            Phrase::Thanks => tr!(self, "Thanks", "Спасибо", "谢谢", "謝謝"),
            Phrase::OneMore => tr!(self, "One more?", "Ещё партию?", "再来一局？", "再來一局？"),
            Phrase::Bye => tr!(self, "Bye", "Пока", "再见", "再見"),
        }
    }

    /// Heading of the menu of phrases.
    pub(crate) fn say_heading(self) -> &'static str {
        tr!(self, "Say", "Сказать", "说", "說")
    }
}

impl Texts {
    pub(crate) fn query_answer(self, answer: &QueryAnswer) -> String {
        match answer {
            QueryAnswer::Board { position, .. } => self.rules(position.rules()),
            QueryAnswer::Scan { name, cells, rules } => self.scan_text(*name, cells, rules),
            QueryAnswer::Marks { who, cells, .. } if cells.is_empty() => {
                let name = &who.name;
                let zh_name = with_blank_after(name.as_str());
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
                        "{zh_name}还没有落子。",
                        "{zh_name}還沒有落子。"
                    ),
                }
            }
            QueryAnswer::Marks { who, cells, rules } => self.with_period(
                &self.with_reason(&self.player_subject(who), &self.cells(cells, rules)),
            ),
            QueryAnswer::Last(None) => tr!(
                self,
                "No moves yet.",
                "Ходов ещё не было.",
                "还没有落子。",
                "還沒有落子。"
            )
            .to_owned(),
            QueryAnswer::Last(Some((who, cell, rules))) => {
                let (who, cell) = (self.player_object(who), cell_name(rules, *cell));
                trf!(
                    self,
                    "Last: {who} at {cell}.",
                    "Последний ход: {who} {cell}.",
                    "上一手：{who} 落子 {cell}。",
                    "上一手：{who} 落子 {cell}。"
                )
            }
            QueryAnswer::Clocks(None) => tr!(
                self,
                "No clock in this game.",
                "Партия без часов.",
                "本局不计时。",
                "本局不計時。"
            )
            .to_owned(),
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
            QueryAnswer::Opponent {
                who,
                bot,
                presence,
                lag,
            } => {
                let kind = match bot {
                    true => tr!(self, "bot", "бот", "机器人", "機器人"),
                    false => tr!(self, "person", "человек", "真人", "真人"),
                };
                let (who, presence) = (self.player_subject(who), self.presence(*presence));
                let lag = lag
                    .map(|ms| trf!(self, ", {ms} ms", ", {ms} мс", "，{ms} 毫秒", "，{ms} 毫秒"));
                let lag = lag.unwrap_or_default();
                trf!(
                    self,
                    "{who}: {kind}, {presence}{lag}.",
                    "{who}: {kind}, {presence}{lag}.",
                    "{who}：{kind}，{presence}{lag}。",
                    "{who}：{kind}，{presence}{lag}。"
                )
            }
            QueryAnswer::Help(_) => tr!(self, "Help.", "Справка.", "帮助。", "說明。").to_owned(),
        }
    }

    /// Describes a row or column as runs of equal cells, which suits screen readers.
    fn scan_text(self, name: ScanLabel, cells: &[(Cell, Option<Seat>)], rules: &Rules) -> String {
        let heading = match name {
            ScanLabel::Row(row) => {
                let row = row_number(rules, row);
                trf!(
                    self,
                    "Row {row}",
                    "Строка {row}",
                    "横行 {row}",
                    "橫列 {row}"
                )
            }
            ScanLabel::Column(column) => {
                let column = char::from(b'a' + column);
                trf!(
                    self,
                    "Column {column}",
                    "Столбец {column}",
                    "竖列 {column}",
                    "直行 {column}"
                )
            }
        };
        let mut segments: Vec<String> = Vec::new();
        let mut rest = cells;
        while let Some((first, mark)) = rest.first() {
            let length = rest.iter().take_while(|(_, other)| other == mark).count();
            let (segment, after) = rest.split_at(length);
            rest = after;
            let content = mark.map_or(tr!(self, "free", "пусто", "空", "空"), |seat| {
                self.mark(seat)
            });
            let (from, to) = (
                cell_name(rules, *first),
                segment.last().map(|(cell, _)| cell_name(rules, *cell)),
            );
            segments.push(match to {
                Some(to) if length > 1 => trf!(
                    self,
                    "{content} {from} to {to}",
                    "{content} от {from} до {to}",
                    "{content} {from} 至 {to}",
                    "{content} {from} 至 {to}"
                ),
                Some(_) | None => format!("{content} {from}"),
            });
        }
        let separator = tr!(self, ", ", ", ", "，", "，");
        self.with_period(&self.with_reason(&heading, &segments.join(separator)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::lang::Lang;
    use noughts_protocol::Offer;

    #[test]
    fn only_latin_and_cyrillic_names_are_set_off_from_chinese_text() {
        let texts = Texts::new(Lang::Hans);
        assert_eq!(texts.offer_received("Ann", Offer::Draw), "Ann 提和。");
        assert_eq!(texts.offer_received("小明", Offer::Draw), "小明提和。");
        assert_eq!(texts.to_move_headline("Ann"), "轮到 Ann");
        assert_eq!(texts.to_move_headline("小 明"), "轮到小 明");
    }

    #[test]
    fn the_phrases_of_a_language_differ_and_fit_the_menu() {
        for lang in Lang::ALL {
            let mut texts = Phrase::ALL
                .map(|phrase| Texts::new(lang).phrase(phrase))
                .to_vec();
            assert!(
                texts
                    .iter()
                    .all(|text| unicode_width::UnicodeWidthStr::width(*text) <= 24),
                "{lang}"
            );
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), Phrase::ALL.len(), "{lang}");
        }
    }
}
