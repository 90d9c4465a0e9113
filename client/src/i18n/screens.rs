//! Labels of the screens.

mod form;
mod form_choices;
mod keys;
mod multi_watch;
mod typed_commands;

use noughts_protocol::{Name, Phase, RoomRef};

use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::input::Key;
use crate::model::{Confirmation, MenuItem};
use crate::saved_games::SavedGame;
use crate::server_url::{Invite, ServerUrl};

impl Texts {
    /// What this program is called.
    pub fn program(self) -> &'static str {
        "noughts"
    }

    /// What this program is.
    pub fn tagline(self) -> &'static str {
        tr!(
            self,
            "Any k-in-a-row game, with anyone.",
            "Любая игра в k в ряд, с кем угодно.",
            "与任何人下任何连子棋。",
            "與任何人下任何連子棋。"
        )
    }

    /// An entry of the home screen, and what it is.
    pub fn menu_item(self, entry: MenuItem, unfinished: &[SavedGame]) -> (&'static str, String) {
        let (name, what) = match entry {
            MenuItem::Continue(place) => {
                return (
                    tr!(self, "Continue", "Продолжить", "继续", "繼續"),
                    unfinished.get(place).map_or_else(String::new, |game| self.saved_game(game)),
                );
            }
            MenuItem::Quick => (
                tr!(self, "Quick play", "Быстрая игра", "快速对局", "快速對局"),
                tr!(
                    self,
                    "anyone, the same game",
                    "с любым, та же игра",
                    "与任何人，同一游戏",
                    "與任何人，同一遊戲"
                ),
            ),
            MenuItem::Private => (
                tr!(self, "Private game", "Своя комната", "私人对局", "私人對局"),
                tr!(
                    self,
                    "a friend with a code",
                    "друг войдёт по коду",
                    "朋友凭邀请码加入",
                    "朋友憑邀請碼加入"
                ),
            ),
            MenuItem::Join => (
                tr!(self, "Join", "Войти", "加入", "加入"),
                tr!(self, "by a friend's code", "по коду от друга", "凭朋友的邀请码", "憑朋友的邀請碼"),
            ),
            MenuItem::Watch => (
                tr!(self, "Watch", "Смотреть", "观战", "觀戰"),
                tr!(self, "public rooms", "открытые комнаты", "公开房间", "公開房間"),
            ),
            MenuItem::Local => (
                tr!(self, "Play here", "Играть здесь", "本机对局", "本機對局"),
                tr!(self, "two here, no network", "вдвоём, без сети", "两人同机，不联网", "兩人同機，不連網"),
            ),
            MenuItem::Bot => (
                tr!(self, "Play the bot", "Против бота", "对战机器人", "對戰機器人"),
                tr!(self, "here, no network", "здесь, без сети", "本机，不联网", "本機，不連網"),
            ),
            MenuItem::Settings => (
                tr!(self, "Settings", "Настройки", "设置", "設定"),
                tr!(self, "kept for next time", "сохранятся", "会保存", "會儲存"),
            ),
            MenuItem::Quit => (tr!(self, "Quit", "Выход", "退出", "退出"), ""),
        };
        (name, what.to_owned())
    }

    /// What to type to take the seat in a room: the exact line.
    pub fn join_command(self, server: &ServerUrl, room: RoomRef) -> String {
        let server = (*server != ServerUrl::default()).then(|| server.clone());
        let invite = Invite { server, room }.to_string();
        format!("noughts join {invite}")
    }

    /// Where a room is in its life.
    pub fn phase(self, phase: Phase) -> &'static str {
        match phase {
            Phase::Waiting => tr!(self, "waiting", "ожидание", "等待中", "等待中"),
            Phase::Playing => tr!(self, "playing", "игра", "对局中", "對局中"),
            Phase::Over => tr!(self, "over", "конец", "已结束", "已結束"),
            Phase::Closed => tr!(self, "closed", "закрыта", "已关闭", "已關閉"),
        }
    }

    /// The columns of the longest of these, and a blank.
    pub fn phase_columns(self) -> usize {
        match self.lang() {
            Lang::En | Lang::Hans | Lang::Hant => 9,
            Lang::Ru => 10,
        }
    }

    /// A question, without how to answer it.
    pub fn confirmation(self, question: Confirmation) -> &'static str {
        match question {
            Confirmation::Leave => tr!(
                self,
                "A game is on. Leave it?",
                "Партия идёт. Выйти?",
                "棋局进行中。要离开吗？",
                "棋局進行中。要離開嗎？"
            ),
            Confirmation::Resign => tr!(self, "Give the game up?", "Сдаться?", "要认输吗？", "要認輸嗎？"),
        }
    }

    /// The screen is too small.
    pub fn too_small(self, columns: u16, rows: u16) -> [String; 2] {
        [
            tr!(self, "Too small.", "Слишком мал.", "屏幕太小。", "畫面太小。").to_owned(),
            trf!(
                self,
                "{columns}x{rows}, 30x10 needed.",
                "{columns}x{rows}, нужно 30x10.",
                "{columns}x{rows}，需要 30x10。",
                "{columns}x{rows}，需要 30x10。"
            ),
        ]
    }

    /// The full screen was asked for where there is none.
    pub fn no_terminal(self) -> &'static str {
        tr!(
            self,
            "The full screen needs a terminal at both ends; --ui line works everywhere.",
            "Полному экрану нужен терминал на вводе и выводе; --ui line работает везде.",
            "全屏界面的输入和输出都须是终端；--ui line 处处可用。",
            "全螢幕介面的輸入和輸出都須是終端機；--ui line 處處可用。"
        )
    }

    /// While the first connection comes about.
    pub fn connecting(self, server: &ServerUrl) -> String {
        trf!(
            self,
            "Connecting to {server} ...",
            "Подключение к {server} ...",
            "正在连接 {server} ...",
            "正在連線至 {server} ..."
        )
    }

    /// While one waits to be paired.
    pub fn waiting_for_opponent(self) -> &'static str {
        tr!(self, "Waiting for an opponent.", "Ожидание соперника.", "正在等待对手。", "正在等待對手。")
    }

    /// Under the code of a room.
    pub fn invite_labels(self) -> [&'static str; 2] {
        [
            tr!(self, "Code", "Код", "邀请码", "邀請碼"),
            tr!(self, "A friend joins with", "Друг входит командой", "朋友用此命令加入", "朋友用此指令加入"),
        ]
    }

    /// The list of rooms, when there are none.
    pub fn no_rooms(self) -> &'static str {
        tr!(self, "No public rooms.", "Открытых комнат нет.", "没有公开房间。", "沒有公開房間。")
    }

    /// The heading over those who wait.
    pub fn seeks_heading(self) -> &'static str {
        tr!(self, "Waiting to be paired:", "Ждут соперника:", "等待配对：", "等待配對：")
    }

    /// How to join from a list in line mode.
    pub fn lobby_help(self) -> &'static str {
        tr!(
            self,
            "A number joins, w and a number watches, g watches all that play, r fetches the list again, q leaves.",
            "Номер - войти, w и номер - смотреть, g - смотреть все партии, r - обновить список, q - выйти.",
            "编号加入，w 加编号观战，g 观看所有对局，r 刷新列表，q 离开。",
            "編號加入，w 加編號觀戰，g 觀看所有對局，r 重新整理，q 離開。"
        )
    }

    /// How to choose in line mode.
    pub fn menu_help(self) -> &'static str {
        tr!(self, "Type a number.", "Введите номер.", "请输入编号。", "請輸入編號。")
    }

    /// Whose turn it is.
    pub fn your_move(self) -> &'static str {
        tr!(self, "Your move.", "Ваш ход.", "轮到你。", "輪到你。")
    }

    /// That the other is to move.
    pub fn to_move(self, name: &str) -> String {
        trf!(self, "{name} is to move.", "Ходит {name}.", "轮到 {name}。", "輪到 {name}。")
    }

    /// That a bot here thinks.
    pub fn engine_thinking(self, name: &str) -> String {
        trf!(self, "{name} thinks.", "{name} думает.", "{name} 正在思考。", "{name} 正在思考。")
    }

    /// That a move is on its way.
    pub fn move_pending(self, cell: &str) -> String {
        trf!(self, "{cell} is on its way.", "Ход {cell} отправлен.", "{cell} 已发出。", "{cell} 已送出。")
    }

    /// That a list goes on below.
    pub fn more_below(self) -> &'static str {
        tr!(self, "More below.", "Ниже есть ещё.", "下面还有。", "下面還有。")
    }

    /// That a bot can be called, in line mode.
    pub fn bot_hint(self) -> &'static str {
        tr!(
            self,
            "Type bot to play a bot here, or q to leave.",
            "Введите bot, чтобы сыграть с ботом, или q, чтобы выйти.",
            "输入 bot 与机器人对局，或输入 q 离开。",
            "輸入 bot 與機器人對局，或輸入 q 離開。"
        )
    }

    /// That a bot has begun its work.
    pub fn bot_started(self, name: &Name, server: &ServerUrl) -> String {
        trf!(
            self,
            "{name} plays on {server} until Ctrl-C.",
            "{name} играет на {server} до Ctrl-C.",
            "{name} 在 {server} 上对局，按 Ctrl-C 结束。",
            "{name} 在 {server} 上對局，按 Ctrl-C 結束。"
        )
    }

    /// A record without a result.
    pub fn no_result(self) -> &'static str {
        tr!(self, "Not finished.", "Не окончена.", "未下完。", "未下完。")
    }

    /// The labels of the panel beside the board, and what else stands there.
    pub fn panel_label(self, label: PanelLabel) -> &'static str {
        match label {
            PanelLabel::You => tr!(self, "you", "вы", "你", "你"),
            PanelLabel::Free => tr!(self, "(free)", "(свободно)", "(空位)", "(空位)"),
            PanelLabel::Score => tr!(self, "Score", "Счёт", "比分", "比分"),
            PanelLabel::Last => tr!(self, "Last", "Ход", "上一手", "上一手"),
            PanelLabel::Lag => tr!(self, "Lag", "Связь", "延迟", "延遲"),
            PanelLabel::Cursor => tr!(self, "Cursor", "Курсор", "光标", "游標"),
            PanelLabel::Move => tr!(self, "Move", "Ход", "手数", "手數"),
            PanelLabel::Game => tr!(self, "Game", "Партия", "局数", "局數"),
            PanelLabel::Engine => tr!(self, "Engine", "Движок", "引擎", "引擎"),
            PanelLabel::Watchers => tr!(self, "Watch", "Зрители", "观战", "觀戰"),
            PanelLabel::RematchAsked => {
                tr!(
                    self,
                    "You propose a rematch.",
                    "Вы предлагаете реванш.",
                    "你提议再来一局。",
                    "你提議再來一局。"
                )
            }
        }
    }

    /// How friends come to play each other, for the home screen.
    pub fn host_hint(self) -> &'static str {
        tr!(
            self,
            "Host: noughts-server    Friends: noughts play HOST",
            "Свой сервер: noughts-server    Друзья: noughts play HOST",
            "开服务器：noughts-server    朋友：noughts play HOST",
            "開伺服器：noughts-server    朋友：noughts play HOST"
        )
    }

    /// What is shown is the game as it stands.
    pub fn live_label(self) -> &'static str {
        tr!(self, "* live", "* сейчас", "* 实时", "* 即時")
    }

    /// What is shown is an earlier position.
    pub fn plies_back(self, at: usize, all: usize) -> String {
        let behind = all - at;
        trf!(
            self,
            "< {at} of {all}, {behind} behind",
            "< {at} из {all}, позади на {behind}",
            "< 第 {at} 手，共 {all} 手，落后 {behind} 手",
            "< 第 {at} 手，共 {all} 手，落後 {behind} 手"
        )
    }

    /// Which key claims the win.
    pub fn claim_hint(self, key: Key) -> String {
        trf!(self, "{key} claims the win.", "{key} - присудить победу.", "按 {key} 判胜。", "按 {key} 判勝。")
    }

    /// Which key plays again.
    pub fn rematch_hint(self, key: Key) -> String {
        trf!(self, "{key} plays again.", "{key} - сыграть ещё.", "按 {key} 再来一局。", "按 {key} 再來一局。")
    }

    /// Which keys answer a proposal.
    pub fn answer_hint(self, accept: Key, decline: Key) -> String {
        trf!(
            self,
            "{accept} accept  {decline} decline",
            "{accept} принять  {decline} отклонить",
            "{accept} 接受  {decline} 拒绝",
            "{accept} 接受  {decline} 拒絕"
        )
    }

    /// The columns that the labels before a value take.
    pub fn label_columns(self) -> u16 {
        match self.lang() {
            Lang::En | Lang::Hans | Lang::Hant => 7,
            Lang::Ru => 8,
        }
    }
}

/// The labels of the panel beside the board.
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
