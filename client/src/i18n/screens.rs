//! Texts of the screens.

mod form;
mod form_choices;
mod game_picker;
mod hints;
mod keys;
mod lobby;
mod multi_watch;
mod questions;
mod status;
mod typed_commands;

use noughts_protocol::{Name, Phase, RoomRef};

use crate::connection::server_url::ServerUrl;
use crate::facts::{FormKind, MenuItem};
use crate::i18n::game::sentences::{with_blank_after, with_blank_before};
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::input::Key;
use crate::io::saved_games::SavedGame;

/// The shortest invite that a person can type: without the parts of the address that are the default.
fn short_invite(server: &ServerUrl, room: RoomRef) -> String {
    if *server == ServerUrl::default() { room.to_string() } else { format!("{}#{room}", server.short()) }
}

impl Texts {
    pub fn program(self) -> &'static str {
        "noughts"
    }

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
                    saved_games.get(index).map_or_else(String::new, |game| self.saved_game(game)),
                );
            }
            MenuItem::Quick => (
                self.form_title(FormKind::Quick),
                tr!(self, "find an opponent", "найти соперника", "寻找对手", "尋找對手"),
            ),
            MenuItem::Private => (
                self.form_title(FormKind::Private),
                tr!(self, "invite a friend", "пригласить друга", "邀请朋友", "邀請朋友"),
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
                tr!(self, "enter a code", "ввести код", "输入邀请码", "輸入邀請碼"),
            ),
            MenuItem::Watch => (
                tr!(self, "Rooms", "Комнаты", "房间", "房間"),
                tr!(self, "join or watch", "войти или смотреть", "加入或观战", "加入或觀戰"),
            ),
            MenuItem::Local => (
                self.form_title(FormKind::Local),
                tr!(self, "on this computer", "на этом компьютере", "同一台电脑", "同一台電腦"),
            ),
            MenuItem::Bot => {
                (self.form_title(FormKind::Bot), tr!(self, "offline", "без сети", "离线", "離線"))
            }
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

    /// Returns the exact command that joins a room.
    pub fn join_command(self, server: &ServerUrl, room: RoomRef) -> String {
        format!("noughts join {}", short_invite(server, room))
    }

    /// Returns the exact command that watches a room.
    pub fn watch_command(self, server: &ServerUrl, room: RoomRef) -> String {
        format!("noughts watch {}", short_invite(server, room))
    }

    /// For a server on this computer: a note that the join command works only here, and the command for other computers,
    /// in which `ADDRESS` stands for the address of this one. `None` for other servers.
    pub fn remote_join_note(self, server: &ServerUrl, room: RoomRef) -> Option<[String; 2]> {
        server.is_loopback().then(|| {
            let note = tr!(
                self,
                "This works on this computer only. On another one, replace ADDRESS with the address of this one:",
                "Эта команда работает только на этом компьютере. На другом вместо ADDRESS укажите адрес этого:",
                "此命令仅在本机有效。在其他电脑上，请将 ADDRESS 换成本机地址：",
                "此指令僅在本機有效。在其他電腦上，請將 ADDRESS 換成本機位址："
            );
            let invite = short_invite(&server.with_host("ADDRESS"), room);
            [note.to_owned(), format!("noughts join {invite}")]
        })
    }

    /// Returns the link that joins a room in a browser; for a public room, the one that watches it.
    pub fn room_link(self, server: &ServerUrl, room: RoomRef) -> String {
        match room {
            RoomRef::Code(code) => format!("{}#{code}", server.page()),
            RoomRef::Id(id) => format!("{}#w/{id}", server.page()),
        }
    }

    /// Label of the link for a browser.
    pub fn link_label(self) -> &'static str {
        tr!(self, "In a browser", "В браузере", "在浏览器中", "在瀏覽器中")
    }

    pub fn phase(self, phase: Phase) -> &'static str {
        match phase {
            Phase::Waiting => tr!(self, "waiting", "ожидание", "等待中", "等待中"),
            Phase::Playing => tr!(self, "playing", "идёт", "对局中", "對局中"),
            Phase::Over => tr!(self, "over", "окончена", "已结束", "已結束"),
            Phase::Closed => tr!(self, "closed", "закрыта", "已关闭", "已關閉"),
        }
    }

    /// Width of the longest phase name plus one blank.
    pub fn phase_columns(self) -> usize {
        match self.lang() {
            Lang::En | Lang::Hans | Lang::Hant => 9,
            Lang::Ru => 10,
        }
    }

    /// Message for terminals below the minimum size, in two lines.
    pub fn too_small(self, columns: u16, rows: u16) -> [String; 2] {
        [
            tr!(self, "Terminal too small:", "Окно слишком мало:", "终端窗口太小：", "終端機視窗太小：")
                .to_owned(),
            trf!(
                self,
                "{columns}x{rows}, need 30x10.",
                "{columns}x{rows}, нужно 30x10.",
                "{columns}x{rows}，需要 30x10。",
                "{columns}x{rows}，需要 30x10。"
            ),
        ]
    }

    /// Error for `--ui full` without a terminal.
    pub fn no_terminal(self) -> &'static str {
        tr!(
            self,
            "Full-screen mode needs stdin and stdout to be a terminal. Use --ui line.",
            "Для полноэкранного режима stdin и stdout должны быть терминалом. Используйте --ui line.",
            "全屏模式要求 stdin 和 stdout 都是终端。请用 --ui line。",
            "全螢幕模式要求 stdin 和 stdout 都是終端機。請用 --ui line。"
        )
    }

    pub fn connecting(self, server: &ServerUrl) -> String {
        trf!(
            self,
            "Connecting to {server} ...",
            "Подключение к {server} ...",
            "正在连接 {server} ...",
            "正在連線至 {server} ..."
        )
    }

    pub fn waiting_for_opponent(self) -> &'static str {
        tr!(self, "Waiting for an opponent.", "Ожидание соперника.", "正在等待对手。", "正在等待對手。")
    }

    /// Labels of a room's code and of the command for a friend.
    pub fn invite_labels(self) -> [&'static str; 2] {
        [
            tr!(self, "Code", "Код", "邀请码", "邀請碼"),
            tr!(self, "Your friend types", "Друг вводит", "朋友输入", "朋友輸入"),
        ]
    }

    pub fn no_rooms(self) -> &'static str {
        tr!(self, "No public rooms yet.", "Открытых комнат пока нет.", "还没有公开房间。", "還沒有公開房間。")
    }

    /// Heading above the open seeks.
    pub fn seeks_heading(self) -> &'static str {
        tr!(self, "Looking for an opponent:", "Ищут соперника:", "正在寻找对手：", "正在尋找對手：")
    }

    /// Help below the list of rooms in line mode.
    pub fn lobby_help(self) -> &'static str {
        tr!(
            self,
            "Type a number to join, w and a number to watch, g to watch all games, r to refresh, q to leave.",
            "Номер - войти, w и номер - смотреть, g - смотреть все партии, r - обновить список, q - выйти.",
            "输入编号加入，w 加编号观战，g 观看所有对局，r 刷新列表，q 离开。",
            "輸入編號加入，w 加編號觀戰，g 觀看所有對局，r 重新整理，q 離開。"
        )
    }

    /// Help below a menu in line mode.
    pub fn menu_help(self) -> &'static str {
        tr!(self, "Type a number.", "Введите номер.", "请输入编号。", "請輸入編號。")
    }

    pub fn your_move(self) -> &'static str {
        tr!(self, "Your move.", "Ваш ход.", "轮到你。", "輪到你。")
    }

    pub fn to_move(self, name: &str) -> String {
        let zh_name = with_blank_before(name);
        trf!(self, "{name} is to move.", "Ходит {name}.", "轮到{zh_name}。", "輪到{zh_name}。")
    }

    /// Status while a local engine searches.
    pub fn engine_thinking(self, name: &str) -> String {
        let zh_name = with_blank_after(name);
        trf!(
            self,
            "{name} is thinking ...",
            "{name} думает ...",
            "{zh_name}正在思考 ...",
            "{zh_name}正在思考 ..."
        )
    }

    /// Status of a move without confirmation from the server.
    pub fn move_pending(self, cell: &str) -> String {
        trf!(
            self,
            "Sending {cell} ...",
            "Отправляется {cell} ...",
            "正在发送 {cell} ...",
            "正在傳送 {cell} ..."
        )
    }

    pub fn more_below(self) -> &'static str {
        tr!(self, "More (Down)", "Ещё (Вниз)", "更多（向下）", "更多（向下）")
    }

    /// Hint in line mode while waiting in a room.
    pub fn bot_hint(self) -> &'static str {
        tr!(
            self,
            "Type bot to play a bot, or q to leave.",
            "Введите bot, чтобы сыграть с ботом, или q, чтобы выйти.",
            "输入 bot 与机器人对局，或输入 q 离开。",
            "輸入 bot 與機器人對局，或輸入 q 離開。"
        )
    }

    /// Printed when `noughts bot` is ready.
    pub fn bot_started(self, name: &Name, server: &ServerUrl) -> String {
        let zh_name = with_blank_after(name.as_str());
        trf!(
            self,
            "{name} is playing on {server}. Ctrl-C to stop.",
            "{name} играет на {server}. Ctrl-C - остановить.",
            "{zh_name}正在 {server} 上对局。按 Ctrl-C 停止。",
            "{zh_name}正在 {server} 上對局。按 Ctrl-C 停止。"
        )
    }

    pub fn no_result(self) -> &'static str {
        tr!(self, "Not finished.", "Партия не окончена.", "未下完。", "未下完。")
    }

    /// Labels of the panel beside the board.
    pub fn panel_label(self, label: PanelLabel) -> &'static str {
        match label {
            PanelLabel::You => tr!(self, "you", "вы", "你", "你"),
            PanelLabel::Free => tr!(self, "(free)", "(свободно)", "（空位）", "（空位）"),
            PanelLabel::Score => tr!(self, "Score", "Счёт", "比分", "比分"),
            PanelLabel::Last => tr!(self, "Last", "Последний", "上一手", "上一手"),
            PanelLabel::Lag => tr!(self, "Ping", "Пинг", "延迟", "延遲"),
            PanelLabel::Cursor => tr!(self, "Cursor", "Курсор", "光标", "游標"),
            PanelLabel::Move => tr!(self, "Move", "Ход", "手数", "手數"),
            PanelLabel::Game => tr!(self, "Game", "Партия", "局数", "局數"),
            PanelLabel::Engine => tr!(self, "Engine", "Движок", "引擎", "引擎"),
            PanelLabel::Watchers => tr!(self, "Watching", "Зрители", "观战", "觀戰"),
            PanelLabel::RematchAsked => {
                tr!(
                    self,
                    "You offer a rematch.",
                    "Вы предлагаете реванш.",
                    "你提议再来一局。",
                    "你提議再來一局。"
                )
            }
        }
    }

    /// Instructions for hosting and joining on the home screen.
    pub fn host_hint(self) -> &'static str {
        tr!(
            self,
            "To host: run noughts-server. To join: noughts play HOST",
            "Свой сервер: noughts-server. Подключиться: noughts play HOST",
            "架设服务器：noughts-server。加入：noughts play HOST",
            "架設伺服器：noughts-server。加入：noughts play HOST"
        )
    }

    /// Label of the current position, for spectators.
    pub fn live_label(self) -> &'static str {
        tr!(self, "* Live", "* Сейчас", "* 实时", "* 即時")
    }

    /// Label of an earlier position, for spectators.
    pub fn plies_back(self, at: usize, all: usize) -> String {
        let behind = all - at;
        trf!(
            self,
            "< Move {at} of {all} ({behind} behind)",
            "< Ход {at} из {all} (отставание {behind})",
            "< 第 {at} 手，共 {all} 手（落后 {behind} 手）",
            "< 第 {at} 手，共 {all} 手（落後 {behind} 手）"
        )
    }

    pub fn claim_hint(self, key: Key) -> String {
        trf!(
            self,
            "Press {key} to claim the win.",
            "Нажмите {key}, чтобы засчитать победу.",
            "按 {key} 判胜。",
            "按 {key} 判勝。"
        )
    }

    pub fn rematch_hint(self, key: Key) -> String {
        trf!(
            self,
            "Press {key} for a rematch.",
            "Нажмите {key} для реванша.",
            "按 {key} 再来一局。",
            "按 {key} 再來一局。"
        )
    }

    pub fn answer_hint(self, accept: Key, decline: Key) -> String {
        trf!(
            self,
            "{accept} accept  {decline} decline",
            "{accept} принять  {decline} отклонить",
            "{accept} 接受  {decline} 拒绝",
            "{accept} 接受  {decline} 拒絕"
        )
    }

    /// Width of the longest panel label plus one blank.
    pub fn label_columns(self) -> u16 {
        match self.lang() {
            Lang::Hans | Lang::Hant => 7,
            Lang::En => 9,
            Lang::Ru => 10,
        }
    }
}

/// Labels of the panel beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelLabel {
    You,
    Free,
    Score,
    Last,
    Lag,
    Cursor,
    Move,
    Game,
    Engine,
    Watchers,
    RematchAsked,
}
