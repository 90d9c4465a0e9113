//! The report of `noughts doctor`. Lines that start with `!` are problems.

use crate::facts::notification::{
    ColorCheck, DoctorReport, GlyphCheck, SavedGamesCheck, TerminalCheck,
};
use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, tr, trf};

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
                None => (
                    true,
                    trf!(
                        self,
                        "Settings: {path}",
                        "Настройки: {path}",
                        "设置：{path}",
                        "設定：{path}"
                    ),
                ),
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
                    let found = trf!(
                        self,
                        "{url}: {software}, version {version}, ping {ms} ms",
                        "{url}: {software}, версия {version}, пинг {ms} мс",
                        "{url}：{software}，版本 {version}，延迟 {ms} 毫秒",
                        "{url}：{software}，版本 {version}，延遲 {ms} 毫秒"
                    );
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
            let none = tr!(
                self,
                "stdin or stdout is not a terminal: using line mode",
                "stdin или stdout не терминал: построчный режим",
                "stdin 或 stdout 不是终端：使用逐行模式",
                "stdin 或 stdout 不是終端機：使用逐行模式"
            );
            return (true, none.to_owned());
        };
        let ((columns, rows), (min_columns, min_rows)) = (terminal.size, terminal.min_size);
        if terminal.is_large_enough() {
            let found = trf!(
                self,
                "Terminal: {columns}x{rows}",
                "Терминал: {columns}x{rows}",
                "终端：{columns}x{rows}",
                "終端機：{columns}x{rows}"
            );
            (true, found)
        } else {
            let small = trf!(
                self,
                "Terminal: {columns}x{rows}, need at least {min_columns}x{min_rows}",
                "Терминал: {columns}x{rows}, нужно хотя бы {min_columns}x{min_rows}",
                "终端：{columns}x{rows}，至少需要 {min_columns}x{min_rows}",
                "終端機：{columns}x{rows}，至少需要 {min_columns}x{min_rows}"
            );
            (false, small)
        }
    }

    fn colors(self, colors: ColorCheck) -> &'static str {
        match colors {
            ColorCheck::Yes => tr!(
                self,
                "Colours: on",
                "Цвета: включены",
                "颜色：启用",
                "顏色：啟用"
            ),
            ColorCheck::Disabled => tr!(
                self,
                "Colours: off (your setting)",
                "Цвета: выключены (ваша настройка)",
                "颜色：关闭（你的设置）",
                "顏色：關閉（你的設定）"
            ),
            ColorCheck::NoColor => tr!(
                self,
                "Colours: off (NO_COLOR is set)",
                "Цвета: выключены (задано NO_COLOR)",
                "颜色：关闭（已设置 NO_COLOR）",
                "顏色：關閉（已設定 NO_COLOR）"
            ),
            ColorCheck::Dumb => tr!(
                self,
                "Colours: off (TERM is dumb or unset)",
                "Цвета: выключены (TERM - dumb или не задан)",
                "颜色：关闭（TERM 为 dumb 或未设置）",
                "顏色：關閉（TERM 為 dumb 或未設定）"
            ),
        }
    }

    fn glyphs(self, glyphs: GlyphCheck) -> &'static str {
        match glyphs {
            GlyphCheck::BoxDrawing => {
                tr!(
                    self,
                    "Grid: Unicode",
                    "Сетка: Unicode",
                    "网格：Unicode",
                    "網格：Unicode"
                )
            }
            GlyphCheck::Chosen { unicode: true } => tr!(
                self,
                "Grid: Unicode (your setting)",
                "Сетка: Unicode (ваша настройка)",
                "网格：Unicode（你的设置）",
                "網格：Unicode（你的設定）"
            ),
            GlyphCheck::Chosen { unicode: false } => tr!(
                self,
                "Grid: ASCII (your setting)",
                "Сетка: ASCII (ваша настройка)",
                "网格：ASCII（你的设置）",
                "網格：ASCII（你的設定）"
            ),
            GlyphCheck::NoUtf8 => tr!(
                self,
                "Grid: ASCII (the locale is not UTF-8)",
                "Сетка: ASCII (локаль не UTF-8)",
                "网格：ASCII（系统区域不是 UTF-8）",
                "網格：ASCII（系統地區不是 UTF-8）"
            ),
            GlyphCheck::Wide => tr!(
                self,
                "Grid: ASCII (box-drawing characters are double width here)",
                "Сетка: ASCII (знаки рамок здесь двойной ширины)",
                "网格：ASCII（此终端的线条字符占两列）",
                "網格：ASCII（此終端機的線條字元佔兩欄）"
            ),
            GlyphCheck::NoReply => tr!(
                self,
                "Grid: ASCII (the terminal does not report its cursor position)",
                "Сетка: ASCII (терминал не сообщает положение курсора)",
                "网格：ASCII（终端不报告光标位置）",
                "網格：ASCII（終端機不回報游標位置）"
            ),
            GlyphCheck::NoTerminal => tr!(
                self,
                "Grid: ASCII (no terminal)",
                "Сетка: ASCII (нет терминала)",
                "网格：ASCII（没有终端）",
                "網格：ASCII（沒有終端機）"
            ),
        }
    }

    fn saved_games_directory(self, path: &str, check: &SavedGamesCheck) -> (bool, String) {
        match check {
            SavedGamesCheck::Private | SavedGamesCheck::Missing => {
                let found = trf!(
                    self,
                    "Resumable games: {path}",
                    "Прерванные партии: {path}",
                    "可继续的棋局：{path}",
                    "可繼續的棋局：{path}"
                );
                (true, found)
            }
            SavedGamesCheck::Shared(mode) => {
                let mode = format!("{mode:o}");
                let open = trf!(
                    self,
                    "{path} is readable by other users ({mode})",
                    "{path} доступен другим пользователям ({mode})",
                    "其他用户可以读取 {path} ({mode})",
                    "其他使用者可以讀取 {path} ({mode})"
                );
                (false, open)
            }
            SavedGamesCheck::Inaccessible(why) => {
                (false, self.with_reason(path, &self.io_error(why)))
            }
        }
    }
}
