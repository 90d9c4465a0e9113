//! Certificates of wins: strategies by which one seat, the winner, wins a position. `proofs/README.md` has the format.
//!
//! The check replays every node with the rules of `noughts-protocol`: no search, no table, no hash. It visits each node once, so
//! that its time grows with the number of nodes and branches.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::SearchLimits;
use crate::budget::SearchBudget;
use crate::certificate_text::{
    CertificateError, CertificateFault, CertificateHead, HEAD_LINES, MAX_CELLS, MAX_WIN_NODES, cell_index,
    cell_letter, head_text, read_head,
};
use crate::solver::{ForcedWinStrategy, StrategyNode, find_winning_strategy};

/// Text in place of the winner's move, in a root where the loser is to move.
const NO_MOVE: &str = "-";

/// A certified claim: the winner wins the position.
#[derive(Clone, Debug)]
pub struct CertifiedWin {
    /// The position.
    pub position: Position,
    /// The seat that wins.
    pub winner: Seat,
    /// Number of nodes of the certificate.
    pub nodes: usize,
}

/// A node as the text has it: the winner's move, and the number of the next node by reply of the loser.
#[derive(Debug)]
struct CertificateNode {
    /// `None` for [`NO_MOVE`].
    winner_move: Option<Cell>,
    branches: Vec<(Cell, usize)>,
}

/// Checker of the nodes of one certificate.
#[derive(Debug)]
struct WinChecker {
    winner: Seat,
    cells: usize,
    /// By node, the position that its later nodes reach; empty before, and once the node is checked.
    positions: Vec<Option<Position>>,
}

/// Checks a certificate of a win.
///
/// # Errors
/// [`CertificateError`] names a line of the certificate that is malformed or wrong: the first one from the end, because the
/// root is the last line.
pub fn check_win_certificate(text: &str) -> Result<CertifiedWin, CertificateError> {
    let mut lines = text.lines();
    let CertificateHead { position, seat: winner } =
        read_head(&mut lines, "winner", |rules: &Rules| !rules.misere())?;
    let lines: Vec<&str> = lines.take(MAX_WIN_NODES + 1).collect();
    let nodes = lines.len();
    if nodes > MAX_WIN_NODES {
        return Err(CertificateFault::TooManyNodes.at(HEAD_LINES + nodes));
    }
    let mut checker = WinChecker { winner, cells: position.rules().cells(), positions: vec![None; nodes] };
    let root = checker.positions.last_mut().ok_or(CertificateFault::NoNodes.at(HEAD_LINES))?;
    *root = Some(position.clone());
    for (number, line) in lines.iter().enumerate().rev() {
        checker.check_node(number, line).map_err(|fault| fault.at(HEAD_LINES + 1 + number))?;
    }
    Ok(CertifiedWin { position, winner, nodes })
}

impl WinChecker {
    /// Checks a node in its position, which the later nodes have set.
    fn check_node(&mut self, number: usize, line: &str) -> Result<(), CertificateFault> {
        let mut position = self.positions[number].take().ok_or(CertificateFault::UnreachedNode)?;
        let CertificateNode { winner_move, branches } = self.read_node(number, line)?;
        let has_turn = position.turn() == self.winner;
        match winner_move {
            Some(cell) if has_turn => {
                let is_over = self.play(&mut position, cell)?;
                if is_over {
                    return match branches.first() {
                        Some(&(reply, _)) => Err(CertificateFault::NeedlessBranch(letter(reply))),
                        None => Ok(()),
                    };
                }
            }
            None if !has_turn => {}
            Some(_) | None => return Err(CertificateFault::MoveText(line.to_owned())),
        }
        self.check_replies(&position, branches)
    }

    /// Checks that each reply has a branch, or that the winner completes a line after it.
    fn check_replies(
        &mut self,
        position: &Position,
        mut branches: Vec<(Cell, usize)>,
    ) -> Result<(), CertificateFault> {
        // The cell with which the winner has completed a line after the reply before.
        let mut completing = None;
        for reply in position.legal_moves() {
            let mut next = position.clone();
            match next.play(reply) {
                Ok(Status::Won(_)) => return Err(CertificateFault::LoserLine(letter(reply))),
                Ok(Status::Drawn) => return Err(CertificateFault::DrawnGame(letter(reply))),
                Ok(Status::Ongoing) => {}
                Err(_) => return Err(CertificateFault::IllegalCell(letter(reply))),
            }
            if let Some(index) = branches.iter().position(|&(cell, _)| cell == reply) {
                let (_, number) = branches.swap_remove(index);
                self.reach(number, next)?;
                continue;
            }
            let wins =
                |&cell: &Cell| next.is_legal(cell) && next.status_after(cell) == Ok(Status::Won(self.winner));
            completing = completing.filter(wins).or_else(|| next.legal_moves().find(wins));
            if completing.is_none() {
                return Err(CertificateFault::UnansweredReply(letter(reply)));
            }
        }
        // A branch that is left names no legal reply, or a reply for the second time.
        branches.first().map_or(Ok(()), |&(cell, _)| Err(CertificateFault::IllegalCell(letter(cell))))
    }

