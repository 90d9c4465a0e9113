//! Features: options that a client gets only on request.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::vocabulary::vocabulary;

vocabulary! {
    /// An option of a connection, which a client requests in `wants` and a server grants in `has`.
    Feature:
    /// An event that answers your request has `re`, the `id` of the request, in addition to `seq` and `at`. The snapshot
    /// after a `seek` has the `re` of the seek.
    Replies = "replies",
    /// [`started`](#started) has `players` and `own_seat`, [`moved`](#moved) has `ply`.
    Details = "details",
    /// This connection is not counted among the people and bots of the [lobby](#lobby): your client has another connection.
    Second = "second",
    /// A room that you [`watch`](#watch) does not count you among its spectators, unless it is private: for a small picture of a
    /// game that the player has not chosen to watch.
    Preview = "preview",
}

impl Feature {
    /// Returns the feature with this name; `None` for a name that this version does not know.
    pub fn from_name(name: &str) -> Option<Feature> {
        Feature::ALL
            .iter()
            .copied()
            .find(|feature| feature.as_str() == name)
    }

    fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// A set of features. In JSON an array of names; reading ignores unknown and repeated names.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FeatureSet(u8);

impl FeatureSet {
    /// Maximum number of names in `wants`.
    pub const MAX_NAMES: usize = 32;
    /// Maximum length of a name in `wants`, in bytes.
    pub const MAX_NAME_BYTES: usize = 32;

    /// Returns the features of this version.
    pub fn all() -> FeatureSet {
        Feature::ALL.iter().copied().collect()
    }

    /// Returns whether the set has no feature.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Returns whether these features change the fields of an event.
    pub fn changes_events(self) -> bool {
        self.has(Feature::Replies) || self.has(Feature::Details)
    }

    /// Returns the set without a feature.
    #[must_use]
    pub fn without(self, feature: Feature) -> FeatureSet {
        FeatureSet(self.0 & !feature.bit())
    }

    /// Returns whether the set has this feature.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// Returns the features in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL
            .iter()
            .copied()
            .filter(move |feature| self.has(*feature))
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> FeatureSet {
        FeatureSet(
            features
                .into_iter()
                .fold(0, |bits, feature| bits | feature.bit()),
        )
    }
}

impl fmt::Debug for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for FeatureSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Feature::as_str))
    }
}

impl<'de> Deserialize<'de> for FeatureSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FeatureSet, D::Error> {
        struct NamesVisitor;

        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = FeatureSet;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<FeatureSet, A::Error> {
                let mut known = FeatureSet::default();
                while let Some(name) = names.next_element::<String>()? {
                    known.0 |= Feature::from_name(&name).map_or(0, Feature::bit);
                }
                Ok(known)
            }
        }

        deserializer.deserialize_seq(NamesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_without_unknown_names() {
        let read = |text: &str| serde_json::from_str::<FeatureSet>(text).unwrap();
        assert_eq!(
            read(r#"["preview","details","later","second","details","replies"]"#),
            FeatureSet::all()
        );
        assert!(read(r#"["Replies",""]"#).is_empty());
        let all = serde_json::to_string(&FeatureSet::all()).unwrap();
        assert_eq!(all, r#"["replies","details","second","preview"]"#);
        assert_eq!(read(&all), FeatureSet::all());
    }
}
