//! Peers at a board: paired, and playing in turn.

use noughts_protocol::wire::{Body, Lobby};
use noughts_protocol::{Cell, Position, RoomRef, Rules, Seat};

use crate::peer::Peer;
use crate::server::Server;

/// Two peers at a board: X, then O.
pub async fn pair(server: &Server, rules: &str, clock: Option<&str>) -> [Peer; 2] {
    let [mut x, mut o] = [server.peer("Ann").await, server.peer("Bob").await];
    x.seek(rules, clock, Some(Seat::X)).await;
    o.seek(rules, clock, Some(Seat::O)).await;
    x.snapshot().await;
    o.snapshot().await;
    [x, o]
}

/// Plays cells in turn, each peer seeing every move before the next.
pub async fn play(players: &mut [Peer; 2], cells: &[u16]) {
    for &cell in cells {
        let turn = players[0].game().position().turn();
        let mover = players.iter().position(|peer| peer.seat() == turn).expect("somebody's turn");
        players[mover].play(cell).await.unwrap_or_else(|reject| panic!("{cell} is refused: {reject}"));
        let seq = players[mover].game().seq();
        players[1 - mover].caught_up(seq).await;
    }
}

/// The same with cells written as players do: `b2 a1`.
pub async fn play_text(players: &mut [Peer; 2], cells: &str) {
    let rules = *players[0].game().rules();
    let cell = |text| rules.parse_cell(text).unwrap_or_else(|error| panic!("{text}: {error}")).index() as u16;
    let cells: Vec<u16> = cells.split_whitespace().map(cell).collect();
    play(players, &cells).await;
}

/// Moves that fill the board, or end the game sooner, each the `pick`th of the legal ones.
pub fn random_game(rules: Rules, mut pick: impl FnMut(usize) -> usize) -> Vec<Cell> {
    let mut position = Position::new(rules);
    while position.outcome().is_none() {
        let legal: Vec<Cell> = position.legal_moves().collect();
        let cell = legal[pick(legal.len()) % legal.len()];
        position.play(cell).expect("legal");
    }
    position.moves().to_vec()
}

/// The public room that a peer is in, for others to enter.
pub fn public(peer: &Peer) -> RoomRef {
    RoomRef::Id(peer.place().id)
}

/// The request to be paired.
pub fn seek(rules: &str, clock: Option<&str>, seat: Option<Seat>) -> Body {
    let clock = clock.map(|clock| clock.parse().expect("a clock"));
    Body::Lobby(Lobby::Seek { rules: rules.parse().expect("rules"), clock, seat })
}

/// The request for a room of one's own.
pub fn create(rules: &str, clock: Option<&str>, seat: Option<Seat>, public: bool) -> Body {
    let clock = clock.map(|clock| clock.parse().expect("a clock"));
    Body::Lobby(Lobby::Create { rules: rules.parse().expect("rules"), clock, seat, public })
}
