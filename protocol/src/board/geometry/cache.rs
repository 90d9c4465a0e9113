//! Cache of the geometries in use, so that positions of the same rules share a geometry. On a large board, most of the
//! memory of a position is its geometry. The cache affects only memory and time, because a geometry follows from its
//! rules.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::Geometry;
use crate::Rules;

/// Geometries by rules. The weak references let unused geometries go; their entries are removed before the map grows.
type GeometryCache = HashMap<Rules, Weak<Geometry>>;

static CACHE: LazyLock<Mutex<GeometryCache>> = LazyLock::new(Mutex::default);

impl Geometry {
    /// Returns the geometry of a board, shared with all other users of the same rules.
    pub fn cached(rules: Rules) -> Arc<Geometry> {
        // No code panics while it holds the lock, so a poisoned lock is usable.
        let cache = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache().get(&rules).and_then(Weak::upgrade) {
            return cached;
        }
        // The geometry is computed without the lock, because this may take a millisecond.
        let new = Arc::new(Geometry::new(rules));
        let mut cache = cache();
        // Another thread may have stored the geometry in the meantime.
        if let Some(cached) = cache.get(&rules).and_then(Weak::upgrade) {
            return cached;
        }
        // Remove dead entries instead of growing: amortized constant time, and bounded memory.
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
        let [one, other] =
            ["17x3:3", "17X3:3"].map(|rules| Geometry::cached(rules.parse().unwrap()));
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
        let rules =
            (1..=25).flat_map(|width| (1..=25).map(move |height| format!("{width}x{height}:1")));
        let mut most = 0;
        for rules in rules {
            Geometry::cached(rules.parse().unwrap());
            most = most.max(CACHE.lock().unwrap().len());
        }
        // Other tests of this process use geometries at the same time.
        assert!(
            most < 300,
            "{most} shapes are remembered of 625 that came and went"
        );
        assert!(Arc::ptr_eq(
            &kept,
            &Geometry::cached("23x2:2".parse().unwrap())
        ));
    }
}
