//! Texts of the subcommands for bots and engines: `bot`, `arena` and `engine`.

use noughts_protocol::{Cell, CellError, Name, Position, Rules, Seat};
use unicode_width::UnicodeWidthStr;

use crate::engines::arena::Elo;
use crate::engines::arena::MatchResult;
use crate::engines::player_engine::child_process::{EngineError, IllegalMoveReason};
use crate::engines::player_engine::{EngineProtocol, EngineSpec};
use crate::i18n::messages::PROGRAM_HINT;
use crate::i18n::{Texts, is_printable, pad_left, pad_right};
use crate::io::own_games::OwnGameResult;

/// Maximum number of legal cells in the report of a failure.
const MAX_LEGAL_CELLS: usize = 20;
/// Maximum length of a program's name in the lines of games and in the table, in characters.
const MAX_LABEL_CHARS: usize = 40;
/// Replaces the part that is cut from the middle of a name.
const LABEL_GAP: &str = "...";
/// Minimum width of a player's name in the table of the arena, in columns.
const MIN_PLAYER_COLUMNS: usize = 17;
/// Exit code of the shell for a program that it cannot find.
const SHELL_NOT_FOUND: i32 = 127;

/// Returns the name of a bot that plays with an external engine: the engine's reported name, shortened to a valid
/// player name.
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
    /// Says that the Gomocup protocol cannot express the rules.
    pub fn engine_rejects_rules(self, rules: &Rules) -> String {
        self.gomocup_rejects_rules(self.rules_in_sentence(rules))
    }

    /// Reports a program's failure in a game: what it did, the position, which moves were legal, and how to fix it.
    pub fn program_failure(
        self,
        engine: &EngineSpec,
        error: &EngineError,
        position: &Position,
    ) -> Vec<String> {
        let rules = position.rules();
        let (seat, moves) = (position.turn(), self.cells(position.moves(), rules));
        let mut lines = vec![
            self.program_failed(self.engine_label(engine), self.engine_error_reason(error)),
            match moves.is_empty() {
                true => self.failed_first_position(rules, seat),
                false => self.failed_position(moves, rules, seat),
            },
        ];
        if let EngineError::IllegalMove { .. } = error {
            let legal: Vec<Cell> = position.legal_moves().collect();
            let shown = self.cells(&legal[..legal.len().min(MAX_LEGAL_CELLS)], rules);
            lines.push(match legal.len().saturating_sub(MAX_LEGAL_CELLS) {
                0 => self.failed_legal(shown),
                count => self.failed_legal_cut(shown, count),
            });
        }
        if let EngineError::Exited { stderr, .. } = error {
            lines.extend(stderr.iter().map(|line| format!("  stderr: {line}")));
        }
        if let Some(hint) = program_hint(engine, error) {
            lines.push(self.failed_hint(self.keyed(&PROGRAM_HINT, hint)));
        }
        lines
    }

    /// Describes a finished game by its rules, its players and its winner. A game without a winner is a draw.
    pub fn game_line(
        self,
        number: u32,
        players: &[String; 2],
        position: &Position,
        winner: Option<Seat>,
    ) -> String {
        let result = match winner {
            Some(seat) => self.wins(&players[seat.index()], seat),
            None => self.own_game_result(OwnGameResult::Draw).to_owned(),
        };
        let [x, o] = players;
        self.finished_game(position.ply(), number, o, result, position.rules(), x)
    }

    /// Names an engine in the lines of the arena: a level, or a command on a single line that is cut at a maximum
    /// length.
    pub fn engine_label(self, engine: &EngineSpec) -> String {
        let label = match engine {
            EngineSpec::Level(level) => level.to_string(),
            EngineSpec::Program(program) => match program.protocol {
                EngineProtocol::Plain => program.command.clone(),
                EngineProtocol::Ugi | EngineProtocol::Gomocup => program.to_string(),
            },
        };
        let words: Vec<&str> = label.split_whitespace().collect();
        let label = words.join(" ");
        let letters: Vec<char> = label
            .chars()
            .filter(|&letter| is_printable(letter))
            .collect();
        let cut = |letters: &[char]| letters.iter().collect::<String>();
        if letters.len() <= MAX_LABEL_CHARS {
            return cut(&letters);
        }
        // Two commands often differ only at their ends.
        let kept = (MAX_LABEL_CHARS - LABEL_GAP.len()) / 2;
        let end = letters.len() - (MAX_LABEL_CHARS - LABEL_GAP.len() - kept);
        cut(&letters[..kept]) + LABEL_GAP + &cut(&letters[end..])
    }

    pub fn engine_error(self, error: &EngineError) -> String {
        self.engine_failed(self.engine_error_reason(error))
    }

    /// Says that the bot stops because its engine keeps failing.
    pub fn engine_abandoned(self, error: &EngineError) -> String {
        self.engine_keeps_failing(self.engine_error_reason(error))
    }

    /// Returns the lines of the arena's table: the headings, then a row per match. The last error of each failed engine
    /// follows.
    pub fn arena_table(self, matches: &[MatchResult]) -> Vec<String> {
        let players = matches.iter().flat_map(|result| &result.players);
        let widths = players.map(|player| self.engine_label(player).width() + 1);
        let width = widths.max().unwrap_or_default().max(MIN_PLAYER_COLUMNS);
        let rows = matches
            .iter()
            .flat_map(|result| self.match_result(result, width));
        std::iter::once(self.arena_heading(width))
            .chain(rows)
            .collect()
    }

    fn arena_heading(self, width: usize) -> String {
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
        .format(width)
    }

    fn match_result(self, result: &MatchResult, width: usize) -> Vec<String> {
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
        let [first, second] = players.each_ref().map(|player| self.engine_label(player));
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
        let mut lines = vec![row.format(width)];
        for (player, error) in players.iter().zip(last_errors) {
            if let Some(error) = error {
                let reason = self.engine_error_reason(error);
                lines.push(self.arena_player_failed(self.engine_label(player), reason));
            }
        }
        lines
    }

    fn engine_error_reason(self, error: &EngineError) -> String {
        let text = match error {
            EngineError::Spawn(why) => {
                return self.engine_cannot_start(why);
            }
            EngineError::Exited {
                status: Some(status),
                ..
            } => {
                return self.engine_exited(status);
            }
            EngineError::Exited { status: None, .. } => self.engine_stdin_closed(),
            EngineError::Timeout(within) => {
                let ms = within.as_millis();
                return self.engine_timeout(ms);
            }
            EngineError::IllegalMove { answer, reason } => {
                return match reason {
                    Some(reason) => self.engine_illegal_answer(answer, self.error(reason)),
                    None => self.engine_illegal_move(answer),
                };
            }
            EngineError::UnaskedLine(line) => {
                return self.engine_unasked_line(line);
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

/// Returns the word of the hint for a program's frequent mistake.
fn program_hint(engine: &EngineSpec, error: &EngineError) -> Option<&'static str> {
    let EngineSpec::Program(program) = engine else {
        return None;
    };
    let is_plain = program.protocol == EngineProtocol::Plain;
    match error {
        EngineError::Timeout(_) => is_plain.then_some("no_answer"),
        EngineError::IllegalMove { answer, reason } => {
            let is_syntax = *reason == Some(IllegalMoveReason::Cell(CellError::Syntax));
            let hint = match answer.split_whitespace().next() {
                Some("UNKNOWN" | "ERROR" | "MESSAGE" | "info") => "other_protocol",
                Some(_) | None => "not_a_cell",
            };
            (is_plain && is_syntax).then_some(hint)
        }
        EngineError::UnaskedLine(_) => Some("not_a_cell"),
        EngineError::Exited { status, .. } => match status.and_then(|status| status.code()) {
            Some(SHELL_NOT_FOUND) => Some("not_found"),
            Some(0) => is_plain.then_some("ended"),
            Some(_) | None => None,
        },
        EngineError::Spawn(_)
        | EngineError::TooMuchOutput
        | EngineError::ErrorResponse(_)
        | EngineError::UnsupportedRules
        | EngineError::NoMove => None,
    }
}

struct ArenaRow<'a> {
    game: &'a str,
    players: [&'a str; 2],
    counts: [&'a str; 4],
    points: &'a str,
    elo: &'a str,
    stronger: &'a str,
}

impl ArenaRow<'_> {
    /// Formats the row. `width` is the number of columns for a player.
    fn format(&self, width: usize) -> String {
        let mut row = pad_right(self.game, 15);
        row.extend(self.players.map(|player| pad_right(player, width)));
        row.extend(self.counts.map(|count| pad_left(count, 7)));
        row.push_str(&pad_left(self.points, 9));
        row.push_str("  ");
        row.push_str(&pad_right(self.elo, 25));
        row.push_str(self.stronger);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::player_engine::EngineProgram;

    #[test]
    fn the_label_of_a_command_is_one_short_line() {
        for (command, expected) in [
            ("plain:python3 mybot.py", "python3 mybot.py"),
            ("ugi:./a\n  --fast", "ugi:./a --fast"),
            (
                "plain:python3 /home/ann/lessons/programming/bots/first.py",
                "python3 /home/ann/...mming/bots/first.py",
            ),
        ] {
            let program = EngineProgram::parse(command).unwrap();
            let label = Texts::default().engine_label(&EngineSpec::Program(program));
            assert_eq!(label, expected);
        }
    }
}
