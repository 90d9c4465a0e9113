//! Errors of the command line, of the settings file, in typed commands and form fields, and of the player's own server.

pub(crate) mod connection;
mod parse;
mod reject;

use std::borrow::Cow;

use noughts_protocol::CellError;

use crate::facts::{FormFieldError, HostError, Unavailable};
use crate::i18n::{Texts, is_printable, tr, trf};
use crate::input::TextCommandError;
use crate::input::keymap::KeymapError;
use crate::settings::file::SettingsFileError;
use crate::settings::{SettingValueError, SettingsError, SettingsErrorKind};

/// Removes control and bidirectional characters from typed or external text, and shortens it to 80
/// characters.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars()
        .filter(|&letter| is_printable(letter))
        .take(80)
        .collect()
}

/// Returns the text with its first letter in upper case.
pub(crate) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

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

impl Texts {
    /// States why the settings file cannot be used.
    pub fn settings_file_error(self, error: &SettingsFileError) -> String {
        match error {
            SettingsFileError::NoConfigDir => self.no_config_dir().to_owned(),
            SettingsFileError::Io(path, error) => {
                self.with_reason(&path.display().to_string(), &self.io_error(error))
            }
            SettingsFileError::Invalid(path, error) => {
                let (path, line, reason) = (path.display(), error.line, self.settings_error(error));
                trf!(
                    self,
                    "{path}, line {line}: {reason}.",
                    "{path}, строка {line}: {reason}.",
                    "{path}，第 {line} 行：{reason}。",
                    "{path}，第 {line} 行：{reason}。",
                )
            }
        }
    }

    fn settings_error(self, error: &SettingsError) -> String {
        match &error.kind {
            SettingsErrorKind::Syntax(why) => {
                let why = sanitize(why);
                trf!(
                    self,
                    "invalid TOML: {why}",
                    "ошибка TOML: {why}",
                    "TOML 无效：{why}",
                    "TOML 無效：{why}"
                )
            }
            SettingsErrorKind::UnknownKey(key) => {
                let key = sanitize(key);
                trf!(
                    self,
                    "unknown setting {key}",
                    "неизвестная настройка {key}",
                    "未知设置项 {key}",
                    "未知設定項 {key}"
                )
            }
            SettingsErrorKind::Value(setting, why) => {
                format!("{}: {}", setting.key(), self.value_error(why))
            }
            SettingsErrorKind::Keys(action, why) => {
                format!("{}: {}", sanitize(action), self.keymap_error(why))
            }
        }
    }

    fn value_error(self, error: &SettingValueError) -> String {
        match error {
            SettingValueError::NotString => tr!(
                self,
                "must be a quoted string",
                "нужна строка в кавычках",
                "须为引号中的字符串",
                "須為引號中的字串"
            )
            .to_owned(),
            SettingValueError::Choice(choices) => {
                let choices = choices.join(", ");
                trf!(
                    self,
                    "must be one of {choices}",
                    "допустимо: {choices}",
                    "只能是 {choices} 之一",
                    "只能是 {choices} 之一"
                )
            }
            SettingValueError::Field(error) => self.field_error_reason(*error).into_owned(),
        }
    }

    fn keymap_error(self, error: &KeymapError) -> String {
        match error {
            KeymapError::UnknownAction => tr!(
                self,
                "unknown action",
                "неизвестное действие",
                "未知操作",
                "未知操作"
            )
            .to_owned(),
            KeymapError::Fixed => tr!(
                self,
                "cannot be rebound",
                "клавишу нельзя переназначить",
                "按键不能更改",
                "按鍵不能更改"
            )
            .to_owned(),
            KeymapError::InvalidKey(key) => {
                let key = sanitize(key);
                trf!(
                    self,
                    "unknown key {key}",
                    "неизвестная клавиша {key}",
                    "未知按键 {key}",
                    "未知按鍵 {key}"
                )
            }
            KeymapError::Reserved(key) => trf!(
                self,
                "{key} always ends the program",
                "{key} всегда завершает программу",
                "{key} 始终用于结束程序",
                "{key} 一律用於結束程式",
            ),
            KeymapError::Conflict { key, other } => trf!(
                self,
                "{key} is already bound to {other}",
                "{key} уже назначена: {other}",
                "{key} 已绑定到 {other}",
                "{key} 已綁定到 {other}"
            ),
        }
    }

    fn no_config_dir(self) -> &'static str {
        tr!(
            self,
            "No settings directory on this platform; use --config FILE.",
            "На этой платформе нет каталога настроек; используйте --config FILE.",
            "此平台没有设置目录；请用 --config FILE。",
            "此平台沒有設定目錄；請用 --config FILE。"
        )
    }

    /// Origin of a setting that has its default value.
    pub fn default_origin(self) -> &'static str {
        tr!(self, "default", "по умолчанию", "默认", "預設")
    }
}

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

impl Texts {
    pub fn host_error(self, error: &HostError) -> String {
        match error {
            HostError::NotInstalled => tr!(
                self,
                "The program noughts-server is not installed here. Install it: cargo install --path server",
                "Программа noughts-server здесь не установлена. Установка: cargo install --path server",
                "本机未安装 noughts-server。安装：cargo install --path server",
                "本機未安裝 noughts-server。安裝：cargo install --path server"
            )
            .to_owned(),
            HostError::PortTaken(port) => trf!(
                self,
                "Another program uses port {port}. Choose another port.",
                "Порт {port} занят другой программой. Выберите другой порт.",
                "端口 {port} 已被其他程序占用。请换一个端口。",
                "連接埠 {port} 已被其他程式占用。請換一個連接埠。"
            ),
            HostError::TimedOut => tr!(
                self,
                "The server does not answer.",
                "Сервер не отвечает.",
                "服务器没有响应。",
                "伺服器沒有回應。"
            )
            .to_owned(),
            HostError::Failed(reason) => {
                let reason = sanitize(reason);
                trf!(
                    self,
                    "The server cannot start: {reason}",
                    "Сервер не запускается: {reason}",
                    "服务器无法启动：{reason}",
                    "伺服器無法啟動：{reason}"
                )
            }
        }
    }
}
