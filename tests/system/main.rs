//! Tests of the whole system from outside. Each file covers one behaviour; all are one binary, which links once.

mod browsers;
mod client;
mod connections;
mod engines;
mod load;
mod operation;
mod rooms;
mod security;
mod storage;
mod terminal;
mod time;
mod web;
