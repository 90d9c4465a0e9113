//! The streams of a cluster: names, creation, and the check of existing streams.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{Context, GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use tokio::time::{Instant, sleep};
use tracing::{debug, info};

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::shard::{Shard, ShardMap};

/// Number of streams. Each has a leader of its own, so that a failed server interrupts only the shards of the streams
/// that it led.
pub(super) const STREAMS: u16 = 3;

/// Number of shards of a new cluster, unless the operator sets it.
const DEFAULT_SHARDS: u16 = 64;

/// Format of the stored messages: the only format that this program reads and writes.
const FORMAT: &str = "3";

/// Maximum number of finished games in their stream; the oldest are deleted.
const MAX_GAMES: i64 = 1_000_000;

const FORMAT_KEY: &str = "noughts_format";
const SHARDS_KEY: &str = "noughts_shards";

/// Maximum time until the streams are available at the start. Longer than an election.
pub(super) const SETUP_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Names and configuration of the streams.
#[derive(Clone, Debug)]
pub(super) struct StreamSetup {
    name: String,
    replicas: usize,
    /// Streams without metadata are accepted: old versions of NATS drop it. Set by tests only.
    pub(super) accepts_missing_metadata: bool,
}

impl StreamSetup {
    pub(super) fn new(name: &str, replicas: usize) -> StreamSetup {
        StreamSetup {
            name: name.to_owned(),
            replicas,
            accepts_missing_metadata: false,
        }
    }

    /// Returns the name of the stream that contains a shard.
    pub(super) fn stream(&self, shard: Shard) -> String {
        self.stream_name(shard.0 % STREAMS)
    }

    /// Returns the names of the move streams.
    pub(super) fn log_streams(&self) -> impl Iterator<Item = String> {
        (0..STREAMS).map(|number| self.stream_name(number))
    }

    /// Returns the number of servers that store each stream.
    pub(super) fn replicas(&self) -> usize {
        self.replicas
    }

    /// Reads the shards of a cluster that exists. Retries for a limited time, for example while the servers elect a
    /// leader.
    ///
    /// # Errors
    /// If the cluster does not exist or has another configuration, or does not respond in time.
    pub(super) async fn read_shards(&self, context: &Context) -> Result<ShardMap, ClusterError> {
        let (name, began) = (self.stream_name(0), Instant::now());
        let missing = || {
            ClusterError::Setup(format!(
                "stream {name} does not exist: no node has been started"
            ))
        };
        let found = loop {
            match context.get_stream(&name).await {
                Ok(stream) => break stream.cached_info().config.clone(),
                Err(error) if is_missing(&error) => return Err(missing()),
                Err(error) if began.elapsed() >= SETUP_TIMEOUT => {
                    return Err(ClusterError::Setup(format!(
                        "cannot read stream {name}: {error}"
                    )));
                }
                Err(_) => sleep(RETRY_DELAY).await,
            }
        };
        let count = self.check(&found, None)?;
        ShardMap::new(count).ok_or_else(|| wrong_shard_count(count))
    }

    fn stream_name(&self, number: u16) -> String {
        format!("{}_LOG_{number}", self.name.to_uppercase())
    }

    /// Returns the name of the stream of finished games.
    pub(super) fn games_stream(&self) -> String {
        format!("{}_GAMES", self.name.to_uppercase())
    }

    /// Returns the subject of the finished games of a shard.
    pub(super) fn games_subject(&self, shard: Shard) -> String {
        format!("{}.games.{shard}", self.name)
    }

    /// Returns the name of the stream of imported codes.
    pub(super) fn codes_stream(&self) -> String {
        format!("{}_CODES", self.name.to_uppercase())
    }

    /// Returns the subject of the imported codes.
    pub(super) fn codes_subject(&self) -> String {
        format!("{}.codes", self.name)
    }

    /// Checks the stream of imported codes, or creates it.
    pub(super) async fn open_codes_stream(&self, context: &Context) -> Result<(), ClusterError> {
        let wanted = Config {
            name: self.codes_stream(),
            subjects: vec![self.codes_subject()],
            num_replicas: self.replicas,
            metadata: [(FORMAT_KEY.to_owned(), FORMAT.to_owned())].into(),
            ..expected_config()
        };
        let found = open_stream(context, &wanted, Instant::now()).await?;
        self.check_common(&found)
    }

