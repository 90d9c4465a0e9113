//! The codes of rooms that were imported, which do not lead to the shards of their rooms. Pure.

use std::collections::HashMap;
use std::fmt::Write;

use noughts_protocol::{RoomCode, RoomId};

/// Rooms by their codes. Contains only codes that a server without shards has drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeTable {
    rooms: HashMap<RoomCode, RoomId>,
}

impl CodeTable {
    /// Returns the room of a code, if the code was imported.
    pub(crate) fn room(&self, code: RoomCode) -> Option<RoomId> {
        self.rooms.get(&code).copied()
    }

    pub(crate) fn insert(&mut self, code: RoomCode, room: RoomId) {
        self.rooms.insert(code, room);
    }

    pub(crate) fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Returns the text of a message: a line for each code.
    pub(crate) fn encode(&self) -> String {
        let mut text = String::new();
        for (code, room) in &self.rooms {
            writeln!(text, "{code} {room}").expect("writing to a string succeeds");
        }
        text
    }

    /// Adds the codes of a message.
    ///
    /// # Errors
    /// The first line that is not a code and a room.
    pub(crate) fn add_message(&mut self, text: &str) -> Result<(), String> {
        for line in text.lines() {
            let parsed = line.split_once(' ').and_then(|(code, room)| {
                Some((code.parse::<RoomCode>().ok()?, room.parse::<RoomId>().ok()?))
            });
            let (code, room) =
                parsed.ok_or_else(|| format!("{line:?} is not a code and a room"))?;
            self.insert(code, room);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_written() {
        let mut written = CodeTable::default();
        for bits in 1..100 {
            written.insert(RoomCode::from_bits(bits << 30), RoomId::from_bits(bits));
        }
        let mut read = CodeTable::default();
        read.add_message(&written.encode()).unwrap();
        assert_eq!(read, written);
        assert_eq!(
            read.room(RoomCode::from_bits(7 << 30)),
            Some(RoomId::from_bits(7))
        );
        assert_eq!(read.room(RoomCode::from_bits(1)), None);
        assert!(read.add_message("no code\n").is_err());
        assert!(read.add_message("word").is_err());
    }
}
