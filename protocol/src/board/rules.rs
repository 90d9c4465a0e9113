//! One game of the family: the size of the board, the length of a line, and the flags.
//!
//! This module alone decides which rules exist and how their text reads.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A k-in-a-row game: a board of one to four dimensions, the length of a winning line, and flags.
///
/// The text form is `width x height x depth x ... : line`, then flags: `3x3:3`, `7x6:4+gravity`,
/// `4x4x4:4`, `15x15:5+exact`. A well-known name stands for its rules ([`Rules::NAMED`]). Letters are
/// read in either case, flags ([`RuleFlag`]) in any order, each at most once. On the wire, rules are this text.
///
/// ```
/// use noughts_protocol::Rules;
/// let rules: Rules = "connect4".parse().unwrap();
/// assert_eq!(rules.to_string(), "7x6:4+gravity");
/// assert_eq!("7X6:4+Gravity".parse(), Ok(rules));
/// assert_eq!((rules.sides(), rules.line(), rules.cells()), (&[7, 6][..], 4, 42));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Cells per dimension; 1 beyond the dimensions of the board.
    sides: [u8; Rules::MAX_DIMENSIONS],
    dimensions: u8,
    line: u8,
    /// A bit for each flag.
    flags: u8,
}

/// Defines each flag of the rules once: its meaning, its name, and its incompatibilities.
macro_rules! rule_flags {
    ($($(#[doc = $doc:literal])+ $variant:ident $word:ident: $conflict:expr,)+) => {
        /// A flag of the rules. The text form is its word, in lower case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RuleFlag {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl RuleFlag {
            /// All flags, in the order of the text of rules.
            pub const ALL: &[RuleFlag] = &[$(RuleFlag::$variant,)+];

            /// Returns the word in the text of rules.
            pub const fn word(self) -> &'static str {
                match self { $(RuleFlag::$variant => stringify!($word),)+ }
            }

            /// Returns the meaning in a line of English, without markup.
            pub fn meaning(self) -> &'static str {
                match self { $(RuleFlag::$variant => concat!($($doc,)+).trim_start(),)+ }
            }

            /// Returns the error if these rules must not have this flag.
            fn conflict(self, rules: &Rules) -> Option<RulesError> {
                let conflict: fn(&Rules) -> Option<RulesError> = match self {
                    $(RuleFlag::$variant => $conflict,)+
                };
                conflict(rules)
            }
        }

        impl Rules {
            $($(#[doc = $doc])+
            pub fn $word(&self) -> bool {
                self.has(RuleFlag::$variant)
            })+
        }
    };
}

rule_flags! {
    /// Stones fall along the second dimension (y) to the free cell with the greatest y; needs two dimensions.
    Gravity gravity: |rules| (rules.dimensions < 2).then_some(RulesError::GravityNeedsRows),
    /// The player who completes a line loses.
    Misere misere: |_| None,
    /// A run counts only if it is exactly as long as the line.
    Exact exact: |_| None,
    /// Opposite edges of the board meet, and lines run across them; with gravity, top and bottom do not meet.
    Torus torus: |rules| {
        let has_endless_line = (0..rules.dimensions())
            .any(|axis| rules.wraps(axis) && rules.sides[axis] == rules.line);
        (rules.exact() && has_endless_line)
            .then_some(RulesError::Incompatible)
    },
}

