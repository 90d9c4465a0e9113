//! Who goes: what the others are told, what they may claim and when, and that nothing is left behind.

use std::time::Duration;

use noughts_protocol::wire::{Body, Claim, Command, Lobby, Message, Notice, Presence, Reject, RejectCode};
use noughts_protocol::{Closing, Event, Offer, Outcome, Phase, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};
use noughts_tests::wait::until;

/// The next word on the holder of `seat`.
async fn presence(peer: &mut Peer, seat: Seat) -> (Presence, Option<u64>) {
    let about = |notice: &Notice| matches!(notice, Notice::Presence { seat: of, .. } if *of == seat);
    let Notice::Presence { presence, claim_in_ms, .. } = peer.notice("presence", about).await else {
        unreachable!()
    };
    (presence, claim_in_ms)
}

async fn leave(peer: &mut Peer) {
    let answer = peer.ask(Body::Lobby(Lobby::Leave)).await;
    assert!(matches!(answer, Ok(Message::Done { .. })), "{answer:?}");
}

async fn claim(peer: &mut Peer, result: Claim) -> Result<Event, Reject> {
    let answer = peer.command(Command::Claim { result }).await?;
    let Message::Events { events, .. } = answer else { panic!("{answer:?}") };
    Ok(events[0].event.clone())
}

fn abandoned(winner: Option<Seat>) -> Event {
    Event::Ended { outcome: Outcome::Abandoned { winner }, left: None }
}

async fn impatient() -> Server {
    Server::limited(|limits| {
        limits.grace = Duration::from_millis(300);
        limits.left_grace = Duration::from_millis(150);
    })
    .await
}

#[tokio::test]
async fn everyone_is_told_who_goes_and_comes() {
    let server = Server::start().await;
    let [x, mut o] = pair(&server, "3x3:3", None).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    let place = x.cut();
    for peer in [&mut o, &mut fan] {
        let (presence, claim_in) = presence(peer, Seat::X).await;
        assert_eq!(presence, Presence::Away);
        let claim_in = claim_in.expect("a game is on");
        assert!((1..=60_000).contains(&claim_in), "{claim_in}");
    }
    // Who comes later is told too.
    let mut late = server.peer("Late").await;
    late.watch(public(&o)).await.expect("public");
    let (away, claim_in) = presence(&mut late, Seat::X).await;
    assert!(away == Presence::Away && claim_in.is_some_and(|ms| ms <= 60_000));
    let mut x = server.peer("Ann").await;
    x.resume(&place, None).await.expect("its token");
    for peer in [&mut o, &mut fan, &mut late] {
        assert_eq!(presence(peer, Seat::X).await, (Presence::Here, None));
    }
    leave(&mut x).await;
    for peer in [&mut o, &mut fan, &mut late] {
        let (left, claim_in) = presence(peer, Seat::X).await;
        assert!(left == Presence::Left && claim_in.is_some_and(|ms| ms <= 10_000), "{left:?} {claim_in:?}");
    }
}

#[tokio::test]
async fn an_absence_is_claimed_after_its_time_and_on_the_absent_ones_turn() {
    let server = impatient().await;
    for (result, winner) in [(Claim::Win, Some(Seat::O)), (Claim::Draw, None)] {
        let [x, mut o] = pair(&server, "3x3:3", None).await;
        // Here and to move.
        assert_eq!(claim(&mut o, result).await.unwrap_err().code, RejectCode::NotClaimable);
        x.cut();
        presence(&mut o, Seat::X).await;
        let early = claim(&mut o, result).await.unwrap_err();
        assert_eq!(early.code, RejectCode::NotClaimable);
        let wait = early.wait_ms.expect("only time is wanting");
        assert!((1..=300).contains(&wait), "{wait}");
        tokio::time::sleep(Duration::from_millis(wait)).await;
        assert_eq!(claim(&mut o, result).await.expect("as told"), abandoned(winner));
        assert_eq!(claim(&mut o, result).await.unwrap_err().code, RejectCode::GameOver);
    }
}

#[tokio::test]
async fn an_absence_is_not_claimed_on_ones_own_turn() {
    let server = impatient().await;
    let [mut x, o] = pair(&server, "3x3:3", None).await;
    o.cut();
    presence(&mut x, Seat::O).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    let refused = claim(&mut x, Claim::Win).await.unwrap_err();
    assert_eq!((refused.code, refused.wait_ms), (RejectCode::NotClaimable, None));
    x.play(4).await.expect("one's own turn");
    assert_eq!(claim(&mut x, Claim::Win).await.expect("the absent one is to move"), abandoned(Some(Seat::X)));
}

#[tokio::test]
async fn who_leaves_on_purpose_is_waited_for_less() {
    let server = Server::limited(|limits| limits.left_grace = Duration::from_millis(100)).await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    leave(&mut x).await;
    let (left, claim_in) = presence(&mut o, Seat::X).await;
    assert!(left == Presence::Left && claim_in.is_some_and(|ms| ms <= 100), "{claim_in:?}");
    until("the claim", async || claim(&mut o, Claim::Win).await.ok()).await;
    assert_eq!(o.game().phase(), Phase::Over);
}

