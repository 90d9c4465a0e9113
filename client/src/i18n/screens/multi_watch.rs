//! Texts about several watched games.

use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::input::Key;

impl Texts {
    pub fn games_watched(self, count: usize) -> String {
        let games = russian_plural(count as u64, "партия", "партии", "партий");
        match count {
            1 => tr!(self, "1 game", "1 партия", "1 局", "1 局").to_owned(),
            _ => trf!(
                self,
                "{count} games",
                "{count} {games}",
                "{count} 局",
                "{count} 局"
            ),
        }
    }

    /// Title of the screen with several games.
    pub fn watching_title(self, count: usize) -> String {
        let games = self.games_watched(count);
        trf!(
            self,
            "Watching {games}",
            "Просмотр: {games}",
            "观战 {games}",
            "觀戰 {games}"
        )
    }

    /// Counts the games that do not fit on the screen.
    pub fn games_hidden(self, count: usize) -> String {
        let games = russian_plural(
            count as u64,
            "партия не помещается",
            "партии не помещаются",
            "партий не помещаются",
        );
        match count {
            1 => trf!(
                self,
                "{count} more game does not fit.",
                "Ещё {count} {games}.",
                "还有 {count} 局放不下。",
                "還有 {count} 局放不下。"
            ),
            _ => trf!(
                self,
                "{count} more games do not fit.",
                "Ещё {count} {games}.",
                "还有 {count} 局放不下。",
                "還有 {count} 局放不下。"
            ),
        }
    }

    /// Says how much room a board needs that is larger than its tile.
    pub fn board_needs(self, columns: u16, rows: u16) -> String {
        trf!(
            self,
            "The board needs {columns}x{rows} here.",
            "Доске нужно {columns}x{rows}.",
            "棋盘需要 {columns}x{rows}。",
            "棋盤需要 {columns}x{rows}。"
        )
    }

    /// Names the key that shows a game alone.
    pub fn shows_alone(self, key: Key) -> String {
        let key = self.key(key);
        trf!(
            self,
            "{key} shows it alone.",
            "{key} - показать одну эту партию.",
            "{key} 只看这一局。",
            "{key} 只看這一局。"
        )
    }

    /// Help in line mode for several games.
    pub fn multi_watch_help(self, count: usize) -> String {
        let games = self.games_watched(count);
        trf!(
            self,
            "{games}. Type a number to select a game and show its board; q to leave.",
            "{games}. Введите номер, чтобы выбрать партию и показать её доску; q - выйти.",
            "共 {games}。输入编号选择一局并显示其棋盘；q 离开。",
            "共 {games}。輸入編號選擇一局並顯示其棋盤；q 離開。"
        )
    }
}
