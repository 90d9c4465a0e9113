//! One server a directory; and a note, for the next one, of how the last one went, and until when.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::schema::OpenError;
use crate::lived::Lived;

const LOCK: &str = "noughts.lock";
const IN_USE: &[u8] = b"in use\n";
const CLOSED: &[u8] = b"closed\n";

/// The lock of a directory: unlocked when dropped, also by a kill, since it is the process's.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    was_in_use: bool,
    lived: Lived,
}

impl Lock {
    pub(super) fn take(directory: &Path) -> Result<Lock, OpenError> {
        let path = directory.join(LOCK);
        let failed = |error| OpenError::Directory { path: path.clone(), error };
        // What another server has noted stays until the lock is ours.
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).truncate(false).read(true).write(true).open(&path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse(directory.to_owned()),
            TryLockError::Error(error) => failed(error),
        })?;
        let mut note = Vec::new();
        file.read_to_end(&mut note).map_err(failed)?;
        // A note that says neither is damaged: the moves of the last server are looked for all the same.
        let was_in_use = !note.is_empty() && !note.starts_with(CLOSED);
        // A note that is not whole is none: a disk may have it so after a power cut.
        let lived = note.get(IN_USE.len()..).and_then(read).unwrap_or_default();
        Ok(Lock { file, was_in_use, lived, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the last server had no time to close the file.
    pub(super) fn was_in_use(&self) -> bool {
        self.was_in_use
    }

    /// When servers were there, as far as the last one noted it.
    pub(super) fn lived(&self) -> Lived {
        self.lived.clone()
    }

    /// Notes that. It is not synced: a kill leaves what was written, and behind a power cut an older note is
    /// as true.
    pub(super) fn note(&self, lived: &Lived) -> std::io::Result<()> {
        self.file.write_all_at(line(lived).as_bytes(), IN_USE.len() as u64)
    }

    pub(super) fn mark(&mut self, in_use: bool) -> std::io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(if in_use { IN_USE } else { CLOSED })?;
        // The notes are of one length: nothing of the other is left.
        self.file.sync_data()
    }
}

/// The second line of the note, with a checksum. What is left of a longer one stands behind it.
fn line(lived: &Lived) -> String {
    let text = lived.to_string();
    format!("{:08x} {text}\n", crc32fast::hash(text.as_bytes()))
}

fn read(note: &[u8]) -> Option<Lived> {
    let line = note.split(|byte| *byte == b'\n').next()?;
    let (sum, text) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let same = u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(text.as_bytes());
    text.parse().ok().filter(|_| same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written_or_not_at_all() {
        let [long, short]: [Lived; 2] = ["100-200 300-400", "500-600"].map(|text| text.parse().unwrap());
        let mut note = line(&long).into_bytes();
        assert_eq!(read(&note), Some(long.clone()));
        for at in 0..note.len() {
            note[at] ^= 1;
            // The case of a digit of the sum makes no other sum.
            assert!(read(&note).is_none_or(|lived| lived == long), "byte {at}");
            note[at] ^= 1;
            assert_eq!(read(&note[..at]).filter(|_| at + 1 < note.len()), None, "{at} bytes");
        }
        let over = line(&short);
        note[..over.len()].copy_from_slice(over.as_bytes());
        assert_eq!(read(&note), Some(short));
        assert_eq!(read(line(&Lived::default()).as_bytes()), Some(Lived::default()));
    }
}
