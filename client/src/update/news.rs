//! What comes from the server and from the line to it.

use std::time::Duration;

use noughts_protocol::wire::{Message, Notice, Presence, Reject, RejectCode, You};
use noughts_protocol::{FoldError, Game, Phase, RequestId, RoomId, Seat, Snapshot, Stamped};

use super::{Effect, Out, desk, keep, leave, room};
use crate::connection::{Ended, News, Welcome};
use crate::model::{
    Ask, Attendance, Exit, Goal, Lobby, Mode, Model, Note, Place, Room, Screen, Session, Stage, Table, Thinks,
};

/// Folds in what the line has to tell.
pub(super) fn news(model: &mut Model, news: News, out: &mut Out) {
    match news {
        News::Connecting { attempt } => connecting(model, attempt),
        News::Online { welcome } => online(model, welcome, out),
        News::Offline { attempt, retry_in, why } => {
            let at = model.now.saturating_add(millis(retry_in));
            if let Some(session) = &mut model.session {
                session.stage = Stage::Offline { attempt, at };
            }
            // Each further attempt that fails is seen in the status line, and not told again.
            if attempt <= 1 {
                out.tell(model, Note::Offline { why, retry_in });
            }
        }
        News::Message(message) => self::message(model, message, out),
        News::Lost(id) => lost(model, id),
        News::Ended(ended) => ended_for_good(model, ended, out),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn connecting(model: &mut Model, attempt: u32) {
    let now = model.now;
    if let Some(Session { stage: stage @ Stage::Offline { .. }, .. }) = &mut model.session {
        *stage = Stage::Offline { attempt, at: now };
    }
}

fn online(model: &mut Model, welcome: Welcome, out: &mut Out) {
    let Some(session) = &mut model.session else { return };
    session.name = welcome.name.clone();
    if !std::mem::replace(&mut session.welcomed, true) {
        let goal = session.goal.clone();
        let note = Note::Connected { server: session.server.clone(), name: welcome.name };
        out.tell(model, note);
        desk::ask_goal(model, goal, out);
        return;
    }
    session.stage = Stage::There;
    // The line itself goes back into the room; everything else has to be asked for again.
    let again = match &model.screen {
        Screen::Lobby(_) => Some(Goal::Browse),
        Screen::Waiting => model.session.as_ref().map(|session| session.goal.clone()),
        Screen::Table(_) | Screen::Home { .. } | Screen::Form(_) | Screen::Replay(_) | Screen::Grid(_) => {
            None
        }
    };
    if let Some(Note::Restarting { .. }) = model.notice {
        model.notice = None;
    }
    out.tell(model, Note::Back);
    if let Some(goal) = again {
        desk::ask_goal(model, goal, out);
    }
}

fn lost(model: &mut Model, id: RequestId) {
    let Some(session) = &mut model.session else { return };
    if let Some(Ask::Move(_)) = session.answered(id)
        && let Some(table) = model.table_mut()
    {
        table.pending = None;
    }
}

fn ended_for_good(model: &mut Model, ended: Ended, out: &mut Out) {
    let exit = Exit::from(&ended);
    let Some(session) = &mut model.session else { return };
    let note = Note::Ended { ended: ended.clone(), server: session.server.clone() };
    session.stage = Stage::Ended(ended);
    let kept = session.kept.clone();
    model.exit = exit;
    match (&mut model.screen, model.mode) {
        // Of these games none was on that line.
        (Screen::Grid(_), _) => {
            model.session = None;
            out.push(Effect::Disconnect);
        }
        // The board stays to be looked at.
        (Screen::Table(table), Mode::Full) => {
            table.pending = None;
            out.tell(model, note);
        }
        (Screen::Table(_), Mode::Line { .. } | Mode::Json) if !model.home => {
            out.tell(model, note);
            if let Some(game) = kept {
                out.tell(model, Note::MayContinue(Box::new(game)));
            }
            leave::quit(model, exit, out);
        }
        (
            Screen::Table(_)
            | Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Replay(_),
            _,
        ) => desk::goal_refused(model, note, exit, out),
    }
}

fn message(model: &mut Model, message: Message, out: &mut Out) {
    match message {
        // The line keeps it to itself, and tells `Online`.
        Message::Welcome { .. } => {}
        Message::Done { re, .. } => match answered(model, re) {
            Some(Ask::Goal) => seeking(model, out),
            Some(Ask::Move(_)) => {
                if let Some(table) = model.table_mut() {
                    table.pending = None;
                }
            }
            Some(
                Ask::Resign
                | Ask::Offer(_)
                | Ask::Accept(_)
                | Ask::Decline(_)
                | Ask::Claim
                | Ask::Flag
                | Ask::Sync
                | Ask::List,
            )
            | None => {}
        },
        Message::Reject { re, reject } => refused(model, re, reject, out),
        Message::Snapshot { re, room, you, state } => {
            if let Some(re) = re {
                answered(model, re);
            }
            snapshot(model, room, you, &state, out);
        }
        Message::Events { re, room, events } => {
            if let Some(re) = re {
                answered(model, re);
            }
            self::events(model, room, &events, out);
        }
        Message::Notice { room, notice } => self::notice(model, room, notice, out),
        Message::Rooms { re, rooms, seeks } => {
            answered(model, re);
            if let Some(session) = &mut model.session {
                session.stage = Stage::There;
            }
            let due = model.now.saturating_add(desk::LOOK_AGAIN);
            desk::show_rooms(model, Lobby { rooms: Some(rooms), seeks, at: 0, due }, out);
        }
        Message::Restarting { back_in_ms } => {
            out.tell(model, Note::Restarting { back_in: Duration::from_millis(back_in_ms) });
        }
    }
}

fn answered(model: &mut Model, id: RequestId) -> Option<Ask> {
    model.session.as_mut().and_then(|session| session.answered(id))
}

fn seeking(model: &mut Model, out: &mut Out) {
    let Some(session) = &mut model.session else { return };
    if let Goal::Seek { rules, clock, .. } = session.goal {
        session.stage = Stage::Seeking;
        out.tell(model, Note::Seeking { rules, clock });
    }
}

fn refused(model: &mut Model, re: Option<RequestId>, reject: Reject, out: &mut Out) {
    let ask = re.and_then(|re| answered(model, re));
    match ask {
        Some(Ask::Goal) => {
            let to_continue =
                matches!(&model.session, Some(session) if matches!(session.goal, Goal::Continue(_)));
            let note = if to_continue && reject.code == RejectCode::UnknownRoom {
                keep::forget(model, out);
                Note::NothingToContinue
            } else {
                Note::Refused { ask, reject }
            };
            desk::goal_refused(model, note, Exit::Refused, out);
            return;
        }
        Some(Ask::Move(_)) => {
            if let Some(table) = model.table_mut() {
                table.pending = None;
            }
        }
        // The line's own wish to be back in the room.
        None if reject.code == RejectCode::UnknownRoom => return room_gone(model, out),
        Some(
            Ask::Resign
            | Ask::Offer(_)
            | Ask::Accept(_)
            | Ask::Decline(_)
            | Ask::Claim
            | Ask::Flag
            | Ask::Sync
            | Ask::List,
        )
        | None => {}
    }
    out.tell(model, Note::Refused { ask, reject });
}

/// The room is not to be had any more. On the full screen its board stays to be looked at.
fn room_gone(model: &mut Model, out: &mut Out) {
    let now = model.now;
    let Some(room) = model.table_mut().and_then(Table::room_mut) else { return };
    room.gone = Some(now);
    model.exit = Exit::Lost;
    out.tell(model, Note::RoomGone);
    if model.mode != Mode::Full {
        leave::leave(model, out);
    }
}

/// The whole view of a room: one just entered, or the one we are in, put right.
fn snapshot(model: &mut Model, room: RoomId, you: You, state: &Snapshot, out: &mut Out) {
    let now = model.now;
    let Ok(game) = Game::from_snapshot(state) else {
        // A view that contradicts itself is of no use; what we have stays.
        return;
    };
    let Some(session) = &mut model.session else { return };
    session.stage = Stage::There;
    let goal = session.goal.clone();
    if let Screen::Table(table) = &mut model.screen
        && let Place::Online(known) = &mut table.place
        && known.id == room
    {
        known.seat = you.seat.or(known.seat);
        known.code = you.code.or(known.code);
        known.token = you.token.or(known.token);
        known.ahead = 0;
        if table.game.number() != game.number() || table.game.position() != game.position() {
            table.pending = None;
        }
        table.game = game;
        table.heard_time(now, state.at);
        return;
    }
    let mut place = Room::new(room, you.seat, you.code);
    place.token = you.token;
    if let Goal::Join(reference) | Goal::Watch(reference) = goal
        && let noughts_protocol::RoomRef::Code(code) = reference
    {
        place.code = place.code.or(Some(code));
    }
    let mut table = Table::new(game, Place::Online(place));
    table.heard_time(now, state.at);
    let notes = arrival(&table, session);
    model.screen = Screen::Table(Box::new(table));
    model.notice = None;
    for note in notes {
        out.tell(model, note);
    }
    if model.table().is_some_and(|table| table.game.phase() == Phase::Playing) {
        room::hint(model, out);
    }
    if let Goal::Create { bot: Some(level), .. } = goal {
        super::act::invite_bot(model, Some(level), out);
    }
}

/// What to tell about a room on entering it.
fn arrival(table: &Table, session: &Session) -> Vec<Note> {
    let game = &table.game;
    let (rules, clock) = (*game.rules(), game.control());
    let waiting_for_a_bot = matches!(session.goal, Goal::Create { bot: Some(_), .. });
    match (game.phase(), table.room()) {
        // That it is on its way is told next.
        (Phase::Waiting, Some(_)) if waiting_for_a_bot => Vec::new(),
        (Phase::Waiting, Some(room)) if room.seat.is_some() => {
            vec![Note::Invite { server: session.server.clone(), room: room.reference(), rules, clock }]
        }
        (Phase::Playing, Some(room)) if game.position().ply() == 0 && room.seat.is_some() => {
            room::started(table).into_iter().collect()
        }
        (Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed, room) => {
            let players = Seat::ALL.map(|seat| game.player(seat).cloned());
            let you = room.and_then(|room| room.seat);
            let mut notes = vec![Note::Joined { rules, clock, players, you, next: table.next() }];
            // Who comes back to a game that has ended meanwhile is to know how.
            if let (Some(_), Some(outcome), Some(players)) = (you, game.outcome(), table.both()) {
                notes.push(Note::Over { outcome: outcome.clone(), rules, players, score: game.score() });
            }
            notes
        }
    }
}

fn events(model: &mut Model, room: RoomId, events: &[Stamped], out: &mut Out) {
    let now = model.now;
    for stamped in events {
        let Some(table) = model.table_mut() else { return };
        if table.room().is_none_or(|here| here.id != room) {
            return;
        }
        if let Some(by) = stamped.by
            && Some(by.seat) == table.own_seat()
        {
            answered(model, by.id);
        }
        let Some(table) = model.table_mut() else { return };
        if let Err(error) = table.game.apply(stamped) {
            let have_it = matches!(error, FoldError::Gap { expected, got } if got < expected);
            if !have_it {
                sync(model, out);
                return;
            }
            continue;
        }
        table.heard_time(now, stamped.at);
        if let noughts_protocol::Event::Started { game: 2.. } = stamped.event
            && let Some(room) = table.room_mut()
        {
            room.seat = room.seat.map(Seat::other);
            room.attendance.swap(0, 1);
            room.lag.swap(0, 1);
        }
        room::tell(model, &stamped.event, out);
        if let noughts_protocol::Event::Ended { .. } = stamped.event
            && model.table().is_some_and(|table| table.own_seat().is_some())
        {
            out.tell(model, Note::PlayAgain);
        }
    }
}

/// Asks once for what is missing.
fn sync(model: &mut Model, out: &mut Out) {
    let seq = model.table().map(|table| table.game.seq());
    if let (Some(session), Some(seq)) = (&model.session, seq)
        && !session.waits_for(Ask::Sync)
    {
        let body = noughts_protocol::wire::Body::Lobby(noughts_protocol::wire::Lobby::Sync { seq });
        out.push(Effect::Send { body, ask: Some(Ask::Sync) });
    }
}

fn notice(model: &mut Model, room: RoomId, notice: Notice, out: &mut Out) {
    let now = model.now;
    let Some(table) = model.table_mut() else { return };
    let (own, rules) = (table.own_seat(), *table.game.rules());
    let Some(here) = table.room_mut().filter(|here| here.id == room) else { return };
    let note = match notice {
        Notice::Presence { seat, presence, claim_in_ms } => {
            let claim_at = claim_in_ms.map(|claim_in| now.saturating_add(claim_in));
            let before =
                std::mem::replace(&mut here.attendance[seat.index()], Attendance { presence, claim_at });
            let changed = before.presence != presence;
            let claimable = presence != Presence::Here && claim_in_ms == Some(0);
            let claim_in = claim_in_ms.map(Duration::from_millis);
            match table.who(seat) {
                Some(who) if own != Some(seat) && claimable => Some(Note::Claimable(who)),
                Some(who) if own != Some(seat) && changed => Some(Note::Presence { who, presence, claim_in }),
                Some(_) | None => None,
            }
        }
        Notice::Lag { ms } => {
            here.lag = ms;
            None
        }
        Notice::Crowd { watching } => {
            let before = std::mem::replace(&mut here.watching, watching);
            (before != watching).then_some(Note::Watching(watching))
        }
        Notice::Remark { seat, score, mut line, .. } => {
            line.retain(|cell| cell.index() < rules.cells());
            let thinks = Thinks { score, line };
            here.remarks[seat.index()] = Some(thinks.clone());
            table.who(seat).map(|who| Note::Thinks { who, thinks, rules })
        }
    };
    if let Some(note) = note {
        out.tell(model, note);
    }
}
