//! The results of the tools: a text for the assistant, and the objects of JSON mode.

use noughts_protocol::Phase;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::session_report::SessionReport;
use crate::facts::{Exit, Notification};
use crate::i18n::Texts;
use crate::ui::json::{self, JsonGame, JsonState};
use crate::ui::line_mode::notification_lines;

/// Reason why a call failed before a game received it, or without a response from a game.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToolError {
    #[error("The arguments are invalid: {0}")]
    BadArgument(String),
    #[error("You are not in a game. Call seek to look for one.")]
    NoGame,
    #[error("You are in a game already. Call state and continue it, or call leave to give it up.")]
    GameOn,
    #[error("You are looking for an opponent already. Call state to wait, or leave to stop.")]
    Seeking,
    #[error("Too many calls at the same time. Wait for the result of an earlier call.")]
    Busy,
    #[error("No game is finished yet. Play a game to its end first.")]
    NoFinishedGame,
    #[error("The evaluation is not complete yet. Call review again to continue to wait.")]
    NotReviewed,
    #[error("The server has not responded in time. Call state to see whether this had an effect.")]
    NoResponse,
    #[error("The game or the review could not start: {0}")]
    NotStarted(String),
    #[error("The call was cancelled.")]
    Cancelled,
}

impl ToolError {
    fn code(&self) -> &'static str {
        match self {
            ToolError::BadArgument(_) => "bad_argument",
            ToolError::NoGame => "no_game",
            ToolError::GameOn => "game_on",
            ToolError::Seeking => "seeking",
            ToolError::Busy => "busy",
            ToolError::NoFinishedGame => "no_finished_game",
            ToolError::NotReviewed => "not_reviewed",
            ToolError::NoResponse => "no_response",
            ToolError::NotStarted(_) => "not_started",
            ToolError::Cancelled => "cancelled",
        }
    }
}

/// Returns the result of a call without a game.
pub(super) fn error_result(error: &ToolError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
    result.structured_content = Some(json!({ "events": [rejection(error)], "state": null }));
    result
}

/// Returns the result of a call: the events after the first `seen` events, and the state.
pub(super) fn game_result(
    report: &SessionReport,
    seen: usize,
    error: Option<&ToolError>,
    is_rejected: bool,
) -> CallToolResult {
    let failure = report.failure.clone().map(ToolError::NotStarted);
    let error = error.or(failure.as_ref());
    let mut lines: Vec<String> = error.iter().map(ToString::to_string).collect();
    let (sentences, mut events) = describe_events(report.events_after(seen));
    lines.extend(sentences);
    if let Some(error) = error {
        events.push(rejection(error));
    }
    let state = report.state.as_ref();
    let game = state.and_then(JsonState::game);
    if let Some(exit) = report.exit {
        if game.is_some_and(|game| matches!(game.phase, Phase::Over | Phase::Closed)) {
            lines.extend(report.drawing.iter().cloned());
        }
        lines.push("You are not in a game any more. Call seek for another game.".to_owned());
        events.extend(parse(&json::end(exit)));
    } else if let Some(game) = game {
        lines.extend(game_lines(game, report));
    } else if lines.is_empty() {
        lines.push("There is no opponent yet. Call state to wait, or leave to stop.".to_owned());
    }
    let content = vec![ContentBlock::text(lines.join("\n"))];
    let has_failed = report.exit.is_some_and(|exit| exit != Exit::Done);
    let mut result = match has_failed || is_rejected || error.is_some() {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = Some(json!({
        "events": events,
        "state": state.and_then(|state| parse(&json::state(state))),
        "drawing": report.drawing,
    }));
    result
}

/// Returns the result of a review: the record of the game, and the evaluation of its moves.
pub(super) fn review_result(report: &SessionReport) -> CallToolResult {
    let all = report.events_after(0);
    let (lines, events) =
        describe_events(all.filter(|event| !matches!(event, Notification::Studying)));
    let mut result = CallToolResult::success(vec![ContentBlock::text(lines.join("\n"))]);
    result.structured_content = Some(json!({ "events": events }));
    result
}

/// Returns the sentences for events, and their objects.
fn describe_events<'a>(
    events: impl Iterator<Item = &'a Notification>,
) -> (Vec<String>, Vec<Value>) {
    let (mut lines, mut objects) = (Vec::new(), Vec::new());
    for event in events {
        // Hints for people have no object.
        if let Some(object) = json::event(None, event).and_then(|line| parse(&line)) {
            lines.extend(event_lines(event));
            objects.push(object);
        }
    }
    (lines, objects)
}

fn rejection(error: &ToolError) -> Value {
    let (code, detail) = (error.code(), error.to_string());
    json!({ "event": "rejected", "by": "program", "code": code, "detail": detail })
}

/// Reads a line of JSON mode again.
fn parse(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok()
}

fn event_lines(event: &Notification) -> Vec<String> {
    let texts = Texts::default();
    if let Notification::Invite { server, room, .. } = event {
        let command = texts.join_command(server, *room);
        let link = texts.room_link(server, *room);
        return vec![
            texts.notification(event),
            format!("To join: {command}, or open {link} in a browser."),
        ];
    }
    notification_lines(texts, event)
}

/// Describes the game: players, turn, board, free cells, clocks and offers.
fn game_lines(game: &JsonGame, report: &SessionReport) -> Vec<String> {
    let player = |index: usize| match &game.players[index] {
        Some(player) if player.bot => format!("{} (bot)", player.name),
        Some(player) => player.name.to_string(),
        None => "no player yet".to_owned(),
    };
    let mut lines = vec![format!(
        "Game {}: X {}, O {}.",
        game.rules,
        player(0),
        player(1)
    )];
    if let Some(seat) = game.seat {
        lines.push(format!("You play {seat}."));
    }
    lines.extend(report.drawing.iter().cloned());
    let turn = match (game.phase, game.turn) {
        (Phase::Waiting, _) => "Waiting for an opponent.".to_owned(),
        (Phase::Over | Phase::Closed, _) => {
            "The game is over. You can offer a rematch, call review, or leave.".to_owned()
        }
        (Phase::Playing, _) if game.your_move => "It is your turn.".to_owned(),
        (Phase::Playing, _) if game.pending.is_some() => {
            "The server has not confirmed your move yet.".to_owned()
        }
        (Phase::Playing, Some(turn)) => format!("It is the turn of {turn}. Call state to wait."),
        (Phase::Playing, None) => "The game ends.".to_owned(),
    };
    lines.push(turn);
    if game.your_move {
        lines.push(format!("Free cells: {}", game.free.join(" ")));
    }
    if let Some([x, o]) = game.left_ms {
        let seconds = |ms: u64| ms / 1000;
        lines.push(format!("Seconds left: X {}, O {}.", seconds(x), seconds(o)));
    }
    for offer in &game.offers {
        let word = crate::i18n::word(&offer.offer);
        lines.push(format!("{} offers a {word}.", offer.seat));
    }
    if game.can_claim {
        lines.push("The opponent is absent: you can claim a win or a draw.".to_owned());
    }
    lines
}
