//! What a request is answered with, in every case but the upgrade itself.

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

/// Where one party may have no more, or nobody.
pub(super) fn over_capacity(error: QuotaError) -> Response<ResponseBody> {
    match error {
        QuotaError::Total => retry_later(StatusCode::SERVICE_UNAVAILABLE, "the server is full\n"),
        QuotaError::PerClient => {
            retry_later(StatusCode::TOO_MANY_REQUESTS, "too many connections from this address\n")
        }
    }
}

/// The same before a request has been read, as it goes over the line.
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
        OriginError::Malformed => text_response(StatusCode::BAD_REQUEST, "a request names one host\n"),
        OriginError::Host => text_response(StatusCode::FORBIDDEN, "this server is not known by that name\n"),
        OriginError::Origin => text_response(StatusCode::FORBIDDEN, "that page may not connect here\n"),
    }
}

pub(super) fn method_not_allowed() -> Response<ResponseBody> {
    let mut response = text_response(StatusCode::METHOD_NOT_ALLOWED, "GET only\n");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
    response
}

/// Whether the client offers our subprotocol. One that offers none is taken at its word: many simple
/// clients cannot.
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
    Err(Box::new(text_response(StatusCode::BAD_REQUEST, "the subprotocol is noughts\n")))
}

pub(super) fn text_response(status: StatusCode, body: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // Said here and not by hyper's switch, which would say it of an upgrade as well: clients that take
    // the header's value for one word then find no upgrade.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

pub(super) fn retry_later(status: StatusCode, body: &'static str) -> Response<ResponseBody> {
    let mut response = text_response(status, body);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// The status for a handshake that is none.
pub(super) fn handshake_error(error: &Error) -> Response<ResponseBody> {
    use ProtocolError::{
        MissingConnectionUpgradeHeader, MissingSecWebSocketVersionHeader, MissingUpgradeWebSocketHeader,
        WrongHttpVersion,
    };
    let Error::Protocol(protocol_error) = error else {
        return text_response(StatusCode::BAD_REQUEST, "not a WebSocket handshake\n");
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other fault of a handshake is a bad request")]
    match protocol_error {
        MissingSecWebSocketVersionHeader => {
            let mut response = text_response(StatusCode::UPGRADE_REQUIRED, "WebSocket version 13 only\n");
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            response
        }
        MissingUpgradeWebSocketHeader | MissingConnectionUpgradeHeader | WrongHttpVersion => {
            let mut response = text_response(StatusCode::UPGRADE_REQUIRED, "a WebSocket is served here\n");
            response.headers_mut().insert(hyper::header::UPGRADE, HeaderValue::from_static("websocket"));
            response
        }
        other => text_response(StatusCode::BAD_REQUEST, format!("not a WebSocket handshake: {other}\n")),
    }
}
