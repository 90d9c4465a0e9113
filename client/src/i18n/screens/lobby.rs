//! Texts of the home menu, of the lobby, and of several watched games.

use noughts_protocol::wire::LobbyCounts;

use crate::facts::{FormKind, MenuItem};
use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::input::Key;
use crate::io::saved_games::SavedGame;

impl Texts {
    /// Describes the program in the header of the home screen.
    pub fn tagline(self) -> &'static str {
        tr!(
            self,
            "Tic-tac-toe, Gomoku, Connect Four and more",
            "Крестики-нолики, гомоку, четыре в ряд и другие",
            "井字棋、五子棋、四子棋等",
            "井字棋、五子棋、四子棋等"
        )
    }

    /// Returns the name and the description of a home screen entry.
    pub fn menu_item(self, entry: MenuItem, saved_games: &[SavedGame]) -> (&'static str, String) {
        let (name, description) = match entry {
            MenuItem::Continue(index) => {
                return (
                    tr!(self, "Continue", "Продолжить", "继续", "繼續"),
                    saved_games
                        .get(index)
                        .map_or_else(String::new, |game| self.saved_game(game)),
                );
            }
            MenuItem::Quick => (
                self.form_title(FormKind::Quick),
                tr!(
                    self,
                    "find an opponent",
                    "найти соперника",
                    "寻找对手",
                    "尋找對手"
                ),
            ),
            MenuItem::Private => (
                self.form_title(FormKind::Private),
                tr!(
                    self,
                    "invite a friend",
                    "пригласить друга",
                    "邀请朋友",
                    "邀請朋友"
                ),
            ),
            MenuItem::Host => (
                self.form_title(FormKind::Host),
                tr!(
                    self,
                    "your own server, for a friend",
                    "для друга, на этом компьютере",
                    "自己开服务器，请朋友来",
                    "自己開伺服器，請朋友來"
                ),
            ),
            MenuItem::Join => (
                tr!(self, "Join", "Войти", "加入", "加入"),
                tr!(
                    self,
                    "enter a code",
                    "ввести код",
                    "输入邀请码",
                    "輸入邀請碼"
                ),
            ),
            MenuItem::Watch => (
                tr!(self, "Rooms", "Комнаты", "房间", "房間"),
                tr!(
                    self,
                    "join or watch",
                    "войти или смотреть",
                    "加入或观战",
                    "加入或觀戰"
                ),
            ),
            MenuItem::Local => (
                self.form_title(FormKind::Local),
                tr!(
                    self,
                    "on this computer",
                    "на этом компьютере",
                    "同一台电脑",
                    "同一台電腦"
                ),
            ),
            MenuItem::Bot => (
                self.form_title(FormKind::Bot),
                tr!(self, "offline", "без сети", "离线", "離線"),
            ),
            MenuItem::Settings => (
                self.form_title(FormKind::Settings),
                tr!(
                    self,
                    "name, language, colours",
                    "имя, язык, цвета",
                    "名字、语言、颜色",
                    "名字、語言、顏色"
                ),
            ),
            MenuItem::Quit => (tr!(self, "Quit", "Выход", "退出", "退出"), ""),
        };
        (name, description.to_owned())
    }

    /// Says what the server has for an entry of the menu; `None` for an entry without numbers.
    pub fn menu_counts(self, item: MenuItem, counts: LobbyCounts) -> Option<String> {
        let LobbyCounts { waiting, games, .. } = counts;
        let text = match item {
            MenuItem::Quick => {
                trf!(
                    self,
                    "find an opponent, waiting: {waiting}",
                    "найти соперника, ждут: {waiting}",
                    "寻找对手，等待 {waiting}",
                    "尋找對手，等待 {waiting}"
                )
            }
            MenuItem::Watch => {
                trf!(
                    self,
                    "join or watch, games: {games}",
                    "войти или смотреть, партии: {games}",
                    "加入或观战，对局 {games}",
                    "加入或觀戰，對局 {games}"
                )
            }
            MenuItem::Continue(_)
            | MenuItem::Private
            | MenuItem::Host
            | MenuItem::Join
            | MenuItem::Local
            | MenuItem::Bot
            | MenuItem::Settings
            | MenuItem::Quit => return None,
        };
        Some(text)
    }

    /// Description of an entry while no server answers.
    pub fn needs_server(self) -> &'static str {
        tr!(
            self,
            "needs a server",
            "нужен сервер",
            "需要服务器",
            "需要伺服器"
        )
    }

    /// Labels of the server and of the player's name.
    pub fn home_labels(self) -> [&'static str; 2] {
        [
            tr!(self, "Server", "Сервер", "服务器", "伺服器"),
            tr!(self, "You", "Вы", "你", "你"),
        ]
    }

    /// State of a server that has not answered.
    pub fn server_asked(self) -> &'static str {
        tr!(
            self,
            "connecting ...",
            "подключение ...",
            "正在连接 ...",
            "正在連線 ..."
        )
    }

    /// State of a server that answers.
    pub fn server_online(self) -> &'static str {
        tr!(self, "online", "на связи", "在线", "在線")
    }

    /// State of a server that does not answer, with the time until the next attempt.
    pub fn server_offline(self, left_ms: u64) -> String {
        let left = self.seconds(left_ms);
        trf!(
            self,
            "offline, next try in {left}",
            "нет связи, повтор через {left}",
            "离线，{left}后重试",
            "離線，{left}後重試"
        )
    }

    /// Says what helps while the server does not answer.
    pub fn server_help(self, key: Key) -> String {
        trf!(
            self,
            "{key} try now   or choose another server in the settings",
            "{key} повторить   или другой сервер в настройках",
            "{key} 立即重试   或在设置中换服务器",
            "{key} 立即重試   或在設定中換伺服器"
        )
    }
}

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
