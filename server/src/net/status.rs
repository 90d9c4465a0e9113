//! The pages for operators: `/health`, `/ready` and `/metrics`, and the admin listener that serves them apart from the
//! players.
//!
//! The admin listener serves until the server has stopped, even while the server drains. A connection has one second
//! for a request. When it has its maximum number of connections, the listener closes the oldest, so that silent
//! connections do not delay a probe.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;
use tracing::debug;

use crate::net::accept::{AcceptBackoff, Listener, TlsCertificate};
use crate::net::handshake::OriginPolicy;
use crate::net::responses::{
    ResponseBody, forbidden, http_builder, method_not_allowed, text_response,
};
use crate::runtime::context::{Readiness, ServerContext};
use crate::runtime::logging::dropped_line_count;
use crate::runtime::metrics;
use crate::runtime::metrics::{EXPOSITION_TYPE, ExternalValues};

/// State behind the pages.
#[derive(Clone, Debug)]
pub(crate) struct StatusPages {
    ctx: ServerContext,
    tls: Option<Arc<TlsCertificate>>,
}

impl StatusPages {
    pub(crate) fn new(ctx: ServerContext, tls: Option<Arc<TlsCertificate>>) -> StatusPages {
        StatusPages { ctx, tls }
    }

    /// Responds as long as the process runs.
    pub(super) fn health(&self) -> Response<ResponseBody> {
        text_response(StatusCode::OK, "ok\n")
    }

    /// Reports whether new games can begin, and if not, why.
    pub(super) fn ready(&self) -> Response<ResponseBody> {
        let reason = match self.ctx.readiness() {
            Readiness::Ready => return text_response(StatusCode::OK, "ready\n"),
            Readiness::Draining => "not ready: the server is stopping\n",
            Readiness::Drained => "not ready: the operator drains the server\n",
            Readiness::StoreFailing => "not ready: events cannot be stored\n",
        };
        text_response(StatusCode::SERVICE_UNAVAILABLE, reason)
    }

    /// Responds with all metrics.
    pub(super) fn metrics(&self) -> Response<ResponseBody> {
        let shared = &self.ctx.shared;
        let values = ExternalValues {
            rooms: shared.registry.len(),
            rooms_unavailable: self
                .ctx
                .placement()
                .map(|_| shared.registry.unavailable_count()),
            seeks: self.ctx.seek_count(),
            tasks: Handle::current().metrics().num_alive_tasks(),
            log_lines_dropped: dropped_line_count(),
            start_time: shared.time.started_at() / 1000,
            ready: self.ctx.is_ready(),
            store: shared.event_log.stats(),
            certificate_not_after: self.tls.as_ref().map(|tls| tls.not_after()),
        };
        let text = metrics::encode(&shared.metrics, values, &*shared.event_log);
        let mut response = text_response(StatusCode::OK, text);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(EXPOSITION_TYPE));
        response
    }
}

/// Maximum number of connections.
const CONNECTIONS_MAX: usize = 256;

/// Time limit of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// Time limit of a connection, for all its requests and responses.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves the pages until it is dropped.
pub(crate) async fn run(mut listener: TcpListener, allowed_hosts: Vec<String>, pages: StatusPages) {
    let origin_policy = OriginPolicy {
        loopback: Listener::is_loopback(&listener),
        own_name: gethostname::gethostname().into_string().ok(),
        hosts: allowed_hosts,
        ..OriginPolicy::default()
    };
    let server = Arc::new(AdminServer {
        origin_policy,
        pages,
    });
    // The connections, oldest first.
    let mut connections: VecDeque<AbortHandle> = VecDeque::new();
    let tasks = TaskTracker::new();
    let mut backoff = AcceptBackoff::default();
    loop {
        match Listener::accept(&mut listener).await {
            Ok((stream, _)) => {
                backoff.on_success();
                connections.retain(|connection| !connection.is_finished());
                if connections.len() == CONNECTIONS_MAX
                    && let Some(oldest) = connections.pop_front()
                {
                    oldest.abort();
                }
                let server = Arc::clone(&server);
                let connection = tasks.spawn(async move {
                    match timeout(CONNECTION_TIMEOUT, server.serve(stream)).await {
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => debug!(%error, "admin request failed"),
                        Err(_) => debug!("admin request timed out"),
                    }
                });
                connections.push_back(connection.abort_handle());
            }
            Err(error) => {
                if let Some(delay) = backoff.on_error(&error) {
                    sleep(delay).await;
                }
            }
        }
    }
}

struct AdminServer {
    origin_policy: OriginPolicy,
    pages: StatusPages,
}

impl AdminServer {
    async fn serve(self: Arc<Self>, stream: TcpStream) -> Result<(), hyper::Error> {
        let service = service_fn(move |request| {
            let response = self.respond(&request);
            async move { Ok::<_, Infallible>(response) }
        });
        http_builder(REQUEST_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service)
            .await
    }

    fn respond(&self, request: &Request<Incoming>) -> Response<ResponseBody> {
        if let Err(error) = self.origin_policy.check(request) {
            return forbidden(error);
        }
        if request.method() != Method::GET {
            return method_not_allowed();
        }
        match request.uri().path() {
            "/health" => self.pages.health(),
            "/ready" => self.pages.ready(),
            "/metrics" => self.pages.metrics(),
            _ => text_response(StatusCode::NOT_FOUND, "not found\n"),
        }
    }
}
