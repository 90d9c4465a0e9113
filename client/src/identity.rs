//! The secret of the player, and the secrets for the servers that are derived from it. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use noughts_protocol::IdentitySecret;
use ring::hmac;
use serde::{Deserialize, Serialize};

use crate::connection::server_url::{ServerUrl, ServerUrlError};

/// Maximum number of known servers, of aliases and of pairs of addresses; beyond this number, the oldest are forgotten.
const MAX_SERVERS: usize = 64;
/// Number of digits of a secret, and of its check.
const SECRET_DIGITS: usize = 26;
const CHECK_DIGITS: usize = 2;
/// A prime below the number of values of two digits. It detects each wrong digit and each exchange of two digits.
const CHECK_MODULUS: u128 = 1021;

/// The master secret of the player. `Debug` hides it. `Display` writes it with two check digits, for another device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MasterSecret(IdentitySecret);

/// Reason why a text is not a master secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MasterSecretError {
    /// The text has a wrong length, or characters that are not digits of a secret.
    #[error("identity_form")]
    Form,
    /// The check digits do not fit.
    #[error("identity_check")]
    Check,
}

/// Reason why an argument of the command is invalid. Its word is the key of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum IdentityCommandError {
    #[error(transparent)]
    Secret(#[from] MasterSecretError),
    #[error(transparent)]
    Server(#[from] ServerUrlError),
}

impl MasterSecret {
    /// Returns the secret with these bytes, which must come from a cryptographic random number generator.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> MasterSecret {
        MasterSecret(IdentitySecret::from_bytes(bytes))
    }

    fn check(self) -> IdentitySecret {
        let check = u128::from_be_bytes(self.0.to_bytes()) % CHECK_MODULUS;
        IdentitySecret::from_bytes(check.to_be_bytes())
    }

    /// Derives the secret for a server, so that no server knows the secret for another server. The page does the same.
    fn secret_for(self, origin: &str) -> IdentitySecret {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0.to_bytes());
        let tag = hmac::sign(&key, origin.as_bytes());
        let first_half = tag.as_ref().first_chunk();
        IdentitySecret::from_bytes(*first_half.expect("a tag of 32 bytes"))
    }
}

impl fmt::Display for MasterSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let check = self.check().to_string();
        let digits = format!("{}{}", self.0, &check[SECRET_DIGITS - CHECK_DIGITS..]);
        let groups: Vec<&str> = (0..digits.len() / 4)
            .map(|group| &digits[4 * group..][..4])
            .collect();
        f.write_str(&groups.join("-"))
    }
}

impl fmt::Debug for MasterSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterSecret(hidden)")
    }
}

impl FromStr for MasterSecret {
    type Err = MasterSecretError;

    /// Reads the text of `Display`. Spaces, dashes and case are ignored, and `i`, `l` and `o` mean `1`, `1` and `0`.
    fn from_str(text: &str) -> Result<MasterSecret, MasterSecretError> {
        let digits: String = text
            .chars()
            .filter(|letter| !letter.is_whitespace() && *letter != '-')
            .take(SECRET_DIGITS + CHECK_DIGITS + 1)
            .collect();
        if !digits.is_ascii() || digits.len() != SECRET_DIGITS + CHECK_DIGITS {
            return Err(MasterSecretError::Form);
        }
        let parse = |digits: &str| digits.parse().map_err(|_| MasterSecretError::Form);
        let (secret, check) = digits.split_at(SECRET_DIGITS);
        let secret = MasterSecret(parse(secret)?);
        let check = parse(&format!("{check:0>SECRET_DIGITS$}"))?;
        if check == secret.check() {
            Ok(secret)
        } else {
            Err(MasterSecretError::Check)
        }
    }
}

/// The identity of the player, as the state folder keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayerIdentity {
    master: MasterSecret,
    servers: KnownServers,
}

/// What the program knows about servers. It contains no secret, and remains when the master secret is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownServers {
    /// The servers that have received an identity, the newest last.
    #[serde(default)]
    known: Vec<KnownServer>,
    /// Origins that are other addresses of a server, each with the origin that its identity is derived from.
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    /// Pairs of origins that the player was asked about, the newest last.
    #[serde(default)]
    asked: Vec<[String; 2]>,
}

