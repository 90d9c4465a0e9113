//! Texts of notifications, and reports about files that the program writes and reads.

use noughts_protocol::Seat;
use noughts_protocol::wire::RejectCode;

use crate::facts::{Notification, PendingRequest, PlayerRef};
use crate::i18n::Texts;
use crate::i18n::errors::sanitize;
use crate::io::io_error::LocalizableIoError;

impl Texts {
    /// Formats a notification as one or two sentences. Boards, lists and help are drawn by `ui`.
    pub fn notification(self, notification: &Notification) -> String {
        match notification {
            Notification::Connecting(server) => self.connecting_to(server),
            Notification::Connected { name, .. } => self.connected_as(name),
            Notification::Disconnected { reason, retry_in } => {
                let (why, wait) = (self.disconnect_reason(reason), self.duration(*retry_in));
                self.reconnecting(wait, why)
            }
            Notification::Reconnected => self.reconnected().to_owned(),
            Notification::Terminated { reason, server } => self.close_reason(reason, server),
            Notification::RoomUnavailable => self.room_unavailable().to_owned(),
            Notification::Restarting { back_in } => {
                let wait = self.duration(*back_in);
                self.server_restarting(wait)
            }
            Notification::Seeking { rules, clock } => {
                let game = self.game_in_sentence(rules, *clock);
                self.seeking(game)
            }
            Notification::Invite { rules, clock, .. } => {
                let game = self.game_in_sentence(rules, *clock);
                self.waiting_in_room(game)
            }
            Notification::RoomAddress { server, room, .. } => {
                let command = self.watch_command(server, *room);
                self.watch_with(command)
            }
            Notification::BotInvited(level) => self.starting_bot(level),
            Notification::Joined {
                rules,
                clock,
                players,
                you,
                next,
            } => {
                let player = |seat: Seat| match &players[seat.index()] {
                    Some(player) => format!("{} ({seat})", self.player(player)),
                    None => self.empty_seat(seat),
                };
                let role = match you {
                    Some(seat) => self.role_player(seat),
                    None => self.role_spectator().to_owned(),
                };
                let (x, o) = (player(Seat::X), player(Seat::O));
                let (game, next) = (self.game_in_sentence(rules, *clock), self.next_move(next));
                self.joined(game, next, o, role, x)
            }
            Notification::Rooms { rooms, seeks, .. } => {
                let (rooms, seeks) = (rooms.len(), seeks.len());
                self.rooms_and_seeks(rooms, seeks)
            }
            Notification::Seated(who) => {
                let PlayerRef { name, seat, .. } = who;
                self.seated(name, seat)
            }
            Notification::Started {
                number,
                rules,
                players,
                next,
            } => self.game_started(*number, rules, players, next),
            Notification::Moved {
                who,
                cell,
                rules,
                next,
            } => {
                let (name, cell, next) = (
                    self.player_subject(who),
                    rules.cell_text(*cell),
                    self.next_move(next),
                );
                match who.you {
                    true => self.you_moved(cell, name, next),
                    false => self.moved(cell, name, next),
                }
            }
            Notification::Offered { who, offer } => self.offer_made(who, *offer),
            Notification::Declined { who, offer } => self.offer_declined(who, *offer),
            Notification::TakenBack { plies, next } => {
                let next = self.next_move(next);
                self.taken_back(next, *plies)
            }
            Notification::GameOver {
                outcome,
                rules,
                players,
                score,
            } => {
                let (outcome, score) = (
                    self.outcome(outcome, rules, players),
                    self.match_score(players, *score),
                );
                self.game_over(outcome, score)
            }
            Notification::WatchingSeveral(count) => self.multi_watch_help(*count),
            Notification::Hint => self.line_mode_hint().to_owned(),
            Notification::EngineFailed(error) => self.engine_error(error),
            Notification::AnalysisStarted => self.analysis_running().to_owned(),
            Notification::Values(values) => self.best_cells(values),
            Notification::Review(review) => self.losing_mistake(review),
            Notification::PlayAgain => self.play_again().to_owned(),
            Notification::Closed(reason) => self.room_closed(*reason).to_owned(),
            Notification::Presence {
                who,
                presence,
                claim_in,
            } => self.absence(&self.player_subject(who), *presence, *claim_in),
            Notification::Claimable(who) => {
                let name = &who.name;
                self.claimable(name)
            }
            Notification::SpectatorCount(count) => self.to_sentence(&self.spectators(*count)),
            Notification::Phrase { who, phrase } => {
                let (who, phrase) = (self.player_subject(who), self.phrase(*phrase));
                self.said(phrase, who)
            }
            Notification::HostFailed(error) => self.host_error(error),
            Notification::OpponentFound(name) => self.opponent_found(name),
            Notification::Copied => self.copied().to_owned(),
            Notification::Muted(true) => self.phrases_hidden().to_owned(),
            Notification::Muted(false) => self.phrases_shown().to_owned(),
            Notification::Evaluation {
                who,
                evaluation,
                rules,
            } => {
                let (who, evaluation) = (
                    self.player_subject(who),
                    self.engine_evaluation(evaluation, rules),
                );
                self.evaluates(evaluation, who)
            }
            Notification::Rejected { request, reject } => {
                if let (Some(PendingRequest::Goal), RejectCode::RoomFull) = (request, reject.code) {
                    return self.both_seats_taken().to_owned();
                }
                if reject.code == RejectCode::UnknownRoom {
                    return self.no_such_room().to_owned();
                }
                if reject.code == RejectCode::OpponentLeft {
                    return self.opponent_has_left().to_owned();
                }
                let why = self.reject(reject);
                self.rejected(why)
            }
            Notification::SendFailed(error) => self.send_error(*error).to_owned(),
            Notification::Illegal { reject, cell } => self.illegal_move(reject, cell),
            Notification::Unavailable(why) => self.unavailable(*why).to_owned(),
            Notification::InvalidCommand { text, error } => self.command_error(text, error),
            Notification::FieldPrompt { field, .. } => self.field_label(field.id).to_owned(),
            Notification::FieldInvalid(error) => self.field_error(*error),
            Notification::InputEnded => self.input_ended().to_owned(),
            Notification::SubstituteCalled => self.substitute_called().to_owned(),
            Notification::BotFailed => self.bot_failed().to_owned(),
            Notification::SettingsSaved(path) => self.settings_saved(path),
            Notification::SettingsSaveFailed(error) => self.settings_file_error(error),
            Notification::FileSaved(path) => self.file_saved(path),
            Notification::FileSaveFailed { path, error } => self.file_save_failed(path, error),
            Notification::FileReadFailed { path, error } => self.file_read_failed(path, error),
            Notification::RecordInvalid { path, error } => {
                self.with_period(self.with_reason(sanitize(path), self.record_error(error)))
            }
            Notification::Record {
                players: [x, o], ..
            } => {
                let (x, o) = (sanitize(x), sanitize(o));
                self.record_players(o, x)
            }
            Notification::Exiting(_) => self.goodbye().to_owned(),
            Notification::QueryAnswer(answer) => self.query_answer(answer),
            Notification::Menu { .. } => self.tagline().to_owned(),
            Notification::SavedGameAvailable(game) => self.continue_offer(game),
            Notification::NoSavedGame => self.nothing_to_continue().to_owned(),
            Notification::ResumeFailed(error) => self.continue_error(error),
            Notification::SaveGameFailed(error) => self.save_error(error),
            Notification::CorruptFilesDeleted(count) => self.corrupt_files(*count),
        }
    }
}

impl Texts {
    pub(super) fn settings_saved(self, path: &str) -> String {
        let path = sanitize(path);
        self.settings_saved_to(path)
    }

    pub(super) fn file_saved(self, path: &str) -> String {
        let path = sanitize(path);
        self.file_saved_to(path)
    }

    pub(super) fn file_save_failed(self, path: &str, error: &LocalizableIoError) -> String {
        let (path, error) = (sanitize(path), self.io_error(error));
        self.cannot_write_file(error, path)
    }

    pub(super) fn file_read_failed(self, path: &str, error: &LocalizableIoError) -> String {
        let (path, error) = (sanitize(path), self.io_error(error));
        self.cannot_read_file(error, path)
    }
}
