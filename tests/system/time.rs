//! Clocks of games, and changes of the machine's clock.

mod clock_changes;
mod clocks;
