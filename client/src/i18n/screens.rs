//! Texts of the screens.

mod form;
mod form_choices;
mod game_picker;
mod hints;
mod home;
mod keys;
mod lobby;
mod multi_watch;
mod questions;
mod status;
mod typed_commands;
mod window_title;

use noughts_protocol::{Name, Phase, RoomRef};

use crate::connection::server_url::ServerUrl;
use crate::i18n::game::sentences::with_blank_after;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::input::Key;

/// The shortest invite that a person can type: without the parts of the address that are the default.
fn short_invite(server: &ServerUrl, room: RoomRef) -> String {
    if *server == ServerUrl::default() {
        room.to_string()
    } else {
        format!("{}#{room}", server.short())
    }
}

impl Texts {
    pub fn program(self) -> &'static str {
        "noughts"
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

    /// Returns the link that joins a room in a browser.
    pub fn room_link(self, server: &ServerUrl, room: RoomRef) -> String {
        format!("{}#{room}", server.page())
    }

    /// Label of the link for a browser.
    pub fn link_label(self) -> &'static str {
        tr!(
            self,
            "In a browser",
            "В браузере",
            "在浏览器中",
            "在瀏覽器中"
        )
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
            tr!(
                self,
                "Terminal too small:",
                "Окно слишком мало:",
                "终端窗口太小：",
                "終端機視窗太小："
            )
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
        tr!(
            self,
            "Waiting for an opponent.",
            "Ожидание соперника.",
            "正在等待对手。",
            "正在等待對手。"
        )
    }

    /// Labels of the code of a private room, or of the id of a public one, and of the command for a friend.
    pub fn invite_labels(self, room: RoomRef) -> [&'static str; 2] {
        [
            match room {
                RoomRef::Code(_) => tr!(self, "Code", "Код", "邀请码", "邀請碼"),
                RoomRef::Id(_) => tr!(self, "Room", "Комната", "房间", "房間"),
            },
            tr!(
                self,
                "Your friend types",
                "Друг вводит",
                "朋友输入",
                "朋友輸入"
            ),
        ]
    }

    /// Help below the code of a room.
    pub fn code_hint(self) -> &'static str {
        tr!(
            self,
            "read it out, letters in any case",
            "можно продиктовать, регистр любой",
            "可以口述，不分大小写",
            "可以口述，不分大小寫"
        )
    }

    pub fn no_rooms(self) -> &'static str {
        tr!(
            self,
            "No public rooms yet.",
            "Открытых комнат пока нет.",
            "还没有公开房间。",
            "還沒有公開房間。"
        )
    }

    /// Says what to do in a lobby without rooms and players.
    pub fn empty_lobby_hint(self, room: Key, bot: Key) -> String {
        trf!(
            self,
            "{room} opens a room, {bot} plays the computer.",
            "{room} - открыть комнату, {bot} - играть против компьютера.",
            "{room} 开房间，{bot} 和机器人下。",
            "{room} 開房間，{bot} 和機器人下。"
        )
    }

    /// Heading above the open seeks.
    pub fn seeks_heading(self) -> &'static str {
        tr!(
            self,
            "Looking for an opponent:",
            "Ищут соперника:",
            "正在寻找对手：",
            "正在尋找對手："
        )
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
        tr!(
            self,
            "Type a number.",
            "Введите номер.",
            "请输入编号。",
            "請輸入編號。"
        )
    }

    pub fn your_move(self) -> &'static str {
        tr!(self, "Your move.", "Ваш ход.", "轮到你。", "輪到你。")
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
        tr!(
            self,
            "More (Down)",
            "Ещё (Вниз)",
            "更多（向下）",
            "更多（向下）"
        )
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
        tr!(
            self,
            "Not finished.",
            "Партия не окончена.",
            "未下完。",
            "未下完。"
        )
    }

    /// Labels of the panel beside the board.
    pub fn panel_label(self, label: PanelLabel) -> &'static str {
        match label {
            PanelLabel::You => tr!(self, "you", "вы", "你", "你"),
            PanelLabel::Free => tr!(self, "(free)", "(свободно)", "（空位）", "（空位）"),
            PanelLabel::Score => tr!(self, "Score", "Счёт", "比分", "比分"),
            PanelLabel::Engine => tr!(self, "Engine", "Движок", "引擎", "引擎"),
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
}

/// Labels of the panel beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelLabel {
    You,
    Free,
    Score,
    Engine,
    RematchAsked,
}
