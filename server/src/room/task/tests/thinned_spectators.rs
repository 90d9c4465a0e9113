//! Spectators with an exhausted budget.

use std::net::Ipv4Addr;

use noughts_protocol::Phase;

use super::*;
use crate::limits::client_prefix::ClientPrefix;

/// Returns the text messages that are in the queue.
fn received(receiver: &mut SendQueueReceiver<RoomHandle>) -> Vec<Message> {
    let mut messages = vec![];
    while let Some(event) = receiver.try_next() {
        if let QueueEvent::Outgoing(Outgoing::Text(text)) = event {
            messages.push(Message::parse(&text).unwrap());
        }
    }
    messages
}

fn event_seqs(messages: &[Message]) -> Vec<u64> {
    let events = messages.iter().filter_map(|message| {
        let Message::Events { events, .. } = message else {
            return None;
        };
        Some(events)
    });
    events.flatten().map(|record| record.seq.get()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_thinned_spectator_gets_the_whole_view_later_and_learns_of_the_end() {
    // With this rate, a full budget suffices for a few events.
    let limits = ServerLimits {
        spectator_bytes_per_second: Some(2),
        ..ServerLimits::default()
    };
    let ctx = test_context_with_limits(&Arc::default(), 1, limits);
    let (room, mut players) = room(&ctx, None).await;
    let (send_queue, mut spectator) = without_stream(64);
    let client_prefix = ClientPrefix::from_ip(Ipv4Addr::LOCALHOST.into());
    let joiner = JoinRequest {
        spectator_budget: Some(ctx.shared.spectator_budgets.of_client(client_prefix)),
        ..JoinRequest::of_person(ConnectionId(2), send_queue)
    };
    room.try_send(RoomRequest::Watch(Box::new(joiner))).unwrap();
    for (number, cell) in [4, 0, 8, 2, 1, 7].into_iter().enumerate() {
        let number = number as u64;
        let at = ctx.shared.time.now();
        room.try_send(move_request(number % 2, at, cell, 4 + number))
            .unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let seen = received(&mut spectator);
    let seqs = event_seqs(&seen);
    assert!((1..6).contains(&seqs.len()) && seqs[0] == 5, "{seqs:?}");
    assert!(matches!(seen[0], Message::Snapshot { .. }));
    for player in &mut players {
        assert_eq!(
            event_seqs(&received(player)).last(),
            Some(&10),
            "players get every event"
        );
    }

    tokio::time::sleep(Duration::from_secs(120)).await;
    let seen = received(&mut spectator);
    let [
        Message::Snapshot {
            state, re: None, ..
        },
        Message::Notice { .. },
        ..,
    ] = &*seen
    else {
        panic!("{seen:?}")
    };
    assert_eq!(
        (state.seq, seen.len()),
        (Seq::new(10), 4),
        "the presence of both players, and the count"
    );
    assert_eq!(ctx.shared.metrics.thinned_snapshots.get(), 1);

    leave_both(&room);
    while !room.is_closed() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let seen = received(&mut spectator);
    let Some(Message::Snapshot { state, .. }) = seen.last() else {
        panic!("{seen:?}")
    };
    assert_eq!(state.phase, Phase::Closed);
}
