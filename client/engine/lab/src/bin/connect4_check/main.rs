//! Proves the opening book of Connect Four with an independent solver: the value of every entry, and that the move of
//! the entry keeps the value. The latest entries come first, because their results shorten the proofs of the earlier
//! entries.
//!
//! `cargo run --release --bin connect4_check [SAMPLE]`: about SAMPLE of the entries, by default all. Exit code 1 if
//! an entry is wrong.

mod reference_solver;

use std::collections::BTreeMap;
use std::process::ExitCode;

use noughts_engine::Evaluation;
use noughts_engine::internals::connect4::MAX_OPENING_PLY;
use noughts_engine::internals::probe;
use noughts_protocol::{Cell, Position, Seat};
use reference_solver::{ReferenceBoard, ReferenceSolver};

/// The positions of a ply, each with the board and its mirror image. One key stands for both boards.
type PlyPositions = BTreeMap<u64, (Position, [ReferenceBoard; 2])>;

struct Claim {
    position: Position,
    board: ReferenceBoard,
    after: ReferenceBoard,
    score: Evaluation,
}

fn main() -> ExitCode {
    let sample = std::env::args()
        .nth(1)
        .map(|text| text.parse::<usize>().expect("SAMPLE is a number"));
    let rules = "7x6:4+gravity".parse().expect("the rules are valid");
    let (empty, boards) = (Position::new(rules), [ReferenceBoard::default(); 2]);
    let mut claims = Vec::new();
    let (mut level, mut next) = (
        PlyPositions::from([(0, (empty.clone(), boards))]),
        PlyPositions::new(),
    );
    add_replies(&mut next, &empty, boards);
    while !(level.is_empty() && next.is_empty()) {
        let mut after_next = PlyPositions::new();
        for (position, boards) in level.into_values() {
            if position.ply() < MAX_OPENING_PLY {
                add_replies(&mut next, &position, boards);
            }
            let Some((best, score)) = probe(&position) else {
                continue;
            };
            let mut after = position.clone();
            after.play(best).expect("the book has legal moves");
            let after_boards = play(boards, best.index() as u32 % 7).expect("a legal move");
            add_replies(&mut after_next, &after, after_boards);
            let ([board, _], [after, _]) = (boards, after_boards);
            claims.push(Claim {
                position,
                board,
                after,
                score,
            });
        }
        (level, next) = (next, after_next);
    }
    let step = sample.map_or(1, |sample| (claims.len() / sample.max(1)).max(1));
    let mut solvers = Seat::ALL.map(|seat| ReferenceSolver::new(24, seat));
    let (mut checked, mut wrong) = (0, 0);
    for claim in claims.iter().rev().step_by(step) {
        checked += 1;
        if !claim.is_proven(&mut solvers) {
            wrong += 1;
            println!("wrong: {:?} {:?}", claim.position, claim.score);
        }
        if checked % 1_000 == 0 {
            eprintln!("{checked} entries, ply {}", claim.position.ply());
        }
    }
    println!("{checked} of {} entries, {wrong} wrong", claims.len());
    if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn play([board, image]: [ReferenceBoard; 2], column: u32) -> Option<[ReferenceBoard; 2]> {
    Some([board.play(column)?, image.play(6 - column)?])
}

/// Adds the positions after each reply, without positions where the next stone completes a line.
fn add_replies(level: &mut PlyPositions, position: &Position, boards: [ReferenceBoard; 2]) {
    for column in 0..7 {
        let Some(boards) = play(boards, column) else {
            continue;
        };
        if !boards[0].can_complete_line() {
            let mut position = position.clone();
            let cell = Cell::new(column as u16);
            position.play(cell).expect("the column is not full");
            let key = boards[0].key().min(boards[1].key());
            level.entry(key).or_insert((position, boards));
        }
    }
}

impl Claim {
    fn is_proven(&self, solvers: &mut [ReferenceSolver; 2]) -> bool {
        let turn = self.position.turn();
        let mut wins = |seat: Seat, board| solvers[seat.index()].prove_win(board);
        match self.score {
            Evaluation::Win(_) => wins(turn, self.after),
            Evaluation::Loss(_) => wins(turn.other(), self.board),
            Evaluation::Draw => !wins(turn, self.board) && !wins(turn.other(), self.after),
            Evaluation::Estimate(_) => false,
        }
    }
}
