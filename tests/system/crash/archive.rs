//! What an operator does beside the load: lists, shows and exports games, and takes a backup, from which a second
//! server goes on.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use noughts_protocol::{Event, Game, Offer, Record, RoomId, Seat, Stamped};
use noughts_tests::chance::number;
use noughts_tests::journal::Journal;
use noughts_tests::peer::Peer;
use noughts_tests::program::{Folder, ServerProcess, output, path};
use noughts_tests::wait::{until, within};
use serde_json::Value;
use tokio::sync::watch;

use super::PATIENT;
use super::player::Player;

/// What the program says of these data.
async fn operator(data: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(path("noughts-server"));
    command.args(arguments).arg("--data").arg(data);
    let output = output(command).await;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

async fn export(data: &Path) -> Vec<Value> {
    let lines = operator(data, &["games", "export"]).await;
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// A data directory with nothing but a backup of this one.
async fn back_up(data: &Path) -> Folder {
    let copy = Folder::default();
    let file = copy.path().join("noughts.db");
    operator(data, &["backup", file.to_str().expect("a path in UTF-8")]).await;
    copy
}

/// The games of a room, as its events tell them: which, in how many moves, and how it ended.
fn games(room: RoomId, events: &[Stamped]) -> Vec<Value> {
    let mut game = Game::open(&events[0]).expect("an opening");
    let mut ended = Vec::new();
    for event in &events[1..] {
        game.apply(event).expect("a history");
        // A game in which nobody moved is not kept.
        if let Event::Ended { outcome, .. } = &event.event
            && game.position().ply() > 0
        {
            ended.push(serde_json::json!({
                "room": room, "number": game.number(), "ended": event.at, "outcome": outcome,
                "moves": game.position().moves(),
            }));
        }
    }
    ended
}

/// The same of a game as it is exported.
fn told(game: &Value) -> Value {
    let field = |name: &str| (name.to_owned(), game[name].clone());
    ["room", "number", "ended", "outcome", "moves"].map(field).into_iter().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_is_what_was_and_a_server_goes_on_from_it() {
    let data = Folder::default();
    let journal = Arc::new(Journal::default());
    let mut server = ServerProcess::durable(data.path(), "process", &PATIENT);
    let mut x = Peer::hello(&server.url, "Ann").await;
    let code = x.create("5x5:5", None, Some(Seat::X), false).await;
    let mut o = Peer::hello(&server.url, "Bob").await;
    o.join(code).await.expect("a free seat");
    x.caught_up(o.game().seq()).await;
    let url = watch::Sender::new(Some(server.url.clone()));
    let players = Player::pairs(4, number("NOUGHTS_SEED", 5), &journal, &url).await;
    // How the rooms began is told to nobody as events.
    let copy = back_up(data.path()).await;
    journal.check_backup(copy.path(), &journal.told_to()).await;
    let tasks: Vec<_> =
        players.into_iter().map(|player| tokio::spawn(player.live(url.subscribe()))).collect();

    let before =
        until("games", async || Some(export(data.path()).await).filter(|games| games.len() > 3)).await;
    x.play(7).await.expect("X begins");
    let told_to = journal.told_to();
    let copy = back_up(data.path()).await;
    o.caught_up(x.game().seq()).await;
    let (x_place, seen) = (x.place().clone(), x.game().position().moves().to_vec());
    // Of this pair X alone asks: the journal tells requests by their numbers.
    x.offer(Offer::Draw).await.expect("none is on the table");
    let kept = export(copy.path()).await;
    let after = export(data.path()).await;
    assert!(kept.starts_with(&before) && after.starts_with(&kept), "games change, or their order");
    let listed = operator(data.path(), &["games", "list", "--limit", "3"]).await;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    for game in &after[..3] {
        let shown = operator(data.path(), &["games", "show", &game["game"].to_string()]).await;
        let record: Record = shown.parse().expect("a record");
        assert_eq!(serde_json::to_value(record.moves).expect("cells"), game["moves"]);
    }

    // All that was told before it was taken is in it, and of every room a state that was.
    let stored = journal.check_backup(copy.path(), &told_to).await;
    let text = |games: Vec<Value>| games.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    let as_events = stored.into_iter().flat_map(|(room, last)| {
        let events = journal.events(room);
        games(room, &events[..last.get() as usize])
    });
    assert_eq!(text(kept.iter().map(told).collect()), text(as_events.collect()));

    // Both go on, each for itself.
    let second = ServerProcess::durable(copy.path(), "process", &PATIENT);
    let mut again = Peer::hello(&second.url, "Ann").await;
    again.resume(&x_place, None).await.expect("its seat");
    assert_eq!(again.game().position().moves(), seen);
    let from = journal.told();
    until("the load goes on", async || (journal.told() > from + 40).then_some(())).await;
    assert!(!tasks.iter().any(|task| task.is_finished()), "a player gave up");
    journal.finish();
    for task in tasks {
        within("a player's end", task).await.expect("no player saw anything wrong");
    }
    server.signal("TERM");
    assert_eq!(server.ended().await.code(), Some(0));
    journal.check_files(data.path()).await;
}
