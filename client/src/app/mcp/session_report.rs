//! What the loop of a game reports to the assistant: the current state, and the latest events.

use std::collections::VecDeque;

use noughts_protocol::{Phase, Record};
use tokio::sync::watch;

use crate::facts::{Exit, Notification};
use crate::model::{GameView, Model};
use crate::ui::json::JsonState;
use crate::ui::line_mode::board_rows;

/// Maximum number of events that are kept. The state contains the result of an event that is dropped.
const MAX_EVENTS: usize = 100;

/// The current state, and the events that an assistant may not have received.
#[derive(Debug, Default)]
pub(super) struct SessionReport {
    pub state: Option<JsonState>,
    /// The board in rows of text.
    pub drawing: Vec<String>,
    /// The finished game.
    pub record: Option<Record>,
    /// Exit status, once the loop has ended.
    pub exit: Option<Exit>,
    /// Why the loop could not start.
    pub failure: Option<String>,
    events: VecDeque<Notification>,
    /// Number of events since the start.
    pub event_count: usize,
}

impl SessionReport {
    /// Returns the kept events after the first `seen` events.
    pub(super) fn events_after(&self, seen: usize) -> impl Iterator<Item = &Notification> {
        let dropped = self.event_count - self.events.len();
        self.events.iter().skip(seen.saturating_sub(dropped))
    }

    /// Returns whether a game is in progress.
    pub(super) fn is_playing(&self) -> bool {
        self.exit.is_none() && self.phase() == Some(Phase::Playing)
    }

    pub(super) fn phase(&self) -> Option<Phase> {
        Some(self.state.as_ref()?.game()?.phase)
    }

    /// Returns whether nothing happens without the player: it is the player's turn, or the game is over.
    pub(super) fn awaits_player(&self) -> bool {
        let game = self.state.as_ref().and_then(JsonState::game);
        self.exit.is_some()
            || game.is_some_and(|game| {
                let is_over = matches!(game.phase, Phase::Over | Phase::Closed);
                // The response to a rematch may follow.
                let has_offer = game.offers.iter().any(|open| game.seat == Some(open.seat));
                game.your_move || (is_over && !has_offer)
            })
    }
}

/// Returns whether an event ends the wait for the player's turn.
pub(super) fn is_urgent(event: &Notification) -> bool {
    is_rejection(event)
        || matches!(
            event,
            Notification::Invite { .. }
                | Notification::Offered { .. }
                | Notification::Declined { .. }
                | Notification::TakenBack { .. }
                | Notification::Presence { .. }
                | Notification::Claimable(_)
                | Notification::Phrase { .. }
                | Notification::BotFailed
                | Notification::Offline { .. }
                | Notification::RoomGone
        )
}

/// Returns whether an event says that a command has failed.
pub(super) fn is_rejection(event: &Notification) -> bool {
    matches!(
        event,
        Notification::Rejected { .. }
            | Notification::Illegal { .. }
            | Notification::Unavailable(_)
            | Notification::InvalidCommand { .. }
    )
}

/// The writing side of a report: the output of the loop.
#[derive(Clone, Debug)]
pub(in crate::app) struct SessionReporter {
    report: watch::Sender<SessionReport>,
}

impl SessionReporter {
    pub(super) fn new() -> (SessionReporter, watch::Receiver<SessionReport>) {
        let (report, reports) = watch::channel(SessionReport::default());
        (SessionReporter { report }, reports)
    }

    pub(in crate::app) fn report_state(&self, model: &Model) {
        let view = model.game_view();
        let finished = view.filter(|view| view.game.outcome().is_some());
        let record = finished.and_then(|view| view.game.record());
        let record = record.filter(|record| !record.moves.is_empty());
        self.report.send_modify(|report| {
            report.state = JsonState::collect_all(model).into_iter().next();
            report.drawing = view.map_or_else(Vec::new, drawing);
            report.record = record.or_else(|| report.record.take());
        });
    }

    pub(in crate::app) fn report_event(&self, event: &Notification) {
        self.report.send_modify(|report| {
            if report.events.len() == MAX_EVENTS {
                report.events.pop_front();
            }
            report.events.push_back(event.clone());
            report.event_count += 1;
        });
    }

    pub(in crate::app) fn report_end(&self, exit: Exit) {
        self.report.send_modify(|report| report.exit = Some(exit));
    }

    pub(super) fn report_failure(&self, error: &anyhow::Error) {
        self.report.send_modify(|report| {
            report.exit = Some(Exit::Failed);
            report.failure = Some(error.to_string());
        });
    }
}

fn drawing(view: &GameView) -> Vec<String> {
    board_rows(view.game.position(), None)
}
