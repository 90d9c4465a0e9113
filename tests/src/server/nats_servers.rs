//! NATS servers as child processes.

use std::ffi::OsStr;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use super::in_process::send_raw;
use crate::cluster::MachineNetwork;
use crate::program::{TempDir, send_signal};
use crate::wait::wait_until;

/// Oldest usable version.
const MIN_VERSION: [u32; 3] = [2, 10, 27];

/// Attempts to start servers on ports that other processes may take meanwhile.
const START_ATTEMPTS: usize = 5;

/// Ports of a server that has an address of its own.
const PORTS: [u16; 3] = [4222, 6222, 8222];

/// Place of a server.
#[derive(Clone, Debug)]
struct NatsPlace {
    address: Ipv4Addr,
    /// Ports for clients, for the other servers and for monitoring.
    ports: [u16; 3],
    /// Command before that of the server, which selects its network.
    prefix: Vec<String>,
}

/// A cluster of NATS servers with JetStream on this machine, killed when dropped.
#[derive(Debug)]
pub struct NatsServers {
    directory: TempDir,
    places: Vec<NatsPlace>,
    children: Vec<Option<Child>>,
}

impl NatsServers {
    /// Starts `count` servers and waits until they accept clients.
    pub async fn start(count: usize) -> NatsServers {
        for _ in 0..START_ATTEMPTS {
            let mut servers = NatsServers::prepare(count);
            for index in 0..count {
                servers.spawn(index);
            }
            let mut have_started = true;
            for index in 0..count {
                have_started &= servers.wait_until_listening(index).await;
            }
            if have_started {
                return servers;
            }
        }
        panic!("the NATS servers end at their start");
    }

    /// Starts a server on each of these machines of a network, and waits until they accept clients.
    pub async fn start_in(network: &MachineNetwork, machines: impl Iterator<Item = usize>) -> NatsServers {
        let places: Vec<NatsPlace> = machines
            .map(|machine| NatsPlace {
                address: network.address(machine),
                ports: PORTS,
                prefix: network.command_prefix(machine),
            })
            .collect();
        let children = places.iter().map(|_| None).collect();
        let mut servers = NatsServers { directory: TempDir::default(), places, children };
        for index in 0..servers.places.len() {
            servers.spawn(index);
        }
        for index in 0..servers.places.len() {
            assert!(servers.wait_until_listening(index).await, "a NATS server ends at its start");
        }
        servers
    }

    fn prepare(count: usize) -> NatsServers {
        // Bound together, so that they differ.
        let listener = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let listeners: Vec<_> = (0..count).map(|_| [(); 3].map(|()| listener())).collect();
        let port = |listener: &TcpListener| listener.local_addr().expect("bound").port();
        let ports = listeners.iter().map(|listeners| listeners.each_ref().map(port));
        let place = |ports| NatsPlace { address: Ipv4Addr::LOCALHOST, ports, prefix: Vec::new() };
        let children = (0..count).map(|_| None).collect();
        NatsServers { directory: TempDir::default(), places: ports.map(place).collect(), children }
    }

    fn spawn(&mut self, index: usize) {
        let folder = self.directory.path().join(format!("n{index}"));
        let NatsPlace { address, ports: [client, route, monitor], prefix } = self.places[index].clone();
        let routes: Vec<String> = self
            .places
            .iter()
            .map(|NatsPlace { address, ports: [_, route, _], .. }| format!("nats://{address}:{route}"))
            .collect();
        let mut config = format!(
            "server_name: n{index}\nlisten: {address}:{client}\nhttp: {address}:{monitor}\n\
             jetstream {{ store_dir: {:?}, max_mem: 64M, max_file: 1G }}\n",
            folder.display().to_string()
        );
        if self.places.len() > 1 {
            let routes = routes.join(", ");
            config += &format!("cluster {{ name: test, listen: {address}:{route}, routes: [{routes}] }}\n");
        }
        let file = self.directory.path().join(format!("n{index}.conf"));
        std::fs::write(&file, config).expect("a temporary folder");
        let program = nats_server_path().expect("a test without a server is skipped");
        let mut words = prefix.iter().map(OsStr::new).chain([program.as_os_str()]);
        let mut command = Command::new(words.next().expect("a program"));
        command
            .args(words)
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // The servers of a test share two processors with everything else.
        command.env("GOMEMLIMIT", "200MiB").env("GOMAXPROCS", "2");
        self.children[index] = Some(command.spawn().expect("nats-server starts"));
    }

    /// Waits until a server accepts connections. `false` if it has ended.
    async fn wait_until_listening(&mut self, index: usize) -> bool {
        let address = SocketAddr::from((self.places[index].address, self.places[index].ports[0]));
        let child = self.children[index].as_mut().expect("started");
        wait_until("a NATS server", async || {
            let has_ended = child.try_wait().expect("a child of this process").is_some();
            let is_listening = || TcpStream::connect(address).is_ok();
            if has_ended { Some(false) } else { is_listening().then_some(true) }
        })
        .await
    }

