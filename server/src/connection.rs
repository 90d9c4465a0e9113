//! One task per WebSocket connection: receives requests, checks them, forwards them to lobby and rooms without waiting,
//! and completes the writes that the stream did not take immediately. It makes no decision about games.
//!
//! # States
//!
//! | state | entered by | accepts | next state |
//! |---|---|---|---|
//! | `AwaitingHello` | handshake | `hello` | `InLobby`; close 4000 after the hello timeout |
//! | `InLobby` | `hello`, `LeaveRoom`, `LeaveLobby` | `seek`, `accept_seek`, `create`, `join`, `watch`, `resume`, `list` | `Seeking`, `Creating`, `Joining` |
//! | `Seeking` | `seek` | `cancel`, `list` | `InRoom` when paired (after the pong of a ping); `InLobby` on `cancel` or failure |
//! | `Creating` | `create`, `accept_seek`; in a cluster, an unknown room | `list` | `InRoom`; `InLobby` on failure |
//! | `Joining` | `join`, `watch`, `resume` | `list` | `InRoom`; `InLobby` if the room rejects |
//! | `InRoom` | `EnterRoom` from the room | commands, remarks, `sync`, `leave`, `list` | `Leaving`; `InLobby` if the room closes |
//! | `Leaving` | `leave` | `list` | `InLobby` |
//!
//! The request changes the state immediately; `EnterRoom`, `LeaveRoom` and `LeaveLobby` come back through the [send
//! queue](crate::send_queue) in the order of the messages that explain them. A request that the state does not accept
//! is rejected. `ping` and `lobby` are accepted in every state after the hello. A connection may end in any state; see
//! [`CloseReason`].
//!
//! # Polling by hand
//!
//! - Replaces: an `async fn` with `tokio::select!` over queue, socket, timer and shutdown.
//! - Gain: 5.0 → 3.1 KB per idle connection and 16 386 → 15 561 instructions per move, with the polling of `socket.rs`
//!   (2026-11-22; commands in `tests/results/server.md`, Hand-written mechanisms). State that a future keeps across its
//!   waits lies in memory per connection, out of the cache.
//! - Invariant: [`Connection::poll`] returns `Pending` only after queue, socket and timer have registered the task.
//! - Guarded by: `tests/system/connections` and the simulation.

mod archive_requests;
#[cfg(feature = "echo")]
#[path = "../../tests/bench/autobahn/echo_endpoint.rs"]
pub(crate) mod echo;
mod requests;
mod socket;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Feature, FeatureSet, Message, Reject, RejectCode};
use noughts_protocol::{Party, Player, RequestId, RoomId};
use tokio::task::coop::has_budget_remaining;
use tokio::time::Instant;
use tracing::debug;

use crate::limits::client_prefix::ClientPrefix;
use crate::limits::meters::{ByteBudget, RateLimit, RateLimitDecision, ReplyBudget};
use crate::limits::refusal_log::Refusal;
use crate::lobby::PingId;
use crate::lobby::handle::LobbyMessage;
use crate::room::handle as room;
use crate::room::handle::{ConnectionId, MemberQueue, RoomHandle};
use crate::runtime::context::ServerContext;
use crate::runtime::sync::StopOrDeadline;
use crate::send_queue::{self, ByteStream, EncodedFrame, Outgoing, QueueEvent, SendQueueReceiver};
use socket::{CloseReason, ReceivedFrame, ServerSocket};

/// Work that remains after a frame was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    Handled,
    /// A pong is written and must be flushed.
    PongDue,
    /// Before the reply to this hello, all nodes must be searched for seats of the client.
    SeatSought(RequestId),
}

/// Serves a connection until it ends, and notifies its room or the lobby.
pub(crate) async fn serve<S>(
    stream: S,
    read_buf: Vec<u8>,
    ctx: ServerContext,
    client_prefix: ClientPrefix,
) where
    S: ByteStream + 'static,
{
    let metrics = Arc::clone(&ctx.shared.metrics);
    let _gauge_guard = metrics.connections.enter();
    metrics.accepted.add(1);
    let (send_queue, mut receiver, shared_stream) =
        send_queue::with_stream(stream, ctx.limits.send_queue);
    let hello_deadline = Instant::now() + ctx.limits.hello_timeout;
    let mut connection = Connection {
        socket: ServerSocket::new(
            shared_stream,
            read_buf,
            socket::GAME_SOCKET_LIMITS,
            &ctx.limits,
        ),
        id: ctx.next_connection_id(),
        player: None,
        party: None,
        seat_room_at_hello: None,
        features: FeatureSet::default(),
        state: ConnState::AwaitingHello,
        send_queue,
        rate_limit: RateLimit::new(
            ctx.limits.rate_burst,
            ctx.limits.rate_per_second,
            ctx.shared.time.now(),
        ),
        reply_budget: None,
        malformed_requests: 0,
        bad_keys: 0,
        client_prefix,
        ping_tracker: PingTracker::new(hello_deadline, ctx.shared.time.suspended_total()),
        stop_or_deadline: StopOrDeadline::new(&ctx.shared.draining, hello_deadline),
        ctx,
    };
    let reason = connection.run(&mut receiver).await;
    Box::pin(connection.finish(reason, receiver)).await;
}

