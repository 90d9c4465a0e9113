//! Client on a pseudo-terminal, with keys and a parsed screen.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use vt100::{MouseProtocolMode, Parser, Screen};

use crate::lock::lock;
use crate::program::{self, TempDir};
use crate::wait::{WAIT_TIMEOUT, wait_until};

/// Running program on a pseudo-terminal, killed when dropped.
pub struct Pty {
    child: Mutex<Box<dyn Child + Send + Sync>>,
    master: Box<dyn MasterPty + Send>,
    /// Kept open so that the modes of the terminal can be read after the program has ended.
    _slave: Box<dyn SlavePty + Send>,
    writer: SharedWriter,
    output: Arc<Mutex<TerminalOutput>>,
    initial_modes: String,
    _home: TempDir,
}

type SharedWriter = Arc<Mutex<Box<dyn Write + Send>>>;

/// Output of the program: the parsed screen and the raw bytes.
struct TerminalOutput {
    parser: Parser<TerminalQueries>,
    bytes: Vec<u8>,
    /// Number of reads. A frame arrives in one or a few reads.
    chunk_count: usize,
}

/// Sequences that the screen's parser passes on: cursor position queries, which a terminal answers, and focus
/// reporting.
#[derive(Default)]
struct TerminalQueries {
    cursor_queries: Vec<(u16, u16)>,
    reports_focus: bool,
}

impl vt100::Callbacks for TerminalQueries {
    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        i1: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        match (i1, c) {
            (None, 'n') if params == [[6]] => self.cursor_queries.push(screen.cursor_position()),
            (Some(b'?'), 'h' | 'l') if params == [[1004]] => self.reports_focus = c == 'h',
            _ => {}
        }
    }
}

impl std::fmt::Debug for Pty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}\n", self.screen_text())
    }
}

impl Pty {
    /// Starts `noughts` on a terminal of 80 columns and 24 rows.
    pub fn spawn_noughts(arguments: &[&str]) -> Pty {
        Pty::spawn_noughts_with_env(arguments, &[])
    }

    /// Starts two paired players at these addresses: Ann with X, then Bob with O. `more` are flags of both.
    pub async fn start_players(urls: [&str; 2], more: &[&str]) -> [Pty; 2] {
        let start = |url, name, seat| {
            let own = ["play", url, "--name", name, "--seat", seat];
            Pty::spawn_noughts(&[&own, more].concat())
        };
        let ann = start(urls[0], "Ann", "x");
        ann.wait_for_text("LOOKING FOR AN OPPONENT").await;
        let bob = start(urls[1], "Bob", "o");
        ann.wait_for_text("YOUR MOVE").await;
        bob.wait_for_text("Ann to move").await;
        [ann, bob]
    }

    /// Plays a move when it is this player's turn and waits until the turn has passed, so that an outdated screen
    /// cannot satisfy the next wait.
    pub async fn play_key(&self, key: &str) {
        self.wait_for_text("YOUR MOVE").await;
        self.send_keys(key);
        self.wait_for_text_gone("YOUR MOVE").await;
    }

    /// Like [`Pty::spawn_noughts`], with environment variables; an empty value unsets a variable.
    pub fn spawn_noughts_with_env(arguments: &[&str], environment: &[(&str, &str)]) -> Pty {
        let mut command = CommandBuilder::new(program::binary_path("noughts"));
        command.args(arguments);
        Pty::spawn(command, environment, true)
    }

    /// Starts `noughts` on a terminal that does not answer cursor position queries.
    pub fn spawn_without_replies(arguments: &[&str]) -> Pty {
        let mut command = CommandBuilder::new(program::binary_path("noughts"));
        command.args(arguments);
        Pty::spawn(command, &[], false)
    }

    /// Starts another program.
    pub fn spawn_program(program: &Path, arguments: &[&str]) -> Pty {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        Pty::spawn(command, &[], true)
    }

    /// Starts an interactive shell.
    pub fn spawn_shell() -> Pty {
        let mut command = CommandBuilder::new("/bin/bash");
        command.args(["--norc", "--noprofile", "-i"]);
        Pty::spawn(command, &[("PS1", "ready> ")], true)
    }

