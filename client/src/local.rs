//! A game on this terminal: two people, a person and a bot, or two bots. No network.
//!
//! The board is the same `Game` as on a server and changes by the same events; here `referee`
//! makes them.

pub mod authority;

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{Cell, Game, Name, Player, PlayerKind, Rules, Seat};

use crate::engine::{Evaluation, Level};
use crate::engines::player_engine::{BestMove, EngineSpec};
use crate::i18n::Texts;
use crate::model::FormFieldError;

/// Who plays what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSetup {
    /// The game.
    pub rules: Rules,
    /// Who has X and who has O, unless lots are drawn.
    pub players: [LocalPlayerSpec; 2],
    /// Whether they are.
    pub seat_assignment: SeatAssignment,
}

/// How it is decided who has X, and so begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeatAssignment {
    /// As the sides are given.
    #[default]
    AsGiven,
    /// By chance.
    Random,
}

/// One who plays: a person by name, or a program. The text form is the name, `bot`, `bot:hard` or
/// `engine:COMMAND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalPlayerSpec {
    /// Somebody at this terminal.
    Person(Name),
    /// A program.
    Bot(EngineSpec),
}

impl LocalSetup {
    /// Whether every program that plays knows the game.
    pub fn is_playable(&self) -> bool {
        self.players.iter().all(|side| side.can_play(&self.rules))
    }
}

impl fmt::Display for LocalPlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocalPlayerSpec::Person(name) => name.fmt(f),
            LocalPlayerSpec::Bot(EngineSpec::Level(level)) => write!(f, "bot:{level}"),
            LocalPlayerSpec::Bot(engine @ EngineSpec::Engine(_)) => engine.fmt(f),
        }
    }
}

impl FromStr for LocalPlayerSpec {
    type Err = FormFieldError;

    fn from_str(text: &str) -> Result<LocalPlayerSpec, FormFieldError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("bot") {
            return Ok(LocalPlayerSpec::Bot(EngineSpec::Level(Level::default())));
        }
        match text.split_once(':') {
            Some((bot, level)) if bot.eq_ignore_ascii_case("bot") => level
                .parse()
                .map(|level| LocalPlayerSpec::Bot(EngineSpec::Level(level)))
                .map_err(|_| FormFieldError::Level),
            Some(("engine", _)) => text.parse().map(LocalPlayerSpec::Bot).map_err(|_| FormFieldError::Engine),
            Some(_) | None => text.parse().map(LocalPlayerSpec::Person).map_err(FormFieldError::Name),
        }
    }
}

impl LocalPlayerSpec {
    /// Whether it knows the game; people know all.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self {
            LocalPlayerSpec::Person(_) => true,
            LocalPlayerSpec::Bot(engine) => engine.can_play(rules),
        }
    }

    fn player(&self, texts: Texts) -> Player {
        match self {
            LocalPlayerSpec::Person(name) => Player { name: name.clone(), kind: PlayerKind::Human },
            LocalPlayerSpec::Bot(EngineSpec::Level(level)) => {
                Player { name: texts.local_bot_name(*level), kind: PlayerKind::Bot }
            }
            LocalPlayerSpec::Bot(EngineSpec::Engine(command)) => {
                // What it calls itself is known only once it runs.
                let program = command.split_whitespace().next().and_then(|path| path.rsplit('/').next());
                Player { name: crate::i18n::engine_name(program), kind: PlayerKind::Bot }
            }
        }
    }

    fn to_local_player(&self) -> LocalPlayer {
        match self {
            LocalPlayerSpec::Person(_) => LocalPlayer::Person,
            LocalPlayerSpec::Bot(engine) => LocalPlayer::Bot(engine.clone()),
        }
    }
}

/// Who holds a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalPlayer {
    /// Somebody at this terminal.
    Person,
    /// A program.
    Bot(EngineSpec),
}

/// The number of a thought, so that one which comes too late is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchId(u64);

/// What a bot is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BotState {
    /// Nothing.
    Idle,
    /// It thinks.
    Searching(SearchId),
    /// It has chosen, and waits until this instant so that people see one move after the other.
    Chosen { cell: Cell, due_at: u64 },
}

/// A game on this terminal, beside the board itself.
#[derive(Debug)]
pub struct LocalGame {
    players: [LocalPlayer; 2],
    bot_state: BotState,
    last_search_id: u64,
    /// What the bot of each seat thought of its position last.
    scores: [Option<Evaluation>; 2],
}

impl LocalGame {
    /// The seats as they are taken, and an empty board where X is to move. `swap_seats` exchanges the sides.
    pub fn open(setup: &LocalSetup, swap: bool, texts: Texts, now: u64) -> (Game, LocalGame) {
        let mut players = setup.players.clone();
        if swap {
            players.swap(0, 1);
        }
        let game = authority::open_game(setup.rules, players.each_ref().map(|side| side.player(texts)), now);
        let players = players.each_ref().map(LocalPlayerSpec::to_local_player);
        (game, LocalGame { players, bot_state: BotState::Idle, last_search_id: 0, scores: [None; 2] })
    }

    /// Who holds a seat.
    pub fn player(&self, seat: Seat) -> &LocalPlayer {
        &self.players[seat.index()]
    }

