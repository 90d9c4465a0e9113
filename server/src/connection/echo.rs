//! Says everything back, behind the door and through the socket that games use, so that both can be held to
//! RFC 6455 by a suite that knows no games. It knows none either.

use std::future::poll_fn;

use tokio_tungstenite::tungstenite::Message;

use super::End;
use super::socket::{Capacity, Incoming, Socket};
use crate::host::Host;
use crate::outbox::{self, Stream};

/// The suite sends messages of 16 MiB, in up to 65 536 fragments.
const CAPACITY: Capacity = Capacity { message: 17 * 1024 * 1024, unsent: 20 * 1024 * 1024 };

/// Serves a connection until it ends.
pub async fn serve<S>(stream: S, early: Vec<u8>, host: Host)
where
    S: Stream + 'static,
{
    // Nobody but the peer says anything here.
    let (_, _, wire) = outbox::over(stream, 1);
    let mut socket = Socket::new(wire, early, CAPACITY, &host.limits);
    match converse(&mut socket).await {
        End::Close(code) => socket.close(code).await,
        End::Closed => socket.take_leave().await,
        End::Gone => {}
    }
}

async fn converse(socket: &mut Socket) -> End {
    loop {
        let said = match poll_fn(|context| socket.poll_receive(context)).await {
            Ok(Incoming::Text(text)) => socket.echo(Message::Text(text)).await,
            Ok(Incoming::Binary(bytes)) => socket.echo(Message::Binary(bytes)).await,
            Ok(Incoming::Ping | Incoming::Pong(_)) => socket.flush().await,
            Err(end) => return end,
        };
        if let Err(end) = said {
            return end;
        }
    }
}
