//! Texts of the subcommands of bots and engines: `bot`, `arena`, `engine`.

use noughts_protocol::{Name, Rules};

use crate::engines::arena::Elo;
use crate::engines::arena::MatchResult;
use crate::engines::player_engine::EngineSpec;
use crate::engines::player_engine::child_process::EngineError;
use crate::i18n::{Texts, pad_left, pad_right};

/// Builds the name of a bot that plays with an external engine from the name that the engine reports,
/// shortened to a valid player name.
pub(crate) fn engine_name(reported_name: Option<&str>) -> Name {
    let plain: String = reported_name
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_graphic)
        .take(18)
        .collect();
    let name = if plain.is_empty() {
        "Bot engine".to_owned()
    } else {
        format!("Bot {plain}")
    };
    name.parse().expect("at most 24 graphic ASCII characters")
}

impl Texts {
    /// Error for rules that the Gomocup protocol cannot express.
    pub fn engine_rejects_rules(self, rules: &Rules) -> String {
        self.gomocup_rejects_rules(self.rules_in_sentence(rules))
    }

    pub fn engine_error(self, error: &EngineError) -> String {
        self.engine_failed(self.engine_error_reason(error))
    }

    /// States that the bot stops because its engine keeps failing.
    pub fn engine_abandoned(self, error: &EngineError) -> String {
        self.engine_keeps_failing(self.engine_error_reason(error))
    }

    /// Column headings of the arena's table.
    pub fn arena_heading(self) -> String {
        ArenaRow {
            game: self.arena_game(),
            players: [self.arena_first(), self.arena_second()],
            counts: [
                self.arena_games(),
                self.arena_won(),
                self.arena_drawn(),
                self.arena_lost(),
            ],
            points: self.arena_points(),
            elo: self.arena_elo(),
            stronger: self.arena_stronger(),
        }
        .format()
    }

    /// Formats the result of a match as a table row, followed by the last error of each failed engine.
    pub fn match_result(self, result: &MatchResult) -> Vec<String> {
        let MatchResult {
            rules,
            players,
            tally,
            last_errors,
        } = result;
        let [won, drawn, lost] = tally.results();
        let Elo {
            difference,
            confidence_interval: [low, high],
        } = tally.elo();
        let to = self.arena_interval_to();
        let [first, second] = players.each_ref().map(EngineSpec::to_string);
        let row = ArenaRow {
            game: &rules.to_string(),
            players: [&first, &second],
            counts: [
                &tally.games().to_string(),
                &won.to_string(),
                &drawn.to_string(),
                &lost.to_string(),
            ],
            points: &format!("{:.1} %", 100.0 * tally.score()),
            elo: &format!("{difference:+.0} ({low:+.0} {to} {high:+.0})"),
            stronger: &format!("{:.1} %", 100.0 * tally.likelihood_of_superiority()),
        };
        let mut lines = vec![row.format()];
        for (player, error) in players.iter().zip(last_errors) {
            if let Some(error) = error {
                let reason = self.engine_error_reason(error);
                lines.push(self.arena_player_failed(player, reason));
            }
        }
        lines
    }

    fn engine_error_reason(self, error: &EngineError) -> String {
        let text = match error {
            EngineError::Spawn(why) => {
                return self.engine_cannot_start(why);
            }
            EngineError::Exited(Some(status)) => {
                return self.engine_exited(status);
            }
            EngineError::Exited(None) => self.engine_stdin_closed(),
            EngineError::Timeout(within) => {
                let ms = within.as_millis();
                return self.engine_timeout(ms);
            }
            EngineError::IllegalMove(answer) => {
                return self.engine_illegal_move(answer);
            }
            EngineError::TooMuchOutput => self.engine_too_much_output(),
            EngineError::ErrorResponse(why) => {
                return self.engine_error_response(why);
            }
            EngineError::UnsupportedRules => self.engine_unsupported_rules(),
            EngineError::NoMove => self.engine_no_move(),
        };
        text.to_owned()
    }
}

/// Row of the arena's table.
struct ArenaRow<'a> {
    game: &'a str,
    players: [&'a str; 2],
    counts: [&'a str; 4],
    points: &'a str,
    elo: &'a str,
    stronger: &'a str,
}

impl ArenaRow<'_> {
    fn format(&self) -> String {
        let mut row = pad_right(self.game, 15);
        row.extend(self.players.map(|player| pad_right(player, 17)));
        row.extend(self.counts.map(|count| pad_left(count, 7)));
        row.push_str(&pad_left(self.points, 9));
        row.push_str("  ");
        row.push_str(&pad_right(self.elo, 25));
        row.push_str(self.stronger);
        row
    }
}
