//! The WebSocket handshake of a request (RFC 6455, section 4.2), and the services behind it.

use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, TRANSFER_ENCODING, UPGRADE,
};
use hyper::{HeaderMap, Request, Response, StatusCode, Version};
use noughts_protocol::wire::SUBPROTOCOL;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::connection;
use crate::limits::client_prefix::ClientPrefix;
use crate::net::responses::{
    ResponseBody, bad_request, unsupported_websocket_version, upgrade_required,
};
use crate::runtime::context::ServerContext;
use crate::send_queue::ByteStream;

/// Length of a key: 16 bytes in base 64.
const KEY_CHARS: usize = 24;

/// Returns the response that accepts the handshake of a request.
///
/// # Errors
/// The response that rejects it.
pub(in crate::net) fn accept_handshake<B>(
    request: &Request<B>,
) -> Result<Response<ResponseBody>, Box<Response<ResponseBody>>> {
    let headers = request.headers();
    let is_upgrade = request.version() >= Version::HTTP_11
        && has_element(headers, &CONNECTION, |element| {
            element.eq_ignore_ascii_case("upgrade")
        })
        && has_element(headers, &UPGRADE, |element| {
            element.eq_ignore_ascii_case("websocket")
        });
    if !is_upgrade {
        return Err(Box::new(upgrade_required()));
    }
    match single_value(headers, &SEC_WEBSOCKET_VERSION) {
        Ok(Some(version)) if version.as_bytes() == b"13" => {}
        Ok(_) => return Err(Box::new(unsupported_websocket_version())),
        Err(DuplicateHeader) => return reject("more than one Sec-WebSocket-Version\n"),
    }
    let key = match single_value(headers, &SEC_WEBSOCKET_KEY) {
        Ok(Some(key)) if is_key(key.as_bytes()) => key,
        Ok(_) => return reject("Sec-WebSocket-Key is not 16 bytes in base 64\n"),
        Err(DuplicateHeader) => return reject("more than one Sec-WebSocket-Key\n"),
    };
    // The bytes of a body would be read as frames, or be lost.
    let has_body = headers
        .get_all(CONTENT_LENGTH)
        .iter()
        .any(|length| length.as_bytes() != b"0");
    if has_body || headers.contains_key(TRANSFER_ENCODING) || headers.contains_key(EXPECT) {
        return reject("a WebSocket handshake has no body\n");
    }
    let subprotocol = negotiate_subprotocol(headers)?;
    let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes()))
        .expect("base 64 is a header value");
    let mut response = Response::new(ResponseBody::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let accepted = response.headers_mut();
    accepted.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    accepted.insert(UPGRADE, HeaderValue::from_static("websocket"));
    accepted.insert(SEC_WEBSOCKET_ACCEPT, accept);
    if let Some(subprotocol) = subprotocol {
        accepted.insert(
            SEC_WEBSOCKET_PROTOCOL,
            HeaderValue::from_static(subprotocol),
        );
    }
    Ok(response)
}

fn reject<T>(reason: &'static str) -> Result<T, Box<Response<ResponseBody>>> {
    Err(Box::new(bad_request(reason)))
}

/// Returns the subprotocol, if the client offers it. A client that offers none is accepted: many simple clients cannot.
fn negotiate_subprotocol(
    headers: &HeaderMap,
) -> Result<Option<&'static str>, Box<Response<ResponseBody>>> {
    if !headers.contains_key(SEC_WEBSOCKET_PROTOCOL) {
        return Ok(None);
    }
    if has_element(headers, &SEC_WEBSOCKET_PROTOCOL, |offer| {
        offer == SUBPROTOCOL
    }) {
        return Ok(Some(SUBPROTOCOL));
    }
    reject("unsupported subprotocol; use `noughts`\n")
}

/// Returns whether an element of a list header matches. Lines of one name are one list (RFC 9110, section 5.3).
fn has_element(headers: &HeaderMap, name: &HeaderName, matches: impl Fn(&str) -> bool) -> bool {
    let lines = headers
        .get_all(name)
        .iter()
        .filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .any(|element| matches(element.trim()))
}

/// A header that may occur once occurs more often.
struct DuplicateHeader;

fn single_value<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, DuplicateHeader> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (first, None) => Ok(first),
        (_, Some(_)) => Err(DuplicateHeader),
    }
}

fn is_key(key: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    key.len() == KEY_CHARS && key.ends_with(b"==") && key[..KEY_CHARS - 2].iter().all(is_digit)
}

/// Service behind a WebSocket path.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) enum Endpoint {
    Rooms,
    #[cfg(feature = "echo")]
    Echo,
}

impl Endpoint {
    /// Serves a WebSocket after its handshake.
    pub(in crate::net) async fn serve<S>(
        self,
        stream: S,
        read_buf: Vec<u8>,
        ctx: ServerContext,
        client_prefix: ClientPrefix,
    ) where
        S: ByteStream + 'static,
    {
        match self {
            Endpoint::Rooms => connection::serve(stream, read_buf, ctx, client_prefix).await,
            #[cfg(feature = "echo")]
            Endpoint::Echo => connection::echo::serve(stream, read_buf, ctx).await,
        }
    }
}
