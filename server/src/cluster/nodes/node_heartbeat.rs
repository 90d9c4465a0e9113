//! The heartbeat of a node: its state and its shards, as a line of text. Pure.

use crate::cluster::shard::{Epoch, NodeId, Shard};

/// First word of a heartbeat: the version of its format.
const FORMAT: &str = "2";

/// Activity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeActivity {
    /// The node has not heard the others for long enough to claim shards.
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

/// Epoch of a shard whose log the node has found damaged. Keeps other nodes from waiting for it; any owner has a later one.
pub(crate) const CORRUPT_EPOCH: Epoch = Epoch(0);

/// The periodic heartbeat of a node: its activity and its shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeHeartbeat {
    pub(crate) node: NodeId,
    pub(crate) activity: NodeActivity,
    /// The shards that the node owns, in order, with the epochs of its claims, and those with a damaged log.
    pub(crate) shards: Vec<(Shard, Epoch)>,
}

impl NodeHeartbeat {
    /// Whether the node has released all shards and ends.
    pub(crate) fn is_last(&self) -> bool {
        self.activity == NodeActivity::Leaving && self.shards.is_empty()
    }

    /// The shards that the node owns.
    pub(crate) fn owned_shards(&self) -> impl Iterator<Item = Shard> {
        self.shards
            .iter()
            .filter(|(_, epoch)| *epoch != CORRUPT_EPOCH)
            .map(|(shard, _)| *shard)
    }

    /// The shards whose log the node has found damaged.
    pub(crate) fn corrupt_shards(&self) -> impl Iterator<Item = Shard> {
        self.shards
            .iter()
            .filter(|(_, epoch)| *epoch == CORRUPT_EPOCH)
            .map(|(shard, _)| *shard)
    }

    /// The text on the bus.
    pub(crate) fn encode(&self) -> String {
        let activity = self.activity.word();
        let shards = self
            .shards
            .iter()
            .map(|(shard, epoch)| format!(" {shard}@{epoch}"));
        let shards: String = shards.collect();
        format!(
            "{FORMAT} {:032x} {activity}{shards}",
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
                activity,
                shards,
            };
            assert_eq!(
                NodeHeartbeat::parse(written.encode().as_bytes()),
                Some(written)
            );
        }
        let id = "0b".repeat(16);
        for text in [
            "",
            "2",
            "2 0b active",
            &format!("1 {id} active"),
            &format!("2 {id} x"),
            &format!("2 {id} active x"),
            &format!("2 {id} active 70000@1"),
            &format!("2 {id} active 1"),
        ] {
            assert_eq!(NodeHeartbeat::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(NodeHeartbeat::parse(&[0xff]), None);
    }
}
