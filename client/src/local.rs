//! A game on this terminal: two people, a person and a bot, or two bots. No network.
//!
//! The board is the same `Game` as on a server and changes by the same events; here `referee`
//! makes them.

pub mod referee;

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{Cell, Game, Kind, Name, Player, Rules, Seat};

use crate::engine::{Level, Score};
use crate::model::FieldError;
use crate::thinker::{Choice, Spec};
use crate::words::Words;

/// Who plays what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The game.
    pub rules: Rules,
    /// Who has X and who has O, unless lots are drawn.
    pub sides: [SideSpec; 2],
    /// Whether they are.
    pub lot: Lot,
}

/// How it is decided who has X, and so begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lot {
    /// As the sides are given.
    #[default]
    AsGiven,
    /// By chance.
    Random,
}

/// One who plays: a person by name, or a program. The text form is the name, `bot`, `bot:hard` or
/// `engine:COMMAND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideSpec {
    /// Somebody at this terminal.
    Person(Name),
    /// A program.
    Bot(Spec),
}

impl Setup {
    /// Whether every program that plays knows the game.
    pub fn is_known_to_all(&self) -> bool {
        self.sides.iter().all(|side| side.can_play(&self.rules))
    }
}

impl fmt::Display for SideSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideSpec::Person(name) => name.fmt(f),
            SideSpec::Bot(Spec::Level(level)) => write!(f, "bot:{level}"),
            SideSpec::Bot(engine @ Spec::Engine(_)) => engine.fmt(f),
        }
    }
}

impl FromStr for SideSpec {
    type Err = FieldError;

    fn from_str(text: &str) -> Result<SideSpec, FieldError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("bot") {
            return Ok(SideSpec::Bot(Spec::Level(Level::default())));
        }
        match text.split_once(':') {
            Some((bot, level)) if bot.eq_ignore_ascii_case("bot") => {
                level.parse().map(|level| SideSpec::Bot(Spec::Level(level))).map_err(|_| FieldError::Level)
            }
            Some(("engine", _)) => text.parse().map(SideSpec::Bot).map_err(|_| FieldError::Engine),
            Some(_) | None => text.parse().map(SideSpec::Person).map_err(FieldError::Name),
        }
    }
}

impl SideSpec {
    /// Whether it knows the game; people know all.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self {
            SideSpec::Person(_) => true,
            SideSpec::Bot(thinks) => thinks.can_play(rules),
        }
    }

    fn player(&self, words: Words) -> Player {
        match self {
            SideSpec::Person(name) => Player { name: name.clone(), kind: Kind::Human },
            SideSpec::Bot(Spec::Level(level)) => Player { name: words.bot_here(*level), kind: Kind::Bot },
            SideSpec::Bot(Spec::Engine(command)) => {
                // What it calls itself is known only once it runs.
                let program = command.split_whitespace().next().and_then(|path| path.rsplit('/').next());
                Player { name: crate::words::engine_name(program), kind: Kind::Bot }
            }
        }
    }

    fn side(&self) -> Side {
        match self {
            SideSpec::Person(_) => Side::Person,
            SideSpec::Bot(thinks) => Side::Bot(thinks.clone()),
        }
    }
}

/// Who holds a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// Somebody at this terminal.
    Person,
    /// A program.
    Bot(Spec),
}

/// The number of a thought, so that one which comes too late is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// What a bot is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thought {
    /// Nothing.
    None,
    /// It thinks.
    Running(Ticket),
    /// It has chosen, and waits until this instant so that people see one move after the other.
    Chosen { cell: Cell, due: u64 },
}

/// A game on this terminal, beside the board itself.
#[derive(Debug)]
pub struct Local {
    sides: [Side; 2],
    thought: Thought,
    tickets: u64,
    /// What the bot of each seat thought of its position last.
    scores: [Option<Score>; 2],
}

impl Local {
    /// The seats as they are taken, and an empty board where X is to move. `swap` exchanges the sides.
    pub fn open(setup: &Setup, swap: bool, words: Words, now: u64) -> (Game, Local) {
        let mut sides = setup.sides.clone();
        if swap {
            sides.swap(0, 1);
        }
        let game = referee::open(setup.rules, sides.each_ref().map(|side| side.player(words)), now);
        let sides = sides.each_ref().map(SideSpec::side);
        (game, Local { sides, thought: Thought::None, tickets: 0, scores: [None; 2] })
    }

    /// Who holds a seat.
    pub fn side(&self, seat: Seat) -> &Side {
        &self.sides[seat.index()]
    }

