//! Certificates of wins. A certificate is a strategy that wins a position for one seat, the winner. The README explains
//! the format.
//!
//! The check replays every node with the rules of `noughts-protocol`: no search, no table, no hash. It visits each node
//! once and plays each legal reply there, so that its time grows with the number of nodes times the number of legal
//! replies.

use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::certificate_text::{
    CertificateError, CertificateFault, CertificateHead, HEAD_LINES, MAX_CELLS,
    MAX_CERTIFICATE_NODES, cell_index, cell_letter, head_text, quoted, read_earlier_node,
    read_head,
};
use crate::forced_win::{ForcedWinStrategy, StrategyNode, find_winning_strategy};
use crate::with_node_limit;

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

/// Checker of the nodes of one certificate.
#[derive(Debug)]
struct WinChecker {
    winner: Seat,
    cells: usize,
    /// The position of the root, with further moves during the check of a node.
    position: Position,
    /// Number of moves before the root.
    root_ply: usize,
    /// For each node, the moves from the root to the position that later nodes lead to. `None` until one of these
    /// later nodes is checked, and again after the check of the node itself.
    paths: Vec<Option<Box<[Cell]>>>,
}

/// Checks a certificate of a win.
///
/// # Errors
/// [`CertificateError`] names a malformed or wrong line: the first such line of the head, otherwise the last such line
/// among the nodes, because the check begins at the root.
pub fn check_win_certificate(text: &str) -> Result<CertifiedWin, CertificateError> {
    let mut lines = text.lines();
    let CertificateHead {
        position,
        seat: winner,
    } = read_head(&mut lines, "winner", |rules: &Rules| !rules.misere())?;
    let lines: Vec<&str> = lines.take(MAX_CERTIFICATE_NODES + 1).collect();
    let nodes = lines.len();
    if nodes > MAX_CERTIFICATE_NODES {
        return Err(CertificateFault::TooManyNodes.at(HEAD_LINES + nodes));
    }
    let mut checker = WinChecker::new(position.clone(), winner, nodes);
    let root = checker
        .paths
        .last_mut()
        .ok_or(CertificateFault::NoNodes.at(HEAD_LINES))?;
    *root = Some(Box::default());
    for (number, line) in lines.iter().enumerate().rev() {
        checker
            .check_node(number, line)
            .map_err(|fault| fault.at(HEAD_LINES + 1 + number))?;
    }
    Ok(CertifiedWin {
        position,
        winner,
        nodes,
    })
}

impl WinChecker {
    fn new(position: Position, winner: Seat, nodes: usize) -> WinChecker {
        let (cells, root_ply) = (position.rules().cells(), position.ply());
        WinChecker {
            winner,
            cells,
            position,
            root_ply,
            paths: vec![None; nodes],
        }
    }

    /// Checks a node in its position, which the later nodes have set.
    fn check_node(&mut self, number: usize, line: &str) -> Result<(), CertificateFault> {
        let path = self.paths[number]
            .take()
            .ok_or(CertificateFault::UnreachedNode)?;
        while self.position.ply() > self.root_ply {
            self.position.undo();
        }
        for &cell in &path {
            self.position.play(cell)?;
        }
        let StrategyNode {
            winner_move,
            branches,
        } = self.read_node(number, line)?;
        match (winner_move, self.position.turn() == self.winner) {
            (Some(cell), true) => {
                let is_over = self.play(cell)?;
                if is_over {
                    return match branches.first() {
                        Some(&(reply, _)) => Err(CertificateFault::NeedlessBranch(letter(reply))),
                        None => Ok(()),
                    };
                }
            }
            (None, false) => {}
            (Some(_), false) => return Err(CertificateFault::LoserToMove),
            (None, true) => return Err(CertificateFault::MissingMove),
        }
        self.check_replies(branches)
    }

    /// Checks that each reply has a branch, or that the winner completes a line after it.
    fn check_replies(&mut self, mut branches: Vec<(Cell, usize)>) -> Result<(), CertificateFault> {
        // The cell that completed a line of the winner after the previous reply without a branch.
        let mut completing = None;
        let mut from = 0;
        while let Some(reply) = self.position.legal_from(from) {
            from = reply.index() + 1;
            match self.position.play(reply)? {
                Status::Won(_) => return Err(CertificateFault::LoserLine(letter(reply))),
                Status::Drawn => return Err(CertificateFault::DrawnGame(letter(reply))),
                Status::Ongoing => {}
            }
            if let Some(index) = branches.iter().position(|&(cell, _)| cell == reply) {
                let (_, number) = branches.swap_remove(index);
                self.reach(number)?;
            } else {
                let next = &self.position;
                let wins = |&cell: &Cell| {
                    next.is_legal(cell) && next.status_after(cell) == Ok(Status::Won(self.winner))
                };
                completing = completing
                    .filter(wins)
                    .or_else(|| next.legal_moves().find(wins));
                if completing.is_none() {
                    return Err(CertificateFault::UnansweredReply(letter(reply)));
                }
            }
            self.position.undo();
        }
        // A remaining branch does not name a legal reply.
        branches.first().map_or(Ok(()), |&(cell, _)| {
            Err(CertificateFault::IllegalCell(letter(cell)))
        })
    }

