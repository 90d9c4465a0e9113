//! What people ask of the lobby and of a room, in their words.

use std::sync::atomic::{AtomicU64, Ordering};

use noughts_protocol::wire::{Body, Command, Lobby, Message};
use noughts_protocol::{Cell, Offer, RoomRef, Seat, Seq};

use super::{Answer, Peer, Place};
use crate::table;

impl Peer {
    /// Waits for a partner; [`Peer::snapshot`] follows.
    pub async fn seek(&mut self, rules: &str, clock: Option<&str>, seat: Option<Seat>) {
        let answer = self.ask(table::seek(rules, clock, seat)).await;
        assert!(matches!(answer, Ok(Message::Done { .. })), "{answer:?}");
    }

    /// Opens a room and returns what a friend needs to come in.
    pub async fn create(
        &mut self,
        rules: &str,
        clock: Option<&str>,
        seat: Option<Seat>,
        public: bool,
    ) -> RoomRef {
        let answer = self.ask(table::create(rules, clock, seat, public)).await;
        assert!(matches!(answer, Ok(Message::Snapshot { .. })), "{answer:?}");
        let place = self.place();
        place.you.code.map_or(RoomRef::Id(place.id), RoomRef::Code)
    }

    /// Takes the free seat of a room.
    pub async fn join(&mut self, room: RoomRef) -> Answer<Message> {
        self.ask(Body::Lobby(Lobby::Join { room })).await
    }

    /// Watches a room.
    pub async fn watch(&mut self, room: RoomRef) -> Answer<Message> {
        self.ask(Body::Lobby(Lobby::Watch { room, remarks: false })).await
    }

    /// Takes its seat again on this line, as `place` knows it.
    pub async fn resume(&mut self, place: &Place, seq: Option<Seq>) -> Answer<Message> {
        // Another client has numbered requests for this seat: these must be new ones.
        static RESUMED: AtomicU64 = AtomicU64::new(1);
        self.next_id = self.next_id.max(RESUMED.fetch_add(1, Ordering::Relaxed) * 10_000);
        self.room = Some(place.clone());
        let token = place.you.token.expect("a player");
        self.ask(Body::Lobby(Lobby::Resume { room: place.id, token, seq })).await
    }

    /// Asks something of its room.
    pub async fn command(&mut self, command: Command) -> Answer<Message> {
        self.ask(Body::Command(command)).await
    }

    /// Marks a cell, against the board as it knows it.
    pub async fn play(&mut self, cell: u16) -> Answer<Message> {
        let seq = self.game().seq();
        self.command(Command::Move { cell: Cell::new(cell), seq }).await
    }

    /// Proposes something.
    pub async fn offer(&mut self, offer: Offer) -> Answer<Message> {
        self.command(Command::Offer { offer }).await
    }
}
