//! Start of the `noughts` program: parses the command line, opens the log, runs, and returns the exit code.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::Context;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use super::output::format_error;
use super::output::help_page;
use super::subcommands;
use crate::cli::{self, Cli};
use crate::connection::tls;
use crate::facts::Exit;
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::io::terminal;
use crate::settings::file;

/// Exit code of a failure that has no code of its own.
const EXIT_FAILURE: u8 = 1;

/// Runs the program with the arguments and environment of the process.
pub fn run_program() -> ExitCode {
    let (arguments, env) = (std::env::args_os().collect::<Vec<_>>(), |name: &str| {
        std::env::var(name).ok()
    });
    let file = |path: Option<String>| {
        file::load_language(&path.map(PathBuf::from).or_else(file::default_path)?)
    };
    let texts = Texts::new(Lang::detect(&arguments, env, file));
    let cli = match cli::parse_args(arguments, texts) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and are not errors. A closed pipe is ignored.
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            };
            drop(match (cli::localized_error(texts, &error), error.kind()) {
                (Some(text), _) => std::io::stderr().write_all(text.as_bytes()),
                (None, ErrorKind::DisplayHelp) => {
                    std::io::stdout().write_all(help_page(&error).as_bytes())
                }
                (None, _) => error.print(),
            });
            return ExitCode::from(code.code());
        }
    };
    terminal::install_panic_hook(texts);
    match run(cli, texts) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) => {
            // A closed stderr must not change the exit code.
            drop(writeln!(
                std::io::stderr(),
                "noughts: {}",
                format_error(&error, texts)
            ));
            ExitCode::from(EXIT_FAILURE)
        }
    }
}

fn run(cli: Cli, texts: Texts) -> anyhow::Result<Exit> {
    if let Some(path) = &cli.global.log {
        let file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(path);
        let file = file.with_context(|| {
            texts.with_reason(texts.cannot_open_log(), path.display().to_string())
        })?;
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
        // The messages to an assistant contain the codes of private rooms.
        #[cfg(feature = "mcp")]
        let filter = filter.add_directive("rmcp=warn".parse()?);
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(false)
            .with_writer(Mutex::new(file))
            .init();
    }
    if let Some(file) = &cli.global.ca {
        tls::add_trusted_roots(file).context(texts.cannot_load_ca())?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let exit = runtime.block_on(subcommands::run(cli, texts));
    // Do not wait for searches that are still running.
    runtime.shutdown_background();
    exit
}
