//! Who is one party on several connections: never paired with itself, and led to the seat that it took when
//! the line broke before it could hear so.

use std::sync::Arc;

use noughts_protocol::wire::{Body, Held, Lobby, Message, RejectCode};
use noughts_protocol::{Event, Party, Phase, RoomRef, Seat};
use noughts_server::log::MemoryLog;
use noughts_tests::faulty::{Fault, faulty, gated};
use noughts_tests::peer::{Peer, Place};
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::{create, seek};
use noughts_tests::wait::until;

const ANN: u128 = 1 << 100;

async fn ann(server: &Server) -> (Peer, Option<Held>) {
    Peer::of_party(&server.url(), "Ann", Party::from_bits(ANN)).await
}

/// What to ask again with: the seat, as a welcome has it.
fn resume(held: Held) -> Body {
    Body::Lobby(Lobby::Resume { room: held.room, token: held.token, seq: None })
}

/// Ann on a new line, once a welcome tells her of a seat.
async fn ann_who_holds(server: &Server) -> (Peer, Held) {
    until("a welcome with a seat", async || {
        let (peer, held) = ann(server).await;
        held.map(|held| (peer, held))
    })
    .await
}

fn there(peer: &Peer) -> &Place {
    peer.place()
}

#[tokio::test]
async fn a_party_is_never_paired_with_itself_and_waits_once() {
    let server = Server::start().await;
    let (mut old, held) = ann(&server).await;
    assert!(held.is_none());
    old.seek("3x3:3", None, None).await;
    let (mut new, _) = ann(&server).await;
    new.seek("3x3:3", None, None).await;
    assert_eq!(old.closed().await, Some(4002));
    let mut bob = Peer::of_party(&server.url(), "Bob", Party::from_bits(2)).await.0;
    bob.seek("3x3:3", None, None).await;
    assert_eq!(new.snapshot().await.players.map(|player| player.expect("two").name.to_string()).len(), 2);
    bob.snapshot().await;
    assert_eq!(there(&new).id, there(&bob).id, "who came first waits first, on the line that works");
    // Those who say nothing of a party are as before.
    let [mut one, mut two] = [server.peer("One").await, server.peer("Two").await];
    one.seek("4x4:4", None, None).await;
    two.seek("4x4:4", None, None).await;
    one.snapshot().await;
}

#[tokio::test]
async fn whatever_seats_a_party_it_hears_of_it_when_it_is_back() {
    for what in ["create", "join", "seek"] {
        let (server, log) = gated().await;
        let mut bob = server.peer("Bob").await;
        let wish = match what {
            "create" => create("3x3:3", None, Some(Seat::X), false),
            "join" => Body::Lobby(Lobby::Join { room: bob.create("3x3:3", None, None, false).await }),
            _ => {
                bob.seek("3x3:3", None, None).await;
                seek("3x3:3", None, None)
            }
        };
        let (mut cut, held) = ann(&server).await;
        assert!(held.is_none(), "{what}");
        // Stored, and the answer goes nowhere.
        log.shut();
        let id = cut.id();
        cut.send(&noughts_protocol::wire::Request { id, body: wish }).await;
        if what == "join" {
            // A seat of somebody else's room is told of once it is stored as taken.
            until("the join to be under way", async || (log.appends() > 0).then_some(())).await;
            assert!(ann(&server).await.1.is_none());
            log.open();
        }
        let found = ann_who_holds(&server).await;
        drop(cut);
        log.open();
        let (mut back, held) = found;
        back.ask(resume(held)).await.unwrap_or_else(|reject| panic!("{what}: {reject}"));
        let phase = if what == "create" { Phase::Waiting } else { Phase::Playing };
        assert_eq!(back.game().phase(), phase, "{what}");
        if what == "join" {
            bob.event("the beginning", |event| matches!(event, Event::Started { .. })).await;
        }
        if what == "seek" {
            assert_eq!(bob.snapshot().await.phase, Phase::Playing);
        }
        assert_eq!(log.events(held.room).await.len() as u64, back.game().seq().get(), "{what}: done once");
        // Who goes on purpose is led back no more.
        back.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
        assert!(ann(&server).await.1.is_none(), "{what}");
    }
}

#[tokio::test]
async fn nobody_is_told_of_a_seat_that_the_log_may_not_have() {
    let (server, log) = faulty().await;
    let mut bob = server.peer("Bob").await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    log.next(&[Fault::Lose]);
    log.fail_loads(true);
    let (mut first, _) = ann(&server).await;
    let id = first.id();
    let body = Body::Lobby(Lobby::Join { room });
    first.send(&noughts_protocol::wire::Request { id, body }).await;
    until("an append without an answer", async || {
        (server.metric("noughts_append_failures_total").await > 0).then_some(())
    })
    .await;
    assert!(ann(&server).await.1.is_none(), "its token may be somebody else's soon");
    log.fail_loads(false);
    assert_eq!(first.answer(id, None).await.unwrap_err().code, RejectCode::Unavailable);
    let mut eve = server.peer("Eve").await;
    eve.join(room).await.expect("free");
    assert_eq!(eve.seat(), Seat::O);
    assert!(ann(&server).await.1.is_none());
}

