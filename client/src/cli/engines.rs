//! Arguments of `bot`, `engine` and `arena`.

use std::time::Duration;

use clap::Args;
use noughts_protocol::{Name, Rules};

use super::ServerArgs;
use super::values::{count_parser, number_parser, u64_parser};
use crate::bot::policy::{Clocks, Policy};
use crate::bot::{DEFAULT_MIN_MOVE_TIME, MAX_CONCURRENT_GAMES};
use crate::connection::server_url::Invite;
use crate::engine::Level;
use crate::engines::player_engine::child_process::{DEFAULT_MEMORY_KIB, ProcessLimits};
use crate::engines::player_engine::{EngineProgram, EngineSpec, child_process};
use crate::facts::FormFieldError;
use crate::settings::effective::EffectiveSettings;
use crate::settings::{Setting, Settings};

const DEFAULT_MIN_MOVE_TIME_MS: u64 = DEFAULT_MIN_MOVE_TIME.as_millis() as u64;
const DEFAULT_MEMORY_MIB: u64 = DEFAULT_MEMORY_KIB / 1024;

#[derive(Debug, Args)]
pub struct BotArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    #[arg(long, value_name = "RULES", value_delimiter = ' ')]
    pub rules: Vec<Rules>,
    #[arg(long, value_name = "any|none|5+3|1+0..10+5")]
    pub clock: Option<Clocks>,
    #[arg(long)]
    pub name: Option<Name>,
    #[arg(long, default_value_t, conflicts_with = "program")]
    pub level: Level,
    #[command(flatten)]
    pub memory: EngineMemoryArgs,
    #[arg(
        long,
        default_value_t = 1,
        value_parser = number_parser::<u32>(1, u64::from(MAX_CONCURRENT_GAMES))
    )]
    pub count: u32,
    #[arg(long)]
    pub join_public: bool,
    #[arg(long, value_name = "CODE|URL")]
    pub join: Option<Invite>,
    #[arg(
        long = "movetime",
        value_name = "MS",
        default_value_t = 1000,
        value_parser = number_parser::<u64>(1, 600_000)
    )]
    pub move_time_ms: u64,
    #[arg(
        long = "min-movetime",
        value_name = "MS",
        default_value_t = DEFAULT_MIN_MOVE_TIME_MS,
        value_parser = number_parser::<u64>(0, 10_000)
    )]
    pub min_move_time_ms: u64,
    #[arg(long, value_parser = count_parser())]
    pub games: Option<u32>,
    #[arg(long = "tell-watchers", conflicts_with = "program")]
    pub send_evaluations: bool,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[arg(last = true, value_name = "COMMAND")]
    pub program: Vec<String>,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct EngineMemoryArgs {
    #[arg(
        long,
        value_name = "MB",
        default_value_t = DEFAULT_MEMORY_MIB,
        value_parser = u64_parser()
    )]
    pub engine_memory: u64,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadArgs {
    #[arg(long, value_name = "N", value_parser = number_parser::<u32>(1, 256))]
    pub threads: Option<u32>,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct EngineArgs {
    #[arg(long, default_value = "perfect")]
    pub level: Level,
}

#[derive(Debug, Args)]
pub struct ArenaArgs {
    #[arg(value_name = "LEVEL")]
    pub levels: Vec<Level>,
    #[arg(long, value_name = "RULES", default_value = "tictactoe")]
    pub rules: Vec<Rules>,
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        value_parser = number_parser::<u32>(1, 1_000_000)
    )]
    pub games: u32,
    #[arg(
        long = "movetime",
        value_name = "MS",
        default_value_t = 100,
        value_parser = number_parser::<u64>(1, 600_000)
    )]
    pub move_time_ms: u64,
    #[arg(long, value_name = "N", value_parser = u64_parser())]
    pub nodes: Option<u64>,
    #[arg(long, value_name = "PLIES", value_parser = count_parser())]
    pub opening_plies: Option<u32>,
    #[arg(long)]
    pub balanced_openings: bool,
    #[arg(long, default_value_t = 1, value_parser = u64_parser())]
    pub seed: u64,
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = number_parser::<u32>(1, 256)
    )]
    pub jobs: u32,
    #[command(flatten)]
    pub memory: EngineMemoryArgs,
    #[arg(last = true, value_name = "COMMAND")]
    pub programs: Vec<String>,
}

/// Parses the words of a program's command line.
fn read_program(words: &[String]) -> Result<EngineSpec, FormFieldError> {
    let program = EngineProgram::from_words(words).ok_or(FormFieldError::BadEngine)?;
    Ok(EngineSpec::Program(program))
}

impl EngineMemoryArgs {
    pub fn limits(self) -> ProcessLimits {
        let memory_kib = (self.engine_memory > 0).then(|| self.engine_memory.saturating_mul(1024));
        ProcessLimits {
            memory_kib,
            ..child_process::ProcessLimits::default()
        }
    }
}

impl ArenaArgs {
    /// Returns the players: first the levels, then the programs. `--` separates the programs' command lines.
    ///
    /// # Errors
    /// Returns an error if a command is empty.
    pub fn players(&self) -> Result<Vec<EngineSpec>, FormFieldError> {
        let levels = self.levels.iter().copied().map(EngineSpec::Level).map(Ok);
        let has_programs = !self.programs.is_empty();
        let programs = self.programs.split(|word| word == "--");
        let programs = programs.filter(|_| has_programs).map(read_program);
        levels.chain(programs).collect()
    }
}

impl ThreadArgs {
    /// Returns the number of threads; the default is the number of processors.
    pub fn count(self) -> u32 {
        self.threads.unwrap_or_else(|| {
            let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            u32::try_from(processors).unwrap_or(1)
        })
    }
}

impl BotArgs {
    /// Returns the external program, or the level of the built-in engine.
    ///
    /// # Errors
    /// Returns an error if the command of the program is empty.
    pub fn engine_spec(&self) -> Result<EngineSpec, FormFieldError> {
        if self.program.is_empty() {
            return Ok(EngineSpec::Level(self.level));
        }
        read_program(&self.program)
    }

    /// Takes the game and the clock from the settings, unless a flag names them or the settings are defaults.
    pub(crate) fn fill_in(&mut self, effective: &EffectiveSettings, settings: &Settings) {
        let is_given = |setting| effective.origin(setting).is_some();
        if self.rules.is_empty() && is_given(Setting::Rules) {
            self.rules = vec![settings.rules];
        }
        if self.clock.is_none() && is_given(Setting::Clock) {
            self.clock = Some(settings.clock.into());
        }
    }

    /// Returns the matchmaking policy. Without rules, a bot with the built-in engine accepts all games that the engine
    /// plays, and seeks tic-tac-toe. A bot with an external engine plays only the stated rules, or tic-tac-toe.
    pub fn policy(&self) -> Policy {
        let is_open = self.rules.is_empty() && self.program.is_empty();
        let tic_tac_toe = || Rules::new(&[3, 3], 3).into_iter().collect();
        let default_clocks = if is_open { Clocks::Any } else { Clocks::None };
        Policy {
            rules: if self.rules.is_empty() {
                tic_tac_toe()
            } else {
                self.rules.clone()
            },
            accepts_all_rules: is_open,
            clocks: self.clock.unwrap_or(default_clocks),
            concurrent_games: self.count,
            min_move_time: Duration::from_millis(self.min_move_time_ms),
            join_public: self.join_public,
        }
    }
}
