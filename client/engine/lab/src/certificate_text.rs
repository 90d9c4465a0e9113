//! Text that all kinds of certificates share: the letters of the cells, the lines before the nodes, and the faults of a
//! check. The README has the formats.

use noughts_protocol::{CellError, MoveError, Position, Rules, RulesError, Seat, Status};

/// Maximum number of cells of a board with certificates.
pub(crate) const MAX_CELLS: usize = 128;

/// Maximum number of nodes of a certificate, because the check stores data of each node.
pub const MAX_CERTIFICATE_NODES: usize = 100_000;
/// Number of lines before the nodes.
pub(crate) const HEAD_LINES: usize = 3;
/// Maximum number of characters that a fault quotes.
const MAX_QUOTED_CHARS: usize = 24;

/// The letters of the cells by index, as characters of Latin-1: the alphabet of base64 (RFC 4648), then U+00C0 to
/// U+00FF.
const CELL_LETTERS: [u8; MAX_CELLS] = {
    let base64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut letters = [0; MAX_CELLS];
    let mut index = 0;
    while index < base64.len() {
        letters[index] = base64[index];
        letters[index + base64.len()] = 0xc0 + index as u8;
        index += 1;
    }
    letters
};

/// Returns the letter of the cell with this index, which must be less than [`MAX_CELLS`].
pub(crate) fn cell_letter(index: usize) -> char {
    char::from(CELL_LETTERS[index])
}

/// Returns the index of the cell with this letter on a board of `cells` cells.
pub(crate) fn cell_index(letter: char, cells: usize) -> Option<usize> {
    (0..cells.min(MAX_CELLS)).find(|&index| cell_letter(index) == letter)
}

/// Error of checking a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct CertificateError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The fault of the line.
    pub fault: CertificateFault,
}

/// Reason why a certificate proves nothing. Cells appear as their letters in the certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateFault {
    /// A line of the head is missing.
    #[error("the line does not begin with `{0}`")]
    MissingField(&'static str),
    /// The rules are malformed.
    #[error("invalid rules: {0}")]
    Rules(#[from] RulesError),
    /// The board has more than 128 cells, or the rules have misère; in a certificate of a weak game, also if they have
    /// gravity.
    #[error(
        "certificates need at most 128 cells and no misère; those of weak games also no gravity"
    )]
    UnsupportedRules,
    /// A move names no cell.
    #[error("invalid move: {0}")]
    Cell(#[from] CellError),
    /// A move is not legal.
    #[error("illegal move: {0}")]
    Move(#[from] MoveError),
    /// The board has too many lines for a certificate of a weak game.
    #[error("certificates of weak games need a board of at most 254 lines")]
    TooManyLines,
    /// The moves end the game.
    #[error("the game is over after the moves")]
    GameOver,
    /// The line of the seat names no seat.
    #[error("the {0} must be X or O")]
    SeatName(&'static str),
    /// The certificate has no nodes.
    #[error("the certificate has no nodes")]
    NoNodes,
    /// A node contains a character that is not the letter of a cell of the board.
    #[error("`{0}` is not the letter of a cell of the board")]
    CellLetter(char),
    /// A branch names a next node that does not precede it, or has a sign or leading zeros before its number.
    #[error("`{0}` is not the number of an earlier node")]
    NodeNumber(String),
    /// A branch uses a cell twice.
    #[error("a branch uses the cell {0} twice")]
    RepeatedCell(char),
    /// All branches of a node need the cell, so that no branch answers a stone of the maker there.
    #[error("no branch answers a stone on the cell {0}")]
    UnansweredMove(char),
    /// The root needs a cell with a stone.
    #[error("the root needs the occupied cell {0}")]
    OccupiedCell(char),
    /// A certificate has more than [`MAX_CERTIFICATE_NODES`] nodes.
    #[error("the certificate has more than {MAX_CERTIFICATE_NODES} nodes")]
    TooManyNodes,
    /// A branch of a certificate of a win is not a cell, `:` and a number.
    #[error("`{0}` is not a branch")]
    BranchText(String),
    /// The first word of a node of a certificate of a win is neither a cell nor `-`.
    #[error("`{0}` is not a move")]
    MoveText(String),
    /// A node has a move of the winner, but the loser is to move.
    #[error("the node has a move of the winner, but the loser is to move")]
    LoserToMove,
    /// A node has no move of the winner, who is to move.
    #[error("the node has no move, but the winner is to move")]
    MissingMove,
    /// Two branches of a node answer the same reply.
    #[error("two branches answer the reply {0}")]
    RepeatedReply(char),
    /// No branch of a later node leads to the node, so that its position is unknown.
    #[error("no later node leads to this node")]
    UnreachedNode,
    /// Two branches with different positions lead to the node.
    #[error("node {0} has two positions")]
    TwoPositions(usize),
    /// A move or a reply is not legal in its position.
    #[error("the cell {0} is not a legal move")]
    IllegalCell(char),
    /// The winner's move or a reply ends the game without a line of the winner.
    #[error("the stone on the cell {0} fills the board without a line of the winner")]
    DrawnGame(char),
    /// A reply completes a line of the loser.
    #[error("the loser completes a line with the cell {0}")]
    LoserLine(char),
    /// A node has branches after the winner's line.
    #[error("the game is over before the branch {0}")]
    NeedlessBranch(char),
    /// A reply has no branch, and the winner cannot complete a line after it.
    #[error(
        "no branch answers the reply {0}, which prevents the winner from completing a line at once"
    )]
    UnansweredReply(char),
    /// Neither the root nor a stone of the breaker blocks a line.
    #[error("the root does not block the line {0}")]
    UnblockedLine(String),
}

