use std::cell::LazyCell;
use std::net::Ipv4Addr;

use super::*;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::meters::ByteBudgets;
use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};

const FRAME_CAPACITY: usize = 2;

/// Returns the members X, O and a spectator that wants remarks, with their receivers.
fn three_members() -> (
    Members,
    [SendQueueReceiver<crate::room::handle::RoomHandle>; 3],
) {
    let mut members = Members::default();
    let roles = [
        Role::Player(Seat::X),
        Role::Player(Seat::O),
        Role::Spectator,
    ];
    let mut id = 0;
    let receivers = roles.map(|role| {
        let (send_queue, receiver) = without_stream(FRAME_CAPACITY);
        members.add(join_request(id, send_queue, None), role);
        id += 1;
        receiver
    });
    (members, receivers)
}

fn join_request(
    id: u64,
    send_queue: MemberQueue,
    spectator_budget: Option<ByteBudget>,
) -> JoinRequest {
    JoinRequest {
        wants_remarks: true,
        spectator_budget,
        ..JoinRequest::of_person(ConnectionId(id), send_queue)
    }
}

fn broadcast(members: &mut Members, text: &str, now: u64) {
    members.broadcast(
        &EncodedFrame::from(text),
        &mut DetailedFrames::none(),
        &LazyCell::new(|| now),
    );
}

#[tokio::test]
async fn a_full_queue_closes_a_player_and_marks_a_spectator_as_behind() {
    let (mut members, [mut x, _, mut spectator]) = three_members();
    for _ in 0..=FRAME_CAPACITY {
        broadcast(&mut members, "event", 0);
    }
    assert!(matches!(
        x.next().await,
        QueueEvent::Close(CloseCode::SlowConsumer)
    ));
    for _ in 0..FRAME_CAPACITY {
        assert!(matches!(
            spectator.next().await,
            QueueEvent::Outgoing(Outgoing::Text(_))
        ));
    }
    assert_eq!(members.members_with_gaps(), [ConnectionId(2)]);
    broadcast(&mut members, "missed", 0);
    members.send_snapshot(
        ConnectionId(2),
        EncodedFrame::from("snapshot"),
        &LazyCell::new(|| 0),
    );
    assert_eq!(members.members_with_gaps(), []);
    broadcast(&mut members, "next", 0);
    assert_eq!(texts(&mut spectator), ["snapshot", "next"]);
}

fn texts(receiver: &mut SendQueueReceiver<crate::room::handle::RoomHandle>) -> Vec<String> {
    let mut texts = vec![];
    while let Some(event) = receiver.try_next() {
        match event {
            QueueEvent::Outgoing(Outgoing::Text(frame)) => texts.push(frame.to_string()),
            QueueEvent::Behind => {}
            other @ (QueueEvent::Outgoing(_) | QueueEvent::Close(_) | QueueEvent::WritePending) => {
                panic!("{other:?}")
            }
        }
    }
    texts
}

#[test]
fn spectators_with_an_exhausted_budget_are_caught_up_in_turn() {
    const START: u64 = 1_000_000;
    let budgets = ByteBudgets::new(1000);
    let budget = || Some(budgets.of_client(ClientPrefix::from_ip(Ipv4Addr::LOCALHOST.into())));
    let mut members = Members::default();
    let (queue, mut player) = without_stream(100);
    members.add(join_request(0, queue, budget()), Role::Player(Seat::X));
    let mut spectators = [1, 2].map(|id| {
        let (queue, receiver) = without_stream(100);
        members.add(join_request(id, queue, budget()), Role::Spectator);
        receiver
    });
    // With its header of 10 bytes, the message takes the whole budget and leaves a debt of one second.
    let long = "x".repeat(241_000 - 10);
    broadcast(&mut members, &long, START);
    assert_eq!(members.members_with_gaps(), [ConnectionId(2)]);
    broadcast(&mut members, "missed", START);
    assert_eq!(
        members.members_with_gaps(),
        [ConnectionId(1), ConnectionId(2)]
    );
    members.broadcast_remark(&EncodedFrame::from("remark"), &LazyCell::new(|| START));
    members.broadcast_lossy(
        &EncodedFrame::from("notice"),
        true,
        &LazyCell::new(|| START + 2000),
    );
    assert!(members.has_thinned());
    assert_eq!(members.thinned_wait_ms(START + 1), Some(999));
    let view = [
        EncodedFrame::from("snapshot"),
        EncodedFrame::from("presence"),
    ];
    assert_eq!(members.catch_up_thinned(&view, START + 999), 0);
    // The first view leaves a debt.
    assert_eq!(members.catch_up_thinned(&view, START + 1000), 1);
    assert_eq!(members.members_with_gaps(), [ConnectionId(2)]);
    broadcast(&mut members, "too early", START + 1001);
    assert_eq!(
        members.members_with_gaps(),
        [ConnectionId(1), ConnectionId(2)]
    );
    assert_eq!(
        members.catch_up_thinned(&view, START + 1020),
        1,
        "the other one"
    );
    assert_eq!(members.catch_up_thinned(&view, START + 1100), 1);
    assert!(!members.has_thinned() && members.thinned_wait_ms(START).is_none());
    broadcast(&mut members, "next", START + 2000);
    assert_eq!(
        texts(&mut spectators[0]),
        [
            &long, "snapshot", "presence", "snapshot", "presence", "next"
        ]
    );
    assert_eq!(texts(&mut spectators[1]), ["snapshot", "presence", "next"]);
    assert_eq!(
        texts(&mut player),
        [&long, "missed", "notice", "too early", "next"],
        "players get everything"
    );
}

#[tokio::test]
async fn only_spectators_receive_remarks() {
    let (members, mut receivers) = three_members();
    members.broadcast_remark(&EncodedFrame::from("remark"), &LazyCell::new(|| 0));
    let received = receivers
        .each_mut()
        .map(|receiver| receiver.try_next().is_some());
    assert_eq!(received, [false, false, true]);
}

#[test]
fn seats_and_lags_follow_the_players() {
    let (mut members, receivers) = three_members();
    assert!(members.set_rtt(ConnectionId(0), 20));
    assert!(!members.set_rtt(ConnectionId(0), 20), "unchanged");
    assert!(!members.set_rtt(ConnectionId(2), 20), "a spectator");
    assert_eq!(members.player_rtts_ms(), [Some(20), None]);
    members.swap_seats();
    assert_eq!(members.player_rtts_ms(), [None, Some(20)]);
    assert_eq!(members.spectator_count(), 1);
    drop(receivers);
    assert_eq!(members.disconnected_members(), members.member_ids());
    assert_eq!(
        members.remove_seat_holder(Seat::O).map(|member| member.id),
        Some(ConnectionId(0))
    );
    assert!(members.get(ConnectionId(0)).is_none());
}

#[test]
fn changes_within_the_interval_cause_one_notice() {
    let (start, mut throttle) = (Instant::now(), SpectatorCountThrottle::default());
    assert!(!throttle.take_due(start), "nothing changed");
    throttle.on_count_changed(start);
    assert!(throttle.take_due(start), "the first change is sent at once");
    let later = start + Duration::from_millis(100);
    throttle.on_count_changed(later);
    throttle.on_count_changed(later + Duration::from_millis(100));
    assert_eq!(throttle.send_at(), Some(start + MIN_NOTICE_INTERVAL));
    assert!(!throttle.take_due(later));
    assert!(throttle.take_due(start + MIN_NOTICE_INTERVAL));
    assert!(
        !throttle.take_due(start + 2 * MIN_NOTICE_INTERVAL),
        "sent once"
    );
}
