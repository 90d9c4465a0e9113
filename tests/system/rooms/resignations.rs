//! Resignations, on either turn and together with a reply to an offer, and aborted games.

use noughts_protocol::wire::{RejectCode, RequestBody, RoomCommand};
use noughts_protocol::{Event, Offer, Outcome, Seat};
use noughts_tests::client::game_setup::pair_players;
use noughts_tests::server::TestServer;

use super::offers::{check_same_game, expect_events, make_offer};

#[tokio::test]
async fn resigning_loses_on_either_turn() {
    let server = TestServer::start().await;
    for loser in Seat::ALL {
        let mut players = pair_players(&server, "3x3:3", None).await;
        let ended = expect_events(
            players[loser.index()]
                .send_command(RoomCommand::Resign)
                .await,
        );
        let outcome = Outcome::Resigned {
            winner: loser.other(),
        };
        assert_eq!(
            ended,
            [Event::Ended {
                outcome,
                left: None
            }]
        );
        let [x, mut o] = players;
        let seq = x.game().seq().max(o.game().seq());
        let mut x = x;
        x.wait_until_seq(seq).await;
        check_same_game(&x, &mut [&mut o]).await;
        assert_eq!(x.game().score().wins[loser.other().index()], 1);
    }
}

#[tokio::test]
async fn concurrent_resign_and_draw_accept_have_one_outcome() {
    let server = TestServer::start().await;
    for _ in 0..20 {
        let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
        make_offer(&mut x, &mut o, Offer::Draw).await;
        let both = futures::join!(
            x.send_command(RoomCommand::Resign),
            o.send_command(RoomCommand::Accept { offer: Offer::Draw })
        );
        let rejection = [both.0, both.1].map(|response| response.err().map(|reject| reject.code));
        assert!(
            rejection == [None, Some(RejectCode::GameOver)]
                || rejection == [Some(RejectCode::GameOver), None],
            "{rejection:?}"
        );
        check_same_game(&x, &mut [&mut o]).await;
        let wins: u32 = x.game().score().wins.iter().sum();
        assert_eq!(wins + x.game().score().draws, 1);
    }
}

#[tokio::test]
async fn a_game_is_aborted_before_both_have_moved() {
    let server = TestServer::start().await;
    let [mut ann, mut bob] = pair_players(&server, "3x3:3", Some("5+3")).await;
    ann.play(4).await.expect("X is to move");
    ann.request(RequestBody::Command(RoomCommand::Abort))
        .await
        .expect("O has not moved");
    assert_eq!(ann.game().outcome(), Some(&Outcome::Aborted));
    bob.wait_until_seq(ann.game().seq()).await;
    let game = bob.game();
    assert_eq!(game.outcome(), Some(&Outcome::Aborted));
    assert_eq!((game.score().wins, game.score().draws), ([0, 0], 0));
    assert_eq!(
        ann.expect_reject(RequestBody::Command(RoomCommand::Abort))
            .await,
        RejectCode::GameOver
    );
    // The room goes on.
    bob.offer(Offer::Rematch).await.expect("the game is over");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.offer(Offer::Rematch).await.expect("offered");
    bob.wait_until_seq(ann.game().seq()).await;
    bob.play(0).await.expect("X is to move");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(1).await.expect("O is to move");
    assert_eq!(
        ann.expect_reject(RequestBody::Command(RoomCommand::Abort))
            .await,
        RejectCode::GameOn,
        "both have moved"
    );
}
