//! The streams of a cluster: names, creation, and the check of an existing one.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{Context, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use tokio::time::{Instant, sleep};
use tracing::{debug, info};

use crate::cluster::cluster_log::ClusterError;
use crate::cluster::shard::{Shard, ShardMap};

/// Number of streams. Each has a leader of its own: a failed server interrupts only the shards whose stream it led.
const STREAMS: u16 = 3;

/// Number of shards of a new cluster, unless the operator names another one.
const DEFAULT_SHARDS: u16 = 64;

/// Version of the stored messages.
const FORMAT: &str = "1";

const FORMAT_KEY: &str = "noughts_format";
const SHARDS_KEY: &str = "noughts_shards";

/// Time in which the streams must be available at the start. Longer than an election.
const SETUP_TIMEOUT: Duration = Duration::from_secs(30);

const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Names and configuration of the streams.
#[derive(Clone, Debug)]
pub(super) struct StreamSetup {
    name: String,
    replicas: usize,
}

impl StreamSetup {
    pub(super) fn new(name: &str, replicas: usize) -> StreamSetup {
        StreamSetup { name: name.to_owned(), replicas }
    }

    /// Name of the stream that contains a shard.
    pub(super) fn stream(&self, shard: Shard) -> String {
        self.stream_name(shard.0 % STREAMS)
    }

    fn stream_name(&self, number: u16) -> String {
        format!("{}_LOG_{number}", self.name.to_uppercase())
    }

    /// Subject of a shard.
    pub(super) fn subject(&self, shard: Shard) -> String {
        format!("{}.log.{}.{shard}", self.name, shard.0 % STREAMS)
    }

    fn config(&self, number: u16, shards: u16) -> Config {
        let metadata = [(FORMAT_KEY, FORMAT.to_owned()), (SHARDS_KEY, shards.to_string())];
        Config {
            name: self.stream_name(number),
            subjects: vec![format!("{}.log.{number}.*", self.name)],
            num_replicas: self.replicas,
            metadata: metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            ..expected_config()
        }
    }

    /// Checks the streams, and creates missing ones. Returns the shards. Repeats while the servers elect a leader.
    ///
    /// # Errors
    /// If a stream has another configuration, or the streams are not available in time.
    pub(super) async fn open_streams(
        &self,
        context: &Context,
        shards: Option<u16>,
    ) -> Result<ShardMap, ClusterError> {
        let began = Instant::now();
        // The first stream determines the number of shards, so that two nodes which start together agree on it.
        let mut count = shards;
        for number in 0..STREAMS {
            let config = loop {
                match self.open_stream(context, number, count.unwrap_or(DEFAULT_SHARDS)).await {
                    Ok(config) => break config,
                    Err(error) if began.elapsed() >= SETUP_TIMEOUT => return Err(ClusterError::Setup(error)),
                    Err(error) => {
                        debug!(error, "stream not available yet");
                        sleep(RETRY_DELAY).await;
                    }
                }
            };
            count = Some(self.check(&config, count)?);
        }
        let count = count.unwrap_or(DEFAULT_SHARDS);
        ShardMap::new(count).ok_or_else(|| {
            ClusterError::Setup(format!(
                "the number of shards must be a power of two up to 1024, not {count}"
            ))
        })
    }

    /// Reads the configuration of a stream, which is created if it is missing.
    async fn open_stream(&self, context: &Context, number: u16, shards: u16) -> Result<Config, String> {
        let name = self.stream_name(number);
        let error = match context.get_stream(&name).await {
            Ok(stream) => return Ok(stream.cached_info().config.clone()),
            Err(error) => error,
        };
        if let GetStreamErrorKind::JetStream(cause) = error.kind()
            && cause.error_code() == ErrorCode::STREAM_NOT_FOUND
        {
            let created = context.create_stream(self.config(number, shards)).await;
            let created = created.map_err(|error| format!("cannot create stream {name}: {error}"))?;
            info!(stream = name, replicas = self.replicas, "stream created");
            return Ok(created.cached_info().config.clone());
        }
        Err(format!("cannot read stream {name}: {error}"))
    }

