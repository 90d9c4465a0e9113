//! P10 and P13: dead connections and server shutdown.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Message, Notice, Presence, Request, SessionRequest};
use noughts_protocol::{RequestId, Seat};
use noughts_tests::client::game_setup::pair_players;
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::faults::Fault;

use crate::{start_server, wait_timeout};

pub(super) fn a_dead_connection_is_detected(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |options| {
            options.limits.ping_interval = Duration::from_millis(200);
        })
        .await;
        let mut host = server.connect_client("Host").await;
        let room = host.create("3x3:3", None, Some(Seat::X), true).await;
        // This client neither reads nor answers pings, but stays open.
        let mut dead = RawWebSocket::connect_and_greet(server.address()).await;
        dead.write_request(&Request::lobby(
            RequestId::new(1).expect("fits the type"),
            SessionRequest::Join { room },
        ))
        .await;
        let presence_notice = host.wait_for_notice("absence", |notice| {
            matches!(
                notice,
                Notice::Presence {
                    seat: Seat::O,
                    presence: Presence::Disconnected,
                    ..
                }
            )
        });
        // Detection takes three ping intervals.
        let result = tokio::time::timeout(wait_timeout(fault), presence_notice).await;
        assert!(result.is_ok(), "the dead connection was not detected");
        assert_eq!(dead.read_close_code().await, Some(4201));
    }
    .boxed_local()
}

pub(super) fn a_shutdown_notifies_everyone(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let mut server = start_server(fault, |_| {}).await;
        let [x, o] = pair_players(&server, "3x3:3", None).await;
        let mut waiting = server.connect_client("Cat").await;
        waiting.seek("4x4:4", None, None).await;
        let idle = server.connect_client("Dan").await;
        server.request_stop();
        for mut client in [x, o, waiting, idle] {
            let restarting = client
                .try_wait_for(|message| matches!(message, Message::Restarting { .. }))
                .await;
            assert!(
                restarting.is_some_and(|restarting| matches!(
                    restarting,
                    Message::Restarting {
                        retry_after_ms: 1..
                    }
                )),
                "a client was not notified"
            );
            assert_eq!(client.wait_for_close().await, Some(1012));
        }
        server.stop().await.expect("the log works");
    }
    .boxed_local()
}
