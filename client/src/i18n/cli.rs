//! Texts of the command line's help: the program, its subcommands and its options.

mod doctor;
pub(crate) mod engines;

use noughts_protocol::Rules;

use crate::i18n::{Texts, tr, trf};

/// Subcommand that the help describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpTopic {
    Play,
    Join,
    Continue,
    Watch,
    List,
    Bot,
    Arena,
    Engine,
    Local,
    Replay,
    Config,
    Doctor,
    Completions,
    Man,
    Help,
}

/// Heading of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpHeading {
    Usage,
    Commands,
    Arguments,
    Options,
    GlobalOptions,
}

impl Texts {
    /// Describes the program in one sentence.
    pub fn about(self) -> &'static str {
        tr!(
            self,
            "Play tic-tac-toe, Gomoku, Connect Four and other k-in-a-row games in a terminal.",
            "Крестики-нолики, гомоку, четыре в ряд и другие игры в терминале.",
            "在终端里下井字棋、五子棋、四子棋等连子棋。",
            "在終端機裡下井字棋、五子棋、四子棋等連子棋。"
        )
    }

    /// Describes the program without a subcommand.
    pub fn about_home(self) -> &'static str {
        tr!(
            self,
            "Without a command, opens the home screen.",
            "Без команды открывает начальный экран.",
            "不带命令时打开主界面。",
            "不帶指令時開啟主畫面。"
        )
    }

    /// Lists games and exit codes below the help.
    pub fn after_help(self) -> String {
        let games = Rules::NAMED
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(", ");
        let sizes = "6x6:4, 15x15:5+exact, 4x4x4:4+gravity, 3x3:3+misere";
        trf!(
            self,
            "Games: {games}, or a size and a line length: {sizes}.\n\nExit codes: 0 success (whoever won); 1 system error; 2 usage error; 3 cannot connect; 4 rejected by the server; 5 connection lost; 101 internal error; 128+n ended by signal n.",
            "Игры: {games} или размер и длина линии: {sizes}.\n\nКоды выхода: 0 успех (кто бы ни выиграл); 1 системная ошибка; 2 ошибка в команде; 3 не удалось подключиться; 4 отказ сервера; 5 связь потеряна; 101 внутренняя ошибка; 128+n завершено сигналом n.",
            "游戏：{games}；或棋盘大小和连子数：{sizes}。\n\n退出码：0 成功（无论谁胜）；1 系统错误；2 用法错误；3 无法连接；4 被服务器拒绝；5 连接中断；101 内部错误；128+n 被信号 n 终止。",
            "遊戲：{games}；或棋盤大小和連子數：{sizes}。\n\n結束碼：0 成功（無論誰勝）；1 系統錯誤；2 用法錯誤；3 無法連線；4 被伺服器拒絕；5 連線中斷；101 內部錯誤；128+n 被訊號 n 終止。"
        )
    }

    /// Describes a subcommand.
    pub fn topic(self, topic: HelpTopic) -> &'static str {
        match topic {
            HelpTopic::Play => tr!(
                self,
                "Play on a server: find an opponent, invite a friend, or play a bot",
                "Играть на сервере: найти соперника, пригласить друга или играть с ботом",
                "在服务器上对局：寻找对手、邀请朋友或与机器人下",
                "在伺服器上對局：尋找對手、邀請朋友或與機器人下"
            ),
            HelpTopic::Join => tr!(
                self,
                "Join a game by code, id or address",
                "Войти в игру по коду, номеру или адресу от друга",
                "凭邀请码、房间号或地址加入",
                "憑邀請碼、房間號或位址加入"
            ),
            HelpTopic::Continue => tr!(
                self,
                "Resume an interrupted game",
                "Продолжить прерванную партию",
                "继续中断的棋局",
                "繼續中斷的棋局"
            ),
            HelpTopic::Watch => tr!(
                self,
                "Watch a game, or several side by side",
                "Смотреть партию или несколько сразу",
                "观战，可同时观看多局",
                "觀戰，可同時觀看多局"
            ),
            HelpTopic::List => tr!(
                self,
                "List public rooms and players looking for an opponent",
                "Показать открытые комнаты и ищущих соперника",
                "列出公开房间和正在寻找对手的玩家",
                "列出公開房間和正在尋找對手的玩家"
            ),
            HelpTopic::Bot => {
                tr!(
                    self,
                    "Run a bot on a server",
                    "Запустить бота на сервере",
                    "在服务器上运行机器人",
                    "在伺服器上執行機器人"
                )
            }
            HelpTopic::Arena => tr!(
                self,
                "Run a tournament between engines and estimate Elo",
                "Провести турнир движков и оценить Эло",
                "举行引擎对抗赛并估算 Elo",
                "舉行引擎對抗賽並估算 Elo"
            ),
            HelpTopic::Engine => tr!(
                self,
                "Run as an engine (Gomocup or UGI) on stdin/stdout",
                "Работать движком (Gomocup или UGI) на stdin/stdout",
                "作为引擎运行 (Gomocup/UGI)，使用 stdin/stdout",
                "作為引擎執行 (Gomocup/UGI)，使用 stdin/stdout"
            ),
            HelpTopic::Local => tr!(
                self,
                "Play on this computer, offline",
                "Играть на этом компьютере, без сети",
                "在本机对局，不联网",
                "在本機對局，不連網"
            ),
            HelpTopic::Replay => {
                tr!(
                    self,
                    "Replay a game record",
                    "Просмотреть запись партии",
                    "回放棋谱",
                    "回放棋譜"
                )
            }
            HelpTopic::Config => tr!(
                self,
                "Show the settings and the path of their file",
                "Показать настройки и путь к файлу настроек",
                "显示设置和设置文件的位置",
                "顯示設定和設定檔的位置"
            ),
            HelpTopic::Doctor => tr!(
                self,
                "Diagnose terminal, settings and connection",
                "Проверить терминал, настройки и подключение",
                "诊断终端、设置和连接",
                "診斷終端機、設定和連線"
            ),
            HelpTopic::Completions => tr!(
                self,
                "Print a completion script for a shell",
                "Вывести скрипт автодополнения",
                "输出 shell 补全脚本",
                "輸出 shell 補全腳本"
            ),
            HelpTopic::Man => {
                tr!(
                    self,
                    "Print the manual page",
                    "Вывести страницу руководства",
                    "输出手册页",
                    "輸出手冊頁"
                )
            }
            HelpTopic::Help => tr!(
                self,
                "Print this help or the help of a command",
                "Показать эту справку или справку о команде",
                "显示本帮助或某个命令的帮助",
                "顯示本說明或某個指令的說明"
            ),
        }
    }

    pub fn heading(self, heading: HelpHeading) -> &'static str {
        match heading {
            HelpHeading::Usage => tr!(self, "Usage", "Использование", "用法", "用法"),
            HelpHeading::Commands => tr!(self, "Commands", "Команды", "命令", "指令"),
            HelpHeading::Arguments => tr!(self, "Arguments", "Аргументы", "参数", "引數"),
            HelpHeading::Options => tr!(self, "Options", "Параметры", "选项", "選項"),
            HelpHeading::GlobalOptions => {
                tr!(
                    self,
                    "Global options",
                    "Общие параметры",
                    "全局选项",
                    "全域選項"
                )
            }
        }
    }

    /// Placeholders for options and subcommand in a usage line.
    pub fn placeholders(self) -> [&'static str; 2] {
        [
            tr!(self, "OPTIONS", "ПАРАМЕТРЫ", "选项", "選項"),
            tr!(self, "COMMAND", "КОМАНДА", "命令", "指令"),
        ]
    }

    /// Lists the possible values behind an argument's help.
    pub fn possible_values(self, choices: &str) -> String {
        trf!(
            self,
            "[possible values: {choices}]",
            "[варианты: {choices}]",
            "[可选：{choices}]",
            "[可選：{choices}]"
        )
    }

    /// Names the default behind an argument's help.
    pub fn default_value(self, value: &str) -> String {
        trf!(
            self,
            "[default: {value}]",
            "[по умолчанию: {value}]",
            "[默认：{value}]",
            "[預設：{value}]"
        )
    }

    /// Names the environment variable behind an argument's help.
    pub fn env_variable(self, name: &str) -> String {
        trf!(
            self,
            "[env: {name}]",
            "[переменная: {name}]",
            "[环境变量：{name}]",
            "[環境變數：{name}]"
        )
    }

    /// Translates a section heading of the manual page.
    pub fn manual_section(self, heading: &str) -> &str {
        match heading {
            "NAME" => tr!(self, "NAME", "ИМЯ", "名称", "名稱"),
            "SYNOPSIS" => tr!(self, "SYNOPSIS", "ОБЗОР", "概要", "概要"),
            "DESCRIPTION" => tr!(self, "DESCRIPTION", "ОПИСАНИЕ", "描述", "描述"),
            "EXTRA" => tr!(self, "EXTRA", "ДОПОЛНИТЕЛЬНО", "其他", "其他"),
            "VERSION" => tr!(self, "VERSION", "ВЕРСИЯ", "版本", "版本"),
            other => other,
        }
    }
}

