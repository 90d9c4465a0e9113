//! Names of keys, and descriptions of actions for the help.

use std::borrow::Cow;

use crate::i18n::{Texts, tr};
use crate::input::{Action, Key, KeyContext};

impl Texts {
    /// Describes an action in the help. Actions with equal texts share a row.
    pub fn action(self, action: Action, context: KeyContext) -> &'static str {
        match action {
            Action::MoveCursor(..) if context == KeyContext::MultiWatch => self.adjacent_games(),
            Action::MoveCursor(..) if context == KeyContext::GameOver => {
                tr!(
                    self,
                    "choose an entry",
                    "выбрать пункт",
                    "选择菜单项",
                    "選擇選單項目"
                )
            }
            Action::MoveCursor(..) => {
                tr!(
                    self,
                    "move the cursor",
                    "двигать курсор",
                    "移动光标",
                    "移動游標"
                )
            }
            Action::MoveLayer(_) => tr!(
                self,
                "previous / next layer",
                "предыдущий / следующий слой",
                "上一层 / 下一层",
                "上一層 / 下一層"
            ),
            Action::MoveDepth(_) => tr!(
                self,
                "previous / next layer (4-D: along the 4th axis)",
                "предыдущий / следующий слой (4-D: вдоль 4-й оси)",
                "上一层 / 下一层（四维：沿第四轴）",
                "上一層 / 下一層（四維：沿第四軸）"
            ),
            Action::PlayCursor if context == KeyContext::Analysis => {
                tr!(
                    self,
                    "try the move",
                    "попробовать ход",
                    "试下此处",
                    "試下此處"
                )
            }
            Action::PlayCursor => tr!(
                self,
                "play the cell",
                "пойти в клетку",
                "在此落子",
                "在此落子"
            ),
            Action::PlayDigit(_) => tr!(
                self,
                "play the cell or column with this number",
                "пойти в клетку или столбец с этим номером",
                "在该编号的格或列落子",
                "在該編號的格或行落子"
            ),
            Action::ToggleGuideLines => tr!(
                self,
                "show / hide lines through the cursor",
                "показать / скрыть линии через курсор",
                "显示 / 隐藏经过光标的线",
                "顯示 / 隱藏經過游標的線"
            ),
            Action::OpenPrompt => tr!(
                self,
                "type a command or a cell",
                "ввести команду или клетку",
                "输入命令或格子",
                "輸入指令或格子"
            ),
            Action::Help => tr!(self, "this help", "эта справка", "本帮助", "本說明"),
            Action::Leave if context == KeyContext::Home => {
                tr!(self, "quit", "выйти", "退出", "退出")
            }
            Action::Leave => tr!(self, "leave", "выйти", "离开", "離開"),
            Action::Close if context == KeyContext::Help => {
                tr!(
                    self,
                    "close the help",
                    "закрыть справку",
                    "关闭帮助",
                    "關閉說明"
                )
            }
            Action::Close => tr!(self, "go back", "назад", "返回", "返回"),
            Action::ShowValues if matches!(context, KeyContext::Replay | KeyContext::Analysis) => {
                tr!(
                    self,
                    "evaluate every free cell",
                    "оценить все свободные клетки",
                    "评估每个空格",
                    "評估每個空格"
                )
            }
            Action::ShowValues => tr!(
                self,
                "evaluate every free cell (offline and replay only)",
                "оценить все свободные клетки (только без сети и в записи)",
                "评估每个空格（仅限本机对局和回放）",
                "評估每個空格（僅限本機對局和回放）"
            ),
            Action::Review if context == KeyContext::Analysis => {
                tr!(
                    self,
                    "next mistake",
                    "следующая ошибка",
                    "下一个失误",
                    "下一個失誤"
                )
            }
            Action::Review if context == KeyContext::GameOver => {
                tr!(
                    self,
                    "analyse the game",
                    "разбор партии",
                    "分析棋局",
                    "分析棋局"
                )
            }
            Action::Review => {
                tr!(
                    self,
                    "find the losing move",
                    "найти проигрывающий ход",
                    "找出败着",
                    "找出敗著"
                )
            }
            Action::OfferDraw => tr!(self, "offer a draw", "предложить ничью", "提和", "提和"),
            Action::Takeback => {
                tr!(
                    self,
                    "ask to take back",
                    "попросить вернуть ход",
                    "请求悔棋",
                    "請求悔棋"
                )
            }
            Action::Resign => {
                tr!(
                    self,
                    "resign (asks)",
                    "сдаться (с вопросом)",
                    "认输（先询问）",
                    "認輸（先詢問）"
                )
            }
            Action::Save => tr!(
                self,
                "save to a file",
                "сохранить в файл",
                "保存到文件",
                "儲存到檔案"
            ),
            Action::AllMoves => tr!(self, "all moves", "все ходы", "全部着手", "全部著手"),
            Action::Autoplay if context == KeyContext::MultiWatch => tr!(
                self,
                "keep finished games / go on with running ones",
                "оставить законченные партии / показывать идущие",
                "保留已结束的对局 / 换成进行中的",
                "保留已結束的對局 / 換成進行中的"
            ),
            Action::Autoplay => tr!(
                self,
                "play by itself, one move a second",
                "показывать ходы по одному в секунду",
                "每秒自动走一手",
                "每秒自動走一手"
            ),
            Action::TurnBoard => tr!(
                self,
                "turn the board: first row at the other end",
                "перевернуть доску: первая строка с другой стороны",
                "上下翻转棋盘，格子名称不变",
                "上下翻轉棋盤，格子名稱不變"
            ),
            Action::Filter => tr!(
                self,
                "show only some players or games",
                "показать только некоторых игроков или игры",
                "只显示部分玩家或游戏",
                "只顯示部分玩家或遊戲"
            ),
            Action::Zoom => tr!(
                self,
                "size of the cells",
                "размер клеток",
                "格子大小",
                "格子大小"
            ),
            Action::Accept => {
                tr!(
                    self,
                    "accept the offer",
                    "принять предложение",
                    "接受提议",
                    "接受提議"
                )
            }
            Action::Decline => tr!(
                self,
                "decline, or withdraw your own offer",
                "отклонить или отозвать своё предложение",
                "拒绝，或收回自己的提议",
                "拒絕，或收回自己的提議"
            ),
            Action::Rematch => tr!(self, "rematch", "реванш", "再来一局", "再來一局"),
            Action::NextOpponent => {
                tr!(
                    self,
                    "next opponent",
                    "следующий соперник",
                    "下一位对手",
                    "下一位對手"
                )
            }
            Action::MeetOpponent => tr!(
                self,
                "play the opponent who came",
                "играть с пришедшим соперником",
                "和到来的对手下",
                "和到來的對手下"
            ),
            Action::ShowInvite if context == KeyContext::OwnRoom => {
                tr!(
                    self,
                    "show / hide the QR code",
                    "показать / скрыть QR-код",
                    "显示 / 隐藏二维码",
                    "顯示 / 隱藏 QR 碼"
                )
            }
            Action::ShowInvite if context == KeyContext::Waiting => {
                tr!(
                    self,
                    "invite a friend",
                    "пригласить друга",
                    "邀请朋友",
                    "邀請朋友"
                )
            }
            Action::ShowInvite => tr!(
                self,
                "show how others can watch",
                "показать, как смотреть эту партию",
                "显示观战方法",
                "顯示觀戰方法"
            ),
            Action::NewRoom => tr!(self, "open a room", "открыть комнату", "开房间", "開房間"),
            Action::InviteBot if matches!(context, KeyContext::Lobby | KeyContext::Home) => {
                tr!(
                    self,
                    "play the computer",
                    "играть против компьютера",
                    "和机器人下",
                    "和機器人下"
                )
            }
            Action::InviteBot if context == KeyContext::Waiting => tr!(
                self,
                "play the computer; search goes on",
                "играть с компьютером; поиск идёт",
                "和机器人下，同时继续寻找",
                "和機器人下，同時繼續尋找"
            ),
            Action::InviteBot => tr!(
                self,
                "invite a bot",
                "пригласить бота",
                "邀请机器人",
                "邀請機器人"
            ),
            Action::Claim => tr!(
                self,
                "claim the win if your opponent is gone",
                "засчитать победу, если соперник ушёл",
                "对手离开后判胜",
                "對手離開後判勝"
            ),
            Action::Previous | Action::Next => match context {
                KeyContext::Replay
                | KeyContext::Watching
                | KeyContext::Playing
                | KeyContext::GameOver
                | KeyContext::Analysis => {
                    tr!(
                        self,
                        "back / forward one move",
                        "на ход назад / вперёд",
                        "上一手 / 下一手",
                        "上一手 / 下一手"
                    )
                }
                KeyContext::MultiWatch => self.adjacent_games(),
                KeyContext::Form => tr!(
                    self,
                    "previous / next field",
                    "предыдущее / следующее поле",
                    "上一项 / 下一项",
                    "上一項 / 下一項"
                ),
                KeyContext::Home
                | KeyContext::GamePicker
                | KeyContext::LobbyFilter
                | KeyContext::Lobby
                | KeyContext::Waiting
                | KeyContext::OwnRoom
                | KeyContext::Confirmation
                | KeyContext::Say
                | KeyContext::Moves
                | KeyContext::Help => tr!(
                    self,
                    "up / down",
                    "вверх / вниз",
                    "向上 / 向下",
                    "向上 / 向下"
                ),
            },
            Action::PreviousOption | Action::NextOption if context == KeyContext::Help => {
                tr!(
                    self,
                    "page up / down",
                    "на экран вверх / вниз",
                    "上一屏 / 下一屏",
                    "上一頁 / 下一頁"
                )
            }
            Action::PreviousOption | Action::NextOption => {
                tr!(
                    self,
                    "change the value",
                    "изменить значение",
                    "更改选项",
                    "更改選項"
                )
            }
            Action::Choose => match context {
                KeyContext::MultiWatch => {
                    tr!(
                        self,
                        "show only this game",
                        "только эту партию",
                        "只看这一局",
                        "只看這一局"
                    )
                }
                KeyContext::Form => tr!(self, "start", "начать", "开始", "開始"),
                KeyContext::Lobby => tr!(
                    self,
                    "join, or watch if the game is full",
                    "войти, а если мест нет - смотреть",
                    "加入；座位已满则观战",
                    "加入；座位已滿則觀戰"
                ),
                KeyContext::Home
                | KeyContext::GamePicker
                | KeyContext::LobbyFilter
                | KeyContext::Waiting
                | KeyContext::OwnRoom
                | KeyContext::Playing
                | KeyContext::GameOver
                | KeyContext::Watching
                | KeyContext::Replay
                | KeyContext::Analysis
                | KeyContext::Confirmation
                | KeyContext::Say
                | KeyContext::Moves
                | KeyContext::Help => tr!(self, "choose", "выбрать", "选择", "選擇"),
            },
            Action::ChooseNumber(_) => tr!(
                self,
                "open the entry with this number",
                "открыть пункт с этим номером",
                "打开该编号的项目",
                "開啟該編號的項目"
            ),
            Action::Watch if context == KeyContext::Waiting => {
                tr!(
                    self,
                    "see who is there",
                    "посмотреть, кто здесь",
                    "看看有谁在",
                    "看看有誰在"
                )
            }
            Action::Watch => tr!(self, "watch", "смотреть", "观战", "觀戰"),
            Action::WatchAll => tr!(
                self,
                "watch all games side by side",
                "смотреть все партии сразу",
                "并排观看所有对局",
                "並排觀看所有對局"
            ),
            Action::Refresh if context == KeyContext::MultiWatch => {
                tr!(
                    self,
                    "reconnect",
                    "подключиться снова",
                    "重新连接",
                    "重新連線"
                )
            }
            Action::Refresh if context == KeyContext::Home => tr!(
                self,
                "try to reach the server now",
                "повторить попытку связи с сервером",
                "立即重新连接服务器",
                "立即重新連線伺服器"
            ),
            Action::Refresh => {
                tr!(
                    self,
                    "refresh",
                    "обновить список",
                    "刷新列表",
                    "重新整理列表"
                )
            }
            Action::First | Action::Last
                if matches!(context, KeyContext::Home | KeyContext::Lobby) =>
            {
                tr!(
                    self,
                    "first / last entry",
                    "первый / последний пункт",
                    "第一项 / 最后一项",
                    "第一項 / 最後一項"
                )
            }
            Action::First | Action::Last => tr!(
                self,
                "first / last position",
                "первая / последняя позиция",
                "最初 / 最后的局面",
                "最初 / 最後的局面"
            ),
            Action::Yes => tr!(self, "yes", "да", "是", "是"),
            Action::No => tr!(self, "no", "нет", "否", "否"),
            Action::CopyLink => tr!(
                self,
                "copy the link for a browser",
                "скопировать ссылку для браузера",
                "复制浏览器链接",
                "複製瀏覽器連結"
            ),
            Action::CopyCommand => tr!(
                self,
                "copy the command for a terminal",
                "скопировать команду для терминала",
                "复制终端命令",
                "複製終端機指令"
            ),
            Action::Say => tr!(self, "say a phrase", "сказать фразу", "说句话", "說句話"),
            Action::SayPhrase(_) => {
                tr!(
                    self,
                    "say this phrase",
                    "сказать эту фразу",
                    "说这一句",
                    "說這一句"
                )
            }
            Action::Mute => tr!(
                self,
                "hide / show phrases",
                "скрыть / показать фразы",
                "隐藏 / 显示短语",
                "隱藏 / 顯示短語"
            ),
            Action::KeepSeat => tr!(
                self,
                "quit and keep the seat",
                "закрыть, место за мной",
                "退出并保留座位",
                "退出並保留座位"
            ),
            Action::Interrupt => tr!(
                self,
                "quit (during a game: asks once)",
                "выйти (во время партии - с вопросом)",
                "退出（对局中先询问）",
                "退出（對局中先詢問）"
            ),
            Action::Suspend => {
                tr!(
                    self,
                    "suspend the program",
                    "приостановить программу",
                    "挂起程序",
                    "暫停程式"
                )
            }
            Action::Redraw => {
                tr!(self, "redraw", "перерисовать экран", "重画屏幕", "重畫畫面")
            }
        }
    }

    fn adjacent_games(self) -> &'static str {
        tr!(
            self,
            "previous / next game",
            "предыдущая / следующая партия",
            "上一局 / 下一局",
            "上一局 / 下一局"
        )
    }

    /// Names a key: its printed label, or a word for keys with a symbol.
    pub fn key(self, key: Key) -> Cow<'static, str> {
        let name = match key {
            Key::Char(' ') => tr!(self, "Space", "Пробел", "空格", "空白鍵"),
            Key::Up => tr!(self, "Up", "Вверх", "向上", "向上"),
            Key::Down => tr!(self, "Down", "Вниз", "向下", "向下"),
            Key::Left => tr!(self, "Left", "Влево", "向左", "向左"),
            Key::Right => tr!(self, "Right", "Вправо", "向右", "向右"),
            Key::Char(_)
            | Key::Ctrl(_)
            | Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::BackTab
            | Key::Backspace
            | Key::Delete
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::F1 => return key.to_string().into(),
        };
        name.into()
    }
}
