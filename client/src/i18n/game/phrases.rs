//! Preset phrases of players, worded for the reader.

use noughts_protocol::wire::Phrase;

use crate::i18n::{Texts, tr};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::lang::Lang;

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
