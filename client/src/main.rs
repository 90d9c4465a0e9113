//! The `noughts` program: parses, opens its log, runs, exits.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::Context;
use clap::error::ErrorKind;
use noughts::cli::{self, Cli};
use noughts::lang::Lang;
use noughts::model::Exit;
use noughts::preferences::file;
use noughts::words::{Cannot, Words};
use noughts::{app, terminal};
use tracing_subscriber::EnvFilter;

/// Something failed that has no code of its own: what the shell knows as plain failure.
const FAILED: u8 = 1;

fn main() -> ExitCode {
    let (arguments, env) = (std::env::args_os().collect::<Vec<_>>(), |name: &str| std::env::var(name).ok());
    let file = |path: Option<String>| file::language(&path.map(PathBuf::from).or_else(file::of_platform)?);
    let words = Words::new(Lang::at_first(&arguments, env, file));
    let cli = match cli::read(arguments, words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and are no error; a closed pipe is nobody's business.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            drop(match (cli::complaint(words, &error), error.kind()) {
                (Some(text), _) => std::io::stderr().write_all(text.as_bytes()),
                (None, ErrorKind::DisplayHelp) => std::io::stdout().write_all(app::help(&error).as_bytes()),
                (None, _) => error.print(),
            });
            return ExitCode::from(code.code());
        }
    };
    terminal::end_on_panic(words);
    match run(cli, words) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) => {
            // That nobody reads it is no reason to fail in another way.
            drop(writeln!(std::io::stderr(), "noughts: {}", app::told(&error, words)));
            ExitCode::from(FAILED)
        }
    }
}

fn run(cli: Cli, words: Words) -> anyhow::Result<Exit> {
    if let Some(path) = &cli.view.log {
        let file = std::fs::File::options().create(true).append(true).open(path);
        let file =
            file.with_context(|| words.because(words.cannot(Cannot::Log), &path.display().to_string()))?;
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(false)
            .with_writer(Mutex::new(file))
            .init();
    }
    if let Some(file) = &cli.view.ca {
        noughts::connection::tls::trust(file).context(words.cannot(Cannot::Trust))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let exit = runtime.block_on(app::run(cli, words));
    // A bot that thinks on may do so until the process is gone: nobody waits for it.
    runtime.shutdown_background();
    exit
}
