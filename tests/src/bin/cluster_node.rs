//! The server with the feature `cluster`, which its own package leaves out by default.
//!
//! `NOUGHTS_TEST_CONTROL` disables a safety check. Its values are `skip-expectation` and `accept-any-version`.

use std::process::ExitCode;

use clap::Parser;
use noughts_server::testing::DisabledCheck;
use noughts_server::{ServerConfig, run_program};

fn main() -> anyhow::Result<ExitCode> {
    let mut config = ServerConfig::parse();
    if let Some(control) = std::env::var_os("NOUGHTS_TEST_CONTROL") {
        config.cluster.access.disabled_check = Some(match control.to_str() {
            Some("skip-expectation") => DisabledCheck::Expectation,
            Some("accept-any-version") => DisabledCheck::ServerVersion,
            Some(_) | None => anyhow::bail!("NOUGHTS_TEST_CONTROL={}", control.display()),
        });
    }
    run_program(config)
}
