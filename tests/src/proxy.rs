//! A line that can fail: a TCP proxy before a server, to be cut, stalled and closed for new lines.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How the line is.
#[derive(Clone, Copy, Debug)]
struct Weather {
    /// Lines from before this change are cut.
    cuts: u64,
    /// Whether new lines come about.
    open: bool,
    /// Whether bytes pass, to the server and from it.
    flows: [bool; 2],
}

/// The proxy. Its lines end with it.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    weather: watch::Sender<Weather>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// A proxy before `target`, in order.
    pub async fn before(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let weather = watch::Sender::new(Weather { cuts: 0, open: true, flows: [true; 2] });
        let seen = weather.subscribe();
        let task = tokio::spawn(async move {
            let mut lines = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.expect("a listener of our own");
                // One that is refused is reset when it is dropped here.
                if !seen.borrow().open {
                    refuse(&client);
                    continue;
                }
                lines.spawn(line(client, target, seen.clone()));
            }
        });
        Proxy { address, weather, task }
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
        self.weather.send_modify(|weather| weather.flows = [up, down]);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn refuse(stream: &TcpStream) {
    // A peer that has gone already needs no reset.
    let (Ok(()) | Err(_)) = stream.set_zero_linger();
}

async fn line(client: TcpStream, target: SocketAddr, mut weather: watch::Receiver<Weather>) {
    let Ok(server) = TcpStream::connect(target).await else { return refuse(&client) };
    for stream in [&client, &server] {
        stream.set_nodelay(true).expect("a socket of our own");
        refuse(stream);
    }
    let cuts = weather.borrow().cuts;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let up = pump(from_client, to_server, weather.clone(), 0);
    let down = pump(from_server, to_client, weather.clone(), 1);
    tokio::select! {
        // Cut: both ends are reset.
        _ = weather.wait_for(|weather| weather.cuts != cuts) => {}
        _ = async { tokio::join!(up, down) } => {}
    }
}

/// Passes bytes on while they flow, and the end of them.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut weather: watch::Receiver<Weather>,
    way: usize,
) {
    let mut chunk = vec![0; 4096];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        let flows = weather.wait_for(|weather| weather.flows[way]).await.is_ok();
        if !flows || to.write_all(&chunk[..read]).await.is_err() {
            return;
        }
    }
    // Whoever is at the other end may have gone first.
    let (Ok(()) | Err(_)) = to.shutdown().await;
}
