//! Games of bots and of the arena, and match results, in JSON.

use noughts_protocol::{Outcome, Player, PlayerKind, Position, Rules, Seat};
use serde::Serialize;

use crate::bot::BotGameResult;
use crate::engines::arena::{ArenaGame, Elo, MatchResult};
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::json_members::{Ending, cell_texts};

#[derive(Debug, Serialize)]
struct JsonGame<'a> {
    event: &'static str,
    rules: &'a Rules,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<Seat>,
    players: [Option<JsonPlayer>; 2],
    moves: Vec<String>,
    /// Null if a player failed.
    result: Option<Ending>,
    /// Present only in an arena. On a server, a bot resigns if its program fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<[Option<&'static str>; 2]>,
}

#[derive(Debug, Serialize)]
struct JsonPlayer {
    name: String,
    bot: bool,
}

impl JsonGame<'_> {
    fn new<'a>(
        position: &'a Position,
        players: [Option<JsonPlayer>; 2],
        outcome: Option<Outcome>,
    ) -> JsonGame<'a> {
        let rules = position.rules();
        JsonGame {
            event: "game",
            rules,
            seat: None,
            players,
            moves: cell_texts(position.moves(), rules),
            result: outcome.map(|outcome| Ending {
                outcome,
                rules: *rules,
            }),
            errors: None,
        }
    }
}

/// Returns the line for a bot's game.
pub(crate) fn bot_game(result: &BotGameResult) -> String {
    let json_player = |player: &Player| JsonPlayer {
        name: player.name.to_string(),
        bot: player.kind == PlayerKind::Bot,
    };
    let players = result.players.each_ref();
    let players = players.map(|player| player.as_ref().map(json_player));
    super::to_line(&JsonGame {
        seat: Some(result.seat),
        ..JsonGame::new(&result.position, players, Some(result.outcome.clone()))
    })
}

/// Returns the line for a game in the arena.
pub(crate) fn arena_game(game: &ArenaGame) -> String {
    let players = game.players.each_ref().map(|player| {
        Some(JsonPlayer {
            name: player.to_string(),
            bot: true,
        })
    });
    let error = |seat: Seat| match &game.failure {
        Some((failed, error)) if *failed == seat => Some(engine_error_code(error)),
        Some(_) | None => None,
    };
    super::to_line(&JsonGame {
        errors: Some(Seat::ALL.map(error)),
        ..JsonGame::new(&game.position, players, game.position.outcome())
    })
}

#[derive(Debug, Serialize)]
struct JsonSummary {
    event: &'static str,
    won: u32,
    drawn: u32,
    lost: u32,
}

/// Returns the line with the results of all of a bot's games.
pub(crate) fn bot_summary([won, drawn, lost]: [u32; 3]) -> String {
    super::to_line(&JsonSummary {
        event: "summary",
        won,
        drawn,
        lost,
    })
}

#[derive(Debug, Serialize)]
struct JsonMatchResult<'a> {
    event: &'static str,
    rules: &'a Rules,
    players: [String; 2],
    won: u32,
    drawn: u32,
    lost: u32,
    /// Share of the points, from 0 to 1.
    score: f64,
    /// Null if one side has all points.
    elo: f64,
    elo_interval: [f64; 2],
    likelihood_of_superiority: f64,
    errors: [Option<&'static str>; 2],
}

/// Returns the line for a match result.
pub(crate) fn match_result(result: &MatchResult) -> String {
    let MatchResult {
        rules,
        players,
        tally,
        last_errors,
    } = result;
    let [won, drawn, lost] = tally.results();
    let Elo {
        difference,
        confidence_interval,
    } = tally.elo();
    super::to_line(&JsonMatchResult {
        event: "meeting",
        rules,
        players: players.each_ref().map(ToString::to_string),
        won,
        drawn,
        lost,
        score: tally.score(),
        elo: difference,
        elo_interval: confidence_interval,
        likelihood_of_superiority: tally.likelihood_of_superiority(),
        errors: last_errors
            .each_ref()
            .map(|error| error.as_ref().map(engine_error_code)),
    })
}

fn engine_error_code(error: &EngineError) -> &'static str {
    match error {
        EngineError::Spawn(_) => "start",
        EngineError::Exited { .. } => "ended",
        EngineError::Timeout(_) => "late",
        EngineError::IllegalMove { .. } | EngineError::UnaskedLine(_) => "illegal",
        EngineError::TooMuchOutput => "flood",
        EngineError::ErrorResponse(_) => "error",
        EngineError::UnsupportedRules => "rules",
        EngineError::NoMove => "no_move",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Level;
    use crate::engines::arena::{GameResult, MatchTally};
    use crate::engines::player_engine::{EngineProgram, EngineSpec};

    #[test]
    fn scores_and_errors_are_reported_and_unbounded_is_null() {
        let mut tally = MatchTally::default();
        tally.add([GameResult::Won; 2]);
        let program = EngineSpec::Program(EngineProgram::parse("plain:x").unwrap());
        let json = match_result(&MatchResult {
            rules: "3x3:3".parse().unwrap(),
            players: [EngineSpec::Level(Level::Hard), program],
            tally,
            last_errors: [None, Some(EngineError::TooMuchOutput)],
        });
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["event"], "meeting");
        assert_eq!(
            (&json["won"], &json["lost"], &json["score"]),
            (&2.into(), &0.into(), &1.0.into())
        );
        assert!(
            json["elo"].is_null() && json["errors"] == serde_json::json!([null, "flood"]),
            "{json}"
        );
    }
}
