//! Queries to all nodes for the seats of a client: of its party, and of its identity.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::join_all;
use noughts_protocol::RoomId;
use noughts_protocol::wire::{MAX_OWN_ROOMS, SeatGrant};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::debug;

use crate::cluster::shard::{NodeId, ShardSet};
use crate::room::handle::SeatHolder;
use crate::room::registry::PartySeat;
use crate::runtime::ignore;
use crate::runtime::sync::lock;

/// Time to wait for the reports. A node that reports later counts as a node without shards.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(300);

/// Stands for the absence of a value.
const NONE: &str = "-";

/// Error of reading a text with another format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormatError;

/// Writes a value as one word.
fn word<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// Reads a word of [`word`].
fn parse_word<T: FromStr>(word: &str) -> Result<Option<T>, FormatError> {
    match word {
        NONE => Ok(None),
        word => word.parse().map(Some).map_err(|_| FormatError),
    }
}

/// Writes a client as the words of a query.
pub(super) fn client_words(client: SeatHolder) -> String {
    format!("{} {}", word(client.party), word(client.identity))
}

/// Reads the words of a query. `None` if they have another format.
pub(super) fn parse_client(words: &str) -> Option<SeatHolder> {
    let (party, identity) = words.split_once(' ')?;
    Some(SeatHolder {
        party: parse_word(party).ok()?,
        identity: parse_word(identity).ok()?,
    })
}

/// What a node reports about a client.
#[derive(Clone, Debug, Default)]
pub(super) struct PartyReport {
    /// The shards that were searched. A shard that is moving to another node is not among them.
    pub(super) searched: ShardSet,
    pub(super) seat: Option<PartySeat>,
    /// Rooms with a seat of the identity, at most [`MAX_OWN_ROOMS`].
    pub(super) own_rooms: Vec<RoomId>,
}

impl PartyReport {
    /// Returns the combined report of two nodes. If both reports have a seat, the seat that was taken later counts.
    pub(super) fn and(self, other: PartyReport) -> PartyReport {
        let seats = [self.seat, other.seat].into_iter().flatten();
        let mut own_rooms = [self.own_rooms, other.own_rooms].concat();
        // A room that is moving may be in two reports.
        own_rooms.sort_unstable();
        own_rooms.dedup();
        own_rooms.truncate(MAX_OWN_ROOMS);
        PartyReport {
            searched: self.searched.union(&other.searched),
            seat: seats.max_by_key(|seat| seat.since),
            own_rooms,
        }
    }
}

impl fmt::Display for PartyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own_rooms: Vec<String> = self.own_rooms.iter().map(RoomId::to_string).collect();
        let own_rooms = Some(own_rooms.join(",")).filter(|rooms| !rooms.is_empty());
        write!(f, "{} {} ", self.searched, word(own_rooms))?;
        match self.seat {
            Some(PartySeat { grant, since }) => write!(f, "{since} {} {}", grant.room, grant.token),
            None => f.write_str(NONE),
        }
    }
}

impl FromStr for PartyReport {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<PartyReport, FormatError> {
        let words: Vec<&str> = text.split(' ').collect();
        let [searched, own_rooms, ref seat @ ..] = words[..] else {
            return Err(FormatError);
        };
        let own_rooms = match own_rooms {
            NONE => Ok(Vec::new()),
            rooms => rooms.split(',').map(str::parse).collect(),
        };
        let seat = match *seat {
            [NONE] => None,
            [since, room, token] => {
                let room = room.parse().map_err(|_| FormatError)?;
                let token = token.parse().map_err(|_| FormatError)?;
                let since = since.parse().map_err(|_| FormatError)?;
                Some(PartySeat {
                    grant: SeatGrant { room, token },
                    since,
                })
            }
            _ => return Err(FormatError),
        };
        let searched = searched.parse().map_err(|_| FormatError)?;
        Ok(PartyReport {
            searched,
            seat,
            own_rooms: own_rooms.map_err(|_| FormatError)?,
        })
    }
}

