//! Sends the lobby to its subscribers: the whole view first, then changes at a fixed pace.
//!
//! One task reads the list of rooms and asks the lobby for its seeks, only while there are subscribers: neither a move nor
//! a seek costs anything for them. A change is encoded once. A subscriber whose queue is half full misses changes, and gets
//! the whole view when it has read.

use noughts_protocol::wire::{LobbyCounts, LobbyView, Message, Reject, RejectCode};
use noughts_protocol::{PlayerKind, RequestId};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::changes::{LobbyChanges, MIN_INTERVAL, interval_after};
use super::handle::{FeedMessage, LobbyMessage};
use crate::room::handle::{MemberId, MemberQueue};
use crate::runtime::context::ServerContext;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

/// Maximum number of subscribers.
const MAX_SUBSCRIBERS: usize = 10_000;

/// Number of subscribers that get a message before other tasks of the thread run.
const SUBSCRIBERS_PER_TURN: usize = 64;

#[derive(Debug)]
struct Subscriber {
    member: MemberId,
    send_queue: MemberQueue,
    /// Has missed a change, and gets the whole view next.
    is_behind: bool,
}

struct Feed {
    ctx: ServerContext,
    subscribers: Vec<Subscriber>,
    changes: LobbyChanges,
}

/// Runs the feed until `stop` is cancelled. The caller spawns it.
pub(crate) async fn run(ctx: ServerContext, mut inbox: mpsc::Receiver<FeedMessage>, stop: CancellationToken) {
    let now = Instant::now();
    let mut feed =
        Feed { ctx, subscribers: Vec::new(), changes: LobbyChanges::new(LobbyView::default(), now) };
    let mut next_at = now;
    loop {
        let message = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            message = inbox.recv() => message,
            () = sleep_until(next_at), if !feed.subscribers.is_empty() => {
                let bytes = feed.send_change().await;
                next_at = Instant::now() + interval_after(bytes, feed.subscribers.len());
                continue;
            }
        };
        match message {
            None => return,
            Some(FeedMessage::Subscribe(member, re, send_queue)) => {
                if feed.subscribers.is_empty() {
                    let view = feed.current_view().await;
                    feed.changes = LobbyChanges::new(view, Instant::now());
                    next_at = Instant::now() + MIN_INTERVAL;
                }
                feed.subscribe(member, re, send_queue);
            }
            Some(FeedMessage::Unsubscribe(member, re, send_queue)) => {
                feed.subscribers.retain(|subscriber| subscriber.member != member);
                send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
            }
        }
    }
}

impl Feed {
    fn subscribe(&mut self, member: MemberId, re: RequestId, send_queue: MemberQueue) {
        let known = self.subscribers.iter().position(|subscriber| subscriber.member == member);
        if known.is_none() && self.subscribers.len() >= MAX_SUBSCRIBERS {
            self.subscribers.retain(|subscriber| !subscriber.send_queue.is_closed());
        }
        if known.is_none() && self.subscribers.len() >= MAX_SUBSCRIBERS {
            let reject = Reject::new(RejectCode::ServerFull).detail("too many subscriptions");
            self.ctx.shared.metrics.count_reject(reject.code);
            send_queue.send_reply(Outgoing::message(&Message::Reject { re: Some(re), reject }));
            return;
        }
        let frame = self.view_frame(Some(re));
        self.ctx.set_room_list_size(frame.bytes().len());
        send_queue.send_priced_reply(Outgoing::Text(frame));
        match known {
            Some(at) => self.subscribers[at].is_behind = false,
            None => self.subscribers.push(Subscriber { member, send_queue, is_behind: false }),
        }
    }

    /// Sends what has changed to the subscribers, and the whole view to those that missed a change. Returns the size of
    /// the largest message.
    async fn send_change(&mut self) -> usize {
        self.subscribers.retain(|subscriber| !subscriber.send_queue.is_closed());
        let current = self.current_view().await;
        let change = self.changes.take(current, Instant::now());
        let at = self.ctx.shared.time.now();
        let has_changed = !change.is_empty();
        let change_frame = has_changed.then(|| EncodedFrame::from(&Message::LobbyChanged { at, change }));
        let is_any_behind = self.subscribers.iter().any(|subscriber| subscriber.is_behind);
        let view_frame = is_any_behind.then(|| self.view_frame(None));
        for turn in self.subscribers.chunks_mut(SUBSCRIBERS_PER_TURN) {
            for subscriber in turn {
                let frame = if subscriber.is_behind { &view_frame } else { &change_frame };
                let Some(frame) = frame else { continue };
                let outcome = subscriber.send_queue.send_lossy(Outgoing::Text(frame.clone()));
                subscriber.is_behind = outcome == SendOutcome::Full;
            }
            tokio::task::yield_now().await;
        }
        let sizes = [change_frame, view_frame].into_iter().flatten().map(|frame| frame.bytes().len());
        sizes.max().unwrap_or(0)
    }

