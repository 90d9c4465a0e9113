//! The terminal: acquired for the full screen, and always restored.
//!
//! The terminal is restored when the guard is dropped, on a panic in any thread, and on a signal. ratatui's panic hook
//! is not used, because it leaves the mouse captured and does not handle panics in tasks. Signals reach the loop as a
//! stream; their handlers do nothing else.

mod input;
mod terminal_probe;

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
};
use crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue, style};
use tokio::signal::unix::{self, SignalKind};

use crate::i18n::Texts;
use crate::settings::BellMode;

pub(crate) use input::{
    full_screen_inputs, full_screen_inputs_after_probe, full_screen_inputs_after_reply, line_inputs,
};
pub(crate) use terminal_probe::{ProbeReply, TerminalProbe};

/// Whether the terminal is acquired.
static IS_ACQUIRED: AtomicBool = AtomicBool::new(false);
/// Whether the terminal has saved the previous title of its window.
static IS_TITLE_SAVED: AtomicBool = AtomicBool::new(false);

/// Makes the terminal save or restore the titles of its window and icon. Crossterm has no commands for this.
const SAVE_TITLE: &str = "\u{1b}[22;0t";
const RESTORE_TITLE: &str = "\u{1b}[23;0t";

/// Requests reports of buttons and the wheel (1000), in the format without limits (1006). Crossterm's command also
/// requests every movement of the mouse, which a terminal would send over ssh.
const ENABLE_MOUSE: &str = "\u{1b}[?1000h\u{1b}[?1006h";
const DISABLE_MOUSE: &str = "\u{1b}[?1006l\u{1b}[?1000l";

/// Owner of the terminal for the full screen. Restores the terminal when dropped.
#[derive(Debug)]
pub(crate) struct TerminalGuard {
    mouse_captured: bool,
}

impl TerminalGuard {
    /// Acquires the terminal: raw mode, alternate screen, bracketed paste and focus reports.
    ///
    /// # Errors
    /// Returns an error if the system fails. The terminal is then unchanged.
    pub(crate) fn acquire() -> io::Result<TerminalGuard> {
        // With colours disabled, crossterm writes an empty `CSI m`, which also resets bold and reverse. The theme
        // decides about colours instead.
        style::force_color_output(true);
        terminal::enable_raw_mode()?;
        IS_ACQUIRED.store(true, Ordering::SeqCst);
        let guard = TerminalGuard {
            mouse_captured: false,
        };
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableFocusChange
        )?;
        Ok(guard)
    }

    /// Captures the mouse, or leaves it to the terminal for selecting text.
    ///
    /// # Errors
    /// Returns an error if the system fails.
    pub(crate) fn set_mouse_capture(&mut self, enabled: bool) -> io::Result<()> {
        if self.mouse_captured == enabled {
            return Ok(());
        }
        self.mouse_captured = enabled;
        let command = if enabled { ENABLE_MOUSE } else { DISABLE_MOUSE };
        execute!(io::stdout(), style::Print(command))
    }
}

