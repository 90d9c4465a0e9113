//! The door: one port for `/ws`, `/health`, `/ready`, `/metrics` and a page. Accepts, answers, and
//! hands a WebSocket on to its connection; every handshake has a time limit.

mod addresses;
mod listen;
mod origin;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use noughts_protocol::wire::SUBPROTOCOL;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use crate::connection;
use crate::host::Host;
use crate::tls::Tls;
use addresses::{Addresses, Refused};
pub use listen::Listen;
use origin::{Doorkeeper, Unwelcome};

type Body = Full<Bytes>;

/// The largest head of a request.
const MAX_HEAD: usize = 8 * 1024;
const MAX_HEADERS: usize = 64;

/// How long to rest after a failed accept: out of descriptors, the next one fails as well.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// Accepts until the server drains. Tasks go to `tasks`, for the caller to wait for.
/// With `tls`, every connection is greeted with its certificate first.
pub async fn run(mut listener: impl Listen, tls: Option<Arc<Tls>>, host: Host, tasks: TaskTracker) {
    let addresses = Arc::new(Addresses::new(host.limits.max_connections, host.limits.max_per_address));
    let (origins, hosts) = (host.limits.allow_origin.clone(), host.limits.allow_host.clone());
    let keeper = Arc::new(Doorkeeper { loopback: listener.is_loopback(), origins, hosts });
    let handshakes = Arc::new(Semaphore::new(host.limits.max_handshakes));
    let draining = host.draining.clone().cancelled_owned();
    tokio::pin!(draining);
    loop {
        // With every handshake taken the next waits in the kernel; each ends within its time.
        let accepted = async {
            let handshake = Arc::clone(&handshakes).acquire_owned().await;
            (listener.accept().await, handshake)
        };
        let (stream, peer, handshake) = tokio::select! {
            biased;
            () = &mut draining => return,
            (accepted, handshake) = accepted => match accepted {
                Ok((stream, peer)) => (stream, peer, handshake),
                Err(error) => {
                    warn!(%error, "accept failed");
                    tokio::time::sleep(ACCEPT_REST).await;
                    continue;
                }
            },
        };
        let door = Door {
            host: host.clone(),
            keeper: Arc::clone(&keeper),
            addresses: Arc::clone(&addresses),
            peer,
            tasks: tasks.clone(),
        };
        let acceptor = tls.as_ref().map(|tls| tls.acceptor());
        tasks.spawn(async move {
            let metrics = Arc::clone(&door.host.metrics);
            let _counted = metrics.sockets.present();
            let _handshake = handshake;
            match acceptor {
                None => door.answer(stream).await,
                Some(acceptor) => {
                    let greeted = timeout(door.host.limits.handshake, acceptor.accept(stream)).await;
                    match greeted {
                        Ok(Ok(stream)) => door.answer(stream).await,
                        Ok(Err(error)) => debug!(%error, "no TLS came about"),
                        Err(_) => debug!("a TLS handshake took too long"),
                    }
                }
            }
        });
    }
}

/// What one TCP connection is answered with.
#[derive(Clone)]
struct Door {
    host: Host,
    keeper: Arc<Doorkeeper>,
    addresses: Arc<Addresses>,
    peer: SocketAddr,
    tasks: TaskTracker,
}