    /// Returns the subject of a shard.
    pub(super) fn subject(&self, shard: Shard) -> String {
        format!("{}.log.{}.{shard}", self.name, shard.0 % STREAMS)
    }

    fn config(&self, number: u16, shards: u16) -> Config {
        let metadata = [
            (FORMAT_KEY, FORMAT.to_owned()),
            (SHARDS_KEY, shards.to_string()),
        ];
        Config {
            name: self.stream_name(number),
            subjects: vec![format!("{}.log.{number}.*", self.name)],
            num_replicas: self.replicas,
            metadata: metadata
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
            ..expected_config()
        }
    }

    fn games_config(&self) -> Config {
        Config {
            name: self.games_stream(),
            subjects: vec![format!("{}.games.*", self.name)],
            num_replicas: self.replicas,
            // The shard logs keep the games until this stream has them. A full stream drops its oldest games, so that
            // it never rejects new games.
            discard: DiscardPolicy::Old,
            max_messages: MAX_GAMES,
            metadata: [(FORMAT_KEY.to_owned(), FORMAT.to_owned())].into(),
            ..expected_config()
        }
    }

    /// Checks the streams, and creates missing streams. Returns the shards. Retries for a limited time, for example
    /// while the servers elect a leader.
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
            let wanted = self.config(number, count.unwrap_or(DEFAULT_SHARDS));
            let found = self.open_stream(context, &wanted, began).await?;
            count = Some(self.check(&found, count)?);
        }
        let games = self
            .open_stream(context, &self.games_config(), began)
            .await?;
        self.check_games(&games)?;
        let count = count.unwrap_or(DEFAULT_SHARDS);
        ShardMap::new(count).ok_or_else(|| wrong_shard_count(count))
    }

    async fn open_stream(
        &self,
        context: &Context,
        wanted: &Config,
        began: Instant,
    ) -> Result<Config, ClusterError> {
        let mut found = open_stream(context, wanted, began).await?;
        if self.accepts_missing_metadata && found.metadata.is_empty() {
            found.metadata.clone_from(&wanted.metadata);
        }
        Ok(found)
    }

    /// Refuses a stream of finished games that could lose messages before they are archived. The operator may limit
    /// their number, size and age.
    fn check_games(&self, found: &Config) -> Result<(), ClusterError> {
        self.check_common(found)?;
        if found.discard == DiscardPolicy::Old {
            return Ok(());
        }
        Err(ClusterError::Setup(format!(
            "stream {}: discard must be old",
            found.name
        )))
    }

    /// Checks the configuration that all streams have in common.
    fn check_common(&self, found: &Config) -> Result<(), ClusterError> {
        let wrong = |what: String| ClusterError::Setup(format!("stream {}: {what}", found.name));
        let expected = expected_config();
        let conditions = [
            ("storage must be file", found.storage == expected.storage),
            (
                "retention must be limits",
                found.retention == expected.retention,
            ),
            ("no-ack must be off", !found.no_ack),
            (
                "it must not be sealed, a mirror, or have sources",
                is_original(found),
            ),
        ];
        if let Some((what, _)) = conditions.into_iter().find(|(_, holds)| !holds) {
            return Err(wrong(what.into()));
        }
        if found.num_replicas < self.replicas {
            return Err(wrong(format!(
                "{} replicas instead of {}",
                found.num_replicas, self.replicas
            )));
        }
        match metadata(found, FORMAT_KEY) {
            Some(FORMAT) => Ok(()),
            Some(other) => Err(wrong(format!("format {other}, this server reads {FORMAT}"))),
            None => Err(wrong("it was not created by noughts-server".into())),
        }
    }

    /// Refuses a stream that could lose messages. Returns the number of shards.
    fn check(&self, found: &Config, shards: Option<u16>) -> Result<u16, ClusterError> {
        let wrong = |what: String| ClusterError::Setup(format!("stream {}: {what}", found.name));
        let is_unlimited = |limit: i64| limit <= 0;
        self.check_common(found)?;
        let conditions = [
            ("discard must be new", found.discard == DiscardPolicy::New),
            ("max-age must be unlimited", found.max_age.is_zero()),
            (
                "max-msgs must be unlimited",
                is_unlimited(found.max_messages),
            ),
            (
                "max-msgs-per-subject must be unlimited",
                is_unlimited(found.max_messages_per_subject),
            ),
            ("allow-direct must be off", !found.allow_direct),
            ("purge must be allowed", !found.deny_purge),
        ];
        if let Some((what, _)) = conditions.into_iter().find(|(_, holds)| !holds) {
            return Err(wrong(what.into()));
        }
        let count = metadata(found, SHARDS_KEY).and_then(|count| count.parse().ok());
        match (count, shards) {
            (Some(count), Some(wanted)) if count != wanted => Err(wrong(format!(
                "the cluster has {count} shards, which cannot be changed to {wanted}"
            ))),
            (Some(count), _) => Ok(count),
            (None, _) => Err(wrong("the number of shards is missing".into())),
        }
    }
}

