//! Texts of the forms and of the list of games.

use noughts_protocol::Rules;

use crate::facts::{FieldId, FormField, FormFieldError, FormKind};
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    pub fn form_title(self, form: FormKind) -> &'static str {
        match form {
            FormKind::Quick => tr!(self, "Quick play", "Быстрая игра", "快速对局", "快速對局"),
            FormKind::Private => tr!(self, "Private game", "Своя комната", "私人对局", "私人對局"),
            FormKind::Host => tr!(self, "Host a game", "Свой сервер", "本机开局", "本機開局"),
            FormKind::Join => tr!(self, "Join a game", "Войти в игру", "加入对局", "加入對局"),
            FormKind::Local => tr!(self, "Two players", "Вдвоём", "双人对局", "雙人對局"),
            FormKind::Settings => tr!(self, "Settings", "Настройки", "设置", "設定"),
            FormKind::Bot => tr!(
                self,
                "Play the computer",
                "Против компьютера",
                "和机器人下",
                "和機器人下"
            ),
        }
    }

    /// Label of the signs in the chosen theme.
    pub fn preview_label(self) -> &'static str {
        tr!(self, "Preview", "Образец", "预览", "預覽")
    }

    /// Sample of an offer.
    pub fn preview_offer(self) -> &'static str {
        tr!(self, "offer", "предложение", "提议", "提議")
    }

    pub fn field_label(self, id: FieldId) -> &'static str {
        match id {
            FieldId::Server => tr!(self, "Server", "Сервер", "服务器", "伺服器"),
            FieldId::Port => tr!(self, "Port", "Порт", "端口", "連接埠"),
            FieldId::Name => tr!(self, "Your name", "Ваше имя", "你的名字", "你的名字"),
            FieldId::Rules => tr!(self, "Game", "Игра", "游戏", "遊戲"),
            FieldId::Clock => tr!(self, "Clock", "Часы", "计时", "計時"),
            FieldId::Seat => tr!(self, "You play", "Играть за", "执子", "執子"),
            FieldId::Invite => tr!(self, "Code", "Код", "邀请码", "邀請碼"),
            FieldId::FirstPlayer => tr!(self, "First player", "Первый игрок", "甲方", "甲方"),
            FieldId::SecondPlayer => tr!(self, "Second player", "Второй игрок", "乙方", "乙方"),
            FieldId::SeatAssignment => tr!(self, "Who plays X", "Кто за X", "谁执 X", "誰執 X"),
            FieldId::DigitOrder => tr!(self, "Number keys", "Цифры", "数字键", "數字鍵"),
            FieldId::Lang => tr!(self, "Language", "Язык", "语言", "語言"),
            FieldId::Theme => tr!(self, "Colours", "Цвета", "颜色", "顏色"),
            FieldId::Glyphs => tr!(self, "Grid", "Сетка", "网格", "網格"),
            FieldId::Bell => tr!(self, "Turn alert", "Сигнал о ходе", "轮次提醒", "輪次提醒"),
            FieldId::Phrases => tr!(self, "Phrases", "Фразы", "短语", "短語"),
        }
    }

    /// Describes the valid values of a field.
    pub fn field_help(self, id: FieldId) -> &'static str {
        match id {
            FieldId::Server => tr!(
                self,
                "a host, host:port or ws:// address",
                "host, host:port или адрес ws://",
                "主机、主机:端口，或 ws:// 地址",
                "主機、主機:連接埠，或 ws:// 位址"
            ),
            FieldId::Port => tr!(
                self,
                "the server stops when you leave: your friend can play only while this program runs",
                "сервер остановится, когда вы выйдете: игра идёт, пока работает эта программа",
                "你离开时服务器停止：本程序运行期间朋友才能下",
                "你離開時伺服器停止：本程式執行期間朋友才能下"
            ),
            FieldId::Name => {
                tr!(
                    self,
                    "up to 24 characters (wide characters count as two)",
                    "до 24 знаков (широкие считаются за два)",
                    "最多 24 个字符（汉字算两个）",
                    "最多 24 個字元（漢字算兩個）"
                )
            }
            FieldId::Rules => tr!(
                self,
                "a game's name, or width x height : in a row, e.g. 15x15:5",
                "название игры или ширина x высота : сколько в ряд, например 15x15:5",
                "游戏名称，或宽x高:连子数，例如 15x15:5",
                "遊戲名稱，或寬x高:連子數，例如 15x15:5"
            ),
            FieldId::Clock => tr!(
                self,
                "minutes + seconds per move, e.g. 5+3, or none",
                "минуты + секунды за ход, например 5+3, или none (без часов)",
                "分钟 + 每步加秒，例如 5+3；none 为不计时",
                "分鐘 + 每步加秒，例如 5+3；none 為不計時"
            ),
            FieldId::Seat => tr!(
                self,
                "X, O or random; X goes first",
                "X, O или random - случайно; X ходит первым",
                "X、O 或 random（随机）；X 先行",
                "X、O 或 random（隨機）；X 先行"
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
                "a name, or bot:1 to bot:8 (bot:easy, bot:perfect)",
                "имя или от bot:1 до bot:8 (bot:easy, bot:perfect)",
                "名字，或 bot:1 至 bot:8（bot:easy、bot:perfect）",
                "名字，或 bot:1 至 bot:8（bot:easy、bot:perfect）"
            ),
            FieldId::SeatAssignment => tr!(
                self,
                "first: the first player; second: the second; random: by chance",
                "first: первый игрок; second: второй; random: случайно",
                "first：第一位；second：第二位；random：随机",
                "first：第一位；second：第二位；random：隨機"
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
                "auto: asks the terminal; dark or light: for that background; high-contrast: bold and reversed; mono: no colours",
                "auto: по фону терминала; dark, light: для такого фона; high-contrast: жирно и инверсно; mono: без цвета",
                "auto：询问终端；dark、light：对应深浅背景；high-contrast：高对比度；mono：无颜色",
                "auto：詢問終端機；dark、light：對應深淺背景；high-contrast：高對比度；mono：無顏色"
            ),
            FieldId::Glyphs => tr!(
                self,
                "unicode: box lines; ascii: | and -; auto: ask the terminal",
                "unicode: линии; ascii: знаки | и -; auto: по возможностям терминала",
                "unicode：线条；ascii：用 | 和 -；auto：由终端决定",
                "unicode：線條；ascii：用 | 和 -；auto：由終端決定"
            ),
            FieldId::Bell => tr!(
                self,
                "when it is your turn and the window is in the background: off, bell, or notify (desktop)",
                "когда ваш ход, а окно в фоне: off - без сигнала, bell - звук, notify - уведомление",
                "轮到你而窗口在后台时：off 不提醒，bell 响铃，notify 桌面通知",
                "輪到你而視窗在背景時：off 不提醒，bell 響鈴，notify 桌面通知"
            ),
            FieldId::Phrases => tr!(
                self,
                "phrases of other players: show or hide",
                "фразы других игроков: show - показывать, hide - скрывать",
                "其他玩家的短语：show 显示，hide 隐藏",
                "其他玩家的短語：show 顯示，hide 隱藏"
            ),
        }
    }
}

