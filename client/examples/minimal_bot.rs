//! Minimal bot: plays random legal moves by any rules. Copy this file to start a bot of your own.
//!
//! ```sh
//! cargo run -p noughts --example minimal_bot -- 127.0.0.1:7878 Ann 7x6:4+gravity 3
//! cargo run -p noughts --example minimal_bot -- 127.0.0.1:7878 Bob 7x6:4+gravity 3
//! ```
//!
//! The two bots are paired and play three games against each other. The bot uses only the public protocol
//! (`protocol/README.md`): the crate `noughts-protocol` supplies its messages and folds its events into a [`Game`].
//! To make the bot strong, replace [`choose_move`]. A bot that must survive a lost connection also has to resume its
//! seat; see "Order and guarantees" in `protocol/README.md`.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{
    FeatureSet, Hello, Message, Notice, OwnRole, Presence, Request, RequestBody, RoomCommand,
    SUBPROTOCOL, SessionRequest, VERSION,
};
use noughts_protocol::{
    Cell, Event, EventRecord, Game, Name, Offer, Phase, PlayerKind, Position, RequestId, Rules,
    Seat, Seq,
};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::{WebSocketStream, client_async};

const USAGE: &str = "\
Plays random legal moves on a server against one opponent.

usage: minimal_bot HOST:PORT NAME RULES GAMES

  minimal_bot 127.0.0.1:7878 Ann 7x6:4+gravity 3";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, name, rules, games] = arguments.as_slice() else {
        println!("{USAGE}");
        return if arguments == ["--help"] {
            Ok(())
        } else {
            Err("expected four arguments".into())
        };
    };
    play(address, name.parse()?, rules.parse()?, games.parse()?).await?;
    Ok(())
}

/// Plays `games` games, at least one, against one opponent, then leaves; ends earlier if the opponent leaves. Returns
/// the number of finished games.
///
/// # Errors
/// Returns an error if the connection fails, the server rejects the search for an opponent, or a message is invalid.
pub(crate) async fn play(
    address: &str,
    name: Name,
    rules: Rules,
    games: u32,
) -> Result<u32, Box<dyn Error>> {
    let stream = TcpStream::connect(address).await?;
    // Without this option, the system may delay the small frame of a move.
    stream.set_nodelay(true)?;
    let handshake = ClientRequestBuilder::new(format!("ws://{address}/ws").parse()?)
        .with_sub_protocol(SUBPROTOCOL);
    let (socket, _response) = client_async(handshake, stream).await?;
    let mut bot = MinimalBot {
        socket,
        name,
        rules,
        games_left: games,
        // Request ids must not repeat within a room: count up from a random number below 2^52.
        last_id: random_number() >> 12,
        send_delay: Duration::from_millis(100),
        seat: None,
        moved_at: None,
    };
    let hello = Hello {
        versions: [VERSION; 2],
        name: bot.name.clone(),
        kind: PlayerKind::Bot,
        client: Some("minimal_bot".to_owned()),
        party: None,
        identity_secret: None,
        wants: FeatureSet::default(),
    };
    bot.send(RequestBody::Hello(hello)).await?;
    while let Some(frame) = bot.socket.next().await {
        match frame? {
            Frame::Text(text) => {
                if bot.on_message(Message::parse(&text)?).await? {
                    break;
                }
            }
            Frame::Close(_) => return Err("the server closed the connection".into()),
            // The library answers pings; the server sends no binary frames.
            Frame::Binary(_) | Frame::Ping(_) | Frame::Pong(_) | Frame::Frame(_) => {}
        }
    }
    bot.socket.close(None).await?;
    Ok(games - bot.games_left)
}

struct MinimalBot {
    socket: WebSocketStream<TcpStream>,
    name: Name,
    rules: Rules,
    games_left: u32,
    last_id: u64,
    /// Pause before each request, which keeps the bot below the rate limit of the server.
    send_delay: Duration,
    /// The seat of the bot and the state of its room; `None` before it is paired.
    seat: Option<(Seat, Game)>,
    /// The board of the last sent move, identified by the event that produced the board.
    moved_at: Option<Seq>,
}

