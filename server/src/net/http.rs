//! The HTTP front end: `/ws`, `/health`, `/ready`, `/metrics` and the browser page.
//!
//! Accepts connections, responds to requests and passes each WebSocket to its connection task. Never blocks:
//! connections over the limit are rejected, and one timeout covers each handshake as a whole.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{AbortHandle, Abortable};
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use noughts_protocol::wire::CloseCode;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use crate::config::ServerLimits;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::meters::{ByteBudgets, NetworkRate};
use crate::limits::slots::{HandshakeSlot, HandshakeSlots, Quota, QuotaError, TurnQueues};
use crate::net::accept::{AcceptBackoff, LingeringClose, Listener, TlsCertificate, linger};
use crate::net::handshake::{
    BrowserRefusals, Endpoint, HandshakeError, OriginPolicy, accept_handshake, request_host,
};
use crate::net::page::{self, PageConnection};
use crate::net::proxy::{
    ContradictoryHeaders, Expected, Opening, OpeningError, PrefixedStream, TrustedProxies,
};
use crate::net::responses::{
    OriginError, ResponseBody, bad_request, forbidden, forbidden_to_banned, http_builder,
    method_not_allowed, over_capacity, raw_response, restarting, text_response,
    too_many_connections_raw,
};
use crate::net::status::StatusPages;
use crate::runtime::context::ServerContext;
use crate::runtime::ignore;
use crate::runtime::sync::lock;
use crate::send_queue::ByteStream;

/// Accepts connections until the server drains. Spawns their tasks on `tasks`, for the caller to wait for. With `tls`,
/// every connection begins with a TLS handshake. `shows_metrics`: serves `/metrics` here, because the server has no
/// admin listener.
pub(crate) async fn run(
    mut listener: impl Listener,
    tls: Option<Arc<TlsCertificate>>,
    ctx: ServerContext,
    tasks: TaskTracker,
    shows_metrics: bool,
) {
    let server = Arc::new(HttpServer::new(
        listener.is_loopback(),
        tls,
        ctx.clone(),
        tasks,
        shows_metrics,
    ));
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
                start_handshake(&server, stream, peer);
            }
            Err(error) => {
                let Some(delay) = backoff.on_error(&error) else {
                    continue;
                };
                tokio::select! {
                    () = &mut draining => return,
                    () = sleep(delay) => {}
                }
            }
        }
    }
}

/// Starts a handshake, unless the client has too many.
fn start_handshake<S>(server: &Arc<HttpServer>, stream: S, peer: SocketAddr)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let is_proxy = server.trusted_proxies.contains(peer.ip());
    let (abort, registration) = AbortHandle::new_pair();
    let slot =
        match server
            .handshake_slots
            .acquire(ClientPrefix::from_ip(peer.ip()), is_proxy, abort)
        {
            Ok(acquired) => {
                server
                    .ctx
                    .shared
                    .metrics
                    .refused
                    .add(u64::from(acquired.evicted));
                acquired.slot
            }
            Err(error) => {
                return server.refuse_connection(stream, ClientPrefix::from_ip(peer.ip()), error);
            }
        };
    let deadline = Instant::now() + server.ctx.limits.handshake_timeout;
    let pending = PendingConnection::new(Arc::clone(server), peer.ip(), deadline);
    let metrics = Arc::clone(&server.ctx.shared.metrics);
    server.tasks.spawn(async move {
        let _gauge_guard = metrics.sockets.enter();
        if Abortable::new(pending.run(stream, slot), registration)
            .await
            .is_err()
        {
            debug!("handshake aborted: a newer handshake took its place");
        }
    });
}