    /// Whether a person plays at all.
    pub fn has_person(&self) -> bool {
        self.players.contains(&LocalPlayer::Person)
    }

    /// The seat of the person who plays a bot; none when two people or two bots play.
    pub fn sole_person(&self) -> Option<Seat> {
        match self.players {
            [LocalPlayer::Person, LocalPlayer::Bot(_)] => Some(Seat::X),
            [LocalPlayer::Bot(_), LocalPlayer::Person] => Some(Seat::O),
            [LocalPlayer::Person, LocalPlayer::Person] | [LocalPlayer::Bot(_), LocalPlayer::Bot(_)] => None,
        }
    }

    /// The players have swapped seats for the next game.
    pub fn swap_seats(&mut self) {
        self.players.swap(0, 1);
        self.scores = [None; 2];
    }

    /// A bot begins to think: the number of its thought.
    pub fn start_search(&mut self) -> SearchId {
        self.last_search_id += 1;
        let search_id = SearchId(self.last_search_id);
        self.bot_state = BotState::Searching(search_id);
        search_id
    }

    /// Whether a bot thinks, or has thought and not moved yet.
    pub fn is_thinking(&self) -> bool {
        self.bot_state != BotState::Idle
    }

    /// What is being thought is of no use any more.
    pub fn cancel_search(&mut self) {
        self.bot_state = BotState::Idle;
    }

    /// The bot of `seat` has chosen, to be played at `move_due_at`. False when it thought about another position.
    pub fn on_search_result(&mut self, search_id: SearchId, seat: Seat, choice: &BestMove, due: u64) -> bool {
        if !self.is_current_search(search_id) {
            return false;
        }
        self.scores[seat.index()] = choice.score();
        self.bot_state = BotState::Chosen { cell: choice.cell, due_at: due };
        true
    }

    /// Whether a thought is still of use.
    pub fn is_current_search(&self, search_id: SearchId) -> bool {
        self.bot_state == BotState::Searching(search_id)
    }

    /// When a chosen move is to be played.
    pub fn move_due_at(&self) -> Option<u64> {
        match self.bot_state {
            BotState::Chosen { due_at: due, .. } => Some(due),
            BotState::Idle | BotState::Searching(_) => None,
        }
    }

    /// The chosen move, once it is due.
    pub fn take_due_move(&mut self, now: u64) -> Option<Cell> {
        match self.bot_state {
            BotState::Chosen { cell, due_at: due } if due <= now => {
                self.bot_state = BotState::Idle;
                Some(cell)
            }
            BotState::Chosen { .. } | BotState::Idle | BotState::Searching(_) => None,
        }
    }

    /// Whether the bot of a seat would take a draw, by what it thought last.
    pub fn would_accept_draw(&self, seat: Seat) -> bool {
        self.scores[seat.index()].is_some_and(Evaluation::is_draw_acceptable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SearchResult;

    #[test]
    fn sides_round_trip() {
        for text in ["Ann", "bot:easy", "bot:perfect", "Bot 2000", "engine:/opt/pbrain-x --fast"] {
            assert_eq!(text.parse::<LocalPlayerSpec>().unwrap().to_string(), text);
        }
        assert_eq!("BOT".parse(), Ok(LocalPlayerSpec::Bot(EngineSpec::Level(Level::default()))));
        assert_eq!("bot:brutal".parse::<LocalPlayerSpec>(), Err(FormFieldError::Level));
        assert_eq!("engine: ".parse::<LocalPlayerSpec>(), Err(FormFieldError::Engine));
        let engine: LocalPlayerSpec = "engine:/opt/pbrain-x --fast".parse().unwrap();
        assert_eq!(engine.player(Texts::default()).name.as_str(), "Bot pbrain-x");
        assert!(engine.can_play(&"15x15:5".parse().unwrap()) && !engine.can_play(&"3x3:3".parse().unwrap()));
        assert!(matches!("\u{1b}[2J".parse::<LocalPlayerSpec>(), Err(FormFieldError::Name(_))));
    }

    #[test]
    fn a_late_search_result_is_ignored() {
        let setup = LocalSetup {
            rules: "3x3:3".parse().unwrap(),
            players: ["Ann".parse().unwrap(), "bot:easy".parse().unwrap()],
            seat_assignment: SeatAssignment::AsGiven,
        };
        let (game, mut local) = LocalGame::open(&setup, true, Texts::default(), 5);
        assert_eq!(local.sole_person(), Some(Seat::O));
        assert_eq!(game.player(Seat::O).unwrap().name.as_str(), "Ann");
        let (old, new) = (local.start_search(), local.start_search());
        let best_move = |cell| {
            let report =
                SearchResult { best: cell, score: Evaluation::Draw, depth: 1, nodes: 1, pv: vec![cell] };
            BestMove { cell, report: Some(report) }
        };
        assert!(!local.on_search_result(old, Seat::X, &best_move(Cell::new(0)), 9));
        assert!(local.on_search_result(new, Seat::X, &best_move(Cell::new(1)), 9));
        assert_eq!(
            (local.take_due_move(8), local.take_due_move(9), local.take_due_move(9)),
            (None, Some(Cell::new(1)), None)
        );
        assert!(local.would_accept_draw(Seat::X) && !local.would_accept_draw(Seat::O));
    }
}
