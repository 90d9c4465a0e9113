//! Sends the lobby to its subscribers: the whole view first, then changes at a fixed pace.
//!
//! One task reads the list of rooms and asks the lobby for its seeks, only while there are subscribers: neither a move nor
//! a seek costs anything for them. A change is encoded once. A subscriber whose queue is half full misses changes, and gets
//! the whole view when it has read; so does one whose budget is exhausted, when the budget allows it.
//!
//! The response to a subscription contains the rooms and seeks of that moment, so also what the client itself did before. If
//! they are not those that were sent, the changes that follow start from an older view: the subscriber gets the whole view with
//! the next change.

use noughts_protocol::RequestId;
use noughts_protocol::wire::{LobbyView, Message, Reject, RejectCode};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::changes::{LobbyChanges, MIN_INTERVAL, interval_after};
use super::handle::FeedMessage;
use super::view::{read_own_view, with_others};
use crate::limits::meters::ByteBudget;
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
    /// Pays for the messages that it did not request.
    budget: ByteBudget,
    /// Time of the first change that it missed: it gets the whole view next.
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
            // Before the messages: each of them takes a round trip to the lobby.
            () = sleep_until(next_at), if !feed.subscribers.is_empty() => {
                let sent = feed.send_change().await;
                next_at = Instant::now() + interval_after(sent.change, sent.total, feed.subscribers.len());
                continue;
            }
            message = inbox.recv() => message,
        };
        match message {
            None => return,
            Some(FeedMessage::Subscribe(member, re, send_queue, budget)) => {
                if feed.subscribers.is_empty() {
                    next_at = Instant::now() + MIN_INTERVAL;
                }
                feed.subscribe(member, re, send_queue, budget).await;
            }
            Some(FeedMessage::Unsubscribe(member, re, send_queue)) => {
                feed.subscribers
                    .retain(|subscriber| subscriber.member != member);
                send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
            }
        }
    }
}

impl Subscriber {
    /// Sends a message at server time `now`, unless the queue is half full or the budget is exhausted. Returns whether it
    /// was sent.
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
        member: MemberId,
        re: RequestId,
        send_queue: MemberQueue,
        budget: ByteBudget,
    ) {
        let known = self
            .subscribers
            .iter()
            .position(|subscriber| subscriber.member == member);
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
                member,
                send_queue,
                budget,
                behind_since,
            }),
        }
    }

    /// Sends what has changed to the subscribers, and the whole view to those that missed a change.
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
        // Subscribers of one network share a budget: the one that has waited longest comes first.
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

    /// Reads the lobby. If the lobby is busy, the seeks are those that were sent.
    async fn current_view(&self) -> LobbyView {
        with_others(
            &self.ctx,
            read_own_view(&self.ctx, &self.changes.sent().seeks).await,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::limits::client_prefix::ClientPrefix;
    use crate::limits::meters::ByteBudgets;
    use crate::lobby::handle::{feed_channel, lobby_channel};
    use crate::room::handle::RoomHandle;
    use crate::runtime::clock::ServerClock;
    use crate::runtime::rng::ServerRng;
    use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};
    use crate::store::MemoryLog;

    const QUEUE_CAPACITY: usize = 4;
    /// Part of the queue that the feed may fill.
    const MAX_WAITING: usize = QUEUE_CAPACITY / 2 + 1;

    fn feed() -> Feed {
        // Without a lobby: the seeks stay as they are.
        let ((lobby, _), (feed, _)) = (lobby_channel(1), feed_channel(1));
        let (limits, log) = (Arc::default(), Arc::new(MemoryLog::default()));
        let (rng, clock) = (ServerRng::from_seed(1), ServerClock::from_unix_ms(1));
        let ctx = ServerContext::new(limits, log, rng, clock, lobby, feed);
        let changes = LobbyChanges::new(LobbyView::default(), Instant::now());
        Feed {
            ctx,
            subscribers: Vec::new(),
            changes,
        }
    }

    async fn subscribe(feed: &mut Feed, member: u64) -> SendQueueReceiver<RoomHandle> {
        let address = IpAddr::from([192, 0, 2, member as u8]);
        let budget = feed
            .ctx
            .lobby_budgets
            .of_client(ClientPrefix::from_ip(address));
        subscribe_with(feed, member, budget).await
    }

    async fn subscribe_with(
        feed: &mut Feed,
        member: u64,
        budget: ByteBudget,
    ) -> SendQueueReceiver<RoomHandle> {
        let (send_queue, receiver) = without_stream(QUEUE_CAPACITY);
        feed.subscribe(
            MemberId(member),
            RequestId::new(1).expect("a number"),
            send_queue,
            budget,
        )
        .await;
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
        let (mut slow, mut fast) = (subscribe(&mut feed, 1).await, subscribe(&mut feed, 2).await);
        assert_eq!(
            (received(&mut slow), received(&mut fast)),
            (vec!["answer"], vec!["answer"])
        );
        for seeks in 1..=MAX_WAITING + 2 {
            feed.ctx.set_seek_count(seeks);
            assert!(feed.send_change().await.change > 0);
            assert_eq!(received(&mut fast), ["change"]);
        }
        assert_eq!(received(&mut slow), vec!["change"; MAX_WAITING]);
        // Nothing has changed since.
        let sent = feed.send_change().await;
        assert!(sent.change == 0 && sent.total > 0);
        assert_eq!(
            (received(&mut slow), received(&mut fast)),
            (vec!["view"], vec![])
        );
        assert_eq!(
            feed.send_change().await,
            SentBytes {
                change: 0,
                total: 0
            }
        );
        assert_eq!((received(&mut slow), received(&mut fast)), (vec![], vec![]));
    }

    #[tokio::test(start_paused = true)]
    async fn subscribers_without_budget_get_the_whole_view_in_turn() {
        let mut feed = feed();
        let budgets = ByteBudgets::new(1);
        let client = ClientPrefix::from_ip(IpAddr::from([198, 51, 100, 1]));
        let mut poor = [
            subscribe_with(&mut feed, 1, budgets.of_client(client)).await,
            subscribe_with(&mut feed, 2, budgets.of_client(client)).await,
        ];
        let mut other = subscribe(&mut feed, 3).await;
        let start = feed.ctx.shared.time.now();
        let exhausted = budgets.of_client(client);
        while exhausted.try_charge(100, start) {}
        for receiver in poor.iter_mut().chain([&mut other]) {
            assert_eq!(received(receiver), ["answer"]);
        }
        feed.ctx.set_seek_count(1);
        assert!(feed.send_change().await.change > 0);
        assert_eq!(received(&mut other), ["change"]);
        assert_eq!(
            poor.each_mut().map(received),
            [vec![], vec![]] as [Vec<&str>; 2]
        );
        // Each view exhausts the budget again.
        let mut views = [0, 0];
        for _ in 0..4 {
            let wait_ms = exhausted.wait_ms(feed.ctx.shared.time.now());
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
            assert!(feed.send_change().await.total > 0);
            let got = poor.each_mut().map(|receiver| received(receiver).len());
            assert_eq!(got[0] + got[1], 1);
            views = [views[0] + got[0], views[1] + got[1]];
            feed.ctx.set_seek_count(2 + views[0] + views[1]);
            feed.send_change().await;
        }
        assert_eq!(views, [2, 2]);
    }

    #[tokio::test]
    async fn ended_connections_are_forgotten() {
        let mut feed = feed();
        drop(subscribe(&mut feed, 1).await);
        let _second = subscribe(&mut feed, 2).await;
        feed.send_change().await;
        assert_eq!(feed.subscribers.len(), 1);
    }
}
