//! Where a node accepts relays, and the key that admits other nodes. Pure.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use subtle::ConstantTimeEq;

use crate::runtime::rng::ServerRng;

/// Admits the nodes of a cluster. Each node draws a key at its start, and announces it in its heartbeats. A program
/// that can read the heartbeats can also read the logs, with the resume tokens of all seats.
#[derive(Clone, Copy)]
pub(crate) struct RelayKey([u8; 16]);

impl RelayKey {
    pub(crate) fn new(rng: &ServerRng) -> RelayKey {
        RelayKey(rng.new_node_id())
    }

    /// Compares two keys in constant time.
    pub(super) fn is(self, other: RelayKey) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl PartialEq for RelayKey {
    fn eq(&self, other: &RelayKey) -> bool {
        self.is(*other)
    }
}

impl Eq for RelayKey {}

impl fmt::Display for RelayKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for RelayKey {
    type Err = ();

    fn from_str(text: &str) -> Result<RelayKey, ()> {
        if text.len() != 32 {
            return Err(());
        }
        let bits = u128::from_str_radix(text, 16).map_err(drop)?;
        Ok(RelayKey(bits.to_be_bytes()))
    }
}

impl fmt::Debug for RelayKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RelayKey")
    }
}

/// Where a node accepts relays, and the key that it requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RelayAddress {
    pub(crate) address: SocketAddr,
    pub(crate) key: RelayKey,
}

impl RelayAddress {
    /// Creates an address for node `number`, in tests.
    #[cfg(any(test, feature = "faults"))]
    pub(crate) fn of_model(number: u16, key: u64) -> RelayAddress {
        let key = u128::from(key).to_be_bytes();
        RelayAddress {
            address: ([127, 0, 0, 1], number).into(),
            key: RelayKey(key),
        }
    }
}
