//! TLS: a server with a certificate, and clients that trust its authority or do not.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use noughts_tests::client::raw_websocket::handshake_request;
use noughts_tests::program::{self, TempDir};
use noughts_tests::server::{ServerProcess, TestServiceManager, write_certificates};
use noughts_tests::wait::{wait_until, with_timeout};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// Returns the flags that name the certificate in a folder.
fn certificate_flags(folder: &Path) -> [String; 4] {
    let path = |name| folder.join(name).to_str().unwrap().to_owned();
    let [cert, key] = ["--tls-cert", "--tls-key"].map(str::to_owned);
    [cert, path("chain.pem"), key, path("key.pem")]
}

/// Starts a server with a new certificate in a folder.
fn start_server(folder: &Path, flags: &[&str]) -> ServerProcess {
    write_certificates(folder);
    let certificate = certificate_flags(folder);
    ServerProcess::start(&[&certificate.each_ref().map(String::as_str)[..], flags].concat())
}

async fn connect(server: &ServerProcess) -> TcpStream {
    with_timeout("a connection", TcpStream::connect(server.address()))
        .await
        .unwrap()
}

/// Lists the server's rooms with the real client.
async fn run_list(url: &str, authority: Option<&Path>) -> Output {
    let mut client = Command::new(program::binary_path("noughts"));
    if let Some(authority) = authority {
        client.arg("--ca").arg(authority);
    }
    client.args(["list", url]);
    program::output(client).await
}

#[tokio::test]
async fn the_server_certificate_is_verified() {
    let folder = TempDir::default();
    let server = start_server(folder.path(), &[]);
    assert!(server.url.starts_with("wss://"), "{}", server.url);
    assert_eq!(
        server.join,
        format!("noughts play wss://{}", server.address())
    );
    let authority = folder.path().join("authority.pem");
    let believed = run_list(&server.url, Some(&authority)).await;
    assert!(believed.status.success(), "{believed:?}");
    let doubted = run_list(&server.url, None).await;
    assert_eq!(doubted.status.code(), Some(3), "{doubted:?}");
    assert!(
        String::from_utf8_lossy(&doubted.stderr).contains("certificate"),
        "{doubted:?}"
    );
    let plain = run_list(&server.url.replace("wss://", "ws://"), Some(&authority)).await;
    assert_eq!(plain.status.code(), Some(4), "{plain:?}");
    assert!(
        String::from_utf8_lossy(&plain.stderr).contains("400"),
        "{plain:?}"
    );
}

#[tokio::test]
async fn a_new_certificate_is_reloaded_and_an_invalid_one_is_ignored() {
    let folder = TempDir::default();
    let server = start_server(folder.path(), &[]);
    let old = folder.path().join("old.pem");
    fs::rename(folder.path().join("authority.pem"), &old).unwrap();
    write_certificates(folder.path());
    server.send_signal("HUP");
    let new = folder.path().join("authority.pem");
    let can_connect = async |authority| {
        run_list(&server.url, Some(authority))
            .await
            .status
            .success()
    };
    wait_until("the new certificate", async || {
        can_connect(&new).await.then_some(())
    })
    .await;
    assert!(!can_connect(&old).await);

    fs::write(folder.path().join("chain.pem"), "no certificate").unwrap();
    server.send_signal("HUP");
    // The reload cannot be observed from outside; it must not disturb connections.
    for _ in 0..5 {
        assert!(can_connect(&new).await);
    }
}

#[tokio::test]
async fn a_listener_of_the_service_manager_serves_tls_and_reports_a_reload() {
    let (folder, manager) = (TempDir::default(), TestServiceManager::default());
    write_certificates(folder.path());
    let authority = folder.path().join("authority.pem");
    let certificate = certificate_flags(folder.path());
    let certificate = certificate.each_ref().map(String::as_str);
    let server = manager.start(&[&["--data", "memory"], &certificate[..]].concat());
    manager.wait_for_notification("READY=1").await;
    assert_eq!(server.url, format!("wss://{}/ws", manager.address()));
    let output = run_list(&server.url, Some(&authority)).await;
    assert!(output.status.success(), "{output:?}");
    write_certificates(folder.path());
    server.send_signal("HUP");
    manager.wait_for_notification("RELOADING=1").await;
    manager.wait_for_notification("READY=1").await;
    let output = run_list(&server.url, Some(&authority)).await;
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn an_unusable_certificate_is_reported() {
    let folder = TempDir::default();
    write_certificates(folder.path());
    fs::write(folder.path().join("key.pem"), "no key").unwrap();
    let mut server = Command::new(program::binary_path("noughts-server"));
    server
        .args(["--listen", "127.0.0.1:0", "--data", "memory"])
        .args(certificate_flags(folder.path()));
    let output = program::output(server).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("key.pem"),
        "{output:?}"
    );
}

/// Returns the TLS configuration that trusts only this authority.
fn tls_connector(authority: &Path) -> TlsConnector {
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(authority).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    TlsConnector::from(Arc::new(
        config
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth(),
    ))
}

