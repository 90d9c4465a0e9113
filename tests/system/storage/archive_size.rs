//! Start, commands and response times of a server with many finished games.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use noughts_protocol::{Event, EventRecord, Offer, ResumeToken, RoomId, Seat, Seq};
use noughts_server::testing::{
    Durability, EventLog, FinishedGame, RoomSecrets, ServerClock, SqliteLog, SqliteOptions,
};
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, binary_path, output_within};
use noughts_tests::server::ServerProcess;
use tokio::time::{Instant, sleep_until};

/// Limit of the start, and of a command that does not read all games.
const QUICK: Duration = Duration::from_secs(10);

/// Limit of a command that reads all games.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);

/// Interval between two moves.
const MOVE_INTERVAL: Duration = Duration::from_millis(10);

/// Number of rooms that write games at the same time and share commits.
const ROOM_COUNT: u64 = 500;

/// Number of moves of a game. They complete no line.
const GAME_MOVES: u16 = 600;

fn game_count() -> u64 {
    std::env::var("NOUGHTS_TEST_GAMES").map_or(2_000, |count| count.parse().expect("a number"))
}

/// Writes finished games of one room.
async fn write_games(data: &Path, count: u64) {
    let clock = ServerClock::start();
    let now = clock.now();
    let log = SqliteLog::open(data, SqliteOptions::new(Durability::Process, clock))
        .expect("a new directory");
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";
    let record = |seq, event| EventRecord {
        seq: Seq::new(seq),
        at: now,
        by: None,
        event,
    };
    let write_room = async |room| {
        let secrets = RoomSecrets {
            room,
            code: None,
            tokens: [ResumeToken::from_bits(1); 2],
            parties: [None; 2],
            left: [false; 2],
        };
        let opened = Event::Opened {
            rules: "3x3:3".parse().expect("rules"),
            clock: None,
            public: true,
            free_first_moves: false,
        };
        log.create(secrets, vec![record(1, opened)])
            .await
            .expect("stored");
        for number in 1..=count / ROOM_COUNT {
            let event = match number % 2 {
                1 => Event::Offered {
                    offer: Offer::Draw,
                    seat: Seat::X,
                },
                _ => Event::Declined {
                    offer: Offer::Draw,
                    seat: Seat::X,
                },
            };
            let number_in_room = u32::try_from(number).expect("few games");
            let game = FinishedGame {
                number: number_in_room,
                ended_at: now,
                record: text.into(),
            };
            log.append(room, vec![record(number + 1, event)], Some(game))
                .await
                .expect("stored");
        }
        log.delete(room).await.expect("stored");
    };
    futures::future::join_all((1..=ROOM_COUNT).map(RoomId::from_bits).map(write_room)).await;
    tokio::task::spawn_blocking(|| drop(log))
        .await
        .expect("the log can be closed");
}

/// A game of two players that move at a steady pace.
struct SteadyGame {
    players: [TestClient; 2],
    next_cell: u16,
}

impl SteadyGame {
    async fn open(server: &ServerProcess) -> SteadyGame {
        SteadyGame {
            players: seat_players(&server.url, ["Ann", "Bob"], "25x25:25", None).await,
            next_cell: 0,
        }
    }

    /// Plays until `work` is done. Returns its result, and the sorted response times of the moves.
    async fn play_during<T>(
        &mut self,
        server: &ServerProcess,
        work: impl Future<Output = T>,
    ) -> (T, Vec<Duration>) {
        let mut work = std::pin::pin!(work);
        let mut times = vec![];
        loop {
            let began = Instant::now();
            if self.next_cell == GAME_MOVES {
                *self = SteadyGame::open(server).await;
            }
            let [mover, other] = if self.next_cell.is_multiple_of(2) {
                [0, 1]
            } else {
                [1, 0]
            };
            let sent_at = Instant::now();
            self.players[mover]
                .play(self.next_cell)
                .await
                .expect("a legal move");
            times.push(sent_at.elapsed());
            let seq = self.players[mover].game().seq();
            self.players[other].wait_until_seq(seq).await;
            self.next_cell += 1;
            tokio::select! {
                result = &mut work => {
                    times.sort();
                    return (result, times);
                }
                () = sleep_until(began + MOVE_INTERVAL) => {}
            }
        }
    }
}

async fn run(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary_path("noughts-server"));
    command.args(arguments).arg("--data").arg(data);
    output_within(COMMAND_TIMEOUT, command).await
}

#[tokio::test]
async fn a_server_with_many_finished_games_starts_and_responds_quickly() {
    let (folder, count) = (TempDir::default(), game_count());
    let data = folder.path().join("data");
    write_games(&data, count).await;
    let bytes = std::fs::metadata(data.join("noughts.db"))
        .expect("the database")
        .len();
    println!("{count} games: {bytes} bytes");

    binary_path("noughts-server");
    let began = Instant::now();
    let server = ServerProcess::start_durable(&data, "process", &[]);
    let start = began.elapsed();
    println!("start: {start:?}");
    assert!(start < QUICK, "{start:?}");

    let mut game = SteadyGame::open(&server).await;
    let ((), alone) = game
        .play_during(&server, tokio::time::sleep(Duration::from_secs(2)))
        .await;
    print_times("alone", &alone);
    let copy = folder.path().join("copy.db");
    let middle = (count / 2).to_string();
    for (arguments, is_quick) in [
        (&["games", "list"][..], true),
        (&["games", "show", &middle], true),
        (&["backup", copy.to_str().expect("UTF-8")], false),
        (&["check"], false),
        (&["games", "export"], false),
    ] {
        let began = Instant::now();
        let (result, times) = game.play_during(&server, run(&data, arguments)).await;
        let elapsed = began.elapsed();
        print_times(&format!("{arguments:?} in {elapsed:?}"), &times);
        assert!(result.status.success(), "{arguments:?}: {result:?}");
        assert!(
            !is_quick || elapsed < QUICK,
            "{arguments:?} takes {elapsed:?}"
        );
        if arguments == ["games", "export"] {
            let lines = result.stdout.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(lines as u64, count);
        }
    }
    assert!(copy.exists());
}

fn print_times(label: &str, sorted: &[Duration]) {
    let at = |share: usize| sorted[(sorted.len() * share / 100).min(sorted.len() - 1)];
    println!(
        "{label}: {} moves, p50 {:?}, p99 {:?}, max {:?}",
        sorted.len(),
        at(50),
        at(99),
        at(100)
    );
}
