//! The heartbeat of a node: its state and its shards, as a line of text. Pure.

use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::shard::{Epoch, NodeId, Shard};

/// First word of a heartbeat: the version of its format.
const FORMAT: &str = "3";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeActivity {
    /// The node has not yet listened to the other nodes long enough to claim shards.
    Listening,
    Active,
    /// The node stops, and claims no further shards.
    Leaving,
}

impl NodeActivity {
    const ALL: [NodeActivity; 3] = [
        NodeActivity::Listening,
        NodeActivity::Active,
        NodeActivity::Leaving,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            NodeActivity::Listening => "listening",
            NodeActivity::Active => "active",
            NodeActivity::Leaving => "leaving",
        }
    }
}

/// Epoch of a shard with a log that the node has found damaged. A heartbeat with this epoch keeps other nodes from
/// waiting for the shard. Every owner has a later epoch.
pub(crate) const CORRUPT_EPOCH: Epoch = Epoch(0);

/// The periodic heartbeat of a node: where it accepts relays, its activity and its shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeHeartbeat {
    pub(crate) node: NodeId,
    pub(crate) relay: RelayAddress,
    pub(crate) activity: NodeActivity,
    /// The shards that the node owns, each with the epoch of its claim, and the shards with a damaged log, each with
    /// [`CORRUPT_EPOCH`]. Sorted by shard.
    pub(crate) shards: Vec<(Shard, Epoch)>,
}

impl NodeHeartbeat {
    /// Returns whether the node has released all shards and ends.
    pub(crate) fn is_last(&self) -> bool {
        self.activity == NodeActivity::Leaving && self.shards.is_empty()
    }

    /// Returns the shards that the node owns.
    pub(crate) fn owned_shards(&self) -> impl Iterator<Item = Shard> {
        self.shards
            .iter()
            .filter(|(_, epoch)| *epoch != CORRUPT_EPOCH)
            .map(|(shard, _)| *shard)
    }

    /// Returns the shards with a log that the node has found damaged.
    pub(crate) fn corrupt_shards(&self) -> impl Iterator<Item = Shard> {
        self.shards
            .iter()
            .filter(|(_, epoch)| *epoch == CORRUPT_EPOCH)
            .map(|(shard, _)| *shard)
    }

    /// Returns the text on the bus.
    pub(crate) fn encode(&self) -> String {
        let (RelayAddress { address, key }, activity) = (self.relay, self.activity.word());
        let shards = self
            .shards
            .iter()
            .map(|(shard, epoch)| format!(" {shard}@{epoch}"));
        let shards: String = shards.collect();
        format!(
            "{FORMAT} {:032x} {address} {key} {activity}{shards}",
            u128::from_be_bytes(self.node.0)
        )
    }

    /// Parses a heartbeat. `None` if the text is not a heartbeat, or has a later format.
    pub(crate) fn parse(text: &[u8]) -> Option<NodeHeartbeat> {
        let mut words = str::from_utf8(text).ok()?.split(' ');
        if words.next() != Some(FORMAT) {
            return None;
        }
        let node = words.next().filter(|id| id.len() == 32)?;
        let node = NodeId(u128::from_str_radix(node, 16).ok()?.to_be_bytes());
        let (address, key) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let activity = words.next()?;
        let activity = NodeActivity::ALL
            .into_iter()
            .find(|known| known.word() == activity)?;
        let parse_shard = |word: &str| {
            let (shard, epoch) = word.split_once('@')?;
            Some((Shard(shard.parse().ok()?), Epoch(epoch.parse().ok()?)))
        };
        let shards = words.map(parse_shard).collect::<Option<Vec<_>>>()?;
        Some(NodeHeartbeat {
            node,
            relay: RelayAddress { address, key },
            activity,
            shards,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_is_read_as_written() {
        for (activity, shards) in [
            (NodeActivity::Listening, vec![]),
            (NodeActivity::Leaving, vec![]),
            (
                NodeActivity::Active,
                vec![(Shard(0), Epoch(1)), (Shard(63), Epoch(1 << 40))],
            ),
        ] {
            let written = NodeHeartbeat {
                node: NodeId([0x0b; 16]),
                relay: RelayAddress {
                    address: "[2001:db8::1]:7879".parse().unwrap(),
                    key: "0c".repeat(16).parse().unwrap(),
                },
                activity,
                shards,
            };
            assert_eq!(
                NodeHeartbeat::parse(written.encode().as_bytes()),
                Some(written)
            );
        }
        let id = "0b".repeat(16);
        let node = format!("{id} 10.0.0.1:7879 {id}");
        for text in [
            "",
            "3",
            "3 0b 10.0.0.1:7879 0c active",
            &format!("2 {node} active"),
            &format!("3 {id} active"),
            &format!("3 {id} a:7879 {id} active"),
            &format!("3 {id} 10.0.0.1:7879 0c active"),
            &format!("3 {node} x"),
            &format!("3 {node} active x"),
            &format!("3 {node} active 70000@1"),
            &format!("3 {node} active 1"),
        ] {
            assert_eq!(NodeHeartbeat::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(NodeHeartbeat::parse(&[0xff]), None);
    }
}
