//! What a request is answered with, in every case but the upgrade itself.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
};
use hyper::{Request, Response, StatusCode};
use noughts_protocol::wire::SUBPROTOCOL;
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};

use super::origin::Unwelcome;
use crate::places::Refused;

pub(super) type Body = Full<Bytes>;

/// Where one party may have no more, or nobody.
pub(super) fn no_place(refused: Refused) -> Response<Body> {
    match refused {
        Refused::Full => busy(StatusCode::SERVICE_UNAVAILABLE, "the server is full\n"),
        Refused::Network => busy(StatusCode::TOO_MANY_REQUESTS, "too many connections from this address\n"),
    }
}

/// The same before a request has been read, as it goes over the line.
pub(super) fn no_handshake(refused: Refused) -> &'static [u8] {
    match refused {
        Refused::Full => {
            b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        }
        Refused::Network => {
            b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        }
    }
}

pub(super) fn unwelcome(unwelcome: Unwelcome) -> Response<Body> {
    match unwelcome {
        Unwelcome::Malformed => text(StatusCode::BAD_REQUEST, "a request names one host\n"),
        Unwelcome::Host => text(StatusCode::FORBIDDEN, "this server is not known by that name\n"),
        Unwelcome::Origin => text(StatusCode::FORBIDDEN, "that page may not connect here\n"),
    }
}

pub(super) fn get_only() -> Response<Body> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "GET only\n");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
    response
}

/// Whether the client offers our subprotocol. One that offers none is taken at its word: many simple
/// clients cannot.
pub(super) fn subprotocol(request: &Request<Incoming>) -> Result<bool, Box<Response<Body>>> {
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
    Err(Box::new(text(StatusCode::BAD_REQUEST, "the subprotocol is noughts\n")))
}

pub(super) fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // Said here and not by hyper's switch, which would say it of an upgrade as well: clients that take
    // the header's value for one word then find no upgrade.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

pub(super) fn busy(status: StatusCode, body: &'static str) -> Response<Body> {
    let mut response = text(status, body);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// The status for a handshake that is none.
pub(super) fn handshake_error(error: &Error) -> Response<Body> {
    use ProtocolError::{
        MissingConnectionUpgradeHeader, MissingSecWebSocketVersionHeader, MissingUpgradeWebSocketHeader,
        WrongHttpVersion,
    };
    let Error::Protocol(fault) = error else {
        return text(StatusCode::BAD_REQUEST, "not a WebSocket handshake\n");
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other fault of a handshake is a bad request")]
    match fault {
        MissingSecWebSocketVersionHeader => {
            let mut response = text(StatusCode::UPGRADE_REQUIRED, "WebSocket version 13 only\n");
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            response
        }
        MissingUpgradeWebSocketHeader | MissingConnectionUpgradeHeader | WrongHttpVersion => {
            let mut response = text(StatusCode::UPGRADE_REQUIRED, "a WebSocket is served here\n");
            response.headers_mut().insert(hyper::header::UPGRADE, HeaderValue::from_static("websocket"));
            response
        }
        other => text(StatusCode::BAD_REQUEST, format!("not a WebSocket handshake: {other}\n")),
    }
}
