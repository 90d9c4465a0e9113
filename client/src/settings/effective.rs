//! Effective settings: loaded at the start, shown by `noughts config`, and saved by the settings screen.

use std::path::PathBuf;

use super::file::{self, SettingsFileError};
use super::{Setting, SettingsFile};
use crate::cli::{Cli, ConfigQuery, Ui};
use crate::i18n::Texts;
use crate::io::io_error::LocalizableIoError;
use crate::model::{Settings, settings};

/// Effective command line and the origin of its values.
#[derive(Debug)]
pub(crate) struct EffectiveSettings {
    pub(crate) cli: Cli,
    pub(crate) settings_file: SettingsFile,
    /// Path of the settings file, which may not exist.
    pub(crate) path: Option<PathBuf>,
    /// Error in the settings file, which is then ignored.
    pub(crate) settings_error: Option<SettingsFileError>,
    flags: Vec<(Setting, String)>,
}

impl EffectiveSettings {
    /// Returns the origin of a setting, or `None` for a default.
    pub(crate) fn origin(&self, setting: Setting) -> Option<String> {
        self.value_and_origin(setting).map(|(_, origin)| origin)
    }

    fn value_and_origin(&self, setting: Setting) -> Option<(String, String)> {
        if let Some((_, value)) = self.flags.iter().find(|(flag, _)| *flag == setting) {
            return Some((value.clone(), format!("--{}", setting.key())));
        }
        let from_env = |name: &'static str| {
            let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
            Some((value, name.to_owned()))
        };
        if let Some(found) = from_env(setting.env_variable()) {
            return Some(found);
        }
        let (value, path) = (self.settings_file.value(setting)?, self.path.as_ref()?);
        Some((value.to_owned(), path.display().to_string()))
    }

    /// Returns the value of an environment variable, or of its setting in the file.
    pub(crate) fn env_or_file(&self, name: &str) -> Option<String> {
        let from_env = std::env::var(name).ok().filter(|value| !value.is_empty());
        from_env.or_else(|| {
            let setting = Setting::ALL
                .into_iter()
                .find(|setting| setting.env_variable() == name)?;
            self.settings_file.value(setting).map(str::to_owned)
        })
    }
}

/// Loads the settings file and parses the command line again with its values as defaults.
pub(crate) fn load(cli: Cli) -> EffectiveSettings {
    let path = cli.global.config.clone().or_else(file::default_path);
    let (settings_file, settings_error) = match path.as_deref().map(file::load).transpose() {
        Ok(settings_file) => (settings_file.unwrap_or_default(), None),
        Err(error) => (SettingsFile::default(), Some(error)),
    };
    match super::merge_settings(std::env::args_os(), &settings_file) {
        Ok(super::MergedCli { cli, flags }) => EffectiveSettings {
            cli,
            settings_file,
            path,
            settings_error,
            flags,
        },
        // Both parts were valid on their own.
        Err(error) => {
            tracing::error!(%error, "settings merge failed");
            EffectiveSettings {
                cli,
                settings_file,
                path,
                settings_error,
                flags: Vec::new(),
            }
        }
    }
}

/// Formats the path of the settings file, or the effective settings and where they come from.
///
/// # Errors
/// [`SettingsFileError::NoConfigDir`] if there is no path.
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
            for setting in Setting::ALL {
                let entry = effective.value_and_origin(setting);
                let (value, origin) = entry.unwrap_or_else(|| {
                    (
                        default_value(setting, settings),
                        texts.default_origin().to_owned(),
                    )
                });
                text.push_str(&format!("{} = {value:?}  # {origin}\n", setting.key()));
            }
            let mut rebound = effective.settings_file.keymap.rebound_keys().peekable();
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

fn default_value(setting: Setting, settings: &Settings) -> String {
    match setting {
        Setting::Lang => settings.lang.to_string(),
        Setting::Ui => settings::value_name(&Ui::default()),
        Setting::Theme => settings::value_name(&settings.theme),
        Setting::Glyphs => settings::value_name(&settings.glyphs),
        Setting::Digits => settings.digit_order.as_str().to_owned(),
        Setting::Board => settings::value_name(&settings.board_printing),
        Setting::Bell => settings::value_name(&settings.bell),
        Setting::Phrases => settings::value_name(&settings.phrases),
        Setting::Name => settings.name.to_string(),
        Setting::Server => settings.server.to_string(),
        Setting::Rules => settings
            .rules
            .name()
            .map_or_else(|| settings.rules.to_string(), str::to_owned),
        Setting::Clock => settings
            .clock
            .map_or_else(|| "none".to_owned(), |clock| clock.to_string()),
    }
}

/// Saves changes to the settings file on a blocking thread. Returns the path of the file.
pub(crate) async fn save_changes(
    path: Option<PathBuf>,
    changes: Vec<(Setting, Option<String>)>,
) -> Result<String, SettingsFileError> {
    let path = path.ok_or(SettingsFileError::NoConfigDir)?;
    let display_path = path.display().to_string();
    let target = path.clone();
    match tokio::task::spawn_blocking(move || file::save_changes(&target, &changes)).await {
        Ok(result) => result.map(|()| display_path),
        Err(error) => Err(SettingsFileError::Io(
            path,
            LocalizableIoError::other(error.to_string()),
        )),
    }
}
