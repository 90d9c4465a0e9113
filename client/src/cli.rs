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
use crate::i18n::lang::Lang;
use crate::i18n::{Flag, HelpHeading, HelpTopic, Texts};
use crate::model::local_game::LocalPlayerSpec;
use crate::model::{BellMode, BoardPrinting, GlyphSet, MAX_GAMES, PhraseDisplay, Theme};

pub(crate) use engines::{ArenaArgs, BotArgs, EngineArgs};
pub(crate) use errors::localized_error;
pub(crate) use help_layout::{DEFAULT_COLUMNS, layout_help};
pub(crate) use localize::localize;
pub(crate) use values::{
    BotOpponent, ColorChoice, ConfigQuery, DigitsChoice, FirstMoveChoice, NumberError, SeatChoice,
    Ui,
};

use localize::{flag, heading, topic};

/// Parsed command line.
#[derive(Debug, Parser)]
#[command(
    name = "noughts",
    version,
    about = localize::texts().about(),
    long_about = format!("{}\n\n{}", localize::texts().about(), localize::texts().about_home()),
    after_help = localize::texts().after_help(),
)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// Options of all subcommands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = heading(HelpHeading::GlobalOptions))]
pub struct GlobalArgs {
    #[arg(long, global = true, env = crate::i18n::lang::LANG_VARIABLE, help = flag(Flag::Lang))]
    pub lang: Option<Lang>,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_UI", help = flag(Flag::Ui))]
    pub ui: Ui,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_COLOR", help = flag(Flag::Color))]
    pub color: ColorChoice,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = "NOUGHTS_THEME",
        help = flag(Flag::Theme),
    )]
    pub theme: Theme,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = "NOUGHTS_GLYPHS",
        help = flag(Flag::Glyphs),
    )]
    pub glyphs: GlyphSet,
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        env = DigitsChoice::VARIABLE,
        help = flag(Flag::Digits),
    )]
    pub digits: DigitsChoice,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_BOARD", help = flag(Flag::Board))]
    pub board: BoardPrinting,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_BELL", help = flag(Flag::Bell))]
    pub bell: BellMode,
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_PHRASES", help = flag(Flag::Phrases))]
    pub phrases: PhraseDisplay,
    #[arg(long, global = true, value_name = "FILE", env = crate::i18n::lang::CONFIG_VARIABLE, help = flag(Flag::Config))]
    pub config: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", env = "NOUGHTS_CA", help = flag(Flag::Ca))]
    pub ca: Option<PathBuf>,
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "NOUGHTS_STATE",
        help = flag(Flag::StateDir),
    )]
    pub state_dir: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", env = "NOUGHTS_LOG", help = flag(Flag::Log))]
    pub log: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    #[command(about = topic(HelpTopic::Play))]
    Play(PlayArgs),
    #[command(about = topic(HelpTopic::Join))]
    Join(JoinArgs),
    #[command(about = topic(HelpTopic::Continue))]
    Continue {
        #[arg(help = flag(Flag::Room))]
        room: Option<RoomId>,
    },
    #[command(about = topic(HelpTopic::Watch))]
    Watch(WatchArgs),
    #[command(about = topic(HelpTopic::List))]
    List(ServerArgs),
    #[command(about = topic(HelpTopic::Bot))]
    Bot(BotArgs),
    #[command(about = topic(HelpTopic::Arena))]
    Arena(ArenaArgs),
    #[command(about = topic(HelpTopic::Engine))]
    Engine(EngineArgs),
    #[command(about = topic(HelpTopic::Local))]
    Local(LocalArgs),
    #[command(about = topic(HelpTopic::Replay))]
    Replay {
        #[arg(help = flag(Flag::File))]
        file: PathBuf,
        #[arg(long, help = flag(Flag::Review))]
        review: bool,
    },
    #[command(about = topic(HelpTopic::Config))]
    Config {
        #[arg(value_enum, help = flag(Flag::ConfigQuery))]
        query: ConfigQuery,
    },
    #[command(about = topic(HelpTopic::Doctor))]
    Doctor {
        #[arg(env = "NOUGHTS_SERVER", help = flag(Flag::DoctorServer))]
        server: Option<ServerUrl>,
    },
    #[command(about = topic(HelpTopic::Completions))]
    Completions {
        #[arg(help = flag(Flag::Shell))]
        shell: clap_complete::Shell,
    },
    #[command(about = topic(HelpTopic::Man))]
    Man,
}

