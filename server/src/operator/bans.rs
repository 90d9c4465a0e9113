//! Bans of addresses, networks and identities, which a file of the data directory keeps.
//!
//! A change is stored first, and counts afterwards. The file is replaced as a whole: after a crash it has the bans before
//! or after a change.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use noughts_protocol::Identity;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::client_prefix::ClientPrefix;
use crate::runtime::sync::lock;

/// Maximum number of bans. Each handshake reads them.
const MAX_BANS: usize = 4096;
const FILE_NAME: &str = "bans.json";

/// Longest prefix of an IPv6 network: a client may use each address of its /64.
const MAX_IPV6_PREFIX: u8 = 64;
/// Length of the prefix of IPv4 addresses that are written as IPv6.
const IPV4_MAPPED_PREFIX: u8 = 96;

/// Who is banned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BanTarget {
    /// An address is the network that contains only it.
    Network(IpNet),
    Identity(Identity),
}

/// A text that is not an address, a network or an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an address, a network (192.0.2.0/24) or an identity of 26 letters and digits")]
pub(crate) struct BanTargetError;

impl FromStr for BanTarget {
    type Err = BanTargetError;

    /// Reads a target. An IPv6 network is at most a /64; the bits behind the prefix are dropped.
    fn from_str(text: &str) -> Result<BanTarget, BanTargetError> {
        let address = text.parse::<IpAddr>().map(|address| address.to_canonical());
        let network = address.map_or_else(
            |_| text.parse::<IpNet>(),
            |address| Ok(IpNet::from(address)),
        );
        let network = match network {
            // The server treats such addresses as IPv4.
            Ok(IpNet::V6(mapped)) if is_ipv4_mapped(mapped) => {
                let address = mapped.addr().to_ipv4_mapped().ok_or(BanTargetError)?;
                Ipv4Net::new(address, mapped.prefix_len() - IPV4_MAPPED_PREFIX).map(IpNet::V4)
            }
            Ok(IpNet::V6(wide)) if wide.prefix_len() > MAX_IPV6_PREFIX => {
                Ipv6Net::new(wide.addr(), MAX_IPV6_PREFIX).map(IpNet::V6)
            }
            Ok(network) => Ok(network),
            Err(_) => {
                let identity = text.parse().map_err(|_| BanTargetError)?;
                return Ok(BanTarget::Identity(identity));
            }
        };
        let network = network.map_err(|_| BanTargetError)?;
        Ok(BanTarget::Network(network.trunc()))
    }
}

impl fmt::Display for BanTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BanTarget::Network(IpNet::V4(network)) if network.prefix_len() == 32 => {
                network.addr().fmt(f)
            }
            BanTarget::Network(network) => network.fmt(f),
            BanTarget::Identity(identity) => identity.fmt(f),
        }
    }
}

impl Serialize for BanTarget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BanTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BanTarget, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ban {
    pub target: BanTarget,
    /// Time of the ban, in milliseconds since 1970-01-01 UTC.
    pub since: u64,
    /// End of the ban; absent until the ban is lifted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl Ban {
    fn is_over(&self, now: u64) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Returns whether the ban means a client.
    pub(super) fn means(&self, client: ClientPrefix, identity: Option<Identity>) -> bool {
        match self.target {
            BanTarget::Network(network) => is_within(client, network),
            BanTarget::Identity(banned) => identity == Some(banned),
        }
    }
}

fn is_ipv4_mapped(network: Ipv6Net) -> bool {
    network.prefix_len() >= IPV4_MAPPED_PREFIX && network.addr().to_ipv4_mapped().is_some()
}

fn is_within(client: ClientPrefix, network: IpNet) -> bool {
    match (client.address(), network) {
        (IpAddr::V4(address), IpNet::V4(network)) => network.contains(&address),
        (IpAddr::V6(address), IpNet::V6(network)) => network.contains(&address),
        (IpAddr::V4(_), IpNet::V6(_)) | (IpAddr::V6(_), IpNet::V4(_)) => false,
    }
}

