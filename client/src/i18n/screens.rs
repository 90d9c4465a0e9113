//! Texts of the screens: invitations, questions, and the title of the window.

mod form;
mod hints;
mod keys;
mod lobby;
mod status;

use noughts_protocol::{Name, Offer, Outcome, Phase, RoomRef};

use crate::connection::server_url::ServerUrl;
use crate::facts::{Confirmation, FormKind, LeaveEffect, PlayerRef};
use crate::i18n::game::with_blank_after;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};
use crate::input::{Action, Key};

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

    /// Returns a note that only this computer can reach a server, and how friends elsewhere can join. Returns `None` for a
    /// server that other computers reach.
    pub fn local_server_note(self, server: &ServerUrl) -> Option<String> {
        let host = self.form_title(FormKind::Host);
        server.is_loopback().then(|| {
            trf!(
                self,
                "Only this computer can reach this server. For a friend elsewhere: {host} (in the menu), or noughts-server --listen 0.0.0.0:7878",
                "Этот сервер доступен только с этого компьютера. Для друга на другом: {host} (в меню) или noughts-server --listen 0.0.0.0:7878",
                "只有本机能连接此服务器。要让别处的朋友加入：{host}（菜单），或 noughts-server --listen 0.0.0.0:7878",
                "只有本機能連線此伺服器。要讓別處的朋友加入：{host}（選單），或 noughts-server --listen 0.0.0.0:7878"
            )
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

impl Texts {
    /// Confirmation prompt without the keys that answer it.
    pub fn confirmation(self, question: Confirmation) -> &'static str {
        match question {
            Confirmation::Leave {
                effect: LeaveEffect::Nothing,
            } => {
                tr!(
                    self,
                    "Leave this game?",
                    "Выйти из партии?",
                    "要离开这一局吗？",
                    "要離開這一局嗎？"
                )
            }
            Confirmation::Leave {
                effect: LeaveEffect::Aborts,
            } => tr!(
                self,
                "Abort and leave this game?",
                "Отменить партию и выйти?",
                "要取消并离开这一局吗？",
                "要取消並離開這一局嗎？"
            ),
            Confirmation::Leave {
                effect: LeaveEffect::Resigns,
            } => tr!(
                self,
                "Resign and leave this game?",
                "Сдаться и выйти из партии?",
                "要认输并离开这一局吗？",
                "要認輸並離開這一局嗎？"
            ),
            Confirmation::Resign => tr!(self, "Resign?", "Сдаться?", "要认输吗？", "要認輸嗎？"),
            Confirmation::OpenLobby => tr!(
                self,
                "Stop looking for an opponent, and see who is there?",
                "Прекратить поиск и посмотреть, кто здесь?",
                "要停止寻找对手，看看有谁在吗？",
                "要停止尋找對手，看看有誰在嗎？"
            ),
            Confirmation::InviteFriend => tr!(
                self,
                "Stop looking for an opponent, and invite a friend?",
                "Прекратить поиск и пригласить друга?",
                "要停止寻找对手，改为邀请朋友吗？",
                "要停止尋找對手，改為邀請朋友嗎？"
            ),
            Confirmation::Abort => tr!(
                self,
                "Abort without a result?",
                "Отменить партию без результата?",
                "要取消这一局，不计结果吗？",
                "要取消這一局，不計結果嗎？"
            ),
            Confirmation::ClaimDraw => tr!(
                self,
                "End the game as a draw?",
                "Закончить партию вничью?",
                "要以和棋结束这一局吗？",
                "要以和棋結束這一局嗎？"
            ),
            Confirmation::AgreeDraw => tr!(
                self,
                "Do both players agree to a draw?",
                "Оба игрока согласны на ничью?",
                "双方都同意和棋吗？",
                "雙方都同意和棋嗎？"
            ),
        }
    }

    /// Names an answer to a question; `None` if the question has no such answer.
    pub fn answer(self, question: Confirmation, action: Action) -> Option<&'static str> {
        let leave_effect = match question {
            Confirmation::Leave { effect } => Some(effect),
            Confirmation::Resign
            | Confirmation::Abort
            | Confirmation::AgreeDraw
            | Confirmation::ClaimDraw
            | Confirmation::OpenLobby
            | Confirmation::InviteFriend => None,
        };
        if action == Action::No {
            return Some(match question {
                Confirmation::Leave { .. } => tr!(self, "Stay", "Остаться", "留下", "留下"),
                Confirmation::ClaimDraw => {
                    tr!(self, "Keep waiting", "Ждать дальше", "继续等待", "繼續等待")
                }
                Confirmation::OpenLobby | Confirmation::InviteFriend => {
                    tr!(
                        self,
                        "Keep looking",
                        "Искать дальше",
                        "继续寻找",
                        "繼續尋找"
                    )
                }
                Confirmation::Resign | Confirmation::Abort | Confirmation::AgreeDraw => {
                    tr!(self, "Play on", "Играть дальше", "继续下", "繼續下")
                }
            });
        }
        if action == Action::KeepSeat {
            let keep = tr!(
                self,
                "Close, keep my seat",
                "Закрыть, место за мной",
                "关闭，保留座位",
                "關閉，保留座位"
            );
            return leave_effect
                .is_some_and(LeaveEffect::is_final)
                .then_some(keep);
        }
        (action == Action::Yes).then(|| match question {
            Confirmation::Leave {
                effect: LeaveEffect::Resigns,
            } => {
                tr!(
                    self,
                    "Leave and resign",
                    "Сдаться и выйти",
                    "认输并离开",
                    "認輸並離開"
                )
            }
            Confirmation::Leave {
                effect: LeaveEffect::Aborts,
            } => {
                tr!(
                    self,
                    "Abort and leave",
                    "Отменить и выйти",
                    "取消并离开",
                    "取消並離開"
                )
            }
            Confirmation::Leave {
                effect: LeaveEffect::Nothing,
            } => {
                tr!(self, "Leave", "Выйти", "离开", "離開")
            }
            Confirmation::Resign => tr!(self, "Resign", "Сдаться", "认输", "認輸"),
            Confirmation::Abort => tr!(self, "Abort", "Отменить", "取消这一局", "取消這一局"),
            Confirmation::AgreeDraw => {
                tr!(
                    self,
                    "Agree to a draw",
                    "Согласиться на ничью",
                    "和棋",
                    "和棋"
                )
            }
            Confirmation::OpenLobby | Confirmation::InviteFriend => {
                tr!(
                    self,
                    "Stop looking",
                    "Прекратить поиск",
                    "停止寻找",
                    "停止尋找"
                )
            }
            Confirmation::ClaimDraw => {
                tr!(self, "Claim the draw", "Засчитать ничью", "判和", "判和")
            }
        })
    }

    /// Labels the key that resigns, before both players have moved: the game then ends without a result.
    pub fn abort_hint(self) -> &'static str {
        tr!(self, "abort", "отменить", "取消", "取消")
    }

    /// Describes that key in the help.
    pub fn abort_action(self) -> &'static str {
        tr!(
            self,
            "abort without a result (asks first)",
            "отменить без результата (с вопросом)",
            "取消这一局，不计结果（会先询问）",
            "取消這一局，不計結果（會先詢問）"
        )
    }
}