/// Reads the configuration of a stream, which is created if it is missing. Retries until the setup has taken too long,
/// for example while the servers elect a leader.
async fn open_stream(
    context: &Context,
    wanted: &Config,
    began: Instant,
) -> Result<Config, ClusterError> {
    loop {
        match try_open_stream(context, wanted).await {
            Ok(config) => return Ok(config),
            Err(error) if began.elapsed() >= SETUP_TIMEOUT => {
                return Err(ClusterError::Setup(error));
            }
            Err(error) => {
                debug!(error, "stream not available yet");
                sleep(RETRY_DELAY).await;
            }
        }
    }
}

async fn try_open_stream(context: &Context, wanted: &Config) -> Result<Config, String> {
    let name = &wanted.name;
    let error = match context.get_stream(name).await {
        Ok(stream) => return Ok(stream.cached_info().config.clone()),
        Err(error) => error,
    };
    if is_missing(&error) {
        let created = context.create_stream(wanted.clone()).await;
        let created = created.map_err(|error| format!("cannot create stream {name}: {error}"))?;
        info!(
            stream = name,
            replicas = wanted.num_replicas,
            "stream created"
        );
        return Ok(created.cached_info().config.clone());
    }
    Err(format!("cannot read stream {name}: {error}"))
}

/// Returns whether the error means that the stream does not exist.
pub(super) fn is_missing(error: &GetStreamError) -> bool {
    let GetStreamErrorKind::JetStream(cause) = error.kind() else {
        return false;
    };
    cause.error_code() == ErrorCode::STREAM_NOT_FOUND
}

fn wrong_shard_count(count: u16) -> ClusterError {
    ClusterError::Setup(format!(
        "the number of shards must be a power of two up to 1024, not {count}"
    ))
}

/// Returns the configuration that all streams of a cluster share.
fn expected_config() -> Config {
    Config {
        retention: RetentionPolicy::Limits,
        storage: StorageType::File,
        // A full stream rejects new messages; the default would delete old messages.
        discard: DiscardPolicy::New,
        max_messages: -1,
        max_bytes: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        // Reads from servers other than the leader may be stale.
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
        assert!(
            setup
                .check(
                    &Config {
                        num_replicas: 5,
                        ..created.clone()
                    },
                    None
                )
                .is_ok()
        );
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

    #[test]
    fn the_stream_of_finished_games_may_be_limited_and_never_rejects_games() {
        let setup = StreamSetup::new("noughts", 3);
        let created = setup.games_config();
        assert_eq!(
            (created.name.as_str(), created.subjects.as_slice()),
            ("NOUGHTS_GAMES", &["noughts.games.*".to_owned()][..])
        );
        assert_eq!(setup.games_subject(Shard(4)), "noughts.games.4");
        assert!(setup.check_games(&created).is_ok());
        let limited = Config {
            max_age: Duration::from_secs(86_400),
            max_bytes: 1 << 30,
            ..created.clone()
        };
        assert!(setup.check_games(&limited).is_ok());
        for refused in [
            Config {
                discard: DiscardPolicy::New,
                ..created.clone()
            },
            Config {
                storage: StorageType::Memory,
                ..created.clone()
            },
            Config {
                retention: RetentionPolicy::WorkQueue,
                ..created.clone()
            },
            Config {
                num_replicas: 1,
                ..created.clone()
            },
            Config {
                metadata: HashMap::new(),
                ..created
            },
        ] {
            assert!(setup.check_games(&refused).is_err(), "{refused:?}");
        }
    }
}
