//! Every text that a player sees, in every language, side by side. Texts stand here and nowhere else.
//!
//! Texts are made of typed values; nothing that a server sent as free text goes through. How one is
//! written is told in `say`.

mod cli;
mod errors;
mod game;
pub mod lang;
mod macros;
mod screens;
mod wrap;

use std::time::Duration;

use noughts_protocol::{LineName, MatchScore, Name, Offer, Player, PlayerKind, Rules, Seat, TimeControl};

use unicode_width::UnicodeWidthStr;

use crate::engine::Level;
use crate::model::PlayerRef;
use lang::Lang;

pub(crate) use crate::input::text_input::is_printable;
pub use cli::bot_flags::BotFlag;
pub use cli::engines::engine_name;
pub use cli::flags::Flag;
pub use cli::{HelpHeading, HelpTopic};
pub use errors::io::FatalError;
pub(crate) use errors::sanitize;
pub(crate) use macros::{russian_plural, tr, trf};
pub use screens::PanelLabel;
pub(crate) use wrap::wrap_text;

/// What a bot is called on a server, where others read it in other languages.
pub fn bot_name(level: Level) -> String {
    format!("Bot {level}")
}

/// A name that the program makes up.
fn generated_name(text: &str) -> Name {
    text.parse().expect("short and plain")
}

/// A text with blanks behind it to so many columns, and one at least.
pub(crate) fn pad_right(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width()).max(1);
    format!("{text}{}", " ".repeat(blanks))
}

/// The same with the blanks before it.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width()).max(1);
    format!("{}{text}", " ".repeat(blanks))
}

/// The words of a language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts {
    lang: Lang,
}

impl Texts {
    /// Those of this language.
    pub const fn new(lang: Lang) -> Texts {
        Texts { lang }
    }

    /// The language.
    pub const fn lang(self) -> Lang {
        self.lang
    }

    /// A game of the family: `connect4 7x6:4+gravity`, or the sizes alone.
    pub fn rules(self, rules: &Rules) -> String {
        match rules.name() {
            Some(name) => format!("{name} {rules}"),
            None => rules.to_string(),
        }
    }

    /// A time control.
    pub fn time_control(self, control: Option<TimeControl>) -> String {
        match control {
            Some(control) => {
                trf!(self, "clock {control}", "часы {control}", "计时 {control}", "計時 {control}")
            }
            None => tr!(self, "no clock", "без часов", "不计时", "不計時").to_owned(),
        }
    }

