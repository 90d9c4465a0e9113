//! The puzzle of the day: a position with one winning move for the player to move.
//!
//! The puzzles are in `client/puzzles.txt`; the laboratory of the engine has made and proven them. Every client chooses
//! the same puzzle for a day, without a server. The player's moves are compared with the main line of the puzzle, which
//! also has the replies: no engine is needed.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use noughts_protocol::{Cell, Position, Rules, Seat, Status};
use serde::{Deserialize, Serialize};

/// The rules of each game on a line of their own, and below them a line for each puzzle: the moves until its position,
/// a blank, and the main line. A cell is its number in two digits of base 36.
const PUZZLES: &str = include_str!("../puzzles.txt");

/// The puzzles of each game, read once: the home screen names the puzzle whenever it is drawn.
static GAMES: LazyLock<Vec<(Rules, Vec<&str>)>> = LazyLock::new(|| {
    let mut games: Vec<(Rules, Vec<&str>)> = Vec::new();
    for line in PUZZLES.lines() {
        match games.last_mut() {
            Some((_, puzzles)) if line.contains(' ') => puzzles.push(line),
            _ => games.push((line.parse().expect("the file has valid rules"), Vec::new())),
        }
    }
    games
});

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// A position with a forced win, and its main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Puzzle {
    /// Days from 1970-01-01 in UTC.
    pub day: u32,
    pub rules: Rules,
    /// The moves until the position.
    pub moves: Vec<Cell>,
    /// The moves of the player and the replies. The last move is the player's.
    line: Vec<Cell>,
}

/// The task of a puzzle: this seat wins with this number of moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleTask {
    /// The day, as `2026-11-28`.
    pub date: String,
    pub rules: Rules,
    pub seat: Seat,
    pub moves: usize,
}

/// The end of a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleResult {
    pub task: PuzzleTask,
    /// Whether the player has found the moves, today or earlier on this day.
    pub solved: bool,
    /// Number of wrong moves.
    pub mistakes: u32,
    /// Number of consecutive days with a solved puzzle.
    pub streak: u32,
    /// The player's moves of the main line.
    pub moves: Vec<String>,
}

/// A puzzle on the screen, and the progress with it.
#[derive(Debug)]
pub(crate) struct PuzzleGame {
    pub puzzle: Puzzle,
    pub progress: PuzzleProgress,
}

/// How far the player has come with the puzzle of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PuzzleProgress {
    pub day: u32,
    /// Number of wrong moves.
    pub mistakes: u32,
    pub state: PuzzleState,
    /// Number of consecutive days with a solved puzzle, up to the last solved puzzle.
    pub streak: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PuzzleState {
    Open,
    Solved,
    /// The player has looked at the solution.
    GivenUp,
}

impl Puzzle {
    /// Returns the puzzle of a day. `day` is the number of days from 1970-01-01 in UTC. The games take turns.
    pub(crate) fn of_day(day: u32) -> Puzzle {
        let game_count = GAMES.len() as u32;
        let (rules, puzzles) = &GAMES[(day % game_count) as usize];
        let line = puzzles[(day / game_count) as usize % puzzles.len()];
        let (moves, line) = line.split_once(' ').expect("a puzzle has a main line");
        Puzzle {
            day,
            rules: *rules,
            moves: cells(moves),
            line: cells(line),
        }
    }

    /// Returns the seat of the player.
    pub(crate) fn seat(&self) -> Seat {
        Seat::ALL[self.moves.len() % 2]
    }

    /// Returns the number of moves that the player has left in a position of the main line.
    pub(crate) fn moves_left(&self, ply: usize) -> usize {
        (self.moves.len() + self.line.len() + 1).saturating_sub(ply) / 2
    }

    /// Returns whether a move of the player is right: the move of the main line or, at its end, each move that wins.
    pub(crate) fn is_right(&self, position: &Position, cell: Cell) -> bool {
        let is_last = self.moves_left(position.ply()) == 1;
        self.line_move(position.ply()) == Some(cell) || (is_last && self.ends_game(position, cell))
    }

