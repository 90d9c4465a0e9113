//! What the arguments of the command line are, for its help.

use crate::i18n::{Texts, tr};

/// The arguments that have a text of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    Lang,
    Ui,
    Color,
    Theme,
    Glyphs,
    Digits,
    Bell,
    Config,
    ConfigQuery,
    DoctorServer,
    Ca,
    StateDir,
    Log,
    Server,
    InviteServer,
    Name,
    Rules,
    Clock,
    Seat,
    Private,
    Public,
    Vs,
    Invite,
    Invites,
    X,
    O,
    First,
    Room,
    File,
    Review,
    Shell,
    Help,
    Version,
}

impl Texts {
    /// What an argument of a command for people is.
    pub fn flag(self, flag: Flag) -> &'static str {
        match flag {
            Flag::Lang => tr!(
                self,
                "The language: en, ru, zh-Hans or zh-Hant; else that of the locale",
                "Язык: en, ru, zh-Hans или zh-Hant; иначе язык локали",
                "语言：en、ru、zh-Hans 或 zh-Hant；默认随系统区域",
                "語言：en、ru、zh-Hans 或 zh-Hant；預設依系統地區"
            ),
            Flag::Ui => tr!(
                self,
                "Full screen, one line an event, or one JSON object for programs; auto takes the full screen on a terminal that can",
                "Полный экран (full), строка на событие (line) или объект JSON для программ (json); auto - полный экран, где терминал может",
                "全屏 (full)、每个事件一行 (line) 或供程序读取的 JSON (json)；auto 在合适的终端上用全屏",
                "全螢幕 (full)、每個事件一行 (line) 或供程式讀取的 JSON (json)；auto 在合適的終端機上用全螢幕"
            ),
            Flag::Theme => tr!(
                self,
                "Which colours, where there are any; what they tell is told without them too",
                "Какие цвета, если они есть; всё, что они говорят, видно и без них",
                "使用哪种配色；颜色表达的内容没有颜色也看得出",
                "使用哪種配色；顏色表達的內容沒有顏色也看得出"
            ),
            Flag::Bell => tr!(
                self,
                "How to call you when it is your turn and the terminal is not looked at",
                "Как позвать вас, когда ваш ход, а на терминал не смотрят",
                "轮到你而终端不在前台时如何提醒",
                "輪到你而終端機不在前景時如何提醒"
            ),
            Flag::DoctorServer => tr!(
                self,
                "A server to ask, too",
                "Сервер, который тоже спросить",
                "同时检查的服务器",
                "同時檢查的伺服器"
            ),
            Flag::Config => tr!(
                self,
                "The settings file; else where the platform has such things",
                "Файл настроек; иначе там, где их держит платформа",
                "设置文件；默认放在平台惯用的位置",
                "設定檔；預設放在平台慣用的位置"
            ),
            Flag::ConfigQuery => tr!(
                self,
                "Where the file lies, or what counts and where it comes from",
                "Где лежит файл или что действует и откуда взято",
                "文件的位置，或生效的设置及其来源",
                "檔案的位置，或生效的設定及其來源"
            ),
            Flag::Color => tr!(
                self,
                "Colours; auto has them unless NO_COLOR is set or TERM is dumb",
                "Цвета; auto - есть, если не задано NO_COLOR и TERM не dumb",
                "颜色；auto 有颜色，除非设了 NO_COLOR 或 TERM 为 dumb",
                "顏色；auto 有顏色，除非設了 NO_COLOR 或 TERM 為 dumb"
            ),
            Flag::Glyphs => tr!(
                self,
                "Characters for the grid; auto asks the terminal",
                "Знаки для сетки; auto спрашивает терминал",
                "棋盘线的字符；auto 询问终端",
                "棋盤線的字元；auto 詢問終端機"
            ),
            Flag::Digits => tr!(
                self,
                "How digits number the cells of a small board: reading has 1 2 3 on top, numpad 7 8 9",
                "Как цифры нумеруют клетки малой доски: reading - 1 2 3 сверху, numpad - 7 8 9",
                "数字如何给小棋盘编号：reading 上排 1 2 3，numpad 上排 7 8 9",
                "數字如何給小棋盤編號：reading 上排 1 2 3，numpad 上排 7 8 9"
            ),
            Flag::Ca => tr!(
                self,
                "Believe servers whose certificate this one signed (PEM), beside the platform's authorities",
                "Верить и серверам, чей сертификат подписан этим (PEM), кроме центров системы",
                "除系统的证书机构外，也信任由此证书 (PEM) 签发的服务器",
                "除系統的憑證機構外，也信任由此憑證 (PEM) 簽發的伺服器"
            ),
            Flag::StateDir => tr!(
                self,
                "Keep what it takes to continue a game in this folder; else where the platform has such things",
                "Где хранить нужное для продолжения партий; иначе там, где это принято в системе",
                "续局所需的数据存放在此文件夹；默认用系统的惯常位置",
                "續局所需的資料存放在此資料夾；預設用系統的慣常位置"
            ),
            Flag::Log => tr!(
                self,
                "Write a log to this file",
                "Писать журнал в этот файл",
                "把日志写入此文件",
                "把記錄寫入此檔案"
            ),
            Flag::Server => tr!(
                self,
                "The server: host, host:port or ws://host:port/ws",
                "Сервер: host, host:port или ws://host:port/ws",
                "服务器：host、host:port 或 ws://host:port/ws",
                "伺服器：host、host:port 或 ws://host:port/ws"
            ),
            Flag::InviteServer => tr!(
                self,
                "The server, where the invitation names none",
                "Сервер, если в приглашении он не назван",
                "服务器，邀请中没有写时用",
                "伺服器，邀請中沒有寫時用"
            ),
            Flag::Name => tr!(
                self,
                "What you are called there; else your user name",
                "Ваше имя там; иначе имя пользователя",
                "你的名字；默认为用户名",
                "你的名字；預設為使用者名稱"
            ),
            Flag::Rules => tr!(
                self,
                "The game: a name, or sizes and line such as 15x15:5",
                "Игра: название или размеры и линия, например 15x15:5",
                "游戏：名称，或尺寸和连子数，例如 15x15:5",
                "遊戲：名稱，或尺寸和連子數，例如 15x15:5"
            ),
            Flag::Clock => tr!(
                self,
                "The time for each side: minutes+seconds a move; without it there is no clock",
                "Время каждой стороны: минуты+секунды за ход; без этого часов нет",
                "每方用时：分钟+每步加秒；不写则不计时",
                "每方用時：分鐘+每步加秒；不寫則不計時"
            ),
            Flag::Seat => tr!(
                self,
                "Which mark to have; X begins",
                "Каким знаком играть; X начинает",
                "执哪一方；X 先行",
                "執哪一方；X 先行"
            ),
            Flag::Private => tr!(
                self,
                "Open a private room and wait there for a friend with the code",
                "Открыть свою комнату и ждать в ней друга с кодом",
                "开一个私人房间，等朋友凭邀请码加入",
                "開一個私人房間，等朋友憑邀請碼加入"
            ),
            Flag::Public => tr!(
                self,
                "Open a public room and wait there for anyone",
                "Открыть комнату для всех и ждать в ней любого",
                "开一个公开房间，等任何人加入",
                "開一個公開房間，等任何人加入"
            ),
            Flag::Vs => tr!(
                self,
                "Play against a bot of your own, in a private room",
                "Играть со своим ботом, в закрытой комнате",
                "在私人房间里与自己的机器人对局",
                "在私人房間裡與自己的機器人對局"
            ),
            Flag::Invite => tr!(
                self,
                "The code or id of the room, or ws://host:port/ws#CODE",
                "Код или номер комнаты либо ws://host:port/ws#CODE",
                "邀请码、房间号，或 ws://host:port/ws#CODE",
                "邀請碼、房間號，或 ws://host:port/ws#CODE"
            ),
            Flag::Invites => tr!(
                self,
                "The codes or ids of the rooms, or ws://host:port/ws#CODE: up to six at once",
                "Коды или номера комнат либо ws://host:port/ws#CODE: до шести сразу",
                "邀请码、房间号，或 ws://host:port/ws#CODE；最多同时六个",
                "邀請碼、房間號，或 ws://host:port/ws#CODE；最多同時六個"
            ),
            Flag::X => tr!(
                self,
                "Who has X: a name, bot, or bot:easy, bot:medium, bot:hard, bot:perfect, or engine:COMMAND, a program of the Gomocup protocol",
                "Кто играет за X: имя, bot или bot:easy, bot:medium, bot:hard, bot:perfect, или engine:COMMAND, программа протокола Gomocup",
                "谁执 X：名字、bot，或 bot:easy、bot:medium、bot:hard、bot:perfect，或 engine:COMMAND：Gomocup 协议程序",
                "誰執 X：名字、bot，或 bot:easy、bot:medium、bot:hard、bot:perfect，或 engine:COMMAND：Gomocup 協定程式"
            ),
            Flag::O => tr!(self, "Who has O", "Кто играет за O", "谁执 O", "誰執 O"),
            Flag::First => tr!(
                self,
                "Who begins: X as given, or drawn by lot, which may exchange the marks",
                "Кто начинает: X, как указано, или по жребию, который может поменять знаки",
                "谁先行：按所写的 X，或抽签，抽签可能交换双方",
                "誰先行：按所寫的 X，或抽籤，抽籤可能交換雙方"
            ),
            Flag::Room => tr!(
                self,
                "The room; else the newest",
                "Комната; иначе последняя",
                "房间；默认为最近的",
                "房間；預設為最近的"
            ),
            Flag::File => tr!(self, "The file", "Файл", "文件", "檔案"),
            Flag::Review => tr!(
                self,
                "Judge its moves, and tell where it was lost",
                "Оценить ходы и сказать, где партия проиграна",
                "评判每一手，指出败着",
                "評判每一手，指出敗著"
            ),
            Flag::Shell => tr!(self, "The shell", "Оболочка", "哪种 shell", "哪種 shell"),
            Flag::Help => tr!(self, "Print this help", "Показать эту справку", "显示本帮助", "顯示本說明"),
            Flag::Version => tr!(self, "Print the version", "Показать версию", "显示版本", "顯示版本"),
        }
    }
}
