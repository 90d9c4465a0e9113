//! Reading lines of bounded length from a pipe.

use std::io::{self, Read};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Maximum number of bytes per read.
const CHUNK_BYTES: usize = 4096;

/// Reads lines up to a length limit.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: R,
    buffer: LineBuffer,
}

/// Reads lines up to a length limit, and blocks the calling thread.
#[derive(Debug)]
pub(crate) struct BlockingLineReader<R> {
    reader: R,
    buffer: LineBuffer,
}

/// Bytes that were read but have not been returned.
#[derive(Debug)]
struct LineBuffer {
    bytes: Vec<u8>,
    /// Length of the prefix of `bytes` that contains no line end.
    scanned: usize,
    /// Maximum length of a line in bytes.
    limit: usize,
}

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
        LineReader {
            reader,
            buffer: LineBuffer::new(limit),
        }
    }

    /// Returns the next line without its line end; `None` at the end of the pipe. Invalid UTF-8 is replaced, and a last
    /// line without a line end is dropped. Cancel safe.
    ///
    /// # Errors
    /// Returns an error if the pipe fails or the line is too long. The reader must not be used afterwards.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, LineReaderError> {
        loop {
            if let Some(line) = self.buffer.take_line()? {
                return Ok(Some(line));
            }
            self.buffer.bytes.reserve(CHUNK_BYTES);
            if self.reader.read_buf(&mut self.buffer.bytes).await? == 0 {
                return Ok(None);
            }
        }
    }
}

impl<R: Read> BlockingLineReader<R> {
    /// Creates a reader of lines of at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> BlockingLineReader<R> {
        BlockingLineReader {
            reader,
            buffer: LineBuffer::new(limit),
        }
    }

    /// Like [`LineReader::next`], but cuts a line that is too long. The returned part is still longer than the limit,
    /// so that the caller can reject it.
    ///
    /// # Errors
    /// Returns an error if the pipe fails. The reader must not be used afterwards.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            match self.buffer.take_line() {
                Ok(Some(line)) => return Ok(Some(line)),
                Ok(None) => {}
                Err(_) => self.buffer.shorten(),
            }
            let mut chunk = [0; CHUNK_BYTES];
            match self.reader.read(&mut chunk) {
                Ok(0) => return Ok(None),
                Ok(length) => self.buffer.bytes.extend_from_slice(&chunk[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl LineBuffer {
    fn new(limit: usize) -> LineBuffer {
        LineBuffer {
            bytes: Vec::new(),
            scanned: 0,
            limit,
        }
    }

    /// Removes the first line and its line end, and returns it; `None` if more bytes must be read.
    fn take_line(&mut self) -> Result<Option<String>, LineReaderError> {
        if let Some(at) = self.bytes[self.scanned..]
            .iter()
            .position(|&byte| byte == b'\n')
        {
            let line: Vec<u8> = self.bytes.drain(..=self.scanned + at).collect();
            self.scanned = 0;
            let line = String::from_utf8_lossy(&line);
            return Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()));
        }
        self.scanned = self.bytes.len();
        if self.scanned > self.limit {
            return Err(LineReaderError::TooLong(self.limit));
        }
        Ok(None)
    }

    /// Drops all bytes of an overlong line except the first `limit + 1`.
    fn shorten(&mut self) {
        self.bytes.truncate(self.limit + 1);
        self.scanned = self.bytes.len();
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
        assert_eq!(
            line_reader.next().await.unwrap(),
            None,
            "a line without a line end is dropped"
        );
    }

    #[tokio::test]
    async fn overlong_line_is_an_error() {
        let long = "x".repeat(20_000);
        let mut line_reader = LineReader::new(pipe(&["ok\n", &long]), 100);
        assert_eq!(line_reader.next().await.unwrap().as_deref(), Some("ok"));
        assert!(matches!(
            line_reader.next().await,
            Err(LineReaderError::TooLong(100))
        ));
        assert!(
            line_reader.buffer.bytes.len() <= 2 * CHUNK_BYTES,
            "the buffer exceeds the limit by one chunk at most"
        );
    }

    #[test]
    fn blocking_reads_return_the_same_lines() {
        let parts = b"one\r\ntwo\n\nthree\nrest".as_slice();
        let mut line_reader = BlockingLineReader::new(parts, 10);
        for expected in ["one", "two", "", "three"] {
            assert_eq!(line_reader.next().unwrap().as_deref(), Some(expected));
        }
        assert_eq!(
            line_reader.next().unwrap(),
            None,
            "a line without a line end is dropped"
        );
    }

    #[test]
    fn blocking_reads_shorten_a_line_that_is_too_long() {
        let text = format!("{}\nnext\n", "x".repeat(1_000_000));
        let mut line_reader = BlockingLineReader::new(text.as_bytes(), 100);
        let line = line_reader.next().unwrap().unwrap();
        assert!(
            (101..=2 * CHUNK_BYTES).contains(&line.len()),
            "{}",
            line.len()
        );
        assert!(line_reader.buffer.bytes.capacity() <= 4 * CHUNK_BYTES);
        assert_eq!(line_reader.next().unwrap().as_deref(), Some("next"));
    }

    /// Returns a pipe that delivers these parts one after another, and then ends.
    fn pipe(parts: &[&str]) -> impl AsyncRead + Unpin + use<> {
        let (mut write, read) = tokio::io::duplex(CHUNK_BYTES);
        let parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        tokio::spawn(async move {
            for part in parts {
                // The reader may have been dropped.
                if tokio::io::AsyncWriteExt::write_all(&mut write, part.as_bytes())
                    .await
                    .is_err()
                {
                    return;
                }
            }
        });
        read
    }
}
