//! The program's output (full screen, lines or JSON), plain text and help pages of commands, and what the environment
//! says about the terminal.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;

use clap_mangen::Man;
use crossterm::terminal::{Clear, ClearType};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::cli::{self, DEFAULT_COLUMNS, definition};
use crate::facts::doctor::{ColorCheck, GlyphCheck};
use crate::facts::{Exit, Failure, Notification, PlayerRef};
use crate::i18n::Texts;
use crate::io::own_games::OwnGame;
use crate::io::terminal::{self, TerminalGuard};
use crate::model::{GameView, Model};
use crate::settings::{BellMode, GlyphSet};
use crate::ui;
use crate::ui::json::{self, JsonState};

pub(super) enum Output {
    Full(Box<FullScreen>),
    Line,
    /// JSON, with the states that were printed last: either the state of the program, or one state for each watched
    /// game.
    Json(Vec<JsonState>),
    /// The results of the tools of an assistant.
    #[cfg(feature = "mcp")]
    Assistant(super::mcp::SessionReporter),
}

pub(super) struct FullScreen {
    /// Never dropped: its `drop` panics if stderr is closed. The guard shows the cursor instead.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    /// `None` while the process is suspended.
    guard: Option<TerminalGuard>,
    /// The last frame and cursor. An unchanged frame is not written again.
    last_frame: Option<(Buffer, Option<Position>)>,
    /// The last window title. An unchanged title is not written again.
    last_title: Option<String>,
    /// Whether the terminal can show a title.
    has_title: bool,
}

impl Output {
    /// Creates the full screen on an acquired terminal.
    pub(super) fn full(guard: TerminalGuard) -> io::Result<Output> {
        let backend = CrosstermBackend::new(BufWriter::new(io::stdout()));
        let terminal = ManuallyDrop::new(Terminal::new(backend)?);
        let full = FullScreen {
            terminal,
            guard: Some(guard),
            last_frame: None,
            last_title: None,
            has_title: can_set_title(),
        };
        Ok(Output::Full(Box::new(full)))
    }

    /// Creates the JSON output, and prints its first line.
    pub(super) fn json() -> io::Result<Output> {
        print_line(json::hello())?;
        Ok(Output::Json(Vec::new()))
    }

    /// Draws the model if the result has changed.
    pub(super) fn draw(&mut self, model: &Model) -> io::Result<()> {
        match self {
            Output::Full(full) => full.draw(model),
            Output::Line => Ok(()),
            Output::Json(last_states) => {
                let states = JsonState::collect_all(model);
                for (index, state) in states.iter().enumerate() {
                    if !last_states
                        .get(index)
                        .is_some_and(|previous| previous.is_unchanged_from(state))
                    {
                        print_line(json::state(state))?;
                    }
                }
                // Changes that come from time alone, such as running clocks, are printed with the next change of
                // another kind.
                *last_states = states;
                Ok(())
            }
            #[cfg(feature = "mcp")]
            Output::Assistant(reporter) => {
                reporter.report_state(model);
                Ok(())
            }
        }
    }

    /// Prints a notification. If several games are watched, the label of the room precedes the notification. The full
    /// screen shows the model instead.
    pub(super) fn print_notification(
        &mut self,
        texts: Texts,
        room: Option<&str>,
        notification: &Notification,
    ) -> io::Result<()> {
        match self {
            Output::Full(_) => return Ok(()),
            Output::Line => {}
            Output::Json(_) => return json::event(room, notification).map_or(Ok(()), print_line),
            #[cfg(feature = "mcp")]
            Output::Assistant(reporter) => {
                reporter.report_event(notification);
                return Ok(());
            }
        }
        let mut text = String::new();
        for line in ui::line_mode::notification_lines(texts, notification) {
            text.extend(room.into_iter().flat_map(|room| [room, ": "]));
            text.push_str(&line);
            text.push('\n');
        }
        // Prints the text with a single write, so that readers never see a partial line.
        if notification.is_diagnostic() {
            io::stderr().write_all(text.as_bytes())
        } else {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()
        }
    }

