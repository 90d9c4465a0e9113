//! The HTTP front end: `/ws`, `/health`, `/ready`, `/metrics` and the browser page.
//!
//! Accepts connections, responds to requests and passes each WebSocket to its connection task. Never blocks: connections
//! over the limit are rejected, and one timeout covers each handshake as a whole.

mod http_server;
mod pending_connection;

use std::net::SocketAddr;
use std::sync::Arc;

use futures::future::{AbortHandle, Abortable};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;
use tracing::debug;

use self::http_server::HttpServer;
use self::pending_connection::PendingConnection;
use super::accept_backoff::AcceptBackoff;
use super::listener::Listener;
use super::tls::TlsCertificate;
use crate::limits::client_prefix::ClientPrefix;
use crate::runtime::context::ServerContext;

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
            debug!("handshake gave way to a newer one");
        }
    });
}