    /// A time left, in minutes and whole seconds, rounded up: it says zero only when there is none.
    pub fn clock(self, ms: u64) -> String {
        let seconds = ms.div_ceil(1000);
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Whole seconds of a countdown, rounded up.
    pub fn seconds(self, ms: u64) -> String {
        let seconds = ms.div_ceil(1000);
        trf!(self, "{seconds} s", "{seconds} с", "{seconds} 秒", "{seconds} 秒")
    }

    pub(crate) fn duration(self, duration: Duration) -> String {
        self.seconds(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    /// Somebody, at the head of a sentence: `You (X)`, `Bob (O)`.
    pub fn player_subject(self, who: &PlayerRef) -> String {
        let PlayerRef { seat, name, you } = who;
        if *you {
            trf!(self, "You ({seat})", "Вы ({seat})", "你 ({seat})", "你 ({seat})")
        } else {
            format!("{name} ({seat})")
        }
    }

    /// The same within a sentence: `you (X)`, `Bob (O)`.
    pub(crate) fn player_object(self, who: &PlayerRef) -> String {
        let PlayerRef { seat, name, you } = who;
        if *you {
            trf!(self, "you ({seat})", "вы ({seat})", "你 ({seat})", "你 ({seat})")
        } else {
            format!("{name} ({seat})")
        }
    }

    /// What a player is called who has not said a name. All names that the program makes up are ones that a
    /// server takes, and stay as they are when the language changes: others have read them.
    pub fn first_player(self) -> Name {
        generated_name(tr!(self, "Player", "Игрок", "玩家", "玩家"))
    }

    /// What the second player on one terminal is called at first.
    pub fn second_player(self) -> Name {
        generated_name(tr!(self, "Guest", "Гость", "客人", "客人"))
    }

    /// What a bot on this terminal is called.
    pub fn local_bot_name(self, level: Level) -> Name {
        let level = self.level(level);
        generated_name(&trf!(self, "Bot {level}", "Бот {level}", "{level}机器人", "{level}機器人"))
    }

    /// How strong a bot is.
    pub fn level(self, level: Level) -> &'static str {
        match level {
            Level::Easy => tr!(self, "easy", "лёгкий", "简单", "簡單"),
            Level::Medium => tr!(self, "medium", "средний", "中等", "中等"),
            Level::Hard => tr!(self, "hard", "сильный", "困难", "困難"),
            Level::Perfect => tr!(self, "perfect", "идеальный", "完美", "完美"),
        }
    }

    /// A player in a list. A program is always known for one, by its name if that says so.
    pub fn player(self, player: &Player) -> String {
        let name = &player.name;
        let lower_name = name.as_str().to_lowercase();
        let is_named_bot = ["bot", "бот"].iter().any(|bot| lower_name.starts_with(bot))
            || ["机器人", "機器人"].iter().any(|bot| lower_name.contains(bot));
        match player.kind {
            PlayerKind::Bot if !is_named_bot => {
                trf!(self, "{name} (bot)", "{name} (бот)", "{name} (机器人)", "{name} (機器人)")
            }
            PlayerKind::Bot | PlayerKind::Human => name.to_string(),
        }
    }

    /// A line that ended a game.
    pub fn winning_line_name(self, name: LineName) -> &'static str {
        match name {
            // Rows and columns have each other's name in Taiwan.
            LineName::Row => tr!(self, "row", "строка", "横行", "橫列"),
            LineName::Column => tr!(self, "column", "столбец", "竖列", "直行"),
            LineName::Pillar => tr!(self, "pillar", "столб", "立柱", "立柱"),
            LineName::MainDiagonal => {
                tr!(self, "main diagonal", "главная диагональ", "主对角线", "主對角線")
            }
            LineName::OtherDiagonal => {
                tr!(self, "other diagonal", "побочная диагональ", "副对角线", "副對角線")
            }
            LineName::SpaceDiagonal => {
                tr!(self, "space diagonal", "пространственная диагональ", "空间对角线", "空間對角線")
            }
            LineName::Direction => tr!(self, "slanting line", "наклонная линия", "斜线", "斜線"),
        }
    }

    /// What is proposed. In English it goes on behind a verb, elsewhere behind a colon.
    pub fn offer(self, offer: Offer) -> &'static str {
        match offer {
            Offer::Draw => tr!(self, "a draw", "ничья", "和棋", "和棋"),
            Offer::Takeback => tr!(self, "a takeback", "возврат хода", "悔棋", "悔棋"),
            Offer::Rematch => tr!(self, "a rematch", "реванш", "再来一局", "再來一局"),
        }
    }

    /// The score of the series.
    pub fn match_score(self, players: &[PlayerRef; 2], score: MatchScore) -> String {
        let name = |who: &PlayerRef| match who.you {
            true => tr!(self, "you", "вы", "你", "你").to_owned(),
            false => who.name.to_string(),
        };
        let [x, o] = players.each_ref().map(name);
        let MatchScore { wins: [x_wins, o_wins], draws } = score;
        trf!(
            self,
            "{x} {x_wins}, {o} {o_wins}, drawn {draws}",
            "{x} {x_wins}, {o} {o_wins}, ничьих {draws}",
            "{x} {x_wins}，{o} {o_wins}，平局 {draws}",
            "{x} {x_wins}，{o} {o_wins}，平局 {draws}"
        )
    }

    /// A lag in milliseconds.
    pub fn lag(self, ms: Option<u32>) -> String {
        match ms {
            Some(ms) => trf!(self, "{ms} ms", "{ms} мс", "{ms} 毫秒", "{ms} 毫秒"),
            None => tr!(self, "not measured", "не измерена", "未测", "未測").to_owned(),
        }
    }

    /// How many watch.
    pub fn spectators(self, count: u32) -> String {
        let watchers = russian_plural(u64::from(count), "зритель", "зрителя", "зрителей");
        match count {
            0 => tr!(self, "nobody watches", "зрителей нет", "无人观战", "無人觀戰").to_owned(),
            1 => trf!(self, "1 watches", "1 зритель", "1 人观战", "1 人觀戰"),
            count => {
                trf!(self, "{count} watch", "{count} {watchers}", "{count} 人观战", "{count} 人觀戰")
            }
        }
    }

    /// The mark of a seat.
    pub fn mark(self, seat: Seat) -> &'static str {
        match seat {
            Seat::X => "X",
            Seat::O => "O",
        }
    }
}