#[tokio::test]
async fn a_join_that_is_asked_again_is_done_once() {
    let (server, log) = gated().await;
    let mut bob = server.peer("Bob").await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    let join = || Body::Lobby(Lobby::Join { room });
    log.shut();
    let (mut first, _) = ann(&server).await;
    let id = first.id();
    first.send(&noughts_protocol::wire::Request { id, body: join() }).await;
    until("the join to be under way", async || (log.appends() > 0).then_some(())).await;
    let (mut again, _) = ann(&server).await;
    let id = again.id();
    again.send(&noughts_protocol::wire::Request { id, body: join() }).await;
    log.open();
    again.answer(id, None).await.expect("the seat that is its own");
    assert_eq!((again.seat(), again.game().phase()), (Seat::O, Phase::Playing));
    assert_eq!(first.closed().await, Some(4002));
    let seated = log.events(there(&again).id).await;
    assert_eq!(seated.iter().filter(|event| matches!(event.event, Event::Seated { .. })).count(), 2);
    // For others the room is full, and its name is no way to the seat.
    let mut eve = Peer::of_party(&server.url(), "Eve", Party::from_bits(3)).await.0;
    assert_eq!(eve.refused(join()).await, RejectCode::RoomFull);
    assert!(matches!(room, RoomRef::Code(_)));
}

#[tokio::test]
async fn a_join_that_died_between_its_storing_and_its_answer_is_found_again() {
    let (server, log) = noughts_tests::faulty::faulty().await;
    let mut bob = server.peer("Bob").await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    log.next(&[noughts_tests::faulty::Fault::Doubt]);
    log.fail_loads(true);
    let (mut cut, _) = ann(&server).await;
    let id = cut.id();
    cut.send(&noughts_protocol::wire::Request { id, body: Body::Lobby(Lobby::Join { room }) }).await;
    until("the join to be stored", async || (log.events(there(&bob).id).await.len() > 2).then_some(())).await;
    drop(cut);
    log.fail_loads(false);
    let (mut back, held) = ann_who_holds(&server).await;
    let answer = until("the room to know", async || back.ask(resume(held)).await.ok()).await;
    assert!(matches!(answer, Message::Snapshot { .. }));
    assert_eq!(back.game().phase(), Phase::Playing);
}

#[tokio::test]
async fn a_restart_forgets_nobodys_seat() {
    let log = Arc::new(MemoryLog::default());
    let start = || Server::with(Setup { log: log.clone(), ..Setup::default() });
    let server = start().await;
    let (mut bob, _) = Peer::of_party(&server.url(), "Bob", Party::from_bits(2)).await;
    let room = bob.create("3x3:3", None, Some(Seat::X), false).await;
    let (mut cut, _) = ann(&server).await;
    cut.join(room).await.expect("a free seat");
    let was = there(&cut).id;
    // Neither has heard of a seat, as if the server had been killed before the answers.
    server.stop().await.expect("a stop in order");
    let server = start().await;
    let (mut back, held) = ann(&server).await;
    let held = held.expect("the seat that she joined");
    assert_eq!(held.room, was);
    back.ask(resume(held)).await.expect("her seat");
    assert_eq!((back.seat(), back.game().phase()), (Seat::O, Phase::Playing));
    let (_, held) = Peer::of_party(&server.url(), "Bob", Party::from_bits(2)).await;
    assert_eq!(held.expect("the seat that he founded the room with").room, was);
    let (_, held) = Peer::of_party(&server.url(), "Eve", Party::from_bits(3)).await;
    assert!(held.is_none());
    // Who goes on purpose is led back no more, nor by the next run.
    back.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    server.stop().await.expect("a stop in order");
    let server = start().await;
    assert!(ann(&server).await.1.is_none());
}

#[tokio::test]
async fn who_seeks_again_while_it_is_being_paired_is_led_to_that_game() {
    let server = Server::start().await;
    let (mut old, _) = ann(&server).await;
    old.seek("3x3:3", None, None).await;
    // The line has broken, and nobody knows. The new one is there before the pairing, and asks behind it.
    let (mut new, held) = ann(&server).await;
    assert!(held.is_none());
    let mut bob = server.peer("Bob").await;
    bob.seek("3x3:3", None, None).await;
    bob.snapshot().await;
    new.seek("3x3:3", None, None).await;
    new.snapshot().await;
    assert_eq!(there(&new).id, there(&bob).id);
    assert_eq!(old.closed().await, Some(4002));
    assert_eq!((server.metric("noughts_rooms").await, server.metric("noughts_seeks").await), (1, 0));
    // Who knows of its seat and wants another game has it.
    let (mut knows, held) = ann(&server).await;
    assert_eq!(held.expect("her seat").room, there(&bob).id);
    knows.seek("3x3:3", None, None).await;
    let mut cem = server.peer("Cem").await;
    cem.seek("3x3:3", None, None).await;
    cem.snapshot().await;
    assert_ne!(there(&cem).id, there(&bob).id);
    assert_eq!(server.metric("noughts_rooms").await, 2);
}
