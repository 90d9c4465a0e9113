//! What a checkup has found, line by line. `!` at the head says that something is wrong.

use crate::doctor::{ColorCheck, DoctorReport, GlyphCheck, SavedGamesCheck, TerminalCheck};
use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// A checkup, with the end of each line.
    pub fn doctor_report(self, checkup: &DoctorReport) -> String {
        let mut lines = vec![self.terminal(checkup.terminal)];
        let term = checkup.term.as_deref().map_or_else(|| "-".to_owned(), sanitize);
        lines.push((true, format!("TERM: {term}")));
        lines.push((true, self.colors(checkup.colors).to_owned()));
        lines.push((true, self.glyphs(checkup.glyphs).to_owned()));
        let (lang, from) = (checkup.lang.own_name(), sanitize(&checkup.lang_origin));
        lines.push((true, format!("{lang} ({from})")));
        if let Some((path, error)) = &checkup.settings {
            let path = path.display();
            lines.push(match error {
                None => (
                    true,
                    trf!(self, "Settings: {path}", "Настройки: {path}", "设置：{path}", "設定：{path}"),
                ),
                Some(error) => (false, self.settings_file_error(error)),
            });
        }
        if let Some((path, folder)) = &checkup.saved_games {
            lines.push(self.saved_games_folder(&path.display().to_string(), folder));
        }
        if let Some((url, ping)) = &checkup.server {
            lines.push(match ping {
                Ok(round) => {
                    let (software, version, ms) = (sanitize(&round.software), round.version, round.lag_ms);
                    let found = trf!(
                        self,
                        "{url}: {software}, version {version}, answers in {ms} ms",
                        "{url}: {software}, версия {version}, отвечает за {ms} мс",
                        "{url}：{software}，版本 {version}，{ms} 毫秒内应答",
                        "{url}：{software}，版本 {version}，{ms} 毫秒內應答"
                    );
                    (true, found)
                }
                Err(ended) => (false, self.close_reason(ended, url)),
            });
        }
        let line = |(is_ok, text): &(bool, String)| format!("{} {text}\n", if *is_ok { ' ' } else { '!' });
        lines.iter().map(line).collect()
    }

    fn terminal(self, terminal: Option<TerminalCheck>) -> (bool, String) {
        let Some(terminal) = terminal else {
            let none = tr!(
                self,
                "No terminal at both ends: line by line",
                "Терминал не с обеих сторон: построчный режим",
                "两端不都是终端：逐行模式",
                "兩端不都是終端機：逐行模式"
            );
            return (true, none.to_owned());
        };
        let ((columns, rows), (least_columns, least_rows)) = (terminal.size, terminal.min_size);
        if terminal.is_large_enough() {
            let found = trf!(
                self,
                "Terminal of {columns}x{rows}",
                "Терминал {columns}x{rows}",
                "终端 {columns}x{rows}",
                "終端機 {columns}x{rows}"
            );
            (true, found)
        } else {
            let small = trf!(
                self,
                "Terminal of {columns}x{rows}: {least_columns}x{least_rows} are needed",
                "Терминал {columns}x{rows}: нужно {least_columns}x{least_rows}",
                "终端 {columns}x{rows}：至少需要 {least_columns}x{least_rows}",
                "終端機 {columns}x{rows}：至少需要 {least_columns}x{least_rows}"
            );
            (false, small)
        }
    }

    fn colors(self, colors: ColorCheck) -> &'static str {
        match colors {
            ColorCheck::Yes => tr!(self, "Colours", "Цвета есть", "有颜色", "有顏色"),
            ColorCheck::Disabled => tr!(
                self,
                "No colours: so it is chosen",
                "Без цвета: так выбрано",
                "无颜色：按你的选择",
                "無顏色：按你的選擇"
            ),
            ColorCheck::NoColor => tr!(
                self,
                "No colours: NO_COLOR is set",
                "Без цвета: задано NO_COLOR",
                "无颜色：设了 NO_COLOR",
                "無顏色：設了 NO_COLOR"
            ),
            ColorCheck::Dumb => tr!(
                self,
                "No colours: TERM says dumb, or nothing",
                "Без цвета: TERM - dumb или не задан",
                "无颜色：TERM 为 dumb 或未设置",
                "無顏色：TERM 為 dumb 或未設定"
            ),
        }
    }

    fn glyphs(self, grid: GlyphCheck) -> &'static str {
        match grid {
            GlyphCheck::BoxDrawing => tr!(
                self,
                "The grid is drawn with lines",
                "Сетка рисуется линиями",
                "网格用线条绘制",
                "網格用線條繪製"
            ),
            GlyphCheck::Chosen { unicode: true } => tr!(
                self,
                "The grid is drawn with lines: so it is chosen",
                "Сетка рисуется линиями: так выбрано",
                "网格用线条绘制：按你的选择",
                "網格用線條繪製：按你的選擇"
            ),
            GlyphCheck::Chosen { unicode: false } => tr!(
                self,
                "The grid is drawn with ASCII: so it is chosen",
                "Сетка рисуется знаками ASCII: так выбрано",
                "网格用 ASCII 绘制：按你的选择",
                "網格用 ASCII 繪製：按你的選擇"
            ),
            GlyphCheck::NoUtf8 => tr!(
                self,
                "The grid is drawn with ASCII: the locale is not UTF-8",
                "Сетка рисуется знаками ASCII: локаль не UTF-8",
                "网格用 ASCII 绘制：系统区域不是 UTF-8",
                "網格用 ASCII 繪製：系統地區不是 UTF-8"
            ),
            GlyphCheck::Wide => tr!(
                self,
                "The grid is drawn with ASCII: here a line takes two columns",
                "Сетка рисуется знаками ASCII: линия здесь занимает две колонки",
                "网格用 ASCII 绘制：此终端的线条占两列",
                "網格用 ASCII 繪製：此終端機的線條佔兩欄"
            ),
            GlyphCheck::NoReply => tr!(
                self,
                "The grid is drawn with ASCII: the terminal does not tell where its cursor is",
                "Сетка рисуется знаками ASCII: терминал не сообщает, где его курсор",
                "网格用 ASCII 绘制：终端不报告光标位置",
                "網格用 ASCII 繪製：終端機不回報游標位置"
            ),
            GlyphCheck::NoTerminal => tr!(
                self,
                "The grid is drawn with ASCII: there is no terminal to ask",
                "Сетка рисуется знаками ASCII: нет терминала, чтобы спросить",
                "网格用 ASCII 绘制：没有可询问的终端",
                "網格用 ASCII 繪製：沒有可詢問的終端機"
            ),
        }
    }

    fn saved_games_folder(self, path: &str, folder: &SavedGamesCheck) -> (bool, String) {
        match folder {
            SavedGamesCheck::Private | SavedGamesCheck::Missing => {
                let found = trf!(
                    self,
                    "Games to continue: {path}",
                    "Прерванные игры: {path}",
                    "可继续的棋局：{path}",
                    "可繼續的棋局：{path}"
                );
                (true, found)
            }
            SavedGamesCheck::Shared(mode) => {
                let mode = format!("{mode:o}");
                let open = trf!(
                    self,
                    "Others may look into {path} ({mode})",
                    "В {path} могут заглянуть другие ({mode})",
                    "其他人可以查看 {path} ({mode})",
                    "其他人可以查看 {path} ({mode})"
                );
                (false, open)
            }
            SavedGamesCheck::Inaccessible(why) => (false, self.with_reason(path, &self.io_error(why))),
        }
    }
}