    /// Returns whether a move wins immediately or, in misère, leaves the opponent only moves that complete a line.
    fn ends_game(&self, position: &Position, cell: Cell) -> bool {
        let won = Ok(Status::Won(self.seat()));
        let mut after = position.clone();
        match after.play(cell) {
            Ok(Status::Ongoing) if self.rules.misere() => after
                .legal_moves()
                .all(|reply| after.status_after(reply) == won),
            status => status == won,
        }
    }

    /// Returns the move of the main line after this number of moves.
    pub(crate) fn line_move(&self, ply: usize) -> Option<Cell> {
        self.line.get(ply.checked_sub(self.moves.len())?).copied()
    }
}

impl PuzzleGame {
    pub(crate) fn task(&self) -> PuzzleTask {
        let Puzzle {
            day, rules, moves, ..
        } = &self.puzzle;
        PuzzleTask {
            date: date(*day),
            rules: *rules,
            seat: self.puzzle.seat(),
            moves: self.puzzle.moves_left(moves.len()),
        }
    }

    /// Returns the result, once the puzzle is solved or given up, with these names of cells.
    pub(crate) fn result(&self, name: impl Fn(Cell) -> String) -> PuzzleResult {
        let PuzzleProgress {
            mistakes,
            state,
            streak,
            ..
        } = self.progress;
        let line = self.puzzle.line.iter().step_by(2);
        PuzzleResult {
            task: self.task(),
            solved: state == PuzzleState::Solved,
            mistakes,
            streak,
            moves: line.copied().map(name).collect(),
        }
    }
}

impl PuzzleProgress {
    /// Returns the progress at the start of a puzzle. A puzzle of the same day keeps its progress.
    pub(crate) fn start(day: u32, last: Option<PuzzleProgress>) -> PuzzleProgress {
        if let Some(progress) = last.filter(|last| last.day == day) {
            return progress;
        }
        let solved_yesterday = last.filter(|last| {
            last.state == PuzzleState::Solved && last.day.checked_add(1) == Some(day)
        });
        PuzzleProgress {
            day,
            mistakes: 0,
            state: PuzzleState::Open,
            streak: solved_yesterday.map_or(0, |last| last.streak),
        }
    }

    /// Counts a wrong move. A puzzle that was solved or given up stays as it is.
    pub(crate) fn on_mistake(&mut self) {
        if self.state == PuzzleState::Open {
            self.mistakes = self.mistakes.saturating_add(1);
        }
    }

    pub(crate) fn on_solved(&mut self) {
        if self.state == PuzzleState::Open {
            self.state = PuzzleState::Solved;
            self.streak = self.streak.saturating_add(1);
        }
    }

    pub(crate) fn on_given_up(&mut self) {
        if self.state == PuzzleState::Open {
            self.state = PuzzleState::GivenUp;
            self.streak = 0;
        }
    }
}

fn cells(text: &str) -> Vec<Cell> {
    let number = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok()?;
        u16::from_str_radix(digits, 36).ok()
    };
    let cells = text.as_bytes().chunks(2).map(number);
    cells
        .map(|cell| Cell::new(cell.expect("the file has two digits for each cell")))
        .collect()
}

/// Returns the date of a day, as `2026-11-28`.
pub(crate) fn date(day: u32) -> String {
    let at = UNIX_EPOCH + Duration::from_secs(u64::from(day) * SECONDS_PER_DAY);
    let mut text = humantime::format_rfc3339_seconds(at).to_string();
    text.truncate(text.find('T').unwrap_or(text.len()));
    text
}

