//! The HTTP port: `/ws`, `/health`, `/ready`, `/metrics` and a page.
//!
//! Accepts connections, responds to requests and passes each WebSocket to its connection task. Never blocks: connections
//! over the limit are rejected, and one timeout covers each handshake as a whole.

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

use super::accept_backoff::AcceptBackoff;
use super::listener::Listener;
use super::origin::OriginPolicy;
use super::responses::{
    ResponseBody, forbidden, handshake_error, method_not_allowed, negotiate_subprotocol, over_capacity,
    over_capacity_raw, retry_later, text_response,
};
use crate::connection;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::quota::Quota;
use crate::net::tls::TlsCertificate;
use crate::runtime::context::ServerContext;
use crate::runtime::ignore::ignore;
use crate::runtime::metrics::ExternalGauges;
use crate::send_queue::ByteStream;

/// Maximum size of a request head.
const MAX_HEAD_BYTES: usize = 8 * 1024;
const MAX_HEADERS: usize = 64;

/// Accepts connections until the server drains. Spawns their tasks on `tasks`, for the caller to wait for. With `tls`,
/// every connection begins with a TLS handshake.
pub(crate) async fn run(
    mut listener: impl Listener,
    tls: Option<Arc<TlsCertificate>>,
    ctx: ServerContext,
    tasks: TaskTracker,
) {
    let limits = &ctx.limits;
    let (origins, hosts) = (limits.allow_origin.clone(), limits.allow_host.clone());
    let server = Arc::new(HttpServer {
        origin_policy: OriginPolicy { loopback: listener.is_loopback(), origins, hosts },
        handshake_quota: Quota::new(limits.max_handshakes, limits.max_per_address),
        connection_quota: Quota::new(limits.max_connections, limits.max_per_address),
        tls,
        tasks,
        ctx: ctx.clone(),
    });
    let draining = ctx.shared.draining.cancelled();
    tokio::pin!(draining);
    let mut backoff = AcceptBackoff::default();
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut draining => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                backoff.on_success();
                server.start_handshake(stream, peer);
            }
            Err(error) => {
                let Some(delay) = backoff.on_error(&error) else { continue };
                tokio::select! {
                    () = &mut draining => return,
                    () = sleep(delay) => {}
                }
            }
        }
    }
}

/// State shared by all handshakes.
struct HttpServer {
    origin_policy: OriginPolicy,
    /// Connections that have not completed their request.
    handshake_quota: Arc<Quota>,
    /// WebSocket connections.
    connection_quota: Arc<Quota>,
    tls: Option<Arc<TlsCertificate>>,
    tasks: TaskTracker,
    ctx: ServerContext,
}

impl HttpServer {
    /// Starts a handshake if the quota permits it.
    fn start_handshake<S>(self: &Arc<Self>, mut stream: S, peer: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let client_prefix = ClientPrefix::from_ip(peer.ip());
        let permit = match self.handshake_quota.try_acquire(client_prefix) {
            Ok(permit) => permit,
            Err(error) => {
                self.ctx.shared.metrics.refused.add(1);
                if self.tls.is_none() {
                    // The empty send buffer takes the response at once.
                    let sent = stream.write_all(over_capacity_raw(error)).now_or_never();
                    ignore(sent, "the server does not wait for a rejected client");
                }
                return;
            }
        };
        let pending = PendingConnection {
            server: Arc::clone(self),
            client_prefix,
            deadline: Instant::now() + self.ctx.limits.handshake_timeout,
        };
        self.tasks.spawn(async move {
            let _permit = permit;
            let _gauge_guard = pending.server.ctx.shared.metrics.sockets.enter();
            let deadline = pending.deadline;
            match timeout_at(deadline, pending.clone().handshake(stream)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => debug!(%error, "handshake failed"),
                Err(_) => debug!("handshake timed out"),
            }
        });
    }
}

/// Failure of a handshake.
#[derive(Debug, thiserror::Error)]
enum HandshakeError {
    #[error("TLS: {0}")]
    Tls(#[from] io::Error),
    #[error(transparent)]
    Http(#[from] hyper::Error),
}

/// A connection before its request is complete.
#[derive(Clone)]
struct PendingConnection {
    server: Arc<HttpServer>,
    client_prefix: ClientPrefix,
    /// Deadline of TLS handshake, request, response and upgrade together.
    deadline: Instant,
}

impl PendingConnection {
    async fn handshake<S>(self, stream: S) -> Result<(), HandshakeError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match self.server.tls.as_ref().map(|tls| tls.acceptor()) {
            None => Ok(self.serve_request(stream).await?),
            Some(acceptor) => {
                let stream = acceptor.accept(stream).await?;
                Ok(self.serve_request(stream).await?)
            }
        }
    }

    /// Serves one request. The caller enforces the deadline.
    async fn serve_request<S>(self, stream: S) -> Result<(), hyper::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(move |request| {
            let pending = self.clone();
            async move { Ok::<_, std::convert::Infallible>(pending.route::<S>(request)) }
        });
        let mut http = hyper::server::conn::http1::Builder::new();
        http.header_read_timeout(None).max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
        http.serve_connection(TokioIo::new(stream), service).with_upgrades().await
    }

