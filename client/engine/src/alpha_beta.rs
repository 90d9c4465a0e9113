//! Alpha-beta search and its threat search at the leaves.

pub(crate) mod search;
pub(crate) mod vcf;
