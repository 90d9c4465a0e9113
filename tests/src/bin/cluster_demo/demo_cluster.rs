//! The parts of the demonstration: NATS servers, nodes and a load balancer.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::{Context, ensure};
use noughts_tests::cluster::{LoadBalancer, NodeProcesses, ProcessState};
use noughts_tests::server::{NatsServers, nats_server_path};

use crate::demo_command::{DemoCommand, DemoPart, HELP};

/// Number of nodes, and of NATS servers.
const COUNT: usize = 3;

/// Flags of each node. The limit per address is high, because all clients have the address of the load balancer. A node
/// claims a small number of shards faster.
const NODE_FLAGS: [&str; 4] = ["--max-per-address", "10000", "--cluster-shards", "16"];

/// All parts of the demonstration. Dropping this value ends their processes.
#[derive(Debug)]
pub(crate) struct DemoCluster {
    balancer: LoadBalancer,
    // Dropped before the NATS servers, so that no node sees them end.
    nodes: NodeProcesses,
    nats: NatsServers,
}

impl DemoCluster {
    /// Starts all parts. Nodes serve a few seconds later.
    ///
    /// # Errors
    /// If no NATS server can be found or downloaded, or the port is in use.
    pub(crate) async fn start(port: u16) -> anyhow::Result<DemoCluster> {
        let missing = "no nats-server 2.10.27 or later is installed, and none can be downloaded; name one with NOUGHTS_NATS";
        ensure!(nats_server_path().is_some(), missing);
        let nats = NatsServers::start(COUNT).await;
        let urls = nats.urls();
        let program = std::env::current_exe().context("cannot find this program")?;
        let flags = ["node", "--cluster", &urls]
            .into_iter()
            .chain(NODE_FLAGS)
            .map(OsString::from);
        let mut nodes = NodeProcesses::on_loopback(
            [program.into_os_string()]
                .into_iter()
                .chain(flags)
                .collect(),
            COUNT,
        );
        let balancer = LoadBalancer::start(port, &nodes.addresses()).await;
        let balancer = balancer
            .with_context(|| format!("cannot listen on port {port}; choose another with --port"))?;
        for node in 0..COUNT {
            nodes.start(node);
        }
        Ok(DemoCluster {
            balancer,
            nodes,
            nats,
        })
    }

    /// Instructions for the user at the start.
    pub(crate) fn banner(&self) -> String {
        format!(
            "noughts play {}\nlogs of the nodes: {}\nThe nodes serve in about five seconds. Commands: kill a, stop b, drain c, \
             start a, kill n1, status, help, quit",
            self.balancer.url(),
            self.nodes
                .log_file(0)
                .parent()
                .unwrap_or(std::path::Path::new(""))
                .display(),
        )
    }

    /// Executes a command, and returns the text for the user.
    pub(crate) async fn execute(&mut self, command: DemoCommand) -> String {
        match command {
            DemoCommand::Kill(part) => self.kill(part),
            DemoCommand::Stop(part) => self.suspend(part),
            DemoCommand::Drain(part) => self.drain(part),
            DemoCommand::Start(part) => self.restart(part).await,
            DemoCommand::Status => self.status(),
            DemoCommand::Help => HELP.into(),
            DemoCommand::Quit => String::new(),
        }
    }

    fn kill(&mut self, part: DemoPart) -> String {
        match part {
            DemoPart::Node(index) => self.nodes.kill(index),
            DemoPart::NatsServer(index) if self.nats.is_running(index) => self.nats.kill(index),
            DemoPart::NatsServer(_) => return format!("{part} does not run"),
        }
        format!("{part} killed")
    }

    fn suspend(&mut self, part: DemoPart) -> String {
        match part {
            DemoPart::Node(index) if self.nodes.state(index) == ProcessState::Running => {
                self.nodes.suspend(index);
            }
            DemoPart::NatsServer(index) if self.nats.is_running(index) => {
                self.nats.send_signal(index, "STOP");
            }
            DemoPart::Node(_) | DemoPart::NatsServer(_) => return format!("{part} does not run"),
        }
        format!("{part} stopped; `start {part}` continues it")
    }

    fn drain(&mut self, part: DemoPart) -> String {
        match part {
            DemoPart::Node(index) if self.nodes.state(index) != ProcessState::Ended => {
                self.nodes.terminate(index);
            }
            DemoPart::NatsServer(index) if self.nats.is_running(index) => self.nats.drain(index),
            DemoPart::Node(_) | DemoPart::NatsServer(_) => return format!("{part} does not run"),
        }
        format!("{part} drained")
    }

    async fn restart(&mut self, part: DemoPart) -> String {
        match part {
            DemoPart::Node(index) if self.nodes.state(index) == ProcessState::Running => {
                return format!("{part} runs already");
            }
            DemoPart::Node(index) => self.nodes.start(index),
            DemoPart::NatsServer(index) if self.nats.is_running(index) => {
                self.nats.send_signal(index, "CONT");
            }
            DemoPart::NatsServer(index) => self.nats.restart(index).await,
        }
        format!("{part} started")
    }

    fn status(&mut self) -> String {
        let mut text = String::new();
        for index in 0..COUNT {
            let state = match self.nodes.state(index) {
                ProcessState::Running => "running",
                ProcessState::Stopped => "stopped",
                ProcessState::Ended => "ended",
            };
            let report = self.balancer.report(index);
            let (part, address) = (DemoPart::Node(index), self.nodes.addresses()[index]);
            let ready = if report.is_ready {
                "ready"
            } else {
                "not ready"
            };
            let connections = report.connections;
            let part = part.to_string();
            line(
                &mut text,
                format_args!(
                    "{part:<3} node  {address}  {state}, {ready}, {connections} connections"
                ),
            );
        }
        for index in 0..self.nats.count() {
            let state = if self.nats.is_running(index) {
                "running"
            } else {
                "ended"
            };
            line(
                &mut text,
                format_args!(
                    "{:<3} NATS  {state}",
                    DemoPart::NatsServer(index).to_string()
                ),
            );
        }
        text.truncate(text.trim_end().len());
        text
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("writing to a string cannot fail");
}