/// Reason why a change of the bans has failed. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BanChangeError {
    UnknownBan,
    /// There are this many bans.
    TooManyBans(usize),
    /// The file could not be written.
    NotStored(String),
}

/// The file of the bans cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("bans in {}: {error}", .path.display())]
pub(crate) struct BanFileError {
    path: PathBuf,
    error: io::Error,
}

/// The file of a data directory, and its bans at the start.
#[derive(Debug)]
pub(crate) struct BanFile {
    path: PathBuf,
    bans: Vec<Ban>,
}

impl BanFile {
    /// Reads the file of a data directory, if it exists.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged: a server without its bans would admit who is banned.
    pub(crate) fn open(directory: &Path) -> Result<BanFile, BanFileError> {
        let path = directory.join(FILE_NAME);
        let bans = match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        match bans {
            Ok(bans) => Ok(BanFile { path, bans }),
            Err(error) => Err(BanFileError { path, error }),
        }
    }
}

/// Writes the file: the whole new text or nothing.
fn write_bans(path: &Path, bans: &[Ban]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(serde_json::to_string_pretty(bans)?.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

/// The bans of a running server.
#[derive(Debug, Default)]
pub(crate) struct BanList {
    current: Mutex<Arc<Vec<Ban>>>,
    /// The file. Locked during a change.
    file: tokio::sync::Mutex<Option<PathBuf>>,
}

impl BanList {
    /// Uses the bans of a file, and keeps further ones there. Called before the server serves.
    pub(crate) async fn use_file(&self, file: BanFile) {
        *lock(&self.current) = Arc::new(file.bans);
        *self.file.lock().await = Some(file.path);
    }

    fn current(&self) -> Arc<Vec<Ban>> {
        Arc::clone(&lock(&self.current))
    }

    /// Returns whether a ban means a client; its identity is known after the hello.
    pub(crate) fn is_banned(
        &self,
        client: ClientPrefix,
        identity: Option<Identity>,
        now: u64,
    ) -> bool {
        let bans = self.current();
        bans.iter()
            .any(|ban| !ban.is_over(now) && ban.means(client, identity))
    }

    /// Returns the bans that are not over.
    pub(super) fn list(&self, now: u64) -> Vec<Ban> {
        let bans = self.current();
        bans.iter()
            .filter(|ban| !ban.is_over(now))
            .copied()
            .collect()
    }

    /// Adds a ban, or replaces the ban of the same target.
    ///
    /// # Errors
    /// If there are too many bans, or the file cannot be written. Nothing has changed then.
    pub(super) async fn add(&self, ban: Ban) -> Result<(), BanChangeError> {
        self.change(ban.since, |bans| {
            bans.retain(|kept| kept.target != ban.target);
            if bans.len() >= MAX_BANS {
                return Err(BanChangeError::TooManyBans(MAX_BANS));
            }
            bans.push(ban);
            Ok(())
        })
        .await
    }

    /// Lifts the ban of exactly this target.
    ///
    /// # Errors
    /// If there is none, or the file cannot be written. Nothing has changed then.
    pub(super) async fn remove(&self, target: BanTarget, now: u64) -> Result<(), BanChangeError> {
        self.change(now, |bans| {
            let before = bans.len();
            bans.retain(|kept| kept.target != target);
            if bans.len() < before {
                Ok(())
            } else {
                Err(BanChangeError::UnknownBan)
            }
        })
        .await
    }

    async fn change(
        &self,
        now: u64,
        change: impl FnOnce(&mut Vec<Ban>) -> Result<(), BanChangeError>,
    ) -> Result<(), BanChangeError> {
        let file = self.file.lock().await;
        let mut bans = self.list(now);
        change(&mut bans)?;
        let bans = Arc::new(bans);
        if let Some(path) = file.clone() {
            let stored = Arc::clone(&bans);
            let write = tokio::task::spawn_blocking(move || write_bans(&path, &stored));
            let written = write
                .await
                .unwrap_or_else(|error| Err(io::Error::other(error)));
            written.map_err(|error| BanChangeError::NotStored(error.to_string()))?;
        }
        *lock(&self.current) = bans;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: &str = "00000000000000000000000007";

    fn client(address: &str) -> ClientPrefix {
        ClientPrefix::from_ip(address.parse().unwrap())
    }

    fn ban(target: &str, until: Option<u64>) -> Ban {
        Ban {
            target: target.parse().unwrap(),
            since: 100,
            until,
        }
    }

    #[test]
    fn a_target_is_an_address_a_network_or_an_identity() {
        for (text, shown) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("192.0.2.7/24", "192.0.2.0/24"),
            ("::ffff:192.0.2.7/120", "192.0.2.0/24"),
            ("2001:db8::1", "2001:db8::/64"),
            ("2001:db8:1::/48", "2001:db8:1::/48"),
            (ANN, ANN),
        ] {
            let target: BanTarget = text.parse().unwrap();
            assert_eq!(target.to_string(), shown);
            let json = serde_json::to_string(&target).unwrap();
            assert_eq!(serde_json::from_str::<BanTarget>(&json).unwrap(), target);
        }
        for text in ["", "192.0.2", "192.0.2.0/33", "Ann", "0007", "192.0.2.7\n"] {
            assert_eq!(text.parse::<BanTarget>(), Err(BanTargetError), "{text:?}");
        }
    }

    #[tokio::test]
    async fn bans_end_are_lifted_and_survive_a_restart() {
        let directory = std::env::temp_dir().join(format!("noughts-bans-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let list = BanList::default();
        list.use_file(BanFile::open(&directory).unwrap()).await;
        list.add(ban("192.0.2.0/24", None)).await.unwrap();
        list.add(ban("2001:db8::1", Some(500))).await.unwrap();
        list.add(ban(ANN, None)).await.unwrap();
        let ann: Option<Identity> = Some(ANN.parse().unwrap());
        let check = |list: &BanList| {
            assert!(list.is_banned(client("192.0.2.9"), None, 400));
            assert!(!list.is_banned(client("192.0.3.9"), None, 400));
            assert!(list.is_banned(client("2001:db8::2"), None, 400));
            assert!(!list.is_banned(client("2001:db8::2"), None, 500));
            assert!(list.is_banned(client("::1"), ann, 400));
            assert!(!list.is_banned(client("::1"), None, 400));
        };
        check(&list);
        let restarted = BanList::default();
        restarted.use_file(BanFile::open(&directory).unwrap()).await;
        check(&restarted);
        assert_eq!(
            restarted.list(500).len(),
            2,
            "a ban that is over is not listed"
        );
        // The same target again replaces the ban, and lifting needs the same target.
        restarted.add(ban(ANN, Some(300))).await.unwrap();
        let other: BanTarget = "192.0.2.9".parse().unwrap();
        assert_eq!(
            restarted.remove(other, 400).await,
            Err(BanChangeError::UnknownBan)
        );
        let network: BanTarget = "192.0.2.0/24".parse().unwrap();
        restarted.remove(network, 600).await.unwrap();
        assert!(BanFile::open(&directory).unwrap().bans.is_empty());
        // A file that cannot be written changes nothing; a damaged one is an error.
        fs::create_dir(directory.join("bans.new")).unwrap();
        assert!(matches!(
            restarted.add(ban(ANN, None)).await,
            Err(BanChangeError::NotStored(_))
        ));
        assert!(!restarted.is_banned(client("::1"), ann, 400));
        fs::write(directory.join(FILE_NAME), "[{").unwrap();
        BanFile::open(&directory).unwrap_err();
        fs::remove_dir_all(directory).unwrap();
    }

    #[tokio::test]
    async fn the_number_of_bans_is_limited() {
        let list = BanList::default();
        *lock(&list.current) = Arc::new(vec![ban("192.0.2.7", None); MAX_BANS]);
        let result = list.add(ban(ANN, None)).await;
        assert_eq!(result, Err(BanChangeError::TooManyBans(MAX_BANS)));
    }
}
