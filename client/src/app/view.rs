//! The view of the loop: the full screen, or lines on stdout, for people or for programs.

use std::io::{self, BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;

use crossterm::terminal::{Clear, ClearType};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::model::{Bell, Exit, Model, Note, Table};
use crate::terminal::{self, Guard};
use crate::ui;
use crate::ui::json::{self, Stated};
use crate::words::Words;

/// Where pictures and notes go.
pub(super) enum View {
    Full(Box<Full>),
    Line,
    /// With the states that were told last: that of the program, and one of each of several games.
    Json(Vec<Stated>),
}

/// The full screen.
pub(super) struct Full {
    /// Never dropped: it would show the cursor, as the guard does, and panic where nobody reads that it cannot.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    /// None while another program has the terminal.
    guard: Option<Guard>,
    /// What was drawn last, so that nothing is written when nothing has changed.
    drawn: Option<(Buffer, Option<Position>)>,
}

impl View {
    /// The full screen on a terminal that was taken.
    pub(super) fn full(guard: Guard) -> io::Result<View> {
        let backend = CrosstermBackend::new(BufWriter::new(io::stdout()));
        let terminal = ManuallyDrop::new(Terminal::new(backend)?);
        Ok(View::Full(Box::new(Full { terminal, guard: Some(guard), drawn: None })))
    }

    /// One object a line; the first is written now.
    pub(super) fn json() -> io::Result<View> {
        print(json::hello())?;
        Ok(View::Json(Vec::new()))
    }

    /// Draws the model, if that makes any difference.
    pub(super) fn draw(&mut self, model: &Model) -> io::Result<()> {
        match self {
            View::Full(full) => full.draw(model),
            View::Line => Ok(()),
            View::Json(told) => {
                let states = Stated::all(model);
                for (place, state) in states.iter().enumerate() {
                    if !told.get(place).is_some_and(|told| told.stands_as(state)) {
                        print(json::state(state))?;
                    }
                }
                // What time alone has changed is told with the next change, and counted from there.
                *told = states;
                Ok(())
            }
        }
    }

    /// Prints a note, in line mode, with the room that it is about where there are several. The full screen
    /// shows the model instead.
    pub(super) fn tell(&mut self, words: Words, room: Option<&str>, note: &Note) -> io::Result<()> {
        match self {
            View::Full(_) => return Ok(()),
            View::Line => {}
            View::Json(_) => return json::told(room, note).map_or(Ok(()), print),
        }
        let mut text = String::new();
        for line in ui::line::lines(words, note) {
            text.extend(room.into_iter().flat_map(|room| [room, ": "]));
            text.push_str(&line);
            text.push('\n');
        }
        // In one write: a line is never seen by halves.
        if note.is_message() {
            io::stderr().write_all(text.as_bytes())
        } else {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()
        }
    }

    /// Calls the player. Whoever cannot be called will look again some day.
    pub(super) fn ring(&self, bell: Bell, model: &Model) {
        if let View::Full(_) = self
            && let Err(error) = terminal::ring(bell, model.words.your_move())
        {
            tracing::debug!(%error, "the player cannot be called");
        }
    }

    /// Draws everything again at the next turn, whatever is on the screen.
    pub(super) fn redraw(&mut self) {
        if let View::Full(full) = self {
            full.drawn = None;
        }
    }

    /// Gives the terminal to another program.
    pub(super) fn let_go(&mut self) {
        if let View::Full(full) = self {
            full.guard = None;
        }
    }

    /// Takes it again.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        if let View::Full(full) = self {
            full.guard = Some(Guard::take()?);
            full.drawn = None;
        }
        Ok(())
    }

    /// Tells a program how this one ends.
    pub(super) fn end(&self, exit: Exit) -> io::Result<()> {
        match self {
            View::Full(_) | View::Line => Ok(()),
            View::Json(_) => print(json::end(exit)),
        }
    }

    /// Gives the terminal back for good, and tells there why the program ends if that was not wished.
    pub(super) fn finish(&mut self, model: &Model, exit: Exit) {
        let full = match self {
            View::Full(full) => full,
            View::Line => return,
            View::Json(_) => {
                if let Err(error) = self.draw(model).and_then(|()| self.end(exit)) {
                    tracing::debug!(%error, "nobody reads the end");
                }
                return;
            }
        };
        full.guard = None;
        let gone = model.table().and_then(Table::room).is_some_and(|room| room.gone.is_some());
        let reason = match exit {
            Exit::Done | Exit::Failed | Exit::Usage | Exit::Signal(_) => None,
            Exit::Lost if gone => Some(Note::RoomGone),
            Exit::CannotConnect | Exit::Refused | Exit::Lost => model.notice.clone(),
        };
        if let Some(note) = reason
            && let Err(error) = writeln!(io::stderr(), "{}", model.words.note(&note))
        {
            tracing::debug!(%error, "nobody reads why");
        }
    }
}

impl Full {
    fn draw(&mut self, model: &Model) -> io::Result<()> {
        if let Some(guard) = &mut self.guard {
            guard.mouse(model.wants_mouse())?;
        }
        self.terminal.autoresize()?;
        let area = self.terminal.get_frame().area();
        let mut buffer = Buffer::empty(area);
        let mut cursor = ui::draw(model, area, &mut buffer);
        match &self.drawn {
            Some((before, at)) if *before == buffer && *at == cursor => return Ok(()),
            Some(_) => {}
            None => {
                crossterm::execute!(io::stdout(), Clear(ClearType::All))?;
                // Not `clear`, which asks the terminal where its cursor is, and fails where nobody answers.
                self.terminal.resize(area)?;
            }
        }
        self.terminal.draw(|frame| {
            // The window may have changed since it was looked at: what counts is the size of this frame.
            if frame.area() != buffer.area {
                buffer = Buffer::empty(frame.area());
                cursor = ui::draw(model, frame.area(), &mut buffer);
            }
            frame.buffer_mut().clone_from(&buffer);
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        })?;
        self.drawn = Some((buffer, cursor));
        Ok(())
    }
}

/// Writes a line in one write: it is never seen by halves.
fn print(mut line: String) -> io::Result<()> {
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}
