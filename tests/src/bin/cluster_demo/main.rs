//! A cluster on this machine in one command: three NATS servers, three nodes and a load balancer, all on loopback.
//! Commands on stdin break its parts: `help` lists them.
//!
//! If the first argument is `node`, the program is a node instead: `noughts-server` with the feature `cluster`.

mod demo_cluster;
mod demo_command;

use std::ffi::OsStr;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use noughts_server::{ServerConfig, run_program};
use tokio::io::{AsyncBufReadExt, BufReader};

use demo_cluster::DemoCluster;
use demo_command::DemoCommand;

/// Runs a cluster on this machine: three NATS servers, three nodes and a load balancer.
///
/// Prints the command that joins. Reads commands from stdin; `help` lists them.
#[derive(Debug, Parser)]
#[command(name = "cluster_demo")]
struct DemoConfig {
    /// Port of the load balancer; 0 picks a free port.
    #[arg(long, value_name = "PORT", default_value_t = 7878)]
    port: u16,
}

fn main() -> anyhow::Result<ExitCode> {
    if std::env::args_os().nth(1).as_deref() == Some(OsStr::new("node")) {
        return run_program(ServerConfig::parse_from(std::env::args_os().skip(1)));
    }
    let config = DemoConfig::parse();
    let runtime = tokio::runtime::Runtime::new().context("cannot create runtime")?;
    runtime.block_on(run_demo(config))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs until `quit`, the end of stdin, or Ctrl-C.
async fn run_demo(config: DemoConfig) -> anyhow::Result<()> {
    let mut cluster = DemoCluster::start(config.port).await?;
    println!("{}", cluster.banner());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        let line = tokio::select! {
            line = lines.next_line() => line.context("cannot read stdin")?,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted.context("cannot wait for Ctrl-C")?;
                None
            }
        };
        let Some(line) = line else { return Ok(()) };
        match line.parse() {
            Ok(DemoCommand::Quit) => return Ok(()),
            Ok(command) => println!("{}", cluster.execute(command).await),
            Err(reason) => println!("{reason}"),
        }
    }
}
