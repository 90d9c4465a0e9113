//! How the program ends, as the shell sees it.

use crate::connection::TerminationReason;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// As it should, whoever won.
    Done,
    /// What was started did not work.
    Failed,
    /// Not understood, or not possible as asked.
    Usage,
    /// The server was not to be reached.
    CannotConnect,
    /// The server said no.
    Refused,
    /// The connection was lost for good.
    ConnectionLost,
    /// Told to by the system.
    Signal(u8),
}

impl Exit {
    /// The code that the shell sees.
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
    fn from(ended: &TerminationReason) -> Exit {
        match ended {
            TerminationReason::Closed => Exit::Done,
            TerminationReason::CannotConnect(_) | TerminationReason::NotNoughts => Exit::CannotConnect,
            TerminationReason::Refused(_) | TerminationReason::Http(_) => Exit::Refused,
            TerminationReason::Replaced
            | TerminationReason::Final(_)
            | TerminationReason::RetriesExhausted(_) => Exit::ConnectionLost,
        }
    }
}
