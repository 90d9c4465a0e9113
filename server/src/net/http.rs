//! The HTTP front end: `/ws`, `/health`, `/ready`, `/metrics` and the browser page.
//!
//! Accepts connections, responds to requests and passes each WebSocket to its connection task. Never blocks: connections
//! over the limit are rejected, and one timeout covers each handshake as a whole.

mod pending_connection;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures::future::{AbortHandle, Abortable};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;
use tracing::debug;

use self::pending_connection::PendingConnection;
use super::accept_backoff::AcceptBackoff;
use super::host_origin::OriginPolicy;
use super::lingering_close::LingeringClose;
use super::listener::Listener;
use super::proxy::client_address::TrustedProxies;
use super::refusal::BrowserRefusals;
use super::responses::too_many_connections_raw;
use super::status::StatusPages;
use super::tls::TlsCertificate;
use crate::config::ServerLimits;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::handshake_slots::HandshakeSlots;
use crate::limits::network_rate::NetworkRate;
use crate::limits::quota::{Quota, QuotaError};
use crate::runtime::context::ServerContext;
use crate::runtime::sync::lock::lock;

/// Accepts connections until the server drains. Spawns their tasks on `tasks`, for the caller to wait for. With `tls`,
/// every connection begins with a TLS handshake. `shows_metrics`: there is no admin listener, and `/metrics` is served
/// here.
pub(crate) async fn run(
    mut listener: impl Listener,
    tls: Option<Arc<TlsCertificate>>,
    ctx: ServerContext,
    tasks: TaskTracker,
    shows_metrics: bool,
) {
    let limits = &ctx.limits;
    let (origins, hosts) = (limits.allow_origin.clone(), limits.allow_host.clone());
    let server = Arc::new(HttpServer {
        origin_policy: OriginPolicy {
            loopback: listener.is_loopback(),
            tls: tls.is_some(),
            own_name: gethostname::gethostname().into_string().ok(),
            origins,
            hosts,
        },
        trusted_proxies: TrustedProxies::new(limits.trusted_proxy.clone()),
        handshake_slots: HandshakeSlots::new(limits.max_handshakes, limits.handshakes_per_address()),
        page_quota: Quota::new(limits.max_connections, limits.handshakes_per_address()),
        connection_quota: Quota::new(limits.max_connections, limits.max_per_address),
        connection_rate: Mutex::new(new_connection_rate(limits, tls.is_some())),
        lingering_close: LingeringClose::new(tasks.clone()),
        browser_refusals: BrowserRefusals::new(tasks.clone()),
        pages: StatusPages::new(ctx.clone(), tls.clone()),
        shows_metrics,
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

/// Returns the rate of new connections. The burst lets all clients of an address reconnect, and try again. With TLS it also
/// lets them load the page: the server sees the request only after the handshake.
fn new_connection_rate(limits: &ServerLimits, is_tls: bool) -> NetworkRate {
    let reconnects = limits.max_per_address.saturating_mul(2);
    let burst = if is_tls { limits.handshakes_per_address().max(reconnects) } else { reconnects };
    let burst = u32::try_from(burst).unwrap_or(u32::MAX);
    NetworkRate::new(burst, limits.new_connections_per_second().saturating_mul(60))
}

/// State shared by all handshakes.
struct HttpServer {
    origin_policy: OriginPolicy,
    trusted_proxies: TrustedProxies,
    /// Connections that have not completed their request.
    handshake_slots: Arc<HandshakeSlots>,
    /// Connections that load the page.
    page_quota: Arc<Quota>,
    /// WebSocket connections.
    connection_quota: Arc<Quota>,
    /// New WebSocket connections, and TLS handshakes, over time.
    connection_rate: Mutex<NetworkRate>,
    lingering_close: LingeringClose,
    browser_refusals: BrowserRefusals,
    tls: Option<Arc<TlsCertificate>>,
    pages: StatusPages,
    /// `/metrics` is served here.
    shows_metrics: bool,
    tasks: TaskTracker,
    ctx: ServerContext,
}

impl HttpServer {
    /// Starts a handshake, unless the client has too many.
    fn start_handshake<S>(self: &Arc<Self>, stream: S, peer: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let is_proxy = self.trusted_proxies.contains(peer.ip());
        let (abort, registration) = AbortHandle::new_pair();
        let slot = match self.handshake_slots.acquire(ClientPrefix::from_ip(peer.ip()), is_proxy, abort) {
            Ok(acquired) => {
                self.ctx.shared.metrics.refused.add(u64::from(acquired.evicted));
                acquired.slot
            }
            Err(error) => return self.refuse_connection(stream, ClientPrefix::from_ip(peer.ip()), error),
        };
        let deadline = Instant::now() + self.ctx.limits.handshake_timeout;
        let pending = PendingConnection::new(Arc::clone(self), peer.ip(), deadline);
        let metrics = Arc::clone(&self.ctx.shared.metrics);
        self.tasks.spawn(async move {
            let _gauge_guard = metrics.sockets.enter();
            if Abortable::new(pending.run(stream, slot), registration).await.is_err() {
                debug!("handshake gave way to a newer one");
            }
        });
    }

    /// Refuses a connection of a client with too many.
    fn refuse_connection<S>(&self, stream: S, client_prefix: ClientPrefix, error: QuotaError)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.ctx.count_refusal(client_prefix, error);
        // A TLS client could not read the response.
        if self.tls.is_none() {
            self.lingering_close.close(stream, &too_many_connections_raw());
        }
    }

    /// Charges a client for a connection.
    ///
    /// # Errors
    /// If the client, or a larger network, opens too many connections per second.
    fn try_take_connection(&self, client_prefix: ClientPrefix) -> Result<(), QuotaError> {
        let now = self.ctx.shared.time.now();
        lock(&self.connection_rate).try_take(client_prefix, now).map_err(|_| QuotaError::PerClient)
    }
}
