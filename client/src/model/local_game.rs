//! Local games: games at this terminal between people and engines, without a server.
//!
//! The game is the same `Game` as on a server and changes by the same events. [`decide`] produces the events from
//! commands, as a room does on a server.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use noughts_protocol::game::referee::Referee;
use noughts_protocol::wire::{Reject, RejectCode, RoomCommand};
use noughts_protocol::{
    Cell, Event, EventRecord, Game, Name, Player, PlayerKind, Rules, Seat, Seq,
};

use crate::engine::{Evaluation, Level};
use crate::engines::player_engine::{BestMove, EngineProgram, EngineSpec};
use crate::facts::FormFieldError;
use crate::i18n::engine_name;
use crate::i18n::lang::Lang;
use crate::puzzle::{Puzzle, PuzzleGame};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalSetup {
    pub rules: Rules,
    /// The players of X and O, before a random assignment.
    pub players: [LocalPlayerSpec; 2],
    /// Whether the seats are assigned as given or at random.
    pub seat_assignment: SeatAssignment,
}

/// How the players are assigned to the seats. X moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeatAssignment {
    /// The first player plays X.
    #[default]
    #[value(name = "x")]
    AsGiven,
    /// The seats are assigned at random.
    Random,
}

/// Choice of a player: a person or an engine. The text form is the name of a person, `bot`, `bot:hard`, or the text
/// form of an [`EngineProgram`], such as `plain:COMMAND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalPlayerSpec {
    /// A person at this terminal.
    Person(Name),
    Bot(EngineSpec),
}

impl LocalSetup {
    /// Returns whether all engines support the rules.
    pub(crate) fn is_playable(&self) -> bool {
        self.players.iter().all(|side| side.can_play(&self.rules))
    }
}

impl fmt::Display for LocalPlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocalPlayerSpec::Person(name) => name.fmt(f),
            LocalPlayerSpec::Bot(EngineSpec::Level(level)) => write!(f, "bot:{level}"),
            LocalPlayerSpec::Bot(engine @ EngineSpec::Program(_)) => engine.fmt(f),
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
        if let Some(program) = EngineProgram::parse(text) {
            return if program.command.is_empty() {
                Err(FormFieldError::BadEngine)
            } else {
                Ok(LocalPlayerSpec::Bot(EngineSpec::Program(program)))
            };
        }
        match text.split_once(':') {
            Some((bot, level)) if bot.eq_ignore_ascii_case("bot") => level
                .parse()
                .map(|level| LocalPlayerSpec::Bot(EngineSpec::Level(level)))
                .map_err(|_| FormFieldError::BadLevel),
            // Other tools use this prefix for programs, so it is not the name of a person.
            Some((engine, _)) if engine.eq_ignore_ascii_case("engine") => {
                Err(FormFieldError::BadEngine)
            }
            Some(_) | None => text
                .parse()
                .map(LocalPlayerSpec::Person)
                .map_err(FormFieldError::BadName),
        }
    }
}

impl LocalPlayerSpec {
    /// Returns the level of a built-in bot.
    pub(crate) fn level(&self) -> Option<Level> {
        match self {
            LocalPlayerSpec::Bot(EngineSpec::Level(level)) => Some(*level),
            LocalPlayerSpec::Bot(EngineSpec::Program(_)) | LocalPlayerSpec::Person(_) => None,
        }
    }

