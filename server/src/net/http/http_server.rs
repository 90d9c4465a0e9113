//! State that all connections of a listener share: quotas, rates, policies and status pages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::task::TaskTracker;

use crate::config::ServerLimits;
use crate::limits::byte_budget::ByteBudgets;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::handshake_slots::HandshakeSlots;
use crate::limits::network_rate::NetworkRate;
use crate::limits::quota::{Quota, QuotaError};
use crate::limits::turn_queues::TurnQueues;
use crate::net::host_origin::OriginPolicy;
use crate::net::lingering_close::LingeringClose;
use crate::net::proxy::client_address::TrustedProxies;
use crate::net::refusal::BrowserRefusals;
use crate::net::responses::too_many_connections_raw;
use crate::net::status::StatusPages;
use crate::net::tls::TlsCertificate;
use crate::runtime::context::ServerContext;

/// State shared by all handshakes.
pub(super) struct HttpServer {
    pub(super) origin_policy: OriginPolicy,
    pub(super) trusted_proxies: TrustedProxies,
    /// Connections that have not completed their request.
    pub(super) handshake_slots: Arc<HandshakeSlots>,
    /// Connections that load the page.
    pub(super) page_quota: Arc<Quota>,
    /// Bytes of the page.
    pub(super) page_budgets: ByteBudgets,
    pub(super) page_turns: TurnQueues,
    /// WebSocket connections.
    pub(super) connection_quota: Arc<Quota>,
    /// New WebSocket connections, and TLS handshakes, over time.
    pub(super) connection_rate: Mutex<NetworkRate>,
    pub(super) connection_turns: TurnQueues,
    pub(super) lingering_close: LingeringClose,
    pub(super) browser_refusals: BrowserRefusals,
    pub(super) tls: Option<Arc<TlsCertificate>>,
    pub(super) pages: StatusPages,
    /// `/metrics` is served here.
    pub(super) shows_metrics: bool,
    pub(super) tasks: TaskTracker,
    pub(super) ctx: ServerContext,
}

impl HttpServer {
    /// Creates the state of a listener. `is_loopback`: only this machine reaches it.
    pub(super) fn new(
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

    /// Refuses a connection of a client with too many.
    pub(super) fn refuse_connection<S>(
        &self,
        stream: S,
        client_prefix: ClientPrefix,
        error: QuotaError,
    ) where
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

/// Time in which one address may load the whole page for each connection that it may have.
const PAGE_REFILL: Duration = Duration::from_secs(4);

/// Returns the number of bytes of the page per second that one address may load.
fn page_byte_rate(limits: &ServerLimits) -> u64 {
    let file_bytes = noughts_web::page_files().iter().map(|file| file.gzip.len());
    let page_bytes = file_bytes.sum::<usize>() as u64;
    page_bytes.saturating_mul(limits.max_per_address as u64) / PAGE_REFILL.as_secs()
}

/// Returns the rate of new connections. The burst lets all clients of an address reconnect, and try again. With TLS it also
/// lets them load the page: the server sees the request only after the handshake.
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
