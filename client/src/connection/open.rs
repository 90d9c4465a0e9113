//! A connection after its handshake, and the handshake itself.

use std::collections::VecDeque;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{
    CloseCode, Message, Reject, RejectCode, Request, RequestBody, SeatGrant, SessionRequest,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::event::{ConnectionEvent, DisconnectReason, TerminationReason, Welcome};
use super::options::ConnectionOptions;
use super::rate_limit::SendRateLimit;
use super::socket::{ClientSocket, IncomingFrame, SocketError};

/// Allowance in addition to two ping intervals, before a silent connection counts as lost.
const SILENCE_SLACK: Duration = Duration::from_secs(5);
/// Maximum ping interval that the client accepts from a server. A dead connection is noticed after two intervals.
const MAX_PING_INTERVAL_MS: u64 = 600_000;

pub(super) struct OpenConnection<S> {
    pub(super) socket: ClientSocket<S>,
    pub(super) rate_limit: SendRateLimit,
    pub(super) last_received_at: Instant,
    /// Time without a frame until the connection counts as lost.
    pub(super) silence_timeout: Duration,
    /// Id of the resume request, and the deadline of its response.
    pub(super) pending_resume: Option<(RequestId, Instant)>,
    /// Unacknowledged requests of the previous connection, sent before any new request.
    pub(super) retransmissions: VecDeque<Request>,
    /// A seat that the server has assigned to this client although the response was lost.
    pub(super) existing_seat: Option<SeatGrant>,
    /// The request that was replaced by a resume of `existing_seat`, under the same id.
    pub(super) replaced_request: Option<Request>,
    /// Events that wait for space in the event queue. Nothing is read meanwhile, so there are few.
    pub(super) undelivered_events: VecDeque<ConnectionEvent>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> OpenConnection<S> {
    /// Creates the connection from the server's welcome message.
    pub(super) fn new(
        socket: ClientSocket<S>,
        (welcome, existing_seat): (Welcome, Option<SeatGrant>),
        now: Instant,
    ) -> OpenConnection<S> {
        OpenConnection {
            socket,
            rate_limit: SendRateLimit::new(&welcome.limits, now),
            silence_timeout: Duration::from_millis(
                welcome.limits.ping_ms.min(MAX_PING_INTERVAL_MS),
            ) * 2
                + SILENCE_SLACK,
            last_received_at: now,
            pending_resume: None,
            retransmissions: VecDeque::new(),
            existing_seat,
            replaced_request: None,
            undelivered_events: VecDeque::from([ConnectionEvent::Connected { welcome }]),
        }
    }

    /// Replaces a request for a game with a resume of the existing seat, because the server has executed an earlier
    /// request and the response was lost.
    pub(super) fn redirect_to_existing_seat(&mut self, request: Request) -> Request {
        let wants_seat = matches!(
            request.body,
            RequestBody::Session(
                SessionRequest::Seek { .. }
                    | SessionRequest::AcceptSeek { .. }
                    | SessionRequest::Create { .. }
                    | SessionRequest::Join { .. }
            )
        );
        let Some(SeatGrant { room, token }) = self.existing_seat.take_if(|_| wants_seat) else {
            return request;
        };
        let body = RequestBody::Session(SessionRequest::Resume {
            room,
            token: Some(token),
            seq: None,
        });
        let resume = Request {
            id: request.id,
            body,
        };
        self.replaced_request = Some(request);
        resume
    }

    /// Sends a request; the caller observes the rate limit.
    pub(super) async fn send(&mut self, request: &Request) -> Result<(), DisconnectReason> {
        self.rate_limit.record_sent(Instant::now());
        self.socket.send(request.to_json()).await
    }
}

/// Sends hello and waits for the welcome.
pub(super) async fn handshake<S>(
    socket: &mut ClientSocket<S>,
    options: &ConnectionOptions,
    id: RequestId,
) -> Result<(Welcome, Option<SeatGrant>), SocketError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    socket
        .send(Request::hello(id, options.hello.clone()).to_json())
        .await?;
    loop {
        match socket.next().await? {
            IncomingFrame::Ping => {}
            IncomingFrame::Close(Some(code))
                if CloseCode::from_code(code) == Some(CloseCode::Version) =>
            {
                return Err(SocketError::Terminated(TerminationReason::Rejected(
                    Reject::new(RejectCode::Version),
                )));
            }
            IncomingFrame::Close(Some(1012)) => return Err(DisconnectReason::Restarting.into()),
            // Retries would meet the ban again.
            IncomingFrame::Close(Some(code))
                if CloseCode::from_code(code) == Some(CloseCode::Banned) =>
            {
                let reason = TerminationReason::Final(CloseCode::Banned);
                return Err(SocketError::Terminated(reason));
            }
            IncomingFrame::Close(code) => return Err(DisconnectReason::Closed(code).into()),
            IncomingFrame::Text(text) => match Message::parse(&text) {
                Ok(Message::Welcome {
                    version,
                    server,
                    name,
                    identity,
                    limits,
                    grant,
                    own_rooms,
                    address,
                    ..
                }) => {
                    // An address that this program cannot parse is ignored.
                    let address = address.and_then(|text| text.parse().ok());
                    return Ok((
                        Welcome {
                            version,
                            server,
                            name,
                            identity,
                            own_rooms,
                            limits,
                            address,
                        },
                        grant,
                    ));
                }
                Ok(Message::Reject { reject, .. }) if is_retryable(&reject) => {
                    return Err(DisconnectReason::NotReady(reject).into());
                }
                Ok(Message::Reject { reject, .. }) => {
                    return Err(SocketError::Terminated(TerminationReason::Rejected(reject)));
                }
                Ok(Message::Restarting { .. }) => return Err(DisconnectReason::Restarting.into()),
                Ok(_) | Err(_) => {
                    return Err(SocketError::Terminated(TerminationReason::NotNoughts));
                }
            },
        }
    }
}

/// Returns whether the same request may succeed later.
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
