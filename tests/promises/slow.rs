//! P9: those who do not read.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Command, Lobby, Message, Request};
use noughts_protocol::{Offer, RequestId, RoomRef, Seat};
use noughts_server::fault::Faults;
use noughts_tests::peer::Peer;
use noughts_tests::raw::Raw;
use noughts_tests::server::Server;

use crate::{patience, server};

async fn patient(faults: Faults) -> Server {
    server(faults, |setup| (setup.limits.outbox, setup.limits.write) = (8, Duration::from_secs(60))).await
}

/// A line in a room that reads nothing from here on.
async fn deaf(server: &Server, lobby: Lobby) -> Raw {
    let mut raw = Raw::narrow(server.address()).await;
    raw.upgrade().await;
    raw.greet().await;
    raw.request(&Request::lobby(RequestId::new(1).expect("small"), lobby)).await;
    while !matches!(raw.message().await, Message::Snapshot { .. }) {}
    raw.stuff(server).await;
    raw
}

async fn host(server: &Server) -> (Peer, RoomRef) {
    let mut host = server.peer("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::X), true).await;
    (host, room)
}

async fn talk(host: &mut Peer, rounds: usize) {
    for _ in 0..rounds {
        host.offer(Offer::Draw).await.expect("none is on the table");
        host.command(Command::Decline { offer: Offer::Draw }).await.expect("its own");
    }
}

pub(super) fn who_does_not_read_delays_nobody(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = patient(faults).await;
        let (mut host, room) = host(&server).await;
        let mut guest = server.peer("Guest").await;
        guest.join(room).await.expect("free");
        host.caught_up(guest.game().seq()).await;
        let _deaf = deaf(&server, Lobby::Watch { room, remarks: false }).await;
        let talked = tokio::time::timeout(patience(faults), talk(&mut host, 30)).await;
        assert!(talked.is_ok(), "the others wait for one who does not read");
        guest.caught_up(host.game().seq()).await;
    }
    .boxed_local()
}

pub(super) fn what_is_not_read_is_not_kept(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = patient(faults).await;
        let (mut host, room) = host(&server).await;
        let mut deaf = deaf(&server, Lobby::Join { room }).await;
        talk(&mut host, 20).await;
        let closed = tokio::time::timeout(patience(faults), deaf.to_the_end()).await;
        let (_, code) = closed.expect("what a player does not read waits in memory");
        assert_eq!(code, Some(4200));
    }
    .boxed_local()
}