/// State shared by all handshakes.
struct HttpServer {
    origin_policy: OriginPolicy,
    trusted_proxies: TrustedProxies,
    /// Connections that have not completed their request.
    handshake_slots: Arc<HandshakeSlots>,
    /// Connections that load the page.
    page_quota: Arc<Quota>,
    /// Budgets for bytes of the page.
    page_budgets: ByteBudgets,
    page_turns: TurnQueues,
    /// WebSocket connections.
    connection_quota: Arc<Quota>,
    /// Rate of new WebSocket connections and TLS handshakes.
    connection_rate: Mutex<NetworkRate>,
    connection_turns: TurnQueues,
    lingering_close: LingeringClose,
    browser_refusals: BrowserRefusals,
    tls: Option<Arc<TlsCertificate>>,
    pages: StatusPages,
    /// Whether the port of the players serves `/metrics`.
    shows_metrics: bool,
    tasks: TaskTracker,
    ctx: ServerContext,
}

impl HttpServer {
    /// Creates the state of a listener. `is_loopback`: only this machine reaches it.
    fn new(
        is_loopback: bool,
        tls: Option<Arc<TlsCertificate>>,
        ctx: ServerContext,
        tasks: TaskTracker,
        shows_metrics: bool,
    ) -> Self {
        let limits = &ctx.limits;
        Self {
            origin_policy: OriginPolicy {
                loopback: is_loopback,
                tls: tls.is_some(),
                own_name: gethostname::gethostname().into_string().ok(),
                origins: limits.network.allow_origin.clone(),
                hosts: limits.network.allow_host.clone(),
            },
            trusted_proxies: TrustedProxies::new(limits.network.trusted_proxy.clone()),
            handshake_slots: HandshakeSlots::new(
                limits.max_handshakes,
                limits.handshakes_per_address(),
            ),
            page_quota: Quota::new(limits.max_connections, limits.handshakes_per_address()),
            page_budgets: ByteBudgets::with_refill(page_byte_rate(limits), PAGE_REFILL),
            page_turns: TurnQueues::default(),
            connection_quota: Quota::new(limits.max_connections, limits.max_per_address),
            connection_rate: Mutex::new(new_connection_rate(limits, tls.is_some())),
            connection_turns: TurnQueues::default(),
            lingering_close: LingeringClose::new(tasks.clone()),
            browser_refusals: BrowserRefusals::new(tasks.clone()),
            pages: StatusPages::new(ctx.clone(), tls.clone()),
            shows_metrics,
            tls,
            tasks,
            ctx,
        }
    }

    /// Refuses a connection from a client that has too many.
    fn refuse_connection<S>(&self, stream: S, client_prefix: ClientPrefix, error: QuotaError)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.ctx.count_refusal(client_prefix, error);
        // A TLS client could not read the response.
        if self.tls.is_none() {
            self.lingering_close
                .close(stream, &too_many_connections_raw());
        }
    }
}

/// In this time, one address may load the whole page as many times as it may have connections.
const PAGE_REFILL: Duration = Duration::from_secs(4);

/// Returns the number of bytes of the page per second that one address may load.
fn page_byte_rate(limits: &ServerLimits) -> u64 {
    let file_bytes = noughts_web::page_files().iter().map(|file| file.gzip.len());
    let page_bytes = file_bytes.sum::<usize>() as u64;
    page_bytes.saturating_mul(limits.max_per_address as u64) / PAGE_REFILL.as_secs()
}

/// Returns the rate of new connections. The burst lets all clients of an address reconnect, and try again. With TLS it
/// also lets them load the page, because the server sees the request only after the handshake.
fn new_connection_rate(limits: &ServerLimits, is_tls: bool) -> NetworkRate {
    let reconnects = limits.max_per_address.saturating_mul(2);
    let burst = if is_tls {
        limits.handshakes_per_address().max(reconnects)
    } else {
        reconnects
    };
    let burst = u32::try_from(burst).unwrap_or(u32::MAX);
    NetworkRate::new(
        burst,
        limits.new_connections_per_second().saturating_mul(60),
    )
}

/// Approximate length of the head of a response with a file of the page.
const PAGE_HEAD_BYTES: usize = 512;

const CONTRADICTORY_HEADERS: &str = "Forwarded and X-Forwarded-For name different clients\n";

