//! The admin listener, and the metrics that alerts, dashboard and page name.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::program::{TempDir, output};
use noughts_tests::server::{ServerProcess, get, named_metrics, sample_names, write_certificates};
use noughts_tests::wait::wait_until;

const ADMIN_FLAGS: [&str; 2] = ["--admin-listener", "127.0.0.1:0"];

async fn statuses(address: SocketAddr) -> Vec<u16> {
    let mut statuses = Vec::new();
    for path in ["/metrics", "/ready", "/health", "/ws"] {
        statuses.push(get(address, path).await.0);
    }
    statuses
}

#[tokio::test]
async fn the_admin_listener_takes_the_metrics_from_the_port_of_the_players() {
    let server = ServerProcess::start(&ADMIN_FLAGS);
    assert_eq!(statuses(server.admin_address()).await, [200, 200, 200, 404]);
    assert_eq!(statuses(server.address()).await, [404, 200, 200, 426]);
    let without = ServerProcess::start(&[]);
    assert_eq!(statuses(without.address()).await, [200, 200, 200, 426]);
}

#[tokio::test]
async fn silent_connections_do_not_delay_the_admin_listener() {
    let server = ServerProcess::start(&ADMIN_FLAGS);
    let admin = server.admin_address();
    let mut silent = Vec::new();
    for _ in 0..600 {
        silent.push(RawWebSocket::connect(admin).await);
    }
    let began = tokio::time::Instant::now();
    assert_eq!(get(admin, "/health").await.0, 200);
    let waited = began.elapsed();
    // The server closes the oldest connections. Otherwise the next connection would wait until the first connection
    // times out.
    assert!(waited < Duration::from_millis(800), "{waited:?}");
}

#[tokio::test]
async fn the_admin_listener_rejects_a_large_head() {
    let server = ServerProcess::start(&ADMIN_FLAGS);
    let status = async |length| {
        let mut line = RawWebSocket::connect(server.admin_address()).await;
        let long = "y".repeat(length);
        let head = format!("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: {long}\r\n\r\n");
        line.try_write(head.as_bytes()).await;
        line.read_head().await
    };
    assert!(status(7 * 1024).await.starts_with("HTTP/1.1 200 "));
    assert!(status(9 * 1024).await.starts_with("HTTP/1.1 431 "));
}

#[tokio::test]
async fn the_admin_listener_reports_draining() {
    let flags = [&ADMIN_FLAGS[..], &["--set", "drain-timeout=10m"]].concat();
    let server = ServerProcess::start(&flags);
    // The unfinished request delays the end of the server.
    let mut unfinished = RawWebSocket::connect(server.address()).await;
    unfinished.write(b"GET /ws HTTP/1.1\r\n").await;
    wait_until("the unfinished request", async || {
        let (_, text) = get(server.admin_address(), "/metrics").await;
        text.contains("\nnoughts_sockets 1\n").then_some(())
    })
    .await;
    server.send_signal("TERM");
    wait_until("draining", async || {
        let (status, text) = get(server.admin_address(), "/ready").await;
        (status == 503 && text.contains("the server is stopping")).then_some(())
    })
    .await;
    let (_, text) = get(server.admin_address(), "/metrics").await;
    assert!(text.contains("\nnoughts_ready 0\n"), "{text}");
}

/// Writes a certificate and its key; returns the flags.
fn write_certificate(folder: &Path) -> Vec<String> {
    write_certificates(folder);
    let path = |name| folder.join(name).to_str().expect("UTF-8").to_owned();
    vec![
        "--tls-cert".into(),
        path("chain.pem"),
        "--tls-key".into(),
        path("key.pem"),
    ]
}

