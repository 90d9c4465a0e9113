//! One game of a bot: folds messages into the state of the room. The module `action` chooses the next action. Pure: the
//! time is an argument.

mod action;

use std::time::Duration;

use noughts_protocol::wire::{
    EngineRemark, Evaluation, Message, Notice, Presence, Reject, RejectCode,
};
use noughts_protocol::{
    Cell, EventRecord, FoldError, Game, Outcome, Phase, Player, PlayerKind, Position, RequestId,
    RoomId, Seat, Seq, Snapshot,
};
use tokio::time::Instant;

use super::behaviour::Behaviour;
use crate::engines::player_engine::BestMove;
pub(super) use action::BotGameAction;

/// Delay before a rejected request is retried, unless the server names a delay.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Maximum delay that a server can name.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);

/// A game of a bot that has ended.
#[derive(Clone, Debug)]
pub struct BotGameResult {
    pub seat: Seat,
    /// X and O.
    pub players: [Option<Player>; 2],
    /// The last position.
    pub position: Position,
    pub outcome: Outcome,
}

/// State of a bot in one room.
#[derive(Debug)]
pub(super) struct BotGame {
    room: RoomId,
    game: Game,
    seat: Seat,
    behaviour: Behaviour,
    move_time: Duration,
    /// Arrival time of the last event. The clock of the side to move has been running since then.
    last_event_at: Instant,
    /// Request without a response. No other command is sent meanwhile.
    pending_request: Option<RequestId>,
    /// No command is sent before this time.
    paused_until: Option<Instant>,
    /// Chosen move, with the number of the event that produced the searched board.
    chosen_move: Option<(Seq, Cell)>,
    /// Whether to leave after the current game.
    retiring: bool,
    /// Whether to resign the current game.
    resigning: bool,
    last_score: Option<Evaluation>,
    /// Evaluation and principal variation that have not been sent to the spectators yet.
    unsent_remark: Option<(Evaluation, Vec<Cell>)>,
    /// Id of the request that sent the last evaluation.
    remark_request: Option<RequestId>,
    spectators: u32,
    /// Whether the server has rejected evaluations as an unknown request.
    remarks_unsupported: bool,
    opponent: OpponentPresence,
    over_since: Option<Instant>,
    /// Number of games that this connection has finished, in this room and in earlier rooms.
    finished_games: u32,
    /// The last finished game, until it has been reported.
    unreported_game: Option<BotGameResult>,
    sync_state: SyncState,
}

