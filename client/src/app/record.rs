//! Records of games as files.

use std::path::Path;

use noughts_protocol::Record;

use crate::model::Note;
use crate::system::SystemError;

/// Reads a record, or says why that cannot be.
pub(super) fn read(file: &Path) -> Result<Record, Box<Note>> {
    use std::io::Read;
    let path = file.display().to_string();
    let mut text = String::new();
    // One byte more than a record may have: the parser then says that it is too long.
    let limit = Record::MAX_TEXT as u64 + 1;
    let read = std::fs::File::open(file).and_then(|opened| opened.take(limit).read_to_string(&mut text));
    match read {
        Ok(_) => text.parse().map_err(|error| Box::new(Note::BadRecord { path, error })),
        Err(error) => Err(Box::new(Note::NotRead { path, error: error.into() })),
    }
}

/// Writes a new file; one that exists is not overwritten.
pub(super) async fn save(path: &str, text: String) -> Result<(), SystemError> {
    let path = std::path::PathBuf::from(path);
    let written = tokio::task::spawn_blocking(move || {
        use std::io::Write;
        let mut file = std::fs::File::create_new(path)?;
        file.write_all(text.as_bytes())
    });
    match written.await {
        Ok(result) => result.map_err(SystemError::from),
        Err(error) => Err(SystemError::other(error.to_string())),
    }
}
