//! Tests of the engine process through its pipes.

use std::io::{PipeWriter, pipe};
use std::time::Duration;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of lines that wait for the test. Further lines wait in the pipe.
const QUEUED_LINES_MAX: usize = 256;

/// Maximum time to the first `info` line, with a margin for a loaded machine. An idle machine takes 200 ms; a search
/// that reports only its end never meets it.
const MAX_FIRST_INFO_TIME: Duration = Duration::from_secs(5);

/// An engine, with the manager's ends of its pipes.
struct EngineClient {
    to: PipeWriter,
    lines: mpsc::Receiver<String>,
    ended: oneshot::Receiver<Result<(), LineReaderError>>,
}

fn start_engine() -> EngineClient {
    let (input, to) = pipe().unwrap();
    let (from, output) = pipe().unwrap();
    let options = EngineOptions {
        level: Level::Perfect,
        rules: "3x3:3".parse().unwrap(),
    };
    let ended = start(options, input, output);
    let (sender, lines) = mpsc::sync_channel(QUEUED_LINES_MAX);
    thread::spawn(move || {
        let mut from = BlockingLineReader::new(from, 4096);
        while let Ok(Some(line)) = from.next() {
            // Sending fails if the test has ended.
            drop(sender.send(line));
        }
    });
    EngineClient { to, lines, ended }
}

impl EngineClient {
    fn send(&mut self, lines: &str) {
        self.to.write_all(lines.as_bytes()).unwrap();
    }

    fn next_line(&mut self) -> String {
        self.lines.recv_timeout(TIMEOUT).expect("a response")
    }

    /// Returns the next line that starts with `beginning`.
    fn expect_line(&mut self, beginning: &str) -> String {
        loop {
            let line = self.next_line();
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    fn wait_for_exit(self) -> Result<(), LineReaderError> {
        wait_for_end(self.ended)
    }
}

fn wait_for_end(
    ended: oneshot::Receiver<Result<(), LineReaderError>>,
) -> Result<(), LineReaderError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || sender.send(ended.blocking_recv()));
    receiver
        .recv_timeout(TIMEOUT)
        .expect("the engine ends")
        .expect("the engine ends with a result")
}

#[test]
fn a_gomocup_manager_plays_a_game() {
    let mut client = start_engine();
    client.send("ABOUT\nINFO timeout_turn 60\nSTART 15\n");
    assert!(client.expect_line("name=").contains("noughts"));
    client.expect_line("OK");
    // Commands that are sent ahead are answered in order.
    client.send("BEGIN\nTURN 0,0\nTURN 0,2\nFLY\n");
    let mut seen = vec!["0,0".to_owned(), "0,2".to_owned()];
    for _ in 0..3 {
        client.expect_line("MESSAGE");
        let line = client.next_line();
        assert!(
            line.parse::<GomocupResponse>()
                .is_ok_and(|response| matches!(response, GomocupResponse::Move(_))),
            "{line}"
        );
        assert!(!seen.contains(&line), "{line} again");
        seen.push(line);
    }
    assert_eq!(client.expect_line("UNKNOWN"), "UNKNOWN FLY");
    // END stops a running search.
    client.send("INFO timeout_turn 600000\nRESTART\nTURN 7,7\nEND\n");
    client.expect_line("OK");
    client.wait_for_exit().unwrap();
}

