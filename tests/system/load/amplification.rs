//! Measures how many bytes the server sends for each byte that it receives. One address sends every kind of request and
//! uses its message limit in full, with default limits. The address spends the burst that it may request before the
//! measurement begins. `pushed_bytes` measures the bytes that spectators and subscribers receive without a request.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_protocol::Seat;
use noughts_protocol::wire::RejectCode;
use noughts_tests::client::game_setup::room_ref;
use noughts_tests::client::raw_websocket::{PING, RawWebSocket};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::ServerProcess;
use tokio::time::Instant;

/// Interval of the messages of one connection: the default limit.
const INTERVAL: Duration = Duration::from_millis(100);

/// Numbers of messages per connection before and during the measurement.
const WARM_UP_MESSAGES: u32 = 30;
const MEASURED_MESSAGES: u32 = 60;

/// Maximum permitted ratio.
pub(super) const AMPLIFICATION_MAX: f64 = 20.0;

/// Sends the texts in turn at the permitted rate, and reads everything that arrives.
async fn flood(client: &mut RawWebSocket, texts: &[String], messages: u32) {
    let began = Instant::now();
    for number in 0..messages {
        match texts[number as usize % texts.len()].as_str() {
            "ping" => client.write_frame(PING, b"").await,
            text => client.write_text(text).await,
        }
        client.read_until(began + (number + 1) * INTERVAL).await;
    }
}

/// The messages of each connection of an address: the first messages, and the messages that it then repeats.
struct Attack {
    name: &'static str,
    connections: Vec<(Vec<String>, Vec<String>)>,
}

impl Attack {
    /// Creates an attack that sends the same messages on four connections.
    fn new(name: &'static str, first: &[&str], repeated: &[&str]) -> Attack {
        let owned = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        Attack {
            name,
            connections: vec![(owned(first), owned(repeated)); 4],
        }
    }

    /// Runs the attack. Returns its name, and the bytes that the server received and sent.
    async fn run(self, server: &ServerProcess, from: Ipv4Addr) -> (&'static str, usize, usize) {
        let mut clients = vec![];
        for (first, repeated) in self.connections {
            let mut client = RawWebSocket::connect_from(from, server.address()).await;
            client.upgrade().await;
            client.greet().await;
            for text in first {
                client.write_text(&text).await;
                client.read_until(Instant::now() + INTERVAL).await;
            }
            clients.push((client, repeated));
        }
        let floods = clients.iter_mut().map(|(client, repeated)| async {
            flood(client, repeated, WARM_UP_MESSAGES).await;
            (client.sent, client.received) = (0, 0);
            flood(client, repeated, MEASURED_MESSAGES).await;
        });
        futures::future::join_all(floods).await;
        let total = |count: fn(&RawWebSocket) -> usize| {
            clients.iter().map(|(client, _)| count(client)).sum()
        };
        (
            self.name,
            total(|client| client.sent),
            total(|client| client.received),
        )
    }
}

/// Opens a game with more events than the server keeps for resuming clients.
async fn open_long_game(server: &ServerProcess) -> [TestClient; 2] {
    let from = Ipv4Addr::new(127, 0, 7, 1);
    let mut players = [
        TestClient::connect_from(from, &server.url, "Ann").await,
        TestClient::connect_from(from, &server.url, "Bob").await,
    ];
    players[0]
        .create("25x25:25", Some("60+60"), Some(Seat::X), true)
        .await;
    let room = room_ref(&players[0]);
    players[1].join(room).await.expect("a free seat");
    for cell in 0..70_u16 {
        let mover = usize::from(cell % 2);
        let seq = players[1 - mover].game().seq();
        players[mover].wait_until_seq(seq).await;
        while let Err(reject) = players[mover].play(cell).await {
            assert_eq!(reject.code, RejectCode::RateLimited);
            tokio::time::sleep(INTERVAL).await;
        }
    }
    players
}

#[tokio::test]
async fn no_request_is_amplified() {
    // The clients do not answer pings.
    let server = ServerProcess::start(&["--set", "ping-interval=10m"]);
    // Rooms that make the list as long as possible.
    let mut hosts = vec![];
    for number in 0..50 {
        let mut host = TestClient::connect_from(
            Ipv4Addr::new(127, 0, 7, 10),
            &server.url,
            "界界界界界界界界界界界界",
        )
        .await;
        host.create("25x25:25+misere+exact", Some("10800s+180"), None, true)
            .await;
        let from = Ipv4Addr::new(127, 0, 7, 11);
        let mut seeker =
            TestClient::connect_from(from, &server.url, "界界界界界界界界界界界界").await;
        seeker
            .seek(
                &format!("25x{}:25+misere", number % 24 + 2),
                Some("10800s+180"),
                Some(Seat::X),
            )
            .await;
        hosts.push([host, seeker]);
    }
    let players = open_long_game(&server).await;
    let (room, seq) = (players[0].seat_info().id, players[0].game().seq().get());
    let watch = format!(r#"{{"id":1,"type":"watch","room":"{room}"}}"#);
    let tail = format!(r#"{{"id":1,"type":"sync","seq":{}}}"#, seq - 60);
    let leave = r#"{"id":2,"type":"leave"}"#;
    let attacks = [
        Attack::new("list", &[], &[r#"{"id":1,"type":"list"}"#]),
        Attack::new("sync of the last events", &[&watch], &[&tail]),
        Attack::new(
            "sync of a snapshot",
            &[&watch],
            &[r#"{"id":1,"type":"sync","seq":1}"#],
        ),
        Attack::new("watch and leave", &[], &[&watch, leave]),
        Attack::new(
            "create and leave",
            &[],
            &[
                r#"{"id":1,"type":"create","rules":"3x3:3","public":true}"#,
                leave,
            ],
        ),
        Attack::new(
            "seek and cancel",
            &[],
            &[
                r#"{"id":1,"type":"seek","rules":"9x9:4"}"#,
                r#"{"id":1,"type":"cancel"}"#,
            ],
        ),
        Attack::new("rejected request", &[], &[r#"{"id":1,"type":"cancel"}"#]),
        Attack::new("unknown request", &[], &[r#"{"id":1,"type":"x"}"#]),
        Attack::new("request without a type", &[], &[r#"{"id":1}"#]),
        Attack::new("ping", &[], &["ping"]),
    ];
    let runs = attacks
        .into_iter()
        .zip(1..)
        .map(|(attack, last)| attack.run(&server, Ipv4Addr::new(127, 0, 8, last)));
    let mut worst: f64 = 0.0;
    for (name, bytes_in, bytes_out) in futures::future::join_all(runs).await {
        let ratio = bytes_out as f64 / bytes_in as f64;
        println!("{name}: {bytes_in} bytes in, {bytes_out} bytes out: {ratio:.1}");
        worst = worst.max(ratio);
    }
    assert!(worst < AMPLIFICATION_MAX, "{worst:.1}");
    drop((hosts, players));
}
