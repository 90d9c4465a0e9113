use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::io::saved_games::tests::saved_game;

/// Temporary folder, deleted when dropped.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new() -> TempFolder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "noughts-saved-games-{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        TempFolder(std::env::temp_dir().join(name))
    }

    fn store(&self) -> SavedGameStore {
        SavedGameStore::new(&self.0)
    }

    /// Returns the sorted names of all files.
    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.join("games")).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        ignore_not_found(fs::remove_dir_all(&self.0)).expect("the test owns the folder");
    }
}

fn rooms(found: &SavedGameList) -> Vec<String> {
    found
        .games
        .iter()
        .map(|game| game.room.to_string())
        .collect()
}

const ANN: &str = "k7qf3mzx-X-ws---127-0-0-1-7878-ws";

#[test]
fn a_game_is_listed_only_while_unlocked() {
    let folder = TempFolder::new();
    let (first, second) = (folder.store(), folder.store());
    assert!(
        first.list().unwrap().games.is_empty(),
        "the folder does not exist"
    );
    let held = first.save(None, &saved_game("k7qf3mzx")).unwrap();
    let list = second.list().unwrap();
    assert!(list.games.is_empty());
    assert_eq!(list.held, ["k7qf3mzx".parse().unwrap()]);
    assert!(matches!(
        second.lock(&saved_game("k7qf3mzx")),
        Err(SavedGameError::Held)
    ));
    assert!(matches!(
        second.save(None, &saved_game("k7qf3mzx")),
        Err(SavedGameError::Held)
    ));
    drop(held);
    let found = second.list().unwrap();
    assert_eq!(found.games, [saved_game("k7qf3mzx")]);
    let (held, again) = second.lock(&found.games[0]).unwrap();
    assert_eq!(
        again.token.to_bytes(),
        saved_game("k7qf3mzx").token.to_bytes()
    );
    assert!(matches!(
        first.lock(&found.games[0]),
        Err(SavedGameError::Held)
    ));
    second.delete(held).unwrap();
    assert!(matches!(
        first.lock(&found.games[0]),
        Err(SavedGameError::Gone)
    ));
    assert_eq!(folder.files(), ["lock"], "no other files remain");
}

#[test]
fn folder_and_files_are_private_to_the_owner() {
    let folder = TempFolder::new();
    let games = folder.0.join("games");
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(&games)
        .unwrap();
    let held = folder.store().save(None, &saved_game("k7qf3mzx")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&games), 0o700, "also for an existing folder");
    for file in folder.files() {
        assert_eq!(mode(&games.join(&file)), 0o600, "{file}");
    }
    drop(held);
}

