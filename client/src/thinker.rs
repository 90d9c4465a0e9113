//! Who thinks: our own search, or a program of somebody else. The bot, the arena and games on this terminal
//! all ask here.

pub mod child;
pub mod question;
pub mod threads;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use noughts_protocol::{Cell, Position, Rules};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::engine::{Level, Limits, Report, Score};
use crate::gomocup;
use child::{Child, Fault};
use question::{Question, Think};

/// Somebody who can think, by name: `level:hard` (or just `hard`) for our search, `engine:COMMAND` for a
/// program that speaks the Gomocup protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// Our search with this handicap.
    Level(Level),
    /// The program of this command line, as the shell understands it.
    Engine(String),
}

/// A text names nobody who can think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither level:easy, medium, hard, perfect nor engine:COMMAND")]
pub struct SpecError;

impl Spec {
    /// Whether it can play by these rules at all.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self {
            Spec::Level(_) => true,
            Spec::Engine(_) => gomocup::can_play(rules),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Level(level) => write!(f, "level:{level}"),
            Spec::Engine(command) => write!(f, "engine:{command}"),
        }
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Spec, SpecError> {
        match text.split_once(':') {
            Some(("level", level)) => level.parse().map(Spec::Level).map_err(|_| SpecError),
            Some(("engine", command)) if !command.trim().is_empty() => {
                Ok(Spec::Engine(command.trim().to_owned()))
            }
            Some(_) => Err(SpecError),
            None => text.parse().map(Spec::Level).map_err(|_| SpecError),
        }
    }
}

/// What those who think have to do it with.
#[derive(Clone, Debug)]
pub struct Means {
    /// Our own search.
    pub own: Arc<dyn Think>,
    /// For programs of others.
    pub limits: child::Limits,
}

/// One who thinks, about one game at a time.
#[derive(Debug)]
pub struct Thinker {
    means: Means,
    chance: Xoshiro256PlusPlus,
    mind: Mind,
}

#[derive(Debug)]
enum Mind {
    Own(Level),
    Other {
        command: String,
        /// The program while it runs: from its first move on, and not after a fault.
        child: Option<Box<Child>>,
    },
}

/// The move that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where.
    pub cell: Cell,
    /// What our search found; programs of others keep that to themselves.
    pub report: Option<Report>,
}

impl Choice {
    /// What the position is worth to the side to move, if that is known.
    pub fn score(&self) -> Option<Score> {
        self.report.as_ref().map(|report| report.score)
    }
}

impl Thinker {
    /// One who has not begun to think. Starts no program yet.
    pub fn new(spec: &Spec, means: &Means) -> Thinker {
        let mind = match spec {
            Spec::Level(level) => Mind::Own(*level),
            Spec::Engine(command) => Mind::Other { command: command.clone(), child: None },
        };
        Thinker { means: means.clone(), chance: rand::make_rng(), mind }
    }

    /// The same, but choosing in the same way every time between moves that look the same to our search.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Thinker {
        Thinker { chance: Xoshiro256PlusPlus::seed_from_u64(seed), ..self }
    }

    /// Makes sure that its program starts and knows these rules. Gives the name that it has for itself.
    ///
    /// # Errors
    /// What is wrong with the program.
    pub async fn introduce(&mut self, rules: &Rules) -> Result<Option<String>, Fault> {
        match &mut self.mind {
            Mind::Own(_) => Ok(None),
            Mind::Other { command, child } => {
                let started = child.insert(Box::new(Child::start(command, self.means.limits)?));
                let introduced = started.introduce(rules).await;
                if introduced.is_err() {
                    *child = None;
                }
                introduced
            }
        }
    }

    /// Chooses a move within the limits; a program of somebody else knows only that of time. Comes back
    /// with itself. Dropped meanwhile it stops at once, and its program is killed: there is no other way to
    /// tell one that its thought is of no use any more.
    ///
    /// # Errors
    /// What the program did wrong. It is killed then; the next move starts it again.
    pub async fn choose(mut self, position: Position, limits: Limits) -> (Thinker, Result<Choice, Fault>) {
        let result = match &mut self.mind {
            Mind::Own(level) => {
                let stop = StopOnDrop(Arc::default());
                let (seed, flag) = (self.chance.random(), Arc::clone(&stop.0));
                let question = Question { position, level: *level, limits, seed, stop: flag };
                self.means.own.think(question).await.map_or(Err(Fault::NoMove), |report| {
                    Ok(Choice { cell: report.best, report: Some(report) })
                })
            }
            Mind::Other { command, child } => {
                let turn = limits.time.unwrap_or(child::TURN);
                let result = match child
                    .take()
                    .map_or_else(|| Child::start(command, self.means.limits).map(Box::new), Ok)
                {
                    Ok(mut running) => {
                        let cell = running.choose(&position, turn).await;
                        if cell.is_ok() {
                            *child = Some(running);
                        }
                        cell
                    }
                    Err(fault) => Err(fault),
                };
                result.map(|cell| Choice { cell, report: None })
            }
        };
        (self, result)
    }

    /// Ends its program, asking first.
    pub async fn end(self) {
        if let Mind::Other { child: Some(child), .. } = self.mind {
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
    fn names_round_trip() {
        for text in ["level:easy", "level:perfect", "engine:pbrain-x", "engine:python3 a.py --b c:d"] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        assert_eq!("hard".parse(), Ok(Spec::Level(Level::Hard)));
        for wrong in ["", "brutal", "level:", "level:brutal", "engine:", "engine: ", "program:x"] {
            assert_eq!(wrong.parse::<Spec>(), Err(SpecError), "{wrong}");
        }
    }

    #[test]
    fn a_program_plays_what_its_protocol_can_name() {
        let (own, other): (Spec, Spec) = ("hard".parse().unwrap(), "engine:x".parse().unwrap());
        for (rules, expected) in [("15x15:5", true), ("3x3:3", false)] {
            let rules = rules.parse().unwrap();
            assert!(own.can_play(&rules));
            assert_eq!(other.can_play(&rules), expected);
        }
    }
}
