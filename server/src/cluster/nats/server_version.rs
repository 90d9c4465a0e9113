//! Versions of NATS servers that the log may use.

use tracing::warn;

use crate::cluster::cluster_error::ClusterError;

/// When the leader changes, earlier versions may store a message although its expectation of the last message fails.
const MIN_VERSION: ServerVersion = ServerVersion([2, 10, 27]);

/// Since this version, NATS changes leaders correctly.
const RECOMMENDED_VERSION: ServerVersion = ServerVersion([2, 11, 0]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServerVersion([u32; 3]);

impl ServerVersion {
    /// Parses `2.15.1`. A suffix of a number, such as `-beta.2`, is ignored.
    pub(super) fn parse(text: &str) -> Result<ServerVersion, ClusterError> {
        let unknown = || ClusterError::Setup(format!("unknown version of NATS server: {text:?}"));
        let mut parts = text.trim_start_matches('v').splitn(3, '.').map(|part| {
            let end = part
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(part.len());
            part[..end].parse().ok()
        });
        let mut part = || parts.next().flatten().ok_or_else(unknown);
        Ok(ServerVersion([part()?, part()?, part()?]))
    }

    /// Refuses a version that could store messages of two owners.
    pub(super) fn check(self, server: &str) -> Result<(), ClusterError> {
        if self < MIN_VERSION {
            let [found, minimum] =
                [self, MIN_VERSION].map(|version| version.0.map(|part| part.to_string()).join("."));
            return Err(ClusterError::Setup(format!(
                "{server} runs NATS {found}, which may lose moves; {minimum} or later is required"
            )));
        }
        if self < RECOMMENDED_VERSION {
            warn!(
                server,
                "NATS server is older than the recommended version 2.11"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_and_ordered() {
        let version = |text| ServerVersion::parse(text).unwrap();
        assert_eq!(version("2.15.1"), ServerVersion([2, 15, 1]));
        assert_eq!(version("v2.11.0-RC.1"), ServerVersion([2, 11, 0]));
        assert!(version("2.9.10") < version("2.10.2") && version("2.10.27") < version("3.0.0"));
        for text in ["", "2", "2.10", "x.y.z", "2..1"] {
            assert!(ServerVersion::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn unsafe_versions_are_refused() {
        for (text, is_safe) in [
            ("2.9.10", false),
            ("2.10.26", false),
            ("2.10.27", true),
            ("2.15.1", true),
        ] {
            let checked = ServerVersion::parse(text).unwrap().check("n1");
            assert_eq!(checked.is_ok(), is_safe, "{text}: {checked:?}");
        }
    }
}
