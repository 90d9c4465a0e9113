//! The server's rejections of requests, and reasons why a command is not available.

use noughts_protocol::wire::{Reject, RejectCode};

use crate::facts::Unavailable;
use crate::i18n::messages::{INVALID_FIELD, REJECT, UNAVAILABLE};
use crate::i18n::{Texts, word};

impl Texts {
    /// Says why a cell cannot be played.
    pub(in crate::i18n) fn illegal_move(self, reject: &Reject, cell: &str) -> String {
        if reject.code == RejectCode::CellTaken {
            return self.cell_taken(cell);
        }
        if reject.code == RejectCode::OffBoard {
            return self.no_such_cell(cell);
        }
        if reject.code == RejectCode::NotYourTurn {
            return self.not_your_turn().to_owned();
        }
        self.with_period(self.with_reason(cell, self.reject(reject)))
    }

    /// Describes a rejection by its code. Free text from the server is not shown.
    pub fn reject(self, reject: &Reject) -> String {
        let wait = reject.wait_ms.map(|ms| self.seconds(ms));
        let field = reject.field.as_deref().unwrap_or_default();
        match (reject.code, wait) {
            (RejectCode::RateLimited, Some(wait)) => self.reject_rate_limited_until(wait),
            (RejectCode::NotClaimable, Some(wait)) => self.reject_not_claimable_until(wait),
            (code, _) => match self.find(&INVALID_FIELD, field) {
                Some(text) if code == RejectCode::BadField => text.to_owned(),
                Some(_) | None => self.keyed(&REJECT, code.as_str()).to_owned(),
            },
        }
    }
}

impl Texts {
    /// Says why a command is not available.
    pub fn unavailable(self, why: Unavailable) -> &'static str {
        if let Unavailable::LeaveQuestion(effect) = why {
            return self.keyed(&UNAVAILABLE, &format!("leave_{}", word(&effect)));
        }
        self.keyed(&UNAVAILABLE, &word(&why))
    }
}
