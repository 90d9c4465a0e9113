//! The shapes that are in use, each once however many positions have it: on a large board it is the greater
//! part of a position. Nobody can see this but by memory and time, since a shape follows from its rules.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::Geometry;
use crate::Rules;

/// Those in use, and some that were: no more of these than of the others, but for the room that is there
/// anyway.
type GeometryCache = HashMap<Rules, Weak<Geometry>>;

static CACHE: LazyLock<Mutex<GeometryCache>> = LazyLock::new(Mutex::default);

impl Geometry {
    /// The shape of a board, shared with all who have it already.
    pub fn cached(rules: Rules) -> Arc<Geometry> {
        // Nothing panics while the lock is held.
        let cache = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache().get(&rules).and_then(Weak::upgrade) {
            return cached;
        }
        // Not under the lock: it may take a millisecond.
        let new = Arc::new(Geometry::new(rules));
        let mut cache = cache();
        // Somebody else may have been faster.
        if let Some(cached) = cache.get(&rules).and_then(Weak::upgrade) {
            return cached;
        }
        // Instead of growing: then each shape is looked at seldom, and the map stays as large as it has to be.
        if cache.len() == cache.capacity() {
            cache.retain(|_, shape| shape.strong_count() > 0);
        }
        cache.insert(rules, Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_the_same_rules_share_a_geometry() {
        let [one, other] = ["17x3:3", "17X3:3"].map(|rules| Geometry::cached(rules.parse().unwrap()));
        assert!(Arc::ptr_eq(&one, &other));
        let flags = Geometry::cached("17x3:3+exact".parse().unwrap());
        assert!(!Arc::ptr_eq(&one, &flags));
        assert_eq!(
            (one.rules().to_string(), flags.rules().to_string()),
            ("17x3:3".into(), "17x3:3+exact".into())
        );
    }

    #[test]
    fn unused_geometries_are_evicted() {
        let kept = Geometry::cached("23x2:2".parse().unwrap());
        let rules = (1..=25).flat_map(|width| (1..=25).map(move |height| format!("{width}x{height}:1")));
        let mut most = 0;
        for rules in rules {
            Geometry::cached(rules.parse().unwrap());
            most = most.max(CACHE.lock().unwrap().len());
        }
        // Other tests of this process have some at the same time.
        assert!(most < 300, "{most} shapes are remembered of 625 that came and went");
        assert!(Arc::ptr_eq(&kept, &Geometry::cached("23x2:2".parse().unwrap())));
    }
}
