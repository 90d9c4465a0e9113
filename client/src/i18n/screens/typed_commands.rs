//! Descriptions of typed commands.

use noughts_protocol::Rules;

use crate::i18n::{Texts, tr};
use crate::input::text_command::CommandWord;

impl Texts {
    pub fn command_description(self, word: CommandWord) -> &'static str {
        match word {
            CommandWord::Board => tr!(
                self,
                "show the board, once or at each turn",
                "показать доску, один раз или каждый ход",
                "显示棋盘，一次或每回合",
                "顯示棋盤，一次或每回合"
            ),
            CommandWord::Scan => tr!(
                self,
                "read row 8; s h reads column h, s 2,3 row 2 of layer 3",
                "прочесть строку 8; s h - столбец h, s 2,3 - строку 2 слоя 3",
                "读出横行 8；s h 读竖列 h，s 2,3 读第 3 层的横行 2",
                "讀出橫列 8；s h 讀直行 h，s 2,3 讀第 3 層的橫列 2"
            ),
            CommandWord::Marks => {
                tr!(
                    self,
                    "list your marks",
                    "перечислить ваши знаки",
                    "列出你的棋子",
                    "列出你的棋子"
                )
            }
            CommandWord::Last => {
                tr!(
                    self,
                    "show the last move",
                    "показать последний ход",
                    "显示上一手",
                    "顯示上一手"
                )
            }
            CommandWord::Clocks => {
                tr!(
                    self,
                    "show the clocks",
                    "показать часы",
                    "显示剩余时间",
                    "顯示剩餘時間"
                )
            }
            CommandWord::Opponent => tr!(
                self,
                "show your opponent and the connection",
                "показать соперника и связь",
                "显示对手和连接",
                "顯示對手和連線"
            ),
            CommandWord::Invite => tr!(
                self,
                "show how others can watch",
                "показать, как смотреть эту партию",
                "显示观战方法",
                "顯示觀戰方法"
            ),
            CommandWord::Draw => tr!(self, "offer a draw", "предложить ничью", "提和", "提和"),
            CommandWord::Undo => tr!(
                self,
                "ask to take back your last move",
                "попросить вернуть ваш последний ход",
                "请求悔棋",
                "請求悔棋"
            ),
            CommandWord::Rematch => {
                tr!(
                    self,
                    "offer a rematch",
                    "предложить реванш",
                    "提议再来一局",
                    "提議再來一局"
                )
            }
            CommandWord::Accept => tr!(self, "accept", "принять", "接受", "接受"),
            CommandWord::Decline => tr!(self, "decline", "отклонить", "拒绝", "拒絕"),
            CommandWord::Resign => tr!(self, "resign", "сдаться", "认输", "認輸"),
            CommandWord::Claim => tr!(
                self,
                "claim after a disconnect",
                "засчитать победу или ничью, если соперник ушёл",
                "对手断线后判胜或判和",
                "對手斷線後判勝或判和"
            ),
            CommandWord::Flag => {
                tr!(
                    self,
                    "claim a win on time",
                    "засчитать победу по времени",
                    "超时判胜",
                    "超時判勝"
                )
            }
            CommandWord::InviteBot => tr!(
                self,
                "invite a bot to your room, or for an absent opponent",
                "пригласить бота в свою комнату или вместо ушедшего соперника",
                "邀请机器人进入自己的房间，或代替离开的对手",
                "邀請機器人進入自己的房間，或代替離開的對手"
            ),
            CommandWord::MeetOpponent => tr!(
                self,
                "leave the game with the computer for the opponent who has come",
                "оставить игру с компьютером ради пришедшего соперника",
                "离开与机器人的对局，去和到来的对手下",
                "離開與機器人的對局，去和到來的對手下"
            ),
            CommandWord::Say => tr!(
                self,
                "say phrase 1 to 12 of the menu (key s)",
                "сказать фразу 1-12 из меню (клавиша s)",
                "说菜单（s 键）中的第 1 至 12 句",
                "說選單（s 鍵）中的第 1 至 12 句"
            ),
            CommandWord::Mute => tr!(
                self,
                "hide / show phrases",
                "скрыть / показать фразы",
                "隐藏 / 显示短语",
                "隱藏 / 顯示短語"
            ),
            CommandWord::Values => tr!(
                self,
                "evaluate every free cell (offline and replay only)",
                "оценить все свободные клетки (только без сети и в записи)",
                "评估每个空格（仅限本机对局和回放）",
                "評估每個空格（僅限本機對局和回放）"
            ),
            CommandWord::Review => tr!(
                self,
                "evaluate every move of the finished game and find the losing one",
                "оценить ходы оконченной партии и найти проигрывающий",
                "复盘：评估每一手，找出败着",
                "覆盤：評估每一手，找出敗著"
            ),
            CommandWord::DigitOrder => tr!(
                self,
                "how number keys map to cells",
                "порядок цифр на клетках",
                "数字键与格子的对应方式",
                "數字鍵與格子的對應方式"
            ),
            CommandWord::Lang => tr!(
                self,
                "change the language",
                "сменить язык",
                "更改语言",
                "更改語言"
            ),
            CommandWord::Save => tr!(
                self,
                "save the game to a file, for noughts replay",
                "сохранить партию в файл, для noughts replay",
                "将棋局保存到文件，供 noughts replay 回放",
                "將棋局儲存到檔案，供 noughts replay 回放"
            ),
            CommandWord::Help => tr!(self, "this help", "эта справка", "本帮助", "本說明"),
            CommandWord::Leave => tr!(self, "leave", "выйти", "离开", "離開"),
        }
    }

    /// Describes the notations of a move.
    pub fn moves_help(self) -> [(&'static str, &'static str); 3] {
        [
            (
                "h8",
                tr!(
                    self,
                    "play column h, row 8; b2-3 in layer 3",
                    "столбец h, строка 8; b2-3 - в слое 3",
                    "在竖列 h、横行 8 落子；b2-3 在第 3 层",
                    "在直行 h、橫列 8 落子；b2-3 在第 3 層"
                ),
            ),
            (
                "1 3",
                tr!(
                    self,
                    "row 1, column 3; on boards with layers 3,2,1: column 3, row 2, layer 1",
                    "строка 1, столбец 3; на досках со слоями 3,2,1: столбец 3, строка 2, слой 1",
                    "第 1 行第 3 列；多层棋盘 3,2,1 为第 3 列第 2 行第 1 层",
                    "第 1 列第 3 行；多層棋盤 3,2,1 為第 3 行第 2 列第 1 層"
                ),
            ),
            (
                "5",
                tr!(
                    self,
                    "the cell or column with this number, on small boards",
                    "клетка или столбец с этим номером, на малых досках",
                    "小棋盘上该编号的格或列",
                    "小棋盤上該編號的格或行"
                ),
            ),
        ]
    }

    /// Headings of the rules and of the signs on the board in the help.
    pub fn game_help_headings(self) -> [&'static str; 2] {
        [
            tr!(self, "How to win", "Как победить", "如何获胜", "如何獲勝"),
            tr!(
                self,
                "Signs on the board",
                "Знаки на доске",
                "棋盘上的标记",
                "棋盤上的標記"
            ),
        ]
    }

    /// The signs on a board with these rules, and their meanings.
    pub fn board_signs(self, rules: &Rules) -> Vec<(&'static str, &'static str)> {
        let mut signs = vec![
            ("> <", tr!(self, "the cursor", "курсор", "光标", "游標")),
            (
                "[ ]",
                tr!(self, "the last move", "последний ход", "上一手", "上一手"),
            ),
            (
                "( )",
                tr!(
                    self,
                    "your move on its way",
                    "ваш ход отправляется",
                    "正在发送的一手",
                    "正在傳送的一手"
                ),
            ),
            (
                "* *",
                tr!(
                    self,
                    "the winning line",
                    "выигравшая линия",
                    "获胜的线",
                    "獲勝的線"
                ),
            ),
        ];
        if rules.gravity() {
            signs.push((
                ">x<",
                tr!(
                    self,
                    "where your mark lands",
                    "куда упадёт ваш знак",
                    "你的棋子落点",
                    "你的棋子落點"
                ),
            ));
        }
        if rules.dimensions() > 2 {
            signs.push((
                ": :",
                tr!(
                    self,
                    "the same place in other layers",
                    "то же место в других слоях",
                    "其他层的同一位置",
                    "其他層的同一位置"
                ),
            ));
        }
        signs
    }

    /// Headings of the in-game help.
    pub fn help_headings(self) -> [&'static str; 2] {
        [
            tr!(self, "Keys", "Клавиши", "按键", "按鍵"),
            tr!(
                self,
                "Commands (after :, or in line mode)",
                "Команды (после : или в построчном режиме)",
                "命令（在 : 之后，或在逐行模式中）",
                "指令（在 : 之後，或在逐行模式中）"
            ),
        ]
    }
}
