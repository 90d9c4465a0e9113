//! Reading lines of bounded length from a pipe.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes of one read.
const CHUNK_BYTES: usize = 4096;

/// Reads lines up to a length limit.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: R,
    limit: usize,
    /// Bytes that were read but not returned.
    buffer: Vec<u8>,
    /// Length of the prefix of `buffer` without a line end.
    scanned: usize,
}

/// Reason why no further line can be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineReaderError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is longer than this limit, in bytes.
    #[error("line exceeds {0} bytes")]
    TooLong(usize),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Creates a reader of lines of at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> LineReader<R> {
        LineReader { reader, limit, buffer: Vec::new(), scanned: 0 }
    }

    /// Returns the next line without its line end; `None` at the end of the pipe. Invalid UTF-8 is replaced; a last line
    /// without a line end is dropped. Cancel safe.
    ///
    /// # Errors
    /// Returns an error if the pipe fails or the line is too long. The reader must not be used afterwards.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, LineReaderError> {
        loop {
            if let Some(at) = self.buffer[self.scanned..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=self.scanned + at).collect();
                self.scanned = 0;
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()));
            }
            self.scanned = self.buffer.len();
            if self.scanned > self.limit {
                return Err(LineReaderError::TooLong(self.limit));
            }
            self.buffer.reserve(CHUNK_BYTES);
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
        assert_eq!(line_reader.next().await.unwrap(), None, "a line without a line end is dropped");
    }

    #[tokio::test]
    async fn overlong_line_is_an_error() {
        let long = "x".repeat(20_000);
        let mut line_reader = LineReader::new(pipe(&["ok\n", &long]), 100);
        assert_eq!(line_reader.next().await.unwrap().as_deref(), Some("ok"));
        assert!(matches!(line_reader.next().await, Err(LineReaderError::TooLong(100))));
        assert!(
            line_reader.buffer.len() <= 2 * CHUNK_BYTES,
            "the buffer exceeds the limit by one chunk at most"
        );
    }

    /// Returns a pipe that delivers these parts one after the other, and then ends.
    fn pipe(parts: &[&str]) -> impl AsyncRead + Unpin + use<> {
        let (mut write, read) = tokio::io::duplex(CHUNK_BYTES);
        let parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        tokio::spawn(async move {
            for part in parts {
                // The reader may have been dropped.
                if tokio::io::AsyncWriteExt::write_all(&mut write, part.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        read
    }
}
