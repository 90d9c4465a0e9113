//! TCP proxy with faults: bytes that are held, and connections that are cut, rejected or ended at a chosen byte. Bytes
//! are recorded, so that a test can search or repeat them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::lock::lock;

/// Direction of a byte stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamDirection {
    /// Client to server.
    Up,
    /// Server to client.
    Down,
}

/// End of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// The receiver reads the end of the stream; the other direction stays open.
    HalfClose,
    /// Both sides read the end of the stream; further bytes are dropped.
    Close,
    /// Both sides are reset.
    Reset,
}

/// Conditions that apply to every proxied connection.
#[derive(Clone, Copy, Debug)]
struct NetworkConditions {
    /// Number of resets of all connections so far; a connection ends when it changes.
    reset_count: u64,
    /// Whether new connections are accepted.
    is_accepting: bool,
    /// For each direction, whether bytes are held.
    is_held: [bool; 2],
}

/// One proxied connection.
#[derive(Debug, Default)]
struct ProxiedConnection {
    recorded: [Mutex<Vec<u8>>; 2],
    /// Direction that ends, the number of bytes before its end, and the end.
    end: Mutex<Option<(StreamDirection, usize, StreamEnd)>>,
    /// Whether a byte has arrived after the end.
    has_ended: Mutex<bool>,
}

/// Running proxy. Its connections end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    conditions: watch::Sender<NetworkConditions>,
    connections: Arc<Mutex<Vec<Arc<ProxiedConnection>>>>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy for `target` without faults.
    pub async fn start(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let conditions = watch::Sender::new(NetworkConditions {
            reset_count: 0,
            is_accepting: true,
            is_held: [false; 2],
        });
        let connections = Arc::default();
        let task = tokio::spawn(accept(
            listener,
            target,
            conditions.subscribe(),
            Arc::clone(&connections),
        ));
        Proxy {
            address,
            conditions,
            connections,
            task,
        }
    }

    /// Returns the WebSocket URL through the proxy.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// Resets every connection.
    pub fn reset_all(&self) {
        self.conditions
            .send_modify(|conditions| conditions.reset_count += 1);
    }

    /// Sets whether new connections are accepted.
    pub fn set_accepting(&self, open: bool) {
        self.conditions
            .send_modify(|conditions| conditions.is_accepting = open);
    }

    /// Sets whether bytes flow in each direction. Held bytes are kept.
    pub fn set_flow(&self, up: bool, down: bool) {
        self.conditions
            .send_modify(|conditions| conditions.is_held = [!up, !down]);
    }

    /// Ends the newest connection after `more` further bytes in one direction, when the next byte arrives.
    ///
    /// # Panics
    /// If no connection exists.
    pub fn end_after(&self, direction: StreamDirection, more: usize, end: StreamEnd) {
        let connections = lock(&self.connections);
        let connection = connections.last().expect("a connection exists");
        let passed = lock(&connection.recorded[direction as usize]).len();
        *lock(&connection.end) = Some((direction, passed + more, end));
    }

    /// Returns the number of connections so far.
    pub fn connection_count(&self) -> usize {
        lock(&self.connections).len()
    }

    /// Returns the number of connections that were ended by [`Proxy::end_after`].
    pub fn ended_count(&self) -> usize {
        let connections = lock(&self.connections);
        connections
            .iter()
            .filter(|connection| *lock(&connection.has_ended))
            .count()
    }

    /// Returns the bytes transferred on all connections, one connection after the other.
    pub fn transferred(&self, direction: StreamDirection) -> Vec<u8> {
        lock(&self.connections)
            .iter()
            .flat_map(|connection| lock(&connection.recorded[direction as usize]).clone())
            .collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(
    listener: TcpListener,
    target: SocketAddr,
    conditions: watch::Receiver<NetworkConditions>,
    connections: Arc<Mutex<Vec<Arc<ProxiedConnection>>>>,
) {
    let mut tasks = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("a listener of this test");
        while tasks.try_join_next().is_some() {}
        reset_on_drop(&client);
        if !conditions.borrow().is_accepting {
            continue;
        }
        let connection = Arc::<ProxiedConnection>::default();
        lock(&connections).push(Arc::clone(&connection));
        let conditions = conditions.clone();
        let (mut resets, reset_count) = (conditions.clone(), conditions.borrow().reset_count);
        tasks.spawn(async move {
            tokio::select! {
                // Dropping both streams resets them.
                _ = resets.wait_for(|conditions| conditions.reset_count != reset_count) => {}
                () = connection.run(client, target, conditions) => {}
            }
        });
    }
}

