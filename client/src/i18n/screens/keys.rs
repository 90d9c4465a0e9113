//! What keys are for.

use std::borrow::Cow;

use crate::i18n::{Texts, tr};
use crate::input::{Action, Key, KeyContext};

impl Texts {
    /// What an action does, in the list of keys. Actions with the same text share a row there.
    pub fn action(self, action: Action, context: KeyContext) -> &'static str {
        match action {
            Action::MoveCursor(..) if context == KeyContext::MultiWatch => {
                tr!(self, "another game", "другая партия", "另一局", "另一局")
            }
            Action::MoveCursor(..) => {
                tr!(self, "move the cursor", "двигать курсор", "移动光标", "移動游標")
            }
            Action::MoveLayer(_) => tr!(
                self,
                "the layer before or after",
                "предыдущий или следующий слой",
                "上一层或下一层",
                "上一層或下一層"
            ),
            Action::MoveDepth(_) => tr!(
                self,
                "along the third dimension, or the fourth",
                "вдоль третьего измерения или четвёртого",
                "沿第三维或第四维移动",
                "沿第三維或第四維移動"
            ),
            Action::PlayCursor => tr!(self, "mark the cell", "занять клетку", "在此落子", "在此落子"),
            Action::PlayDigit(_) => tr!(
                self,
                "mark the cell or column with this number, on small boards",
                "занять клетку или столбец с этим номером, на малых досках",
                "小棋盘：在此编号的格或列落子",
                "小棋盤：在此編號的格或行落子"
            ),
            Action::ToggleGuideLines => tr!(
                self,
                "show the lines through the cursor, or hide them",
                "показать или скрыть линии через курсор",
                "显示或隐藏经过光标的线",
                "顯示或隱藏經過游標的線"
            ),
            Action::OpenPrompt => tr!(
                self,
                "type a command or a cell",
                "ввести команду или клетку",
                "输入命令或格子",
                "輸入指令或格子"
            ),
            Action::Help => tr!(self, "this help", "эта справка", "本帮助", "本說明"),
            Action::Leave if context == KeyContext::Home => tr!(self, "quit", "выйти", "退出", "退出"),
            Action::Leave => tr!(self, "leave", "выйти", "离开", "離開"),
            Action::Close if context == KeyContext::Help => {
                tr!(self, "close the help", "закрыть справку", "关闭帮助", "關閉說明")
            }
            Action::Close => tr!(self, "go back", "назад", "返回", "返回"),
            Action::ShowValues => tr!(
                self,
                "what each free cell is worth; not on a server",
                "чего стоит каждая свободная клетка; не на сервере",
                "每个空格的价值；联机时不可用",
                "每個空格的價值；連線時不可用"
            ),
            Action::Review => {
                tr!(self, "where the game was lost", "где партия была проиграна", "败着在哪里", "敗著在哪裡")
            }
            Action::Accept => {
                tr!(self, "accept what is proposed", "принять предложение", "接受提议", "接受提議")
            }
            Action::Decline => tr!(
                self,
                "decline it, or take back your own proposal",
                "отклонить его или снять своё",
                "拒绝，或收回自己的提议",
                "拒絕，或收回自己的提議"
            ),
            Action::Rematch => tr!(self, "play again", "сыграть ещё", "再来一局", "再來一局"),
            Action::InviteBot if context == KeyContext::Home => {
                tr!(
                    self,
                    "play the bot here",
                    "сыграть здесь с ботом",
                    "在本机与机器人对局",
                    "在本機與機器人對局"
                )
            }
            Action::InviteBot => tr!(
                self,
                "let a bot come and play you",
                "позвать бота в соперники",
                "叫机器人来对局",
                "叫機器人來對局"
            ),
            Action::Claim => tr!(
                self,
                "claim the win when the other did not return",
                "взять победу, если соперник не вернулся",
                "对方未返回时判胜",
                "對方未返回時判勝"
            ),
            Action::Previous | Action::Next => match context {
                KeyContext::Replay | KeyContext::Watching => {
                    tr!(
                        self,
                        "one move back or on",
                        "на ход назад или вперёд",
                        "上一手或下一手",
                        "上一手或下一手"
                    )
                }
                KeyContext::MultiWatch => tr!(self, "another game", "другая партия", "另一局", "另一局"),
                KeyContext::Form => tr!(self, "another field", "другое поле", "另一项", "另一項"),
                KeyContext::Home
                | KeyContext::Lobby
                | KeyContext::Waiting
                | KeyContext::OwnRoom
                | KeyContext::Playing
                | KeyContext::GameOver
                | KeyContext::Confirmation
                | KeyContext::Help => tr!(self, "up or down", "вверх или вниз", "向上或向下", "向上或向下"),
            },
            Action::PreviousOption | Action::NextOption if context == KeyContext::Help => {
                tr!(
                    self,
                    "a screenful up or down",
                    "на экран вверх или вниз",
                    "向上或向下一屏",
                    "向上或向下一頁"
                )
            }
            Action::PreviousOption | Action::NextOption => {
                tr!(self, "another choice", "другой вариант", "另一选项", "另一選項")
            }
            Action::Choose => match context {
                KeyContext::MultiWatch => {
                    tr!(self, "this game alone", "только эту партию", "只看这一局", "只看這一局")
                }
                KeyContext::Form => tr!(self, "begin", "начать", "开始", "開始"),
                KeyContext::Lobby => tr!(
                    self,
                    "join, or watch when both seats are taken",
                    "войти, а если оба места заняты - смотреть",
                    "加入；座位已满则观战",
                    "加入；座位已滿則觀戰"
                ),
                KeyContext::Home
                | KeyContext::Waiting
                | KeyContext::OwnRoom
                | KeyContext::Playing
                | KeyContext::GameOver
                | KeyContext::Watching
                | KeyContext::Replay
                | KeyContext::Confirmation
                | KeyContext::Help => tr!(self, "choose", "выбрать", "选择", "選擇"),
            },
            Action::Watch => tr!(self, "watch", "смотреть", "观战", "觀戰"),
            Action::WatchAll => tr!(
                self,
                "watch the games that are on, side by side",
                "смотреть идущие партии рядом",
                "同时观看正在进行的对局",
                "同時觀看正在進行的對局"
            ),
            Action::Refresh if context == KeyContext::MultiWatch => tr!(
                self,
                "connect again, where that has failed",
                "подключиться снова, если не удалось",
                "连接失败时重新连接",
                "連線失敗時重新連線"
            ),
            Action::Refresh => {
                tr!(self, "fetch the list again", "обновить список", "刷新列表", "重新整理列表")
            }
            Action::First | Action::Last => tr!(
                self,
                "the first or last position",
                "первая или последняя позиция",
                "最初或最后的局面",
                "最初或最後的局面"
            ),
            Action::Yes => tr!(self, "yes", "да", "是", "是"),
            Action::No => tr!(self, "no", "нет", "否", "否"),
            Action::Interrupt => tr!(
                self,
                "end the program at once",
                "сразу завершить программу",
                "立即结束程序",
                "立即結束程式"
            ),
            Action::Suspend => tr!(
                self,
                "stop the program until fg",
                "приостановить программу до fg",
                "暂停程序，直到 fg",
                "暫停程式，直到 fg"
            ),
            Action::Redraw => {
                tr!(self, "draw the screen again", "перерисовать экран", "重画屏幕", "重畫畫面")
            }
        }
    }

    /// The same in a word or two, for the last line of the screen. Empty: not worth a place there.
    pub fn hint(self, action: Action) -> &'static str {
        match action {
            Action::PlayCursor => tr!(self, "mark", "ход", "落子", "落子"),
            Action::OpenPrompt => tr!(self, "type", "команда", "输入", "輸入"),
            Action::Help => tr!(self, "help", "справка", "帮助", "說明"),
            Action::Leave => tr!(self, "leave", "выход", "离开", "離開"),
            Action::Close => tr!(self, "back", "назад", "返回", "返回"),
            Action::Accept => tr!(self, "accept", "принять", "接受", "接受"),
            Action::Decline => tr!(self, "decline", "отклонить", "拒绝", "拒絕"),
            Action::Rematch => tr!(self, "play again", "сыграть ещё", "再来一局", "再來一局"),
            Action::InviteBot => tr!(self, "play a bot", "игра с ботом", "叫机器人", "叫機器人"),
            Action::Claim => tr!(self, "claim the win", "взять победу", "判胜", "判勝"),
            Action::Choose => tr!(self, "go", "выбрать", "确定", "確定"),
            Action::Watch => tr!(self, "watch", "смотреть", "观战", "觀戰"),
            Action::WatchAll => tr!(self, "watch all", "смотреть все", "全部观看", "全部觀看"),
            Action::Refresh => tr!(self, "refresh", "обновить", "刷新", "重新整理"),
            Action::Next => tr!(self, "next", "далее", "下一个", "下一個"),
            Action::Previous => tr!(self, "previous", "назад", "上一个", "上一個"),
            Action::NextOption => tr!(self, "choose", "вариант", "选择", "選擇"),
            Action::Last => tr!(self, "to the end", "в конец", "到最后", "到最後"),
            Action::Yes => tr!(self, "yes", "да", "是", "是"),
            Action::No => tr!(self, "no", "нет", "否", "否"),
            Action::MoveCursor(..)
            | Action::MoveLayer(_)
            | Action::MoveDepth(_)
            | Action::PlayDigit(_)
            | Action::ToggleGuideLines
            | Action::ShowValues
            | Action::Review
            | Action::PreviousOption
            | Action::First
            | Action::Interrupt
            | Action::Suspend
            | Action::Redraw => "",
        }
    }

    /// A key: what is printed on it, or what it is called where that is a picture.
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
            | Key::PageDown => return key.to_string().into(),
        };
        name.into()
    }
}
