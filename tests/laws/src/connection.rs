//! A whole server, and one peer that sends it anything: every connection ends, and nothing is left of it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use noughts_server::config::Limits;
use noughts_server::dice::Dice;
use noughts_server::http::Listen;
use noughts_server::log::MemoryLog;
use noughts_server::time::Time;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Longer than the longest that a server waits for a peer that does nothing: hello, two pings and a half.
const PATIENCE: Duration = Duration::from_secs(120);
/// More is not sent.
const MOST: usize = 64 * 1024;

/// The product's. Read from its flags, which takes longer than many a visit.
static LIMITS: LazyLock<Limits> = LazyLock::new(Limits::default);

/// A handshake as any client's.
const HANDSHAKE: &[u8] =
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

/// The first byte says what the rest is: bytes from the first on, frames behind a handshake, or messages, one
/// a line, each in a good frame. An odd one ends the line behind them.
pub fn connection(bytes: &[u8]) -> bool {
    let Some((&how, rest)) = bytes.split_first() else { return false };
    let rest = &rest[..rest.len().min(MOST)];
    let sent = match how / 2 % 3 {
        0 => rest.to_vec(),
        1 => [HANDSHAKE, rest].concat(),
        _ => rest.split(|&byte| byte == b'\n').fold(HANDSHAKE.to_vec(), |mut sent, line| {
            sent.extend(text_frame(line));
            sent
        }),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(visit(sent, how % 2 == 1))
}

/// A text in one frame, masked with nothing.
fn text_frame(text: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let mut frame = vec![0x81, 0x80 | 126];
    frame.extend(length.to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(&text[..usize::from(length)]);
    frame
}

async fn visit(sent: Vec<u8>, then_end: bool) -> bool {
    let (near, far) = duplex(256 * 1024);
    let (calls, listener) = listener();
    calls.send(far).await.expect("the server has just begun");
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async {
        // Dropping the handle tells as well.
        let (Ok(()) | Err(_)) = stopped.await;
    };
    let log = Arc::new(MemoryLog::default());
    let (dice, time) = (Dice::from_seed(1), Time::at(1_700_000_000_000));
    let server = tokio::spawn(noughts_server::run(listener, None, LIMITS.clone(), log, dice, time, stopped));

    let (mut reader, mut writer) = tokio::io::split(near);
    let talks = async {
        // A server that has heard enough closes, and what is still sent meets a closed line.
        let (Ok(()) | Err(_)) = writer.write_all(&sent).await;
        if then_end {
            let (Ok(()) | Err(_)) = writer.shutdown().await;
        }
    };
    let hears = async {
        let mut heard = Vec::new();
        let (Ok(_) | Err(_)) = reader.read_to_end(&mut heard).await;
        heard
    };
    let visited = timeout(PATIENCE, async { tokio::join!(talks, hears).1 }).await;
    let heard = visited.expect("a server waits for nobody for ever");
    assert!(heard.is_empty() || heard.starts_with(b"HTTP/1."), "no answer that HTTP has");
    drop(stop);
    let ended = timeout(PATIENCE, server).await.expect("nothing keeps a server that is told to stop");
    ended.expect("a server does not panic").expect("nor fails");
    // It was let in.
    heard.starts_with(b"HTTP/1.1 101 ")
}

/// Where the peer calls.
struct Calls(mpsc::Receiver<DuplexStream>);

fn listener() -> (mpsc::Sender<DuplexStream>, Calls) {
    let (calls, listener) = mpsc::channel(1);
    (calls, Calls(listener))
}

impl Listen for Calls {
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
