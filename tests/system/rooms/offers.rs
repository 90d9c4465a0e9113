//! Draw offers, takebacks and rematches: offered, accepted, declined, withdrawn, superseded.

use noughts_protocol::wire::{Message, RejectCode, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Event, Game, Offer, Outcome, Phase, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

fn move_cells(game: &Game) -> Vec<usize> {
    game.position()
        .moves()
        .iter()
        .map(|cell| cell.index())
        .collect()
}

/// Waits until all clients have reached the event number of `peer`, and checks that they see the same game.
pub(super) async fn check_same_game(client: &TestClient, others: &mut [&mut TestClient]) {
    let mut known = client.game().snapshot(0);
    for other in others {
        other.wait_until_seq(client.game().seq()).await;
        let mut seen = other.game().snapshot(0);
        (known.left, seen.left) = (None, None);
        assert_eq!(known, seen);
    }
}

/// Events of a response.
pub(super) fn expect_events(
    response: Result<Message, noughts_protocol::wire::Reject>,
) -> Vec<Event> {
    match response {
        Ok(Message::Events { events, .. }) => {
            events.into_iter().map(|record| record.event).collect()
        }
        other => panic!("expected events: {other:?}"),
    }
}

async fn accept_offer(client: &mut TestClient, offer: Offer) -> Vec<Event> {
    expect_events(client.send_command(RoomCommand::Accept { offer }).await)
}

async fn decline_offer(client: &mut TestClient, offer: Offer) -> Vec<Event> {
    expect_events(client.send_command(RoomCommand::Decline { offer }).await)
}

pub(super) async fn make_offer(
    proposer: &mut TestClient,
    responder: &mut TestClient,
    offer: Offer,
) {
    let seat = proposer.seat();
    assert_eq!(
        expect_events(proposer.offer(offer).await),
        [Event::Offered { seat, offer }]
    );
    responder.wait_until_seq(proposer.game().seq()).await;
    assert_eq!(responder.game().offered_by(offer), Some(seat));
}

#[tokio::test]
async fn a_draw_is_offered_and_accepted() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    make_offer(&mut o, &mut x, Offer::Draw).await;
    let ended = accept_offer(&mut x, Offer::Draw).await;
    assert_eq!(
        ended,
        [Event::Ended {
            outcome: Outcome::Agreed,
            left: None
        }]
    );
    check_same_game(&x, &mut [&mut o]).await;
    assert_eq!(
        (
            x.game().phase(),
            x.game().score().draws,
            x.game().score().wins
        ),
        (Phase::Over, 1, [0, 0])
    );
    assert_eq!(o.game().offered_by(Offer::Draw), None);
}

#[tokio::test]
async fn matching_offers_are_accepted() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    make_offer(&mut x, &mut o, Offer::Draw).await;
    assert_eq!(
        expect_events(o.offer(Offer::Draw).await),
        [Event::Ended {
            outcome: Outcome::Agreed,
            left: None
        }]
    );
    // Two simultaneous rematch requests: one becomes the offer, the other its acceptance.
    x.wait_until_seq(o.game().seq()).await;
    let both = futures::join!(x.offer(Offer::Rematch), o.offer(Offer::Rematch));
    let [a, b] = [expect_events(both.0), expect_events(both.1)];
    let started = [Event::Started { game: 2 }];
    assert!((a == started) != (b == started), "{a:?} {b:?}");
    let seq = x.game().seq().max(o.game().seq());
    x.wait_until_seq(seq).await;
    check_same_game(&x, &mut [&mut o]).await;
}