impl Texts {
    /// Name of the program in a title.
    pub fn program_title(self) -> &'static str {
        "Noughts"
    }

    pub fn title_turn(self) -> &'static str {
        tr!(self, "* your move", "* ваш ход", "* 轮到你", "* 輪到你")
    }

    pub fn title_offline(self) -> &'static str {
        tr!(self, "! offline", "! нет связи", "! 离线", "! 離線")
    }

    pub fn title_waiting(self) -> &'static str {
        tr!(
            self,
            "waiting for an opponent",
            "ожидание соперника",
            "等待对手",
            "等待對手"
        )
    }

    /// State of a game with an offer of the opponent.
    pub fn title_offer(self, offer: Offer) -> &'static str {
        match offer {
            Offer::Draw => tr!(self, "? draw", "? ничья", "? 求和", "? 求和"),
            Offer::Takeback => tr!(self, "? take back", "? возврат хода", "? 悔棋", "? 悔棋"),
            Offer::Rematch => tr!(self, "? rematch", "? реванш", "? 再来一局", "? 再來一局"),
        }
    }

    /// Result of a game for the reader: a player or a spectator.
    pub fn title_result(self, outcome: &Outcome, players: &[PlayerRef; 2]) -> String {
        let Some(winner) = outcome.winner() else {
            return match outcome {
                Outcome::Aborted => tr!(self, "aborted", "отменена", "已取消", "已取消").to_owned(),
                Outcome::Full
                | Outcome::Agreed
                | Outcome::Abandoned { .. }
                | Outcome::Line { .. }
                | Outcome::Resigned { .. }
                | Outcome::Flag { .. } => tr!(self, "draw", "ничья", "和棋", "和棋").to_owned(),
            };
        };
        let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
        if winner.you {
            return tr!(self, "you win", "вы выиграли", "你赢了", "你贏了").to_owned();
        }
        if loser.you {
            return tr!(self, "you lost", "вы проиграли", "你输了", "你輸了").to_owned();
        }
        let name = &winner.name;
        let zh_name = with_blank_after(name.as_str());
        trf!(
            self,
            "{name} wins",
            "выиграл {name}",
            "{zh_name}获胜",
            "{zh_name}獲勝"
        )
    }
}
