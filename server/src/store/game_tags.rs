//! Tags that the server adds to the record of a finished game. Readers of records skip them.

use std::fmt;

use noughts_protocol::{PlayerKind, Seat};

/// What the archive knows about a game in addition to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GameTags {
    /// The room was public. A game without this tag counts as private.
    pub(crate) is_public: bool,
    /// The kinds of X and O.
    pub(crate) kinds: [PlayerKind; 2],
}

const PUBLIC_TAG: &str = "[Public \"yes\"]";

fn bot_tag(seat: Seat) -> &'static str {
    match seat {
        Seat::X => "[XKind \"bot\"]",
        Seat::O => "[OKind \"bot\"]",
    }
}

impl GameTags {
    /// Reads the tags at the beginning of a text.
    pub(crate) fn read(text: &str) -> GameTags {
        let mut tags = GameTags {
            is_public: false,
            kinds: [PlayerKind::Person; 2],
        };
        for line in text.lines().take_while(|line| line.starts_with('[')) {
            tags.is_public |= line == PUBLIC_TAG;
            for seat in Seat::ALL {
                if line == bot_tag(seat) {
                    tags.kinds[seat.index()] = PlayerKind::Bot;
                }
            }
        }
        tags
    }
}

/// Writes the tags, which precede the record.
impl fmt::Display for GameTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_public {
            writeln!(f, "{PUBLIC_TAG}")?;
        }
        for seat in Seat::ALL {
            match self.kinds[seat.index()] {
                PlayerKind::Bot => writeln!(f, "{}", bot_tag(seat))?,
                PlayerKind::Person => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Record;

    use super::*;

    #[test]
    fn the_tags_precede_a_record_that_others_read_without_them() {
        let record = "[Rules \"3x3:3\"]\n[X \"[Public \\\"yes\\\"]\"]\n[O \"Bob\"]\n[Result \"*\"]\n\n1. b2\n";
        let parsed: Record = record.parse().unwrap();
        for is_public in [false, true] {
            for kinds in [
                [PlayerKind::Person, PlayerKind::Bot],
                [PlayerKind::Bot, PlayerKind::Person],
                [PlayerKind::Bot; 2],
            ] {
                let tags = GameTags { is_public, kinds };
                let text = format!("{tags}{record}");
                assert_eq!(GameTags::read(&text), tags, "{text}");
                assert_eq!(text.parse(), Ok(parsed.clone()));
            }
        }
        assert!(!GameTags::read(record).is_public, "a name is not a tag");
    }
}
