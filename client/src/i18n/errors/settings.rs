//! Errors in the settings file.

use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, tr, trf};
use crate::input::keymap::KeymapError;
use crate::settings::file::SettingsFileError;
use crate::settings::{SettingValueError, SettingsError, SettingsErrorKind};

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
