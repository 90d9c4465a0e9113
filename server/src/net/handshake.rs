//! The WebSocket handshake of a request (RFC 6455, section 4.2), the services behind it, and its refusal.
//!
//! A browser sends the origin of the page (`Origin`) and the name that it resolved (`Host`); [`OriginPolicy`] checks
//! both. Terminals and bots send no `Origin` and are allowed.
//!
//! A page sees neither the status nor the headers of a failed handshake. The server therefore completes the handshake
//! of a browser and closes the WebSocket with a code. All other clients get the HTTP response.

#[cfg(test)]
mod tests;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use futures::StreamExt;
use hyper::body::Incoming;
use hyper::header::{
    self, CONNECTION, CONTENT_LENGTH, EXPECT, HeaderName, HeaderValue, ORIGIN,
    SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::uri::Authority;
use hyper::upgrade::OnUpgrade;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version};
use hyper_util::rt::TokioIo;
use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES, SUBPROTOCOL};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_util::task::TaskTracker;
use tracing::debug;

use crate::connection;
use crate::limits::client_prefix::ClientPrefix;
use crate::net::proxy::OpeningError;
use crate::net::responses::{
    OriginError, ResponseBody, bad_request, unsupported_websocket_version, upgrade_required,
};
use crate::runtime::context::ServerContext;
use crate::send_queue::ByteStream;

/// Length of a key: 16 bytes in base 64.
const KEY_CHARS: usize = 24;

/// Returns the response that accepts the handshake of a request.
///
/// # Errors
/// The response that rejects it.
pub(super) fn accept_handshake<B>(
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
    // A request with a body is rejected, because the bytes of the body would be read as frames or be lost.
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

/// Returns the subprotocol, if the client offers it. A client that offers no subprotocol is accepted, because many
/// simple clients cannot offer one.
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

/// Returns whether an element of a list header matches. Header lines with the same name form one list (RFC 9110,
/// section 5.3).
fn has_element(headers: &HeaderMap, name: &HeaderName, matches: impl Fn(&str) -> bool) -> bool {
    let lines = headers
        .get_all(name)
        .iter()
        .filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .any(|element| matches(element.trim()))
}

/// Error of reading a header that may occur only once: it is repeated.
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
pub(super) enum Endpoint {
    Rooms,
    #[cfg(feature = "echo")]
    Echo,
}

impl Endpoint {
    /// Serves a WebSocket after its handshake.
    pub(super) async fn serve<S>(
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

/// Suffixes that no public domain has. Only the local network resolves names with such a suffix.
const LOCAL_SUFFIXES: [&str; 7] = [
    ".corp",
    ".home",
    ".home.arpa",
    ".internal",
    ".lan",
    ".local",
    ".localdomain",
];

/// Hosts and origins that are allowed.
///
/// A public name that the operator has not allowed is a sign of DNS rebinding: the domain of a web page resolves to the
/// address of the server, and the page uses the browser to reach the server from inside its network. Addresses and
/// local names do not allow this attack. With TLS, a browser rejects the certificate.
#[derive(Clone, Debug, Default)]
pub(super) struct OriginPolicy {
    /// The server listens on loopback only, and needs no local name except `localhost`.
    pub(super) loopback: bool,
    /// The server requires TLS.
    pub(super) tls: bool,
    /// Name of this machine.
    pub(super) own_name: Option<String>,
    /// Allowed origins, as a browser sends them: `https://play.example.org`.
    pub(super) origins: Vec<String>,
    /// Allowed host names.
    pub(super) hosts: Vec<String>,
}

impl OriginPolicy {
    /// Checks the headers of a request.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), OriginError> {
        let host = request_host(request)?;
        if let Some(host) = &host
            && !self.allows_host(host)
        {
            return Err(OriginError::Host);
        }
        match single_text(request.headers(), &header::ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if self.is_same_origin(origin, host.as_ref()) => Ok(()),
            Ok(Some(_)) | Err(InvalidHeader) => Err(OriginError::Origin),
        }
    }

    fn allows_host(&self, host: &Authority) -> bool {
        let name = host.host();
        // A name may end with the dot of the domain root.
        let name = name.strip_suffix('.').unwrap_or(name);
        let listed = self
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name));
        let open = self.tls && self.hosts.is_empty();
        let local = !self.loopback && self.is_local_name(name);
        listed || open || local || is_loopback(name) || parse_ip(name).is_some()
    }

    /// Returns whether a name belongs to this machine, or has no meaning outside of the local network.
    fn is_local_name(&self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        self.own_name
            .as_ref()
            .is_some_and(|own| own.eq_ignore_ascii_case(name))
            || (!lower.is_empty() && !lower.contains('.'))
            || LOCAL_SUFFIXES.iter().any(|suffix| lower.ends_with(suffix))
    }

    fn is_same_origin(&self, origin: &str, host: Option<&Authority>) -> bool {
        if self
            .origins
            .iter()
            .any(|known| known.eq_ignore_ascii_case(origin))
        {
            return true;
        }
        let Some((scheme, authority)) = origin.split_once("://") else {
            return false;
        };
        let Ok(page) = authority.parse::<Authority>() else {
            return false;
        };
        let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        if !is_web || !is_host_and_port(&page) {
            return false;
        }
        if is_loopback(page.host()) {
            return true;
        }
        let port = |authority: &Authority| {
            authority
                .port_u16()
                .unwrap_or(if scheme.eq_ignore_ascii_case("https") {
                    443
                } else {
                    80
                })
        };
        host.is_some_and(|host| {
            page.host().eq_ignore_ascii_case(host.host()) && port(&page) == port(host)
        })
    }
}

