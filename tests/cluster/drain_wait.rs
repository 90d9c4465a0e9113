//! The time in which a node that stops serves on, until the load balancer has noticed.

use std::process::Stdio;

use noughts_protocol::Seat;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{NatsServers, ServerProcess, get, skips_nats};
use noughts_tests::wait::wait_until;

use crate::node::node_command;
use crate::operator_view::wait_for_status;

const FLAGS: [&str; 2] = ["--cluster-shards", "16"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_keeps_its_shards_until_the_wait_before_the_drain_is_over() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(3).await;
    let start = || {
        let mut command = node_command(&nats.urls(), &FLAGS);
        command.args(["--drain-wait", "5m"]).stderr(Stdio::null());
        ServerProcess::start_command(command)
    };
    let mut leaving = start();
    let mut ann = TestClient::connect_as(&leaving.url, "Ann").await;
    let room = ann.create("3x3:3", None, Some(Seat::X), false).await;
    leaving.send_signal("TERM");
    wait_until("the node is not ready", async || {
        (get(leaving.address(), "/ready").await.0 == 503).then_some(())
    })
    .await;
    wait_for_status(&nats.urls(), 0, ": leaving, 16 shards").await;

    // A node that leaves gives no shard to one that starts, which serves its clients nevertheless.
    let other = start();
    assert_eq!(other.metric("noughts_shards_owned").await, 0);
    assert_eq!(leaving.metric("noughts_shards_owned").await, 16);
    let mut bob = TestClient::connect_as(&other.url, "Bob").await;
    bob.join(room).await.expect("the room is open");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(4).await.expect("a legal move");
    let mut late = TestClient::connect_as(&leaving.url, "Carl").await;
    late.create("3x3:3", None, None, false).await;

    let seat = bob.seat_info().clone();
    leaving.send_signal("INT");
    assert_eq!(ann.wait_for_close().await, Some(1012));
    assert_eq!(leaving.wait_for_exit().await.code(), Some(0));
    let mut bob = TestClient::connect_as(&other.url, "Bob").await;
    wait_until("the room on the other node", async || {
        bob.resume(&seat, None).await.ok()
    })
    .await;
    assert_eq!(bob.game().position().moves().len(), 1);
}
