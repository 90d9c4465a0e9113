//! Draws, takebacks and rematches: proposed, accepted, declined, withdrawn, overtaken.

use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode};
use noughts_protocol::{Event, Game, Offer, Outcome, Phase, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};

fn marks(game: &Game) -> Vec<usize> {
    game.position().moves().iter().map(|cell| cell.index()).collect()
}

/// Everyone has come as far as `peer`, and sees the same.
async fn agree(peer: &Peer, others: &mut [&mut Peer]) {
    let mut known = peer.game().snapshot(0);
    for other in others {
        other.caught_up(peer.game().seq()).await;
        let mut seen = other.game().snapshot(0);
        (known.left, seen.left) = (None, None);
        assert_eq!(known, seen);
    }
}

/// The events that `answer` brought.
fn events(answer: Result<Message, noughts_protocol::wire::Reject>) -> Vec<Event> {
    match answer {
        Ok(Message::Events { events, .. }) => events.into_iter().map(|stamped| stamped.event).collect(),
        other => panic!("no events, but {other:?}"),
    }
}

async fn accept(peer: &mut Peer, offer: Offer) -> Vec<Event> {
    events(peer.command(Command::Accept { offer }).await)
}

async fn decline(peer: &mut Peer, offer: Offer) -> Vec<Event> {
    events(peer.command(Command::Decline { offer }).await)
}

async fn offered(by: &mut Peer, to: &mut Peer, offer: Offer) {
    let seat = by.seat();
    assert_eq!(events(by.offer(offer).await), [Event::Offered { seat, offer }]);
    to.caught_up(by.game().seq()).await;
    assert_eq!(to.game().offered(offer), Some(seat));
}

#[tokio::test]
async fn a_draw_is_offered_and_accepted() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    offered(&mut o, &mut x, Offer::Draw).await;
    let ended = accept(&mut x, Offer::Draw).await;
    assert_eq!(ended, [Event::Ended { outcome: Outcome::Agreed, left: None }]);
    agree(&x, &mut [&mut o]).await;
    assert_eq!((x.game().phase(), x.game().score().draws, x.game().score().wins), (Phase::Over, 1, [0, 0]));
    assert_eq!(o.game().offered(Offer::Draw), None);
}

#[tokio::test]
async fn two_who_offer_the_same_agree() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    offered(&mut x, &mut o, Offer::Draw).await;
    assert_eq!(events(o.offer(Offer::Draw).await), [Event::Ended { outcome: Outcome::Agreed, left: None }]);
    // The same of a rematch, both in one moment: one of them proposes, the other agrees.
    x.caught_up(o.game().seq()).await;
    let both = futures::join!(x.offer(Offer::Rematch), o.offer(Offer::Rematch));
    let [a, b] = [events(both.0), events(both.1)];
    let started = [Event::Started { game: 2 }];
    assert!((a == started) != (b == started), "{a:?} {b:?}");
    let seq = x.game().seq().max(o.game().seq());
    x.caught_up(seq).await;
    agree(&x, &mut [&mut o]).await;
}

#[tokio::test]
async fn what_is_declined_or_withdrawn_is_off_the_table() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    for declines in [true, false] {
        offered(&mut x, &mut o, Offer::Draw).await;
        let (who, other) = if declines { (&mut o, &mut x) } else { (&mut x, &mut o) };
        let seat = who.seat();
        assert_eq!(decline(who, Offer::Draw).await, [Event::Declined { seat, offer: Offer::Draw }]);
        agree(who, &mut [other]).await;
        assert_eq!(
            o.refused(Body::Command(Command::Accept { offer: Offer::Draw })).await,
            RejectCode::NoOffer
        );
        assert_eq!(
            o.refused(Body::Command(Command::Decline { offer: Offer::Draw })).await,
            RejectCode::NoOffer
        );
    }
    // Nobody accepts what one proposed oneself.
    offered(&mut x, &mut o, Offer::Draw).await;
    assert_eq!(x.refused(Body::Command(Command::Accept { offer: Offer::Draw })).await, RejectCode::NoOffer);
}