/// The reason why a direction carries no more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PumpEnd {
    /// The end of the stream was forwarded.
    EofForwarded,
    /// Both sides are to be closed.
    Closed,
    /// Both sides are to be reset.
    Reset,
}

impl ProxiedConnection {
    /// Transfers bytes between a client and `target` until one of them or the test ends the connection.
    async fn run(
        &self,
        client: TcpStream,
        target: SocketAddr,
        conditions: watch::Receiver<NetworkConditions>,
    ) {
        let Ok(server) = TcpStream::connect(target).await else {
            return;
        };
        for stream in [&client, &server] {
            stream.set_nodelay(true).expect("a socket of this test");
            reset_on_drop(stream);
        }
        let (from_client, mut to_client) = client.into_split();
        let (from_server, mut to_server) = server.into_split();
        let ended = {
            let (up, down) = (StreamDirection::Up, StreamDirection::Down);
            let up = self.pump(up, from_client, &mut to_server, conditions.clone());
            let down = self.pump(down, from_server, &mut to_client, conditions);
            tokio::pin!(up, down);
            // One direction may end long before the other.
            tokio::select! {
                ended = &mut up => if ended == PumpEnd::EofForwarded { down.await } else { ended },
                ended = &mut down => if ended == PumpEnd::EofForwarded { up.await } else { ended },
            }
        };
        if ended == PumpEnd::Closed {
            for to in [&mut to_client, &mut to_server] {
                // The peer may have closed first.
                let (Ok(()) | Err(_)) = to.shutdown().await;
            }
            // The reset that follows must not overtake the FIN.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    /// Transfers one direction.
    async fn pump(
        &self,
        direction: StreamDirection,
        mut from: OwnedReadHalf,
        to: &mut OwnedWriteHalf,
        mut conditions: watch::Receiver<NetworkConditions>,
    ) -> PumpEnd {
        let mut chunk = [0; 4096];
        loop {
            let is_held = conditions.borrow_and_update().is_held[direction as usize];
            let read = tokio::select! {
                changed = conditions.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return PumpEnd::Reset,
                },
                read = from.read(&mut chunk), if !is_held => read,
            };
            let bytes = match read {
                Ok(0) => {
                    // The peer may have closed first.
                    let (Ok(()) | Err(_)) = to.shutdown().await;
                    return PumpEnd::EofForwarded;
                }
                Ok(length) => &chunk[..length],
                Err(_) => return PumpEnd::Reset,
            };
            let passed = lock(&self.recorded[direction as usize]).len();
            let end = (*lock(&self.end)).filter(|(ended, ..)| *ended == direction);
            let until_end = end.map_or(usize::MAX, |(_, at, _)| at.saturating_sub(passed));
            let bytes_before = &bytes[..bytes.len().min(until_end)];
            if !bytes_before.is_empty() {
                // Recorded first, because the receiver may read the bytes before this task continues.
                lock(&self.recorded[direction as usize]).extend_from_slice(bytes_before);
                if to.write_all(bytes_before).await.is_err() {
                    return PumpEnd::Reset;
                }
            }
            if let Some((_, _, end)) = end.filter(|_| bytes.len() > until_end) {
                *lock(&self.has_ended) = true;
                match end {
                    StreamEnd::HalfClose => {
                        // The peer may have closed first. All further bytes are dropped.
                        let (Ok(()) | Err(_)) = to.shutdown().await;
                    }
                    StreamEnd::Close => return PumpEnd::Closed,
                    StreamEnd::Reset => return PumpEnd::Reset,
                }
            }
        }
    }
}

/// Makes the stream reset the connection when it is dropped.
fn reset_on_drop(stream: &TcpStream) {
    // Setting the option fails only if the connection is gone.
    let (Ok(()) | Err(_)) = stream.set_zero_linger();
}