impl Texts {
    /// Returns the label of a choice, or `None` if its value is clear by itself.
    pub fn choice_label(self, id: FieldId, choice: &str) -> Option<&'static str> {
        Some(match (id, choice) {
            (FieldId::Seat | FieldId::SeatAssignment, "random") => {
                tr!(self, "random", "случайно", "随机", "隨機")
            }
            (FieldId::Clock, "none") => tr!(self, "no clock", "без часов", "不计时", "不計時"),
            (FieldId::SeatAssignment, "first") => {
                tr!(self, "first player", "первый игрок", "甲方", "甲方")
            }
            (FieldId::SeatAssignment, "second") => {
                tr!(self, "second player", "второй игрок", "乙方", "乙方")
            }
            (FieldId::DigitOrder, "reading") => {
                tr!(
                    self,
                    "1 2 3 on top",
                    "1 2 3 сверху",
                    "1 2 3 在上",
                    "1 2 3 在上"
                )
            }
            (FieldId::DigitOrder, "numpad") => {
                tr!(
                    self,
                    "7 8 9 on top",
                    "7 8 9 сверху",
                    "7 8 9 在上",
                    "7 8 9 在上"
                )
            }
            (FieldId::Lang, tag) => return tag.parse().ok().map(Lang::own_name),
            (FieldId::Theme, "auto") => {
                tr!(self, "automatic", "автоматически", "自动", "自動")
            }
            (FieldId::Theme, "dark") => tr!(self, "dark", "тёмные", "深色", "深色"),
            (FieldId::Theme, "light") => tr!(self, "light", "светлые", "浅色", "淺色"),
            (FieldId::Theme, "mono") => tr!(self, "off", "без цвета", "关闭", "關閉"),
            (FieldId::Theme, "high-contrast") => {
                tr!(self, "high contrast", "контрастные", "高对比度", "高對比度")
            }
            (FieldId::Glyphs, "auto") => {
                tr!(self, "automatic", "автоматически", "自动", "自動")
            }
            (FieldId::Glyphs, "unicode") => tr!(self, "box lines", "линии", "线条", "線條"),
            (FieldId::Glyphs, "ascii") => {
                tr!(self, "ASCII", "ASCII, | и -", "ASCII 字符", "ASCII 字元")
            }
            (FieldId::Bell, "off") => tr!(self, "off", "нет", "不提醒", "不提醒"),
            (FieldId::Bell, "bell") => tr!(self, "bell", "звук", "响铃", "響鈴"),
            (FieldId::Bell, "notify") => {
                tr!(
                    self,
                    "desktop notification",
                    "уведомление",
                    "桌面通知",
                    "桌面通知"
                )
            }
            (FieldId::Phrases, "show") => tr!(self, "show", "показывать", "显示", "顯示"),
            (FieldId::Phrases, "hide") => tr!(self, "hide", "скрывать", "隐藏", "隱藏"),
            (
                FieldId::Server
                | FieldId::Name
                | FieldId::Rules
                | FieldId::Clock
                | FieldId::Seat
                | FieldId::Invite
                | FieldId::FirstPlayer
                | FieldId::SecondPlayer
                | FieldId::SeatAssignment
                | FieldId::DigitOrder
                | FieldId::Theme
                | FieldId::Glyphs
                | FieldId::Bell
                | FieldId::Phrases
                | FieldId::Port,
                _,
            ) => return None,
        })
    }

    /// Describes a field on the full screen. A field with fixed choices lists them.
    pub fn field_description(self, field: &FormField) -> String {
        if field.is_free_text {
            return self.field_help(field.id).to_owned();
        }
        let choices = field
            .options
            .iter()
            .map(|choice| self.choice_label(field.id, choice).unwrap_or(choice));
        let choices = self.join_list(&choices.collect::<Vec<_>>());
        match field.id {
            FieldId::Seat | FieldId::SeatAssignment => {
                trf!(
                    self,
                    "{choices}; X goes first",
                    "{choices}; X ходит первым",
                    "{choices}；X 先行",
                    "{choices}；X 先行"
                )
            }
            FieldId::Bell => trf!(
                self,
                "when it is your turn and the window is in the background: {choices}",
                "когда ваш ход, а окно в фоне: {choices}",
                "轮到你而窗口在后台时：{choices}",
                "輪到你而視窗在背景時：{choices}"
            ),
            FieldId::Phrases => trf!(
                self,
                "phrases of other players: {choices}",
                "фразы других игроков: {choices}",
                "其他玩家的短语：{choices}",
                "其他玩家的短語：{choices}"
            ),
            FieldId::Server
            | FieldId::Name
            | FieldId::Rules
            | FieldId::Clock
            | FieldId::Invite
            | FieldId::FirstPlayer
            | FieldId::SecondPlayer
            | FieldId::DigitOrder
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs
            | FieldId::Port => choices,
        }
    }
}

