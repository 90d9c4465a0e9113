//! Tests of the room task in paused time.

mod panics;
mod thinned_spectators;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Message, RejectCode, RoomCommand};
use noughts_protocol::{
    Cell, Event, EventRecord, RequestId, ResumeToken, RoomId, RoomRef, Seat, Seq,
};

use super::*;
use crate::config::ServerLimits;
use crate::lobby::handle::{feed_channel, lobby_channel};
use crate::lobby::{restoration, task as lobby};
use crate::room::Room;
use crate::room::handle::{JoinRequest, RoomHandle, RoomRequest, room_channel};
use crate::room::members::ConnectionId;
use crate::runtime::clock::ServerClock;
use crate::runtime::context::ServerContext;
use crate::runtime::rng::ServerRng;
use crate::send_queue::{Outgoing, QueueEvent, SendOutcome, SendQueueReceiver, without_stream};
use crate::store::{MemoryLog, RoomSecrets};

fn test_context() -> ServerContext {
    test_context_with(&Arc::new(MemoryLog::default()), 1)
}

/// Returns the context of a server run that starts at `now` with this log.
fn test_context_with(log: &Arc<MemoryLog>, now: u64) -> ServerContext {
    test_context_with_limits(log, now, ServerLimits::default())
}

fn test_context_with_limits(log: &Arc<MemoryLog>, now: u64, limits: ServerLimits) -> ServerContext {
    let ((lobby, _), (feed, _)) = (lobby_channel(1), feed_channel(1));
    ServerContext::new(
        Arc::new(limits),
        Arc::clone(log) as _,
        ServerRng::from_seed(1),
        ServerClock::from_unix_ms(now),
        lobby,
        feed,
    )
}

/// Opens a room with two players, and returns its handle and the receivers of the players.
async fn room(
    ctx: &ServerContext,
    clock: Option<&str>,
) -> (RoomHandle, [SendQueueReceiver<RoomHandle>; 2]) {
    let (mut seated, mut receivers) = (Vec::new(), Vec::new());
    for seat in Seat::ALL {
        let (send_queue, receiver) = without_stream(64);
        let joiner = JoinRequest::of_person(ConnectionId(seat.index() as u64), send_queue);
        seated.push((
            JoinRequest {
                already_answered: true,
                ..joiner
            },
            seat,
        ));
        receivers.push(receiver);
    }
    let clock = clock.map(|clock| clock.parse().unwrap());
    lobby::open_room(
        ctx,
        "3x3:3".parse().unwrap(),
        clock,
        true,
        seated,
        Vec::new(),
    )
    .unwrap();
    let mut receivers: [SendQueueReceiver<RoomHandle>; 2] = receivers.try_into().unwrap();
    let QueueEvent::Outgoing(Outgoing::EnterRoom(handle)) = receivers[0].next().await else {
        panic!("no room")
    };
    (handle, receivers)
}

/// Makes both players leave.
fn leave_both(room: &RoomHandle) {
    for member in [0, 1] {
        let (member, id) = (ConnectionId(member), RequestId::new(20).unwrap());
        room.try_send(RoomRequest::Leave(member, id)).unwrap();
    }
}

