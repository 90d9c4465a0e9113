//! One lobby over all nodes.

use std::process::Stdio;
use std::time::Duration;

use noughts_protocol::wire::{
    LobbyView, Message, RejectCode, Request, RequestBody, SessionRequest,
};
use noughts_protocol::{PartyKey, RoomId, TimeControl};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{NatsServers, ServerProcess, skips_nats};
use noughts_tests::wait::wait_until;
use tokio::time::{sleep, timeout};

use crate::node::{node_command, wait_until_settled};
use crate::several_nodes::{SHARD_FLAGS, play_round};

/// Games with different lobbies: enough for each of three nodes to have some.
const GAMES: usize = 48;

/// Interval of requests for the list, below the rate of long responses.
const LIST_INTERVAL: Duration = Duration::from_secs(1);

/// Time in which nothing may happen.
const QUIET_TIME: Duration = Duration::from_millis(500);

fn start_node(nats: &NatsServers) -> ServerProcess {
    let mut command = node_command(&nats.urls(), &SHARD_FLAGS);
    command
        .args(["--cluster-replicas", "1"])
        .stderr(Stdio::null());
    ServerProcess::start_command(command)
}

fn clock(game: usize) -> String {
    format!("{}+{}", 1 + game % 60, game / 60)
}

async fn seek(node: &ServerProcess, name: &str, game: usize) -> TestClient {
    let mut client = TestClient::connect_as(&node.url, name).await;
    client.seek("5x5:4", Some(&clock(game)), None).await;
    client
}

/// Checks that two clients are paired with each other, and that they can play.
async fn assert_paired(mut players: [TestClient; 2]) {
    // Both answer pings, which only one that reads does.
    let [one, other] = &mut players;
    tokio::join!(one.next_snapshot(), other.next_snapshot());
    assert_eq!(players[0].seat_info().id, players[1].seat_info().id);
    assert_ne!(players[0].seat(), players[1].seat());
    play_round(&mut players).await;
}

async fn cancel(client: &mut TestClient) -> Result<(), RejectCode> {
    let response = client
        .request(RequestBody::Session(SessionRequest::Cancel))
        .await;
    response
        .map(|done| assert!(matches!(done, Message::Done { .. }), "{done:?}"))
        .map_err(|reject| reject.code)
}

