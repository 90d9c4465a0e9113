//! Several nodes that serve one cluster at the same time.

use noughts_protocol::wire::{Message, RejectCode, Request, RequestBody, SessionRequest};
use noughts_protocol::{Phase, RoomCode, RoomId, RoomRef, Seat};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{NatsServers, ServerProcess, get, metric, skips_nats};
use noughts_tests::wait::wait_until;
use tokio::time::{Duration, Instant};

use crate::node::{SHARDS, resume, start_node, start_nodes, wait_until_settled};
use crate::operator_view::wait_for_status;

/// Plays one move of each player, starting with the player to move.
pub(super) async fn play_round(players: &mut [TestClient; 2]) {
    for _ in 0..2 {
        let turn = players[0].game().position().turn();
        let at = players
            .iter()
            .position(|player| player.seat() == turn)
            .expect("two players");
        let cell = players[at]
            .game()
            .position()
            .legal_nth(0)
            .expect("a legal move");
        players[at]
            .play(cell.index() as u16)
            .await
            .expect("the move is legal");
        let seq = players[at].game().seq();
        players[1 - at].wait_until_seq(seq).await;
    }
}

/// Checks that the relay of a client ends as soon as the client has left the room.
async fn check_leave(node: &ServerProcess, host: &ServerProcess, room: RoomRef) {
    let members = || metric(host.address(), "noughts_remote_members");
    let count = members().await;
    let mut eve = TestClient::connect_as(&node.url, "Eve").await;
    eve.watch(room).await.expect("a public room");
    assert_eq!(members().await, count + 1);
    let leave = RequestBody::Session(SessionRequest::Leave);
    eve.request(leave).await.expect("a spectator can leave");
    let left_at = Instant::now();
    wait_until("the relay ends", async || {
        (members().await == count).then_some(())
    })
    .await;
    // A relay that waited for further responses would end after four seconds.
    assert!(left_at.elapsed() < Duration::from_secs(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_node_serves_any_client() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let nodes: [ServerProcess; 2] = start_nodes(&nats, &[]);
    wait_until_settled(nodes.iter().map(ServerProcess::address)).await;
    for (home, public) in [(0, true), (1, false)] {
        let away = 1 - home;
        let ann = TestClient::connect_as(&nodes[home].url, "Ann").await;
        let bob = TestClient::connect_as(&nodes[away].url, "Bob").await;
        let mut players = [ann, bob];
        let room = players[0]
            .create("15x15:5", Some("5+3"), None, public)
            .await;
        players[1].join(room).await.expect("the free seat");
        players[0]
            .wait_for_event("start", |event| {
                matches!(event, noughts_protocol::Event::Started { .. })
            })
            .await;
        play_round(&mut players).await;

        // Spectators on both nodes see the same game.
        let mut spectators = Vec::new();
        for node in &nodes {
            let mut spectator = TestClient::connect_as(&node.url, "Carl").await;
            spectator.watch(room).await.expect("the room is open");
            spectators.push(spectator);
        }
        play_round(&mut players).await;
        let seq = players[0].game().seq();
        for spectator in &mut spectators {
            spectator.wait_until_seq(seq).await;
            assert_eq!(spectator.game().position(), players[0].game().position());
        }
        check_leave(&nodes[away], &nodes[home], room).await;
        let mut late = TestClient::connect_as(&nodes[away].url, "Dora").await;
        assert_eq!(
            late.join(room).await.unwrap_err().code,
            RejectCode::RoomFull
        );
        // A rejected client can continue.
        late.watch(room).await.expect("the room is open");
        let turn = players[0].game().position().turn();
        let waiting = players
            .iter_mut()
            .find(|player| player.seat() != turn)
            .expect("two players");
        let early = waiting.play(100).await;
        assert_eq!(early.unwrap_err().code, RejectCode::NotYourTurn);

        // Each player moves to the node of the other player.
        let [ann, bob] = players;
        let ann = resume(&nodes[away], "Ann", &ann.disconnect()).await;
        let bob = resume(&nodes[home], "Bob", &bob.disconnect()).await;
        let mut players = [ann, bob];
        play_round(&mut players).await;

        // The remote player leaves, and opens a room on its own node.
        let left = players[0]
            .request(RequestBody::Session(SessionRequest::Leave))
            .await;
        assert!(matches!(left, Ok(Message::Done { .. })), "{left:?}");
        let [mut ann, bob] = players;
        assert_eq!(bob.game().phase(), Phase::Playing);
        ann.create("3x3:3", None, None, true).await;
    }
    let mut eve = TestClient::connect_as(&nodes[0].url, "Eve").await;
    for bits in 1..20 {
        for room in [
            RoomRef::Id(RoomId::from_bits(bits)),
            RoomRef::Code(RoomCode::from_bits(bits << 20)),
        ] {
            let reject = eve.join(room).await.unwrap_err();
            assert!(
                [RejectCode::UnknownRoom, RejectCode::RateLimited].contains(&reject.code),
                "{room}: {reject:?}"
            );
            if bits == 1 {
                assert_eq!(reject.code, RejectCode::UnknownRoom);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_node_shows_no_old_board() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let former = start_node(&nats, &[]);
    let mut ann = TestClient::connect_as(&former.url, "Ann").await;
    let room = ann.create("3x3:3", None, None, true).await;
    let mut spectator = TestClient::connect_as(&former.url, "Carl").await;
    // The start of the other node takes so much time that the stopped node counts as dead.
    former.send_signal("STOP");
    let owner = start_node(&nats, &[]);
    let mut bob = TestClient::connect_as(&owner.url, "Bob").await;
    bob.join(room).await.expect("the free seat");
    // When it continues, the previous owner finds this request and the heartbeats of the new owner at the same time.
    let id = spectator.next_request_id();
    let body = RequestBody::Session(SessionRequest::Watch {
        room,
        remarks: false,
    });
    spectator.send(&Request { id, body }).await;
    former.send_signal("CONT");
    let is_reply =
        |message: &Message| matches!(message, Message::Snapshot { .. } | Message::Reject { .. });
    match spectator.try_wait_for(is_reply).await {
        Some(Message::Snapshot { state, .. }) => {
            assert_eq!(state.seq, bob.game().seq(), "an old board");
        }
        Some(Message::Reject { reject, .. }) => assert_eq!(reject.code, RejectCode::Unavailable),
        Some(_) | None => {}
    }
    let seat = ann.room.clone().expect("in a room");
    assert_eq!(ann.wait_for_close().await, Some(1012), "the shard is lost");
    // The replaced node hands the player over to the new owner.
    let ann = resume(&former, "Ann", &seat).await;
    assert_eq!(ann.game().seq(), bob.game().seq());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_keeps_its_shards_until_the_wait_before_the_drain_is_over() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let [mut leaving, other] = start_nodes(&nats, &["--drain-wait", "5m"]);
    wait_until_settled([leaving.address(), other.address()]).await;
    let owned = leaving.metric("noughts_shards_owned").await;
    let mut ann = TestClient::connect_as(&leaving.url, "Ann").await;
    let room = ann.create("3x3:3", None, Some(Seat::X), false).await;
    leaving.send_signal("TERM");
    wait_until("the node is not ready", async || {
        (get(leaving.address(), "/ready").await.0 == 503).then_some(())
    })
    .await;
    // The node serves its own clients and the clients of the other node.
    let play = async {
        let mut bob = TestClient::connect_as(&other.url, "Bob").await;
        bob.join(room).await.expect("the room is open");
        ann.wait_until_seq(bob.game().seq()).await;
        ann.play(4).await.expect("a legal move");
        let mut late = TestClient::connect_as(&leaving.url, "Carl").await;
        late.create("3x3:3", None, None, false).await;
        bob
    };
    let expected = format!(": leaving, {owned} shards");
    let (bob, status) = tokio::join!(play, wait_for_status(&nats, 0, &expected));
    for expected in [
        format!(": active, {} shards\n", SHARDS - owned),
        format!("shards: {SHARDS}, each with an owner"),
    ] {
        assert!(status.contains(&expected), "{status}");
    }
    assert_eq!(leaving.metric("noughts_shards_owned").await, owned);

    let seat = bob.seat_info().clone();
    leaving.send_signal("INT");
    assert_eq!(ann.wait_for_close().await, Some(1012));
    assert_eq!(leaving.wait_for_exit().await.code(), Some(0));
    let bob = resume(&other, "Bob", &seat).await;
    assert_eq!(bob.game().position().moves().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_whose_room_was_on_a_killed_node_is_closed_with_1012_and_resumes() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let [killed, other] = start_nodes(&nats, &[]);
    wait_until_settled([killed.address(), other.address()]).await;
    let mut ann = TestClient::connect_as(&killed.url, "Ann").await;
    let room = ann.create("3x3:3", None, Some(Seat::X), false).await;
    let mut bob = TestClient::connect_as(&other.url, "Bob").await;
    bob.join(room).await.expect("the free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(4).await.expect("a legal move");
    bob.wait_until_seq(ann.game().seq()).await;
    let seat = bob.seat_info().clone();
    killed.kill();
    assert_eq!(bob.wait_for_close().await, Some(1012));
    let bob = resume(&other, "Bob", &seat).await;
    assert_eq!(bob.game().position().moves().len(), 1);
}
