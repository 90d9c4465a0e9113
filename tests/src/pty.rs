//! The real program on a real terminal: a pty, its keys, and a screen to look at.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use vt100::{MouseProtocolMode, Parser, Screen};

use crate::program::{self, Folder};
use crate::wait::{LIMIT, until};

/// A program on a terminal of its own, killed when dropped.
pub struct Pty {
    child: Mutex<Box<dyn Child + Send + Sync>>,
    master: Box<dyn MasterPty + Send>,
    /// Held, so that the terminal keeps its modes when the program has gone.
    _slave: Box<dyn SlavePty + Send>,
    writer: Writer,
    seen: Arc<Mutex<Seen>>,
    modes: String,
    _home: Folder,
}

type Writer = Arc<Mutex<Box<dyn Write + Send>>>;

/// What the program has written: as a picture, and as it was.
struct Seen {
    parser: Parser<Questions>,
    bytes: Vec<u8>,
    /// How often something has come; a picture comes in one piece or a few.
    pieces: usize,
}

/// What the screen's parser passes on: questions about the place of the cursor, which a terminal answers, and
/// whether it is to tell when it is looked at.
#[derive(Default)]
struct Questions {
    asked: Vec<(u16, u16)>,
    tells_focus: bool,
}

impl vt100::Callbacks for Questions {
    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        i1: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        match (i1, c) {
            (None, 'n') if params == [[6]] => self.asked.push(screen.cursor_position()),
            (Some(b'?'), 'h' | 'l') if params == [[1004]] => self.tells_focus = c == 'h',
            _ => {}
        }
    }
}

