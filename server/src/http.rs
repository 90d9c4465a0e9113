//! The door: one port for `/ws`, `/health`, `/ready`, `/metrics` and a page. Accepts, answers, and
//! hands a WebSocket on to its connection. It waits for nobody: who finds no place is turned away, and
//! each handshake has one time limit for all of it.

mod answers;
mod listen;
mod origin;
mod rest;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures::FutureExt;
use hyper::body::Incoming;
use hyper::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use noughts_protocol::wire::SUBPROTOCOL;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_util::task::TaskTracker;
use tracing::debug;

use crate::connection;
use crate::host::Host;
use crate::metrics::Told;
use crate::network::Network;
use crate::outbox::Stream;
use crate::places::Places;
use crate::tls::Tls;
use answers::{Body, busy, get_only, handshake_error, no_handshake, no_place, subprotocol, text, unwelcome};
pub use listen::{Listen, bind};
use origin::Doorkeeper;
use rest::Rest;

/// The largest head of a request.
const MAX_HEAD: usize = 8 * 1024;
const MAX_HEADERS: usize = 64;

/// Accepts until the server drains. Tasks go to `tasks`, for the caller to wait for.
/// With `tls`, every connection is greeted with its certificate first.
pub async fn run(mut listener: impl Listen, tls: Option<Arc<Tls>>, host: Host, tasks: TaskTracker) {
    let limits = &host.limits;
    let (origins, hosts) = (limits.allow_origin.clone(), limits.allow_host.clone());
    let door = Arc::new(Door {
        keeper: Doorkeeper { loopback: listener.is_loopback(), origins, hosts },
        handshakes: Places::new(limits.max_handshakes, limits.max_per_address),
        connections: Places::new(limits.max_connections, limits.max_per_address),
        tls,
        tasks,
        host: host.clone(),
    });
    let draining = host.draining.cancelled();
    tokio::pin!(draining);
    let mut rest = Rest::default();
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut draining => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                rest.over();
                door.open(stream, peer);
            }
            Err(error) => {
                let Some(rest) = rest.after(&error) else { continue };
                tokio::select! {
                    () = &mut draining => return,
                    () = sleep(rest) => {}
                }
            }
        }
    }
}

/// What all who knock have in common.
struct Door {
    keeper: Doorkeeper,
    /// Those who have not finished their request.
    handshakes: Arc<Places>,
    /// WebSockets.
    connections: Arc<Places>,
    tls: Option<Arc<Tls>>,
    tasks: TaskTracker,
    host: Host,
}

impl Door {
    /// Begins a handshake, if there is a place for it.
    fn open<S>(self: &Arc<Self>, mut stream: S, peer: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let network = Network::of(peer.ip());
        let place = match self.handshakes.enter(network) {
            Ok(place) => place,
            Err(refused) => {
                self.host.metrics.refused.add(1);
                if self.tls.is_none() {
                    // An empty send buffer takes it at once. There is no waiting for whoever is turned
                    // away: if the line is reset behind it, that is said all the same.
                    let (Some(Ok(()) | Err(_)) | None) =
                        stream.write_all(no_handshake(refused)).now_or_never();
                }
                return;
            }
        };
        let visitor = Visitor {
            door: Arc::clone(self),
            network,
            deadline: Instant::now() + self.host.limits.handshake,
        };
        self.tasks.spawn(async move {
            let _place = place;
            let _counted = visitor.door.host.metrics.sockets.present();
            let deadline = visitor.deadline;
            match timeout_at(deadline, visitor.clone().handshake(stream)).await {
                Ok(Ok(())) => {}
                Ok(Err(failed)) => debug!(%failed, "no handshake came about"),
                Err(_) => debug!("a handshake took too long"),
            }
        });
    }
}

