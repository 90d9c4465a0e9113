//! The first bytes of a connection, and the address that the connection counts for.
//!
//! A connection from a trusted proxy may begin with a header of the PROXY protocol, version 1 or 2: a TCP proxy writes
//! the address of the client before the client's first byte. The first line of the request follows, with a time limit
//! of its own. A connection counts for the address of its peer, or for the address that a trusted proxy forwards.
//! Everything except reading is pure.

#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;
use ppp::{PartialResult, v1, v2};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// Maximum number of bytes read here. The parsers that follow reject a longer first line.
const OPENING_MAX_BYTES: usize = 8 * 1024;

/// Initial capacity: most requests fit, and need one read.
const TYPICAL_REQUEST_BYTES: usize = 1024;

/// Length of the header of a TLS record.
const TLS_RECORD_HEADER_BYTES: usize = 5;

/// First byte of a TLS record that contains a handshake.
const TLS_HANDSHAKE: u8 = 22;

/// Maximum number of bytes of the first TLS record that must arrive within the time limit of a first line.
const TLS_RECORD_MAX_BYTES: usize = 2048;

/// Beginning of HTTP/2 over TCP (RFC 9113, section 3.4).
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n";

/// Protocol that the server expects after the header of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Http,
    Tls,
}

/// The first bytes of a connection.
#[derive(Debug)]
pub(super) struct Opening {
    /// The bytes after the header of the proxy.
    pub(super) bytes: Vec<u8>,
    /// Address that the proxy forwarded.
    pub(super) client: Option<IpAddr>,
}

