//! Access to NATS servers: keys and credentials of users, TLS, and servers and clusters that are refused.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, output_within};
use noughts_tests::server::{
    NatsServers, ServerProcess, nats_server_path, skips_nats, write_certificates,
};
use serde_json::{Value, json};

use crate::node::{NODE, REFUSAL_TIMEOUT, node_command};

/// Flags of a node for a cluster of one NATS server with two shards.
const SHAPE_FLAGS: [&str; 4] = ["--cluster-replicas", "1", "--cluster-shards", "2"];

/// The configuration for operators.
const SAMPLE: &str = include_str!("../../server/deploy/cluster/nats.conf");

/// Placeholder for the public key of a user in this configuration.
const SAMPLE_KEY: &str = "UPUBLICKEY";

/// Returns the line of the configuration for operators that begins with `word`.
fn sample_line(word: &str) -> &'static str {
    let mut lines = SAMPLE.lines();
    lines
        .find(|line| line.starts_with(word))
        .expect("a line of the configuration")
}

/// Replaces the paths of the configuration for operators with paths in a folder with certificates.
fn localize(config: &str, folder: &TempDir) -> String {
    let path = |name: &str| folder.path().join(name).display().to_string();
    config
        .replace("/etc/nats/server.pem", &path("chain.pem"))
        .replace("/etc/nats/server.key", &path("key.pem"))
        .replace("/etc/nats/ca.pem", &path("authority.pem"))
        .replace("/var/lib/nats", &path("store"))
}

#[tokio::test]
async fn the_configuration_for_operators_is_valid() {
    if skips_nats() {
        return;
    }
    let folder = TempDir::default();
    write_certificates(folder.path());
    let key = KeyPair::new_user().public_key();
    let config = localize(&SAMPLE.replace(SAMPLE_KEY, &key), &folder);
    let file = write(folder.path(), "nats.conf", &config);
    let mut nats = Command::new(nats_server_path().expect("not skipped"));
    nats.args(["-c", &file, "-t"]);
    let checked = output_within(REFUSAL_TIMEOUT, nats).await;
    assert!(checked.status.success(), "{checked:?}");
}

#[tokio::test]
async fn a_node_without_an_address_for_the_others_is_refused_like_a_wrong_flag() {
    let mut command = Command::new(NODE);
    command
        .args(["--listen", "127.0.0.1:0", "--cluster", "nats://127.0.0.1:1"])
        .env_remove("NOUGHTS_DATA")
        .env_remove("NOUGHTS_CLUSTER_LISTEN");
    let refused = output_within(REFUSAL_TIMEOUT, command).await;
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("--cluster-listen"), "{stderr}");
}

/// Starts a node, creates a room on it, and lets it stop.
async fn assert_serves<const COUNT: usize>(servers: &str, flags: [&str; COUNT]) {
    let mut command = node_command(servers, &[&SHAPE_FLAGS[..], &flags].concat());
    command.stderr(Stdio::null());
    let mut node = ServerProcess::start_command(command);
    let mut ann = TestClient::connect_as(&node.url, "Ann").await;
    ann.create("3x3:3", None, None, true).await;
    // A stopping node waits for its connected clients.
    drop(ann);
    node.send_signal("TERM");
    assert_eq!(node.wait_for_exit().await.code(), Some(0));
}

/// Checks that a node with the flags of the cluster and these flags refuses to start for this reason.
async fn assert_refused<const COUNT: usize>(servers: &str, flags: [&str; COUNT], reason: &str) {
    assert_exits(servers, &[&SHAPE_FLAGS[..], &flags].concat(), reason).await;
}

async fn assert_exits(servers: &str, flags: &[&str], reason: &str) {
    let refused = output_within(REFUSAL_TIMEOUT, node_command(servers, flags)).await;
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(reason), "{stderr}");
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, text).expect("a temporary folder");
    file.to_str().expect("a path in UTF-8").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_authenticates_by_the_key_of_a_user() {
    if skips_nats() {
        return;
    }
    let (user, stranger) = (KeyPair::new_user(), KeyPair::new_user());
    let accounts = sample_line("accounts").replace(SAMPLE_KEY, &user.public_key());
    let nats = NatsServers::start_with_config(1, &accounts).await;
    let (urls, folder) = (nats.urls(), TempDir::default());
    let seed = |user: &KeyPair| user.seed().expect("a key pair with a seed");
    let file = write(folder.path(), "node.nk", &format!("{}\n", seed(&user)));
    let other = write(folder.path(), "other.nk", &seed(&stranger));
    let broken = write(folder.path(), "broken.nk", "no key");
    let missing = folder.path().join("missing.nk");
    let missing = missing.to_str().expect("UTF-8");
    // In parallel, because a node that cannot connect tries again for some seconds.
    tokio::join!(
        assert_refused(&urls, ["--cluster-creds", &other], "cannot connect to"),
        assert_refused(&urls, [], "cannot connect to"),
        assert_refused(&urls, ["--cluster-creds", missing], "missing.nk"),
        assert_refused(&urls, ["--cluster-creds", &broken], "broken.nk"),
        assert_serves(&urls, ["--cluster-creds", &file]),
    );
}

