//! One WebSocket connection, one task: reads requests, checks them at the edge, hands them on
//! without waiting, and sends what its line did not take at once. It decides nothing about games.

#[cfg(feature = "echo")]
pub mod echo;
mod keepalive;
mod poll_io;
mod requests;
mod socket;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};
use noughts_protocol::{PartyKey, Player, RequestId, RoomId};
use tokio::task::coop::has_budget_remaining;
use tokio::time::Instant;
use tracing::debug;

use crate::context::ServerContext;
use crate::fault_injection::InjectedFault;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::rate_limit::{RateLimit, RateLimitDecision};
use crate::room::handle::{self as room, MemberId, MemberQueue, RoomHandle};
use crate::send_queue::{self, ByteStream, EncodedFrame, Outgoing, QueueEvent, SendQueueReceiver};
use crate::sync::stop_or_deadline::StopOrDeadline;
use keepalive::PingTracker;
use socket::{CloseReason, ReceivedFrame, ServerSocket};

/// What the party on the other side may do now.
#[derive(Debug)]
enum ConnState {
    /// It has not said who it is.
    AwaitingHello,
    /// In no room.
    InLobby,
    /// Waiting in the lobby.
    Seeking,
    /// Asked to be let into this room.
    Joining(RoomHandle),
    /// About to be in a new room.
    Creating,
    /// In this room.
    InRoom(RoomHandle),
    /// Asked to leave it.
    Leaving(RoomHandle),
}

impl ConnState {
    /// The room that the party is in.
    fn room(&self) -> Result<&RoomHandle, RejectCode> {
        match self {
            ConnState::InRoom(handle) => Ok(handle),
            ConnState::AwaitingHello
            | ConnState::InLobby
            | ConnState::Seeking
            | ConnState::Joining(_)
            | ConnState::Creating
            | ConnState::Leaving(_) => Err(RejectCode::NotInRoom),
        }
    }

    /// Whether the party may begin something.
    fn ensure_idle(&self) -> Result<(), RejectCode> {
        match self {
            ConnState::InLobby => Ok(()),
            ConnState::AwaitingHello => Err(RejectCode::HelloFirst),
            ConnState::Seeking => Err(RejectCode::AlreadySeeking),
            ConnState::Joining(_) | ConnState::Creating | ConnState::InRoom(_) | ConnState::Leaving(_) => {
                Err(RejectCode::AlreadyInRoom)
            }
        }
    }
}

/// What is left to do with what came from the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    /// Nothing.
    Handled,
    /// A ping. Its answer is written, and is to be sent.
    PongDue,
}

/// Serves a connection until it ends, and tells those concerned that it has.
pub async fn serve<S>(stream: S, read_buf: Vec<u8>, ctx: ServerContext, client_prefix: ClientPrefix)
where
    S: ByteStream + 'static,
{
    let metrics = Arc::clone(&ctx.shared.metrics);
    let _gauge_guard = metrics.connections.enter();
    metrics.accepted.add(1);
    let unbounded = ctx.limits.faults.has(InjectedFault::UnboundedSendQueue);
    let (send_queue, mut receiver, shared_stream) =
        send_queue::with_stream(stream, if unbounded { 1 << 20 } else { ctx.limits.send_queue });
    let hello_deadline = Instant::now() + ctx.limits.hello_timeout;
    let mut connection = Connection {
        socket: ServerSocket::new(shared_stream, read_buf, socket::GAME_SOCKET_LIMITS, &ctx.limits),
        member: ctx.next_member_id(),
        player: None,
        party: None,
        seat_room_at_hello: None,
        state: ConnState::AwaitingHello,
        send_queue,
        rate_limit: RateLimit::new(ctx.limits.rate_burst, ctx.limits.rate_per_second, ctx.shared.time.now()),
        malformed_requests: 0,
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
    member: MemberId,
    /// Who it is; none before the hello.
    player: Option<Player>,
    /// And the party that it is on all its connections, if it has said so.
    party: Option<PartyKey>,
    /// The room in which that had a seat then.
    seat_room_at_hello: Option<RoomId>,
    state: ConnState,
    send_queue: MemberQueue,
    rate_limit: RateLimit,
    malformed_requests: u32,
    /// Where it comes from.
    client_prefix: ClientPrefix,
    ping_tracker: PingTracker,
    /// The end of the server, and the time for the hello or until the next ping.
    stop_or_deadline: StopOrDeadline,
}

/// What a connection has to wait for before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocked {
    /// Its line has not taken all that it was given.
    PendingWrite,
    /// A pong is due.
    PendingPong,
    /// The server stops.
    Drain,
    /// Nothing: it is over.
    Ended(CloseReason),
}

