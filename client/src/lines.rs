//! Lines of a pipe, none longer than a limit.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at once.
const CHUNK: usize = 4096;

/// Reads lines from a pipe.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    limit: usize,
    /// What was read and is not a whole line yet, or several.
    read: Vec<u8>,
    /// Up to here there is no end of a line.
    looked: usize,
}

/// Why there is no further line.
#[derive(Debug, thiserror::Error)]
pub enum LinesError {
    /// The pipe failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is longer than the limit.
    #[error("a line of more than {0} bytes")]
    TooLong(usize),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `limit` bytes.
    pub fn new(from: R, limit: usize) -> Lines<R> {
        Lines { from, limit, read: Vec::new(), looked: 0 }
    }

    /// The next line without its end; bytes that are no text are replaced. `None` at the end of the pipe,
    /// where a last line without an end does not count. May be cancelled.
    ///
    /// # Errors
    /// When the pipe fails or the line is too long; no line follows then.
    pub async fn next(&mut self) -> Result<Option<String>, LinesError> {
        loop {
            if let Some(at) = self.read[self.looked..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=self.looked + at).collect();
                self.looked = 0;
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()));
            }
            self.looked = self.read.len();
            if self.looked > self.limit {
                return Err(LinesError::TooLong(self.limit));
            }
            self.read.reserve(CHUNK);
            if self.from.read_buf(&mut self.read).await? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_whole_and_in_order() {
        let from = pipe(&["one\r\ntw", "o\n\nthr", "ee\nrest"]);
        let mut lines = Lines::new(from, 10);
        for expected in ["one", "two", "", "three"] {
            assert_eq!(lines.next().await.unwrap().as_deref(), Some(expected));
        }
        assert_eq!(lines.next().await.unwrap(), None, "half a line does not count");
    }

    #[tokio::test]
    async fn a_line_without_end_is_cut_off() {
        let long = "x".repeat(20_000);
        let mut lines = Lines::new(pipe(&["ok\n", &long]), 100);
        assert_eq!(lines.next().await.unwrap().as_deref(), Some("ok"));
        assert!(matches!(lines.next().await, Err(LinesError::TooLong(100))));
        assert!(lines.read.len() <= 2 * CHUNK, "no more was kept than one chunk beyond the limit");
    }

    /// A pipe that gives these parts one after the other, and then ends.
    fn pipe(parts: &[&str]) -> impl AsyncRead + Unpin + use<> {
        let (mut write, read) = tokio::io::duplex(CHUNK);
        let parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        tokio::spawn(async move {
            for part in parts {
                // The reader may have had enough.
                if tokio::io::AsyncWriteExt::write_all(&mut write, part.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        read
    }
}
