//! Party keys: several connections of one party are never paired with each other, and a party is directed to
//! its seat if the response was lost with the connection.

use std::sync::Arc;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SeatGrant, SessionRequest};
use noughts_protocol::{Event, Party, Phase, RoomRef, Seat};
use noughts_server::testing::MemoryLog;
use noughts_tests::client::game_setup::{create_request, seek_request};
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::faults::failing_store::{
    AppendFailure, start_with_blocking_store, start_with_failing_store,
};
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;

const ANN_PARTY_KEY: u128 = 1 << 100;

async fn connect_ann(server: &TestServer) -> (TestClient, Option<SeatGrant>) {
    TestClient::connect_as_party(&server.url(), "Ann", Party::from_bits(ANN_PARTY_KEY)).await
}

/// Returns the resume request with the grant from a welcome.
fn resume_request(grant: SeatGrant) -> RequestBody {
    RequestBody::Session(SessionRequest::Resume {
        room: grant.room,
        token: Some(grant.token),
        seq: None,
    })
}

/// Connects Ann until a welcome grants a seat.
async fn connect_ann_with_grant(server: &TestServer) -> (TestClient, SeatGrant) {
    wait_until("a welcome with a seat", async || {
        let (client, grant) = connect_ann(server).await;
        grant.map(|grant| (client, grant))
    })
    .await
}

fn seat_info(client: &TestClient) -> &SeatInfo {
    client.seat_info()
}

#[tokio::test]
async fn a_party_key_is_never_paired_with_itself() {
    let server = TestServer::start().await;
    let (mut old, grant) = connect_ann(&server).await;
    assert!(grant.is_none());
    old.seek("3x3:3", None, None).await;
    let (mut new, _) = connect_ann(&server).await;
    new.seek("3x3:3", None, None).await;
    assert_eq!(old.wait_for_close().await, Some(4002));
    let mut bob = TestClient::connect_as_party(&server.url(), "Bob", Party::from_bits(2))
        .await
        .0;
    bob.seek("3x3:3", None, None).await;
    assert_eq!(
        new.next_snapshot()
            .await
            .players
            .map(|player| player.expect("two").name.to_string())
            .len(),
        2
    );
    bob.next_snapshot().await;
    assert_eq!(
        seat_info(&new).id,
        seat_info(&bob).id,
        "the first seek of the party is paired first"
    );
    // Clients without a party key are paired as usual.
    let [mut one, mut two] = [
        server.connect_client("One").await,
        server.connect_client("Two").await,
    ];
    one.seek("4x4:4", None, None).await;
    two.seek("4x4:4", None, None).await;
    one.next_snapshot().await;
}

