//! The first bytes of a connection: the header of a trusted proxy, and the first line of the request, which has a time
//! limit of its own.

use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

use crate::net::proxy::proxy_protocol::{ProxyHeader, ProxyHeaderError};

/// Maximum number of bytes read here. The parsers that follow reject a longer first line.
const OPENING_MAX_BYTES: usize = 8 * 1024;

/// Initial capacity: most requests fit, and are read at once.
const TYPICAL_REQUEST_BYTES: usize = 1024;

/// Length of the header of a TLS record.
const TLS_RECORD_HEADER_BYTES: usize = 5;

/// First byte of a TLS record that contains a handshake.
const TLS_HANDSHAKE: u8 = 22;

/// Maximum length of the part of a TLS record that must arrive in the time of a first line.
const TLS_RECORD_MAX_BYTES: usize = 2048;

/// Beginning of HTTP/2 over TCP (RFC 9113, section 3.4).
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n";

/// Protocol that the server expects after the header of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) enum Expected {
    Http,
    Tls,
}

/// The first bytes of a connection.
#[derive(Debug)]
pub(in crate::net) struct Opening {
    /// The bytes after the header of the proxy.
    pub(in crate::net) bytes: Vec<u8>,
    /// Address that the proxy forwarded.
    pub(in crate::net) client: Option<IpAddr>,
}

/// A connection that does not begin as it has to.
#[derive(Debug, thiserror::Error)]
pub(in crate::net) enum OpeningError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The header of the proxy is malformed.
    #[error(transparent)]
    Proxy(#[from] ProxyHeaderError),
    /// HTTP/2 without negotiation.
    #[error("HTTP/2 is not supported; use HTTP/1.1")]
    Http2,
    /// HTTP on a port with TLS.
    #[error("this port requires TLS; use https or wss")]
    TlsRequired,
}

impl Opening {
    /// Reads until the first line is complete. The caller enforces the time limit. Ends early at the end of the stream,
    /// and where the parsers that follow reject the bytes.
    pub(in crate::net) async fn read(
        stream: &mut (impl AsyncRead + Unpin),
        is_proxy: bool,
        expected: Expected,
    ) -> Result<Opening, OpeningError> {
        let mut opening = Opening {
            bytes: Vec::with_capacity(TYPICAL_REQUEST_BYTES),
            client: None,
        };
        let mut expects_header = is_proxy;
        loop {
            if expects_header {
                match ProxyHeader::parse(&opening.bytes)? {
                    ProxyHeader::Incomplete => {}
                    ProxyHeader::Absent => expects_header = false,
                    ProxyHeader::Complete { len, client } => {
                        expects_header = false;
                        opening.bytes.drain(..len);
                        opening.client = client;
                    }
                }
            }
            if !expects_header && opening.check_complete(expected)? {
                return Ok(opening);
            }
            if opening.bytes.len() >= OPENING_MAX_BYTES
                || stream.read_buf(&mut opening.bytes).await? == 0
            {
                return Ok(opening);
            }
        }
    }

    fn check_complete(&self, expected: Expected) -> Result<bool, OpeningError> {
        let Some(first) = self.bytes.first() else {
            return Ok(false);
        };
        match expected {
            Expected::Http if self.bytes.starts_with(HTTP2_PREFACE) => Err(OpeningError::Http2),
            // Anything but a letter is no method, and is rejected by the parser.
            Expected::Http => Ok(!first.is_ascii_alphabetic() || self.bytes.contains(&b'\n')),
            Expected::Tls if *first == TLS_HANDSHAKE => {
                let Some(length) = self.bytes.get(3..TLS_RECORD_HEADER_BYTES) else {
                    return Ok(false);
                };
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                let record = (TLS_RECORD_HEADER_BYTES + length).min(TLS_RECORD_MAX_BYTES);
                Ok(self.bytes.len() >= record)
            }
            Expected::Tls if first.is_ascii_alphabetic() => Err(OpeningError::TlsRequired),
            Expected::Tls => Ok(true),
        }
    }
}

/// A stream that yields some bytes before those of the stream within.
#[derive(Debug)]
pub(in crate::net) struct PrefixedStream<S> {
    prefix: Vec<u8>,
    /// Number of bytes of `prefix` that were read.
    read: usize,
    stream: S,
}

impl<S> PrefixedStream<S> {
    pub(in crate::net) fn new(prefix: Vec<u8>, stream: S) -> PrefixedStream<S> {
        PrefixedStream {
            prefix,
            read: 0,
            stream,
        }
    }

