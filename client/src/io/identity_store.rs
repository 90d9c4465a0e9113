//! The identity of the player, in a file of the state folder that only the owner can read.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::identity::{MasterSecret, PlayerIdentity};
use crate::io::state_folder::{FolderLock, StateFolder, ignore_not_found};

/// Maximum size of the file; a larger file is damaged. All addresses, aliases and questions need less, even with the
/// longest names.
const MAX_FILE_BYTES: u64 = 256 * 1024;
const FILE_NAME: &str = "identity.json";

/// The file of the identity.
#[derive(Clone, Debug)]
pub(crate) struct IdentityStore {
    folder: StateFolder,
    path: PathBuf,
}

impl IdentityStore {
    /// Creates a store in this state folder.
    pub(crate) fn new(state: &Path) -> IdentityStore {
        IdentityStore {
            folder: StateFolder::new(state.to_owned()),
            path: state.join(FILE_NAME),
        }
    }

    /// Reads the identity. Returns `None` without a file.
    ///
    /// # Errors
    /// Returns an error if a file operation fails, and `InvalidData` if the file is damaged or was written by a newer
    /// program.
    pub(crate) fn load(&self) -> io::Result<Option<PlayerIdentity>> {
        let mut text = String::new();
        let read = fs::File::open(&self.path)
            .and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text));
        match read {
            Ok(_) => {
                let identity = PlayerIdentity::from_text(&text);
                identity.map(Some).ok_or(io::ErrorKind::InvalidData.into())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the identity. Without a file, draws an identity and stores it. Leaves a damaged file unchanged, because
    /// the player may repair it.
    ///
    /// # Errors
    /// Returns the errors of [`IdentityStore::load`], and the failure to write the file.
    pub(crate) fn load_or_draw(&self) -> io::Result<PlayerIdentity> {
        let lock = self.folder.create_and_lock()?;
        match self.load()? {
            Some(identity) => Ok(identity),
            None => {
                let drawn = PlayerIdentity::new(MasterSecret::from_bytes(rand::random()));
                self.write(&lock, &drawn)?;
                Ok(drawn)
            }
        }
    }

    /// Under the lock of the folder, changes the identity that has this master secret, so that no change of another
    /// process is lost. Returns the changed identity; `None` if the identity was deleted or has another master secret.
    /// In both cases, the file is unchanged.
    ///
    /// # Errors
    /// Returns the errors of [`IdentityStore::load`], and the failure to write the file.
    pub(crate) fn update<T>(
        &self,
        master: MasterSecret,
        change: impl FnOnce(&mut PlayerIdentity) -> T,
    ) -> io::Result<Option<(PlayerIdentity, T)>> {
        let Some(lock) = self.folder.lock_if_exists()? else {
            return Ok(None);
        };
        let Some(mut identity) = self.load()?.filter(|kept| kept.master() == master) else {
            return Ok(None);
        };
        let before = identity.clone();
        let result = change(&mut identity);
        if identity != before {
            self.write(&lock, &identity)?;
        }
        Ok(Some((identity, result)))
    }

    /// Replaces the master secret with the secret of another device, even if the file is damaged. Returns the replaced
    /// secret.
    ///
    /// # Errors
    /// Returns the failure of a file operation.
    pub(crate) fn import(&self, master: MasterSecret) -> io::Result<Option<MasterSecret>> {
        let lock = self.folder.create_and_lock()?;
        let former = match self.load() {
            Ok(former) => former,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                fs::rename(&self.path, self.path.with_extension("damaged"))?;
                None
            }
            Err(error) => return Err(error),
        };
        let mut identity = former.clone().unwrap_or(PlayerIdentity::new(master));
        identity.replace_master(master);
        self.write(&lock, &identity)?;
        Ok(former.map(|former| former.master()))
    }

    fn write(&self, lock: &FolderLock, identity: &PlayerIdentity) -> io::Result<()> {
        self.folder.write(lock, &self.path, &identity.to_text())
    }

    /// Deletes the identity.
    ///
    /// # Errors
    /// Returns the failure of a file operation.
    pub(crate) fn delete(&self) -> io::Result<()> {
        let Some(_lock) = self.folder.lock_if_exists()? else {
            return Ok(());
        };
        ignore_not_found(fs::remove_file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_identity_is_drawn_once_and_only_its_owner_can_read_it() {
        let name = format!("noughts-identity-{}", std::process::id());
        let state = std::env::temp_dir().join(name);
        let store = IdentityStore::new(&state);
        assert_eq!(store.load().unwrap(), None);
        store.delete().unwrap();
        let drawn = store.load_or_draw().unwrap();
        assert_eq!(store.load_or_draw().unwrap(), drawn);
        let mode = fs::metadata(state.join(FILE_NAME)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        // A damaged file is replaced only if the player asks for it.
        fs::write(state.join(FILE_NAME), "{").unwrap();
        for result in [store.load(), store.load_or_draw().map(Some)] {
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
        assert_eq!(store.import(drawn.master()).unwrap(), None);
        assert_eq!(store.load().unwrap(), Some(drawn.clone()));
        store.delete().unwrap();
        assert_ne!(store.load_or_draw().unwrap(), drawn);
        fs::remove_dir_all(state).unwrap();
    }
}
