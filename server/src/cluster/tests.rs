//! Tests of the whole log over a model that misbehaves as JetStream may.

mod archive;
mod players;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::{RoomId, Seq};
use tokio::sync::watch;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::cluster_log::ClusterLog;
use crate::cluster::log::append_budget::AppendBudget;
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::shard_writer::WriterShared;
use crate::cluster::log::take_over::{CorruptShard, TakeOver, take_over, try_take_over};
use crate::cluster::model::{ModelFaults, ModelGames, ModelLog, PlantedFault};
use crate::cluster::nodes::node_options::NodeOptions;
use crate::cluster::nodes::own_node_task::start_writer;
use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::shard::{Epoch, LogPosition, NodeId, Shard, ShardMap};
use crate::runtime::clock::ServerClock;
use crate::store::{Checkpoint, EventLog, LogError, SharedLog};
pub(super) use crate::tests::{event, room_secrets};
use players::{Journal, play_room};

const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Creates a room with one event.
async fn create_room(log: &ClusterLog, room: u64) {
    let events = vec![event(1, 1)];
    log.create(room_secrets(room), events).await.unwrap();
}

fn assert_unavailable<T: std::fmt::Debug>(result: &Result<T, LogError>) {
    assert!(
        matches!(result, Err(LogError::Unavailable(_))),
        "{result:?}"
    );
}

/// Returns a log without faults that has one shard.
fn one_shard() -> (Arc<ModelLog>, ShardMap, ServerClock) {
    (
        Arc::new(ModelLog::new(1, ModelFaults::NONE)),
        ShardMap::new(1).unwrap(),
        ServerClock::from_unix_ms(0),
    )
}

/// Starts a node. Its writers run in the current [`LocalSet`] until they end.
pub(super) async fn start_node(
    model: &Arc<ModelLog>,
    map: ShardMap,
    id: u8,
    time: &ServerClock,
) -> Arc<ClusterLog> {
    try_start_node(model, map, id, time).await.unwrap()
}

async fn try_start_node(
    model: &Arc<ModelLog>,
    map: ShardMap,
    id: u8,
    time: &ServerClock,
) -> Result<Arc<ClusterLog>, ClusterError> {
    let games = Arc::new(ModelGames::new(0, 0));
    let (table, shared, options) = node_parts(model, &games, map, id, time);
    for shard in map.shards() {
        let owned = take_over(&*shared.log, shard, options.node, || time.now()).await?;
        tokio::task::spawn_local(start_writer(owned, &shared, &options, &table));
    }
    Ok(Arc::new(ClusterLog::new(table, CancellationToken::new())))
}

/// Lets a node claim its first shard again.
pub(super) async fn claim_again(model: &Arc<ModelLog>, log: &ClusterLog) {
    let (games, time) = (
        Arc::new(ModelGames::new(0, 0)),
        ServerClock::from_unix_ms(1_000_000),
    );
    let (_, shared, options) = node_parts(model, &games, log.table().map(), 1, &time);
    let owned = take_over(&*shared.log, Shard(0), options.node, || time.now())
        .await
        .unwrap();
    tokio::task::spawn_local(start_writer(owned, &shared, &options, log.table()));
}

/// Returns the parts of a node, which owns no shard yet.
fn node_parts(
    model: &Arc<ModelLog>,
    games: &Arc<ModelGames>,
    map: ShardMap,
    id: u8,
    time: &ServerClock,
) -> (Arc<ShardTable>, WriterShared, NodeOptions) {
    let (log, games): (Arc<dyn ShardLog>, Arc<dyn GameStream>) = (model.clone(), games.clone());
    let (_, rivals) = watch::channel(());
    let budget = Arc::new(AppendBudget::new());
    let shared = WriterShared {
        log,
        games,
        budget,
        rivals,
        time: time.clone(),
    };
    (
        Arc::new(ShardTable::new(map)),
        shared,
        node_options(id, time),
    )
}

pub(super) fn node_options(id: u8, time: &ServerClock) -> NodeOptions {
    NodeOptions {
        node: NodeId([id; 16]),
        relay: RelayAddress::of_model(id.into(), 0),
        time: time.clone(),
        write_timeout: WRITE_TIMEOUT,
        settle_timeout: Duration::from_secs(60),
    }
}

