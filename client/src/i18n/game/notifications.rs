//! Texts of notifications, and reports about files that the program reads and writes.

use noughts_protocol::Seat;
use noughts_protocol::wire::RejectCode;

use crate::facts::{Ending, Failure, LeaveEffect, Notification, PendingRequest, PlayerRef};
use crate::game_link::GameLinkError;
use crate::i18n::Texts;
use crate::i18n::errors::sanitize;

impl Texts {
    /// Formats a notification as one or two sentences. `ui` draws boards, lists and the help.
    pub fn notification(self, notification: &Notification) -> String {
        match notification {
            Notification::Connecting { server } => self.connecting_to(server),
            Notification::Connected { name, .. } => self.connected_as(name),
            Notification::Offline {
                reason,
                retry_in_ms,
            } => self.reconnecting(self.seconds(*retry_in_ms), self.disconnect_reason(reason)),
            Notification::Back => self.reconnected().to_owned(),
            Notification::Ended { reason, server } => self.close_reason(reason, server),
            Notification::RoomGone => self.room_unavailable().to_owned(),
            Notification::Restarting { retry_after_ms } => {
                self.server_restarting(self.seconds(*retry_after_ms))
            }
            Notification::Announcement { text } => self.operator_announcement(text.as_str()),
            Notification::Seeking { rules, clock } => {
                self.seeking(self.game_in_sentence(rules, *clock))
            }
            Notification::NobodyCame => self.nobody_came().to_owned(),
            Notification::Invite { rules, clock, .. } => {
                self.waiting_in_room(self.game_in_sentence(rules, *clock))
            }
            Notification::RoomAddress { server, room, .. } => {
                self.watch_with(self.watch_command(server, *room))
            }
            Notification::BotInvited { level } => self.starting_bot(level),
            Notification::Joined {
                rules,
                clock,
                players,
                seat,
                next,
            } => {
                let player = |seat: Seat| match &players[seat.index()] {
                    Some(player) => format!("{} ({seat})", self.player(player)),
                    None => self.empty_seat(seat),
                };
                let role = match seat {
                    Some(seat) => self.role_player(seat),
                    None => self.role_spectator().to_owned(),
                };
                let (x, o) = (player(Seat::X), player(Seat::O));
                self.joined(
                    self.game_in_sentence(rules, *clock),
                    self.next_move(next),
                    o,
                    role,
                    x,
                )
            }
            Notification::Rooms { rooms, seeks, .. } => {
                self.rooms_and_seeks(rooms.len(), seeks.len())
            }
            Notification::Seated(who) => {
                let PlayerRef { name, seat, .. } = who;
                self.seated(name, seat)
            }
            Notification::Started {
                game,
                rules,
                players,
                next,
            } => self.game_started(*game, rules, players, next),
            Notification::Moved { who, cell, next } => {
                let (name, next) = (self.player_subject(who), self.next_move(next));
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
            Notification::Over {
                ending: Ending { outcome, rules },
                players,
                score,
            } => self.game_over(
                self.outcome(outcome, rules, players),
                self.match_score(players, *score),
            ),
            Notification::WatchingSeveral(count) => self.multi_watch_help(*count),
            Notification::Hint => self.line_mode_hint().to_owned(),
            Notification::Studying => self.analysis_running().to_owned(),
            Notification::Values(values) => self.best_cells(values),
            Notification::Review(review) => self.losing_mistake(review),
            Notification::Puzzle(task) => {
                self.puzzle_started(&task.date, self.rules(&task.rules), task.moves, task.seat)
            }
            Notification::PuzzleMistake { moves } => self.puzzle_mistake(*moves),
            Notification::PuzzleOver(result) => self.puzzle_result(result),
            Notification::PlayAgain => self.play_again().to_owned(),
            Notification::GameLeft(LeaveEffect::Resigns) => self.left_and_resigned().to_owned(),
            Notification::GameLeft(LeaveEffect::Aborts | LeaveEffect::Nothing) => {
                self.left_without_result().to_owned()
            }
            Notification::Closed { reason } => self.room_closed(*reason).to_owned(),
            Notification::Presence {
                who,
                presence,
                claim_in_ms,
            } => self.absence(&self.player_subject(who), *presence, *claim_in_ms),
            Notification::Claimable(who) => self.claimable(&who.name),
            Notification::Spectators { count } => self.to_sentence(&self.spectators(*count)),
            Notification::Phrase { who, phrase } => {
                self.said(self.phrase(*phrase), self.player_subject(who))
            }
            Notification::HostFailed(error) => self.host_error(error),
            Notification::OpponentFound(name) => self.opponent_found(name),
            Notification::CopiedWithoutServer => self.copied_without_server().to_owned(),
            Notification::GameLink { link } => self.game_link(link),
            Notification::Copied => self.copied().to_owned(),
            Notification::Muted { on: true } => self.phrases_hidden().to_owned(),
            Notification::Muted { on: false } => self.phrases_shown().to_owned(),
            Notification::Remark {
                who,
                evaluation,
                rules,
            } => self.evaluates(
                self.engine_evaluation(evaluation, rules),
                self.player_subject(who),
            ),
            Notification::Rejected { asked, reject } => {
                if let (Some(PendingRequest::Goal), RejectCode::RoomFull) = (asked, reject.code) {
                    return self.both_seats_taken().to_owned();
                }
                if reject.code == RejectCode::UnknownRoom {
                    return self.no_such_room().to_owned();
                }
                if reject.code == RejectCode::OpponentLeft {
                    return self.opponent_has_left().to_owned();
                }
                self.rejected(self.reject(reject))
            }
            Notification::Illegal { reject, cell } => self.illegal_move(reject, cell),
            Notification::Unavailable(why) => self.unavailable(*why).to_owned(),
            Notification::InvalidCommand { text, error } => self.command_error(text, error),
            Notification::Asked { field, .. } => self.field_label(field.id).to_owned(),
            Notification::FieldInvalid(error) => self.field_error(*error),
            Notification::InputEnded => self.input_ended().to_owned(),
            Notification::SubstituteCalled => self.substitute_called().to_owned(),
            Notification::BotFailed => self.bot_failed().to_owned(),
            Notification::SettingsSaved { path } => self.settings_saved(path),
            Notification::Failed(failure) => self.failure(failure),
            Notification::Saved { path } => self.file_saved(path),
            Notification::Record {
                players: [x, o], ..
            } => self.record_players(sanitize(o), sanitize(x)),
            Notification::Exiting(_) => self.goodbye().to_owned(),
            Notification::QueryAnswer(answer) => self.query_answer(answer),
            Notification::Menu { .. } => self.tagline().to_owned(),
            Notification::MayContinue(game) => self.continue_offer(game),
            Notification::NothingToContinue { game: None } => self.no_game_to_continue().to_owned(),
            Notification::NothingToContinue { game: Some(game) } => {
                self.game_is_gone(self.saved_game(game))
            }
            Notification::OwnGames { games, .. } => self.own_games_number(games.len()),
            Notification::ServerGames { .. } => self.only_on_server().to_owned(),
            Notification::Profile { profile, .. } => self.profile_of(profile.player.name.as_str()),
            Notification::DamagedGames { files, folder } => {
                self.damaged_own_games(*files, sanitize(folder))
            }
            Notification::OtherAddress { address, server } => {
                self.other_address(address.short(), server.short())
            }
            Notification::Damaged { files } => self.corrupt_files(*files),
        }
    }
}

impl Texts {
    pub(super) fn settings_saved(self, path: &str) -> String {
        self.settings_saved_to(sanitize(path))
    }

