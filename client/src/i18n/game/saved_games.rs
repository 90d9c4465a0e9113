//! What is said of games that can be continued.

use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::saved_games::{SavedGame, SavedGameError};
use crate::server_url::ServerUrl;

impl Texts {
    /// A game to continue: against whom, what, and where if not on this machine.
    pub fn saved_game(self, game: &SavedGame) -> String {
        let against = match &game.opponent {
            Some(name) => trf!(self, "against {name}", "соперник {name}", "对手 {name}", "對手 {name}"),
            None => tr!(self, "your own room", "ваша комната", "你的房间", "你的房間").to_owned(),
        };
        let (rules, host) = (self.rules(&game.rules), game.server.host());
        if game.server == ServerUrl::default() {
            trf!(self, "{against}, {rules}", "{against}, {rules}", "{against}，{rules}", "{against}，{rules}")
        } else {
            trf!(
                self,
                "{against}, {rules}, on {host}",
                "{against}, {rules}, сервер {host}",
                "{against}，{rules}，服务器 {host}",
                "{against}，{rules}，伺服器 {host}"
            )
        }
    }

    pub(crate) fn continue_offer(self, game: &SavedGame) -> String {
        let game = self.saved_game(game);
        trf!(
            self,
            "A game is not finished: {game}. noughts continue goes on with it.",
            "Есть незаконченная партия: {game}. Продолжить её: noughts continue.",
            "有一局未下完：{game}。用 noughts continue 继续。",
            "有一局未下完：{game}。用 noughts continue 繼續。"
        )
    }

    pub(crate) fn nothing_to_continue(self) -> &'static str {
        tr!(
            self,
            "There is no such game to continue any more.",
            "Такой партии, которую можно продолжить, больше нет.",
            "已没有这样一局可以继续。",
            "已沒有這樣一局可以繼續。"
        )
    }

    pub(crate) fn continue_error(self, error: &SavedGameError) -> String {
        match error {
            SavedGameError::Locked => tr!(
                self,
                "Another noughts plays this game already.",
                "Эту партию уже играет другая программа noughts.",
                "另一个 noughts 正在下这一局。",
                "另一個 noughts 正在下這一局。"
            )
            .to_owned(),
            SavedGameError::NotFound => self.nothing_to_continue().to_owned(),
            SavedGameError::Io(error) => {
                let error = self.io_error(error);
                trf!(
                    self,
                    "The game cannot be continued: {error}.",
                    "Продолжить партию нельзя: {error}.",
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
            "If this program is killed, this game cannot be continued: {why}",
            "Если программу прервать, продолжить партию будет нельзя: {why}",
            "若本程序被强行终止，这一局将无法继续：{why}",
            "若本程式被強制終止，這一局將無法繼續：{why}"
        )
    }

    pub(crate) fn corrupt_files(self, count: usize) -> String {
        let games = russian_plural(count as u64, "партии", "партий", "партий");
        if count == 1 {
            tr!(
                self,
                "What was kept of a game was damaged, and is removed.",
                "Сохранённые данные партии повреждены и удалены.",
                "一局的存档已损坏，已删除。",
                "一局的存檔已損壞，已刪除。"
            )
            .to_owned()
        } else {
            trf!(
                self,
                "What was kept of {count} games was damaged, and is removed.",
                "Сохранённые данные {count} {games} повреждены и удалены.",
                "{count} 局的存档已损坏，已删除。",
                "{count} 局的存檔已損壞，已刪除。"
            )
        }
    }
}