/// Creates a request to play a cell after the event with this number.
fn move_request(member: u64, at: u64, cell: u16, seq: u64) -> RoomRequest {
    RoomRequest::Command {
        member: ConnectionId(member),
        at,
        id: RequestId::new(10 + seq).unwrap(),
        command: RoomCommand::Move {
            cell: Cell::new(cell),
            seq: Seq::new(seq),
        },
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_is_timed_by_its_arrival_and_time_is_monotonic() {
    let ctx = test_context();
    let (room, mut receivers) = room(&ctx, Some("3s+0")).await;
    let started_at = ctx.shared.time.now();
    // The first moves cost no time.
    room.try_send(move_request(0, started_at, 8, 4)).unwrap();
    room.try_send(move_request(1, started_at, 7, 5)).unwrap();
    tokio::time::sleep(Duration::from_millis(2_900)).await;
    room.try_send(move_request(0, started_at + 1_000, 4, 6))
        .unwrap();
    // The request was sent before O received the move of X. It counts as sent when that move was stored, not earlier.
    room.try_send(move_request(1, started_at + 500, 0, 7))
        .unwrap();
    let mut moves = Vec::new();
    while moves.len() < 4 {
        let QueueEvent::Outgoing(Outgoing::Text(text)) = receivers[0].next().await else {
            continue;
        };
        let Ok(Message::Events { events, .. }) = Message::parse(&text) else {
            continue;
        };
        moves.extend(events.into_iter().filter_map(|stamped| {
            let Event::Moved {
                left: Some(left), ..
            } = stamped.event
            else {
                return None;
            };
            Some((stamped.at, left))
        }));
    }
    assert_eq!(moves[2], (started_at + 1_000, [2_000, 3_000]));
    assert_eq!(moves[3], (started_at + 2_900, [2_000, 3_000]));
}

#[tokio::test(start_paused = true)]
async fn a_room_is_removed_when_a_flag_falls_after_both_players_left() {
    let ctx = test_context();
    let (room, _receivers) = room(&ctx, Some("3s+0")).await;
    leave_both(&room);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(ctx.shared.registry.len() == 0);
    assert_eq!(ctx.shared.metrics.room_tasks.get(), 0);
    assert_eq!(ctx.shared.metrics.games.get(), 1, "the flag ended the game");
}

#[tokio::test(start_paused = true)]
async fn a_room_is_removed_when_all_members_disconnected() {
    for clock in [None, Some("5+0")] {
        let ctx = test_context();
        let (room, receivers) = room(&ctx, clock).await;
        drop(receivers);
        room.request_sweep();
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(ctx.shared.registry.len(), 1, "the players may return");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(ctx.shared.registry.len() == 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_room_is_removed_when_its_creator_never_learns_of_it() {
    let ctx = test_context();
    let (send_queue, receiver) = without_stream(1);
    assert_eq!(
        send_queue.try_send(Outgoing::LeaveLobby),
        SendOutcome::Queued,
        "fills the queue"
    );
    let creator = JoinRequest::of_person(ConnectionId(0), send_queue);
    lobby::open_room(
        &ctx,
        "3x3:3".parse().unwrap(),
        None,
        true,
        vec![(creator, Seat::X)],
        Vec::new(),
    )
    .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(ctx.shared.registry.len(), 1);
    // The connection ends without a handle to the room.
    drop(receiver);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(
        ctx.shared.registry.len() == 0,
        "the disconnected creator is still a member"
    );
}

#[tokio::test(start_paused = true)]
async fn requests_queued_before_a_disconnect_are_handled_first() {
    let ctx = test_context();
    let (room, [mut x, o]) = room(&ctx, None).await;
    room.try_send(RoomRequest::Leave(
        ConnectionId(1),
        RequestId::new(2).unwrap(),
    ))
    .unwrap();
    drop(o);
    room.request_sweep();
    let text = loop {
        if let QueueEvent::Outgoing(Outgoing::Text(text)) = x.next().await
            && text.contains("presence")
        {
            break text;
        }
    };
    assert!(text.contains(r#""presence":"left""#), "{}", &*text);
}

#[tokio::test(start_paused = true)]
async fn requests_queued_before_shutdown_are_handled() {
    let ctx = test_context();
    let (room, mut receivers) = room(&ctx, None).await;
    ctx.shared.draining.cancel();
    for (seat, cell, seq) in [(0, 4, 4), (1, 0, 5)] {
        room.try_send(move_request(seat, ctx.shared.time.now(), cell, seq))
            .unwrap();
    }
    ctx.stopping.cancel();
    ctx.actors.close();
    ctx.actors.wait().await;
    let stored = ctx.shared.event_log.load(room.id()).await.unwrap();
    assert_eq!(stored.last_seq(), Seq::new(6), "both moves");
    let sent = std::iter::from_fn(|| receivers[0].try_next());
    let moved = |next: &QueueEvent<RoomHandle>| matches!(next, QueueEvent::Outgoing(Outgoing::Text(text)) if text.contains("moved"));
    assert_eq!(sent.filter(moved).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn members_are_disconnected_when_the_log_is_ahead_of_the_room() {
    let ctx = test_context();
    let (room, mut receivers) = room(&ctx, None).await;
    // A foreign writer appends a move, and replaces the events with a checkpoint.
    let id = room.id();
    let moved = Event::Moved {
        seat: Seat::X,
        cell: Cell::new(0),
        left: None,
    };
    let moved = EventRecord {
        seq: Seq::new(5),
        at: ctx.shared.time.now(),
        by: None,
        event: moved,
    };
    ctx.shared
        .event_log
        .append(id, vec![moved], None)
        .await
        .unwrap();
    let limits = Arc::clone(&ctx.limits);
    let other = Room::replay(&ctx.shared.event_log.load(id).await.unwrap(), limits, 0).unwrap();
    ctx.shared
        .event_log
        .checkpoint(id, other.checkpoint().unwrap())
        .await
        .unwrap();
    room.try_send(move_request(0, ctx.shared.time.now(), 4, 4))
        .unwrap();
    for receiver in &mut receivers {
        let close_code = async {
            loop {
                match receiver.next().await {
                    QueueEvent::Close(code) => return code,
                    QueueEvent::Outgoing(_) | QueueEvent::WritePending | QueueEvent::Behind => {}
                }
            }
        };
        let close_code = tokio::time::timeout(Duration::from_secs(60), close_code).await;
        assert_eq!(
            close_code,
            Ok(CloseCode::Internal),
            "the member keeps a state that contradicts the log"
        );
    }
}

#[test]
fn unseated_clients_fill_at_most_half_of_an_inbox() {
    let (seated, inbox) = room_channel(RoomId::from_bits(1), 4);
    let spectator = seated.without_seat();
    let lag = || RoomRequest::Lag(ConnectionId(0), 1);
    assert_eq!(
        [(); 3].map(|()| spectator.try_send(lag())),
        [Ok(()), Ok(()), Err(RejectCode::Busy)]
    );
    assert_eq!(
        [(); 3].map(|()| seated.try_send(lag())),
        [Ok(()), Ok(()), Err(RejectCode::Busy)]
    );
    assert_eq!(inbox.close(RejectCode::UnknownRoom).count(), 4);
    assert_eq!(spectator.try_send(lag()), Err(RejectCode::UnknownRoom));
    assert_eq!(seated.try_send(lag()), Err(RejectCode::UnknownRoom));
}

#[test]
fn a_room_whose_task_is_gone_without_having_closed_it_is_unavailable() {
    let (handle, inbox) = room_channel(RoomId::from_bits(1), 4);
    drop(inbox);
    assert_eq!(
        handle.try_send(RoomRequest::Lag(ConnectionId(0), 1)),
        Err(RejectCode::Unavailable)
    );
}

#[tokio::test(start_paused = true)]
async fn a_join_request_to_a_room_that_is_never_created_is_rejected() {
    let ctx = test_context();
    // The log contains a room with the id that the generator yields next, and rejects a second room.
    let room = ServerRng::from_seed(1).new_room_id();
    let secrets = RoomSecrets {
        room,
        code: None,
        tokens: [ResumeToken::from_bits(0); 2],
        parties: [None; 2],
        left: [false; 2],
    };
    ctx.shared.event_log.create(secrets, vec![]).await.unwrap();
    lobby::open_room(&ctx, "3x3:3".parse().unwrap(), None, true, vec![], vec![]).unwrap();
    let (send_queue, mut receiver) = without_stream(64);
    let joiner = Box::new(JoinRequest::of_person(ConnectionId(1), send_queue));
    let handle = ctx
        .shared
        .registry
        .find(RoomRef::Id(room))
        .expect("a room is registered before it is created");
    handle.try_send(RoomRequest::Watch(joiner)).unwrap();
    drop(handle);
    let response = tokio::time::timeout(Duration::from_secs(60), async {
        assert!(matches!(
            receiver.next().await,
            QueueEvent::Outgoing(Outgoing::LeaveLobby)
        ));
        receiver.next().await
    });
    let Ok(QueueEvent::Outgoing(Outgoing::Text(answer))) = response.await else {
        panic!("no answer")
    };
    assert!(answer.contains("unknown_room"), "{}", &*answer);
}

/// Resumes the seat of X in the only room of a run. Returns the receiver of the new connection.
async fn resume_x(
    ctx: &ServerContext,
    member: ConnectionId,
    yields_to_holder: bool,
) -> SendQueueReceiver<RoomHandle> {
    let secrets = ctx.shared.event_log.recover().await.unwrap()[0].0;
    let token = secrets.token(Seat::X, 1);
    let room = ctx
        .shared
        .registry
        .find_by_token(secrets.room, token)
        .unwrap();
    let (send_queue, receiver) = without_stream(64);
    let joiner = JoinRequest {
        already_answered: true,
        yields_to_holder,
        ..JoinRequest::of_person(member, send_queue)
    };
    room.try_send(RoomRequest::Resume(Box::new(joiner), Some(token), None))
        .unwrap();
    receiver
}

/// Returns whether the connection was closed as replaced, after all messages before.
async fn is_replaced(receiver: &mut SendQueueReceiver<RoomHandle>) -> bool {
    let closed = async {
        loop {
            if let QueueEvent::Close(code) = receiver.next().await {
                return code == CloseCode::Replaced;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(1), closed)
        .await
        .unwrap_or(false)
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_may_be_older_does_not_replace_the_holder_of_a_seat() {
    let ctx = test_context();
    let (_room, [mut holder, _o]) = room(&ctx, None).await;
    let mut older = resume_x(&ctx, ConnectionId(7), true).await;
    assert!(is_replaced(&mut older).await && !is_replaced(&mut holder).await);
    let mut newer = resume_x(&ctx, ConnectionId(8), false).await;
    assert!(is_replaced(&mut holder).await && !is_replaced(&mut newer).await);
    drop((holder, newer));
    let mut returning = resume_x(&ctx, ConnectionId(9), true).await;
    assert!(
        !is_replaced(&mut returning).await,
        "the seat had no connection"
    );
}

/// Resumes the seat of X in the only room of a run. Returns the time of the snapshot and the clocks.
async fn clock_after_restart(ctx: &ServerContext) -> (u64, [u64; 2]) {
    let mut receiver = resume_x(ctx, ConnectionId(7), false).await;
    loop {
        let QueueEvent::Outgoing(Outgoing::Text(text)) = receiver.next().await else {
            continue;
        };
        if let Ok(Message::Snapshot { state, .. }) = Message::parse(&text) {
            return (state.at, state.left.unwrap());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_clock_runs_from_the_last_move_to_the_end_of_an_outage_after_any_number_of_kills() {
    let log = Arc::new(MemoryLog::default());
    let day = 86_400_000;
    let grace = ServerLimits::default().drain_timeout.as_millis() as u64;
    // X does not move after the first run. The clock of the machine advances by a day for each run, and is set back
    // before the last run.
    for (run, began) in [day, 2 * day, 3 * day, day].into_iter().enumerate() {
        let ctx = test_context_with(&log, began);
        restoration::reopen_rooms(&ctx).await.unwrap();
        let stopped_ms = if run == 0 {
            room(&ctx, Some("10+0")).await;
            0
        } else {
            assert_eq!(
                clock_after_restart(&ctx).await,
                (began, [600_000; 2]),
                "run {run}"
            );
            grace
        };
        tokio::time::sleep(Duration::from_secs(50)).await;
        assert_eq!(
            clock_after_restart(&ctx).await.1[0],
            550_000 + stopped_ms,
            "run {run}"
        );
        ctx.stopping.cancel();
    }
}

const START: u64 = 1_000_000;

fn room_clock(last_event_at: u64) -> RoomClock {
    RoomClock::new(&ServerClock::from_unix_ms(START), last_event_at)
}

#[tokio::test(start_paused = true)]
async fn time_starts_at_the_last_event() {
    let clock = room_clock(START + 500);
    assert_eq!(clock.now(), START + 500);
    assert_eq!(clock.judged_at(START), START + 500);
    assert_eq!(clock.judged_at(START + 20), START + 520);
}

#[tokio::test(start_paused = true)]
async fn time_stands_still_from_the_first_stop_until_it_resumes() {
    let mut clock = room_clock(START);
    tokio::time::advance(Duration::from_millis(100)).await;
    clock.stop_at(START + 40);
    clock.stop_at(START + 90);
    tokio::time::advance(Duration::from_millis(100)).await;
    assert_eq!(clock.now(), START + 40);
    assert_eq!(clock.judged_at(START + 190), START + 40);
    assert_eq!(clock.server_now(), START + 200);
    assert_eq!(clock.resume(START + 40), 160);
    assert_eq!(clock.now(), START + 200);
    assert_eq!(
        clock.judged_at(START + 150),
        START + 200,
        "not before the last recorded time"
    );
    assert_eq!(clock.resume(START + 200), 0);
}

#[test]
fn the_limits_of_a_seat_are_independent() {
    let mut limits = SeatRateLimits::new(&ServerLimits {
        takeovers: 2,
        offer_burst: 3,
        ..ServerLimits::default()
    });
    for _ in 0..2 {
        assert_eq!(limits.try_take_over(Seat::X, 0), Ok(()));
    }
    assert_eq!(limits.try_take_over(Seat::X, 0), Err(1000));
    assert_eq!(limits.try_take_over(Seat::O, 0), Ok(()), "the other seat");
    for _ in 0..REMARK_BURST {
        assert_eq!(limits.try_remark(Seat::X, 0), Ok(()));
    }
    assert_eq!(limits.try_remark(Seat::X, 0), Err(500));
    assert_eq!(limits.try_take_over(Seat::X, 1000), Ok(()));
    for _ in 0..3 {
        assert_eq!(limits.try_offer(Seat::O, 1000), Ok(()));
    }
    assert_eq!(limits.try_offer(Seat::O, 1000), Err(OFFER_INTERVAL_MS));
    assert_eq!(limits.try_offer(Seat::X, 1000), Ok(()));
    assert_eq!(limits.try_offer(Seat::O, 1000 + OFFER_INTERVAL_MS), Ok(()));
    for _ in 0..PHRASE_BURST {
        assert_eq!(limits.try_say(Seat::X, 1000), Ok(()));
    }
    assert_eq!(limits.try_say(Seat::X, 1000), Err(PHRASE_INTERVAL_MS));
    assert_eq!(limits.try_say(Seat::O, 1000), Ok(()), "the other seat");
    limits.reset_offers();
    assert_eq!(
        limits.try_offer(Seat::O, 1000 + OFFER_INTERVAL_MS),
        Ok(()),
        "a new game"
    );
}
