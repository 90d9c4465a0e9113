//! Several games at once.

use crate::i18n::{Texts, russian_plural, tr, trf};

impl Texts {
    /// How many games are watched.
    pub fn games_watched(self, count: usize) -> String {
        let games = russian_plural(count as u64, "партия", "партии", "партий");
        match count {
            1 => tr!(self, "1 game", "1 партия", "1 局", "1 局").to_owned(),
            _ => trf!(self, "{count} games", "{count} {games}", "{count} 局", "{count} 局"),
        }
    }

    /// That so many of them have no room on the screen.
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

    /// In line mode: that there are several, and how to speak of one.
    pub fn multi_watch_help(self, count: usize) -> String {
        let games = self.games_watched(count);
        trf!(
            self,
            "{games}. A number shows the board of one, and what is typed then is about it; q leaves.",
            "{games}. Номер показывает доску, и дальше команды о ней; q - выйти.",
            "共 {games}。输入编号显示该局棋盘，此后的命令都针对它；q 离开。",
            "共 {games}。輸入編號顯示該局棋盤，此後的指令都針對它；q 離開。"
        )
    }
}
