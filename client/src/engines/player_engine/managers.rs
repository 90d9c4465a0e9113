//! The manager's side of the protocols of external programs: which questions a program gets, and how its answers are
//! read.

pub(super) mod gomocup;
mod plain;
mod ugi;

use std::fmt;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::child_process::{ChildProcess, EngineError, ProcessLimits};
use crate::engines::gomocup::can_play;
use gomocup::GomocupManager;
use plain::PlainManager;
use ugi::UgiManager;

/// Protocol of an external program.
///
/// The user names the protocol, because no question can tell the programs apart. While it starts or thinks, a UGI
/// program is as silent as a program of the plain protocol, and a student's program ends when it reads a line that is
/// not a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineProtocol {
    /// One position per line as JSON; one cell per line as the answer.
    #[default]
    Plain,
    Ugi,
    Gomocup,
}

impl EngineProtocol {
    const ALL: [EngineProtocol; 3] = [
        EngineProtocol::Plain,
        EngineProtocol::Ugi,
        EngineProtocol::Gomocup,
    ];

    /// Returns the prefix of a command line that names the protocol.
    fn prefix(self) -> &'static str {
        match self {
            EngineProtocol::Plain => "plain:",
            EngineProtocol::Ugi => "ugi:",
            EngineProtocol::Gomocup => "gomocup:",
        }
    }
}

/// An external program: its command line for `/bin/sh`, and its protocol. In the text form, `plain:`, `ugi:` or
/// `gomocup:` precedes the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineProgram {
    pub protocol: EngineProtocol,
    pub command: String,
}

impl EngineProgram {
    /// Parses the text form. Returns `None` if the text names no protocol. The command may be empty.
    pub fn parse(text: &str) -> Option<EngineProgram> {
        EngineProtocol::ALL.into_iter().find_map(|protocol| {
            let (prefix, command) = text.split_at_checked(protocol.prefix().len())?;
            prefix
                .eq_ignore_ascii_case(protocol.prefix())
                .then(|| EngineProgram {
                    protocol,
                    command: command.trim().to_owned(),
                })
        })
    }

    /// Parses the words of a command line. A single word is a line for the shell; several words are quoted for it. If
    /// the first word names no protocol, the protocol is the plain one. Returns `None` if the command is empty.
    pub fn from_words(words: &[String]) -> Option<EngineProgram> {
        let (first, rest) = words.split_first()?;
        let program = EngineProgram::parse(first).unwrap_or_else(|| EngineProgram {
            protocol: EngineProtocol::Plain,
            command: first.trim().to_owned(),
        });
        if rest.is_empty() {
            return (!program.command.is_empty()).then_some(program);
        }
        let first = Some(program.command.as_str()).filter(|first| !first.is_empty());
        let words = first.into_iter().chain(rest.iter().map(String::as_str));
        Some(EngineProgram {
            command: words.map(shell_quoted).collect::<Vec<_>>().join(" "),
            ..program
        })
    }

    /// Returns whether the protocol supports the rules.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self.protocol {
            EngineProtocol::Plain | EngineProtocol::Ugi => true,
            EngineProtocol::Gomocup => can_play(rules),
        }
    }

    /// Returns a short name for players: the file name of the script, or else of the program, without its extension.
    pub(crate) fn name(&self) -> Option<&str> {
        let words = || {
            self.command
                .split_whitespace()
                .map(|word| std::path::Path::new(word.trim_matches('\'')))
        };
        // The end of `python3.11` is a version, not an extension.
        let is_script = |word: &&std::path::Path| {
            let extension = word.extension().and_then(std::ffi::OsStr::to_str);
            extension.is_some_and(|text| text.starts_with(|first: char| first.is_alphabetic()))
        };
        let name = match words().find(is_script) {
            Some(script) => script.file_stem(),
            None => words().next()?.file_name(),
        };
        name?.to_str()
    }
}

impl fmt::Display for EngineProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.protocol.prefix(), self.command)
    }
}

