//! Command-line definition. Flags take precedence over environment variables, which take precedence over the settings
//! file.

mod engines;
mod errors;
mod help_layout;
mod localize;
#[cfg(test)]
mod readme_tests;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use noughts_protocol::RoomId;

use crate::connection::server_url::{Invite, ServerUrl};
use crate::i18n::Texts;
use crate::io::own_games::OwnGameFilter;
use crate::model::MAX_GAMES;
use crate::model::local_game::{LocalPlayerSpec, SeatAssignment};
use crate::settings::{Setting, SettingEntry, Settings};

pub(crate) use engines::{ArenaArgs, BotArgs, EngineArgs};
pub(crate) use errors::localized_error;
pub(crate) use help_layout::{DEFAULT_COLUMNS, layout_help};
pub(crate) use values::{ConfigQuery, IdentityAction, NumberError, SeatChoice, Versus};

/// Parsed command line.
#[derive(Debug, Parser)]
#[command(name = "noughts", version)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Option<CliCommand>,
    /// Settings given as flags.
    #[arg(skip)]
    flags: Vec<(Setting, String)>,
}

impl Cli {
    /// Returns the value of a setting given as a flag.
    pub(crate) fn flag(&self, setting: Setting) -> Option<&str> {
        let found = self.flags.iter().find(|(flag, _)| *flag == setting);
        found.map(|(_, value)| value.as_str())
    }
}

/// Flags of all subcommands, except the flags of settings.
#[derive(Clone, Debug, Args)]
pub struct GlobalArgs {
    #[arg(long, global = true, value_name = "FILE", env = crate::i18n::lang::CONFIG_VARIABLE)]
    pub config: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", env = "NOUGHTS_CA")]
    pub ca: Option<PathBuf>,
    #[arg(long, global = true, value_name = "DIR", env = "NOUGHTS_STATE")]
    pub state_dir: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", env = "NOUGHTS_LOG")]
    pub log: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    Play(PlayArgs),
    Join(JoinArgs),
    Continue {
        room: Option<RoomId>,
    },
    Watch(WatchArgs),
    List(ServerArgs),
    Bot(BotArgs),
    #[command(hide = true)]
    Arena(ArenaArgs),
    #[command(hide = true)]
    Engine(EngineArgs),
    #[cfg(feature = "mcp")]
    Mcp(ServerArgs),
    Local(LocalArgs),
    Puzzle,
    Games(OwnGameFilter),
    Identity(IdentityArgs),
    Analyse {
        #[arg(value_name = "FILE|LINK")]
        file: PathBuf,
        #[arg(long)]
        review: bool,
    },
    Config {
        #[arg(value_enum)]
        query: ConfigQuery,
    },
    Doctor {
        #[arg(id = "address", value_name = "SERVER")]
        address: Option<ServerUrl>,
    },
    Completions {
        shell: clap_complete::Shell,
    },
    Man,
}

#[derive(Debug, Args)]
pub struct ServerArgs {
    #[arg(id = "address", value_name = "SERVER")]
    address: Option<ServerUrl>,
}

impl ServerArgs {
    /// Returns the command's server argument, or else the server of the settings.
    pub(crate) fn server_or(&self, setting: &ServerUrl) -> ServerUrl {
        self.address.clone().unwrap_or_else(|| setting.clone())
    }
}

#[derive(Debug, Args)]
pub struct PlayArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    pub seat: SeatChoice,
    #[arg(long, conflicts_with = "public")]
    pub private: bool,
    #[arg(long)]
    pub public: bool,
    #[arg(
        long,
        value_name = "any|bot[:LEVEL]",
        conflicts_with_all = ["private", "public"]
    )]
    pub vs: Option<Versus>,
    #[arg(long = "bot")]
    pub is_bot: bool,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    #[arg(value_name = "CODE|URL")]
    pub invite: Option<Invite>,
    #[arg(long = "bot")]
    pub is_bot: bool,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    #[arg(
        value_name = "CODE|URL",
        num_args = 0..=MAX_GAMES
    )]
    pub invites: Vec<Invite>,
    #[arg(long)]
    pub tv: bool,
}

#[derive(Debug, Args)]
pub struct LocalArgs {
    #[arg(long, value_name = "NAME|bot[:LEVEL]|plain:COMMAND")]
    pub x: Option<LocalPlayerSpec>,
    #[arg(long, value_name = "NAME|bot[:LEVEL]|plain:COMMAND")]
    pub o: Option<LocalPlayerSpec>,
    #[arg(long, value_enum, ignore_case = true)]
    pub first: Option<SeatAssignment>,
}

#[derive(Debug, Args)]
pub struct IdentityArgs {
    #[arg(value_enum)]
    pub action: IdentityAction,
    /// The two addresses of an alias.
    #[arg(value_name = "ADDRESS", num_args = 0..=2)]
    pub values: Vec<String>,
}

/// Returns the definition without texts.
pub(crate) fn command() -> Command {
    with_setting_flags(Cli::command())
}

