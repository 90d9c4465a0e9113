//! Texts of the screens: invitations, questions, and the window title.

mod form;
mod hints;
mod keys;
mod lobby;
mod status;

use noughts_protocol::{Offer, Outcome, Phase, RoomRef};
use unicode_width::UnicodeWidthStr;

use crate::connection::server_url::ServerUrl;
use crate::facts::{Confirmation, FormKind, LeaveEffect, PlayerRef};
use crate::i18n::game::outcome::for_reader;
use crate::i18n::messages::{CONFIRMATION, PHASE};
use crate::i18n::{Texts, word};
use crate::input::Action;

/// Returns the shortest invite that a person can type: default parts of the address are left out.
fn short_invite(server: &ServerUrl, room: RoomRef) -> String {
    if *server == ServerUrl::default() {
        room.to_string()
    } else {
        format!("{}#{room}", server.short())
    }
}

impl Texts {
    pub fn program(self) -> &'static str {
        "noughts"
    }

    /// Returns the exact command that joins a room.
    pub fn join_command(self, server: &ServerUrl, room: RoomRef) -> String {
        format!("noughts join {}", short_invite(server, room))
    }

    /// Returns the exact command that watches a room.
    pub fn watch_command(self, server: &ServerUrl, room: RoomRef) -> String {
        format!("noughts watch {}", short_invite(server, room))
    }

    /// Says that only this computer can reach a server, and how friends elsewhere can join. Returns `None` for a server
    /// that other computers can reach.
    pub fn local_server_note(self, server: &ServerUrl) -> Option<String> {
        let host = self.form_title(FormKind::Host);
        server.is_loopback().then(|| self.only_this_computer(host))
    }

    /// Returns the link that joins a room in a browser.
    pub fn room_link(self, server: &ServerUrl, room: RoomRef) -> String {
        format!("{}#{room}", server.page())
    }

    pub fn phase(self, phase: Phase) -> &'static str {
        self.keyed(&PHASE, &word(&phase))
    }

    /// Returns the width of the column for the phases.
    pub fn phase_columns(self) -> usize {
        let widths = [Phase::Waiting, Phase::Playing, Phase::Over, Phase::Closed]
            .map(|phase| self.phase(phase).width() + 2);
        widths.into_iter().fold(9, usize::max)
    }

    /// Returns the two-line message for terminals below the minimum size.
    pub fn too_small(self, columns: u16, rows: u16) -> [String; 2] {
        [
            self.window_too_small().to_owned(),
            self.window_size(columns, rows),
        ]
    }

    /// Labels the code of a private room or the id of a public room, and the command for a friend.
    pub fn invite_labels(self, room: RoomRef) -> [&'static str; 2] {
        [
            match room {
                RoomRef::Code(_) => self.invite_code(),
                RoomRef::Id(_) => self.invite_room(),
            },
            self.friend_types(),
        ]
    }
}

impl Texts {
    /// Returns the question without the keys that answer it.
    pub fn confirmation(self, question: Confirmation) -> &'static str {
        if let Confirmation::Leave { effect } = question {
            return self.keyed(&CONFIRMATION, &format!("leave_{}", word(&effect)));
        }
        self.keyed(&CONFIRMATION, &word(&question))
    }

    /// Names an answer to a question; `None` if the action does not answer it.
    pub fn answer(self, question: Confirmation, action: Action) -> Option<&'static str> {
        let leave_effect = match question {
            Confirmation::Leave { effect } => Some(effect),
            Confirmation::Resign
            | Confirmation::Abort
            | Confirmation::AgreeDraw
            | Confirmation::ClaimDraw
            | Confirmation::DeleteGame
            | Confirmation::InviteFriend
            | Confirmation::WatchInstead
            | Confirmation::CloseRoom => None,
        };
        if action == Action::No {
            return Some(match question {
                Confirmation::Leave { .. } => self.answer_stay(),
                Confirmation::ClaimDraw | Confirmation::CloseRoom => self.answer_keep_waiting(),
                Confirmation::InviteFriend | Confirmation::WatchInstead => {
                    self.answer_keep_looking()
                }
                Confirmation::DeleteGame => self.answer_keep_game(),
                Confirmation::Resign | Confirmation::Abort | Confirmation::AgreeDraw => {
                    self.answer_play_on()
                }
            });
        }
        if action == Action::KeepSeat {
            let keep = self.answer_keep_seat();
            return leave_effect
                .is_some_and(LeaveEffect::is_final)
                .then_some(keep);
        }
        (action == Action::Yes).then(|| match question {
            Confirmation::Leave {
                effect: LeaveEffect::Resigns,
            } => self.answer_leave_resign(),
            Confirmation::Leave {
                effect: LeaveEffect::Aborts,
            } => self.answer_leave_abort(),
            Confirmation::Leave {
                effect: LeaveEffect::Nothing,
            } => self.answer_leave(),
            Confirmation::Resign => self.answer_resign(),
            Confirmation::Abort => self.answer_abort(),
            Confirmation::AgreeDraw => self.answer_agree_draw(),
            Confirmation::InviteFriend | Confirmation::WatchInstead => self.answer_stop_looking(),
            Confirmation::CloseRoom => self.answer_leave(),
            Confirmation::ClaimDraw => self.answer_claim_draw(),
            Confirmation::DeleteGame => self.answer_delete_game(),
        })
    }
}

impl Texts {
    /// Returns the name of the program in a title.
    pub fn program_title(self) -> &'static str {
        "Noughts"
    }

    /// Says in the title that the opponent has made an offer.
    pub fn title_offer(self, offer: Offer) -> &'static str {
        match offer {
            Offer::Draw => self.title_offer_draw(),
            Offer::Takeback => self.title_offer_takeback(),
            Offer::Rematch => self.title_offer_rematch(),
        }
    }

    /// Says in the title how the game ended for the reader, who is a player or a spectator.
    pub fn title_result(self, outcome: &Outcome, players: &[PlayerRef; 2]) -> String {
        let Some(winner) = outcome.winner() else {
            let is_aborted = *outcome == Outcome::Aborted;
            return if is_aborted {
                self.title_aborted()
            } else {
                self.title_draw()
            }
            .to_owned();
        };
        let (won, lost) = (
            self.title_you_win().to_owned(),
            self.title_you_lost().to_owned(),
        );
        let watched = self.title_wins(&players[winner.index()].name);
        for_reader(winner, players, [won, lost, watched])
    }
}