/// Quotes a word for the shell if necessary.
fn shell_quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A running program, with the manager of its protocol. Dropping it kills the program.
#[derive(Debug)]
pub(super) struct EngineProcess {
    child: ChildProcess,
    limits: ProcessLimits,
    manager: EngineManager,
}

#[derive(Debug)]
enum EngineManager {
    Plain(PlainManager),
    Ugi(UgiManager),
    Gomocup(GomocupManager),
}

impl EngineProcess {
    /// Starts the program.
    ///
    /// # Errors
    /// Returns [`EngineError::Spawn`] if the system cannot start the shell.
    pub(super) fn start(
        program: &EngineProgram,
        limits: ProcessLimits,
    ) -> Result<EngineProcess, EngineError> {
        Ok(EngineProcess {
            child: ChildProcess::start(&program.command, limits)?,
            limits,
            manager: match program.protocol {
                EngineProtocol::Plain => EngineManager::Plain(PlainManager::default()),
                EngineProtocol::Ugi => EngineManager::Ugi(UgiManager::default()),
                EngineProtocol::Gomocup => EngineManager::Gomocup(GomocupManager::default()),
            },
        })
    }

    /// Checks that the program starts and can play by these rules. Returns the name that it reports, if any.
    pub(super) async fn query_name(
        &mut self,
        rules: &Rules,
    ) -> Result<Option<String>, EngineError> {
        match &mut self.manager {
            EngineManager::Plain(plain) => plain.check(&mut self.child, rules, self.limits).await,
            EngineManager::Ugi(ugi) => ugi.query_name(&mut self.child).await,
            EngineManager::Gomocup(gomocup) => gomocup.query_name(&mut self.child, rules).await,
        }
    }

    /// Asks the program for a move within `move_time`.
    pub(super) async fn choose(
        &mut self,
        position: &Position,
        move_time: Duration,
    ) -> Result<Cell, EngineError> {
        if position.legal_count() == 0 {
            return Err(EngineError::NoMove);
        }
        let (child, limits) = (&mut self.child, self.limits);
        match &mut self.manager {
            EngineManager::Plain(plain) => plain.choose(child, position, move_time, limits).await,
            EngineManager::Ugi(ugi) => ugi.choose(child, position, move_time, limits).await,
            EngineManager::Gomocup(gomocup) => {
                gomocup.choose(child, position, move_time, limits).await
            }
        }
    }

    /// Asks the program to exit, and kills it if it does not.
    pub(super) async fn end(self) {
        let last_lines = match self.manager {
            EngineManager::Plain(_) => "",
            EngineManager::Ugi(_) => "quit\n",
            EngineManager::Gomocup(_) => "END\n",
        };
        self.child.end(last_lines).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_its_protocol_or_is_plain() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            EngineProgram::from_words(&words).map(|program| program.to_string())
        };
        for (words, expected) in [
            (&["python3", "my bot.py"][..], "plain:python3 'my bot.py'"),
            (&["a | b"], "plain:a | b"),
            (&["UGI:noughts", "engine"], "ugi:noughts engine"),
            (
                &["gomocup:", "pbrain-x", "it's"],
                r"gomocup:pbrain-x 'it'\''s'",
            ),
        ] {
            assert_eq!(read(words).as_deref(), Some(expected));
        }
        for nothing in [&[][..], &[" "], &["ugi:"]] {
            assert_eq!(read(nothing), None, "{nothing:?}");
        }
        assert_eq!(EngineProgram::parse("python3 bot.py"), None);
    }

    #[test]
    fn a_program_is_named_by_its_script() {
        for (command, name) in [
            ("python3 -u dir/mybot.py 3", "mybot"),
            ("/opt/pbrain-x --fast", "pbrain-x"),
            ("java -cp . Bot", "java"),
            ("python3 'mybot.py'", "mybot"),
            ("python3.11 mybot.py", "mybot"),
            ("python3.11 -m mybot", "python3.11"),
        ] {
            let program = EngineProgram::from_words(&[command.to_owned()]).unwrap();
            assert_eq!(program.name(), Some(name));
        }
    }
}
