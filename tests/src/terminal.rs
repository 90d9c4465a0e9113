//! Programs on a pseudo-terminal and on pipes.

pub mod piped_process;
pub mod pty;
