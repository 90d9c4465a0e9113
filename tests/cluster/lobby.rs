//! One lobby over all nodes.

use std::time::Duration;

use futures::future::join_all;
use noughts_protocol::wire::{LobbyView, Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{IdentitySecret, Party, PlayerKind, RoomId, TimeControl};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{NatsServers, ServerProcess, metric, skips_nats};
use noughts_tests::wait::wait_until;
use tokio::time::{sleep, timeout};

use crate::node::{resume, start_node, start_nodes, wait_until_settled};
use crate::several_nodes::play_round;

/// Number of seeks for different games.
const GAMES: usize = 24;

/// Interval between requests for the list. It respects the limit on the rate of long responses.
const LIST_INTERVAL: Duration = Duration::from_secs(1);

/// Time without a pairing that shows that a seek is not paired.
const QUIET_TIME: Duration = Duration::from_millis(500);

fn clock(game: usize) -> String {
    format!("{}+{}", 1 + game % 60, game / 60)
}

async fn seek(node: &ServerProcess, name: &str, game: usize) -> TestClient {
    let mut client = TestClient::connect_as(&node.url, name).await;
    client.seek("5x5:4", Some(&clock(game)), None).await;
    client
}

/// Finds the node that has the lobby: clients of the other nodes seek there.
async fn find_lobby(nodes: &[ServerProcess]) -> usize {
    let seekers = nodes
        .iter()
        .zip(GAMES..)
        .map(|(node, game)| seek(node, "Eve", game));
    let _seekers = join_all(seekers).await;
    wait_until("a node has seeks of other nodes", async || {
        let members = nodes
            .iter()
            .map(|node| metric(node.address(), "noughts_remote_members"));
        join_all(members)
            .await
            .into_iter()
            .position(|count| count > 0)
    })
    .await
}

/// Seeks for all games, from two nodes in turn.
async fn seek_all(nodes: &[ServerProcess]) -> Vec<TestClient> {
    join_all((0..GAMES).map(|game| seek(&nodes[game % 2], "Ann", game))).await
}

/// Starts three nodes, the last with the lobby, and seeks for all games from the first and second node.
async fn seek_beside_lobby(nats: &NatsServers) -> (Vec<ServerProcess>, Vec<TestClient>) {
    let mut nodes: Vec<ServerProcess> = start_nodes::<3>(nats, &[]).into();
    wait_until_settled(nodes.iter().map(ServerProcess::address)).await;
    let lobby = find_lobby(&nodes).await;
    nodes.swap(lobby, 2);
    let waiting = seek_all(&nodes).await;
    let mut carl = TestClient::connect_as(&nodes[0].url, "Carl").await;
    let is_complete = |_: &[RoomId], seeks| seeks == GAMES;
    wait_for_list(&mut carl, "all seeks are in the lobby", is_complete).await;
    (nodes, waiting)
}

/// Pairs each client of [`seek_all`] with a client of the other node.
async fn pair_all(nodes: &[ServerProcess], seekers: Vec<TestClient>) {
    let pairs = seekers.into_iter().enumerate().map(async |(game, ann)| {
        let bob = seek(&nodes[(game + 1) % 2], "Bob", game).await;
        assert_paired([ann, bob]).await;
    });
    join_all(pairs).await;
}

/// Checks that two clients are paired with each other, and that they can play.
async fn assert_paired(mut players: [TestClient; 2]) {
    // Both clients read at the same time, because a client answers pings only while it reads.
    let [one, two] = &mut players;
    tokio::join!(one.next_snapshot(), two.next_snapshot());
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

/// Waits until `is_expected` accepts the public rooms and the number of seeks that a node lists.
async fn wait_for_list(
    client: &mut TestClient,
    what: &str,
    is_expected: impl Fn(&[RoomId], usize) -> bool,
) {
    wait_until(what, async || {
        let listed = client
            .request(RequestBody::Session(SessionRequest::List))
            .await;
        let is_complete = match listed {
            Ok(Message::Rooms { rooms, seeks, .. }) => {
                let rooms: Vec<RoomId> = rooms.into_iter().map(|room| room.room).collect();
                is_expected(&rooms, seeks.len())
            }
            Err(reject) if reject.code == RejectCode::RateLimited => false,
            other => panic!("expected a list: {other:?}"),
        };
        if !is_complete {
            sleep(LIST_INTERVAL).await;
        }
        is_complete.then_some(())
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

/// Checks that each node lists the rooms and seeks of all nodes, and that any seek can be answered on any node.
async fn check_lists(nodes: &[ServerProcess]) {
    let mut creators = Vec::new();
    for node in nodes {
        let mut ann = TestClient::connect_as(&node.url, "Ann").await;
        ann.create("3x3:3", None, None, true).await;
        creators.push(ann);
    }
    let rooms: Vec<RoomId> = creators.iter().map(|ann| ann.seat_info().id).collect();
    let seekers = seek_all(nodes).await;
    let subscribe = async |node: &ServerProcess| {
        let mut subscriber = TestClient::connect_as(&node.url, "Carl").await;
        let is_complete = |listed: &[RoomId], seeks| {
            seeks == GAMES && rooms.iter().all(|room| listed.contains(room))
        };
        wait_for_list(
            &mut subscriber,
            "all rooms and all seeks are listed",
            is_complete,
        )
        .await;
        // A report of another node may be late on a busy machine.
        let view = wait_until("all seeks are in the lobby", async || {
            let view = read_lobby(&mut subscriber).await;
            let is_complete = (view.seeks.len(), view.counts.waiting) == (GAMES, GAMES as u32);
            if !is_complete {
                sleep(LIST_INTERVAL).await;
            }
            is_complete.then_some(view)
        })
        .await;
        assert!(rooms.iter().all(|room| view.room(*room).is_some()));
        subscriber
    };
    let mut subscribers = join_all(nodes.iter().map(subscribe)).await;

    // The subscribers on all nodes receive a room of one node, for as long as the player who opened it is present.
    let mut dora = TestClient::connect_as(&nodes[1].url, "Dora").await;
    dora.create("4x4:4", None, None, true).await;
    let new_room = dora.seat_info().id;
    let has_room = |message: &Message| matches!(message, Message::LobbyChanged { change, .. } if change.rooms.iter().any(|room| room.room == new_room));
    subscribers[0].wait_for("the new room", has_room).await;
    let seat = dora.disconnect();
    let gone = |message: &Message| matches!(message, Message::LobbyChanged { change, .. } if change.rooms_gone.contains(&new_room));
    subscribers[0].wait_for("the host is gone", gone).await;
    let mut dora = TestClient::connect_as(&nodes[2].url, "Dora").await;
    dora.resume(&seat, None).await.expect("the host's token");
    subscribers[0].wait_for("the host is back", has_room).await;

    let answers = seekers
        .into_iter()
        .enumerate()
        .map(async |(game, mut bob)| {
            let mut eve = TestClient::connect_as(&nodes[game % 3].url, "Eve").await;
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
            let answer = RequestBody::Session(SessionRequest::AcceptSeek { seek: listed.seek });
            let (answered, _) = tokio::join!(eve.request(answer.clone()), bob.next_snapshot());
            assert!(
                matches!(answered, Ok(Message::Snapshot { .. })),
                "{answered:?}"
            );
            assert_eq!(eve.seat_info().id, bob.seat_info().id);
            let mut fay = TestClient::connect_as(&nodes[(game + 1) % 3].url, "Fay").await;
            assert_eq!(fay.expect_reject(answer).await, RejectCode::NoOffer);
        });
    join_all(answers).await;
}

/// Cancels a seek, seeks again and disconnects, on two nodes. Seeks for two games.
async fn check_cancellation(home: &ServerProcess, away: &ServerProcess, games: [usize; 2]) {
    let mut ann = seek(home, "Ann", games[0]).await;
    let mut again = TestClient::connect_as(&away.url, "Dora").await;
    assert_eq!(cancel(&mut again).await, Err(RejectCode::NotSeeking));
    assert_eq!(cancel(&mut ann).await, Ok(()));
    assert_eq!(cancel(&mut ann).await, Err(RejectCode::NotSeeking));
    let mut bob = seek(away, "Bob", games[0]).await;
    let paired = timeout(QUIET_TIME, bob.next_snapshot()).await;
    assert!(
        paired.is_err(),
        "paired with a seek that was cancelled: {paired:?}"
    );
    // A cancelled client can seek again, and a client that has disconnected is not paired.
    drop(seek(home, "Carl", games[1]).await);
    ann.seek("5x5:4", Some(&clock(games[0])), None).await;
    assert_paired([ann, bob]).await;
}

/// Checks that a party has at most one seek on all nodes together, and finds its seat on any of them. Seeks for three
/// games.
async fn check_party(nodes: [&ServerProcess; 3], party: Party, games: [usize; 3]) {
    let [home, away, third] = nodes;
    let (mut older, held) = TestClient::connect_as_party(&home.url, "Ann", party).await;
    assert!(held.is_none());
    older.seek("5x5:4", Some(&clock(games[0])), None).await;
    // The newer seek is for another game and displaces the older seek.
    let (mut newer, held) = TestClient::connect_as_party(&away.url, "Ann", party).await;
    assert!(held.is_none());
    newer.seek("5x5:4", Some(&clock(games[1])), None).await;
    assert_eq!(older.wait_for_close().await, Some(4002), "{games:?}");
    let mut alone = seek(third, "Bob", games[0]).await;
    let paired = timeout(QUIET_TIME, alone.next_snapshot()).await;
    assert!(
        paired.is_err(),
        "paired with a seek that was displaced: {paired:?}"
    );
    drop(alone);

    // The party takes a seat after this connection was opened. The connection learns of the seat when it seeks.
    let (mut idle, _) = TestClient::connect_as_party(&third.url, "Ann", party).await;
    let mut bob = seek(home, "Bob", games[1]).await;
    tokio::join!(newer.next_snapshot(), bob.next_snapshot());
    let room = newer.seat_info().id;
    assert_eq!(room, bob.seat_info().id);
    // A node that does not answer the query of a new connection in time counts as a node without a seat.
    let held = wait_until("the seat of the party", async || {
        TestClient::connect_as_party(&third.url, "Ann", party)
            .await
            .1
    })
    .await;
    assert_eq!(held.room, room);
    idle.seek("5x5:4", Some(&clock(games[2])), None).await;
    idle.next_snapshot().await;
    assert_eq!(idle.seat_info().id, room);
    assert_eq!(newer.wait_for_close().await, Some(4002));
    play_round(&mut [idle, bob]).await;
}

/// Checks that a player with an identity is shown with it on all nodes, is not paired with itself, and takes its seat
/// again on any of them. Uses the lobby of one game.
async fn check_identity(nodes: [&ServerProcess; 3], secret: IdentitySecret, game: usize) {
    let [home, away, third] = nodes;
    let connect = async |node: &ServerProcess| {
        TestClient::connect_with_identity(&node.url, "Ann", PlayerKind::Person, secret).await
    };
    let clock = clock(game);
    let (mut ann, identity, own_rooms) = connect(home).await;
    assert!(own_rooms.is_empty());
    ann.seek("5x5:4", Some(&clock), None).await;
    let (mut same, _, _) = connect(away).await;
    same.seek("5x5:4", Some(&clock), None).await;
    let paired = timeout(QUIET_TIME, same.next_snapshot()).await;
    assert!(paired.is_err(), "paired with itself: {paired:?}");
    drop(same);
    let mut bob = seek(third, "Bob", game).await;
    tokio::join!(ann.next_snapshot(), bob.next_snapshot());
    let (room, seat) = (bob.seat_info().id, ann.seat());
    let seen = bob.game().player(seat).and_then(|player| player.identity);
    assert_eq!(seen, Some(identity));
    // On a busy machine a node may not answer the query of a new connection in time.
    let mut other_device = wait_until("the room of the identity", async || {
        let (client, _, own_rooms) = connect(third).await;
        (own_rooms == [room]).then_some(client)
    })
    .await;
    let resume = RequestBody::Session(SessionRequest::Resume {
        room,
        token: None,
        seq: None,
    });
    let mut guest = seek(third, "Guest", game).await;
    assert_eq!(cancel(&mut guest).await, Ok(()));
    assert_eq!(
        guest.expect_reject(resume.clone()).await,
        RejectCode::BadField
    );
    let other = IdentitySecret::from_bytes([0xff; 16]);
    let (mut eve, _, _) =
        TestClient::connect_with_identity(&away.url, "Ann", PlayerKind::Person, other).await;
    assert_eq!(
        eve.expect_reject(resume.clone()).await,
        RejectCode::UnknownRoom
    );
    let resumed = other_device.request(resume).await;
    resumed.expect("the seat of the identity");
    assert_eq!(other_device.seat(), seat);
    assert_eq!(ann.wait_for_close().await, Some(4002));
    play_round(&mut [other_device, bob]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_nodes_have_one_lobby() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let nodes: [ServerProcess; 3] = start_nodes(&nats, &[]);
    wait_until_settled(nodes.iter().map(ServerProcess::address)).await;
    check_lists(&nodes).await;
    let cancellations = (0..6).map(|number| {
        let games = [0, 1].map(|game| 100 + 10 * number + game);
        check_cancellation(&nodes[number % 3], &nodes[(number + 1) % 3], games)
    });
    let parties = (0..6).map(|number| {
        let nodes = [0, 1, 2].map(|index| &nodes[(number + index) % 3]);
        let games = [0, 1, 2].map(|game| 200 + 10 * number + game);
        check_party(nodes, Party::from_bits(1000 + number as u128), games)
    });
    let identities = (0..3).map(|number| {
        let nodes = [0, 1, 2].map(|index| &nodes[(number + index) % 3]);
        let secret = IdentitySecret::from_bytes([1 + number as u8; 16]);
        check_identity(nodes, secret, 300 + 10 * number)
    });
    tokio::join!(
        join_all(cancellations),
        join_all(parties),
        join_all(identities)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seeks_survive_nodes_that_join_and_leave() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let (mut nodes, waiting) = seek_beside_lobby(&nats).await;
    let mut stopped = nodes.pop().expect("three nodes");
    stopped.send_signal("TERM");
    assert_eq!(stopped.wait_for_exit().await.code(), Some(0));
    // The lobby may move to the new node.
    nodes.push(start_node(&nats, &[]));
    wait_until_settled(nodes.iter().map(ServerProcess::address)).await;
    pair_all(&nodes, waiting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seekers_stay_connected_when_the_node_with_the_lobby_is_killed() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let (mut nodes, waiting) = seek_beside_lobby(&nats).await;
    let mut dora = TestClient::connect_as(&nodes[2].url, "Dora").await;
    dora.create("4x4:4", None, None, true).await;
    let seat = dora.seat_info().clone();
    let room = seat.id;
    let mut carl = TestClient::connect_as(&nodes[0].url, "Carl").await;
    nodes.pop().expect("three nodes").kill();
    wait_until_settled(nodes.iter().map(ServerProcess::address)).await;
    // A room is not listed while its only player is absent.
    let _dora = resume(&nodes[1], "Dora", &seat).await;
    // The lists omit the rooms of the killed node until another node owns them.
    let is_listed = |listed: &[RoomId], _| listed.contains(&room);
    let listed = wait_for_list(&mut carl, "the room is listed again", is_listed);
    tokio::join!(pair_all(&nodes, waiting), listed);
}
