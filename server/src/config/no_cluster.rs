//! The flag and the subcommand of a cluster in a program without the feature `cluster`: they name the feature.

use std::convert::Infallible;

use clap::Args;

/// The flag of a cluster, which is always refused.
#[derive(Clone, Debug, Args)]
pub struct NoCluster {
    /// Refused.
    #[arg(long, hide = true, value_name = "URLS", value_parser = refuse, env = "NOUGHTS_CLUSTER")]
    pub cluster: Option<Infallible>,
}

/// The words after the subcommand of a cluster, which are always refused.
#[derive(Clone, Debug, Args)]
pub struct NoClusterCommand {
    /// Refused.
    #[arg(value_name = "COMMAND", value_parser = refuse)]
    pub command: Infallible,
    /// Not read.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<String>,
}

fn refuse(_: &str) -> Result<Infallible, &'static str> {
    Err("this program was built without the feature `cluster`. \
         Build it with `cargo install --path server --features cluster`, or install a release package, which has it")
}

#[cfg(test)]
mod tests {
    use clap::{Parser, Subcommand};

    use super::*;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        _flag: NoCluster,
        #[command(subcommand)]
        _command: Option<Command>,
    }

    #[derive(Debug, Subcommand)]
    enum Command {
        Cluster(NoClusterCommand),
    }

    #[test]
    fn a_program_without_the_feature_cluster_names_the_feature() {
        for arguments in [
            &["--cluster", "nats://a,nats://b"][..],
            &["cluster", "status"],
            &["cluster", "archive", "--cluster", "nats://a"],
        ] {
            let words = ["noughts-server"].iter().chain(arguments);
            let refused = Program::try_parse_from(words).expect_err("no cluster");
            let message = refused.to_string();
            assert!(
                message.contains("--features cluster"),
                "{arguments:?}: {message}"
            );
        }
    }
}
