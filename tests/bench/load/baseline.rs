//! Baseline servers: minimal servers for 3×3 games, on the same libraries as the product and on bare TCP. Each
//! pair has one task, an array as its board, and one text for both players.
//!
//! They understand only the messages of the generator, in the product's protocol, so that all
//! servers transfer the same bytes.

use std::net::SocketAddr;

use anyhow::{Context, bail, ensure};
use futures::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::{Message as Frame, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config};

use crate::websocket::Framing;

/// Serves until it is killed; prints the address as its first line.
pub(crate) async fn serve(framing: Framing) -> anyhow::Result<()> {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    println!("{}", listener.local_addr()?);
    let (lobby_sender, mut lobby_receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        while let Some(first) = lobby_receiver.recv().await {
            let Some(second) = lobby_receiver.recv().await else {
                return;
            };
            tokio::spawn(log_errors(BaselineGame::new([first, second]).play()));
        }
    });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(log_errors(handle_connection(
            stream,
            framing,
            lobby_sender.clone(),
        )));
    }
}

/// Logs the errors of a pair. A broken connection ends its pair, because the baseline servers cannot resume.
async fn log_errors(task: impl Future<Output = anyhow::Result<()>>) {
    if let Err(error) = task.await {
        eprintln!("{error:#}");
    }
}