impl RuleFlag {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for RuleFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Error of reading or building [`Rules`]. Its text is a code for programs; clients have sentences for their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RulesError {
    /// The text is empty.
    Empty,
    /// The text has more than [`Rules::MAX_TEXT`] bytes.
    TooLong,
    /// The text is not of the form `3x3:3` or `7x6:4+gravity`.
    Syntax,
    /// The text is a word but not one of [`Rules::NAMED`].
    UnknownName,
    /// The board has no dimension, or more than [`Rules::MAX_DIMENSIONS`].
    Dimensions,
    /// A side is 0 or longer than [`Rules::MAX_SIDE`].
    Side,
    /// The board has more than [`Rules::MAX_CELLS`] cells.
    Cells,
    /// The line is shorter than one cell or longer than the longest side.
    Line,
    /// A flag is not one of [`RuleFlag::ALL`].
    UnknownFlag,
    /// A flag occurs twice.
    RepeatedFlag,
    /// The rules have gravity on a board of one dimension, where a stone has no rows to fall through.
    GravityNeedsRows,
    /// Two flags exclude each other on this board. With `exact` on a torus, a line as long as a side has no ends.
    Incompatible,
}

impl Rules {
    /// Maximum number of dimensions.
    pub const MAX_DIMENSIONS: usize = 4;
    /// Maximum length of a side in cells, so that a column has one letter and a line fits into a 32-bit word.
    pub const MAX_SIDE: u8 = 25;
    /// Maximum number of cells of a board.
    pub const MAX_CELLS: usize = 1024;
    /// Maximum length of a rules text in bytes; longer texts are rejected unread.
    pub const MAX_TEXT: usize = 40;

    /// Well-known names, each with the text of its rules.
    pub const NAMED: &'static [(&'static str, &'static str)] = &[
        ("tictactoe", "3x3:3"),
        ("misere", "3x3:3+misere"),
        ("connect4", "7x6:4+gravity"),
        ("gomoku", "15x15:5"),
        ("gomoku-exact", "15x15:5+exact"),
        ("gomoku19", "19x19:5"),
        ("tictactoe3d", "3x3x3:3"),
        ("qubic", "4x4x4:4"),
        ("score4", "4x4x4:4+gravity"),
        ("tesseract", "3x3x3x3:3"),
        ("torus4", "4x4:4+torus"),
    ];

    /// Creates rules without flags: stones go to any free cell, and `line` or more in a row win.
    ///
    /// `sides` holds the cells along x, y, z and w, one entry for each dimension of the board.
    ///
    /// # Errors
    /// [`RulesError::Dimensions`], [`RulesError::Side`], [`RulesError::Cells`] or [`RulesError::Line`] when a size is
    /// outside its limits.
    pub fn new(sides: &[u8], line: u8) -> Result<Rules, RulesError> {
        if sides.is_empty() || sides.len() > Self::MAX_DIMENSIONS {
            return Err(RulesError::Dimensions);
        }
        if sides
            .iter()
            .any(|side| !(1..=Self::MAX_SIDE).contains(side))
        {
            return Err(RulesError::Side);
        }
        // The product is at most 25 to the fourth power, so it does not overflow.
        if sides
            .iter()
            .map(|&side| usize::from(side))
            .product::<usize>()
            > Self::MAX_CELLS
        {
            return Err(RulesError::Cells);
        }
        if line == 0 || sides.iter().all(|&side| side < line) {
            return Err(RulesError::Line);
        }
        let mut padded = [1; Self::MAX_DIMENSIONS];
        padded[..sides.len()].copy_from_slice(sides);
        let dimensions = sides.len() as u8;
        Ok(Rules {
            sides: padded,
            dimensions,
            line,
            flags: 0,
        })
    }

    /// Returns the same rules with a flag.
    ///
    /// # Errors
    /// The reason why the flag is incompatible with the board or with another flag.
    pub fn with(self, flag: RuleFlag) -> Result<Rules, RulesError> {
        let rules = Rules {
            flags: self.flags | flag.bit(),
            ..self
        };
        match rules.flags().find_map(|flag| flag.conflict(&rules)) {
            Some(conflict) => Err(conflict),
            None => Ok(rules),
        }
    }

    /// Returns the number of cells along each dimension: x (width), y (height), z (depth), w.
    pub fn sides(&self) -> &[u8] {
        &self.sides[..self.dimensions()]
    }

    /// Returns the number of dimensions: 1 to 4.
    pub fn dimensions(&self) -> usize {
        usize::from(self.dimensions)
    }

    /// Returns the number of cells of a row.
    pub fn width(&self) -> u8 {
        self.sides[0]
    }