/// Nodes replace each other while rooms play. Returns the violations that an auditor finds, and the number of attempts
/// to append.
async fn play_with_takeovers(seed: u64, faults: ModelFaults) -> (Vec<String>, u64) {
    let model = Arc::new(ModelLog::new(seed, faults));
    let map = ShardMap::new(2).unwrap();
    let time = ServerClock::from_unix_ms(1_000_000);
    let mut journal = Journal::default();
    let mut violations = Vec::new();
    for generation in 0..3u8 {
        let log = match try_start_node(&model, map, generation, &time).await {
            Ok(log) => log,
            Err(error) => return (vec![error.to_string()], model.appends()),
        };
        match log.recover().await {
            Ok(rooms) => violations.extend(journal.compare(&rooms)),
            // The node was replaced immediately, or the log does not answer.
            Err(_) => continue,
        }
        let rooms = (0..6).map(|room| {
            play_room(
                Arc::clone(&log),
                100 * u64::from(generation) + room,
                seed,
                journal.clone(),
            )
        });
        let rooms = futures::future::join_all(rooms);
        // The previous owner keeps running while the next owner takes over, like a process that was stopped and
        // continues.
        let finished = tokio::task::spawn_local(rooms);
        sleep(Duration::from_secs(5 + seed % 20)).await;
        if generation == 2 {
            finished.await.unwrap();
        }
    }
    // After this time, all delayed messages have arrived.
    sleep(Duration::from_secs(30)).await;
    for shard in map.shards() {
        violations.extend(model.audit(shard).err());
    }
    let appends = model.appends();
    match try_start_node(&model, map, 99, &time).await {
        Ok(log) => match log.recover().await {
            Ok(rooms) => violations.extend(journal.compare(&rooms)),
            Err(error) => violations.push(error.to_string()),
        },
        Err(error) => violations.push(error.to_string()),
    }
    (violations, appends)
}

