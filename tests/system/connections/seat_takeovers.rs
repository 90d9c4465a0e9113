//! Repeated takeovers of one seat. `NOUGHTS_TEST_TAKEOVERS=n` sets their number. The seat has one connection at any
//! time, the opponent never sees its holder absent, and no resources remain.

use std::time::Duration;

use noughts_protocol::wire::{Message, Notice, Presence};
use noughts_protocol::{Event, Offer, Seat};
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::rng::env_number;
use noughts_tests::server::ServerProcess;
use noughts_tests::server::get;
use noughts_tests::wait::wait_until;

/// Takes over the seat; waits if the rate limit rejects it.
async fn take_over(server: &ServerProcess, seat_info: &SeatInfo) -> (TestClient, u32) {
    let mut rate_limited = 0;
    loop {
        let mut client = TestClient::connect_as(&server.url, "Ann").await;
        match client.resume(seat_info, Some(seat_info.game.seq())).await {
            Ok(_) => return (client, rate_limited),
            Err(reject) => {
                let wait = reject
                    .wait_ms
                    .unwrap_or_else(|| panic!("{reject} without a retry delay"));
                rate_limited += 1;
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
        }
    }
}

async fn connection_count(server: &ServerProcess) -> u64 {
    let (_, text) = get(server.address(), "/metrics").await;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("noughts_connections "));
    line.expect("a gauge").parse().expect("a number")
}

#[tokio::test]
async fn repeated_takeovers_leave_one_connection_per_seat() {
    let takeovers = env_number("NOUGHTS_TEST_TAKEOVERS", 60);
    let server = ServerProcess::start(&[
        "--set",
        "rate-burst=100000",
        "--set",
        "rate-per-second=100000",
        "--set",
        "takeovers=100000",
        "--set",
        "offer-burst=100000",
    ]);
    let mut o = TestClient::connect_as(&server.url, "Bob").await;
    let room = o.create("3x3:3", None, Some(Seat::O), true).await;
    let mut x = TestClient::connect_as(&server.url, "Ann").await;
    x.join(room).await.expect("the cell is free");
    o.wait_until_seq(x.game().seq()).await;
    let descriptors_before = server.open_descriptors();
    let mut rate_limited = 0;
    for round in 0..takeovers {
        let seat_info = x.seat_info().clone();
        let (mut newer_client, rate_limited_now) = take_over(&server, &seat_info).await;
        rate_limited += rate_limited_now;
        assert_eq!(
            x.wait_for_close().await,
            Some(4002),
            "the older connection, at takeover {round}"
        );
        // A request of the newer connection is executed once.
        newer_client
            .offer(Offer::Draw)
            .await
            .expect("no offer is pending");
        o.wait_until_seq(newer_client.game().seq()).await;
        o.send_command(noughts_protocol::wire::RoomCommand::Decline { offer: Offer::Draw })
            .await
            .expect("an offer is pending");
        newer_client.wait_until_seq(o.game().seq()).await;
        x = newer_client;
    }
    wait_until("the connections of the two players", async || {
        (connection_count(&server).await == 2).then_some(())
    })
    .await;
    let is_away = |message: &Message| {
        matches!(
            message,
            Message::Notice {
                notice: Notice::Presence {
                    presence: Presence::Disconnected,
                    ..
                },
                ..
            }
        )
    };
    assert!(
        o.take_buffered(is_away).is_none(),
        "the opponent saw the seat absent"
    );
    let mut offers = 0;
    let is_offer = |message: &Message| matches!(message, Message::Events { events, .. } if matches!(events[0].event, Event::Offered { .. }));
    while o.take_buffered(is_offer).is_some() {
        offers += 1;
    }
    assert_eq!(offers, takeovers);
    x.play(4).await.expect("X is to move");
    o.wait_until_seq(x.game().seq()).await;
    wait_until("the initial number of descriptors", async || {
        (server.open_descriptors() <= descriptors_before).then_some(())
    })
    .await;
    eprintln!("takeovers: {takeovers} of one seat, rate limited {rate_limited} times");
}