/// A server that has received an identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KnownServer {
    origin: String,
    /// The origin of the server for other machines, if the server has announced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl PlayerIdentity {
    pub(crate) fn new(master: MasterSecret) -> PlayerIdentity {
        PlayerIdentity {
            master,
            servers: KnownServers::default(),
        }
    }

    /// Returns the secret for another device of the player.
    pub(crate) fn master(&self) -> MasterSecret {
        self.master
    }

    /// Returns the secret that shows a server who the player is.
    pub(crate) fn secret_for(&self, server: &ServerUrl) -> IdentitySecret {
        let origin = server.origin();
        self.master.secret_for(self.servers.target(&origin))
    }

    /// Uses another master secret. The aliases of servers remain.
    pub(crate) fn replace_master(&mut self, master: MasterSecret) {
        self.master = master;
    }

    /// Remembers a server that has received an identity, and the address that the server announces. Returns another
    /// address that seems to belong to the same server and has another identity of the player. Each pair of addresses
    /// is returned once.
    pub(crate) fn remember(
        &mut self,
        server: &ServerUrl,
        address: Option<&ServerUrl>,
    ) -> Option<ServerUrl> {
        let servers = &mut self.servers;
        let (origin, address) = (server.origin(), address.map(ServerUrl::origin));
        let other = servers.other_address(&origin, address.as_deref());
        let server = KnownServer {
            origin: origin.clone(),
            address,
        };
        match servers
            .known
            .iter_mut()
            .find(|known| known.origin == origin)
        {
            Some(known) => *known = server,
            None => push_bounded(&mut servers.known, server),
        }
        let other = other?;
        let url = other.parse().ok()?;
        push_bounded(&mut servers.asked, [origin, other]);
        Some(url)
    }

    /// Uses the identity of `server` for its other address, too.
    pub(crate) fn add_alias(&mut self, address: &ServerUrl, server: &ServerUrl) {
        let servers = &mut self.servers;
        let origin = address.origin();
        let target = servers.target(&server.origin()).to_owned();
        servers.aliases.remove(&origin);
        // Addresses that used the identity of this address now use the other identity too.
        for server in servers
            .aliases
            .values_mut()
            .filter(|server| **server == origin)
        {
            server.clone_from(&target);
        }
        if origin != target {
            if servers.aliases.len() >= MAX_SERVERS {
                servers.aliases.pop_first();
            }
            servers.aliases.insert(origin, target);
        }
    }

    /// Returns the other addresses of servers, each with the origin that its identity is derived from.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let aliases = self.servers.aliases.iter();
        aliases.map(|(address, server)| (address.as_str(), server.as_str()))
    }

    /// Formats the identity as text. Only the owner may read the text, because it contains the secret.
    pub(crate) fn to_text(&self) -> String {
        let file = IdentityFile {
            version: FORMAT_VERSION,
            secret: self.master.to_string(),
            servers: self.servers.clone(),
        };
        serde_json::to_string(&file).expect("texts are JSON")
    }

    /// Parses the text of an identity. Returns `None` if the text is damaged or was written by a newer program.
    pub(crate) fn from_text(text: &str) -> Option<PlayerIdentity> {
        let file: IdentityFile = serde_json::from_str(text).ok()?;
        let has_format = file.version == FORMAT_VERSION;
        let master = file.secret.parse().ok().filter(|_| has_format)?;
        Some(PlayerIdentity {
            master,
            servers: file.servers,
        })
    }
}

impl KnownServers {
    /// Returns the origin that the identity for this origin is derived from.
    fn target<'a>(&'a self, origin: &'a str) -> &'a str {
        self.aliases.get(origin).map_or(origin, String::as_str)
    }

    /// Returns the newest known origin that the server announces as its address, or that has announced this server as
    /// its address, if that origin has another identity. Returns `None` if the player was already asked about the pair.
    fn other_address(&self, origin: &str, address: Option<&str>) -> Option<String> {
        let is_other = |known: &&KnownServer| {
            let is_named = address == Some(&*known.origin);
            let names_this = known.address.as_deref() == Some(origin);
            let was_asked = self
                .asked
                .iter()
                .any(|asked| *asked == [origin, &*known.origin]);
            (is_named || names_this)
                && self.target(&known.origin) != self.target(origin)
                && !was_asked
        };
        let other = self.known.iter().rev().find(is_other)?;
        Some(other.origin.clone())
    }
}

/// Adds a value, and forgets the oldest values beyond [`MAX_SERVERS`].
fn push_bounded<T>(values: &mut Vec<T>, value: T) {
    values.push(value);
    let excess = values.len().saturating_sub(MAX_SERVERS);
    values.drain(..excess);
}

