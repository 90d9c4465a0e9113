//! One WebSocket connection, one task: reads requests, checks them at the edge, hands them on
//! without waiting, and sends what its line did not take at once. It decides nothing about games.

mod at_once;
#[cfg(feature = "echo")]
pub mod echo;
mod pings;
mod requests;
mod socket;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};
use noughts_protocol::{Party, Player, RequestId, RoomId};
use tokio::task::coop::has_budget_remaining;
use tokio::time::Instant;
use tracing::debug;

use crate::besides::Besides;
use crate::fault::Fault;
use crate::host::Host;
use crate::network::Network;
use crate::outbox::{self, Frame, Inlet, Next, Out, Outbox, Stream};
use crate::rate_limit::{RateLimit, Verdict};
use crate::room::audience::MemberId;
use crate::room::handle::{self as room, RoomHandle};
use pings::Pings;
use socket::{Incoming, Socket};

/// What the party on the other side may do now.
#[derive(Debug)]
enum Place {
    /// It has not said who it is.
    Door,
    /// In no room.
    Hall,
    /// Waiting in the lobby.
    Seeking,
    /// Asked to be let into this room.
    Entering(RoomHandle),
    /// About to be in a new room.
    Creating,
    /// In this room.
    Room(RoomHandle),
    /// Asked to leave it.
    Leaving(RoomHandle),
}

impl Place {
    /// The room that the party is in.
    fn room(&self) -> Result<&RoomHandle, RejectCode> {
        match self {
            Place::Room(handle) => Ok(handle),
            Place::Door
            | Place::Hall
            | Place::Seeking
            | Place::Entering(_)
            | Place::Creating
            | Place::Leaving(_) => Err(RejectCode::NotInRoom),
        }
    }

    /// Whether the party may begin something.
    fn free(&self) -> Result<(), RejectCode> {
        match self {
            Place::Hall => Ok(()),
            Place::Door => Err(RejectCode::HelloFirst),
            Place::Seeking => Err(RejectCode::AlreadySeeking),
            Place::Entering(_) | Place::Creating | Place::Room(_) | Place::Leaving(_) => {
                Err(RejectCode::AlreadyInRoom)
            }
        }
    }
}

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The server closes it, and says why.
    Close(CloseCode),
    /// The other side has closed it, and is to have its answer.
    Closed,
    /// The other side has gone.
    Gone,
}

/// What is left to do with what came from the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Received {
    /// Nothing.
    Dealt,
    /// A ping. Its answer is written, and is to be sent.
    Ping,
}

/// Serves a connection until it ends, and tells those concerned that it has.
pub async fn serve<S>(stream: S, early: Vec<u8>, host: Host, network: Network)
where
    S: Stream + 'static,
{
    let metrics = Arc::clone(&host.metrics);
    let _counted = metrics.connections.present();
    metrics.accepted.add(1);
    let endless = host.limits.faults.has(Fault::EndlessOutbox);
    let (outbox, mut inlet, wire) = outbox::over(stream, if endless { 1 << 20 } else { host.limits.outbox });
    let first = Instant::now() + host.limits.hello;
    let mut connection = Connection {
        socket: Socket::new(wire, early, socket::GAME, &host.limits),
        member: host.next_member(),
        player: None,
        party: None,
        told: None,
        place: Place::Door,
        outbox,
        credit: RateLimit::new(host.limits.burst, host.limits.per_second, host.time.now()),
        garbage: 0,
        network,
        pings: Pings::new(first, host.time.lost()),
        besides: Besides::new(&host.draining, first),
        host,
    };
    let end = connection.live(&mut inlet).await;
    Box::pin(connection.end(end, inlet)).await;
}

struct Connection {
    socket: Socket,
    host: Host,
    member: MemberId,
    /// Who it is; none before the hello.
    player: Option<Player>,
    /// And the party that it is on all its connections, if it has said so.
    party: Option<Party>,
    /// The room in which that had a seat then.
    told: Option<RoomId>,
    place: Place,
    outbox: Outbox,
    credit: RateLimit,
    garbage: u32,
    /// Where it comes from.
    network: Network,
    pings: Pings,
    /// The end of the server, and the time for the hello or until the next ping.
    besides: Besides,
}

