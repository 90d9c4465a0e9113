//! The client on a real terminal.

mod capabilities;
mod games;
mod hangup;
mod hosting;
mod idle_cpu;
mod panics;
mod restore;
