//! Finished games as their players ask for them: lists, records and profiles, also after a kill of the server.

use noughts_protocol::wire::{
    FinishedListing, GameCounts, GamesFilter, Message, PlayerProfile, RejectCode, RequestBody,
    SessionRequest,
};
use noughts_protocol::{Identity, IdentitySecret, PlayerKind, Record, RoomRef, Seat};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::TempDir;
use noughts_tests::server::{ServerProcess, TestServer};

const ANN: IdentitySecret = IdentitySecret::from_bytes([1; 16]);
const BOB: IdentitySecret = IdentitySecret::from_bytes([2; 16]);
const EVE: IdentitySecret = IdentitySecret::from_bytes([3; 16]);

async fn connect(url: &str, name: &str, secret: IdentitySecret) -> (TestClient, Identity) {
    let (client, identity, _) =
        TestClient::connect_with_identity(url, name, PlayerKind::Person, secret).await;
    (client, identity)
}

/// Plays a game that X wins, and leaves the room.
async fn play(x: &mut TestClient, o: &mut TestClient, is_public: bool) {
    let room: RoomRef = x.create("3x3:3", None, Some(Seat::X), is_public).await;
    o.join(room).await.expect("a free seat");
    x.wait_until_seq(o.game().seq()).await;
    tokio::join!(x.play_to_end(), o.play_to_end());
    for player in [x, o] {
        let leave = RequestBody::Session(SessionRequest::Leave);
        player.request(leave).await.expect("a player may leave");
    }
}

fn games(of: Option<Identity>) -> RequestBody {
    RequestBody::Session(SessionRequest::Games(GamesFilter {
        of,
        limit: Some(10),
        ..GamesFilter::default()
    }))
}

fn profile(of: Option<Identity>) -> RequestBody {
    RequestBody::Session(SessionRequest::Profile { of })
}

async fn list(client: &mut TestClient, of: Option<Identity>) -> Vec<FinishedListing> {
    let Ok(Message::Games { games, before, .. }) = client.request(games(of)).await else {
        panic!("expected a list")
    };
    assert_eq!(before, None, "all games fit into one response");
    games
}

async fn read_profile(client: &mut TestClient, of: Option<Identity>) -> PlayerProfile {
    let Ok(Message::Profile { profile, .. }) = client.request(profile(of)).await else {
        panic!("expected a profile")
    };
    *profile
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_see_public_games_and_their_own_also_after_a_kill() {
    let data = TempDir::default();
    let server = ServerProcess::start_durable(data.path(), "process", &[]);
    let (mut ann, ann_id) = connect(&server.url, "Ann", ANN).await;
    let (mut bob, bob_id) = connect(&server.url, "Bob", BOB).await;
    let mut guest = TestClient::connect_as(&server.url, "Guest").await;
    play(&mut ann, &mut bob, true).await;
    play(&mut bob, &mut ann, false).await;
    play(&mut guest, &mut ann, true).await;
    let own = list(&mut ann, None).await;
    assert_eq!(own.len(), 3, "{own:?}");
    let public = list(&mut guest, Some(ann_id)).await;
    assert_eq!(public, [own[0].clone(), own[2].clone()]);
    let [bob_as_x, ann_as_o] = &own[1].players;
    assert_eq!(
        (bob_as_x.identity, ann_as_o.identity),
        (Some(bob_id), Some(ann_id))
    );

    let ask = |game| RequestBody::Session(SessionRequest::Game { game });
    let Ok(Message::Game { record, .. }) = bob.request(ask(own[1].game)).await else {
        panic!("expected a record")
    };
    let record: Record = record.parse().expect("a record");
    assert_eq!(record.moves.len() as u32, own[1].moves);
    for hidden in [own[1].game, noughts_protocol::wire::GameId(99)] {
        assert_eq!(
            guest.expect_reject(ask(hidden)).await,
            RejectCode::UnknownGame
        );
    }

    let seen = read_profile(&mut bob, Some(ann_id)).await;
    let even = GameCounts {
        wins: 1,
        draws: 0,
        losses: 1,
    };
    assert_eq!(seen.against_you, Some(even));
    assert_eq!(seen.rules[0].counts.losses, 2);
    assert_eq!(seen.player.name.as_str(), "Ann");
    let (mut eve, eve_id) = connect(&server.url, "Eve", EVE).await;
    assert_eq!(
        bob.expect_reject(profile(Some(eve_id))).await,
        RejectCode::UnknownPlayer
    );
    assert_eq!(list(&mut eve, None).await, []);
    for request in [games(None), profile(None)] {
        assert_eq!(guest.expect_reject(request).await, RejectCode::BadField);
    }

    server.kill();
    let server = ServerProcess::start_durable(data.path(), "process", &[]);
    let (mut ann, _) = connect(&server.url, "Ann", ANN).await;
    assert_eq!(list(&mut ann, None).await, own);
    assert_eq!(read_profile(&mut ann, None).await.games, own);
}

#[tokio::test]
async fn a_server_without_storage_rejects_requests_about_finished_games() {
    let server = TestServer::start().await;
    let (mut ann, ann_id) = connect(&server.url(), "Ann", ANN).await;
    for request in [games(None), profile(Some(ann_id))] {
        assert_eq!(ann.expect_reject(request).await, RejectCode::NotKept);
    }
}