struct Connection {
    socket: ServerSocket,
    ctx: ServerContext,
    id: ConnectionId,
    /// The player; `None` before the hello.
    player: Option<Player>,
    /// Key that identifies this client across connections, if it sent one.
    party: Option<Party>,
    /// Room where the party held a seat at the time of the hello.
    seat_room_at_hello: Option<RoomId>,
    /// The features that the client requested and the server has.
    features: FeatureSet,
    state: ConnState,
    send_queue: MemberQueue,
    rate_limit: RateLimit,
    /// Budget of this connection, and of its network. `None` before the first request with a long response.
    reply_budget: Option<Box<(ReplyBudget, ByteBudget)>>,
    malformed_requests: u32,
    /// Number of unknown room ids, codes and tokens since the client last gave a known key.
    bad_keys: u32,
    client_prefix: ClientPrefix,
    ping_tracker: PingTracker,
    /// Completes when the server shuts down, or at the deadline of the hello, of the next ping or of a pong.
    stop_or_deadline: StopOrDeadline,
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(budgets) = &self.reply_budget {
            let (bytes, now) = (
                self.send_queue.take_priced_bytes(),
                self.ctx.shared.time.now(),
            );
            budgets.1.charge(bytes as usize, now);
        }
        if self.player.is_some() {
            self.ctx.clients.remove(self.id);
        }
        if let Some(player) = &self.player
            && !self.features.has(Feature::Second)
        {
            self.ctx
                .shared
                .population
                .connections(player.kind)
                .decrement();
        }
    }
}

/// Step that needs more than one poll, or ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PendingStep {
    /// The stream has not taken all frames.
    PendingWrite,
    /// A pong must be flushed.
    PendingPong,
    /// The seats of the client that sent this hello must be searched for. The search takes a bounded time.
    PendingSeat(RequestId),
    /// The server shuts down.
    Drain,
    /// The connection ends.
    Ended(CloseReason),
}

impl Connection {
    async fn run(&mut self, receiver: &mut SendQueueReceiver<RoomHandle>) -> CloseReason {
        loop {
            let step = poll_fn(|context| self.poll(context, receiver)).await;
            // Boxed, because these futures rarely wait and should take no memory in every connection.
            let result = match step {
                PendingStep::PendingWrite => Box::pin(self.socket.flush_stream()).await,
                PendingStep::PendingPong => Box::pin(self.socket.flush()).await,
                PendingStep::PendingSeat(id) => {
                    Box::pin(self.welcome_from_all_nodes(id)).await;
                    Ok(())
                }
                PendingStep::Drain => Box::pin(self.drain(receiver)).await,
                PendingStep::Ended(end) => Err(end),
            };
            if let Err(reason) = result {
                return reason;
            }
        }
    }

