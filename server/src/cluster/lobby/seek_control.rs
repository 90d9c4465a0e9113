//! Events of a connection for the task of its seek. No queue limit applies to them, apart from requests to cancel.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::RejectCode;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::seek_route::RouteEvent;
use crate::cluster::shard::NodeId;
use crate::lobby::PingId;
use crate::room::handle::MemberQueue;
use crate::runtime::sync::lock;

/// Maximum number of requests to cancel that the task has not handled.
const MAX_WAITING_CANCELS: usize = 8;

/// Time for the end of an older seek, which its lobby confirms.
const DISPLACE_TIMEOUT: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
struct ControlState {
    cancels: VecDeque<RequestId>,
    /// Last ping of the lobby that the connection has answered.
    pong: Option<PingId>,
    is_disconnected: bool,
    /// The party seeks on a newer connection.
    is_displaced: bool,
    /// The task has ended.
    has_ended: bool,
    /// The other nodes have answered the query about older seeks.
    has_queried: bool,
}

/// Events of one connection for the task of its seek.
#[derive(Debug)]
pub(super) struct SeekControl {
    state: Mutex<ControlState>,
    wake: Notify,
    /// Cancelled when the seek is in no lobby any more, and will be in none.
    ended: CancellationToken,
    send_queue: MemberQueue,
    /// Time of the request, in server milliseconds.
    since: u64,
}

impl SeekControl {
    /// The events of the connection that has sent a request at `since`.
    pub(super) fn new(send_queue: MemberQueue, since: u64) -> SeekControl {
        let (wake, ended) = (Notify::new(), CancellationToken::new());
        SeekControl {
            state: Mutex::default(),
            wake,
            ended,
            send_queue,
            since,
        }
    }

    /// Requests to cancel the seek. The task responds.
    ///
    /// # Errors
    /// `not_seeking` if the task has ended, `busy` if it has too many such requests.
    pub(super) fn cancel(&self, id: RequestId) -> Result<(), RejectCode> {
        let mut state = lock(&self.state);
        if state.has_ended {
            return Err(RejectCode::NotSeeking);
        }
        if state.cancels.len() >= MAX_WAITING_CANCELS {
            return Err(RejectCode::Busy);
        }
        state.cancels.push_back(id);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    /// The connection has answered a ping of the lobby.
    pub(super) fn on_pong(&self, ping: PingId) {
        lock(&self.state).pong = Some(ping);
        self.wake.notify_one();
    }

    /// Tells the task if the connection has ended.
    pub(super) fn check_connection(&self) {
        if self.send_queue.is_closed() {
            lock(&self.state).is_disconnected = true;
            self.wake.notify_one();
        }
    }

    /// The other nodes have answered the query: a seek of its party that they do not know is newer.
    pub(super) fn set_queried(&self) {
        lock(&self.state).has_queried = true;
    }

    /// Whether the seek replaces one of another node, of which it may not know. Of two seeks that begin at the same time, the
    /// later one counts, by the clocks of their nodes. `node` is that of this seek.
    ///
    /// `is_repeated`: the other seek was queried for before, so that it may be the older one although this one was, too.
    pub(super) fn replaces(
        &self,
        node: NodeId,
        (other_since, other_node): (u64, NodeId),
        is_repeated: bool,
    ) -> bool {
        let is_unknown = is_repeated || !lock(&self.state).has_queried;
        is_unknown && (self.since, node) > (other_since, other_node)
    }

    /// Ends the seek, because its party seeks on a newer connection. Waits until it has ended, for a bounded time; it may
    /// have been paired before.
    pub(super) async fn displace(&self) {
        lock(&self.state).is_displaced = true;
        self.wake.notify_one();
        if timeout(DISPLACE_TIMEOUT, self.ended.cancelled())
            .await
            .is_err()
        {
            debug!("end of an older seek not confirmed");
        }
    }

    /// The task has ended. Returns the requests to cancel that it has not handled.
    pub(super) fn end(&self) -> VecDeque<RequestId> {
        let mut state = lock(&self.state);
        state.has_ended = true;
        self.ended.cancel();
        std::mem::take(&mut state.cancels)
    }

    pub(super) fn has_ended(&self) -> bool {
        lock(&self.state).has_ended
    }

    /// Waits for the next event. Cancel safe; for one task only.
    pub(super) async fn next_event(&self) -> RouteEvent {
        loop {
            if let Some(event) = self.take_event() {
                return event;
            }
            self.wake.notified().await;
        }
    }

    fn take_event(&self) -> Option<RouteEvent> {
        let mut state = lock(&self.state);
        if let Some(id) = state.cancels.pop_front() {
            return Some(RouteEvent::Cancel(id));
        }
        if std::mem::take(&mut state.is_displaced) {
            return Some(RouteEvent::Displaced);
        }
        if std::mem::take(&mut state.is_disconnected) {
            return Some(RouteEvent::Disconnected);
        }
        state.pong.take().map(RouteEvent::Pong)
    }
}