/// Argument of a subcommand for players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    Lang,
    Ui,
    Color,
    Theme,
    Glyphs,
    Digits,
    Board,
    Bell,
    Phrases,
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
    Tv,
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
    /// Describes an argument.
    pub fn flag(self, flag: Flag) -> &'static str {
        match flag {
            Flag::Lang => tr!(
                self,
                "Language: en, ru, zh-Hans or zh-Hant [default: from the locale]",
                "Язык: en, ru, zh-Hans или zh-Hant [по умолчанию: из локали]",
                "语言：en、ru、zh-Hans 或 zh-Hant [默认：随系统区域]",
                "語言：en、ru、zh-Hans 或 zh-Hant [預設：依系統地區]"
            ),
            Flag::Ui => tr!(
                self,
                "Interface: full screen, line by line, or JSON; auto chooses",
                "Интерфейс: полный экран (full), построчный (line) или JSON (json); auto выбирает сам",
                "界面：全屏 (full)、逐行 (line) 或 JSON (json)；auto 自动选择",
                "介面：全螢幕 (full)、逐行 (line) 或 JSON (json)；auto 自動選擇"
            ),
            Flag::Theme => tr!(
                self,
                "Colour theme (colour is never the only cue)",
                "Цветовая тема (цвет нигде не единственный признак)",
                "配色（颜色从不是唯一的提示）",
                "配色（顏色從不是唯一的提示）"
            ),
            Flag::Bell => tr!(
                self,
                "Alert when it is your turn and the window is in the background",
                "Сигнал, когда ваш ход, а окно в фоне",
                "轮到你而窗口在后台时的提醒",
                "輪到你而視窗在背景時的提醒"
            ),
            Flag::Phrases => tr!(
                self,
                "Show or hide the phrases of other players",
                "Показывать (show) или скрывать (hide) фразы других игроков",
                "显示 (show) 或隐藏 (hide) 其他玩家的短语",
                "顯示 (show) 或隱藏 (hide) 其他玩家的短語"
            ),
            Flag::DoctorServer => {
                tr!(
                    self,
                    "Server to test",
                    "Сервер для проверки",
                    "要检查的服务器",
                    "要檢查的伺服器"
                )
            }
            Flag::Config => tr!(
                self,
                "Settings file [default: platform config directory]",
                "Файл настроек [по умолчанию: каталог настроек платформы]",
                "设置文件 [默认：平台配置目录]",
                "設定檔 [預設：平台設定目錄]"
            ),
            Flag::ConfigQuery => tr!(
                self,
                "path: where the file is; show: effective settings and their source",
                "path: где файл; show: действующие настройки и их источник",
                "path：文件位置；show：生效的设置及其来源",
                "path：檔案位置；show：生效的設定及其來源"
            ),
            Flag::Color => tr!(
                self,
                "Colours; auto turns them on unless NO_COLOR is set or TERM is dumb",
                "Цвета; auto включает их, если не задано NO_COLOR и TERM не dumb",
                "颜色；auto 启用颜色，除非设置了 NO_COLOR 或 TERM 为 dumb",
                "顏色；auto 啟用顏色，除非設定了 NO_COLOR 或 TERM 為 dumb"
            ),
            Flag::Glyphs => tr!(
                self,
                "Characters for the grid; auto asks the terminal",
                "Знаки сетки; auto спрашивает терминал",
                "网格所用的字符；auto 由终端决定",
                "網格所用的字元；auto 由終端機決定"
            ),
            Flag::Digits => tr!(
                self,
                "Layout of number keys on small boards: reading has 1 2 3 on top, numpad 7 8 9",
                "Порядок цифр на малых досках: reading - 1 2 3 сверху, numpad - 7 8 9",
                "小棋盘上的数字键：reading 上排为 1 2 3，numpad 上排为 7 8 9",
                "小棋盤上的數字鍵：reading 上排為 1 2 3，numpad 上排為 7 8 9"
            ),
            Flag::Board => tr!(
                self,
                "Print the board at each turn in line mode; auto prints it at a terminal",
                "Печатать доску каждый ход в построчном режиме; auto - в терминале",
                "逐行模式中每回合打印棋盘；auto 仅在终端中打印",
                "逐行模式中每回合列印棋盤；auto 僅在終端機中列印"
            ),
            Flag::Ca => tr!(
                self,
                "Additional CA certificate to trust (PEM)",
                "Дополнительный доверенный сертификат ЦС (PEM)",
                "额外信任的 CA 证书 (PEM)",
                "額外信任的 CA 憑證 (PEM)"
            ),
            Flag::StateDir => tr!(
                self,
                "Directory for resumable games [default: platform state directory]",
                "Каталог прерванных партий [по умолчанию: каталог состояния платформы]",
                "可继续棋局的目录 [默认：平台状态目录]",
                "可繼續棋局的目錄 [預設：平台狀態目錄]"
            ),
            Flag::Log => tr!(
                self,
                "Write a log to this file",
                "Писать журнал в этот файл",
                "将日志写入此文件",
                "將記錄寫入此檔案"
            ),
            Flag::Server => tr!(
                self,
                "Server: host, host:port or ws://host:port/ws",
                "Сервер: host, host:port или ws://host:port/ws",
                "服务器：host、host:port 或 ws://host:port/ws",
                "伺服器：host、host:port 或 ws://host:port/ws"
            ),
            Flag::InviteServer => tr!(
                self,
                "Server, if the invitation does not name one",
                "Сервер, если в приглашении он не назван",
                "服务器，用于未写明服务器的邀请",
                "伺服器，用於未寫明伺服器的邀請"
            ),
            Flag::Name => tr!(
                self,
                "Your name [default: user name]",
                "Ваше имя [по умолчанию: имя пользователя]",
                "你的名字 [默认：用户名]",
                "你的名字 [預設：使用者名稱]"
            ),
            Flag::Rules => tr!(
                self,
                "Game: a name, or a size and a line length such as 15x15:5",
                "Игра: название или размер и длина линии, например 15x15:5",
                "游戏：名称，或棋盘大小和连子数，例如 15x15:5",
                "遊戲：名稱，或棋盤大小和連子數，例如 15x15:5"
            ),
            Flag::Clock => tr!(
                self,
                "Time per side: minutes+seconds per move [default: no clock]",
                "Время каждой стороны: минуты+секунды за ход [по умолчанию: без часов]",
                "每方用时：分钟+每步加秒 [默认：不计时]",
                "每方用時：分鐘+每步加秒 [預設：不計時]"
            ),
            Flag::Seat => tr!(
                self,
                "Side to play; X goes first",
                "За кого играть; X ходит первым",
                "执哪一方；X 先行",
                "執哪一方；X 先行"
            ),
            Flag::Private => tr!(
                self,
                "Open a private room and wait for a friend to join by code",
                "Создать закрытую комнату и ждать друга, которому дан код",
                "开一个私人房间，等朋友凭邀请码加入",
                "開一個私人房間，等朋友憑邀請碼加入"
            ),
            Flag::Public => tr!(
                self,
                "Open a public room and wait for an opponent",
                "Создать открытую комнату и ждать соперника",
                "开一个公开房间，等待对手",
                "開一個公開房間，等待對手"
            ),
            Flag::Vs => tr!(
                self,
                "Play against a bot",
                "Играть против бота",
                "与机器人对局",
                "與機器人對局"
            ),
            Flag::Invite => tr!(
                self,
                "Code or id of the room, or ws://host:port/ws#CODE",
                "Код или номер комнаты либо ws://host:port/ws#CODE",
                "邀请码、房间号，或 ws://host:port/ws#CODE",
                "邀請碼、房間號，或 ws://host:port/ws#CODE"
            ),
            Flag::Tv => tr!(
                self,
                "Go on with the next running game of the server when a game is over",
                "После конца партии показывать следующую идущую партию сервера",
                "一局结束后接着看服务器上的下一局",
                "一局結束後接著看伺服器上的下一局"
            ),
            Flag::Invites => tr!(
                self,
                "Codes or ids of the rooms, or ws://host:port/ws#CODE; up to six",
                "Коды или номера комнат либо ws://host:port/ws#CODE; до шести сразу",
                "邀请码、房间号，或 ws://host:port/ws#CODE；最多同时六个",
                "邀請碼、房間號，或 ws://host:port/ws#CODE；最多同時六個"
            ),
            Flag::X => tr!(
                self,
                "Player of X: a name, bot[:LEVEL], or engine:COMMAND (a Gomocup engine)",
                "Игрок за X: имя, bot[:LEVEL] или engine:COMMAND (движок Gomocup)",
                "X 方：名字、bot[:LEVEL]，或 engine:COMMAND（Gomocup 引擎）",
                "X 方：名字、bot[:LEVEL]，或 engine:COMMAND（Gomocup 引擎）"
            ),
            Flag::O => tr!(
                self,
                "Player of O, as for X",
                "Игрок за O, как для X",
                "O 方，写法同 X",
                "O 方，寫法同 X"
            ),
            Flag::First => tr!(
                self,
                "Who goes first: X, or random",
                "Кто ходит первым: X или random (случайно)",
                "谁先行：X，或 random（随机）",
                "誰先行：X，或 random（隨機）"
            ),
            Flag::Room => tr!(
                self,
                "Room [default: newest]",
                "Комната [по умолчанию: последняя]",
                "房间 [默认：最近的]",
                "房間 [預設：最近的]"
            ),
            Flag::File => tr!(self, "Record file", "Файл записи", "棋谱文件", "棋譜檔案"),
            Flag::Review => tr!(
                self,
                "Analyse the moves and find the losing one",
                "Проанализировать ходы и найти проигрывающий",
                "分析每一手，找出败着",
                "分析每一手，找出敗著"
            ),
            Flag::Shell => tr!(
                self,
                "Shell",
                "Командная оболочка",
                "shell 种类",
                "shell 種類"
            ),
            Flag::Help => tr!(
                self,
                "Print this help",
                "Показать эту справку",
                "显示本帮助",
                "顯示本說明"
            ),
            Flag::Version => tr!(
                self,
                "Print the version",
                "Показать версию",
                "显示版本",
                "顯示版本"
            ),
        }
    }
}
