//! The time that `restarting` announces is near the time when the next server accepts connections.

use std::path::Path;
use std::time::Duration;

use noughts_protocol::wire::Message;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::TempDir;
use noughts_tests::server::{ServerProcess, TestServiceManager};
use tokio::time::{Instant, sleep};

/// A restart, as the client and the service manager saw it.
struct ObservedRestart {
    announced: Duration,
    /// Time from the announcement until the next server was ready.
    actual: Duration,
}

fn start(manager: &TestServiceManager, data: &Path, drain_timeout: &str) -> ServerProcess {
    let data = data.to_str().expect("a path in UTF-8");
    let drain_timeout = format!("drain-timeout={drain_timeout}");
    manager.start(&["--data", data, "--set", &drain_timeout])
}

/// Restarts the server after a pause without a server.
async fn restart(
    manager: &TestServiceManager,
    server: &mut ServerProcess,
    data: &Path,
    drain_timeout: &str,
    pause: Duration,
) -> ObservedRestart {
    let mut client = TestClient::connect_as(&server.url, "Ann").await;
    server.send_signal("TERM");
    let notice = client
        .wait_for("the announcement", |message| {
            matches!(message, Message::Restarting { .. })
        })
        .await;
    let announced_at = Instant::now();
    let Message::Restarting { retry_after_ms } = notice else {
        unreachable!()
    };
    assert_eq!(client.wait_for_close().await, Some(1012));
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    sleep(pause).await;
    *server = start(manager, data, drain_timeout);
    manager.wait_for_notification("READY=1").await;
    let observed = ObservedRestart {
        announced: Duration::from_millis(retry_after_ms),
        actual: announced_at.elapsed(),
    };
    println!(
        "announced {:?}, actual {:?}",
        observed.announced, observed.actual
    );
    observed
}

#[tokio::test]
async fn the_announced_time_is_that_of_a_restart_and_not_a_timeout() {
    let (manager, data) = (TestServiceManager::default(), TempDir::default());
    let mut server = start(&manager, data.path(), "60s");
    manager.wait_for_notification("READY=1").await;
    let observed = restart(&manager, &mut server, data.path(), "60s", Duration::ZERO).await;
    // The limit is generous, because other tests occupy the machine.
    assert!(observed.announced.abs_diff(observed.actual) < Duration::from_secs(10));
}

#[tokio::test]
async fn the_announced_time_follows_the_last_restart() {
    let (manager, data) = (TestServiceManager::default(), TempDir::default());
    let (drain_timeout, pause) = ("3s", Duration::from_millis(2_500));
    let mut server = start(&manager, data.path(), drain_timeout);
    manager.wait_for_notification("READY=1").await;
    let slow = restart(&manager, &mut server, data.path(), drain_timeout, pause).await;
    let next = restart(&manager, &mut server, data.path(), drain_timeout, pause).await;
    // Without a measurement the server would announce a fraction of a second.
    assert!(
        next.announced.abs_diff(slow.actual) < Duration::from_secs(2),
        "{:?}",
        next.announced
    );
}
