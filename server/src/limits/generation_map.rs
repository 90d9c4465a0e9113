//! A map of bounded memory that keeps the keys written last.

use std::collections::HashMap;
use std::hash::Hash;

/// Maps keys to values in two generations of at most `CAPACITY` keys. When the current generation is full, the older one
/// is discarded: at least the `CAPACITY` keys written last are kept, and at most twice as many.
#[derive(Debug)]
pub(crate) struct GenerationMap<K, V, const CAPACITY: usize> {
    current: HashMap<K, V>,
    previous: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone, const CAPACITY: usize> GenerationMap<K, V, CAPACITY> {
    /// Creates an empty map.
    pub(crate) fn new() -> GenerationMap<K, V, CAPACITY> {
        GenerationMap {
            current: HashMap::new(),
            previous: HashMap::new(),
        }
    }

    /// Returns the value of a key, if the key is kept.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.current
            .get(key)
            .or_else(|| self.previous.get(key))
            .cloned()
    }

    /// Sets the value of a key and makes it the key written last.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.previous.remove(&key);
        if self.current.len() >= CAPACITY && !self.current.contains_key(&key) {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_written_last_are_kept_in_bounded_memory() {
        let mut map = GenerationMap::<u32, u32, 100>::new();
        for key in 0..1000 {
            map.insert(key, key + 1);
            map.insert(0, key);
            let kept = (0..=key).filter(|other| map.get(other).is_some()).count();
            assert!(kept <= 200, "{kept}");
            for recent in key.saturating_sub(98).max(1)..=key {
                assert_eq!(map.get(&recent), Some(recent + 1), "after {key}");
            }
            assert_eq!(map.get(&0), Some(key), "a key written again stays");
        }
        assert_eq!(map.get(&1), None, "discarded with its generation");
    }
}
