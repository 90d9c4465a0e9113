//! What the sentences of notes are made of.

use noughts_protocol::{RoomCloseReason, Rules, TimeControl};

use crate::i18n::errors::capitalize;
use crate::i18n::{Texts, tr, trf};
use crate::input::DigitOrder;
use crate::model::{NextMove, PlayerRef};

impl Texts {
    /// A game by its rules and its clock.
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
                trf!(self, "you have {seat}", "за {seat} играете вы", "你执 {seat}", "你執 {seat}")
            } else {
                trf!(
                    self,
                    "{name} has {seat}",
                    "за {seat} играет {name}",
                    "{name} 执 {seat}",
                    "{name} 執 {seat}"
                )
            }
        };
        let [x, o] = players.each_ref().map(seat_clause);
        let (rules, next) = (self.rules(rules), self.next_move(next));
        trf!(
            self,
            "Game {number} begins, {rules}: {x}, {o}.{next}",
            "Начинается партия {number}, {rules}: {x}, {o}.{next}",
            "第 {number} 局开始，{rules}：{x}，{o}。{next}",
            "第 {number} 局開始，{rules}：{x}，{o}。{next}"
        )
    }

    /// Why a room is no more.
    pub(crate) fn room_closed(self, closing: RoomCloseReason) -> &'static str {
        match closing {
            RoomCloseReason::Deserted => tr!(
                self,
                "The room is closed: both players have gone.",
                "Комната закрыта: оба игрока ушли.",
                "房间已关闭：双方都已离开。",
                "房間已關閉：雙方都已離開。"
            ),
            RoomCloseReason::Idle => tr!(
                self,
                "The room is closed: nothing has happened for too long.",
                "Комната закрыта: слишком долго ничего не происходило.",
                "房间已关闭：太久没有动静。",
                "房間已關閉：太久沒有動靜。"
            ),
        }
    }

    /// How digits number the cells.
    pub(crate) fn digit_order(self, order: DigitOrder) -> &'static str {
        match order {
            DigitOrder::Reading => tr!(
                self,
                "Digits are in reading order.",
                "Цифры идут, как при чтении: 1 2 3 сверху.",
                "数字按阅读顺序：1 2 3 在上。",
                "數字按閱讀順序：1 2 3 在上。"
            ),
            DigitOrder::Numpad => tr!(
                self,
                "Digits are in numpad order.",
                "Цифры стоят, как на цифровой клавиатуре: 7 8 9 сверху.",
                "数字按小键盘排列：7 8 9 在上。",
                "數字按數字鍵盤排列：7 8 9 在上。"
            ),
        }
    }

    /// Who is to move, behind a sentence.
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

    /// Something, and what is the matter with it.
    pub fn with_reason(self, what: &str, why: &str) -> String {
        trf!(self, "{what}: {why}", "{what}: {why}", "{what}：{why}", "{what}：{why}")
    }

    /// One after the other.
    pub fn join_list(self, parts: &[impl AsRef<str>]) -> String {
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        parts.join(tr!(self, ", ", ", ", "，", "，"))
    }

    /// A sentence: with a capital and a stop.
    pub(crate) fn to_sentence(self, text: &str) -> String {
        self.with_period(&capitalize(text))
    }

    /// The same of what begins with a name or a cell, which stay as they are.
    pub(crate) fn with_period(self, text: &str) -> String {
        trf!(self, "{text}.", "{text}.", "{text}。", "{text}。")
    }
}
