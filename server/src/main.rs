//! Parses the flags, runs the program, exits.

use std::process::ExitCode;

use clap::Parser;
use noughts_server::{ServerConfig, run_program};

fn main() -> anyhow::Result<ExitCode> {
    run_program(ServerConfig::parse())
}
