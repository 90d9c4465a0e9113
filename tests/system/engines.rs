//! Bots, engines and arenas as processes.

mod bot;
mod external;