impl Connection {
    async fn run(&mut self, receiver: &mut SendQueueReceiver<RoomHandle>) -> CloseReason {
        loop {
            let blocked = poll_fn(|context| self.poll(context, receiver)).await;
            // On the heap: what hardly ever waits takes no memory in every connection.
            let result = match blocked {
                Blocked::PendingWrite => Box::pin(self.socket.flush_stream()).await,
                Blocked::PendingPong => Box::pin(self.socket.flush()).await,
                Blocked::Drain => Box::pin(self.send_restarting(receiver)).await,
                Blocked::Ended(end) => Err(end),
            };
            if let Err(reason) = result {
                return reason;
            }
        }
    }

    /// Does all that there is to do at once, and says what then has to be waited for before anything else.
    ///
    /// No future of its own, and none within: what a future keeps across its waits lies with the connection, out of
    /// the cache, while what is done at once is done on the stack.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
        receiver: &mut SendQueueReceiver<RoomHandle>,
    ) -> Poll<Blocked> {
        // One look is enough: what comes after it wakes the task to look again. A time that is set needs one more.
        let mut is_first = true;
        loop {
            let changed = self.stop_or_deadline.set_deadline(self.ping_tracker.next_at);
            if (std::mem::take(&mut is_first) || changed)
                && self.stop_or_deadline.poll_stop(context).is_ready()
            {
                return Poll::Ready(Blocked::Drain);
            }
            let result = if let Poll::Ready(next) = receiver.poll_next(context) {
                match next {
                    QueueEvent::Close(code) => Err(CloseReason::ByServer(code)),
                    QueueEvent::Outgoing(outgoing) => {
                        self.handle_outgoing(outgoing);
                        Ok(())
                    }
                    QueueEvent::WritePending => return Poll::Ready(Blocked::PendingWrite),
                    QueueEvent::Lagging => {
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
                        Poll::Pending => return Poll::Ready(Blocked::PendingPong),
                    },
                    Err(end) => Err(end),
                }
            } else if has_budget_remaining() && self.stop_or_deadline.take_fired() {
                // Last, and not while there may be more to read than this task has turns for: who is heard is not
                // silent.
                self.on_timer()
            } else {
                return Poll::Pending;
            };
            if let Err(reason) = result {
                return Poll::Ready(Blocked::Ended(reason));
            }
        }
    }

    fn handle_outgoing(&mut self, outgoing: Outgoing<RoomHandle>) {
        match outgoing {
            Outgoing::Text(frame) => self.socket.send_frame(&frame),
            Outgoing::EnterRoom(handle) => {
                self.state = ConnState::InRoom(handle);
                // The players of a room see each other's lag from the start.
                self.report_lag();
            }
            Outgoing::LeaveRoom | Outgoing::LeaveLobby => self.state = ConnState::InLobby,
        }
    }

    fn send(&mut self, message: &Message) {
        self.socket.send_frame(&EncodedFrame::from(message));
    }

    fn send_reject(&mut self, re: Option<RequestId>, reject: Reject) {
        let inject = self.ctx.limits.faults.has(InjectedFault::WrongRejectCode);
        let reject = if inject { RejectCode::Busy.into() } else { reject };
        self.ctx.shared.metrics.count_reject(reject.code);
        self.send(&Message::Reject { re, reject });
    }

    async fn send_restarting(
        &mut self,
        receiver: &mut SendQueueReceiver<RoomHandle>,
    ) -> Result<(), CloseReason> {
        if self.ctx.limits.faults.has(InjectedFault::OmitRestartNotice) {
            return Err(CloseReason::Lost);
        }
        // First what was said before, and nothing behind it.
        receiver.disable_direct_write();
        loop {
            match receiver.try_next() {
                Some(QueueEvent::Outgoing(out)) => self.handle_outgoing(out),
                Some(QueueEvent::WritePending) => self.socket.flush_stream().await?,
                Some(QueueEvent::Close(_) | QueueEvent::Lagging) | None => break,
            }
        }
        let back_in_ms = crate::time::server_clock::millis(self.ctx.limits.drain_timeout);
        self.send(&Message::Restarting { back_in_ms });
        Err(CloseReason::ByServer(CloseCode::Restarting))
    }

    /// The time for the hello, or until the next ping, is over.
    fn on_timer(&mut self) -> Result<(), CloseReason> {
        if self.ping_tracker.exclude_gap(self.ctx.shared.time.suspended_total()) {
            return Ok(());
        }
        if self.player.is_none() {
            return Err(CloseReason::ByServer(CloseCode::HelloTimeout));
        }
        match self.next_ping_frame() {
            Some(ping) => self.socket.send_frame(&ping),
            None if self.ctx.limits.faults.has(InjectedFault::IgnoreMissingPongs) => {
                self.ping_tracker.next_at += self.ctx.limits.ping_interval;
            }
            None => return Err(CloseReason::ByServer(CloseCode::Unresponsive)),
        }
        Ok(())
    }

    /// The next ping; none when nothing has been heard for too long.
    fn next_ping_frame(&mut self) -> Option<EncodedFrame> {
        // A tenth more or less, so that connections made in one moment do not ping in one moment.
        let interval = self.ctx.limits.ping_interval;
        let jittered = interval.mul_f64(0.9 + 0.2 * self.ctx.rng.random_unit());
        self.ping_tracker.next_ping(interval, jittered).map(EncodedFrame::ping)
    }

    /// Tells the room how long a message takes to this player, as far as it is measured.
    fn report_lag(&self) {
        // The lag of a spectator is shown to nobody.
        if let (ConnState::InRoom(handle), Some(rtt)) = (&self.state, self.ping_tracker.last_rtt)
            && handle.is_seated()
        {
            let ms = u32::try_from(rtt.as_millis()).unwrap_or(u32::MAX);
            if handle.try_send(room::RoomRequest::Lag(self.member, ms)).is_err() {
                debug!("a room that has more to do does without a measure of lag");
            }
        }
    }

    fn on_incoming(&mut self, incoming: ReceivedFrame) -> Result<ReadOutcome, CloseReason> {
        match incoming {
            ReceivedFrame::Text(text) => self.on_request(&text)?,
            ReceivedFrame::Binary(bytes) => {
                debug!(bytes = bytes.len(), "no message of a game is bytes");
                return Err(CloseReason::ByServer(CloseCode::Unsupported));
            }
            ReceivedFrame::Ping => {
                self.charge()?;
                return Ok(ReadOutcome::PongDue);
            }
            ReceivedFrame::Pong(number) => {
                self.ping_tracker.exclude_gap(self.ctx.shared.time.suspended_total());
                match self.ping_tracker.on_pong(number) {
                    // Nobody asked for it: it costs what a message costs.
                    None => self.charge()?,
                    Some(None) => {}
                    Some(Some(_)) => self.report_lag(),
                }
            }
        }
        Ok(ReadOutcome::Handled)
    }

    /// What is no request costs what one costs, but is refused to nobody.
    fn charge(&mut self) -> Result<(), CloseReason> {
        match self.rate_limit.try_take(self.ctx.shared.time.now()) {
            RateLimitDecision::Allow | RateLimitDecision::Reject { .. } => Ok(()),
            RateLimitDecision::Flood => Err(CloseReason::ByServer(CloseCode::Policy)),
        }
    }

    /// Tells room or lobby, then closes the line.
    async fn finish(&mut self, reason: CloseReason, receiver: SendQueueReceiver<RoomHandle>) {
        // A room may just have let this connection in: from here on it sees that nobody is there.
        for out in receiver.close() {
            if let Outgoing::EnterRoom(handle) = out {
                self.state = ConnState::InRoom(handle);
            }
        }
        match &self.state {
            ConnState::InRoom(handle) | ConnState::Joining(handle) | ConnState::Leaving(handle) => {
                handle.request_sweep()
            }
            ConnState::Seeking => self.ctx.lobby.notify(),
            ConnState::AwaitingHello | ConnState::InLobby | ConnState::Creating => {}
        }
        match reason {
            CloseReason::ByServer(code) => {
                let inject = self.ctx.limits.faults.has(InjectedFault::WrongCloseCode);
                let code = if inject { CloseCode::Normal } else { code };
                debug!(member = self.member.0, ?code, "closing");
                self.ctx.shared.metrics.count_close(code);
                self.socket.close(code).await;
            }
            CloseReason::ByPeer => {
                debug!(member = self.member.0, "closed by the other side");
                self.socket.answer_close().await;
            }
            CloseReason::Lost => debug!(member = self.member.0, "gone"),
        }
    }
}