impl CertificateFault {
    pub(crate) fn at(self, line: usize) -> CertificateError {
        CertificateError { line, fault: self }
    }
}

/// The lines before the nodes: a position and a seat.
#[derive(Clone, Debug)]
pub(crate) struct CertificateHead {
    pub(crate) position: Position,
    pub(crate) seat: Seat,
}

/// Returns the beginning of a word, for the message of a fault.
pub(crate) fn quoted(word: &str) -> String {
    match word.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// Reads the number of a node that precedes node `before`: digits without a sign or leading zeros.
pub(crate) fn read_earlier_node(text: &str, before: usize) -> Result<usize, CertificateFault> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    let number = if is_number { text.parse().ok() } else { None };
    let earlier = number.filter(|&number| number < before);
    earlier.ok_or_else(|| CertificateFault::NodeNumber(quoted(text)))
}

/// Writes the lines before the nodes. `seat_field` is the name of the seat's line.
pub(crate) fn head_text(position: &Position, seat_field: &str, seat: Seat) -> String {
    let rules = position.rules();
    let moves: String = position
        .moves()
        .iter()
        .map(|&cell| format!(" {}", rules.cell_text(cell)))
        .collect();
    format!("rules {rules}\nmoves{moves}\n{seat_field} {seat}\n")
}

/// Reads the lines before the nodes. The rules must satisfy `is_supported`, and the game must not be over.
pub(crate) fn read_head<'t>(
    lines: &mut impl Iterator<Item = &'t str>,
    seat_field: &'static str,
    is_supported: fn(&Rules) -> bool,
) -> Result<CertificateHead, CertificateError> {
    let mut field = |name, line: usize| {
        let value = lines.next().and_then(|text| text.strip_prefix(name));
        let value = value.filter(|value| value.is_empty() || value.starts_with(' '));
        value
            .map(str::trim)
            .ok_or(CertificateFault::MissingField(name).at(line))
    };
    let rules = read_rules(field("rules", 1)?, is_supported).map_err(|fault| fault.at(1))?;
    let position = play_moves(rules, field("moves", 2)?).map_err(|fault| fault.at(2))?;
    let seat = field(seat_field, HEAD_LINES)?.parse();
    let seat = seat.map_err(|_| CertificateFault::SeatName(seat_field).at(HEAD_LINES))?;
    Ok(CertificateHead { position, seat })
}

fn read_rules(text: &str, is_supported: fn(&Rules) -> bool) -> Result<Rules, CertificateFault> {
    let rules: Rules = text.parse()?;
    let has_letters = rules.cells() <= MAX_CELLS;
    if has_letters && is_supported(&rules) {
        Ok(rules)
    } else {
        Err(CertificateFault::UnsupportedRules)
    }
}

fn play_moves(rules: Rules, texts: &str) -> Result<Position, CertificateFault> {
    let mut position = Position::new(rules);
    for text in texts.split_whitespace() {
        position.play(rules.parse_cell(text)?)?;
    }
    if position.status() == Status::Ongoing {
        Ok(position)
    } else {
        Err(CertificateFault::GameOver)
    }
}
