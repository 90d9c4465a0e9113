//! The server with the feature `cluster`, which its own package leaves out by default.

use std::process::ExitCode;

use clap::Parser;
use noughts_server::{ServerConfig, run_program};

fn main() -> anyhow::Result<ExitCode> {
    run_program(ServerConfig::parse())
}
