//! `noughts-server man` and `noughts-server completions`: files of a package, generated from the flags.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::config::ServerConfig;

/// Prints the manual page.
///
/// # Errors
/// If the output cannot be written.
pub(super) fn print_manual_page(out: &mut impl Write) -> anyhow::Result<ExitCode> {
    Man::new(ServerConfig::command()).render(out)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the completion script of a shell.
///
/// # Errors
/// If the output cannot be written.
pub(super) fn print_completions(shell: Shell, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut ServerConfig::command(),
        "noughts-server",
        &mut script,
    );
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