/// Adds the flags of settings to a command, before its other flags, and to its subcommands.
fn with_setting_flags(command: Command) -> Command {
    let flags = Setting::ALL.iter().map(|setting| setting.entry());
    let flags = flags.filter(|entry| match entry.commands {
        [] => command.get_name() == "noughts",
        commands => commands.contains(&command.get_name()),
    });
    let flags: Vec<Arg> = (0..)
        .zip(flags)
        .map(|(order, entry)| setting_flag(entry).display_order(order))
        .collect();
    let mut order = flags.len();
    let command = command.mut_args(|argument| {
        order += 1;
        argument.display_order(order)
    });
    command
        .args(flags)
        .next_display_order(order + 1)
        .mut_subcommands(with_setting_flags)
}

fn setting_flag(entry: &SettingEntry) -> Arg {
    let flag = Arg::new(entry.key)
        .long(entry.key)
        .env(entry.variable)
        .value_name(entry.value_name)
        .value_parser((entry.flag_parser)())
        .ignore_case(true)
        .global(entry.commands.is_empty());
    match entry.derived {
        Some(_) => flag,
        None => flag.default_value((entry.text)(&Settings::default())),
    }
}

/// Returns the value of a setting given on the command line itself.
fn flag_value(matches: &ArgMatches, setting: Setting) -> Option<(Setting, String)> {
    let SettingEntry { key, commands, .. } = setting.entry();
    let subcommand = matches.subcommand();
    let subcommand = subcommand.filter(|(name, _)| commands.is_empty() || commands.contains(name));
    let given = |matches: &&ArgMatches| {
        matches.try_contains_id(key).unwrap_or(false)
            && matches.value_source(key) == Some(ValueSource::CommandLine)
    };
    let matches = [Some(matches), subcommand.map(|(_, matches)| matches)];
    let matches = matches.into_iter().flatten().find(given)?;
    let raw = matches.get_raw(key)?.next()?;
    Some((setting, raw.to_string_lossy().into_owned()))
}

/// Builds the command definition with help in the language of `texts`.
pub(crate) fn definition(texts: Texts) -> Command {
    localize::localize(command(), texts)
}

/// Parses a command line, with help and errors in the language of `texts`.
///
/// # Errors
/// Returns a usage error, which `localized_error` translates, or the requested help.
pub fn parse_args(args: Vec<OsString>, texts: Texts) -> Result<Cli, clap::Error> {
    let matches = definition(texts).try_get_matches_from(args)?;
    let settings = Setting::ALL.iter();
    let flags = settings.filter_map(|&setting| flag_value(&matches, setting));
    Ok(Cli {
        flags: flags.collect(),
        ..Cli::from_arg_matches(&matches)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Cli, clap::error::ErrorKind> {
        parse_args(
            line.split(' ').map(OsString::from).collect(),
            Texts::default(),
        )
        .map_err(|error| error.kind())
    }

    #[test]
    fn command_definition_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn documented_command_lines_parse() {
        for line in [
            "noughts",
            "noughts play",
            "noughts play example.org --rules 15x15:5 --clock 5+3 --seat X --name Ann --private",
            "noughts play --vs bot",
            "noughts play --vs any",
            "noughts play --server example.org",
            "noughts --server example.org",
            "noughts list --server example.org:99",
            "noughts bot --server example.org",
            "noughts doctor --server example.org",
            "noughts play --vs bot:hard --ui line",
            "noughts play --ui json --bot",
            "noughts join abcd-efgh-jkmn --ui json --bot",
            "noughts join",
            "noughts watch",
            "noughts join abcd-efgh-jkmn --name Bob",
            "noughts join ws://example.org/ws#abcd-efgh-jkmn",
            "noughts watch k7qf3mzx --server example.org",
            "noughts watch k7qf3mzx 00000000 ws://example.org/ws#abcd-efgh-jkmn --server h:1",
            "noughts continue",
            "noughts continue k7qf3mzx --state-dir folder",
            "noughts list example.org:99",
            "noughts --ca authority.pem list wss://example.org",
            "noughts bot --level perfect --count 4 --games 10 --movetime 50 --rules connect4",
            "noughts bot --rules 3x3:3 --rules 15x15:5 --clock 1+0..10+5 --count 3",
            "noughts bot --engine-memory 500 --rules gomoku -- gomocup:pbrain-x",
            "noughts bot --min-movetime 0 --join-public example.org",
            "noughts arena easy hard --rules connect4 --rules qubic --games 20 --seed 7",
            "noughts arena hard --rules gomoku --movetime 500 --opening-plies 3 --jobs 2 --balanced-openings -- gomocup:pbrain-x -- python3 bot.py",
            "noughts engine --level hard --rules qubic",
            #[cfg(feature = "mcp")]
            "noughts mcp example.org --name Ann --state-dir folder",
            "noughts local --x Ann --o bot:easy --first random --digits numpad",
            "noughts games",
            "noughts games --opponent bob --rules connect4 --result won --ui json",
            "noughts identity show",
            "noughts identity import --state-dir folder",
            "noughts identity alias 192.168.1.7 127.0.0.1",
            "noughts identity forget",
            "noughts analyse game.txt",
            "noughts analyse https://example.org/#r/AAAA",
            "noughts --lang zh-TW local",
            "noughts config show --theme high-contrast --bell notify",
            "noughts --config mine.toml config path",
            "noughts doctor",
            "noughts doctor example.org --ui json",
            "noughts analyse game.txt --review",
            "noughts completions bash",
            "noughts man",
        ] {
            assert!(
                parse_line(line).is_ok(),
                "{line}: {:?}",
                parse_line(line).err()
            );
        }
    }
}
