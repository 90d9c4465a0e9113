//! Refusals that a web page can read: the handshake succeeds, and a close code gives the reason.

use noughts_protocol::wire::{CloseCode, Message};
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::server::TestServer;

const PAGE: &str = "Origin: http://localhost:9\r\n";
const FOREIGN_PAGE: &str = "Origin: https://evil.example\r\n";

/// Sends a handshake; returns its status, and the socket.
async fn shake_hands(server: &TestServer, headers: &str) -> (u16, RawWebSocket) {
    let mut socket = RawWebSocket::connect(server.address()).await;
    socket.write(handshake_request(headers).as_bytes()).await;
    let head = socket.read_head().await;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.unwrap_or_else(|| panic!("{head}")), socket)
}

/// Checks the refusal of a page and the refusal of a program.
async fn expect_refusal(server: &TestServer, page: &str, code: CloseCode, status: Option<u16>) {
    let subprotocol = format!("{page}Sec-WebSocket-Protocol: noughts\r\n");
    for headers in [page, &subprotocol] {
        let (upgraded, mut socket) = shake_hands(server, headers).await;
        assert_eq!(upgraded, 101, "{headers}");
        // A page sends hello before it sees the close.
        socket.write_text("{}").await;
        let (messages, closed) = socket.read_until_close().await;
        assert!(messages.is_empty(), "{messages:?}");
        assert_eq!(closed, Some(code.code()), "{headers}");
    }
    if let Some(status) = status {
        assert_eq!(shake_hands(server, "").await.0, status);
    }
}

#[tokio::test]
async fn a_foreign_page_is_refused() {
    let server = TestServer::start().await;
    expect_refusal(&server, FOREIGN_PAGE, CloseCode::ForeignOrigin, None).await;
    let (status, mut page) = shake_hands(&server, PAGE).await;
    assert_eq!(status, 101);
    page.greet().await;
    // The server would not accept this handshake from any page, so it responds with a status instead of a close code.
    let (status, _) = shake_hands(
        &server,
        &format!("{FOREIGN_PAGE}Sec-WebSocket-Protocol: chat\r\n"),
    )
    .await;
    assert_eq!(status, 403);
}

#[tokio::test]
async fn a_page_beyond_the_connection_limits_is_refused() {
    const MAX: usize = 4;
    let server = TestServer::start_with_limits(|limits| limits.max_per_address = MAX).await;
    let mut sockets = Vec::new();
    for _ in 0..MAX {
        sockets.push(RawWebSocket::connect_and_greet(server.address()).await);
    }
    expect_refusal(&server, PAGE, CloseCode::TooManyConnections, Some(429)).await;
    sockets[0].write_text(r#"{"type":"list","id":1}"#).await;
    assert!(matches!(
        sockets[0].next_message().await,
        Message::Rooms { .. }
    ));

    let server = TestServer::start_with_limits(|limits| limits.max_connections = 1).await;
    let _first = RawWebSocket::connect_and_greet(server.address()).await;
    expect_refusal(&server, PAGE, CloseCode::ServerFull, Some(503)).await;
}
