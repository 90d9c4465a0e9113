//! A network of simulated machines: network namespaces on a bridge, with links that a test can cut. Needs root, `ip`
//! and `nft`.

use std::net::Ipv4Addr;
use std::process::{Command, Output};

use crate::program::install_missing_program;

/// Network namespaces, removed when dropped.
#[derive(Debug)]
pub struct MachineNetwork {
    /// Number that distinguishes this network from other networks on the same machine.
    number: u32,
    created: usize,
}

/// Runs a command under `timeout`. The program limits the command even where no task can await it, as in a `Drop`.
///
/// # Errors
/// Returns what the command printed, or why it did not run.
pub fn run_command(command_line: &str) -> Result<(), String> {
    match Command::new("timeout")
        .arg("10")
        .args(command_line.split(' '))
        .output()
    {
        Ok(Output { status, .. }) if status.success() => Ok(()),
        Ok(Output { status, stderr, .. }) => Err(format!(
            "{command_line}: {status}, {}",
            String::from_utf8_lossy(&stderr).trim()
        )),
        Err(error) => Err(format!("{command_line}: {error}")),
    }
}

impl MachineNetwork {
    /// Creates a bridge and `count` machines, which reach each other and this process.
    ///
    /// # Errors
    /// If this process may not create network namespaces, or `ip` or `nft` is missing and cannot be installed.
    pub fn new(count: usize) -> Result<MachineNetwork, String> {
        install_missing_program("ip", "iproute2")?;
        install_missing_program("nft", "nftables")?;
        let number = std::process::id() % 60_000;
        let mut network = MachineNetwork { number, created: 0 };
        let bridge = network.bridge();
        run_command(&format!("ip link add {bridge} type bridge"))?;
        // The parts that exist are removed if the next command fails.
        network.created = 1;
        run_command(&format!(
            "ip addr add {}/24 dev {bridge}",
            network.host_address()
        ))?;
        run_command(&format!("ip link set {bridge} up"))?;
        for machine in 0..count {
            let (name, outer) = (network.name(machine), network.outer_device(machine));
            run_command(&format!("ip netns add {name}"))?;
            network.created = machine + 2;
            run_command(&format!(
                "ip link add {outer} type veth peer name eth0 netns {name}"
            ))?;
            run_command(&format!("ip link set {outer} master {bridge} up"))?;
            run_command(&format!(
                "ip -n {name} addr add {}/24 dev eth0",
                network.address(machine)
            ))?;
            run_command(&format!("ip -n {name} link set eth0 up"))?;
            run_command(&format!("ip -n {name} link set lo up"))?;
            run_command(&format!("ip netns exec {name} nft add table inet noughts"))?;
        }
        Ok(network)
    }

    fn net(&self, host: u8) -> Ipv4Addr {
        Ipv4Addr::new(
            10,
            100 + (self.number / 250 % 100) as u8,
            (self.number % 250) as u8,
            host,
        )
    }

    fn bridge(&self) -> String {
        format!("nob{}", self.number)
    }

    fn name(&self, machine: usize) -> String {
        format!("noughts-{}-{machine}", self.number)
    }

    fn outer_device(&self, machine: usize) -> String {
        format!("no{}x{machine}", self.number)
    }

    /// Returns the address of this process in the network.
    pub fn host_address(&self) -> Ipv4Addr {
        self.net(254)
    }

    /// Returns the address of a machine.
    pub fn address(&self, machine: usize) -> Ipv4Addr {
        self.net(machine as u8 + 1)
    }

    /// Returns the beginning of a command for execution on a machine.
    pub fn command_prefix(&self, machine: usize) -> Vec<String> {
        ["ip", "netns", "exec", &self.name(machine)]
            .map(str::to_owned)
            .to_vec()
    }

    /// Drops all packets between a machine and the other machines.
    pub fn cut(&self, machine: usize) {
        must(&format!("ip link set {} down", self.outer_device(machine)));
    }

    /// Drops all packets between a machine and some other machines, but not the packets of this process.
    pub fn cut_from(&self, machine: usize, others: &[usize]) {
        let name = self.name(machine);
        let addresses: Vec<String> = others
            .iter()
            .map(|other| self.address(*other).to_string())
            .collect();
        let addresses = addresses.join(",");
        for (hook, field) in [("input", "saddr"), ("output", "daddr")] {
            let nft = format!("ip netns exec {name} nft add");
            let chain = format!("{{ type filter hook {hook} priority 0 ; policy accept ; }}");
            must(&format!("{nft} chain inet noughts {hook} {chain}"));
            must(&format!(
                "{nft} rule inet noughts {hook} ip {field} {{{addresses}}} drop"
            ));
        }
    }

    /// Ends the cuts of a machine.
    pub fn repair(&self, machine: usize) {
        must(&format!("ip link set {} up", self.outer_device(machine)));
        must(&format!(
            "ip netns exec {} nft flush table inet noughts",
            self.name(machine)
        ));
    }
}

/// Runs a command that has to succeed.
fn must(command_line: &str) {
    run_command(command_line).unwrap_or_else(|error| panic!("{error}"));
}

impl Drop for MachineNetwork {
    fn drop(&mut self) {
        let machines = (0..self.created.saturating_sub(1))
            .map(|machine| format!("ip netns del {}", self.name(machine)));
        let bridge = (self.created > 0).then(|| format!("ip link del {}", self.bridge()));
        for command in machines.chain(bridge) {
            if let Err(error) = run_command(&command) {
                eprintln!("cannot remove the network: {error}");
            }
        }
    }
}