    /// The server that leads a stream, which exists.
    pub async fn leader(&self, stream: &str) -> usize {
        let running = self.children.iter().position(Option::is_some).expect("a running server");
        let monitor = SocketAddr::from((self.places[running].address, self.places[running].ports[2]));
        wait_until(("the leader of", stream), async || {
            // In HTTP/1.0 the body is in one piece.
            let request = b"GET /jsz?accounts=true&streams=true HTTP/1.0\r\n\r\n";
            let response = send_raw(monitor, request).await;
            let (_, body) = response.split_once("\r\n\r\n").expect("a response");
            let report: Value = serde_json::from_str(body).expect("JSON");
            let accounts = report["account_details"].as_array().into_iter().flatten();
            let mut streams =
                accounts.flat_map(|account| account["stream_detail"].as_array().into_iter().flatten());
            let found = streams.find(|found| found["name"] == stream)?;
            found["cluster"]["leader"].as_str()?.strip_prefix('n')?.parse().ok()
        })
        .await
    }

    /// Kills a server (SIGKILL).
    pub fn kill(&mut self, index: usize) {
        let mut child = self.children[index].take().expect("the server runs");
        child.kill().expect("a child of this process");
        child.wait().expect("a child of this process");
    }

    /// Number of servers.
    pub fn count(&self) -> usize {
        self.children.len()
    }

    /// Whether a server was not killed.
    pub fn is_running(&self, index: usize) -> bool {
        self.children[index].is_some()
    }

    /// Sends a signal, by name, to a running server.
    pub fn send_signal(&self, index: usize, name: &str) {
        send_signal(self.children[index].as_ref().expect("the server runs").id(), name);
    }

    /// Lets a server hand its leaderships over and stop (SIGTERM), and waits for its end.
    pub fn terminate(&mut self, index: usize) {
        let mut child = self.children[index].take().expect("the server runs");
        send_signal(child.id(), "TERM");
        child.wait().expect("a child of this process");
    }

    /// Starts a killed server again, with its data.
    pub async fn restart(&mut self, index: usize) {
        self.spawn(index);
        assert!(self.wait_until_listening(index).await, "its ports are in use");
    }

    /// Addresses of all servers, separated by commas.
    pub fn urls(&self) -> String {
        let urls = self
            .places
            .iter()
            .map(|NatsPlace { address, ports: [client, ..], .. }| format!("nats://{address}:{client}"));
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

/// Whether the tests that need NATS servers are skipped: on request, or because there is no suitable server and none can
/// be downloaded. Prints the reason, also when the test passes.
pub fn skips_nats() -> bool {
    let reason = if std::env::var_os("NOUGHTS_SKIP_NATS").is_some() {
        "NOUGHTS_SKIP_NATS is set"
    } else if nats_server_path().is_none() {
        "there is no nats-server of a suitable version; name one with NOUGHTS_NATS"
    } else {
        return false;
    };
    writeln!(std::io::stderr(), "a test with NATS servers is skipped: {reason}").expect("stderr is open");
    true
}

/// A suitable `nats-server`: the one that `NOUGHTS_NATS` names, the installed one, or that of Debian's archive. `None` if
/// the archive cannot be reached.
pub fn nats_server_path() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        if let Some(named) = std::env::var_os("NOUGHTS_NATS") {
            return Some(named.into());
        }
        let program = std::env::current_exe().expect("a program has a path");
        // Tests are in the folder `deps` of their profile, other programs beside it.
        let mut folders = program.ancestors().skip(1).filter(|folder| !folder.ends_with("deps"));
        let target = folders.nth(1).expect("in a target folder");
        let unpacked = target.join("nats-server/usr/sbin/nats-server");
        for program in [Path::new("nats-server"), &unpacked] {
            if is_suitable(program) {
                return Some(program.to_owned());
            }
        }
        if !download(&target.join("nats-server")) {
            return None;
        }
        assert!(is_suitable(&unpacked), "the downloaded nats-server is too old");
        Some(unpacked)
    });
    found.as_deref()
}

fn is_suitable(program: &Path) -> bool {
    let Ok(output) = Command::new(program).arg("--version").output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.trim().rsplit('v').next().unwrap_or_default();
    let parts: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    parts.as_slice() >= &MIN_VERSION[..]
}

/// Downloads the package of Debian's development release, whose signature `apt-get` verifies, and unpacks it. The
/// package sources and the installed packages of the machine stay as they are. Returns `false` if the package cannot be
/// downloaded.
fn download(folder: &Path) -> bool {
    for name in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(folder.join(name)).expect("a folder for the download");
    }
    let sources = folder.join("sources.list");
    std::fs::write(&sources, "deb http://deb.debian.org/debian sid main\n")
        .expect("a folder for the download");
    let option = |key: &str, path: &Path| ["-o".to_owned(), format!("{key}={}", path.display())];
    let options = [
        option("Dir::Etc::sourcelist", &sources),
        option("Dir::Etc::sourceparts", Path::new("-")),
        option("Dir::State::lists", &folder.join("lists")),
        option("Dir::Cache", &folder.join("cache")),
    ];
    for arguments in [&["update"][..], &["download", "nats-server"]] {
        let mut command = Command::new("apt-get");
        command.args(["--quiet", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=2"]);
        command.args(options.iter().flatten()).args(arguments).current_dir(folder).stdout(std::io::stderr());
        if !command.status().is_ok_and(|status| status.success()) {
            return false;
        }
    }
    let files = std::fs::read_dir(folder).expect("the folder of the download");
    let mut paths = files.map(|file| file.expect("a file").path());
    let Some(package) = paths.find(|path| path.extension().is_some_and(|extension| extension == "deb"))
    else {
        return false;
    };
    let status = Command::new("dpkg").arg("-x").arg(&package).arg(folder).status();
    assert!(status.is_ok_and(|status| status.success()), "dpkg cannot unpack {}", package.display());
    true
}
