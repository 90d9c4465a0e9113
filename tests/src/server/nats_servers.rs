//! NATS servers as child processes.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::in_process::send_raw;
use super::nats_program::installed_program;
use crate::cluster::MachineNetwork;
use crate::program::{TempDir, bind_lasting_port, send_signal};
use crate::wait::{wait_until, wait_until_timeout};

/// Attempts to start servers on ports that other processes may take meanwhile.
const START_ATTEMPTS: usize = 5;

/// Timeout of an election on a busy machine, and of a replica that has to catch up.
const ELECTION_TIMEOUT: Duration = Duration::from_secs(120);

/// Ports of a server that has an address of its own.
const PORTS: [u16; 3] = [4222, 6222, 8222];

/// Maximum number of servers that all tests of a program run at a time: more servers would delay nodes until other
/// nodes replace them.
const MAX_NATS_SERVERS: usize = 15;

static FREE_NATS_SERVERS: Semaphore = Semaphore::const_new(MAX_NATS_SERVERS);

/// Waits until the other tests of this program run few enough servers for `count` more. A test that waits must not hold
/// another reservation.
///
/// # Panics
/// If `count` exceeds the maximum.
pub async fn reserve_nats_servers(count: usize) -> SemaphorePermit<'static> {
    assert!(count <= MAX_NATS_SERVERS, "{count} servers");
    FREE_NATS_SERVERS
        .acquire_many(count as u32)
        .await
        .expect("never closed")
}

/// Place of a server.
#[derive(Clone, Debug)]
struct NatsPlace {
    address: Ipv4Addr,
    /// Ports for clients, for the other servers and for monitoring.
    ports: [u16; 3],
    /// Prefix of the server's command, which selects its network.
    prefix: Vec<String>,
}

/// A cluster of NATS servers with JetStream on this machine, killed when dropped.
#[derive(Debug)]
pub struct NatsServers {
    program: PathBuf,
    /// Configuration of each server in addition to addresses and storage.
    extra_config: String,
    /// Whether each message is synced before it is acknowledged.
    is_synced: bool,
    directory: TempDir,
    places: Vec<NatsPlace>,
    children: Vec<Option<Child>>,
    /// For each server, whether it hands its leaderships over and then ends.
    is_draining: Vec<bool>,
    /// Released when the servers have ended.
    reservation: Option<SemaphorePermit<'static>>,
}

impl NatsServers {
    /// Starts `count` servers and waits until they accept clients.
    pub async fn start(count: usize) -> NatsServers {
        NatsServers::start_program(installed_program(), count, "").await
    }

    /// Starts servers like [`NatsServers::start`], with further lines of the configuration.
    pub async fn start_with_config(count: usize, extra_config: &str) -> NatsServers {
        NatsServers::start_program(installed_program(), count, extra_config).await
    }

    /// Starts servers like [`NatsServers::start`] that sync each message, as the operator's page requires.
    pub async fn start_synced(count: usize) -> NatsServers {
        NatsServers::start_prepared(count, || {
            let mut servers = NatsServers::prepare(installed_program(), count);
            servers.is_synced = true;
            servers
        })
        .await
    }

    /// Starts servers like [`NatsServers::start_with_config`] with another `nats-server`.
    pub async fn start_program(program: PathBuf, count: usize, extra_config: &str) -> NatsServers {
        NatsServers::start_prepared(count, || {
            let mut servers = NatsServers::prepare(program.clone(), count);
            servers.extra_config = extra_config.to_owned();
            servers
        })
        .await
    }

    async fn start_prepared(count: usize, prepare: impl Fn() -> NatsServers) -> NatsServers {
        let reservation = reserve_nats_servers(count).await;
        let mut log = String::new();
        for _ in 0..START_ATTEMPTS {
            let mut servers = prepare();
            for index in 0..count {
                servers.spawn(index);
            }
            let mut have_started = true;
            for index in 0..count {
                have_started &= servers.wait_until_listening(index).await;
            }
            if have_started {
                servers.reservation = Some(reservation);
                servers.wait_for_meta_leader().await;
                return servers;
            }
            log = servers.read_log(0);
        }
        panic!("the NATS servers end at their start: {log}");
    }

