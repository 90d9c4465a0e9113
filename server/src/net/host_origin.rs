//! Checks the `Host` and `Origin` headers. Pure.
//!
//! A browser sends the origin of the page (`Origin`) and the name that it resolved (`Host`). Terminals and bots send no
//! `Origin` and are allowed.

use std::net::IpAddr;

use hyper::http::uri::Authority;
use hyper::{HeaderMap, Request, Version, header};

/// Suffixes of names that no public domain has, so only the local network resolves them.
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
/// A public name that the operator has not allowed is an attempt to reach the server through a browser of its network:
/// the domain of a web page that resolves to the address of the server (DNS rebinding). Addresses and local names cannot
/// be used for that. With TLS, a browser rejects the certificate.
#[derive(Clone, Debug, Default)]
pub(super) struct OriginPolicy {
    /// The server listens on loopback only, and needs no other local name than `localhost`.
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
            Ok(Some(_)) | Err(InvalidHeader) => Err(OriginError::Origin),
        }
    }

    fn allows_host(&self, host: &Authority) -> bool {
        let name = host.host();
        // The root of the domain tree may be written.
        let name = name.strip_suffix('.').unwrap_or(name);
        let listed = self
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name));
        let open = self.tls && self.hosts.is_empty();
        let local = !self.loopback && self.is_local_name(name);
        listed || open || local || is_loopback(name) || parse_ip(name).is_some()
    }

    /// Returns whether a name is that of this machine, or has no meaning outside of the local network.
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

/// Returns the host of a request: that of an absolute-form target, which takes precedence, or of the `Host` header. An
/// HTTP/1.0 request may have none.
pub(super) fn request_host<B>(request: &Request<B>) -> Result<Option<Authority>, OriginError> {
    let header = match single_header(request.headers(), header::HOST) {
        Ok(Some(host)) => Some(
            host.parse::<Authority>()
                .map_err(|_| OriginError::Malformed)?,
        ),
        Ok(None) if request.version() < Version::HTTP_11 => None,
        Ok(None) | Err(InvalidHeader) => return Err(OriginError::Malformed),
    };
    let target = request.uri();
    if target.authority().is_some() && target.scheme().is_none() {
        // The authority form, which only CONNECT uses.
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
        // User information precedes the host.
        None => false,
    }
}

/// A header that may occur once is repeated or is not text.
struct InvalidHeader;

fn single_header(
    headers: &HeaderMap,
    name: header::HeaderName,
) -> Result<Option<&str>, InvalidHeader> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| InvalidHeader),
        (Some(_), Some(_)) => Err(InvalidHeader),
    }
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
                request
                    .headers_mut()
                    .append(&name, HeaderValue::from_str(value).unwrap());
            }
        }
        policy.check(&request)
    }

    #[test]
    fn a_loopback_server_accepts_loopback_names_and_addresses() {
        let policy = OriginPolicy {
            loopback: true,
            ..OriginPolicy::default()
        };
        for host in [
            "localhost:7878",
            "127.0.0.1:7878",
            "[::1]:7878",
            "LOCALHOST",
            "10.1.2.3:7878",
        ] {
            assert_eq!(check(&policy, &[host], &[]), Ok(()), "{host}");
        }
        for host in ["rebound.example.org", "localhost.example.org:7878"] {
            assert_eq!(
                check(&policy, &[host], &[]),
                Err(OriginError::Host),
                "{host}"
            );
        }
        let allowing_name = OriginPolicy {
            hosts: vec!["play.example.org".into()],
            ..policy
        };
        assert_eq!(
            check(&allowing_name, &["Play.Example.org:443"], &[]),
            Ok(())
        );
    }

    #[test]
    fn a_server_of_a_network_accepts_local_names_and_addresses() {
        let policy = OriginPolicy {
            own_name: Some("play.example.net".into()),
            ..OriginPolicy::default()
        };
        for host in [
            "192.168.1.5:7878",
            "[2001:db8::1]",
            "localhost",
            "nas",
            "NAS:7878",
            "nas.local",
            "nas.local.",
            "nas.Home.Arpa:80",
            "play.example.net",
            "Play.Example.Net.",
        ] {
            assert_eq!(check(&policy, &[host], &[]), Ok(()), "{host}");
        }
        for host in [
            "rebound.example.org",
            "nas.local.example.org",
            "example.net",
            "a.play.example.net",
            ".",
        ] {
            assert_eq!(
                check(&policy, &[host], &[]),
                Err(OriginError::Host),
                "{host}"
            );
        }
        let with_tls = OriginPolicy {
            tls: true,
            ..policy
        };
        assert_eq!(
            check(&with_tls, &["rebound.example.org"], &[]),
            Ok(()),
            "a browser rejects the certificate"
        );
        let with_name = OriginPolicy {
            hosts: vec!["games.example.org".into()],
            ..with_tls
        };
        assert_eq!(check(&with_name, &["games.example.org"], &[]), Ok(()));
        assert_eq!(
            check(&with_name, &["rebound.example.org"], &[]),
            Err(OriginError::Host)
        );
    }

    #[test]
    fn a_request_must_name_one_host() {
        let policy = OriginPolicy {
            loopback: true,
            ..OriginPolicy::default()
        };
        let none: &[&str] = &[];
        for hosts in [
            none,
            &["localhost", "localhost"],
            &[""],
            &["a b"],
            &["user@@x"],
            &["user@localhost"],
            &["localhost:-1"],
            &["localhost:+80"],
            &["localhost:65536"],
            &["localhost:"],
        ] {
            assert_eq!(
                check(&policy, hosts, &[]),
                Err(OriginError::Malformed),
                "{hosts:?}"
            );
        }
        for (target, host, expected) in [
            ("http://localhost/ws", "localhost", Ok(())),
            ("http://localhost/ws", "rebound.example.org", Ok(())),
            (
                "http://rebound.example.org/ws",
                "localhost",
                Err(OriginError::Host),
            ),
            (
                "http://user@localhost/ws",
                "localhost",
                Err(OriginError::Malformed),
            ),
        ] {
            assert_eq!(
                check_target(&policy, target, &[host], &[]),
                expected,
                "{target} with {host}"
            );
        }
        assert_eq!(
            check_target(&policy, "http://localhost/ws", &[], &[]),
            Err(OriginError::Malformed)
        );
        let mut old = Request::new(());
        *old.version_mut() = Version::HTTP_10;
        assert_eq!(policy.check(&old), Ok(()));
    }

    #[test]
    fn same_origin_local_and_listed_pages_may_connect() {
        let policy = OriginPolicy {
            origins: vec!["https://games.example.org".into()],
            hosts: vec!["play.example.org".into()],
            ..OriginPolicy::default()
        };
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
            "http://evil.example@localhost",
            "http://localhost:-1",
            "http://localhost:",
            "file://localhost",
            "localhost",
        ] {
            assert_eq!(
                check(&policy, &[host], &[origin]),
                Err(OriginError::Origin),
                "{origin}"
            );
        }
        assert_eq!(
            check(&policy, &[host], &["http://localhost", "null"]),
            Err(OriginError::Origin)
        );
        // Behind a TLS proxy neither header has a port.
        assert_eq!(
            check(
                &policy,
                &["play.example.org"],
                &["https://play.example.org"]
            ),
            Ok(())
        );
        assert_eq!(
            check(
                &policy,
                &["play.example.org:443"],
                &["https://play.example.org"]
            ),
            Ok(())
        );
        assert_eq!(
            check(&policy, &["play.example.org"], &["http://play.example.org"]),
            Ok(())
        );
    }
}
