use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::tests::game;
use super::*;

/// A folder of its own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name =
            format!("noughts-unfinished-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Folder(std::env::temp_dir().join(name))
    }

    fn store(&self) -> Store {
        Store::at(self.0.join("games"))
    }

    /// The files, by the ends of their names.
    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.join("games")).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        absent_is_fine(fs::remove_dir_all(&self.0)).expect("the test's own folder");
    }
}

fn rooms(found: &Found) -> Vec<String> {
    found.games.iter().map(|game| game.room.to_string()).collect()
}

const ANN: &str = "k7qf3mzx-ws---127-0-0-1-7878-ws";

#[test]
fn a_game_is_offered_only_once_nobody_plays_it() {
    let folder = Folder::new();
    let (first, second) = (folder.store(), folder.store());
    assert!(first.find().unwrap().games.is_empty(), "there is not even a folder");
    let held = first.keep(None, &game("k7qf3mzx")).unwrap();
    assert!(second.find().unwrap().games.is_empty());
    assert!(matches!(second.take(&game("k7qf3mzx")), Err(TakeError::Held)));
    assert!(matches!(second.keep(None, &game("k7qf3mzx")), Err(TakeError::Held)));
    drop(held);
    let found = second.find().unwrap();
    assert_eq!(found.games, [game("k7qf3mzx")]);
    let (held, again) = second.take(&found.games[0]).unwrap();
    assert_eq!(again.token.to_bytes(), game("k7qf3mzx").token.to_bytes());
    assert!(matches!(first.take(&found.games[0]), Err(TakeError::Held)));
    second.forget(held).unwrap();
    assert!(matches!(first.take(&found.games[0]), Err(TakeError::Gone)));
    assert_eq!(folder.files(), ["lock"], "nothing is left behind");
}

#[test]
fn only_the_owner_may_look() {
    let folder = Folder::new();
    let games = folder.0.join("games");
    DirBuilder::new().recursive(true).mode(0o755).create(&games).unwrap();
    let held = folder.store().keep(None, &game("k7qf3mzx")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&games), 0o700, "also where the folder was there before");
    for file in folder.files() {
        assert_eq!(mode(&games.join(&file)), 0o600, "{file}");
    }
    drop(held);
}

#[test]
fn what_is_no_game_is_removed_and_counted() {
    let folder = Folder::new();
    let store = folder.store();
    drop(store.keep(None, &game("k7qf3mzx")).unwrap());
    let games = folder.0.join("games");
    let whole = game("k7qf3mzx").to_text();
    fs::write(games.join("half.game"), &whole[..whole.len() / 2]).unwrap();
    fs::write(games.join("empty.game"), "").unwrap();
    fs::write(games.join("bytes.game"), [0xff, 0xfe, 0]).unwrap();
    fs::write(games.join("long.game"), format!("{whole}{}", " ".repeat(5000))).unwrap();
    let newer = whole.replace("\"version\":1", "\"version\":2");
    fs::write(games.join("newer.game"), newer).unwrap();
    fs::write(games.join("copy.game"), &whole).unwrap();
    fs::write(games.join("note.txt"), "mine").unwrap();
    fs::create_dir(games.join("folder.game")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", games.join("link.game")).unwrap();
    let found = store.find().unwrap();
    assert_eq!((rooms(&found), found.damaged), (vec!["k7qf3mzx".to_owned()], 4));
    let left: Vec<_> = folder.files().into_iter().filter(|file| !file.ends_with("lock")).collect();
    let mine = format!("{ANN}.game");
    assert_eq!(left, ["copy.game", "folder.game", &mine, "link.game", "newer.game", "note.txt"]);
    assert_eq!(store.find().unwrap().damaged, 0);
}

#[test]
fn a_game_changes_as_a_whole_and_a_half_written_one_does_not_count() {
    let folder = Folder::new();
    let store = folder.store();
    let held = store.keep(None, &game("k7qf3mzx")).unwrap();
    fs::write(folder.0.join("games").join(format!("{ANN}.new")), "{\"version\":1,").unwrap();
    let swapped = Unfinished { seat: noughts_protocol::Seat::O, ..game("k7qf3mzx") };
    drop(store.keep(Some(held), &swapped).unwrap());
    let found = store.find().unwrap();
    assert_eq!((found.games, found.damaged), (vec![swapped], 0));
}

#[test]
fn rooms_of_two_servers_with_one_id_are_two_games() {
    let folder = Folder::new();
    let store = folder.store();
    let there = Unfinished { server: "example.org".parse().unwrap(), ..game("k7qf3mzx") };
    let held = store.keep(None, &game("k7qf3mzx")).unwrap();
    drop(store.keep(Some(held), &there).unwrap());
    assert_eq!(store.find().unwrap().games.len(), 2);
}

#[test]
fn the_oldest_gives_way_but_not_while_it_is_played() {
    let folder = Folder::new();
    let store = folder.store();
    let name = |number: usize| format!("0000000{number}");
    let keep = |number: usize| {
        let held = store.keep(None, &game(&name(number))).unwrap();
        // The order of the files, without waiting for the clock.
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
        File::options().write(true).open(store.path(&game(&name(number)))).unwrap().set_modified(at).unwrap();
        held
    };
    let played = keep(0);
    for number in 1..MOST {
        drop(keep(number));
    }
    assert_eq!(store.find().unwrap().games.len(), MOST - 1);
    drop(keep(MOST));
    assert!(matches!(store.take(&game(&name(0))), Err(TakeError::Held)), "too old, but played");
    drop(played);
    drop(keep(MOST + 1));
    let newest: Vec<String> = (2..=MOST + 1).rev().map(name).collect();
    assert_eq!(rooms(&store.find().unwrap()), newest);
}

#[test]
fn a_folder_that_somebody_holds_is_not_waited_for_for_ever() {
    let folder = Folder::new();
    let store = folder.store();
    let held = store.keep(None, &game("k7qf3mzx")).unwrap();
    let stopped = store.lock().unwrap();
    assert!(matches!(folder.store().find(), Err(error) if error.kind() == io::ErrorKind::TimedOut));
    drop((stopped, held));
    assert_eq!(rooms(&folder.store().find().unwrap()), ["k7qf3mzx"]);
}
