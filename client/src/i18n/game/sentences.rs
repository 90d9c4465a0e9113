//! Building blocks of notification texts.

use noughts_protocol::{RoomCloseReason, Rules, TimeControl};

use crate::facts::{NextMove, PlayerRef};
use crate::i18n::errors::capitalize;
use crate::i18n::{Texts, tr, trf};
use crate::input::DigitOrder;

impl Texts {
    /// Names the rules and the time control of a game.
    pub fn game_description(self, rules: &Rules, clock: Option<TimeControl>) -> String {
        let (rules, clock) = (self.rules(rules), self.time_control(clock));
        trf!(self, "{rules}, {clock}", "{rules}, {clock}", "{rules}，{clock}", "{rules}，{clock}")
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
            if *you {
                trf!(self, "you are {seat}", "вы за {seat}", "你执 {seat}", "你執 {seat}")
            } else {
                trf!(self, "{name} is {seat}", "{name} за {seat}", "{name} 执 {seat}", "{name} 執 {seat}")
            }
        };
        let [x, o] = players.each_ref().map(seat_clause);
        // A name stays as it is.
        let x = if players[0].you { capitalize(&x) } else { x };
        let (rules, next) = (self.rules(rules), self.next_move(next));
        trf!(
            self,
            "Game {number}, {rules}. {x}, {o}.{next}",
            "Партия {number}, {rules}. {x}, {o}.{next}",
            "第 {number} 局，{rules}。{x}，{o}。{next}",
            "第 {number} 局，{rules}。{x}，{o}。{next}"
        )
    }

    /// States why a room was closed.
    pub(crate) fn room_closed(self, closing: RoomCloseReason) -> &'static str {
        match closing {
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
                "Комната закрыта: слишком долго нет активности.",
                "房间已关闭：太久没有活动。",
                "房間已關閉：太久沒有活動。"
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
            NextMove::You => tr!(self, " Your move.", " Ваш ход.", "轮到你。", "輪到你。").to_owned(),
            NextMove::Local(who) => {
                let who = self.player_subject(who);
                trf!(self, " {who} to move.", " Ходит {who}.", "轮到 {who}。", "輪到 {who}。")
            }
            NextMove::Other => String::new(),
        }
    }

    /// Joins a subject and a reason with a colon.
    pub fn with_reason(self, what: &str, why: &str) -> String {
        trf!(self, "{what}: {why}", "{what}: {why}", "{what}：{why}", "{what}：{why}")
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
