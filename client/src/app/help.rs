//! Help and the manual page, as wide as there is room and in the colours that are wanted.

use std::io::{self, IsTerminal};

use clap_mangen::Man;

use super::commands::{is_dumb, variable};
use crate::cli::{self, COLUMNS, definition, spoken};
use crate::words::Words;

/// The help that was asked for, as it is printed on stdout.
pub fn help(asked: &clap::Error) -> String {
    let page = asked.render();
    if !io::stdout().is_terminal() {
        return cli::page(&page.to_string(), COLUMNS);
    }
    let columns = crossterm::terminal::size().map_or(COLUMNS, |(columns, _)| columns);
    if is_dumb() || variable("NO_COLOR").is_some() {
        cli::page(&page.to_string(), columns)
    } else {
        cli::page(&page.ansi().to_string(), columns)
    }
}

/// The help of the whole program, as plain text.
pub(super) fn plain(words: Words) -> String {
    cli::page(&spoken(definition(words), words).render_help().to_string(), COLUMNS)
}

/// The manual page, with headings in the language of its texts.
pub(super) fn manual(words: Words) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(spoken(definition(words), words)).render(&mut page)?;
    let line = |line: &str| match line.strip_prefix(".SH ") {
        Some(heading) => format!(".SH {}\n", words.section(heading)),
        None => format!("{line}\n"),
    };
    Ok(String::from_utf8_lossy(&page).lines().map(line).collect())
}