    /// Returns the number of cells of a column; 1 on a board of one dimension.
    pub fn height(&self) -> u8 {
        self.sides[1]
    }

    /// Returns the number of stones in a row that complete a line.
    pub fn line(&self) -> u8 {
        self.line
    }

    /// Returns the number of cells of the whole board: 1 to 1024.
    pub fn cells(&self) -> usize {
        self.sides.iter().map(|&side| usize::from(side)).product()
    }

    /// Returns whether the rules have a flag.
    #[inline]
    pub const fn has(&self, flag: RuleFlag) -> bool {
        self.flags & flag.bit() != 0
    }

    /// Returns the flags of the rules, in the order of the text of rules.
    pub fn flags(&self) -> impl Iterator<Item = RuleFlag> + use<> {
        let rules = *self;
        RuleFlag::ALL
            .iter()
            .copied()
            .filter(move |&flag| rules.has(flag))
    }

    /// Returns whether all flags of the rules are among these. Code for particular rules names the flags that it
    /// supports, so that it does not apply to rules with a flag that it does not know.
    ///
    /// ```
    /// # use noughts_protocol::{RuleFlag, Rules};
    /// let rules: Rules = "7x6:4+gravity".parse().unwrap();
    /// assert!(rules.has_only(&[RuleFlag::Gravity, RuleFlag::Exact]) && !rules.has_only(&[]));
    /// ```
    pub fn has_only(&self, flags: &[RuleFlag]) -> bool {
        let known = flags.iter().fold(0, |known, flag| known | flag.bit());
        self.flags & !known == 0
    }

    /// Returns whether the edges at both ends of an axis meet.
    pub fn wraps(&self, axis: usize) -> bool {
        const Y: usize = 1;
        self.torus() && !(self.gravity() && axis == Y)
    }

    /// Returns whether no line crosses an edge of the board.
    pub fn has_edges(&self) -> bool {
        !self.torus()
    }

    /// Returns the well-known name of these rules, if they have one.
    pub fn name(&self) -> Option<&'static str> {
        let text = self.to_string();
        Self::NAMED
            .iter()
            .find(|(_, named)| *named == text)
            .map(|(name, _)| *name)
    }

    /// Returns all four sides, 1 beyond the dimensions.
    pub(crate) fn padded_sides(&self) -> [u8; Rules::MAX_DIMENSIONS] {
        self.sides
    }
}

impl FromStr for Rules {
    type Err = RulesError;

    fn from_str(text: &str) -> Result<Rules, RulesError> {
        if text.is_empty() {
            return Err(RulesError::Empty);
        }
        if text.len() > Self::MAX_TEXT {
            return Err(RulesError::TooLong);
        }
        let text = text.to_ascii_lowercase();
        if text.starts_with(|first: char| first.is_ascii_alphabetic()) && !text.contains(':') {
            let named = Self::NAMED.iter().find(|(name, _)| *name == text);
            return parse(named.ok_or(RulesError::UnknownName)?.1);
        }
        parse(&text)
    }
}

/// Reads a lower-case text of sizes and flags.
fn parse(text: &str) -> Result<Rules, RulesError> {
    let mut parts = text.split('+');
    let (sizes, line) = parts
        .next()
        .and_then(|size| size.split_once(':'))
        .ok_or(RulesError::Syntax)?;
    let mut sides = Vec::with_capacity(Rules::MAX_DIMENSIONS);
    for side in sizes.split('x') {
        sides.push(number(side)?.ok_or(RulesError::Side)?);
    }
    let mut rules = Rules::new(&sides, number(line)?.ok_or(RulesError::Line)?)?;
    for word in parts {
        let flag = RuleFlag::ALL.iter().find(|flag| flag.word() == word);
        let flag = *flag.ok_or(RulesError::UnknownFlag)?;
        if rules.has(flag) {
            return Err(RulesError::RepeatedFlag);
        }
        rules = rules.with(flag)?;
    }
    Ok(rules)
}

