//! Hints of the footer, and the help on typed commands.

use noughts_protocol::Rules;

use crate::facts::FormKind;
use crate::i18n::{Texts, tr};
use crate::input::text_command::CommandWord;
use crate::input::{Action, KeyContext};

impl Texts {
    /// Labels the key that submits a form.
    pub fn submit_hint(self, form: FormKind) -> &'static str {
        match form {
            FormKind::Settings => tr!(self, "save", "сохранить", "保存", "儲存"),
            FormKind::Join => tr!(self, "join", "войти", "加入", "加入"),
            FormKind::Quick
            | FormKind::Private
            | FormKind::Host
            | FormKind::Local
            | FormKind::Bot => {
                tr!(self, "start", "начать", "开始", "開始")
            }
        }
    }

    /// Labels an action in the footer, in a word or two. Empty for actions that the footer never shows.
    pub fn hint(self, action: Action, context: KeyContext) -> &'static str {
        match action {
            Action::PlayCursor if context == KeyContext::Analysis => {
                tr!(self, "try", "проба", "试下", "試下")
            }
            Action::PlayCursor | Action::PlayDigit(_) => tr!(self, "place", "ход", "落子", "落子"),
            Action::OfferDraw => tr!(self, "draw", "ничья", "求和", "求和"),
            Action::Takeback => tr!(self, "take back", "вернуть", "悔棋", "悔棋"),
            Action::Resign => tr!(self, "resign", "сдаться", "认输", "認輸"),
            Action::Review if context == KeyContext::Analysis => {
                tr!(self, "next mistake", "ошибка", "下一失误", "下一失誤")
            }
            Action::Review => tr!(self, "analyse", "разбор", "分析", "分析"),
            Action::Save => tr!(self, "save", "сохранить", "保存", "儲存"),
            Action::AllMoves => tr!(self, "all moves", "все ходы", "全部着手", "全部著手"),
            Action::Autoplay if context == KeyContext::MultiWatch => {
                tr!(self, "hold", "задержать", "保留", "保留")
            }
            Action::Autoplay => tr!(self, "play", "показ", "自动", "自動"),
            Action::Choose if context == KeyContext::Moves => {
                tr!(self, "show", "показать", "显示", "顯示")
            }
            Action::Close if context == KeyContext::Moves => {
                tr!(self, "latest", "в конец", "到最后", "到最後")
            }
            Action::Zoom => tr!(self, "size", "размер", "大小", "大小"),
            Action::TurnBoard => tr!(self, "turn", "поворот", "翻转", "翻轉"),
            Action::Filter => tr!(self, "filter", "фильтр", "筛选", "篩選"),
            Action::ShowValues => tr!(self, "values", "оценки", "评估", "評估"),
            Action::ShowInvite if context == KeyContext::OwnRoom => {
                tr!(self, "QR code", "QR-код", "二维码", "QR 碼")
            }
            Action::ShowInvite if context == KeyContext::Waiting => {
                tr!(self, "invite", "пригласить", "邀请", "邀請")
            }
            Action::ShowInvite => tr!(self, "invite", "ссылка", "邀请", "邀請"),
            Action::ToggleGuideLines => tr!(self, "lines", "линии", "线", "線"),
            Action::MoveLayer(_) => tr!(self, "layer", "слой", "层", "層"),
            Action::CopyLink => tr!(self, "copy link", "ссылка", "复制链接", "複製連結"),
            Action::CopyCommand => tr!(self, "copy command", "команда", "复制命令", "複製指令"),
            Action::Say => tr!(self, "say", "фраза", "说话", "說話"),
            Action::SayPhrase(_) => tr!(self, "say", "сказать", "说", "說"),
            Action::Mute => tr!(self, "mute", "без фраз", "静音", "靜音"),
            Action::KeepSeat => tr!(
                self,
                "keep the seat",
                "место за мной",
                "保留座位",
                "保留座位"
            ),
            Action::OpenPrompt => tr!(self, "command", "команда", "命令", "指令"),
            Action::Help => tr!(self, "keys", "помощь", "按键", "按鍵"),
            Action::Leave if context == KeyContext::Home => {
                tr!(self, "quit", "выход", "退出", "退出")
            }
            Action::Leave => tr!(self, "leave", "выход", "离开", "離開"),
            Action::Close if context == KeyContext::LobbyFilter => {
                tr!(self, "show all", "показать все", "显示全部", "顯示全部")
            }
            Action::Close => tr!(self, "back", "назад", "返回", "返回"),
            Action::Accept => tr!(self, "accept", "принять", "接受", "接受"),
            Action::Decline => tr!(self, "decline", "отклонить", "拒绝", "拒絕"),
            Action::Rematch => tr!(self, "rematch", "реванш", "再来一局", "再來一局"),
            Action::NextOpponent => {
                tr!(
                    self,
                    "next opponent",
                    "новый соперник",
                    "下一位对手",
                    "下一位對手"
                )
            }
            Action::MeetOpponent => {
                tr!(self, "to your opponent", "к сопернику", "去对局", "去對局")
            }
            Action::InviteBot if context == KeyContext::Playing => {
                tr!(self, "substitute", "замена", "代打", "代打")
            }
            Action::NewRoom => tr!(self, "new room", "новая", "新房间", "新房間"),
            Action::InviteBot => {
                tr!(
                    self,
                    "play the computer",
                    "против компьютера",
                    "和机器人下",
                    "和機器人下"
                )
            }
            Action::Claim => tr!(self, "claim the win", "засчитать победу", "判胜", "判勝"),
            Action::Choose if context == KeyContext::Say => tr!(self, "say", "сказать", "说", "說"),
            Action::Choose if matches!(context, KeyContext::Lobby | KeyContext::LobbyFilter) => {
                tr!(self, "join", "войти", "加入", "加入")
            }
            Action::Choose if context == KeyContext::GamePicker => {
                tr!(self, "choose", "выбрать", "选择", "選擇")
            }
            Action::Choose => tr!(self, "open", "открыть", "打开", "開啟"),
            Action::Watch if context == KeyContext::Waiting => {
                tr!(self, "rooms", "комнаты", "房间", "房間")
            }
            Action::Watch => tr!(self, "watch", "смотреть", "观战", "觀戰"),
            Action::WatchAll => tr!(self, "watch all", "смотреть все", "全部观看", "全部觀看"),
            Action::Refresh => tr!(self, "refresh", "обновить", "刷新", "重新整理"),
            Action::Next if matches!(context, KeyContext::GamePicker | KeyContext::LobbyFilter) => {
                tr!(self, "move", "список", "移动", "移動")
            }
            Action::Next if context == KeyContext::Form => {
                tr!(self, "field", "поле", "切换", "切換")
            }
            Action::Next if context == KeyContext::MultiWatch => {
                tr!(self, "next", "далее", "下一个", "下一個")
            }
            Action::Next if context == KeyContext::Help => {
                tr!(self, "scroll", "листать", "滚动", "捲動")
            }
            Action::Next => tr!(self, "forward", "вперёд", "前进", "前進"),
            Action::Previous => tr!(self, "moves", "ходы", "前后一手", "前後一手"),
            Action::First => tr!(self, "first", "в начало", "到开头", "到開頭"),
            Action::NextOption => tr!(self, "change", "изменить", "更改", "更改"),
            Action::Last => tr!(self, "latest", "в конец", "到最后", "到最後"),
            Action::Yes => tr!(self, "yes", "да", "是", "是"),
            Action::No => tr!(self, "no", "нет", "否", "否"),
            Action::MoveCursor(..)
            | Action::MoveDepth(_)
            | Action::ChooseNumber(_)
            | Action::PreviousOption
            | Action::Interrupt
            | Action::Suspend
            | Action::Redraw => "",
        }
    }

    /// Labels an action in a narrow footer; `None` if the usual label is short enough.
    pub fn short_hint(self, action: Action) -> Option<&'static str> {
        (action == Action::Takeback).then(|| tr!(self, "back", "назад", "悔棋", "悔棋"))
    }

    /// Names an entry of the menu after a game.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the menu has only these actions"
    )]
    pub fn menu_action(self, action: Action, has_lost: bool) -> &'static str {
        match action {
            Action::Rematch => tr!(self, "Rematch", "Реванш", "再来一局", "再來一局"),
            Action::NextOpponent => {
                tr!(
                    self,
                    "Next opponent",
                    "Следующий соперник",
                    "下一位对手",
                    "下一位對手"
                )
            }
            Action::MeetOpponent => {
                tr!(
                    self,
                    "Play your opponent",
                    "К сопернику",
                    "和对手下",
                    "和對手下"
                )
            }
            Action::Review if has_lost => {
                tr!(
                    self,
                    "Find the losing move",
                    "Найти решающую ошибку",
                    "找出败着",
                    "找出敗著"
                )
            }
            Action::Review => tr!(
                self,
                "Analyse this game",
                "Разбор партии",
                "分析棋局",
                "分析棋局"
            ),
            Action::Save => tr!(
                self,
                "Save to a file",
                "Сохранить в файл",
                "保存到文件",
                "儲存到檔案"
            ),
            Action::ShowInvite => tr!(
                self,
                "Show how to watch",
                "Как смотреть",
                "观战方法",
                "觀戰方法"
            ),
            Action::Leave => tr!(self, "Leave", "Выйти", "离开", "離開"),
            other => self.action(other, KeyContext::GameOver),
        }
    }

    /// Labels the key that withdraws the player's own offer.
    pub fn withdraw_hint(self) -> &'static str {
        tr!(self, "withdraw", "отозвать", "收回", "收回")
    }

    /// Labels the key that opens the list of games.
    pub fn game_list_hint(self) -> &'static str {
        tr!(self, "list of games", "список игр", "游戏列表", "遊戲列表")
    }
}

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
