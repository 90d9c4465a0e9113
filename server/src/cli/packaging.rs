//! `noughts-server man` and `noughts-server completions`: files of a package, generated from the flags.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::config::{LIMITS, ServerConfig};

/// Prints the manual page.
///
/// # Errors
/// If the output cannot be written.
pub(super) fn print_manual_page(out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let limits = LIMITS.iter().filter(|field| field.flag.is_none());
    let rows = limits.map(|field| {
        let (name, default) = (&field.name, field.shown_default());
        format!("{name}={default} ({})\n{}\n", field.range, field.document())
    });
    let list = rows.collect::<Vec<_>>().join("\n");
    let text = format!("Limits that --set sets, with their defaults:\n\n{list}");
    Man::new(ServerConfig::command().after_long_help(text)).render(out)?;
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
