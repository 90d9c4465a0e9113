//! Texts of the lobby and of the waiting screen.

use noughts_protocol::wire::LobbyCounts;

use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// Numbers of connections and games on the server.
    pub fn lobby_counts(self, counts: LobbyCounts) -> String {
        let LobbyCounts {
            people,
            bots,
            games,
            ..
        } = counts;
        trf!(
            self,
            "people: {people}  bots: {bots}  games: {games}",
            "люди: {people}  боты: {bots}  партии: {games}",
            "玩家 {people}  机器人 {bots}  对局 {games}",
            "玩家 {people}  機器人 {bots}  對局 {games}"
        )
    }

    /// Headings of the list of seeks: player, game, clock, own mark, waiting time.
    pub fn seek_columns(self) -> [&'static str; 5] {
        [
            tr!(self, "Player", "Игрок", "玩家", "玩家"),
            tr!(self, "Game", "Игра", "游戏", "遊戲"),
            tr!(self, "Clock", "Часы", "计时", "計時"),
            tr!(self, "You play", "Вы за", "你执", "你執"),
            tr!(self, "Waiting", "Ждёт", "等待", "等待"),
        ]
    }

    /// Headings of the list of rooms: players, game, clock, number of moves, number of spectators, effect of Enter.
    pub fn room_columns(self) -> [&'static str; 6] {
        [
            tr!(self, "Players", "Игроки", "玩家", "玩家"),
            tr!(self, "Game", "Игра", "游戏", "遊戲"),
            tr!(self, "Clock", "Часы", "计时", "計時"),
            tr!(self, "Move", "Ход", "手数", "手數"),
            tr!(self, "Spect.", "Зрит.", "观众", "觀眾"),
            tr!(self, "Enter", "По Enter", "Enter 键", "Enter 鍵"),
        ]
    }

    /// Effect of choosing a room.
    pub fn room_effect(self, has_free_seat: bool) -> &'static str {
        match has_free_seat {
            true => tr!(self, "joins", "войти", "加入", "加入"),
            false => tr!(self, "watches", "смотреть", "观战", "觀戰"),
        }
    }

    /// A mark that the server chooses at random.
    pub fn random_seat(self) -> &'static str {
        tr!(self, "random", "случайно", "随机", "隨機")
    }

    /// A free seat in the list of rooms.
    pub fn free_seat(self) -> &'static str {
        tr!(self, "(free)", "(место)", "(空位)", "(空位)")
    }

    /// Heading of the list of seeks on the full screen.
    pub fn seeks_title(self) -> &'static str {
        tr!(
            self,
            "LOOKING FOR AN OPPONENT",
            "ИЩУТ СОПЕРНИКА",
            "正在寻找对手",
            "正在尋找對手"
        )
    }

    /// Heading of the list of rooms on the full screen.
    pub fn rooms_title(self) -> &'static str {
        tr!(self, "ROOMS", "КОМНАТЫ", "房间", "房間")
    }

    /// Title of the lobby.
    pub fn lobby_title(self, host: &str) -> String {
        trf!(
            self,
            "Rooms on {host}",
            "Комнаты на {host}",
            "{host} 上的房间",
            "{host} 上的房間"
        )
    }

    /// Shown instead of the lists while the lobby is empty.
    pub fn empty_lobby(self) -> &'static str {
        tr!(
            self,
            "Nobody is here yet.",
            "Здесь пока никого нет.",
            "这里还没有人。",
            "這裡還沒有人。"
        )
    }

    /// Label of the filter of the lobby.
    pub fn lobby_filter_label(self) -> &'static str {
        tr!(
            self,
            "Player or game:",
            "Игрок или игра:",
            "玩家或游戏：",
            "玩家或遊戲："
        )
    }

    /// Shown instead of the lists while no row matches the filter.
    pub fn nothing_matches(self) -> &'static str {
        tr!(
            self,
            "No player and no game of this name. Esc shows all.",
            "Нет ни игрока, ни игры с таким названием. Esc - показать все.",
            "没有这个名称的玩家或游戏。按 Esc 显示全部。",
            "沒有這個名稱的玩家或遊戲。按 Esc 顯示全部。"
        )
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

    /// Hint after a long wait, if others look for the same rules.
    pub fn similar_seeks(self) -> &'static str {
        tr!(
            self,
            "Others look for this game with another clock or seat.",
            "Эту игру ищут другие, но с другими часами или другой стороной.",
            "有人在找同样的棋，但计时或座位不同。",
            "有人在找同樣的棋，但計時或座位不同。"
        )
    }

    pub fn tv_title(self) -> &'static str {
        tr!(self, "TV", "ТВ", "直播", "直播")
    }

    /// Headline of the TV while no game is running.
    pub fn no_running_game(self) -> &'static str {
        tr!(
            self,
            "NO GAME IS RUNNING. The next one appears by itself.",
            "СЕЙЧАС ИГР НЕТ. Следующая появится сама.",
            "现在没有对局。新的对局会自动出现。",
            "現在沒有對局。新的對局會自動出現。"
        )
    }

    /// Title of the waiting screen.
    pub fn waiting_title(self, is_seek: bool) -> &'static str {
        match is_seek {
            true => tr!(
                self,
                "Find an opponent",
                "Поиск соперника",
                "寻找对手",
                "尋找對手"
            ),
            false => tr!(self, "Connecting", "Подключение", "正在连接", "正在連線"),
        }
    }

    pub fn seeking_headline(self) -> &'static str {
        tr!(
            self,
            "LOOKING FOR AN OPPONENT",
            "ИЩЕМ СОПЕРНИКА",
            "正在寻找对手",
            "正在尋找對手"
        )
    }

    /// Tells a waiting player that nothing more is to do.
    pub fn game_starts_by_itself(self) -> &'static str {
        tr!(
            self,
            "The game starts as soon as somebody joins.",
            "Партия начнётся, как только найдётся соперник.",
            "有人加入后，对局会立即开始。",
            "有人加入後，對局會立即開始。"
        )
    }

    /// Number of games that can be watched.
    pub fn games_on(self, games: u32) -> String {
        trf!(
            self,
            "games: {games}",
            "партии: {games}",
            "对局 {games}",
            "對局 {games}"
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
