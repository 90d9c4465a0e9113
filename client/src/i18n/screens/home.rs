//! Texts of the home screen.

use noughts_protocol::wire::LobbyCounts;

use crate::facts::{FormKind, MenuItem};
use crate::i18n::{Texts, tr, trf};
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