#[derive(Debug, Args)]
pub struct ServerArgs {
    #[arg(default_value_t, env = "NOUGHTS_SERVER", help = flag(Flag::Server))]
    pub server: ServerUrl,
}

#[derive(Debug, Args)]
pub struct PlayerNameArgs {
    #[arg(long, env = "NOUGHTS_NAME", help = flag(Flag::Name))]
    pub name: Option<Name>,
}

#[derive(Debug, Args)]
pub struct GameArgs {
    #[arg(long, default_value = "tictactoe", env = "NOUGHTS_RULES", help = flag(Flag::Rules))]
    pub rules: Rules,
    #[arg(long, value_name = "5+3", env = "NOUGHTS_CLOCK", help = flag(Flag::Clock))]
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
    #[arg(long, value_enum, ignore_case = true, default_value_t, help = flag(Flag::Seat))]
    pub seat: SeatChoice,
    #[arg(long, conflicts_with = "public", help = flag(Flag::Private))]
    pub private: bool,
    #[arg(long, help = flag(Flag::Public))]
    pub public: bool,
    #[arg(
        long,
        value_name = "bot[:LEVEL]",
        conflicts_with_all = ["private", "public"],
        help = flag(Flag::Vs),
    )]
    pub vs: Option<BotOpponent>,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    #[arg(value_name = "CODE|URL", help = flag(Flag::Invite))]
    pub invite: Option<Invite>,
    #[arg(long, default_value_t, env = "NOUGHTS_SERVER", help = flag(Flag::InviteServer))]
    pub server: ServerUrl,
    #[command(flatten)]
    pub player: PlayerNameArgs,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    #[arg(
        value_name = "CODE|URL",
        num_args = 0..=MAX_GAMES,
        help = flag(Flag::Invites),
    )]
    pub invites: Vec<Invite>,
    #[arg(long, help = flag(Flag::Tv))]
    pub tv: bool,
    #[arg(long, default_value_t, env = "NOUGHTS_SERVER", help = flag(Flag::InviteServer))]
    pub server: ServerUrl,
    #[command(flatten)]
    pub player: PlayerNameArgs,
}

#[derive(Debug, Args)]
pub struct LocalArgs {
    #[arg(long, value_name = "NAME|bot[:LEVEL]|engine:COMMAND", help = flag(Flag::X))]
    pub x: Option<LocalPlayerSpec>,
    #[arg(long, value_name = "NAME|bot[:LEVEL]|engine:COMMAND", help = flag(Flag::O))]
    pub o: Option<LocalPlayerSpec>,
    #[arg(long, env = "NOUGHTS_RULES", help = flag(Flag::Rules))]
    pub rules: Option<Rules>,
    #[arg(long, value_enum, ignore_case = true, help = flag(Flag::First))]
    pub first: Option<FirstMoveChoice>,
}

/// Builds the command definition with help in the language of `texts`.
pub(crate) fn definition(texts: Texts) -> Command {
    localize::build_with(texts, Cli::command)
}

/// Parses a command line, with help and errors in the language of `texts`.
///
/// # Errors
/// A usage error, which `localized_error` translates, or the requested help.
pub fn parse_args(args: Vec<OsString>, texts: Texts) -> Result<Cli, clap::Error> {
    let matches = localize(definition(texts), texts).try_get_matches_from(args)?;
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
        for lang in Lang::ALL {
            definition(Texts::new(lang)).debug_assert();
        }
    }

    #[test]
    fn documented_command_lines_parse() {
        for line in [
            "noughts",
            "noughts play",
            "noughts play example.org --rules 15x15:5 --clock 5+3 --seat X --name Ann --private",
            "noughts play --vs bot",
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
