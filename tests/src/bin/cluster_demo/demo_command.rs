//! Commands of the demonstration.

use std::fmt;
use std::str::FromStr;

/// A part of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoPart {
    /// A node: `a`, `b` or `c`.
    Node(usize),
    /// A NATS server: `n1`, `n2` or `n3`.
    NatsServer(usize),
}

impl DemoPart {
    fn parse(text: &str) -> Option<DemoPart> {
        match text {
            "a" => Some(DemoPart::Node(0)),
            "b" => Some(DemoPart::Node(1)),
            "c" => Some(DemoPart::Node(2)),
            "n1" => Some(DemoPart::NatsServer(0)),
            "n2" => Some(DemoPart::NatsServer(1)),
            "n3" => Some(DemoPart::NatsServer(2)),
            _ => None,
        }
    }
}

impl fmt::Display for DemoPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DemoPart::Node(index) => write!(f, "{}", ["a", "b", "c"][*index]),
            DemoPart::NatsServer(index) => write!(f, "n{}", index + 1),
        }
    }
}

/// A line of stdin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoCommand {
    Kill(DemoPart),
    Stop(DemoPart),
    Drain(DemoPart),
    Start(DemoPart),
    Status,
    Help,
    Quit,
}

pub(crate) const HELP: &str = "\
kill PART    ends it at once (SIGKILL)
stop PART    lets it hang (SIGSTOP)
drain PART   lets it stop by itself: a node hands its games over, a NATS server its leadership
start PART   starts it again, or continues it after `stop`
status       lists all parts
quit         ends all parts
PART is a node (a, b, c) or a NATS server (n1, n2, n3)";

impl FromStr for DemoCommand {
    type Err = String;

    fn from_str(line: &str) -> Result<DemoCommand, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let unknown = || format!("unknown command {:?}; `help` lists all", line.trim());
        match words[..] {
            ["status"] => Ok(DemoCommand::Status),
            ["help"] => Ok(DemoCommand::Help),
            ["quit"] => Ok(DemoCommand::Quit),
            [verb @ ("kill" | "stop" | "drain" | "start"), part] => {
                let part = DemoPart::parse(part)
                    .ok_or_else(|| format!("no part {part:?}; there are a, b, c, n1, n2, n3"))?;
                Ok(match verb {
                    "kill" => DemoCommand::Kill(part),
                    "stop" => DemoCommand::Stop(part),
                    "drain" => DemoCommand::Drain(part),
                    _ => DemoCommand::Start(part),
                })
            }
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_a_part() {
        assert_eq!("kill b".parse(), Ok(DemoCommand::Kill(DemoPart::Node(1))));
        assert_eq!(
            "  start  n3 ".parse(),
            Ok(DemoCommand::Start(DemoPart::NatsServer(2)))
        );
        for line in ["", "kill", "kill d", "kill a b", "n1", "status a"] {
            assert!(line.parse::<DemoCommand>().is_err(), "{line:?}");
        }
    }
}