    /// Signals the player's turn. A failure is only logged.
    pub(super) fn ring(&self, bell: BellMode, model: &Model) {
        if let Output::Full(_) = self
            && let Err(error) = terminal::ring_bell(bell, model.lang().texts().your_move())
        {
            tracing::debug!(%error, "cannot signal the turn of the player");
        }
    }

    /// Copies a text to the terminal's clipboard. A failure is only logged, because no terminal reports whether it
    /// obeys.
    pub(super) fn copy(&self, text: &str) {
        if let Output::Full(_) = self
            && let Err(error) = terminal::copy(text)
        {
            tracing::debug!(%error, "cannot copy text");
        }
    }

    /// Makes the next call of [`Output::draw`] draw the whole screen.
    pub(super) fn redraw(&mut self) {
        if let Output::Full(full) = self {
            full.last_frame = None;
        }
    }

    /// Restores the terminal for another program.
    pub(super) fn suspend(&mut self) {
        if let Output::Full(full) = self {
            full.guard = None;
        }
    }

    /// Acquires the terminal again.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        if let Output::Full(full) = self {
            full.guard = Some(TerminalGuard::acquire()?);
            full.last_frame = None;
            full.last_title = None;
        }
        Ok(())
    }

    /// Prints the exit status in JSON mode.
    pub(super) fn print_end(&self, exit: Exit) -> io::Result<()> {
        match self {
            Output::Full(_) | Output::Line => Ok(()),
            Output::Json(_) => print_line(json::end(exit)),
            #[cfg(feature = "mcp")]
            Output::Assistant(_) => Ok(()),
        }
    }

    /// Restores the terminal. Prints why the program ends, unless the player has ended it.
    pub(super) fn finish(&mut self, model: &Model, exit: Exit) {
        let full = match self {
            Output::Full(full) => full,
            Output::Line => {
                if let Some(game) = &model.kept_game {
                    print_on_stderr(&kept_line(model, game));
                }
                return;
            }
            #[cfg(feature = "mcp")]
            Output::Assistant(reporter) => {
                reporter.report_state(model);
                reporter.report_end(exit);
                return;
            }
            Output::Json(_) => {
                if let Err(error) = self.draw(model).and_then(|()| self.print_end(exit)) {
                    tracing::debug!(%error, "stdout closed before the exit status");
                }
                return;
            }
        };
        full.guard = None;
        let is_room_gone = model
            .game_view()
            .and_then(GameView::room)
            .is_some_and(|room| room.gone_since.is_some());
        let reason = match exit {
            Exit::Done | Exit::Failed | Exit::Usage | Exit::Signal(_) => {
                let kept = model.notification.clone();
                let kept = kept.filter(|kept| {
                    matches!(
                        kept,
                        Notification::MayContinue(_)
                            | Notification::GameLeft(_)
                            | Notification::Failed(Failure::GameNotKept { .. })
                    )
                });
                if kept.is_none()
                    && let Some(line) = result_line(model)
                {
                    print_on_stderr(&line);
                }
                kept
            }
            Exit::ConnectionLost if is_room_gone => Some(Notification::RoomGone),
            Exit::CannotConnect | Exit::Rejected | Exit::ConnectionLost => {
                model.notification.clone()
            }
        };
        let is_left = matches!(reason, Some(Notification::GameLeft(_)));
        if let Some(notification) = reason {
            print_on_stderr(&model.lang().texts().notification(&notification));
        }
        // A resigned game is kept, too.
        if is_left && let Some(game) = &model.kept_game {
            print_on_stderr(&kept_line(model, game));
        }
    }
}

/// Prints the last line of the program. A failure is only logged.
fn print_on_stderr(line: &str) {
    if let Err(error) = writeln!(io::stderr(), "{line}") {
        tracing::debug!(%error, "stderr closed before the last line");
    }
}

