//! One engine that plays one game at a time: the built-in search or an external program.

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

/// Choice of an engine. The text form is `level:hard` (or just `hard`) for the built-in search and
/// `engine:COMMAND` for an external program that speaks the Gomocup protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSpec {
    /// The built-in search at this level.
    Level(Level),
    /// The external program of this shell command line.
    Engine(String),
}

/// Error for a text that is not an engine specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be level:1 to level:8, level:easy, level:perfect or engine:COMMAND")]
pub struct ParseEngineSpecError;

impl EngineSpec {
    /// Returns whether the engine supports these rules.
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
            Some(("level", level)) => level
                .parse()
                .map(EngineSpec::Level)
                .map_err(|_| ParseEngineSpecError),
            Some(("engine", command)) if !command.trim().is_empty() => {
                Ok(EngineSpec::Engine(command.trim().to_owned()))
            }
            Some(_) => Err(ParseEngineSpecError),
            None => text
                .parse()
                .map(EngineSpec::Level)
                .map_err(|_| ParseEngineSpecError),
        }
    }
}

/// Resources that engines share.
#[derive(Clone, Debug)]
pub(crate) struct EngineResources {
    /// Runs the built-in search.
    pub searcher: Arc<dyn Searcher>,
    /// Limits for external programs.
    pub process_limits: child_process::ProcessLimits,
}

/// An engine that chooses moves for one game at a time.
#[derive(Debug)]
pub(crate) struct PlayerEngine {
    resources: EngineResources,
    rng: Xoshiro256PlusPlus,
    backend: EngineBackend,
}

#[derive(Debug)]
enum EngineBackend {
    BuiltIn(Level),
    External {
        command: String,
        /// The running program. `None` before the first move and after a failure.
        process: Option<Box<EngineProcess>>,
    },
}

/// Move that an engine chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BestMove {
    /// Cell of the move.
    pub cell: Cell,
    /// Result of the built-in search; `None` for an external program.
    pub report: Option<SearchResult>,
}

impl BestMove {
    /// Evaluation of the position for the side to move, if it is known.
    pub(crate) fn score(&self) -> Option<Evaluation> {
        self.report.as_ref().map(|report| report.score)
    }
}

impl PlayerEngine {
    /// Creates an idle engine. An external program is started by the first request.
    pub(crate) fn new(spec: &EngineSpec, resources: &EngineResources) -> PlayerEngine {
        let backend = match spec {
            EngineSpec::Level(level) => EngineBackend::BuiltIn(*level),
            EngineSpec::Engine(command) => EngineBackend::External {
                command: command.clone(),
                process: None,
            },
        };
        PlayerEngine {
            resources: resources.clone(),
            rng: rand::make_rng(),
            backend,
        }
    }

    /// Sets the random seed, which makes the choice between equally good moves of the built-in search reproducible.
    #[must_use]
    pub(crate) fn with_seed(self, seed: u64) -> PlayerEngine {
        PlayerEngine {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            ..self
        }
    }

    /// Checks that an external program starts and supports these rules, and returns the name that it reports. Returns
    /// `None` for the built-in search and for a program without a name.
    ///
    /// # Errors
    /// Returns the failure of the external program.
    pub(crate) async fn query_name(
        &mut self,
        rules: &Rules,
    ) -> Result<Option<String>, EngineError> {
        match &mut self.backend {
            EngineBackend::BuiltIn(_) => Ok(None),
            EngineBackend::External { command, process } => {
                let started = process.insert(Box::new(EngineProcess::start(
                    command,
                    self.resources.process_limits,
                )?));
                let named = started.query_name(rules).await;
                if named.is_err() {
                    *process = None;
                }
                named
            }
        }
    }

    /// Chooses a move within the limits and returns the engine with the result. An external program receives only
    /// the time limit.
    ///
    /// Dropping the future stops the search and kills an external program, because the Gomocup protocol cannot cancel
    /// a search.
    ///
    /// # Errors
    /// Returns the failure of the external program. The program is then killed; the next move starts it again.
    pub(crate) async fn choose(
        mut self,
        position: Position,
        limits: SearchLimits,
    ) -> (PlayerEngine, Result<BestMove, EngineError>) {
        let result = match &mut self.backend {
            EngineBackend::BuiltIn(level) => {
                let stop = StopOnDrop(Arc::default());
                let (seed, flag) = (self.rng.random(), Arc::clone(&stop.0));
                let request = SearchRequest {
                    position,
                    level: *level,
                    limits,
                    seed,
                    stop: flag,
                };
                self.resources.searcher.search(request).await.map_or(
                    Err(EngineError::NoMove),
                    |report| {
                        Ok(BestMove {
                            cell: report.best,
                            report: Some(report),
                        })
                    },
                )
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

    /// Ends an external program: sends `END`, then kills the program if it does not exit.
    pub(crate) async fn end(self) {
        if let EngineBackend::External {
            process: Some(child),
            ..
        } = self.backend
        {
            child.end().await;
        }
    }
}

/// Stops a search when its future is dropped.
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
        for text in [
            "level:easy",
            "level:perfect",
            "engine:pbrain-x",
            "engine:python3 a.py --b c:d",
        ] {
            assert_eq!(text.parse::<EngineSpec>().unwrap().to_string(), text);
        }
        assert_eq!("hard".parse(), Ok(EngineSpec::Level(Level::Hard)));
        for wrong in [
            "",
            "brutal",
            "level:",
            "level:brutal",
            "engine:",
            "engine: ",
            "program:x",
        ] {
            assert_eq!(
                wrong.parse::<EngineSpec>(),
                Err(ParseEngineSpecError),
                "{wrong}"
            );
        }
    }

    #[test]
    fn an_external_engine_plays_only_rules_that_its_protocol_supports() {
        let (own, other): (EngineSpec, EngineSpec) =
            ("hard".parse().unwrap(), "engine:x".parse().unwrap());
        for (rules, expected) in [("15x15:5", true), ("3x3:3", false)] {
            let rules = rules.parse().unwrap();
            assert!(own.can_play(&rules));
            assert_eq!(other.can_play(&rules), expected);
        }
    }
}
