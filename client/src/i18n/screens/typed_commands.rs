//! What typed commands are for.

use crate::i18n::{Texts, text};
use crate::input::text_command::CommandWord;

impl Texts {
    /// What a typed command does.
    pub fn command_description(self, word: CommandWord) -> &'static str {
        match word {
            CommandWord::Board => text!(self, "the board", "доска", "棋盘", "棋盤"),
            CommandWord::Scan => text!(
                self,
                "read out row 8; s h reads column h, s 2,3 row 2 of layer 3",
                "прочесть строку 8; s h - столбец h, s 2,3 - строку 2 слоя 3",
                "读出第 8 横行；s h 读竖列 h，s 2,3 读第 3 层第 2 行",
                "讀出第 8 橫列；s h 讀直行 h，s 2,3 讀第 3 層第 2 列"
            ),
            CommandWord::Marks => {
                text!(self, "where your marks are", "где ваши знаки", "你的棋子在哪里", "你的棋子在哪裡")
            }
            CommandWord::Last => text!(self, "the last move", "последний ход", "上一手", "上一手"),
            CommandWord::Clocks => text!(self, "the clocks", "часы", "剩余时间", "剩餘時間"),
            CommandWord::Opponent => text!(
                self,
                "who the other is, and whether there",
                "кто соперник и на месте ли он",
                "对手是谁，是否在线",
                "對手是誰，是否在線上"
            ),
            CommandWord::Draw => text!(self, "propose a draw", "предложить ничью", "提和", "提和"),
            CommandWord::Undo => text!(
                self,
                "propose to take back your last move",
                "предложить вернуть ваш последний ход",
                "请求悔棋",
                "請求悔棋"
            ),
            CommandWord::Rematch => {
                text!(self, "propose to play again", "предложить реванш", "提议再来一局", "提議再來一局")
            }
            CommandWord::Accept => text!(self, "say yes", "сказать да", "同意", "同意"),
            CommandWord::Decline => text!(self, "say no", "сказать нет", "不同意", "不同意"),
            CommandWord::Resign => text!(self, "give the game up", "сдаться", "认输", "認輸"),
            CommandWord::Claim => text!(
                self,
                "end the game when the other did not return",
                "закончить партию, если соперник не вернулся",
                "对方未返回时结束棋局",
                "對方未返回時結束棋局"
            ),
            CommandWord::Flag => text!(
                self,
                "point out that the other's time is over",
                "указать, что у соперника вышло время",
                "指出对方已超时",
                "指出對方已超時"
            ),
            CommandWord::InviteBot => text!(
                self,
                "let a bot come, while you wait in your room",
                "позвать бота, пока вы ждёте в своей комнате",
                "在房间里等待时叫机器人来",
                "在房間裡等待時叫機器人來"
            ),
            CommandWord::Values => text!(
                self,
                "what each free cell is worth; not on a server",
                "чего стоит каждая свободная клетка; не на сервере",
                "每个空格的价值；联机时不可用",
                "每個空格的價值；連線時不可用"
            ),
            CommandWord::Review => text!(
                self,
                "what each move of the finished game was worth, and where it was lost",
                "чего стоил каждый ход оконченной партии и где она проиграна",
                "复盘：每一手的价值，败着在哪里",
                "覆盤：每一手的價值，敗著在哪裡"
            ),
            CommandWord::DigitOrder => text!(
                self,
                "how digits number the cells",
                "как цифры нумеруют клетки",
                "数字如何编号",
                "數字如何編號"
            ),
            CommandWord::Lang => text!(self, "the language", "язык", "语言", "語言"),
            CommandWord::Save => text!(
                self,
                "write the game to a file, for noughts replay",
                "записать партию в файл, для noughts replay",
                "把棋局写入文件，供 noughts replay 使用",
                "把棋局寫入檔案，供 noughts replay 使用"
            ),
            CommandWord::Help => text!(self, "this help", "эта справка", "本帮助", "本說明"),
            CommandWord::Leave => text!(self, "leave", "выйти", "离开", "離開"),
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