/// The three cases of the protocol text (<https://gomocup.org/news/experimental-tournament-update-2020/>).
#[test]
fn a_gomocup_manager_opens_by_swap2() {
    let mut client = start_engine();
    client.send("START 15\nINFO rule 1\nINFO timeout_turn 200\nSWAP2BOARD\nDONE\n");
    client.expect_line("OK");
    let opening = client.next_line();
    assert!(
        matches!(opening.parse(), Ok(GomocupResponse::Opening(_))),
        "{opening}"
    );
    for stones in ["7,7\n8,7\n9,9\n", "7,7\n8,7\n9,9\n8,8\n8,6\n"] {
        client.send(&format!("RESTART\nSWAP2BOARD\n{stones}DONE\n"));
        client.expect_line("OK");
        client.expect_line("MESSAGE");
        let answer = client.next_line();
        assert!(
            matches!(
                answer.parse(),
                Ok(GomocupResponse::Swap | GomocupResponse::Move(_))
            ),
            "{stones} {answer}"
        );
    }
    // The engine swaps if the opponent is better. First the mover has two stones in a row, then the opponent has three.
    for (stones, is_better) in [
        ("1,0\n7,7\n14,0\n8,7\n0,14\n", true),
        ("7,7\n0,0\n8,7\n14,14\n9,7\n", false),
    ] {
        client.send(&format!("RESTART\nSWAP2BOARD\n{stones}DONE\n"));
        client.expect_line("MESSAGE");
        let choice = client.next_line();
        assert_eq!(choice != "SWAP", is_better, "{stones} {choice}");
    }
    client.send("BOARD\n7,7,2\n8,7,1\n9,9,2\nDONE\nEND\n");
    client.wait_for_exit().unwrap();
}

#[test]
fn a_ugi_manager_searches_and_stops() {
    let mut client = start_engine();
    client.send("ugi\nisready\nposition startpos moves b2 a1 c3 a3 a2\ngo\n");
    client.expect_line("ugiok");
    client.expect_line("readyok");
    assert!(client.expect_line("info depth").contains("score"));
    assert_eq!(client.expect_line("bestmove"), "bestmove c2");
    client.send("position fen 15x15:5 moves h8\ngo infinite\ngo depth 3\n");
    assert!(client.expect_line("info string").contains("stop it first"));
    // The search reports its iterations while it runs.
    for depth in 1..=3 {
        client.expect_line(&format!("info depth {depth} score cp"));
    }
    client.send("isready\nstop\n");
    client.expect_line("readyok");
    client.expect_line("bestmove");
    client.send("stop\nquit\n");
    client.wait_for_exit().unwrap();
}

/// On many boards the value is known immediately, so that the search ends before `stop`.
#[test]
fn an_infinite_search_reports_its_score_soon_and_its_move_after_stop() {
    let boards = [
        "3x3:3 moves b2 a1 c3 a3 a2",
        "3x3:3",
        "4x4x4:4",
        "7x6:4+gravity",
        "3x3x3:3",
        "3x3x3:3+misere",
        "4x3:3+misere",
        "3x3x3x3:3+misere",
        "16:2",
        "8x8:5",
        "15x15:5",
        "15x15:5 moves h8 i9",
        "25x25:6",
    ];
    let mut client = start_engine();
    for multi_pv in [1, 4] {
        client.send(&format!("setoption name MultiPV value {multi_pv}\n"));
        for board in boards {
            let started_at = Instant::now();
            client.send(&format!("position fen {board}\ngo infinite\n"));
            let info = client.expect_line("info ");
            let elapsed = started_at.elapsed();
            assert!(
                info.contains(" score ") && elapsed < MAX_FIRST_INFO_TIME,
                "{board}, MultiPV {multi_pv}, {elapsed:?}: {info}"
            );
            client.send("isready\n");
            loop {
                let line = client.next_line();
                if line == "readyok" {
                    break;
                }
                assert!(line.starts_with("info "), "{board}: {line}");
            }
            client.send("stop\n");
            let line = client.expect_line("bestmove ");
            assert_ne!(line, "bestmove none", "{board}");
            assert!(client.lines.try_recv().is_err(), "one result for {board}");
        }
    }
    client.send("quit\n");
    client.wait_for_exit().unwrap();
}

