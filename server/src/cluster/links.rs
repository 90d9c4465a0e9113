//! Links between nodes, so that any node serves any client: the room of another node is a [`remote_room`] here, and its
//! members are [`remote_member`]s there.
//!
//! ```text
//!  client ── connection ── RoomHandle ── RemoteRoom ═══ NodeLink ═══ RemoteMember ── RoomHandle ── room
//!                │                                                        │
//!            SendQueue ◄═════════════════ frames, as clients get them ════ SendQueue
//! ```
//!
//! A seek in the lobby of another node is such a membership too, which leads to a room: `remote_seek` here, `remote_seeker`
//! there.
//!
//! Messages between two nodes are batched and numbered. The bus may lose them: a gap closes the link with all its members,
//! which connect again and resume.

pub(crate) mod bus;
mod gateway_member;
pub(crate) mod link_batch;
mod link_state;
mod link_table;
mod member_pump;
mod node_link;
pub(crate) mod node_links;
pub(crate) mod node_messages;
mod remote_member;
mod remote_room;
pub(crate) mod remote_seek;
mod remote_seeker;