impl Door {
    async fn answer<S>(self, stream: S)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let limit = self.host.limits.handshake;
        let service = service_fn(move |request| {
            let door = self.clone();
            async move { Ok::<_, std::convert::Infallible>(door.route::<S>(request)) }
        });
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limit)
            .max_buf_size(MAX_HEAD)
            .max_headers(MAX_HEADERS);
        let served = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        // Twice the time of the head: one to read it, one to write the answer.
        match timeout(limit * 2, served).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => debug!(%error, "a request went wrong"),
            Err(_) => debug!("a request took too long"),
        }
    }

    fn route<S>(self, request: Request<Incoming>) -> Response<Body>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        if request.method() != Method::GET {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "GET only\n");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
            return response;
        }
        if let Err(unwelcome) = self.keeper.check(request.headers()) {
            return match unwelcome {
                Unwelcome::Host => text(StatusCode::FORBIDDEN, "this server is not known by that name\n"),
                Unwelcome::Origin => text(StatusCode::FORBIDDEN, "that page may not connect here\n"),
            };
        }
        match request.uri().path() {
            "/ws" => self.websocket::<S>(request),
            "/health" => text(StatusCode::OK, "ok\n"),
            "/ready" if self.host.ready() => text(StatusCode::OK, "ready\n"),
            "/ready" => text(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
            "/metrics" => {
                text(StatusCode::OK, self.host.metrics.render(self.host.registry.len(), self.host.seeks()))
            }
            "/" => text(
                StatusCode::OK,
                "A noughts server. Its WebSocket is at /ws: noughts play ws://THIS-HOST:PORT/ws\n",
            ),
            _ => text(StatusCode::NOT_FOUND, "no such page\n"),
        }
    }

    fn websocket<S>(self, mut request: Request<Incoming>) -> Response<Body>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        if self.host.draining.is_cancelled() {
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
        let place = match Addresses::enter(&self.addresses, canonical(self.peer.ip())) {
            Ok(place) => place,
            Err(refused) => {
                self.host.metrics.refused.add(1);
                return match refused {
                    Refused::Full => busy(StatusCode::SERVICE_UNAVAILABLE, "the server is full\n"),
                    Refused::Address => {
                        busy(StatusCode::TOO_MANY_REQUESTS, "too many connections from this address\n")
                    }
                };
            }
        };
        let upgrade = hyper::upgrade::on(&mut request);
        let limit = self.host.limits.handshake;
        self.tasks.clone().spawn(async move {
            let _place = place;
            let metrics = Arc::clone(&self.host.metrics);
            let _counted = metrics.sockets.present();
            let upgraded = match timeout(limit, upgrade).await {
                Ok(Ok(upgraded)) => upgraded,
                Ok(Err(error)) => return debug!(%error, "the peer left in the handshake"),
                Err(_) => return debug!("the peer took too long in the handshake"),
            };
            match upgraded.downcast::<TokioIo<S>>() {
                // Without hyper's wrapper there is one dispatch and one buffer less a connection.
                Ok(parts) => {
                    connection::serve(parts.io.into_inner(), parts.read_buf.to_vec(), self.host).await;
                }
                Err(upgraded) => connection::serve(TokioIo::new(upgraded), Vec::new(), self.host).await,
            }
        });
        response
    }
}

/// Whether the client offers our subprotocol. One that offers none is taken at its word: many simple
/// clients cannot.
fn subprotocol(request: &Request<Incoming>) -> Result<bool, Box<Response<Body>>> {
    let mut offers = request.headers().get_all(SEC_WEBSOCKET_PROTOCOL).iter().peekable();
    if offers.peek().is_none() {
        return Ok(false);
    }
    let ours = |value: &HeaderValue| {
        value.to_str().is_ok_and(|list| list.split(',').any(|offer| offer.trim() == SUBPROTOCOL))
    };
    if offers.any(ours) {
        return Ok(true);
    }
    Err(Box::new(text(StatusCode::BAD_REQUEST, "the subprotocol is noughts\n")))
}

/// An IPv4 peer of a socket for both is counted as the same address.
fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // Said here and not by hyper's switch, which would say it of an upgrade as well: clients that take
    // the header's value for one word then find no upgrade.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn busy(status: StatusCode, body: &'static str) -> Response<Body> {
    let mut response = text(status, body);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// The status for a handshake that is none.
fn handshake_error(error: &Error) -> Response<Body> {
    use ProtocolError::{
        MissingConnectionUpgradeHeader, MissingSecWebSocketVersionHeader, MissingUpgradeWebSocketHeader,
        WrongHttpVersion,
    };
    let Error::Protocol(fault) = error else {
        return text(StatusCode::BAD_REQUEST, "not a WebSocket handshake\n");
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other fault of a handshake is a bad request")]
    match fault {
        MissingSecWebSocketVersionHeader => {
            let mut response = text(StatusCode::UPGRADE_REQUIRED, "WebSocket version 13 only\n");
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            response
        }
        MissingUpgradeWebSocketHeader | MissingConnectionUpgradeHeader | WrongHttpVersion => {
            let mut response = text(StatusCode::UPGRADE_REQUIRED, "a WebSocket is served here\n");
            response.headers_mut().insert(hyper::header::UPGRADE, HeaderValue::from_static("websocket"));
            response
        }
        other => text(StatusCode::BAD_REQUEST, format!("not a WebSocket handshake: {other}\n")),
    }
}
