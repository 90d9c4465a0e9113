//! Sends the lobby to its subscribers: the whole view first, then changes at a fixed pace.
//!
//! One task reads the list of rooms and asks the lobby for its seeks, and only while the server has subscribers. A move
//! or a seek does not itself cause any work for subscribers. A change is encoded once. A subscriber misses changes
//! while its queue is half full or its budget is exhausted. It gets the whole view when it has read its messages and
//! has a budget again.
//!
//! The response to a subscription contains the rooms and seeks of that moment, including the effects of the client's
//! own earlier requests. If this view differs from the last sent view, the next changes start from an older view. The
//! subscriber then gets the whole view with the next change.
//!
//! # Pace
//!
//! `LobbyChanges` decides which changes of the lobby subscribers get, and when. Pure: the time is an argument.
//!
//! Changes that invite to act (seeks, rooms, players) go out at the fixed pace. Numbers that change with each move go
//! out with them only every few seconds. Beyond the byte rates the pace slows down, and more changes share a message.

#[cfg(test)]
mod tests;

use std::time::Duration;

use noughts_protocol::wire::{
    ListedSeek, LobbyChange, LobbyCounts, LobbyView, Message, Reject, RejectCode, RoomListing,
};
use noughts_protocol::{PlayerKind, RequestId};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::limits::meters::ByteBudget;
use crate::lobby::handle::{FeedMessage, LobbyMessage};
use crate::room::handle::{ConnectionId, MemberQueue};
use crate::runtime::context::ServerContext;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

/// Maximum number of subscribers.
const MAX_SUBSCRIBERS: usize = 10_000;

/// Number of subscribers that get a message before other tasks of the thread run.
const SUBSCRIBERS_PER_TURN: usize = 64;

#[derive(Debug)]
struct Subscriber {
    connection: ConnectionId,
    send_queue: MemberQueue,
    /// Budget that pays for the messages that the subscriber did not request.
    budget: ByteBudget,
    /// Time of the first change that the subscriber missed. The subscriber then gets the whole view next.
    behind_since: Option<Instant>,
}

/// Bytes of a round of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SentBytes {
    /// Length of the change; 0 if nothing has changed.
    change: usize,
    /// Sum over all subscribers.
    total: usize,
}

struct Feed {
    ctx: ServerContext,
    subscribers: Vec<Subscriber>,
    changes: LobbyChanges,
}

/// Runs the feed until `stop` is cancelled. The caller spawns it.
pub(crate) async fn run(
    ctx: ServerContext,
    mut inbox: mpsc::Receiver<FeedMessage>,
    stop: CancellationToken,
) {
    let now = Instant::now();
    let mut feed = Feed {
        ctx,
        subscribers: Vec::new(),
        changes: LobbyChanges::new(LobbyView::default(), now),
    };
    let mut next_at = now;
    loop {
        let message = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            // Changes come before the requests, because each request takes a round trip to the lobby.
            () = sleep_until(next_at), if !feed.subscribers.is_empty() => {
                let sent = feed.send_change().await;
                next_at = Instant::now() + interval_after(sent.change, sent.total, feed.subscribers.len());
                continue;
            }
            message = inbox.recv() => message,
        };
        match message {
            None => return,
            Some(FeedMessage::Subscribe(connection, re, send_queue, budget)) => {
                if feed.subscribers.is_empty() {
                    next_at = Instant::now() + MIN_INTERVAL;
                }
                feed.subscribe(connection, re, send_queue, budget).await;
            }
            Some(FeedMessage::Unsubscribe(connection, re, send_queue)) => {
                feed.subscribers
                    .retain(|subscriber| subscriber.connection != connection);
                send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
            }
        }
    }
}

impl Subscriber {
    /// Sends a message at server time `now`, unless the queue is half full or the budget is exhausted. Returns whether
    /// it was sent.
    fn try_send(&self, frame: &EncodedFrame, now: u64) -> bool {
        let is_sent = self.budget.wait_ms(now) == 0
            && self.send_queue.send_lossy(Outgoing::Text(frame.clone())) != SendOutcome::Full;
        if is_sent {
            self.budget.charge(frame.bytes().len(), now);
        }
        is_sent
    }
}

