//! A [`GameStream`] in memory that misbehaves, for tests.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;
use tokio_util::bytes::Bytes;

use crate::cluster::log::game_message::{GameKey, GameMessage};
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::ShardLogError;
use crate::cluster::shard::Shard;
use crate::runtime::sync::lock;

/// Maximum duration of an attempt to publish. It is long enough that the end of a node interrupts some attempts.
const MAX_DURATION: Duration = Duration::from_secs(2);

/// Published finished games, and how often each was published. A share of the attempts to publish fails, although some
/// of the failed attempts have published their game.
#[derive(Debug)]
pub(crate) struct ModelGames {
    state: Mutex<ModelGamesState>,
    failing_percent: u32,
}

#[derive(Debug)]
struct ModelGamesState {
    rng: StdRng,
    published: BTreeMap<GameKey, u32>,
}

impl ModelGames {
    pub(crate) fn new(seed: u64, failing_percent: u32) -> ModelGames {
        let state = ModelGamesState {
            rng: StdRng::seed_from_u64(seed),
            published: BTreeMap::new(),
        };
        ModelGames {
            state: Mutex::new(state),
            failing_percent,
        }
    }

    /// Returns the published games, and how often each was published.
    #[cfg(test)]
    pub(crate) fn published(&self) -> BTreeMap<GameKey, u32> {
        lock(&self.state).published.clone()
    }
}

impl GameStream for ModelGames {
    fn publish(
        &self,
        _: Shard,
        message_id: String,
        message: Bytes,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        async move {
            let (delays, fails, is_stored) = {
                let rng = &mut lock(&self.state).rng;
                let fails = rng.random_range(0..100) < self.failing_percent;
                let delays = [(); 2].map(|()| MAX_DURATION.mul_f64(rng.random::<f64>() / 2.0));
                (delays, fails, !fails || rng.random())
            };
            sleep(delays[0]).await;
            if is_stored {
                let GameMessage { room, game } =
                    GameMessage::parse(&message).expect("a finished game");
                let key = GameKey::of(room, &game);
                assert_eq!(key.message_id(), message_id);
                *lock(&self.state).published.entry(key).or_default() += 1;
            }
            sleep(delays[1]).await;
            if fails {
                Err(ShardLogError::Unknown)
            } else {
                Ok(())
            }
        }
        .boxed()
    }
}
