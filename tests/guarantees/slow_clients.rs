//! P9: clients that do not read.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Message, Request, RoomCommand, SessionRequest};
use noughts_protocol::{Offer, RequestId, RoomRef, Seat};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::Fault;
use noughts_tests::server::TestServer;

use crate::{start_server, wait_timeout};

async fn start_server_with_long_write_timeout(fault: Option<Fault>) -> TestServer {
    start_server(fault, |options| {
        (options.limits.send_queue, options.limits.write_timeout) = (8, Duration::from_secs(600));
    })
    .await
}

/// Opens a connection that enters a room and then stops reading.
async fn connect_non_reading(server: &TestServer, lobby: SessionRequest) -> RawWebSocket {
    let mut socket = RawWebSocket::connect_with_small_buffer(server.address()).await;
    socket.upgrade().await;
    socket.greet().await;
    socket
        .write_request(&Request::lobby(
            RequestId::new(1).expect("fits the type"),
            lobby,
        ))
        .await;
    while !matches!(socket.next_message().await, Message::Snapshot { .. }) {}
    socket.fill_send_queue(server).await;
    socket
}

async fn create_room(server: &TestServer) -> (TestClient, RoomRef) {
    let mut host = server.connect_client("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::X), true).await;
    (host, room)
}

async fn exchange_offers(host: &mut TestClient, rounds: usize) {
    for _ in 0..rounds {
        host.offer(Offer::Draw).await.expect("no offer is pending");
        host.send_command(RoomCommand::Decline { offer: Offer::Draw })
            .await
            .expect("an own offer can be withdrawn");
    }
}

pub(super) fn a_non_reading_client_delays_no_other_client(
    fault: Option<Fault>,
) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server_with_long_write_timeout(fault).await;
        let (mut host, room) = create_room(&server).await;
        let mut guest = server.connect_client("Guest").await;
        guest.join(room).await.expect("the cell is free");
        host.wait_until_seq(guest.game().seq()).await;
        let _non_reader = connect_non_reading(
            &server,
            SessionRequest::Watch {
                room,
                remarks: false,
            },
        )
        .await;
        let result =
            tokio::time::timeout(wait_timeout(fault), exchange_offers(&mut host, 30)).await;
        assert!(
            result.is_ok(),
            "clients wait for a client that does not read"
        );
        guest.wait_until_seq(host.game().seq()).await;
    }
    .boxed_local()
}

pub(super) fn unread_messages_are_not_retained(
    fault: Option<Fault>,
) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server_with_long_write_timeout(fault).await;
        let (mut host, room) = create_room(&server).await;
        let mut non_reader = connect_non_reading(&server, SessionRequest::Join { room }).await;
        exchange_offers(&mut host, 20).await;
        let closed = tokio::time::timeout(wait_timeout(fault), non_reader.read_until_close()).await;
        let (_, code) = closed.expect("unread messages are retained");
        assert_eq!(code, Some(4200));
    }
    .boxed_local()
}
