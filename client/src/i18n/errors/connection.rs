//! Reasons why a connection was lost or closed, labels for its state, and errors from the operating system.

use noughts_protocol::wire::CloseCode;

use crate::connection::server_url::ServerUrl;
use crate::connection::{DisconnectReason, TerminationReason};
use crate::i18n::messages::{CLOSE_CODE, IO_ERROR};
use crate::i18n::{Texts, sanitize};
use crate::io::io_error::LocalizableIoError;

impl Texts {
    /// Says why a connection was lost.
    pub fn disconnect_reason(self, why: &DisconnectReason) -> String {
        match why {
            DisconnectReason::Io(error) => self.io_error(error),
            DisconnectReason::Timeout => self.timed_out().to_owned(),
            DisconnectReason::Silent => self.no_data().to_owned(),
            DisconnectReason::Restarting => self.close_code(CloseCode::Restarting).to_owned(),
            DisconnectReason::Closed(Some(code)) => match CloseCode::from_code(*code) {
                Some(code) => self.close_code(code).to_owned(),
                None => self.closed_with_code(code),
            },
            DisconnectReason::Closed(None) => self.closed_by_server().to_owned(),
            DisconnectReason::Http(status) => self.http_response(status),
            DisconnectReason::Garbled => self.unexpected_message().to_owned(),
            DisconnectReason::NotReady(reject) => self.reject(reject),
        }
    }

    fn close_code(self, code: CloseCode) -> &'static str {
        self.keyed(&CLOSE_CODE, code.reason())
    }

    /// Says why a connection was closed for good.
    pub fn close_reason(self, ended: &TerminationReason, server: &ServerUrl) -> String {
        match ended {
            TerminationReason::Closed => self.connection_ended().to_owned(),
            // No server was named, and this computer runs no server. The text names the next step, which matters more
            // than the cause.
            TerminationReason::CannotConnect(DisconnectReason::Io(_))
                if *server == ServerUrl::default() =>
            {
                self.no_local_server(server.host(), server.port())
            }
            TerminationReason::CannotConnect(why) => {
                self.cannot_connect(server, self.disconnect_reason(why))
            }
            TerminationReason::Rejected(reject) => {
                self.rejected_by_server(server, self.reject(reject))
            }
            TerminationReason::Http(status) => self.rejected_with_http(server, status),
            TerminationReason::NotNoughts => self.not_noughts(server),
            TerminationReason::Replaced => self.opened_elsewhere().to_owned(),
            TerminationReason::Final(code) => self.disconnected_because(self.close_code(*code)),
            TerminationReason::GaveUp(why) => {
                self.connection_lost_because(self.disconnect_reason(why))
            }
        }
    }

    /// Labels a lost connection, with the time until the next attempt.
    pub fn connection_offline(self, attempt: u32, in_ms: u64) -> String {
        if in_ms == 0 {
            return self.connection_retrying(attempt);
        }
        self.connection_retry(attempt, self.seconds(in_ms))
    }
}

impl Texts {
    /// Describes an I/O error by its kind. For a kind without a text, returns the system's message.
    pub fn io_error(self, error: &LocalizableIoError) -> String {
        match self.find(&IO_ERROR, &format!("{:?}", error.kind())) {
            Some(text) => text.to_owned(),
            None => sanitize(&error.to_string()),
        }
    }
}
