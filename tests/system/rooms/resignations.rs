//! Resignations, on either turn and together with a reply to an offer.

use noughts_protocol::wire::{RejectCode, RoomCommand};
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