/// Presence of the opponent. `claim_at` is the earliest time when the bot can claim the win.
#[derive(Clone, Copy, Debug)]
enum OpponentPresence {
    Connected,
    Absent {
        left: bool,
        claim_at: Option<Instant>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncState {
    InSync,
    /// Events are missing. Contains the id of the request for them, if it has been sent.
    Gap(Option<RequestId>),
    /// The server's messages contradict each other. The bot leaves.
    Unrecoverable,
}

impl BotGame {
    /// Creates the state from a snapshot; returns `None` if the snapshot is inconsistent.
    pub(super) fn new(
        room: RoomId,
        seat: Seat,
        state: &Snapshot,
        behaviour: Behaviour,
        move_time: Duration,
        finished_games: u32,
        now: Instant,
    ) -> Option<BotGame> {
        let game = Game::from_snapshot(state).ok()?;
        let over_since = (game.phase() == Phase::Over).then_some(now);
        Some(BotGame {
            room,
            game,
            seat,
            behaviour,
            move_time,
            last_event_at: now,
            pending_request: None,
            paused_until: None,
            chosen_move: None,
            retiring: false,
            resigning: false,
            last_score: None,
            unsent_remark: None,
            remark_request: None,
            spectators: 0,
            remarks_unsupported: false,
            opponent: OpponentPresence::Connected,
            over_since,
            finished_games,
            unreported_game: None,
            sync_state: SyncState::InSync,
        })
    }

    pub(super) fn finished_games(&self) -> u32 {
        self.finished_games
    }

    /// Returns the game that has ended since the last call, if any.
    pub(super) fn take_result(&mut self) -> Option<BotGameResult> {
        self.unreported_game.take()
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns how the game ended; `None` before its end.
    fn result(&self) -> Option<BotGameResult> {
        Some(BotGameResult {
            seat: self.seat,
            players: Seat::ALL.map(|seat| self.game.player(seat).cloned()),
            position: self.game.position().clone(),
            outcome: self.game.outcome()?.clone(),
        })
    }

    /// Returns the number of the last event that changed the board. Results of earlier searches are obsolete.
    pub(super) fn board_seq(&self) -> Seq {
        self.game.board_seq()
    }

    /// Processes a message from the server.
    pub(super) fn on_message(&mut self, message: &Message, now: Instant) {
        match message {
            Message::Snapshot {
                re,
                room,
                role,
                state,
            } if *room == self.room => {
                self.on_done(*re);
                let Ok(game) = Game::from_snapshot(state) else {
                    self.sync_state = SyncState::Unrecoverable;
                    return;
                };
                let was_playing = self.game.phase() == Phase::Playing;
                self.resigning &= game.number() == self.game.number();
                // The snapshot omits the events in between. If the snapshot contains a finished game or another game,
                // the game in progress has ended.
                if was_playing
                    && (game.phase() != Phase::Playing || game.number() != self.game.number())
                {
                    self.finished_games += 1;
                }
                let was_replaced = game.number() != self.game.number();
                self.game = game;
                self.seat = role.seat.unwrap_or(self.seat);
                if was_playing && !was_replaced {
                    self.unreported_game = self.result();
                }
                self.sync_state = SyncState::InSync;
                self.on_board_changed(now);
            }
            Message::Events { re, room, events } if *room == self.room => {
                for record in events {
                    self.on_event(record, now);
                }
                if matches!(self.sync_state, SyncState::Gap(sync) if sync.is_some() && sync == *re)
                {
                    // The requested events have arrived, but do not close the gap.
                    self.sync_state = SyncState::Unrecoverable;
                }
            }
            Message::Notice {
                room,
                notice:
                    Notice::Presence {
                        seat,
                        presence,
                        claim_in_ms,
                    },
            } if *room == self.room => {
                if *seat != self.seat {
                    let claim_at = claim_in_ms.map(|ms| now + Duration::from_millis(ms));
                    self.opponent = match presence {
                        Presence::Connected => OpponentPresence::Connected,
                        Presence::Disconnected => OpponentPresence::Absent {
                            left: false,
                            claim_at,
                        },
                        Presence::Left => OpponentPresence::Absent {
                            left: true,
                            claim_at,
                        },
                    };
                }
            }
            Message::Notice {
                room,
                notice: Notice::Spectators { count },
            } if *room == self.room => {
                self.spectators = *count;
            }
            // Any other rejection concerns only this evaluation.
            Message::Reject {
                re: Some(re),
                reject,
            } if self.remark_request == Some(*re) => {
                self.remarks_unsupported |= reject.code == RejectCode::UnknownType;
            }
            Message::Reject {
                re: Some(re),
                reject,
            } if self.is_pending_request(*re) => {
                self.on_reject(reject, now);
            }
            Message::Done { re, .. } => self.on_done(Some(*re)),
            Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Reject { .. }
            | Message::Welcome { .. }
            | Message::Rooms { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. } => {}
        }
    }

    fn on_event(&mut self, record: &EventRecord, now: Instant) {
        self.on_done(record.by.map(|by| by.id));
        let number = self.game.number();
        let was_over = self.game.phase() == Phase::Over;
        match self.game.apply(record) {
            Ok(()) => {}
            // The event is a duplicate.
            Err(FoldError::Gap { expected, got }) if got < expected => return,
            Err(FoldError::Gap { .. }) => {
                if self.sync_state == SyncState::InSync {
                    self.sync_state = SyncState::Gap(None);
                }
                return;
            }
            Err(FoldError::Impossible { .. }) => {
                self.sync_state = SyncState::Unrecoverable;
                return;
            }
        }
        if let SyncState::Gap(_) = self.sync_state {
            self.sync_state = SyncState::InSync;
        }
        if self.game.number() > number && number > 0 {
            self.seat = self.seat.other();
            self.resigning = false;
        }
        if self.game.phase() == Phase::Over && !was_over {
            self.finished_games += 1;
            self.unreported_game = self.result();
        }
        self.on_board_changed(now);
    }

    /// Updates the state that depends on the board.
    fn on_board_changed(&mut self, now: Instant) {
        self.last_event_at = now;
        if self.game.phase() == Phase::Over {
            self.over_since.get_or_insert(now);
        } else {
            self.over_since = None;
        }
        if self.game.position().moves().is_empty() {
            self.last_score = None;
        }
    }

    fn is_pending_request(&self, id: RequestId) -> bool {
        self.pending_request == Some(id) || self.sync_state == SyncState::Gap(Some(id))
    }

    fn on_done(&mut self, id: Option<RequestId>) {
        if id.is_some() && id == self.pending_request {
            self.pending_request = None;
        }
    }

    /// Schedules a retry after a rejection, and a sync if the bot has missed events.
    fn on_reject(&mut self, reject: &Reject, now: Instant) {
        tracing::debug!(%reject, "request rejected");
        let wait = reject.wait_ms.map_or(RETRY_DELAY, Duration::from_millis);
        self.retry_at(now + wait.clamp(RETRY_DELAY, MAX_RETRY_DELAY));
        let is_behind = matches!(
            reject.code,
            RejectCode::Stale | RejectCode::CellTaken | RejectCode::NotYourTurn
        ) && reject.seq.is_none_or(|seq| seq > self.game.seq());
        if is_behind && self.sync_state == SyncState::InSync {
            self.sync_state = SyncState::Gap(None);
        }
    }

    /// Returns whether the opponent is a person or a bot; `None` if the opponent's seat is free.
    pub(super) fn opponent_kind(&self) -> Option<PlayerKind> {
        self.game
            .player(self.seat.other())
            .map(|player| player.kind)
    }

    /// Makes the bot leave after the current game.
    pub(super) fn retire_after_game(&mut self) {
        self.retiring = true;
    }

    /// Makes the bot resign the current game.
    pub(super) fn resign(&mut self) {
        self.resigning = true;
    }

    /// Records the result of a search of the board that the event `board_seq` produced.
    pub(super) fn on_search_result(&mut self, board_seq: Seq, choice: &BestMove) {
        self.chosen_move = Some((board_seq, choice.cell));
        self.last_score = choice.score();
        self.unsent_remark = choice.report.as_ref().map(|report| {
            (
                report.score,
                report
                    .pv
                    .iter()
                    .copied()
                    .take(EngineRemark::MAX_PV_LEN)
                    .collect(),
            )
        });
    }

    /// Records that the evaluation was sent as request `id`, or that it could not be sent. It is not sent again.
    pub(super) fn on_remark_sent(&mut self, id: Option<RequestId>) {
        (self.unsent_remark, self.remark_request) = (None, id);
    }

    /// Records that a command from [`BotGame::next_action`] was sent as request `id`.
    pub(super) fn on_sent(&mut self, id: RequestId) {
        self.pending_request = Some(id);
    }

    /// Records that the sync was sent as request `id`.
    pub(super) fn on_sync_sent(&mut self, id: RequestId) {
        self.sync_state = SyncState::Gap(Some(id));
    }

    /// Records that the response to a request is lost because the connection ended.
    pub(super) fn on_request_lost(&mut self, id: RequestId, now: Instant) {
        if self.remark_request != Some(id) {
            self.on_send_failed(now);
        }
    }

    /// Schedules a retry after a send failure.
    pub(super) fn on_send_failed(&mut self, now: Instant) {
        self.retry_at(now + RETRY_DELAY);
    }

    fn retry_at(&mut self, at: Instant) {
        self.pending_request = None;
        self.paused_until = Some(at);
        if let SyncState::Gap(_) = self.sync_state {
            self.sync_state = SyncState::Gap(None);
        }
    }
}