/// A connection before its request is complete.
#[derive(Clone)]
struct PendingConnection {
    server: Arc<HttpServer>,
    /// Address of the peer, or the address that a trusted proxy has named in a PROXY header.
    peer: IpAddr,
    /// Whether the rate limit of the client has been charged for this connection, or will be after a wait that has
    /// begun.
    is_rate_charged: bool,
    /// Deadline of TLS handshake, request, response and upgrade together.
    deadline: Instant,
    page_connection: Arc<PageConnection>,
}

impl PendingConnection {
    fn new(server: Arc<HttpServer>, peer: IpAddr, deadline: Instant) -> Self {
        let page_connection = PageConnection::new(deadline);
        Self {
            server,
            peer,
            is_rate_charged: false,
            deadline,
            page_connection,
        }
    }

    /// Runs the handshake in `slot`, until the deadline.
    async fn run<S>(self, stream: S, slot: HandshakeSlot)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let page_connection = Arc::clone(&self.page_connection);
        match page_connection.run(self.handshake(stream, slot)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => debug!(%error, "handshake failed"),
            Err(_) => debug!("handshake timed out"),
        }
    }

    async fn handshake<S>(
        mut self,
        mut stream: S,
        mut slot: HandshakeSlot,
    ) -> Result<(), HandshakeError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let server = Arc::clone(&self.server);
        let acceptor = server.tls.as_ref().map(|tls| tls.acceptor());
        let expected = if acceptor.is_some() {
            Expected::Tls
        } else {
            Expected::Http
        };
        let is_proxy = server.trusted_proxies.contains(self.peer);
        let first_line = Opening::read(&mut stream, is_proxy, expected);
        let opening = match timeout(server.ctx.limits.first_line_timeout, first_line).await {
            Err(_) => return Err(HandshakeError::FirstLine),
            Ok(Ok(opening)) => opening,
            Ok(Err(error)) => {
                self.reject_opening(&mut stream, &error).await;
                return Err(error.into());
            }
        };
        if let Some(client) = opening.client {
            self.peer = client;
            let client_prefix = ClientPrefix::from_ip(client);
            if let Err(error) = slot.set_client(client_prefix) {
                server.refuse_connection(stream, client_prefix, error);
                return Err(HandshakeError::TooMany);
            }
        }
        self.page_connection.set_slot(slot);
        let mut stream = PrefixedStream::new(opening.bytes, stream);
        let Some(acceptor) = acceptor else {
            return Ok(self
                .serve_request(stream, PrefixedStream::into_parts)
                .await?);
        };
        // The rate is charged before the TLS handshake, which is the most expensive part. For a trusted proxy, the
        // clients are known only later.
        if !server.trusted_proxies.contains(self.peer) {
            let client_prefix = ClientPrefix::from_ip(self.peer);
            let turn = stream.run_while_connected(self.wait_for_turn(client_prefix));
            if let Err(error) = turn.await? {
                server.refuse_connection(stream, client_prefix, error);
                return Err(HandshakeError::TooMany);
            }
        }
        let stream = acceptor.accept(stream).await?;
        Ok(self
            .serve_request(stream, |stream| (stream, Vec::new()))
            .await?)
    }

    /// Sends the peer the reason why its first bytes are rejected.
    async fn reject_opening(
        &self,
        stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
        error: &OpeningError,
    ) {
        match error {
            OpeningError::Io(_) => return,
            OpeningError::Proxy(error) => {
                warn!(proxy = %self.peer, %error, "connection of a trusted proxy rejected");
            }
            OpeningError::Http2 | OpeningError::TlsRequired => {}
        }
        let response = raw_response(StatusCode::BAD_REQUEST, "", &format!("{error}\n"));
        ignore(stream.write_all(&response).await, "the peer may be gone");
        linger(stream).await;
    }

    /// Serves the requests of a connection. The caller enforces the deadline. `unwrap` returns the stream of a
    /// WebSocket, and the bytes that precede its own.
    async fn serve_request<S, W>(
        self,
        stream: S,
        unwrap: fn(S) -> (W, Vec<u8>),
    ) -> Result<(), hyper::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        W: ByteStream + 'static,
    {
        // Closes a page connection that is idle.
        let idle_timeout = self.server.ctx.limits.handshake_timeout;
        let service = service_fn(move |request| {
            let pending = self.clone();
            async move { Ok::<_, std::convert::Infallible>(pending.route(request, unwrap).await) }
        });
        http_builder(idle_timeout)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
            .await
    }

    async fn route<S, W>(
        self,
        request: Request<Incoming>,
        unwrap: fn(S) -> (W, Vec<u8>),
    ) -> Response<ResponseBody>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        W: ByteStream + 'static,
    {
        match self.server.origin_policy.check(&request) {
            Ok(()) => {}
            Err(error @ OriginError::Origin) => {
                return self.refuse(request, CloseCode::ForeignOrigin, forbidden(error));
            }
            Err(error) => return forbidden(error),
        }
        if let Ok(host) = request_host(&request)
            && let Some(response) = page::respond(&request, host.as_ref())
        {
            return self.serve_page(&request, response).await;
        }
        if request.method() != Method::GET {
            return method_not_allowed();
        }
        match request.uri().path() {
            "/ws" => {
                self.upgrade_websocket(request, unwrap, Endpoint::Rooms)
                    .await
            }
            #[cfg(feature = "echo")]
            "/echo" => {
                self.upgrade_websocket(request, unwrap, Endpoint::Echo)
                    .await
            }
            "/health" => self.server.pages.health(),
            "/ready" => self.server.pages.ready(),
            "/metrics" if self.server.shows_metrics => self.server.pages.metrics(),
            "/about.txt" => {
                let scheme = if self.server.tls.is_some() {
                    "wss"
                } else {
                    "ws"
                };
                let text = format!(
                    "A noughts server. Its WebSocket is at /ws: noughts play {scheme}://THIS-HOST:PORT/ws\n"
                );
                text_response(StatusCode::OK, text)
            }
            _ => text_response(StatusCode::NOT_FOUND, "not found\n"),
        }
    }

    /// Refuses a request with `response`, or the WebSocket handshake of a browser with `code`.
    fn refuse(
        &self,
        request: Request<Incoming>,
        code: CloseCode,
        response: Response<ResponseBody>,
    ) -> Response<ResponseBody> {
        self.server
            .browser_refusals
            .refuse(request, "/ws", code, self.deadline)
            .unwrap_or(response)
    }

    /// Waits until the rate of a client allows this connection. A connection is charged once.
    ///
    /// # Errors
    /// If the turn does not come within the time limit of a handshake.
    async fn wait_for_turn(&mut self, client_prefix: ClientPrefix) -> Result<(), QuotaError> {
        if self.is_rate_charged {
            return Ok(());
        }
        self.is_rate_charged = true;
        let limit = self.server.ctx.limits.handshake_timeout;
        let began = Instant::now();
        let server = Arc::clone(&self.server);
        let now = || server.ctx.shared.time.now();
        let wait_ms = |network| lock(&server.connection_rate).wait_ms(network, now());
        let charge = || lock(&server.connection_rate).charge(client_prefix, now());
        let turns = &server.connection_turns;
        let turn = turns.take(client_prefix, began + limit, wait_ms, charge);
        let turn = self.page_connection.exclude(limit, turn).await;
        self.deadline += began.elapsed();
        turn
    }

    fn client_prefix(&self, headers: &HeaderMap) -> Result<ClientPrefix, ContradictoryHeaders> {
        self.server
            .trusted_proxies
            .client_of(self.peer, headers)
            .map(ClientPrefix::from_ip)
    }

    /// Admits a request for the page. The response waits for its turn among the responses to its client until their
    /// budget allows it, at most for half of the time limit of a response. A visitor who leaves while waiting is not
    /// charged.
    async fn serve_page<B>(
        &self,
        request: &Request<B>,
        response: Response<ResponseBody>,
    ) -> Response<ResponseBody> {
        let ctx = &self.server.ctx;
        let draining = &ctx.shared.draining;
        if draining.is_cancelled() {
            return restarting(ctx.retry_after_ms());
        }
        let Ok(client_prefix) = self.client_prefix(request.headers()) else {
            return bad_request(CONTRADICTORY_HEADERS);
        };
        let (began, timeout) = (Instant::now(), ctx.limits.page_timeout);
        let page_quota = &self.server.page_quota;
        let admitted =
            self.page_connection
                .on_page_request(page_quota, client_prefix, began + timeout);
        let turn = match admitted {
            Ok(()) => {
                ctx.shared.metrics.pages.add(1);
                let body_bytes = match *request.method() {
                    Method::HEAD => 0,
                    _ => response.body().size_hint().lower() as usize,
                };
                let budgets = &self.server.page_budgets;
                let now = || ctx.shared.time.now();
                let wait_ms = |network| budgets.wait_ms(network, now());
                let charge = || {
                    let budget = budgets.of_client(client_prefix);
                    budget.charge(PAGE_HEAD_BYTES + body_bytes, now());
                };
                let turns = &self.server.page_turns;
                let turn = turns.take(client_prefix, began + timeout / 2, wait_ms, charge);
                tokio::select! {
                    turn = turn => turn,
                    () = draining.cancelled() => return restarting(ctx.retry_after_ms()),
                }
            }
            Err(error) => Err(error),
        };
        match turn {
            Ok(()) => response,
            Err(error) => {
                ctx.count_refusal(client_prefix, error);
                over_capacity(error)
            }
        }
    }

    async fn upgrade_websocket<S, W>(
        mut self,
        mut request: Request<Incoming>,
        unwrap: fn(S) -> (W, Vec<u8>),
        endpoint: Endpoint,
    ) -> Response<ResponseBody>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        W: ByteStream + 'static,
    {
        let server = Arc::clone(&self.server);
        // Even a draining server accepts handshakes, so that the connection can announce the restart.
        let response = match accept_handshake(&request) {
            Ok(response) => response,
            Err(rejection) => return *rejection,
        };
        let client_prefix = match self.client_prefix(request.headers()) {
            Ok(client_prefix) => client_prefix,
            Err(ContradictoryHeaders) => return bad_request(CONTRADICTORY_HEADERS),
        };
        let ctx = &server.ctx;
        if ctx
            .bans
            .is_banned(client_prefix, None, ctx.shared.time.now())
        {
            ctx.shared.metrics.refused.add(1);
            let refused = &server.browser_refusals;
            let response = refused.close(request, CloseCode::Banned, self.deadline);
            return response.unwrap_or_else(forbidden_to_banned);
        }
        let turn = self.wait_for_turn(client_prefix).await;
        let permit = match turn.and_then(|()| server.connection_quota.try_acquire(client_prefix)) {
            Ok(permit) => permit,
            Err(error) => {
                server.ctx.count_refusal(client_prefix, error);
                let code = match error {
                    QuotaError::Total => CloseCode::ServerFull,
                    QuotaError::PerClient => CloseCode::TooManyConnections,
                };
                return self.refuse(request, code, over_capacity(error));
            }
        };
        let upgrade = hyper::upgrade::on(&mut request);
        let (ctx, deadline) = (server.ctx.clone(), self.deadline);
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
                    let (stream, unread) = unwrap(parts.io.into_inner());
                    let read_buf = [&parts.read_buf[..], &unread].concat();
                    // Frees the buffer of hyper before the connection runs.
                    drop((parts.read_buf, unread));
                    endpoint.serve(stream, read_buf, ctx, client_prefix).await;
                }
                Err(upgraded) => {
                    endpoint
                        .serve(TokioIo::new(upgraded), Vec::new(), ctx, client_prefix)
                        .await;
                }
            }
        });
        response
    }
}
