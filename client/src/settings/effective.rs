//! Effective settings: loaded at the start, shown by `noughts config`, and saved by the settings screen.

use std::path::PathBuf;

use super::file::{self, SettingsFileError};
use super::{Setting, Settings, SettingsFile};
use crate::cli::{Cli, ConfigQuery};
use crate::facts::FormFieldError;
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::input::Keymap;
use crate::io::io_error::LocalizableIoError;

/// Settings that are not defaults, and the key bindings.
#[derive(Debug)]
pub(crate) struct EffectiveSettings {
    pub(crate) keymap: Keymap,
    /// Path of the settings file. The file may not exist.
    pub(crate) path: Option<PathBuf>,
    /// Error in the settings file. A file with an error is ignored.
    pub(crate) settings_error: Option<SettingsFileError>,
    given: Vec<GivenSetting>,
}

/// A value of a setting and its origin: a flag, a variable or the path of the file.
#[derive(Debug)]
struct GivenSetting {
    setting: Setting,
    text: String,
    origin: String,
}

/// Loads the settings file. Takes each setting from its flag, else from its environment variable, else from the file.
/// `env` looks up a variable. Empty variables count as unset.
pub(crate) fn load(cli: &Cli, env: impl Fn(&str) -> Option<String>) -> EffectiveSettings {
    let path = cli.global.config.clone().or_else(file::default_path);
    let (settings_file, settings_error) = match path.as_deref().map(file::load).transpose() {
        Ok(settings_file) => (settings_file.unwrap_or_default(), None),
        Err(error) => (SettingsFile::default(), Some(error)),
    };
    let given = |&setting: &Setting| {
        let (key, variable) = (setting.entry().key, setting.entry().variable);
        let flag = || Some((cli.flag(setting)?.to_owned(), format!("--{key}")));
        let from_env = || {
            let text = env(variable).filter(|text| !text.is_empty())?;
            Some((text, variable.to_owned()))
        };
        let from_file = || {
            let text = settings_file.value(setting)?.to_owned();
            Some((text, path.as_ref()?.display().to_string()))
        };
        let (text, origin) = flag().or_else(from_env).or_else(from_file)?;
        Some(GivenSetting {
            setting,
            text,
            origin,
        })
    };
    EffectiveSettings {
        given: Setting::ALL.iter().filter_map(given).collect(),
        keymap: settings_file.keymap,
        path,
        settings_error,
    }
}

impl EffectiveSettings {
    /// Returns the origin of a setting; `None` if it has its default.
    pub(crate) fn origin(&self, setting: Setting) -> Option<&str> {
        let given = self.given.iter().find(|given| given.setting == setting);
        given.map(|given| given.origin.as_str())
    }

    /// Returns the values of all settings. `env` looks up the variables that determine defaults.
    ///
    /// # Errors
    /// Returns the origin of an invalid value, and why it is invalid.
    pub(crate) fn settings(
        &self,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, (&str, FormFieldError)> {
        let mut settings = Settings {
            lang: Lang::from_locale(&env),
            ..Settings::default()
        };
        for given in &self.given {
            (given.setting.entry().set)(&mut settings, &given.text)
                .map_err(|error| (given.origin.as_str(), error))?;
        }
        if self.origin(Setting::Name).is_none() {
            let users = ["USER", "LOGNAME"].iter().filter_map(|name| env(name));
            let user = users.filter_map(|name| name.parse().ok()).next();
            settings.name = user.unwrap_or_else(|| settings.lang.texts().first_player());
        }
        Ok(settings)
    }
}

/// Formats the path of the settings file, or the effective settings with their origins.
///
/// # Errors
/// Returns [`SettingsFileError::NoConfigDir`] without a path.
pub(crate) fn describe(
    query: ConfigQuery,
    effective: &EffectiveSettings,
    settings: &Settings,
    texts: Texts,
) -> Result<String, SettingsFileError> {
    let path = effective
        .path
        .as_ref()
        .ok_or(SettingsFileError::NoConfigDir)?;
    let mut text = String::new();
    match query {
        ConfigQuery::Path => text = format!("{}\n", path.display()),
        ConfigQuery::Show => {
            for &setting in Setting::ALL {
                let (key, value) = (setting.entry().key, (setting.entry().text)(settings));
                let origin = effective.origin(setting);
                let origin = origin.unwrap_or_else(|| texts.default_origin());
                text.push_str(&format!("{key} = {value:?}  # {origin}\n"));
            }
            let mut rebound = effective.keymap.rebound_keys().peekable();
            if rebound.peek().is_some() {
                text.push_str("\n[keys]\n");
            }
            for (action, keys) in rebound {
                text.push_str(&format!("{action} = {keys:?}\n"));
            }
        }
    }
    Ok(text)
}

/// Saves changes to the settings file on a blocking thread. Returns the path of the file.
pub(crate) async fn save_changes(
    path: Option<PathBuf>,
    changes: Vec<(Setting, String)>,
) -> Result<String, SettingsFileError> {
    let path = path.ok_or(SettingsFileError::NoConfigDir)?;
    let display_path = path.display().to_string();
    let target = path.clone();
    match tokio::task::spawn_blocking(move || file::save_changes(&target, &changes)).await {
        Ok(result) => result.map(|()| display_path),
        Err(error) => Err(SettingsFileError::Write(
            path,
            LocalizableIoError::other(error.to_string()),
        )),
    }
}
