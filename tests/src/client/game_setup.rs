//! Setup of games: paired clients, moves in turn, random games.

use noughts_protocol::wire::{RequestBody, SessionRequest};
use noughts_protocol::{Cell, Game, Position, RequestId, RoomRef, Rules, Seat, Snapshot};

use crate::client::test_client::TestClient;
use crate::server::TestServer;

/// Pairs two clients; returns X, then O.
pub async fn pair_players(
    server: &TestServer,
    rules: &str,
    clock: Option<&str>,
) -> [TestClient; 2] {
    let [mut x, mut o] = [
        server.connect_client("Ann").await,
        server.connect_client("Bob").await,
    ];
    x.seek(rules, clock, Some(Seat::X)).await;
    o.seek(rules, clock, Some(Seat::O)).await;
    x.next_snapshot().await;
    o.next_snapshot().await;
    [x, o]
}

/// Seats two players in a new public room of the server at `url`: X, then O.
pub async fn seat_players(
    url: &str,
    names: [&str; 2],
    rules: &str,
    clock: Option<&str>,
) -> [TestClient; 2] {
    let mut x = TestClient::connect_as(url, names[0]).await;
    let room = x.create(rules, clock, Some(Seat::X), true).await;
    let mut o = TestClient::connect_as(url, names[1]).await;
    o.join(room).await.expect("a free seat");
    x.wait_until_seq(o.game().seq()).await;
    [x, o]
}

/// Returns the id of a request that a test numbers itself.
///
/// # Panics
/// If the number does not fit the type.
pub fn request_id(number: u64) -> RequestId {
    RequestId::new(number).expect("fits the type")
}

/// Returns the state of a game that all its clients have in common: without the running clock.
pub fn untimed_view(game: &Game) -> Snapshot {
    Snapshot {
        left: None,
        ..game.snapshot(0)
    }
}

/// Plays cells in turn; both clients receive each move before the next move.
pub async fn play_moves(players: &mut [TestClient; 2], cells: &[u16]) {
    for &cell in cells {
        let turn = players[0].game().position().turn();
        let mover = players
            .iter()
            .position(|client| client.seat() == turn)
            .expect("a player is to move");
        players[mover]
            .play(cell)
            .await
            .unwrap_or_else(|reject| panic!("{cell} is rejected: {reject}"));
        let seq = players[mover].game().seq();
        players[1 - mover].wait_until_seq(seq).await;
    }
}

/// Returns legal moves up to the end of the game; `choose` gets the number of legal moves and returns an
/// index.
pub fn random_game(rules: Rules, mut choose: impl FnMut(usize) -> usize) -> Vec<Cell> {
    let mut position = Position::new(rules);
    while position.outcome().is_none() {
        let legal: Vec<Cell> = position.legal_moves().collect();
        let cell = legal[choose(legal.len()) % legal.len()];
        position.play(cell).expect("legal");
    }
    position.moves().to_vec()
}

/// Returns a reference to the client's public room, for others to join or watch.
pub fn room_ref(client: &TestClient) -> RoomRef {
    RoomRef::Id(client.seat_info().id)
}

/// Builds a seek request.
pub fn seek_request(rules: &str, clock: Option<&str>, seat: Option<Seat>) -> RequestBody {
    let clock = clock.map(|clock| clock.parse().expect("a clock"));
    RequestBody::Session(SessionRequest::Seek {
        rules: rules.parse().expect("rules"),
        clock,
        seat,
        opponents: None,
    })
}

/// Builds a request for a new room.
pub fn create_request(
    rules: &str,
    clock: Option<&str>,
    seat: Option<Seat>,
    public: bool,
) -> RequestBody {
    let clock = clock.map(|clock| clock.parse().expect("a clock"));
    RequestBody::Session(SessionRequest::Create {
        rules: rules.parse().expect("rules"),
        clock,
        seat,
        public,
    })
}
