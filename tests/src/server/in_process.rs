//! Server in the test process, on a free port, with chosen limits, log, clock and random seed.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use noughts_server::RunError;
use noughts_server::ServerLimits;
use noughts_server::testing::ServerClock;
use noughts_server::testing::ServerRng;
use noughts_server::testing::{EventLog, MemoryLog};
use noughts_server::testing::{Listener, bind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::test_client::TestClient;
use crate::faults::{Fault, FaultyListener};
use crate::program::binary_path;
use crate::wait::{wait_until, with_timeout};

/// Time limit of each step of a new connection, unless a test sets a different limit: longer than any wait.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(600);

/// Options of a [`TestServer`].
#[derive(Debug)]
pub struct TestServerOptions {
    /// Limits; the defaults do not limit a test.
    pub limits: ServerLimits,
    /// Event log.
    pub log: Arc<dyn EventLog>,
    /// Seed of the server's random numbers.
    pub seed: u64,
    pub time: ServerClock,
    /// Fault of the server.
    pub fault: Option<Fault>,
    /// Maps the address of a client to the address that the server sees.
    pub spoof_address: fn(IpAddr) -> IpAddr,
}

impl Default for TestServerOptions {
    /// Raises the limits per address, since all clients of a test share one address, and the time to connect.
    fn default() -> TestServerOptions {
        let limits = ServerLimits {
            max_per_address: 5_000,
            rate_burst: 10_000,
            rate_per_second: 10_000,
            reply_bytes_per_second: 1_000_000,
            offer_burst: 10_000,
            max_bad_keys_per_minute: 10_000,
            max_bad_keys_per_connection: 10_000,
            takeovers: 10_000,
            first_line_timeout: CONNECT_TIMEOUT,
            handshake_timeout: CONNECT_TIMEOUT,
            hello_timeout: CONNECT_TIMEOUT,
            ..ServerLimits::default()
        };
        TestServerOptions {
            limits,
            log: Arc::new(MemoryLog::default()),
            seed: 1,
            time: ServerClock::start(),
            fault: None,
            spoof_address: |peer| peer,
        }
    }
}

/// Listener that replaces client addresses.
struct SpoofedListener {
    listener: TcpListener,
    spoof_address: fn(IpAddr) -> IpAddr,
}

impl Listener for SpoofedListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Listener::accept(&mut self.listener).await?;
        Ok((
            stream,
            SocketAddr::new((self.spoof_address)(peer.ip()), peer.port()),
        ))
    }

    fn is_loopback(&self) -> bool {
        Listener::is_loopback(&self.listener)
    }
}

/// Running server. Dropping it requests a stop; [`TestServer::stop`] also waits for it.
#[derive(Debug)]
pub struct TestServer {
    address: SocketAddr,
    shutdown: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), RunError>>,
}

impl TestServer {
    /// Starts a server with [`TestServerOptions::default`].
    pub async fn start() -> TestServer {
        TestServer::start_with(TestServerOptions::default()).await
    }

    /// Starts a server with changed limits.
    pub async fn start_with_limits(change: impl FnOnce(&mut ServerLimits)) -> TestServer {
        let mut options = TestServerOptions::default();
        change(&mut options.limits);
        TestServer::start_with(options).await
    }

    /// Starts a server with options.
    pub async fn start_with(options: TestServerOptions) -> TestServer {
        // The client program is built before the first connection, because the clients of a test answer no pings while
        // the test waits for a build.
        drop(binary_path("noughts"));
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (shutdown, stopped) = oneshot::channel();
        let stopped = async {
            // Dropping the sender stops the server as well.
            let (Ok(()) | Err(_)) = stopped.await;
        };
        let TestServerOptions {
            mut limits,
            mut log,
            seed,
            time,
            fault,
            spoof_address,
        } = options;
        if let Some(fault) = fault {
            fault.change_limits(&mut limits);
            log = fault.wrap_log(log);
        }
        let listener = SpoofedListener {
            listener,
            spoof_address,
        };
        let listener = FaultyListener::new(listener, fault.and_then(Fault::wire));
        let rng = ServerRng::from_seed(seed);
        let task = tokio::spawn(noughts_server::run(
            listener, None, limits, log, rng, time, stopped,
        ));
        TestServer {
            address,
            shutdown: Some(shutdown),
            task,
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the WebSocket URL.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// Connects a client and sends hello.
    pub async fn connect_client(&self, name: &str) -> TestClient {
        TestClient::connect_as(&self.url(), name).await
    }

    /// Requests a stop without waiting.
    pub fn request_stop(&mut self) {
        self.shutdown.take();
    }

    /// Requests a stop and waits for the server to end.
    pub async fn stop(mut self) -> Result<(), RunError> {
        self.request_stop();
        with_timeout("the server to stop", self.task)
            .await
            .expect("the server does not panic")
    }

    /// Sends a GET request; returns status and body.
    pub async fn get(&self, path: &str) -> (u16, String) {
        get(self.address, path).await
    }

    /// Returns the value of a metric.
    pub async fn metric(&self, name: &str) -> i64 {
        metric(self.address, name).await
    }

    /// Waits until connections, rooms, room tasks and seeks are at zero.
    pub async fn wait_until_idle(&self) {
        for gauge in [
            "noughts_connections",
            "noughts_rooms",
            "noughts_room_tasks",
            "noughts_seeks",
        ] {
            wait_until(("gauge at zero", gauge), async || {
                (self.metric(gauge).await == 0).then_some(())
            })
            .await;
        }
    }
}

/// Sends a GET request; returns status and body.
pub async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let text = send_raw(address, request.as_bytes()).await;
    let status = text
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (
        status.unwrap_or_else(|| panic!("no status in {text:?}")),
        body.unwrap_or_default(),
    )
}

/// Returns the value of a metric of the server at this address.
pub async fn metric(address: SocketAddr, name: &str) -> i64 {
    let (_, text) = get(address, "/metrics").await;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{text}"))
        .parse()
        .expect("a number")
}

/// Sends bytes and reads until the server closes the connection.
pub async fn send_raw(address: SocketAddr, bytes: &[u8]) -> String {
    with_timeout("a response to raw bytes", async {
        let mut stream = TcpStream::connect(address)
            .await
            .expect("the server listens");
        stream
            .write_all(bytes)
            .await
            .expect("the server accepts bytes");
        let mut response = Vec::new();
        // A reset after the response is not an error here.
        let (Ok(_) | Err(_)) = stream.read_to_end(&mut response).await;
        String::from_utf8_lossy(&response).into_owned()
    })
    .await
}
