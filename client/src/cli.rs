//! Command-line definition. Flags take precedence over environment variables, and these over the settings file.

mod engines;
mod errors;
mod help_layout;
mod localize;
#[cfg(test)]
mod readme_tests;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use noughts_protocol::{Name, RoomId, Rules, TimeControl};

use crate::connection::server_url::{Invite, ServerUrl};
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::model::local_game::LocalPlayerSpec;
use crate::model::{BellMode, BoardPrinting, GlyphSet, MAX_GAMES, PhraseDisplay, Theme};

pub(crate) use engines::{ArenaArgs, BotArgs, EngineArgs};
pub(crate) use errors::localized_error;
pub(crate) use help_layout::{DEFAULT_COLUMNS, layout_help};
pub(crate) use values::{
    BotOpponent, ConfigQuery, DigitsChoice, FirstMoveChoice, NumberError, SeatChoice, Ui,
};

/// Parsed command line.
#[derive(Debug, Parser)]
#[command(name = "noughts", version)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// Options of all subcommands.
#[derive(Clone, Debug, Args)]
pub struct GlobalArgs {
    #[arg(long, global = true, env = crate::i18n::lang::LANG_VARIABLE)]
    pub lang: Option<Lang>,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_UI")]
    pub ui: Ui,
    #[arg(long, global = true, env = "NOUGHTS_SERVER")]
    pub server: Option<ServerUrl>,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = "NOUGHTS_THEME"
    )]
    pub theme: Theme,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = "NOUGHTS_GLYPHS"
    )]
    pub glyphs: GlyphSet,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = DigitsChoice::VARIABLE
    )]
    pub digits: DigitsChoice,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = "NOUGHTS_BOARD"
    )]
    pub board: BoardPrinting,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_BELL")]
    pub bell: BellMode,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = "NOUGHTS_PHRASES"
    )]
    pub phrases: PhraseDisplay,
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
    Local(LocalArgs),
    Replay {
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
    /// Returns the server of the command: the argument, or else the setting.
    pub(crate) fn server_or(&self, setting: &ServerUrl) -> ServerUrl {
        self.address.clone().unwrap_or_else(|| setting.clone())
    }
}

#[derive(Debug, Args)]
pub struct PlayerNameArgs {
    #[arg(long, env = "NOUGHTS_NAME")]
    pub name: Option<Name>,
}

#[derive(Debug, Args)]
pub struct GameArgs {
    #[arg(long, default_value = "tictactoe", env = "NOUGHTS_RULES")]
    pub rules: Rules,
    #[arg(long, value_name = "5+3", env = "NOUGHTS_CLOCK")]
    pub clock: Option<TimeControl>,
}

#[derive(Debug, Args)]
pub struct PlayArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub player: PlayerNameArgs,
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    pub seat: SeatChoice,
    #[arg(long, conflicts_with = "public")]
    pub private: bool,
    #[arg(long)]
    pub public: bool,
    #[arg(
        long,
        value_name = "bot[:LEVEL]",
        conflicts_with_all = ["private", "public"]
    )]
    pub vs: Option<BotOpponent>,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    #[arg(value_name = "CODE|URL")]
    pub invite: Option<Invite>,
    #[command(flatten)]
    pub player: PlayerNameArgs,
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
    #[command(flatten)]
    pub player: PlayerNameArgs,
}

#[derive(Debug, Args)]
pub struct LocalArgs {
    #[arg(long, value_name = "NAME|bot[:LEVEL]|engine:COMMAND")]
    pub x: Option<LocalPlayerSpec>,
    #[arg(long, value_name = "NAME|bot[:LEVEL]|engine:COMMAND")]
    pub o: Option<LocalPlayerSpec>,
    #[arg(long, env = "NOUGHTS_RULES")]
    pub rules: Option<Rules>,
    #[arg(long, value_enum, ignore_case = true)]
    pub first: Option<FirstMoveChoice>,
}

/// Builds the command definition with help in the language of `texts`.
pub(crate) fn definition(texts: Texts) -> Command {
    localize::localize(Cli::command(), texts)
}

/// Parses a command line, with help and errors in the language of `texts`.
///
/// # Errors
/// A usage error, which `localized_error` translates, or the requested help.
pub fn parse_args(args: Vec<OsString>, texts: Texts) -> Result<Cli, clap::Error> {
    let matches = definition(texts).try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
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
        Cli::command().debug_assert();
    }

    #[test]
    fn documented_command_lines_parse() {
        for line in [
            "noughts",
            "noughts play",
            "noughts play example.org --rules 15x15:5 --clock 5+3 --seat X --name Ann --private",
            "noughts play --vs bot",
            "noughts play --server example.org",
            "noughts --server example.org",
            "noughts list --server example.org:99",
            "noughts bot --server example.org",
            "noughts doctor --server example.org",
            "noughts play --vs bot:hard --ui line",
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
            "noughts bot --rules 3x3:3 --rules 15x15:5 --clock 1+0..10+5 --reserve-for-people 1 --count 3",
            "noughts bot --engine pbrain-x --engine-memory 500 --fallback hard --rules gomoku --threads 1",
            "noughts bot --rematches 2 --min-movetime 0 --join-public example.org",
            "noughts arena level:easy level:hard --rules connect4 --rules qubic --games 20 --seed 7",
            "noughts arena hard engine:pbrain-x --rules gomoku --movetime 500 --opening-plies 3 --jobs 2 --balanced-openings",
            "noughts engine --level hard --rules qubic",
            "noughts local --x Ann --o bot:easy --first random --digits numpad",
            "noughts replay game.txt",
            "noughts --lang zh-TW local",
            "noughts config show --theme high-contrast --bell notify",
            "noughts --config mine.toml config path",
            "noughts doctor",
            "noughts doctor example.org --ui json",
            "noughts replay game.txt --review",
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
