//! Echo service for the Autobahn suite. It uses the HTTP port and the WebSocket code of the server, without the
//! messages of games.

use std::future::poll_fn;

use tokio_tungstenite::tungstenite::Message;

use super::socket::{CloseReason, ReceivedFrame, ServerSocket, SocketLimits};
use crate::runtime::context::ServerContext;
use crate::send_queue::{self, ByteStream};

/// Limits of the echo service: the suite sends messages of up to 16 MiB in up to 65 536 fragments.
const ECHO_SOCKET_LIMITS: SocketLimits = SocketLimits {
    max_message_bytes: 17 * 1024 * 1024,
    max_unsent_bytes: 20 * 1024 * 1024,
};

/// Serves a connection until it ends.
pub(crate) async fn serve<S>(stream: S, read_buf: Vec<u8>, ctx: ServerContext)
where
    S: ByteStream + 'static,
{
    // Only this task sends.
    let (_, _, stream) = send_queue::with_stream(stream, 1);
    let mut socket = ServerSocket::new(stream, read_buf, ECHO_SOCKET_LIMITS, &ctx.limits);
    match echo_loop(&mut socket).await {
        CloseReason::ByServer(code) => socket.close(code).await,
        CloseReason::ByPeer => socket.answer_close().await,
        CloseReason::Lost => {}
    }
}

async fn echo_loop(socket: &mut ServerSocket) -> CloseReason {
    loop {
        let sent = match poll_fn(|context| socket.poll_receive(context)).await {
            Ok(ReceivedFrame::Text(text)) => socket.echo(Message::Text(text)).await,
            Ok(ReceivedFrame::Binary(bytes)) => socket.echo(Message::Binary(bytes)).await,
            Ok(ReceivedFrame::Ping | ReceivedFrame::Pong(_)) => socket.flush().await,
            Err(end) => return end,
        };
        if let Err(reason) = sent {
            return reason;
        }
    }
}
