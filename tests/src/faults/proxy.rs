//! TCP proxy with faults: delay, limited rate, stall, close or reset at a chosen byte, separately in each
//! direction. Recorded bytes can be replayed.

mod connection;
mod script;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::lock::lock;
use crate::rng::SeededRng;
use connection::ProxiedConnection;
pub use script::{ConnectionScript, StreamDirection, StreamEnd, TransferScript};

/// Conditions that apply to every proxied connection.
#[derive(Clone, Copy, Debug)]
struct NetworkConditions {
    /// Number of cuts so far; a connection ends when it changes.
    cut_count: u64,
    /// Whether new connections are accepted.
    is_accepting: bool,
}

/// Running proxy. Its connections end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    conditions: watch::Sender<NetworkConditions>,
    state: Arc<ProxyState>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Debug, Default)]
struct ProxyState {
    connections: Mutex<Vec<Arc<ProxiedConnection>>>,
    /// Scripts of the next connections, one each.
    scripts: Mutex<VecDeque<ConnectionScript>>,
    /// Script of connections without one of their own.
    default_script: Mutex<ConnectionScript>,
    /// If set, the generator of all other scripts and the number of bytes within which they end.
    rng: Mutex<Option<(SeededRng, u64)>>,
}

impl ProxyState {
    fn open_connection(&self) -> Arc<ProxiedConnection> {
        let random_script = || {
            lock(&self.rng)
                .as_mut()
                .map(|(rng, bytes)| ConnectionScript::random(rng, *bytes))
        };
        let script = lock(&self.scripts)
            .pop_front()
            .or_else(random_script)
            .unwrap_or(*lock(&self.default_script));
        let connection = Arc::new(ProxiedConnection::new(script));
        lock(&self.connections).push(Arc::clone(&connection));
        connection
    }
}

impl Proxy {
    /// Starts a proxy for `target` without faults.
    pub async fn start(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let conditions = watch::Sender::new(NetworkConditions {
            cut_count: 0,
            is_accepting: true,
        });
        let state = Arc::new(ProxyState::default());
        let task = tokio::spawn(accept(
            listener,
            target,
            conditions.subscribe(),
            Arc::clone(&state),
        ));
        Proxy {
            address,
            conditions,
            state,
            task,
        }
    }

    /// WebSocket URL through the proxy.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// Resets every connection.
    pub fn reset_all(&self) {
        self.conditions
            .send_modify(|conditions| conditions.cut_count += 1);
    }

    /// Sets whether new connections are accepted.
    pub fn set_accepting(&self, open: bool) {
        self.conditions
            .send_modify(|conditions| conditions.is_accepting = open);
    }

    /// Sets whether bytes flow in each direction. Held bytes are kept.
    pub fn set_flow(&self, up: bool, down: bool) {
        self.update_scripts(|script| (script.up.is_flowing, script.down.is_flowing) = (up, down));
    }

    /// Changes the scripts of all current and future connections.
    pub fn update_scripts(&self, change: impl Fn(&mut ConnectionScript)) {
        change(&mut lock(&self.state.default_script));
        for connection in lock(&self.state.connections).iter() {
            connection.script.send_modify(&change);
        }
    }

    /// Sets the script of the next connection.
    pub fn script_next(&self, script: ConnectionScript) {
        lock(&self.state.scripts).push_back(script);
    }

    /// Draws the scripts of all following connections at random; each ends within its first `bytes`.
    pub fn randomize(&self, rng: SeededRng, bytes: u64) {
        *lock(&self.state.rng) = Some((rng, bytes));
    }

    /// Ends the newest connection after `more` further bytes in one direction, when the next byte arrives.
    /// Returns the connection's number, counted from 0.
    pub fn end_after(&self, direction: StreamDirection, more: u64, end: StreamEnd) -> usize {
        let connections = lock(&self.state.connections);
        let connection = connections.last().expect("a connection exists");
        connection.script.send_modify(|script| {
            script.transfer(direction).end =
                Some((connection.transferred_bytes(direction) + more, end));
        });
        connections.len() - 1
    }

    /// Returns whether a connection has reached the end of its script.
    pub fn has_hit_fault(&self, connection: usize) -> bool {
        lock(&self.state.connections)[connection].has_hit_fault()
    }

    /// Number of connections so far.
    pub fn connection_count(&self) -> usize {
        lock(&self.state.connections).len()
    }

    /// Number of connections that reached the end of their script.
    pub fn faults_hit(&self) -> usize {
        lock(&self.state.connections)
            .iter()
            .filter(|connection| connection.has_hit_fault())
            .count()
    }

    /// Bytes transferred on all connections.
    pub fn transferred(&self, direction: StreamDirection) -> Vec<u8> {
        lock(&self.state.connections)
            .iter()
            .flat_map(|connection| connection.recorded(direction))
            .collect()
    }

    /// Bytes transferred on one connection, counted from 0.
    pub fn transferred_on(&self, connection: usize, direction: StreamDirection) -> Vec<u8> {
        lock(&self.state.connections)[connection].recorded(direction)
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
    state: Arc<ProxyState>,
) {
    let mut tasks = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("a listener of this test");
        while tasks.try_join_next().is_some() {}
        // Dropping a rejected connection resets it.
        if !conditions.borrow().is_accepting {
            connection::reset(&client);
            continue;
        }
        let (connection, mut conditions) = (state.open_connection(), conditions.clone());
        let cut_count = conditions.borrow().cut_count;
        tasks.spawn(async move {
            tokio::select! {
                // Dropping both streams resets them.
                _ = conditions.wait_for(|conditions| conditions.cut_count != cut_count) => {}
                () = connection.run(client, target) => {}
            }
        });
    }
}
