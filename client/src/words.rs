//! Every text that a player sees, in English. Other languages get a place here, and nowhere else.
//!
//! Texts are made of typed values; nothing that a server sent as free text goes through.

mod engines;
mod help;
mod note;
mod refusal;
mod screen;
mod study;

use std::time::Duration;

use noughts_protocol::{Kind, LineName, Name, Offer, Player, Rules, Score, Seat, TimeControl};

use crate::engine::Level;
use crate::model::Who;

pub use engines::engine_name;
pub use screen::Label;

/// What a player is called whose name is not known.
pub const FIRST_PLAYER: &str = "Player";
/// What the second player on one terminal is called at first.
pub const SECOND_PLAYER: &str = "Guest";

/// What a bot on this terminal is called.
pub fn bot_name(level: Level) -> String {
    format!("Bot {level}")
}

/// Whether a character shows as itself on every screen: what the protocol allows in a name.
pub(crate) fn is_plain(letter: char) -> bool {
    letter == ' ' || format!("a{letter}").parse::<Name>().is_ok()
}

/// The words of a language. There is one yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words;

impl Words {
    /// A game of the family: `connect4 7x6:4+gravity`, or the sizes alone.
    pub fn rules(self, rules: &Rules) -> String {
        match rules.name() {
            Some(name) => format!("{name} {rules}"),
            None => rules.to_string(),
        }
    }

    /// A time control.
    pub fn control(self, control: Option<TimeControl>) -> String {
        control.map_or_else(|| "no clock".to_owned(), |control| format!("clock {control}"))
    }

    /// A time left, in minutes and whole seconds, rounded up: it says zero only when there is none.
    pub fn clock(self, ms: u64) -> String {
        let seconds = ms.div_ceil(1000);
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Whole seconds of a countdown, rounded up.
    pub fn seconds(self, ms: u64) -> String {
        format!("{} s", ms.div_ceil(1000))
    }

    pub(crate) fn duration(self, duration: Duration) -> String {
        self.seconds(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    /// Somebody, at the head of a sentence: `You (X)`, `Bob (O)`.
    pub fn who(self, who: &Who) -> String {
        if who.you { format!("You ({})", who.seat) } else { format!("{} ({})", who.name, who.seat) }
    }

    /// The form of a verb that goes with somebody: `You play`, `Bob plays`.
    fn verb(self, who: &Who, you: &str, other: &str) -> String {
        format!("{} {}", self.who(who), if who.you { you } else { other })
    }

    /// A player in a list. A program is always known for one, by its name if that says so.
    pub fn player(self, player: &Player) -> String {
        let says_so = player.name.as_str().to_lowercase().starts_with("bot");
        match player.kind {
            Kind::Bot if !says_so => format!("{} (bot)", player.name),
            Kind::Bot | Kind::Human => player.name.to_string(),
        }
    }

    /// A line that ended a game.
    pub fn line_name(self, name: LineName) -> &'static str {
        match name {
            LineName::Row => "row",
            LineName::Column => "column",
            LineName::Pillar => "pillar",
            LineName::MainDiagonal => "main diagonal",
            LineName::OtherDiagonal => "other diagonal",
            LineName::SpaceDiagonal => "space diagonal",
            LineName::Direction => "slanting line",
        }
    }

    /// What is proposed.
    pub fn offer(self, offer: Offer) -> &'static str {
        match offer {
            Offer::Draw => "a draw",
            Offer::Takeback => "to take back the last move",
            Offer::Rematch => "a rematch",
        }
    }

    /// The score of the series.
    pub fn score(self, players: &[Who; 2], score: Score) -> String {
        let name = |who: &Who| if who.you { "you".to_owned() } else { who.name.to_string() };
        let [x, o] = players;
        format!("{} {}, {} {}, drawn {}", name(x), score.wins[0], name(o), score.wins[1], score.draws)
    }

    /// A lag in milliseconds.
    pub fn lag(self, ms: Option<u32>) -> String {
        ms.map_or_else(|| "not measured".to_owned(), |ms| format!("{ms} ms"))
    }

    /// How many watch.
    pub fn watching(self, count: u32) -> String {
        match count {
            0 => "nobody watches".to_owned(),
            1 => "1 watches".to_owned(),
            count => format!("{count} watch"),
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
