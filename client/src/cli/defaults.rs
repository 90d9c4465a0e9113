//! The settings file as defaults of the command line: flags and variables of the environment beat it.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

use super::{Cli, definition};
use crate::preferences::{Preferences, Setting};
use crate::words::Words;

/// The command line as it counts, and the settings that are given there with what they say.
#[derive(Debug)]
pub struct Effective {
    /// What may be said on the command line, with all defaults.
    pub cli: Cli,
    /// Settings that a flag says.
    pub flags: Vec<(Setting, String)>,
}

/// Reads a command line for which a settings file says what is left open.
///
/// # Errors
/// What clap says of it.
pub fn effective(
    arguments: impl IntoIterator<Item = OsString>,
    preferences: &Preferences,
) -> Result<Effective, clap::Error> {
    // Help and complaints were asked for before, of the line as it is: no texts are needed.
    let matches = with_defaults(definition(Words::default()), preferences).try_get_matches_from(arguments)?;
    let said = |setting: Setting| Some((setting, flag(&matches, setting)?));
    let flags = Setting::ALL.into_iter().filter_map(said).collect();
    Ok(Effective { cli: Cli::from_arg_matches(&matches)?, flags })
}

/// Wherever a variable of the environment counts, the file does.
fn with_defaults(command: Command, preferences: &Preferences) -> Command {
    let command = command.mut_args(|argument| {
        let setting = Setting::ALL
            .into_iter()
            .find(|setting| argument.get_env().is_some_and(|variable| variable == setting.variable()));
        match setting.and_then(|setting| preferences.value(setting)) {
            Some(value) => argument.default_value(value.to_owned()),
            None => argument,
        }
    });
    command.mut_subcommands(|command| with_defaults(command, preferences))
}

/// What a flag says of a setting, on the command line itself.
fn flag(matches: &ArgMatches, setting: Setting) -> Option<String> {
    let name = setting.argument();
    let known = matches.try_contains_id(name).unwrap_or(false);
    if known && matches.value_source(name) == Some(ValueSource::CommandLine) {
        let raw = matches.get_raw(name)?.next()?;
        return Some(raw.to_string_lossy().into_owned());
    }
    flag(matches.subcommand()?.1, setting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Command as Chosen, Ui};

    fn read(line: &str, file: &str) -> Effective {
        let preferences = Preferences::parse(file).unwrap();
        effective(line.split(' ').map(OsString::from), &preferences).unwrap()
    }

    #[test]
    fn the_file_says_what_the_line_leaves_open() {
        let file =
            "ui = \"line\"\nserver = \"example.org\"\nrules = \"connect4\"\nname = \"Ann\"\nclock = \"5+3\"";
        let read = read("noughts play --rules qubic", file);
        assert_eq!(read.cli.view.ui, Ui::Line);
        let Some(Chosen::Play(play)) = read.cli.command else { panic!("play") };
        assert_eq!(play.server.server.host(), "example.org");
        assert_eq!(play.game.rules.name(), Some("qubic"));
        assert_eq!(play.game.clock.map(|clock| clock.to_string()).as_deref(), Some("5+3"));
        assert_eq!(play.who.name.map(|name| name.to_string()).as_deref(), Some("Ann"));
        assert_eq!(read.flags, [(Setting::Rules, "qubic".to_owned())]);
    }

    #[test]
    fn a_flag_counts_wherever_it_stands() {
        for line in ["noughts --ui json local", "noughts local --ui json"] {
            let read = read(line, "ui = \"line\"");
            assert_eq!(read.cli.view.ui, Ui::Json, "{line}");
            assert_eq!(read.flags, [(Setting::Ui, "json".to_owned())], "{line}");
        }
    }

    #[test]
    fn a_bot_does_not_call_itself_as_its_owner_does() {
        let Some(Chosen::Bot(bot)) =
            read("noughts bot", "name = \"Ann\"\nserver = \"example.org\"").cli.command
        else {
            panic!("bot")
        };
        assert_eq!((bot.name, bot.server.server.host()), (None, "example.org"));
    }
}
