//! Building blocks of notification texts.

use noughts_protocol::{RoomCloseReason, Rules, TimeControl};
use unicode_width::UnicodeWidthChar;

use crate::facts::{NextMove, PlayerRef};
use crate::i18n::errors::capitalize;
use crate::i18n::{Texts, tr, trf};
use crate::input::DigitOrder;

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
}
