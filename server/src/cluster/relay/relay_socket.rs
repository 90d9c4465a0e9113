//! The WebSocket of a relay. Every wait for the other node is bounded.

use std::net::SocketAddr;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::CloseCode;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config, client_async_with_config};
use tracing::debug;

use super::relay_address::{RelayAddress, RelayKey};
use super::relay_message::RelayControl;
use super::relay_warnings::limited_warn;
use super::transport::RelayConnector;
use crate::send_queue::ByteStream;

/// Time limit for opening a relay, including the acceptance by the other node.
const OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// Time limit for sending messages. A silent node counts as live for the same time.
const SEND_TIMEOUT: Duration = crate::cluster::nodes::live_nodes::SUSPECT_AFTER;

/// Time limit for closing a relay. During this time, the other node reads the last messages.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum length of a message: more than the longest snapshot of a room.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Initial size of the buffer of each direction. Most messages fit; the buffer grows for a longer message.
const BUFFER_BYTES: usize = 512;

const SCHEME: &str = "Bearer ";

/// Failure to open a relay.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    #[error("the node is not live")]
    NotLive,
    #[error("too many relays")]
    TooMany,
    #[error("cannot connect to {0}: {1}")]
    Connect(SocketAddr, std::io::Error),
    #[error("{0} refuses the key of the relay: a different node has this address now")]
    WrongKey(SocketAddr),
    #[error("{0} does not accept the relay: {1}")]
    Handshake(SocketAddr, Box<Error>),
    #[error("{0} does not answer")]
    Timeout(SocketAddr),
}

/// An event that one end of a relay receives.
#[derive(Debug)]
pub(super) enum RelayEvent {
    /// A request of the client, or a frame for the client.
    Text(Utf8Bytes),
    Control(RelayControl),
    /// The other node has closed the relay.
    Closed(CloseCode),
    /// The relay is broken.
    Lost,
}

/// One end of a relay. If this end is dropped before [`RelaySocket::close`], the other end sees the relay as lost.
pub(super) struct RelaySocket(WebSocketStream<Box<dyn ByteStream>>);

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(2 * MAX_MESSAGE_BYTES)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES))
}

impl RelaySocket {
    /// Connects to a node.
    ///
    /// # Errors
    /// If the node does not accept the relay in time.
    pub(super) async fn connect(
        connector: &dyn RelayConnector,
        to: RelayAddress,
    ) -> Result<RelaySocket, OpenError> {
        let RelayAddress { address, key } = to;
        let open = async {
            let stream = connector.connect(address).await;
            let stream = stream.map_err(|error| OpenError::Connect(address, error))?;
            let failed = |error| {
                if let Error::Http(response) = &error
                    && response.status() == StatusCode::UNAUTHORIZED
                {
                    return OpenError::WrongKey(address);
                }
                OpenError::Handshake(address, Box::new(error))
            };
            let mut request = format!("ws://{address}/relay")
                .into_client_request()
                .map_err(failed)?;
            let value = format!("{SCHEME}{key}").parse().expect("ASCII");
            request.headers_mut().insert(AUTHORIZATION, value);
            let opened = client_async_with_config(request, stream, Some(config())).await;
            let (socket, _) = opened.map_err(failed)?;
            Ok(RelaySocket(socket))
        };
        timeout(OPEN_TIMEOUT, open)
            .await
            .unwrap_or(Err(OpenError::Timeout(address)))
    }

    /// Accepts a relay from a node that knows the key. Returns the relay and its first message.
    pub(super) async fn accept(
        stream: Box<dyn ByteStream>,
        key: RelayKey,
    ) -> Option<(RelaySocket, Utf8Bytes)> {
        // Tungstenite requires this type.
        #[expect(
            clippy::result_large_err,
            reason = "the response of a refused handshake"
        )]
        let check_key = |request: &Request, response: Response| match request
            .headers()
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok()?.strip_prefix(SCHEME)?.parse().ok())
        {
            Some(given) if key.is(given) => Ok(response),
            Some(_) | None => {
                limited_warn!("relay refused: wrong key");
                let mut refusal = ErrorResponse::new(Some("wrong key".into()));
                *refusal.status_mut() = StatusCode::UNAUTHORIZED;
                Err(refusal)
            }
        };
        let open = async {
            match accept_hdr_async_with_config(stream, check_key, Some(config())).await {
                Ok(socket) => {
                    let mut socket = RelaySocket(socket);
                    match socket.next().await {
                        RelayEvent::Text(first) => Some((socket, first)),
                        RelayEvent::Control(_) | RelayEvent::Closed(_) | RelayEvent::Lost => None,
                    }
                }
                Err(error) => {
                    debug!(%error, "cannot open relay");
                    None
                }
            }
        };
        timeout(OPEN_TIMEOUT, open).await.ok().flatten()
    }

    /// Receives the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> RelayEvent {
        loop {
            return match self.0.next().await {
                Some(Ok(Message::Text(text))) => RelayEvent::Text(text),
                Some(Ok(Message::Binary(bytes))) => match serde_json::from_slice(&bytes) {
                    Ok(control) => RelayEvent::Control(control),
                    Err(error) => {
                        limited_warn!(%error, "relay closed: message of another format");
                        RelayEvent::Lost
                    }
                },
                Some(Ok(Message::Close(frame))) => frame
                    .and_then(|frame| CloseCode::from_code(frame.code.into()))
                    .map_or(RelayEvent::Lost, RelayEvent::Closed),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Err(error)) => {
                    debug!(%error, "relay broken");
                    RelayEvent::Lost
                }
                None => RelayEvent::Lost,
            };
        }
    }

    /// Buffers a text, which [`RelaySocket::flush`] sends. Returns whether the relay is intact.
    pub(super) async fn buffer_text(&mut self, text: impl Into<Utf8Bytes>) -> bool {
        is_sent(self.0.feed(Message::text(text))).await
    }

    /// Buffers a message for the other node. Returns whether the relay is intact.
    pub(super) async fn buffer_control(&mut self, control: RelayControl) -> bool {
        let json = serde_json::to_vec(&control).expect("numbers and flags are JSON");
        is_sent(self.0.feed(Message::binary(json))).await
    }

    /// Sends the buffered messages. Returns whether the relay is intact.
    pub(super) async fn flush(&mut self) -> bool {
        is_sent(self.0.flush()).await
    }

    /// Sends the buffered messages, closes the relay, and waits until the other node has read them. When the other node
    /// has closed the relay, waits until it has disconnected.
    ///
    /// Input is discarded meanwhile, because the kernel answers unread input with a reset, which can discard the last
    /// messages.
    pub(super) async fn close(mut self, code: CloseCode) {
        let frame = CloseFrame {
            code: Number::from(code.code()),
            reason: Utf8Bytes::default(),
        };
        let close = async {
            // Closing also fails if the other node has already closed the relay.
            is_sent(self.0.close(Some(frame))).await;
            while let Some(Ok(_)) = self.0.next().await {}
        };
        if timeout(CLOSE_TIMEOUT, close).await.is_err() {
            debug!("the other node did not answer the close of a relay in time");
        }
    }
}