    /// Plays the winner's move. Returns whether it completes a line.
    fn play(&mut self, cell: Cell) -> Result<bool, CertificateFault> {
        if !self.position.is_legal(cell) {
            return Err(CertificateFault::IllegalCell(letter(cell)));
        }
        match self.position.play(cell)? {
            Status::Won(seat) if seat == self.winner => Ok(true),
            Status::Ongoing => Ok(false),
            Status::Won(_) | Status::Drawn => Err(CertificateFault::DrawnGame(letter(cell))),
        }
    }

    /// Sets the position of an earlier node to the current position.
    fn reach(&mut self, number: usize) -> Result<(), CertificateFault> {
        let path = &self.position.moves()[self.root_ply..];
        match &self.paths[number] {
            Some(known) if stones_of(known) != stones_of(path) => {
                Err(CertificateFault::TwoPositions(number))
            }
            Some(_) => Ok(()),
            None => {
                self.paths[number] = Some(path.into());
                Ok(())
            }
        }
    }

    fn read_node(&self, number: usize, line: &str) -> Result<StrategyNode, CertificateFault> {
        let mut words = line.split(' ');
        let winner_move = match words.next() {
            Some(NO_MOVE) => None,
            Some(text) => {
                let fault = || CertificateFault::MoveText(quoted(text));
                Some(self.cell(text)?.ok_or_else(fault)?)
            }
            None => return Err(CertificateFault::MoveText(String::new())),
        };
        let mut branches = Vec::new();
        let mut replies = 0_u128;
        for text in words {
            let fault = || CertificateFault::BranchText(quoted(text));
            let (cell, next) = text.split_once(':').ok_or_else(fault)?;
            let cell = self.cell(cell)?.ok_or_else(fault)?;
            if replies >> cell.index() & 1 == 1 {
                return Err(CertificateFault::RepeatedReply(letter(cell)));
            }
            replies |= 1 << cell.index();
            branches.push((cell, read_earlier_node(next, number)?));
        }
        Ok(StrategyNode {
            winner_move,
            branches,
        })
    }

    /// Returns the cell of a text of one letter; `None` for texts of other lengths.
    fn cell(&self, text: &str) -> Result<Option<Cell>, CertificateFault> {
        let mut letters = text.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return Ok(None);
        };
        let index = cell_index(letter, self.cells).ok_or(CertificateFault::CellLetter(letter))?;
        Ok(Some(Cell::new(index as u16)))
    }
}

fn letter(cell: Cell) -> char {
    cell_letter(cell.index())
}

/// Returns the cells of these moves by seat, a bit for each.
fn stones_of(path: &[Cell]) -> [u128; 2] {
    let mut stones = [0; 2];
    for (at, cell) in path.iter().enumerate() {
        stones[at % 2] |= 1 << cell.index();
    }
    stones
}

/// Searches for a forced win of `winner` in an unfinished position, in a table of 2^`table_bits` entries as in
/// [`crate::prove_forced_win`], and returns a certificate of the win in the format of the README. Returns `None` if the
/// search finds no win within `max_nodes`, if the strategy has more than [`MAX_CERTIFICATE_NODES`] nodes, in misère,
/// for a board of more than 128 cells, and for a board that does not fit into 128 bits with a free bit between rows.
/// The search has no time limit.
pub fn write_win_certificate(
    position: &Position,
    winner: Seat,
    table_bits: u32,
    max_nodes: Option<u64>,
) -> Option<String> {
    if position.rules().cells() > MAX_CELLS {
        return None;
    }
    let ForcedWinStrategy { nodes } = with_node_limit(max_nodes, |budget| {
        find_winning_strategy(position, winner, table_bits, MAX_CERTIFICATE_NODES, budget)
    })?;
    let mut text = head_text(position, "winner", winner);
    for StrategyNode {
        winner_move,
        branches,
    } in &nodes
    {
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
