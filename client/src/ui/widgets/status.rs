//! The status row of a game: the player to move or the last event, in the same place on every screen.

use noughts_protocol::wire::{CloseCode, Presence};
use noughts_protocol::{Offer, Outcome, Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::connection::TerminationReason;
use crate::facts::{NextMove, Notification};
use crate::input::text_command::{is_named_by_digits, shown_name};
use crate::input::{Action, Key};
use crate::model::local_game::LocalPlayer;
use crate::model::{GameHost, GameView, Model, Stage};
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

/// Time left for a first move below which the row states it, in milliseconds. No clock runs then.
const LOW_FIRST_MOVE_MS: u64 = 30_000;
/// Sign of a game that a spectator watches.
const LIVE_SIGN: &str = "*";

/// Meaning of the status row. It determines the style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ui) enum StatusKind {
    /// A person at this terminal is to move. The headline is a badge.
    Turn,
    /// A victory of the player, or of a watched player. The headline is a badge.
    Victory,
    /// A defeat. The headline is a badge.
    Defeat,
    /// A draw. The headline is a badge.
    Draw,
    /// Another result, or an earlier position.
    Bold,
    Offer,
    /// Trouble with a connection. The sign is a sign of danger.
    Danger,
    Plain,
}

/// The status of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) struct Status {
    pub(in crate::ui) kind: StatusKind,
    sign: &'static str,
    pub(in crate::ui) headline: String,
    /// Further texts. Texts that do not fit are left out.
    details: Vec<String>,
}

impl Status {
    pub(in crate::ui) fn new(
        kind: StatusKind,
        sign: &'static str,
        headline: impl Into<String>,
        details: impl IntoIterator<Item = String>,
    ) -> Status {
        Status {
            kind,
            sign,
            headline: headline.into(),
            details: details.into_iter().collect(),
        }
    }

    /// Returns the most important words. For a spectator, the turn is more important than the note that the game is
    /// live.
    pub(in crate::ui) fn summary(&self) -> &str {
        match self.details.first() {
            Some(turn) if self.sign == LIVE_SIGN => turn,
            Some(_) | None => &self.headline,
        }
    }

    /// Draws the status in a row: a badge or a headline, and the details that fit.
    pub(in crate::ui) fn draw(&self, model: &Model, row: Rect, buf: &mut Buffer) {
        let appearance = model.appearance;
        let style = match self.kind {
            StatusKind::Turn => appearance.your_move_badge(),
            StatusKind::Victory => appearance.victory_badge(),
            StatusKind::Defeat => appearance.defeat_badge(),
            StatusKind::Draw => appearance.draw_badge(),
            StatusKind::Bold | StatusKind::Danger => theme::bold(),
            StatusKind::Offer => appearance.offer(),
            StatusKind::Plain => Style::new(),
        };
        let is_badge = match self.kind {
            StatusKind::Turn | StatusKind::Victory | StatusKind::Defeat | StatusKind::Draw => true,
            StatusKind::Bold | StatusKind::Offer | StatusKind::Danger | StatusKind::Plain => false,
        };
        let sign_style = if self.kind == StatusKind::Danger {
            appearance.danger_sign()
        } else {
            style
        };
        let headline = &self.headline;
        let parts = match self.sign {
            "" => [String::new(), headline.clone(), String::new()],
            sign if sign.len() == 3 => [sign.to_owned(), format!(" {headline} "), sign.to_owned()],
            sign => [sign.to_owned(), format!("  {headline}"), String::new()],
        };
        let margin = if is_badge { " " } else { "" };
        let end = row.right();
        let mut x = row.x;
        for (text, style) in [
            (margin, style),
            (parts[0].as_str(), sign_style),
            (parts[1].as_str(), style),
            (parts[2].as_str(), sign_style),
            (margin, style),
        ] {
            x = put_text(buf, x, row.y, end.saturating_sub(x), text, style);
        }
        let detail_style = if self.kind == StatusKind::Offer {
            style
        } else {
            Style::new()
        };
        let mut gap = if is_badge { 2 } else { 3 };
        for detail in &self.details {
            if x + gap + columns(detail) <= end {
                x = put_text(buf, x + gap, row.y, end - x - gap, detail, detail_style);
                gap = 3;
            }
        }
    }
}

/// Returns the status of a game: its most important fact.
pub(in crate::ui) fn status(model: &Model, view: &GameView) -> Status {
    let is_running = view.game.phase() == Phase::Playing && !view.is_closed();
    connection_status(model)
        .filter(|_| view.room().is_some())
        .or_else(|| waiting_opponent(model))
        .or_else(|| rematch_offer(model, view).filter(|_| view.plies_back().is_some()))
        .or_else(|| offer(model, view).filter(|_| is_running))
        // On the player's own turn, the turn is more important, and its status mentions the absence.
        .or_else(|| absence(model, view).filter(|_| is_running && !view.can_move()))
        .or_else(|| earlier_position(model, view))
        .or_else(|| closing(model, view))
        .or_else(|| result(model, view))
        .or_else(|| pending(model, view))
        .unwrap_or_else(|| turn(model, view))
}

