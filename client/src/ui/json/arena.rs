//! Match results of the arena.

use noughts_protocol::Rules;
use serde::Serialize;

use crate::engines::arena::Elo;
use crate::engines::arena::MatchResult;
use crate::engines::player_engine::child_process::EngineError;

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
    #[serde(rename = "elo_between")]
    elo_interval: [f64; 2],
    #[serde(rename = "superiority")]
    likelihood_of_superiority: f64,
    #[serde(rename = "failed")]
    errors: [Option<&'static str>; 2],
}

/// Returns the line of a match result.
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
        EngineError::Exited(_) => "ended",
        EngineError::Timeout(_) => "late",
        EngineError::IllegalMove(_) => "illegal",
        EngineError::TooMuchOutput => "flood",
        EngineError::ErrorResponse(_) => "refused",
        EngineError::UnsupportedRules => "rules",
        EngineError::NoMove => "no_move",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::arena::{GameResult, MatchTally};

    #[test]
    fn scores_and_errors_are_reported_and_unbounded_is_null() {
        let mut tally = MatchTally::default();
        tally.add([GameResult::Won; 2]);
        let json = match_result(&MatchResult {
            rules: "3x3:3".parse().unwrap(),
            players: ["hard", "engine:x"].map(|spec| spec.parse().unwrap()),
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
            json["elo"].is_null() && json["failed"] == serde_json::json!([null, "flood"]),
            "{json}"
        );
    }
}
