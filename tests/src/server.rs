//! A server in this process, on a free port, with limits, log and dice of the test's choice.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use noughts_server::RunError;
use noughts_server::config::Limits;
use noughts_server::dice::Dice;
use noughts_server::http::{Listen, bind};
use noughts_server::log::{EventLog, MemoryLog};
use noughts_server::time::Time;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::peer::Peer;
use crate::wait::{until, within};

/// What a server is started with.
#[derive(Debug)]
pub struct Setup {
    /// Its limits; those of a test that needs none are wide.
    pub limits: Limits,
    /// Its log.
    pub log: Arc<dyn EventLog>,
    /// How its dice fall.
    pub seed: u64,
    /// Its time.
    pub time: Time,
    /// What it takes the address of a peer for.
    pub disguise: fn(IpAddr) -> IpAddr,
}

impl Default for Setup {
    /// The defaults of the product, but that one address may do as much as a whole test does.
    fn default() -> Setup {
        let limits = Limits {
            max_per_address: 5_000,
            burst: 10_000,
            per_second: 10_000,
            guesses: 10_000,
            takeovers: 10_000,
            ..Limits::default()
        };
        Setup {
            limits,
            log: Arc::new(MemoryLog::default()),
            seed: 1,
            time: Time::start(),
            disguise: |peer| peer,
        }
    }
}

/// A listener that shows the server other addresses than those that connect.
struct Disguised {
    listener: TcpListener,
    disguise: fn(IpAddr) -> IpAddr,
}

impl Listen for Disguised {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Listen::accept(&mut self.listener).await?;
        Ok((stream, SocketAddr::new((self.disguise)(peer.ip()), peer.port())))
    }

    fn is_loopback(&self) -> bool {
        Listen::is_loopback(&self.listener)
    }
}

/// A running server. Dropped, it is told to stop; [`Server::stop`] also waits for it.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shutdown: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), RunError>>,
}

impl Server {
    /// A server as the product starts it, but for [`Setup::default`].
    pub async fn start() -> Server {
        Server::with(Setup::default()).await
    }

    /// The same with some limits changed.
    pub async fn limited(change: impl FnOnce(&mut Limits)) -> Server {
        let mut setup = Setup::default();
        change(&mut setup.limits);
        Server::with(setup).await
    }

    /// A server of the test's making.
    pub async fn with(setup: Setup) -> Server {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (shutdown, told) = oneshot::channel();
        let told = async {
            // Dropping the handle tells as well.
            let (Ok(()) | Err(_)) = told.await;
        };
        let Setup { limits, log, seed, time, disguise } = setup;
        let (listener, dice) = (Disguised { listener, disguise }, Dice::from_seed(seed));
        let task = tokio::spawn(noughts_server::run(listener, None, limits, log, dice, time, told));
        Server { address, shutdown: Some(shutdown), task }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What clients connect to.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// A connected peer that has said hello.
    pub async fn peer(&self, name: &str) -> Peer {
        Peer::hello(&self.url(), name).await
    }

    /// Tells it to stop, without waiting.
    pub fn tell_to_stop(&mut self) {
        self.shutdown.take();
    }

    /// Tells it to stop and waits until it has.
    pub async fn stop(mut self) -> Result<(), RunError> {
        self.tell_to_stop();
        within("the server to stop", self.task).await.expect("the server does not panic")
    }

    /// The status and the body of a GET.
    pub async fn get(&self, path: &str) -> (u16, String) {
        get(self.address, path).await
    }

    /// A number from the metrics.
    pub async fn metric(&self, name: &str) -> i64 {
        let (_, text) = self.get("/metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().expect("a number")
    }

    /// Waits until nothing is left of those who were here: connections, rooms, tasks, seeks.
    pub async fn settled(&self) {
        for gauge in ["noughts_connections", "noughts_rooms", "noughts_room_tasks", "noughts_seeks"] {
            until(("gauge at zero", gauge), async || (self.metric(gauge).await == 0).then_some(())).await;
        }
    }
}

/// The status and the body of a GET.
pub async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let text = raw(address, request.as_bytes()).await;
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (status.unwrap_or_else(|| panic!("no status in {text:?}")), body.unwrap_or_default())
}

/// Sends bytes and reads until the server closes.
pub async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    within("an answer to raw bytes", async {
        let mut stream = TcpStream::connect(address).await.expect("the server listens");
        stream.write_all(bytes).await.expect("the server reads");
        let mut answer = Vec::new();
        // A reset after the answer is no matter here: what came is judged by the caller.
        let (Ok(_) | Err(_)) = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    })
    .await
}
