//! Tests of the engine process through its pipes.

use tokio::io::{DuplexStream, duplex};

use super::*;

/// An engine task and the manager's ends of its pipes.
struct EngineClient {
    to: DuplexStream,
    from: LineReader<DuplexStream>,
    engine: tokio::task::JoinHandle<Result<(), LineReaderError>>,
}

fn spawn_engine() -> EngineClient {
    let (to, input) = duplex(4096);
    let (output, from) = duplex(4096);
    let options = EngineOptions { level: Level::Perfect, rules: "3x3:3".parse().unwrap() };
    let engine = tokio::spawn(serve(options, input, output));
    EngineClient { to, from: LineReader::new(from, 4096), engine }
}

impl EngineClient {
    async fn send(&mut self, lines: &str) {
        self.to.write_all(lines.as_bytes()).await.unwrap();
    }

    /// Returns the next line that starts with `beginning`.
    async fn expect_line(&mut self, beginning: &str) -> String {
        let wait = async {
            loop {
                let line = self.from.next().await.unwrap().expect("the engine is running");
                if line.starts_with(beginning) {
                    return line;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), wait).await.expect("a response")
    }

    async fn wait_for_exit(self) {
        let ended = tokio::time::timeout(Duration::from_secs(30), self.engine).await;
        assert!(ended.expect("the engine exits").expect("the engine does not panic").is_ok());
    }
}

#[tokio::test]
async fn a_gomocup_manager_plays_a_game() {
    let mut client = spawn_engine();
    client.send("ABOUT\nINFO timeout_turn 60\nSTART 15\n").await;
    assert!(client.expect_line("name=").await.contains("noughts"));
    client.expect_line("OK").await;
    // Commands sent ahead are answered in order.
    client.send("BEGIN\nTURN 0,0\nTURN 0,2\nFLY\n").await;
    let mut seen = vec!["0,0".to_owned(), "0,2".to_owned()];
    for _ in 0..3 {
        client.expect_line("MESSAGE").await;
        let line = client.from.next().await.unwrap().unwrap();
        assert!(
            line.parse::<GomocupResponse>()
                .is_ok_and(|response| matches!(response, GomocupResponse::Move(_))),
            "{line}"
        );
        assert!(!seen.contains(&line), "{line} again");
        seen.push(line);
    }
    assert_eq!(client.expect_line("UNKNOWN").await, "UNKNOWN FLY");
    // END stops a running search.
    client.send("INFO timeout_turn 600000\nRESTART\nTURN 7,7\nEND\n").await;
    client.expect_line("OK").await;
    client.wait_for_exit().await;
}

/// The three cases of the protocol text (<https://gomocup.org/news/experimental-tournament-update-2020/>).
#[tokio::test]
async fn a_gomocup_manager_opens_by_swap2() {
    let mut client = spawn_engine();
    client.send("START 15\nINFO rule 1\nINFO timeout_turn 200\nSWAP2BOARD\nDONE\n").await;
    client.expect_line("OK").await;
    let opening = client.from.next().await.unwrap().unwrap();
    assert!(matches!(opening.parse(), Ok(GomocupResponse::Opening(_))), "{opening}");
    for stones in ["7,7\n8,7\n9,9\n", "7,7\n8,7\n9,9\n8,8\n8,6\n"] {
        client.send(&format!("RESTART\nSWAP2BOARD\n{stones}DONE\n")).await;
        client.expect_line("OK").await;
        client.expect_line("MESSAGE").await;
        let answer = client.from.next().await.unwrap().unwrap();
        assert!(
            matches!(answer.parse(), Ok(GomocupResponse::Swap | GomocupResponse::Move(_))),
            "{stones} {answer}"
        );
    }
    // The mover has two stones in a row and the opponent none, or the opponent three and the mover none.
    for (stones, is_better) in [("1,0\n7,7\n14,0\n8,7\n0,14\n", true), ("7,7\n0,0\n8,7\n14,14\n9,7\n", false)]
    {
        client.send(&format!("RESTART\nSWAP2BOARD\n{stones}DONE\n")).await;
        client.expect_line("MESSAGE").await;
        let choice = client.from.next().await.unwrap().unwrap();
        assert_eq!(choice != "SWAP", is_better, "{stones} {choice}");
    }
    client.send("BOARD\n7,7,2\n8,7,1\n9,9,2\nDONE\nEND\n").await;
    client.wait_for_exit().await;
}

#[tokio::test]
async fn a_ugi_manager_searches_and_stops() {
    let mut client = spawn_engine();
    client.send("ugi\nisready\nposition startpos moves b2 a1 c3 a3 a2\ngo\n").await;
    client.expect_line("ugiok").await;
    client.expect_line("readyok").await;
    assert!(client.expect_line("info depth").await.contains("score"));
    assert_eq!(client.expect_line("bestmove").await, "bestmove c2");
    client.send("position fen 15x15:5 moves h8\ngo infinite\ngo depth 3\n").await;
    assert!(client.expect_line("info string").await.contains("stop it first"));
    // The search reports its iterations while it runs.
    for depth in 1..=3 {
        client.expect_line(&format!("info depth {depth} score cp")).await;
    }
    client.send("isready\nstop\n").await;
    client.expect_line("readyok").await;
    client.expect_line("bestmove").await;
    // Solved at once, but reported only after stop.
    client.send("position startpos moves b2 a1 c3 a3 a2\ngo infinite\nquery gameover\n").await;
    assert_eq!(client.from.next().await.unwrap().as_deref(), Some("response false"));
    let early = tokio::time::timeout(Duration::from_millis(200), client.from.next()).await;
    assert!(early.is_err(), "reported early: {early:?}");
    client.send("stop\n").await;
    assert_eq!(client.expect_line("bestmove").await, "bestmove c2");
    client.send("stop\nquit\n").await;
    client.wait_for_exit().await;
}

#[tokio::test]
async fn multi_pv_reports_the_best_moves() {
    let mut client = spawn_engine();
    client.send("setoption name MultiPV value 3\nposition startpos moves b2\ngo movetime 30000\n").await;
    // Every corner draws, every edge loses.
    for number in 1..=3 {
        let line = client.expect_line(&format!("info multipv {number} score cp 0 wdl 0 1000 0")).await;
        assert!(["a1", "c1", "a3", "c3"].iter().any(|corner| line.ends_with(corner)), "{line}");
    }
    assert!(client.expect_line("bestmove").await.len() > "bestmove ".len());
    client.send("position fen 15x15:5 moves h8\ngo infinite\n").await;
    client.expect_line("info multipv 3 score").await;
    client.send("stop\n").await;
    client.expect_line("bestmove").await;
    client.send("position fen 15x15:5 moves h8 h8\ngo nodes 100\n").await;
    client.expect_line("info string error: illegal move 2").await;
    assert_eq!(client.expect_line("bestmove").await, "bestmove none");
    client.send("quit\n").await;
    client.wait_for_exit().await;
}

#[tokio::test]
async fn closing_the_input_ends_a_search() {
    let mut client = spawn_engine();
    client.send("START 20\nINFO timeout_turn 600000\nTURN 9,9\n").await;
    client.expect_line("OK").await;
    let EngineClient { to, from, engine } = client;
    drop(to);
    let ended = tokio::time::timeout(Duration::from_secs(30), engine).await;
    assert!(ended.expect("the engine exits").expect("the engine does not panic").is_ok());
    drop(from);
}
