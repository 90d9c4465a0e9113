//! All texts shown to users, in all languages, side by side. No other module contains user texts.
//!
//! Texts are made of typed values; free text from a server is never shown. See `macros` for the notation.

mod cli;
mod errors;
mod game;
pub(crate) mod lang;
mod macros;
#[cfg(test)]
mod page_texts;
mod screens;
mod wrap;

use std::time::Duration;

use noughts_protocol::{LineName, MatchScore, Name, Player, PlayerKind, Seat, TimeControl};

use unicode_width::UnicodeWidthStr;

use crate::engine::Level;
use crate::facts::PlayerRef;
use lang::Lang;

pub(crate) use crate::input::text_input::is_printable;
pub(crate) use cli::Flag;
pub(crate) use cli::engines::BotFlag;
pub(crate) use cli::engines::engine_name;
pub(crate) use cli::{HelpHeading, HelpTopic};
pub(crate) use errors::connection::FatalError;
pub(crate) use errors::sanitize;
pub(crate) use game::outcome::first_part;
pub(crate) use macros::{russian_plural, tr, translations, trf};
pub(crate) use screens::PanelLabel;
pub(crate) use wrap::wrap_text;

/// Returns the name of a bot on a server. It is English because clients in other languages show it, too.
pub(crate) fn bot_name(level: Level) -> String {
    format!("Bot {level}")
}

fn generated_name(text: &str) -> Name {
    text.parse().expect("short and without control characters")
}

/// Pads a text on the right to a width in columns, with at least one blank.
pub(crate) fn pad_right(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width()).max(1);
    format!("{text}{}", " ".repeat(blanks))
}

/// Pads a text on the left to a width in columns, with at least one blank.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width()).max(1);
    format!("{}{text}", " ".repeat(blanks))
}

/// Texts in one language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts {
    lang: Lang,
}

impl Lang {
    /// The texts in this language.
    pub const fn texts(self) -> Texts {
        Texts::new(self)
    }
}

impl Texts {
    pub const fn new(lang: Lang) -> Texts {
        Texts { lang }
    }

    pub const fn lang(self) -> Lang {
        self.lang
    }

    pub fn time_control(self, control: Option<TimeControl>) -> String {
        match control {
            Some(control) => {
                trf!(
                    self,
                    "clock {control}",
                    "часы {control}",
                    "计时 {control}",
                    "計時 {control}"
                )
            }
            None => tr!(self, "no clock", "без часов", "不计时", "不計時").to_owned(),
        }
    }