#[tokio::test]
async fn who_returns_in_time_loses_nothing() {
    let server = impatient().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    for _ in 0..3 {
        let place = x.cut();
        presence(&mut o, Seat::X).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        x = server.peer("Ann").await;
        x.resume(&place, None).await.expect("its token");
        assert_eq!(presence(&mut o, Seat::X).await, (Presence::Here, None));
        let refused = claim(&mut o, Claim::Win).await.unwrap_err();
        assert_eq!((refused.code, refused.wait_ms), (RejectCode::NotClaimable, None), "it is there");
    }
    x.play(0).await.expect("X is to move");
}

#[tokio::test]
async fn a_game_that_nobody_claims_ends_by_itself() {
    let server = Server::limited(|limits| limits.abandon = Duration::from_millis(200)).await;
    for gone in Seat::ALL {
        let players = pair(&server, "3x3:3", None).await;
        let [x, o] = players;
        let (gone_peer, mut here) = if gone == Seat::X { (x, o) } else { (o, x) };
        gone_peer.cut();
        let ended = here.event("end", |event| matches!(event, Event::Ended { .. })).await;
        assert_eq!(ended, abandoned(Some(gone.other())));
        // The room stays for who is there, and for the other one to come back to.
        assert_eq!(here.game().phase(), Phase::Over);
    }
}

#[tokio::test]
async fn when_both_are_gone_the_game_is_drawn_and_the_room_closes() {
    let server = impatient().await;
    let [x, o] = pair(&server, "3x3:3", None).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    let (place, _) = (x.cut(), o.cut());
    let closed = fan.event("end of the room", |event| matches!(event, Event::Closed { .. })).await;
    assert_eq!(closed, Event::Closed { closing: Closing::Deserted });
    assert_eq!(fan.game().outcome(), Some(&Outcome::Abandoned { winner: None }));
    // Whoever watched is free for something else.
    until("to be sent out", async || {
        fan.ask(noughts_tests::table::create("3x3:3", None, None, false)).await.ok()
    })
    .await;
    let mut late = server.peer("Ann").await;
    assert_eq!(late.resume(&place, None).await.unwrap_err().code, RejectCode::UnknownRoom);
    leave(&mut fan).await;
    drop((fan, late));
    server.settled().await;
}

#[tokio::test]
async fn nothing_is_left_when_everyone_has_gone() {
    let server = impatient().await;
    for round in 0..4 {
        let mut players = pair(&server, "3x3:3", Some("5+0")).await;
        if round % 2 == 1 {
            play(&mut players, &[0, 3, 1, 4, 2]).await;
        }
        let [mut x, o] = players;
        let mut host = server.peer("Host").await;
        let code = host.create("3x3:3", None, None, false).await;
        let mut fan = server.peer("Fan").await;
        fan.watch(code).await.expect("its code");
        let mut seeking = server.peer("Seeking").await;
        seeking.seek("5x5:5", Some("1+1"), None).await;
        if round < 2 {
            leave(&mut x).await;
            x.seek("6x6:6", None, None).await;
            o.reset();
            host.reset();
        }
    }
    server.settled().await;
}

#[tokio::test]
async fn who_left_returns_to_the_rematch() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut x, mut o] = players;
    x.offer(Offer::Rematch).await.expect("over");
    leave(&mut x).await;
    assert_eq!(presence(&mut o, Seat::X).await, (Presence::Left, None), "no game is on to be claimed");
    let refused = o.refused(Body::Command(Command::Accept { offer: Offer::Rematch })).await;
    assert_eq!(refused, RejectCode::OpponentLeft);
    let place = x.place().clone();
    x.resume(&place, None).await.expect("its token");
    assert_eq!(x.game().offered(Offer::Rematch), Some(Seat::X), "it stands");
    o.command(Command::Accept { offer: Offer::Rematch }).await.expect("offered");
    x.caught_up(o.game().seq()).await;
    assert_eq!((x.seat(), o.seat(), x.game().number()), (Seat::O, Seat::X, 2));
}

#[tokio::test]
async fn a_game_that_starts_without_a_player_says_so() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut x, mut o] = players;
    x.offer(Offer::Rematch).await.expect("over");
    x.cut();
    assert_eq!(presence(&mut o, Seat::X).await, (Presence::Away, None));
    o.command(Command::Accept { offer: Offer::Rematch }).await.expect("it may come back");
    // The absent one is O now.
    let (away, claim_in) = presence(&mut o, Seat::O).await;
    assert!(away == Presence::Away && claim_in.is_some_and(|ms| ms <= 60_000), "{away:?} {claim_in:?}");
}

#[tokio::test]
async fn a_host_whose_line_broke_is_found_by_its_guest() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(code).await.expect("its code");
    let place = host.cut();
    presence(&mut fan, Seat::X).await;
    let mut guest = server.peer("Guest").await;
    guest.join(code).await.expect("free");
    assert_eq!(presence(&mut guest, Seat::X).await.0, Presence::Away);
    let mut host = server.peer("Host").await;
    let answer = host.resume(&place, Some(place.game.seq())).await.expect("its token");
    assert!(matches!(answer, Message::Events { .. }), "{answer:?}");
    assert_eq!(host.game().phase(), Phase::Playing);
    host.play(0).await.expect("X begins");
}