#[tokio::test]
async fn tls_and_request_share_one_handshake_timeout() {
    let folder = TempDir::default();
    let timeouts = [
        "--set",
        "handshake-timeout=3s",
        "--set",
        "first-line-timeout=3s",
    ];
    let server = start_server(folder.path(), &timeouts);
    let stream = connect(&server).await;
    let mut silent = connect(&server).await;
    let handshake_limit = Duration::from_secs(2);
    tokio::time::sleep(handshake_limit).await;
    let tls = tls_connector(&folder.path().join("authority.pem"));
    let mut stream = with_timeout("TLS", tls.connect("localhost".try_into().unwrap(), stream))
        .await
        .unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\n").await.unwrap();
    // The read may end with an error, because the peer may or may not send the close notification of TLS.
    let mut half = [0];
    let half = async {
        let (Ok(0) | Err(_)) = stream.read(&mut half).await else {
            panic!("a response to an incomplete head")
        };
        Instant::now()
    };
    let mut none = [0];
    let none = async {
        let (Ok(0) | Err(_)) = silent.read(&mut none).await else {
            panic!("a response on a silent connection")
        };
        Instant::now()
    };
    let (half, none) = with_timeout("both connections to end", async {
        tokio::join!(half, none)
    })
    .await;
    let later = half.saturating_duration_since(none);
    assert!(
        later < handshake_limit / 2,
        "the TLS connection got {later:?} more than the silent one"
    );
}

#[tokio::test]
async fn plain_http_on_a_port_with_tls_gets_a_reason() {
    let folder = TempDir::default();
    let server = start_server(folder.path(), &[]);
    let mut stream = connect(&server).await;
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut response = String::new();
    with_timeout("a response", stream.read_to_string(&mut response))
        .await
        .unwrap();
    assert!(
        response.starts_with("HTTP/1.1 400 ") && response.contains("requires TLS"),
        "{response}"
    );
}

/// A TCP proxy writes its header before the first byte of TLS; an HTTP proxy that connects with TLS writes headers.
#[tokio::test]
async fn a_trusted_proxy_names_its_clients_on_a_port_with_tls() {
    let folder = TempDir::default();
    let flags = ["--trusted-proxy", "127.0.0.1", "--max-per-address", "2"];
    let server = start_server(folder.path(), &flags);
    let tls = tls_connector(&folder.path().join("authority.pem"));
    let mut open = vec![];
    for (preamble, headers, status) in [
        ("PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n", "", "101"),
        ("PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n", "", "101"),
        ("PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n", "", "429"),
        ("", "X-Forwarded-For: 192.0.2.1\r\n", "429"),
        ("", "X-Forwarded-For: 192.0.2.2\r\n", "101"),
        ("PROXY TCP4 192.0.2.2 198.51.100.1 1 2\r\n", "", "101"),
        (
            "PROXY TCP4 192.0.2.2 198.51.100.1 1 2\r\n",
            "X-Forwarded-For: 192.0.2.3\r\n",
            "429",
        ),
    ] {
        let mut stream = connect(&server).await;
        stream.write_all(preamble.as_bytes()).await.unwrap();
        let mut stream = with_timeout("TLS", tls.connect("localhost".try_into().unwrap(), stream))
            .await
            .unwrap();
        stream
            .write_all(handshake_request(headers).as_bytes())
            .await
            .unwrap();
        let mut head = [0; 12];
        with_timeout("a response", stream.read_exact(&mut head))
            .await
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&head[9..]),
            status,
            "{preamble:?} {headers:?}"
        );
        open.push(stream);
    }
    let mut stream = connect(&server).await;
    stream
        .write_all(b"PROXY TCP4 nobody 198.51.100.1 1 2\r\n")
        .await
        .unwrap();
    let mut response = String::new();
    with_timeout("a response", stream.read_to_string(&mut response))
        .await
        .unwrap();
    assert!(response.contains("malformed PROXY header"), "{response}");
}

/// Thirty browsers behind one address open the page together, each with six connections.
#[tokio::test]
async fn a_class_behind_one_address_opens_the_page_at_once() {
    const CONNECTIONS: usize = 30 * 6;
    let folder = TempDir::default();
    // A busy machine needs a long time for so many handshakes.
    let flags = [
        "--set",
        "handshake-timeout=60s",
        "--set",
        "first-line-timeout=60s",
        "--set",
        "page-timeout=60s",
    ];
    let server = start_server(folder.path(), &flags);
    let connector = tls_connector(&folder.path().join("authority.pem"));
    let mut streams = vec![];
    for _ in 0..CONNECTIONS {
        streams.push(connect(&server).await);
    }
    let loads = streams.into_iter().map(async |stream| {
        let mut stream = connector
            .connect("localhost".try_into().unwrap(), stream)
            .await
            .unwrap();
        stream
            .write_all(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .unwrap();
        stream.flush().await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        // The connection stays open until all clients have been served.
        (stream, String::from_utf8_lossy(&status).into_owned())
    });
    // In a build without optimisation, a handshake takes 50 ms of processor time on either side.
    let timeout = tokio::time::timeout(Duration::from_secs(55), join_all(loads));
    let loaded = timeout.await.expect("the page for a class");
    for (_, status) in loaded {
        assert_eq!(status, "HTTP/1.1 200");
    }
}
