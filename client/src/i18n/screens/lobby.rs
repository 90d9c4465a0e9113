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

    /// Counts of the server, including players waiting for an opponent.
    pub fn lobby_counts_and_waiting(self, counts: LobbyCounts) -> String {
        let (all, waiting) = (self.lobby_counts(counts), counts.waiting);
        trf!(
            self,
            "{all}  waiting: {waiting}",
            "{all}  ждут: {waiting}",
            "{all}  等待 {waiting}",
            "{all}  等待 {waiting}"
        )
    }

    /// State of a server that answers.
    pub fn server_online(self) -> &'static str {
        tr!(self, "online", "на связи", "在线", "在線")
    }

    /// State of a server that does not answer.
    pub fn server_offline(self) -> &'static str {
        tr!(
            self,
            "offline; trying again. Only games on this computer are possible.",
            "нет связи, повторяем. Пока возможны только партии на этом компьютере.",
            "离线，正在重试。目前只能在本机对局。",
            "離線，正在重試。目前只能在本機對局。"
        )
    }

    /// Heading above the rooms.
    pub fn rooms_heading(self) -> &'static str {
        tr!(self, "Rooms:", "Комнаты:", "房间：", "房間：")
    }

    /// Hint after a long wait.
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

    /// Actions available during the wait.
    pub fn meanwhile(self) -> &'static str {
        tr!(self, "Meanwhile", "А пока", "等待期间", "等待期間")
    }
}
