//! Parsers for the arguments of typed commands and of commands in JSON mode.

use noughts_protocol::Rules;
use noughts_protocol::wire::{Claim, Phrase};

use crate::engine::Level;

/// The part of the board that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanTarget {
    /// Zero-based row, in the layer with these third and fourth coordinates.
    Row(u8, [u8; 2]),
    /// Zero-based column, in the layer with these third and fourth coordinates.
    Column(u8, [u8; 2]),
}

/// Parses a phrase: its number in the menu, or its word on the wire.
pub(super) fn parse_phrase(argument: &str) -> Option<Phrase> {
    match argument.parse::<usize>() {
        Ok(number) => Phrase::ALL.get(number.checked_sub(1)?).copied(),
        Err(_) => serde_json::from_value(argument.into()).ok(),
    }
}

/// Parses a level. An empty text means the level in the settings.
pub(super) fn parse_optional_level(argument: &str) -> Option<Option<Level>> {
    if argument.is_empty() {
        Some(None)
    } else {
        argument.parse().ok().map(Some)
    }
}

pub(super) fn parse_claim(argument: &str) -> Option<Claim> {
    match argument {
        "win" | "победу" | "胜" | "勝" => Some(Claim::Win),
        "draw" | "ничью" | "和" => Some(Claim::Draw),
        _ => None,
    }
}

pub(super) fn parse_number(argument: &str) -> Option<usize> {
    argument.parse().ok()
}

/// Parses a number. An empty text means no number.
pub(super) fn parse_optional_number(argument: &str) -> Option<Option<usize>> {
    if argument.is_empty() {
        Some(None)
    } else {
        parse_number(argument).map(Some)
    }
}

/// Parses a row or column: `8` is row 8, and `h` is column h. With layers, `2,1` is row 2 of layer 1.
pub(super) fn parse_scan(argument: &str, rules: &Rules) -> Option<ScanTarget> {
    let mut numbers = Vec::with_capacity(3);
    let mut parts = argument.split([',', ' ']).filter(|part| !part.is_empty());
    let first = parts.next()?;
    for part in parts.take(3) {
        numbers.push(part.parse::<u8>().ok()?.checked_sub(1)?);
    }
    let sides = rules.sides();
    // Missing layer coordinates mean the first layer.
    if numbers.len() > sides.len().saturating_sub(2) {
        return None;
    }
    let mut layer = [0; 2];
    for (axis, number) in numbers.into_iter().enumerate() {
        if number >= sides[axis + 2] {
            return None;
        }
        layer[axis] = number;
    }
    if let Ok(row) = first.parse::<u8>() {
        return Some(ScanTarget::Row(rules.row_index(row)?, layer));
    }
    let mut letters = first.chars();
    let letter = letters
        .next()
        .filter(char::is_ascii_alphabetic)?
        .to_ascii_lowercase();
    let column = (letter as u8) - b'a';
    (letters.next().is_none() && column < rules.width())
        .then_some(ScanTarget::Column(column, layer))
}
