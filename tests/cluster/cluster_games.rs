//! Games of random players on the nodes of a cluster.

use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use noughts_protocol::{RoomId, Seq};
use noughts_server::ServerConfig;
use noughts_server::testing::{ServerClock, open_cluster};
use noughts_tests::client::crash_player::CrashPlayer;
use noughts_tests::oracle::observations::Observations;
use noughts_tests::server::NatsServers;
use noughts_tests::wait::{wait_until_timeout, with_timeout};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::node::RECOVERY_TIMEOUT;

const PAIRS: usize = 8;

/// Events that show that a room is played.
const EVENTS_OF_A_ROOM: u64 = 10;

/// Players, and what they have seen.
pub(crate) struct ClusterGames {
    pub(crate) observations: Arc<Observations>,
    pub(crate) url: watch::Sender<Option<String>>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl ClusterGames {
    /// Starts games on nodes whose addresses are separated by commas.
    pub(crate) async fn start(urls: &str) -> ClusterGames {
        let observations = Arc::new(Observations::default());
        let url = watch::Sender::new(Some(urls.to_owned()));
        let players = CrashPlayer::start_pairs(PAIRS, 17, &observations, &url).await;
        let spawn = |player: CrashPlayer| tokio::spawn(player.allow_outages().run(url.subscribe()));
        let tasks = players.into_iter().map(spawn).collect();
        ClusterGames {
            observations,
            url,
            tasks,
        }
    }

    /// Waits until all players have resumed `resumes` times and play. Returns the time that it took.
    pub(crate) async fn wait_for_play(&self, resumes: usize, what: &str) -> Duration {
        let began = Instant::now();
        let mut before = None;
        wait_until_timeout(RECOVERY_TIMEOUT, ("all players play", what), async || {
            assert!(
                !self.tasks.iter().any(|task| task.is_finished()),
                "a player failed"
            );
            if self.observations.seated_count() < 2 * PAIRS * (resumes + 1) {
                return None;
            }
            // Each room, since a failed NATS server interrupts some of them.
            let seqs = self.observations.last_sent_seqs();
            let before = before.get_or_insert_with(|| seqs.clone());
            let plays = |(room, seq): (&RoomId, &Seq)| {
                seq.get() >= before.get(room).map_or(0, |before| before.get()) + EVENTS_OF_A_ROOM
            };
            seqs.iter().all(plays).then_some(())
        })
        .await;
        began.elapsed()
    }

    pub(crate) async fn wait_for_end(&mut self) {
        for task in self.tasks.drain(..) {
            with_timeout("a player's end", task)
                .await
                .expect("no player reported a violation");
        }
    }

    /// Reads the games from the cluster, which no node serves, and compares them with what the players have seen.
    pub(crate) async fn check_log(&self, nats: &NatsServers) {
        self.check_log_with(nats, ["--cluster-shards", "8"], 1)
            .await;
    }

    /// [`ClusterGames::check_log`] after several faults.
    pub(crate) async fn check_log_with(
        &self,
        nats: &NatsServers,
        shard_flags: [&'static str; 2],
        faults: u64,
    ) {
        let servers = nats.urls();
        let open = move || {
            let flags = [&["noughts-server", "--cluster", &servers][..], &shard_flags].concat();
            open_cluster(&ServerConfig::parse_from(flags), &ServerClock::start())
        };
        let log = tokio::task::spawn_blocking(open).await.expect("no panic");
        let log = log
            .expect("the cluster is complete")
            .expect("a cluster is named");
        let rooms = log.recover().await.expect("the shards are owned");
        self.observations.check_after_faults(&rooms, faults);
        tokio::task::spawn_blocking(move || drop(log))
            .await
            .expect("no panic");
    }
}