#[tokio::test]
async fn a_move_of_either_side_takes_every_offer_off_the_table() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    x.play(0).await.expect("legal");
    o.caught_up(x.game().seq()).await;
    for proposer_moves in [false, true] {
        let (by, to) = if proposer_moves { (&mut o, &mut x) } else { (&mut x, &mut o) };
        offered(by, to, Offer::Draw).await;
        if proposer_moves {
            o.caught_up(x.game().seq()).await;
        }
        x.caught_up(o.game().seq()).await;
        let (mover, other) =
            if x.game().position().turn() == Seat::X { (&mut x, &mut o) } else { (&mut o, &mut x) };
        let cell = 3 + u16::from(proposer_moves);
        mover.play(cell).await.expect("legal");
        other.caught_up(mover.game().seq()).await;
        for peer in [&x, &o] {
            assert!(Offer::ALL.iter().all(|offer| peer.game().offered(*offer).is_none()));
        }
        let answer = x.refused(Body::Command(Command::Accept { offer: Offer::Draw })).await;
        assert_eq!(answer, RejectCode::NoOffer);
    }
}

#[tokio::test]
async fn a_takeback_undoes_ones_own_move_and_the_answer_to_it() {
    let server = Server::start().await;
    let mut players = pair(&server, "connect4", None).await;
    play(&mut players, &[0, 0, 1]).await;
    let [mut x, mut o] = players;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    // X has just moved: one ply.
    offered(&mut x, &mut o, Offer::Takeback).await;
    assert_eq!(accept(&mut o, Offer::Takeback).await, [Event::TakenBack { plies: 1, left: None }]);
    agree(&o, &mut [&mut x, &mut fan]).await;
    assert_eq!((marks(x.game()), x.game().position().turn()), (vec![35, 28], Seat::X));
    // O would like another second move: two plies, as X has moved since.
    x.play(6).await.expect("legal");
    o.caught_up(x.game().seq()).await;
    offered(&mut o, &mut x, Offer::Takeback).await;
    assert_eq!(accept(&mut x, Offer::Takeback).await, [Event::TakenBack { plies: 2, left: None }]);
    agree(&x, &mut [&mut o, &mut fan]).await;
    assert_eq!((marks(o.game()), o.game().position().turn()), (vec![35], Seat::O));
    // A move made against the board before is stale; the column is free again.
    let stale = Command::Move { cell: noughts_protocol::Cell::new(1), seq: noughts_protocol::Seq::new(5) };
    assert_eq!(o.refused(Body::Command(stale)).await, RejectCode::Stale);
    o.play(0).await.expect("legal");
    agree(&o, &mut [&mut x, &mut fan]).await;
    assert_eq!(marks(x.game()), [35, 28]);
}

#[tokio::test]
async fn nobody_takes_back_what_one_has_not_played() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    for peer in [&mut x, &mut o] {
        assert_eq!(
            peer.refused(Body::Command(Command::Offer { offer: Offer::Takeback })).await,
            RejectCode::NothingToTakeBack
        );
    }
    x.play(4).await.expect("legal");
    o.caught_up(x.game().seq()).await;
    assert_eq!(
        o.refused(Body::Command(Command::Offer { offer: Offer::Takeback })).await,
        RejectCode::NothingToTakeBack
    );
    offered(&mut x, &mut o, Offer::Takeback).await;
    // O offers the same, and by that agrees to X's, not to one of its own.
    assert_eq!(events(o.offer(Offer::Takeback).await), [Event::TakenBack { plies: 1, left: None }]);
    agree(&o, &mut [&mut x]).await;
    assert_eq!(marks(x.game()), [0; 0]);
}

