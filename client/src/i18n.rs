//! All texts shown to users. The texts are in files in `client/texts`, with one folder per language. This module has
//! the sentences that need code. No other module contains texts for users.
//!
//! Texts are composed from typed values. Free text from a server is never shown.

mod cli;
mod errors;
mod game;
pub(crate) mod lang;
mod messages;
mod screens;
#[cfg(test)]
mod vocabulary_tests;
mod wrap;

use noughts_protocol::{
    Identity, LineName, MatchScore, Name, Player, PlayerKind, Seat, TimeControl,
};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::engine::Level;
use crate::facts::PlayerRef;
use messages::{LEVEL, LINE};

pub(crate) use crate::input::text_input::is_printable;
pub(crate) use cli::engines::engine_name;
pub(crate) use errors::sanitize;
pub(crate) use game::outcome::first_part;
pub use messages::Texts;
pub(crate) use wrap::wrap_text;

/// Returns the name of a bot on a server. It is English, because clients in other languages show it too.
pub(crate) fn bot_name(level: Level) -> String {
    format!("Bot {level}")
}

/// Returns the word that an enum variant has on the wire or in JSON mode. The word is the key of its texts.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

fn generated_name(text: &str) -> Name {
    text.parse().expect("short and without control characters")
}

/// Pads a text on the right to a width in columns. Adds at least one blank.
pub(crate) fn pad_right(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width()).max(1);
    format!("{text}{}", " ".repeat(blanks))
}

/// Pads a text on the left to a width in columns. Adds at least one blank.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width()).max(1);
    format!("{}{text}", " ".repeat(blanks))
}

/// Returns the tag after a name, which tells two players of the same name apart.
pub(crate) fn player_tag(identity: Identity) -> String {
    format!("·{}", identity.tag())
}

impl Texts {
    pub fn time_control(self, control: Option<TimeControl>) -> String {
        match control {
            Some(control) => self.with_clock(control),
            None => self.no_clock().to_owned(),
        }
    }

    /// Formats a remaining time as minutes and seconds, rounded up so that only 0 ms shows as zero.
    pub fn clock(self, ms: u64) -> String {
        let seconds = ms.div_ceil(1000);
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Formats the time of the side to move, with tenths of a second when less than ten seconds are left.
    pub fn running_clock(self, ms: u64) -> String {
        if ms >= 10_000 {
            return self.clock(ms);
        }
        let tenths = ms.div_ceil(100);
        format!("0:{:02}.{}", tenths / 10, tenths % 10)
    }

    /// Formats a countdown in whole seconds, rounded up.
    pub fn seconds(self, ms: u64) -> String {
        self.whole_seconds(ms.div_ceil(1000))
    }

    /// Names a player as the subject of a sentence: `You (X)`, `Bob (O)`.
    pub fn player_subject(self, who: &PlayerRef) -> String {
        let PlayerRef {
            seat, name, you, ..
        } = who;
        if *you {
            self.you_subject(seat)
        } else {
            format!("{name} ({seat})")
        }
    }

    /// Names a player within a sentence: `you (X)`, `Bob (O)`.
    pub(crate) fn player_object(self, who: &PlayerRef) -> String {
        let PlayerRef {
            seat, name, you, ..
        } = who;
        if *you {
            self.you_object(seat)
        } else {
            format!("{name} ({seat})")
        }
    }

    /// Returns the default name of the player in this language. A generated name is valid on every server.
    pub fn first_player(self) -> Name {
        generated_name(self.default_name())
    }

    /// Draws a name of two words for a player without a name, as the page does.
    pub fn random_name(self, random: u64) -> Name {
        let draw = |words: &'static str, random: u64| {
            let words: Vec<&str> = words.split(' ').collect();
            let index = usize::try_from(random % words.len() as u64).unwrap_or(0);
            words[index]
        };
        let (first, second) = (random & u64::from(u32::MAX), random >> 32);
        let adjective = draw(self.name_adjectives(), first);
        generated_name(&self.drawn_name(adjective, draw(self.name_animals(), second)))
    }

    /// Returns the default name of the second player at a terminal.
    pub fn second_player(self) -> Name {
        generated_name(self.default_guest_name())
    }

    /// Returns the name of a bot in an offline game.
    pub fn local_bot_name(self, level: Level) -> Name {
        let level = self.level(level);
        generated_name(&self.local_bot(level))
    }

    /// Returns the name of the side that replies in a puzzle.
    pub fn puzzle_name(self) -> Name {
        generated_name(self.puzzle_player())
    }

    pub fn level(self, level: Level) -> &'static str {
        self.keyed(&LEVEL, &level.to_string())
    }

    /// Names a player among strangers, with the tag of a player who is recognised: `Ann·5k7qf3`, `Deep·5k7qf3 (bot)`.
    pub fn tagged_player(self, player: &Player) -> String {
        let tag = player.identity.map(player_tag).unwrap_or_default();
        self.marked_player(player, &format!("{}{tag}", player.name))
    }

    /// Names a player in a list. A bot is marked as a bot, unless its name contains "bot".
    pub fn player(self, player: &Player) -> String {
        self.marked_player(player, player.name.as_str())
    }

    /// Adds the mark of a bot to `shown`, the name of the player.
    fn marked_player(self, player: &Player, shown: &str) -> String {
        let name = &player.name;
        let lower_name = name.as_str().to_lowercase();
        let is_named_bot = ["bot", "бот"].iter().any(|bot| lower_name.starts_with(bot))
            || ["机器人", "機器人"]
                .iter()
                .any(|bot| lower_name.contains(bot));
        match player.kind {
            PlayerKind::Bot if !is_named_bot => self.bot_player(shown),
            PlayerKind::Bot | PlayerKind::Person => shown.to_owned(),
        }
    }

    /// Names a kind of winning line.
    pub fn winning_line_name(self, name: LineName) -> &'static str {
        self.keyed(&LINE, &word(&name))
    }

    /// Formats the score of a series of games.
    pub fn match_score(self, players: &[PlayerRef; 2], score: MatchScore) -> String {
        let name = |who: &PlayerRef| match who.you {
            true => self.score_you().to_owned(),
            false => who.name.to_string(),
        };
        let [x, o] = players.each_ref().map(name);
        let MatchScore {
            wins: [x_wins, o_wins],
            draws,
        } = score;
        self.score_of_series(draws, o, o_wins, x, x_wins)
    }

    /// Formats the wins and the draws of a series of games, in two rows.
    pub fn score_parts(self, players: &[PlayerRef; 2], score: MatchScore) -> [String; 2] {
        let full = self.match_score(players, score);
        let separator = self.list_separator();
        match full.rsplit_once(separator) {
            Some((wins, draws)) => [wins.to_owned(), draws.to_owned()],
            None => [full, String::new()],
        }
    }

    pub fn lag(self, ms: Option<u32>) -> String {
        match ms {
            Some(ms) => self.lag_ms(ms),
            None => self.lag_unknown().to_owned(),
        }
    }

    pub fn mark(self, seat: Seat) -> &'static str {
        match seat {
            Seat::X => "X",
            Seat::O => "O",
        }
    }
}
