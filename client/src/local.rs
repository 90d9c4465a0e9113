//! To come in the next commits.
