//! P10 and P13: lines that die, and servers that stop.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Lobby, Message, Notice, Presence, Request};
use noughts_protocol::{RequestId, Seat};
use noughts_server::fault::Faults;
use noughts_tests::raw::Raw;
use noughts_tests::table::pair;

use crate::{patience, server};

pub(super) fn a_dead_line_is_noticed(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |setup| setup.limits.ping = Duration::from_millis(200)).await;
        let mut host = server.peer("Host").await;
        let room = host.create("3x3:3", None, Some(Seat::X), true).await;
        // Reads nothing and answers no ping, but the line stands.
        let mut dead = Raw::greeted(server.address()).await;
        dead.request(&Request::lobby(RequestId::new(1).expect("small"), Lobby::Join { room })).await;
        let away = host.notice("absence", |notice| {
            matches!(notice, Notice::Presence { seat: Seat::O, presence: Presence::Away, .. })
        });
        // Three pings are what it takes.
        let noticed = tokio::time::timeout(patience(faults), away).await;
        assert!(noticed.is_ok(), "nobody has noticed that a line is dead");
        assert_eq!(dead.close_code().await, Some(4201));
    }
    .boxed_local()
}

pub(super) fn all_are_told_to_come_back(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let mut server = server(faults, |_| {}).await;
        let [x, o] = pair(&server, "3x3:3", None).await;
        let mut waiting = server.peer("Cat").await;
        waiting.seek("4x4:4", None, None).await;
        let idle = server.peer("Dan").await;
        server.tell_to_stop();
        for mut peer in [x, o, waiting, idle] {
            let told = peer.try_wait_for(|message| matches!(message, Message::Restarting { .. })).await;
            assert!(
                told.is_some_and(|told| matches!(told, Message::Restarting { back_in_ms: 1.. })),
                "somebody was not told"
            );
            assert_eq!(peer.closed().await, Some(1012));
        }
        server.stop().await.expect("nothing is wrong with the log");
    }
    .boxed_local()
}
