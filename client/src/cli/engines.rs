//! The commands for programs that play: as a bot, as an engine, against each other.

use std::time::Duration;

use clap::Args;
use noughts_protocol::{Name, Rules};

use super::Server;
use crate::bot::policy::{Clocks, Policy};
use crate::bot::{MAX_COUNT, PAUSE};
use crate::engine::Level;
use crate::server_url::Invite;
use crate::thinker::child::{DEFAULT_MEMORY_KIB, Limits};
use crate::thinker::{Spec, child};

const PAUSE_MS: u64 = PAUSE.as_millis() as u64;
const DEFAULT_MEMORY_MIB: u64 = DEFAULT_MEMORY_KIB / 1024;

#[derive(Debug, Args)]
pub struct Bot {
    #[command(flatten)]
    pub server: Server,
    /// A game that it plays: a name, or sizes and line such as 15x15:5; given several times it offers
    /// them in turn
    #[arg(
        long,
        value_name = "RULES",
        default_value = "tictactoe",
        env = "NOUGHTS_RULES",
        value_delimiter = ' '
    )]
    pub rules: Vec<Rules>,
    /// The clocks that it plays on: none, one, or from the shortest to the longest
    #[arg(long, value_name = "5+3|1+0..10+5", default_value = "none", env = "NOUGHTS_CLOCK")]
    pub clock: Clocks,
    /// What the bot is called there; else it says what thinks for it
    #[arg(long)]
    pub name: Option<Name>,
    /// How strong: easy, medium, hard or perfect
    #[arg(long, default_value_t, conflicts_with = "engine")]
    pub level: Level,
    /// A program of the Gomocup protocol that thinks instead: a command line for the shell
    #[arg(long, value_name = "COMMAND")]
    pub engine: Option<String>,
    #[command(flatten)]
    pub memory: Memory,
    /// Who plays on when the engine fails: a level; without it the game is given up
    #[arg(long, value_name = "LEVEL", requires = "engine")]
    pub instead: Option<Level>,
    /// How many games at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_COUNT)))]
    pub count: u32,
    /// So many of these are for people only
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seats_for_people: u32,
    /// Also take the free seat of public rooms where somebody waits
    #[arg(long)]
    pub join_public: bool,
    /// The room to join, instead of being paired
    #[arg(long, value_name = "CODE|URL")]
    pub join: Option<Invite>,
    /// The most time for a move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub budget: u64,
    /// The least time for a move against a person, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = PAUSE_MS, value_parser = clap::value_parser!(u64).range(..=10_000))]
    pub pause: u64,
    /// Leave after so many games
    #[arg(long)]
    pub games: Option<u32>,
    /// The most rematches with one opponent
    #[arg(long, value_name = "N")]
    pub rematches: Option<u32>,
    #[command(flatten)]
    pub threads: ThreadCount,
}

/// What an engine of somebody else may use.
#[derive(Clone, Copy, Debug, Args)]
pub struct Memory {
    /// The memory that an engine may use, in megabytes; 0 for no limit
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY_MIB)]
    pub engine_memory: u64,
}

/// How many threads to search on.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadCount {
    /// How many moves are searched at once; else as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Option<u32>,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Engine {
    /// How strong: easy, medium, hard or perfect
    #[arg(long, default_value = "perfect")]
    pub level: Level,
    /// The game that a UGI program means by startpos
    #[arg(long, default_value = "tictactoe", env = "NOUGHTS_RULES")]
    pub rules: Rules,
}

#[derive(Debug, Args)]
pub struct Arena {
    /// Who plays: level:easy to level:perfect, or engine:COMMAND; two or more
    #[arg(value_name = "PLAYER", required = true, num_args = 2..)]
    pub players: Vec<Spec>,
    /// A game to play: a name, or sizes and line such as 15x15:5; may be given several times
    #[arg(long, value_name = "RULES", default_value = "tictactoe")]
    pub rules: Vec<Rules>,
    /// Games of each pair, each opening with both colours; rounded up to an even number
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub games: u32,
    /// The time for a move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub budget: u64,
    /// Count positions instead of time for our own levels: the same on every machine
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Moves that are drawn by lot before a game; else as many as suit the board
    #[arg(long, value_name = "PLIES")]
    pub opening: Option<u32>,
    /// Draws the openings: the same number, the same openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub at_once: u32,
    #[command(flatten)]
    pub memory: Memory,
}

impl Memory {
    /// The limits for engines.
    pub fn limits(self) -> Limits {
        let memory_kib = (self.engine_memory > 0).then(|| self.engine_memory.saturating_mul(1024));
        Limits { memory_kib, ..child::Limits::default() }
    }
}

impl ThreadCount {
    /// So many threads.
    pub fn count(self) -> u32 {
        self.threads.unwrap_or_else(|| {
            let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            u32::try_from(processors).unwrap_or(1)
        })
    }
}

impl Bot {
    /// Who thinks.
    pub fn thinks(&self) -> Spec {
        match &self.engine {
            Some(command) => Spec::Engine(command.clone()),
            None => Spec::Level(self.level),
        }
    }

    /// What it plays, and with whom.
    pub fn policy(&self) -> Policy {
        Policy {
            rules: self.rules.clone(),
            clocks: self.clock,
            count: self.count,
            for_people: self.seats_for_people.min(self.count),
            rematches: self.rematches,
            pause: Duration::from_millis(self.pause),
            join_public: self.join_public,
        }
    }
}