#[tokio::test]
async fn in_a_rematch_the_seats_swap_and_score_secrets_and_audience_stay() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", Some("5+0")).await;
    play(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut ann, mut bob] = players;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&ann)).await.expect("public");
    let tokens = [&ann, &bob].map(|peer| peer.place().you.token.expect("a player").to_string());
    for game in 2..=4_u32 {
        let (loser, winner) = if game % 2 == 0 { (&mut bob, &mut ann) } else { (&mut ann, &mut bob) };
        offered(loser, winner, Offer::Rematch).await;
        assert_eq!(accept(winner, Offer::Rematch).await, [Event::Started { game }]);
        agree(winner, &mut [loser, &mut fan]).await;
        let seat = if game % 2 == 0 { Seat::O } else { Seat::X };
        assert_eq!((ann.seat(), bob.seat()), (seat, seat.other()));
        assert_eq!(fan.game().player(seat).expect("seated").name.as_str(), "Ann");
        assert_eq!((fan.game().number(), marks(fan.game())), (game, vec![]));
        let left = fan.game().left(fan.game().at()).expect("a clock");
        assert_eq!(left, [300_000; 2], "a fresh clock");
        // X wins every time.
        let mut players = [ann, bob];
        play(&mut players, &[0, 3, 1, 4, 2]).await;
        [ann, bob] = players;
        fan.caught_up(ann.game().seq()).await;
        let wins = fan.game().score().wins;
        assert_eq!(wins[ann.seat().index()], game.div_ceil(2), "Ann's after game {game}");
        assert_eq!(wins[bob.seat().index()], game / 2, "Bob's after game {game}");
    }
    for (peer, token) in [&mut ann, &mut bob].into_iter().zip(tokens) {
        let seat = peer.seat();
        let sync = Body::Lobby(Lobby::Sync { seq: noughts_protocol::Seq::new(9_999) });
        peer.ask(sync).await.expect("in a room");
        assert_eq!(peer.seat(), seat, "the server says what the events said");
        assert_eq!(peer.place().you.token.expect("a player").to_string(), token);
    }
}

#[tokio::test]
async fn a_rematch_that_is_declined_may_be_offered_again() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut x, mut o] = players;
    offered(&mut x, &mut o, Offer::Rematch).await;
    decline(&mut o, Offer::Rematch).await;
    x.caught_up(o.game().seq()).await;
    offered(&mut o, &mut x, Offer::Rematch).await;
    assert_eq!(accept(&mut x, Offer::Rematch).await, [Event::Started { game: 2 }]);
    agree(&x, &mut [&mut o]).await;
    // A number used before the seats swapped still names that request, and no other.
    o.play(0).await.expect("Bob is X now");
    agree(&o, &mut [&mut x]).await;
}

#[tokio::test]
async fn whoever_gives_up_loses_on_either_sides_turn() {
    let server = Server::start().await;
    for quits in Seat::ALL {
        let mut players = pair(&server, "3x3:3", None).await;
        let ended = events(players[quits.index()].command(Command::Resign).await);
        let outcome = Outcome::Resigned { winner: quits.other() };
        assert_eq!(ended, [Event::Ended { outcome, left: None }]);
        let [x, mut o] = players;
        let seq = x.game().seq().max(o.game().seq());
        let mut x = x;
        x.caught_up(seq).await;
        agree(&x, &mut [&mut o]).await;
        assert_eq!(x.game().score().wins[quits.other().index()], 1);
    }
}

#[tokio::test]
async fn when_one_resigns_and_the_other_accepts_the_draw_one_thing_happens() {
    let server = Server::start().await;
    for _ in 0..20 {
        let [mut x, mut o] = pair(&server, "3x3:3", None).await;
        offered(&mut x, &mut o, Offer::Draw).await;
        let both =
            futures::join!(x.command(Command::Resign), o.command(Command::Accept { offer: Offer::Draw }));
        let refused = [both.0, both.1].map(|answer| answer.err().map(|reject| reject.code));
        assert!(
            refused == [None, Some(RejectCode::GameOver)] || refused == [Some(RejectCode::GameOver), None],
            "{refused:?}"
        );
        agree(&x, &mut [&mut o]).await;
        let wins: u32 = x.game().score().wins.iter().sum();
        assert_eq!(wins + x.game().score().draws, 1);
    }
}
