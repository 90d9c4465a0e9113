//! The whole system from outside, a behaviour a file. One program, so that it links once.

mod absence;
mod clocks;
mod offers;
mod pairing;
mod play;
mod private;
mod rebuild;
mod rejections;
mod resume;
mod slow;
mod spectators;
mod storage;
