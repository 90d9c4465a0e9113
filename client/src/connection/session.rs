//! The task of a connection: connects, carries messages both ways, and reconnects.
//!
//! Every wait also watches the consumer. The task stops reading while the event queue is full, and ends when the
//! consumer has dropped its handle.

use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode, Request, RequestBody};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::backoff;
use super::event::{ConnectionEvent, DisconnectReason, TerminationReason};
use super::open::{OpenConnection, handshake, is_retryable};
use super::options::{ConnectionOptions, RetryPolicy};
use super::resume::ResumeState;
use super::rng::ClientRng;
use super::socket::{ClientSocket, ConnectError, Connector, IncomingFrame, SocketError};

/// Timeout for the responses to hello and resume requests.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Minimum duration of a connection that resets the count of attempts.
const MIN_STABLE_DURATION: Duration = Duration::from_secs(10);
/// Number of malformed messages that ends the connection. A stable connection resets the count.
const MAX_MALFORMED_MESSAGES: u32 = 3;

/// Runs a connection until it ends or the consumer drops its handle.
pub(super) async fn run<D: Connector>(
    mut options: ConnectionOptions,
    connector: D,
    mut rng: ClientRng,
    events: mpsc::Sender<ConnectionEvent>,
    requests: mpsc::Receiver<Request>,
) {
    // The same key on every attempt identifies this client to the server.
    options.hello.party.get_or_insert_with(|| rng.new_party());
    let task = ConnectionTask {
        options,
        connector,
        events,
        requests,
        resume_state: ResumeState::default(),
        // A separate random base keeps the ids of this task's own requests apart from the consumer's request ids.
        next_id: rng.request_id_base(),
        rng,
        restart_delay: None,
    };
    task.run().await;
}

/// State that outlives a socket.
struct ConnectionTask<D> {
    options: ConnectionOptions,
    connector: D,
    rng: ClientRng,
    events: mpsc::Sender<ConnectionEvent>,
    requests: mpsc::Receiver<Request>,
    resume_state: ResumeState,
    next_id: u64,
    /// Delay that the server announced before its restart.
    restart_delay: Option<Duration>,
}

/// Returned when the consumer has dropped its handle.
struct HandleDropped;

/// Duration and attempts of the current outage.
struct OutageTimer {
    /// Time of the end of the last connection.
    since: Instant,
    /// Number of attempts since the last stable connection.
    attempts: u32,
    malformed_messages: u32,
}

impl<D: Connector> ConnectionTask<D> {
    async fn run(mut self) {
        match self.run_until_terminated().await {
            Ok(ended) => {
                tracing::debug!(%ended, "connection ended");
                if self
                    .events
                    .send(ConnectionEvent::Terminated(ended))
                    .await
                    .is_err()
                {
                    tracing::debug!("connection handle dropped before the last event");
                }
            }
            Err(HandleDropped) => tracing::debug!("connection handle dropped"),
        }
    }

    async fn run_until_terminated(&mut self) -> Result<TerminationReason, HandleDropped> {
        let mut outage = OutageTimer {
            since: Instant::now(),
            attempts: 0,
            malformed_messages: 0,
        };
        let mut was_welcomed = false;
        // The first attempt is also the last, unless the server that answers it is about to restart.
        let mut may_retry = false;
        loop {
            outage.attempts += 1;
            self.send_event(ConnectionEvent::Connecting {
                attempt: outage.attempts,
            })
            .await?;
            let (error, welcomed_at) = self.connect_and_serve().await?;
            let reason = match error {
                SocketError::Terminated(reason) => return Ok(reason),
                SocketError::Disconnected(reason) => reason,
            };
            let now = Instant::now();
            if let Some(at) = welcomed_at {
                outage.since = now;
                if !was_welcomed || now - at >= MIN_STABLE_DURATION {
                    outage = OutageTimer {
                        since: now,
                        attempts: 0,
                        malformed_messages: 0,
                    };
                }
                was_welcomed = true;
            }
            may_retry |= was_welcomed || reason == DisconnectReason::Restarting;
            if !may_retry {
                let http = if let DisconnectReason::Http(status) = reason {
                    Some(status)
                } else {
                    None
                };
                return Ok(http.map_or_else(
                    || TerminationReason::CannotConnect(reason),
                    TerminationReason::Http,
                ));
            }
            for id in self.resume_state.on_disconnect() {
                self.send_event(ConnectionEvent::RequestLost(id)).await?;
            }
            outage.malformed_messages += u32::from(reason == DisconnectReason::Garbled);
            let Some(retry_delay) = self.next_retry_delay(&outage, &reason, now) else {
                return Ok(TerminationReason::GaveUp(reason));
            };
            tracing::debug!(why = %reason, retry_in = ?retry_delay, "connection lost");
            self.send_event(ConnectionEvent::Disconnected {
                attempt: outage.attempts + 1,
                retry_in: retry_delay,
                reason,
            })
            .await?;
            tokio::select! {
                biased;
                () = self.events.closed() => return Err(HandleDropped),
                () = sleep_until(now + retry_delay) => {}
            }
        }
    }