#[derive(Debug, Default)]
struct WaitingQueries {
    last_id: u64,
    /// By the number of the query to one node.
    reports: HashMap<u64, (NodeId, oneshot::Sender<PartyReport>)>,
}

/// The queries of this node that wait for a report.
#[derive(Debug, Default)]
pub(super) struct PartyQueries(Mutex<WaitingQueries>);

impl PartyQueries {
    /// Queries nodes by `send`, which gets the node and the number of the query. Waits for their reports, for a bounded
    /// time.
    pub(super) async fn query(&self, nodes: &[NodeId], send: impl Fn(NodeId, u64)) -> PartyReport {
        let mut numbers = Vec::new();
        let mut receivers = Vec::new();
        for node in nodes {
            let (sender, receiver) = oneshot::channel();
            let mut waiting = lock(&self.0);
            waiting.last_id += 1;
            let number = waiting.last_id;
            waiting.reports.insert(number, (*node, sender));
            drop(waiting);
            numbers.push(number);
            receivers.push(timeout(ANSWER_TIMEOUT, receiver));
            send(*node, number);
        }
        let reports = join_all(receivers).await;
        let mut waiting = lock(&self.0);
        for number in numbers {
            waiting.reports.remove(&number);
        }
        drop(waiting);
        let reports = reports
            .into_iter()
            .zip(nodes)
            .map(|(report, node)| match report {
                Ok(Ok(report)) => report,
                Ok(Err(_)) | Err(_) => {
                    debug!(%node, "node did not answer the party query");
                    PartyReport::default()
                }
            });
        reports.fold(PartyReport::default(), PartyReport::and)
    }

    /// Handles the report from a node to the query with this number.
    pub(super) fn on_report(&self, node: NodeId, number: u64, report: PartyReport) {
        let mut waiting = lock(&self.0);
        if waiting
            .reports
            .get(&number)
            .is_some_and(|(queried, _)| *queried == node)
            && let Some((_, sender)) = waiting.reports.remove(&number)
        {
            ignore(sender.send(report), "the report is late");
        }
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::ResumeToken;

    use super::*;
    use crate::cluster::shard::Shard;

    fn seat(room: u64, since: u64) -> PartySeat {
        let grant = SeatGrant {
            room: RoomId::from_bits(room),
            token: ResumeToken::from_bits(7),
        };
        PartySeat { grant, since }
    }

    fn report(seat: Option<PartySeat>) -> PartyReport {
        let searched = [Shard(3), Shard(70)].into_iter().collect();
        let own_rooms = seat.map(|seat| seat.grant.room).into_iter().collect();
        PartyReport {
            searched,
            seat,
            own_rooms,
        }
    }

    #[test]
    fn reports_are_read_as_written() {
        for written in [report(None), report(Some(seat(3, 99)))] {
            let read: PartyReport = written.to_string().parse().unwrap();
            assert_eq!(read.searched, written.searched);
            assert_eq!(read.own_rooms, written.own_rooms);
            let parts =
                |seat: PartySeat| (seat.grant.room, seat.grant.token.to_bytes(), seat.since);
            assert_eq!(read.seat.map(parts), written.seat.map(parts));
        }
        for text in ["", "-", "1 - -", " - 5 x y", " - - -", " x -"] {
            assert!(text.parse::<PartyReport>().is_err(), "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_reports_that_arrive_in_time_count() {
        let nodes = [1, 2, 3, 4].map(|id| NodeId([id; 16]));
        let queries = PartyQueries::default();
        let reported = queries.query(&nodes, |node, number| {
            // The report comes from a node that did not get this query.
            queries.on_report(NodeId([9; 16]), number, report(Some(seat(9, 900))));
            match node.0[0] {
                1 => queries.on_report(node, number, report(Some(seat(1, 100)))),
                2 => queries.on_report(node, number, report(Some(seat(2, 200)))),
                3 => queries.on_report(node, number, report(None)),
                _ => {}
            }
        });
        let report = reported.await;
        assert_eq!(
            report.seat.map(|seat| seat.grant.room),
            Some(RoomId::from_bits(2)),
            "the later seat"
        );
        assert!(lock(&queries.0).reports.is_empty());
    }
}
