//! How two programs did against each other, as one object.

use noughts_protocol::Rules;
use serde::Serialize;

use crate::arena::Meeting;
use crate::arena::tally::Elo;
use crate::thinker::child::Fault;

#[derive(Debug, Serialize)]
struct Told<'a> {
    event: &'static str,
    rules: &'a Rules,
    players: [String; 2],
    won: u32,
    drawn: u32,
    lost: u32,
    /// The share of the points.
    score: f64,
    /// Without bounds where one side has all points: null.
    elo: f64,
    elo_between: [f64; 2],
    superiority: f64,
    failed: [Option<&'static str>; 2],
}

/// The line of a meeting.
pub fn meeting(meeting: &Meeting) -> String {
    let Meeting { rules, players, tally, faults } = meeting;
    let [won, drawn, lost] = tally.results();
    let Elo { difference, between } = tally.elo();
    super::line(&Told {
        event: "meeting",
        rules,
        players: players.each_ref().map(ToString::to_string),
        won,
        drawn,
        lost,
        score: tally.score(),
        elo: difference,
        elo_between: between,
        superiority: tally.superiority(),
        failed: faults.each_ref().map(|fault| fault.as_ref().map(code)),
    })
}

fn code(fault: &Fault) -> &'static str {
    match fault {
        Fault::Start(_) => "start",
        Fault::Ended(_) => "ended",
        Fault::Late(_) => "late",
        Fault::Illegal(_) => "illegal",
        Fault::Flood => "flood",
        Fault::Refused(_) => "refused",
        Fault::Rules => "rules",
        Fault::NoMove => "no_move",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::tally::{GameResult, Tally};

    #[test]
    fn points_and_faults_are_told_and_what_has_no_bound_is_null() {
        let mut tally = Tally::default();
        tally.add([GameResult::Won; 2]);
        let told = meeting(&Meeting {
            rules: "3x3:3".parse().unwrap(),
            players: ["hard", "engine:x"].map(|spec| spec.parse().unwrap()),
            tally,
            faults: [None, Some(Fault::Flood)],
        });
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["event"], "meeting");
        assert_eq!((&told["won"], &told["lost"], &told["score"]), (&2.into(), &0.into(), &1.0.into()));
        assert!(told["elo"].is_null() && told["failed"] == serde_json::json!([null, "flood"]), "{told}");
    }
}
