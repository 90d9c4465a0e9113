//! Texts about resumable games.

use crate::connection::server_url::ServerUrl;
use crate::i18n::game::sentences::with_blank_before;
use crate::i18n::{Texts, tr, trf};
use crate::io::saved_games::{SavedGame, SavedGameError};

impl Texts {
    /// Describes a resumable game: opponent, rules, and the server unless it is the default one.
    pub fn saved_game(self, game: &SavedGame) -> String {
        let against = match &game.opponent {
            Some(name) => {
                let zh_name = with_blank_before(name.as_str());
                trf!(
                    self,
                    "vs {name}",
                    "с {name}",
                    "对手{zh_name}",
                    "對手{zh_name}"
                )
            }
            None => tr!(
                self,
                "your own room",
                "ваша комната",
                "你的房间",
                "你的房間"
            )
            .to_owned(),
        };
        let (rules, host) = (self.rules_in_sentence(&game.rules), game.server.host());
        if game.server == ServerUrl::default() {
            trf!(
                self,
                "{against}, {rules}",
                "{against}, {rules}",
                "{against}，{rules}",
                "{against}，{rules}"
            )
        } else {
            trf!(
                self,
                "{against}, {rules}, on {host}",
                "{against}, {rules}, на {host}",
                "{against}，{rules}，服务器 {host}",
                "{against}，{rules}，伺服器 {host}"
            )
        }
    }

    pub(crate) fn continue_offer(self, game: &SavedGame) -> String {
        let game = self.saved_game(game);
        trf!(
            self,
            "Unfinished game: {game}. Resume it with noughts continue.",
            "Неоконченная партия: {game}. Продолжить: noughts continue.",
            "有一局未下完：{game}。用 noughts continue 继续。",
            "有一局未下完：{game}。用 noughts continue 繼續。"
        )
    }

    pub(crate) fn nothing_to_continue(self) -> &'static str {
        tr!(
            self,
            "This game can no longer be resumed.",
            "Эту партию больше нельзя продолжить.",
            "这一局已无法继续。",
            "這一局已無法繼續。"
        )
    }

    pub(crate) fn continue_error(self, error: &SavedGameError) -> String {
        match error {
            SavedGameError::Locked => tr!(
                self,
                "This game is open in another window.",
                "Эта партия открыта в другом окне.",
                "这一局已在另一个窗口中打开。",
                "這一局已在另一個視窗中開啟。"
            )
            .to_owned(),
            SavedGameError::NotFound => self.nothing_to_continue().to_owned(),
            SavedGameError::Io(error) => {
                let error = self.io_error(error);
                trf!(
                    self,
                    "Cannot resume the game: {error}.",
                    "Не удалось продолжить партию: {error}.",
                    "无法继续这一局：{error}。",
                    "無法繼續這一局：{error}。"
                )
            }
        }
    }

    pub(crate) fn save_error(self, error: &SavedGameError) -> String {
        let why = match error {
            SavedGameError::Locked | SavedGameError::NotFound => self.continue_error(error),
            SavedGameError::Io(error) => self.with_period(&self.io_error(error)),
        };
        trf!(
            self,
            "If this program is killed, you cannot resume this game: {why}",
            "Если программу прервут, партию нельзя будет продолжить: {why}",
            "若本程序被强行终止，这一局将无法继续：{why}",
            "若本程式被強制終止，這一局將無法繼續：{why}"
        )
    }

    pub(crate) fn corrupt_files(self, count: usize) -> String {
        if count == 1 {
            tr!(
                self,
                "A resumable game was damaged and has been deleted.",
                "Прерванная партия была повреждена и удалена.",
                "一局可继续的棋局已损坏并被删除。",
                "一局可繼續的棋局已損壞並被刪除。"
            )
            .to_owned()
        } else {
            trf!(
                self,
                "{count} resumable games were damaged and have been deleted.",
                "Удалено повреждённых прерванных партий: {count}.",
                "{count} 局可继续的棋局已损坏并被删除。",
                "{count} 局可繼續的棋局已損壞並被刪除。"
            )
        }
    }
}
