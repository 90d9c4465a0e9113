//! The actor in paused time: what happens by itself happens, whoever is there to see it.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Command, Message, RejectCode};
use noughts_protocol::{
    Cell, Event, Kind, Player, RequestId, ResumeToken, RoomId, RoomRef, Seat, Seq, Stamped,
};

use crate::config::Limits;
use crate::dice::Dice;
use crate::fault::Faults;
use crate::host::Host;
use crate::lived::UNNOTED;
use crate::lobby::task as lobby;
use crate::log::{Founding, MemoryLog};
use crate::outbox::{Inlet, Next, Offered, Out, outbox};
use crate::room::audience::MemberId;
use crate::room::handle::{Ask, Newcomer, RoomHandle, handle};
use crate::room::{Patience, Room};
use crate::time::Time;

fn host() -> Host {
    host_on(&Arc::new(MemoryLog::default()), 1)
}

/// Another run on the same log.
fn host_on(log: &Arc<MemoryLog>, now: u64) -> Host {
    let (lobby, _) = lobby::handle(1);
    Host::new(Limits::default(), Arc::clone(log) as _, Dice::from_seed(1), Time::at(now), lobby)
}

/// Two players at a board, and the way to their room.
async fn room(host: &Host, clock: Option<&str>) -> (RoomHandle, [Inlet; 2]) {
    let (mut seated, mut inlets) = (Vec::new(), Vec::new());
    for seat in Seat::ALL {
        let (outbox, inlet) = outbox(64);
        let player = Player { name: "Ann".parse().unwrap(), kind: Kind::Human };
        let member = MemberId(seat.index() as u64);
        let asked = RequestId::new(1).unwrap();
        seated.push((
            Newcomer { member, outbox, player, party: None, asked, answered: true, remarks: false },
            seat,
        ));
        inlets.push(inlet);
    }
    let clock = clock.map(|clock| clock.parse().unwrap());
    lobby::open(host, "3x3:3".parse().unwrap(), clock, true, seated, Vec::new()).unwrap();
    let mut inlets: [Inlet; 2] = inlets.try_into().unwrap();
    let Next::Out(Out::Enter(handle)) = inlets[0].next().await else { panic!("no room") };
    (handle, inlets)
}

