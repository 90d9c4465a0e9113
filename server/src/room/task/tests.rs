//! The actor in paused time: what happens by itself happens, whoever is there to see it.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::{Kind, Player, RequestId, Seat};

use crate::config::Limits;
use crate::dice::Dice;
use crate::host::Host;
use crate::lobby::task as lobby;
use crate::log::MemoryLog;
use crate::outbox::{Inlet, Next, Out, outbox};
use crate::room::audience::MemberId;
use crate::room::handle::{Ask, Newcomer, RoomHandle};
use crate::time::Time;

fn host() -> Host {
    let (lobby, _) = lobby::handle(1);
    let log = Arc::new(MemoryLog::default());
    Host::new(Limits::default(), log, Dice::from_seed(1), Time::at(1), lobby)
}

/// Two players at a board, and the way to their room.
async fn room(host: &Host, clock: Option<&str>) -> (RoomHandle, [Inlet; 2]) {
    let (mut seated, mut inlets) = (Vec::new(), Vec::new());
    for seat in Seat::ALL {
        let (outbox, inlet) = outbox(64);
        let player = Player { name: "Ann".parse().unwrap(), kind: Kind::Human };
        let member = MemberId(seat.index() as u64);
        let asked = RequestId::new(1).unwrap();
        seated.push((Newcomer { member, outbox, player, asked, answered: true }, seat));
        inlets.push(inlet);
    }
    let clock = clock.map(|clock| clock.parse().unwrap());
    lobby::open(host, "3x3:3".parse().unwrap(), clock, true, seated, Vec::new()).unwrap();
    let mut inlets: [Inlet; 2] = inlets.try_into().unwrap();
    let Next::Out(Out::Enter(handle)) = inlets[0].next().await else { panic!("no room") };
    (handle, inlets)
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
        let (room, _inlets) = room(&host, clock).await;
        for member in [0, 1] {
            room.gone(MemberId(member)).await;
        }
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(host.registry.len(), 1, "they may come back");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(host.registry.is_empty());
    }
}