#[tokio::test]
async fn a_declined_or_withdrawn_offer_is_removed() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    for declines in [true, false] {
        make_offer(&mut x, &mut o, Offer::Draw).await;
        let (actor, other) = if declines {
            (&mut o, &mut x)
        } else {
            (&mut x, &mut o)
        };
        let seat = actor.seat();
        assert_eq!(
            decline_offer(actor, Offer::Draw).await,
            [Event::Declined {
                seat,
                offer: Offer::Draw
            }]
        );
        check_same_game(actor, &mut [other]).await;
        assert_eq!(
            o.expect_reject(RequestBody::Command(RoomCommand::Accept {
                offer: Offer::Draw
            }))
            .await,
            RejectCode::NoOffer
        );
        assert_eq!(
            o.expect_reject(RequestBody::Command(RoomCommand::Decline {
                offer: Offer::Draw
            }))
            .await,
            RejectCode::NoOffer
        );
    }
    // A player cannot accept its own offer.
    make_offer(&mut x, &mut o, Offer::Draw).await;
    assert_eq!(
        x.expect_reject(RequestBody::Command(RoomCommand::Accept {
            offer: Offer::Draw
        }))
        .await,
        RejectCode::NoOffer
    );
}

#[tokio::test]
async fn a_move_removes_all_offers() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    x.play(0).await.expect("legal");
    o.wait_until_seq(x.game().seq()).await;
    for proposer_moves in [false, true] {
        let (proposer, responder) = if proposer_moves {
            (&mut o, &mut x)
        } else {
            (&mut x, &mut o)
        };
        make_offer(proposer, responder, Offer::Draw).await;
        if proposer_moves {
            o.wait_until_seq(x.game().seq()).await;
        }
        x.wait_until_seq(o.game().seq()).await;
        let (mover, other) = if x.game().position().turn() == Seat::X {
            (&mut x, &mut o)
        } else {
            (&mut o, &mut x)
        };
        let cell = 3 + u16::from(proposer_moves);
        mover.play(cell).await.expect("legal");
        other.wait_until_seq(mover.game().seq()).await;
        for client in [&x, &o] {
            assert!(
                Offer::ALL
                    .iter()
                    .all(|offer| client.game().offered_by(*offer).is_none())
            );
        }
        let response = x
            .expect_reject(RequestBody::Command(RoomCommand::Accept {
                offer: Offer::Draw,
            }))
            .await;
        assert_eq!(response, RejectCode::NoOffer);
    }
}

#[tokio::test]
async fn a_takeback_undoes_the_last_own_move() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "connect4", None).await;
    play_moves(&mut players, &[0, 0, 1]).await;
    let [mut x, mut o] = players;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    // X has just moved: the takeback is one ply.
    make_offer(&mut x, &mut o, Offer::Takeback).await;
    assert_eq!(
        accept_offer(&mut o, Offer::Takeback).await,
        [Event::TakenBack {
            plies: 1,
            left: None
        }]
    );
    check_same_game(&o, &mut [&mut x, &mut spectator]).await;
    assert_eq!(
        (move_cells(x.game()), x.game().position().turn()),
        (vec![35, 28], Seat::X)
    );
    // O takes back its last move: two plies, because X has moved since.
    x.play(6).await.expect("legal");
    o.wait_until_seq(x.game().seq()).await;
    make_offer(&mut o, &mut x, Offer::Takeback).await;
    assert_eq!(
        accept_offer(&mut x, Offer::Takeback).await,
        [Event::TakenBack {
            plies: 2,
            left: None
        }]
    );
    check_same_game(&x, &mut [&mut o, &mut spectator]).await;
    assert_eq!(
        (move_cells(o.game()), o.game().position().turn()),
        (vec![35], Seat::O)
    );
    // A move for the previous position is stale; the column is free again.
    let stale = RoomCommand::Move {
        cell: noughts_protocol::Cell::new(1),
        seq: noughts_protocol::Seq::new(5),
    };
    assert_eq!(
        o.expect_reject(RequestBody::Command(stale)).await,
        RejectCode::Stale
    );
    o.play(0).await.expect("legal");
    check_same_game(&o, &mut [&mut x, &mut spectator]).await;
    assert_eq!(move_cells(x.game()), [35, 28]);
}

