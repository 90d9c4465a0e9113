//! Says everything back, behind the door and through the socket that games use, so that both can be held to
//! RFC 6455 by a suite that knows no games. It knows none either.

use tokio::io::{AsyncRead, AsyncWrite};

use super::End;
use super::socket::{Capacity, Incoming, Socket};
use crate::host::Host;

/// The suite sends messages of 16 MiB, in up to 65 536 fragments.
const CAPACITY: Capacity = Capacity { message: 17 * 1024 * 1024, unsent: 20 * 1024 * 1024 };

/// Serves a connection until it ends.
pub async fn serve<S>(stream: S, early: Vec<u8>, host: Host)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut socket = Socket::new(stream, early, CAPACITY, &host.limits).await;
    match converse(&mut socket).await {
        End::Close(code) => socket.close(code).await,
        End::Gone => {}
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut Socket<S>) -> End {
    loop {
        let said = match socket.receive().await {
            Ok(Incoming::Text(text)) => socket.feed(text).await,
            Ok(Incoming::Binary(bytes)) => socket.feed_bytes(bytes).await,
            Ok(Incoming::Ping | Incoming::Pong(_)) => Ok(()),
            Err(end) => return end,
        };
        let flushed = match said {
            Ok(()) => socket.flush().await,
            Err(end) => Err(end),
        };
        if let Err(end) = flushed {
            return end;
        }
    }
}
