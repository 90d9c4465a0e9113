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

use super::{DisconnectReason, TerminationReason, tls};
use crate::io::io_error::LocalizableIoError;
use crate::server_url::ServerUrl;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);
/// For the other side's half of an orderly close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Messages are small and rare: the library's 128 KiB buffers would be the most of a bot's memory.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Requests are at most 4 KiB, and each is written before the next.
const MAX_WRITE_BUFFER_BYTES: usize = 64 * 1024;

/// Makes the stream that a WebSocket runs over: TCP, or in tests a pipe or a simulated network.
pub trait Connector: Send + 'static {
    /// The stream.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send;

    /// Connects to a server.
    ///
    /// # Errors
    /// When no connection comes about just now.
    fn connect(&mut self, url: &ServerUrl) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Dials by TCP, with TLS over it where the address says so.
#[derive(Clone, Copy, Debug)]
pub struct TcpConnector;

impl Connector for TcpConnector {
    type Stream = Either<TcpStream, TlsStream<TcpStream>>;

    async fn connect(&mut self, url: &ServerUrl) -> io::Result<Self::Stream> {
        // A name that nobody knows has no error kind of its own: it gets one here.
        let addresses = lookup_host((url.host(), url.port())).await;
        let addresses = addresses.map_err(|error| io::Error::new(io::ErrorKind::AddrNotAvailable, error))?;
        let stream = TcpStream::connect(&*addresses.collect::<Vec<_>>()).await?;
        // A move is one small frame that somebody waits for.
        stream.set_nodelay(true)?;
        if url.is_secure() {
            return tls::connect_tls(stream, url.host()).await.map(Either::Right);
        }
        Ok(Either::Left(stream))
    }
}

/// Why there is no socket.
#[derive(Debug)]
pub(super) enum ConnectError {
    /// It may work later.
    Disconnected(DisconnectReason),
    /// The answer was an HTTP status.
    Http(u16),
    /// The answer was something else.
    NotNoughts,
}

/// How a line ended.
#[derive(Debug)]
pub(super) enum SocketError {
    /// It may come back.
    Disconnected(DisconnectReason),
    /// It may not.
    Terminated(TerminationReason),
}

impl SocketError {
    /// Whether the other side is there to hear a goodbye.
    pub(super) fn is_orderly(&self) -> bool {
        match self {
            SocketError::Terminated(_) => true,
            SocketError::Disconnected(reason) => match reason {
                DisconnectReason::Restarting
                | DisconnectReason::Closed(_)
                | DisconnectReason::MalformedMessage
                | DisconnectReason::NotReady(_) => true,
                DisconnectReason::Io(_)
                | DisconnectReason::Timeout
                | DisconnectReason::PingTimeout
                | DisconnectReason::Http(_) => false,
            },
        }
    }
}

impl From<DisconnectReason> for SocketError {
    fn from(reason: DisconnectReason) -> SocketError {
        SocketError::Disconnected(reason)
    }
}

/// What came.
#[derive(Debug)]
pub(super) enum IncomingFrame {
    /// A text message.
    Text(String),
    /// A sign of life without content.
    Ping,
    /// The server closes the line, with this code if it gave one.
    Close(Option<u16>),
}

