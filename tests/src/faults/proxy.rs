//! A line that can fail: a TCP proxy before a server. Lines through it are late, slow, stalled, closed or
//! reset at a byte of the test's choice, each way for itself, and what was said on one can be said again.

mod connection;
mod script;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::rng::SeededRng;
use connection::ProxiedConnection;
pub use script::{ConnectionScript, StreamDirection, StreamEnd, TransferScript};

/// How it is for all lines.
#[derive(Clone, Copy, Debug)]
struct NetworkConditions {
    /// Lines from before this change are cut.
    cut_count: u64,
    /// Whether new lines come about.
    is_accepting: bool,
}

/// The proxy. Its lines end with it.
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
    /// For the lines to come, one each.
    scripts: Mutex<VecDeque<ConnectionScript>>,
    /// For those without one.
    default_script: Mutex<ConnectionScript>,
    /// From which the scripts of all others are drawn, and in how many bytes they end.
    rng: Mutex<Option<(SeededRng, u64)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ProxyState {
    fn open_connection(&self) -> Arc<ProxiedConnection> {
        let random_script =
            || lock(&self.rng).as_mut().map(|(rng, bytes)| ConnectionScript::random(rng, *bytes));
        let script =
            lock(&self.scripts).pop_front().or_else(random_script).unwrap_or(*lock(&self.default_script));
        let connection = Arc::new(ProxiedConnection::new(script));
        lock(&self.connections).push(Arc::clone(&connection));
        connection
    }
}

impl Proxy {
    /// A proxy before `target`, in order.
    pub async fn start(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let conditions = watch::Sender::new(NetworkConditions { cut_count: 0, is_accepting: true });
        let state = Arc::new(ProxyState::default());
        let task = tokio::spawn(accept(listener, target, conditions.subscribe(), Arc::clone(&state)));
        Proxy { address, conditions, state, task }
    }

    /// What clients connect to.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// Resets every line.
    pub fn reset_all(&self) {
        self.conditions.send_modify(|conditions| conditions.cut_count += 1);
    }

    /// Whether new lines come about from now on.
    pub fn set_accepting(&self, open: bool) {
        self.conditions.send_modify(|conditions| conditions.is_accepting = open);
    }

    /// Whether bytes pass from now on, to the server and from it; those that do not are kept.
    pub fn set_flow(&self, up: bool, down: bool) {
        self.update_scripts(|script| (script.up.is_flowing, script.down.is_flowing) = (up, down));
    }

    /// Changes how it is on every line that there is, and will be on every other.
    pub fn update_scripts(&self, change: impl Fn(&mut ConnectionScript)) {
        change(&mut lock(&self.state.default_script));
        for connection in lock(&self.state.connections).iter() {
            connection.script.send_modify(&change);
        }
    }

    /// What is to happen to the next line.
    pub fn script_next(&self, script: ConnectionScript) {
        lock(&self.state.scripts).push_back(script);
    }

    /// From now on lines go as chance has them, and end somewhere in their first `bytes`.
    pub fn randomize(&self, rng: SeededRng, bytes: u64) {
        *lock(&self.state.rng) = Some((rng, bytes));
    }

    /// Ends the newest line, of which there must be one, once so many more bytes have passed this way and
    /// another one would. Says which line that is, counted from 0.
    pub fn end_after(&self, direction: StreamDirection, more: u64, end: StreamEnd) -> usize {
        let connections = lock(&self.state.connections);
        let connection = connections.last().expect("a line to end");
        connection.script.send_modify(|script| {
            script.transfer(direction).end = Some((connection.transferred_bytes(direction) + more, end))
        });
        connections.len() - 1
    }

    /// Whether that line has come to the end of its script.
    pub fn has_hit_fault(&self, connection: usize) -> bool {
        lock(&self.state.connections)[connection].has_hit_fault()
    }

    /// How many lines there have been.
    pub fn connection_count(&self) -> usize {
        lock(&self.state.connections).len()
    }

    /// How many of them came to an end of a script.
    pub fn faults_hit(&self) -> usize {
        lock(&self.state.connections).iter().filter(|connection| connection.has_hit_fault()).count()
    }

    /// The bytes that have passed on all lines, whatever they mean.
    pub fn transferred(&self, direction: StreamDirection) -> Vec<u8> {
        lock(&self.state.connections).iter().flat_map(|connection| connection.recorded(direction)).collect()
    }

    /// The bytes that have passed on one line, counted from 0: to be read, or said again.
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
        let (client, _) = listener.accept().await.expect("a listener of our own");
        while tasks.try_join_next().is_some() {}
        // One that is refused is reset when it is dropped here.
        if !conditions.borrow().is_accepting {
            connection::reset(&client);
            continue;
        }
        let (connection, mut conditions) = (state.open_connection(), conditions.clone());
        let cut_count = conditions.borrow().cut_count;
        tasks.spawn(async move {
            tokio::select! {
                // Cut: both ends are reset.
                _ = conditions.wait_for(|weather| weather.cut_count != cut_count) => {}
                () = connection.run(client, target) => {}
            }
        });
    }
}
