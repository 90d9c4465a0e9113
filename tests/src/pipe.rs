//! The real program between pipes, as a script or a screen reader runs it: lines in, lines out.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::program::{self, Folder};
use crate::wait::{LIMIT, until};

/// `noughts` between pipes, killed when dropped.
#[derive(Debug)]
pub struct Pipe {
    child: Child,
    stdin: Option<ChildStdin>,
    out: Text,
    err: Text,
    /// They end when all that it said has been read.
    readers: [JoinHandle<()>; 2],
    /// Where it runs, and what it calls home.
    pub home: Folder,
}

type Text = Arc<Mutex<Vec<u8>>>;

fn read(mut from: impl Read + Send + 'static) -> (Text, JoinHandle<()>) {
    let text = Text::default();
    let shared = Arc::clone(&text);
    let reader = std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut chunk) {
            shared.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&chunk[..read]);
        }
    });
    (text, reader)
}

fn text(text: &Text) -> String {
    String::from_utf8_lossy(&text.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

impl Pipe {
    /// `noughts` with these arguments.
    pub fn noughts(arguments: &[&str]) -> Pipe {
        let mut command = Command::new(program::path("noughts"));
        command.args(arguments);
        Pipe::run(command)
    }

    /// A shell script with these arguments, for which `noughts` is a command like any other.
    pub fn script(text: &str, arguments: &[&str]) -> Pipe {
        let mut command = Command::new("sh");
        command.args(["-c", text, "sh"]).args(arguments);
        Pipe::run(command)
    }

    fn run(mut command: Command) -> Pipe {
        let home = Folder::default();
        let noughts = program::path("noughts");
        let folder = noughts.parent().expect("it lies in a folder").display();
        command
            .env_clear()
            .env("PATH", format!("{folder}:/usr/bin:/bin"))
            .env("HOME", home.path())
            .env("USER", "ann")
            .current_dir(home.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let (out, reads_out) = read(child.stdout.take().expect("piped"));
        let (err, reads_err) = read(child.stderr.take().expect("piped"));
        Pipe { child, stdin, out, err, readers: [reads_out, reads_err], home }
    }

    /// What came on stdout so far.
    pub fn out(&self) -> String {
        text(&self.out)
    }

    /// What came on stderr so far.
    pub fn err(&self) -> String {
        text(&self.err)
    }

    /// Types a line.
    pub fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// Types anything.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the program reads");
    }

    /// Ends the input.
    pub fn finish(&mut self) {
        self.stdin.take();
    }

    /// Waits until stdout says this, and gives what follows it so far.
    ///
    /// # Panics
    /// With all that it said, when it never does.
    pub async fn says(&self, wanted: &str) -> String {
        self.says_often(wanted, 1).await
    }

    /// The same for something that is said again and again: waits for the `times`th.
    pub async fn says_often(&self, wanted: &str, times: usize) -> String {
        let waited = tokio::time::timeout(LIMIT, async {
            loop {
                if let Some(rest) = after(&self.out(), wanted, times) {
                    return rest;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        waited.await.unwrap_or_else(|_| {
            panic!("waited {LIMIT:?} for «{wanted}» ({times}), but\n{}\nstderr:\n{}", self.out(), self.err())
        })
    }

    /// Waits until stderr says this.
    ///
    /// # Panics
    /// With all that it said, when it never does.
    pub async fn heard(&self, wanted: &str) {
        until(format!("«{wanted}» on stderr"), async || self.err().contains(wanted).then_some(())).await;
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        program::signal(self.child.id(), name);
    }

    /// Waits for the program's end and for all that it said, and gives its exit code; none when a signal
    /// ended it.
    pub async fn ended(&mut self) -> Option<i32> {
        let what = format!("the end of the program, which said\n{}\n{}", self.out(), self.err());
        let child = &mut self.child;
        let status = until(what, async || child.try_wait().expect("our own child")).await;
        let readers = &self.readers;
        let read = || readers.iter().all(JoinHandle::is_finished).then_some(());
        until("the end of what it said", async || read()).await;
        status.code()
    }
}

/// What follows the `times`th `wanted`.
fn after(text: &str, wanted: &str, times: usize) -> Option<String> {
    text.match_indices(wanted).nth(times - 1).map(|(at, _)| text[at + wanted.len()..].to_owned())
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It may have ended already; it is ours in any case.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}