impl Feed {
    async fn subscribe(
        &mut self,
        connection: ConnectionId,
        re: RequestId,
        send_queue: MemberQueue,
        budget: ByteBudget,
    ) {
        let known = self
            .subscribers
            .iter()
            .position(|subscriber| subscriber.connection == connection);
        if known.is_none() && self.subscribers.len() >= MAX_SUBSCRIBERS {
            self.subscribers
                .retain(|subscriber| !subscriber.send_queue.is_closed());
        }
        if known.is_none() && self.subscribers.len() >= MAX_SUBSCRIBERS {
            let reject = Reject::new(RejectCode::ServerFull).detail("too many subscriptions");
            self.ctx.shared.metrics.count_reject(reject.code);
            send_queue.send_reply(Outgoing::message(&Message::Reject {
                re: Some(re),
                reject,
            }));
            return;
        }
        let (mut view, now) = (self.current_view().await, Instant::now());
        if self.subscribers.is_empty() {
            self.changes = LobbyChanges::new(view.clone(), now);
        }
        let is_behind = !self.changes.has_same_entries(&view);
        if !is_behind {
            view = self.changes.sent().clone();
        }
        let behind_since = is_behind.then_some(now);
        let frame = self.view_frame(Some(re), view);
        self.ctx.set_room_list_size(frame.bytes().len());
        send_queue.send_priced_reply(Outgoing::Text(frame));
        match known {
            Some(at) => self.subscribers[at].behind_since = behind_since,
            None => self.subscribers.push(Subscriber {
                connection,
                send_queue,
                budget,
                behind_since,
            }),
        }
    }

    /// Sends the changes to the subscribers, and the whole view to subscribers that missed a change.
    async fn send_change(&mut self) -> SentBytes {
        self.subscribers
            .retain(|subscriber| !subscriber.send_queue.is_closed());
        let current = self.current_view().await;
        let now = Instant::now();
        let change = self.changes.take(current, now);
        let at = self.ctx.shared.time.now();
        let has_changed = !change.is_empty();
        let change_frame =
            has_changed.then(|| EncodedFrame::from(&Message::LobbyChanged { at, change }));
        // Subscribers of one network share a budget, so the subscriber that has waited longest comes first.
        self.subscribers
            .sort_by_key(|subscriber| (subscriber.behind_since.is_none(), subscriber.behind_since));
        let is_any_behind = self
            .subscribers
            .first()
            .is_some_and(|first| first.behind_since.is_some());
        let view_frame = is_any_behind.then(|| self.view_frame(None, self.changes.sent().clone()));
        let change_bytes = change_frame.as_ref().map_or(0, |frame| frame.bytes().len());
        let mut sent = SentBytes {
            change: change_bytes,
            total: 0,
        };
        for turn in self.subscribers.chunks_mut(SUBSCRIBERS_PER_TURN) {
            for subscriber in turn {
                let frame = if subscriber.behind_since.is_some() {
                    &view_frame
                } else {
                    &change_frame
                };
                let Some(frame) = frame else { continue };
                if subscriber.try_send(frame, at) {
                    sent.total += frame.bytes().len();
                    subscriber.behind_since = None;
                } else {
                    subscriber.behind_since.get_or_insert(now);
                }
            }
            tokio::task::yield_now().await;
        }
        sent
    }

    fn view_frame(&self, re: Option<RequestId>, view: LobbyView) -> EncodedFrame {
        let at = self.ctx.shared.time.now();
        EncodedFrame::from(&Message::Lobby { re, at, view })
    }

    /// Reads the lobby. If the lobby is busy, returns the seeks that were sent last.
    async fn current_view(&self) -> LobbyView {
        with_others(
            &self.ctx,
            read_own_view(&self.ctx, &self.changes.sent().seeks).await,
        )
    }
}

/// Minimum interval between two changes.
pub(super) const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// Interval between two changes that contain details.
const DETAILS_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of bytes per second to one subscriber.
const MAX_BYTES_PER_SECOND: u64 = 16 * 1024;

/// Maximum number of bytes per second to all subscribers.
const MAX_TOTAL_BYTES_PER_SECOND: u64 = 8 * 1024 * 1024;

/// Maximum number of messages per second to all subscribers.
const MAX_MESSAGES_PER_SECOND: u64 = 10_000;

/// The view that subscribers have, and when they get the next change.
#[derive(Debug)]
pub(super) struct LobbyChanges {
    sent: LobbyView,
    details_at: Instant,
}

impl LobbyChanges {
    pub(super) fn new(sent: LobbyView, now: Instant) -> LobbyChanges {
        LobbyChanges {
            sent,
            details_at: now + DETAILS_INTERVAL,
        }
    }

