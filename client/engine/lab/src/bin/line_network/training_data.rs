//! The positions of recorded games that the network learns from.

use std::fs;

use noughts_engine::internals::line_network::patterns::{
    BoardPatterns, DIRECTIONS, REACH, SIDES, side_cells,
};
use noughts_engine::internals::line_network::{EVALUATION_UNIT, supports};
use noughts_protocol::{Geometry, Rules};

use crate::AnyResult;
use crate::game_record::GameRecord;

/// The share of the search score in the target. The result of the game has the rest.
const SCORE_SHARE: f32 = 0.5;
/// Minimum result that a search score predicts. The maximum lies as far below 1.
const MIN_PREDICTION: f32 = 0.005;
/// One in this many games is for validation.
const VALIDATION_SHARE: usize = 32;

/// A position of a game with its target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    game: u32,
    ply: u16,
    /// The expected points of the side to move, from 0 to 1: from result and search together, and from each alone.
    pub(crate) target: f32,
    pub(crate) result: f32,
    pub(crate) prediction: f32,
}

/// Recorded games, and their positions without a line to complete for either side. The search evaluates only such
/// positions.
pub(crate) struct TrainingData {
    boards: Vec<BoardPatterns>,
    games: Vec<Game>,
    pub(crate) training: Vec<Sample>,
    pub(crate) validation: Vec<Sample>,
}

struct Game {
    board: usize,
    cells: Vec<u16>,
}

impl TrainingData {
    /// Reads the games of files.
    pub(crate) fn read(files: &[&str]) -> AnyResult<TrainingData> {
        let texts = files
            .iter()
            .map(fs::read_to_string)
            .collect::<Result<Vec<String>, _>>()?;
        TrainingData::from_records(texts.iter().flat_map(|text| text.lines()).map(str::parse))
    }

    pub(crate) fn from_records(
        records: impl Iterator<Item = AnyResult<GameRecord>>,
    ) -> AnyResult<TrainingData> {
        let mut rules_seen: Vec<Rules> = Vec::new();
        let (boards, games, training, validation) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut data = TrainingData {
            boards,
            games,
            training,
            validation,
        };
        for record in records {
            let record = record?;
            if !supports(&record.rules) {
                return Err(format!("the network evaluates no {}", record.rules).into());
            }
            let board = match rules_seen.iter().position(|&rules| rules == record.rules) {
                Some(board) => board,
                None => {
                    let board = BoardPatterns::new(&Geometry::new(record.rules));
                    data.boards
                        .push(board.ok_or("the board has not two dimensions")?);
                    rules_seen.push(record.rules);
                    rules_seen.len() - 1
                }
            };
            data.add_game(&record, board);
        }
        Ok(data)
    }

    fn add_game(&mut self, record: &GameRecord, board: usize) {
        let game = self.games.len();
        let samples = if game.is_multiple_of(VALIDATION_SHARE) {
            &mut self.validation
        } else {
            &mut self.training
        };
        let patterns = &self.boards[board];
        let mut position = PatternPosition::new(patterns);
        for (ply, played) in record.moves.iter().enumerate() {
            if let Some(score) = played.score
                && !position.can_complete()
            {
                let result = f32::from(if ply % 2 == 0 {
                    record.result
                } else {
                    2 - record.result
                }) / 2.0;
                let prediction = sigmoid(score as f32 / EVALUATION_UNIT)
                    .clamp(MIN_PREDICTION, 1.0 - MIN_PREDICTION);
                let target = SCORE_SHARE * prediction + (1.0 - SCORE_SHARE) * result;
                samples.push(Sample {
                    game: game as u32,
                    ply: ply as u16,
                    target,
                    result,
                    prediction,
                });
            }
            position.play(patterns, played.cell.index() as u16);
        }
        let cells = record
            .moves
            .iter()
            .map(|played| played.cell.index() as u16)
            .collect();
        self.games.push(Game { board, cells });
    }

    /// Returns the move that was played in a position.
    pub(crate) fn played(&self, sample: &Sample) -> u16 {
        self.games[sample.game as usize].cells[usize::from(sample.ply)]
    }

    pub(crate) fn position(&self, sample: &Sample) -> PatternPosition {
        let game = &self.games[sample.game as usize];
        let patterns = &self.boards[game.board];
        let mut position = PatternPosition::new(patterns);
        game.cells[..usize::from(sample.ply)]
            .iter()
            .for_each(|&cell| position.play(patterns, cell));
        position
    }
}

/// The patterns and stones of a position.
pub(crate) struct PatternPosition {
    patterns: Vec<[u16; DIRECTIONS]>,
    is_occupied: Vec<bool>,
    ply: u16,
}

impl PatternPosition {
    fn new(board: &BoardPatterns) -> PatternPosition {
        let cells = board.empty().len();
        PatternPosition {
            patterns: board.empty().to_vec(),
            is_occupied: vec![false; cells],
            ply: 0,
        }
    }

    fn play(&mut self, board: &BoardPatterns, cell: u16) {
        self.is_occupied[usize::from(cell)] = true;
        for part in board.parts(cell) {
            self.patterns[usize::from(part.cell)][usize::from(part.direction)] +=
                part.weight * (1 + self.ply % 2);
        }
        self.ply += 1;
    }

    /// Returns the seat to move: 0 or 1.
    pub(crate) fn turn(&self) -> usize {
        usize::from(self.ply % 2)
    }

    /// Returns the free cells with their patterns.
    pub(crate) fn free_cells(&self) -> impl Iterator<Item = (u16, [u16; DIRECTIONS])> {
        let cells = (0..).zip(&self.patterns).zip(&self.is_occupied);
        cells
            .filter(|&(_, is_occupied)| !is_occupied)
            .map(|((cell, &patterns), _)| (cell, patterns))
    }

    /// Returns whether one stone of either side completes a line of five.
    fn can_complete(&self) -> bool {
        self.free_cells().any(|(_, patterns)| {
            patterns
                .iter()
                .any(|&pattern| completes_five(usize::from(pattern)))
        })
    }
}

pub(crate) fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// Returns whether a stone of either seat in the middle of a pattern makes five in a row.
fn completes_five(pattern: usize) -> bool {
    let run = |side, seat| side_cells(side).take_while(|&cell| cell == seat).count();
    [1, 2]
        .into_iter()
        .any(|seat| run(pattern / SIDES, seat) + run(pattern % SIDES, seat) >= REACH)
}
