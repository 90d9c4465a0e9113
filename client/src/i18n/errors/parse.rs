//! Errors of parsers: names, games, clocks, cells, addresses, values of flags, and record files.
//!
//! The English texts are those of `Display`, which logs and the server use, too.

use std::borrow::Cow;
use std::fmt::Display;

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::id::IdError;
use noughts_protocol::player::NameError;
use noughts_protocol::record::{RecordError, RecordErrorKind};
use noughts_protocol::{CellError, MoveError, RulesError};

use crate::bot::policy::ParseClocksError;
use crate::cli::NumberError;
use crate::connection::server_url::{InviteError, ServerUrlError};
use crate::engine::LevelError;
use crate::engines::player_engine::ParseEngineSpecError;
use crate::i18n::lang::{Lang, LangError};
use crate::i18n::macros::Translations;
use crate::i18n::{Texts, translations, trf};

impl Texts {
    /// Returns the translation of an error, or its `Display` in English.
    fn error_text(self, error: &impl Display, translations: Translations) -> Cow<'static, str> {
        match self.lang() {
            Lang::En => error.to_string().into(),
            Lang::Ru => translations.ru.into(),
            Lang::Hans => translations.hans.into(),
            Lang::Hant => translations.hant.into(),
        }
    }

    pub(crate) fn server_error(self, error: ServerUrlError) -> Cow<'static, str> {
        let translations = match error {
            ServerUrlError::Syntax => translations!(
                "сервер задаётся как host, host:port или ws://host:port/ws",
                "服务器写作 host、host:port 或 ws://host:port/ws",
                "伺服器寫作 host、host:port 或 ws://host:port/ws"
            ),
            ServerUrlError::Scheme => translations!(
                "адрес сервера начинается с ws://, wss://, http:// или https:// либо пишется без схемы",
                "服务器地址以 ws://、wss://、http:// 或 https:// 开头，或不写协议",
                "伺服器位址以 ws://、wss://、http:// 或 https:// 開頭，或不寫協定"
            ),
            ServerUrlError::Port => {
                translations!(
                    "порт - число от 1 до 65535",
                    "端口为 1 到 65535",
                    "連接埠為 1 到 65535"
                )
            }
            ServerUrlError::Parts => translations!(
                "адрес сервера - не длиннее 255 знаков, без имени пользователя и запроса",
                "服务器地址最多 255 个字符，不含用户名和查询",
                "伺服器位址最多 255 個字元，不含使用者名稱和查詢"
            ),
        };
        self.error_text(&error, translations)
    }

    pub(crate) fn invite_error(self, error: InviteError) -> Cow<'static, str> {
        let translations = match error {
            InviteError::Room => translations!(
                "комната - это код, номер или ADDRESS#CODE",
                "房间写作邀请码、房间号或 ADDRESS#CODE",
                "房間寫作邀請碼、房間號或 ADDRESS#CODE"
            ),
            InviteError::Server(error) => return self.server_error(error),
        };
        self.error_text(&error, translations)
    }

    pub(crate) fn name_error(self, error: NameError) -> Cow<'static, str> {
        let translations = match error {
            NameError::Empty => translations!(
                "в имени должен быть хотя бы один видимый знак",
                "名字至少要有一个可见字符",
                "名字至少要有一個可見字元"
            ),
            NameError::TooLong => translations!(
                "имя не длиннее 24 знаков (широкие считаются за два)",
                "名字最多 24 个字符（汉字算两个）",
                "名字最多 24 個字元（漢字算兩個）"
            ),
            NameError::Character => translations!(
                "в имени недопустимы управляющие, двунаправленные и невидимые знаки",
                "名字不能含有控制字符、双向字符或不可见字符",
                "名字不能含有控制字元、雙向字元或不可見字元"
            ),
        };
        self.error_text(&error, translations)
    }

    pub(crate) fn rules_error(self, error: RulesError) -> Cow<'static, str> {
        let translations = match error {
            RulesError::Empty => translations!("правила не указаны", "没有写规则", "沒有寫規則"),
            RulesError::TooLong => {
                translations!(
                    "правила не длиннее 40 знаков",
                    "规则最多 40 个字符",
                    "規則最多 40 個字元"
                )
            }
            RulesError::Syntax => translations!(
                "правила - это размер и длина линии, например 3x3:3 или 7x6:4+gravity",
                "规则是棋盘大小和连子数，例如 3x3:3 或 7x6:4+gravity",
                "規則是棋盤大小和連子數，例如 3x3:3 或 7x6:4+gravity"
            ),
            RulesError::UnknownName => translations!(
                "такой игры нет; есть tictactoe, gomoku, connect4 или размер, например 15x15:5",
                "没有这种游戏；可用 tictactoe、gomoku、connect4，或大小如 15x15:5",
                "沒有這種遊戲；可用 tictactoe、gomoku、connect4，或大小如 15x15:5"
            ),
            RulesError::Dimensions => {
                translations!(
                    "у доски от 1 до 4 измерений",
                    "棋盘为 1 到 4 维",
                    "棋盤為 1 到 4 維"
                )
            }
            RulesError::Side => translations!(
                "сторона доски - от 1 до 25 клеток",
                "棋盘每边 1 到 25 格",
                "棋盤每邊 1 到 25 格"
            ),
            RulesError::Cells => {
                translations!(
                    "на доске не больше 1024 клеток",
                    "棋盘最多 1024 格",
                    "棋盤最多 1024 格"
                )
            }
            RulesError::Line => translations!(
                "длина линии - от 1 до самой длинной стороны",
                "连子数至少为 1，且不超过最长的边",
                "連子數至少為 1，且不超過最長的邊"
            ),
            RulesError::UnknownFlag => translations!(
                "неизвестное дополнение; возможны gravity, misere и exact",
                "未知附加规则；可用 gravity、misere 或 exact",
                "未知附加規則；可用 gravity、misere 或 exact"
            ),
            RulesError::RepeatedFlag => {
                translations!("дополнение указано дважды", "附加规则重复", "附加規則重複")
            }
            RulesError::GravityNeedsRows => translations!(
                "чтобы знаки падали (gravity), нужны хотя бы 2 измерения",
                "棋子下落（gravity）至少需要 2 维",
                "棋子下落（gravity）至少需要 2 維"
            ),
        };
        self.error_text(&error, translations)
    }

    pub(crate) fn clock_error(self, error: TimeControlError) -> Cow<'static, str> {
        let translations = match error {
            TimeControlError::Syntax => translations!(
                "часы - это минуты+секунды, например 5+3, или секунды с s, например 30s+0",
                "计时写作 分钟+秒，例如 5+3；或秒数加 s，例如 30s+0",
                "計時寫作 分鐘+秒，例如 5+3；或秒數加 s，例如 30s+0"
            ),
            TimeControlError::Base => translations!(
                "основное время - от 1 секунды до 3 часов",
                "基本用时为 1 秒到 3 小时",
                "基本用時為 1 秒到 3 小時"
            ),
            TimeControlError::Increment => translations!(
                "добавка за ход - не больше 180 секунд",
                "每步最多加 180 秒",
                "每步最多加 180 秒"
            ),
        };
        self.error_text(&error, translations)
    }

    pub(super) fn cell_error(self, error: CellError) -> Cow<'static, str> {
        let translations = match error {
            CellError::Syntax => translations!(
                "клетка - это буква и число, например b2, или координаты, например 3,2,1",
                "格子写作字母加数字，例如 b2；或坐标，例如 3,2,1",
                "格子寫作字母加數字，例如 b2；或座標，例如 3,2,1"
            ),
            CellError::Dimensions => {
                translations!(
                    "неверное число координат",
                    "坐标的个数不对",
                    "座標的個數不對"
                )
            }
            CellError::OffBoard => return self.move_error(MoveError::OffBoard),
        };
        self.error_text(&error, translations)
    }

    pub(super) fn move_error(self, error: MoveError) -> Cow<'static, str> {
        let translations = match error {
            MoveError::OffBoard => translations!("такой клетки нет", "没有这一格", "沒有這一格"),
            MoveError::Taken => translations!("клетка занята", "这一格已有棋子", "這一格已有棋子"),
            MoveError::ColumnFull => translations!("столбец заполнен", "这一列已满", "這一行已滿"),
            MoveError::GameOver => translations!("партия окончена", "棋局已结束", "棋局已結束"),
        };
        self.error_text(&error, translations)
    }

    /// States what is wrong with a record, with the line number.
    pub(crate) fn record_error(self, error: &RecordError) -> String {
        let translations = match error.kind {
            RecordErrorKind::TooLong => {
                translations!(
                    "запись длиннее 32 КиБ",
                    "棋谱超过 32 KiB",
                    "棋譜超過 32 KiB"
                )
            }
            RecordErrorKind::Tag => translations!(
                "заголовок пишется как [Name \"value\"]",
                "标签写作 [Name \"value\"]",
                "標籤寫作 [Name \"value\"]"
            ),
            RecordErrorKind::RepeatedTag => {
                translations!("заголовок указан дважды", "标签重复", "標籤重複")
            }
            RecordErrorKind::NoRules => translations!(
                "нет заголовка с правилами, например [Rules \"3x3:3\"]",
                "缺少规则标签，例如 [Rules \"3x3:3\"]",
                "缺少規則標籤，例如 [Rules \"3x3:3\"]"
            ),
            RecordErrorKind::Result(_) => {
                translations!(
                    "неверный заголовок результата",
                    "结果标签无效",
                    "結果標籤無效"
                )
            }
            RecordErrorKind::Number => {
                translations!("неверный номер хода", "着法编号有误", "著法編號有誤")
            }
            RecordErrorKind::Mismatch => translations!(
                "результат не соответствует последней позиции",
                "结果与最后的局面不符",
                "結果與最後的局面不符"
            ),
            RecordErrorKind::Rules(reason) => {
                return self.with_line(error, &self.rules_error(reason));
            }
            RecordErrorKind::Clock(reason) => {
                return self.with_line(error, &self.clock_error(reason));
            }
            RecordErrorKind::Cell(reason) => {
                return self.with_line(error, &self.cell_error(reason));
            }
            RecordErrorKind::Move(reason) => {
                return self.with_line(error, &self.move_error(reason));
            }
        };
        self.with_line(error, &self.error_text(error, translations))
    }

    /// Prefixes the translated reason of an error in a record with the line number, which the English text has.
    fn with_line(self, error: &RecordError, reason: &str) -> String {
        let line = error.line;
        trf!(
            self,
            "{error}",
            "строка {line}: {reason}",
            "第 {line} 行：{reason}",
            "第 {line} 行：{reason}"
        )
    }

    pub(crate) fn number_error(self, error: NumberError) -> String {
        let NumberError { min, max } = error;
        trf!(
            self,
            "{error}",
            "нужно целое число от {min} до {max}",
            "须为 {min} 到 {max} 的整数",
            "須為 {min} 到 {max} 的整數"
        )
    }

    pub(crate) fn level_error(self, error: LevelError) -> Cow<'static, str> {
        let translations = translations!(
            "уровни: novice, easy, casual, medium, skilled, strong, hard и perfect или от 1 до 8",
            "级别有 novice、easy、casual、medium、skilled、strong、hard 和 perfect，或 1 至 8",
            "級別有 novice、easy、casual、medium、skilled、strong、hard 和 perfect，或 1 至 8"
        );
        self.error_text(&error, translations)
    }

    pub(crate) fn lang_error(self, error: LangError) -> Cow<'static, str> {
        let translations = translations!(
            "языки: en, ru, zh-Hans и zh-Hant",
            "语言有 en、ru、zh-Hans 和 zh-Hant",
            "語言有 en、ru、zh-Hans 和 zh-Hant"
        );
        self.error_text(&error, translations)
    }

    pub(crate) fn clocks_error(self, error: ParseClocksError) -> Cow<'static, str> {
        let translations = translations!(
            "допустимо: none, часы, например 5+3, или диапазон, например 1+0..10+5",
            "计时写作 none、5+3 或范围 1+0..10+5",
            "計時寫作 none、5+3 或範圍 1+0..10+5"
        );
        self.error_text(&error, translations)
    }

    pub(crate) fn engine_spec_error(self, error: ParseEngineSpecError) -> Cow<'static, str> {
        let translations = translations!(
            "допустимо: от level:1 до level:8, level:easy, level:perfect или engine:COMMAND",
            "只能是 level:1 至 level:8、level:easy、level:perfect 或 engine:COMMAND",
            "只能是 level:1 至 level:8、level:easy、level:perfect 或 engine:COMMAND"
        );
        self.error_text(&error, translations)
    }

    pub(crate) fn room_error(self, error: IdError) -> Cow<'static, str> {
        let translations = translations!(
            "это не номер комнаты: не та длина или недопустимый знак",
            "不是房间号：长度不对，或含有无效字符",
            "不是房間號：長度不對，或含有無效字元"
        );
        self.error_text(&error, translations)
    }
}

#[cfg(test)]
mod tests;
