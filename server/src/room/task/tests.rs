//! The actor in paused time: what happens by itself happens, whoever is there to see it.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Message, RejectCode, RoomCommand};
use noughts_protocol::{
    Cell, Event, EventRecord, Player, PlayerKind, RequestId, ResumeToken, RoomId, RoomRef, Seat, Seq,
};

use crate::config::ServerLimits;
use crate::context::ServerContext;
use crate::fault_injection::InjectedFaults;
use crate::lobby::handle::lobby_channel;
use crate::lobby::task as lobby;
use crate::rng::ServerRng;
use crate::room::handle::{JoinRequest, RoomHandle, RoomRequest, room_channel};
use crate::room::members::MemberId;
use crate::room::{Room, RoomTimeouts};
use crate::send_queue::{Outgoing, QueueEvent, SendOutcome, SendQueueReceiver, without_stream};
use crate::store::{MemoryLog, RoomSecrets};
use crate::time::server_clock::ServerClock;
use crate::time::uptime::ASSUMED_APPEND_MS;

fn test_context() -> ServerContext {
    test_context_with(&Arc::new(MemoryLog::default()), 1)
}

/// Another run on the same log.
fn test_context_with(log: &Arc<MemoryLog>, now: u64) -> ServerContext {
    let (lobby, _) = lobby_channel(1);
    ServerContext::new(
        ServerLimits::default(),
        Arc::clone(log) as _,
        ServerRng::from_seed(1),
        ServerClock::from_unix_ms(now),
        lobby,
    )
}

/// Two players at a board, and the way to their room.
async fn room(host: &ServerContext, clock: Option<&str>) -> (RoomHandle, [SendQueueReceiver<RoomHandle>; 2]) {
    let (mut seated, mut inlets) = (Vec::new(), Vec::new());
    for seat in Seat::ALL {
        let (outbox, inlet) = without_stream(64);
        let player = Player { name: "Ann".parse().unwrap(), kind: PlayerKind::Human };
        let member = MemberId(seat.index() as u64);
        let asked = RequestId::new(1).unwrap();
        seated.push((
            JoinRequest {
                member,
                send_queue: outbox,
                player,
                party: None,
                request_id: asked,
                already_answered: true,
                wants_remarks: false,
            },
            seat,
        ));
        inlets.push(inlet);
    }
    let clock = clock.map(|clock| clock.parse().unwrap());
    lobby::open_room(host, "3x3:3".parse().unwrap(), clock, true, seated, Vec::new()).unwrap();
    let mut inlets: [SendQueueReceiver<RoomHandle>; 2] = inlets.try_into().unwrap();
    let QueueEvent::Outgoing(Outgoing::EnterRoom(handle)) = inlets[0].next().await else { panic!("no room") };
    (handle, inlets)
}

#[tokio::test(start_paused = true)]
async fn a_move_is_timed_by_its_arrival_and_time_is_monotonic() {
    let host = test_context();
    let (room, mut inlets) = room(&host, Some("3s+0")).await;
    let begun = host.shared.time.now();
    tokio::time::sleep(Duration::from_millis(2_900)).await;
    let place = |seat: Seat, at, cell, seq| RoomRequest::Command {
        member: MemberId(seat.index() as u64),
        at,
        id: RequestId::new(9).unwrap(),
        command: RoomCommand::Move { cell: Cell::new(cell), seq: Seq::new(seq) },
    };
    room.try_send(place(Seat::X, begun + 1_000, 4, 4)).unwrap();
    // Before it is known to O: not before O's clock ran.
    room.try_send(place(Seat::O, begun + 500, 0, 5)).unwrap();
    let mut moves = Vec::new();
    while moves.len() < 2 {
        let QueueEvent::Outgoing(Outgoing::Text(text)) = inlets[0].next().await else { continue };
        let Ok(Message::Events { events, .. }) = Message::parse(&text) else { continue };
        moves.extend(events.into_iter().filter_map(|stamped| {
            let Event::Moved { left: Some(left), .. } = stamped.event else { return None };
            Some((stamped.at, left))
        }));
    }
    assert_eq!(moves[0], (begun + 1_000, [2_000, 3_000]));
    assert_eq!(moves[1], (begun + 2_900, [2_000, 3_000]));
}

