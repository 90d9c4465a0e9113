//! Client of Colyseus: seats are reserved over HTTP, messages are binary. It reads only the
//! number of moves from patches of the room's state.

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::RematchStep;
use crate::websocket::{Framing, LeanSocket};

const JOIN: u8 = 10;
const LEAVE: u8 = 12;
const DATA: u8 = 13;
const STATE: u8 = 14;
const PATCH: u8 = 15;

/// The byte before the new number of moves in a patch: the operation that replaces the second field.
const MOVES: u8 = 0x80 | 1;

/// MessagePack types: text of up to 31 bytes, map of one entry.
const TEXT: u8 = 0xa0;
const MAP_OF_ONE: u8 = 0x81;

/// Reserved seat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reservation {
    process_id: String,
    room_id: String,
    session_id: String,
}

#[derive(Debug)]
pub(crate) struct ColyseusPlayer {
    socket: LeanSocket,
    index: usize,
    /// Number of moves in the game.
    moves: u8,
}

impl ColyseusPlayer {
    /// Joins a room of this kind. The first of two players has X.
    pub(super) async fn join(
        address: SocketAddr,
        room: &str,
        index: usize,
    ) -> anyhow::Result<ColyseusPlayer> {
        let reservation = reserve_seat(address, room).await?;
        let path = format!(
            "/{}/{}?sessionId={}",
            reservation.process_id, reservation.room_id, reservation.session_id
        );
        let socket = LeanSocket::open(address, Framing::WebSocket, &path).await?;
        let mut player = ColyseusPlayer {
            socket,
            index,
            moves: 0,
        };
        player.expect(JOIN).await?;
        player.socket.send_bytes(&[JOIN]).await?;
        Ok(player)
    }

    pub(super) async fn wait_for_game(&mut self) -> anyhow::Result<bool> {
        self.expect(STATE).await?;
        Ok(self.index == 0)
    }

    pub(super) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        let mut message = encode_message("move");
        message.push(MAP_OF_ONE);
        push_text("cell", &mut message);
        message.push(u8::try_from(cell)?);
        self.socket.send_bytes(&message).await
    }

    pub(super) async fn receive_move(&mut self) -> anyhow::Result<u64> {
        self.wait_for_move_count(self.moves + 1).await?;
        Ok(self.moves.into())
    }

    /// Waits until the game has this many moves. Before that, the server may send the initial state once more.
    async fn wait_for_move_count(&mut self, moves: u8) -> anyhow::Result<()> {
        loop {
            let bytes = self.socket.receive_bytes().await?;
            ensure!(bytes.first() == Some(&PATCH), "expected a patch: {bytes:?}");
            if bytes.windows(2).any(|pair| pair == [MOVES, moves]) {
                self.moves = moves;
                return Ok(());
            }
        }
    }

    pub(super) async fn request_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match step {
            RematchStep::Offer => Ok(()),
            RematchStep::Accept => self.socket.send_bytes(&encode_message("again")).await,
        }
    }

    pub(super) async fn wait_for_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match step {
            RematchStep::Offer => Ok(()),
            RematchStep::Accept => self.wait_for_move_count(0).await,
        }
    }

    pub(super) async fn leave(&mut self) -> anyhow::Result<()> {
        self.socket.send_bytes(&[LEAVE]).await
    }

    async fn expect(&mut self, kind: u8) -> anyhow::Result<()> {
        let bytes = self.socket.receive_bytes().await?;
        ensure!(
            bytes.first() == Some(&kind),
            "{bytes:?} came, and no {kind}"
        );
        Ok(())
    }
}

/// Encodes the head of a message of this type.
fn encode_message(kind: &str) -> Vec<u8> {
    let mut bytes = vec![DATA];
    push_text(kind, &mut bytes);
    bytes
}

fn push_text(text: &str, into: &mut Vec<u8>) {
    into.push(TEXT | u8::try_from(text.len()).expect("a word of the line"));
    into.extend(text.as_bytes());
}

/// Reserves a seat over an HTTP connection.
async fn reserve_seat(address: SocketAddr, room: &str) -> anyhow::Result<Reservation> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "POST /matchmake/joinOrCreate/{room} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    let response = String::from_utf8(response)?;
    // The body contains one object, with or without chunked encoding.
    let object = response
        .find('{')
        .zip(response.rfind('}'))
        .map(|(start, end)| &response[start..=end]);
    let object = object.with_context(|| format!("no seat reservation in {response:?}"))?;
    serde_json::from_str(object).with_context(|| response.clone())
}
