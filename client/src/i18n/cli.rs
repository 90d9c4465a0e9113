//! Texts of the command line's help and of the subcommands.

pub(crate) mod bot_flags;
mod doctor;
pub(crate) mod engines;
pub(crate) mod flags;

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
