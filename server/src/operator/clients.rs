//! The connected clients after their hello, for the operator.

use std::collections::HashMap;
use std::sync::Mutex;

use noughts_protocol::Player;
use noughts_protocol::wire::{CloseCode, Message};

use crate::limits::client_prefix::ClientPrefix;
use crate::operator::requests::ClientReport;
use crate::room::handle::{ConnectionId, MemberQueue};
use crate::runtime::sync::lock;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

/// Number of clients that get a message before other tasks of the thread run.
const CLIENTS_PER_TURN: usize = 64;

/// A client that has sent its hello.
#[derive(Debug)]
pub(crate) struct ConnectedClient {
    pub send_queue: MemberQueue,
    pub client_prefix: ClientPrefix,
    pub player: Player,
    /// Server time of the hello.
    pub since: u64,
}

impl ConnectedClient {
    fn report(&self) -> ClientReport {
        ClientReport {
            player: self.player.clone(),
            network: self.client_prefix.to_string(),
            since: self.since,
        }
    }
}

/// The connected clients. A connection adds itself after its hello, and removes itself at its end.
#[derive(Debug, Default)]
pub(crate) struct ConnectedClients(Mutex<HashMap<ConnectionId, ConnectedClient>>);

impl ConnectedClients {
    pub(crate) fn add(&self, connection: ConnectionId, client: ConnectedClient) {
        lock(&self.0).insert(connection, client);
    }

    pub(crate) fn remove(&self, connection: ConnectionId) {
        lock(&self.0).remove(&connection);
    }

    pub(super) fn report(&self, connection: ConnectionId) -> Option<ClientReport> {
        lock(&self.0).get(&connection).map(ConnectedClient::report)
    }

    /// Closes a connection. Returns whether it exists.
    pub(super) fn close(&self, connection: ConnectionId, code: CloseCode) -> bool {
        let clients = lock(&self.0);
        let Some(client) = clients.get(&connection) else {
            return false;
        };
        client.send_queue.close_with(code);
        true
    }

    /// Closes the connections that `is_closed` selects. Returns their number.
    pub(super) fn close_all(
        &self,
        code: CloseCode,
        is_closed: impl Fn(&ConnectedClient) -> bool,
    ) -> u64 {
        let mut closed = 0;
        for client in lock(&self.0).values().filter(|client| is_closed(client)) {
            client.send_queue.close_with(code);
            closed += 1;
        }
        closed
    }

    /// Sends a message to all clients. A client with a full queue misses it. Returns the number of clients that get it.
    pub(super) async fn broadcast(&self, message: &Message) -> u64 {
        let frame = EncodedFrame::from(message);
        // Copies the queues, because a send may write to a socket and must not hold the lock.
        let queues: Vec<MemberQueue> = {
            let clients = lock(&self.0);
            let queues = clients.values().map(|client| client.send_queue.clone());
            queues.collect()
        };
        let mut sent = 0;
        for queues in queues.chunks(CLIENTS_PER_TURN) {
            let reached = queues.iter().filter(|queue| {
                queue.try_send(Outgoing::Text(frame.clone())) == SendOutcome::Queued
            });
            sent += reached.count() as u64;
            tokio::task::yield_now().await;
        }
        sent
    }
}
