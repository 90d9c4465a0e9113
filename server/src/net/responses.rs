//! HTTP responses, except the WebSocket upgrade.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
};
use hyper::{Request, Response, StatusCode};
use noughts_protocol::wire::SUBPROTOCOL;
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};

use super::origin::OriginError;
use crate::limits::quota::QuotaError;

pub(super) type ResponseBody = Full<Bytes>;

/// Response to a connection above the quota.
pub(super) fn over_capacity(error: QuotaError) -> Response<ResponseBody> {
    match error {
        QuotaError::Total => retry_later(StatusCode::SERVICE_UNAVAILABLE, "server full\n"),
        QuotaError::PerClient => {
            retry_later(StatusCode::TOO_MANY_REQUESTS, "too many connections from this address\n")
        }
    }
}

/// [`over_capacity`] as bytes, for a connection whose request has not been read.
pub(super) fn over_capacity_raw(error: QuotaError) -> &'static [u8] {
    match error {
        QuotaError::Total => {
            b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        }
        QuotaError::PerClient => {
            b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        }
    }
}

pub(super) fn forbidden(error: OriginError) -> Response<ResponseBody> {
    match error {
        OriginError::Malformed => {
            text_response(StatusCode::BAD_REQUEST, "exactly one valid Host header required\n")
        }
        OriginError::Host => text_response(StatusCode::FORBIDDEN, "Host header not allowed\n"),
        OriginError::Origin => text_response(StatusCode::FORBIDDEN, "Origin not allowed\n"),
    }
}

pub(super) fn method_not_allowed() -> Response<ResponseBody> {
    let mut response = text_response(StatusCode::METHOD_NOT_ALLOWED, "GET only\n");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
    response
}

/// Returns whether the client offers the subprotocol. A client that offers none is accepted: many simple clients cannot.
pub(super) fn negotiate_subprotocol(
    request: &Request<Incoming>,
) -> Result<bool, Box<Response<ResponseBody>>> {
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
    Err(Box::new(text_response(StatusCode::BAD_REQUEST, "unsupported subprotocol; use `noughts`\n")))
}

pub(super) fn text_response(status: StatusCode, body: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // Set here instead of by hyper, which would add it to an upgrade as well. Clients that compare the whole value of
    // the header would not recognize that upgrade.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

pub(super) fn retry_later(status: StatusCode, body: &'static str) -> Response<ResponseBody> {
    let mut response = text_response(status, body);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// Response to an invalid WebSocket handshake.
pub(super) fn handshake_error(error: &Error) -> Response<ResponseBody> {
    use ProtocolError::{
        MissingConnectionUpgradeHeader, MissingSecWebSocketVersionHeader, MissingUpgradeWebSocketHeader,
        WrongHttpVersion,
    };
    let Error::Protocol(protocol_error) = error else {
        return text_response(StatusCode::BAD_REQUEST, "invalid WebSocket handshake\n");
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other handshake error is a bad request")]
    match protocol_error {
        MissingSecWebSocketVersionHeader => {
            let mut response =
                text_response(StatusCode::UPGRADE_REQUIRED, "unsupported WebSocket version; use 13\n");
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            response
        }
        MissingUpgradeWebSocketHeader | MissingConnectionUpgradeHeader | WrongHttpVersion => {
            let mut response =
                text_response(StatusCode::UPGRADE_REQUIRED, "this endpoint requires a WebSocket upgrade\n");
            response.headers_mut().insert(hyper::header::UPGRADE, HeaderValue::from_static("websocket"));
            response
        }
        other => text_response(StatusCode::BAD_REQUEST, format!("invalid WebSocket handshake: {other}\n")),
    }
}