/// Why a handshake came to nothing.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("TLS: {0}")]
    Tls(#[from] io::Error),
    #[error(transparent)]
    Http(#[from] hyper::Error),
}

/// Who has knocked.
#[derive(Clone)]
struct Visitor {
    door: Arc<Door>,
    network: Network,
    /// The end of the handshake: of TLS, the request, its answer and the upgrade together.
    deadline: Instant,
}

impl Visitor {
    async fn handshake<S>(self, stream: S) -> Result<(), Failed>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match self.door.tls.as_ref().map(|tls| tls.acceptor()) {
            None => Ok(self.answer(stream).await?),
            Some(acceptor) => {
                let stream = acceptor.accept(stream).await?;
                Ok(self.answer(stream).await?)
            }
        }
    }

    /// Answers one request; the time for it is the caller's.
    async fn answer<S>(self, stream: S) -> Result<(), hyper::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(move |request| {
            let visitor = self.clone();
            async move { Ok::<_, std::convert::Infallible>(visitor.route::<S>(request)) }
        });
        let mut http = hyper::server::conn::http1::Builder::new();
        http.header_read_timeout(None).max_buf_size(MAX_HEAD).max_headers(MAX_HEADERS);
        http.serve_connection(TokioIo::new(stream), service).with_upgrades().await
    }

    fn route<S>(self, request: Request<Incoming>) -> Response<Body>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        if let Err(error) = self.door.keeper.check(&request) {
            return unwelcome(error);
        }
        if request.method() != Method::GET {
            return get_only();
        }
        let host = &self.door.host;
        match request.uri().path() {
            "/ws" => self.websocket::<S>(request, Behind::Rooms),
            #[cfg(feature = "echo")]
            "/echo" => self.websocket::<S>(request, Behind::Echo),
            "/health" => text(StatusCode::OK, "ok\n"),
            "/ready" if host.ready() => text(StatusCode::OK, "ready\n"),
            "/ready" => text(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
            "/metrics" => {
                let tasks = Handle::current().metrics().num_alive_tasks();
                let told = Told { rooms: host.registry.len(), seeks: host.seeks(), tasks };
                text(StatusCode::OK, host.metrics.render(told))
            }
            "/" => text(
                StatusCode::OK,
                "A noughts server. Its WebSocket is at /ws: noughts play ws://THIS-HOST:PORT/ws\n",
            ),
            _ => text(StatusCode::NOT_FOUND, "no such page\n"),
        }
    }

    fn websocket<S>(self, mut request: Request<Incoming>, behind: Behind) -> Response<Body>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let door = &self.door;
        if door.host.draining.is_cancelled() {
            return busy(StatusCode::SERVICE_UNAVAILABLE, "restarting\n");
        }
        let offered = match subprotocol(&request) {
            Ok(offered) => offered,
            Err(refused) => return *refused,
        };
        let mut response = match create_response_with_body(&request, Body::default) {
            Ok(response) => response,
            Err(error) => return handshake_error(&error),
        };
        if offered {
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
        }
        let place = match door.connections.enter(self.network) {
            Ok(place) => place,
            Err(refused) => {
                door.host.metrics.refused.add(1);
                return no_place(refused);
            }
        };
        let upgrade = hyper::upgrade::on(&mut request);
        let (host, network, deadline) = (door.host.clone(), self.network, self.deadline);
        door.tasks.spawn(async move {
            let _place = place;
            let metrics = Arc::clone(&host.metrics);
            let _counted = metrics.sockets.present();
            let upgraded = match timeout_at(deadline, upgrade).await {
                Ok(Ok(upgraded)) => upgraded,
                Ok(Err(error)) => return debug!(%error, "the peer left in the handshake"),
                Err(_) => return debug!("the peer took too long in the handshake"),
            };
            match upgraded.downcast::<TokioIo<S>>() {
                // Without hyper's wrapper there is one dispatch and one buffer less a connection.
                Ok(parts) => {
                    let early = parts.read_buf.to_vec();
                    // Else hyper's buffer, whose part this is, stays as long as the connection.
                    drop(parts.read_buf);
                    behind.serve(parts.io.into_inner(), early, host, network).await;
                }
                Err(upgraded) => {
                    behind.serve(TokioIo::new(upgraded), Vec::new(), host, network).await;
                }
            }
        });
        response
    }
}

/// What a WebSocket is a way to.
#[derive(Clone, Copy, Debug)]
enum Behind {
    Rooms,
    #[cfg(feature = "echo")]
    Echo,
}

impl Behind {
    async fn serve<S>(self, stream: S, early: Vec<u8>, host: Host, network: Network)
    where
        S: Stream + 'static,
    {
        match self {
            Behind::Rooms => connection::serve(stream, early, host, network).await,
            #[cfg(feature = "echo")]
            Behind::Echo => connection::echo::serve(stream, early, host).await,
        }
    }
}
