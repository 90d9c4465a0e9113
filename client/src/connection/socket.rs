//! One WebSocket with a limit on every wait. Knows frames and close codes, nothing of what they mean.

use std::future::Future;
use std::io;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{MAX_MESSAGE_BYTES, SUBPROTOCOL};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as FrameCode;
use tokio_tungstenite::tungstenite::protocol::{Message as Frame, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use tokio_util::either::Either;

use super::{Ended, Offline, tls};
use crate::server_url::ServerUrl;
use crate::system::SystemError;

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const WRITE_WITHIN: Duration = Duration::from_secs(3);
/// For the other side's half of an orderly close.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// Messages are small and rare: the library's 128 KiB buffers would be the most of a bot's memory.
const READ_BUFFER: usize = 4 * 1024;
/// Requests are at most 4 KiB, and each is written before the next.
const MAX_UNSENT: usize = 64 * 1024;

/// Makes the stream that a WebSocket runs over: TCP, or in tests a pipe or a simulated network.
pub trait Dial: Send + 'static {
    /// The stream.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send;

    /// Connects to a server.
    ///
    /// # Errors
    /// When no connection comes about just now.
    fn dial(&mut self, url: &ServerUrl) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Dials by TCP, with TLS over it where the address says so.
#[derive(Clone, Copy, Debug)]
pub struct Tcp;

impl Dial for Tcp {
    type Stream = Either<TcpStream, TlsStream<TcpStream>>;

    async fn dial(&mut self, url: &ServerUrl) -> io::Result<Self::Stream> {
        // A name that nobody knows has no error kind of its own: it gets one here.
        let found = lookup_host((url.host(), url.port())).await;
        let found = found.map_err(|error| io::Error::new(io::ErrorKind::AddrNotAvailable, error))?;
        let stream = TcpStream::connect(&*found.collect::<Vec<_>>()).await?;
        // A move is one small frame that somebody waits for.
        stream.set_nodelay(true)?;
        if url.is_secure() {
            return tls::secure(stream, url.host()).await.map(Either::Right);
        }
        Ok(Either::Left(stream))
    }
}

/// Why there is no socket.
#[derive(Debug)]
pub(super) enum OpenError {
    /// It may work later.
    Offline(Offline),
    /// The answer was an HTTP status.
    Http(u16),
    /// The answer was something else.
    NotNoughts,
}

/// How a line ended.
#[derive(Debug)]
pub(super) enum Lost {
    /// It may come back.
    Offline(Offline),
    /// It may not.
    Ended(Ended),
}

impl Lost {
    /// Whether the other side is there to hear a goodbye.
    pub(super) fn is_orderly(&self) -> bool {
        match self {
            Lost::Ended(_) => true,
            Lost::Offline(why) => match why {
                Offline::Restarting | Offline::Closed(_) | Offline::Garbled | Offline::NotReady(_) => true,
                Offline::Io(_) | Offline::Timeout | Offline::Silent | Offline::Http(_) => false,
            },
        }
    }
}

impl From<Offline> for Lost {
    fn from(why: Offline) -> Lost {
        Lost::Offline(why)
    }
}

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    /// A text message.
    Text(String),
    /// A sign of life without content.
    Ping,
    /// The server closes the line, with this code if it gave one.
    Close(Option<u16>),
}

/// An open WebSocket.
#[derive(Debug)]
pub(super) struct Socket<S>(WebSocketStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    /// Connects and shakes hands.
    pub(super) async fn open<D: Dial<Stream = S>>(
        dial: &mut D,
        url: &ServerUrl,
    ) -> Result<Socket<S>, OpenError> {
        let uri = url
            .to_string()
            .parse()
            .map_err(|_| OpenError::Offline(Offline::Io(SystemError::other("bad address"))))?;
        let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUBPROTOCOL);
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_write_buffer_size(MAX_UNSENT)
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let open = async {
            let stream = dial.dial(url).await.map_err(Error::Io)?;
            client_async_with_config(request, stream, Some(config)).await
        };
        match timeout(CONNECT_WITHIN, open).await {
            Ok(Ok((stream, _response))) => Ok(Socket(stream)),
            Ok(Err(error)) => Err(open_error(error)),
            Err(_) => Err(OpenError::Offline(Offline::Timeout)),
        }
    }

    /// Writes a text message out. Not to be cancelled: a message half written is lost, and the line with it.
    pub(super) async fn send(&mut self, text: String) -> Result<(), Offline> {
        match timeout(WRITE_WITHIN, self.0.send(Frame::text(text))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(offline(error)),
            Err(_) => Err(Offline::Timeout),
        }
    }

    /// The next thing that comes. May be cancelled. Answers pings as long as it is called.
    pub(super) async fn next(&mut self) -> Result<Heard, Offline> {
        match self.0.next().await {
            None => Err(Offline::Closed(None)),
            Some(Err(error)) => Err(offline(error)),
            Some(Ok(Frame::Text(text))) => Ok(Heard::Text(text.as_str().to_owned())),
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => Ok(Heard::Ping),
            Some(Ok(Frame::Binary(_) | Frame::Frame(_))) => Err(Offline::Garbled),
            Some(Ok(Frame::Close(frame))) => {
                // Without a code the frame arrives as "no status": that says nothing.
                let code = frame.map(|frame| u16::from(frame.code)).filter(|&code| code != 1005);
                Ok(Heard::Close(code))
            }
        }
    }

    /// Says goodbye, or answers the server's, and waits a moment for the line to end: a line that is dropped
    /// with something unread is reset, and the other side may lose the last words.
    pub(super) async fn close(mut self) {
        let goodbye = CloseFrame { code: FrameCode::Normal, reason: "bye".into() };
        let end = async {
            if let Err(error) = self.0.close(Some(goodbye)).await {
                tracing::debug!(%error, "the line was closed before goodbye was said");
            }
            while let Some(Ok(_)) = self.0.next().await {}
        };
        if timeout(CLOSE_WITHIN, end).await.is_err() {
            tracing::debug!("the server did not answer goodbye");
        }
    }
}

fn open_error(error: Error) -> OpenError {
    match error {
        Error::Http(response) => OpenError::Http(response.status().as_u16()),
        Error::Protocol(ProtocolError::HandshakeIncomplete) => OpenError::Offline(Offline::Closed(None)),
        Error::Protocol(_)
        | Error::HttpFormat(_)
        | Error::Capacity(_)
        | Error::Utf8(_)
        | Error::AttackAttempt => OpenError::NotNoughts,
        Error::Io(_)
        | Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Tls(_)
        | Error::WriteBufferFull(_)
        | Error::Url(_) => OpenError::Offline(offline(error)),
    }
}

fn offline(error: Error) -> Offline {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => Offline::Closed(None),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing) => {
            Offline::Closed(None)
        }
        Error::Io(error) => Offline::Io(error.into()),
        Error::Capacity(_) | Error::Protocol(_) | Error::Utf8(_) => Offline::Garbled,
        Error::Http(response) => Offline::Http(response.status().as_u16()),
        Error::WriteBufferFull(_) => Offline::Timeout,
        Error::Tls(_) | Error::Url(_) | Error::HttpFormat(_) | Error::AttackAttempt => {
            Offline::Io(SystemError::other(error.to_string()))
        }
    }
}
