//! The report of `noughts doctor`. A line that starts with `!` is a problem.

use crate::facts::doctor::{ColorCheck, DoctorReport, GlyphCheck, SavedGamesCheck, TerminalCheck};
use crate::i18n::errors::sanitize;
use crate::i18n::messages::{DOCTOR_COLORS, DOCTOR_GLYPHS};
use crate::i18n::{Texts, word};

impl Texts {
    /// Formats the whole report; each line ends with a newline.
    pub fn doctor_report(self, report: &DoctorReport) -> String {
        let mut lines = vec![self.terminal(report.terminal)];
        let term = report
            .term
            .as_deref()
            .map_or_else(|| "-".to_owned(), sanitize);
        lines.push((true, format!("TERM: {term}")));
        lines.push((true, self.colors(report.colors).to_owned()));
        lines.push((true, self.glyphs(report.glyphs).to_owned()));
        let (lang, from) = (report.lang.own_name(), sanitize(&report.lang_origin));
        lines.push((true, format!("{lang} ({from})")));
        if let Some((path, error)) = &report.settings {
            let path = path.display();
            lines.push(match error {
                None => (true, self.doctor_settings(path)),
                Some(error) => (false, self.settings_file_error(error)),
            });
        }
        if let Some((path, check)) = &report.saved_games {
            lines.push(self.saved_games_directory(&path.display().to_string(), check));
        }
        if let Some((url, ping)) = &report.server {
            lines.push(match ping {
                Ok(ping) => {
                    let (software, version, ms) =
                        (sanitize(&ping.software), ping.version, ping.lag_ms);
                    let found = self.doctor_server(ms, software, url, version);
                    (true, found)
                }
                Err(reason) => (false, self.close_reason(reason, url)),
            });
        }
        let line =
            |(is_ok, text): &(bool, String)| format!("{} {text}\n", if *is_ok { ' ' } else { '!' });
        lines.iter().map(line).collect()
    }

    fn terminal(self, terminal: Option<TerminalCheck>) -> (bool, String) {
        let Some(terminal) = terminal else {
            let none = self.doctor_no_terminal();
            return (true, none.to_owned());
        };
        let ((columns, rows), (min_columns, min_rows)) = (terminal.size, terminal.min_size);
        if terminal.is_large_enough() {
            let found = self.doctor_terminal(columns, rows);
            (true, found)
        } else {
            let small = self.doctor_terminal_too_small(columns, min_columns, min_rows, rows);
            (false, small)
        }
    }

    fn colors(self, colors: ColorCheck) -> &'static str {
        self.keyed(&DOCTOR_COLORS, &word(&colors))
    }

    fn glyphs(self, glyphs: GlyphCheck) -> &'static str {
        self.keyed(&DOCTOR_GLYPHS, &word(&glyphs))
    }

    fn saved_games_directory(self, path: &str, check: &SavedGamesCheck) -> (bool, String) {
        match check {
            SavedGamesCheck::Private | SavedGamesCheck::Missing => {
                let found = self.doctor_saved_games(path);
                (true, found)
            }
            SavedGamesCheck::Open(mode) => {
                let mode = format!("{mode:o}");
                let open = self.doctor_saved_games_shared(mode, path);
                (false, open)
            }
            SavedGamesCheck::Closed(why) => (false, self.with_reason(path, self.io_error(why))),
        }
    }
}