    /// Does all work that needs no waiting. Returns `Ready` with the next step to await, and `Pending` when no work is
    /// left.
    ///
    /// Order: shutdown, send queue, input, timer. The module explains why this is not an `async fn`.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
        receiver: &mut SendQueueReceiver<RoomHandle>,
    ) -> Poll<PendingStep> {
        // One poll of the token per wake-up is enough, because the token keeps the waker of the task. After a change of
        // the deadline, a further poll is needed.
        let mut is_first = true;
        loop {
            let changed = self
                .stop_or_deadline
                .set_deadline(self.ping_tracker.deadline());
            if (std::mem::take(&mut is_first) || changed)
                && self.stop_or_deadline.poll_stop(context).is_ready()
            {
                return Poll::Ready(PendingStep::Drain);
            }
            let result = if let Poll::Ready(next) = receiver.poll_next(context) {
                match next {
                    QueueEvent::Close(code) => Err(CloseReason::ByServer(code)),
                    QueueEvent::Outgoing(outgoing) => {
                        self.handle_outgoing(outgoing);
                        Ok(())
                    }
                    QueueEvent::WritePending => return Poll::Ready(PendingStep::PendingWrite),
                    QueueEvent::Behind => {
                        if let ConnState::InRoom(handle) = &self.state {
                            self.send_queue.request_snapshot();
                            handle.request_sweep();
                        }
                        Ok(())
                    }
                }
            } else if let Poll::Ready(incoming) = self.socket.poll_receive(context) {
                match incoming.and_then(|incoming| self.on_incoming(incoming)) {
                    Ok(ReadOutcome::Handled) => Ok(()),
                    Ok(ReadOutcome::PongDue) => match self.socket.poll_pong(context) {
                        Poll::Ready(sent) => sent,
                        Poll::Pending => return Poll::Ready(PendingStep::PendingPong),
                    },
                    Ok(ReadOutcome::SeatSought(id)) => {
                        return Poll::Ready(PendingStep::PendingSeat(id));
                    }
                    Err(end) => Err(end),
                }
            } else if has_budget_remaining() && self.stop_or_deadline.take_fired() {
                // The timer comes last, and only while tokio's budget allows reading, because a ping must not time out
                // before buffered input is read.
                self.on_timer()
            } else {
                return Poll::Pending;
            };
            if let Err(reason) = result {
                return Poll::Ready(PendingStep::Ended(reason));
            }
        }
    }

    fn handle_outgoing(&mut self, outgoing: Outgoing<RoomHandle>) {
        match outgoing {
            Outgoing::Text(frame) => self.socket.send_frame(&frame),
            Outgoing::EnterRoom(handle) => {
                self.state = ConnState::InRoom(handle);
                // The round-trip time is reported immediately, so that players see it from the start of a game.
                self.report_rtt();
            }
            Outgoing::LeaveRoom | Outgoing::LeaveLobby => self.state = ConnState::InLobby,
            Outgoing::Restart { retry_after_ms } => {
                self.send(&Message::Restarting { retry_after_ms });
                self.send_queue.close_with(CloseCode::Restarting);
            }
            Outgoing::Ping { ping } => self.ping_for_lobby(ping),
        }
    }

    fn send(&mut self, message: &Message) {
        self.socket.send_frame(&EncodedFrame::from(message));
    }

    fn send_reject(&mut self, re: Option<RequestId>, reject: Reject) {
        self.ctx.shared.metrics.count_reject(reject.code);
        self.send(&Message::Reject { re, reject });
    }

    /// Sends the queued messages, and announces a restart of the server. Always returns the reason to close the
    /// connection: an error of the stream, or the restart or the end of the server.
    async fn drain(
        &mut self,
        receiver: &mut SendQueueReceiver<RoomHandle>,
    ) -> Result<(), CloseReason> {
        // The peer gets all messages queued before the notice, and none after it.
        receiver.disable_direct_write();
        loop {
            match receiver.try_next() {
                Some(QueueEvent::Outgoing(out)) => self.handle_outgoing(out),
                Some(QueueEvent::WritePending) => self.socket.flush_stream().await?,
                Some(QueueEvent::Close(_) | QueueEvent::Behind) | None => break,
            }
        }
        if self.ctx.is_final_end() {
            return Err(CloseReason::ByServer(CloseCode::ServerClosed));
        }
        self.send(&Message::Restarting {
            retry_after_ms: self.ctx.retry_after_ms(),
        });
        Err(CloseReason::ByServer(CloseCode::Restarting))
    }

    /// Handles the deadline of the hello, of the next ping or of a pong.
    fn on_timer(&mut self) -> Result<(), CloseReason> {
        if self
            .ping_tracker
            .exclude_gap(self.ctx.shared.time.suspended_total())
        {
            return Ok(());
        }
        if self.player.is_none() {
            return Err(CloseReason::ByServer(CloseCode::HelloTimeout));
        }
        if self.ping_tracker.take_silence() {
            self.report_rtt();
            return Ok(());
        }
        match self.next_ping_frame() {
            Some(ping) => self.socket.send_frame(&ping),
            None => return Err(CloseReason::ByServer(CloseCode::Unresponsive)),
        }
        Ok(())
    }

    /// Returns the next ping, or `None` if the peer is unresponsive.
    fn next_ping_frame(&mut self) -> Option<EncodedFrame> {
        // Jitter of ±10 %, so that connections opened at the same time do not ping at the same time.
        let interval = self.ctx.limits.ping_interval;
        let jittered = self.ctx.rng.jitter(interval, 0.1);
        self.ping_tracker
            .next_ping(interval, jittered)
            .map(EncodedFrame::ping)
    }

    /// Reports the round-trip time of a player to the room, if it is measured.
    fn report_rtt(&self) {
        // The round-trip time of a spectator is not shown.
        if let (ConnState::InRoom(handle), Some(rtt)) = (&self.state, self.ping_tracker.last_rtt)
            && handle.is_seated()
        {
            let ms = u32::try_from(rtt.as_millis()).unwrap_or(u32::MAX);
            if let Err(code) = handle.try_send(room::RoomRequest::Lag(self.id, ms)) {
                debug!(%code, "round-trip time not reported to the room");
            }
        }
    }

    fn on_incoming(&mut self, incoming: ReceivedFrame) -> Result<ReadOutcome, CloseReason> {
        match incoming {
            ReceivedFrame::Text(text) => return self.on_request(&text),
            ReceivedFrame::Binary(bytes) => {
                debug!(bytes = bytes.len(), "binary frame received; closing");
                return Err(CloseReason::ByServer(CloseCode::Unsupported));
            }
            ReceivedFrame::Ping => {
                self.charge()?;
                return Ok(ReadOutcome::PongDue);
            }
            ReceivedFrame::Pong(number) => {
                self.ping_tracker
                    .exclude_gap(self.ctx.shared.time.suspended_total());
                match self.ping_tracker.on_pong(number) {
                    // A pong that answers no ping is charged like a message.
                    None => self.charge()?,
                    Some(rtt) => {
                        self.report_pong(number);
                        if rtt.is_some() {
                            self.report_rtt();
                        }
                    }
                }
            }
        }
        Ok(ReadOutcome::Handled)
    }

    /// Charges a frame that is not a request. Such a frame is never rejected, but a flood of them ends the connection.
    fn charge(&mut self) -> Result<(), CloseReason> {
        match self.rate_limit.try_take(self.ctx.shared.time.now()) {
            RateLimitDecision::Allow | RateLimitDecision::Reject { .. } => Ok(()),
            RateLimitDecision::Flood => Err(CloseReason::ByServer(CloseCode::Policy)),
        }
    }

    /// Notifies the room or the lobby, then closes the socket.
    async fn finish(&mut self, reason: CloseReason, receiver: SendQueueReceiver<RoomHandle>) {
        // A room may have accepted this connection in the meantime. Such a room must notice that the connection has
        // ended.
        for out in receiver.close() {
            if let Outgoing::EnterRoom(handle) = out {
                self.state = ConnState::InRoom(handle);
            }
        }
        match &self.state {
            ConnState::InRoom(handle) | ConnState::Joining(handle) | ConnState::Leaving(handle) => {
                handle.request_sweep();
            }
            ConnState::Seeking(_) | ConnState::Creating => self.ctx.lobby.notify(),
            ConnState::AwaitingHello | ConnState::InLobby => {}
        }
        match reason {
            CloseReason::ByServer(code) => {
                debug!(
                    connection = self.id.0,
                    ?code,
                    "connection closed by the server"
                );
                self.ctx.shared.metrics.count_close(code);
                if let Some(refusal) = Refusal::from_close(code) {
                    self.ctx.log_refusal(self.client_prefix, refusal);
                }
                self.socket.close(code).await;
            }
            CloseReason::ByPeer => {
                debug!(connection = self.id.0, "connection closed by the client");
                self.socket.answer_close().await;
            }
            CloseReason::Lost => debug!(connection = self.id.0, "connection lost"),
        }
    }
}

