//! Violations of the properties that the nodes rely on. The checks of the tests must find them.

/// A violation. No program contains it: the model of the log plants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedFault {
    /// The log stores a message without a check of the last message.
    NoExpectation,
    /// A node serves a shard without a claim in its log.
    TakeOverWithoutClaim,
    /// Messages are deleted that open rooms need.
    TruncateLiveEntries,
    /// The log acknowledges a message that it does not store.
    AckWithoutStore,
    /// A relay between two nodes loses messages, and neither node notices.
    LoseRelayedMessages,
}

impl PlantedFault {
    /// All faults, for tests that plant each of them.
    pub const ALL: [PlantedFault; 5] = [
        PlantedFault::NoExpectation,
        PlantedFault::TakeOverWithoutClaim,
        PlantedFault::TruncateLiveEntries,
        PlantedFault::AckWithoutStore,
        PlantedFault::LoseRelayedMessages,
    ];
}