/// What a connection has to wait for before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// Its line has not taken all that it was given.
    Unsent,
    /// A pong is due.
    Pong,
    /// The server stops.
    Drain,
    /// Nothing: it is over.
    Over(End),
}

impl Connection {
    async fn live(&mut self, inlet: &mut Inlet) -> End {
        loop {
            let pause = poll_fn(|context| self.poll(context, inlet)).await;
            // On the heap: what hardly ever waits takes no memory in every connection.
            let done = match pause {
                Pause::Unsent => Box::pin(self.socket.send_rest()).await,
                Pause::Pong => Box::pin(self.socket.flush()).await,
                Pause::Drain => Box::pin(self.restarting(inlet)).await,
                Pause::Over(end) => Err(end),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Does all that there is to do at once, and says what then has to be waited for before anything else.
    ///
    /// No future of its own, and none within: what a future keeps across its waits lies with the connection, out of
    /// the cache, while what is done at once is done on the stack.
    fn poll(&mut self, context: &mut Context<'_>, inlet: &mut Inlet) -> Poll<Pause> {
        // One look is enough: what comes after it wakes the task to look again. A time that is set needs one more.
        let mut first = true;
        loop {
            let news = self.besides.wake_at(self.pings.next);
            if (std::mem::take(&mut first) || news) && self.besides.poll_end(context).is_ready() {
                return Poll::Ready(Pause::Drain);
            }
            let done = if let Poll::Ready(next) = inlet.poll_next(context) {
                match next {
                    Next::Cut(code) => Err(End::Close(code)),
                    Next::Out(out) => {
                        self.take(out);
                        Ok(())
                    }
                    Next::Unsent => return Poll::Ready(Pause::Unsent),
                    Next::Behind => {
                        if let Place::Room(handle) = &self.place {
                            self.outbox.want_view();
                            handle.ring();
                        }
                        Ok(())
                    }
                }
            } else if let Poll::Ready(incoming) = self.socket.poll_receive(context) {
                match incoming.and_then(|incoming| self.receive(incoming)) {
                    Ok(Received::Dealt) => Ok(()),
                    Ok(Received::Ping) => match self.socket.poll_pong(context) {
                        Poll::Ready(sent) => sent,
                        Poll::Pending => return Poll::Ready(Pause::Pong),
                    },
                    Err(end) => Err(end),
                }
            } else if has_budget_remaining() && self.besides.due() {
                // Last, and not while there may be more to read than this task has turns for: who is heard is not
                // silent.
                self.tick()
            } else {
                return Poll::Pending;
            };
            if let Err(end) = done {
                return Poll::Ready(Pause::Over(end));
            }
        }
    }

    fn take(&mut self, out: Out) {
        match out {
            Out::Text(frame) => self.socket.say(&frame),
            Out::Enter(handle) => {
                self.place = Place::Room(handle);
                // The players of a room see each other's lag from the start.
                self.tell_lag();
            }
            Out::Exit | Out::Idle => self.place = Place::Hall,
        }
    }

    fn say(&mut self, message: &Message) {
        self.socket.say(&Frame::from(message));
    }

    fn refuse(&mut self, re: Option<RequestId>, reject: Reject) {
        let wrong = self.host.limits.faults.has(Fault::RejectWithAnyCode);
        let reject = if wrong { RejectCode::Busy.into() } else { reject };
        self.host.metrics.rejected(reject.code);
        self.say(&Message::Reject { re, reject });
    }

    async fn restarting(&mut self, inlet: &mut Inlet) -> Result<(), End> {
        if self.host.limits.faults.has(Fault::RestartInSilence) {
            return Err(End::Gone);
        }
        // First what was said before, and nothing behind it.
        inlet.hold();
        loop {
            match inlet.try_next() {
                Some(Next::Out(out)) => self.take(out),
                Some(Next::Unsent) => self.socket.send_rest().await?,
                Some(Next::Cut(_) | Next::Behind) | None => break,
            }
        }
        let back_in_ms = crate::config::millis(self.host.limits.drain);
        self.say(&Message::Restarting { back_in_ms });
        Err(End::Close(CloseCode::Restarting))
    }

    /// The time for the hello, or until the next ping, is over.
    fn tick(&mut self) -> Result<(), End> {
        if self.pings.forgive(self.host.time.lost()) {
            return Ok(());
        }
        if self.player.is_none() {
            return Err(End::Close(CloseCode::HelloTimeout));
        }
        match self.ping() {
            Some(ping) => self.socket.say(&ping),
            None if self.host.limits.faults.has(Fault::IgnoreSilence) => {
                self.pings.next += self.host.limits.ping;
            }
            None => return Err(End::Close(CloseCode::Unresponsive)),
        }
        Ok(())
    }

    /// The next ping; none when nothing has been heard for too long.
    fn ping(&mut self) -> Option<Frame> {
        // A tenth more or less, so that connections made in one moment do not ping in one moment.
        let usual = self.host.limits.ping;
        let period = usual.mul_f64(0.9 + 0.2 * self.host.dice.fraction());
        self.pings.due(usual, period).map(Frame::ping)
    }

    /// Tells the room how long a message takes to this player, as far as it is measured.
    fn tell_lag(&self) {
        // The lag of a spectator is shown to nobody.
        if let (Place::Room(handle), Some(took)) = (&self.place, self.pings.took)
            && handle.is_seated()
        {
            let ms = u32::try_from(took.as_millis()).unwrap_or(u32::MAX);
            if handle.ask(room::Ask::Lag(self.member, ms)).is_err() {
                debug!("a room that has more to do does without a measure of lag");
            }
        }
    }

    fn receive(&mut self, incoming: Incoming) -> Result<Received, End> {
        match incoming {
            Incoming::Text(text) => self.request(&text)?,
            Incoming::Binary(bytes) => {
                debug!(bytes = bytes.len(), "no message of a game is bytes");
                return Err(End::Close(CloseCode::Unsupported));
            }
            Incoming::Ping => {
                self.pay()?;
                return Ok(Received::Ping);
            }
            Incoming::Pong(number) => {
                self.pings.forgive(self.host.time.lost());
                match self.pings.answered(number) {
                    // Nobody asked for it: it costs what a message costs.
                    None => self.pay()?,
                    Some(None) => {}
                    Some(Some(_)) => self.tell_lag(),
                }
            }
        }
        Ok(Received::Dealt)
    }

    /// What is no request costs what one costs, but is refused to nobody.
    fn pay(&mut self) -> Result<(), End> {
        match self.credit.take(self.host.time.now()) {
            Verdict::Pass | Verdict::Refuse { .. } => Ok(()),
            Verdict::Flood => Err(End::Close(CloseCode::Policy)),
        }
    }

    /// Tells room or lobby, then closes the line.
    async fn end(&mut self, end: End, inlet: Inlet) {
        // A room may just have let this connection in: from here on it sees that nobody is there.
        for out in inlet.close() {
            if let Out::Enter(handle) = out {
                self.place = Place::Room(handle);
            }
        }
        match &self.place {
            Place::Room(handle) | Place::Entering(handle) | Place::Leaving(handle) => handle.ring(),
            Place::Seeking => self.host.lobby.ring(),
            Place::Door | Place::Hall | Place::Creating => {}
        }
        match end {
            End::Close(code) => {
                let wrong = self.host.limits.faults.has(Fault::CloseWithAnyCode);
                let code = if wrong { CloseCode::Normal } else { code };
                debug!(member = self.member.0, ?code, "closing");
                self.host.metrics.closed(code);
                self.socket.close(code).await;
            }
            End::Closed => {
                debug!(member = self.member.0, "closed by the other side");
                self.socket.take_leave().await;
            }
            End::Gone => debug!(member = self.member.0, "gone"),
        }
    }
}
