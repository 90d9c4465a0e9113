//! What is said of programs that play.

use noughts_protocol::{Name, Rules};

use super::Words;
use crate::arena::Meeting;
use crate::arena::tally::Elo;
use crate::thinker::Spec;
use crate::thinker::child::Fault;

/// What a bot is called that plays with a program of somebody else: as that calls itself, as far as a
/// name can hold it.
pub fn engine_name(introduced: Option<&str>) -> Name {
    let plain: String =
        introduced.unwrap_or_default().chars().filter(char::is_ascii_graphic).take(18).collect();
    let name = if plain.is_empty() { "Bot engine".to_owned() } else { format!("Bot {plain}") };
    name.parse().expect("short, and of plain letters")
}

impl Words {
    /// An engine of the Gomocup protocol cannot be asked to play these rules.
    pub fn engine_cannot(self, rules: &Rules) -> String {
        format!(
            "The Gomocup protocol has no words for {}: two dimensions and lines of five.",
            self.rules(rules)
        )
    }

    /// An engine did something wrong.
    pub fn engine_failed(self, fault: &Fault) -> String {
        format!("The engine failed: {}.", self.fault(fault))
    }

    /// An engine is not tried again.
    pub fn engine_given_up(self, fault: &Fault) -> String {
        format!("The engine failed in too many games in a row, at last so: {}.", self.fault(fault))
    }

    /// A bot was told to stop once.
    pub fn bot_retires(self) -> &'static str {
        "Playing the games that are on to their end. Once more to leave them."
    }

    /// Over the lines of an arena.
    pub fn arena_heading(self) -> String {
        format!(
            "{:<15}{:<17}{:<17}{:>6}{:>6}{:>6}{:>6}{:>8}  {:<25}{}",
            "game",
            "first",
            "second",
            "games",
            "won",
            "drawn",
            "lost",
            "points",
            "Elo (95 % of cases)",
            "stronger"
        )
    }

    /// How two programs played each other, in a line, and what went wrong.
    pub fn meeting(self, meeting: &Meeting) -> Vec<String> {
        let Meeting { rules, players, tally, faults } = meeting;
        let [won, drawn, lost] = tally.results();
        let Elo { difference, between: [low, high] } = tally.elo();
        let elo = format!("{difference:+.0} ({low:+.0} to {high:+.0})");
        let [first, second] = players.each_ref().map(Spec::to_string);
        let mut lines = vec![format!(
            "{:<15}{first:<17}{second:<17}{:>6}{won:>6}{drawn:>6}{lost:>6}{:>6.1} %  {elo:<25}{:.1} %",
            rules.to_string(),
            tally.games(),
            100.0 * tally.score(),
            100.0 * tally.superiority(),
        )];
        for (player, fault) in players.iter().zip(faults) {
            if let Some(fault) = fault {
                lines.push(format!("  {player} failed, at last so: {}.", self.fault(fault)));
            }
        }
        lines
    }

    fn fault(self, fault: &Fault) -> String {
        match fault {
            Fault::Start(why) => format!("it does not start: {why}"),
            Fault::Ended(Some(status)) => format!("it ended by itself ({status})"),
            Fault::Ended(None) => "it no longer hears".to_owned(),
            Fault::Late(within) => format!("no answer within {} ms", within.as_millis()),
            Fault::Illegal(answer) => format!("«{answer}» is no move here"),
            Fault::Flood => "it says too much".to_owned(),
            Fault::Refused(why) => format!("it says «{why}»"),
            Fault::Rules => "its protocol has no words for these rules".to_owned(),
            Fault::NoMove => "there was no move".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_known_for_a_bot_whatever_it_calls_itself() {
        for (introduced, expected) in [
            (None, "Bot engine"),
            (Some("Rapfi"), "Bot Rapfi"),
            (Some("\u{1b}[2J"), "Bot [2J"),
            (Some("  "), "Bot engine"),
            (Some("an engine of a very long name indeed"), "Bot anengineofaverylon"),
        ] {
            assert_eq!(engine_name(introduced).as_str(), expected);
        }
    }
}