    /// Returns the delay before the next attempt; `None` if no further attempt is allowed.
    fn next_retry_delay(
        &mut self,
        outage: &OutageTimer,
        reason: &DisconnectReason,
        now: Instant,
    ) -> Option<Duration> {
        let RetryPolicy::For(retry_timeout) = self.options.retry else {
            return None;
        };
        if outage.malformed_messages >= MAX_MALFORMED_MESSAGES {
            return None;
        }
        let requested_delay = if let DisconnectReason::NotReady(reject) = reason {
            reject.wait_ms.map(Duration::from_millis)
        } else {
            self.restart_delay.take()
        };
        let retry_delay = match requested_delay {
            Some(requested) => backoff::requested_delay(requested, self.rng.random_unit()),
            None => backoff::delay(outage.attempts + 1, self.rng.random_unit()),
        };
        (now - outage.since + retry_delay <= retry_timeout).then_some(retry_delay)
    }

    /// Runs one connection. Returns the reason for its end, and the time of the welcome if there was one.
    async fn connect_and_serve(&mut self) -> Result<(SocketError, Option<Instant>), HandleDropped> {
        let opened = tokio::select! {
            biased;
            () = self.events.closed() => return Err(HandleDropped),
            opened = ClientSocket::open(&mut self.connector, &self.options.url) => opened,
        };
        let mut socket = match opened {
            Ok(socket) => socket,
            Err(ConnectError::Disconnected(reason)) => return Ok((reason.into(), None)),
            Err(ConnectError::Http(status @ (408 | 425 | 429 | 500..))) => {
                return Ok((DisconnectReason::Http(status).into(), None));
            }
            Err(ConnectError::Http(status)) => {
                return Ok((
                    SocketError::Terminated(TerminationReason::Http(status)),
                    None,
                ));
            }
            Err(ConnectError::NotNoughts) => {
                return Ok((SocketError::Terminated(TerminationReason::NotNoughts), None));
            }
        };
        let handshake_result = tokio::select! {
            biased;
            () = self.events.closed() => return Err(HandleDropped),
            result = timeout(RESPONSE_TIMEOUT, handshake(&mut socket, &self.options, request_id(self.next_id))) => result,
        };
        self.next_id = self.next_id.wrapping_add(1);
        let welcome = match handshake_result.unwrap_or(Err(DisconnectReason::Timeout.into())) {
            Ok(welcome) => welcome,
            Err(error) => {
                socket.close().await;
                return Ok((error, None));
            }
        };
        let now = Instant::now();
        let mut connection = OpenConnection::new(socket, welcome, now);
        let error = match self.send_resume_request(&mut connection).await {
            Ok(()) => self.serve(&mut connection).await,
            Err(reason) => reason.into(),
        };
        if error.is_orderly() {
            connection.socket.close().await;
        }
        // The consumer receives all messages before the event that reports the end.
        for event in connection.undelivered_events {
            self.send_event(event).await?;
        }
        Ok((error, Some(now)))
    }

    /// Requests the seat or the watched room of the previous connection, if any.
    async fn send_resume_request(
        &mut self,
        connection: &mut OpenConnection<D::Stream>,
    ) -> Result<(), DisconnectReason> {
        let Some(resume_request) = self.resume_state.resume_request() else {
            return Ok(());
        };
        // This client knows its seat, and its own state is newer than the welcome.
        connection.existing_seat = None;
        let request = Request {
            id: request_id(self.next_id),
            body: RequestBody::Session(resume_request),
        };
        self.next_id = self.next_id.wrapping_add(1);
        connection.pending_resume = Some((request.id, Instant::now() + RESPONSE_TIMEOUT));
        connection.send(&request).await
    }