    pub(super) fn file_saved(self, path: &str) -> String {
        self.file_saved_to(sanitize(path))
    }

    fn failure(self, failure: &Failure) -> String {
        match failure {
            Failure::Engine { detail } => self.engine_error(detail),
            Failure::NotSaved { path, error } => {
                self.cannot_write_file(self.io_error(error), sanitize(path))
            }
            Failure::SettingsNotSaved(error) => self.settings_file_error(error),
            Failure::BadRecord { path, error } => {
                self.with_period(self.with_reason(sanitize(path), self.record_error(error)))
            }
            Failure::BadLink {
                error: GameLinkError::Record(error),
            } => self.link_without_game(self.record_error(error)),
            Failure::BadLink { error } => self.to_sentence(&self.error(error)),
            Failure::NotRead { path, error } => {
                self.cannot_read_file(self.io_error(error), sanitize(path))
            }
            Failure::IdentityNotRead { error } => self.identity_not_read(self.io_error(error)),
            Failure::NotContinued { detail } => self.continue_error(detail),
            Failure::NotKept { detail } => self.save_error(detail),
            Failure::GameNotKept { error } => self.game_not_kept(self.io_error(error)),
            Failure::NoAnswer { server } => self.profile_not_answered(server.short()),
            Failure::OwnGames { error } => self.own_games_failed(self.io_error(error)),
        }
    }
}