/// State of a connection. The table at the top of this module lists the transitions.
#[derive(Debug)]
enum ConnState {
    AwaitingHello,
    InLobby,
    /// The connection has a seek. Contains the ping of the lobby that the peer has not answered yet, if any. Boxed,
    /// because such a ping is rare and short-lived.
    Seeking(Option<Box<LobbyPing>>),
    Joining(RoomHandle),
    Creating,
    InRoom(RoomHandle),
    Leaving(RoomHandle),
}

impl ConnState {
    /// Returns the room of the connection.
    fn room(&self) -> Result<&RoomHandle, RejectCode> {
        match self {
            ConnState::InRoom(handle) => Ok(handle),
            ConnState::AwaitingHello
            | ConnState::InLobby
            | ConnState::Seeking(_)
            | ConnState::Joining(_)
            | ConnState::Creating
            | ConnState::Leaving(_) => Err(RejectCode::NotInRoom),
        }
    }

    /// Checks that the connection may seek, create or enter a room.
    fn ensure_idle(&self) -> Result<(), RejectCode> {
        match self {
            ConnState::InLobby => Ok(()),
            ConnState::AwaitingHello => Err(RejectCode::HelloFirst),
            ConnState::Seeking(_) => Err(RejectCode::AlreadySeeking),
            ConnState::Joining(_)
            | ConnState::Creating
            | ConnState::InRoom(_)
            | ConnState::Leaving(_) => Err(RejectCode::AlreadyInRoom),
        }
    }
}