/// Returns the problem with the connection, if any. The result of a game and the end of its room are more important.
fn connection_status(model: &Model) -> Option<Status> {
    let texts = model.lang().texts();
    let is_over = |view: &GameView| view.game.outcome().is_some() || view.is_closed();
    if model.game_view().is_some_and(is_over) {
        return None;
    }
    match model.session.as_ref()?.stage {
        Stage::Reconnecting { attempt, retry_at } => {
            let left = retry_at.saturating_sub(model.now);
            let headline = texts.connection_lost_headline(attempt, left);
            Some(Status::new(StatusKind::Danger, "!", headline, []))
        }
        Stage::Terminated(_) => Some(Status::new(
            StatusKind::Danger,
            "!",
            texts.connection_closed_headline(),
            [],
        )),
        Stage::Connecting | Stage::GoalRequested | Stage::Seeking | Stage::Ready => None,
    }
}

/// Returns the status that calls the player to the opponent who was found during a local game.
fn waiting_opponent(model: &Model) -> Option<Status> {
    let name = model.waiting_opponent()?;
    let texts = model.lang().texts();
    let details = screen_key(model, Action::Leave).map(|key| texts.meet_key(texts.key(key)));
    Some(Status::new(
        StatusKind::Offer,
        "?",
        texts.opponent_is_here(name.as_str()),
        details,
    ))
}

fn earlier_position(model: &Model, view: &GameView) -> Option<Status> {
    let (back, all) = (view.plies_back()?, view.game.position().ply());
    let texts = model.lang().texts();
    let key = |action| screen_key(model, action).map(|key| texts.key(key).into_owned());
    let keys = key(Action::Next).zip(key(Action::Last));
    let details = keys.map(|(next, last)| texts.forward_keys(&next, &last));
    let headline = texts.position_headline(all - back, all);
    Some(Status::new(
        StatusKind::Bold,
        "<",
        headline,
        details.into_iter().flatten(),
    ))
}

/// Returns the status of a room that closed before its game ended.
fn closing(model: &Model, view: &GameView) -> Option<Status> {
    let text = closing_line(model, view).filter(|_| view.game.outcome().is_none())?;
    Some(Status::new(StatusKind::Danger, "!", text, []))
}

/// Returns why the room is closed; `None` while it is open.
pub(in crate::ui) fn closing_line(model: &Model, view: &GameView) -> Option<String> {
    let session = model.session.as_ref();
    let note = match view.game.close_reason() {
        Some(reason) => Notification::Closed { reason },
        None if !view.is_closed() => return None,
        None if model.is_server_closed() => Notification::Ended {
            reason: TerminationReason::Final(CloseCode::ServerClosed),
            server: session?.server.clone(),
        },
        None => Notification::RoomGone,
    };
    Some(model.lang().texts().notification(&note))
}

fn offer(model: &Model, view: &GameView) -> Option<Status> {
    let texts = model.lang().texts();
    let offers = Offer::ALL.into_iter().filter_map(|offer| {
        let who = view
            .game
            .offered_by(offer)
            .and_then(|seat| view.player_ref(seat))?;
        Some((offer, who))
    });
    // The other player's offer is more urgent than the player's own offer.
    let (offer, who) = offers.min_by_key(|(_, who)| who.you)?;
    if who.you && view.can_move() {
        // The turn is more important, and the panel lists the player's own offer.
        return None;
    }
    if who.you {
        let details = screen_key(model, Action::Decline).map(|key| texts.withdraw_key(key));
        return Some(Status::new(
            StatusKind::Bold,
            "?",
            texts.offer_made(&who, offer),
            details,
        ));
    }
    let keys = screen_key(model, Action::Accept).zip(screen_key(model, Action::Decline));
    let keys = keys.filter(|_| view.own_seat().is_some());
    let details = keys.map(|(accept, decline)| texts.answer_keys(accept, decline));
    let headline = texts.offer_headline(who.name.as_str(), offer);
    Some(Status::new(
        StatusKind::Offer,
        "?",
        headline,
        details.into_iter().flatten(),
    ))
}

/// Returns the opponent's offer of a rematch. At the end of the game, the result and the panel show it.
pub(in crate::ui) fn rematch_offer(model: &Model, view: &GameView) -> Option<Status> {
    offer(model, view).filter(|_| view.is_rematch_offered())
}

fn result(model: &Model, view: &GameView) -> Option<Status> {
    let (outcome, players) = (view.game.outcome()?, view.players()?);
    let mut status = result_status(model, outcome, &players, view.game.rules());
    // The panel shows the keys that answer the offer.
    let proposer = view.opponent().filter(|_| view.is_rematch_offered());
    let who = proposer.and_then(|seat| view.player_ref(seat));
    let texts = model.lang().texts();
    status
        .details
        .extend(who.map(|who| texts.offer_headline(who.name.as_str(), Offer::Rematch)));
    Some(status)
}

