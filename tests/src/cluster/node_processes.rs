//! The nodes of a cluster as child processes with fixed addresses, so that a restarted node is found again.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use super::MachineNetwork;
use crate::program::{TempDir, bind_lasting_port, send_signal};

/// Port of a node that has an address of its own.
const NODE_PORT: u16 = 7878;

/// Maximum number of log lines of each node in the report of a failure.
const MAX_REPORTED_LINES: usize = 100;

/// State of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    Running,
    /// Stopped by SIGSTOP.
    Stopped,
    Ended,
}

#[derive(Debug)]
struct Node {
    address: SocketAddr,
    /// Prefix of the node's command, which selects its network.
    prefix: Vec<String>,
    child: Option<Child>,
    is_stopped: bool,
}

/// Nodes on this machine, killed when dropped. Their logs are in a folder.
#[derive(Debug)]
pub struct NodeProcesses {
    command: Vec<OsString>,
    logs: TempDir,
    nodes: Vec<Node>,
}

impl NodeProcesses {
    /// Prepares nodes that run `command`, a program and its first arguments, with free ports on loopback. Does not
    /// start them.
    pub fn on_loopback(command: Vec<OsString>, count: usize) -> NodeProcesses {
        // All ports are bound before any of them is released, so that they differ.
        let listeners: Vec<TcpListener> = (0..count).map(|_| bind_lasting_port()).collect();
        let addresses = listeners
            .iter()
            .map(|listener| listener.local_addr().expect("bound"));
        NodeProcesses::new(
            command,
            addresses.map(|address| (address, Vec::new())).collect(),
        )
    }

    /// Prepares nodes on the first `count` machines of a network.
    pub fn in_network(
        command: Vec<OsString>,
        network: &MachineNetwork,
        count: usize,
    ) -> NodeProcesses {
        let place = |machine| {
            let address = SocketAddr::new(IpAddr::V4(network.address(machine)), NODE_PORT);
            (address, network.command_prefix(machine))
        };
        NodeProcesses::new(command, (0..count).map(place).collect())
    }

    fn new(command: Vec<OsString>, places: Vec<(SocketAddr, Vec<String>)>) -> NodeProcesses {
        let node = |(address, prefix)| Node {
            address,
            prefix,
            child: None,
            is_stopped: false,
        };
        let nodes = places.into_iter().map(node).collect();
        NodeProcesses {
            command,
            logs: TempDir::default(),
            nodes,
        }
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the address for clients of each node.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.address).collect()
    }

    /// Returns the file with the log lines of a node.
    pub fn log_file(&self, node: usize) -> PathBuf {
        self.logs.path().join(format!("node-{node}.log"))
    }

    /// Returns the last lines of the logs of all nodes.
    pub fn last_log_lines(&self) -> String {
        let node_lines = |node| {
            let log = std::fs::read_to_string(self.log_file(node)).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let lines = &lines[lines.len().saturating_sub(MAX_REPORTED_LINES)..];
            format!("node {node}:\n{}\n", lines.join("\n"))
        };
        (0..self.count()).map(node_lines).collect()
    }

    /// Starts a node that does not run, or continues a stopped node.
    pub fn start(&mut self, index: usize) {
        if self.state(index) == ProcessState::Stopped {
            return self.resume(index);
        }
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.log_file(index));
        let log = log.expect("a temporary folder");
        let node = &mut self.nodes[index];
        let mut words = node
            .prefix
            .iter()
            .map(OsString::from)
            .chain(self.command.iter().cloned());
        let mut command = Command::new(words.next().expect("a program"));
        command
            .args(words)
            .arg("--listen")
            .arg(node.address.to_string())
            .arg("--cluster-listen")
            .arg(SocketAddr::new(node.address.ip(), 0).to_string());
        // The load balancers of tests and of the demonstration need no time to notice the stop of a node.
        command
            .env_remove("NOUGHTS_DATA")
            .env("NOUGHTS_DRAIN_WAIT", "0s");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        node.child = Some(command.spawn().expect("a node starts"));
        node.is_stopped = false;
    }

    /// Returns the state of a node.
    pub fn state(&mut self, index: usize) -> ProcessState {
        let node = &mut self.nodes[index];
        let Some(child) = &mut node.child else {
            return ProcessState::Ended;
        };
        match child.try_wait().expect("a child of this process") {
            Some(_) => ProcessState::Ended,
            None if node.is_stopped => ProcessState::Stopped,
            None => ProcessState::Running,
        }
    }

    /// Returns the process id of a node that was started.
    pub fn pid(&self, index: usize) -> Option<u32> {
        self.nodes[index].child.as_ref().map(Child::id)
    }

    /// Kills a node (SIGKILL). Does nothing if the node has ended.
    pub fn kill(&mut self, index: usize) {
        if let Some(mut child) = self.nodes[index].child.take() {
            // The process may have ended already.
            let (Ok(()) | Err(_)) = child.kill();
            child.wait().expect("a child of this process");
        }
    }

    /// Stops a node (SIGSTOP).
    pub fn suspend(&mut self, index: usize) {
        if self.state(index) == ProcessState::Running {
            self.send_signal(index, "STOP");
            self.nodes[index].is_stopped = true;
        }
    }

    /// Continues a stopped node (SIGCONT).
    pub fn resume(&mut self, index: usize) {
        if self.state(index) == ProcessState::Stopped {
            self.send_signal(index, "CONT");
            self.nodes[index].is_stopped = false;
        }
    }

    /// Asks a node to stop (SIGTERM).
    pub fn terminate(&mut self, index: usize) {
        self.resume(index);
        if self.state(index) == ProcessState::Running {
            self.send_signal(index, "TERM");
        }
    }

    /// Returns the exit status of a node that has ended without being killed.
    pub fn exit_status(&mut self, index: usize) -> Option<ExitStatus> {
        self.nodes[index]
            .child
            .as_mut()?
            .try_wait()
            .expect("a child of this process")
    }

    fn send_signal(&self, index: usize, name: &str) {
        send_signal(self.pid(index).expect("a running node"), name);
    }
}

impl Drop for NodeProcesses {
    fn drop(&mut self) {
        for index in 0..self.nodes.len() {
            self.kill(index);
        }
    }
}
