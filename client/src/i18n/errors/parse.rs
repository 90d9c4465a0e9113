//! Errors in typed commands, form fields, command-line values and record files.

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::player::NameError;
use noughts_protocol::record::{RecordError, RecordErrorKind};
use noughts_protocol::{CellError, MoveError, RulesError};

use crate::connection::server_url::{InviteError, ServerUrlError};
use crate::facts::{FormFieldError, Unavailable};
use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, tr, trf};
use crate::input::TextCommandError;

impl Texts {
    /// States why a typed command is invalid.
    pub fn command_error(self, text: &str, error: &TextCommandError) -> String {
        let typed = sanitize(text);
        match error {
            TextCommandError::Empty => {
                tr!(self, "Nothing was typed.", "Ничего не введено.", "没有输入内容。", "沒有輸入內容。")
                    .to_owned()
            }
            TextCommandError::UnknownCommand => trf!(
                self,
                "Unknown command \"{typed}\". Type help for a list.",
                "Неизвестная команда \"{typed}\". help - список команд.",
                "未知命令 \"{typed}\"。输入 help 查看列表。",
                "未知指令 \"{typed}\"。輸入 help 查看列表。"
            ),
            TextCommandError::InvalidCell(CellError::OffBoard) => trf!(
                self,
                "There is no cell {typed}.",
                "Клетки {typed} нет.",
                "没有 {typed} 这一格。",
                "沒有 {typed} 這一格。"
            ),
            TextCommandError::InvalidCell(error @ (CellError::Syntax | CellError::Dimensions)) => {
                self.with_period(&self.with_reason(&typed, self.cell_error(*error)))
            }
            TextCommandError::NoBoard => self.unavailable(Unavailable::NoBoard).to_owned(),
            // Only programs send JSON; they get the parser's message.
            TextCommandError::InvalidJson(error) => sanitize(error),
            TextCommandError::InvalidArgument(entry) => {
                let (name, argument) = (entry.names[0], entry.argument);
                if argument.is_empty() {
                    trf!(
                        self,
                        "{name} takes no argument.",
                        "У {name} нет аргументов.",
                        "{name} 不带参数。",
                        "{name} 不帶引數。"
                    )
                } else {
                    trf!(
                        self,
                        "Usage: {name} {argument}",
                        "Использование: {name} {argument}",
                        "用法：{name} {argument}",
                        "用法：{name} {argument}"
                    )
                }
            }
        }
    }

    /// States why the value of a field is invalid, as a sentence.
    pub fn field_error(self, error: FormFieldError) -> String {
        self.to_sentence(self.field_error_reason(error))
    }

