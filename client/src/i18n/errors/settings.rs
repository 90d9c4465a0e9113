//! The settings file: what is wrong with it, and what there is in it.

use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, tr, trf};

use crate::input::keymap::KeymapError;
use crate::settings::file::SettingsFileError;
use crate::settings::{SettingValueError, SettingsError, SettingsErrorKind};

impl Texts {
    /// Why there are no settings.
    pub fn settings_file_error(self, error: &SettingsFileError) -> String {
        match error {
            SettingsFileError::NoConfigDir => self.no_config_dir().to_owned(),
            SettingsFileError::Io(path, error) => {
                self.with_reason(&path.display().to_string(), &self.io_error(error))
            }
            SettingsFileError::Invalid(path, mistake) => {
                let (path, line, fault) = (path.display(), mistake.line, self.settings_error(mistake));
                trf!(
                    self,
                    "{path}, line {line}: {fault}.",
                    "{path}, строка {line}: {fault}.",
                    "{path}，第 {line} 行：{fault}。",
                    "{path}，第 {line} 行：{fault}。",
                )
            }
        }
    }

    fn settings_error(self, mistake: &SettingsError) -> String {
        match &mistake.kind {
            SettingsErrorKind::Syntax(why) => {
                let why = sanitize(why);
                trf!(self, "no TOML: {why}", "это не TOML: {why}", "不是 TOML：{why}", "不是 TOML：{why}")
            }
            SettingsErrorKind::UnknownKey(key) => {
                let key = sanitize(key);
                trf!(
                    self,
                    "there is no setting {key}",
                    "настройки {key} нет",
                    "没有设置项 {key}",
                    "沒有設定項 {key}"
                )
            }
            SettingsErrorKind::Value(setting, why) => format!("{}: {}", setting.key(), self.value_error(why)),
            SettingsErrorKind::Keys(action, why) => {
                format!("{}: {}", sanitize(action), self.keymap_error(why))
            }
        }
    }

    fn value_error(self, error: &SettingValueError) -> String {
        match error {
            SettingValueError::NotString => tr!(
                self,
                "a text in quotes is needed",
                "нужен текст в кавычках",
                "需要引号里的文字",
                "需要引號裡的文字",
            )
            .to_owned(),
            SettingValueError::Choice(choices) => {
                let choices = choices.join(", ");
                trf!(
                    self,
                    "one of {choices}",
                    "одно из {choices}",
                    "只能是 {choices} 之一",
                    "只能是 {choices} 之一"
                )
            }
            SettingValueError::Field(error) => self.field_error_reason(*error).to_owned(),
        }
    }

    fn keymap_error(self, error: &KeymapError) -> String {
        match error {
            KeymapError::UnknownAction => {
                tr!(self, "there is no such action", "такого действия нет", "没有这个操作", "沒有這個操作")
                    .to_owned()
            }
            KeymapError::Fixed => tr!(
                self,
                "its key cannot be changed",
                "его клавишу нельзя изменить",
                "它的按键不能更改",
                "它的按鍵不能更改",
            )
            .to_owned(),
            KeymapError::InvalidKey(key) => {
                let key = sanitize(key);
                trf!(self, "{key} is no key", "{key} не клавиша", "{key} 不是按键", "{key} 不是按鍵")
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
                "{key} means {other} already",
                "{key} уже означает {other}",
                "{key} 已用于 {other}",
                "{key} 已用於 {other}",
            ),
        }
    }

    fn no_config_dir(self) -> &'static str {
        tr!(
            self,
            "This platform has no place for settings; --config names a file.",
            "На этой платформе нет места для настроек; файл можно указать в --config.",
            "此平台没有存放设置的位置；请用 --config 指定文件。",
            "此平台沒有存放設定的位置；請用 --config 指定檔案。",
        )
    }

    /// Where a setting comes from that nobody has chosen.
    pub fn default_origin(self) -> &'static str {
        tr!(self, "by default", "по умолчанию", "默认", "預設")
    }
}
