//! Layout of help pages. clap wraps only at blanks, which are rare in Chinese. Therefore clap prints each text on one
//! line, and this module wraps it.

use unicode_width::UnicodeWidthStr;

use crate::i18n::wrap_text;

/// Width of a help page without a terminal, in columns.
pub(crate) const DEFAULT_COLUMNS: u16 = 80;
/// Maximum width of a help page in columns.
const MAX_COLUMNS: u16 = 100;
/// Minimum width of a description beside its flag, in columns. A narrower description goes below its flag.
const MIN_TEXT_COLUMNS: u16 = 20;
/// Indentation of a description below its flag, in columns.
const DESCRIPTION_INDENT: u16 = 10;

/// Wraps a page to a width in columns. The page may contain escape sequences.
pub(crate) fn layout_help(text: &str, columns: u16) -> String {
    let columns = columns.min(MAX_COLUMNS);
    let mut output = String::new();
    for line in text.lines() {
        let (head, text) = split_head(line);
        let head_width = width(head);
        let available = columns.saturating_sub(head_width);
        if available >= width(text) || text.contains('\u{1b}') {
            output.push_str(line);
            output.push('\n');
            continue;
        }
        let (first, indent) = match head.trim_end() {
            head if available < MIN_TEXT_COLUMNS => (
                format!("{head}\n{:1$}", "", usize::from(DESCRIPTION_INDENT)),
                DESCRIPTION_INDENT,
            ),
            _ => (head.to_owned(), head_width),
        };
        output.push_str(&first);
        let line_break = format!("\n{:1$}", "", usize::from(indent));
        output.push_str(&wrap_text(text, columns.saturating_sub(indent).max(1)).join(&line_break));
        output.push('\n');
    }
    output
}

/// Splits a line into the flag with its padding, and the description. The flag of a line of prose is empty.
fn split_head(line: &str) -> (&str, &str) {
    let start = line.len() - line.trim_start().len();
    match line[start..].find("  ") {
        Some(gap) => {
            let rest = &line[start + gap..];
            line.split_at(start + gap + rest.len() - rest.trim_start().len())
        }
        None => line.split_at(start),
    }
}

/// Returns the width of a text in columns without its escape sequences.
fn width(text: &str) -> u16 {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().map_or(0, UnicodeWidthStr::width);
    // An escape sequence ends with its first letter.
    let rest = pieces.map(|piece| {
        piece
            .split_once(char::is_alphabetic)
            .map_or(0, |(_, text)| text.width())
    });
    u16::try_from(first + rest.sum::<usize>()).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_wrap_in_their_column() {
        let text = "About it.\n\n\u{1b}[1mOptions:\u{1b}[0m\n  \u{1b}[1m-x\u{1b}[0m <N>  one two three four five six\n";
        let expected = "About it.\n\n\u{1b}[1mOptions:\u{1b}[0m\n  \u{1b}[1m-x\u{1b}[0m <N>  one two three four\n          five six\n";
        assert_eq!(layout_help(text, 32), expected);
        assert_eq!(
            layout_help("  -x  在服务器上对局，也可以观战。说明会折行\n", 30),
            "  -x  在服务器上对局，也可以观\n      战。说明会折行\n"
        );
    }

    #[test]
    fn narrow_pages_put_text_below() {
        let text = "      --a-long-flag <SOME:VALUE>  one two three\n";
        assert_eq!(
            layout_help(text, 40),
            "      --a-long-flag <SOME:VALUE>\n          one two three\n"
        );
    }

    #[test]
    fn the_help_of_the_program_fills_80_columns_without_broken_paragraphs() {
        for lang in crate::i18n::lang::Lang::ALL {
            let texts = lang.texts();
            let mut command = crate::cli::definition(texts);
            for page in [command.render_help(), command.render_long_help()] {
                let page = layout_help(&page.to_string(), 80);
                let rows: Vec<&str> = page.lines().collect();
                for (row, next) in rows.iter().zip(rows.iter().skip(1)) {
                    assert!(width(row) <= 80, "{lang}: {row}");
                    // A row of prose is short only at the end of its paragraph.
                    let is_prose = |row: &str| !row.is_empty() && split_head(row).0.is_empty();
                    let next_word = next.split_whitespace().next().map_or(0, width);
                    let ends_early = width(row) + 1 + next_word <= 80;
                    let is_heading = row.trim_end().ends_with([':', '\u{ff1a}']);
                    assert!(
                        !(is_prose(row) && is_prose(next) && ends_early && !is_heading),
                        "{lang}: {row}\n{next}"
                    );
                }
            }
        }
    }
}