/// A peer is silent if it has not answered a ping for the interval between pings divided by this number. The opponent
/// then sees the silence long before the connection ends.
const SILENCE_DIVISOR: u32 = 3;

/// Tracks outstanding pings and the round-trip time of one connection.
#[derive(Debug)]
struct PingTracker {
    /// Time of the next ping; before the hello, the deadline of the hello.
    next_at: Instant,
    last_ping: Option<(u64, Instant)>,
    /// Last measured round-trip time, or the time without a pong if the peer is silent.
    last_rtt: Option<Duration>,
    last_number: u64,
    last_answered: u64,
    /// Time of the first ping after the last pong.
    unanswered_since: Option<Instant>,
    /// When the peer becomes silent, if it has not answered and is not silent yet.
    silent_at: Option<Instant>,
    /// Total suspended time of the server that the other fields already take into account.
    known_gap: Duration,
}

impl PingTracker {
    /// Schedules the first ping. `known_gap` is the total suspended time of the server so far.
    fn new(first_at: Instant, known_gap: Duration) -> PingTracker {
        PingTracker {
            next_at: first_at,
            last_ping: None,
            last_rtt: None,
            last_number: 0,
            last_answered: 0,
            unanswered_since: None,
            silent_at: None,
            known_gap,
        }
    }

    /// Returns the payload of the next ping, or `None` if nearly two intervals passed without a pong. Schedules the
    /// following ping after `jittered`, which is `interval` ± 10 %.
    fn next_ping(&mut self, interval: Duration, jittered: Duration) -> Option<u64> {
        let now = Instant::now();
        // The timeout is longer than one jittered interval and shorter than two.
        let timeout = interval.mul_f64(1.75);
        if self
            .unanswered_since
            .is_some_and(|since| now - since >= timeout)
        {
            return None;
        }
        self.last_number += 1;
        if self.unanswered_since.is_none() {
            self.unanswered_since = Some(now);
            self.silent_at = Some(now + interval / SILENCE_DIVISOR);
        }
        self.last_ping = Some((self.last_number, now));
        self.next_at = now + jittered;
        Some(self.last_number)
    }

    /// Returns when the timer of the connection is due: at the next ping, or when the peer becomes silent.
    fn deadline(&self) -> Instant {
        self.silent_at
            .map_or(self.next_at, |at| at.min(self.next_at))
    }

    /// Returns whether the peer has become silent, once for each silence. The round-trip time is then the time without
    /// a pong.
    fn take_silence(&mut self) -> bool {
        let now = Instant::now();
        let is_silent = self.silent_at.take_if(|at| *at <= now).is_some();
        if is_silent {
            self.last_rtt = self.unanswered_since.map(|since| now - since);
        }
        is_silent
    }

    /// Returns the number of the last ping.
    fn last_number(&self) -> u64 {
        self.last_number
    }

    /// Shifts all times by the suspends since the last call, because the server could receive nothing during a suspend.
    /// Returns whether the server was suspended.
    fn exclude_gap(&mut self, suspended: Duration) -> bool {
        let gap = suspended.saturating_sub(self.known_gap);
        self.known_gap = suspended;
        self.next_at += gap;
        let sent = self.last_ping.as_mut().map(|(_, sent)| sent);
        let waits = self.unanswered_since.iter_mut().chain(&mut self.silent_at);
        for instant in sent.into_iter().chain(waits) {
            *instant += gap;
        }
        !gap.is_zero()
    }

    /// Handles a pong. Returns `None` if the pong does not answer an outstanding ping. Otherwise returns the round-trip
    /// time, which is known only if the pong answers the last ping.
    fn on_pong(&mut self, number: u64) -> Option<Option<Duration>> {
        if number <= self.last_answered || number > self.last_number {
            return None;
        }
        self.last_answered = number;
        self.unanswered_since = None;
        self.silent_at = None;
        let rtt = self
            .last_ping
            .take_if(|(last, _)| *last == number)
            .map(|(_, sent)| sent.elapsed());
        self.last_rtt = rtt.or(self.last_rtt);
        Some(rtt)
    }
}

