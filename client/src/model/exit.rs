//! How the program ends, as the shell sees it.

use crate::connection::Ended;

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
    Lost,
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
            Exit::Lost => 5,
            Exit::Signal(number) => number.saturating_add(128),
        }
    }
}

impl From<&Ended> for Exit {
    fn from(ended: &Ended) -> Exit {
        match ended {
            Ended::Closed => Exit::Done,
            Ended::CannotConnect(_) | Ended::NotNoughts => Exit::CannotConnect,
            Ended::Refused(_) | Ended::Http(_) => Exit::Refused,
            Ended::Replaced | Ended::Final(_) | Ended::GaveUp(_) => Exit::Lost,
        }
    }
}
