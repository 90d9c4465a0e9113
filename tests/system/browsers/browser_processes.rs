//! The processes of browsers.

use std::fs;
use std::path::Path;

use noughts_tests::program::TempDir;
use rustix::process::{Pid, Signal, kill_process};

/// Maximum number of searches for processes. Each search takes milliseconds, and a killed process ends immediately.
const SEARCHES_MAX: u32 = 1000;

/// A temporary folder, and every process that has this folder as `TMPDIR` in its environment. Dropping this value kills
/// these processes, even after a failure or a timeout, because a browser outlives the program that started it.
#[derive(Debug, Default)]
pub(super) struct BrowserProcesses(TempDir);

impl BrowserProcesses {
    /// Returns the value of `TMPDIR` for the processes.
    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }

    fn find(&self) -> Vec<Pid> {
        let variable = format!("TMPDIR={}\0", self.0.path().display());
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let found = processes.filter(|process| {
            // A process may have ended, and a kernel thread has no environment.
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            environment
                .windows(variable.len())
                .any(|part| part == variable.as_bytes())
        });
        found
            .filter_map(|process| Pid::from_raw(process.file_name().to_str()?.parse().ok()?))
            .collect()
    }
}

impl Drop for BrowserProcesses {
    fn drop(&mut self) {
        for _ in 0..SEARCHES_MAX {
            let processes = self.find();
            if processes.is_empty() {
                return;
            }
            for process in processes {
                // The process may have ended already.
                let (Ok(()) | Err(_)) = kill_process(process, Signal::KILL);
            }
        }
        eprintln!("processes of browsers do not end: {:?}", self.find());
    }
}