impl Texts {
    pub fn game_picker_title(self) -> &'static str {
        tr!(
            self,
            "Choose a game",
            "Выберите игру",
            "选择游戏",
            "選擇遊戲"
        )
    }

    /// Title of the text field above the list.
    pub fn game_filter_label(self) -> &'static str {
        tr!(
            self,
            "Filter, or sizes such as 9x9:5",
            "Фильтр или размеры, например 9x9:5",
            "筛选，或输入大小，如 9x9:5",
            "篩選，或輸入大小，如 9x9:5"
        )
    }

    /// Label of the text field where it has no frame.
    pub fn short_filter_label(self) -> &'static str {
        tr!(self, "Filter", "Фильтр", "筛选", "篩選")
    }

    /// Says why the list is empty.
    pub fn no_game_matches(self, typed: &str) -> String {
        match typed.trim().parse::<Rules>() {
            Err(error)
                if typed
                    .trim()
                    .starts_with(|letter: char| letter.is_ascii_digit()) =>
            {
                self.field_error(FormFieldError::Rules(error))
            }
            Ok(_) | Err(_) => tr!(
                self,
                "No game of this name. Sizes such as 9x9:5 work too.",
                "Игры с таким названием нет. Можно ввести размеры: 9x9:5.",
                "没有这个名称的游戏。也可以输入大小，如 9x9:5。",
                "沒有這個名稱的遊戲。也可以輸入大小，如 9x9:5。"
            )
            .to_owned(),
        }
    }

    /// Describes a game below the list: the board, how to move, and how to win.
    pub fn game_details(self, rules: &Rules) -> [String; 3] {
        let (line, first) = (self.rule_line(rules), self.first_to_move());
        let line = trf!(self, "{line}.", "{line}.", "{line}。", "{line}。");
        let typed = rules.to_string();
        let board = trf!(
            self,
            "Rules {typed}. {first}",
            "Правила {typed}. {first}",
            "规则 {typed}。{first}",
            "規則 {typed}。{first}"
        );
        [
            crate::i18n::errors::capitalize(&line),
            self.how_to_move(rules).to_owned(),
            board,
        ]
    }

    fn first_to_move(self) -> &'static str {
        tr!(
            self,
            "X moves first.",
            "Первым ходит X.",
            "X 先行。",
            "X 先行。"
        )
    }

    fn how_to_move(self, rules: &Rules) -> &'static str {
        match (rules.gravity(), rules.dimensions()) {
            (true, _) => tr!(
                self,
                "Choose a column; the piece falls to the lowest free cell.",
                "Выберите столбец: фишка упадёт на нижнюю свободную клетку.",
                "选择一列，棋子落到最低的空格。",
                "選擇一行，棋子落到最低的空格。"
            ),
            (false, 0..=2) => tr!(
                self,
                "Choose any free cell.",
                "Выберите любую свободную клетку.",
                "选择任意空格。",
                "選擇任意空格。"
            ),
            (false, _) => tr!(
                self,
                "Choose any free cell in any layer; lines run through the layers too.",
                "Выберите свободную клетку в любом слое; линии идут и сквозь слои.",
                "选择任意一层的空格；连线也可以穿过各层。",
                "選擇任意一層的空格；連線也可以穿過各層。"
            ),
        }
    }
}