    /// Whether a person plays at all.
    pub fn has_person(&self) -> bool {
        self.sides.contains(&Side::Person)
    }

    /// The seat of the person who plays a bot; none when two people or two bots play.
    pub fn only_person(&self) -> Option<Seat> {
        match self.sides {
            [Side::Person, Side::Bot(_)] => Some(Seat::X),
            [Side::Bot(_), Side::Person] => Some(Seat::O),
            [Side::Person, Side::Person] | [Side::Bot(_), Side::Bot(_)] => None,
        }
    }

    /// The players have swapped seats for the next game.
    pub fn swap(&mut self) {
        self.sides.swap(0, 1);
        self.scores = [None; 2];
    }

    /// A bot begins to think: the number of its thought.
    pub fn begin(&mut self) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.thought = Thought::Running(ticket);
        ticket
    }

    /// Whether a bot thinks, or has thought and not moved yet.
    pub fn is_thinking(&self) -> bool {
        self.thought != Thought::None
    }

    /// What is being thought is of no use any more.
    pub fn forget(&mut self) {
        self.thought = Thought::None;
    }

    /// The bot of `seat` has chosen, to be played at `due`. False when it thought about another position.
    pub fn chosen(&mut self, ticket: Ticket, seat: Seat, choice: &Choice, due: u64) -> bool {
        if !self.awaits(ticket) {
            return false;
        }
        self.scores[seat.index()] = choice.score();
        self.thought = Thought::Chosen { cell: choice.cell, due };
        true
    }

    /// Whether a thought is still of use.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.thought == Thought::Running(ticket)
    }

    /// When a chosen move is to be played.
    pub fn due(&self) -> Option<u64> {
        match self.thought {
            Thought::Chosen { due, .. } => Some(due),
            Thought::None | Thought::Running(_) => None,
        }
    }

    /// The chosen move, once it is due.
    pub fn take_due(&mut self, now: u64) -> Option<Cell> {
        match self.thought {
            Thought::Chosen { cell, due } if due <= now => {
                self.thought = Thought::None;
                Some(cell)
            }
            Thought::Chosen { .. } | Thought::None | Thought::Running(_) => None,
        }
    }

    /// Whether the bot of a seat would take a draw, by what it thought last.
    pub fn welcomes_draw(&self, seat: Seat) -> bool {
        self.scores[seat.index()].is_some_and(Score::welcomes_draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Report;

    #[test]
    fn sides_round_trip() {
        for text in ["Ann", "bot:easy", "bot:perfect", "Bot 2000", "engine:/opt/pbrain-x --fast"] {
            assert_eq!(text.parse::<SideSpec>().unwrap().to_string(), text);
        }
        assert_eq!("BOT".parse(), Ok(SideSpec::Bot(Spec::Level(Level::default()))));
        assert_eq!("bot:brutal".parse::<SideSpec>(), Err(FieldError::Level));
        assert_eq!("engine: ".parse::<SideSpec>(), Err(FieldError::Engine));
        let engine: SideSpec = "engine:/opt/pbrain-x --fast".parse().unwrap();
        assert_eq!(engine.player(Words::default()).name.as_str(), "Bot pbrain-x");
        assert!(engine.can_play(&"15x15:5".parse().unwrap()) && !engine.can_play(&"3x3:3".parse().unwrap()));
        assert!(matches!("\u{1b}[2J".parse::<SideSpec>(), Err(FieldError::Name(_))));
    }

    #[test]
    fn a_late_thought_is_told_apart() {
        let setup = Setup {
            rules: "3x3:3".parse().unwrap(),
            sides: ["Ann".parse().unwrap(), "bot:easy".parse().unwrap()],
            lot: Lot::AsGiven,
        };
        let (game, mut local) = Local::open(&setup, true, Words::default(), 5);
        assert_eq!(local.only_person(), Some(Seat::O));
        assert_eq!(game.player(Seat::O).unwrap().name.as_str(), "Ann");
        let (old, new) = (local.begin(), local.begin());
        let choice = |cell| {
            let report = Report { best: cell, score: Score::Draw, depth: 1, nodes: 1, line: vec![cell] };
            Choice { cell, report: Some(report) }
        };
        assert!(!local.chosen(old, Seat::X, &choice(Cell::new(0)), 9));
        assert!(local.chosen(new, Seat::X, &choice(Cell::new(1)), 9));
        assert_eq!(
            (local.take_due(8), local.take_due(9), local.take_due(9)),
            (None, Some(Cell::new(1)), None)
        );
        assert!(local.welcomes_draw(Seat::X) && !local.welcomes_draw(Seat::O));
    }
}
