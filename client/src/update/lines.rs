//! Typed commands, and in line mode the lines that wait to be carried out.
//!
//! A person is answered at once. The lines of a script are taken in order, and a move waits until it can
//! be made, so that a script may write everything ahead. When no more lines come, the player leaves as
//! soon as there is something to say and nobody to say it.

use noughts_protocol::{Offer, Phase};

use super::{Out, act, answer, desk, grid, keys, leave, orders, study};
use crate::input::{DigitOrder, Typed, TypedError, object, typed};
use crate::lang::Lang;
use crate::model::{Goal, MAX_TYPED, Mode, Model, NotNow, Note, Overlay, Screen, Stage, Table};

/// A line came in. The loop reads no more than fit.
pub(super) fn line(model: &mut Model, line: String) {
    if model.typed.len() < MAX_TYPED {
        model.typed.push_back(line);
    }
}

/// Carries out what can be, and leaves when nothing can be any more. Called after whatever happens.
pub(super) fn carry_on(model: &mut Model, out: &mut Out) {
    let closed = model.table().is_some_and(|table| table.game.phase() == Phase::Closed);
    if model.mode != Mode::Full && closed && !is_quitting(out) {
        // Nothing will happen here again, and there is no board to look at.
        leave::leave(model, out);
        return;
    }
    while let Some(line) = model.typed.front() {
        if waits(model, line) || is_quitting(out) {
            return;
        }
        let line = model.typed.pop_front().unwrap_or_default();
        take(model, &line, out);
    }
    if model.input_ended && !is_quitting(out) && nothing_to_wait_for(model) {
        model.input_ended = false;
        if model.table().is_some_and(|table| table.game.phase() == Phase::Playing) {
            out.tell(model, Note::InputEnded);
        }
        model.home = false;
        grid::forget_list(model);
        leave::leave(model, out);
    }
}

fn is_quitting(out: &Out) -> bool {
    matches!(out.0.last(), Some(super::Effect::Quit(_)))
}

/// Whether a script's line must wait for something to happen first.
fn waits(model: &Model, line: &str) -> bool {
    if !model.mode.is_script() || is_order(model, line) {
        return false;
    }
    let parsed = parse(model, line);
    match &model.screen {
        Screen::Waiting => parsed != Ok(Typed::Leave),
        Screen::Table(table) => {
            let is_move = matches!(parsed, Ok(Typed::Move(_)) | Err(TypedError::Cell(_)));
            table.pending.is_some() || (is_move && move_may_come(table))
        }
        Screen::Home { .. } | Screen::Form(_) | Screen::Lobby(_) | Screen::Replay(_) => false,
        // The lines of the game that they are about are taken in order too.
        Screen::Grid(grid) => !grid.focused().model.typed.is_empty(),
    }
}

/// Whether it is not this player's turn, but will be.
fn move_may_come(table: &Table) -> bool {
    match table.game.phase() {
        Phase::Waiting => table.acting_seat().is_some(),
        Phase::Playing => table.acting_seat().is_some() && !table.may_move(),
        Phase::Over => table.own_seat().is_some_and(|own| table.game.offered(Offer::Rematch) == Some(own)),
        Phase::Closed => false,
    }
}

/// Whether nothing can come of staying when no more lines come: the next word would be ours.
fn nothing_to_wait_for(model: &Model) -> bool {
    // A person who ends the input means to go.
    if !model.mode.is_script() {
        return true;
    }
    match &model.screen {
        Screen::Home { .. } | Screen::Form(_) | Screen::Lobby(_) => true,
        Screen::Replay(_) => !model.studies,
        // Until every game has ended.
        Screen::Grid(_) => false,
        Screen::Waiting => match &model.session {
            // Whether the server is there at all, and takes us, is worth knowing.
            Some(session) if matches!(session.stage, Stage::Connecting | Stage::Asked) => false,
            Some(session) => match session.goal {
                Goal::Seek { .. } | Goal::Join(_) | Goal::Browse | Goal::Continue(_) => true,
                // The bot that comes plays first, if it has X.
                Goal::Create { bot, .. } => bot.is_none(),
                Goal::Watch(_) | Goal::List => false,
            },
            None => true,
        },
        Screen::Table(table) => {
            let ended = matches!(&model.session, Some(session) if matches!(session.stage, Stage::Ended(_)));
            let bot_comes = matches!(&model.session, Some(session) if matches!(session.goal, Goal::Create { bot: Some(_), .. }));
            let seated = table.acting_seat().is_some();
            match table.game.phase() {
                Phase::Waiting => seated && !bot_comes,
                Phase::Playing => ended || (seated && table.may_move() && table.pending.is_none()),
                Phase::Over => (seated || table.room().is_none()) && !model.studies,
                Phase::Closed => true,
            }
        }
    }
}

/// Whether a line is an object: a program means it as things are, and so it is answered at once.
fn is_order(model: &Model, line: &str) -> bool {
    model.mode == Mode::Json && object::is_object(line)
}

fn parse(model: &Model, line: &str) -> Result<Typed, TypedError> {
    typed::parse(line, leave::rules(model).as_ref(), model.settings.keys)
}

