//! An open connection: the greeting that makes it one, and what is kept as long as it lasts.

use std::collections::VecDeque;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{
    CloseCode, LobbyRequest, Message, Reject, RejectCode, Request, RequestBody, SeatGrant,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::rate_limit::SendRateLimit;
use super::socket::{ClientSocket, IncomingFrame, SocketError};
use super::{ConnectionEvent, ConnectionOptions, DisconnectReason, TerminationReason, Welcome, request_id};

/// Beyond the two pings that may be missed.
const SILENCE_SLACK: Duration = Duration::from_secs(5);
/// Whatever the server says: a dead line is not to go unnoticed for longer than two of these.
const MAX_PING_INTERVAL_MS: u64 = 600_000;

/// An open connection that has been welcomed.
pub(super) struct OpenConnection<S> {
    pub(super) socket: ClientSocket<S>,
    pub(super) rate_limit: SendRateLimit,
    pub(super) last_received_at: Instant,
    /// After so long without a sign of life the line is dead.
    pub(super) silence_timeout: Duration,
    /// The request to be there again, and when its answer is overdue.
    pub(super) pending_resume: Option<(RequestId, Instant)>,
    /// Requests of before the cut, to be sent again first.
    pub(super) retransmissions: VecDeque<Request>,
    /// A seat that the server gave this client while it could not hear so.
    pub(super) existing_seat: Option<SeatGrant>,
    /// The request in whose place the seat is asked for, under its number.
    pub(super) replaced_request: Option<Request>,
    /// News that the consumer has no room for yet. Nothing is read meanwhile, so these are few.
    pub(super) undelivered_events: VecDeque<ConnectionEvent>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> OpenConnection<S> {
    /// The line of a socket whose server has just said this.
    pub(super) fn new(
        socket: ClientSocket<S>,
        (welcome, existing_seat): (Welcome, Option<SeatGrant>),
        now: Instant,
    ) -> OpenConnection<S> {
        OpenConnection {
            socket,
            rate_limit: SendRateLimit::new(&welcome.limits, now),
            silence_timeout: Duration::from_millis(welcome.limits.ping_ms.min(MAX_PING_INTERVAL_MS)) * 2
                + SILENCE_SLACK,
            last_received_at: now,
            pending_resume: None,
            retransmissions: VecDeque::new(),
            existing_seat: existing_seat,
            replaced_request: None,
            undelivered_events: VecDeque::from([ConnectionEvent::Connected { welcome }]),
        }
    }

    /// What to send for a request. Who asks for a game and has a seat in one asks again for what was done
    /// when the answer was lost: that seat is its answer.
    pub(super) fn redirect_to_existing_seat(&mut self, request: Request) -> Request {
        let wants_seat = matches!(
            request.body,
            RequestBody::Lobby(
                LobbyRequest::Seek { .. } | LobbyRequest::Create { .. } | LobbyRequest::Join { .. }
            )
        );
        let Some(SeatGrant { room, token }) = self.existing_seat.take_if(|_| wants_seat) else {
            return request;
        };
        let body = RequestBody::Lobby(LobbyRequest::Resume { room, token, seq: None });
        let resume = Request { id: request.id, body };
        self.replaced_request = Some(request);
        resume
    }

    /// Sends a request, whatever the pace says.
    pub(super) async fn send(&mut self, request: &Request) -> Result<(), DisconnectReason> {
        self.rate_limit.record_sent(Instant::now());
        self.socket.send(request.to_json()).await
    }
}

/// Says hello and waits for the welcome.
pub(super) async fn handshake<S>(
    socket: &mut ClientSocket<S>,
    options: &ConnectionOptions,
    id: u64,
) -> Result<(Welcome, Option<SeatGrant>), SocketError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let id = request_id(id);
    socket.send(Request::hello(id, options.hello.clone()).to_json()).await?;
    loop {
        match socket.next().await? {
            IncomingFrame::Ping => {}
            IncomingFrame::Close(Some(code)) if CloseCode::from_code(code) == Some(CloseCode::Version) => {
                return Err(SocketError::Terminated(TerminationReason::Refused(Reject::new(
                    RejectCode::Version,
                ))));
            }
            IncomingFrame::Close(Some(1012)) => return Err(DisconnectReason::Restarting.into()),
            IncomingFrame::Close(code) => return Err(DisconnectReason::Closed(code).into()),
            IncomingFrame::Text(text) => match Message::parse(&text) {
                Ok(Message::Welcome { version, server, name, limits, held, .. }) => {
                    return Ok((Welcome { version, server, name, limits }, held));
                }
                Ok(Message::Reject { reject, .. }) if is_retryable(&reject) => {
                    return Err(DisconnectReason::NotReady(reject).into());
                }
                Ok(Message::Reject { reject, .. }) => {
                    return Err(SocketError::Terminated(TerminationReason::Refused(reject)));
                }
                Ok(Message::Restarting { .. }) => return Err(DisconnectReason::Restarting.into()),
                Ok(_) | Err(_) => return Err(SocketError::Terminated(TerminationReason::NotNoughts)),
            },
        }
    }
}

/// Whether the same may be asked again a little later.
pub(super) fn is_retryable(reject: &Reject) -> bool {
    matches!(
        reject.code,
        RejectCode::Busy
            | RejectCode::Unavailable
            | RejectCode::Draining
            | RejectCode::RateLimited
            | RejectCode::ServerFull
    )
}
