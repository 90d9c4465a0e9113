//! A network that drops every packet silently: a network namespace with a rule of nftables. Where the test may not
//! create namespaces, it prints this and ends; the simulation tests the same on its own network.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::time::Duration;

use noughts_protocol::Seat;
use noughts_protocol::wire::Presence;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::cluster::run_command;
use noughts_tests::program::{TempDir, binary_path, install_missing_program};
use noughts_tests::server::ServerProcess;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use tokio::time::Instant;

/// Two network namespaces with one link: one of this test, and one of the client. The network of the host does not
/// change, because a browser of another test would notice a change. Dropping the namespaces removes the devices and the
/// rules.
struct NetworkNamespaces {
    own: String,
    client: String,
    /// Address of this test.
    own_address: String,
}

impl NetworkNamespaces {
    /// Creates the namespaces, and moves the calling thread into the namespace of this test. Processes that the thread
    /// starts and sockets that it opens are in this namespace as well.
    fn enter() -> Result<NetworkNamespaces, String> {
        install_missing_program("ip", "iproute2")?;
        install_missing_program("nft", "nftables")?;
        let number = std::process::id();
        let net = "10.200.0";
        // Constructed before the first command so that a failure cleans up.
        let network = NetworkNamespaces {
            own: format!("noughts-own-{number}"),
            client: format!("noughts-client-{number}"),
            own_address: format!("{net}.1"),
        };
        let NetworkNamespaces { own, client, .. } = &network;
        for command in [
            format!("ip netns add {own}"),
            format!("ip netns add {client}"),
            format!("ip -n {own} link add outer type veth peer name inner netns {client}"),
            format!("ip -n {own} addr add {net}.1/30 dev outer"),
            format!("ip -n {own} link set outer up"),
            format!("ip -n {own} link set lo up"),
            format!("ip -n {client} addr add {net}.2/30 dev inner"),
            format!("ip -n {client} link set inner up"),
            format!("ip netns exec {client} nft add table inet noughts"),
        ] {
            run_command(&command)?;
        }
        let namespace =
            File::open(format!("/run/netns/{own}")).map_err(|error| error.to_string())?;
        let kind = Some(LinkNameSpaceType::Network);
        move_into_link_name_space(namespace.as_fd(), kind).map_err(|error| error.to_string())?;
        Ok(network)
    }

    fn nft(&self, rule: &str) {
        let command_line = format!("ip netns exec {} nft {rule}", self.client);
        run_command(&command_line).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Drops all packets in both directions.
    fn drop_everything(&self) {
        for hook in ["input", "output"] {
            let chain = format!(
                "add chain inet noughts {hook} {{ type filter hook {hook} priority 0 ; policy drop ; }}"
            );
            self.nft(&chain);
        }
    }

    fn drop_nothing(&self) {
        self.nft("flush ruleset");
    }
}

impl Drop for NetworkNamespaces {
    fn drop(&mut self) {
        for name in [&self.own, &self.client] {
            if let Err(error) = run_command(&format!("ip netns del {name}")) {
                eprintln!("cannot delete the namespace: {error}");
            }
        }
    }
}

/// Bot process, killed when dropped.
struct BotProcess(Child);

impl Drop for BotProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let (Ok(()) | Err(_)) = self.0.kill();
        let (Ok(_) | Err(_)) = self.0.wait();
    }
}

#[tokio::test]
async fn a_dead_network_is_detected_and_the_client_reconnects() {
    let network = match NetworkNamespaces::enter() {
        Ok(network) => network,
        Err(error) => {
            // Written past the test runner's capture, so that a skipped test is visible.
            let written = writeln!(
                std::io::stderr(),
                "\ndead_network: NOT RUN, cannot create a network namespace: {error}; the simulation covers it"
            );
            return written.expect("stderr is open");
        }
    };
    let ping = Duration::from_secs(1);
    let listen = format!("{}:0", network.own_address);
    let server = ServerProcess::start_with(&[
        "--listen",
        &listen,
        "--data",
        "memory",
        "--set",
        "ping-interval=1s",
    ]);
    let mut x = TestClient::connect_as(&server.url, "Ann").await;
    x.seek("25x25:25", None, Some(Seat::X)).await;
    let home = TempDir::default();
    let mut bot = Command::new("ip");
    bot.args(["netns", "exec", &network.client])
        .arg(binary_path("noughts"));
    bot.args(["bot", &server.url, "--rules", "25x25:25", "--level", "easy"])
        .env("HOME", home.path());
    let _bot = BotProcess(
        bot.stdout(std::process::Stdio::null())
            .spawn()
            .expect("the bot starts"),
    );
    x.next_snapshot().await;
    x.play(0).await.expect("X moves first");
    x.wait_until_seq(x.game().seq().next()).await;

    network.drop_everything();
    let cut_at = Instant::now();
    x.wait_for_presence(Seat::O, Presence::Disconnected).await;
    let detection_time = cut_at.elapsed();
    // X moves while O receives nothing.
    let cell = x
        .game()
        .position()
        .legal_from(0)
        .expect("a large board")
        .index();
    x.play(cell as u16).await.expect("X is to move");
    network.drop_nothing();
    x.wait_for_presence(Seat::O, Presence::Connected).await;
    x.wait_until_seq(x.game().seq().next()).await;
    eprintln!("dead network: detected after {detection_time:?}, with pings every {ping:?}");
    assert!(
        detection_time < 10 * ping,
        "a dead client is detected after {detection_time:?}"
    );
}