    /// Starts a server on each of these machines of a network, and waits until they accept clients.
    pub async fn start_in(
        network: &MachineNetwork,
        machines: impl Iterator<Item = usize>,
    ) -> NatsServers {
        let places: Vec<NatsPlace> = machines
            .map(|machine| NatsPlace {
                address: network.address(machine),
                ports: PORTS,
                prefix: network.command_prefix(machine),
            })
            .collect();
        let children = places.iter().map(|_| None).collect();
        let reservation = reserve_nats_servers(places.len()).await;
        let mut servers = NatsServers {
            program: installed_program(),
            extra_config: String::new(),
            is_synced: false,
            directory: TempDir::default(),
            is_draining: vec![false; places.len()],
            places,
            children,
            reservation: Some(reservation),
        };
        for index in 0..servers.places.len() {
            servers.spawn(index);
        }
        for index in 0..servers.places.len() {
            assert!(
                servers.wait_until_listening(index).await,
                "a NATS server ends at its start"
            );
        }
        servers.wait_for_meta_leader().await;
        servers
    }

    /// Waits until every running server knows the meta leader. Without a meta leader, the first request of a node to
    /// JetStream is lost, and the node notices this after two seconds. A single server has no meta leader.
    pub async fn wait_for_meta_leader(&self) {
        if self.count() == 1 {
            return;
        }
        for index in (0..self.count()).filter(|index| self.is_running(*index)) {
            wait_until_timeout(ELECTION_TIMEOUT, "the leader of all servers", async || {
                let report = self.monitor(index, "/jsz").await;
                let leader = report["meta_cluster"]["leader"].as_str();
                leader
                    .is_some_and(|leader| !leader.is_empty())
                    .then_some(())
            })
            .await;
        }
    }

    fn prepare(program: PathBuf, count: usize) -> NatsServers {
        // All ports are bound before any of them is released, so that they differ.
        let listeners: Vec<_> = (0..count)
            .map(|_| [(); 3].map(|()| bind_lasting_port()))
            .collect();
        let port = |listener: &TcpListener| listener.local_addr().expect("bound").port();
        let ports = listeners
            .iter()
            .map(|listeners| listeners.each_ref().map(port));
        let place = |ports| NatsPlace {
            address: Ipv4Addr::LOCALHOST,
            ports,
            prefix: Vec::new(),
        };
        let children = (0..count).map(|_| None).collect();
        NatsServers {
            program,
            extra_config: String::new(),
            is_synced: false,
            directory: TempDir::default(),
            places: ports.map(place).collect(),
            children,
            is_draining: vec![false; count],
            reservation: None,
        }
    }

