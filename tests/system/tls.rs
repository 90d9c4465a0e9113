//! TLS from outside: a server with a certificate, and a client that believes its authority or does not.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use noughts_tests::program::{self, Folder, ServerProcess};
use noughts_tests::wait::until;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// Writes an authority, and a certificate of it for this machine.
fn certify(folder: &Path) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    fs::write(folder.join("authority.pem"), authority.pem()).unwrap();
    fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    fs::write(folder.join("chain.pem"), certificate.pem()).unwrap();
}

fn start(folder: &Path) -> ServerProcess {
    let (chain, key) = (folder.join("chain.pem"), folder.join("key.pem"));
    ServerProcess::start(&["--tls-cert", chain.to_str().unwrap(), "--tls-key", key.to_str().unwrap()])
}

/// Asks the server for its rooms, with the real client.
fn list(url: &str, authority: Option<&Path>) -> Output {
    let mut client = Command::new(program::path("noughts"));
    if let Some(authority) = authority {
        client.arg("--ca").arg(authority);
    }
    client.args(["list", url]).output().unwrap()
}

#[tokio::test]
async fn a_server_proves_who_it_is() {
    let folder = Folder::default();
    certify(folder.path());
    let server = start(folder.path());
    assert!(server.url.starts_with("wss://"), "{}", server.url);
    assert_eq!(server.join, format!("noughts play {}", server.url));
    let authority = folder.path().join("authority.pem");
    let believed = list(&server.url, Some(&authority));
    assert!(believed.status.success(), "{believed:?}");
    let doubted = list(&server.url, None);
    assert_eq!(doubted.status.code(), Some(3), "{doubted:?}");
    assert!(String::from_utf8_lossy(&doubted.stderr).contains("certificate"), "{doubted:?}");
    let plain = list(&server.url.replace("wss://", "ws://"), Some(&authority));
    assert_eq!(plain.status.code(), Some(3), "{plain:?}");
}

#[tokio::test]
async fn a_new_certificate_is_taken_up_and_a_broken_one_is_not() {
    let folder = Folder::default();
    certify(folder.path());
    let server = start(folder.path());
    let old = folder.path().join("old.pem");
    fs::rename(folder.path().join("authority.pem"), &old).unwrap();
    certify(folder.path());
    server.signal("HUP");
    let new = folder.path().join("authority.pem");
    until("the new certificate", async || list(&server.url, Some(&new)).status.success().then_some(())).await;
    assert!(!list(&server.url, Some(&old)).status.success());

    fs::write(folder.path().join("chain.pem"), "no certificate").unwrap();
    server.signal("HUP");
    // It cannot be seen from outside when the signal has been dealt with; it must never do harm.
    for _ in 0..5 {
        assert!(list(&server.url, Some(&new)).status.success());
    }
}

#[test]
fn a_certificate_that_cannot_be_used_is_named() {
    let folder = Folder::default();
    certify(folder.path());
    fs::write(folder.path().join("key.pem"), "no key").unwrap();
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    let mut server = Command::new(program::path("noughts-server"));
    server.args(["--listen", "127.0.0.1:0", "--data", "memory", "--tls-cert"]).arg(chain);
    let output = server.arg("--tls-key").arg(key).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("key.pem"), "{output:?}");
}