/// Sets the window title (OSC 0). [`restore`] restores the previous title. The title contains no control characters,
/// because player names contain none.
///
/// # Errors
/// Returns an error if the system fails.
pub(crate) fn set_window_title(title: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if !IS_TITLE_SAVED.swap(true, Ordering::SeqCst) {
        queue!(out, style::Print(SAVE_TITLE))?;
    }
    // Crossterm's `SetTitle` ends with BEL, which some terminals and recorders treat as a bell.
    queue!(out, style::Print(format_args!("\u{1b}]0;{title}\u{1b}\\")))?;
    out.flush()
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal if it is acquired. Errors are ignored, so that one failed step does not prevent the others.
fn restore() {
    if !IS_ACQUIRED.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout().lock();
    let title = if IS_TITLE_SAVED.swap(false, Ordering::SeqCst) {
        RESTORE_TITLE
    } else {
        ""
    };
    let result = queue!(
        out,
        style::Print(title),
        style::Print(DISABLE_MOUSE),
        DisableBracketedPaste,
        DisableFocusChange,
        style::ResetColor,
        LeaveAlternateScreen,
        Show
    )
    .and_then(|()| out.flush())
    .and_then(|()| terminal::disable_raw_mode());
    if let Err(error) = result {
        tracing::warn!(%error, "terminal restore failed");
    }
}

/// Installs a panic hook that restores the terminal, prints the panic and ends the program with exit code 101.
/// Otherwise a panic in a task would leave a screen that does not react.
pub fn install_panic_hook(texts: Texts) {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The lock stops the thread that draws.
        let _out = io::stdout().lock();
        restore();
        tracing::error!(%panic, "panic");
        if let Err(error) = writeln!(io::stderr(), "{}", texts.internal_error()) {
            tracing::debug!(%error, "stderr closed before the panic message");
        }
        default_hook(panic);
        exit_after_panic();
    }));
}

#[expect(
    clippy::disallowed_methods,
    reason = "after a panic in a task, main does not return; the terminal is restored"
)]
fn exit_after_panic() {
    std::process::exit(101);
}

/// Signals the player's turn with the bell, or with a desktop notification with this text (OSC 9). The text must not
/// come from other players.
///
/// # Errors
/// Returns an error if the system fails.
pub(crate) fn ring_bell(bell: BellMode, text: &str) -> io::Result<()> {
    match bell {
        BellMode::Off => Ok(()),
        BellMode::TerminalBell => execute!(io::stdout(), style::Print('\u{7}')),
        BellMode::Notify => execute!(
            io::stdout(),
            style::Print(format_args!("\u{1b}]9;{text}\u{7}"))
        ),
    }
}

/// Copies a text to the terminal's clipboard (OSC 52), even over ssh.
pub(crate) fn copy(text: &str) -> io::Result<()> {
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
}

/// Returns whether both stdin and stdout are terminals.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// A signal for the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The program has to end because of this signal.
    End(u8),
    /// `SIGCONT`: the process continues after a stop. The terminal may have changed.
    Continued,
}

/// Stream of the signals that the loop handles.
#[derive(Debug)]
pub(crate) struct Signals {
    term: unix::Signal,
    hup: unix::Signal,
    int: unix::Signal,
    cont: unix::Signal,
}

const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;
/// Timeout for `SIGCONT`, in case the process was not stopped.
const STOP_TIMEOUT: Duration = Duration::from_millis(300);

impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// Returns an error if the system fails.
    pub(crate) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            term: unix::signal(SignalKind::terminate())?,
            hup: unix::signal(SignalKind::hangup())?,
            int: unix::signal(SignalKind::interrupt())?,
            cont: unix::signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
        })
    }

    /// Waits for the next signal. Cancel safe.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.term.recv() => Signal::End(SIGTERM),
            _ = self.hup.recv() => Signal::End(SIGHUP),
            _ = self.int.recv() => Signal::End(SIGINT),
            _ = self.cont.recv() => Signal::Continued,
        }
    }

    /// Waits for a signal that ends the program, and returns its number. Cancel safe.
    pub(crate) async fn end(&mut self) -> u8 {
        loop {
            if let Signal::End(number) = self.next().await {
                return number;
            }
        }
    }
}

/// Stops the process group, as Ctrl-Z does, until the shell continues it. The system does not stop an orphaned process
/// group, because no shell could continue it.
pub(crate) async fn suspend_process(signals: &mut Signals) {
    if let Err(error) = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP) {
        tracing::warn!(%error, "cannot suspend the process");
        return;
    }
    // The stop may take effect after the call returns, so `SIGCONT` is awaited before drawing.
    let continued = tokio::time::timeout(STOP_TIMEOUT, signals.cont.recv()).await;
    tracing::debug!(stopped = continued.is_ok(), "process continued");
}