/// Says how a kept game ended, and which file contains it.
fn kept_line(model: &Model, game: &OwnGame) -> String {
    let (texts, rules) = (model.lang().texts(), &game.record.rules);
    let result = texts.outcome(&game.outcome, rules, &PlayerRef::of_own_game(game));
    let result = texts.with_reason(texts.rules(rules), result);
    texts.kept_game(game.path.display(), result)
}

/// Says how the last game ended and where it is kept, or how the displayed game ended. The text appears when the screen
/// is gone.
fn result_line(model: &Model) -> Option<String> {
    let view = model.game_view();
    // A game that was aborted early is not kept, so the kept game is an earlier game.
    let is_aborted = view.is_some_and(GameView::is_aborted_early);
    if let Some(game) = model.kept_game.as_ref().filter(|_| !is_aborted) {
        return Some(kept_line(model, game));
    }
    let (texts, view) = (model.lang().texts(), view?);
    let (outcome, players) = (view.game.outcome()?, view.players()?);
    let rules = view.game.rules();
    let result = texts.outcome(outcome, rules, &players);
    Some(texts.with_reason(texts.rules(rules), result))
}

impl FullScreen {
    fn draw(&mut self, model: &Model) -> io::Result<()> {
        if let Some(guard) = &mut self.guard {
            guard.set_mouse_capture(model.is_mouse_enabled())?;
        }
        self.set_title(model)?;
        self.terminal.autoresize()?;
        let area = self.terminal.get_frame().area();
        let mut buffer = Buffer::empty(area);
        let mut cursor = ui::draw(model, area, &mut buffer);
        match &self.last_frame {
            Some((last_buffer, last_cursor))
                if *last_buffer == buffer && *last_cursor == cursor =>
            {
                return Ok(());
            }
            Some(_) => {}
            None => {
                crossterm::execute!(io::stdout(), Clear(ClearType::All))?;
                // `Terminal::clear` queries the cursor position, and fails if the terminal does not answer.
                self.terminal.resize(area)?;
            }
        }
        self.terminal.draw(|frame| {
            // The window may have been resized since `area` was read. The size of this frame counts.
            if frame.area() != buffer.area {
                buffer = Buffer::empty(frame.area());
                cursor = ui::draw(model, frame.area(), &mut buffer);
            }
            frame.buffer_mut().clone_from(&buffer);
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        })?;
        self.last_frame = Some((buffer, cursor));
        Ok(())
    }
}

impl FullScreen {
    /// Sets the title of the window if it has changed.
    fn set_title(&mut self, model: &Model) -> io::Result<()> {
        if !self.has_title || self.guard.is_none() {
            return Ok(());
        }
        let title = ui::window_title(model);
        if self.last_title.as_ref() != Some(&title) {
            terminal::set_window_title(&title)?;
            self.last_title = Some(title);
        }
        Ok(())
    }
}

/// Prints a line with a single write, so that readers never see a partial line.
fn print_line(mut line: String) -> io::Result<()> {
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// Exit status after stdout was closed, as if `SIGPIPE` had ended the process.
pub(super) const CLOSED_PIPE: Exit = Exit::Signal(13);

/// Prints a text on stdout. A closed pipe is not an error.
pub(super) fn print(text: &[u8]) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(CLOSED_PIPE),
        result => Ok(result.map(|()| Exit::Done)?),
    }
}

/// Formats an error and its causes in the player's language.
pub(super) fn format_error(error: &anyhow::Error, texts: Texts) -> String {
    let cause =
        |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<std::io::Error>() {
            Some(error) => texts.io_error(&error.into()),
            None => cause.to_string(),
        };
    let causes = error
        .chain()
        .map(cause)
        .reduce(|outer, inner| texts.with_reason(&outer, &inner));
    causes.unwrap_or_default()
}

