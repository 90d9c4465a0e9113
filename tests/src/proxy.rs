//! A line that can fail: a TCP proxy before a server. Lines through it are late, slow, stalled, closed or
//! reset at a byte of the test's choice, each way for itself, and what was said on one can be said again.

mod line;
mod script;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::chance::Chance;
use line::Line;
pub use script::{End, Passage, Script, Way};

/// How it is for all lines.
#[derive(Clone, Copy, Debug)]
struct Weather {
    /// Lines from before this change are cut.
    cuts: u64,
    /// Whether new lines come about.
    open: bool,
}

/// The proxy. Its lines end with it.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    weather: watch::Sender<Weather>,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Vec<Arc<Line>>>,
    /// For the lines to come, one each.
    scripts: Mutex<VecDeque<Script>>,
    /// For those without one.
    usual: Mutex<Script>,
    /// From which the scripts of all others are drawn, and in how many bytes they end.
    chance: Mutex<Option<(Chance, u64)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn begin(&self) -> Arc<Line> {
        let drawn = || lock(&self.chance).as_mut().map(|(chance, bytes)| Script::drawn(chance, *bytes));
        let script = lock(&self.scripts).pop_front().or_else(drawn).unwrap_or(*lock(&self.usual));
        let line = Arc::new(Line::new(script));
        lock(&self.lines).push(Arc::clone(&line));
        line
    }
}

impl Proxy {
    /// A proxy before `target`, in order.
    pub async fn before(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let weather = watch::Sender::new(Weather { cuts: 0, open: true });
        let shared = Arc::new(Shared::default());
        let task = tokio::spawn(accept(listener, target, weather.subscribe(), Arc::clone(&shared)));
        Proxy { address, weather, shared, task }
    }

    /// What clients connect to.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// Resets every line.
    pub fn cut(&self) {
        self.weather.send_modify(|weather| weather.cuts += 1);
    }

    /// Whether new lines come about from now on.
    pub fn open(&self, open: bool) {
        self.weather.send_modify(|weather| weather.open = open);
    }

    /// Whether bytes pass from now on, to the server and from it; those that do not are kept.
    pub fn flow(&self, up: bool, down: bool) {
        self.change(|script| (script.up.flows, script.down.flows) = (up, down));
    }

    /// Changes how it is on every line that there is, and will be on every other.
    pub fn change(&self, change: impl Fn(&mut Script)) {
        change(&mut lock(&self.shared.usual));
        for line in lock(&self.shared.lines).iter() {
            line.script.send_modify(&change);
        }
    }

    /// What is to happen to the next line.
    pub fn next(&self, script: Script) {
        lock(&self.shared.scripts).push_back(script);
    }

    /// From now on lines go as chance has them, and end somewhere in their first `bytes`.
    pub fn draw(&self, chance: Chance, bytes: u64) {
        *lock(&self.shared.chance) = Some((chance, bytes));
    }

    /// Ends the newest line, of which there must be one, once so many more bytes have passed this way and
    /// another one would. Says which line that is, counted from 0.
    pub fn end_after(&self, way: Way, more: u64, end: End) -> usize {
        let lines = lock(&self.shared.lines);
        let line = lines.last().expect("a line to end");
        line.script.send_modify(|script| script.way(way).end = Some((line.passed(way) + more, end)));
        lines.len() - 1
    }

    /// Whether that line has come to the end of its script.
    pub fn has_struck(&self, line: usize) -> bool {
        lock(&self.shared.lines)[line].struck()
    }

    /// How many lines there have been.
    pub fn lines(&self) -> usize {
        lock(&self.shared.lines).len()
    }

    /// How many of them came to an end of a script.
    pub fn struck(&self) -> usize {
        lock(&self.shared.lines).iter().filter(|line| line.struck()).count()
    }

    /// The bytes that have passed on all lines, whatever they mean.
    pub fn said(&self, way: Way) -> Vec<u8> {
        lock(&self.shared.lines).iter().flat_map(|line| line.said(way)).collect()
    }

    /// The bytes that have passed on one line, counted from 0: to be read, or said again.
    pub fn said_on(&self, line: usize, way: Way) -> Vec<u8> {
        lock(&self.shared.lines)[line].said(way)
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
    weather: watch::Receiver<Weather>,
    shared: Arc<Shared>,
) {
    let mut tasks = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("a listener of our own");
        while tasks.try_join_next().is_some() {}
        // One that is refused is reset when it is dropped here.
        if !weather.borrow().open {
            line::reset(&client);
            continue;
        }
        let (line, mut weather) = (shared.begin(), weather.clone());
        let cuts = weather.borrow().cuts;
        tasks.spawn(async move {
            tokio::select! {
                // Cut: both ends are reset.
                _ = weather.wait_for(|weather| weather.cuts != cuts) => {}
                () = line.carry(client, target) => {}
            }
        });
    }
}
