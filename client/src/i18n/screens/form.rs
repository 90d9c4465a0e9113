//! The fields of forms, what may stand in them, and the names of choices.

use crate::i18n::{Texts, tr};
use crate::model::{FieldId, FormKind};

impl Texts {
    /// The title of a form.
    pub fn form_title(self, purpose: FormKind) -> &'static str {
        match purpose {
            FormKind::Quick => tr!(self, "Quick play", "Быстрая игра", "快速对局", "快速對局"),
            FormKind::Private => tr!(self, "Private game", "Своя комната", "私人对局", "私人對局"),
            FormKind::Join => tr!(self, "Join a game", "Войти в игру", "加入对局", "加入對局"),
            FormKind::Local => tr!(self, "Play here", "Играть здесь", "本机对局", "本機對局"),
            FormKind::Settings => tr!(self, "Settings", "Настройки", "设置", "設定"),
            FormKind::Bot => tr!(self, "Play the bot", "Против бота", "对战机器人", "對戰機器人"),
        }
    }

    /// A field of a form.
    pub fn field_label(self, id: FieldId) -> &'static str {
        match id {
            FieldId::Server => tr!(self, "Server", "Сервер", "服务器", "伺服器"),
            FieldId::Name => tr!(self, "Your name", "Ваше имя", "你的名字", "你的名字"),
            FieldId::Rules => tr!(self, "Game", "Игра", "游戏", "遊戲"),
            FieldId::Clock => tr!(self, "Clock", "Часы", "计时", "計時"),
            FieldId::Seat => tr!(self, "Your mark", "Ваш знак", "执子", "執子"),
            FieldId::Invite => tr!(self, "Code", "Код", "邀请码", "邀請碼"),
            FieldId::FirstPlayer => tr!(self, "First player", "Первый игрок", "甲方", "甲方"),
            FieldId::SecondPlayer => tr!(self, "Second player", "Второй игрок", "乙方", "乙方"),
            FieldId::SeatAssignment => tr!(self, "X goes to", "Кому X", "谁执 X", "誰執 X"),
            FieldId::DigitOrder => tr!(self, "Digits", "Цифры", "数字键", "數字鍵"),
            FieldId::Lang => tr!(self, "Language", "Язык", "语言", "語言"),
            FieldId::Theme => tr!(self, "Colours", "Цвета", "颜色", "顏色"),
            FieldId::Glyphs => tr!(self, "Grid", "Сетка", "网格", "網格"),
            FieldId::Bell => tr!(self, "Call me", "Вызов", "提醒", "提醒"),
        }
    }

    /// What may stand in a field.
    pub fn field_help(self, id: FieldId) -> &'static str {
        match id {
            FieldId::Server => tr!(
                self,
                "a host, host:port or ws:// address",
                "host, host:port или адрес ws://",
                "主机、主机:端口 或 ws:// 地址",
                "主機、主機:連接埠 或 ws:// 位址"
            ),
            FieldId::Name => {
                tr!(self, "1 to 24 columns", "от 1 до 24 колонок", "1 到 24 列宽", "1 到 24 欄寬")
            }
            FieldId::Rules => tr!(
                self,
                "a name, or sizes and line as in 15x15:5 or 7x6:4+gravity",
                "название или размеры и линия, например 15x15:5 или 7x6:4+gravity",
                "名称，或尺寸和连子数，例如 15x15:5 或 7x6:4+gravity",
                "名稱，或尺寸和連子數，例如 15x15:5 或 7x6:4+gravity"
            ),
            FieldId::Clock => tr!(
                self,
                "minutes+seconds a move, as in 5+3, or none",
                "минуты+секунды за ход, например 5+3, или none (без часов)",
                "分钟+每步加秒，例如 5+3；none 为不计时",
                "分鐘+每步加秒，例如 5+3；none 為不計時"
            ),
            FieldId::Seat => tr!(
                self,
                "X begins",
                "X начинает; random - по жребию",
                "X 先行；random 为抽签",
                "X 先行；random 為抽籤"
            ),
            FieldId::Invite => tr!(
                self,
                "the code or address that a friend gave you",
                "код или адрес, который дал вам друг",
                "朋友给你的邀请码或地址",
                "朋友給你的邀請碼或位址"
            ),
            FieldId::FirstPlayer | FieldId::SecondPlayer => tr!(
                self,
                "a name, or bot:easy, bot:medium, bot:hard, bot:perfect",
                "имя или bot:easy, bot:medium, bot:hard, bot:perfect",
                "名字，或 bot:easy、bot:medium、bot:hard、bot:perfect",
                "名字，或 bot:easy、bot:medium、bot:hard、bot:perfect"
            ),
            FieldId::SeatAssignment => tr!(
                self,
                "the one who begins: first or second player, or drawn by lot",
                "кто начинает: first - первый, second - второй, random - по жребию",
                "谁先行：first 甲方，second 乙方，random 抽签",
                "誰先行：first 甲方，second 乙方，random 抽籤"
            ),
            FieldId::DigitOrder => tr!(
                self,
                "reading: 1 2 3 on top; numpad: 7 8 9 on top",
                "reading: 1 2 3 сверху; numpad: 7 8 9 сверху",
                "reading：1 2 3 在上；numpad：7 8 9 在上",
                "reading：1 2 3 在上；numpad：7 8 9 在上"
            ),
            FieldId::Lang => tr!(
                self,
                "en, ru, zh-Hans or zh-Hant",
                "en, ru, zh-Hans или zh-Hant",
                "en、ru、zh-Hans 或 zh-Hant",
                "en、ru、zh-Hans 或 zh-Hant"
            ),
            FieldId::Theme => tr!(
                self,
                "ansi: the terminal's own; mono: none; high-contrast: bright, bold, reversed",
                "ansi: цвета терминала; mono: без цвета; high-contrast: ярко и контрастно",
                "ansi：终端颜色；mono：无颜色；high-contrast：高对比度",
                "ansi：終端顏色；mono：無顏色；high-contrast：高對比度"
            ),
            FieldId::Glyphs => tr!(
                self,
                "unicode: drawn with lines; ascii: with | and -; auto: asks the terminal",
                "unicode: линиями; ascii: знаками | и -; auto: по терминалу",
                "unicode：线条；ascii：用 | 和 -；auto：由终端决定",
                "unicode：線條；ascii：用 | 和 -；auto：由終端決定"
            ),
            FieldId::Bell => tr!(
                self,
                "when it is your turn and you look elsewhere: off, bell, or notify (desktop)",
                "ваш ход, а вы смотрите не сюда: off - нет, bell - сигнал, notify - уведомление",
                "轮到你而你在看别处时：off 不提醒，bell 响铃，notify 桌面通知",
                "輪到你而你在看別處時：off 不提醒，bell 響鈴，notify 桌面通知"
            ),
        }
    }
}