#[tokio::test]
async fn alerts_dashboard_and_page_name_the_metrics_that_exist() {
    let folder = TempDir::default();
    let mut flags = write_certificate(folder.path());
    flags.extend(ADMIN_FLAGS.map(str::to_owned));
    let data = folder.path().join("data");
    flags.extend(
        [
            "--listen",
            "127.0.0.1:0",
            "--data",
            data.to_str().expect("UTF-8"),
        ]
        .map(str::to_owned),
    );
    let server = ServerProcess::start_with(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    let text = wait_until("the free space", async || {
        let (_, text) = get(server.admin_address(), "/metrics").await;
        text.contains("\nnoughts_disk_free_bytes ").then_some(text)
    })
    .await;
    let exported = sample_names(&text);
    let page = include_str!("../../../server/README.md");
    for (source, content) in [
        (
            "alerts",
            include_str!("../../../server/deploy/prometheus-alerts.yml"),
        ),
        (
            "dashboard",
            include_str!("../../../server/deploy/grafana-dashboard.json"),
        ),
        ("page", page),
    ] {
        let named = named_metrics(content);
        assert!(named.len() >= 10, "{source} names {named:?}");
        for name in named {
            let histogram = format!("{name}_count");
            assert!(
                exported.contains(name) || exported.contains(histogram.as_str()),
                "{source}: {name}"
            );
        }
    }
    for name in exported
        .iter()
        .filter(|name| !name.ends_with("_bucket") && !name.ends_with("_sum"))
    {
        let name = name.strip_suffix("_count").unwrap_or(name);
        let is_documented =
            page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}{{"));
        assert!(is_documented, "the page does not name {name}");
    }
    let not_after = sample(&text, "noughts_certificate_not_after_seconds").expect("TLS is on");
    assert!(not_after > 1_900_000_000.0, "{not_after}");
}

fn sample(text: &str, name: &str) -> Option<f64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    Some(line.parse().expect("a number"))
}

#[tokio::test]
async fn commits_moves_and_files_are_measured() {
    let folder = TempDir::default();
    let server = ServerProcess::start_durable(folder.path(), "power", &ADMIN_FLAGS);
    let [mut x, _o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(4).await.expect("a legal move");
    // The server measures a commit or a move only after it has sent the reply and the broadcast.
    wait_until("the measurements", async || {
        let (_, text) = get(server.admin_address(), "/metrics").await;
        let value = |name: &str| {
            sample(&text, &format!("noughts_{name}"))
                .unwrap_or_else(|| panic!("no {name} in {text}"))
        };
        // The creation of the room, the join and the move are separate commits.
        let histograms = [
            "commit_seconds",
            "fsync_seconds",
            "queue_wait_seconds",
            "commit_jobs",
        ];
        let is_complete = histograms
            .iter()
            .all(|histogram| value(&format!("{histogram}_count")) >= 3.0)
            && value("move_seconds_count") >= 1.0
            && text.contains("noughts_disk_free_bytes ")
            && ["database_bytes", "wal_bytes", "disk_free_bytes"]
                .iter()
                .all(|size| value(size) > 0.0);
        is_complete.then(|| {
            assert_eq!(value("move_seconds_count"), 1.0, "{text}");
            assert!(value("commit_jobs_sum") >= 3.0, "{text}");
        })
    })
    .await;
}

/// Returns the program promtool of the Debian package prometheus. The package is unpacked, because its installation
/// would start a service.
async fn promtool() -> Command {
    let name = "promtool";
    if let Ok(found) = Command::new(name).arg("--version").output()
        && found.status.success()
    {
        return Command::new(name);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prometheus");
    let unpacked = folder.join("usr/bin").join(name);
    if !unpacked.exists() {
        let download = TempDir::default();
        let run = async |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments).current_dir(download.path());
            output(command).await.status.success()
        };
        let downloaded = run("apt-get", &["download", "prometheus"]).await
            || (run("apt-get", &["update"]).await
                && run("apt-get", &["download", "prometheus"]).await);
        assert!(
            downloaded,
            "{name} is missing, and the package prometheus cannot be downloaded"
        );
        let files = fs::read_dir(download.path()).expect("a folder");
        let package: PathBuf = files
            .map(|file| file.expect("a file").path())
            .next()
            .expect("a package");
        let arguments = [
            "-x",
            package.to_str().expect("UTF-8"),
            folder.to_str().expect("UTF-8"),
        ];
        assert!(run("dpkg", &arguments).await, "the package can be unpacked");
    }
    Command::new(unpacked)
}

#[tokio::test]
async fn prometheus_accepts_the_alert_rules() {
    for file in ["prometheus-alerts.yml", "prometheus-alerts-cluster.yml"] {
        let rules = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../server/deploy")
            .join(file);
        let mut check = promtool().await;
        check.args(["check", "rules"]).arg(&rules);
        let result = output(check).await;
        assert!(result.status.success(), "{result:?}");
        let count = fs::read_to_string(&rules)
            .expect("a file")
            .matches("- alert: ")
            .count();
        let text = String::from_utf8_lossy(&result.stdout).into_owned();
        assert!(
            text.contains(&format!("SUCCESS: {count} rules found")),
            "{text}"
        );
    }
}
