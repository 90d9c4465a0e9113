//! Service manager in the test process: like systemd, it holds the listening sockets of a server across restarts, and
//! receives its notifications.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::net::UnixDatagram;

use super::ServerProcess;
use crate::program::{TempDir, binary_path};
use crate::wait::with_timeout;

/// Passes the listeners as descriptors 3 and 4. The process keeps its number, so that `LISTEN_PID` is right.
const PASS_LISTENERS: &str =
    "exec 3<&2 4<&0 2>/dev/null 0</dev/null; LISTEN_PID=$$; export LISTEN_PID; exec \"$@\"";

/// Service manager of one server at a time.
#[derive(Debug)]
pub struct TestServiceManager {
    players: TcpListener,
    admin: TcpListener,
    notifications: UnixDatagram,
    folder: TempDir,
}

impl Default for TestServiceManager {
    /// Binds two free ports and the socket for notifications.
    fn default() -> TestServiceManager {
        let folder = TempDir::default();
        let [players, admin] =
            [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let notifications =
            UnixDatagram::bind(folder.path().join("notify")).expect("a path of this test");
        TestServiceManager {
            players,
            admin,
            notifications,
            folder,
        }
    }
}

impl TestServiceManager {
    /// Returns the address of the players' listener, which accepts connections at all times.
    pub fn address(&self) -> SocketAddr {
        self.players.local_addr().expect("a bound socket")
    }

    /// Returns the address of the admin listener.
    pub fn admin_address(&self) -> SocketAddr {
        self.admin.local_addr().expect("a bound socket")
    }

    /// Returns the command that starts a server with both listeners and these flags.
    pub fn command(&self, flags: &[&str]) -> Command {
        let stdio = |listener: &TcpListener| -> Stdio {
            OwnedFd::from(listener.try_clone().expect("a free descriptor")).into()
        };
        let mut command = Command::new("sh");
        command
            .args(["-c", PASS_LISTENERS, "sh"])
            .arg(binary_path("noughts-server"))
            .args(flags);
        command
            .env("LISTEN_FDS", "2")
            .env("LISTEN_FDNAMES", "players:admin");
        command.env("NOTIFY_SOCKET", self.folder.path().join("notify"));
        command
            .stderr(stdio(&self.players))
            .stdin(stdio(&self.admin));
        command
    }

    /// Starts a server with both listeners and these flags.
    pub fn start(&self, flags: &[&str]) -> ServerProcess {
        self.start_prepared(self.command(flags))
    }

    /// Starts a command of [`TestServiceManager::command`].
    pub fn start_prepared(&self, command: Command) -> ServerProcess {
        ServerProcess::start_prepared(command, true)
    }

    /// Waits for the next notification.
    pub async fn next_notification(&self) -> String {
        let mut buffer = [0; 4096];
        let length = with_timeout("a notification", self.notifications.recv(&mut buffer)).await;
        let text = &buffer[..length.expect("a bound socket")];
        String::from_utf8(text.to_vec()).expect("text")
    }

    /// Waits for a notification that contains this line, and ignores others.
    pub async fn wait_for_notification(&self, line: &str) -> String {
        loop {
            let notification = self.next_notification().await;
            if notification.lines().any(|found| found == line) {
                return notification;
            }
        }
    }

    /// Discards the notifications that have arrived, then returns whether a further notification arrives within
    /// `limit`.
    pub async fn is_notified_within(&self, limit: Duration) -> bool {
        let mut buffer = [0; 4096];
        while self.notifications.try_recv(&mut buffer).is_ok() {}
        tokio::time::timeout(limit, self.notifications.recv(&mut buffer))
            .await
            .is_ok()
    }
}
