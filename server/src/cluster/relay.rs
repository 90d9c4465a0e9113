//! Relays between nodes: any node can serve any client. The node of a client opens a WebSocket to the node of the room
//! or lobby, and relays the requests of the client and the frames for it.
//!
//! ```text
//!  client ── connection ── RoomHandle ── RelayedClient ══ WebSocket ══ RemoteMember ── RoomHandle ── room
//!                │                                                         │
//!            SendQueue ◄═════════════════ frames, as clients get them ═════ SendQueue
//! ```
//!
//! The node of the client opens the WebSocket with a [`relay_message::RelayEntry`]: the address of the client, its
//! hello and its request to enter a room or to seek. Later text messages are requests of the client in one direction
//! and frames for the client in the other direction. Binary messages are [`relay_message::RelayControl`]. A close code
//! other than 1000 belongs to the client's connection.
//!
//! TCP keeps the order and detects losses. A relay ends when it breaks, or when the other node is not live any more.
//! The client then connects again and resumes, and the room sees that the member has disconnected. A client in the
//! lobby stays connected, because its node places the seek again.

pub(crate) mod node_relays;
pub(crate) mod relay_address;
mod relay_message;
mod relay_socket;
mod relay_warnings;
mod relayed_client;
mod remote_member;
pub(crate) mod transport;

pub(crate) use relayed_client::RemoteSeek;
