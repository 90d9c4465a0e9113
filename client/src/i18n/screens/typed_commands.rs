//! What typed commands are for.

use crate::i18n::{Texts, tr};
use crate::input::text_command::CommandWord;

impl Texts {
    /// What a typed command does.
    pub fn command_description(self, word: CommandWord) -> &'static str {
        match word {
            CommandWord::Board => tr!(self, "the board", "доска", "棋盘", "棋盤"),
            CommandWord::Scan => tr!(
                self,
                "read out row 8; s h reads column h, s 2,3 row 2 of layer 3",
                "прочесть строку 8; s h - столбец h, s 2,3 - строку 2 слоя 3",
                "读出第 8 横行；s h 读竖列 h，s 2,3 读第 3 层第 2 行",
                "讀出第 8 橫列；s h 讀直行 h，s 2,3 讀第 3 層第 2 列"
            ),
            CommandWord::Marks => {
                tr!(self, "where your marks are", "где ваши знаки", "你的棋子在哪里", "你的棋子在哪裡")
            }
            CommandWord::Last => tr!(self, "the last move", "последний ход", "上一手", "上一手"),
            CommandWord::Clocks => tr!(self, "the clocks", "часы", "剩余时间", "剩餘時間"),
            CommandWord::Opponent => tr!(
                self,
                "who the other is, and whether there",
                "кто соперник и на месте ли он",
                "对手是谁，是否在线",
                "對手是誰，是否在線上"
            ),
            CommandWord::Draw => tr!(self, "propose a draw", "предложить ничью", "提和", "提和"),
            CommandWord::Undo => tr!(
                self,
                "propose to take back your last move",
                "предложить вернуть ваш последний ход",
                "请求悔棋",
                "請求悔棋"
            ),
            CommandWord::Rematch => {
                tr!(self, "propose to play again", "предложить реванш", "提议再来一局", "提議再來一局")
            }
            CommandWord::Accept => tr!(self, "say yes", "сказать да", "同意", "同意"),
            CommandWord::Decline => tr!(self, "say no", "сказать нет", "不同意", "不同意"),
            CommandWord::Resign => tr!(self, "give the game up", "сдаться", "认输", "認輸"),
            CommandWord::Claim => tr!(
                self,
                "end the game when the other did not return",
                "закончить партию, если соперник не вернулся",
                "对方未返回时结束棋局",
                "對方未返回時結束棋局"
            ),
            CommandWord::Flag => tr!(
                self,
                "point out that the other's time is over",
                "указать, что у соперника вышло время",
                "指出对方已超时",
                "指出對方已超時"
            ),
            CommandWord::InviteBot => tr!(
                self,
                "let a bot come, while you wait in your room",
                "позвать бота, пока вы ждёте в своей комнате",
                "在房间里等待时叫机器人来",
                "在房間裡等待時叫機器人來"
            ),
            CommandWord::Values => tr!(
                self,
                "what each free cell is worth; not on a server",
                "чего стоит каждая свободная клетка; не на сервере",
                "每个空格的价值；联机时不可用",
                "每個空格的價值；連線時不可用"
            ),
            CommandWord::Review => tr!(
                self,
                "what each move of the finished game was worth, and where it was lost",
                "чего стоил каждый ход оконченной партии и где она проиграна",
                "复盘：每一手的价值，败着在哪里",
                "覆盤：每一手的價值，敗著在哪裡"
            ),
            CommandWord::DigitOrder => tr!(
                self,
                "how digits number the cells",
                "как цифры нумеруют клетки",
                "数字如何编号",
                "數字如何編號"
            ),
            CommandWord::Lang => tr!(self, "the language", "язык", "语言", "語言"),
            CommandWord::Save => tr!(
                self,
                "write the game to a file, for noughts replay",
                "записать партию в файл, для noughts replay",
                "把棋局写入文件，供 noughts replay 使用",
                "把棋局寫入檔案，供 noughts replay 使用"
            ),
            CommandWord::Help => tr!(self, "this help", "эта справка", "本帮助", "本說明"),
            CommandWord::Leave => tr!(self, "leave", "выйти", "离开", "離開"),
        }
    }

    /// The moves, among the typed commands.
    pub fn moves_help(self) -> [(&'static str, &'static str); 3] {
        [
            (
                "h8",
                tr!(
                    self,
                    "mark column h, row 8",
                    "столбец h, строка 8",
                    "竖列 h、横行 8 落子",
                    "直行 h、橫列 8 落子"
                ),
            ),
            (
                "8 8",
                tr!(
                    self,
                    "the same by numbers; 3,2,1 where there are layers",
                    "то же числами; 3,2,1 там, где есть слои",
                    "同上，用数字；有层时写 3,2,1",
                    "同上，用數字；有層時寫 3,2,1"
                ),
            ),
            (
                "5",
                tr!(
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
            tr!(self, "Keys", "Клавиши", "按键", "按鍵"),
            tr!(
                self,
                "Typed, after : or in line mode",
                "Вводится после : или построчно",
                "在 : 之后或逐行模式中输入",
                "在 : 之後或逐行模式中輸入"
            ),
        ]
    }
}
