//! The simulated programs: players, spectators and a bot.

pub(crate) mod bot;
pub(crate) mod player;
pub(crate) mod spectator;