/// Returns whether the messages were sent without an error within [`SEND_TIMEOUT`].
async fn is_sent(sending: impl Future<Output = Result<(), Error>>) -> bool {
    match timeout(SEND_TIMEOUT, sending).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            debug!(%error, "relay broken");
            false
        }
        Err(_) => {
            debug!("relay broken: the other node did not accept messages in time");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use futures::FutureExt;
    use futures::future::BoxFuture;
    use tokio::io::{DuplexStream, duplex};
    use tokio::time::Instant;

    use super::*;
    use crate::runtime::sync::lock;

    /// Connects to one end of a pipe.
    #[derive(Debug)]
    struct PipeConnector(Mutex<Option<DuplexStream>>);

    impl RelayConnector for PipeConnector {
        fn connect(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn ByteStream>>> {
            let stream = lock(&self.0).take();
            async move {
                let stream = stream.ok_or(io::ErrorKind::ConnectionRefused)?;
                Ok(Box::new(stream) as Box<dyn ByteStream>)
            }
            .boxed()
        }
    }

    fn pipe() -> (PipeConnector, Box<dyn ByteStream>) {
        let (near, far) = duplex(1024);
        (PipeConnector(Mutex::new(Some(near))), Box::new(far))
    }

    fn address(key: u64) -> RelayAddress {
        RelayAddress::of_model(1, key)
    }

    /// Returns both ends of a relay with the first message `entry`.
    async fn open() -> [RelaySocket; 2] {
        let (connector, far) = pipe();
        let near = async {
            let mut near = RelaySocket::connect(&connector, address(7)).await.unwrap();
            assert!(near.buffer_text("entry").await && near.flush().await);
            near
        };
        let (near, far) = tokio::join!(near, RelaySocket::accept(far, address(7).key));
        let (far, first) = far.unwrap();
        assert_eq!(first.as_str(), "entry");
        [near, far]
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_node_that_knows_the_key_opens_a_relay() {
        let (connector, far) = pipe();
        let accept = RelaySocket::accept(far, address(8).key);
        let (opened, accepted) = tokio::join!(RelaySocket::connect(&connector, address(7)), accept);
        assert!(matches!(opened, Err(OpenError::WrongKey(_))));
        assert!(accepted.is_none());
        let unreachable = RelaySocket::connect(&connector, address(7)).await;
        assert!(matches!(unreachable, Err(OpenError::Connect(..))));
    }

    #[tokio::test(start_paused = true)]
    async fn neither_node_waits_for_one_that_does_not_answer() {
        let began = Instant::now();
        let (connector, silent) = pipe();
        let opened = RelaySocket::connect(&connector, address(7)).await;
        assert!(matches!(opened, Err(OpenError::Timeout(_))));
        drop(silent);
        let (silent, far) = pipe();
        assert!(RelaySocket::accept(far, address(7).key).await.is_none());
        assert_eq!(began.elapsed().as_secs(), 2);
        drop(silent);

        let [mut near, far] = open().await;
        let began = Instant::now();
        let long = "x".repeat(64 << 10);
        assert!(!(near.buffer_text(long).await && near.flush().await));
        assert_eq!(began.elapsed().as_millis(), SEND_TIMEOUT.as_millis());
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn messages_before_a_close_arrive_in_order() {
        let [mut near, mut far] = open().await;
        let sender = async move {
            assert!(near.buffer_text("frame").await);
            assert!(near.buffer_control(RelayControl::Left).await);
            near.close(CloseCode::Replaced).await;
        };
        let receiver = async move {
            // The other end closes the relay before it reads this text.
            assert!(far.buffer_text("unread").await && far.flush().await);
            assert!(matches!(far.next().await, RelayEvent::Text(text) if text.as_str() == "frame"));
            assert!(matches!(
                far.next().await,
                RelayEvent::Control(RelayControl::Left)
            ));
            assert!(matches!(
                far.next().await,
                RelayEvent::Closed(CloseCode::Replaced)
            ));
        };
        tokio::join!(sender, receiver);

        let [near, mut far] = open().await;
        drop(near);
        assert!(matches!(far.next().await, RelayEvent::Lost));
    }
}
