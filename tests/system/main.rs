//! The whole system from outside, a behaviour a file. One program, so that it links once.

mod pairing;
mod play;
mod rooms;