/// Reads a number of digits only, because `str::parse` accepts a sign. `None` when the number is too large for any
/// size.
fn number(text: &str) -> Result<Option<u8>, RulesError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(RulesError::Syntax);
    }
    Ok(text.parse().ok())
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, side) in self.sides().iter().enumerate() {
            write!(f, "{}{side}", if axis == 0 { "" } else { "x" })?;
        }
        write!(f, ":{}", self.line)?;
        for flag in self.flags() {
            write!(f, "+{flag}")?;
        }
        Ok(())
    }
}

impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rules, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl RulesError {
    /// Returns a stable name for programs, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            RulesError::Empty => "rules_empty",
            RulesError::TooLong => "rules_too_long",
            RulesError::Syntax => "rules_syntax",
            RulesError::UnknownName => "rules_unknown_name",
            RulesError::Dimensions => "rules_dimensions",
            RulesError::Side => "rules_side",
            RulesError::Cells => "rules_cells",
            RulesError::Line => "rules_line",
            RulesError::UnknownFlag => "rules_unknown_flag",
            RulesError::RepeatedFlag => "rules_repeated_flag",
            RulesError::GravityNeedsRows => "rules_gravity_needs_rows",
            RulesError::Incompatible => "rules_incompatible",
        }
    }
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for RulesError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, RulesError>) {
        let parsed = text.parse::<Rules>();
        assert_eq!(
            parsed.map(|rules| rules.to_string()),
            expected.map(str::to_owned),
            "{text:?}"
        );
    }

    #[test]
    fn each_error_has_its_case() {
        check("", Err(RulesError::Empty));
        check(&"3".repeat(41), Err(RulesError::TooLong));
        for text in [
            "3x3", "3x3:", ":3", "x3:3", "3xx3:3", "3x3:3:3", " 3x3:3", "-3x3:3", "+3x3:3",
            "3x3:+3", "３x3:3", "é",
        ] {
            check(text, Err(RulesError::Syntax));
        }
        check("chess", Err(RulesError::UnknownName));
        check("connect4+exact", Err(RulesError::UnknownName));
        check("2x2x2x2x2:2", Err(RulesError::Dimensions));
        check("0x3:3", Err(RulesError::Side));
        check("26x3:3", Err(RulesError::Side));
        check("999999x3:3", Err(RulesError::Side));
        check("11x11x11:3", Err(RulesError::Cells));
        check("3x3:0", Err(RulesError::Line));
        check("3x4:5", Err(RulesError::Line));
        check("3x3:999", Err(RulesError::Line));
        check("3x3:3+", Err(RulesError::UnknownFlag));
        check("3x3:3+turn", Err(RulesError::UnknownFlag));
        check("3x3:3+exact+Exact", Err(RulesError::RepeatedFlag));
        check("9:3+gravity", Err(RulesError::GravityNeedsRows));
        for text in [
            "3x3:3+exact+torus",
            "3x9:3+torus+exact",
            "7x6:6+exact+torus",
        ] {
            check(text, Err(RulesError::Incompatible));
        }
        for text in ["4x4:3+exact+torus", "7x6:6+gravity+exact+torus"] {
            check(text, Ok(text));
        }
    }

    #[test]
    fn each_name_parses_to_its_rules() {
        for (name, text) in Rules::NAMED {
            let rules: Rules = name.parse().unwrap();
            assert_eq!(rules.to_string(), *text);
            assert_eq!(rules.name(), Some(*name));
        }
        assert_eq!("4x3:3".parse::<Rules>().unwrap().name(), None);
    }

    #[test]
    fn the_longest_rules_fit_the_text_limit() {
        let longest = RuleFlag::ALL
            .iter()
            .fold(Rules::new(&[25, 10, 4, 1], 24).unwrap(), |rules, &flag| {
                rules.with(flag).unwrap()
            });
        assert!(longest.to_string().len() <= Rules::MAX_TEXT);
    }
}