    /// Refuses a stream that could lose messages. Returns the number of shards.
    fn check(&self, found: &Config, shards: Option<u16>) -> Result<u16, ClusterError> {
        let wrong = |what: String| ClusterError::Setup(format!("stream {}: {what}", found.name));
        let is_unlimited = |limit: i64| limit <= 0;
        let expected = expected_config();
        let conditions = [
            ("storage must be file", found.storage == expected.storage),
            ("retention must be limits", found.retention == expected.retention),
            ("discard must be new", found.discard == expected.discard),
            ("max-age must be unlimited", found.max_age.is_zero()),
            ("max-msgs must be unlimited", is_unlimited(found.max_messages)),
            ("max-msgs-per-subject must be unlimited", is_unlimited(found.max_messages_per_subject)),
            ("allow-direct must be off", !found.allow_direct),
            ("no-ack must be off", !found.no_ack),
            ("purge must be allowed", !found.deny_purge),
            ("it must not be sealed, a mirror, or have sources", is_original(found)),
        ];
        if let Some((what, _)) = conditions.into_iter().find(|(_, holds)| !holds) {
            return Err(wrong(what.into()));
        }
        if found.num_replicas < self.replicas {
            return Err(wrong(format!("{} replicas instead of {}", found.num_replicas, self.replicas)));
        }
        match metadata(found, FORMAT_KEY) {
            Some(FORMAT) => {}
            Some(later) => return Err(wrong(format!("format {later}, this server reads {FORMAT}"))),
            None => return Err(wrong("it was not created by noughts-server".into())),
        }
        let count = metadata(found, SHARDS_KEY).and_then(|count| count.parse().ok());
        match (count, shards) {
            (Some(count), Some(wanted)) if count != wanted => {
                Err(wrong(format!("the cluster has {count} shards, which cannot be changed to {wanted}")))
            }
            (Some(count), _) => Ok(count),
            (None, _) => Err(wrong("the number of shards is missing".into())),
        }
    }
}

/// Fields that every stream of a cluster has.
fn expected_config() -> Config {
    Config {
        retention: RetentionPolicy::Limits,
        storage: StorageType::File,
        // A full stream rejects new messages; the default would delete old ones.
        discard: DiscardPolicy::New,
        max_messages: -1,
        max_bytes: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        // Reads of other servers than the leader are stale.
        allow_direct: false,
        deny_delete: true,
        ..Config::default()
    }
}

fn is_original(config: &Config) -> bool {
    !config.sealed && config.mirror.is_none() && config.sources.as_ref().is_none_or(Vec::is_empty)
}

fn metadata<'c>(config: &'c Config, key: &str) -> Option<&'c str> {
    let metadata: &HashMap<String, String> = &config.metadata;
    metadata.get(key).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shard_has_a_subject_of_its_stream() {
        let setup = StreamSetup::new("noughts", 3);
        assert_eq!(setup.stream(Shard(4)), "NOUGHTS_LOG_1");
        assert_eq!(setup.subject(Shard(4)), "noughts.log.1.4");
        assert_eq!(setup.config(1, 64).subjects, ["noughts.log.1.*"]);
    }

    #[test]
    fn a_stream_that_could_lose_messages_is_refused() {
        let setup = StreamSetup::new("noughts", 3);
        let created = setup.config(0, 16);
        assert_eq!(setup.check(&created, None).unwrap(), 16);
        assert_eq!(setup.check(&created, Some(16)).unwrap(), 16);
        assert!(setup.check(&created, Some(32)).is_err());
        assert!(setup.check(&Config { num_replicas: 5, ..created.clone() }, None).is_ok());
        let refused: [&dyn Fn(&mut Config); 11] = [
            &|config| config.storage = StorageType::Memory,
            &|config| config.retention = RetentionPolicy::WorkQueue,
            &|config| config.discard = DiscardPolicy::Old,
            &|config| config.max_age = Duration::from_secs(1),
            &|config| config.max_messages = 1_000_000,
            &|config| config.max_messages_per_subject = 1000,
            &|config| config.allow_direct = true,
            &|config| config.sealed = true,
            &|config| config.num_replicas = 1,
            &|config| config.metadata.clear(),
            &|config| {
                config.metadata.insert(FORMAT_KEY.into(), "2".into());
            },
        ];
        for (index, change) in refused.iter().enumerate() {
            let mut config = created.clone();
            change(&mut config);
            assert!(setup.check(&config, None).is_err(), "change {index}");
        }
    }
}