    /// Runs a future while the peer is connected, and returns its output. Keeps what the peer sends meanwhile for later reads.
    ///
    /// # Errors
    /// If reading fails, or the peer ends the stream.
    pub(in crate::net) async fn run_while_connected<F: Future>(
        &mut self,
        future: F,
    ) -> io::Result<F::Output>
    where
        S: AsyncRead + Unpin,
    {
        let mut future = pin!(future);
        loop {
            let can_read = self.prefix.len() < OPENING_MAX_BYTES;
            tokio::select! {
                biased;
                output = &mut future => return Ok(output),
                read = self.stream.read_buf(&mut self.prefix), if can_read => if read? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                },
            }
        }
    }

    /// Returns the stream within, and the bytes of the prefix that were not read.
    pub(in crate::net) fn into_parts(mut self) -> (S, Vec<u8>) {
        self.prefix.drain(..self.read);
        (self.stream, self.prefix)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PrefixedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.prefix.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let unread = &self.prefix[self.read..];
        let length = unread.len().min(buffer.remaining());
        buffer.put_slice(&unread[..length]);
        self.read += length;
        if self.read == self.prefix.len() {
            (self.prefix, self.read) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PrefixedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    /// Reads the opening of these bytes, followed by the end of the stream, in pieces of `chunk` bytes.
    async fn read(
        bytes: &[u8],
        chunk: usize,
        is_proxy: bool,
        expected: Expected,
    ) -> Result<Opening, OpeningError> {
        use tokio::io::AsyncWriteExt;
        let (mut client, mut server) = duplex(chunk);
        let write = async move {
            for piece in bytes.chunks(chunk) {
                // The reader stops at the end of the first line.
                let (Ok(()) | Err(_)) = client.write_all(piece).await;
            }
        };
        let read = async {
            let opening = Opening::read(&mut server, is_proxy, expected).await;
            drop(server);
            opening
        };
        tokio::join!(write, read).1
    }

    #[tokio::test]
    async fn a_header_is_taken_off_for_a_proxy_only() {
        let request = b"PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\nGET / HTTP/1.1\r\n";
        for chunk in [1, 7, 1000] {
            let opening = read(request, chunk, true, Expected::Http).await.unwrap();
            assert_eq!(opening.client, Some("192.0.2.1".parse().unwrap()));
            assert!(
                opening.bytes.ends_with(b"GET / HTTP/1.1\r\n"),
                "{}",
                opening.bytes.escape_ascii()
            );
            let opening = read(request, chunk, false, Expected::Http).await.unwrap();
            assert_eq!((opening.client, opening.bytes[0]), (None, b'P'));
        }
        assert!(matches!(
            read(b"PROXY x\r\n", 3, true, Expected::Http).await,
            Err(OpeningError::Proxy(_))
        ));
    }

    #[tokio::test]
    async fn wrong_protocols_are_recognized() {
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        assert!(matches!(
            read(preface, 5, false, Expected::Http).await,
            Err(OpeningError::Http2)
        ));
        let request = b"GET / HTTP/1.1\r\n\r\n";
        assert!(matches!(
            read(request, 5, false, Expected::Tls).await,
            Err(OpeningError::TlsRequired)
        ));
        let record = [&[TLS_HANDSHAKE, 3, 1, 0, 10][..], &[7; 30]].concat();
        assert!(
            read(&record, 4, false, Expected::Tls)
                .await
                .unwrap()
                .bytes
                .len()
                >= 15
        );
        assert_eq!(
            read(b"", 5, false, Expected::Http).await.unwrap().bytes,
            b""
        );
    }

    #[tokio::test]
    async fn a_prefix_is_read_before_the_stream() {
        let mut stream = PrefixedStream::new(b"abc".to_vec(), &b"def"[..]);
        let mut two = [0; 2];
        stream.read_exact(&mut two).await.unwrap();
        assert_eq!((&two, stream.prefix.len()), (b"ab", 3));
        let (rest, unread) = PrefixedStream {
            prefix: stream.prefix.clone(),
            ..stream
        }
        .into_parts();
        assert_eq!((rest, unread), (&b"def"[..], b"c".to_vec()));
        let mut all = Vec::new();
        PrefixedStream::new(b"abc".to_vec(), &b"def"[..])
            .read_to_end(&mut all)
            .await
            .unwrap();
        assert_eq!(all, b"abcdef");
    }
}
