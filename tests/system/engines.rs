//! Bots, engines and arenas as processes.

mod bot;
mod external;
mod minimal_bot;
