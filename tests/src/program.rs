//! Programs of this workspace and of the system as child processes.

mod temp_dir;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::lock::lock;
use crate::rng::SeededRng;
use crate::wait::{WAIT_TIMEOUT, wait_until_timeout};
pub use temp_dir::TempDir;

/// Returns the path of `noughts` or `noughts-server`, built on first use, or in the folder that `NOUGHTS_TEST_PROGRAMS`
/// names.
pub fn binary_path(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        if let Some(folder) = std::env::var_os("NOUGHTS_TEST_PROGRAMS") {
            return folder.into();
        }
        // The test binary is in `<target>/<profile>/deps`, and the programs are one folder up.
        let test = std::env::current_exe().expect("a test has a path");
        let folder = test
            .parent()
            .and_then(|deps| deps.parent())
            .expect("in a target folder")
            .to_owned();
        let target = folder.parent().expect("in a target folder");
        let mut build = Command::new(env!("CARGO"));
        let programs: &[&str] = if folder.ends_with("release") {
            // A release run measures the programs, so they are built as users build them.
            &[
                "--package=noughts-server",
                "--package=noughts",
                "--features=noughts/mcp",
                "--bins",
                "--release",
            ]
        } else {
            // `cargo test --workspace` has built the dependencies with the features of all members and their tests. A
            // test target among the arguments selects the same features.
            &["--workspace", "--bins", "--test", "perft"]
        };
        build
            .args(["build", "--quiet", "--locked"])
            .args(programs)
            .arg("--target-dir")
            .arg(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        let status = build.status().expect("cargo runs");
        assert!(status.success(), "the programs build");
        folder
    });
    folder.join(name)
}

/// Installs the Debian package of a system program if the program is missing.
///
/// # Errors
/// If the package cannot be installed.
pub fn install_missing_program(name: &str, package: &str) -> Result<(), String> {
    static INSTALL_LOCK: Mutex<()> = Mutex::new(());
    let _guard = lock(&INSTALL_LOCK);
    if Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
    {
        return Ok(());
    }
    for arguments in [
        &["update"][..],
        &["install", "--yes", "--no-install-recommends", package],
    ] {
        let mut command = Command::new("apt-get");
        let status = command
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status();
        if !status
            .map_err(|error| format!("{name} is missing, and so is apt-get: {error}"))?
            .success()
        {
            return Err(format!(
                "{name} is missing, and {package} cannot be installed"
            ));
        }
    }
    Ok(())
}

/// Returns the command for a system program, installed from its Debian package if it is missing.
///
/// # Panics
/// If it cannot be installed.
pub fn system_command(name: &str, package: &str) -> Command {
    install_missing_program(name, package).unwrap_or_else(|error| panic!("{error}"));
    Command::new(name)
}

/// Runs a command without input to its end.
///
/// # Panics
///
/// If the command does not end in time.
pub async fn output(command: Command) -> Output {
    output_within(WAIT_TIMEOUT, command).await
}

/// Like [`output`], with another timeout.
///
/// # Panics
///
/// If the command does not end in time.
pub async fn output_within(limit: Duration, mut command: Command) -> Output {
    /// Kills its process when dropped.
    struct ChildGuard(Child);

    impl Drop for ChildGuard {
        fn drop(&mut self) {
            // The process may have ended already.
            let (Ok(()) | Err(_)) = self.0.kill();
            let (Ok(_) | Err(_)) = self.0.wait();
        }
    }

    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut guard = ChildGuard(
        command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}")),
    );
    // Reading starts immediately: a process blocks when its pipe is full.
    let stdout = read_all(guard.0.stdout.take().expect("stdout is piped"));
    let stderr = read_all(guard.0.stderr.take().expect("stdout is piped"));
    let status = wait_until_timeout(limit, ("the end of", &command), async || {
        guard.0.try_wait().expect("a child of this process")
    })
    .await;
    let [stdout, stderr] = [stdout, stderr].map(|read| read.join().expect("the final events"));
    Output {
        status,
        stdout,
        stderr,
    }
}

fn read_all(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all).expect("a pipe of this test");
        all
    })
}

/// Returns the resident memory of a process in KiB (Linux).
pub fn resident_kib(pid: u32) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process that runs");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .expect("a process has memory");
    line.trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number")
}

/// Returns the processor time used by a process (Linux).
pub fn cpu_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process that runs");
    // The name in brackets may contain blanks; user and system time are the 12th and 13th field after it, in
    // ticks.
    let (_, fields) = stat.rsplit_once(')').expect("the name is in brackets");
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse().unwrap_or(0))
        .sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// Binds a free port on loopback for a server that is started again later. The port is below 32768: the kernel gives
/// higher ports to outgoing connections, which could take it meanwhile.
pub fn bind_lasting_port() -> TcpListener {
    let mut rng = SeededRng::new(RandomState::new().build_hasher().finish());
    let mut ports = (0..1000).map(|_| rng.random_range(16_384, 32_767) as u16);
    let listener = ports.find_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
    listener.expect("a free port")
}

/// Sends a signal, by name, to a child process of the test.
pub fn send_signal(pid: u32, name: &str) {
    let signal = match name {
        "USR2" => Signal::USR2,
        "TERM" => Signal::TERM,
        "INT" => Signal::INT,
        "HUP" => Signal::HUP,
        "STOP" => Signal::STOP,
        "CONT" => Signal::CONT,
        "KILL" => Signal::KILL,
        "USR1" => Signal::USR1,
        _ => panic!("unknown signal {name}"),
    };
    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .expect("a process id");
    kill_process(pid, signal).expect("a child of this test");
}
