//! What the player has chosen for good: found before anything begins, told by `noughts config`, and written by
//! the screen of settings.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::cli::{self, Cli, ColorChoice, ConfigQuestion, Ui};
use crate::model::{Exit, Settings, look};
use crate::preferences::file::{self, ReadError};
use crate::preferences::{Preferences, Setting};
use crate::system::SystemError;
use crate::words::Words;

/// The command line as it counts, and where that comes from.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) cli: Cli,
    pub(super) preferences: Preferences,
    /// Where the settings file lies, or would.
    pub(super) path: Option<PathBuf>,
    /// What is wrong with it; then nothing of it counts.
    pub(super) mistake: Option<ReadError>,
    flags: Vec<(Setting, String)>,
}

impl Chosen {
    /// Where a setting comes from; none where nobody has said anything.
    pub(super) fn origin(&self, setting: Setting) -> Option<String> {
        self.said(setting).map(|(_, origin)| origin)
    }

    /// What was said of a setting, and where.
    fn said(&self, setting: Setting) -> Option<(String, String)> {
        if let Some((_, value)) = self.flags.iter().find(|(flag, _)| *flag == setting) {
            return Some((value.clone(), format!("--{}", setting.argument())));
        }
        let variable = std::env::var(setting.variable()).ok().filter(|value| !value.is_empty());
        if let Some(value) = variable {
            return Some((value, setting.variable().to_owned()));
        }
        let (value, path) = (self.preferences.value(setting)?, self.path.as_ref()?);
        Some((value.to_owned(), path.display().to_string()))
    }

    /// What a variable of the environment says, or the file in its stead.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let set = std::env::var(name).ok().filter(|value| !value.is_empty());
        set.or_else(|| {
            let setting = Setting::ALL.into_iter().find(|setting| setting.variable() == name)?;
            self.preferences.value(setting).map(str::to_owned)
        })
    }
}

/// Reads the settings file, and the command line once more with what it says.
pub(super) fn choose(cli: Cli) -> Chosen {
    let path = cli.view.config.clone().or_else(file::of_platform);
    let (preferences, mistake) = match path.as_deref().map(file::read).transpose() {
        Ok(preferences) => (preferences.unwrap_or_default(), None),
        Err(mistake) => (Preferences::default(), Some(mistake)),
    };
    match cli::effective(std::env::args_os(), &preferences) {
        Ok(cli::Effective { cli, flags }) => Chosen { cli, preferences, path, mistake, flags },
        // It was understood before, and each value of the file will do.
        Err(error) => {
            tracing::error!(%error, "the command line is not understood with the settings");
            Chosen { cli, preferences, path, mistake, flags: Vec::new() }
        }
    }
}

/// Tells where the file lies, or what counts.
pub(super) fn tell(
    question: ConfigQuestion,
    chosen: &Chosen,
    settings: &Settings,
    words: Words,
) -> anyhow::Result<Exit> {
    let Some(path) = &chosen.path else {
        writeln!(io::stderr(), "{}", words.unread_settings(&ReadError::NoPlace))?;
        return Ok(Exit::Failed);
    };
    let mut text = String::new();
    match question {
        ConfigQuestion::Path => text = format!("{}\n", path.display()),
        ConfigQuestion::Show => {
            for setting in Setting::ALL {
                let said = chosen.said(setting);
                let (value, origin) =
                    said.unwrap_or_else(|| (by_default(setting, settings), words.by_default().to_owned()));
                text.push_str(&format!("{} = {value:?}  # {origin}\n", setting.key()));
            }
            let mut rebound = chosen.preferences.keymap.rebound().peekable();
            if rebound.peek().is_some() {
                text.push_str("\n[keys]\n");
            }
            for (action, keys) in rebound {
                text.push_str(&format!("{action} = {keys:?}\n"));
            }
        }
    }
    super::commands::print(text.as_bytes())
}

/// What nobody has said anything about.
fn by_default(setting: Setting, settings: &Settings) -> String {
    match setting {
        Setting::Lang => settings.lang.to_string(),
        Setting::Ui => look::name_of(&Ui::default()),
        Setting::Color => look::name_of(&ColorChoice::default()),
        Setting::Theme => look::name_of(&settings.theme),
        Setting::Glyphs => look::name_of(&settings.glyphs),
        Setting::Digits => settings.keys.as_str().to_owned(),
        Setting::Bell => look::name_of(&settings.bell),
        Setting::Name => settings.name.to_string(),
        Setting::Server => settings.server.to_string(),
        Setting::Rules => settings.rules.name().map_or_else(|| settings.rules.to_string(), str::to_owned),
        Setting::Clock => settings.clock.map_or_else(|| "none".to_owned(), |clock| clock.to_string()),
    }
}

/// Writes changes into the settings file, beside the runtime's threads. Gives its path.
pub(super) async fn change(
    path: Option<PathBuf>,
    changes: Vec<(Setting, Option<String>)>,
) -> Result<String, ReadError> {
    let path = path.ok_or(ReadError::NoPlace)?;
    let shown = path.display().to_string();
    let at = path.clone();
    match tokio::task::spawn_blocking(move || file::change(&at, &changes)).await {
        Ok(changed) => changed.map(|()| shown),
        Err(error) => Err(ReadError::Io(path, SystemError::other(error.to_string()))),
    }
}
