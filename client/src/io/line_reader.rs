//! Lines of a pipe, none longer than a limit.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at once.
const CHUNK: usize = 4096;

/// Reads lines from a pipe.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    limit: usize,
    /// What was read and is not a whole line yet, or several.
    buffer: Vec<u8>,
    /// Up to here there is no end of a line.
    scanned: usize,
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

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Lines of at most `limit` bytes.
    pub fn new(reader: R, limit: usize) -> LineReader<R> {
        LineReader { reader: reader, limit, buffer: Vec::new(), scanned: 0 }
    }

    /// The next line without its end; bytes that are no text are replaced. `None` at the end of the pipe,
    /// where a last line without an end does not count. May be cancelled.
    ///
    /// # Errors
    /// When the pipe fails or the line is too long; no line follows then.
    pub async fn next(&mut self) -> Result<Option<String>, LinesError> {
        loop {
            if let Some(at) = self.buffer[self.scanned..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=self.scanned + at).collect();
                self.scanned = 0;
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()));
            }
            self.scanned = self.buffer.len();
            if self.scanned > self.limit {
                return Err(LinesError::TooLong(self.limit));
            }
            self.buffer.reserve(CHUNK);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_complete_and_in_order() {
        let reader = pipe(&["one\r\ntw", "o\n\nthr", "ee\nrest"]);
        let mut line_reader = LineReader::new(reader, 10);
        for expected in ["one", "two", "", "three"] {
            assert_eq!(line_reader.next().await.unwrap().as_deref(), Some(expected));
        }
        assert_eq!(line_reader.next().await.unwrap(), None, "half a line does not count");
    }

    #[tokio::test]
    async fn overlong_line_is_an_error() {
        let long = "x".repeat(20_000);
        let mut line_reader = LineReader::new(pipe(&["ok\n", &long]), 100);
        assert_eq!(line_reader.next().await.unwrap().as_deref(), Some("ok"));
        assert!(matches!(line_reader.next().await, Err(LinesError::TooLong(100))));
        assert!(line_reader.buffer.len() <= 2 * CHUNK, "no more was kept than one chunk beyond the limit");
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
