//! State of the streams of a cluster, and an even spread of their leaders. Pure.

use std::collections::BTreeMap;

use serde::Serialize;

/// A server that stores a stream without leading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct StreamReplica {
    pub(crate) server: String,
    /// Whether it is reachable and has all messages.
    #[serde(rename = "current")]
    pub(crate) is_current: bool,
}

/// State of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct StreamReport {
    pub(crate) name: String,
    /// Server that leads the stream. `None` during an election, or without a majority of the servers.
    pub(crate) leader: Option<String>,
    /// The other servers that store the stream.
    pub(crate) replicas: Vec<StreamReplica>,
    /// Number of servers that should store the stream.
    pub(crate) copies: usize,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

impl StreamReport {
    /// Returns a stream that does not respond.
    pub(super) fn without_leader(name: String, copies: usize) -> StreamReport {
        StreamReport {
            name,
            leader: None,
            replicas: Vec::new(),
            copies,
            messages: 0,
            bytes: 0,
        }
    }

    /// Returns this report, where replicas that were current in the `earlier` report count as current.
    pub(super) fn or_current_in(mut self, earlier: &StreamReport) -> StreamReport {
        let was_current = |server: &str| {
            earlier
                .replicas
                .iter()
                .any(|replica| replica.is_current && replica.server == server)
        };
        for replica in &mut self.replicas {
            replica.is_current |= was_current(&replica.server);
        }
        self
    }

    /// Returns whether the stream has a leader, and all its copies are complete.
    pub(crate) fn is_healthy(&self) -> bool {
        let is_complete = self.replicas.len() + 1 >= self.copies;
        self.leader.is_some()
            && is_complete
            && self.replicas.iter().all(|replica| replica.is_current)
    }
}

/// A stream that gets another leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaderMove {
    pub(crate) stream: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// Returns the next move towards an even spread. The spread is even if no server leads two more streams than another
/// server that could lead one of them.
pub(super) fn next_move(streams: &[StreamReport]) -> Option<LeaderMove> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for leader in streams.iter().filter_map(|stream| stream.leader.as_deref()) {
        *counts.entry(leader).or_default() += 1;
    }
    let count = |server: &str| counts.get(server).copied().unwrap_or(0);
    let moves = streams.iter().flat_map(|stream| {
        let from = stream.leader.as_deref();
        let current = stream.replicas.iter().filter(|replica| replica.is_current);
        current.filter_map(move |replica| Some((stream, from?, replica.server.as_str())))
    });
    let gain = |from, to| count(from).saturating_sub(count(to));
    let best = moves
        .filter(|(_, from, to)| gain(from, to) >= 2)
        .max_by_key(|(_, from, to)| gain(from, to));
    best.map(|(stream, from, to)| LeaderMove {
        stream: stream.name.clone(),
        from: from.to_owned(),
        to: to.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn report(name: &str, leader: &str, replicas: &[(&str, bool)]) -> StreamReport {
        let replica = |(server, is_current): &(&str, bool)| StreamReplica {
            server: (*server).to_owned(),
            is_current: *is_current,
        };
        StreamReport {
            name: name.to_owned(),
            leader: Some(leader.to_owned()),
            replicas: replicas.iter().map(replica).collect(),
            copies: 3,
            messages: 0,
            bytes: 0,
        }
    }

    #[test]
    fn a_stream_is_healthy_with_a_leader_and_all_copies() {
        assert!(report("s", "a", &[("b", true), ("c", true)]).is_healthy());
        assert!(!report("s", "a", &[("b", true), ("c", false)]).is_healthy());
        assert!(!report("s", "a", &[("b", true)]).is_healthy());
        assert!(!StreamReport::without_leader("s".into(), 1).is_healthy());
        let behind = report("s", "a", &[("b", true), ("c", false)]);
        assert!(
            report("s", "a", &[("b", false), ("c", true)])
                .or_current_in(&behind)
                .is_healthy()
        );
        assert!(
            !report("s", "a", &[("b", true), ("c", false)])
                .or_current_in(&behind)
                .is_healthy()
        );
    }

    #[test]
    fn a_server_that_is_not_current_gets_no_stream() {
        let streams = ["x", "y", "z"].map(|name| report(name, "a", &[("b", false), ("c", true)]));
        let next = next_move(&streams).expect("c leads none");
        assert_eq!((next.from.as_str(), next.to.as_str()), ("a", "c"));
        let streams = ["x", "y"].map(|name| report(name, "a", &[("b", false)]));
        assert_eq!(next_move(&streams), None);
    }

    proptest! {
        #[test]
        fn the_leaders_are_spread_evenly_after_few_moves(leaders in prop::collection::vec(0..3usize, 1..7)) {
            let servers = ["a", "b", "c"];
            let make = |(number, leader): (usize, &usize)| {
                let others = servers.iter().filter(|server| **server != servers[*leader]);
                let replicas: Vec<_> = others.map(|server| (*server, true)).collect();
                report(&number.to_string(), servers[*leader], &replicas)
            };
            let mut leaders = leaders;
            for _ in 0..leaders.len() {
                let streams: Vec<StreamReport> = leaders.iter().enumerate().map(make).collect();
                let Some(next) = next_move(&streams) else { break };
                let to = servers.iter().position(|server| *server == next.to).expect("a server");
                leaders[next.stream.parse::<usize>().expect("a number")] = to;
            }
            let counts: Vec<usize> =
                (0..3).map(|server| leaders.iter().filter(|leader| **leader == server).count()).collect();
            let (least, most) = (counts.iter().min().expect("three"), counts.iter().max().expect("three"));
            prop_assert!(most - least <= 1, "{counts:?}");
        }
    }
}
