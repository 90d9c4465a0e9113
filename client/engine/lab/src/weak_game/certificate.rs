//! Check of certificates. A certificate is a strategy of one seat, the breaker, that prevents all lines of the other
//! seat, the maker. The README explains the format, and why a certificate that passes is a proof.
//!
//! The check shares the rules of the game and the letters of the cells with the rest of the crate: no search, no table,
//! no hash.

use noughts_protocol::{Cell, Position, Rules, Seat};

use super::hypergraph::MAX_EDGES;
use crate::certificate_text::{
    CertificateError, CertificateFault, CertificateHead, HEAD_LINES, MAX_CERTIFICATE_NODES,
    cell_index, cell_letter, read_earlier_node, read_head,
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
#[derive(Clone, Copy, Debug)]
struct CheckedStrategy {
    /// The cells that it needs, a bit for each.
    zone: u128,
    blocked: LineSet,
}

/// A set of lines of the board, a bit for each of at most [`MAX_EDGES`].
#[derive(Clone, Copy, Debug)]
struct LineSet([u128; 2]);

impl LineSet {
    const EMPTY: LineSet = LineSet([0; 2]);
    const ALL: LineSet = LineSet([u128::MAX; 2]);

    fn insert(&mut self, line: usize) {
        self.0[line / 128] |= 1 << (line % 128);
    }

    fn contains(self, line: usize) -> bool {
        self.0[line / 128] >> (line % 128) & 1 == 1
    }

    fn intersection(self, other: LineSet) -> LineSet {
        LineSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

/// Checker of the nodes of one certificate.
#[derive(Debug)]
struct WeakGameChecker {
    cells: usize,
    /// The cells of each line of the board.
    board_lines: Vec<u128>,
    nodes: Vec<CheckedStrategy>,
}

/// Checks a certificate that a seat cannot win.
///
/// # Errors
/// [`CertificateError`] names the first line of the certificate that is malformed or wrong.
pub fn check_weak_game_certificate(text: &str) -> Result<CertifiedWeakGame, CertificateError> {
    let mut lines = text.lines();
    let CertificateHead {
        position,
        seat: maker,
    } = read_head(&mut lines, "maker", is_supported)?;

    if position.geometry().window_count() > MAX_EDGES {
        return Err(CertificateFault::TooManyLines.at(1));
    }
    let mut checker = WeakGameChecker::new(&position);
    let mut lines = (HEAD_LINES + 1..).zip(lines).peekable();
    let mut last = HEAD_LINES;
    while let Some((number, line)) = lines.next() {
        if checker.nodes.len() == MAX_CERTIFICATE_NODES {
            return Err(CertificateFault::TooManyNodes.at(number));
        }
        let is_first_move = position.turn() != maker && lines.peek().is_none();
        let node = checker
            .check_node(line, is_first_move)
            .map_err(|fault| fault.at(number))?;
        checker.nodes.push(node);
        last = number;
    }
    checker
        .check_root(&position, maker)
        .map_err(|fault| fault.at(last))?;
    Ok(CertifiedWeakGame {
        position,
        maker,
        nodes: checker.nodes.len(),
    })
}

fn is_supported(rules: &Rules) -> bool {
    !rules.gravity() && !rules.misere()
}

impl WeakGameChecker {
    fn new(position: &Position) -> WeakGameChecker {
        let cells = |window: &[Cell]| {
            window
                .iter()
                .fold(0, |cells, cell| cells | 1 << cell.index())
        };
        WeakGameChecker {
            cells: position.rules().cells(),
            board_lines: position.geometry().windows().map(cells).collect(),
            nodes: Vec::new(),
        }
    }

    /// Checks a node. The maker is to move, except at the first move of the breaker.
    fn check_node(
        &self,
        line: &str,
        is_first_move: bool,
    ) -> Result<CheckedStrategy, CertificateFault> {
        let mut node = CheckedStrategy {
            zone: 0,
            blocked: LineSet::ALL,
        };
        let (mut shared, mut branches, mut replies) = (u128::MAX, 0, 0);
        for text in line.split(' ') {
            let (letters, next) = text
                .split_once(':')
                .map_or((text, None), |(cells, next)| (cells, Some(next)));
            let branch = self.check_branch(letters, next)?;
            node.zone |= branch.zone;
            shared &= branch.zone;
            node.blocked = node.blocked.intersection(branch.blocked);
            branches += 1;
            replies += letters.chars().count() % 2;
        }
        // Wherever the maker plays, some branch must still have all its cells. A single branch without a reply answers
        // a stone in its zone by its pairs.
        let needs_alternatives = branches > 1 || (replies == 1 && !is_first_move);
        if needs_alternatives && shared != 0 {
            return Err(CertificateFault::UnansweredMove(first_letter(shared)));
        }
        Ok(node)
    }

    fn check_branch(
        &self,
        letters: &str,
        next: Option<&str>,
    ) -> Result<CheckedStrategy, CertificateFault> {
        let mut branch = match next {
            Some(number) => self.nodes[read_earlier_node(number, self.nodes.len())?],
            None => CheckedStrategy {
                zone: 0,
                blocked: LineSet::EMPTY,
            },
        };
        let mut cells = Vec::new();
        for letter in letters.chars() {
            let cell = self.cell(letter)?;
            if branch.zone & cell != 0 {
                return Err(CertificateFault::RepeatedCell(letter));
            }
            branch.zone |= cell;
            cells.push(cell);
        }
        // The breaker gets the reply, and one cell of each pair.
        let (reply, pairs) = cells.split_at(cells.len() % 2);
        let blocking: Vec<u128> = pairs
            .chunks(2)
            .chain(reply.chunks(1))
            .map(|cells| cells.iter().sum())
            .collect();
        for (number, line) in self.board_lines.iter().enumerate() {
            if blocking.iter().any(|cells| line & cells == *cells) {
                branch.blocked.insert(number);
            }
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
            return Err(CertificateFault::OccupiedCell(first_letter(
                root.zone & stones,
            )));
        }
        let mut lines = self.board_lines.iter().enumerate();
        match lines.find(|&(number, line)| !root.blocked.contains(number) && line & breaker == 0) {
            None => Ok(()),
            Some((_, &line)) => {
                let cells = (0..self.cells).filter(|&index| line >> index & 1 == 1);
                let letters = cells.map(cell_letter).collect();
                Err(CertificateFault::UnblockedLine(letters))
            }
        }
    }

    fn cell(&self, letter: char) -> Result<u128, CertificateFault> {
        cell_index(letter, self.cells)
            .map(|index| 1 << index)
            .ok_or(CertificateFault::CellLetter(letter))
    }
}

fn first_letter(cells: u128) -> char {
    cell_letter(cells.trailing_zeros() as usize)
}
