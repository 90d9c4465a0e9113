//! The command line: what may be said there, and what it comes to. Flags beat environment variables.

mod engines;
mod settings;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use noughts_protocol::{Name, RoomId, Rules, Seat, TimeControl};

use crate::engine::{Level, LevelError};
use crate::input::DigitOrder;
use crate::lang::Lang;
use crate::local::SideSpec;
use crate::model::FieldError;
use crate::server_url::{Invite, ServerUrl};

pub use engines::{Arena, Bot, Engine, Memory, ThreadCount};
pub use settings::settings;

/// Play any k-in-a-row game with anyone, from a terminal.
///
/// Without a command, and on a terminal, a home screen asks what to play.
#[derive(Debug, Parser)]
#[command(name = "noughts", version, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(flatten)]
    pub view: View,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER_HELP: &str = "\
Games: tictactoe, misere, connect4, gomoku, gomoku-exact, gomoku19, tictactoe3d, qubic, score4,
tesseract, or sizes and line: 6x6:4, 15x15:5+exact, 4x4x4:4+gravity, 3x3:3+misere.

Exit codes: 0 done, whoever won; 1 refused by the system; 2 usage; 3 cannot connect;
4 refused by the server; 5 connection lost for good; 101 a fault in this program; 128+n
ended by signal n.";

