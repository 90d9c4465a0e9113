//! The lobby over all nodes. The seeks of one game meet at the node that owns the shard of the game.
//!
//! ```text
//!  connection ── SeekRouter ── SeekTask ──┬── lobby of this node
//!                              one a seek │
//!                                         └── RemoteSeek ═══ relay ═══ RemoteMember ── lobby of another node
//! ```
//!
//! A seek is in one lobby at a time, so that a connection is paired once ([`seek_route`]). A lobby that moves to another node
//! hands its seeks back, and their nodes place them again.

mod lobby_views;
pub(crate) mod node_lobby;
pub(crate) mod node_messages;
mod party_queries;
mod party_seeks;
mod seek_control;
mod seek_route;
pub(crate) mod seek_router;
mod seek_task;
