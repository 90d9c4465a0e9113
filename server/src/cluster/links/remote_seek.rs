//! A seek of a client of this node in the lobby of another one, and the room to which it leads.

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Hello, Request, RequestBody, SessionRequest, VERSION};
use tokio_util::sync::CancellationToken;

use super::link_batch::LinkEntryKind;
use super::remote_room::RemoteRoom;
use super::remote_seeker::NO_ROOM;
use crate::lobby::{PingId, Seeker};
use crate::room::handle::{MemberQueue, RoomInbox};

/// Body of the entry that places a seek.
pub(crate) fn encode_seek(seeker: &Seeker, id: RequestId, request: SessionRequest) -> String {
    let Seeker {
        client,
        player,
        party,
        seat_room_at_hello,
        features,
        ..
    } = seeker;
    let hello = Hello {
        versions: [VERSION; 2],
        name: player.name.clone(),
        kind: player.kind,
        client: None,
        party_key: *party,
        wants: *features,
    };
    let room = seat_room_at_hello.map_or_else(|| NO_ROOM.to_owned(), |room| room.to_string());
    let hello = Request::hello(id, hello).to_json();
    let request = Request {
        id,
        body: RequestBody::Session(request),
    }
    .to_json();
    format!("{}\n{room}\n{hello}\n{request}", client.address())
}

/// A seek in the lobby of another node.
#[derive(Debug)]
pub(crate) struct RemoteSeek {
    pub(super) room: RemoteRoom,
    pub(super) inbox: RoomInbox,
    pub(super) send_queue: MemberQueue,
    /// Cancelled when the membership has ended.
    pub(super) ended: CancellationToken,
}

impl RemoteSeek {
    /// Asks the lobby to take the seek out.
    pub(crate) fn withdraw(&self) {
        self.room.links.send(
            self.room.peer,
            LinkEntryKind::Withdraw,
            self.room.member,
            0,
            "",
        );
    }

    /// The connection has answered a ping of the lobby.
    pub(crate) fn on_pong(&self, PingId(ping): PingId) {
        let number = ping.to_string();
        self.room.links.send(
            self.room.peer,
            LinkEntryKind::Pong,
            self.room.member,
            0,
            &number,
        );
    }

    /// Forwards the requests of the client, which enters a room, until it has left that.
    pub(crate) async fn serve_room(self) {
        if self.send_queue.is_closed() {
            return self.room.links.exit(self.room.peer, self.room.member);
        }
        self.room
            .forward_requests(self.inbox, self.send_queue, self.ended)
            .await;
    }
}
