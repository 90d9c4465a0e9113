//! Labels of the choices in forms. The values are the same in every language, as in flags and in the settings
//! file; the full screen shows the labels instead.

use crate::facts::{FieldId, FormField};
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// Returns the label of a choice, or `None` if its value is clear by itself.
    pub fn choice_label(self, id: FieldId, choice: &str) -> Option<&'static str> {
        Some(match (id, choice) {
            (FieldId::Seat | FieldId::SeatAssignment, "random") => {
                tr!(self, "random", "случайно", "随机", "隨機")
            }
            (FieldId::Clock, "none") => tr!(self, "no clock", "без часов", "不计时", "不計時"),
            (FieldId::SeatAssignment, "first") => {
                tr!(self, "first player", "первый игрок", "甲方", "甲方")
            }
            (FieldId::SeatAssignment, "second") => {
                tr!(self, "second player", "второй игрок", "乙方", "乙方")
            }
            (FieldId::DigitOrder, "reading") => {
                tr!(
                    self,
                    "1 2 3 on top",
                    "1 2 3 сверху",
                    "1 2 3 在上",
                    "1 2 3 在上"
                )
            }
            (FieldId::DigitOrder, "numpad") => {
                tr!(
                    self,
                    "7 8 9 on top",
                    "7 8 9 сверху",
                    "7 8 9 在上",
                    "7 8 9 在上"
                )
            }
            (FieldId::Lang, tag) => return tag.parse().ok().map(Lang::own_name),
            (FieldId::Theme, "auto") => {
                tr!(self, "automatic", "автоматически", "自动", "自動")
            }
            (FieldId::Theme, "dark") => tr!(self, "dark", "тёмные", "深色", "深色"),
            (FieldId::Theme, "light") => tr!(self, "light", "светлые", "浅色", "淺色"),
            (FieldId::Theme, "mono") => tr!(self, "off", "без цвета", "关闭", "關閉"),
            (FieldId::Theme, "high-contrast") => {
                tr!(self, "high contrast", "контрастные", "高对比度", "高對比度")
            }
            (FieldId::Glyphs, "auto") => {
                tr!(self, "automatic", "автоматически", "自动", "自動")
            }
            (FieldId::Glyphs, "unicode") => tr!(self, "box lines", "линии", "线条", "線條"),
            (FieldId::Glyphs, "ascii") => {
                tr!(self, "ASCII", "ASCII, | и -", "ASCII 字符", "ASCII 字元")
            }
            (FieldId::Bell, "off") => tr!(self, "off", "нет", "不提醒", "不提醒"),
            (FieldId::Bell, "bell") => tr!(self, "bell", "звук", "响铃", "響鈴"),
            (FieldId::Bell, "notify") => {
                tr!(
                    self,
                    "desktop notification",
                    "уведомление",
                    "桌面通知",
                    "桌面通知"
                )
            }
            (FieldId::Phrases, "show") => tr!(self, "show", "показывать", "显示", "顯示"),
            (FieldId::Phrases, "hide") => tr!(self, "hide", "скрывать", "隐藏", "隱藏"),
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
                | FieldId::Bell
                | FieldId::Phrases
                | FieldId::Port,
                _,
            ) => return None,
        })
    }

    /// Describes a field on the full screen. A field with fixed choices lists them.
    pub fn field_description(self, field: &FormField) -> String {
        if field.is_free_text {
            return self.field_help(field.id).to_owned();
        }
        let choices = field
            .options
            .iter()
            .map(|choice| self.choice_label(field.id, choice).unwrap_or(choice));
        let choices = self.join_list(&choices.collect::<Vec<_>>());
        match field.id {
            FieldId::Seat | FieldId::SeatAssignment => {
                trf!(
                    self,
                    "{choices}; X goes first",
                    "{choices}; X ходит первым",
                    "{choices}；X 先行",
                    "{choices}；X 先行"
                )
            }
            FieldId::Bell => trf!(
                self,
                "when it is your turn and the window is in the background: {choices}",
                "когда ваш ход, а окно в фоне: {choices}",
                "轮到你而窗口在后台时：{choices}",
                "輪到你而視窗在背景時：{choices}"
            ),
            FieldId::Phrases => trf!(
                self,
                "phrases of other players: {choices}",
                "фразы других игроков: {choices}",
                "其他玩家的短语：{choices}",
                "其他玩家的短語：{choices}"
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
            | FieldId::Glyphs
            | FieldId::Port => choices,
        }
    }
}
