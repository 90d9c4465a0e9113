//! The identity of the player while the program runs.

use noughts_protocol::IdentitySecret;

use super::run_blocking;
use crate::connection::server_url::ServerUrl;
use crate::identity::PlayerIdentity;
use crate::io::identity_store::IdentityStore;

/// The identity of the player, and its file. Without an identity, the player is a guest.
#[derive(Debug, Default)]
pub(in crate::app) struct IdentityTask(Option<(IdentityStore, PlayerIdentity)>);

impl IdentityTask {
    /// Uses the identity in this file, and draws one if there is none.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, was written by a newer program, or cannot be written.
    pub(in crate::app) async fn load(store: IdentityStore) -> std::io::Result<IdentityTask> {
        let file = store.clone();
        let identity = run_blocking(move || file.load_or_draw()).await?;
        Ok(IdentityTask(Some((store, identity))))
    }

    /// Returns the secret that shows a server who the player is; `None` for a guest.
    pub(in crate::app) fn secret_for(&self, server: &ServerUrl) -> Option<IdentitySecret> {
        let (_, identity) = self.0.as_ref()?;
        Some(identity.secret_for(server))
    }

    /// Remembers that a server, which announces `address`, has welcomed the player with the identity. Returns another
    /// address of the server where the player has another identity, once for each pair of addresses.
    ///
    /// If another process has imported or forgotten the identity, the file keeps that change. This program uses its own
    /// identity until it ends.
    pub(in crate::app) async fn on_welcome(
        &mut self,
        server: &ServerUrl,
        address: Option<&ServerUrl>,
    ) -> Option<ServerUrl> {
        let (store, identity) = self.0.as_mut()?;
        let master = identity.master();
        let (file, server, address) = (store.clone(), server.clone(), address.cloned());
        let remember = move |kept: &mut PlayerIdentity| kept.remember(&server, address.as_ref());
        match run_blocking(move || file.update(master, remember)).await {
            Ok(updated) => {
                let (updated, other) = updated?;
                *identity = updated;
                other
            }
            Err(error) => {
                let error: std::io::Error = error;
                tracing::warn!(%error, "cannot remember the server of an identity");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::MasterSecret;

    #[tokio::test]
    async fn a_running_program_keeps_what_another_one_has_imported_or_forgotten() {
        let name = format!("noughts-identity-task-{}", std::process::id());
        let state = std::env::temp_dir().join(name);
        let store = IdentityStore::new(&state);
        let [home, lan]: [ServerUrl; 2] =
            ["localhost", "192.168.1.7"].map(|text| text.parse().unwrap());
        let mut task = IdentityTask::load(store.clone()).await.unwrap();
        let secret = task.secret_for(&home);
        assert_eq!(task.on_welcome(&home, Some(&lan)).await, None);

        let imported = MasterSecret::from_bytes([7; 16]);
        store.import(imported).unwrap();
        assert_eq!(task.on_welcome(&lan, Some(&lan)).await, None);
        let kept = store.load().unwrap().expect("an identity");
        assert_eq!(kept.master(), imported);
        // The next run asks about the address that this program could not remember.
        let mut next = IdentityTask::load(store.clone()).await.unwrap();
        assert_eq!(next.on_welcome(&lan, Some(&lan)).await, Some(home.clone()));

        store.delete().unwrap();
        assert_eq!(next.on_welcome(&home, None).await, None);
        assert_eq!(store.load().unwrap(), None);
        assert_eq!(task.secret_for(&home), secret);
        std::fs::remove_dir_all(state).unwrap();
    }
}
