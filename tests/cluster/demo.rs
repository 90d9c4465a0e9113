//! The demonstration: one command runs a whole cluster, and can break its parts.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use noughts_protocol::Seat;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{reserve_nats_servers, skips_nats};
use noughts_tests::wait::{wait_until, wait_until_timeout};

/// Timeout of the start of seven processes on a busy machine, and of a takeover.
const SERVING_TIMEOUT: Duration = Duration::from_secs(120);

/// Timeout for the processes of the demonstration to end after a failed test.
const END_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of lines that the demonstration has printed and no test has read.
const MAX_WAITING_LINES: usize = 64;

/// The demonstration as a process, ended when dropped.
struct Demo {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Drop for Demo {
    fn drop(&mut self) {
        // When its input ends, the demonstration ends its parts, and then itself.
        drop(self.stdin.take());
        while self.lines.recv_timeout(END_TIMEOUT).is_ok() {}
        // The process may have ended already.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}

impl Demo {
    fn start() -> Demo {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cluster_demo"));
        command
            .args(["--port", "0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the demonstration starts");
        let (stdin, stdout) = (
            child.stdin.take().expect("piped"),
            child.stdout.take().expect("piped"),
        );
        let (sender, lines) = sync_channel(MAX_WAITING_LINES);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if sender.send(line.expect("text")).is_err() {
                    return;
                }
            }
        });
        Demo {
            child,
            stdin: Some(stdin),
            lines,
        }
    }

    async fn line(&self) -> String {
        wait_until_timeout(SERVING_TIMEOUT, "a line of the demonstration", async || {
            self.lines.try_recv().ok()
        })
        .await
    }

    /// Sends a command.
    fn write(&mut self, command: &str) {
        let stdin = self.stdin.as_mut().expect("open until the end");
        writeln!(stdin, "{command}").expect("the demonstration reads");
    }

    /// Sends a command, and returns the first line of the reply.
    async fn command(&mut self, command: &str) -> String {
        self.write(command);
        self.line().await
    }

    /// Returns the lines of `status`, for three nodes and three NATS servers.
    async fn status(&mut self) -> Vec<String> {
        let mut lines = vec![self.command("status").await];
        while lines.len() < 6 {
            lines.push(self.line().await);
        }
        lines
    }

    /// Returns the node that is ready, by letter.
    async fn ready_node(&mut self) -> String {
        wait_until_timeout(SERVING_TIMEOUT, "a ready node", async || {
            let status = self.status().await;
            status
                .iter()
                .find(|line| line.contains("running, ready"))
                .map(|line| line[..1].to_owned())
        })
        .await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstration_serves_while_its_parts_fail() {
    if skips_nats() {
        return;
    }
    let _reservation = reserve_nats_servers(3).await;
    let mut demo = Demo::start();
    let join = demo.line().await;
    let url = join
        .strip_prefix("noughts play ")
        .expect("how to join")
        .to_owned();
    for _ in 0..2 {
        demo.line().await;
    }
    let first = demo.ready_node().await;
    let mut ann = TestClient::connect_as(&url, "Ann").await;
    ann.seek("3x3:3", None, Some(Seat::X)).await;
    assert!(
        demo.status()
            .await
            .iter()
            .any(|line| line.contains("1 connections"))
    );

    assert_eq!(
        demo.command(&format!("kill {first}")).await,
        format!("{first} killed")
    );
    drop(ann);
    let second = demo.ready_node().await;
    assert_ne!(first, second, "another node takes over");
    assert_eq!(
        demo.command(&format!("start {first}")).await,
        format!("{first} started")
    );
    assert_eq!(demo.command("kill n2").await, "n2 killed");
    assert_eq!(demo.command("kill n2").await, "n2 does not run");
    assert_eq!(demo.command("start n2").await, "n2 started");
    assert_eq!(
        demo.command(&format!("drain {second}")).await,
        format!("{second} drained")
    );
    wait_until_timeout(SERVING_TIMEOUT, "the end of the drained node", async || {
        let line = format!("{second} ");
        demo.status()
            .await
            .iter()
            .any(|part| part.starts_with(&line) && part.contains("ended"))
            .then_some(())
    })
    .await;
    let third = demo.ready_node().await;
    assert_ne!(second, third);
    // A connection may meet a node that has just ended, and a client tries again.
    let mut bob = wait_until_timeout(SERVING_TIMEOUT, "a connection", async || {
        TestClient::try_connect(&url).await.ok()
    })
    .await;
    bob.greet("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::O)).await;

    assert!(demo.command("kill d").await.starts_with("no part"));
    demo.write("quit");
    let status = wait_until("the end", async || {
        demo.child.try_wait().expect("a child of this test")
    })
    .await;
    assert!(status.success(), "{status}");
}
