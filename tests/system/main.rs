//! The whole system from outside, a behaviour a file. One program, so that it links once.

mod client;
mod connections;
mod engines;
mod load;
mod rooms;
mod security;
mod storage;
mod terminal;
mod time;
