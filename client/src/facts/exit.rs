//! Exit status of the program, and its only mapping from ended connections.

use crate::connection::TerminationReason;

/// Reason for the end of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program did what it was started for. The result of the game does not matter.
    Done,
    /// The requested operation failed.
    Failed,
    /// The arguments are invalid, or the request is not possible.
    Usage,
    /// The server could not be reached.
    CannotConnect,
    /// The server rejected the client.
    Refused,
    /// The connection was lost permanently.
    ConnectionLost,
    /// The system sent this signal.
    Signal(u8),
}

impl Exit {
    /// Exit code for the shell; 128 is added to a signal number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::CannotConnect => 3,
            Exit::Refused => 4,
            Exit::ConnectionLost => 5,
            Exit::Signal(number) => number.saturating_add(128),
        }
    }
}

impl From<&TerminationReason> for Exit {
    fn from(reason: &TerminationReason) -> Exit {
        match reason {
            TerminationReason::Closed => Exit::Done,
            TerminationReason::CannotConnect(_) | TerminationReason::NotNoughts => {
                Exit::CannotConnect
            }
            TerminationReason::Refused(_) | TerminationReason::Http(_) => Exit::Refused,
            TerminationReason::Replaced
            | TerminationReason::Final(_)
            | TerminationReason::RetriesExhausted(_) => Exit::ConnectionLost,
        }
    }
}
