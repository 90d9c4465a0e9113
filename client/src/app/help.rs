//! The help texts and the manual page.

use std::io::{self, IsTerminal};

use clap_mangen::Man;

use super::terminal_env::{env_variable, is_dumb_terminal};
use crate::cli::{self, DEFAULT_COLUMNS, definition, localize};
use crate::i18n::Texts;

/// Lays out the requested help for stdout: in the width and with the styles of the terminal.
pub(super) fn help_page(error: &clap::Error) -> String {
    let page = error.render();
    if !io::stdout().is_terminal() {
        return cli::layout_help(&page.to_string(), DEFAULT_COLUMNS);
    }
    let columns = crossterm::terminal::size().map_or(DEFAULT_COLUMNS, |(columns, _)| columns);
    if is_dumb_terminal() || env_variable("NO_COLOR").is_some() {
        cli::layout_help(&page.to_string(), columns)
    } else {
        cli::layout_help(&page.ansi().to_string(), columns)
    }
}

/// Returns the help of the whole program as plain text.
pub(super) fn plain_help(texts: Texts) -> String {
    cli::layout_help(
        &localize(definition(texts), texts).render_help().to_string(),
        DEFAULT_COLUMNS,
    )
}

/// Returns the manual page with translated headings.
pub(super) fn manual_page(texts: Texts) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(localize(definition(texts), texts)).render(&mut page)?;
    let convert_line = |line: &str| match line.strip_prefix(".SH ") {
        Some(heading) => format!(".SH {}\n", texts.manual_section(heading)),
        None => format!("{line}\n"),
    };
    Ok(String::from_utf8_lossy(&page)
        .lines()
        .map(convert_line)
        .collect())
}
