//! Reason why the player's own server does not run.

/// Reason why a server that the player starts on this computer does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// The program of the server is neither beside this one nor on the path.
    NotInstalled,
    /// Another program listens on this port.
    PortTaken(u16),
    /// The server has not printed its address in time.
    TimedOut,
    /// The first line that the server reports.
    Failed(String),
}
