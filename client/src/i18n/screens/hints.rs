//! Labels of keys in the footer and in the menu after a game.

use crate::facts::FormKind;
use crate::i18n::{Texts, tr};
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

    /// Labels the key that opens the list of games.
    pub fn game_list_hint(self) -> &'static str {
        tr!(self, "list of games", "список игр", "游戏列表", "遊戲列表")
    }
}
