//! The whole system from outside, a behaviour a file. One program, so that it links once.

mod absence;
mod bot;
mod clocks;
mod crash;
mod cuts;
mod frames;
mod http;
mod hygiene;
mod limits;
mod line;
mod offers;
mod pairing;
mod play;
mod private;
mod rebuild;
mod reconnect;
mod rejections;
mod resume;
mod room_limits;
mod shutdown;
mod slow;
mod spectators;
mod storage;
mod terminal;
mod time;
mod tls;