/// A connection with an invalid beginning.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpeningError {
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
    pub(super) async fn read(
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
            // The parser rejects a method that does not begin with a letter.
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

/// A stream that yields the bytes of a prefix before the bytes of the inner stream.
#[derive(Debug)]
pub(super) struct PrefixedStream<S> {
    prefix: Vec<u8>,
    /// Number of bytes of `prefix` that were read.
    read: usize,
    stream: S,
}

impl<S> PrefixedStream<S> {
    pub(super) fn new(prefix: Vec<u8>, stream: S) -> PrefixedStream<S> {
        PrefixedStream {
            prefix,
            read: 0,
            stream,
        }
    }

    /// Runs a future while the peer is connected, and returns its output. Keeps the bytes that the peer sends meanwhile
    /// for later reads.
    ///
    /// # Errors
    /// If reading fails, or the peer ends the stream.
    pub(super) async fn run_while_connected<F: Future>(
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
    pub(super) fn into_parts(mut self) -> (S, Vec<u8>) {
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

/// Maximum length of a header of version 2 after its first 16 bytes: addresses, and vendor data that are ignored.
const V2_PAYLOAD_MAX_BYTES: usize = 2048;

/// Maximum length of a header of version 1.
const V1_MAX_BYTES: usize = 107;

const V1_PREFIX: &[u8] = b"PROXY ";

/// Result of looking for a header at the beginning of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProxyHeader {
    /// The connection does not begin with a header.
    Absent,
    /// More bytes are needed.
    Incomplete,
    /// A header of `len` bytes.
    Complete {
        /// Length of the header.
        len: usize,
        /// Address of the client; `None` if the proxy connects on its own behalf or does not know the address.
        client: Option<IpAddr>,
    },
}

/// A header that violates the protocol, or an address family that no TCP client has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed PROXY header: {0}")]
pub(super) struct ProxyHeaderError(String);

impl ProxyHeader {
    /// Parses the first bytes of a connection.
    pub(super) fn parse(bytes: &[u8]) -> Result<ProxyHeader, ProxyHeaderError> {
        if is_beginning_of(bytes, v2::PROTOCOL_PREFIX) {
            parse_v2(bytes)
        } else if is_beginning_of(bytes, V1_PREFIX) {
            parse_v1(bytes)
        } else {
            Ok(ProxyHeader::Absent)
        }
    }
}

impl ProxyHeaderError {
    /// Returns an error with the text of the library on one line, because the text may contain line breaks.
    fn from_library(error: impl Display) -> ProxyHeaderError {
        ProxyHeaderError(error.to_string().escape_debug().to_string())
    }
}

/// Returns whether `bytes` begin with `prefix`, or are a beginning of it.
fn is_beginning_of(bytes: &[u8], prefix: &[u8]) -> bool {
    let common = bytes.len().min(prefix.len());
    bytes[..common] == prefix[..common]
}

fn parse_v1(bytes: &[u8]) -> Result<ProxyHeader, ProxyHeaderError> {
    let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") else {
        if bytes.len() < V1_MAX_BYTES {
            return Ok(ProxyHeader::Incomplete);
        }
        return Err(ProxyHeaderError(format!(
            "no line break in {V1_MAX_BYTES} bytes"
        )));
    };
    let line = &bytes[..end + 2];
    let parsed = v1::Header::try_from(line).map_err(ProxyHeaderError::from_library)?;
    let client = match parsed.addresses {
        v1::Addresses::Unknown => None,
        v1::Addresses::Tcp4(addresses) => Some(addresses.source_address.into()),
        v1::Addresses::Tcp6(addresses) => Some(addresses.source_address.into()),
    };
    Ok(ProxyHeader::Complete {
        len: line.len(),
        client,
    })
}

fn parse_v2(bytes: &[u8]) -> Result<ProxyHeader, ProxyHeaderError> {
    if let Some(length) = bytes.get(14..16) {
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        if length > V2_PAYLOAD_MAX_BYTES {
            return Err(ProxyHeaderError(format!(
                "{length} bytes, at most {V2_PAYLOAD_MAX_BYTES} allowed"
            )));
        }
    }
    let result = v2::Header::try_from(bytes);
    if result.is_incomplete() {
        return Ok(ProxyHeader::Incomplete);
    }
    let parsed = result.map_err(ProxyHeaderError::from_library)?;
    let client = match (parsed.command, parsed.protocol, parsed.addresses) {
        (v2::Command::Local, _, _)
        | (_, _, v2::Addresses::Unspecified | v2::Addresses::Unix(_)) => None,
        (v2::Command::Proxy, v2::Protocol::Datagram, _) => {
            return Err(ProxyHeaderError("datagrams instead of a stream".into()));
        }
        (v2::Command::Proxy, _, v2::Addresses::IPv4(addresses)) => {
            Some(addresses.source_address.into())
        }
        (v2::Command::Proxy, _, v2::Addresses::IPv6(addresses)) => {
            Some(addresses.source_address.into())
        }
    };
    Ok(ProxyHeader::Complete {
        len: parsed.len(),
        client,
    })
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The networks of the proxies that an operator trusts to name their clients.
#[derive(Clone, Debug)]
pub(super) struct TrustedProxies(Vec<IpNet>);

/// `Forwarded` and `X-Forwarded-For` name different clients. A proxy sets one of the headers and passes the other
/// header on, so its client has written one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContradictoryHeaders;

impl TrustedProxies {
    pub(super) fn new(networks: Vec<IpNet>) -> TrustedProxies {
        TrustedProxies(networks)
    }

    /// Returns whether an address belongs to a trusted proxy.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns the client of a request: the nearest hop that is not a trusted proxy, starting at the `peer`. Ignores
    /// the headers of an untrusted peer. If a trusted proxy names no address, the proxy is the client.
    ///
    /// # Errors
    /// If the two headers contradict each other.
    pub(super) fn client_of(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Result<IpAddr, ContradictoryHeaders> {
        if !self.contains(peer) {
            return Ok(peer);
        }
        let by_header = |name: HeaderName, parse: fn(&str) -> Option<IpAddr>| {
            headers
                .contains_key(&name)
                .then(|| self.nearest_untrusted(peer, headers, &name, parse))
        };
        match (
            by_header(FORWARDED, parse_forwarded_element),
            by_header(X_FORWARDED_FOR, parse_node),
        ) {
            (None, None) => Ok(peer),
            (Some(client), None) | (None, Some(client)) => Ok(client),
            (Some(one), Some(other)) if one == other => Ok(one),
            (Some(_), Some(_)) => Err(ContradictoryHeaders),
        }
    }

    /// Follows the hops of a header from the last to the first while they are trusted.
    fn nearest_untrusted(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        name: &HeaderName,
        parse: fn(&str) -> Option<IpAddr>,
    ) -> IpAddr {
        let mut client = peer;
        for value in headers.get_all(name).iter().rev() {
            // The hops in a value that is not text are unknown, so the search ends.
            let Ok(text) = value.to_str() else {
                return client;
            };
            for element in split_list(text).into_iter().rev() {
                let Some(hop) = parse(element) else {
                    return client;
                };
                client = hop.to_canonical();
                if !self.contains(client) {
                    return client;
                }
            }
        }
        client
    }
}

/// Splits a list (RFC 9110, section 5.6.1) at the commas outside of quoted strings. Empty elements are ignored.
fn split_list(text: &str) -> Vec<&str> {
    split_unquoted(text, ',')
}

fn split_unquoted(text: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = text.split(|character| {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if character == separator => return !is_quoted,
            _ => {}
        }
        false
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the address of `for=` in an element of `Forwarded` (RFC 7239, section 4); `None` for `unknown` and for names
/// that hide an address.
fn parse_forwarded_element(element: &str) -> Option<IpAddr> {
    let pair = split_unquoted(element, ';').into_iter().find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("for")
            .then_some(value.trim())
    })?;
    let unquoted = pair
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    parse_node(unquoted.unwrap_or(pair))
}

/// Parses an address, with a port or without: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
fn parse_node(text: &str) -> Option<IpAddr> {
    let bracketed = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match bracketed {
        Some(address) => address.parse().ok().map(IpAddr::V6),
        None => text
            .parse()
            .ok()
            .or_else(|| text.parse().ok().map(|node: SocketAddr| node.ip())),
    }
}