    /// States why the value of a field is invalid, without capital and period.
    pub fn field_error_reason(self, error: FormFieldError) -> &'static str {
        match error {
            FormFieldError::Server(error) => self.server_error(error),
            FormFieldError::Name(error) => self.name_error(error),
            FormFieldError::Rules(error) => self.rules_error(error),
            FormFieldError::Clock(error) => self.clock_error(error),
            FormFieldError::Invite(error) => self.invite_error(error),
            FormFieldError::Level => tr!(
                self,
                "a bot is bot, bot:easy, bot:medium, bot:hard or bot:perfect",
                "бот - это bot, bot:easy, bot:medium, bot:hard или bot:perfect",
                "机器人写作 bot、bot:easy、bot:medium、bot:hard 或 bot:perfect",
                "機器人寫作 bot、bot:easy、bot:medium、bot:hard 或 bot:perfect"
            ),
            FormFieldError::Engine => tr!(
                self,
                "an engine is written as engine:COMMAND",
                "движок пишется как engine:COMMAND",
                "引擎写作 engine:COMMAND",
                "引擎寫作 engine:COMMAND"
            ),
            FormFieldError::UnsupportedRules => tr!(
                self,
                "an engine plays in two dimensions, five in a row",
                "движок играет в двух измерениях, пять в ряд",
                "引擎只下二维五连",
                "引擎只下二維五連"
            ),
            FormFieldError::UnknownOption => tr!(
                self,
                "must be one of the choices",
                "здесь нужен один из вариантов",
                "这里须选其中一项",
                "這裡須選其中一項"
            ),
        }
    }

    pub(crate) fn server_error(self, error: ServerUrlError) -> &'static str {
        match error {
            ServerUrlError::Syntax => tr!(
                self,
                "a server is written as a host, host:port or ws://host:port/ws",
                "сервер пишется как host, host:port или ws://host:port/ws",
                "服务器写作 host、host:port 或 ws://host:port/ws",
                "伺服器寫作 host、host:port 或 ws://host:port/ws"
            ),
            ServerUrlError::Scheme => tr!(
                self,
                "a server's address begins with ws://, wss://, http:// or https://, or names only the host",
                "адрес сервера начинается с ws://, wss://, http:// или https:// либо называет только host",
                "服务器地址以 ws://、wss://、http:// 或 https:// 开头，或只写主机名",
                "伺服器位址以 ws://、wss://、http:// 或 https:// 開頭，或只寫主機名稱"
            ),
            ServerUrlError::Port => tr!(
                self,
                "a port is a number from 1 to 65535",
                "порт - это число от 1 до 65535",
                "端口是 1 到 65535 之间的数",
                "連接埠是 1 到 65535 之間的數"
            ),
            ServerUrlError::Parts => tr!(
                self,
                "a server's address has no user name, no query and at most 255 characters",
                "в адресе сервера нет имени пользователя и запроса, и он не длиннее 255 знаков",
                "服务器地址不含用户名和查询，最多 255 个字符",
                "伺服器位址不含使用者名稱和查詢，最多 255 個字元"
            ),
        }
    }

    pub(crate) fn invite_error(self, error: InviteError) -> &'static str {
        match error {
            InviteError::Room => tr!(
                self,
                "a room is a code, an id, or ADDRESS#CODE",
                "комната - это код, номер или АДРЕС#КОД",
                "房间写作邀请码、房间号或 ADDRESS#CODE",
                "房間寫作邀請碼、房間號或 ADDRESS#CODE"
            ),
            InviteError::Server(error) => self.server_error(error),
        }
    }

    pub(crate) fn name_error(self, error: NameError) -> &'static str {
        match error {
            NameError::Empty => tr!(
                self,
                "a name has at least one character",
                "в имени хотя бы один знак",
                "名字至少一个字符",
                "名字至少一個字元"
            ),
            NameError::TooLong => tr!(
                self,
                "a name has at most 24 columns",
                "имя не шире 24 колонок",
                "名字最多 24 列宽 (汉字占两列)",
                "名字最多 24 欄寬 (漢字佔兩欄)"
            ),
            NameError::Character => tr!(
                self,
                "a name has no control, bidirectional or invisible characters",
                "в имени нет управляющих, двунаправленных и невидимых знаков",
                "名字不能有控制字符、双向字符或不可见字符",
                "名字不能有控制字元、雙向字元或不可見字元"
            ),
        }
    }

    pub(crate) fn rules_error(self, error: RulesError) -> &'static str {
        match error {
            RulesError::Empty => {
                tr!(self, "the rules are empty", "правила не указаны", "没有写规则", "沒有寫規則")
            }
            RulesError::TooLong => tr!(
                self,
                "rules have at most 40 characters",
                "в правилах не больше 40 знаков",
                "规则最多 40 个字符",
                "規則最多 40 個字元"
            ),
            RulesError::Syntax => tr!(
                self,
                "rules are sizes and a line, as in 3x3:3 or 7x6:4+gravity",
                "правила - это размеры и длина линии, например 3x3:3 или 7x6:4+gravity",
                "规则是尺寸和连子数，例如 3x3:3 或 7x6:4+gravity",
                "規則是尺寸和連子數，例如 3x3:3 或 7x6:4+gravity"
            ),
            RulesError::UnknownName => tr!(
                self,
                "no game has this name; rules look like 3x3:3 or 7x6:4+gravity",
                "игры с таким названием нет; правила пишутся как 3x3:3 или 7x6:4+gravity",
                "没有这个名字的游戏；规则写作 3x3:3 或 7x6:4+gravity",
                "沒有這個名字的遊戲；規則寫作 3x3:3 或 7x6:4+gravity"
            ),
            RulesError::Dimensions => tr!(
                self,
                "a board has one to four dimensions",
                "у доски от одного до четырёх измерений",
                "棋盘有一到四维",
                "棋盤有一到四維"
            ),
            RulesError::Side => tr!(
                self,
                "a side of a board is 1 to 25 cells",
                "сторона доски - от 1 до 25 клеток",
                "棋盘每边 1 到 25 格",
                "棋盤每邊 1 到 25 格"
            ),
            RulesError::Cells => tr!(
                self,
                "a board has at most 1024 cells",
                "на доске не больше 1024 клеток",
                "棋盘最多 1024 格",
                "棋盤最多 1024 格"
            ),
            RulesError::Line => tr!(
                self,
                "a line is at least one cell and at most the longest side",
                "линия не короче одной клетки и не длиннее самой длинной стороны",
                "连子数至少为一，且不超过最长的边",
                "連子數至少為一，且不超過最長的邊"
            ),
            RulesError::UnknownFlag => tr!(
                self,
                "the flags are gravity, misere and exact",
                "возможные дополнения: gravity, misere и exact",
                "附加规则有 gravity、misere 和 exact",
                "附加規則有 gravity、misere 和 exact"
            ),
            RulesError::RepeatedFlag => tr!(
                self,
                "a flag is given twice",
                "дополнение указано дважды",
                "附加规则重复",
                "附加規則重複"
            ),
            RulesError::GravityNeedsRows => tr!(
                self,
                "gravity needs a board of two dimensions or more",
                "для gravity у доски должно быть хотя бы два измерения",
                "gravity 需要二维以上的棋盘",
                "gravity 需要二維以上的棋盤"
            ),
        }
    }

    pub(crate) fn clock_error(self, error: TimeControlError) -> &'static str {
        match error {
            TimeControlError::Syntax => tr!(
                self,
                "a clock is minutes+seconds, as in 5+3, or seconds with an s, as in 30s+0",
                "часы - это минуты+секунды, например 5+3, или секунды с s, например 30s+0",
                "计时写作 分钟+秒，例如 5+3；或秒数加 s，例如 30s+0",
                "計時寫作 分鐘+秒，例如 5+3；或秒數加 s，例如 30s+0"
            ),
            TimeControlError::Base => tr!(
                self,
                "a clock starts with one second to three hours",
                "на часах сначала от одной секунды до трёх часов",
                "基本用时从一秒到三小时",
                "基本用時從一秒到三小時"
            ),
            TimeControlError::Increment => tr!(
                self,
                "a clock adds at most 180 seconds a move",
                "за ход прибавляется не больше 180 секунд",
                "每步最多加 180 秒",
                "每步最多加 180 秒"
            ),
        }
    }

    fn cell_error(self, error: CellError) -> &'static str {
        match error {
            CellError::Syntax => tr!(
                self,
                "a cell is a letter and a number, as in b2, or coordinates, as in 3,2,1",
                "клетка - это буква и число, например b2, или координаты, например 3,2,1",
                "格子写作字母加数字，例如 b2；或坐标，例如 3,2,1",
                "格子寫作字母加數字，例如 b2；或座標，例如 3,2,1"
            ),
            CellError::Dimensions => tr!(
                self,
                "a cell has as many coordinates as the board has dimensions",
                "у клетки столько координат, сколько измерений у доски",
                "坐标的个数须与棋盘的维数相同",
                "座標的個數須與棋盤的維數相同"
            ),
            CellError::OffBoard => self.move_error(MoveError::OffBoard),
        }
    }

    fn move_error(self, error: MoveError) -> &'static str {
        match error {
            MoveError::OffBoard => tr!(
                self,
                "the board has no such cell",
                "такой клетки на доске нет",
                "棋盘上没有这一格",
                "棋盤上沒有這一格"
            ),
            MoveError::Taken => {
                tr!(self, "the cell is taken", "клетка занята", "这一格已有棋子", "這一格已有棋子")
            }
            MoveError::ColumnFull => {
                tr!(self, "the column is full", "столбец заполнен", "这一列已满", "這一行已滿")
            }
            MoveError::GameOver => {
                tr!(self, "the game is over", "партия окончена", "棋局已结束", "棋局已結束")
            }
        }
    }

    /// States what is wrong with a record, with the line number.
    pub(crate) fn record_error(self, error: &RecordError) -> String {
        let (line, fault) = (error.line, self.record_error_kind(error.kind));
        trf!(
            self,
            "line {line}: {fault}",
            "строка {line}: {fault}",
            "第 {line} 行：{fault}",
            "第 {line} 行：{fault}"
        )
    }

    fn record_error_kind(self, fault: RecordErrorKind) -> &'static str {
        match fault {
            RecordErrorKind::TooLong => tr!(
                self,
                "the record is longer than 32 KiB",
                "запись длиннее 32 КиБ",
                "棋谱超过 32 KiB",
                "棋譜超過 32 KiB"
            ),
            RecordErrorKind::Tag => tr!(
                self,
                "a tag looks like [Name \"value\"]",
                "заголовок пишется как [Name \"value\"]",
                "标签写作 [Name \"value\"]",
                "標籤寫作 [Name \"value\"]"
            ),
            RecordErrorKind::RepeatedTag => {
                tr!(self, "a tag is given twice", "заголовок указан дважды", "标签重复", "標籤重複")
            }
            RecordErrorKind::NoRules => tr!(
                self,
                "a record needs a tag with its rules, as in [Rules \"3x3:3\"]",
                "в записи нужен заголовок с правилами, например [Rules \"3x3:3\"]",
                "棋谱需要规则标签，例如 [Rules \"3x3:3\"]",
                "棋譜需要規則標籤，例如 [Rules \"3x3:3\"]"
            ),
            RecordErrorKind::Rules(error) => self.rules_error(error),
            RecordErrorKind::Clock(error) => self.clock_error(error),
            RecordErrorKind::Result(_) => tr!(
                self,
                "the result is neither a result nor *",
                "итог - не результат и не *",
                "结果既不是胜负也不是 *",
                "結果既不是勝負也不是 *"
            ),
            RecordErrorKind::Number => tr!(
                self,
                "the number of the move is wrong",
                "номер хода неверен",
                "着法编号有误",
                "著法編號有誤"
            ),
            RecordErrorKind::Cell(error) => self.cell_error(error),
            RecordErrorKind::Move(error) => self.move_error(error),
            RecordErrorKind::Mismatch => tr!(
                self,
                "the board after the last move says otherwise",
                "доска после последнего хода говорит другое",
                "最后一手之后的棋盘与此不符",
                "最後一手之後的棋盤與此不符"
            ),
        }
    }
}