const FORMAT_VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct IdentityFile {
    version: u64,
    secret: String,
    #[serde(flatten)]
    servers: KnownServers,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> ServerUrl {
        text.parse().unwrap()
    }

    fn master() -> MasterSecret {
        MasterSecret::from_bytes(*b"0123456789abcdef")
    }

    /// The page derives the same secrets: tests/golden/identity.json.
    #[test]
    fn both_clients_derive_the_same_secrets() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/golden/identity.json")).unwrap();
        let master: MasterSecret = golden["text"].as_str().unwrap().parse().unwrap();
        assert_eq!(master.to_string(), golden["text"]);
        for (origin, secret) in golden["secrets"].as_object().unwrap() {
            assert_eq!(master.secret_for(origin).to_string(), *secret, "{origin}");
            assert_eq!(server(origin).origin(), *origin);
        }
    }

    #[test]
    fn a_mistyped_text_is_rejected() {
        let text = master().to_string();
        let spaced = text.to_uppercase().replace('-', " ").replace('0', "O");
        assert_eq!(spaced.parse(), Ok(master()));
        let digits: Vec<char> = text.chars().filter(|letter| *letter != '-').collect();
        let read = |digits: &[char]| digits.iter().collect::<String>().parse::<MasterSecret>();
        for index in 0..digits.len() {
            for wrong in "0123456789abcdefghjkmnpqrstvwxyz".chars() {
                let mut typed = digits.clone();
                typed[index] = wrong;
                assert_eq!(read(&typed).is_ok(), wrong == digits[index], "{typed:?}");
            }
            let mut typed = digits.clone();
            typed.swap(index, (index + 1).min(digits.len() - 1));
            assert_eq!(read(&typed).is_ok(), typed == digits, "{typed:?}");
            typed.remove(index);
            assert_eq!(read(&typed), Err(MasterSecretError::Form));
        }
        for text in ["", "é", &"0".repeat(100), "k7qf-3mzx"] {
            assert_eq!(text.parse::<MasterSecret>(), Err(MasterSecretError::Form));
        }
        assert!(!format!("{:?}", master()).contains(&digits[..4].iter().collect::<String>()));
    }

    #[test]
    fn each_server_gets_a_secret_of_its_own_except_for_an_alias() {
        let mut identity = PlayerIdentity::new(master());
        let [home, lan, other] = ["localhost", "192.168.1.7", "wss://example.org"].map(server);
        let secrets = [&home, &lan, &other].map(|server| identity.secret_for(server).to_bytes());
        assert!(secrets[0] != secrets[1] && secrets[1] != secrets[2]);
        assert_eq!(
            identity.secret_for(&server("localhost:7878/elsewhere")),
            identity.secret_for(&home),
            "the path is not a part of the origin"
        );
        identity.add_alias(&lan, &home);
        assert_eq!(identity.secret_for(&lan), identity.secret_for(&home));
        // An alias of an alias is an alias of the first server, and a server is not an alias of itself.
        identity.add_alias(&other, &lan);
        identity.add_alias(&home, &lan);
        assert_eq!(identity.secret_for(&other).to_bytes(), secrets[0]);
        assert_eq!(identity.secret_for(&home).to_bytes(), secrets[0]);
        // The addresses that used the identity of a server use the identity of its alias too.
        let mut moved = identity.clone();
        let domain = server("wss://noughts.example");
        moved.add_alias(&home, &domain);
        for address in [&home, &lan, &other] {
            assert_eq!(moved.secret_for(address), moved.secret_for(&domain));
        }
        // The aliases remain when the master secret is replaced.
        let imported = MasterSecret::from_bytes([7; 16]);
        identity.replace_master(imported);
        assert_eq!(identity.secret_for(&lan), identity.secret_for(&home));
        assert_ne!(identity.secret_for(&home).to_bytes(), secrets[0]);
        assert_eq!(
            PlayerIdentity::from_text(&identity.to_text()),
            Some(identity.clone())
        );
        let newer = identity.to_text().replace("\"version\":1", "\"version\":2");
        for damaged in ["", "{}", &newer] {
            assert_eq!(PlayerIdentity::from_text(damaged), None, "{damaged}");
        }
        for port in 1..=200 {
            let [address, named] =
                ["localhost", "10.0.0.1"].map(|host| server(&format!("{host}:{port}")));
            identity.remember(&address, Some(&named));
            identity.remember(&named, None);
            identity.add_alias(&named, &home);
        }
        let KnownServers {
            known,
            aliases,
            asked,
        } = &identity.servers;
        assert_eq!([known.len(), aliases.len(), asked.len()], [64; 3]);
    }

    #[test]
    fn each_pair_of_addresses_of_a_server_is_asked_about_once_in_either_order() {
        let [home, lan, other] = ["localhost", "192.168.1.7", "example.org"].map(server);
        // A player starts a server, and later uses the address that the server announces.
        let mut identity = PlayerIdentity::new(master());
        assert_eq!(identity.remember(&home, Some(&lan)), None);
        assert_eq!(identity.remember(&other, Some(&other)), None);
        assert_eq!(identity.remember(&lan, Some(&lan)), Some(home.clone()));
        assert_eq!(identity.remember(&lan, Some(&lan)), None);
        // The player uses the addresses in the opposite order.
        let mut identity = PlayerIdentity::new(master());
        assert_eq!(identity.remember(&lan, Some(&lan)), None);
        assert_eq!(identity.remember(&home, Some(&lan)), Some(lan.clone()));
        // The list of asked pairs survives a restart and another master secret.
        identity.replace_master(MasterSecret::from_bytes([7; 16]));
        let mut identity = PlayerIdentity::from_text(&identity.to_text()).unwrap();
        assert_eq!(identity.remember(&home, Some(&lan)), None);
        // The player is not asked about an alias.
        let mut identity = PlayerIdentity::new(master());
        identity.add_alias(&lan, &home);
        assert_eq!(identity.remember(&home, Some(&lan)), None);
        assert_eq!(identity.remember(&lan, Some(&lan)), None);
    }
}