/// A line that is too long is one bad command, not the end of the engine.
#[test]
fn a_long_line_does_not_end_the_engine() {
    for length in [33_000, 70_000] {
        let long = format!("TURN {}", "7".repeat(length));
        let mut client = start_engine();
        client.send(&format!(
            "INFO timeout_turn 60\nSTART 15\n{long}\nTURN 7,7\n"
        ));
        client.expect_line("OK");
        client.expect_line("ERROR");
        client.expect_line("MESSAGE");
        let line = client.next_line();
        assert!(
            matches!(line.parse(), Ok(GomocupResponse::Move(_))),
            "{line}"
        );
        client.send("END\n");
        client.wait_for_exit().unwrap();

        let mut client = start_engine();
        client.send(&format!(
            "isready\nposition startpos moves {}\nisready\n",
            "b2 ".repeat(length / 3)
        ));
        client.expect_line("readyok");
        assert_eq!(client.next_line(), "info string error: line too long");
        assert_eq!(client.next_line(), "readyok");
        client.send("quit\n");
        client.wait_for_exit().unwrap();
    }
}

#[test]
fn multi_pv_reports_the_best_moves() {
    let mut client = start_engine();
    client.send("setoption name MultiPV value 3\nposition startpos moves b2\ngo movetime 30000\n");
    // Every corner draws, and every edge loses.
    for number in 1..=3 {
        let line = client.expect_line(&format!("info multipv {number} score cp 0 wdl 0 1000 0"));
        assert!(
            ["a1", "c1", "a3", "c3"]
                .iter()
                .any(|corner| line.ends_with(corner)),
            "{line}"
        );
    }
    assert!(client.expect_line("bestmove").len() > "bestmove ".len());
    client.send("position fen 15x15:5 moves h8\ngo infinite\n");
    client.expect_line("info multipv 3 score");
    client.send("stop\n");
    client.expect_line("bestmove");
    client.send("position fen 15x15:5 moves h8 h8\ngo nodes 100\n");
    client.expect_line("info string error: illegal move 2");
    assert_eq!(client.expect_line("bestmove"), "bestmove none");
    client.send("quit\n");
    client.wait_for_exit().unwrap();
}

#[test]
fn closing_the_input_ends_a_search() {
    let mut client = start_engine();
    client.send("START 20\nINFO timeout_turn 600000\nTURN 9,9\n");
    client.expect_line("OK");
    let EngineClient {
        to,
        lines: _lines,
        ended,
    } = client;
    drop(to);
    wait_for_end(ended).unwrap();
}

#[test]
fn a_failed_output_ends_the_engine_during_a_search() {
    let (input, mut to) = pipe().unwrap();
    let (from, output) = pipe().unwrap();
    let options = EngineOptions {
        level: Level::Perfect,
        rules: "3x3:3".parse().unwrap(),
    };
    let ended = start(options, input, output);
    drop(from);
    to.write_all(b"position fen 15x15:5 moves h8\ngo infinite\n")
        .unwrap();
    let error = wait_for_end(ended).unwrap_err();
    assert!(
        matches!(&error, LineReaderError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe),
        "{error:?}"
    );
    drop(to);
}

/// A search that does not finish within the brief attempt has the same result as without the attempt.
#[test]
fn a_search_that_is_not_brief_has_the_same_result() {
    let mut client = start_engine();
    let moves = "d1 d2 d3 d4 d5 b1 f1";
    client.send("setoption name OwnBook value false\n");
    client.send(&format!(
        "position fen 7x6:4+gravity moves {moves}\ngo nodes 300000\n"
    ));
    let mut lines = Vec::new();
    while lines
        .last()
        .is_none_or(|line: &String| !line.starts_with("bestmove"))
    {
        lines.push(client.next_line());
    }
    let info = &lines[lines.len() - 2];
    let position = crate::engines::tests::position("7x6:4+gravity", moves);
    let limits = SearchLimits {
        nodes: Some(300_000),
        without_book: true,
        ..SearchLimits::default()
    };
    let elapsed = || Duration::ZERO;
    let report = engine::best_move(
        &position,
        Level::Perfect,
        limits,
        0,
        &elapsed,
        &AtomicBool::new(false),
    )
    .unwrap();
    let scored = ugi::info_line(position.rules(), &report, Duration::ZERO);
    let score = |line: &str| line.split(" nodes ").next().map(str::to_owned);
    assert_eq!(score(info), score(&scored));
    client.send("quit\n");
    client.wait_for_exit().unwrap();
}