    fn spawn(
        mut command: CommandBuilder,
        environment: &[(&str, &str)],
        replies_to_queries: bool,
    ) -> Pty {
        let home = TempDir::default();
        command.env_clear();
        let path = std::env::var("PATH").unwrap_or_default();
        let default_env = [
            ("PATH", path.as_str()),
            // Without the palette of 256 colours marks are letters, which a test can read.
            ("TERM", "xterm"),
            ("LANG", "C.UTF-8"),
            ("USER", "ann"),
        ];
        for (name, value) in default_env.iter().chain(environment) {
            if value.is_empty() {
                command.env_remove(name);
            } else {
                command.env(name, value);
            }
        }
        command.env("HOME", home.path());
        command.cwd(home.path());
        let pair = native_pty_system()
            .openpty(size(24, 80))
            .expect("a terminal");
        let initial_modes = format!("{:?}", pair.master.get_termios());
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program starts");
        let mut reader = pair
            .master
            .try_clone_reader()
            .expect("a terminal can be read");
        let writer: SharedWriter = Arc::new(Mutex::new(
            pair.master
                .take_writer()
                .expect("a terminal can be written"),
        ));
        let parser = Parser::new_with_callbacks(24, 80, 0, TerminalQueries::default());
        let output = Arc::new(Mutex::new(TerminalOutput {
            parser,
            bytes: Vec::new(),
            chunk_count: 0,
        }));
        let (shared, replies) = (Arc::clone(&output), Arc::clone(&writer));
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // Reading fails when the other end of the terminal is closed.
            while let Ok(read @ 1..) = reader.read(&mut chunk) {
                let cursor_queries = {
                    let mut output = lock(&shared);
                    output.bytes.extend_from_slice(&chunk[..read]);
                    output.chunk_count += 1;
                    output.parser.process(&chunk[..read]);
                    std::mem::take(&mut output.parser.callbacks_mut().cursor_queries)
                };
                for (row, column) in cursor_queries.into_iter().filter(|_| replies_to_queries) {
                    let reply = format!("\x1b[{};{}R", row + 1, column + 1);
                    if lock(&replies).write_all(reply.as_bytes()).is_err() {
                        return;
                    }
                }
            }
        });
        Pty {
            child: Mutex::new(child),
            master: pair.master,
            _slave: pair.slave,
            writer,
            output,
            initial_modes,
            _home: home,
        }
    }

    /// Sends keys: text as typed, escape sequences for other keys.
    pub fn send_keys(&self, keys: &str) {
        let mut writer = lock(&self.writer);
        writer
            .write_all(keys.as_bytes())
            .and_then(|()| writer.flush())
            .expect("a terminal takes keys");
    }

    /// Clicks with the left button; row and column count from 0.
    pub fn click(&self, row: u16, column: u16) {
        self.send_keys(&format!(
            "\x1b[<0;{0};{1}M\x1b[<0;{0};{1}m",
            column + 1,
            row + 1
        ));
    }

    /// Returns the text on the screen.
    pub fn screen_text(&self) -> String {
        lock(&self.output).parser.screen().contents()
    }

    /// Returns all output so far.
    pub fn written_bytes(&self) -> Vec<u8> {
        lock(&self.output).bytes.clone()
    }

    /// Returns the number of reads of output, and processor time used so far.
    pub fn write_count_and_cpu_time(&self) -> (usize, Duration) {
        let pid = lock(&self.child).process_id().expect("it runs");
        (lock(&self.output).chunk_count, program::cpu_time(pid))
    }

    /// Returns the row and column of the first character of a text on the screen.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        let rows: Vec<String> = {
            let output = lock(&self.output);
            let (_, columns) = output.parser.screen().size();
            output.parser.screen().rows(0, columns).collect()
        };
        let found = rows
            .iter()
            .enumerate()
            .find_map(|(row, line)| Some((row, line.find(text)?, line)));
        found.map(|(row, at, line)| (row as u16, line[..at].chars().count() as u16))
    }

    /// Waits until `probe` returns a value.
    ///
    /// # Panics
    ///
    /// With the screen, on a timeout or when the program ends.
    pub async fn wait_until<T>(&self, what: &str, probe: impl Fn(&Pty) -> Option<T>) -> T {
        let mut had_ended = false;
        let waited = tokio::time::timeout(WAIT_TIMEOUT, async {
            loop {
                // Checked before the screen: the last output is parsed after the program has ended.
                let ended = self.has_ended();
                if let Some(found) = probe(self) {
                    return Some(found);
                }
                if ended && !std::mem::replace(&mut had_ended, ended) {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                } else if ended {
                    return None;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        match waited.await {
            Ok(Some(found)) => found,
            Ok(None) => panic!(
                "the program ended without {what} on\n{}",
                self.screen_text()
            ),
            Err(_) => panic!(
                "waited {WAIT_TIMEOUT:?} for {what} on\n{}",
                self.screen_text()
            ),
        }
    }

    /// Waits until the screen shows a text.
    pub async fn wait_for_text(&self, text: &str) {
        self.wait_until(&format!("«{text}»"), |pty| {
            pty.screen_text().contains(text).then_some(())
        })
        .await;
    }

    /// Waits until the screen shows a text this number of times. A screen that is being drawn shows a part of it.
    pub async fn wait_for_count(&self, text: &str, count: usize) {
        self.wait_until(&format!("{count} times «{text}»"), |pty| {
            (pty.screen_text().matches(text).count() == count).then_some(())
        })
        .await;
    }

    /// Waits until the screen does not show a text.
    pub async fn wait_for_text_gone(&self, text: &str) {
        self.wait_until(&format!("«{text}» to disappear"), |pty| {
            (!pty.screen_text().contains(text)).then_some(())
        })
        .await;
    }

    /// Resizes the terminal.
    pub fn resize(&self, rows: u16, columns: u16) {
        lock(&self.output)
            .parser
            .screen_mut()
            .set_size(rows, columns);
        self.master
            .resize(size(rows, columns))
            .expect("a terminal can change its size");
    }

    /// Sends a signal by name.
    pub fn send_signal(&self, name: &str) {
        program::send_signal(lock(&self.child).process_id().expect("it runs"), name);
    }

    fn has_ended(&self) -> bool {
        lock(&self.child)
            .try_wait()
            .expect("a child of this process")
            .is_some()
    }

    /// Waits for the program to end; returns its exit code.
    pub async fn wait_for_exit(&self) -> u32 {
        let text = self.screen_text();
        let what = format!("the end of the program with the screen\n{text}\n");
        wait_until(what, async || {
            lock(&self.child)
                .try_wait()
                .expect("a child of this process")
        })
        .await
        .exit_code()
    }

    /// Returns the terminal modes that differ from those that a shell expects.
    pub fn unrestored_modes(&self) -> Vec<&'static str> {
        let output = lock(&self.output);
        let screen = output.parser.screen();
        let current_modes = format!("{:?}", self.master.get_termios());
        [
            (screen.alternate_screen(), "the alternate screen is shown"),
            (screen.hide_cursor(), "the cursor is hidden"),
            (
                screen.mouse_protocol_mode() != MouseProtocolMode::None,
                "the mouse is captured",
            ),
            (
                screen.mouse_protocol_mode() == MouseProtocolMode::AnyMotion,
                "each movement of the mouse is reported",
            ),
            (screen.bracketed_paste(), "pastes are bracketed"),
            (output.parser.callbacks().reports_focus, "focus is reported"),
            (
                screen.application_cursor() || screen.application_keypad(),
                "keys send other codes",
            ),
            (
                current_modes != self.initial_modes,
                "the terminal's modes are changed",
            ),
        ]
        .into_iter()
        .filter_map(|(wrong, what)| wrong.then_some(what))
        .collect()
    }

    /// Waits until the modes and the screen are as they were before the program.
    pub async fn wait_until_restored(&self) {
        let waited = tokio::time::timeout(WAIT_TIMEOUT, async {
            while !self.unrestored_modes().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        assert!(
            waited.await.is_ok(),
            "{:?} on\n{}",
            self.unrestored_modes(),
            self.screen_text()
        );
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // The process may have ended already.
        let mut child = lock(&self.child);
        let (Ok(()) | Err(_)) = child.kill();
        let (Ok(_) | Err(_)) = child.wait();
    }
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}