/// An open WebSocket.
#[derive(Debug)]
pub(super) struct ClientSocket<S>(WebSocketStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> ClientSocket<S> {
    /// Connects and shakes hands.
    pub(super) async fn open<D: Connector<Stream = S>>(
        connector: &mut D,
        url: &ServerUrl,
    ) -> Result<ClientSocket<S>, ConnectError> {
        let uri = url.to_string().parse().map_err(|_| {
            ConnectError::Disconnected(DisconnectReason::Io(LocalizableIoError::other("bad address")))
        })?;
        let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUBPROTOCOL);
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(0)
            .max_write_buffer_size(MAX_WRITE_BUFFER_BYTES)
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let connecting = async {
            let stream = connector.connect(url).await.map_err(Error::Io)?;
            client_async_with_config(request, stream, Some(config)).await
        };
        match timeout(CONNECT_TIMEOUT, connecting).await {
            Ok(Ok((stream, _response))) => Ok(ClientSocket(stream)),
            Ok(Err(error)) => Err(to_connect_error(error)),
            Err(_) => Err(ConnectError::Disconnected(DisconnectReason::Timeout)),
        }
    }

    /// Writes a text message out. Not to be cancelled: a message half written is lost, and the line with it.
    pub(super) async fn send(&mut self, text: String) -> Result<(), DisconnectReason> {
        match timeout(WRITE_TIMEOUT, self.0.send(Frame::text(text))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(to_disconnect_reason(error)),
            Err(_) => Err(DisconnectReason::Timeout),
        }
    }

    /// The next thing that comes. May be cancelled. Answers pings as long as it is called.
    pub(super) async fn next(&mut self) -> Result<IncomingFrame, DisconnectReason> {
        match self.0.next().await {
            None => Err(DisconnectReason::Closed(None)),
            Some(Err(error)) => Err(to_disconnect_reason(error)),
            Some(Ok(Frame::Text(text))) => Ok(IncomingFrame::Text(text.as_str().to_owned())),
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => Ok(IncomingFrame::Ping),
            Some(Ok(Frame::Binary(_) | Frame::Frame(_))) => Err(DisconnectReason::MalformedMessage),
            Some(Ok(Frame::Close(frame))) => {
                // Without a code the frame arrives as "no status": that says nothing.
                let code = frame.map(|frame| u16::from(frame.code)).filter(|&code| code != 1005);
                Ok(IncomingFrame::Close(code))
            }
        }
    }

    /// Says goodbye, or answers the server's, and waits a moment for the line to end: a line that is dropped
    /// with something unread is reset, and the other side may lose the last words.
    pub(super) async fn close(mut self) {
        let close_frame = CloseFrame { code: FrameCode::Normal, reason: "bye".into() };
        let closing = async {
            if let Err(error) = self.0.close(Some(close_frame)).await {
                tracing::debug!(%error, "the line was closed before goodbye was said");
            }
            while let Some(Ok(_)) = self.0.next().await {}
        };
        if timeout(CLOSE_TIMEOUT, closing).await.is_err() {
            tracing::debug!("the server did not answer goodbye");
        }
    }
}

fn to_connect_error(error: Error) -> ConnectError {
    match error {
        Error::Http(response) => ConnectError::Http(response.status().as_u16()),
        Error::Protocol(ProtocolError::HandshakeIncomplete) => {
            ConnectError::Disconnected(DisconnectReason::Closed(None))
        }
        Error::Protocol(_)
        | Error::HttpFormat(_)
        | Error::Capacity(_)
        | Error::Utf8(_)
        | Error::AttackAttempt => ConnectError::NotNoughts,
        Error::Io(_)
        | Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Tls(_)
        | Error::WriteBufferFull(_)
        | Error::Url(_) => ConnectError::Disconnected(to_disconnect_reason(error)),
    }
}

fn to_disconnect_reason(error: Error) -> DisconnectReason {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => DisconnectReason::Closed(None),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing) => {
            DisconnectReason::Closed(None)
        }
        Error::Io(error) => DisconnectReason::Io(error.into()),
        Error::Capacity(_) | Error::Protocol(_) | Error::Utf8(_) => DisconnectReason::MalformedMessage,
        Error::Http(response) => DisconnectReason::Http(response.status().as_u16()),
        Error::WriteBufferFull(_) => DisconnectReason::Timeout,
        Error::Tls(_) | Error::Url(_) | Error::HttpFormat(_) | Error::AttackAttempt => {
            DisconnectReason::Io(LocalizableIoError::other(error.to_string()))
        }
    }
}
