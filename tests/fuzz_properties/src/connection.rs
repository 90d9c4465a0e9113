//! Any input on one connection of a whole server: the connection ends, and the server keeps nothing of it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use noughts_server::ServerLimits;
use noughts_server::testing::Listener;
use noughts_server::testing::MemoryLog;
use noughts_server::testing::ServerClock;
use noughts_server::testing::ServerRng;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Exceeds the longest time that a server waits for an idle peer: the timeout of the hello and two and a half ping
/// intervals.
const SERVER_TIMEOUT: Duration = Duration::from_secs(120);
/// Longer input is truncated.
const MAX_INPUT_BYTES: usize = 64 * 1024;

/// Limits of the product, cached because parsing the flags takes longer than most runs.
static DEFAULT_LIMITS: LazyLock<ServerLimits> = LazyLock::new(ServerLimits::default);

/// Handshake of an ordinary client.
const HANDSHAKE: &[u8] =
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

/// Runs one connection to its end; returns whether the handshake was accepted.
///
/// The first byte selects the form of the rest: raw bytes, frames after a handshake, or one message a line, each in a
/// valid frame. If the first byte is odd, the client closes its side after the input.
pub fn connection(bytes: &[u8]) -> bool {
    let Some((&mode, rest)) = bytes.split_first() else {
        return false;
    };
    let input = &rest[..rest.len().min(MAX_INPUT_BYTES)];
    let input = match mode / 2 % 3 {
        0 => input.to_vec(),
        1 => [HANDSHAKE, input].concat(),
        _ => input
            .split(|&byte| byte == b'\n')
            .fold(HANDSHAKE.to_vec(), |mut sent, line| {
                sent.extend(text_frame(line));
                sent
            }),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime
        .expect("a runtime")
        .block_on(run_connection(input, mode % 2 == 1))
}

/// Encodes a text message as one frame with a zero mask.
fn text_frame(text: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let mut frame = vec![0x81, 0x80 | 126];
    frame.extend(length.to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(&text[..usize::from(length)]);
    frame
}

async fn run_connection(input: Vec<u8>, half_close: bool) -> bool {
    let (client_end, server_end) = duplex(256 * 1024);
    let (connections, listener) = listener();
    connections
        .send(server_end)
        .await
        .expect("the server accepts connections");
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async {
        // Dropping the sender stops the server as well.
        let (Ok(()) | Err(_)) = stopped.await;
    };
    let log = Arc::new(MemoryLog::default());
    let (rng, time) = (
        ServerRng::from_seed(1),
        ServerClock::from_unix_ms(1_700_000_000_000),
    );
    let server = tokio::spawn(noughts_server::run(
        listener,
        None,
        DEFAULT_LIMITS.clone(),
        log,
        rng,
        time,
        stopped,
    ));

    let (mut reader, mut writer) = tokio::io::split(client_end);
    let write_input = async {
        // The server may close before the end of the input.
        let (Ok(()) | Err(_)) = writer.write_all(&input).await;
        if half_close {
            let (Ok(()) | Err(_)) = writer.shutdown().await;
        }
    };
    let read_response = async {
        let mut response = Vec::new();
        let (Ok(_) | Err(_)) = reader.read_to_end(&mut response).await;
        response
    };
    let result = timeout(SERVER_TIMEOUT, async {
        tokio::join!(write_input, read_response).1
    })
    .await;
    let response = result.expect("the server stops");
    assert!(
        response.is_empty() || response.starts_with(b"HTTP/1."),
        "no answer that HTTP has"
    );
    drop(stop);
    let ended = timeout(SERVER_TIMEOUT, server)
        .await
        .expect("the server stops");
    ended
        .expect("a server does not panic")
        .expect("the task does not panic");
    response.starts_with(b"HTTP/1.1 101 ")
}

/// Accepts the connections that arrive on a channel.
struct DuplexListener(mpsc::Receiver<DuplexStream>);

fn listener() -> (mpsc::Sender<DuplexStream>, DuplexListener) {
    let (connections, listener) = mpsc::channel(1);
    (connections, DuplexListener(listener))
}

impl Listener for DuplexListener {
    type Stream = DuplexStream;

    async fn accept(&mut self) -> io::Result<(DuplexStream, SocketAddr)> {
        match self.0.recv().await {
            Some(stream) => Ok((stream, (Ipv4Addr::LOCALHOST, 7).into())),
            None => std::future::pending().await,
        }
    }

    fn is_loopback(&self) -> bool {
        true
    }
}