/// Returns the status for a result. A victory and a defeat differ in signs and words, not only in style.
pub(in crate::ui) fn result_status(
    model: &Model,
    outcome: &Outcome,
    players: &[crate::facts::PlayerRef; 2],
    rules: &noughts_protocol::Rules,
) -> Status {
    let texts = model.lang().texts();
    let headline = texts.result_headline(outcome, players);
    let details = [texts.result_reason(outcome, rules, players, model.settings.digits)];
    let winner = outcome.winner().map(|winner| &players[winner.index()]);
    let is_defeat =
        winner.is_some_and(|winner| players[winner.seat.other().index()].you && !winner.you);
    let (kind, sign) = match winner {
        None if *outcome == Outcome::Aborted => (StatusKind::Bold, "==="),
        None => (StatusKind::Draw, "==="),
        Some(_) if is_defeat => (StatusKind::Defeat, "---"),
        Some(_) => (StatusKind::Victory, "***"),
    };
    Status::new(kind, sign, headline, details)
}

/// Returns the absence of a player: of the opponent, or for a spectator of either player.
fn absence(model: &Model, view: &GameView) -> Option<Status> {
    let texts = model.lang().texts();
    let room = view
        .room()
        .filter(|_| view.game.phase() == Phase::Playing)?;
    let (who, presence) = Seat::ALL.into_iter().find_map(|seat| {
        let who = view.player_ref(seat)?;
        let presence = room.presence[seat.index()];
        (!who.you && presence.presence != Presence::Connected).then_some((who, presence))
    })?;
    if view.can_claim(model.now)
        && let Some(win) = screen_key(model, Action::Claim)
    {
        let draw = screen_key(model, Action::OfferDraw);
        let headline = texts.not_returned(who.name.as_str());
        return Some(Status::new(
            StatusKind::Danger,
            "!",
            headline,
            texts.claim_keys(win, draw),
        ));
    }
    let left = presence
        .claim_at
        .map(|at| at.saturating_sub(model.now))
        .filter(|&left| left > 0);
    let headline = match presence.presence {
        Presence::Connected | Presence::Disconnected => {
            texts.disconnected_headline(who.name.as_str(), left)
        }
        Presence::Left => texts.left_headline(who.name.as_str(), left),
    };
    Some(Status::new(StatusKind::Danger, "!", headline, []))
}

fn pending(model: &Model, view: &GameView) -> Option<Status> {
    let cell = view.pending_move?.cell;
    let cell = shown_name(view.game.rules(), model.settings.digits, cell);
    Some(Status::new(
        StatusKind::Plain,
        "",
        model.lang().texts().move_pending(&cell),
        [],
    ))
}

/// Returns the player to move.
fn turn(model: &Model, view: &GameView) -> Status {
    let (texts, position) = (model.lang().texts(), view.game.position());
    let turn = position.turn();
    let name = view
        .player_ref(turn)
        .map(|who| who.name.to_string())
        .unwrap_or_default();
    match view.next_move() {
        NextMove::You => {
            let first_move = view
                .first_move_left(model.now)
                .filter(|left| *left < LOW_FIRST_MOVE_MS);
            let first_move = first_move.map(|left| texts.first_move_within(left));
            let absence = absence(model, view).map(|status| status.headline);
            let details = first_move
                .into_iter()
                .chain(absence)
                .chain([cursor_detail(model, view)]);
            let headline = match view.puzzle().map(|game| &game.puzzle) {
                Some(puzzle) => texts.puzzle_headline(puzzle.moves_left(position.ply())),
                None => texts.turn_headline().to_owned(),
            };
            Status::new(StatusKind::Turn, "", headline, details)
        }
        NextMove::Local(who) => {
            let details = [cursor_detail(model, view)];
            Status::new(
                StatusKind::Turn,
                "",
                texts.person_turn_headline(&who),
                details,
            )
        }
        NextMove::Other if view.game.phase() != Phase::Playing => {
            Status::new(StatusKind::Plain, "", texts.waiting_for_opponent(), [])
        }
        NextMove::Other if is_thinking(view, turn) => {
            Status::new(StatusKind::Plain, "", texts.engine_thinking(&name), [])
        }
        NextMove::Other if view.acting_seat().is_none() => {
            let details = [
                texts.to_move_headline(&name),
                texts.move_number(position.ply() + 1),
            ];
            Status::new(StatusKind::Plain, LIVE_SIGN, texts.live_headline(), details)
        }
        NextMove::Other => Status::new(StatusKind::Plain, "", texts.to_move_headline(&name), []),
    }
}

/// Names the cell under the cursor, or with gravity its column.
fn cursor_detail(model: &Model, view: &GameView) -> String {
    let (texts, rules) = (model.lang().texts(), view.game.rules());
    let name = shown_name(rules, model.settings.digits, view.effective_cursor());
    if rules.gravity() && is_named_by_digits(rules) {
        texts.column_at(&name)
    } else {
        texts.cursor_at(&name)
    }
}

fn is_thinking(view: &GameView, turn: Seat) -> bool {
    matches!(&view.host, GameHost::Local(local) if matches!(local.player(turn), LocalPlayer::Bot(_)))
}

/// Returns the key to show for an action on this screen, preferably a letter.
fn screen_key(model: &Model, action: Action) -> Option<Key> {
    model.keymap.letter_key(model.screen_key_context(), action)
}