/// Returns the number of the day of a time.
pub(crate) fn day_of(time: SystemTime) -> u32 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs() / SECONDS_PER_DAY).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_puzzle_is_a_game_that_its_line_wins() {
        let count = PUZZLES.lines().filter(|line| line.contains(' ')).count() as u32;
        let mut seen = std::collections::BTreeSet::new();
        for day in 0..10 * count {
            let puzzle = Puzzle::of_day(day);
            let mut position = Position::new(puzzle.rules);
            for cell in &puzzle.moves {
                assert_eq!(position.play(*cell), Ok(Status::Ongoing), "{puzzle:?}");
            }
            assert_eq!(position.turn(), puzzle.seat());
            let own_moves = puzzle.moves_left(position.ply());
            assert!((2..=4).contains(&own_moves), "{puzzle:?}");
            while let Some(cell) = puzzle.line_move(position.ply()) {
                if position.turn() == puzzle.seat() {
                    assert!(puzzle.is_right(&position, cell));
                }
                position.play(cell).expect("a legal move");
            }
            seen.insert((puzzle.rules.to_string(), puzzle.moves.clone()));
            if puzzle.rules.misere() {
                // The opponent has to complete a line.
                let replies: Vec<Cell> = position.legal_moves().collect();
                let lost = |cell| position.status_after(cell) == Ok(Status::Won(puzzle.seat()));
                assert!(
                    !replies.is_empty() && replies.into_iter().all(lost),
                    "{puzzle:?}"
                );
            } else {
                assert_eq!(position.status(), Status::Won(puzzle.seat()), "{puzzle:?}");
            }
        }
        assert_eq!(seen.len(), count as usize);
    }

    #[test]
    fn a_move_is_right_if_it_keeps_the_win_in_time() {
        let puzzle = Puzzle {
            day: 0,
            rules: "3x3:3".parse().unwrap(),
            moves: cells("08000607"),
            line: cells("020104"),
        };
        let mut position = Position::new(puzzle.rules);
        for cell in &puzzle.moves {
            position.play(*cell).unwrap();
        }
        assert_eq!((puzzle.seat(), puzzle.moves_left(4)), (Seat::X, 2));
        assert!(puzzle.is_right(&position, Cell::new(2)));
        assert!(!puzzle.is_right(&position, Cell::new(1)));
        position.play(Cell::new(2)).unwrap();
        position.play(Cell::new(1)).unwrap();
        assert_eq!(puzzle.moves_left(6), 1);
        // Both ends of the fork win.
        assert!(puzzle.is_right(&position, Cell::new(4)));
        assert!(puzzle.is_right(&position, Cell::new(5)));
        assert!(!puzzle.is_right(&position, Cell::new(3)));
    }

    #[test]
    fn each_last_move_that_wins_is_right_in_misere() {
        let puzzle = Puzzle {
            day: 0,
            rules: "3x3:3+misere".parse().unwrap(),
            moves: cells("02040100"),
            line: cells("070305"),
        };
        let mut position = Position::new(puzzle.rules);
        for cell in puzzle.moves.iter().chain(&puzzle.line[..2]) {
            position.play(*cell).unwrap();
        }
        let right = position
            .legal_moves()
            .filter(|cell| puzzle.is_right(&position, *cell));
        assert_eq!(right.collect::<Vec<_>>(), cells("050608"));
    }

    #[test]
    fn a_streak_grows_by_consecutive_solved_days() {
        let mut monday = PuzzleProgress::start(10, None);
        monday.on_mistake();
        monday.on_solved();
        assert_eq!((monday.mistakes, monday.streak), (1, 1));
        // Solving a puzzle again changes nothing.
        let mut again = PuzzleProgress::start(10, Some(monday));
        again.on_mistake();
        again.on_solved();
        again.on_given_up();
        assert_eq!(again, monday);
        let mut tuesday = PuzzleProgress::start(11, Some(monday));
        assert_eq!((tuesday.mistakes, tuesday.streak), (0, 1));
        tuesday.on_solved();
        assert_eq!(tuesday.streak, 2);
        let thursday = PuzzleProgress::start(13, Some(tuesday));
        assert_eq!(thursday.streak, 0);
        let mut wednesday = PuzzleProgress::start(12, Some(tuesday));
        wednesday.on_given_up();
        assert_eq!(PuzzleProgress::start(13, Some(wednesday)).streak, 0);
    }

    #[test]
    fn days_have_dates() {
        assert_eq!([0, 20_785].map(date), ["1970-01-01", "2026-11-28"]);
        let last_second = UNIX_EPOCH + Duration::from_secs(20_786 * SECONDS_PER_DAY - 1);
        assert_eq!(day_of(last_second), 20_785);
    }
}
