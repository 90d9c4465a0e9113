//! The lobby of all nodes. The owner of one shard has it, and pairs the seeks of all clients.
//!
//! ```text
//!  connection ── SeekRouter ── SeekTask ──┬── lobby of this node
//!                              one a seek │
//!                                         └── RemoteSeek ═══ relay ═══ RemoteMember ── lobby of another node
//! ```
//!
//! A seek is in one lobby at a time, so that a connection is paired once ([`seek_task`]). A lobby that moves to another
//! node hands its seeks back, and their nodes place them again. Both seeks of a pair meet at the node of the player of
//! X, which opens the room.

mod lobby_views;
pub(crate) mod node_lobby;
pub(crate) mod node_messages;
mod party_queries;
pub(crate) mod seek_router;
mod seek_task;
