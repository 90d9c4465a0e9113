//! Reading and writing record files.

use std::path::Path;

use noughts_protocol::Record;

use crate::facts::Notification;
use crate::io::io_error::LocalizableIoError;

/// Reads a record file.
pub(super) fn read(file: &Path) -> Result<Record, Box<Notification>> {
    use std::io::Read;
    let path = file.display().to_string();
    let mut text = String::new();
    // One byte beyond the limit lets the parser report a record that is too long.
    let limit = Record::MAX_TEXT as u64 + 1;
    let read =
        std::fs::File::open(file).and_then(|opened| opened.take(limit).read_to_string(&mut text));
    match read {
        Ok(_) => text
            .parse()
            .map_err(|error| Box::new(Notification::RecordInvalid { path, error })),
        Err(error) => Err(Box::new(Notification::FileReadFailed {
            path,
            error: error.into(),
        })),
    }
}

/// Writes a new file; an existing file is not overwritten.
pub(super) async fn save(path: &str, text: String) -> Result<(), LocalizableIoError> {
    let path = std::path::PathBuf::from(path);
    let written = tokio::task::spawn_blocking(move || {
        use std::io::Write;
        let mut file = std::fs::File::create_new(path)?;
        file.write_all(text.as_bytes())
    });
    match written.await {
        Ok(result) => result.map_err(LocalizableIoError::from),
        Err(error) => Err(LocalizableIoError::other(error.to_string())),
    }
}