#[tokio::test(start_paused = true)]
async fn a_move_is_judged_as_of_its_arrival_and_time_goes_not_back() {
    let host = host();
    let (room, mut inlets) = room(&host, Some("3s+0")).await;
    let begun = host.time.now();
    tokio::time::sleep(Duration::from_millis(2_900)).await;
    let place = |seat: Seat, at, cell, seq| Ask::Command {
        member: MemberId(seat.index() as u64),
        at,
        id: RequestId::new(9).unwrap(),
        command: Command::Move { cell: Cell::new(cell), seq: Seq::new(seq) },
    };
    room.ask(place(Seat::X, begun + 1_000, 4, 4)).unwrap();
    // Before it is known to O: not before O's clock ran.
    room.ask(place(Seat::O, begun + 500, 0, 5)).unwrap();
    let mut moves = Vec::new();
    while moves.len() < 2 {
        let Next::Out(Out::Text(text)) = inlets[0].next().await else { continue };
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
async fn nothing_is_left_of_a_room_whose_flag_falls_after_both_have_left() {
    let host = host();
    let (room, _inlets) = room(&host, Some("3s+0")).await;
    for member in [0, 1] {
        room.ask(Ask::Leave(MemberId(member), RequestId::new(2).unwrap())).unwrap();
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(host.registry.is_empty());
    assert_eq!(host.metrics.room_tasks.get(), 0);
    assert_eq!(host.metrics.games.get(), 1, "the flag ended the game");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_room_whose_connections_have_gone() {
    for clock in [None, Some("5+0")] {
        let host = host();
        let (room, inlets) = room(&host, clock).await;
        drop(inlets);
        room.ring();
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(host.registry.len(), 1, "they may come back");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(host.registry.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_room_that_could_not_tell_its_founder_so() {
    let host = host();
    let (outbox, inlet) = outbox(1);
    assert_eq!(outbox.offer(Out::Idle), Offered::Queued, "something else waits for the connection");
    let player = Player { name: "Ann".parse().unwrap(), kind: Kind::Human };
    let founder = Newcomer {
        member: MemberId(0),
        outbox,
        player,
        party: None,
        asked: RequestId::new(1).unwrap(),
        answered: false,
        remarks: false,
    };
    lobby::open(&host, "3x3:3".parse().unwrap(), None, true, vec![(founder, Seat::X)], Vec::new()).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(host.registry.len(), 1);
    // The connection ends, and knows of no room to ring at.
    drop(inlet);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(host.registry.is_empty(), "a ghost is in it");
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_before_the_end_comes_before_it() {
    let host = host();
    let (room, [mut x, o]) = room(&host, None).await;
    room.ask(Ask::Leave(MemberId(1), RequestId::new(2).unwrap())).unwrap();
    drop(o);
    room.ring();
    let told = loop {
        if let Next::Out(Out::Text(text)) = x.next().await
            && text.contains("presence")
        {
            break text;
        }
    };
    assert!(told.contains(r#""presence":"left""#), "{}", &*told);
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_before_a_stop_is_done() {
    let host = host();
    let (room, mut inlets) = room(&host, None).await;
    host.draining.cancel();
    for (seat, cell, seq) in [(0, 4, 4), (1, 0, 5)] {
        let (at, command) = (host.time.now(), Command::Move { cell: Cell::new(cell), seq: Seq::new(seq) });
        let id = RequestId::new(9).unwrap();
        room.ask(Ask::Command { member: MemberId(seat), at, id, command }).unwrap();
    }
    host.stopping.cancel();
    host.actors.close();
    host.actors.wait().await;
    let stored = host.log.load(room.id()).await.unwrap();
    assert_eq!(stored.last_seq(), Seq::new(6), "both moves");
    let told = std::iter::from_fn(|| inlets[0].try_next());
    let moved = |next: &Next| matches!(next, Next::Out(Out::Text(text)) if text.contains("moved"));
    assert_eq!(told.filter(moved).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn members_are_cut_off_when_the_log_has_gone_on_without_the_room() {
    let host = host();
    let (room, mut inlets) = room(&host, None).await;
    // Another writer, which no server has: a move, and an image in place of what led to it.
    let id = room.id();
    let moved = Event::Moved { seat: Seat::X, cell: Cell::new(0), left: None };
    let moved = Stamped { seq: Seq::new(5), at: host.time.now(), by: None, event: moved };
    host.log.append(id, vec![moved], None).await.unwrap();
    let patience = Patience::new(&host.limits).into();
    let other = Room::replay(&host.log.load(id).await.unwrap(), patience, 0).unwrap();
    host.log.keep(id, other.image().unwrap()).await.unwrap();
    let command = Command::Move { cell: Cell::new(4), seq: Seq::new(4) };
    let (at, request) = (host.time.now(), RequestId::new(9).unwrap());
    room.ask(Ask::Command { member: MemberId(0), at, id: request, command }).unwrap();
    for inlet in &mut inlets {
        let cut = async {
            loop {
                match inlet.next().await {
                    Next::Cut(code) => return code,
                    Next::Out(_) | Next::Unsent | Next::Behind => {}
                }
            }
        };
        let cut = tokio::time::timeout(Duration::from_secs(60), cut).await;
        assert_eq!(cut, Ok(CloseCode::Internal), "it is left on a view that the log contradicts");
    }
}

#[test]
fn strangers_fill_no_more_than_their_share_of_an_inbox() {
    let (seated, inbox) = handle(RoomId::from_bits(1), 4);
    let stranger = seated.unseated();
    let lag = || Ask::Lag(MemberId(0), 1);
    assert_eq!([(); 3].map(|()| stranger.ask(lag())), [Ok(()), Ok(()), Err(RejectCode::Busy)]);
    assert_eq!([(); 3].map(|()| seated.ask(lag())), [Ok(()), Ok(()), Err(RejectCode::Busy)]);
    assert_eq!(inbox.close().count(), 4);
    assert_eq!(stranger.ask(lag()), Err(RejectCode::UnknownRoom));
    assert_eq!(seated.ask(lag()), Err(RejectCode::UnknownRoom));
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_a_room_that_never_comes_to_be_is_answered() {
    let host = host();
    // The log has a room of the name that the dice will give, and founds no second one.
    let room = Dice::from_seed(1).room();
    let founding = Founding { room, code: None, tokens: [ResumeToken::from_bits(0); 2], parties: [None; 2] };
    host.log.create(founding, vec![]).await.unwrap();
    lobby::open(&host, "3x3:3".parse().unwrap(), None, true, vec![], vec![]).unwrap();
    let (outbox, mut inlet) = outbox(64);
    let player = Player { name: "Ann".parse().unwrap(), kind: Kind::Human };
    let asked = RequestId::new(1).unwrap();
    let newcomer = Box::new(Newcomer {
        member: MemberId(1),
        outbox,
        player,
        party: None,
        asked,
        answered: false,
        remarks: false,
    });
    let there = host.registry.find(RoomRef::Id(room)).expect("findable from the start");
    there.ask(Ask::Watch(newcomer)).unwrap();
    drop(there);
    let answered = tokio::time::timeout(Duration::from_secs(60), async {
        assert!(matches!(inlet.next().await, Next::Out(Out::Idle)));
        inlet.next().await
    });
    let Ok(Next::Out(Out::Text(answer))) = answered.await else { panic!("no answer") };
    assert!(answer.contains("unknown_room"), "{}", &*answer);
}

/// What X, who comes back to the only room of a run, has on its clock, and when.
async fn left_at(host: &Host) -> (u64, [u64; 2]) {
    let founding = host.log.recover().await.unwrap()[0].0;
    let token = founding.token(Seat::X, 1);
    let room = host.registry.held(founding.room, token, Faults::NONE).expect("open again");
    let (outbox, mut inlet) = outbox(64);
    let player = Player { name: "Ann".parse().unwrap(), kind: Kind::Human };
    let asked = RequestId::new(1).unwrap();
    let (member, party, remarks, answered) = (MemberId(7), None, false, false);
    let newcomer = Newcomer { member, outbox, player, party, remarks, asked, answered };
    room.ask(Ask::Resume(Box::new(newcomer), token, None)).unwrap();
    loop {
        let Next::Out(Out::Text(text)) = inlet.next().await else { continue };
        if let Ok(Message::Snapshot { state, .. }) = Message::parse(&text) {
            return (state.at, state.left.unwrap());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_kill_only_the_outage_counts_for_nobody_however_often() {
    let log = Arc::new(MemoryLog::default());
    let day = 86_400_000;
    let back = Limits::default().drain.as_millis() as u64;
    let mut left = 600_000;
    // X has not moved since the first run. The machine's clock goes on by a day each time, and at last back.
    for (run, began) in [day, 2 * day, 3 * day, day].into_iter().enumerate() {
        let host = host_on(&log, began);
        lobby::reopen(&host).await.unwrap();
        host.pulse.begin(back);
        if run == 0 {
            room(&host, Some("10+0")).await;
        } else {
            assert_eq!(left_at(&host).await, (began, [left, 600_000]), "run {run}");
        }
        let beating = host.clone();
        let beat = tokio::spawn(async move { beating.pulse.run(&*beating.log, || true).await });
        // Thinks for 50 s, the last 300 ms of them behind the last beat.
        tokio::time::sleep(Duration::from_millis(50_300)).await;
        let before = if run == 0 { 50_300 } else { 50_300 - back };
        assert_eq!(left_at(&host).await.1[0], left - before, "run {run}");
        beat.abort();
        host.stopping.cancel();
        left -= 50_000 - back;
        if run == 0 {
            // Founding it may have taken so long.
            left += UNNOTED;
        }
    }
    let host = host_on(&log, 4 * day);
    lobby::reopen(&host).await.unwrap();
    // Nobody knows what was before what: all but the last run is given back.
    assert_eq!(left_at(&host).await.1[0], 600_000 + UNNOTED + back - 50_000);
}
