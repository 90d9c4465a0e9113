//! One seat, and one who takes it again and again: `NOUGHTS_TAKEOVERS=n` times. There is one line for it at
//! any time, the other player never sees it empty, and nothing is left behind.

use std::time::Duration;

use noughts_protocol::wire::{Message, Notice, Presence};
use noughts_protocol::{Event, Offer, Seat};
use noughts_tests::chance::number;
use noughts_tests::peer::{Peer, Place};
use noughts_tests::program::ServerProcess;
use noughts_tests::server::get;
use noughts_tests::wait::until;

/// Takes the seat, as soon as the server lets it: who takes it too often is told to wait.
async fn take(server: &ServerProcess, place: &Place) -> (Peer, u32) {
    let mut told_to_wait = 0;
    loop {
        let mut peer = Peer::hello(&server.url, "Ann").await;
        match peer.resume(place, Some(place.game.seq())).await {
            Ok(_) => return (peer, told_to_wait),
            Err(reject) => {
                let wait = reject.wait_ms.unwrap_or_else(|| panic!("{reject} and no word of when"));
                told_to_wait += 1;
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
        }
    }
}

async fn connections(server: &ServerProcess) -> u64 {
    let (_, text) = get(server.address(), "/metrics").await;
    let line = text.lines().find_map(|line| line.strip_prefix("noughts_connections "));
    line.expect("a gauge").parse().expect("a number")
}

#[tokio::test]
async fn a_seat_has_one_line_however_often_it_is_taken() {
    let takeovers = number("NOUGHTS_TAKEOVERS", 60);
    let server =
        ServerProcess::start(&["--burst", "100000", "--per-second", "100000", "--takeovers", "100000"]);
    let mut o = Peer::hello(&server.url, "Bob").await;
    let room = o.create("3x3:3", None, Some(Seat::O), true).await;
    let mut x = Peer::hello(&server.url, "Ann").await;
    x.join(room).await.expect("free");
    o.caught_up(x.game().seq()).await;
    let files = server.descriptors();
    let mut told_to_wait = 0;
    for round in 0..takeovers {
        let place = x.place().clone();
        let (mut newer, told) = take(&server, &place).await;
        told_to_wait += told;
        assert_eq!(x.closed().await, Some(4002), "the older line, at takeover {round}");
        // What the newer one asks for is done, once.
        newer.offer(Offer::Draw).await.expect("none is on the table");
        o.caught_up(newer.game().seq()).await;
        o.command(noughts_protocol::wire::Command::Decline { offer: Offer::Draw })
            .await
            .expect("on the table");
        newer.caught_up(o.game().seq()).await;
        x = newer;
    }
    until("two lines", async || (connections(&server).await == 2).then_some(())).await;
    let away = |message: &Message| {
        matches!(message, Message::Notice { notice: Notice::Presence { presence: Presence::Away, .. }, .. })
    };
    assert!(o.seen(away).is_none(), "the other player saw the seat empty");
    let mut offers = 0;
    let offered = |message: &Message| matches!(message, Message::Events { events, .. } if matches!(events[0].event, Event::Offered { .. }));
    while o.seen(offered).is_some() {
        offers += 1;
    }
    assert_eq!(offers, takeovers);
    x.play(4).await.expect("X is still to move");
    o.caught_up(x.game().seq()).await;
    until("the descriptors of before", async || (server.descriptors() <= files).then_some(())).await;
    eprintln!("takeovers: {takeovers} of one seat, one line each; told to wait {told_to_wait} times");
}
