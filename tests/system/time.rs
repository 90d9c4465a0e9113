//! The server's time: what counts as time for a clock, and what does not.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::Message;
use noughts_protocol::{Event, Outcome, Seat};
use noughts_server::log::MemoryLog;
use noughts_server::time::Time;
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::pair;

const NOON: u64 = 1_700_000_000_000;
const HOUR: u64 = 3_600_000;

#[tokio::test]
async fn a_machine_whose_clock_was_set_stops_no_clock_of_a_game() {
    // Back by an hour between two runs; and a clock that was wrong by years, and is right again.
    for (first, second) in [(NOON, NOON - HOUR), (2 * NOON, NOON), (NOON, 2 * NOON)] {
        let log = Arc::new(MemoryLog::default());
        let setup = |start| {
            let mut setup = Setup { log: log.clone(), time: Time::at(start), ..Setup::default() };
            setup.limits.drain = Duration::from_millis(100);
            setup
        };
        let server = Server::with(setup(first)).await;
        let [mut x, o] = pair(&server, "3x3:3", Some("1s+0")).await;
        x.play(4).await.expect("in time");
        let (x_place, o_place) = (x.place().clone(), o.place().clone());
        server.stop().await.expect("a stop in order");

        let server = Server::with(setup(second)).await;
        let (mut x, mut o) = (server.peer("Ann").await, server.peer("Bob").await);
        x.resume(&x_place, None).await.expect("its token");
        o.resume(&o_place, None).await.expect("its token");
        let is_end = |event: &Event| matches!(event, Event::Ended { .. });
        let Message::Events { events, .. } = x
            .wait_for("the flag", |message| {
                matches!(message, Message::Events { events, .. } if events.iter().any(|stamped| is_end(&stamped.event)))
            })
            .await
        else {
            unreachable!()
        };
        let end = events.last().expect("an event");
        let Event::Ended { outcome: Outcome::Flag { winner: Seat::X }, .. } = end.event else {
            panic!("{end:?}")
        };
        assert!(end.at >= first, "time went back within the room: {end:?}");
        // What is new is of today.
        let [fresh, _o] = pair(&server, "3x3:3", Some("1s+0")).await;
        let begun = fresh.game().at();
        assert!((second..second + HOUR).contains(&begun), "{begun} on a machine at {second}");
    }
}