    fn spawn(&mut self, index: usize) {
        let folder = self.directory.path().join(format!("n{index}"));
        let NatsPlace {
            address,
            ports: [client, route, monitor],
            prefix,
        } = self.places[index].clone();
        let routes: Vec<String> = self
            .places
            .iter()
            .map(
                |NatsPlace {
                     address,
                     ports: [_, route, _],
                     ..
                 }| format!("nats://{address}:{route}"),
            )
            .collect();
        let mut config = format!(
            "server_name: n{index}\nlisten: {address}:{client}\nhttp: {address}:{monitor}\n\
             jetstream {{ store_dir: {:?}, max_mem: 64M, max_file: 1G{} }}\n",
            folder.display().to_string(),
            if self.is_synced {
                ", sync_interval: always"
            } else {
                ""
            }
        );
        if self.places.len() > 1 {
            let routes = routes.join(", ");
            // The servers of another test may get the port of a killed server. They must not join this cluster.
            let name = self.directory.path().file_name().expect("a folder");
            let name = name.display();
            config += &format!(
                "cluster {{ name: {name}, listen: {address}:{route}, routes: [{routes}] }}\n"
            );
        }
        config += &self.extra_config;
        let file = self.directory.path().join(format!("n{index}.conf"));
        std::fs::write(&file, config).expect("a temporary folder");
        let mut words = prefix
            .iter()
            .map(OsStr::new)
            .chain([self.program.as_os_str()]);
        let mut command = Command::new(words.next().expect("a program"));
        command
            .args(words)
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(self.log_file(index)).expect("a temporary folder"));
        // The servers of a test share two processors with everything else.
        command.env("GOMEMLIMIT", "200MiB").env("GOMAXPROCS", "2");
        self.children[index] = Some(command.spawn().expect("nats-server starts"));
    }

    /// Returns the file with the log of a server since its last start.
    fn log_file(&self, index: usize) -> PathBuf {
        self.directory.path().join(format!("n{index}.log"))
    }

    fn read_log(&self, index: usize) -> String {
        std::fs::read_to_string(self.log_file(index)).unwrap_or_default()
    }

    /// Waits until a server accepts connections. Returns `false` if it has ended.
    async fn wait_until_listening(&mut self, index: usize) -> bool {
        let address = SocketAddr::from((self.places[index].address, self.places[index].ports[0]));
        let child = self.children[index].as_mut().expect("started");
        wait_until("a NATS server", async || {
            let has_ended = child.try_wait().expect("a child of this process").is_some();
            let is_listening = || TcpStream::connect(address).is_ok();
            if has_ended {
                Some(false)
            } else {
                is_listening().then_some(true)
            }
        })
        .await
    }

    /// Returns the server that leads a stream. The stream must exist.
    pub async fn leader(&self, stream: &str) -> usize {
        let running = (0..self.count())
            .find(|index| self.is_running(*index))
            .expect("a running server");
        wait_until_timeout(ELECTION_TIMEOUT, ("the leader of", stream), async || {
            parse_leader(&self.stream_replicas(running, stream).await?)
        })
        .await
    }

    /// Waits until an existing stream has a current replica on every server. A single server has no replicas.
    pub async fn wait_until_current(&self, stream: &str) {
        if self.count() == 1 {
            return;
        }
        wait_until_timeout(
            ELECTION_TIMEOUT,
            ("current replicas of", stream),
            async || {
                let running = (0..self.count()).find(|index| self.is_running(*index))?;
                let leader = parse_leader(&self.stream_replicas(running, stream).await?)?;
                // Only the leader knows the state of the other replicas.
                let report = self.stream_replicas(leader, stream).await?;
                let others = report["replicas"].as_array()?;
                let is_current =
                    |replica: &Value| replica["current"] == true && replica["offline"] != true;
                (others.len() + 1 == self.count() && others.iter().all(is_current)).then_some(())
            },
        )
        .await;
    }

    /// Returns the leader and the other replicas of a stream, as a running server knows them.
    async fn stream_replicas(&self, index: usize, stream: &str) -> Option<Value> {
        let report = self.monitor(index, "/jsz?accounts=true&streams=true").await;
        let accounts = report["account_details"].as_array().into_iter().flatten();
        let mut streams =
            accounts.flat_map(|account| account["stream_detail"].as_array().into_iter().flatten());
        Some(streams.find(|found| found["name"] == stream)?["cluster"].clone())
    }

    /// Reads a page of the monitoring of a server.
    async fn monitor(&self, index: usize, page: &str) -> Value {
        let monitor = SocketAddr::from((self.places[index].address, self.places[index].ports[2]));
        // In HTTP/1.0 the body is in one piece.
        let response = send_raw(monitor, format!("GET {page} HTTP/1.0\r\n\r\n").as_bytes()).await;
        let (_, body) = response.split_once("\r\n\r\n").expect("a response");
        serde_json::from_str(body).expect("JSON")
    }

    /// Returns the process id of a server that was not killed.
    pub fn pid(&self, index: usize) -> Option<u32> {
        self.children[index].as_ref().map(Child::id)
    }

    /// Kills a server (SIGKILL).
    pub fn kill(&mut self, index: usize) {
        self.is_draining[index] = false;
        let mut child = self.children[index].take().expect("the server runs");
        child.kill().expect("a child of this process");
        child.wait().expect("a child of this process");
    }

    /// Returns the number of servers.
    pub fn count(&self) -> usize {
        self.children.len()
    }

    /// Returns whether a server was neither killed nor drained.
    pub fn is_running(&self, index: usize) -> bool {
        self.children[index].is_some() && !self.is_draining[index]
    }

    /// Sends a signal, by name, to a running server.
    pub fn send_signal(&self, index: usize, name: &str) {
        send_signal(
            self.children[index].as_ref().expect("the server runs").id(),
            name,
        );
    }

    /// Lets a server hand its leaderships and clients over, as `nats-server --signal ldm` does. It ends after half a
    /// minute.
    pub fn drain(&mut self, index: usize) {
        self.send_signal(index, "USR2");
        self.is_draining[index] = true;
    }

    /// Restarts a server that was killed or drained, with its data.
    pub async fn restart(&mut self, index: usize) {
        if self.is_draining[index] {
            self.kill(index);
        }
        self.spawn(index);
        let is_listening = self.wait_until_listening(index).await;
        assert!(is_listening, "{}", self.read_log(index));
    }

    /// Returns the addresses of all servers, separated by commas.
    pub fn urls(&self) -> String {
        let urls = self.places.iter().map(
            |NatsPlace {
                 address,
                 ports: [client, ..],
                 ..
             }| format!("nats://{address}:{client}"),
        );
        urls.collect::<Vec<_>>().join(",")
    }
}

impl Drop for NatsServers {
    fn drop(&mut self) {
        for child in self.children.iter_mut().flatten() {
            // The process may have ended already.
            let (Ok(()) | Err(_)) = child.kill();
            let (Ok(_) | Err(_)) = child.wait();
        }
    }
}

fn parse_leader(replicas: &Value) -> Option<usize> {
    replicas["leader"].as_str()?.strip_prefix('n')?.parse().ok()
}
