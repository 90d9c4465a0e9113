//! Tests of the index of games: its entries, its reader, and its check.

use std::net::IpAddr;

use noughts_protocol::wire::{GameCounts, GameId, GamesFilter, MAX_COUNTED_GAMES};
use noughts_protocol::{Identity, PlayerKind};
use proptest::prelude::*;

use super::*;
use crate::limits::client_prefix::{ClientPrefix, Network};
use crate::store::game_tags::GameTags;
use crate::store::sqlite::archive_reader::{BusyNetworks, NetworkTurn};
use crate::store::sqlite::game_index::{find_damage, write_game};
use crate::store::sqlite::rows::prepare_tables;
use crate::store::{ArchiveQuery, ArchiveResponse};

fn identity(number: u8) -> Identity {
    Identity::from_bytes([number; 16])
}

/// A game of X against O, who are guests if they have no number. X wins by resignation.
#[derive(Clone, Copy, Debug)]
struct SampleGame {
    x: Option<u8>,
    o: Option<u8>,
    is_public: bool,
}

impl SampleGame {
    fn finished(self, number: u32) -> FinishedGame {
        let tags = GameTags {
            is_public: self.is_public,
            kinds: [PlayerKind::Person, PlayerKind::Bot],
        };
        let mut record = format!("{tags}[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n");
        for (seat, player) in [("X", self.x), ("O", self.o)] {
            if let Some(player) = player {
                record.push_str(&format!("[{seat}Identity \"{}\"]\n", identity(player)));
            }
        }
        record.push_str("[Result \"X resignation\"]\n\n1. b2 a1\n");
        FinishedGame {
            number,
            ended_at: 1000 + u64::from(number),
            record,
        }
    }
}

/// Adds games with the numbers from 1 to a file.
fn add_games(connection: &Connection, games: &[SampleGame]) {
    for (index, game) in games.iter().enumerate() {
        let id = i64::try_from(index).unwrap() + 1;
        let finished = game.finished(u32::try_from(id).unwrap());
        write_game(connection, id, RoomId::from_bits(7), &finished).unwrap();
    }
}

