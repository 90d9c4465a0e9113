//! Conversion of notifications to events.

use std::time::Duration;

use noughts_protocol::wire::Reject;
use noughts_protocol::{Outcome, Position};

use super::*;
use crate::facts::{
    FormField, FormKind, MenuItem, Notification, PendingRequest, PlayerRef, QueryAnswer, ScanLabel,
};
use crate::i18n::is_printable;
use crate::input::TextCommandError;
use crate::input::commands::COMMANDS;
use crate::settings::file::SettingsFileError;
use crate::ui::json::codes::{self, JsonDisconnect};

/// Maximum length of echoed input in characters.
const MAX_ECHOED_CHARS: usize = 120;

impl<'a> JsonEvent<'a> {
    /// Returns the event of a notification, or `None` for one that only people need.
    pub(in crate::ui::json) fn from_notification(
        notification: &'a Notification,
    ) -> Option<JsonEvent<'a>> {
        Some(match notification {
            Notification::Hint
            | Notification::OpponentFound(_)
            | Notification::WatchingSeveral(_)
            | Notification::PlayAgain
            | Notification::Exiting(_) => return None,
            Notification::Connecting(server) => JsonEvent::Connecting {
                server: server.to_string(),
            },
            Notification::Connected { server, name } => JsonEvent::Connected {
                server: server.to_string(),
                name,
            },
            Notification::Disconnected { reason, retry_in } => JsonEvent::Offline {
                disconnect: JsonDisconnect::from_disconnect(reason),
                retry_in_ms: millis(*retry_in),
            },
            Notification::Reconnected => JsonEvent::Reconnected,
            Notification::Terminated { reason, server } => JsonEvent::Ended {
                server: server.to_string(),
                disconnect: JsonDisconnect::from_close(reason),
            },
            Notification::RoomUnavailable => JsonEvent::RoomGone,
            Notification::Restarting { back_in } => JsonEvent::Restarting {
                back_in_ms: millis(*back_in),
            },
            Notification::Seeking { rules, clock } => JsonEvent::Seeking {
                rules: *rules,
                clock: *clock,
            },
            Notification::Invite {
                server,
                room,
                rules,
                clock,
            }
            | Notification::RoomAddress {
                server,
                room,
                rules,
                clock,
            } => JsonEvent::Invite {
                server: server.to_string(),
                room: room.to_string(),
                rules: *rules,
                clock: *clock,
            },
            Notification::BotInvited(level) => JsonEvent::BotInvited {
                level: level.to_string(),
            },
            Notification::SubstituteCalled => JsonEvent::SubstituteCalled,
            Notification::BotFailed => JsonEvent::BotFailed,
            Notification::Joined {
                rules,
                clock,
                players,
                you,
                ..
            } => JsonEvent::Joined {
                rules: *rules,
                clock: *clock,
                players,
                seat: *you,
            },
            Notification::Rooms { rooms, seeks, .. } => JsonEvent::Rooms { rooms, seeks },
            Notification::Seated(PlayerRef { seat, name, .. }) => {
                JsonEvent::Seated { seat: *seat, name }
            }
            Notification::Started {
                number,
                rules,
                players,
                ..
            } => JsonEvent::Started {
                game: *number,
                rules: *rules,
                players: players.each_ref().map(json_player),
            },
            Notification::Moved {
                who, cell, rules, ..
            } => JsonEvent::Moved {
                seat: who.seat,
                cell: rules.cell_text(*cell),
            },
            Notification::Offered { who, offer } => JsonEvent::Offered {
                seat: who.seat,
                offer: *offer,
            },
            Notification::Declined { who, offer } => JsonEvent::Declined {
                seat: who.seat,
                offer: *offer,
            },
            Notification::TakenBack { plies, .. } => JsonEvent::TakenBack { plies: *plies },
            Notification::GameOver { outcome, rules, .. } => JsonEvent::Over {
                ending: JsonOutcome::from_outcome(outcome, rules),
            },
            Notification::EngineFailed(error) => {
                JsonEvent::failed("engine", None, Some(error.to_string()))
            }
            Notification::AnalysisStarted => JsonEvent::AnalysisStarted,
            Notification::Values(values) => {
                let rules = values.position.rules();
                let cells = values.cells.iter();
                let cells = cells.map(|&(cell, score)| JsonCellEvaluation {
                    cell: rules.cell_text(cell),
                    evaluation: score.into(),
                });
                JsonEvent::Evaluations {
                    cells: cells.collect(),
                }
            }
            Notification::Review(review) => {
                let moves = review
                    .moves
                    .iter()
                    .map(|reviewed| JsonReviewedMove::from_review(reviewed, &review.rules));
                JsonEvent::Review {
                    moves: moves.collect(),
                }
            }
            Notification::Closed(reason) => JsonEvent::Closed { reason: *reason },
            Notification::Presence {
                who,
                presence,
                claim_in,
            } => JsonEvent::Presence {
                seat: who.seat,
                presence: *presence,
                claim_in_ms: claim_in.map(millis),
            },
            Notification::Claimable(who) => JsonEvent::Claimable { seat: who.seat },
            Notification::SpectatorCount(count) => JsonEvent::Spectators { count: *count },
            Notification::Phrase { who, phrase } => JsonEvent::Phrase {
                seat: who.seat,
                phrase: *phrase,
            },
            Notification::HostFailed(error) => JsonEvent::HostFailed {
                reason: codes::host_error(error),
            },
            Notification::Copied => JsonEvent::Copied,
            Notification::Muted(is_muted) => JsonEvent::Muted { on: *is_muted },
            Notification::Evaluation {
                who,
                evaluation,
                rules,
            } => JsonEvent::Evaluation {
                seat: who.seat,
                evaluation: evaluation.score.into(),
                pv: cell_texts(&evaluation.pv, rules),
            },
            Notification::Rejected { request, reject } => {
                JsonEvent::rejected_by_server(*request, reject)
            }
            Notification::SendFailed(error) => JsonEvent::rejected_by_client(
                RejectReason::from_code(codes::send_error_code(*error)),
            ),
            Notification::Illegal { reject, .. } => {
                JsonEvent::rejected_by_client(RejectReason::Wire(reject))
            }
            Notification::Unavailable(reason) => JsonEvent::rejected_by_client(
                RejectReason::from_code(codes::unavailable_code(*reason)),
            ),
            Notification::InvalidCommand { text, error } => {
                let detail = match error {
                    TextCommandError::InvalidJson(detail) => detail,
                    TextCommandError::Empty
                    | TextCommandError::UnknownCommand
                    | TextCommandError::InvalidCell(_)
                    | TextCommandError::NoBoard
                    | TextCommandError::InvalidArgument(_) => text,
                };
                JsonEvent::rejected_by_client(RejectReason::Client {
                    code: codes::command_error_code(error),
                    detail: Some(sanitize_input(detail)),
                })
            }
            Notification::FieldInvalid(error) => JsonEvent::rejected_by_client(
                RejectReason::from_code(codes::field_error_code(*error)),
            ),
            Notification::FieldPrompt {
                kind: purpose,
                field,
            } => JsonEvent::field_query(*purpose, field),
            Notification::InputEnded => JsonEvent::InputEnded,
            Notification::FileSaved(path) | Notification::SettingsSaved(path) => {
                JsonEvent::Saved { path }
            }
            Notification::FileSaveFailed { path, error } => {
                JsonEvent::failed("not_saved", Some(path), Some(error.to_string()))
            }
            Notification::SettingsSaveFailed(error) => {
                let detail = match error {
                    SettingsFileError::NoConfigDir => None,
                    SettingsFileError::Io(_, detail) => Some(detail.to_string()),
                    SettingsFileError::Invalid(_, mistake) => {
                        Some(format!("line {}", mistake.line))
                    }
                };
                JsonEvent::failed("not_saved", None, detail)
            }
            Notification::RecordInvalid { path, error } => JsonEvent::Failed {
                code: "bad_record",
                path: Some(path),
                detail: Some(error.code().to_owned()),
                line: Some(error.line),
            },
            Notification::FileReadFailed { path, error } => {
                JsonEvent::failed("not_read", Some(path), Some(error.to_string()))
            }
            Notification::Record {
                players,
                position,
                outcome,
            } => JsonEvent::record(players, position, outcome.as_ref()),
            Notification::QueryAnswer(answer) => JsonEvent::query_answer(answer),
            Notification::Menu { saved_games } => JsonEvent::Menu {
                entries: MenuItem::all(saved_games.len())
                    .into_iter()
                    .map(MenuItem::as_str)
                    .collect(),
                saved_games: saved_games.iter().map(JsonSavedGame::from_saved).collect(),
            },
            Notification::SavedGameAvailable(game) => JsonEvent::ContinueOffer {
                game: JsonSavedGame::from_saved(game),
            },
            Notification::NoSavedGame => JsonEvent::NothingToContinue,
            Notification::ResumeFailed(error) => JsonEvent::failed(
                "not_continued",
                None,
                Some(codes::lock_error_code(error).to_owned()),
            ),
            Notification::SaveGameFailed(error) => JsonEvent::failed(
                "not_kept",
                None,
                Some(codes::lock_error_code(error).to_owned()),
            ),
            Notification::CorruptFilesDeleted(files) => JsonEvent::CorruptFiles { files: *files },
        })
    }

    fn rejected_by_server(request: Option<PendingRequest>, reject: &'a Reject) -> JsonEvent<'a> {
        JsonEvent::Rejected {
            by: RejectedBy::Server,
            request: request.map(codes::request_code),
            reason: RejectReason::Wire(reject),
        }
    }

    fn rejected_by_client(reason: RejectReason<'a>) -> JsonEvent<'a> {
        JsonEvent::Rejected {
            by: RejectedBy::Program,
            request: None,
            reason,
        }
    }

    fn failed(code: &'static str, path: Option<&'a str>, detail: Option<String>) -> JsonEvent<'a> {
        JsonEvent::Failed {
            code,
            path,
            detail,
            line: None,
        }
    }

    fn field_query(form: FormKind, field: &'a FormField) -> JsonEvent<'a> {
        JsonEvent::FieldQuery {
            form: form.as_str(),
            field: field.id.as_str(),
            text: field.input.text(),
            options: &field.options,
            free: field.is_free_text,
        }
    }

    /// The names come from a file: invalid ones are null.
    fn record(
        players: &[String; 2],
        position: &Position,
        outcome: Option<&Outcome>,
    ) -> JsonEvent<'a> {
        let rules = *position.rules();
        JsonEvent::Record {
            rules,
            players: players.each_ref().map(|name| name.parse().ok()),
            moves: cell_texts(position.moves(), &rules),
            board: board_rows(position),
            ending: outcome.map(|outcome| JsonOutcome::from_outcome(outcome, &rules)),
        }
    }

    fn query_answer(answer: &'a QueryAnswer) -> JsonEvent<'a> {
        match answer {
            QueryAnswer::Board { position, .. } => JsonEvent::Board {
                rules: *position.rules(),
                board: board_rows(position),
            },
            QueryAnswer::Scan { name, cells, rules } => JsonEvent::Scan {
                name: match name {
                    ScanLabel::Row(row) => JsonScanTarget::Row(rules.row_number(*row)),
                    ScanLabel::Column(column) => JsonScanTarget::Column(column + 1),
                },
                cells: cells
                    .iter()
                    .map(|&(cell, mark)| JsonMark {
                        cell: rules.cell_text(cell),
                        mark,
                    })
                    .collect(),
            },
            QueryAnswer::Marks { who, cells, rules } => JsonEvent::Marks {
                seat: who.seat,
                cells: cell_texts(cells, rules),
            },
            QueryAnswer::Last(last) => JsonEvent::Last {
                seat: last.as_ref().map(|(who, ..)| who.seat),
                cell: last.as_ref().map(|(_, cell, rules)| rules.cell_text(*cell)),
            },
            QueryAnswer::Clocks(clocks) => JsonEvent::Clocks {
                remaining_ms: clocks.as_ref().map(|[(_, x), (_, o)]| [*x, *o]),
            },
            QueryAnswer::Opponent {
                who,
                bot,
                presence,
                lag,
            } => JsonEvent::Opponent {
                seat: who.seat,
                name: &who.name,
                bot: *bot,
                presence: *presence,
                lag_ms: *lag,
            },
            QueryAnswer::Help { rules: _ } => JsonEvent::Help {
                commands: COMMANDS
                    .iter()
                    .filter_map(|entry| entry.names.first().copied())
                    .collect(),
            },
        }
    }
}

fn json_player(who: &PlayerRef) -> JsonPlayer<'_> {
    JsonPlayer {
        seat: who.seat,
        name: &who.name,
        you: who.you,
    }
}

/// Removes unprintable characters from input, because a terminal may show these lines.
fn sanitize_input(text: &str) -> String {
    text.chars()
        .filter(|&letter| is_printable(letter))
        .take(MAX_ECHOED_CHARS)
        .collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