impl std::fmt::Debug for Pty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}\n", self.text())
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pty {
    /// `noughts` with these arguments on a terminal of 80 by 24.
    pub fn noughts(arguments: &[&str]) -> Pty {
        Pty::noughts_in(arguments, &[])
    }

    /// The same with some variables of the environment set; an empty text unsets.
    pub fn noughts_in(arguments: &[&str], environment: &[(&str, &str)]) -> Pty {
        let mut command = CommandBuilder::new(program::path("noughts"));
        command.args(arguments);
        Pty::start(command, environment, true)
    }

    /// The same on a terminal that answers no question about its cursor.
    pub fn mute(arguments: &[&str]) -> Pty {
        let mut command = CommandBuilder::new(program::path("noughts"));
        command.args(arguments);
        Pty::start(command, &[], false)
    }

    /// The test program that is running, as the one that it becomes by an ignored test of its own.
    pub fn ourselves(test: &str) -> Pty {
        let mut command = CommandBuilder::new(std::env::current_exe().expect("a test has a path"));
        command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        Pty::start(command, &[], true)
    }

    /// A shell in which to start it by hand.
    pub fn shell() -> Pty {
        let mut command = CommandBuilder::new("/bin/bash");
        command.args(["--norc", "--noprofile", "-i"]);
        Pty::start(command, &[("PS1", "ready> ")], true)
    }

    fn start(mut command: CommandBuilder, environment: &[(&str, &str)], answers: bool) -> Pty {
        let home = Folder::default();
        command.env_clear();
        let path = std::env::var("PATH").unwrap_or_default();
        let usual =
            [("PATH", path.as_str()), ("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("USER", "ann")];
        for (name, value) in usual.iter().chain(environment) {
            if value.is_empty() {
                command.env_remove(name);
            } else {
                command.env(name, value);
            }
        }
        command.env("HOME", home.path());
        command.cwd(home.path());
        let pair = native_pty_system().openpty(size(24, 80)).expect("a terminal");
        let modes = format!("{:?}", pair.master.get_termios());
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("a terminal can be read");
        let writer: Writer = Arc::new(Mutex::new(pair.master.take_writer().expect("and written")));
        let parser = Parser::new_with_callbacks(24, 80, 0, Questions::default());
        let seen = Arc::new(Mutex::new(Seen { parser, bytes: Vec::new(), pieces: 0 }));
        let (shared, replies) = (Arc::clone(&seen), Arc::clone(&writer));
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // An error is how a terminal says that nobody is at its other end any more.
            while let Ok(read @ 1..) = reader.read(&mut chunk) {
                let asked = {
                    let mut seen = lock(&shared);
                    seen.bytes.extend_from_slice(&chunk[..read]);
                    seen.pieces += 1;
                    seen.parser.process(&chunk[..read]);
                    std::mem::take(&mut seen.parser.callbacks_mut().asked)
                };
                for (row, column) in asked.into_iter().filter(|_| answers) {
                    let answer = format!("\x1b[{};{}R", row + 1, column + 1);
                    if lock(&replies).write_all(answer.as_bytes()).is_err() {
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
            seen,
            modes,
            _home: home,
        }
    }

    /// Presses keys: text as it is typed, escape sequences for the rest.
    pub fn keys(&self, keys: &str) {
        let mut writer = lock(&self.writer);
        writer.write_all(keys.as_bytes()).and_then(|()| writer.flush()).expect("a terminal takes keys");
    }

    /// Presses the left button at a place of the screen, counted from 0.
    pub fn click(&self, row: u16, column: u16) {
        self.keys(&format!("\x1b[<0;{0};{1}M\x1b[<0;{0};{1}m", column + 1, row + 1));
    }

    /// What can be read on the screen.
    pub fn text(&self) -> String {
        lock(&self.seen).parser.screen().contents()
    }

    /// Everything that was ever written.
    pub fn bytes(&self) -> Vec<u8> {
        lock(&self.seen).bytes.clone()
    }

    /// How often something was written, and the processor time that the program has had so far.
    pub fn effort(&self) -> (usize, Duration) {
        let pid = lock(&self.child).process_id().expect("it runs");
        (lock(&self.seen).pieces, program::processor_time(pid))
    }

    /// Where a text stands: row and column of its first character.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        let rows: Vec<String> = {
            let seen = lock(&self.seen);
            let (_, columns) = seen.parser.screen().size();
            seen.parser.screen().rows(0, columns).collect()
        };
        let found = rows.iter().enumerate().find_map(|(row, line)| Some((row, line.find(text)?, line)));
        found.map(|(row, at, line)| (row as u16, line[..at].chars().count() as u16))
    }

    /// Waits until the screen shows what is wanted.
    ///
    /// # Panics
    /// With the screen, when it never does.
    pub async fn until<T>(&self, what: &str, wanted: impl Fn(&Pty) -> Option<T>) -> T {
        let mut over = false;
        let waited = tokio::time::timeout(LIMIT, async {
            loop {
                // Looked at first: what it wrote before its end is on the screen soon after.
                let ended = self.has_ended();
                if let Some(found) = wanted(self) {
                    return Some(found);
                }
                if ended && !std::mem::replace(&mut over, ended) {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                } else if ended {
                    return None;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        match waited.await {
            Ok(Some(found)) => found,
            Ok(None) => panic!("the program ended without {what} on\n{}", self.text()),
            Err(_) => panic!("waited {LIMIT:?} for {what} on\n{}", self.text()),
        }
    }

    /// Waits until this can be read on the screen.
    pub async fn sees(&self, text: &str) {
        self.until(&format!("«{text}»"), |pty| pty.text().contains(text).then_some(())).await;
    }

    /// Waits until this can no longer be read on the screen.
    pub async fn sees_no_more(&self, text: &str) {
        self.until(&format!("the end of «{text}»"), |pty| (!pty.text().contains(text)).then_some(())).await;
    }

    /// Makes the terminal larger or smaller.
    pub fn resize(&self, rows: u16, columns: u16) {
        lock(&self.seen).parser.screen_mut().set_size(rows, columns);
        self.master.resize(size(rows, columns)).expect("a terminal can change its size");
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        program::signal(lock(&self.child).process_id().expect("it runs"), name);
    }

    fn has_ended(&self) -> bool {
        lock(&self.child).try_wait().expect("our own child").is_some()
    }

    /// Waits for the program's end, and gives its exit code.
    pub async fn ended(&self) -> u32 {
        let text = self.text();
        let what = format!("the end of the program, which showed\n{text}\n");
        until(what, async || lock(&self.child).try_wait().expect("our own child")).await.exit_code()
    }

    /// What is not as a shell expects it; nothing when all is in order.
    pub fn out_of_order(&self) -> Vec<&'static str> {
        let seen = lock(&self.seen);
        let screen = seen.parser.screen();
        let modes = format!("{:?}", self.master.get_termios());
        [
            (screen.alternate_screen(), "the other screen is shown"),
            (screen.hide_cursor(), "the cursor is hidden"),
            (screen.mouse_protocol_mode() != MouseProtocolMode::None, "the mouse is captured"),
            (screen.bracketed_paste(), "pastes are bracketed"),
            (seen.parser.callbacks().tells_focus, "the terminal tells when it is looked at"),
            (screen.application_cursor() || screen.application_keypad(), "keys send other codes"),
            (modes != self.modes, "the terminal's modes are changed"),
        ]
        .into_iter()
        .filter_map(|(wrong, what)| wrong.then_some(what))
        .collect()
    }

    /// Waits until the terminal is as it was before the program.
    pub async fn given_back(&self) {
        let waited = tokio::time::timeout(LIMIT, async {
            while !self.out_of_order().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        assert!(waited.await.is_ok(), "{:?} on\n{}", self.out_of_order(), self.text());
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // It may have ended already; it is ours in any case.
        let mut child = lock(&self.child);
        let (Ok(()) | Err(_)) = child.kill();
        let (Ok(_) | Err(_)) = child.wait();
    }
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}