    /// Returns the view that subscribers have.
    pub(super) fn sent(&self) -> &LobbyView {
        &self.sent
    }

    /// Returns whether `current` differs at most in details from the view that subscribers have.
    fn has_same_entries(&self, current: &LobbyView) -> bool {
        let is_same = |(sent, current): (&RoomListing, &RoomListing)| {
            sent.room == current.room && has_same_players(sent, current)
        };
        self.sent.seeks == current.seeks
            && self.sent.rooms.len() == current.rooms.len()
            && self.sent.rooms.iter().zip(&current.rooms).all(is_same)
    }

    /// Returns the part of the difference to `current` that subscribers get, and records it as sent.
    pub(super) fn take(&mut self, mut current: LobbyView, now: Instant) -> LobbyChange {
        if now < self.details_at {
            self.retain_details(&mut current);
        } else {
            self.details_at = now + DETAILS_INTERVAL;
        }
        let change = self.sent.changes_to(&current);
        self.sent = current;
        change
    }

    /// Replaces the details in `current` with the details that were sent.
    fn retain_details(&self, current: &mut LobbyView) {
        for room in &mut current.rooms {
            if let Some(sent) = self.sent.room(room.room)
                && has_same_players(sent, room)
            {
                room.clone_from(sent);
            }
        }
        if current.seeks == self.sent.seeks && current.counts.waiting == self.sent.counts.waiting {
            current.counts = self.sent.counts;
        }
    }
}

/// Returns whether two entries of a room differ at most in details.
fn has_same_players(sent: &RoomListing, current: &RoomListing) -> bool {
    let RoomListing {
        room: _,
        rules: _,
        clock: _,
        phase,
        players,
        moves: _,
        spectators: _,
        open_seat,
    } = sent;
    (phase, players, open_seat) == (&current.phase, &current.players, &current.open_seat)
}

/// Returns the interval between a change and the next change. `total_bytes`: the bytes of this change and of whole
/// views, to all subscribers. The budgets of the subscribers limit the views that each of them gets.
fn interval_after(change_bytes: usize, total_bytes: usize, subscribers: usize) -> Duration {
    let (bytes, total_bytes, subscribers) =
        (change_bytes as u64, total_bytes as u64, subscribers as u64);
    let per_second =
        |amount: u64, rate: u64| Duration::from_millis(amount.saturating_mul(1000) / rate);
    [
        MIN_INTERVAL,
        per_second(bytes, MAX_BYTES_PER_SECOND),
        per_second(total_bytes, MAX_TOTAL_BYTES_PER_SECOND),
        per_second(subscribers, MAX_MESSAGES_PER_SECOND),
    ]
    .into_iter()
    .max()
    .expect("an array of four")
}

/// Reads the lobby of this server alone. If it is busy, the seeks are `last_seeks`.
pub(crate) async fn read_own_view(ctx: &ServerContext, last_seeks: &[ListedSeek]) -> LobbyView {
    let (sender, receiver) = oneshot::channel();
    let seeks = match ctx.lobby.try_send(LobbyMessage::ListSeeks(sender)) {
        Ok(()) => receiver.await.ok(),
        Err(code) => {
            debug!(%code, "cannot read seeks");
            None
        }
    };
    let population = &ctx.shared.population;
    let connections = |kind| population.connections(kind).get();
    LobbyView {
        rooms: ctx.shared.registry.list(),
        seeks: seeks.unwrap_or_else(|| last_seeks.to_vec()),
        counts: LobbyCounts {
            persons: connections(PlayerKind::Person),
            bots: connections(PlayerKind::Bot),
            waiting: u32::try_from(ctx.seek_count()).unwrap_or(u32::MAX),
            games: population.games.get(),
        },
    }
}

/// Adds the rooms, seeks and counts of the other nodes of a cluster.
pub(super) fn with_others(ctx: &ServerContext, own: LobbyView) -> LobbyView {
    match ctx.lobby_placement() {
        None => own,
        Some(placement) => placement.with_others(own),
    }
}

/// Returns the rooms and seeks to list. `own_seeks` are the seeks of this server.
pub(super) fn rooms_and_seeks(
    ctx: &ServerContext,
    own_seeks: Vec<ListedSeek>,
) -> (Vec<RoomListing>, Vec<ListedSeek>) {
    let rooms = ctx.shared.registry.list();
    let view = with_others(
        ctx,
        LobbyView {
            rooms,
            seeks: own_seeks,
            counts: LobbyCounts::default(),
        },
    );
    (view.rooms, view.seeks)
}