impl MinimalBot {
    async fn send(&mut self, body: RequestBody) -> Result<(), Box<dyn Error>> {
        tokio::time::sleep(self.send_delay).await;
        self.last_id += 1;
        let id = RequestId::new(self.last_id).ok_or("request id out of range")?;
        self.socket
            .send(Frame::text(Request { id, body }.to_json()))
            .await?;
        Ok(())
    }

    /// Processes a message. Returns true when the bot is done.
    async fn on_message(&mut self, message: Message) -> Result<bool, Box<dyn Error>> {
        match message {
            Message::Welcome { limits, .. } => {
                self.send_delay = Duration::from_secs(1) / limits.per_second.max(1);
                let seek = SessionRequest::Seek {
                    rules: self.rules,
                    clock: None,
                    seat: None,
                    opponents: None,
                };
                self.send(RequestBody::Session(seek)).await?;
            }
            // The bot has been paired. A snapshot is the complete state of the room.
            Message::Snapshot {
                role: OwnRole {
                    seat: Some(seat), ..
                },
                state,
                ..
            } => {
                self.seat = Some((seat, Game::from_snapshot(&state)?));
            }
            Message::Events { events, .. } => {
                for record in &events {
                    self.on_event(record).await?;
                }
            }
            Message::Reject { reject, .. } => {
                if self.seat.is_none() {
                    return Err(format!("rejected by the server: {reject}").into());
                }
                eprintln!("{}: {reject}", self.name);
                // After any rejection, choose a move for the current board again.
                self.moved_at = None;
            }
            Message::Notice {
                notice:
                    Notice::Presence {
                        presence: Presence::Left,
                        ..
                    },
                ..
            } => {
                return Ok(true);
            }
            // This is the response to `leave`.
            Message::Done { .. } if self.games_left == 0 => return Ok(true),
            Message::Done { .. }
            | Message::Snapshot { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Restarting { .. } => {}
        }
        self.move_if_to_move().await?;
        Ok(false)
    }

    async fn on_event(&mut self, record: &EventRecord) -> Result<(), Box<dyn Error>> {
        let Some((seat, game)) = &mut self.seat else {
            return Ok(());
        };
        let was_playing = game.phase() == Phase::Playing;
        game.apply(record)?;
        match &record.event {
            // A rematch swaps the seats.
            Event::Started { game: number } if *number > 1 => *seat = seat.other(),
            Event::Offered { seat: from, offer } if *from != *seat && was_playing => {
                let decline = RoomCommand::Decline { offer: *offer };
                self.send(RequestBody::Command(decline)).await?;
            }
            Event::Ended { outcome, .. } => {
                println!("{} had {seat}: {outcome}", self.name);
                self.games_left = self.games_left.saturating_sub(1);
                let next = if self.games_left == 0 {
                    RequestBody::Session(SessionRequest::Leave)
                } else {
                    RequestBody::Command(RoomCommand::Offer {
                        offer: Offer::Rematch,
                    })
                };
                self.send(next).await?;
            }
            Event::Started { .. }
            | Event::Offered { .. }
            | Event::Opened { .. }
            | Event::Seated { .. }
            | Event::Moved { .. }
            | Event::Declined { .. }
            | Event::TakenBack { .. }
            | Event::Closed { .. } => {}
        }
        Ok(())
    }

    /// Sends a move if the bot is to move and has not sent one for the current board.
    async fn move_if_to_move(&mut self) -> Result<(), Box<dyn Error>> {
        let Some((seat, game)) = &self.seat else {
            return Ok(());
        };
        let board_seq = game.board_seq();
        if game.phase() != Phase::Playing
            || game.position().turn() != *seat
            || self.moved_at == Some(board_seq)
        {
            return Ok(());
        }
        let Some(cell) = choose_move(game.position()) else {
            return Ok(());
        };
        let command = RoomCommand::Move {
            cell,
            seq: game.seq(),
        };
        self.moved_at = Some(board_seq);
        self.send(RequestBody::Command(command)).await
    }
}

/// Chooses a random legal move; `None` if the game is over.
fn choose_move(position: &Position) -> Option<Cell> {
    let cells: Vec<Cell> = position.legal_moves().collect();
    let index = random_number().checked_rem(cells.len() as u64)?;
    cells.get(index as usize).copied()
}

/// Returns a random number from the seed of the standard hash maps, to avoid a dependency.
fn random_number() -> u64 {
    RandomState::new().hash_one(0)
}
