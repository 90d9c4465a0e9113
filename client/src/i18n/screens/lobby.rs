//! Texts of the lobby and of the waiting screen.

use noughts_protocol::wire::LobbyCounts;

use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// Numbers of connections and games on the server.
    pub fn lobby_counts(self, counts: LobbyCounts) -> String {
        let LobbyCounts { people, bots, games, .. } = counts;
        trf!(
            self,
            "people: {people}  bots: {bots}  games: {games}",
            "люди: {people}  боты: {bots}  партии: {games}",
            "玩家 {people}  机器人 {bots}  对局 {games}",
            "玩家 {people}  機器人 {bots}  對局 {games}"
        )
    }

    /// Heading above the rooms.
    pub fn rooms_heading(self) -> &'static str {
        tr!(self, "Rooms:", "Комнаты:", "房间：", "房間：")
    }

    /// Shown to a player who has waited for a while.
    pub fn nobody_waits(self) -> &'static str {
        tr!(
            self,
            "Nobody else is looking for this game now.",
            "Эту игру сейчас больше никто не ищет.",
            "现在没有其他人在找这种对局。",
            "現在沒有其他人在找這種對局。"
        )
    }

    /// Label of the numbers of the server.
    pub fn on_the_server(self) -> &'static str {
        tr!(self, "On the server", "На сервере", "服务器上", "伺服器上")
    }

    /// What a waiting player can do meanwhile.
    pub fn meanwhile(self) -> &'static str {
        tr!(self, "Meanwhile", "А пока", "等待期间", "等待期間")
    }
}