async fn handle_connection(
    stream: TcpStream,
    framing: Framing,
    lobby_sender: mpsc::Sender<BaselineSocket>,
) -> anyhow::Result<()> {
    let mut socket = BaselineSocket::open(stream, framing).await?;
    while let Some(request) = socket.read().await? {
        let re = request.id;
        match request.kind {
            BaselineRequestKind::Hello => {
                socket
                    .write(&format!(r#"{{"type":"welcome","re":{re}}}"#))
                    .await?;
            }
            BaselineRequestKind::Seek => {
                socket
                    .write(&format!(r#"{{"type":"done","re":{re}}}"#))
                    .await?;
                return lobby_sender
                    .send(socket)
                    .await
                    .context("no opponent was paired");
            }
            BaselineRequestKind::Move
            | BaselineRequestKind::Offer
            | BaselineRequestKind::Accept
            | BaselineRequestKind::Leave => bail!("a move before the game"),
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BaselineRequestKind {
    Hello,
    Seek,
    Move,
    Offer,
    Accept,
    Leave,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct BaselineRequest {
    id: u64,
    #[serde(rename = "type")]
    kind: BaselineRequestKind,
    cell: Option<usize>,
    seq: Option<u64>,
}

/// Server side of a connection.
enum BaselineSocket {
    WebSocket(Box<WebSocketStream<TcpStream>>),
    Tcp(TcpStream, Vec<u8>),
}

impl BaselineSocket {
    async fn open(stream: TcpStream, framing: Framing) -> anyhow::Result<BaselineSocket> {
        Ok(match framing {
            Framing::Tcp => BaselineSocket::Tcp(stream, Vec::new()),
            Framing::WebSocket => {
                // The default buffers of the library would double the measured time.
                let config = WebSocketConfig::default()
                    .read_buffer_size(4 * 1024)
                    .write_buffer_size(0);
                BaselineSocket::WebSocket(Box::new(
                    accept_async_with_config(stream, Some(config)).await?,
                ))
            }
        })
    }

    /// Reads the next request; returns `None` when the client has disconnected. Cancel safe.
    async fn read(&mut self) -> anyhow::Result<Option<BaselineRequest>> {
        match self {
            BaselineSocket::WebSocket(socket) => loop {
                match socket.next().await {
                    Some(Ok(Frame::Text(text))) => return Ok(Some(serde_json::from_str(&text)?)),
                    Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                    // The generator disconnects without a close frame.
                    Some(Ok(Frame::Close(_)) | Err(Error::Protocol(_) | Error::Io(_))) | None => {
                        return Ok(None);
                    }
                    Some(Ok(Frame::Binary(_) | Frame::Frame(_))) => bail!("not a text"),
                    Some(Err(error)) => return Err(error.into()),
                }
            },
            BaselineSocket::Tcp(stream, read_buffer) => loop {
                if let Some((length, rest)) = read_buffer.split_first_chunk::<4>() {
                    let length = u32::from_be_bytes(*length) as usize;
                    ensure!(length <= 4 * 1024, "a request of {length} bytes");
                    if let Some(text) = rest.get(..length) {
                        let request = serde_json::from_slice(text)?;
                        read_buffer.drain(..4 + length);
                        return Ok(Some(request));
                    }
                }
                if stream.read_buf(read_buffer).await? == 0 {
                    return Ok(None);
                }
            },
        }
    }

    async fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match self {
            BaselineSocket::WebSocket(socket) => socket.send(Frame::text(text)).await?,
            BaselineSocket::Tcp(stream, _) => {
                let mut frame = Vec::with_capacity(4 + text.len());
                frame.extend(u32::try_from(text.len())?.to_be_bytes());
                frame.extend(text.as_bytes());
                stream.write_all(&frame).await?;
            }
        }
        Ok(())
    }
}

const WINNING_LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

struct BaselineGame {
    sockets: [BaselineSocket; 2],
    board: [Option<usize>; 9],
    moves: usize,
    finished: bool,
    game_number: u64,
    /// Index of the player with X.
    x_player: usize,
    seq: u64,
    room: String,
}

impl BaselineGame {
    fn new(sockets: [BaselineSocket; 2]) -> BaselineGame {
        let room = "aeps5mgc".to_owned();
        BaselineGame {
            sockets,
            board: [None; 9],
            moves: 0,
            finished: false,
            game_number: 1,
            x_player: 0,
            seq: 4,
            room,
        }
    }

    async fn play(mut self) -> anyhow::Result<()> {
        for (socket, seat) in self.sockets.iter_mut().zip(["X", "O"]) {
            let snapshot = format!(
                r#"{{"type":"snapshot","room":"{}","role":{{"seat":"{seat}","token":"2vqxs6rn6e4fpb1drfqd9wb925"}},"state":{{"seq":4}}}}"#,
                self.room
            );
            socket.write(&snapshot).await?;
        }
        loop {
            let [first, second] = &mut self.sockets;
            let (player, request) = tokio::select! {
                request = first.read() => (0, request?),
                request = second.read() => (1, request?),
            };
            let Some(request) = request else {
                return Ok(());
            };
            let events = match request.kind {
                BaselineRequestKind::Move => self.apply_move(player, request)?,
                BaselineRequestKind::Offer => {
                    self.next_event(player, request.id, r#""type":"offered","offer":"rematch""#)
                }
                BaselineRequestKind::Accept => {
                    (self.board, self.moves, self.finished) = ([None; 9], 0, false);
                    self.game_number += 1;
                    self.x_player = 1 - self.x_player;
                    let started = format!(r#""type":"started","game":{}"#, self.game_number);
                    self.next_event(player, request.id, &started)
                }
                BaselineRequestKind::Leave => {
                    self.sockets[player]
                        .write(&format!(r#"{{"type":"done","re":{}}}"#, request.id))
                        .await?;
                    continue;
                }
                BaselineRequestKind::Hello | BaselineRequestKind::Seek => bail!("not in a game"),
            };
            let text = format!(
                r#"{{"type":"events","room":"{}","events":[{events}]}}"#,
                self.room
            );
            for socket in &mut self.sockets {
                socket.write(&text).await?;
            }
        }
    }

    /// Checks and applies a move.
    fn apply_move(&mut self, player: usize, request: BaselineRequest) -> anyhow::Result<String> {
        let cell = request.cell.context("a move names a cell")?;
        ensure!(
            request.seq == Some(self.seq),
            "a move for {:?}, at {}",
            request.seq,
            self.seq
        );
        ensure!(
            !self.finished && player == (self.x_player + self.moves) % 2,
            "not this player's turn"
        );
        ensure!(
            self.board.get(cell) == Some(&None),
            "cell {cell} is not free"
        );
        self.board[cell] = Some(player);
        let seat = ["X", "O"][self.moves % 2];
        self.moves += 1;
        let moved = self.next_event(
            player,
            request.id,
            &format!(r#""type":"moved","seat":"{seat}","cell":{cell}"#),
        );
        let winning_line = WINNING_LINES
            .iter()
            .find(|line| line.iter().all(|cell| self.board[*cell] == Some(player)));
        self.finished = winning_line.is_some() || self.moves == 9;
        if !self.finished {
            return Ok(moved);
        }
        let outcome = match winning_line {
            Some([a, b, c]) => {
                format!(r#""reason":"line","winner":"{seat}","line":{{"cells":[{a},{b},{c}]}}"#)
            }
            None => r#""reason":"full""#.to_owned(),
        };
        let ended = self.next_event(
            player,
            request.id,
            &format!(r#""type":"ended","outcome":{{{outcome}}}"#),
        );
        Ok(format!("{moved},{ended}"))
    }

    /// Encodes the next event, with the request that caused it.
    fn next_event(&mut self, player: usize, id: u64, event: &str) -> String {
        self.seq += 1;
        let seat = ["X", "O"][player ^ self.x_player];
        let (seq, at) = (self.seq, 1_795_256_233_999_u64);
        format!(
            r#"{{"seq":{seq},"at":{at},"by":{{"seat":"{seat}","id":{id}}},"event":{{{event}}}}}"#
        )
    }
}
