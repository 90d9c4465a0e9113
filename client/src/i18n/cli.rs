//! Texts of the command-line help: the program, its subcommands and its options.

mod doctor;
pub(crate) mod engines;

use noughts_protocol::{RuleFlag, Rules};

use crate::i18n::Texts;
use crate::i18n::messages::{COMMAND, FLAG, MANUAL_SECTION};

impl Texts {
    /// Describes a command.
    pub(crate) fn command(self, name: &str) -> &'static str {
        self.keyed(&COMMAND, name)
    }

    /// Lists games and exit codes. The help ends with this text.
    pub fn after_help(self) -> String {
        let games = Rules::NAMED.iter().map(|(name, _)| *name);
        let flags = RuleFlag::ALL.iter().map(|flag| format!("8x8:5+{flag}"));
        let sizes: Vec<String> = ["6x6:4", "4x4x4:4"]
            .map(str::to_owned)
            .into_iter()
            .chain(flags)
            .collect();
        self.help_footer(games.collect::<Vec<_>>().join(", "), sizes.join(", "))
    }

    /// Describes an argument of a command by its name. Some arguments have a different text in some commands.
    pub(crate) fn argument(self, command: &str, argument: &str) -> Option<&'static str> {
        self.find(&FLAG, &format!("{command}_{argument}"))
            .or_else(|| self.find(&FLAG, argument))
    }

    /// Translates a section heading of the manual page.
    pub fn manual_section(self, heading: &str) -> &str {
        self.find(&MANUAL_SECTION, heading).unwrap_or(heading)
    }
}
