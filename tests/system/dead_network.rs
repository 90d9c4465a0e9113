//! A network that drops every packet and tells nobody: a namespace of its own and a rule of nftables. Where
//! the test may not make them it says so; `lines` shows the same through a proxy, everywhere.

use std::io::Write;
use std::process::{Child, Command, Output};
use std::time::Duration;

use noughts_protocol::Seat;
use noughts_protocol::wire::{Notice, Presence};
use noughts_tests::peer::Peer;
use noughts_tests::program::{Folder, ServerProcess, path};
use tokio::time::Instant;

/// What is left of a namespace goes with it: the pair of devices, and the rules.
struct Network {
    name: String,
    /// The address of this side.
    here: String,
}

/// With a limit of its own, also where a namespace goes with its test and nobody can wait: `timeout` is the system's.
fn run(line: &str) -> Result<(), String> {
    let output = Command::new("timeout").arg("10").args(line.split(' ')).output();
    match output {
        Ok(Output { status, .. }) if status.success() => Ok(()),
        Ok(Output { status, stderr, .. }) => {
            Err(format!("{line}: {status}, {}", String::from_utf8_lossy(&stderr).trim()))
        }
        Err(error) => Err(format!("{line}: {error}")),
    }
}

impl Network {
    /// A namespace with one line to this one.
    fn new() -> Result<Network, String> {
        let number = std::process::id();
        let (name, net) =
            (format!("noughts-{number}"), format!("10.{}.{}", 200 + number % 40, number / 40 % 250));
        let (outer, inner) = (format!("nou{number}"), format!("nin{number}"));
        run(&format!("ip netns add {name}"))?;
        // From here on it goes with this value.
        let network = Network { name: name.clone(), here: format!("{net}.1") };
        run(&format!("ip link add {outer} type veth peer name {inner} netns {name}"))?;
        run(&format!("ip addr add {net}.1/30 dev {outer}"))?;
        run(&format!("ip link set {outer} up"))?;
        run(&format!("ip -n {name} addr add {net}.2/30 dev {inner}"))?;
        run(&format!("ip -n {name} link set {inner} up"))?;
        run(&format!("ip netns exec {name} nft add table inet noughts"))?;
        Ok(network)
    }

    fn nft(&self, rule: &str) {
        let line = format!("ip netns exec {} nft {rule}", self.name);
        run(&line).unwrap_or_else(|error| panic!("{error}"));
    }

    /// From now on nothing comes in or goes out.
    fn drop_everything(&self) {
        for hook in ["input", "output"] {
            let chain = format!(
                "add chain inet noughts {hook} {{ type filter hook {hook} priority 0 ; policy drop ; }}"
            );
            self.nft(&chain);
        }
    }

    fn let_everything_through(&self) {
        self.nft("flush ruleset");
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Err(error) = run(&format!("ip netns del {}", self.name)) {
            eprintln!("a namespace stays: {error}");
        }
    }
}

/// A bot that ends with the test.
struct Bot(Child);

impl Drop for Bot {
    fn drop(&mut self) {
        // It may have ended already; it is ours in any case.
        let (Ok(()) | Err(_)) = self.0.kill();
        let (Ok(_) | Err(_)) = self.0.wait();
    }
}

fn presence_of_o(wanted: Presence) -> impl Fn(&Notice) -> bool {
    move |notice| matches!(notice, Notice::Presence { seat: Seat::O, presence, .. } if *presence == wanted)
}

#[tokio::test]
async fn a_client_behind_a_dead_network_is_missed_and_comes_back() {
    let network = match Network::new() {
        Ok(network) => network,
        Err(why) => {
            // Past what the test runner keeps to itself: a test that did not run is to be seen.
            let said = writeln!(
                std::io::stderr(),
                "\ndead_network: NOT RUN, no network to cut: {why}; lines:: shows it through a proxy"
            );
            return said.expect("somebody hears of it");
        }
    };
    let ping = Duration::from_secs(1);
    let listen = format!("{}:0", network.here);
    let server = ServerProcess::start_with(&["--listen", &listen, "--data", "memory", "--ping", "1s"]);
    let mut x = Peer::hello(&server.url, "Ann").await;
    x.seek("25x25:25", None, Some(Seat::X)).await;
    let home = Folder::default();
    let mut bot = Command::new("ip");
    bot.args(["netns", "exec", &network.name]).arg(path("noughts"));
    bot.args(["bot", &server.url, "--rules", "25x25:25", "--level", "easy"]).env("HOME", home.path());
    let _bot = Bot(bot.stdout(std::process::Stdio::null()).spawn().expect("the bot starts"));
    x.snapshot().await;
    x.play(0).await.expect("X begins");
    x.caught_up(x.game().seq().next()).await;

    network.drop_everything();
    let cut = Instant::now();
    x.notice("absence", presence_of_o(Presence::Away)).await;
    let missed = cut.elapsed();
    // X moves, and O does not hear of it.
    let cell = x.game().position().legal_from(0).expect("a large board").index();
    x.play(cell as u16).await.expect("X is to move");
    network.let_everything_through();
    x.notice("return", presence_of_o(Presence::Here)).await;
    x.caught_up(x.game().seq().next()).await;
    eprintln!("dead network: missed after {missed:?}, with pings every {ping:?}");
    assert!(missed < 10 * ping, "a dead client is missed after {missed:?}");
}
