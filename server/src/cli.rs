//! Subcommands of the program, other than serving.

pub mod games;