    /// Encodes the view that subscribers have.
    fn view_frame(&self, re: Option<RequestId>) -> EncodedFrame {
        let (at, view) = (self.ctx.shared.time.now(), self.changes.sent().clone());
        EncodedFrame::from(&Message::Lobby { re, at, view })
    }

    /// Reads the lobby. If the lobby is busy, the seeks are those that were sent.
    async fn current_view(&self) -> LobbyView {
        let (sender, receiver) = oneshot::channel();
        let seeks = match self.ctx.lobby.try_send(LobbyMessage::ListSeeks(sender)) {
            Ok(()) => receiver.await.ok(),
            Err(code) => {
                debug!(%code, "seeks not read");
                None
            }
        };
        let shared = &self.ctx.shared;
        let population = &shared.population;
        let connections = |kind| population.connections(kind).get();
        LobbyView {
            rooms: shared.registry.list(),
            seeks: seeks.unwrap_or_else(|| self.changes.sent().seeks.clone()),
            counts: LobbyCounts {
                people: connections(PlayerKind::Human),
                bots: connections(PlayerKind::Bot),
                waiting: u32::try_from(self.ctx.seek_count()).unwrap_or(u32::MAX),
                games: population.games.get(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ServerLimits;
    use crate::lobby::handle::{feed_channel, lobby_channel};
    use crate::room::handle::RoomHandle;
    use crate::runtime::rng::ServerRng;
    use crate::runtime::time::server_clock::ServerClock;
    use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};
    use crate::store::MemoryLog;

    const QUEUE_CAPACITY: usize = 4;
    /// Part of the queue that the feed may fill.
    const MAX_WAITING: usize = QUEUE_CAPACITY / 2 + 1;

    fn feed() -> Feed {
        // Without a lobby: the seeks stay as they are.
        let ((lobby, _), (feed, _)) = (lobby_channel(1), feed_channel(1));
        let (limits, log) = (ServerLimits::default(), Arc::new(MemoryLog::default()));
        let (rng, clock) = (ServerRng::from_seed(1), ServerClock::from_unix_ms(1));
        let ctx = ServerContext::new(limits, log, rng, clock, lobby, feed);
        let changes = LobbyChanges::new(LobbyView::default(), Instant::now());
        Feed { ctx, subscribers: Vec::new(), changes }
    }

    fn subscribe(feed: &mut Feed, member: u64) -> SendQueueReceiver<RoomHandle> {
        let (send_queue, receiver) = without_stream(QUEUE_CAPACITY);
        feed.subscribe(MemberId(member), RequestId::new(1).expect("a number"), send_queue);
        receiver
    }

    /// The types of the queued messages.
    fn received(receiver: &mut SendQueueReceiver<RoomHandle>) -> Vec<&'static str> {
        let mut types = Vec::new();
        while let Some(QueueEvent::Outgoing(Outgoing::Text(frame))) = receiver.try_next() {
            let text = String::from_utf8_lossy(frame.bytes()).into_owned();
            types.push(if text.contains(r#""type":"lobby_changed""#) {
                "change"
            } else if text.contains(r#""type":"lobby","re""#) {
                "answer"
            } else {
                "view"
            });
        }
        types
    }

    #[tokio::test]
    async fn a_slow_subscriber_gets_the_whole_view_when_it_has_read() {
        let mut feed = feed();
        let (mut slow, mut fast) = (subscribe(&mut feed, 1), subscribe(&mut feed, 2));
        assert_eq!((received(&mut slow), received(&mut fast)), (vec!["answer"], vec!["answer"]));
        for seeks in 1..=MAX_WAITING + 2 {
            feed.ctx.set_seek_count(seeks);
            assert!(feed.send_change().await > 0);
            assert_eq!(received(&mut fast), ["change"]);
        }
        assert_eq!(received(&mut slow), vec!["change"; MAX_WAITING]);
        // Nothing has changed since.
        assert!(feed.send_change().await > 0);
        assert_eq!((received(&mut slow), received(&mut fast)), (vec!["view"], vec![]));
        assert_eq!(feed.send_change().await, 0);
        assert_eq!((received(&mut slow), received(&mut fast)), (vec![], vec![]));
    }

    #[tokio::test]
    async fn ended_connections_are_forgotten() {
        let mut feed = feed();
        drop(subscribe(&mut feed, 1));
        let _second = subscribe(&mut feed, 2);
        feed.send_change().await;
        assert_eq!(feed.subscribers.len(), 1);
    }
}