/// Lays out the requested help for stdout, with the terminal's width and styles.
pub(super) fn help_page(error: &clap::Error) -> String {
    let page = error.render();
    if !io::stdout().is_terminal() {
        return cli::layout_help(&page.to_string(), DEFAULT_COLUMNS);
    }
    let columns = crossterm::terminal::size().map_or(DEFAULT_COLUMNS, |(columns, _)| columns);
    if is_dumb_terminal() || env_variable("NO_COLOR").is_some() {
        cli::layout_help(&page.to_string(), columns)
    } else {
        cli::layout_help(&page.ansi().to_string(), columns)
    }
}

/// Returns the help of the whole program as plain text.
pub(super) fn plain_help(texts: Texts) -> String {
    cli::layout_help(
        &definition(texts).render_help().to_string(),
        DEFAULT_COLUMNS,
    )
}

/// Returns the manual page with translated headings.
pub(super) fn manual_page(texts: Texts) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(definition(texts)).render(&mut page)?;
    let convert_line = |line: &str| match line.strip_prefix(".SH ") {
        Some(heading) => format!(".SH {}\n", texts.manual_section(heading)),
        None => format!("{line}\n"),
    };
    Ok(String::from_utf8_lossy(&page)
        .lines()
        .map(convert_line)
        .collect())
}

/// Returns the value of an environment variable, if the variable is set and not empty.
pub(super) fn env_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns whether `TERM` is `dumb` or not set.
pub(super) fn is_dumb_terminal() -> bool {
    env_variable("TERM").is_none_or(|term| term == "dumb")
}

/// Returns whether the terminal announces a light background in `COLORFGBG`, as `0;15`.
pub(super) fn has_light_background() -> bool {
    let background =
        env_variable("COLORFGBG").and_then(|value| value.rsplit(';').next()?.parse::<u8>().ok());
    background.is_some_and(|color| color == 7 || (9..=15).contains(&color))
}

/// Returns whether the terminal may be asked for its background colour. The Linux console would print the request.
pub(super) fn can_report_background() -> bool {
    !is_dumb_terminal() && env_variable("TERM").is_some_and(|term| term != "linux")
}

/// Returns whether the terminal may be given a title. The Linux console would print it.
pub(super) fn can_set_title() -> bool {
    can_report_background()
}

/// Returns whether colours are used, and why.
pub(super) fn check_colors() -> ColorCheck {
    if env_variable("NO_COLOR").is_some() {
        ColorCheck::NoColor
    } else if is_dumb_terminal() {
        ColorCheck::Dumb
    } else {
        ColorCheck::Yes
    }
}

/// Returns whether the program runs over ssh. A frame takes longer there.
pub(super) fn is_remote_terminal() -> bool {
    ["SSH_CONNECTION", "SSH_TTY"]
        .iter()
        .any(|name| env_variable(name).is_some())
}

/// Returns whether the terminal announces at least 256 colours in `COLORTERM` or `TERM`.
pub(super) fn has_palette() -> bool {
    crossterm::style::available_color_count() >= 256
}

/// Returns the characters of the grid; `None` if the terminal has to be probed.
pub(super) fn check_glyphs(glyphs: GlyphSet) -> Option<GlyphCheck> {
    match glyphs {
        GlyphSet::Unicode => Some(GlyphCheck::ChosenUnicode),
        GlyphSet::Ascii => Some(GlyphCheck::ChosenAscii),
        GlyphSet::Auto if is_dumb_terminal() || !is_utf8_locale(env_variable) => {
            Some(GlyphCheck::NoUtf8)
        }
        GlyphSet::Auto if !terminal::is_terminal() => Some(GlyphCheck::NotAsked),
        GlyphSet::Auto => None,
    }
}

/// Returns whether the locale uses UTF-8.
fn is_utf8_locale(env: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(env)
        .unwrap_or_default()
        .to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