/// Returns the host of a request, from an absolute-form target, which takes precedence, or from the `Host` header. An
/// HTTP/1.0 request may have none.
pub(super) fn request_host<B>(request: &Request<B>) -> Result<Option<Authority>, OriginError> {
    let header = match single_text(request.headers(), &header::HOST) {
        Ok(Some(host)) => Some(
            host.parse::<Authority>()
                .map_err(|_| OriginError::Malformed)?,
        ),
        Ok(None) if request.version() < Version::HTTP_11 => None,
        Ok(None) | Err(InvalidHeader) => return Err(OriginError::Malformed),
    };
    let target = request.uri();
    if target.authority().is_some() && target.scheme().is_none() {
        // Only CONNECT uses the authority form of a target.
        return Err(OriginError::Malformed);
    }
    let host = target.authority().cloned().or(header);
    if host.as_ref().is_some_and(|host| !is_host_and_port(host)) {
        return Err(OriginError::Malformed);
    }
    Ok(host)
}

/// Returns whether an authority is a host and perhaps a port, without user information.
fn is_host_and_port(authority: &Authority) -> bool {
    match authority.as_str().strip_prefix(authority.host()) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|port| {
            // `u16::from_str` accepts a sign.
            port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
        }),
        // An authority that does not begin with its host begins with user information.
        None => false,
    }
}

/// Error of reading a header that may occur only once: it is repeated, or is not text.
struct InvalidHeader;

fn single_text<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, InvalidHeader> {
    let value = single_value(headers, name).map_err(|DuplicateHeader| InvalidHeader)?;
    value
        .map(HeaderValue::to_str)
        .transpose()
        .map_err(|_| InvalidHeader)
}

fn parse_ip(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || parse_ip(host).is_some_and(|address| address.is_loopback())
}

/// Maximum number of browsers that are refused with a WebSocket at the same time. Further browsers get the HTTP
/// response.
const REFUSED_MAX: usize = 256;

/// Refuses browsers without waiting for them.
#[derive(Clone, Debug)]
pub(super) struct BrowserRefusals {
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl BrowserRefusals {
    /// Spawns the tasks of refused connections on `tasks`.
    pub(super) fn new(tasks: TaskTracker) -> BrowserRefusals {
        BrowserRefusals {
            permits: Arc::new(Semaphore::new(REFUSED_MAX)),
            tasks,
        }
    }

    /// Returns the response that upgrades the handshake of a browser at `path`. Afterwards the WebSocket is closed with
    /// `code`, before `deadline`. `None` for any other request.
    pub(super) fn refuse(
        &self,
        request: Request<Incoming>,
        path: &str,
        code: CloseCode,
        deadline: Instant,
    ) -> Option<Response<ResponseBody>> {
        let is_candidate = request.method() == Method::GET
            && request.uri().path() == path
            && request.headers().contains_key(ORIGIN);
        if is_candidate {
            self.close(request, code, deadline)
        } else {
            None
        }
    }

    /// Returns the response that upgrades a handshake of any client. Afterwards the WebSocket is closed with `code`, before
    /// `deadline`. `None` for an invalid handshake, and while too many clients are being refused.
    pub(super) fn close(
        &self,
        mut request: Request<Incoming>,
        code: CloseCode,
        deadline: Instant,
    ) -> Option<Response<ResponseBody>> {
        let response = accept_handshake(&request).ok()?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        let upgrade = hyper::upgrade::on(&mut request);
        self.tasks.spawn(async move {
            if timeout_at(deadline, close_upgraded(upgrade, code))
                .await
                .is_err()
            {
                debug!("refused browser did not close in time");
            }
            drop(permit);
        });
        Some(response)
    }
}

/// Closes an upgraded WebSocket with `code`, and reads until the peer closes as well.
async fn close_upgraded(upgrade: OnUpgrade, code: CloseCode) {
    let upgraded = match upgrade.await {
        Ok(upgraded) => TokioIo::new(upgraded),
        Err(error) => return debug!(%error, "upgrade failed"),
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_REQUEST_BYTES))
        .max_frame_size(Some(MAX_REQUEST_BYTES));
    let mut socket = WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await;
    let frame = CloseFrame {
        code: Number::from(code.code()),
        reason: code.reason().into(),
    };
    if let Err(error) = socket.close(Some(frame)).await {
        return debug!(%error, "close frame not sent");
    }
    // Discards the messages that the page sent before it saw the close frame.
    while let Some(Ok(_)) = socket.next().await {}
}

/// Failure of a handshake.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    #[error("first line timed out")]
    FirstLine,
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error("TLS: {0}")]
    Tls(#[from] io::Error),
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error("too many connections from this address")]
    TooMany,
}
