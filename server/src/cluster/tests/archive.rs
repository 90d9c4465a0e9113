//! Finished games reach their stream, even if nodes are killed between any two steps.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::*;
use crate::cluster::log::game_message::GameKey;
use crate::cluster::log::shard_writer::WriterEnd;
use crate::cluster::model::ModelGames;
use crate::runtime::sync::lock;
use crate::store::FinishedGame;

/// Number of games of each room.
const GAMES: u32 = 6;

/// A node that can be killed.
struct TestNode {
    log: Arc<ClusterLog>,
    writers: Vec<tokio::task::JoinHandle<(Shard, WriterEnd)>>,
}

impl TestNode {
    async fn start(
        model: &Arc<ModelLog>,
        games: &Arc<ModelGames>,
        map: ShardMap,
        id: u8,
        time: &ServerClock,
    ) -> TestNode {
        let (table, shared, options) = node_parts(model, games, map, id, time);
        let mut writers = Vec::new();
        for shard in map.shards() {
            let owned = take_over(&*shared.log, shard, options.node, || time.now())
                .await
                .unwrap();
            let writer = start_writer(owned, &shared, &options, &table);
            writers.push(tokio::task::spawn_local(writer));
        }
        TestNode {
            log: Arc::new(ClusterLog::new(table, CancellationToken::new())),
            writers,
        }
    }

    fn kill(self) {
        for writer in self.writers {
            writer.abort();
        }
    }
}

/// Ends games in one room. Records the games that the log has acknowledged.
async fn end_games(
    log: Arc<ClusterLog>,
    number: u64,
    seed: u64,
    ended: Arc<Mutex<BTreeSet<GameKey>>>,
) {
    let room = RoomId::from_bits(number);
    if log
        .create(room_secrets(number), vec![event(1, 1)])
        .await
        .is_err()
    {
        return;
    }
    for game in 1..=GAMES {
        sleep(Duration::from_millis(
            (seed * 37 + number * 91 + u64::from(game) * 53) % 400,
        ))
        .await;
        let seq = u64::from(game) + 1;
        let finished = FinishedGame {
            number: game,
            ended_at: seq,
            record: format!("record {game}"),
        };
        let key = GameKey::of(room, &finished);
        if log
            .append(room, vec![event(seq, seq)], Some(finished))
            .await
            .is_err()
        {
            return;
        }
        lock(&ended).insert(key);
    }
    // The games do not depend on their room; a deletion that fails changes nothing here.
    let (Ok(()) | Err(_)) = log.delete(room).await;
}

/// Kills nodes while games end. Returns the games that ended with an acknowledgement, and the published games with the
/// number of repetitions.
async fn end_games_with_kills(seed: u64) -> (BTreeSet<GameKey>, BTreeMap<GameKey, u32>) {
    let faults = ModelFaults {
        percent: [0, 5, 20][seed as usize % 3],
        planted: None,
    };
    let model = Arc::new(ModelLog::new(seed, faults));
    let games = Arc::new(ModelGames::new(seed, [0, 10, 50][seed as usize % 3]));
    let (map, time) = (
        ShardMap::new(2).unwrap(),
        ServerClock::from_unix_ms(1_000_000),
    );
    let ended = Arc::<Mutex<BTreeSet<GameKey>>>::default();
    for generation in 0..4u8 {
        let node = TestNode::start(&model, &games, map, generation, &time).await;
        for room in 0..4 {
            let number = 100 * u64::from(generation) + room;
            tokio::task::spawn_local(end_games(
                Arc::clone(&node.log),
                number,
                seed,
                Arc::clone(&ended),
            ));
        }
        sleep(Duration::from_millis(seed * 211 % 4000)).await;
        node.kill();
    }
    let last = TestNode::start(&model, &games, map, 99, &time).await;
    // This is longer than all retries together.
    sleep(Duration::from_secs(300)).await;
    last.kill();
    for shard in map.shards() {
        assert_eq!(model.audit(shard), Ok(()), "seed {seed}");
        let owned = take_over(&*model, shard, NodeId([100; 16]), || time.now())
            .await
            .unwrap();
        assert!(
            !owned.state.has_waiting_games(),
            "seed {seed}: a published game is not recorded as archived"
        );
    }
    let ended = lock(&ended).clone();
    (ended, games.published())
}

#[tokio::test(start_paused = true)]
async fn every_finished_game_is_published_although_nodes_are_killed() {
    let (mut count, mut repeated) = (0, 0);
    for seed in 0..60 {
        let (ended, published) = LocalSet::new().run_until(end_games_with_kills(seed)).await;
        let missing: Vec<&GameKey> = ended
            .iter()
            .filter(|key| !published.contains_key(key))
            .collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?}");
        count += ended.len();
        repeated += published.values().filter(|count| **count > 1).count();
    }
    assert!(count > 1000, "{count} games ended");
    // If few games were repeated, hardly any node was killed between a publication and its record, and the test would
    // prove little.
    assert!(repeated > 20, "{repeated} games were published twice");
}

#[tokio::test(start_paused = true)]
async fn moves_do_not_wait_for_the_stream_of_games() {
    LocalSet::new()
        .run_until(async {
            let model = Arc::new(ModelLog::new(1, ModelFaults::NONE));
            let games = Arc::new(ModelGames::new(1, 100));
            let (map, time) = (ShardMap::new(1).unwrap(), ServerClock::from_unix_ms(0));
            let node = TestNode::start(&model, &games, map, 1, &time).await;
            let room = RoomId::from_bits(1);
            create_room(&node.log, 1).await;
            for seq in 2..200 {
                let number = u32::try_from(seq).unwrap();
                let finished = FinishedGame {
                    number,
                    ended_at: seq,
                    record: "record".into(),
                };
                let began = tokio::time::Instant::now();
                node.log
                    .append(room, vec![event(seq, seq)], Some(finished))
                    .await
                    .unwrap();
                assert!(
                    began.elapsed() < Duration::from_millis(100),
                    "{:?}",
                    began.elapsed()
                );
            }
            sleep(Duration::from_secs(600)).await;
            node.kill();
            let owned = take_over(&*model, Shard(0), NodeId([2; 16]), || 0)
                .await
                .unwrap();
            assert_eq!(
                owned.state.waiting_games().count(),
                198,
                "no attempt was acknowledged"
            );
        })
        .await;
}