#[test]
fn corrupt_files_are_deleted_and_counted() {
    let folder = TempFolder::new();
    let store = folder.store();
    drop(store.save(None, &saved_game("k7qf3mzx")).unwrap());
    let games = folder.0.join("games");
    let whole = saved_game("k7qf3mzx").to_text();
    fs::write(games.join("half.game"), &whole[..whole.len() / 2]).unwrap();
    fs::write(games.join("empty.game"), "").unwrap();
    fs::write(games.join("bytes.game"), [0xff, 0xfe, 0]).unwrap();
    fs::write(
        games.join("long.game"),
        format!("{whole}{}", " ".repeat(5000)),
    )
    .unwrap();
    let newer = whole.replace("\"version\":1", "\"version\":2");
    fs::write(games.join("newer.game"), newer).unwrap();
    fs::write(games.join("copy.game"), &whole).unwrap();
    fs::write(games.join("note.txt"), "mine").unwrap();
    fs::create_dir(games.join("folder.game")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", games.join("link.game")).unwrap();
    let found = store.list().unwrap();
    assert_eq!(
        (rooms(&found), found.corrupt),
        (vec!["k7qf3mzx".to_owned()], 4)
    );
    let left: Vec<_> = folder
        .files()
        .into_iter()
        .filter(|file| !file.ends_with("lock"))
        .collect();
    let mine = format!("{ANN}.game");
    assert_eq!(
        left,
        [
            "copy.game",
            "folder.game",
            &mine,
            "link.game",
            "newer.game",
            "note.txt"
        ]
    );
    assert_eq!(store.list().unwrap().corrupt, 0);
}

#[test]
fn a_game_is_written_atomically() {
    let folder = TempFolder::new();
    let store = folder.store();
    let held = store.save(None, &saved_game("k7qf3mzx")).unwrap();
    fs::write(
        folder.0.join("games").join(format!("{ANN}.new")),
        "{\"version\":1,",
    )
    .unwrap();
    // This is the second game of the series, so its seats are swapped.
    let swapped = SavedGame {
        seat: noughts_protocol::Seat::O,
        number: 2,
        ..saved_game("k7qf3mzx")
    };
    drop(store.save(Some(held), &swapped).unwrap());
    let found = store.list().unwrap();
    assert_eq!((found.games, found.corrupt), (vec![swapped], 0));
}

#[test]
fn both_players_of_a_room_can_use_one_folder() {
    let folder = TempFolder::new();
    let store = folder.store();
    let ann = saved_game("k7qf3mzx");
    let bob = SavedGame {
        seat: noughts_protocol::Seat::O,
        ..saved_game("k7qf3mzx")
    };
    let anns_lock = store.save(None, &ann).unwrap();
    let bobs_lock = store.save(None, &bob).unwrap();
    // A rematch swaps the seats. Each player keeps the lock of the player's own file.
    let ann = SavedGame {
        number: 2,
        seat: bob.seat,
        ..ann
    };
    let bob = SavedGame {
        number: 2,
        seat: ann.seat.other(),
        ..bob
    };
    let anns_lock = store.save(Some(anns_lock), &ann).unwrap();
    drop(store.save(Some(bobs_lock), &bob).unwrap());
    // Bob's program was killed; Ann still plays.
    assert_eq!(store.list().unwrap().games, [bob]);
    drop(anns_lock);
    assert_eq!(store.list().unwrap().games.len(), 2);
}

#[test]
fn rooms_of_two_servers_with_one_id_are_two_games() {
    let folder = TempFolder::new();
    let store = folder.store();
    let there = SavedGame {
        server: "example.org".parse().unwrap(),
        ..saved_game("k7qf3mzx")
    };
    let held = store.save(None, &saved_game("k7qf3mzx")).unwrap();
    drop(store.save(Some(held), &there).unwrap());
    assert_eq!(store.list().unwrap().games.len(), 2);
}

#[test]
fn the_oldest_is_evicted_unless_locked() {
    let folder = TempFolder::new();
    let store = folder.store();
    let name = |number: usize| format!("0000000{number}");
    let save_numbered = |number: usize| {
        let held = store.save(None, &saved_game(&name(number))).unwrap();
        // Sets the modification times, because the files would otherwise have the same age.
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
        File::options()
            .write(true)
            .open(store.file_path(&saved_game(&name(number))))
            .unwrap()
            .set_modified(at)
            .unwrap();
        held
    };
    let played = save_numbered(0);
    for number in 1..MAX_FILES {
        drop(save_numbered(number));
    }
    assert_eq!(store.list().unwrap().games.len(), MAX_FILES - 1);
    drop(save_numbered(MAX_FILES));
    assert!(
        matches!(store.lock(&saved_game(&name(0))), Err(SavedGameError::Held)),
        "the oldest game is locked"
    );
    drop(played);
    drop(save_numbered(MAX_FILES + 1));
    let newest: Vec<String> = (2..=MAX_FILES + 1).rev().map(name).collect();
    assert_eq!(rooms(&store.list().unwrap()), newest);
}

#[test]
fn waiting_for_a_locked_folder_times_out() {
    let folder = TempFolder::new();
    let store = folder.store();
    let held = store.save(None, &saved_game("k7qf3mzx")).unwrap();
    let stopped = store.folder.lock().unwrap();
    assert!(matches!(folder.store().list(), Err(error) if error.kind() == io::ErrorKind::TimedOut));
    drop((stopped, held));
    assert_eq!(rooms(&folder.store().list().unwrap()), ["k7qf3mzx"]);
}
