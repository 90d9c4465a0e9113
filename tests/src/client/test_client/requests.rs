//! Requests to the lobby and to a room.

use std::sync::atomic::{AtomicU64, Ordering};

use noughts_protocol::wire::{
    Message, Reject, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Offer, Outcome, Phase, RoomRef, Seat, Seq};

use super::{ClientResult, SeatInfo, TestClient};
use crate::client::game_setup;
use crate::wait::wait_until;

impl TestClient {
    /// Requests a pairing; a snapshot follows.
    pub async fn seek(&mut self, rules: &str, clock: Option<&str>, seat: Option<Seat>) {
        let response = self
            .request(game_setup::seek_request(rules, clock, seat))
            .await;
        assert!(matches!(response, Ok(Message::Done { .. })), "{response:?}");
    }

    /// Creates a room; returns the reference that another client needs to join it.
    pub async fn create(
        &mut self,
        rules: &str,
        clock: Option<&str>,
        seat: Option<Seat>,
        public: bool,
    ) -> RoomRef {
        let response = self
            .request(game_setup::create_request(rules, clock, seat, public))
            .await;
        self.created_room(response)
    }

    /// Creates a private room like [`TestClient::create`]. Repeats the request while it is rejected with `unavailable`,
    /// like a real client: the nodes of a cluster may be slow on a busy machine.
    pub async fn create_when_available(&mut self, rules: &str, clock: Option<&str>) -> RoomRef {
        let response = wait_until("a room", async || {
            let request = game_setup::create_request(rules, clock, None, false);
            match self.request(request).await {
                Err(reject) if reject.code == RejectCode::Unavailable => None,
                response => Some(response),
            }
        })
        .await;
        self.created_room(response)
    }

    fn created_room(&self, response: Result<Message, Reject>) -> RoomRef {
        assert!(
            matches!(response, Ok(Message::Snapshot { .. })),
            "{response:?}"
        );
        let seat_info = self.seat_info();
        seat_info
            .role
            .code
            .map_or(RoomRef::Id(seat_info.id), RoomRef::Code)
    }

    /// Takes the free seat of a room.
    pub async fn join(&mut self, room: RoomRef) -> ClientResult<Message> {
        self.request(RequestBody::Session(SessionRequest::Join { room }))
            .await
    }

    /// Watches a room.
    pub async fn watch(&mut self, room: RoomRef) -> ClientResult<Message> {
        self.request(RequestBody::Session(SessionRequest::Watch {
            room,
            remarks: false,
        }))
        .await
    }

    /// Resumes a seat on this connection, from the event number `seq` if given.
    pub async fn resume(
        &mut self,
        seat_info: &SeatInfo,
        seq: Option<Seq>,
    ) -> ClientResult<Message> {
        // The client that held this seat before has used request ids, and the new ids must differ from them.
        static NEXT_ID_BLOCK: AtomicU64 = AtomicU64::new(1);
        self.next_id = self
            .next_id
            .max(NEXT_ID_BLOCK.fetch_add(1, Ordering::Relaxed) * 10_000);
        self.room = Some(seat_info.clone());
        let token = seat_info.role.token.expect("a player");
        self.request(RequestBody::Session(SessionRequest::Resume {
            room: seat_info.id,
            token: Some(token),
            seq,
        }))
        .await
    }

    /// Sends a command to the room.
    pub async fn send_command(&mut self, command: RoomCommand) -> ClientResult<Message> {
        self.request(RequestBody::Command(command)).await
    }

    /// Plays a cell at the current event number.
    pub async fn play(&mut self, cell: u16) -> ClientResult<Message> {
        let seq = self.game().seq();
        self.send_command(RoomCommand::Move {
            cell: Cell::new(cell),
            seq,
        })
        .await
    }

    /// Plays the first legal move until the game is over.
    pub async fn play_to_end(&mut self) -> Outcome {
        while self.game().phase() == Phase::Playing {
            let position = self.game().position();
            if position.turn() == self.seat() {
                let cell = position.legal_nth(0).expect("the game is not over");
                self.play(cell.index() as u16)
                    .await
                    .expect("the move is legal");
            } else {
                let next = self.game().seq().next();
                self.wait_until_seq(next).await;
            }
        }
        self.game().outcome().expect("the game is over").clone()
    }

    /// Sends an offer.
    pub async fn offer(&mut self, offer: Offer) -> ClientResult<Message> {
        self.send_command(RoomCommand::Offer { offer }).await
    }
}
