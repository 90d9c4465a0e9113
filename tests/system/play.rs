//! Whole games over real sockets: the line that ends them, and the server's word on every move.

use noughts_protocol::wire::{Message, RejectCode};
use noughts_protocol::{LineName, Outcome, Seat};
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play};

#[tokio::test]
async fn a_game_is_played_to_its_line() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[4, 0, 2, 1, 6]).await;
    for peer in &players {
        let outcome = peer.game().outcome().expect("over");
        assert_eq!(outcome.winner(), Some(Seat::X));
        let Outcome::Line { line, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(line.name, LineName::OtherDiagonal);
        assert_eq!(line.cells.iter().map(|cell| cell.index()).collect::<Vec<_>>(), [2, 4, 6]);
    }
    let [mut x, mut o] = players;
    assert_eq!(o.play(8).await.unwrap_err().code, RejectCode::GameOver);
    assert!(matches!(x.offer(noughts_protocol::Offer::Rematch).await, Ok(Message::Events { .. })));
}
