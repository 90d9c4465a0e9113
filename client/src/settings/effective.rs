//! What the player has chosen for good: found before anything begins, told by `noughts config`, and written by
//! the screen of settings.

use std::path::PathBuf;

use super::file::{self, SettingsFileError};
use super::{Setting, SettingsFile};
use crate::cli::{Cli, ColorChoice, ConfigQuery, Ui};
use crate::i18n::Texts;
use crate::io::io_error::LocalizableIoError;
use crate::model::{Settings, appearance};

/// The command line as it counts, and where that comes from.
#[derive(Debug)]
pub(crate) struct EffectiveSettings {
    pub(crate) cli: Cli,
    pub(crate) settings_file: SettingsFile,
    /// Where the settings file lies, or would.
    pub(crate) path: Option<PathBuf>,
    /// What is wrong with it; then nothing of it counts.
    pub(crate) settings_error: Option<SettingsFileError>,
    flags: Vec<(Setting, String)>,
}

impl EffectiveSettings {
    /// Where a setting comes from; none where nobody has said anything.
    pub(crate) fn origin(&self, setting: Setting) -> Option<String> {
        self.value_and_origin(setting).map(|(_, origin)| origin)
    }

    /// What was said of a setting, and where.
    fn value_and_origin(&self, setting: Setting) -> Option<(String, String)> {
        if let Some((_, value)) = self.flags.iter().find(|(flag, _)| *flag == setting) {
            return Some((value.clone(), format!("--{}", setting.key())));
        }
        let variable = std::env::var(setting.env_variable()).ok().filter(|value| !value.is_empty());
        if let Some(value) = variable {
            return Some((value, setting.env_variable().to_owned()));
        }
        let (value, path) = (self.settings_file.value(setting)?, self.path.as_ref()?);
        Some((value.to_owned(), path.display().to_string()))
    }

    /// What a variable of the environment says, or the file in its stead.
    pub(crate) fn env_or_file(&self, name: &str) -> Option<String> {
        let from_env = std::env::var(name).ok().filter(|value| !value.is_empty());
        from_env.or_else(|| {
            let setting = Setting::ALL.into_iter().find(|setting| setting.env_variable() == name)?;
            self.settings_file.value(setting).map(str::to_owned)
        })
    }
}

/// Reads the settings file, and the command line once more with what it says.
pub(crate) fn load(cli: Cli) -> EffectiveSettings {
    let path = cli.global.config.clone().or_else(file::default_path);
    let (settings_file, settings_error) = match path.as_deref().map(file::load).transpose() {
        Ok(settings_file) => (settings_file.unwrap_or_default(), None),
        Err(error) => (SettingsFile::default(), Some(error)),
    };
    match super::merge_settings(std::env::args_os(), &settings_file) {
        Ok(super::MergedCli { cli, flags }) => {
            EffectiveSettings { cli, settings_file, path, settings_error, flags }
        }
        // It was understood before, and each value of the file will do.
        Err(error) => {
            tracing::error!(%error, "the command line is not understood with the settings");
            EffectiveSettings { cli, settings_file, path, settings_error, flags: Vec::new() }
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
    let path = effective.path.as_ref().ok_or(SettingsFileError::NoConfigDir)?;
    let mut text = String::new();
    match query {
        ConfigQuery::Path => text = format!("{}\n", path.display()),
        ConfigQuery::Show => {
            for setting in Setting::ALL {
                let entry = effective.value_and_origin(setting);
                let (value, origin) = entry
                    .unwrap_or_else(|| (default_value(setting, settings), texts.default_origin().to_owned()));
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

/// What nobody has said anything about.
fn default_value(setting: Setting, settings: &Settings) -> String {
    match setting {
        Setting::Lang => settings.lang.to_string(),
        Setting::Ui => appearance::value_name(&Ui::default()),
        Setting::Color => appearance::value_name(&ColorChoice::default()),
        Setting::Theme => appearance::value_name(&settings.theme),
        Setting::Glyphs => appearance::value_name(&settings.glyphs),
        Setting::Digits => settings.digit_order.as_str().to_owned(),
        Setting::Bell => appearance::value_name(&settings.bell),
        Setting::Name => settings.name.to_string(),
        Setting::Server => settings.server.to_string(),
        Setting::Rules => settings.rules.name().map_or_else(|| settings.rules.to_string(), str::to_owned),
        Setting::Clock => settings.clock.map_or_else(|| "none".to_owned(), |clock| clock.to_string()),
    }
}

/// Writes changes into the settings file, beside the runtime's threads. Gives its path.
pub(crate) async fn save_changes(
    path: Option<PathBuf>,
    changes: Vec<(Setting, Option<String>)>,
) -> Result<String, SettingsFileError> {
    let path = path.ok_or(SettingsFileError::NoConfigDir)?;
    let display_path = path.display().to_string();
    let target = path.clone();
    match tokio::task::spawn_blocking(move || file::save_changes(&target, &changes)).await {
        Ok(result) => result.map(|()| display_path),
        Err(error) => Err(SettingsFileError::Io(path, LocalizableIoError::other(error.to_string()))),
    }
}
