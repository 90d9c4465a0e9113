use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::Phase;
use noughts_protocol::wire::LobbyCounts;

use super::*;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::meters::ByteBudgets;
use crate::lobby::handle::{feed_channel, lobby_channel};
use crate::room::handle::RoomHandle;
use crate::runtime::clock::ServerClock;
use crate::runtime::rng::ServerRng;
use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};
use crate::store::MemoryLog;
use crate::tests::{listed_seek, listing};

const QUEUE_CAPACITY: usize = 4;
/// Part of the queue that the feed may fill.
const MAX_WAITING: usize = QUEUE_CAPACITY / 2 + 1;

fn feed() -> Feed {
    // No task runs the lobby, so the list of seeks does not change.
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

async fn subscribe(feed: &mut Feed, connection: u64) -> SendQueueReceiver<RoomHandle> {
    let address = IpAddr::from([192, 0, 2, connection as u8]);
    let budget = feed
        .ctx
        .lobby_budgets
        .of_client(ClientPrefix::from_ip(address));
    subscribe_with(feed, connection, budget).await
}

async fn subscribe_with(
    feed: &mut Feed,
    connection: u64,
    budget: ByteBudget,
) -> SendQueueReceiver<RoomHandle> {
    let (send_queue, receiver) = without_stream(QUEUE_CAPACITY);
    feed.subscribe(
        ConnectionId(connection),
        RequestId::new(1).expect("a number"),
        send_queue,
        budget,
    )
    .await;
    receiver
}

/// Returns the types of the queued messages.
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
    // Nothing has changed since the last change was sent.
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

fn view(moves: u32, phase: Phase, seeks: u64) -> LobbyView {
    let counts = LobbyCounts {
        games: moves,
        ..LobbyCounts::default()
    };
    LobbyView {
        rooms: vec![listing(1, phase, moves)],
        seeks: (0..seeks).map(|seek| listed_seek(seek, 0)).collect(),
        counts,
    }
}

#[test]
fn entries_differ_by_rooms_players_and_seeks_only() {
    let changes = LobbyChanges::new(view(0, Phase::Waiting, 1), Instant::now());
    let mut joined = view(0, Phase::Waiting, 1);
    joined.rooms[0].open_seat = match joined.rooms[0].open_seat {
        Some(_) => None,
        None => Some(noughts_protocol::Seat::O),
    };
    for (current, is_same) in [
        (view(5, Phase::Waiting, 1), true),
        (view(0, Phase::Playing, 1), false),
        (view(0, Phase::Waiting, 2), false),
        (joined, false),
    ] {
        assert_eq!(changes.has_same_entries(&current), is_same, "{current:?}");
    }
}

#[test]
fn details_wait_for_their_interval() {
    let start = Instant::now();
    let mut changes = LobbyChanges::new(view(0, Phase::Waiting, 0), start);
    assert!(
        changes.take(view(1, Phase::Waiting, 0), start).is_empty(),
        "a move alone"
    );
    let sought = changes.take(view(1, Phase::Waiting, 1), start);
    assert_eq!((sought.seeks.len(), sought.rooms.len()), (1, 0));
    assert_eq!(
        sought.counts.map(|counts| counts.games),
        Some(1),
        "counts come with other changes"
    );
    let started = changes.take(view(2, Phase::Playing, 1), start);
    assert_eq!(started.rooms[0].moves, 2);
    assert!(changes.take(view(3, Phase::Playing, 1), start).is_empty());
    let later = changes.take(view(3, Phase::Playing, 1), start + DETAILS_INTERVAL);
    assert_eq!(later.rooms[0].moves, 3);
    assert_eq!(later.counts.map(|counts| counts.games), Some(3));
    assert_eq!(*changes.sent(), view(3, Phase::Playing, 1));
}

#[test]
fn large_messages_and_many_subscribers_slow_the_pace() {
    let second = Duration::from_secs(1);
    assert_eq!(interval_after(200, 200_000, 1000), MIN_INTERVAL);
    assert_eq!(interval_after(16 * 1024, 16 * 1024, 1), second);
    assert_eq!(interval_after(8 * 1024, 16 << 20, 2048), 2 * second);
    assert_eq!(interval_after(100, 1_000_000, 10_000), second);
}