#[tokio::test(start_paused = true)]
async fn a_log_that_misbehaves_loses_and_doubles_nothing() {
    let mut appends = 0;
    for seed in 0..60 {
        let faults = ModelFaults {
            percent: [0, 5, 30][seed as usize % 3],
            planted: None,
        };
        let (violations, attempts) = LocalSet::new()
            .run_until(play_with_takeovers(seed, faults))
            .await;
        assert!(violations.is_empty(), "seed {seed}: {violations:#?}");
        appends += attempts;
    }
    assert!(appends > 1000, "{appends}");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_ignores_the_expectation_is_found() {
    let faults = ModelFaults {
        percent: 30,
        planted: Some(PlantedFault::NoExpectation),
    };
    for seed in 0..100 {
        let (violations, _) = LocalSet::new()
            .run_until(play_with_takeovers(seed, faults))
            .await;
        if !violations.is_empty() {
            return;
        }
    }
    panic!("two owners wrote to one shard, and no check found it");
}

#[tokio::test(start_paused = true)]
async fn a_replaced_owner_answers_nothing() {
    let test = async {
        let (model, map, time) = one_shard();
        let former = start_node(&model, map, 1, &time).await;
        create_room(&former, 1).await;
        let owner = start_node(&model, map, 2, &time).await;
        owner
            .append(RoomId::from_bits(1), vec![event(2, 2)], None)
            .await
            .unwrap();
        // The previous owner still has an older state in its memory, but clients must not see it.
        let read = former.events_since(RoomId::from_bits(1), Seq::ZERO).await;
        assert_unavailable(&read);
        let confirmed = former.confirm(RoomId::from_bits(1)).await;
        assert_unavailable(&confirmed);
        assert_eq!(owner.confirm(RoomId::from_bits(1)).await, Ok(()));
        sleep(Duration::from_secs(1)).await;
        let append = former
            .append(RoomId::from_bits(1), vec![event(2, 9)], None)
            .await;
        assert_unavailable(&append);
        assert!(!former.is_healthy() && owner.is_healthy());
        let stored = owner.load(RoomId::from_bits(1)).await.unwrap();
        assert_eq!(stored.events, [event(1, 1), event(2, 2)]);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn jobs_are_rejected_at_once_while_the_log_does_not_answer() {
    let test = async {
        let (model, map, time) = one_shard();
        let log = start_node(&model, map, 1, &time).await;
        let room = RoomId::from_bits(1);
        create_room(&log, 1).await;
        model.interrupt(Duration::from_secs(8));
        let waiting = tokio::task::spawn_local({
            let log = Arc::clone(&log);
            async move { log.append(room, vec![event(2, 2)], None).await }
        });
        sleep(Duration::from_secs(2)).await;
        assert!(!log.is_healthy());
        let asked = Instant::now();
        let rejected = log.append(room, vec![event(2, 3)], None).await;
        assert_unavailable(&rejected);
        assert!(
            asked.elapsed() < Duration::from_millis(100),
            "{:?}",
            asked.elapsed()
        );
        // The job of the message that was sent waits for the result of the message.
        assert_eq!(waiting.await.unwrap(), Ok(()));
        assert!(log.is_healthy());
        assert_eq!(
            log.events_since(room, Seq::new(1)).await.unwrap(),
            [event(2, 2)]
        );
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_truncation_delays_no_append() {
    let test = async {
        let (model, map, time) = one_shard();
        model.slow_truncation(Duration::from_secs(2));
        let log = start_node(&model, map, 1, &time).await;
        let room = RoomId::from_bits(1);
        create_room(&log, 1).await;
        for seq in 2..400 {
            let started_at = Instant::now();
            log.append(room, vec![event(seq, seq)], None).await.unwrap();
            let checkpoint = Checkpoint {
                seq: Seq::new(seq),
                body: vec![b'x'; 20_000],
            };
            log.checkpoint(room, checkpoint).await.unwrap();
            assert!(
                started_at.elapsed() < Duration::from_secs(1),
                "event {seq}: {:?}",
                started_at.elapsed()
            );
            sleep(Duration::from_millis(20)).await;
        }
        assert!(
            model.stored(Shard(0))[0].0 > LogPosition(10),
            "the log was truncated"
        );
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn the_log_stays_small_and_complete() {
    let test = async {
        let (model, map, time) = one_shard();
        let log = start_node(&model, map, 1, &time).await;
        // Compaction must keep the entries of an idle room.
        create_room(&log, 1).await;
        let busy = RoomId::from_bits(2);
        create_room(&log, 2).await;
        let body = vec![b'x'; 20_000];
        for seq in 2..400 {
            log.append(busy, vec![event(seq, seq)], None).await.unwrap();
            log.checkpoint(
                busy,
                Checkpoint {
                    seq: Seq::new(seq),
                    body: body.clone(),
                },
            )
            .await
            .unwrap();
        }
        sleep(Duration::from_secs(5)).await;
        let stored: usize = model
            .stored(Shard(0))
            .iter()
            .map(|(_, message)| message.len())
            .sum();
        assert!(
            stored < 800_000,
            "{stored} bytes are stored, 8 MB were written"
        );
        assert!(
            model.stored(Shard(0))[0].0 > LogPosition(10),
            "the log was truncated"
        );
        let next = start_node(&model, map, 2, &time).await;
        assert_eq!(
            next.load(RoomId::from_bits(1)).await.unwrap().events,
            [event(1, 1)]
        );
        let found = next.load(busy).await.unwrap();
        assert_eq!(
            (found.last_seq(), found.checkpoint.unwrap().body),
            (Seq::new(399), body)
        );
        next.delete(busy).await.unwrap();
        assert_eq!(next.recover().await.unwrap().len(), 1);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_shard_is_not_claimed_while_the_log_lacks_its_latest_claim() {
    let test = async {
        let (model, map, time) = one_shard();
        let former = start_node(&model, map, 1, &time).await;
        create_room(&former, 1).await;
        let kept = model.stored(Shard(0));
        let try_claim = || try_take_over(&*model, Shard(0), NodeId([2; 16]), Some(Epoch(1)), || 0);
        model.damage(Shard(0), |messages| messages.clear());
        let claimed = try_claim().await.unwrap();
        assert!(matches!(claimed, TakeOver::Incomplete), "{claimed:?}");
        assert_eq!(model.stored(Shard(0)), []);
        // The log has all its messages again.
        model.damage(Shard(0), |messages| {
            messages.extend(
                kept.into_iter()
                    .map(|(at, bytes)| (at, (Duration::ZERO, bytes))),
            );
        });
        let TakeOver::Owned(owned) = try_claim().await.unwrap() else {
            panic!("the log is complete");
        };
        assert_eq!(owned.state.all_rooms().unwrap().len(), 1);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_damaged_shard_is_named() {
    LocalSet::new()
        .run_until(async {
            let map = ShardMap::new(1).unwrap();
            let time = ServerClock::from_unix_ms(0);
            let mut found = BTreeSet::new();
            for damage in 0..4 {
                let model = Arc::new(ModelLog::new(1, ModelFaults::NONE));
                let log = start_node(&model, map, 1, &time).await;
                for room in 1..5 {
                    create_room(&log, room).await;
                }
                model.damage(Shard(0), |messages| {
                    let keys: Vec<LogPosition> = messages.keys().copied().collect();
                    match damage {
                        0 => drop(messages.remove(&keys[0])),
                        1 => drop(messages.remove(&keys[2])),
                        2 => {
                            let (_, bytes) = messages.get_mut(&keys[2]).unwrap();
                            let mut flipped = bytes.to_vec();
                            flipped[30] ^= 1;
                            *bytes = flipped.into();
                        }
                        _ => {
                            let (_, bytes) = messages.get_mut(keys.last().unwrap()).unwrap();
                            *bytes = bytes.slice(..bytes.len() - 1);
                        }
                    }
                });
                let log: Arc<dyn ShardLog> = model;
                let CorruptShard { shard, reason } =
                    take_over(&*log, Shard(0), NodeId([2; 16]), || 0)
                        .await
                        .unwrap_err();
                assert_eq!(shard, Shard(0));
                found.insert(reason);
            }
            assert_eq!(found.len(), 4, "{found:?}");
        })
        .await;
}
