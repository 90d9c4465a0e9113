//! An open connection: the greeting that makes it one, and what is kept as long as it lasts.

use std::collections::VecDeque;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Body, CloseCode, Held, Lobby, Message, Reject, RejectCode, Request};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::pace::Pace;
use super::socket::{Heard, Lost, Socket};
use super::{Ended, News, Offline, Options, Welcome, request_id};

/// Beyond the two pings that may be missed.
const SILENCE_SLACK: Duration = Duration::from_secs(5);
/// Whatever the server says: a dead line is not to go unnoticed for longer than two of these.
const LONGEST_PING_MS: u64 = 600_000;

/// An open connection that has been welcomed.
pub(super) struct Line<S> {
    pub(super) socket: Socket<S>,
    pub(super) pace: Pace,
    pub(super) heard_at: Instant,
    /// After so long without a sign of life the line is dead.
    pub(super) silence: Duration,
    /// The request to be there again, and when its answer is overdue.
    pub(super) resuming: Option<(RequestId, Instant)>,
    /// Requests of before the cut, to be sent again first.
    pub(super) again: VecDeque<Request>,
    /// A seat that the server gave this client while it could not hear so.
    pub(super) held: Option<Held>,
    /// The request in whose place the seat is asked for, under its number.
    pub(super) displaced: Option<Request>,
    /// News that the consumer has no room for yet. Nothing is read meanwhile, so these are few.
    pub(super) to_tell: VecDeque<News>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Line<S> {
    /// The line of a socket whose server has just said this.
    pub(super) fn new(socket: Socket<S>, (welcome, held): (Welcome, Option<Held>), now: Instant) -> Line<S> {
        Line {
            socket,
            pace: Pace::new(&welcome.limits, now),
            silence: Duration::from_millis(welcome.limits.ping_ms.min(LONGEST_PING_MS)) * 2 + SILENCE_SLACK,
            heard_at: now,
            resuming: None,
            again: VecDeque::new(),
            held,
            displaced: None,
            to_tell: VecDeque::from([News::Online { welcome }]),
        }
    }

    /// What to send for a request. Who asks for a game and has a seat in one asks again for what was done
    /// when the answer was lost: that seat is its answer.
    pub(super) fn in_place_of(&mut self, request: Request) -> Request {
        let for_a_game = matches!(
            request.body,
            Body::Lobby(Lobby::Seek { .. } | Lobby::Create { .. } | Lobby::Join { .. })
        );
        let Some(Held { room, token }) = self.held.take_if(|_| for_a_game) else { return request };
        let body = Body::Lobby(Lobby::Resume { room, token, seq: None });
        let instead = Request { id: request.id, body };
        self.displaced = Some(request);
        instead
    }

    /// Sends a request, whatever the pace says.
    pub(super) async fn send(&mut self, request: &Request) -> Result<(), Offline> {
        self.pace.sent(Instant::now());
        self.socket.send(request.to_json()).await
    }
}

/// Says hello and waits for the welcome.
pub(super) async fn greet<S>(
    socket: &mut Socket<S>,
    options: &Options,
    id: u64,
) -> Result<(Welcome, Option<Held>), Lost>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let id = request_id(id);
    socket.send(Request::hello(id, options.hello.clone()).to_json()).await?;
    loop {
        match socket.next().await? {
            Heard::Ping => {}
            Heard::Close(Some(code)) if CloseCode::from_code(code) == Some(CloseCode::Version) => {
                return Err(Lost::Ended(Ended::Refused(Reject::new(RejectCode::Version))));
            }
            Heard::Close(Some(1012)) => return Err(Offline::Restarting.into()),
            Heard::Close(code) => return Err(Offline::Closed(code).into()),
            Heard::Text(text) => match Message::parse(&text) {
                Ok(Message::Welcome { version, server, name, limits, held, .. }) => {
                    return Ok((Welcome { version, server, name, limits }, held));
                }
                Ok(Message::Reject { reject, .. }) if not_ready(&reject) => {
                    return Err(Offline::NotReady(reject).into());
                }
                Ok(Message::Reject { reject, .. }) => return Err(Lost::Ended(Ended::Refused(reject))),
                Ok(Message::Restarting { .. }) => return Err(Offline::Restarting.into()),
                Ok(_) | Err(_) => return Err(Lost::Ended(Ended::NotNoughts)),
            },
        }
    }
}

/// Whether the same may be asked again a little later.
pub(super) fn not_ready(reject: &Reject) -> bool {
    matches!(
        reject.code,
        RejectCode::Busy
            | RejectCode::Unavailable
            | RejectCode::Draining
            | RejectCode::RateLimited
            | RejectCode::ServerFull
    )
}