    fn route<S>(self, request: Request<Incoming>) -> Response<ResponseBody>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        if let Err(error) = self.server.origin_policy.check(&request) {
            return forbidden(error);
        }
        if request.method() != Method::GET {
            return method_not_allowed();
        }
        let ctx = &self.server.ctx;
        match request.uri().path() {
            "/ws" => self.upgrade_websocket::<S>(request, Endpoint::Rooms),
            #[cfg(feature = "echo")]
            "/echo" => self.upgrade_websocket::<S>(request, Endpoint::Echo),
            "/health" => text_response(StatusCode::OK, "ok\n"),
            "/ready" if ctx.is_ready() => text_response(StatusCode::OK, "ready\n"),
            "/ready" => text_response(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
            "/metrics" => {
                let tasks = Handle::current().metrics().num_alive_tasks();
                let gauges =
                    ExternalGauges { rooms: ctx.shared.registry.len(), seeks: ctx.seek_count(), tasks };
                text_response(StatusCode::OK, ctx.shared.metrics.render(gauges))
            }
            "/" => text_response(
                StatusCode::OK,
                "A noughts server. Its WebSocket is at /ws: noughts play ws://THIS-HOST:PORT/ws\n",
            ),
            _ => text_response(StatusCode::NOT_FOUND, "not found\n"),
        }
    }

    fn upgrade_websocket<S>(
        self,
        mut request: Request<Incoming>,
        endpoint: Endpoint,
    ) -> Response<ResponseBody>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let server = &self.server;
        if server.ctx.shared.draining.is_cancelled() {
            return retry_later(StatusCode::SERVICE_UNAVAILABLE, "restarting\n");
        }
        let offered = match negotiate_subprotocol(&request) {
            Ok(offered) => offered,
            Err(refused) => return *refused,
        };
        let mut response = match create_response_with_body(&request, ResponseBody::default) {
            Ok(response) => response,
            Err(error) => return handshake_error(&error),
        };
        if offered {
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
        }
        let permit = match server.connection_quota.try_acquire(self.client_prefix) {
            Ok(permit) => permit,
            Err(error) => {
                server.ctx.shared.metrics.refused.add(1);
                return over_capacity(error);
            }
        };
        let upgrade = hyper::upgrade::on(&mut request);
        let (ctx, client_prefix, deadline) = (server.ctx.clone(), self.client_prefix, self.deadline);
        server.tasks.spawn(async move {
            let _permit = permit;
            let metrics = Arc::clone(&ctx.shared.metrics);
            let _gauge_guard = metrics.sockets.enter();
            let upgraded = match timeout_at(deadline, upgrade).await {
                Ok(Ok(upgraded)) => upgraded,
                Ok(Err(error)) => return debug!(%error, "upgrade failed"),
                Err(_) => return debug!("upgrade timed out"),
            };
            match upgraded.downcast::<TokioIo<S>>() {
                // Without hyper's wrapper each connection saves a dynamic dispatch and a buffer.
                Ok(parts) => {
                    let read_buf = parts.read_buf.to_vec();
                    // Frees hyper's buffer, of which this is a slice.
                    drop(parts.read_buf);
                    endpoint.serve(parts.io.into_inner(), read_buf, ctx, client_prefix).await;
                }
                Err(upgraded) => {
                    endpoint.serve(TokioIo::new(upgraded), Vec::new(), ctx, client_prefix).await;
                }
            }
        });
        response
    }
}

/// Service behind a WebSocket path.
#[derive(Clone, Copy, Debug)]
enum Endpoint {
    Rooms,
    #[cfg(feature = "echo")]
    Echo,
}

impl Endpoint {
    async fn serve<S>(self, stream: S, read_buf: Vec<u8>, ctx: ServerContext, client_prefix: ClientPrefix)
    where
        S: ByteStream + 'static,
    {
        match self {
            Endpoint::Rooms => connection::serve(stream, read_buf, ctx, client_prefix).await,
            #[cfg(feature = "echo")]
            Endpoint::Echo => connection::echo::serve(stream, read_buf, ctx).await,
        }
    }
}
