//! Location of the stored data: memory, a directory, or the platform's default.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;

/// Location of the stored data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataLocation {
    /// Nothing is stored on disk.
    Memory,
    /// The given directory.
    Directory(PathBuf),
    /// The platform's data directory.
    Default,
}

impl FromStr for DataLocation {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<DataLocation, Self::Err> {
        Ok(match text {
            "memory" => DataLocation::Memory,
            "default" => DataLocation::Default,
            directory => DataLocation::Directory(directory.into()),
        })
    }
}

impl DataLocation {
    /// Returns the directory of the data.
    ///
    /// # Errors
    /// If the data is in memory, or the platform has no data directory.
    pub fn directory(&self) -> anyhow::Result<PathBuf> {
        match self {
            DataLocation::Directory(directory) => Ok(directory.clone()),
            DataLocation::Memory => anyhow::bail!("no data is stored with --data memory"),
            DataLocation::Default => directories::ProjectDirs::from("", "", "noughts")
                .map(|directories| directories.data_dir().join("server"))
                .context("this platform has no data directory; set one with --data"),
        }
    }
}
