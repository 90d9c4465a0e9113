//! The terminal: taken over for the full screen, and always given back.
//!
//! Given back means by everything that may happen: the guard's end, a panic anywhere in the program, a
//! signal. The library's own hook leaves the mouse captured and knows no task, so this is all ours.

mod glyph_probe;
mod input;
mod signals;

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue, style};

use crate::i18n::Texts;
use crate::model::BellMode;

pub use glyph_probe::{GlyphWidthProbe, ProbeReply};
pub use input::{
    full_screen_inputs, full_screen_inputs_after_probe, full_screen_inputs_after_reply, line_inputs,
};
pub use signals::{Signal, Signals, suspend_process};

/// Whether the terminal is ours now.
static IS_ACQUIRED: AtomicBool = AtomicBool::new(false);

/// Holds the terminal for the full screen, and gives it back when dropped.
#[derive(Debug)]
pub struct TerminalGuard {
    mouse_captured: bool,
}

impl TerminalGuard {
    /// Takes the terminal over: raw keys, the other screen, pastes as one piece, news of whether it is looked at.
    ///
    /// # Errors
    /// What the system says; then nothing is left changed.
    pub fn acquire() -> io::Result<TerminalGuard> {
        // Without colours the library would write an empty `CSI m`, which wipes bold and reverse too.
        // The theme decides about colours, not the library.
        style::force_color_output(true);
        terminal::enable_raw_mode()?;
        IS_ACQUIRED.store(true, Ordering::SeqCst);
        let guard = TerminalGuard { mouse_captured: false };
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange)?;
        Ok(guard)
    }

    /// Captures the mouse, or lets it select text.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_mouse_capture(&mut self, enabled: bool) -> io::Result<()> {
        if self.mouse_captured == enabled {
            return Ok(());
        }
        self.mouse_captured = enabled;
        if enabled {
            execute!(io::stdout(), EnableMouseCapture)
        } else {
            execute!(io::stdout(), DisableMouseCapture)
        }
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, if it is ours. What fails is passed over: the rest matters all the more.
fn restore() {
    if !IS_ACQUIRED.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout().lock();
    let result = queue!(
        out,
        DisableMouseCapture,
        DisableBracketedPaste,
        DisableFocusChange,
        style::ResetColor,
        LeaveAlternateScreen,
        Show
    )
    .and_then(|()| out.flush())
    .and_then(|()| terminal::disable_raw_mode());
    if let Err(error) = result {
        tracing::warn!(%error, "the terminal could not be given back");
    }
}

/// Makes a panic anywhere give the terminal back, say what happened, and end the program with 101. A task
/// that is gone would otherwise leave the screen standing with nobody behind it.
pub fn install_panic_hook(texts: Texts) {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // Whoever draws waits for this lock from now on.
        let _out = io::stdout().lock();
        restore();
        tracing::error!(%panic, "panic");
        if let Err(error) = writeln!(io::stderr(), "{}", texts.internal_error()) {
            tracing::debug!(%error, "nobody reads of the fault");
        }
        default_hook(panic);
        exit_after_panic();
    }));
}

#[expect(
    clippy::disallowed_methods,
    reason = "after a panic in a task nobody returns from main; the terminal is given back"
)]
fn exit_after_panic() {
    std::process::exit(101);
}

/// Calls whoever owns the terminal: by its bell, or by a notification that says this (OSC 9). The text must be
/// our own.
///
/// # Errors
/// What the system says.
pub fn ring_bell(bell: BellMode, text: &str) -> io::Result<()> {
    match bell {
        BellMode::Off => Ok(()),
        BellMode::TerminalBell => execute!(io::stdout(), style::Print('\u{7}')),
        BellMode::Notify => execute!(io::stdout(), style::Print(format_args!("\u{1b}]9;{text}\u{7}"))),
    }
}

/// Whether keys come from a terminal and the screen is one.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}