/// Whether the server still answers.
async fn is_connected(client: &mut TestClient) -> bool {
    let body = RequestBody::Session(SessionRequest::List);
    let request = Request {
        id: client.next_request_id(),
        body,
    };
    client.try_send_text(&request.to_json()).await.is_ok()
        && client
            .try_wait_for(|message| matches!(message, Message::Rooms { .. }))
            .await
            .is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seekers_on_different_nodes_are_paired() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let nodes = [start_node(&nats), start_node(&nats), start_node(&nats)];
    // These seeks wait while their lobbies move to other nodes.
    let mut early = Vec::new();
    for game in 0..GAMES {
        early.push(seek(&nodes[0], "Ann", game).await);
    }
    wait_until_settled(&nats, 3).await;
    for (game, ann) in early.into_iter().enumerate() {
        let bob = seek(&nodes[1 + game % 2], "Bob", game).await;
        assert_paired([ann, bob]).await;
    }

    for game in 0..9 {
        let (home, away) = (&nodes[game % 3], &nodes[(game + 1) % 3]);
        let mut ann = seek(home, "Ann", game).await;
        let mut again = TestClient::connect_as(&away.url, "Dora").await;
        assert_eq!(cancel(&mut again).await, Err(RejectCode::NotSeeking));
        assert_eq!(cancel(&mut ann).await, Ok(()));
        assert_eq!(cancel(&mut ann).await, Err(RejectCode::NotSeeking));
        let mut bob = seek(away, "Bob", game).await;
        let paired = timeout(QUIET_TIME, bob.next_snapshot()).await;
        assert!(
            paired.is_err(),
            "paired with a seek that was cancelled: {paired:?}"
        );
        // A cancelled client can seek again, and one that has disconnected is not paired.
        drop(seek(home, "Carl", game + 1).await);
        ann.seek("5x5:4", Some(&clock(game)), None).await;
        assert_paired([ann, bob]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seeks_survive_sigterm_of_a_node() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let mut nodes = vec![start_node(&nats), start_node(&nats), start_node(&nats)];
    wait_until_settled(&nats, 3).await;
    let mut waiting = Vec::new();
    for game in 0..GAMES {
        waiting.push(seek(&nodes[game % 2], "Ann", game).await);
    }
    let mut stopped = nodes.pop().expect("three nodes");
    stopped.send_signal("TERM");
    assert_eq!(stopped.wait_for_exit().await.code(), Some(0));
    let mut reconnected = 0;
    for (game, mut ann) in waiting.into_iter().enumerate() {
        if !is_connected(&mut ann).await {
            reconnected += 1;
            ann = seek(&nodes[game % 2], "Ann", game).await;
        }
        let bob = seek(&nodes[(game + 1) % 2], "Bob", game).await;
        assert_paired([ann, bob]).await;
    }
    assert_eq!(reconnected, 0, "of {GAMES} seekers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seekers_of_a_node_that_is_killed_connect_again() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let mut nodes = vec![start_node(&nats), start_node(&nats), start_node(&nats)];
    wait_until_settled(&nats, 3).await;
    let mut waiting = Vec::new();
    for game in 0..GAMES {
        waiting.push(seek(&nodes[game % 2], "Ann", game).await);
    }
    nodes.pop().expect("three nodes").kill();
    wait_until_settled(&nats, 2).await;
    let mut reconnected = 0;
    for (game, mut ann) in waiting.into_iter().enumerate() {
        if !is_connected(&mut ann).await {
            reconnected += 1;
            ann = seek(&nodes[game % 2], "Ann", game).await;
        }
        let bob = seek(&nodes[(game + 1) % 2], "Bob", game).await;
        assert_paired([ann, bob]).await;
    }
    assert!(
        (1..GAMES).contains(&reconnected),
        "{reconnected} of {GAMES} seekers have connected again"
    );
}

/// Waits until a node lists what `is_expected` wants of the public rooms and the number of seeks.
async fn wait_for_list(
    client: &mut TestClient,
    what: &str,
    is_expected: impl Fn(&[RoomId], usize) -> bool,
) {
    wait_until(what, async || {
        sleep(LIST_INTERVAL).await;
        match client
            .request(RequestBody::Session(SessionRequest::List))
            .await
        {
            Ok(Message::Rooms { rooms, seeks, .. }) => {
                let rooms: Vec<RoomId> = rooms.into_iter().map(|room| room.room).collect();
                is_expected(&rooms, seeks.len()).then_some(())
            }
            Err(reject) if reject.code == RejectCode::RateLimited => None,
            other => panic!("expected a list: {other:?}"),
        }
    })
    .await;
}

/// Subscribes to the lobby, or reads it again.
async fn read_lobby(client: &mut TestClient) -> LobbyView {
    match client
        .request(RequestBody::Session(SessionRequest::Lobby { end: false }))
        .await
    {
        Ok(Message::Lobby { view, .. }) => view,
        other => panic!("expected the lobby: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_lists_the_rooms_and_seeks_of_all() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let mut nodes = vec![start_node(&nats), start_node(&nats)];
    wait_until_settled(&nats, 2).await;
    let mut creators = Vec::new();
    for node in &nodes {
        let mut ann = TestClient::connect_as(&node.url, "Ann").await;
        ann.create("3x3:3", None, None, true).await;
        creators.push(ann);
    }
    let rooms: Vec<RoomId> = creators.iter().map(|ann| ann.seat_info().id).collect();
    // Some of them have their lobby on each node.
    let mut seekers = Vec::new();
    for game in 0..GAMES {
        seekers.push(Some(seek(&nodes[0], "Bob", game).await));
    }
    let mut subscribers = Vec::new();
    for node in &nodes {
        let mut subscriber = TestClient::connect_as(&node.url, "Carl").await;
        let is_complete = |listed: &[RoomId], seeks| {
            seeks == GAMES && rooms.iter().all(|room| listed.contains(room))
        };
        wait_for_list(
            &mut subscriber,
            "both rooms and all seeks are listed",
            is_complete,
        )
        .await;
        // A report of the other node may be late on a busy machine.
        let view = wait_until("all seeks are in the lobby", async || {
            sleep(LIST_INTERVAL).await;
            let view = read_lobby(&mut subscriber).await;
            ((view.seeks.len(), view.counts.waiting) == (GAMES, GAMES as u32)).then_some(view)
        })
        .await;
        assert!(rooms.iter().all(|room| view.room(*room).is_some()));
        subscribers.push(subscriber);
    }

    // A room of one node comes to the subscribers of the other one.
    let mut dora = TestClient::connect_as(&nodes[1].url, "Dora").await;
    dora.create("4x4:4", None, None, true).await;
    let new_room = dora.seat_info().id;
    let has_room = |message: &Message| matches!(message, Message::LobbyChanged { change, .. } if change.rooms.iter().any(|room| room.room == new_room));
    subscribers[0].wait_for("the new room", has_room).await;

    // Any seek can be answered on any node.
    for game in 0..GAMES {
        let mut eve = TestClient::connect_as(&nodes[game % 2].url, "Eve").await;
        let sought: TimeControl = clock(game).parse().expect("a clock");
        let listed = wait_until("the seek is listed", async || {
            let view = read_lobby(&mut eve).await;
            let listed = view
                .seeks
                .iter()
                .find(|listed| listed.open.clock == Some(sought))
                .cloned();
            if listed.is_none() {
                sleep(LIST_INTERVAL).await;
            }
            listed
        })
        .await;
        let mut bob = seekers[game].take().expect("seeks");
        let (answered, _) = tokio::join!(
            eve.request(RequestBody::Session(SessionRequest::Answer {
                seek: listed.seek
            })),
            bob.next_snapshot(),
        );
        assert!(
            matches!(answered, Ok(Message::Snapshot { .. })),
            "{answered:?}"
        );
        assert_eq!(eve.seat_info().id, bob.seat_info().id);
        let mut fay = TestClient::connect_as(&nodes[(game + 1) % 2].url, "Fay").await;
        let late = RequestBody::Session(SessionRequest::Answer { seek: listed.seek });
        assert_eq!(fay.expect_reject(late).await, RejectCode::NoOffer);
    }

    // The rooms of a node that is killed are forgotten, until another node has them.
    nodes.pop().expect("two nodes").kill();
    let is_listed = |listed: &[RoomId], _| listed.contains(&new_room);
    wait_for_list(
        &mut subscribers[0],
        "the room of the killed node is listed again",
        is_listed,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_party_finds_its_seat_and_seeks_once_on_any_node() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let nodes = [start_node(&nats), start_node(&nats), start_node(&nats)];
    wait_until_settled(&nats, 3).await;
    for game in 0..12 {
        let [home, away, third] = [0, 1, 2].map(|index| &nodes[(game + index) % 3]);
        let party = PartyKey::from_bits(1000 + game as u128);
        let (mut older, held) = TestClient::connect_as_party(&home.url, "Ann", party).await;
        assert!(held.is_none());
        older.seek("5x5:4", Some(&clock(game)), None).await;
        // The newer seek is for another game, whose lobby is mostly on another node.
        let (mut newer, held) = TestClient::connect_as_party(&away.url, "Ann", party).await;
        assert!(held.is_none());
        newer.seek("5x5:4", Some(&clock(game + 20)), None).await;
        // On a busy machine a query may be lost, which is repeated.
        assert_eq!(older.wait_for_close().await, Some(4002), "game {game}");
        let mut alone = seek(third, "Bob", game).await;
        let paired = timeout(QUIET_TIME, alone.next_snapshot()).await;
        assert!(
            paired.is_err(),
            "paired with a seek that was displaced: {paired:?}"
        );
        drop(alone);

        // A connection without a seek learns of the seat that the party has since then, when it seeks.
        let (mut idle, _) = TestClient::connect_as_party(&third.url, "Ann", party).await;
        let mut bob = seek(home, "Bob", game + 20).await;
        tokio::join!(newer.next_snapshot(), bob.next_snapshot());
        let room = newer.seat_info().id;
        assert_eq!(room, bob.seat_info().id);
        // On a busy machine a node may not answer the query of a new connection in time.
        let held = wait_until("the seat of the party", async || {
            TestClient::connect_as_party(&third.url, "Ann", party)
                .await
                .1
        })
        .await;
        assert_eq!(held.room, room);
        idle.seek("5x5:4", Some(&clock(game + 40)), None).await;
        idle.next_snapshot().await;
        assert_eq!(idle.seat_info().id, room);
        assert_eq!(newer.wait_for_close().await, Some(4002));
        play_round(&mut [idle, bob]).await;
    }
}
