//! Checks the `Host` and `Origin` headers. Pure.
//!
//! A browser sends the origin of the page (`Origin`) and the name that it resolved (`Host`). Terminals and bots send no
//! `Origin` and are allowed.

use std::net::IpAddr;

use hyper::http::uri::Authority;
use hyper::{HeaderMap, Request, Version, header};

/// Hosts and origins that an operator allows in addition to the built-in rules.
#[derive(Clone, Debug, Default)]
pub(super) struct OriginPolicy {
    /// The server listens on loopback only. Then a foreign name is an attempt to reach it through a browser of this
    /// machine (DNS rebinding).
    pub(super) loopback: bool,
    /// Allowed origins, as a browser sends them: `https://play.example.org`.
    pub(super) origins: Vec<String>,
    /// Allowed host names.
    pub(super) hosts: Vec<String>,
}

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

impl OriginPolicy {
    /// Checks the headers of a request.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), OriginError> {
        let host = request_host(request)?;
        if let Some(host) = &host
            && !self.allows_host(host)
        {
            return Err(OriginError::Host);
        }
        match single_header(request.headers(), header::ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if self.is_same_origin(origin, host.as_ref()) => Ok(()),
            Ok(Some(_)) | Err(DuplicateHeader) => Err(OriginError::Origin),
        }
    }

    fn allows_host(&self, host: &Authority) -> bool {
        let listed = self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host.host()));
        let open = !self.loopback && self.hosts.is_empty();
        // DNS rebinding needs a name, so that addresses are always allowed.
        listed || open || is_loopback(host.host()) || parse_ip(host.host()).is_some()
    }

    fn is_same_origin(&self, origin: &str, host: Option<&Authority>) -> bool {
        if self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let Ok(page) = authority.parse::<Authority>() else { return false };
        if is_loopback(page.host()) {
            return true;
        }
        let port = |authority: &Authority| {
            authority.port_u16().unwrap_or(if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 })
        };
        host.is_some_and(|host| page.host().eq_ignore_ascii_case(host.host()) && port(&page) == port(host))
    }
}

/// Returns the host of a request: that of an absolute-form target, which takes precedence, or of the `Host` header. An
/// HTTP/1.0 request may have none.
fn request_host<B>(request: &Request<B>) -> Result<Option<Authority>, OriginError> {
    let header = match single_header(request.headers(), header::HOST) {
        Ok(Some(host)) => Some(host.parse::<Authority>().map_err(|_| OriginError::Malformed)?),
        Ok(None) if request.version() < Version::HTTP_11 => None,
        Ok(None) | Err(DuplicateHeader) => return Err(OriginError::Malformed),
    };
    let target = request.uri();
    if target.authority().is_some() && target.scheme().is_none() {
        // The authority form, which only CONNECT uses.
        return Err(OriginError::Malformed);
    }
    let host = target.authority().cloned().or(header);
    // User information is not allowed.
    if host.as_ref().is_some_and(|host| host.as_str().contains('@')) {
        return Err(OriginError::Malformed);
    }
    Ok(host)
}

/// A header that may occur once occurs repeatedly, or is not text.
struct DuplicateHeader;

fn single_header(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, DuplicateHeader> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| DuplicateHeader),
        (Some(_), Some(_)) => Err(DuplicateHeader),
    }
}

fn parse_ip(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || parse_ip(host).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn check(policy: &OriginPolicy, host: &[&str], origin: &[&str]) -> Result<(), OriginError> {
        check_target(policy, "/ws", host, origin)
    }

    fn check_target(
        policy: &OriginPolicy,
        target: &str,
        host: &[&str],
        origin: &[&str],
    ) -> Result<(), OriginError> {
        let mut request = Request::new(());
        *request.uri_mut() = target.parse().unwrap();
        for (name, values) in [(header::HOST, host), (header::ORIGIN, origin)] {
            for value in values {
                request.headers_mut().append(&name, HeaderValue::from_str(value).unwrap());
            }
        }
        policy.check(&request)
    }

    #[test]
    fn a_loopback_server_accepts_loopback_names_and_addresses() {
        let policy = OriginPolicy { loopback: true, ..OriginPolicy::default() };
        for host in ["localhost:7878", "127.0.0.1:7878", "[::1]:7878", "LOCALHOST", "10.1.2.3:7878"] {
            assert_eq!(check(&policy, &[host], &[]), Ok(()), "{host}");
        }
        for host in ["rebound.example.org", "localhost.example.org:7878"] {
            assert_eq!(check(&policy, &[host], &[]), Err(OriginError::Host), "{host}");
        }
        let allowing_name = OriginPolicy { hosts: vec!["play.example.org".into()], ..policy };
        assert_eq!(check(&allowing_name, &["Play.Example.org:443"], &[]), Ok(()));
    }

    #[test]
    fn a_request_must_name_one_host() {
        let policy = OriginPolicy { loopback: true, ..OriginPolicy::default() };
        let none: &[&str] = &[];
        for hosts in [none, &["localhost", "localhost"], &[""], &["a b"], &["user@@x"], &["user@localhost"]] {
            assert_eq!(check(&policy, hosts, &[]), Err(OriginError::Malformed), "{hosts:?}");
        }
        for (target, host, expected) in [
            ("http://localhost/ws", "localhost", Ok(())),
            ("http://localhost/ws", "rebound.example.org", Ok(())),
            ("http://rebound.example.org/ws", "localhost", Err(OriginError::Host)),
            ("http://user@localhost/ws", "localhost", Err(OriginError::Malformed)),
        ] {
            assert_eq!(check_target(&policy, target, &[host], &[]), expected, "{target} with {host}");
        }
        assert_eq!(check_target(&policy, "http://localhost/ws", &[], &[]), Err(OriginError::Malformed));
        let mut old = Request::new(());
        *old.version_mut() = Version::HTTP_10;
        assert_eq!(policy.check(&old), Ok(()));
    }

    #[test]
    fn same_origin_local_and_listed_pages_may_connect() {
        let policy =
            OriginPolicy { origins: vec!["https://games.example.org".into()], ..OriginPolicy::default() };
        let host = "play.example.org:7878";
        for origin in [
            "http://play.example.org:7878",
            "http://localhost:5173",
            "http://127.0.0.1",
            "http://[::1]:80",
            "https://games.example.org",
        ] {
            assert_eq!(check(&policy, &[host], &[origin]), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://evil.example",
            "http://play.example.org",
            "https://play.example.org",
            "http://localhost.evil.example",
            "http://play.example.org:7878.evil.example",
        ] {
            assert_eq!(check(&policy, &[host], &[origin]), Err(OriginError::Origin), "{origin}");
        }
        assert_eq!(check(&policy, &[host], &["http://localhost", "null"]), Err(OriginError::Origin));
        // Behind a TLS proxy neither header has a port.
        assert_eq!(check(&policy, &["play.example.org"], &["https://play.example.org"]), Ok(()));
        assert_eq!(check(&policy, &["play.example.org:443"], &["https://play.example.org"]), Ok(()));
        assert_eq!(check(&policy, &["play.example.org"], &["http://play.example.org"]), Ok(()));
    }
}
