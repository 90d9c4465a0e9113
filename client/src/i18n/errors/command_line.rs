//! Errors of the command line.

use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// Prefixes an error message.
    pub fn cli_error(self, what: &str) -> String {
        trf!(
            self,
            "error: {what}",
            "ошибка: {what}",
            "错误：{what}",
            "錯誤：{what}"
        )
    }

    pub fn invalid_value(self, argument: &str, value: &str, why: Option<&str>) -> String {
        let message = trf!(
            self,
            "invalid value '{value}' for '{argument}'",
            "значение '{value}' не подходит для '{argument}'",
            "值 '{value}' 不适用于 '{argument}'",
            "值 '{value}' 不適用於 '{argument}'"
        );
        match why {
            Some(why) => self.with_reason(&message, why),
            None => message,
        }
    }

    pub fn missing_value(self, argument: &str) -> String {
        trf!(
            self,
            "a value is required for '{argument}' but none was supplied",
            "для '{argument}' нужно значение, но его нет",
            "'{argument}' 需要一个值",
            "'{argument}' 需要一個值"
        )
    }

    pub fn unknown_argument(self, argument: &str) -> String {
        trf!(
            self,
            "unexpected argument '{argument}' found",
            "неизвестный аргумент '{argument}'",
            "无法识别的参数 '{argument}'",
            "無法識別的引數 '{argument}'"
        )
    }

    pub fn unknown_command(self, command: &str) -> String {
        trf!(
            self,
            "unrecognized subcommand '{command}'",
            "неизвестная команда '{command}'",
            "无法识别的命令 '{command}'",
            "無法識別的指令 '{command}'"
        )
    }

    pub fn missing_argument(self, arguments: &str) -> String {
        trf!(
            self,
            "the following required arguments were not provided: {arguments}",
            "не хватает аргументов: {arguments}",
            "缺少参数：{arguments}",
            "缺少引數：{arguments}"
        )
    }

    /// Error for arguments that exclude each other, or for an argument given twice.
    pub fn conflicting_arguments(self, argument: &str, others: &str) -> String {
        if argument == others {
            return trf!(
                self,
                "the argument '{argument}' cannot be used multiple times",
                "аргумент '{argument}' нельзя указать дважды",
                "参数 '{argument}' 不能重复",
                "引數 '{argument}' 不能重複"
            );
        }
        trf!(
            self,
            "the argument '{argument}' cannot be used with '{others}'",
            "аргумент '{argument}' несовместим с '{others}'",
            "参数 '{argument}' 不能与 '{others}' 同用",
            "引數 '{argument}' 不能與 '{others}' 同用"
        )
    }

    pub fn too_few_values(self, argument: &str, needed: isize, given: isize) -> String {
        trf!(
            self,
            "{needed} values required by '{argument}'; only {given} given",
            "для '{argument}' нужно значений: {needed}, а указано: {given}",
            "'{argument}' 需要 {needed} 个值，只给了 {given} 个",
            "'{argument}' 需要 {needed} 個值，只給了 {given} 個"
        )
    }

    pub fn too_many_values(self, argument: &str, value: &str) -> String {
        trf!(
            self,
            "unexpected value '{value}' for '{argument}'; no more were expected",
            "лишнее значение '{value}' для '{argument}'",
            "'{argument}' 多了一个值 '{value}'",
            "'{argument}' 多了一個值 '{value}'"
        )
    }

    pub fn not_utf8(self) -> &'static str {
        tr!(
            self,
            "an argument is not valid UTF-8",
            "аргумент не в кодировке UTF-8",
            "有参数不是 UTF-8 文本",
            "有引數不是 UTF-8 文字"
        )
    }

    /// Suggests a similar argument, value or command.
    pub fn suggestion(self, meant: &str) -> String {
        trf!(
            self,
            "  similar: {meant}",
            "  похоже: {meant}",
            "  相近：{meant}",
            "  相近：{meant}"
        )
    }

    pub fn help_hint(self) -> &'static str {
        tr!(
            self,
            "For more information, try '--help'.",
            "Подробнее: '--help'.",
            "更多信息见 '--help'。",
            "更多資訊見 '--help'。"
        )
    }
}