    /// Plays the winner's move. Returns whether it completes a line.
    fn play(&self, position: &mut Position, cell: Cell) -> Result<bool, CertificateFault> {
        if !position.is_legal(cell) {
            return Err(CertificateFault::IllegalCell(letter(cell)));
        }
        match position.play(cell) {
            Ok(Status::Won(seat)) if seat == self.winner => Ok(true),
            Ok(Status::Ongoing) => Ok(false),
            Ok(Status::Won(_) | Status::Drawn) => Err(CertificateFault::DrawnGame(letter(cell))),
            Err(_) => Err(CertificateFault::IllegalCell(letter(cell))),
        }
    }

    /// Sets the position of an earlier node.
    fn reach(&mut self, number: usize, position: Position) -> Result<(), CertificateFault> {
        match &self.positions[number] {
            Some(known) if !has_equal_stones(known, &position) => Err(CertificateFault::TwoPositions(number)),
            Some(_) => Ok(()),
            None => {
                self.positions[number] = Some(position);
                Ok(())
            }
        }
    }

    fn read_node(&self, number: usize, line: &str) -> Result<CertificateNode, CertificateFault> {
        let mut words = line.split(' ');
        let winner_move = match words.next() {
            Some(NO_MOVE) => None,
            Some(text) => {
                let fault = || CertificateFault::MoveText(text.to_owned());
                Some(self.cell(text)?.ok_or_else(fault)?)
            }
            None => return Err(CertificateFault::MoveText(String::new())),
        };
        let mut branches = Vec::new();
        for text in words {
            let fault = || CertificateFault::BranchText(text.to_owned());
            let (cell, next) = text.split_once(':').ok_or_else(fault)?;
            let cell = self.cell(cell)?.ok_or_else(fault)?;
            let earlier = next.parse().ok().filter(|&next: &usize| next < number);
            branches.push((cell, earlier.ok_or_else(|| CertificateFault::NodeNumber(next.to_owned()))?));
            if branches.len() > self.cells {
                return Err(CertificateFault::IllegalCell(letter(cell)));
            }
        }
        Ok(CertificateNode { winner_move, branches })
    }

    /// The cell of a text of one letter; `None` for texts of other lengths.
    fn cell(&self, text: &str) -> Result<Option<Cell>, CertificateFault> {
        let mut letters = text.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { return Ok(None) };
        let index = cell_index(letter, self.cells).ok_or(CertificateFault::CellLetter(letter))?;
        Ok(Some(Cell::new(index as u16)))
    }
}

fn letter(cell: Cell) -> char {
    cell_letter(cell.index())
}

fn has_equal_stones(one: &Position, other: &Position) -> bool {
    let mut cells = (0..one.rules().cells() as u16).map(Cell::new);
    cells.all(|cell| one.stone_at(cell) == other.stone_at(cell))
}

/// Writes a certificate that `winner` wins an unfinished position, in the format of `proofs/README.md`, with a search in a table of
/// 2^`table_bits` entries of 24 bytes. `None` if the search finds no win within the limits or the strategy has more than
/// [`MAX_WIN_NODES`] nodes, in misère, and for boards of more than 128 cells or that do not fit into 128 bits with a free bit
/// between rows. Only the limits of nodes and time apply.
pub fn write_win_certificate(
    position: &Position,
    winner: Seat,
    table_bits: u32,
    limits: SearchLimits,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<String> {
    if position.rules().cells() > MAX_CELLS {
        return None;
    }
    let mut budget = SearchBudget::new(limits, elapsed, stop);
    let ForcedWinStrategy { nodes } =
        find_winning_strategy(position, winner, table_bits, MAX_WIN_NODES, &mut budget)?;
    let mut text = head_text(position, "winner", winner);
    for StrategyNode { winner_move, branches } in &nodes {
        match winner_move {
            Some(cell) => text.push(letter(*cell)),
            None => text.push_str(NO_MOVE),
        }
        for &(reply, next) in branches {
            text.push_str(&format!(" {}:{next}", letter(reply)));
        }
        text.push('\n');
    }
    Some(text)
}