/// Carries a line out, whatever it is about.
fn take(model: &mut Model, line: &str, out: &mut Out) {
    if is_order(model, line) && !matches!(model.screen, Screen::Grid(_)) {
        orders::take(model, line, out);
        return;
    }
    let parsed = parse(model, line);
    if matches!(model.overlay, Some(Overlay::Question(_))) {
        match parsed {
            Ok(Typed::Accept(None)) => keys::answer_question(model, true, out),
            Ok(Typed::Decline(None)) => keys::answer_question(model, false, out),
            Ok(_) | Err(_) => out.tell(model, Note::NotNow(NotNow::YesOrNo)),
        }
        return;
    }
    if let (Ok(Typed::Lang(lang)), Screen::Home { .. } | Screen::Lobby(_)) = (&parsed, &model.screen) {
        speak(model, *lang, out);
        return;
    }
    match &model.screen {
        Screen::Form(_) if parsed != Ok(Typed::Leave) => desk::answer_field(model, line, out),
        Screen::Home { .. } => home(model, line, parsed, out),
        Screen::Lobby(_) => lobby(model, line, parsed, out),
        Screen::Grid(_) => grid::line(model, line, out),
        Screen::Form(_) | Screen::Waiting | Screen::Table(_) | Screen::Replay(_) => match parsed {
            Ok(parsed) => typed(model, parsed, out),
            // An empty line is no command and no mistake.
            Err(TypedError::Empty) => {}
            Err(error) => out.tell(model, Note::Unreadable { text: line.to_owned(), error }),
        },
    }
}

fn home(model: &mut Model, line: &str, parsed: Result<Typed, TypedError>, out: &mut Out) {
    let number = line.trim().parse::<usize>().ok();
    match number.and_then(|number| desk::entry(model, number)) {
        Some(entry) => desk::choose(model, entry, out),
        None if parsed == Ok(Typed::Leave) => leave::leave_home(model, out),
        None if line.trim().is_empty() => {
            let unfinished = model.unfinished.clone();
            out.tell(model, Note::Menu { unfinished });
        }
        None => out.tell(model, Note::NotNow(NotNow::Number)),
    }
}

/// A number takes the room with it; `w` before it watches; `g` watches several; `r` fetches the list again.
fn lobby(model: &mut Model, line: &str, parsed: Result<Typed, TypedError>, out: &mut Out) {
    let line = line.trim();
    let (watch, number) = match line.strip_prefix("w ") {
        Some(rest) => (true, rest.trim()),
        None => (false, line),
    };
    if parsed == Ok(Typed::Leave) {
        leave::leave(model, out);
    } else if line == "r" {
        desk::refresh(model, out);
    } else if line == "g" {
        desk::watch_all(model, out);
    } else if let (Ok(number @ 1..), Screen::Lobby(lobby)) = (number.parse::<usize>(), &mut model.screen) {
        lobby.at = number - 1;
        desk::take_room(model, watch, out);
    } else {
        out.tell(model, Note::NotNow(NotNow::Number));
    }
}

/// Carries a command out: from the command line of the full screen, or a line.
pub(super) fn typed(model: &mut Model, typed: Typed, out: &mut Out) {
    match typed {
        Typed::Move(cell) => act::mark(model, cell, out),
        Typed::Board => answer::board(model, out),
        Typed::Scan(scan) => answer::scan(model, scan, out),
        Typed::Mine => answer::marks(model, out),
        Typed::Last => answer::last(model, out),
        Typed::Clocks => answer::clocks(model, out),
        Typed::Opponent => answer::opponent(model, out),
        Typed::Help => keys::show_help(model, out),
        Typed::Resign if model.mode == Mode::Full => keys::ask_resign(model),
        Typed::Resign => act::resign(model, out),
        Typed::Offer(offer) => act::offer(model, offer, out),
        Typed::Accept(offer) => act::accept(model, offer, out),
        Typed::Decline(offer) => decline(model, offer, out),
        Typed::Claim(result) => act::claim(model, result, out),
        Typed::Flag => act::flag(model, out),
        Typed::Bot(level) => act::invite_bot(model, level, out),
        Typed::Values => study::ask_values(model, out),
        Typed::Review => study::ask_review(model, out),
        Typed::Keys(order) => set_keys(model, order, out),
        Typed::Lang(lang) => speak(model, lang, out),
        Typed::Save(path) => answer::save(model, path, out),
        Typed::Leave => leave::leave_asking(model, out),
    }
}

/// After a game, when nothing is proposed, no means not to play again.
fn decline(model: &mut Model, which: Option<Offer>, out: &mut Out) {
    let over = model.table().is_some_and(|table| {
        let proposed = Offer::ALL.into_iter().any(|offer| table.game.offered(offer).is_some());
        table.game.phase() == Phase::Over && !proposed
    });
    if over && which.is_none() {
        leave::leave_asking(model, out);
    } else {
        act::decline(model, which, out);
    }
}

fn set_keys(model: &mut Model, order: DigitOrder, out: &mut Out) {
    model.settings.keys = order;
    out.tell(model, Note::Keys(order));
}

/// From now on everything is in this language.
fn speak(model: &mut Model, lang: Lang, out: &mut Out) {
    model.speak(lang);
    out.tell(model, Note::Speaks);
}

/// Line mode tells the question that has been opened; the full screen shows it.
pub(super) fn tell_question(model: &mut Model, out: &mut Out) {
    if model.mode != Mode::Full {
        out.tell(model, Note::NotNow(NotNow::LeaveQuestion));
    }
}
