//! A TCP load balancer, as an operator would run it in front of the nodes of a cluster. It checks `/ready` of each
//! node, and sends each connection to the ready node with the fewest connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Timeout of one check, and of a connection to a node.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Number of failed checks in a row that closes the connections of a node.
const MAX_FAILED_CHECKS: u32 = 3;

/// State of a node as the load balancer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackendReport {
    pub is_ready: bool,
    pub connections: usize,
}

#[derive(Debug)]
struct Backend {
    address: SocketAddr,
    is_ready: AtomicBool,
    connections: AtomicUsize,
    /// Changes when the node has stopped answering. All connections to the node are then closed.
    failures: watch::Sender<()>,
}

/// Counts a connection until it is dropped.
struct ConnectionCount<'a>(&'a AtomicUsize);

impl<'a> ConnectionCount<'a> {
    fn new(count: &'a AtomicUsize) -> ConnectionCount<'a> {
        count.fetch_add(1, Ordering::Relaxed);
        ConnectionCount(count)
    }
}

impl Drop for ConnectionCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A load balancer on loopback, which ends when it is dropped.
#[derive(Debug)]
pub struct LoadBalancer {
    address: SocketAddr,
    backends: Arc<[Backend]>,
    _tasks: JoinSet<()>,
}

impl LoadBalancer {
    /// Listens on `port`, 0 for a free port, and serves the nodes at these addresses.
    ///
    /// # Errors
    /// If the port is in use.
    pub async fn start(port: u16, nodes: &[SocketAddr]) -> io::Result<LoadBalancer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let backends: Arc<[Backend]> = nodes
            .iter()
            .map(|address| Backend {
                address: *address,
                is_ready: AtomicBool::new(false),
                connections: AtomicUsize::new(0),
                failures: watch::Sender::new(()),
            })
            .collect();
        let mut tasks = JoinSet::new();
        for index in 0..backends.len() {
            let backends = Arc::clone(&backends);
            tasks.spawn(async move { backends[index].check_repeatedly().await });
        }
        tasks.spawn(accept(listener, Arc::clone(&backends)));
        Ok(LoadBalancer {
            address,
            backends,
            _tasks: tasks,
        })
    }

    /// Returns the WebSocket address for clients.
    pub fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    /// Returns the state of a node.
    pub fn report(&self, node: usize) -> BackendReport {
        let backend = &self.backends[node];
        BackendReport {
            is_ready: backend.is_ready.load(Ordering::Relaxed),
            connections: backend.connections.load(Ordering::Relaxed),
        }
    }

    /// Returns the number of nodes that are ready.
    pub fn ready_count(&self) -> usize {
        self.backends
            .iter()
            .filter(|backend| backend.is_ready.load(Ordering::Relaxed))
            .count()
    }
}

impl Backend {
    async fn check_repeatedly(&self) {
        let mut failed_checks = 0;
        loop {
            let status = timeout(CHECK_TIMEOUT, self.ready_status()).await;
            let has_answered = matches!(status, Ok(Ok(_)));
            self.is_ready
                .store(matches!(status, Ok(Ok(200))), Ordering::Relaxed);
            failed_checks = if has_answered { 0 } else { failed_checks + 1 };
            if failed_checks == MAX_FAILED_CHECKS {
                self.failures.send_replace(());
            }
            sleep(CHECK_INTERVAL).await;
        }
    }

    /// Returns the status code of `/ready`.
    async fn ready_status(&self) -> io::Result<u16> {
        let mut stream = TcpStream::connect(self.address).await?;
        stream
            .write_all(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await?;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await?;
        let status = head
            .rsplit(|byte| *byte == b' ')
            .next()
            .and_then(|code| str::from_utf8(code).ok());
        status
            .and_then(|code| code.parse().ok())
            .ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

async fn accept(listener: TcpListener, backends: Arc<[Backend]>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((client, _)) => drop(connections.spawn(serve(client, Arc::clone(&backends)))),
            // No file descriptor is free. While this task waits, other connections end.
            Err(_) => sleep(CHECK_INTERVAL).await,
        }
    }
}

/// Serves one connection. If no node is ready, closes the connection, and the client tries again.
async fn serve(mut client: TcpStream, backends: Arc<[Backend]>) {
    let mut ready: Vec<&Backend> = backends
        .iter()
        .filter(|backend| backend.is_ready.load(Ordering::Relaxed))
        .collect();
    ready.sort_by_key(|backend| backend.connections.load(Ordering::Relaxed));
    for backend in ready {
        let Ok(Ok(mut node)) = timeout(CHECK_TIMEOUT, TcpStream::connect(backend.address)).await
        else {
            continue;
        };
        let _count = ConnectionCount::new(&backend.connections);
        let mut failures = backend.failures.subscribe();
        // Small frames must not wait for each other.
        if client
            .set_nodelay(true)
            .and_then(|()| node.set_nodelay(true))
            .is_err()
        {
            return;
        }
        tokio::select! {
            // Either side may end the connection, with or without an error.
            Ok(_) | Err(_) = copy_bidirectional(&mut client, &mut node) => {}
            Ok(()) | Err(_) = failures.changed() => {}
        }
        return;
    }
}
