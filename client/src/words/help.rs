//! What keys and typed commands are for.

use std::borrow::Cow;

use super::{Words, text};
use crate::input::typed::Word;
use crate::input::{Action, Context, Key};

impl Words {
    /// What an action does, in the list of keys. Actions with the same text share a row there.
    pub fn action(self, action: Action, context: Context) -> &'static str {
        match action {
            Action::Step(..) if context == Context::Grid => {
                text!(self, "another game", "другая партия", "另一局", "另一局")
            }
            Action::Step(..) => text!(self, "move the cursor", "двигать курсор", "移动光标", "移動游標"),
            Action::Layer(_) => text!(
                self,
                "the layer before or after",
                "предыдущий или следующий слой",
                "上一层或下一层",
                "上一層或下一層"
            ),
            Action::Deep(_) => text!(
                self,
                "along the third dimension, or the fourth",
                "вдоль третьего измерения или четвёртого",
                "沿第三维或第四维移动",
                "沿第三維或第四維移動"
            ),
            Action::Place => text!(self, "mark the cell", "занять клетку", "在此落子", "在此落子"),
            Action::Digit(_) => text!(
                self,
                "mark the cell or column with this number, on small boards",
                "занять клетку или столбец с этим номером, на малых досках",
                "小棋盘：在此编号的格或列落子",
                "小棋盤：在此編號的格或行落子"
            ),
            Action::Guide => text!(
                self,
                "show the lines through the cursor, or hide them",
                "показать или скрыть линии через курсор",
                "显示或隐藏经过光标的线",
                "顯示或隱藏經過游標的線"
            ),
            Action::Command => text!(
                self,
                "type a command or a cell",
                "ввести команду или клетку",
                "输入命令或格子",
                "輸入指令或格子"
            ),
            Action::Help => text!(self, "this help", "эта справка", "本帮助", "本說明"),
            Action::Leave if context == Context::Home => text!(self, "quit", "выйти", "退出", "退出"),
            Action::Leave => text!(self, "leave", "выйти", "离开", "離開"),
            Action::Close if context == Context::Help => {
                text!(self, "close the help", "закрыть справку", "关闭帮助", "關閉說明")
            }
            Action::Close => text!(self, "go back", "назад", "返回", "返回"),
            Action::Values => text!(
                self,
                "what each free cell is worth; not on a server",
                "чего стоит каждая свободная клетка; не на сервере",
                "每个空格的价值；联机时不可用",
                "每個空格的價值；連線時不可用"
            ),
            Action::Review => text!(
                self,
                "where the game was lost",
                "где партия была проиграна",
                "败着在哪里",
                "敗著在哪裡"
            ),
            Action::Accept => {
                text!(self, "accept what is proposed", "принять предложение", "接受提议", "接受提議")
            }
            Action::Decline => text!(
                self,
                "decline it, or take back your own proposal",
                "отклонить его или снять своё",
                "拒绝，或收回自己的提议",
                "拒絕，或收回自己的提議"
            ),
            Action::Again => text!(self, "play again", "сыграть ещё", "再来一局", "再來一局"),
            Action::Bot if context == Context::Home => {
                text!(
                    self,
                    "play the bot here",
                    "сыграть здесь с ботом",
                    "在本机与机器人对局",
                    "在本機與機器人對局"
                )
            }
            Action::Bot => text!(
                self,
                "let a bot come and play you",
                "позвать бота в соперники",
                "叫机器人来对局",
                "叫機器人來對局"
            ),
            Action::Claim => text!(
                self,
                "claim the win when the other did not return",
                "взять победу, если соперник не вернулся",
                "对方未返回时判胜",
                "對方未返回時判勝"
            ),
            Action::Previous | Action::Next => match context {
                Context::Replay | Context::Watching => {
                    text!(
                        self,
                        "one move back or on",
                        "на ход назад или вперёд",
                        "上一手或下一手",
                        "上一手或下一手"
                    )
                }
                Context::Grid => text!(self, "another game", "другая партия", "另一局", "另一局"),
                Context::Form => text!(self, "another field", "другое поле", "另一项", "另一項"),
                Context::Home
                | Context::Lobby
                | Context::Waiting
                | Context::OwnRoom
                | Context::Playing
                | Context::Over
                | Context::Question
                | Context::Help => text!(self, "up or down", "вверх или вниз", "向上或向下", "向上或向下"),
            },
            Action::Less | Action::More if context == Context::Help => {
                text!(
                    self,
                    "a screenful up or down",
                    "на экран вверх или вниз",
                    "向上或向下一屏",
                    "向上或向下一頁"
                )
            }
            Action::Less | Action::More => {
                text!(self, "another choice", "другой вариант", "另一选项", "另一選項")
            }
            Action::Choose => match context {
                Context::Grid => {
                    text!(self, "this game alone", "только эту партию", "只看这一局", "只看這一局")
                }
                Context::Form => text!(self, "begin", "начать", "开始", "開始"),
                Context::Lobby => text!(
                    self,
                    "join, or watch when both seats are taken",
                    "войти, а если оба места заняты - смотреть",
                    "加入；座位已满则观战",
                    "加入；座位已滿則觀戰"
                ),
                Context::Home
                | Context::Waiting
                | Context::OwnRoom
                | Context::Playing
                | Context::Over
                | Context::Watching
                | Context::Replay
                | Context::Question
                | Context::Help => text!(self, "choose", "выбрать", "选择", "選擇"),
            },
            Action::Watch => text!(self, "watch", "смотреть", "观战", "觀戰"),
            Action::WatchAll => text!(
                self,
                "watch the games that are on, side by side",
                "смотреть идущие партии рядом",
                "同时观看正在进行的对局",
                "同時觀看正在進行的對局"
            ),
            Action::Refresh if context == Context::Grid => text!(
                self,
                "connect again, where that has failed",
                "подключиться снова, если не удалось",
                "连接失败时重新连接",
                "連線失敗時重新連線"
            ),
            Action::Refresh => {
                text!(self, "fetch the list again", "обновить список", "刷新列表", "重新整理列表")
            }
            Action::First | Action::Last => text!(
                self,
                "the first or last position",
                "первая или последняя позиция",
                "最初或最后的局面",
                "最初或最後的局面"
            ),
            Action::Yes => text!(self, "yes", "да", "是", "是"),
            Action::No => text!(self, "no", "нет", "否", "否"),
            Action::Interrupt => text!(
                self,
                "end the program at once",
                "сразу завершить программу",
                "立即结束程序",
                "立即結束程式"
            ),
            Action::Suspend => text!(
                self,
                "stop the program until fg",
                "приостановить программу до fg",
                "暂停程序，直到 fg",
                "暫停程式，直到 fg"
            ),
            Action::Redraw => {
                text!(self, "draw the screen again", "перерисовать экран", "重画屏幕", "重畫畫面")
            }
        }
    }

    /// The same in a word or two, for the last line of the screen. Empty: not worth a place there.
    pub fn hint(self, action: Action) -> &'static str {
        match action {
            Action::Place => text!(self, "mark", "ход", "落子", "落子"),
            Action::Command => text!(self, "type", "команда", "输入", "輸入"),
            Action::Help => text!(self, "help", "справка", "帮助", "說明"),
            Action::Leave => text!(self, "leave", "выход", "离开", "離開"),
            Action::Close => text!(self, "back", "назад", "返回", "返回"),
            Action::Accept => text!(self, "accept", "принять", "接受", "接受"),
            Action::Decline => text!(self, "decline", "отклонить", "拒绝", "拒絕"),
            Action::Again => text!(self, "play again", "сыграть ещё", "再来一局", "再來一局"),
            Action::Bot => text!(self, "play a bot", "игра с ботом", "叫机器人", "叫機器人"),
            Action::Claim => text!(self, "claim the win", "взять победу", "判胜", "判勝"),
            Action::Choose => text!(self, "go", "выбрать", "确定", "確定"),
            Action::Watch => text!(self, "watch", "смотреть", "观战", "觀戰"),
            Action::WatchAll => text!(self, "watch all", "смотреть все", "全部观看", "全部觀看"),
            Action::Refresh => text!(self, "refresh", "обновить", "刷新", "重新整理"),
            Action::Next => text!(self, "next", "далее", "下一个", "下一個"),
            Action::Previous => text!(self, "previous", "назад", "上一个", "上一個"),
            Action::More => text!(self, "choose", "вариант", "选择", "選擇"),
            Action::Last => text!(self, "to the end", "в конец", "到最后", "到最後"),
            Action::Yes => text!(self, "yes", "да", "是", "是"),
            Action::No => text!(self, "no", "нет", "否", "否"),
            Action::Step(..)
            | Action::Layer(_)
            | Action::Deep(_)
            | Action::Digit(_)
            | Action::Guide
            | Action::Values
            | Action::Review
            | Action::Less
            | Action::First
            | Action::Interrupt
            | Action::Suspend
            | Action::Redraw => "",
        }
    }

    /// A key: what is printed on it, or what it is called where that is a picture.
    pub fn key(self, key: Key) -> Cow<'static, str> {
        let name = match key {
            Key::Char(' ') => text!(self, "Space", "Пробел", "空格", "空白鍵"),
            Key::Up => text!(self, "Up", "Вверх", "向上", "向上"),
            Key::Down => text!(self, "Down", "Вниз", "向下", "向下"),
            Key::Left => text!(self, "Left", "Влево", "向左", "向左"),
            Key::Right => text!(self, "Right", "Вправо", "向右", "向右"),
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

    /// What a typed command does.
    pub fn word(self, word: Word) -> &'static str {
        match word {
            Word::Board => text!(self, "the board", "доска", "棋盘", "棋盤"),
            Word::Scan => text!(
                self,
                "read out row 8; s h reads column h, s 2,3 row 2 of layer 3",
                "прочесть строку 8; s h - столбец h, s 2,3 - строку 2 слоя 3",
                "读出第 8 横行；s h 读竖列 h，s 2,3 读第 3 层第 2 行",
                "讀出第 8 橫列；s h 讀直行 h，s 2,3 讀第 3 層第 2 列"
            ),
            Word::Mine => {
                text!(self, "where your marks are", "где ваши знаки", "你的棋子在哪里", "你的棋子在哪裡")
            }
            Word::Last => text!(self, "the last move", "последний ход", "上一手", "上一手"),
            Word::Clocks => text!(self, "the clocks", "часы", "剩余时间", "剩餘時間"),
            Word::Opponent => text!(
                self,
                "who the other is, and whether there",
                "кто соперник и на месте ли он",
                "对手是谁，是否在线",
                "對手是誰，是否在線上"
            ),
            Word::Draw => text!(self, "propose a draw", "предложить ничью", "提和", "提和"),
            Word::Undo => text!(
                self,
                "propose to take back your last move",
                "предложить вернуть ваш последний ход",
                "请求悔棋",
                "請求悔棋"
            ),
            Word::Rematch => {
                text!(self, "propose to play again", "предложить реванш", "提议再来一局", "提議再來一局")
            }
            Word::Accept => text!(self, "say yes", "сказать да", "同意", "同意"),
            Word::Decline => text!(self, "say no", "сказать нет", "不同意", "不同意"),
            Word::Resign => text!(self, "give the game up", "сдаться", "认输", "認輸"),
            Word::Claim => text!(
                self,
                "end the game when the other did not return",
                "закончить партию, если соперник не вернулся",
                "对方未返回时结束棋局",
                "對方未返回時結束棋局"
            ),
            Word::Flag => text!(
                self,
                "point out that the other's time is over",
                "указать, что у соперника вышло время",
                "指出对方已超时",
                "指出對方已超時"
            ),
            Word::Bot => text!(
                self,
                "let a bot come, while you wait in your room",
                "позвать бота, пока вы ждёте в своей комнате",
                "在房间里等待时叫机器人来",
                "在房間裡等待時叫機器人來"
            ),
            Word::Values => text!(
                self,
                "what each free cell is worth; not on a server",
                "чего стоит каждая свободная клетка; не на сервере",
                "每个空格的价值；联机时不可用",
                "每個空格的價值；連線時不可用"
            ),
            Word::Review => text!(
                self,
                "what each move of the finished game was worth, and where it was lost",
                "чего стоил каждый ход оконченной партии и где она проиграна",
                "复盘：每一手的价值，败着在哪里",
                "覆盤：每一手的價值，敗著在哪裡"
            ),
            Word::Keys => text!(
                self,
                "how digits number the cells",
                "как цифры нумеруют клетки",
                "数字如何编号",
                "數字如何編號"
            ),
            Word::Lang => text!(self, "the language", "язык", "语言", "語言"),
            Word::Save => text!(
                self,
                "write the game to a file, for noughts replay",
                "записать партию в файл, для noughts replay",
                "把棋局写入文件，供 noughts replay 使用",
                "把棋局寫入檔案，供 noughts replay 使用"
            ),
            Word::Help => text!(self, "this help", "эта справка", "本帮助", "本說明"),
            Word::Quit => text!(self, "leave", "выйти", "离开", "離開"),
        }
    }

    /// The moves, among the typed commands.
    pub fn moves_help(self) -> [(&'static str, &'static str); 3] {
        [
            (
                "h8",
                text!(
                    self,
                    "mark column h, row 8",
                    "столбец h, строка 8",
                    "竖列 h、横行 8 落子",
                    "直行 h、橫列 8 落子"
                ),
            ),
            (
                "8 8",
                text!(
                    self,
                    "the same by numbers; 3,2,1 where there are layers",
                    "то же числами; 3,2,1 там, где есть слои",
                    "同上，用数字；有层时写 3,2,1",
                    "同上，用數字；有層時寫 3,2,1"
                ),
            ),
            (
                "5",
                text!(
                    self,
                    "the cell or column with this number, on small boards",
                    "клетка или столбец с этим номером, на малых досках",
                    "小棋盘：此编号的格或列",
                    "小棋盤：此編號的格或行"
                ),
            ),
        ]
    }

    /// The headings of the help.
    pub fn help_headings(self) -> [&'static str; 2] {
        [
            text!(self, "Keys", "Клавиши", "按键", "按鍵"),
            text!(
                self,
                "Typed, after : or in line mode",
                "Вводится после : или построчно",
                "在 : 之后或逐行模式中输入",
                "在 : 之後或逐行模式中輸入"
            ),
        ]
    }
}