/// Returns a token about `subject`, signed by `issuer`, in the format of decentralized authentication.
fn sign_token(issuer: &KeyPair, subject: &KeyPair, name: &str, claims: &Value) -> String {
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let payload = json!({
        "jti": name, "iat": 1_750_000_000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": name,
        "nats": claims,
    });
    let encode = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let signed = format!("{}.{}", encode(&header), encode(&payload));
    let signature = issuer
        .sign(signed.as_bytes())
        .expect("a key pair with a seed");
    format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_authenticates_by_a_file_of_credentials() {
    if skips_nats() {
        return;
    }
    let (operator, account, user) = (
        KeyPair::new_operator(),
        KeyPair::new_account(),
        KeyPair::new_user(),
    );
    let operator_token = sign_token(
        &operator,
        &operator,
        "operator",
        &json!({ "type": "operator", "version": 2 }),
    );
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let account_claims = json!({ "type": "account", "version": 2, "limits": limits });
    let account_token = sign_token(&operator, &account, "games", &account_claims);
    let user_claims =
        json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
    let user_token = sign_token(&account, &user, "node", &user_claims);
    // JetStream needs a system account for the messages of the server.
    let system = KeyPair::new_account();
    let system_claims = json!({ "type": "account", "version": 2, "limits": { "subs": -1, "data": -1, "payload": -1, "conn": -1 } });
    let system_token = sign_token(&operator, &system, "system", &system_claims);
    let (account_key, system_key) = (account.public_key(), system.public_key());
    let config = format!(
        "operator: {operator_token}\nsystem_account: {system_key}\nresolver: MEMORY\n\
         resolver_preload: {{ {account_key}: {account_token}, {system_key}: {system_token} }}\n"
    );
    let nats = NatsServers::start_with_config(1, &config).await;
    let urls = nats.urls();
    let credentials = |seed: &str| {
        format!(
            "-----BEGIN NATS USER JWT-----\n{user_token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    let folder = TempDir::default();
    let file = write(
        folder.path(),
        "node.creds",
        &credentials(&user.seed().unwrap()),
    );
    // Credentials with a key that does not belong to the token.
    let other = write(
        folder.path(),
        "other.creds",
        &credentials(&KeyPair::new_user().seed().unwrap()),
    );
    tokio::join!(
        assert_refused(&urls, ["--cluster-creds", &other], "cannot connect to"),
        assert_serves(&urls, ["--cluster-creds", &file]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_verifies_the_certificate_of_a_nats_server() {
    if skips_nats() {
        return;
    }
    let (folder, other) = (TempDir::default(), TempDir::default());
    write_certificates(folder.path());
    write_certificates(other.path());
    let path =
        |folder: &TempDir, name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let nats = NatsServers::start_with_config(1, &localize(sample_line("tls"), &folder)).await;
    let (urls, secure) = (nats.urls(), nats.urls().replace("nats://", "tls://"));
    let (trusted, untrusted) = (
        path(&folder, "authority.pem"),
        path(&other, "authority.pem"),
    );
    let served = async {
        assert_serves(&secure, ["--cluster-ca", &trusted]).await;
        assert_serves(&urls, ["--cluster-ca", &trusted]).await;
    };
    tokio::join!(
        assert_refused(&secure, ["--cluster-ca", &untrusted], "cannot connect to"),
        assert_refused(&secure, [], "cannot connect to"),
        served,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nats_server_without_tls_or_of_another_shape_is_refused() {
    if skips_nats() {
        return;
    }
    let folder = TempDir::default();
    write_certificates(folder.path());
    let trusted = folder.path().join("authority.pem");
    let trusted = trusted.to_str().expect("UTF-8");
    let nats = NatsServers::start(1).await;
    let urls = nats.urls();
    let shapes = async {
        assert_serves(&urls, []).await;
        let four_shards = [&SHAPE_FLAGS[..3], &["4"]].concat();
        let three_replicas = [&["--cluster-replicas", "3"][..], &SHAPE_FLAGS[2..]].concat();
        tokio::join!(
            assert_exits(&urls, &four_shards, "the cluster has 2 shards"),
            assert_exits(&urls, &three_replicas, "1 replicas instead of 3"),
        );
    };
    tokio::join!(
        // The node must refuse the server, rather than connect without encryption.
        assert_refused(&urls, ["--cluster-ca", trusted], "cannot connect to"),
        shapes,
    );
}

/// Starts a server that introduces itself as NATS 2.9.10 and accepts every client. Returns its port.
fn start_old_nats() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let info = r#"{"server_id":"old","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"#;
                stream.write_all(format!("INFO {info}\r\n").as_bytes())?;
                for line in BufReader::new(stream.try_clone()?).lines() {
                    if line?.starts_with("PING") {
                        stream.write_all(b"PONG\r\n")?;
                    }
                }
                std::io::Result::Ok(())
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unsafe_version_of_nats_is_refused() {
    let servers = format!("nats://127.0.0.1:{}", start_old_nats());
    tokio::join!(
        assert_exits(
            &servers,
            &[],
            "NATS 2.9.10, which may lose moves; 2.10.27 or later"
        ),
        assert_exits("nats://127.0.0.1:1", &[], "cannot connect to 127.0.0.1:1"),
    );
}