    /// Formats a remaining time as minutes and seconds, rounded up so that only 0 ms shows as zero.
    pub fn clock(self, ms: u64) -> String {
        let seconds = ms.div_ceil(1000);
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Formats the time of the side to move: below ten seconds with tenths.
    pub fn running_clock(self, ms: u64) -> String {
        if ms >= 10_000 {
            return self.clock(ms);
        }
        let tenths = ms.div_ceil(100);
        format!("0:{:02}.{}", tenths / 10, tenths % 10)
    }

    /// Formats a countdown in whole seconds, rounded up.
    pub fn seconds(self, ms: u64) -> String {
        let seconds = ms.div_ceil(1000);
        trf!(
            self,
            "{seconds} s",
            "{seconds} с",
            "{seconds} 秒",
            "{seconds} 秒"
        )
    }

    pub(crate) fn duration(self, duration: Duration) -> String {
        self.seconds(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    /// Names a player as the subject of a sentence: `You (X)`, `Bob (O)`.
    pub fn player_subject(self, who: &PlayerRef) -> String {
        let PlayerRef { seat, name, you } = who;
        if *you {
            trf!(
                self,
                "You ({seat})",
                "Вы ({seat})",
                "你 ({seat})",
                "你 ({seat})"
            )
        } else {
            format!("{name} ({seat})")
        }
    }

    /// Names a player within a sentence: `you (X)`, `Bob (O)`.
    pub(crate) fn player_object(self, who: &PlayerRef) -> String {
        let PlayerRef { seat, name, you } = who;
        if *you {
            trf!(
                self,
                "you ({seat})",
                "вы ({seat})",
                "你 ({seat})",
                "你 ({seat})"
            )
        } else {
            format!("{name} ({seat})")
        }
    }

    /// Default name of the player. Generated names are valid on a server and do not change with the language,
    /// because other players have seen them.
    pub fn first_player(self) -> Name {
        generated_name(tr!(self, "Player", "Игрок", "玩家", "玩家"))
    }

    /// Default name of the second player on one terminal.
    pub fn second_player(self) -> Name {
        generated_name(tr!(self, "Guest", "Гость", "客人", "客人"))
    }

    /// Name of a bot in an offline game.
    pub fn local_bot_name(self, level: Level) -> Name {
        let level = self.level(level);
        generated_name(&trf!(
            self,
            "Bot {level}",
            "Бот ({level})",
            "{level}机器人",
            "{level}機器人"
        ))
    }

    pub fn level(self, level: Level) -> &'static str {
        match level {
            Level::Novice => tr!(self, "novice", "начальный", "入门", "入門"),
            Level::Easy => tr!(self, "easy", "лёгкий", "简单", "簡單"),
            Level::Casual => tr!(self, "casual", "умеренный", "初级", "初級"),
            Level::Medium => tr!(self, "medium", "средний", "中等", "中等"),
            Level::Skilled => tr!(self, "skilled", "хороший", "进阶", "進階"),
            Level::Strong => tr!(self, "strong", "уверенный", "较强", "較強"),
            Level::Hard => tr!(self, "hard", "сильный", "困难", "困難"),
            Level::Perfect => tr!(self, "perfect", "идеальный", "完美", "完美"),
        }
    }

    /// Names a player in a list. Bots whose name does not contain "bot" are marked as bots.
    pub fn player(self, player: &Player) -> String {
        let name = &player.name;
        let lower_name = name.as_str().to_lowercase();
        let is_named_bot = ["bot", "бот"].iter().any(|bot| lower_name.starts_with(bot))
            || ["机器人", "機器人"]
                .iter()
                .any(|bot| lower_name.contains(bot));
        match player.kind {
            PlayerKind::Bot if !is_named_bot => {
                trf!(
                    self,
                    "{name} (bot)",
                    "{name} (бот)",
                    "{name}（机器人）",
                    "{name}（機器人）"
                )
            }
            PlayerKind::Bot | PlayerKind::Human => name.to_string(),
        }
    }

    /// Names the kind of a winning line.
    pub fn winning_line_name(self, name: LineName) -> &'static str {
        match name {
            // In Taiwan the words for rows and columns are swapped.
            LineName::Row => tr!(self, "row", "строка", "横行", "橫列"),
            LineName::Column => tr!(self, "column", "столбец", "竖列", "直行"),
            LineName::Pillar => {
                tr!(
                    self,
                    "column through the layers",
                    "вертикаль сквозь слои",
                    "穿层竖线",
                    "穿層直線"
                )
            }
            LineName::MainDiagonal => {
                tr!(
                    self,
                    "main diagonal",
                    "главная диагональ",
                    "主对角线",
                    "主對角線"
                )
            }
            LineName::OtherDiagonal => {
                tr!(
                    self,
                    "anti-diagonal",
                    "побочная диагональ",
                    "副对角线",
                    "副對角線"
                )
            }
            LineName::SpaceDiagonal => {
                tr!(
                    self,
                    "3-D diagonal",
                    "пространственная диагональ",
                    "空间对角线",
                    "空間對角線"
                )
            }
            LineName::Direction => tr!(self, "diagonal", "диагональ", "对角线", "對角線"),
        }
    }

    /// Formats the score of a series of games.
    pub fn match_score(self, players: &[PlayerRef; 2], score: MatchScore) -> String {
        let name = |who: &PlayerRef| match who.you {
            true => tr!(self, "you", "вы", "你", "你").to_owned(),
            false => who.name.to_string(),
        };
        let [x, o] = players.each_ref().map(name);
        let MatchScore {
            wins: [x_wins, o_wins],
            draws,
        } = score;
        let draws_noun = if draws == 1 { "draw" } else { "draws" };
        trf!(
            self,
            "{x} {x_wins} - {o_wins} {o}, {draws} {draws_noun}",
            "{x} {x_wins} - {o_wins} {o}, ничьих {draws}",
            "{x} {x_wins} - {o_wins} {o}，平局 {draws}",
            "{x} {x_wins} - {o_wins} {o}，平局 {draws}"
        )
    }

    /// Formats the wins and the draws of a series of games, for two rows.
    pub fn score_parts(self, players: &[PlayerRef; 2], score: MatchScore) -> [String; 2] {
        let full = self.match_score(players, score);
        let separator = tr!(self, ", ", ", ", "，", "，");
        match full.rsplit_once(separator) {
            Some((wins, draws)) => [wins.to_owned(), draws.to_owned()],
            None => [full, String::new()],
        }
    }

    pub fn lag(self, ms: Option<u32>) -> String {
        match ms {
            Some(ms) => trf!(self, "{ms} ms", "{ms} мс", "{ms} 毫秒", "{ms} 毫秒"),
            None => tr!(self, "not measured", "не измерен", "未测", "未測").to_owned(),
        }
    }

    /// Counts the spectators.
    pub fn spectators(self, count: u32) -> String {
        let spectators = russian_plural(u64::from(count), "зритель", "зрителя", "зрителей");
        match count {
            0 => tr!(
                self,
                "no spectators",
                "зрителей нет",
                "无人观战",
                "無人觀戰"
            )
            .to_owned(),
            1 => trf!(self, "1 spectator", "1 зритель", "1 人观战", "1 人觀戰"),
            count => {
                trf!(
                    self,
                    "{count} spectators",
                    "{count} {spectators}",
                    "{count} 人观战",
                    "{count} 人觀戰"
                )
            }
        }
    }

    pub fn mark(self, seat: Seat) -> &'static str {
        match seat {
            Seat::X => "X",
            Seat::O => "O",
        }
    }
}
