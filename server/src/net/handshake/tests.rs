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
