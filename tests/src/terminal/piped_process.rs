//! Client with stdin and stdout on pipes, as a script or a screen reader runs it.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::lock::lock;
use crate::program::{self, TempDir};
use crate::wait::{WAIT_TIMEOUT, wait_until};

/// Running program on pipes, killed when dropped.
#[derive(Debug)]
pub struct PipedProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: CapturedOutput,
    stderr: CapturedOutput,
    /// Threads that read stdout and stderr to their end.
    readers: [JoinHandle<()>; 2],
    /// Working directory and home of the program.
    pub home: TempDir,
}

type CapturedOutput = Arc<Mutex<Vec<u8>>>;

fn spawn_reader(mut from: impl Read + Send + 'static) -> (CapturedOutput, JoinHandle<()>) {
    let text = CapturedOutput::default();
    let shared = Arc::clone(&text);
    let reader = std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut chunk) {
            lock(&shared).extend_from_slice(&chunk[..read]);
        }
    });
    (text, reader)
}

fn captured_text(text: &CapturedOutput) -> String {
    String::from_utf8_lossy(&lock(text)).into_owned()
}

impl PipedProcess {
    /// Starts `noughts` with arguments.
    pub fn spawn_noughts(arguments: &[&str]) -> PipedProcess {
        let mut command = Command::new(program::binary_path("noughts"));
        command.args(arguments);
        PipedProcess::spawn(command)
    }

    /// Runs a shell script with arguments; `noughts` is on its path.
    pub fn spawn_script(text: &str, arguments: &[&str]) -> PipedProcess {
        let mut command = Command::new("sh");
        command.args(["-c", text, "sh"]).args(arguments);
        PipedProcess::spawn(command)
    }

    fn spawn(mut command: Command) -> PipedProcess {
        let home = TempDir::default();
        let noughts = program::binary_path("noughts");
        let folder = noughts.parent().expect("the path has a parent").display();
        command
            .env_clear()
            .env("PATH", format!("{folder}:/usr/bin:/bin"))
            .env("HOME", home.path())
            .env("USER", "ann")
            .current_dir(home.path());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let (stdout, stdout_reader) = spawn_reader(child.stdout.take().expect("stdout is piped"));
        let (stderr, stderr_reader) = spawn_reader(child.stderr.take().expect("stdout is piped"));
        PipedProcess {
            child,
            stdin,
            stdout,
            stderr,
            readers: [stdout_reader, stderr_reader],
            home,
        }
    }

    /// Returns the stdout so far.
    pub fn stdout(&self) -> String {
        captured_text(&self.stdout)
    }

    /// Returns the stderr so far.
    pub fn stderr(&self) -> String {
        captured_text(&self.stderr)
    }

    /// Writes a line to stdin.
    pub fn write_line(&mut self, line: &str) {
        self.write_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes bytes to stdin.
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin
            .write_all(bytes)
            .and_then(|()| stdin.flush())
            .expect("the program reads");
    }

    pub fn close_stdin(&mut self) {
        self.stdin.take();
    }

    /// Waits until stdout contains `wanted`; returns the output after it.
    ///
    /// # Panics
    ///
    /// With the whole output, on a timeout.
    pub async fn wait_for_stdout(&self, wanted: &str) -> String {
        self.wait_for_stdout_times(wanted, 1).await
    }

    /// Like [`PipedProcess::wait_for_stdout`], for the occurrence with number `times`.
    pub async fn wait_for_stdout_times(&self, wanted: &str, times: usize) -> String {
        let waited = tokio::time::timeout(WAIT_TIMEOUT, async {
            loop {
                if let Some(rest) = text_after(&self.stdout(), wanted, times) {
                    return rest;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        waited.await.unwrap_or_else(|_| {
            panic!(
                "waited {WAIT_TIMEOUT:?} for «{wanted}» ({times}), but\n{}\nstderr:\n{}",
                self.stdout(),
                self.stderr()
            )
        })
    }

    /// Waits until stderr contains `wanted`.
    ///
    /// # Panics
    ///
    /// With the whole output, on a timeout.
    pub async fn wait_for_stderr(&self, wanted: &str) {
        wait_until(format!("«{wanted}» on stderr"), async || {
            self.stderr().contains(wanted).then_some(())
        })
        .await;
    }

    /// Sends a signal by name.
    pub fn send_signal(&self, name: &str) {
        program::send_signal(self.child.id(), name);
    }

    /// Waits for the program and its output to end; returns the exit code, or `None` if a signal ended it.
    pub async fn wait_for_exit(&mut self) -> Option<i32> {
        let what = format!(
            "the end of the program with the output\n{}\n{}",
            self.stdout(),
            self.stderr()
        );
        let child = &mut self.child;
        let status = wait_until(what, async || {
            child.try_wait().expect("a child of this process")
        })
        .await;
        let readers = &self.readers;
        let read = || readers.iter().all(JoinHandle::is_finished).then_some(());
        wait_until("the end of the output", async || read()).await;
        status.code()
    }
}

/// Returns the text after the occurrence of `wanted` with number `times`.
fn text_after(text: &str, wanted: &str, times: usize) -> Option<String> {
    text.match_indices(wanted)
        .nth(times - 1)
        .map(|(at, _)| text[at + wanted.len()..].to_owned())
}

impl Drop for PipedProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}
