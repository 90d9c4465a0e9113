//! The nodes of a cluster as one of them sees them.

pub(crate) mod membership;
