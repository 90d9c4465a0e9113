//! Who thinks: our own search, or a program of somebody else. The bot, the arena and games on this terminal
//! all ask here.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use noughts_protocol::{Cell, Position, Rules};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::child_process::{self, EngineError, EngineProcess};
use super::search_request::{SearchRequest, Searcher};
use crate::engine::{Evaluation, Level, SearchLimits, SearchResult};
use crate::engines::gomocup;

/// Somebody who can think, by name: `level:hard` (or just `hard`) for our search, `engine:COMMAND` for a
/// program that speaks the Gomocup protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSpec {
    /// Our search with this handicap.
    Level(Level),
    /// The program of this command line, as the shell understands it.
    Engine(String),
}

/// A text names nobody who can think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither level:easy, medium, hard, perfect nor engine:COMMAND")]
pub struct ParseEngineSpecError;

impl EngineSpec {
    /// Whether it can play by these rules at all.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self {
            EngineSpec::Level(_) => true,
            EngineSpec::Engine(_) => gomocup::can_play(rules),
        }
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineSpec::Level(level) => write!(f, "level:{level}"),
            EngineSpec::Engine(command) => write!(f, "engine:{command}"),
        }
    }
}

impl FromStr for EngineSpec {
    type Err = ParseEngineSpecError;

    fn from_str(text: &str) -> Result<EngineSpec, ParseEngineSpecError> {
        match text.split_once(':') {
            Some(("level", level)) => level.parse().map(EngineSpec::Level).map_err(|_| ParseEngineSpecError),
            Some(("engine", command)) if !command.trim().is_empty() => {
                Ok(EngineSpec::Engine(command.trim().to_owned()))
            }
            Some(_) => Err(ParseEngineSpecError),
            None => text.parse().map(EngineSpec::Level).map_err(|_| ParseEngineSpecError),
        }
    }
}

/// What those who think have to do it with.
#[derive(Clone, Debug)]
pub struct EngineResources {
    /// Our own search.
    pub searcher: Arc<dyn Searcher>,
    /// For programs of others.
    pub process_limits: child_process::ProcessLimits,
}

/// One who thinks, about one game at a time.
#[derive(Debug)]
pub struct PlayerEngine {
    resources: EngineResources,
    rng: Xoshiro256PlusPlus,
    backend: EngineBackend,
}

#[derive(Debug)]
enum EngineBackend {
    BuiltIn(Level),
    External {
        command: String,
        /// The program while it runs: from its first move on, and not after a fault.
        process: Option<Box<EngineProcess>>,
    },
}

/// The move that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// Where.
    pub cell: Cell,
    /// What our search found; programs of others keep that to themselves.
    pub report: Option<SearchResult>,
}

impl BestMove {
    /// What the position is worth to the side to move, if that is known.
    pub fn score(&self) -> Option<Evaluation> {
        self.report.as_ref().map(|report| report.score)
    }
}

impl PlayerEngine {
    /// One who has not begun to think. Starts no program yet.
    pub fn new(spec: &EngineSpec, resources: &EngineResources) -> PlayerEngine {
        let backend = match spec {
            EngineSpec::Level(level) => EngineBackend::BuiltIn(*level),
            EngineSpec::Engine(command) => {
                EngineBackend::External { command: command.clone(), process: None }
            }
        };
        PlayerEngine { resources: resources.clone(), rng: rand::make_rng(), backend: backend }
    }

    /// The same, but choosing in the same way every time between moves that look the same to our search.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> PlayerEngine {
        PlayerEngine { rng: Xoshiro256PlusPlus::seed_from_u64(seed), ..self }
    }

    /// Makes sure that its program starts and knows these rules. Gives the name that it has for itself.
    ///
    /// # Errors
    /// What is wrong with the program.
    pub async fn query_name(&mut self, rules: &Rules) -> Result<Option<String>, EngineError> {
        match &mut self.backend {
            EngineBackend::BuiltIn(_) => Ok(None),
            EngineBackend::External { command, process } => {
                let started =
                    process.insert(Box::new(EngineProcess::start(command, self.resources.process_limits)?));
                let named = started.query_name(rules).await;
                if named.is_err() {
                    *process = None;
                }
                named
            }
        }
    }

    /// Chooses a move within the limits; a program of somebody else knows only that of time. Comes back
    /// with itself. Dropped meanwhile it stops at once, and its program is killed: there is no other way to
    /// tell one that its thought is of no use any more.
    ///
    /// # Errors
    /// What the program did wrong. It is killed then; the next move starts it again.
    pub async fn choose(
        mut self,
        position: Position,
        limits: SearchLimits,
    ) -> (PlayerEngine, Result<BestMove, EngineError>) {
        let result = match &mut self.backend {
            EngineBackend::BuiltIn(level) => {
                let stop = StopOnDrop(Arc::default());
                let (seed, flag) = (self.rng.random(), Arc::clone(&stop.0));
                let request = SearchRequest { position, level: *level, limits, seed, stop: flag };
                self.resources.searcher.search(request).await.map_or(Err(EngineError::NoMove), |report| {
                    Ok(BestMove { cell: report.best, report: Some(report) })
                })
            }
            EngineBackend::External { command, process } => {
                let move_time = limits.time.unwrap_or(child_process::DEFAULT_MOVE_TIME);
                let result = match process.take().map_or_else(
                    || EngineProcess::start(command, self.resources.process_limits).map(Box::new),
                    Ok,
                ) {
                    Ok(mut running) => {
                        let cell = running.choose(&position, move_time).await;
                        if cell.is_ok() {
                            *process = Some(running);
                        }
                        cell
                    }
                    Err(error) => Err(error),
                };
                result.map(|cell| BestMove { cell, report: None })
            }
        };
        (self, result)
    }

    /// Ends its program, asking first.
    pub async fn end(self) {
        if let EngineBackend::External { process: Some(child), .. } = self.backend {
            child.end().await;
        }
    }
}

/// Ends a search that nobody waits for any more.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_specs_round_trip() {
        for text in ["level:easy", "level:perfect", "engine:pbrain-x", "engine:python3 a.py --b c:d"] {
            assert_eq!(text.parse::<EngineSpec>().unwrap().to_string(), text);
        }
        assert_eq!("hard".parse(), Ok(EngineSpec::Level(Level::Hard)));
        for wrong in ["", "brutal", "level:", "level:brutal", "engine:", "engine: ", "program:x"] {
            assert_eq!(wrong.parse::<EngineSpec>(), Err(ParseEngineSpecError), "{wrong}");
        }
    }

    #[test]
    fn a_program_plays_what_its_protocol_can_name() {
        let (own, other): (EngineSpec, EngineSpec) = ("hard".parse().unwrap(), "engine:x".parse().unwrap());
        for (rules, expected) in [("15x15:5", true), ("3x3:3", false)] {
            let rules = rules.parse().unwrap();
            assert!(own.can_play(&rules));
            assert_eq!(other.can_play(&rules), expected);
        }
    }
}
