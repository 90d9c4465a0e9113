//! Merges the settings file into the command line as defaults below flags and environment variables.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use crate::cli::Cli;
use crate::settings::{Setting, SettingsFile};

/// Command line with the values of the settings file as defaults.
#[derive(Debug)]
pub(crate) struct MergedCli {
    pub cli: Cli,
    /// Settings given by flags, with their values.
    pub flags: Vec<(Setting, String)>,
}

/// Parses a command line with the values of a settings file as defaults.
///
/// # Errors
/// A usage error.
pub(crate) fn merge_settings(
    arguments: impl IntoIterator<Item = OsString>,
    settings_file: &SettingsFile,
) -> Result<MergedCli, clap::Error> {
    // The first parse has handled help and usage errors, so that the language does not matter.
    let matches = with_defaults(Cli::command(), settings_file).try_get_matches_from(arguments)?;
    let given_flag = |setting: Setting| Some((setting, flag_value(&matches, setting)?));
    let flags = Setting::ALL.into_iter().filter_map(given_flag).collect();
    Ok(MergedCli {
        cli: Cli::from_arg_matches(&matches)?,
        flags,
    })
}

/// Sets the file's values as defaults of all arguments with an environment variable.
fn with_defaults(command: Command, settings_file: &SettingsFile) -> Command {
    let command = command.mut_args(|argument| {
        let setting = Setting::ALL.into_iter().find(|setting| {
            argument
                .get_env()
                .is_some_and(|variable| variable == setting.env_variable())
        });
        match setting.and_then(|setting| settings_file.value(setting)) {
            Some(value) => argument.default_value(value.to_owned()),
            None => argument,
        }
    });
    command.mut_subcommands(|command| with_defaults(command, settings_file))
}

/// Returns the value of a setting given on the command line itself.
fn flag_value(matches: &ArgMatches, setting: Setting) -> Option<String> {
    let name = setting.key();
    let is_known = matches.try_contains_id(name).unwrap_or(false);
    if is_known && matches.value_source(name) == Some(ValueSource::CommandLine) {
        let raw = matches.get_raw(name)?.next()?;
        return Some(raw.to_string_lossy().into_owned());
    }
    flag_value(matches.subcommand()?.1, setting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{CliCommand, Ui};

    fn merge(line: &str, file: &str) -> MergedCli {
        let settings_file = SettingsFile::parse(file).unwrap();
        merge_settings(line.split(' ').map(OsString::from), &settings_file).unwrap()
    }

    #[test]
    fn the_file_sets_defaults_of_flags() {
        let file = "ui = \"line\"\nserver = \"example.org\"\nrules = \"connect4\"\nname = \"Ann\"\nclock = \"5+3\"";
        let merged = merge("noughts play --rules qubic", file);
        assert_eq!(merged.cli.global.ui, Ui::Line);
        let Some(CliCommand::Play(play)) = merged.cli.command else {
            panic!("play")
        };
        let server = merged
            .cli
            .global
            .server
            .map(|server| server.host().to_owned());
        assert_eq!(server.as_deref(), Some("example.org"));
        assert_eq!(play.game.rules.name(), Some("qubic"));
        assert_eq!(
            play.game.clock.map(|clock| clock.to_string()).as_deref(),
            Some("5+3")
        );
        assert_eq!(
            play.player.name.map(|name| name.to_string()).as_deref(),
            Some("Ann")
        );
        assert_eq!(merged.flags, [(Setting::Rules, "qubic".to_owned())]);
    }

    #[test]
    fn a_flag_applies_at_any_position() {
        for line in ["noughts --ui json local", "noughts local --ui json"] {
            let merged = merge(line, "ui = \"line\"");
            assert_eq!(merged.cli.global.ui, Ui::Json, "{line}");
            assert_eq!(merged.flags, [(Setting::Ui, "json".to_owned())], "{line}");
        }
    }

    #[test]
    fn a_bot_does_not_take_the_name_of_the_player() {
        let Some(CliCommand::Bot(bot)) = merge("noughts bot", "name = \"Ann\"").cli.command else {
            panic!("bot")
        };
        assert_eq!(bot.name, None);
    }
}