/// A ping of the lobby.
#[derive(Clone, Copy, Debug)]
struct LobbyPing {
    id: PingId,
    /// Number of the ping on this connection. The pong to a later ping counts as well.
    number: u64,
}

impl Connection {
    /// Pings the peer for the lobby. Does nothing if the seek was cancelled in the meantime, or if the connection is
    /// about to be closed because the peer is unresponsive.
    fn ping_for_lobby(&mut self, ping: u64) {
        if matches!(self.state, ConnState::Seeking(_))
            && let Some(frame) = self.next_ping_frame()
        {
            let (id, number) = (PingId(ping), self.ping_tracker.last_number());
            self.state = ConnState::Seeking(Some(Box::new(LobbyPing { id, number })));
            self.socket.send_frame(&frame);
        }
    }

    /// Reports a pong to the lobby, if it answers a ping of the lobby. If the lobby is busy, the next pong is reported
    /// instead.
    fn report_pong(&mut self, pong: u64) {
        if let ConnState::Seeking(ping) = &mut self.state
            && let Some(LobbyPing { id, number }) = ping.as_deref().copied()
            && pong >= number
        {
            let report = LobbyMessage::Pong(self.id, id);
            match self.ctx.lobby.try_send(report) {
                Ok(()) => *ping = None,
                Err(code) => debug!(%code, "cannot report pong to the lobby"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_secs(15);

    fn advance_by(time: Duration) -> impl Future<Output = ()> {
        tokio::time::advance(time)
    }

    #[tokio::test(start_paused = true)]
    async fn two_unanswered_intervals_end_the_connection() {
        let mut tracker = PingTracker::new(Instant::now(), Duration::ZERO);
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(1));
        advance_by(PERIOD).await;
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(2));
        advance_by(PERIOD).await;
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_is_silent_once_until_its_next_pong() {
        let mut tracker = PingTracker::new(Instant::now(), Duration::ZERO);
        let ping = |tracker: &mut PingTracker| tracker.next_ping(PERIOD, PERIOD).unwrap();
        let first = ping(&mut tracker);
        assert_eq!(tracker.deadline(), Instant::now() + PERIOD / 3);
        advance_by(PERIOD / 3 - Duration::from_millis(1)).await;
        assert!(!tracker.take_silence());
        advance_by(Duration::from_millis(1)).await;
        assert!(tracker.take_silence());
        assert_eq!(tracker.last_rtt, Some(PERIOD / 3));
        assert!(!tracker.take_silence(), "once");
        assert_eq!(tracker.deadline(), tracker.next_at);
        ping(&mut tracker);
        assert_eq!(tracker.deadline(), tracker.next_at, "the same silence");
        tracker.on_pong(first);
        ping(&mut tracker);
        assert_eq!(tracker.deadline(), Instant::now() + PERIOD / 3);
    }

    #[tokio::test(start_paused = true)]
    async fn suspended_time_is_not_silence() {
        let mut tracker = PingTracker::new(Instant::now(), PERIOD);
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(1));
        advance_by(4 * PERIOD).await;
        assert!(tracker.exclude_gap(4 * PERIOD));
        assert!(!tracker.exclude_gap(4 * PERIOD), "once");
        assert_eq!(tracker.next_at, Instant::now());
        advance_by(PERIOD).await;
        assert_eq!(
            tracker.next_ping(PERIOD, PERIOD),
            None,
            "later silence counts"
        );
        assert_eq!(tracker.on_pong(1), Some(Some(2 * PERIOD)));
    }

    #[tokio::test(start_paused = true)]
    async fn pings_out_of_turn_do_not_time_out() {
        let mut tracker = PingTracker::new(Instant::now(), Duration::ZERO);
        for number in 1..=9 {
            assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(number));
            advance_by(Duration::from_secs(1)).await;
        }
        assert_eq!(
            tracker.on_pong(3),
            Some(None),
            "an older ping counts as well"
        );
        assert_eq!(tracker.on_pong(3), None, "once");
        assert_eq!(tracker.on_pong(10), None, "that ping was never sent");
        assert_eq!(tracker.on_pong(9), Some(Some(Duration::from_secs(1))));
    }
}
