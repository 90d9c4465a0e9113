//! A WebSocket with a timeout for every wait. It handles frames and close codes, and does not interpret messages.

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

use super::event::{DisconnectReason, TerminationReason};
use super::tls;
use crate::connection::server_url::ServerUrl;
use crate::io::io_error::LocalizableIoError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for the close handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Messages are small and rare. The library's default of 128 KiB would dominate the memory of a bot.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// A request has at most 4 KiB, and is written before the next request.
const MAX_WRITE_BUFFER_BYTES: usize = 64 * 1024;

/// Opens the stream below a WebSocket: TCP, or in tests a pipe or a simulated network.
pub trait Connector: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send;

    /// Connects to a server.
    ///
    /// # Errors
    /// Returns an error if the connection fails; a later attempt may succeed.
    fn connect(&mut self, url: &ServerUrl)
    -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Connects by TCP, with TLS for `wss` URLs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpConnector;

impl Connector for TcpConnector {
    type Stream = Either<TcpStream, TlsStream<TcpStream>>;

    async fn connect(&mut self, url: &ServerUrl) -> io::Result<Self::Stream> {
        // Resolver errors have no error kind of their own. This kind selects the text for an unknown host.
        let addresses = lookup_host((url.host(), url.port())).await;
        let addresses =
            addresses.map_err(|error| io::Error::new(io::ErrorKind::AddrNotAvailable, error))?;
        let stream = TcpStream::connect(&*addresses.collect::<Vec<_>>()).await?;
        // A move is a small frame that must be sent immediately, because the opponent waits for it.
        stream.set_nodelay(true)?;
        if url.is_secure() {
            return tls::connect_tls(stream, url.host())
                .await
                .map(Either::Right);
        }
        Ok(Either::Left(stream))
    }
}

/// Reason for a failed attempt to connect.
#[derive(Debug)]
pub(super) enum ConnectError {
    /// A later attempt may succeed.
    Disconnected(DisconnectReason),
    /// The server responded with this HTTP status.
    Http(u16),
    /// The response was not a WebSocket handshake.
    NotNoughts,
}

/// Reason why a socket ended.
#[derive(Debug)]
pub(super) enum SocketError {
    /// The connection is retried.
    Disconnected(DisconnectReason),
    /// The connection is not retried.
    Terminated(TerminationReason),
}

impl SocketError {
    /// Returns whether the peer is likely to answer a close handshake.
    pub(super) fn is_orderly(&self) -> bool {
        match self {
            SocketError::Terminated(_) => true,
            SocketError::Disconnected(reason) => match reason {
                DisconnectReason::Restarting
                | DisconnectReason::Closed(_)
                | DisconnectReason::Garbled
                | DisconnectReason::NotReady(_) => true,
                DisconnectReason::Io(_)
                | DisconnectReason::Timeout
                | DisconnectReason::Silent
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

#[derive(Debug)]
pub(super) enum IncomingFrame {
    Text(String),
    /// A ping or a pong.
    Ping,
    /// The server closes the connection, with this code if it sent one.
    Close(Option<u16>),
}

/// An open WebSocket.
#[derive(Debug)]
pub(super) struct ClientSocket<S>(WebSocketStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> ClientSocket<S> {
    /// Connects, and performs the WebSocket handshake.
    pub(super) async fn open<D: Connector<Stream = S>>(
        connector: &mut D,
        url: &ServerUrl,
    ) -> Result<ClientSocket<S>, ConnectError> {
        let uri = url.to_string().parse().map_err(|_| {
            ConnectError::Disconnected(DisconnectReason::Io(LocalizableIoError::other(
                "bad address",
            )))
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

    /// Writes a text message. Not cancel safe, because a partly written message breaks the connection.
    pub(super) async fn send(&mut self, text: String) -> Result<(), DisconnectReason> {
        match timeout(WRITE_TIMEOUT, self.0.send(Frame::text(text))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(to_disconnect_reason(error)),
            Err(_) => Err(DisconnectReason::Timeout),
        }
    }

    /// Returns the next frame, and answers pings. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<IncomingFrame, DisconnectReason> {
        match self.0.next().await {
            None => Err(DisconnectReason::Closed(None)),
            Some(Err(error)) => Err(to_disconnect_reason(error)),
            Some(Ok(Frame::Text(text))) => Ok(IncomingFrame::Text(text.as_str().to_owned())),
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => Ok(IncomingFrame::Ping),
            Some(Ok(Frame::Binary(_) | Frame::Frame(_))) => Err(DisconnectReason::Garbled),
            Some(Ok(Frame::Close(frame))) => {
                // 1005 stands for a close frame without a code.
                let code = frame
                    .map(|frame| u16::from(frame.code))
                    .filter(|&code| code != 1005);
                Ok(IncomingFrame::Close(code))
            }
        }
    }

    /// Completes the close handshake, and reads the remaining input. A TCP connection that is closed with unread data
    /// is reset, and the peer may lose the last messages.
    pub(super) async fn close(mut self) {
        let close_frame = CloseFrame {
            code: FrameCode::Normal,
            reason: "bye".into(),
        };
        let closing = async {
            if let Err(error) = self.0.close(Some(close_frame)).await {
                tracing::debug!(%error, "connection closed before close handshake");
            }
            while let Some(Ok(_)) = self.0.next().await {}
        };
        if timeout(CLOSE_TIMEOUT, closing).await.is_err() {
            tracing::debug!("close handshake timed out");
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
        Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing,
        ) => DisconnectReason::Closed(None),
        Error::Io(error) => DisconnectReason::Io(error.into()),
        Error::Capacity(_) | Error::Protocol(_) | Error::Utf8(_) => DisconnectReason::Garbled,
        Error::Http(response) => DisconnectReason::Http(response.status().as_u16()),
        Error::WriteBufferFull(_) => DisconnectReason::Timeout,
        Error::Tls(_) | Error::Url(_) | Error::HttpFormat(_) | Error::AttackAttempt => {
            DisconnectReason::Io(LocalizableIoError::other(error.to_string()))
        }
    }
}
