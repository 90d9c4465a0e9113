//! Check of certificates: strategies with which one seat, the breaker, prevents all lines of the other one, the maker.
//! `proofs/README.md` has the format and the reason why a certificate that passes is a proof.
//!
//! The check shares the rules of the game and the letters of the cells with the rest of the crate: no search, no table, no hash.

use noughts_protocol::{Cell, Position, Rules, Seat};

use crate::certificate_text::{
    CertificateError, CertificateFault, CertificateHead, HEAD_LINES, cell_index, cell_letter, read_head,
};

/// A certified claim: the maker cannot win the position.
#[derive(Clone, Debug)]
pub struct CertifiedWeakGame {
    /// The position.
    pub position: Position,
    /// The seat that cannot win.
    pub maker: Seat,
    /// Number of nodes of the certificate.
    pub nodes: usize,
}

/// A strategy of the breaker: a branch, or a whole node.
#[derive(Clone, Debug)]
struct CheckedStrategy {
    /// The cells that it needs, a bit for each.
    zone: u128,
    /// By line of the board, whether it blocks the line.
    blocks: Vec<bool>,
}

/// Checker of the nodes of one certificate.
#[derive(Debug)]
struct WeakGameChecker {
    cells: usize,
    /// By line of the board, its cells.
    board_lines: Vec<u128>,
    nodes: Vec<CheckedStrategy>,
}

/// Checks a certificate.
///
/// # Errors
/// [`CertificateError`] names the first line of the certificate that is malformed or wrong.
pub fn check_weak_game_certificate(text: &str) -> Result<CertifiedWeakGame, CertificateError> {
    let mut lines = text.lines();
    let CertificateHead { position, seat: maker } = read_head(&mut lines, "maker", is_supported)?;

    let mut checker = WeakGameChecker::new(&position);
    let mut lines = (HEAD_LINES + 1..).zip(lines).peekable();
    let mut last = HEAD_LINES;
    while let Some((number, line)) = lines.next() {
        let is_first_move = position.turn() != maker && lines.peek().is_none();
        let node = checker.check_node(line, is_first_move).map_err(|fault| fault.at(number))?;
        checker.nodes.push(node);
        last = number;
    }
    checker.check_root(&position, maker).map_err(|fault| fault.at(last))?;
    Ok(CertifiedWeakGame { position, maker, nodes: checker.nodes.len() })
}

fn is_supported(rules: &Rules) -> bool {
    !rules.gravity() && !rules.misere()
}

impl WeakGameChecker {
    fn new(position: &Position) -> WeakGameChecker {
        let cells = |window: &[Cell]| window.iter().fold(0, |cells, cell| cells | 1 << cell.index());
        WeakGameChecker {
            cells: position.rules().cells(),
            board_lines: position.geometry().windows().map(cells).collect(),
            nodes: Vec::new(),
        }
    }

    /// Checks a node. The maker is to move, except at the first move of the breaker.
    fn check_node(&self, line: &str, is_first_move: bool) -> Result<CheckedStrategy, CertificateFault> {
        let mut node = CheckedStrategy { zone: 0, blocks: vec![true; self.board_lines.len()] };
        let (mut shared, mut branches, mut replies) = (u128::MAX, 0, 0);
        for text in line.split(' ') {
            let (letters, next) =
                text.split_once(':').map_or((text, None), |(cells, next)| (cells, Some(next)));
            let branch = self.check_branch(letters, next)?;
            node.zone |= branch.zone;
            shared &= branch.zone;
            node.blocks.iter_mut().zip(branch.blocks).for_each(|(all, blocked)| *all &= blocked);
            branches += 1;
            replies += letters.chars().count() % 2;
        }
        // Wherever the maker plays, some branch must still have all its cells. An only branch without a reply answers a stone
        // in its zone by its pairs.
        let needs_alternatives = branches > 1 || (replies == 1 && !is_first_move);
        if needs_alternatives && shared != 0 {
            return Err(CertificateFault::UnansweredMove(first_letter(shared)));
        }
        Ok(node)
    }

    fn check_branch(&self, letters: &str, next: Option<&str>) -> Result<CheckedStrategy, CertificateFault> {
        let mut branch = match next {
            Some(number) => self.earlier_node(number)?.clone(),
            None => CheckedStrategy { zone: 0, blocks: vec![false; self.board_lines.len()] },
        };
        let cells = letters.chars().map(|letter| self.cell(letter)).collect::<Result<Vec<u128>, _>>()?;
        for &cell in &cells {
            if branch.zone & cell != 0 {
                return Err(CertificateFault::RepeatedCell(first_letter(cell)));
            }
            branch.zone |= cell;
        }
        // The breaker gets the reply, and one cell of each pair.
        let (reply, pairs) = cells.split_at(cells.len() % 2);
        let blocking: Vec<u128> =
            pairs.chunks(2).chain(reply.chunks(1)).map(|cells| cells.iter().sum()).collect();
        for (blocked, line) in branch.blocks.iter_mut().zip(&self.board_lines) {
            *blocked = *blocked || blocking.iter().any(|cells| line & cells == *cells);
        }
        Ok(branch)
    }

    /// Checks that the root, the last node, applies to the position.
    fn check_root(&self, position: &Position, maker: Seat) -> Result<(), CertificateFault> {
        let root = self.nodes.last().ok_or(CertificateFault::NoNodes)?;
        let (mut stones, mut breaker) = (0, 0);
        for index in 0..self.cells {
            let seat = position.stone_at(Cell::new(index as u16));
            stones |= u128::from(seat.is_some()) << index;
            breaker |= u128::from(seat == Some(maker.other())) << index;
        }
        if root.zone & stones != 0 {
            return Err(CertificateFault::OccupiedCell(first_letter(root.zone & stones)));
        }
        let mut lines = self.board_lines.iter().zip(&root.blocks);
        match lines.find(|&(line, is_blocked)| !is_blocked && line & breaker == 0) {
            None => Ok(()),
            Some((&line, _)) => {
                let cells = (0..self.cells).filter(|&index| line >> index & 1 == 1);
                let letters = cells.map(cell_letter).collect();
                Err(CertificateFault::UnblockedLine(letters))
            }
        }
    }

    fn earlier_node(&self, number: &str) -> Result<&CheckedStrategy, CertificateFault> {
        let node = number.parse().ok().and_then(|number: usize| self.nodes.get(number));
        node.ok_or_else(|| CertificateFault::NodeNumber(number.to_owned()))
    }

    fn cell(&self, letter: char) -> Result<u128, CertificateFault> {
        cell_index(letter, self.cells).map(|index| 1 << index).ok_or(CertificateFault::CellLetter(letter))
    }
}

fn first_letter(cells: u128) -> char {
    cell_letter(cells.trailing_zeros() as usize)
}