    /// Carries messages both ways until the connection ends.
    async fn serve(&mut self, connection: &mut OpenConnection<D::Stream>) -> SocketError {
        let consumer = self.events.clone();
        loop {
            let now = Instant::now();
            let ready_at = connection.rate_limit.ready_at();
            // Other requests wait until the resume request is answered.
            let may_send = connection.pending_resume.is_none() && ready_at <= now;
            let deadline = match connection.pending_resume {
                Some((_, by)) => by,
                None => connection.last_received_at + connection.silence_timeout,
            };
            let is_drained = connection.undelivered_events.is_empty();
            tokio::select! {
                biased;
                () = std::future::ready(()), if may_send && !connection.retransmissions.is_empty() => {
                    if let Some(request) = connection.retransmissions.pop_front()
                        && let Err(reason) = connection.send(&request).await
                    {
                        return reason.into();
                    }
                }
                request = self.requests.recv(), if may_send && (self.resume_state.can_send() || self.requests.is_closed()) => {
                    let Some(request) = request else { return SocketError::Terminated(TerminationReason::Closed) };
                    self.resume_state.on_sent(&request);
                    let request = connection.redirect_to_existing_seat(request);
                    if let Err(reason) = connection.send(&request).await {
                        return reason.into();
                    }
                }
                permit = consumer.reserve(), if !is_drained => match (permit, connection.undelivered_events.pop_front()) {
                    (Ok(permit), Some(event)) => permit.send(event),
                    // The handle is dropped: the remaining requests are sent, and events are discarded.
                    (Err(_), _) | (Ok(_), None) => connection.undelivered_events.clear(),
                },
                frame = connection.socket.next(), if is_drained => {
                    connection.last_received_at = Instant::now();
                    let error = match frame {
                        Ok(IncomingFrame::Text(text)) => self.on_message(connection, &text).err(),
                        Ok(IncomingFrame::Ping) => None,
                        Ok(IncomingFrame::Close(code)) => Some(self.classify_close_code(code)),
                        Err(reason) => Some(self.classify_disconnect(reason)),
                    };
                    if let Some(error) = error {
                        return error;
                    }
                }
                () = sleep_until(ready_at), if ready_at > now => {}
                () = sleep_until(deadline), if is_drained => {
                    return if connection.pending_resume.is_some() { DisconnectReason::Timeout.into() } else { DisconnectReason::Silent.into() };
                }
            }
        }
    }

    /// Updates the resume state from a message and forwards the message.
    fn on_message(
        &mut self,
        connection: &mut OpenConnection<D::Stream>,
        text: &str,
    ) -> Result<(), SocketError> {
        let message = Message::parse(text).map_err(|error| {
            tracing::warn!(%error, bytes = text.len(), "cannot parse server message");
            SocketError::Disconnected(DisconnectReason::Garbled)
        })?;
        if let Message::Reject {
            re,
            reject:
                Reject {
                    code: RejectCode::UnknownRoom,
                    ..
                },
        } = &message
            && let Some(request) = connection
                .replaced_request
                .take_if(|request| Some(request.id) == *re)
        {
            // The existing seat has expired. Only this task asked for it, so the original request is sent instead.
            connection.retransmissions.push_back(request);
            return Ok(());
        }
        self.resume_state.on_message(&message);
        let mut lost_requests = Vec::new();
        match (&message, connection.pending_resume) {
            (
                Message::Events { re: Some(re), .. } | Message::Snapshot { re: Some(re), .. },
                Some((id, _)),
            ) if *re == id => {
                connection.pending_resume = None;
                connection.retransmissions = self.resume_state.retransmissions();
            }
            (
                Message::Reject {
                    re: Some(re),
                    reject,
                },
                Some((id, _)),
            ) if *re == id => {
                if is_retryable(reject) {
                    return Err(DisconnectReason::NotReady(reject.clone()).into());
                }
                connection.pending_resume = None;
                lost_requests = self.resume_state.forget_room();
            }
            (Message::Restarting { retry_after_ms }, _) => {
                self.restart_delay = Some(Duration::from_millis(*retry_after_ms));
            }
            _ => {}
        }
        connection
            .undelivered_events
            .push_back(ConnectionEvent::Message(message));
        connection
            .undelivered_events
            .extend(lost_requests.into_iter().map(ConnectionEvent::RequestLost));
        Ok(())
    }

    /// Maps a close code to a loss or an end.
    fn classify_close_code(&self, code: Option<u16>) -> SocketError {
        match (code.and_then(CloseCode::from_code), code) {
            (Some(CloseCode::Restarting), _) => DisconnectReason::Restarting.into(),
            (Some(CloseCode::Replaced), _) => SocketError::Terminated(TerminationReason::Replaced),
            (Some(CloseCode::Version), _) => SocketError::Terminated(TerminationReason::Rejected(
                Reject::new(RejectCode::Version),
            )),
            (Some(known), _) if !known.can_resume() => {
                SocketError::Terminated(TerminationReason::Final(known))
            }
            // Unknown codes from 4000 to 4099 forbid a retry.
            (None, Some(4000..=4099)) => {
                SocketError::Terminated(TerminationReason::GaveUp(DisconnectReason::Closed(code)))
            }
            (Some(_) | None, _) => self.classify_disconnect(DisconnectReason::Closed(code)),
        }
    }

    /// Attributes a loss to the restart if the server has announced one.
    fn classify_disconnect(&self, reason: DisconnectReason) -> SocketError {
        if self.restart_delay.is_some() {
            DisconnectReason::Restarting.into()
        } else {
            reason.into()
        }
    }

    async fn send_event(&mut self, event: ConnectionEvent) -> Result<(), HandleDropped> {
        self.events.send(event).await.map_err(|_| HandleDropped)
    }
}

/// Creates a request id from a number. Bits beyond the range of an id are dropped.
pub(super) fn request_id(number: u64) -> RequestId {
    RequestId::new(number & RequestId::MAX).expect("masked to the range")
}
