//! Titles, fields and field help of forms.

use crate::facts::{FieldId, FormKind};
use crate::i18n::{Texts, tr};

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
                "X goes first",
                "X ходит первым; random - случайно",
                "X 先行；random 为随机",
                "X 先行；random 為隨機"
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
                "who goes first",
                "кто ходит первым",
                "谁先行",
                "誰先行"
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