#[tokio::test]
async fn a_reconnecting_party_key_receives_its_grant() {
    for case in ["create", "join", "seek"] {
        let (server, log) = start_with_blocking_store().await;
        let mut bob = server.connect_client("Bob").await;
        let request = match case {
            "create" => create_request("3x3:3", None, Some(Seat::X), false),
            "join" => RequestBody::Session(SessionRequest::Join {
                room: bob.create("3x3:3", None, None, false).await,
            }),
            _ => {
                bob.seek("3x3:3", None, None).await;
                seek_request("3x3:3", None, None)
            }
        };
        let (mut interrupted, grant) = connect_ann(&server).await;
        assert!(grant.is_none(), "{case}");
        // The join or the pairing is stored, but its response is lost.
        log.block_appends();
        let id = interrupted.next_request_id();
        interrupted
            .send(&noughts_protocol::wire::Request { id, body: request })
            .await;
        if case == "join" {
            // The seat in another player's room is granted once the join is stored.
            wait_until("the join to be pending", async || {
                (log.append_count() > 0).then_some(())
            })
            .await;
            assert!(connect_ann(&server).await.1.is_none());
            log.unblock_appends();
        }
        let reconnected_grant = {
            // Bob reads, so that he answers the ping before the game begins. The snapshot of the game comes after the
            // appends.
            let reading = async {
                if case == "seek" {
                    bob.wait_for("nothing yet", |_| false).await;
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                grant = connect_ann_with_grant(&server) => grant,
                () = reading => unreachable!("reading never ends"),
            }
        };
        drop(interrupted);
        log.unblock_appends();
        let (mut reconnected, grant) = reconnected_grant;
        reconnected
            .request(resume_request(grant))
            .await
            .unwrap_or_else(|reject| panic!("{case}: {reject}"));
        let phase = if case == "create" {
            Phase::Waiting
        } else {
            Phase::Playing
        };
        assert_eq!(reconnected.game().phase(), phase, "{case}");
        if case == "join" {
            bob.wait_for_event("the first events", |event| {
                matches!(event, Event::Started { .. })
            })
            .await;
        }
        if case == "seek" {
            assert_eq!(bob.next_snapshot().await.phase, Phase::Playing);
        }
        assert_eq!(
            log.events(grant.room).await.len() as u64,
            reconnected.game().seq().get(),
            "{case}: executed once"
        );
        // After it has left on purpose, the party is not directed back.
        reconnected
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
        assert!(connect_ann(&server).await.1.is_none(), "{case}");
    }
}

#[tokio::test]
async fn unconfirmed_seats_are_not_granted() {
    let (server, log) = start_with_failing_store().await;
    let mut bob = server.connect_client("Bob").await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    log.fail_next_appends(&[AppendFailure::LostWithoutReply]);
    log.fail_loads(true);
    let (mut first, _) = connect_ann(&server).await;
    let id = first.next_request_id();
    let body = RequestBody::Session(SessionRequest::Join { room });
    first
        .send(&noughts_protocol::wire::Request { id, body })
        .await;
    wait_until("an unanswered append", async || {
        (server.metric("noughts_append_failures_total").await > 0).then_some(())
    })
    .await;
    assert!(
        connect_ann(&server).await.1.is_none(),
        "the token is not reused"
    );
    log.fail_loads(false);
    assert_eq!(
        first.wait_for_response(id, None).await.unwrap_err().code,
        RejectCode::Unavailable
    );
    let mut eve = server.connect_client("Eve").await;
    eve.join(room).await.expect("the cell is free");
    assert_eq!(eve.seat(), Seat::O);
    assert!(connect_ann(&server).await.1.is_none());
}

#[tokio::test]
async fn a_repeated_join_is_done_once() {
    let (server, log) = start_with_blocking_store().await;
    let mut bob = server.connect_client("Bob").await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    let join = || RequestBody::Session(SessionRequest::Join { room });
    log.block_appends();
    let (mut first, _) = connect_ann(&server).await;
    let id = first.next_request_id();
    first
        .send(&noughts_protocol::wire::Request { id, body: join() })
        .await;
    wait_until("the join to be pending", async || {
        (log.append_count() > 0).then_some(())
    })
    .await;
    let (mut second, _) = connect_ann(&server).await;
    let id = second.next_request_id();
    second
        .send(&noughts_protocol::wire::Request { id, body: join() })
        .await;
    log.unblock_appends();
    second
        .wait_for_response(id, None)
        .await
        .expect("the party's seat");
    assert_eq!(
        (second.seat(), second.game().phase()),
        (Seat::O, Phase::Playing)
    );
    assert_eq!(first.wait_for_close().await, Some(4002));
    let seated = log.events(seat_info(&second).id).await;
    assert_eq!(
        seated
            .iter()
            .filter(|event| matches!(event.event, Event::Seated { .. }))
            .count(),
        2
    );
    // For other parties the room is full, and the player's name does not give access to the seat.
    let mut eve = TestClient::connect_as_party(&server.url(), "Eve", Party::from_bits(3))
        .await
        .0;
    assert_eq!(eve.expect_reject(join()).await, RejectCode::RoomFull);
    assert!(matches!(room, RoomRef::Code(_)));
}

#[tokio::test]
async fn a_join_with_a_lost_reply_is_recovered() {
    let (server, log) = noughts_tests::faults::failing_store::start_with_failing_store().await;
    let mut bob = server.connect_client("Bob").await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    log.fail_next_appends(&[
        noughts_tests::faults::failing_store::AppendFailure::StoredOutcomeUnknown,
    ]);
    log.fail_loads(true);
    let (mut interrupted, _) = connect_ann(&server).await;
    let id = interrupted.next_request_id();
    interrupted
        .send(&noughts_protocol::wire::Request {
            id,
            body: RequestBody::Session(SessionRequest::Join { room }),
        })
        .await;
    wait_until("the join to be stored", async || {
        (log.events(seat_info(&bob).id).await.len() > 2).then_some(())
    })
    .await;
    drop(interrupted);
    log.fail_loads(false);
    let (mut reconnected, grant) = connect_ann_with_grant(&server).await;
    let response = wait_until("the room to be rebuilt", async || {
        reconnected.request(resume_request(grant)).await.ok()
    })
    .await;
    assert!(matches!(response, Message::Snapshot { .. }));
    assert_eq!(reconnected.game().phase(), Phase::Playing);
}

#[tokio::test]
async fn seats_survive_a_restart() {
    let log = Arc::new(MemoryLog::default());
    let start = || {
        TestServer::start_with(TestServerOptions {
            log: log.clone(),
            ..TestServerOptions::default()
        })
    };
    let server = start().await;
    let (mut bob, _) =
        TestClient::connect_as_party(&server.url(), "Bob", Party::from_bits(2)).await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    let (mut interrupted, _) = connect_ann(&server).await;
    interrupted.join(room).await.expect("a free seat");
    let room_before = seat_info(&interrupted).id;
    // After the restart, Ann acts as if she had received no response before the server was killed.
    server.stop().await.expect("a clean stop");
    let server = start().await;
    let (mut reconnected, grant) = connect_ann(&server).await;
    let grant = grant.expect("the seat of the join");
    assert_eq!(grant.room, room_before);
    reconnected
        .request(resume_request(grant))
        .await
        .expect("the seat of the party");
    assert_eq!(
        (reconnected.seat(), reconnected.game().phase()),
        (Seat::O, Phase::Playing)
    );
    let (_, grant) = TestClient::connect_as_party(&server.url(), "Bob", Party::from_bits(2)).await;
    assert_eq!(grant.expect("the creator's seat").room, room_before);
    let (_, grant) = TestClient::connect_as_party(&server.url(), "Eve", Party::from_bits(3)).await;
    assert!(grant.is_none());
    // After it has left on purpose, the party is not directed back, even after a restart.
    reconnected
        .request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    server.stop().await.expect("a clean stop");
    let server = start().await;
    assert!(connect_ann(&server).await.1.is_none());
}

#[tokio::test]
async fn a_repeated_seek_joins_the_paired_game() {
    let server = TestServer::start().await;
    let (mut old, _) = connect_ann(&server).await;
    old.seek("3x3:3", None, None).await;
    // The old connection breaks without notice after the ping. The new connection opens before the pairing and seeks
    // after it.
    let (mut new, grant) = connect_ann(&server).await;
    assert!(grant.is_none());
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, None).await;
    futures::future::join(old.next_snapshot(), bob.next_snapshot()).await;
    new.seek("3x3:3", None, None).await;
    new.next_snapshot().await;
    assert_eq!(seat_info(&new).id, seat_info(&bob).id);
    assert_eq!(old.wait_for_close().await, Some(4002));
    assert_eq!(
        (
            server.metric("noughts_rooms").await,
            server.metric("noughts_seeks").await
        ),
        (1, 0)
    );
    // A party that knows its seat may seek another game.
    let (mut third, grant) = connect_ann(&server).await;
    assert_eq!(
        grant.expect("the seat of the party").room,
        seat_info(&bob).id
    );
    third.seek("3x3:3", None, None).await;
    let mut cem = server.connect_client("Cem").await;
    cem.seek("3x3:3", None, None).await;
    futures::future::join(cem.next_snapshot(), third.next_snapshot()).await;
    assert_ne!(seat_info(&cem).id, seat_info(&bob).id);
    assert_eq!(server.metric("noughts_rooms").await, 2);
}
