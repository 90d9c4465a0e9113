//! The pages for operators: `/health`, `/ready` and `/metrics`.

pub(crate) mod admin;

use std::sync::Arc;

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::runtime::Handle;

use super::responses::{ResponseBody, text_response};
use super::tls::TlsCertificate;
use crate::runtime::context::{Readiness, ServerContext};
use crate::runtime::logging::dropped_line_count;
use crate::runtime::metrics::exposition::{self, EXPOSITION_TYPE, ExternalValues};

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

    /// Responds while the process does.
    pub(super) fn health(&self) -> Response<ResponseBody> {
        text_response(StatusCode::OK, "ok\n")
    }

    /// Responds whether new games can begin, and otherwise why not.
    pub(super) fn ready(&self) -> Response<ResponseBody> {
        let reason = match self.ctx.readiness() {
            Readiness::Ready => return text_response(StatusCode::OK, "ready\n"),
            Readiness::Draining => "not ready: the server is stopping\n",
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
        let text = exposition::encode(&shared.metrics, values, &*shared.event_log);
        let mut response = text_response(StatusCode::OK, text);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(EXPOSITION_TYPE));
        response
    }
}
