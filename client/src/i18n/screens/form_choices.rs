//! What the choices of a form mean. What stands in a field is the same in every language, as in flags and in the
//! settings file; the full screen shows what it means.

use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::model::{FieldId, FormField};

impl Texts {
    /// What a choice means; none where its text says all there is to say.
    pub fn choice_label(self, id: FieldId, choice: &str) -> Option<&'static str> {
        let random_seat = || tr!(self, "drawn by lot", "по жребию", "抽签", "抽籤");
        Some(match (id, choice) {
            (FieldId::Seat | FieldId::SeatAssignment, "random") => random_seat(),
            (FieldId::Clock, "none") => tr!(self, "no clock", "без часов", "不计时", "不計時"),
            (FieldId::SeatAssignment, "first") => {
                tr!(self, "the first player", "первому игроку", "甲方", "甲方")
            }
            (FieldId::SeatAssignment, "second") => {
                tr!(self, "the second player", "второму игроку", "乙方", "乙方")
            }
            (FieldId::DigitOrder, "reading") => {
                tr!(self, "1 2 3 on top", "1 2 3 сверху", "1 2 3 在上", "1 2 3 在上")
            }
            (FieldId::DigitOrder, "numpad") => {
                tr!(self, "7 8 9 on top", "7 8 9 сверху", "7 8 9 在上", "7 8 9 在上")
            }
            (FieldId::Lang, tag) => return tag.parse().ok().map(Lang::own_name),
            (FieldId::Theme, "ansi") => {
                tr!(self, "as the terminal has them", "как в терминале", "终端颜色", "終端顏色")
            }
            (FieldId::Theme, "mono") => tr!(self, "none", "без цвета", "无颜色", "無顏色"),
            (FieldId::Theme, "high-contrast") => {
                tr!(self, "high contrast", "контрастные", "高对比度", "高對比度")
            }
            (FieldId::Glyphs, "auto") => {
                tr!(self, "as the terminal can", "по терминалу", "由终端决定", "由終端決定")
            }
            (FieldId::Glyphs, "unicode") => tr!(self, "lines", "линии", "线条", "線條"),
            (FieldId::Glyphs, "ascii") => {
                tr!(self, "plain | and -", "знаки | и -", "字符 | 和 -", "字元 | 和 -")
            }
            (FieldId::Bell, "off") => tr!(self, "not at all", "никак", "不提醒", "不提醒"),
            (FieldId::Bell, "bell") => tr!(self, "by the bell", "звонком", "响铃", "響鈴"),
            (FieldId::Bell, "notify") => {
                tr!(self, "by a notification", "уведомлением", "桌面通知", "桌面通知")
            }
            (
                FieldId::Server
                | FieldId::Name
                | FieldId::Rules
                | FieldId::Clock
                | FieldId::Seat
                | FieldId::Invite
                | FieldId::FirstPlayer
                | FieldId::SecondPlayer
                | FieldId::SeatAssignment
                | FieldId::DigitOrder
                | FieldId::Theme
                | FieldId::Glyphs
                | FieldId::Bell,
                _,
            ) => return None,
        })
    }

    /// What there is to know of a field on the full screen: of one with fixed choices, these.
    pub fn field_description(self, field: &FormField) -> String {
        if field.is_free_text {
            return self.field_help(field.id).to_owned();
        }
        let choices =
            field.options.iter().map(|choice| self.choice_label(field.id, choice).unwrap_or(choice));
        let choices = self.join_list(&choices.collect::<Vec<_>>());
        match field.id {
            FieldId::Seat | FieldId::SeatAssignment => {
                trf!(
                    self,
                    "{choices}; X begins",
                    "{choices}; X начинает",
                    "{choices}；X 先行",
                    "{choices}；X 先行"
                )
            }
            FieldId::Bell => trf!(
                self,
                "when it is your turn and you look elsewhere: {choices}",
                "когда ваш ход, а вы смотрите не сюда: {choices}",
                "轮到你而你在看别处时：{choices}",
                "輪到你而你在看別處時：{choices}"
            ),
            FieldId::Server
            | FieldId::Name
            | FieldId::Rules
            | FieldId::Clock
            | FieldId::Invite
            | FieldId::FirstPlayer
            | FieldId::SecondPlayer
            | FieldId::DigitOrder
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs => choices,
        }
    }
}