#[tokio::test(start_paused = true)]
async fn a_room_is_removed_when_a_flag_falls_after_both_players_left() {
    let host = test_context();
    let (room, _inlets) = room(&host, Some("3s+0")).await;
    for member in [0, 1] {
        room.try_send(RoomRequest::Leave(MemberId(member), RequestId::new(2).unwrap())).unwrap();
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(host.shared.registry.is_empty());
    assert_eq!(host.shared.metrics.room_tasks.get(), 0);
    assert_eq!(host.shared.metrics.games.get(), 1, "the flag ended the game");
}

#[tokio::test(start_paused = true)]
async fn a_room_is_removed_when_all_members_disconnected() {
    for clock in [None, Some("5+0")] {
        let host = test_context();
        let (room, inlets) = room(&host, clock).await;
        drop(inlets);
        room.request_sweep();
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(host.shared.registry.len(), 1, "they may come back");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(host.shared.registry.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_room_is_removed_when_its_creator_never_learns_of_it() {
    let host = test_context();
    let (outbox, inlet) = without_stream(1);
    assert_eq!(
        outbox.try_send(Outgoing::LeaveLobby),
        SendOutcome::Queued,
        "something else waits for the connection"
    );
    let player = Player { name: "Ann".parse().unwrap(), kind: PlayerKind::Human };
    let founder = JoinRequest {
        member: MemberId(0),
        send_queue: outbox,
        player,
        party: None,
        request_id: RequestId::new(1).unwrap(),
        already_answered: false,
        wants_remarks: false,
    };
    lobby::open_room(&host, "3x3:3".parse().unwrap(), None, true, vec![(founder, Seat::X)], Vec::new())
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(host.shared.registry.len(), 1);
    // The connection ends, and knows of no room to ring at.
    drop(inlet);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(host.shared.registry.is_empty(), "a ghost is in it");
}

#[tokio::test(start_paused = true)]
async fn requests_queued_before_a_disconnect_are_handled_first() {
    let host = test_context();
    let (room, [mut x, o]) = room(&host, None).await;
    room.try_send(RoomRequest::Leave(MemberId(1), RequestId::new(2).unwrap())).unwrap();
    drop(o);
    room.request_sweep();
    let told = loop {
        if let QueueEvent::Outgoing(Outgoing::Text(text)) = x.next().await
            && text.contains("presence")
        {
            break text;
        }
    };
    assert!(told.contains(r#""presence":"left""#), "{}", &*told);
}

#[tokio::test(start_paused = true)]
async fn requests_queued_before_shutdown_are_handled() {
    let host = test_context();
    let (room, mut inlets) = room(&host, None).await;
    host.shared.draining.cancel();
    for (seat, cell, seq) in [(0, 4, 4), (1, 0, 5)] {
        let (at, command) =
            (host.shared.time.now(), RoomCommand::Move { cell: Cell::new(cell), seq: Seq::new(seq) });
        let id = RequestId::new(9).unwrap();
        room.try_send(RoomRequest::Command { member: MemberId(seat), at, id, command }).unwrap();
    }
    host.stopping.cancel();
    host.actors.close();
    host.actors.wait().await;
    let stored = host.shared.event_log.load(room.id()).await.unwrap();
    assert_eq!(stored.last_seq(), Seq::new(6), "both moves");
    let told = std::iter::from_fn(|| inlets[0].try_next());
    let moved = |next: &QueueEvent<RoomHandle>| matches!(next, QueueEvent::Outgoing(Outgoing::Text(text)) if text.contains("moved"));
    assert_eq!(told.filter(moved).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn members_are_disconnected_when_the_log_is_ahead_of_the_room() {
    let host = test_context();
    let (room, mut inlets) = room(&host, None).await;
    // Another writer, which no server has: a move, and an image in place of what led to it.
    let id = room.id();
    let moved = Event::Moved { seat: Seat::X, cell: Cell::new(0), left: None };
    let moved = EventRecord { seq: Seq::new(5), at: host.shared.time.now(), by: None, event: moved };
    host.shared.event_log.append(id, vec![moved], None).await.unwrap();
    let patience = RoomTimeouts::new(&host.limits).into();
    let other = Room::replay(&host.shared.event_log.load(id).await.unwrap(), patience, 0).unwrap();
    host.shared.event_log.checkpoint(id, other.checkpoint().unwrap()).await.unwrap();
    let command = RoomCommand::Move { cell: Cell::new(4), seq: Seq::new(4) };
    let (at, request) = (host.shared.time.now(), RequestId::new(9).unwrap());
    room.try_send(RoomRequest::Command { member: MemberId(0), at, id: request, command }).unwrap();
    for inlet in &mut inlets {
        let cut = async {
            loop {
                match inlet.next().await {
                    QueueEvent::Close(code) => return code,
                    QueueEvent::Outgoing(_) | QueueEvent::WritePending | QueueEvent::Lagging => {}
                }
            }
        };
        let cut = tokio::time::timeout(Duration::from_secs(60), cut).await;
        assert_eq!(cut, Ok(CloseCode::Internal), "it is left on a view that the log contradicts");
    }
}

#[test]
fn unseated_clients_fill_at_most_half_of_an_inbox() {
    let (seated, inbox) = room_channel(RoomId::from_bits(1), 4);
    let stranger = seated.without_seat();
    let lag = || RoomRequest::Lag(MemberId(0), 1);
    assert_eq!([(); 3].map(|()| stranger.try_send(lag())), [Ok(()), Ok(()), Err(RejectCode::Busy)]);
    assert_eq!([(); 3].map(|()| seated.try_send(lag())), [Ok(()), Ok(()), Err(RejectCode::Busy)]);
    assert_eq!(inbox.close().count(), 4);
    assert_eq!(stranger.try_send(lag()), Err(RejectCode::UnknownRoom));
    assert_eq!(seated.try_send(lag()), Err(RejectCode::UnknownRoom));
}

#[tokio::test(start_paused = true)]
async fn a_join_request_to_a_room_that_is_never_created_is_rejected() {
    let host = test_context();
    // The log has a room of the name that the dice will give, and founds no second one.
    let room = ServerRng::from_seed(1).new_room_id();
    let founding =
        RoomSecrets { room, code: None, tokens: [ResumeToken::from_bits(0); 2], parties: [None; 2] };
    host.shared.event_log.create(founding, vec![]).await.unwrap();
    lobby::open_room(&host, "3x3:3".parse().unwrap(), None, true, vec![], vec![]).unwrap();
    let (outbox, mut inlet) = without_stream(64);
    let player = Player { name: "Ann".parse().unwrap(), kind: PlayerKind::Human };
    let asked = RequestId::new(1).unwrap();
    let newcomer = Box::new(JoinRequest {
        member: MemberId(1),
        send_queue: outbox,
        player,
        party: None,
        request_id: asked,
        already_answered: false,
        wants_remarks: false,
    });
    let there = host.shared.registry.find(RoomRef::Id(room)).expect("findable from the start");
    there.try_send(RoomRequest::Watch(newcomer)).unwrap();
    drop(there);
    let answered = tokio::time::timeout(Duration::from_secs(60), async {
        assert!(matches!(inlet.next().await, QueueEvent::Outgoing(Outgoing::LeaveLobby)));
        inlet.next().await
    });
    let Ok(QueueEvent::Outgoing(Outgoing::Text(answer))) = answered.await else { panic!("no answer") };
    assert!(answer.contains("unknown_room"), "{}", &*answer);
}

/// What X, who comes back to the only room of a run, has on its clock, and when.
async fn clock_after_restart(host: &ServerContext) -> (u64, [u64; 2]) {
    let founding = host.shared.event_log.recover().await.unwrap()[0].0;
    let token = founding.token(Seat::X, 1);
    let room =
        host.shared.registry.find_by_token(founding.room, token, InjectedFaults::NONE).expect("open again");
    let (outbox, mut inlet) = without_stream(64);
    let player = Player { name: "Ann".parse().unwrap(), kind: PlayerKind::Human };
    let asked = RequestId::new(1).unwrap();
    let (member, party, remarks, answered) = (MemberId(7), None, false, false);
    let newcomer = JoinRequest {
        member,
        send_queue: outbox,
        player,
        party,
        wants_remarks: remarks,
        request_id: asked,
        already_answered: answered,
    };
    room.try_send(RoomRequest::Resume(Box::new(newcomer), token, None)).unwrap();
    loop {
        let QueueEvent::Outgoing(Outgoing::Text(text)) = inlet.next().await else { continue };
        if let Ok(Message::Snapshot { state, .. }) = Message::parse(&text) {
            return (state.at, state.left.unwrap());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_outage_is_excluded_after_any_number_of_kills() {
    let log = Arc::new(MemoryLog::default());
    let day = 86_400_000;
    let back = ServerLimits::default().drain_timeout.as_millis() as u64;
    let mut left = 600_000;
    // X has not moved since the first run. The machine's clock goes on by a day each time, and at last back.
    for (run, began) in [day, 2 * day, 3 * day, day].into_iter().enumerate() {
        let host = test_context_with(&log, began);
        lobby::reopen_rooms(&host).await.unwrap();
        host.shared.heartbeat.start(back);
        if run == 0 {
            room(&host, Some("10+0")).await;
        } else {
            assert_eq!(clock_after_restart(&host).await, (began, [left, 600_000]), "run {run}");
        }
        let beating = host.clone();
        let beat =
            tokio::spawn(
                async move { beating.shared.heartbeat.run(&*beating.shared.event_log, || true).await },
            );
        // Thinks for 50 s, the last 300 ms of them behind the last beat.
        tokio::time::sleep(Duration::from_millis(50_300)).await;
        let before = if run == 0 { 50_300 } else { 50_300 - back };
        assert_eq!(clock_after_restart(&host).await.1[0], left - before, "run {run}");
        beat.abort();
        host.stopping.cancel();
        left -= 50_000 - back;
        if run == 0 {
            // Founding it may have taken so long.
            left += ASSUMED_APPEND_MS;
        }
    }
    let host = test_context_with(&log, 4 * day);
    lobby::reopen_rooms(&host).await.unwrap();
    // Nobody knows what was before what: all but the last run is given back.
    assert_eq!(clock_after_restart(&host).await.1[0], 600_000 + ASSUMED_APPEND_MS + back - 50_000);
}