    /// Returns whether the player supports the rules. A person supports all rules.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self {
            LocalPlayerSpec::Person(_) => true,
            LocalPlayerSpec::Bot(engine) => engine.can_play(rules),
        }
    }

    fn player(&self, lang: Lang) -> Player {
        match self {
            LocalPlayerSpec::Person(name) => Player::guest(name.clone(), PlayerKind::Person),
            LocalPlayerSpec::Bot(EngineSpec::Level(level)) => {
                Player::guest(lang.texts().local_bot_name(*level), PlayerKind::Bot)
            }
            // The name comes from the command line, because the engine reports its own name only after it has started.
            LocalPlayerSpec::Bot(EngineSpec::Program(program)) => {
                Player::guest(engine_name(program.name()), PlayerKind::Bot)
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

/// Player in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LocalPlayer {
    /// A person at this terminal.
    Person,
    /// The main line of the puzzle.
    Puzzle,
    Bot(EngineSpec),
}

/// Number of a search. It identifies results that arrive too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchId(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BotState {
    /// No search is running.
    Idle,
    Searching(SearchId),
    /// The move has been chosen and is played at this time, so that people can follow the moves.
    Chosen {
        cell: Cell,
        due_at: u64,
    },
}

/// The players and searches of a local game, in addition to the `Game`.
#[derive(Debug)]
pub(crate) struct LocalGame {
    players: [LocalPlayer; 2],
    bot_state: BotState,
    last_search_id: u64,
    /// Last evaluation by the engine in each seat.
    scores: [Option<Evaluation>; 2],
    puzzle: Option<Box<PuzzleGame>>,
}

impl LocalGame {
    /// Starts a game with an empty board. `swap` swaps the seats of the setup.
    pub(crate) fn open(setup: &LocalSetup, swap: bool, lang: Lang, now: u64) -> (Game, LocalGame) {
        let mut players = setup.players.clone();
        if swap {
            players.swap(0, 1);
        }
        let game = open_game(
            setup.rules,
            players.each_ref().map(|side| side.player(lang)),
            now,
        );
        let players = players.each_ref().map(LocalPlayerSpec::to_local_player);
        (
            game,
            LocalGame {
                players,
                bot_state: BotState::Idle,
                last_search_id: 0,
                scores: [None; 2],
                puzzle: None,
            },
        )
    }

    /// Starts a puzzle at its position.
    pub(crate) fn open_puzzle(
        puzzle: PuzzleGame,
        own: Name,
        lang: Lang,
        now: u64,
    ) -> (Game, LocalGame) {
        let PuzzleGame {
            puzzle: Puzzle { rules, moves, .. },
            ..
        } = &puzzle;
        let seat = puzzle.puzzle.seat();
        let mut names = [own, lang.texts().puzzle_name()];
        let mut players = [LocalPlayer::Person, LocalPlayer::Puzzle];
        if seat == Seat::O {
            names.swap(0, 1);
            players.swap(0, 1);
        }
        // The name says that the opponent is not a person.
        let player = |name| Player {
            name,
            kind: PlayerKind::Person,
            identity: None,
        };
        let mut game = open_game(*rules, names.map(player), now);
        for (&cell, seat) in moves.iter().zip(Seat::ALL.into_iter().cycle()) {
            apply(
                &mut game,
                Event::Moved {
                    seat,
                    cell,
                    left: None,
                },
                now,
            );
        }
        let local = LocalGame {
            players,
            bot_state: BotState::Idle,
            last_search_id: 0,
            scores: [None; 2],
            puzzle: Some(Box::new(puzzle)),
        };
        (game, local)
    }

    pub(crate) fn puzzle(&self) -> Option<&PuzzleGame> {
        self.puzzle.as_deref()
    }

    pub(crate) fn puzzle_mut(&mut self) -> Option<&mut PuzzleGame> {
        self.puzzle.as_deref_mut()
    }

    /// Schedules the reply of the puzzle.
    pub(crate) fn choose_reply(&mut self, cell: Cell, due_at: u64) {
        self.bot_state = BotState::Chosen { cell, due_at };
    }

    pub(crate) fn player(&self, seat: Seat) -> &LocalPlayer {
        &self.players[seat.index()]
    }

    /// Returns whether at least one player is a person.
    pub(crate) fn has_person(&self) -> bool {
        self.players.contains(&LocalPlayer::Person)
    }

    /// Returns the seat of a person who plays against an engine; `None` for two people or two engines.
    pub(crate) fn sole_person(&self) -> Option<Seat> {
        match self.players {
            [
                LocalPlayer::Person,
                LocalPlayer::Bot(_) | LocalPlayer::Puzzle,
            ] => Some(Seat::X),
            [
                LocalPlayer::Bot(_) | LocalPlayer::Puzzle,
                LocalPlayer::Person,
            ] => Some(Seat::O),
            [LocalPlayer::Person, LocalPlayer::Person]
            | [
                LocalPlayer::Bot(_) | LocalPlayer::Puzzle,
                LocalPlayer::Bot(_) | LocalPlayer::Puzzle,
            ] => None,
        }
    }

    /// Swaps the players for a rematch.
    pub(crate) fn swap_seats(&mut self) {
        self.players.swap(0, 1);
        self.scores = [None; 2];
    }

    /// Records the start of a search, and returns its number.
    pub(crate) fn start_search(&mut self) -> SearchId {
        self.last_search_id += 1;
        let search_id = SearchId(self.last_search_id);
        self.bot_state = BotState::Searching(search_id);
        search_id
    }

    /// Returns whether a search is running, or a chosen move has not been played yet.
    pub(crate) fn is_thinking(&self) -> bool {
        self.bot_state != BotState::Idle
    }

    /// Discards the running search or the chosen move.
    pub(crate) fn cancel_search(&mut self) {
        self.bot_state = BotState::Idle;
    }

    /// Records the move that a search for `seat` chose, to be played at `due_at`. If the search is not the current
    /// search, changes nothing and returns `false`.
    pub(crate) fn on_search_result(
        &mut self,
        search_id: SearchId,
        seat: Seat,
        choice: &BestMove,
        due_at: u64,
    ) -> bool {
        if !self.is_current_search(search_id) {
            return false;
        }
        self.scores[seat.index()] = choice.score();
        self.bot_state = BotState::Chosen {
            cell: choice.cell,
            due_at,
        };
        true
    }

    /// Returns whether this search is the current search.
    pub(crate) fn is_current_search(&self, search_id: SearchId) -> bool {
        self.bot_state == BotState::Searching(search_id)
    }

    /// Returns the time when the chosen move is due.
    pub(crate) fn move_due_at(&self) -> Option<u64> {
        match self.bot_state {
            BotState::Chosen { due_at, .. } => Some(due_at),
            BotState::Idle | BotState::Searching(_) => None,
        }
    }

    /// Takes the chosen move if it is due.
    pub(crate) fn take_due_move(&mut self, now: u64) -> Option<Cell> {
        match self.bot_state {
            BotState::Chosen { cell, due_at } if due_at <= now => {
                self.bot_state = BotState::Idle;
                Some(cell)
            }
            BotState::Chosen { .. } | BotState::Idle | BotState::Searching(_) => None,
        }
    }

    /// Returns whether the engine in a seat accepts a draw, according to its last evaluation.
    pub(crate) fn would_accept_draw(&self, seat: Seat) -> bool {
        self.scores[seat.index()].is_some_and(Evaluation::is_draw_acceptable)
    }
}

/// Opens a game with both players seated, and starts the first game.
pub(crate) fn open_game(rules: Rules, players: [Player; 2], now: u64) -> Game {
    let stamp = |number: u64, event| EventRecord {
        seq: Seq::new(number),
        at: now,
        by: None,
        event,
    };
    let opened = Event::Opened {
        rules,
        clock: None,
        public: false,
        free_first_moves: false,
    };
    let mut game = Game::open(&stamp(1, opened)).expect("a first event opens a game");
    let [x, o] = players;
    let events = [
        Event::Seated {
            seat: Seat::X,
            player: x,
        },
        Event::Seated {
            seat: Seat::O,
            player: o,
        },
        Event::Started { game: 1 },
    ];
    for (number, event) in (2..).zip(events) {
        game.apply(&stamp(number, event))
            .expect("two players can be seated and start");
    }
    game
}

/// Decides a command from `seat`, and returns the resulting events. An offer is accepted immediately, because both
/// players share a terminal.
///
/// # Errors
/// Returns the rejection that a server would send.
pub(crate) fn decide(game: &Game, seat: Seat, command: RoomCommand) -> Result<Vec<Event>, Reject> {
    // A local game has no clock, so the time does not matter.
    let referee = Referee::new(game, game.last_event_at());
    match command {
        RoomCommand::Move { cell, .. } => referee.play(seat, cell),
        RoomCommand::Resign => Ok(vec![referee.resign(seat)?]),
        RoomCommand::Offer { offer } => Ok(vec![referee.agree(seat, offer)?]),
        RoomCommand::Accept { .. } | RoomCommand::Decline { .. } => Err(RejectCode::NoOffer.into()),
        RoomCommand::Claim { .. } => Err(RejectCode::NotClaimable.into()),
        RoomCommand::Flag => Err(RejectCode::FlagNotFallen.into()),
        RoomCommand::Abort => Ok(vec![referee.abort()?]),
    }
}

/// Applies an event as the next event. Returns `false` if the event is impossible. The events from [`decide`] are
/// always possible.
pub(crate) fn apply(game: &mut Game, event: Event, now: u64) -> bool {
    let at = now.max(game.last_event_at());
    game.apply(&EventRecord {
        seq: game.seq().next(),
        at,
        by: None,
        event,
    })
    .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SearchResult;
    use noughts_protocol::Cell;

    #[test]
    fn player_specs_round_trip() {
        for text in [
            "Ann",
            "bot:easy",
            "bot:perfect",
            "Bot 2000",
            "gomocup:/opt/pbrain-x --fast",
        ] {
            assert_eq!(text.parse::<LocalPlayerSpec>().unwrap().to_string(), text);
        }
        assert_eq!(
            "BOT".parse(),
            Ok(LocalPlayerSpec::Bot(EngineSpec::Level(Level::default())))
        );
        assert_eq!(
            "bot:brutal".parse::<LocalPlayerSpec>(),
            Err(FormFieldError::BadLevel)
        );
        for program in ["plain: ", "engine:foo", "Engine:"] {
            assert_eq!(
                program.parse::<LocalPlayerSpec>(),
                Err(FormFieldError::BadEngine)
            );
        }
        let engine: LocalPlayerSpec = "gomocup:/opt/pbrain-x --fast".parse().unwrap();
        assert_eq!(engine.player(Lang::default()).name.as_str(), "Bot pbrain-x");
        assert!(
            engine.can_play(&"15x15:5".parse().unwrap())
                && !engine.can_play(&"3x3:3".parse().unwrap())
        );
        assert!(matches!(
            "\u{1b}[2J".parse::<LocalPlayerSpec>(),
            Err(FormFieldError::BadName(_))
        ));
    }

    #[test]
    fn a_late_search_result_is_ignored() {
        let setup = LocalSetup {
            rules: "3x3:3".parse().unwrap(),
            players: ["Ann".parse().unwrap(), "bot:easy".parse().unwrap()],
            seat_assignment: SeatAssignment::AsGiven,
        };
        let (game, mut local) = LocalGame::open(&setup, true, Lang::default(), 5);
        assert_eq!(local.sole_person(), Some(Seat::O));
        assert_eq!(game.player(Seat::O).unwrap().name.as_str(), "Ann");
        let (old, new) = (local.start_search(), local.start_search());
        let best_move = |cell| {
            let report = SearchResult {
                best: cell,
                score: Evaluation::Draw,
                exact: true,
                depth: 1,
                nodes: 1,
                pv: vec![cell],
            };
            BestMove {
                cell,
                report: Some(report),
            }
        };
        assert!(!local.on_search_result(old, Seat::X, &best_move(Cell::new(0)), 9));
        assert!(local.on_search_result(new, Seat::X, &best_move(Cell::new(1)), 9));
        assert_eq!(
            (
                local.take_due_move(8),
                local.take_due_move(9),
                local.take_due_move(9)
            ),
            (None, Some(Cell::new(1)), None)
        );
        assert!(local.would_accept_draw(Seat::X) && !local.would_accept_draw(Seat::O));
    }
}