fn table(connection: &Connection) -> Vec<String> {
    let mut rows = connection
        .prepare(
            "SELECT hex(player) || game || rules || ended || coalesce(hex(opponent), '') || result || public
             FROM game_index ORDER BY player, game",
        )
        .unwrap();
    let rows = rows.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn damage(connection: &Connection) -> Vec<String> {
    let mut found = Vec::new();
    find_damage(connection, |damage| found.push(damage.to_string())).unwrap();
    found
}

fn sample_games() -> impl Strategy<Value = Vec<SampleGame>> {
    let player = || proptest::option::of(0_u8..4);
    let game = (player(), player(), any::<bool>()).prop_map(|(x, o, is_public)| SampleGame {
        x,
        o,
        is_public,
    });
    proptest::collection::vec(game, 0..450)
}

/// Returns the players of a game, each once.
fn players(game: &SampleGame) -> Vec<u8> {
    let mut players: Vec<u8> = [game.x, game.o].into_iter().flatten().collect();
    players.dedup();
    players
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The index has the entries of the stored games and of no others, whichever games are deleted and whichever
    /// transaction is rolled back.
    #[test]
    fn the_index_has_the_entries_of_the_stored_games(
        games in sample_games(),
        rolled_back in sample_games(),
        deleted in proptest::collection::btree_set(1_i64..450, 0..20),
    ) {
        let dir = TempDataDir::new();
        let mut connection = dir.sql();
        prepare_tables(&mut connection).unwrap();
        let transaction = connection.transaction().unwrap();
        add_games(&transaction, &rolled_back);
        drop(transaction);
        let transaction = connection.transaction().unwrap();
        add_games(&transaction, &games);
        for game in &deleted {
            transaction.execute("DELETE FROM games WHERE id = ?1", [game]).unwrap();
        }
        transaction.commit().unwrap();
        let kept = (1..).zip(&games).filter(|(id, _)| !deleted.contains(id));
        let expected: usize = kept.map(|(_, game)| players(game).len()).sum();
        prop_assert_eq!(table(&connection).len(), expected);
        prop_assert_eq!(damage(&connection), Vec::<String>::new());
    }
}

/// A text that is not a record is stored without entries, and an entry that damage left behind is replaced.
#[test]
fn bad_records_and_leftover_entries_fail_no_commit() {
    let dir = TempDataDir::new();
    let mut connection = dir.sql();
    prepare_tables(&mut connection).unwrap();
    let bad = FinishedGame {
        record: "not a record".into(),
        ..GAMES[0].finished(1)
    };
    write_game(&connection, 1, RoomId::from_bits(7), &bad).unwrap();
    assert_eq!(table(&connection), [""; 0]);
    let player = identity(1).to_bytes();
    connection
        .execute(
            "INSERT INTO game_index VALUES (?1, 2, 0, '9x9:5', NULL, 0, 1)",
            [player],
        )
        .unwrap();
    write_game(&connection, 2, RoomId::from_bits(7), &GAMES[0].finished(2)).unwrap();
    assert_eq!(table(&connection).len(), 2);
    assert_eq!(damage(&connection), [""; 0]);
}

/// Returns a directory with games, and its log.
fn with_games(games: &[SampleGame]) -> (TempDataDir, SqliteLog) {
    let dir = TempDataDir::new();
    drop(dir.open().unwrap());
    let mut connection = dir.sql();
    let transaction = connection.transaction().unwrap();
    add_games(&transaction, games);
    transaction.commit().unwrap();
    drop(connection);
    let log = dir.open().unwrap();
    (dir, log)
}

fn network(last: u8) -> Network {
    ClientPrefix::from_ip(IpAddr::from([192, 0, 2, last])).customer_network()
}

async fn ask(log: &SqliteLog, query: ArchiveQuery) -> ArchiveResponse {
    let reader = log.archive_reader().unwrap();
    let response = reader.query(network(1), query).unwrap();
    response.await.unwrap().unwrap()
}

fn games_of(of: u8, asker: Option<u8>) -> ArchiveQuery {
    ArchiveQuery::Games {
        of: identity(of),
        filter: GamesFilter::default(),
        asker: asker.map(identity),
    }
}

async fn numbers(log: &SqliteLog, query: ArchiveQuery) -> Vec<u64> {
    let ArchiveResponse::Games { games, .. } = ask(log, query).await else {
        panic!("not a list");
    };
    games.iter().map(|listing| listing.game.0).collect()
}

const GAMES: [SampleGame; 4] = [
    SampleGame {
        x: Some(1),
        o: Some(2),
        is_public: true,
    },
    SampleGame {
        x: Some(2),
        o: Some(1),
        is_public: false,
    },
    SampleGame {
        x: Some(1),
        o: None,
        is_public: true,
    },
    SampleGame {
        x: Some(3),
        o: Some(1),
        is_public: false,
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn private_games_are_visible_to_their_players_only() {
    let (_dir, log) = with_games(&GAMES);
    assert_eq!(numbers(&log, games_of(1, None)).await, [3, 1]);
    assert_eq!(numbers(&log, games_of(1, Some(1))).await, [4, 3, 2, 1]);
    assert_eq!(numbers(&log, games_of(1, Some(2))).await, [3, 2, 1]);
    assert_eq!(numbers(&log, games_of(9, Some(2))).await, [0; 0]);
    let game = |game, asker: Option<u8>| ArchiveQuery::Game {
        game: GameId(game),
        asker: asker.map(identity),
    };
    for (number, asker, is_visible) in [
        (1, None, true),
        (2, None, false),
        (2, Some(3), false),
        (2, Some(1), true),
        (9, Some(1), false),
        (u64::MAX, Some(1), false),
    ] {
        let response = ask(&log, game(number, asker)).await;
        let is_game =
            matches!(&response, ArchiveResponse::Game { record, .. } if record.contains("b2 a1"));
        assert_eq!(is_game, is_visible, "{number} {asker:?} {response:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_filtered_and_continued() {
    let (_dir, log) = with_games(&GAMES);
    let with = |change: &dyn Fn(&mut GamesFilter)| {
        let mut filter = GamesFilter::default();
        change(&mut filter);
        ArchiveQuery::Games {
            of: identity(1),
            filter,
            asker: Some(identity(1)),
        }
    };
    let opponent = with(&|filter| filter.with = Some(identity(2)));
    assert_eq!(numbers(&log, opponent).await, [2, 1]);
    for (rules, expected) in [("7x6:4+gravity", vec![]), ("3x3:3", vec![4, 3, 2, 1])] {
        let rules = with(&|filter| filter.rules = Some(rules.parse().unwrap()));
        assert_eq!(numbers(&log, rules).await, expected);
    }
    for (before, limit, expected, next) in [
        (9, 2, vec![4, 3], Some(3)),
        (3, 2, vec![2, 1], None),
        (3, 1, vec![2], Some(2)),
        (1, 1, vec![], None),
    ] {
        let page = with(&|filter| {
            filter.before = Some(GameId(before));
            filter.limit = Some(limit);
        });
        let ArchiveResponse::Games { games, before } = ask(&log, page).await else {
            panic!("not a list");
        };
        let games: Vec<u64> = games.iter().map(|listing| listing.game.0).collect();
        assert_eq!((games, before), (expected, next.map(GameId)));
    }
}

/// A query reads the newest games only, whatever it looks for.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_reads_a_limited_number_of_games() {
    let mut games = vec![GAMES[0]; 2];
    games.extend(vec![GAMES[2]; MAX_COUNTED_GAMES as usize + 1]);
    let (_dir, log) = with_games(&games);
    let query = |before: Option<GameId>| ArchiveQuery::Games {
        of: identity(1),
        filter: GamesFilter {
            with: Some(identity(2)),
            before,
            ..GamesFilter::default()
        },
        asker: None,
    };
    let ArchiveResponse::Games { games, before } = ask(&log, query(None)).await else {
        panic!("not a list");
    };
    assert_eq!((games.len(), before), (0, Some(GameId(4))));
    assert_eq!(numbers(&log, query(before)).await, [2, 1]);
    let profile = ArchiveQuery::Profile {
        of: identity(1),
        asker: Some(identity(2)),
    };
    let ArchiveResponse::Profile(profile) = ask(&log, profile).await else {
        panic!("no profile");
    };
    assert_eq!(
        profile.rules[0].counts.total(),
        u64::from(MAX_COUNTED_GAMES)
    );
    // The newest games of the asker are counted, however many games the player has played since.
    assert_eq!(profile.against_you.map(GameCounts::total), Some(2));
}

/// A player who had both seats neither won nor lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_against_oneself_is_listed_but_not_counted() {
    let (_dir, log) = with_games(&[
        SampleGame {
            x: Some(1),
            o: Some(1),
            is_public: true,
        },
        GAMES[2],
    ]);
    assert_eq!(numbers(&log, games_of(1, None)).await, [2, 1]);
    let query = ArchiveQuery::Profile {
        of: identity(1),
        asker: None,
    };
    let ArchiveResponse::Profile(profile) = ask(&log, query).await else {
        panic!("no profile");
    };
    let counts = GameCounts {
        wins: 1,
        ..GameCounts::default()
    };
    assert_eq!((profile.rules[0].counts, profile.games.len()), (counts, 2));
}

#[test]
fn a_network_has_one_query_at_a_time() {
    let busy = BusyNetworks::default();
    let turn = NetworkTurn::begin(network(1), &busy).unwrap();
    assert!(NetworkTurn::begin(network(1), &busy).is_none());
    assert!(NetworkTurn::begin(network(2), &busy).is_some());
    drop(turn);
    assert!(NetworkTurn::begin(network(1), &busy).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_counts_the_games_that_its_reader_may_see() {
    let (_dir, log) = with_games(&GAMES);
    let profile = |of, asker: Option<u8>| ArchiveQuery::Profile {
        of: identity(of),
        asker: asker.map(identity),
    };
    let ArchiveResponse::Profile(seen) = ask(&log, profile(1, Some(2))).await else {
        panic!("no profile");
    };
    assert_eq!(seen.player.name.as_str(), "Ann");
    assert_eq!(seen.first_seen, 1001);
    let counts = GameCounts {
        wins: 2,
        draws: 0,
        losses: 1,
    };
    assert_eq!(seen.rules[0].counts, counts);
    let against = GameCounts {
        wins: 1,
        draws: 0,
        losses: 1,
    };
    assert_eq!(seen.against_you, Some(against));
    assert_eq!(seen.games.len(), 3);
    let ArchiveResponse::Profile(own) = ask(&log, profile(1, Some(1))).await else {
        panic!("no profile");
    };
    assert_eq!((own.against_you, own.games.len()), (None, 4));
    // Only private games.
    assert_eq!(
        ask(&log, profile(3, None)).await,
        ArchiveResponse::UnknownPlayer
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_reports_each_difference_of_the_index() {
    let (dir, log) = with_games(&GAMES);
    drop(log);
    let sql = dir.sql();
    assert_eq!(damage(&sql), [""; 0]);
    sql.execute_batch(
        "DELETE FROM game_index WHERE game = 3;
         UPDATE game_index SET result = 0 WHERE game = 1;
         INSERT INTO game_index VALUES (x'07', 77, 0, '3x3:3', NULL, 0, 1);",
    )
    .unwrap();
    let reported = [1, 3, 77].map(|game| format!("index of games, game {game}"));
    assert_eq!(damage(&sql), reported);
    // The record of a damaged game tells nothing about its entries.
    sql.execute_batch("UPDATE games SET record = '' WHERE id = 1")
        .unwrap();
    assert_eq!(damage(&sql), reported[1..]);
}

/// Returns the record of a game with 20 moves.
fn long_record(x: Identity, o: Identity) -> String {
    format!(
        "[Public \"yes\"]\n[Rules \"7x6:4+gravity\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[XIdentity \"{x}\"]\n\
         [OIdentity \"{o}\"]\n[Result \"X resignation\"]\n\n\
         1. d6 d5 2. d4 d3 3. e6 c6 4. e5 c5 5. f6 g6 6. a6 b6 7. a5 b5 8. c4 e4 9. f5 g5 10. d2 d1\n"
    )
}

/// Prints the time of queries about a player with one game of a hundred, and the size of the write-ahead log while
/// clients ask without pause. Needs `NOUGHTS_INDEX_GAMES=1000000` and a release build.
#[test]
fn speed_of_a_large_index() {
    let Ok(count) = std::env::var("NOUGHTS_INDEX_GAMES").map(|count| count.parse::<i64>().unwrap())
    else {
        return;
    };
    let dir = TempDataDir::new();
    drop(dir.open().unwrap());
    let connection = dir.sql();
    connection.execute_batch("BEGIN").unwrap();
    for id in 1..=count {
        let player = |salt: i64| {
            let number = (id * 2_654_435_761 + salt * 40_503) % 20_000;
            Identity::from_bytes(
                (number as u128 * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes(),
            )
        };
        let x = if id % 100 == 0 {
            identity(1)
        } else {
            player(1)
        };
        let finished = FinishedGame {
            number: 1,
            ended_at: 1000,
            record: long_record(x, player(2)),
        };
        write_game(&connection, id, RoomId::from_bits(7), &finished).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    drop(connection);
    let log = dir.open().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let profile = ArchiveQuery::Profile {
        of: identity(1),
        asker: Some(identity(2)),
    };
    for (name, query) in [
        ("games", games_of(1, Some(1))),
        ("profile", profile.clone()),
    ] {
        for _ in 0..3 {
            let began = tokio::time::Instant::now();
            let response = runtime.block_on(ask(&log, query.clone()));
            let bytes = format!("{response:?}").len();
            println!("{name}: {:?}, {bytes} bytes", began.elapsed());
        }
    }
    runtime.block_on(async {
        let room = room_secrets(1).room;
        log.create(room_secrets(1), events(1, 1)).await.unwrap();
        let mut queries = 0;
        let ended = std::sync::atomic::AtomicBool::new(false);
        let ask_on = async {
            while !ended.load(Ordering::Relaxed) {
                tokio::join!(ask(&log, profile.clone()), async {
                    let reader = log.archive_reader().unwrap();
                    let query = reader.query(network(2), games_of(1, None)).unwrap();
                    query.await.unwrap().unwrap();
                });
                queries += 2;
            }
        };
        let append = async {
            let began = tokio::time::Instant::now();
            let (mut seq, mut largest) = (2, 0);
            while began.elapsed() < Duration::from_secs(20) {
                log.append(room, events(seq, seq + 199), None)
                    .await
                    .unwrap();
                seq += 200;
                let wal = fs::metadata(dir.0.join("noughts.db-wal")).unwrap();
                largest = largest.max(wal.len());
            }
            ended.store(true, Ordering::Relaxed);
            println!(
                "{} commits, largest write-ahead log: {largest} bytes",
                seq / 200
            );
        };
        tokio::join!(ask_on, append);
        println!("{queries} queries");
    });
}
