//! Limits of HTTP connections, and all responses except the WebSocket upgrade.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::server::conn::http1;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioTimer;

use crate::limits::slots::QuotaError;

/// Reason for rejecting a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OriginError {
    /// The request does not name exactly one host (RFC 9112, section 3.2).
    Malformed,
    /// The host is not allowed.
    Host,
    /// The origin is not allowed.
    Origin,
}

pub(super) type ResponseBody = Full<Bytes>;

/// Maximum size of a request head.
const MAX_HEAD_BYTES: usize = 8 * 1024;
const MAX_HEADERS: usize = 64;

const RETRY_AFTER_SECONDS: u64 = 5;

const TOO_MANY_CONNECTIONS: &str = "too many connections from this address\n";

/// Returns the builder of a connection that is closed when a request head takes longer than `head_timeout`, even if the
/// connection is idle.
pub(super) fn http_builder(head_timeout: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    http
}

/// Returns the response to a connection above the quota.
pub(super) fn over_capacity(error: QuotaError) -> Response<ResponseBody> {
    match error {
        QuotaError::Total => retry_later(
            StatusCode::SERVICE_UNAVAILABLE,
            "server full\n",
            RETRY_AFTER_SECONDS,
        ),
        QuotaError::PerClient => retry_later(
            StatusCode::TOO_MANY_REQUESTS,
            TOO_MANY_CONNECTIONS,
            RETRY_AFTER_SECONDS,
        ),
    }
}

/// Returns a response as bytes, for a connection before its request is read. Each of the `headers` ends with a line
/// break.
pub(super) fn raw_response(status: StatusCode, headers: &str, body: &str) -> Vec<u8> {
    let reason = status.canonical_reason().unwrap_or_default();
    let length = body.len();
    format!(
        "HTTP/1.1 {} {reason}\r\n{headers}Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}",
        status.as_u16()
    )
    .into_bytes()
}

/// Like [`over_capacity`] for a client with too many connections, as bytes.
pub(super) fn too_many_connections_raw() -> Vec<u8> {
    let headers = format!("Retry-After: {RETRY_AFTER_SECONDS}\r\n");
    raw_response(
        StatusCode::TOO_MANY_REQUESTS,
        &headers,
        TOO_MANY_CONNECTIONS,
    )
}

pub(super) fn forbidden(error: OriginError) -> Response<ResponseBody> {
    match error {
        OriginError::Malformed => text_response(
            StatusCode::BAD_REQUEST,
            "exactly one valid Host header required\n",
        ),
        OriginError::Host => text_response(
            StatusCode::FORBIDDEN,
            "Host header not allowed; the operator allows a name with --allow-host\n",
        ),
        OriginError::Origin => text_response(StatusCode::FORBIDDEN, "Origin not allowed\n"),
    }
}

/// Returns the response to a client that the operator has banned.
pub(super) fn forbidden_to_banned() -> Response<ResponseBody> {
    text_response(StatusCode::FORBIDDEN, "banned by the operator\n")
}

pub(super) fn method_not_allowed() -> Response<ResponseBody> {
    let mut response = text_response(StatusCode::METHOD_NOT_ALLOWED, "GET only\n");
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static("GET"));
    response
}

pub(super) fn text_response(status: StatusCode, body: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    // The header is set here, because hyper would add it to an upgrade as well. A client that compares the whole value
    // of the header would not recognize that upgrade.
    response
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Returns the response to a request for the page while the server drains.
pub(super) fn restarting(retry_after_ms: u64) -> Response<ResponseBody> {
    retry_later(
        StatusCode::SERVICE_UNAVAILABLE,
        "restarting\n",
        retry_after_ms.div_ceil(1000),
    )
}

fn retry_later(status: StatusCode, body: &'static str, seconds: u64) -> Response<ResponseBody> {
    let mut response = text_response(status, body);
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    response
}

/// Returns the response to a request that lacks a required upgrade.
pub(super) fn upgrade_required() -> Response<ResponseBody> {
    let mut response = text_response(
        StatusCode::UPGRADE_REQUIRED,
        "this endpoint requires a WebSocket upgrade\n",
    );
    response
        .headers_mut()
        .insert(UPGRADE, HeaderValue::from_static("websocket"));
    response
}

/// Returns the response to a request for a WebSocket version other than 13.
pub(super) fn unsupported_websocket_version() -> Response<ResponseBody> {
    let mut response = text_response(
        StatusCode::UPGRADE_REQUIRED,
        "unsupported WebSocket version; use 13\n",
    );
    response
        .headers_mut()
        .insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

pub(super) fn bad_request(reason: &'static str) -> Response<ResponseBody> {
    text_response(StatusCode::BAD_REQUEST, reason)
}