#[tokio::test]
async fn a_takeback_needs_an_own_move() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    for client in [&mut x, &mut o] {
        assert_eq!(
            client
                .expect_reject(RequestBody::Command(RoomCommand::Offer {
                    offer: Offer::Takeback
                }))
                .await,
            RejectCode::NothingToTakeBack
        );
    }
    x.play(4).await.expect("legal");
    o.wait_until_seq(x.game().seq()).await;
    assert_eq!(
        o.expect_reject(RequestBody::Command(RoomCommand::Offer {
            offer: Offer::Takeback
        }))
        .await,
        RejectCode::NothingToTakeBack
    );
    make_offer(&mut x, &mut o, Offer::Takeback).await;
    // The same offer by O accepts X's offer.
    assert_eq!(
        expect_events(o.offer(Offer::Takeback).await),
        [Event::TakenBack {
            plies: 1,
            left: None
        }]
    );
    check_same_game(&o, &mut [&mut x]).await;
    assert_eq!(move_cells(x.game()), [0; 0]);
}

#[tokio::test]
async fn a_rematch_swaps_seats_and_keeps_score_tokens_and_spectators() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", Some("5+0")).await;
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut ann, mut bob] = players;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&ann)).await.expect("public");
    let tokens =
        [&ann, &bob].map(|client| client.seat_info().role.token.expect("a player").to_string());
    for game in 2..=4_u32 {
        let (loser, winner) = if game % 2 == 0 {
            (&mut bob, &mut ann)
        } else {
            (&mut ann, &mut bob)
        };
        make_offer(loser, winner, Offer::Rematch).await;
        assert_eq!(
            accept_offer(winner, Offer::Rematch).await,
            [Event::Started { game }]
        );
        check_same_game(winner, &mut [loser, &mut spectator]).await;
        let seat = if game % 2 == 0 { Seat::O } else { Seat::X };
        assert_eq!((ann.seat(), bob.seat()), (seat, seat.other()));
        assert_eq!(
            spectator.game().player(seat).expect("seated").name.as_str(),
            "Ann"
        );
        assert_eq!(
            (spectator.game().number(), move_cells(spectator.game())),
            (game, vec![])
        );
        let left = spectator
            .game()
            .left(spectator.game().last_event_at())
            .expect("a clock");
        assert_eq!(left, [300_000; 2], "full clocks");
        // X wins each game.
        let mut players = [ann, bob];
        play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
        [ann, bob] = players;
        spectator.wait_until_seq(ann.game().seq()).await;
        let wins = spectator.game().score().wins;
        assert_eq!(
            wins[ann.seat().index()],
            game.div_ceil(2),
            "Ann's after game {game}"
        );
        assert_eq!(
            wins[bob.seat().index()],
            game / 2,
            "Bob's after game {game}"
        );
    }
    for (client, token) in [&mut ann, &mut bob].into_iter().zip(tokens) {
        let seat = client.seat();
        let sync = RequestBody::Session(SessionRequest::Sync {
            seq: noughts_protocol::Seq::new(9_999),
        });
        client.request(sync).await.expect("in a room");
        assert_eq!(client.seat(), seat, "the score agrees with the events");
        assert_eq!(
            client.seat_info().role.token.expect("a player").to_string(),
            token
        );
    }
}

#[tokio::test]
async fn a_rematch_that_is_declined_may_be_offered_again() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut x, mut o] = players;
    make_offer(&mut x, &mut o, Offer::Rematch).await;
    decline_offer(&mut o, Offer::Rematch).await;
    x.wait_until_seq(o.game().seq()).await;
    make_offer(&mut o, &mut x, Offer::Rematch).await;
    assert_eq!(
        accept_offer(&mut x, Offer::Rematch).await,
        [Event::Started { game: 2 }]
    );
    check_same_game(&x, &mut [&mut o]).await;
    // A request id used before the seats swapped still refers to that request only.
    o.play(0).await.expect("Bob is X now");
    check_same_game(&o, &mut [&mut x]).await;
}
