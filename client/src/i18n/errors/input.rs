//! Errors in typed commands and form fields.

use std::borrow::Cow;

use noughts_protocol::CellError;

use crate::facts::{FormFieldError, Unavailable};
use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, tr, trf};
use crate::input::TextCommandError;

impl Texts {
    /// States why a typed command is invalid.
    pub fn command_error(self, text: &str, error: &TextCommandError) -> String {
        let typed = sanitize(text);
        match error {
            TextCommandError::Empty => tr!(
                self,
                "Nothing was typed.",
                "Ничего не введено.",
                "没有输入内容。",
                "沒有輸入內容。"
            )
            .to_owned(),
            TextCommandError::UnknownCommand => trf!(
                self,
                "Unknown command \"{typed}\". Type help for a list.",
                "Неизвестная команда \"{typed}\". Список команд: help.",
                "未知命令 \"{typed}\"。输入 help 查看列表。",
                "未知指令 \"{typed}\"。輸入 help 查看列表。"
            ),
            TextCommandError::InvalidCell(CellError::OffBoard) => self.no_such_cell(&typed),
            TextCommandError::InvalidCell(error @ (CellError::Syntax | CellError::Dimensions)) => {
                self.with_period(&self.with_reason(&typed, &self.cell_error(*error)))
            }
            TextCommandError::NoBoard => self.unavailable(Unavailable::NoBoard).to_owned(),
            // Only programs send JSON; they get the parser's message.
            TextCommandError::InvalidJson(error) => sanitize(error),
            TextCommandError::InvalidArgument(entry) => {
                let (name, argument) = (entry.names[0], entry.argument);
                if argument.is_empty() {
                    trf!(
                        self,
                        "{name} takes no argument.",
                        "У команды {name} нет аргументов.",
                        "{name} 不带参数。",
                        "{name} 不帶引數。"
                    )
                } else {
                    trf!(
                        self,
                        "Usage: {name} {argument}",
                        "Использование: {name} {argument}",
                        "用法：{name} {argument}",
                        "用法：{name} {argument}"
                    )
                }
            }
        }
    }

    /// States that the board does not have a cell.
    pub(crate) fn no_such_cell(self, cell: &str) -> String {
        trf!(
            self,
            "There is no cell {cell}.",
            "Клетки {cell} нет.",
            "没有 {cell} 这一格。",
            "沒有 {cell} 這一格。"
        )
    }

    /// States why the value of a field is invalid, as a sentence.
    pub fn field_error(self, error: FormFieldError) -> String {
        self.to_sentence(&self.field_error_reason(error))
    }

    /// States why the value of a field is invalid, without capital and period.
    pub fn field_error_reason(self, error: FormFieldError) -> Cow<'static, str> {
        let text = match error {
            FormFieldError::Server(error) => return self.server_error(error),
            FormFieldError::Name(error) => return self.name_error(error),
            FormFieldError::Rules(error) => return self.rules_error(error),
            FormFieldError::Clock(error) => return self.clock_error(error),
            FormFieldError::Invite(error) => return self.invite_error(error),
            FormFieldError::Port => tr!(
                self,
                "a port is a number from 1 to 65535",
                "порт - число от 1 до 65535",
                "端口是 1 到 65535 的数字",
                "連接埠是 1 到 65535 的數字"
            ),
            FormFieldError::Level => tr!(
                self,
                "a bot must be bot, or bot with a level: bot:1 to bot:8, bot:easy, bot:perfect",
                "бот задаётся как bot или с уровнем: от bot:1 до bot:8, bot:easy, bot:perfect",
                "机器人写作 bot，或带级别：bot:1 至 bot:8、bot:easy、bot:perfect",
                "機器人寫作 bot，或帶級別：bot:1 至 bot:8、bot:easy、bot:perfect"
            ),
            FormFieldError::Engine => tr!(
                self,
                "an engine is engine:COMMAND",
                "движок задаётся как engine:COMMAND",
                "引擎写作 engine:COMMAND",
                "引擎寫作 engine:COMMAND"
            ),
            FormFieldError::UnsupportedRules => tr!(
                self,
                "engines play only five in a row in two dimensions",
                "движки играют только на плоской доске и только пять в ряд",
                "引擎只支持二维棋盘上的五子连线",
                "引擎只支援二維棋盤上的五子連線"
            ),
            FormFieldError::UnknownOption => tr!(
                self,
                "must be one of the choices",
                "выберите один из вариантов",
                "请从列出的选项中选择",
                "請從列出的選項中選擇"
            ),
        };
        text.into()
    }
}
