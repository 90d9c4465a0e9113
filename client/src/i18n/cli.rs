//! The help of the command line, and what is wrong with one.

pub(crate) mod bot_flags;
mod doctor;
pub(crate) mod engines;
pub(crate) mod flags;

use crate::i18n::{Texts, tr, trf};

/// The commands.
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

/// The headings of the help, and what stands in brackets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpHeading {
    Usage,
    Commands,
    Arguments,
    Options,
    GlobalOptions,
}

impl Texts {
    /// What this program is, in the help.
    pub fn about(self) -> &'static str {
        tr!(
            self,
            "Play any k-in-a-row game with anyone, from a terminal.",
            "Любая игра в k в ряд, с кем угодно, в терминале.",
            "在终端里与任何人下任何连子棋。",
            "在終端機裡與任何人下任何連子棋。"
        )
    }

    /// What it does without a command.
    pub fn about_home(self) -> &'static str {
        tr!(
            self,
            "Without a command, and on a terminal, a home screen asks what to play.",
            "Без команды, на терминале, начальный экран спрашивает, во что играть.",
            "不带命令在终端上运行时，主界面会问你下什么。",
            "不帶指令在終端機上執行時，主畫面會問你下什麼。"
        )
    }

    /// Under the help: games and exit codes.
    pub fn after_help(self) -> String {
        let games = "tictactoe, misere, connect4, gomoku, gomoku-exact, gomoku19, tictactoe3d, qubic,\nscore4, tesseract";
        let sizes = "6x6:4, 15x15:5+exact, 4x4x4:4+gravity, 3x3:3+misere";
        trf!(
            self,
            "Games: {games}, or sizes and line:\n{sizes}.\n\nExit codes: 0 done, whoever won; 1 refused by the system; 2 usage; 3 cannot connect;\n4 refused by the server; 5 connection lost for good; 101 a fault in this program;\n128+n ended by signal n.",
            "Игры: {games} или размеры и линия:\n{sizes}.\n\nКоды выхода: 0 готово, кто бы ни выиграл; 1 отказ системы; 2 ошибка в команде;\n3 нет подключения; 4 отказ сервера; 5 связь потеряна окончательно; 101 сбой программы;\n128+n завершено сигналом n.",
            "游戏：{games}；或尺寸和连子数：\n{sizes}。\n\n退出码：0 完成，无论谁胜；1 被系统拒绝；2 用法有误；3 无法连接；4 被服务器拒绝；\n5 连接彻底中断；101 本程序出错；128+n 被信号 n 终止。",
            "遊戲：{games}；或尺寸和連子數：\n{sizes}。\n\n結束碼：0 完成，無論誰勝；1 被系統拒絕；2 用法有誤；3 無法連線；4 被伺服器拒絕；\n5 連線徹底中斷；101 本程式出錯；128+n 被訊號 n 終止。"
        )
    }

    /// What a command does.
    pub fn topic(self, topic: HelpTopic) -> &'static str {
        match topic {
            HelpTopic::Play => tr!(
                self,
                "Play on a server: with whoever wants the same game, with a friend, or against a bot",
                "Играть на сервере: с тем, кто хочет ту же игру, с другом или с ботом",
                "在服务器上对局：与想下同一游戏的人、朋友或机器人",
                "在伺服器上對局：與想下同一遊戲的人、朋友或機器人"
            ),
            HelpTopic::Join => tr!(
                self,
                "Join a game by the code, id or address that a friend gave you",
                "Войти в игру по коду, номеру или адресу от друга",
                "凭朋友给的邀请码、房间号或地址加入",
                "憑朋友給的邀請碼、房間號或位址加入"
            ),
            HelpTopic::Continue => tr!(
                self,
                "Go on with a game that noughts was killed in",
                "Продолжить партию, в которой noughts прервали",
                "继续 noughts 被强行终止时的那一局",
                "繼續 noughts 被強制終止時的那一局"
            ),
            HelpTopic::Watch => tr!(
                self,
                "Watch a game, or several side by side",
                "Смотреть игру или несколько рядом",
                "观战，可同时观看多局",
                "觀戰，可同時觀看多局"
            ),
            HelpTopic::List => tr!(
                self,
                "Print the public rooms of a server, and who waits to be paired",
                "Вывести открытые комнаты сервера и тех, кто ждёт соперника",
                "列出服务器的公开房间和等待配对的人",
                "列出伺服器的公開房間和等待配對的人"
            ),
            HelpTopic::Bot => {
                tr!(
                    self,
                    "Play as a bot on a server",
                    "Играть ботом на сервере",
                    "在服务器上当机器人",
                    "在伺服器上當機器人"
                )
            }
            HelpTopic::Arena => tr!(
                self,
                "Let programs play each other here, and tell how strong they are",
                "Сыграть программы между собой и сказать, насколько они сильны",
                "让程序在本机互相对局，并评估棋力",
                "讓程式在本機互相對局，並評估棋力"
            ),
            HelpTopic::Engine => tr!(
                self,
                "Think for another program: Gomocup or UGI on stdin and stdout",
                "Думать за другую программу: Gomocup или UGI на stdin и stdout",
                "替另一程序思考：在 stdin 和 stdout 上说 Gomocup 或 UGI",
                "替另一程式思考：在 stdin 和 stdout 上說 Gomocup 或 UGI"
            ),
            HelpTopic::Local => tr!(
                self,
                "Play on this terminal, without a network",
                "Играть на этом терминале, без сети",
                "在本终端对局，不联网",
                "在本終端機對局，不連網"
            ),
            HelpTopic::Replay => tr!(
                self,
                "Look at a game that was saved",
                "Посмотреть записанную партию",
                "看保存的棋局",
                "看儲存的棋局"
            ),
            HelpTopic::Config => tr!(
                self,
                "Tell the settings, and where their file lies",
                "Показать настройки и где лежит их файл",
                "显示设置及其文件的位置",
                "顯示設定及其檔案的位置"
            ),
            HelpTopic::Doctor => tr!(
                self,
                "Look at all that a game needs, and tell what is wrong",
                "Проверить всё, что нужно для игры, и сказать, что не так",
                "检查对局所需的一切，并指出问题",
                "檢查對局所需的一切，並指出問題"
            ),
            HelpTopic::Completions => tr!(
                self,
                "Print completions for a shell",
                "Вывести дополнения для оболочки",
                "输出 shell 补全脚本",
                "輸出 shell 補全腳本"
            ),
            HelpTopic::Man => {
                tr!(self, "Print the manual page", "Вывести страницу руководства", "输出手册页", "輸出手冊頁")
            }
            HelpTopic::Help => tr!(
                self,
                "Print this help, or that of a command",
                "Показать эту справку или справку о команде",
                "显示本帮助或某个命令的帮助",
                "顯示本說明或某個指令的說明"
            ),
        }
    }

    /// A heading of the help.
    pub fn heading(self, heading: HelpHeading) -> &'static str {
        match heading {
            HelpHeading::Usage => tr!(self, "Usage", "Использование", "用法", "用法"),
            HelpHeading::Commands => tr!(self, "Commands", "Команды", "命令", "指令"),
            HelpHeading::Arguments => tr!(self, "Arguments", "Аргументы", "参数", "引數"),
            HelpHeading::Options => tr!(self, "Options", "Параметры", "选项", "選項"),
            HelpHeading::GlobalOptions => {
                tr!(self, "Whatever the command", "При любой команде", "任何命令都可用", "任何指令都可用")
            }
        }
    }

    /// What stands for options and for a command in a line of usage.
    pub fn placeholders(self) -> [&'static str; 2] {
        [tr!(self, "OPTIONS", "ПАРАМЕТРЫ", "选项", "選項"), tr!(self, "COMMAND", "КОМАНДА", "命令", "指令")]
    }

    /// In brackets behind the help of an argument: what may be said.
    pub fn possible_values(self, choices: &str) -> String {
        trf!(
            self,
            "[possible values: {choices}]",
            "[варианты: {choices}]",
            "[可选：{choices}]",
            "[可選：{choices}]"
        )
    }

    /// What it is otherwise.
    pub fn default_value(self, value: &str) -> String {
        trf!(self, "[default: {value}]", "[по умолчанию: {value}]", "[默认：{value}]", "[預設：{value}]")
    }

    /// Which variable says the same.
    pub fn env_variable(self, name: &str) -> String {
        trf!(self, "[env: {name}]", "[переменная: {name}]", "[环境变量：{name}]", "[環境變數：{name}]")
    }

    /// The heading of a section of the manual page.
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
