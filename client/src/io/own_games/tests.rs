use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// Temporary state folder, deleted when dropped.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new() -> TempFolder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "noughts-own-games-{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        TempFolder(std::env::temp_dir().join(name))
    }

    fn store(&self) -> OwnGameStore {
        OwnGameStore::new(&self.0)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        ignore_not_found(fs::remove_dir_all(&self.0)).expect("the test owns the folder");
    }
}

const MOVES: &str = "[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";

fn finished(number: u32, seat: Option<Seat>) -> FinishedOwnGame {
    let record = format!("[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob \\\"the\\\" B.\"]\n{MOVES}");
    FinishedOwnGame {
        record: record.parse().unwrap(),
        seat,
        server: Some(ServerUrl::local()),
        room: Some(("k7qf3mzx".parse().unwrap(), number)),
    }
}

fn local() -> FinishedOwnGame {
    FinishedOwnGame {
        server: None,
        room: None,
        ..finished(1, None)
    }
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

#[test]
fn kept_games_are_listed_newest_first() {
    let folder = TempFolder::new();
    let store = folder.store();
    assert!(store.list().unwrap().games.is_empty(), "no folder yet");
    let first = store.keep(finished(1, Some(Seat::X)), at(1_000)).unwrap();
    let second = store.keep(finished(2, Some(Seat::O)), at(2_000)).unwrap();
    let third = store.keep(local(), at(3_000)).unwrap();
    let list = {
        let _lock = store.folder.lock().unwrap();
        store.list().unwrap()
    };
    assert_eq!(list.games, [third, second, first], "no lock is needed");
    assert!(list.damaged.is_empty());
    let results: Vec<_> = list.games.iter().map(OwnGame::result).collect();
    let expected = [OwnGameResult::XWon, OwnGameResult::Lost, OwnGameResult::Won];
    assert_eq!(results, expected);
    assert_eq!(list.games[0].date(), "1970-01-01");
    let permissions = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = &list.games[0].path;
    assert_eq!(permissions(file), 0o600);
    assert_eq!(permissions(file.parent().unwrap()), 0o700);
    // The file is a record like any other.
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text.parse::<Record>().unwrap(), list.games[0].record);
}

#[test]
fn a_game_that_is_seen_again_has_one_file() {
    let folder = TempFolder::new();
    let store = folder.store();
    store.keep(finished(1, Some(Seat::X)), at(1_000)).unwrap();
    store.keep(finished(1, Some(Seat::X)), at(2_000)).unwrap();
    // Both players of a room may use one account.
    store.keep(finished(1, Some(Seat::O)), at(2_000)).unwrap();
    assert_eq!(store.list().unwrap().games.len(), 2);
}

#[test]
fn the_oldest_game_is_deleted_beyond_the_limit() {
    let folder = TempFolder::new();
    let store = folder.store();
    let oldest = store.keep(finished(1, Some(Seat::X)), at(1_000)).unwrap();
    for number in 2..=MAX_GAMES as u32 {
        let path = format!("19710101T0000{number:04}Z.{EXTENSION}");
        fs::copy(&oldest.path, oldest.path.with_file_name(path)).unwrap();
    }
    assert_eq!(store.list().unwrap().games.len(), MAX_GAMES);
    let foreign = ["0-notes", "notes"].map(|name| {
        let path = oldest.path.with_file_name(format!("{name}.{EXTENSION}"));
        fs::write(&path, "no game").unwrap();
        path
    });
    // The names sort in the order of the games: the copies are newer than the first game and older than the next game.
    let newest = store
        .keep(finished(2, Some(Seat::X)), at(2_000_000_000))
        .unwrap();
    let list = store.list().unwrap();
    assert_eq!(list.games.len(), MAX_GAMES);
    assert_eq!(list.games[0], newest);
    assert!(list.games.iter().all(|game| game.path != oldest.path));
    assert!(
        foreign.iter().all(|path| path.exists()),
        "no games of the client"
    );
}

#[test]
fn a_damaged_file_is_named_and_loses_nothing_else() {
    let folder = TempFolder::new();
    let store = folder.store();
    let kept = store.keep(finished(1, Some(Seat::X)), at(1_000)).unwrap();
    let whole = fs::read_to_string(&kept.path).unwrap();
    for (number, text) in [
        "",
        "no game",
        &whole[..whole.len() / 2],
        &whole.replace("[Ended", "[Began"),
        &whole.replace("X line", "*").replace("3. a3", ""),
        &whole.replace("[You \"X\"]", "[You \"Z\"]"),
        &format!("{whole}{}", " ".repeat(40_000)),
    ]
    .iter()
    .enumerate()
    {
        let path = kept
            .path
            .with_file_name(format!("19700102T00000{number}Z.{EXTENSION}"));
        fs::write(path, text).unwrap();
    }
    fs::write(
        kept.path.with_file_name("19700103T000000Z.txt"),
        [0xff, 0xfe],
    )
    .unwrap();
    let list = store.list().unwrap();
    assert_eq!((list.games, list.damaged.len()), (vec![kept.clone()], 8));
    store.delete(&kept.path).unwrap();
    assert_eq!(store.list().unwrap().games, []);
}

#[test]
fn a_filter_fits_the_opponent_the_rules_and_the_result() {
    let folder = TempFolder::new();
    let game = folder
        .store()
        .keep(finished(1, Some(Seat::X)), at(1))
        .unwrap();
    let fits = |opponent: Option<&str>, rules: &str, result| {
        OwnGameFilter {
            opponent: opponent.map(str::to_owned),
            rules: Some(rules.parse().unwrap()),
            result,
        }
        .matches(&game)
    };
    assert!(OwnGameFilter::default().matches(&game));
    assert!(fits(Some("BOB"), "tictactoe", Some(OwnGameResult::Won)));
    // Ann is the player.
    assert!(!fits(Some("Ann"), "tictactoe", None));
    assert!(!fits(None, "connect4", None));
    assert!(!fits(None, "tictactoe", Some(OwnGameResult::Lost)));
}