/// How the game is shown, whatever the command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Whatever the command")]
pub struct View {
    /// The language: en, ru, zh-Hans or zh-Hant; else that of the locale
    #[arg(long, global = true, env = crate::lang::VARIABLE)]
    pub lang: Option<Lang>,
    /// Full screen, or one line an event; auto takes the full screen on a terminal that can
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_UI")]
    pub ui: Ui,
    /// Colours; auto has them unless NO_COLOR is set or TERM is dumb
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_COLOR")]
    pub color: ColorChoice,
    /// Characters for the grid; auto asks the terminal
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_GLYPHS")]
    pub glyphs: Glyphs,
    /// How digits number the cells of a small board: reading has 1 2 3 on top, numpad 7 8 9
    #[arg(long, global = true, value_enum, default_value_t, env = "NOUGHTS_KEYS")]
    pub keys: Keys,
    /// Believe servers whose certificate this one signed (PEM), beside the platform's authorities
    #[arg(long, global = true, value_name = "FILE", env = "NOUGHTS_CA")]
    pub ca: Option<PathBuf>,
    /// Keep what it takes to continue a game in this folder; else where the platform has such things
    #[arg(long, global = true, value_name = "FOLDER", env = "NOUGHTS_STATE")]
    pub state: Option<PathBuf>,
    /// Write a log to this file
    #[arg(long, global = true, value_name = "FILE", env = "NOUGHTS_LOG")]
    pub log: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Ui {
    #[default]
    Auto,
    Full,
    Line,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Glyphs {
    #[default]
    Auto,
    Unicode,
    Ascii,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Keys {
    #[default]
    Reading,
    Numpad,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play on a server: with whoever wants the same game, with a friend, or against a bot
    Play(Play),
    /// Join a game by the code, id or address that a friend gave you
    Join(Join),
    /// Go on with a game that noughts was killed in
    Continue {
        /// The room; else the newest
        room: Option<RoomId>,
    },
    /// Watch a game
    Watch(Join),
    /// Print the public rooms of a server, and who waits to be paired
    List(Server),
    /// Play as a bot on a server
    Bot(Bot),
    /// Let programs play each other here, and tell how strong they are
    Arena(Arena),
    /// Think for another program: Gomocup or UGI on stdin and stdout
    Engine(Engine),
    /// Play on this terminal, without a network
    Local(Local),
    /// Look at a game that was saved
    Replay {
        /// The file
        file: PathBuf,
        /// Judge its moves, and tell where it was lost
        #[arg(long)]
        review: bool,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Args)]
pub struct Server {
    /// The server: host, host:port or ws://host:port/ws
    #[arg(default_value_t, env = "NOUGHTS_SERVER")]
    pub server: ServerUrl,
}

/// As whom.
#[derive(Debug, Args)]
pub struct Who {
    /// What you are called there; else your user name
    #[arg(long, env = "NOUGHTS_NAME")]
    pub name: Option<Name>,
}

/// Which game.
#[derive(Debug, Args)]
pub struct Game {
    /// The game: a name, or sizes and line such as 15x15:5
    #[arg(long, default_value = "tictactoe", env = "NOUGHTS_RULES")]
    pub rules: Rules,
    /// The time for each side: minutes+seconds a move; without it there is no clock
    #[arg(long, value_name = "5+3", env = "NOUGHTS_CLOCK")]
    pub clock: Option<TimeControl>,
}

#[derive(Debug, Args)]
pub struct Play {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub game: Game,
    #[command(flatten)]
    pub who: Who,
    /// Which mark to have; X begins
    #[arg(long, value_enum, default_value_t)]
    pub seat: SeatChoice,
    /// Open a private room and wait there for a friend with the code
    #[arg(long, conflicts_with = "public")]
    pub private: bool,
    /// Open a public room and wait there for anyone
    #[arg(long)]
    pub public: bool,
    /// Play against a bot of your own, in a private room
    #[arg(long, value_name = "bot[:LEVEL]", conflicts_with_all = ["private", "public"])]
    pub vs: Option<Versus>,
}

#[derive(Debug, Args)]
pub struct Join {
    /// The code or id of the room, or ws://host:port/ws#CODE
    #[arg(value_name = "CODE|URL")]
    pub invite: Invite,
    /// The server, where the invitation names none
    #[arg(long, default_value_t, env = "NOUGHTS_SERVER")]
    pub server: ServerUrl,
    #[command(flatten)]
    pub who: Who,
}

#[derive(Debug, Args)]
pub struct Local {
    /// Who has X: a name, bot, or bot:easy, bot:medium, bot:hard, bot:perfect
    #[arg(long, value_name = "NAME|bot[:LEVEL]")]
    pub x: Option<SideSpec>,
    /// Who has O
    #[arg(long, value_name = "NAME|bot[:LEVEL]")]
    pub o: Option<SideSpec>,
    /// The game: a name, or sizes and line such as 15x15:5
    #[arg(long, env = "NOUGHTS_RULES")]
    pub rules: Option<Rules>,
    /// Who begins: X as given, or drawn by lot, which may exchange the marks
    #[arg(long, value_enum)]
    pub first: Option<First>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeatChoice {
    X,
    O,
    #[default]
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum First {
    X,
    Random,
}

/// A bot to play against: `bot` or `bot:hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versus(pub Level);

impl std::str::FromStr for Versus {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Versus, LevelError> {
        match text.parse::<SideSpec>() {
            Ok(SideSpec::Bot(level)) => Ok(Versus(level)),
            Ok(SideSpec::Person(_)) | Err(_) => Err(LevelError),
        }
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::words::Words::default().field_fault(*self))
    }
}

impl std::error::Error for FieldError {}

impl SeatChoice {
    /// The seat; none: drawn by lot.
    pub fn seat(self) -> Option<Seat> {
        match self {
            SeatChoice::X => Some(Seat::X),
            SeatChoice::O => Some(Seat::O),
            SeatChoice::Random => None,
        }
    }
}

impl From<Keys> for DigitOrder {
    fn from(keys: Keys) -> DigitOrder {
        match keys {
            Keys::Reading => DigitOrder::Reading,
            Keys::Numpad => DigitOrder::Numpad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Cli, clap::error::ErrorKind> {
        Cli::try_parse_from(line.split(' ')).map_err(|error| error.kind())
    }

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn command_lines_of_the_manual_are_understood() {
        for line in [
            "noughts",
            "noughts play",
            "noughts play example.org --rules 15x15:5 --clock 5+3 --seat x --name Ann --private",
            "noughts play --vs bot",
            "noughts play --vs bot:hard --ui line",
            "noughts join abcd-efgh-jkmn --name Bob",
            "noughts join ws://example.org/ws#abcd-efgh-jkmn",
            "noughts watch k7qf3mzx --server example.org",
            "noughts continue",
            "noughts continue k7qf3mzx --state folder",
            "noughts list example.org:99",
            "noughts --ca authority.pem list wss://example.org",
            "noughts bot --level perfect --count 4 --games 10 --budget 50 --rules connect4",
            "noughts bot --rules 3x3:3 --rules 15x15:5 --clock 1+0..10+5 --seats-for-people 1 --count 3",
            "noughts bot --engine pbrain-x --engine-memory 500 --instead hard --rules gomoku --threads 1",
            "noughts bot --rematches 2 --pause 0 --join-public example.org",
            "noughts arena level:easy level:hard --rules connect4 --rules qubic --games 20 --seed 7",
            "noughts arena hard engine:pbrain-x --rules gomoku --budget 500 --opening 3 --at-once 2",
            "noughts engine --level hard --rules qubic",
            "noughts local --x Ann --o bot:easy --first random --keys numpad",
            "noughts replay game.txt",
            "noughts --lang zh-TW local",
            "noughts replay game.txt --review",
            "noughts completions bash",
            "noughts man",
        ] {
            assert!(parse(line).is_ok(), "{line}: {:?}", parse(line).err());
        }
    }

    #[test]
    fn what_is_wrong_is_refused() {
        use clap::error::ErrorKind::{ArgumentConflict, InvalidValue, ValueValidation};
        for (line, kind) in [
            ("noughts play --rules 3x3", ValueValidation),
            ("noughts play --private --public", ArgumentConflict),
            ("noughts play --vs Ann", ValueValidation),
            ("noughts play --vs bot --private", ArgumentConflict),
            ("noughts play ftp://example.org", ValueValidation),
            ("noughts play --seat z", InvalidValue),
            ("noughts play --lang xx", ValueValidation),
            ("noughts join no-such", ValueValidation),
            ("noughts continue no-such", ValueValidation),
            ("noughts bot --count 0", ValueValidation),
            ("noughts bot --clock 5+3..1+0", ValueValidation),
            ("noughts bot --engine x --level hard", ArgumentConflict),
            ("noughts arena level:easy", clap::error::ErrorKind::TooFewValues),
            ("noughts arena level:easy Ann", ValueValidation),
            ("noughts local --x bot:brutal", ValueValidation),
        ] {
            assert_eq!(parse(line).err(), Some(kind), "{line}");
        }
    }
}
