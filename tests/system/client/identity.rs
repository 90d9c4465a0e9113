//! The identity of a player on two devices, which are two state folders.

use noughts_protocol::wire::{Message, RequestBody, SessionRequest};
use noughts_protocol::{RoomRef, Seat};
use noughts_tests::program::TempDir;
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;

fn start(device: &TempDir, arguments: &[&str]) -> PipedProcess {
    let folder = device.path().to_str().expect("a path in UTF-8");
    let arguments: Vec<&str> = [arguments, &["--state-dir", folder]].concat();
    PipedProcess::spawn_noughts(&arguments)
}

/// Runs a command to its end. Returns its exit code, its output and its error output.
async fn run(device: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    finish(start(device, arguments)).await
}

async fn finish(mut command: PipedProcess) -> (Option<i32>, String, String) {
    let code = command.wait_for_exit().await;
    (code, command.stdout(), command.stderr())
}

/// Imports the text of another device. The text is typed as input, because a command line must not contain it.
async fn import(device: &TempDir, text: &str) -> (Option<i32>, String, String) {
    let mut command = start(device, &["identity", "import"]);
    command.write_line(text);
    finish(command).await
}

/// Returns the text of the identity of a device.
async fn identity_text(device: &TempDir) -> String {
    let (code, output, errors) = run(device, &["identity", "show"]).await;
    assert_eq!(code, Some(0), "{errors}");
    let line = output.lines().find(|line| line.matches('-').count() == 6);
    line.unwrap_or_else(|| panic!("no secret in {output}"))
        .trim()
        .to_owned()
}

#[tokio::test]
async fn a_game_is_continued_on_another_device() {
    let server = TestServer::start().await;
    let (url, devices) = (server.url(), [(); 2].map(|()| TempDir::default()));
    let options = ["--ui", "json", "--name", "Ann"];
    let play = [&["play", &*url, "--public", "--seat", "x"][..], &options].concat();
    let mut first = start(&devices[0], &play);
    first.wait_for_stdout("\"event\":\"invite\"").await;
    let mut bob = server.connect_client("Bob").await;
    let list = RequestBody::Session(SessionRequest::List);
    let Ok(Message::Rooms { rooms, .. }) = bob.request(list).await else {
        panic!("expected a list")
    };
    let (room, tag) = (rooms[0].room, rooms[0].players[0].as_ref());
    let identity = tag.and_then(|player| player.identity).expect("an identity");
    bob.join(RoomRef::Id(room)).await.expect("a free seat");
    first.wait_for_stdout("\"event\":\"started\"").await;
    first.write_line(r#"{"do":"move","cell":"b2"}"#);
    bob.wait_for_event("the move", |event| {
        matches!(event, noughts_protocol::Event::Moved { .. })
    })
    .await;

    // The other device has no access before it has imported the identity.
    let id = room.to_string();
    let resume = ["continue", &*id, "--server", &*url, "--ui", "json"];
    let (code, output, _) = run(&devices[1], &resume).await;
    assert_eq!(code, Some(4), "{output}");
    assert!(output.contains("nothing_to_continue"), "{output}");

    let text = identity_text(&devices[0]).await;
    let own = identity_text(&devices[1]).await;
    assert_ne!(text, own);
    let swapped: String = text.chars().rev().collect();
    let (code, _, errors) = import(&devices[1], &swapped).await;
    assert_eq!(code, Some(2), "{errors}");
    let (code, output, _) = import(&devices[1], &text).await;
    assert_eq!(code, Some(0), "{output}");
    assert!(
        output.contains(&own),
        "the replaced text is not lost: {output}"
    );
    assert_eq!(identity_text(&devices[1]).await, text);

    let mut second = start(&devices[1], &resume);
    second.wait_for_stdout("\"seat\":\"X\"").await;
    assert_eq!(first.wait_for_exit().await, Some(5), "{}", first.stdout());
    bob.play(0).await.expect("O is to move");
    second.wait_for_stdout("\"your_move\":true").await;
    second.write_line(r#"{"do":"move","cell":"c1"}"#);
    bob.wait_for_event("the move of the other device", |event| {
        matches!(event, noughts_protocol::Event::Moved { seat: Seat::X, .. })
    })
    .await;
    let shown = bob
        .game()
        .player(Seat::X)
        .and_then(|player| player.identity);
    assert_eq!(shown, Some(identity));
    drop(second);

    for (answer, code) in [("no", 1), ("", 1), ("yes", 0)] {
        assert_eq!(identity_text(&devices[1]).await, text);
        let mut command = start(&devices[1], &["identity", "forget"]);
        command.write_line(answer);
        let (exit, output, errors) = finish(command).await;
        assert_eq!(exit, Some(code), "{errors}");
        assert!(errors.contains("Forget the identity?"), "{errors}");
        assert_eq!(output.contains(&text), code == 0, "{output}");
    }
    assert_ne!(identity_text(&devices[1]).await, text);
}

#[tokio::test]
async fn an_alias_makes_one_player_of_two_addresses() {
    let server = TestServer::start().await;
    let device = TempDir::default();
    let port = server.address().port();
    let [address, name] = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    let mut guest = server.connect_client("Guest").await;
    let mut identities = Vec::new();
    for alias in [false, true] {
        if alias {
            let (code, _, errors) = run(&device, &["identity", "alias", &name, &address]).await;
            assert_eq!(code, Some(0), "{errors}");
        }
        for host in [&address, &name] {
            let player = start(&device, &["play", host, "--ui", "json", "--public"]);
            player.wait_for_stdout("\"event\":\"invite\"").await;
            let list = RequestBody::Session(SessionRequest::List);
            let Ok(Message::Rooms { rooms, .. }) = guest.request(list).await else {
                panic!("expected a list")
            };
            let host = rooms[0].players.iter().flatten().next();
            identities.push(
                host.and_then(|player| player.identity)
                    .expect("an identity"),
            );
        }
    }
    let [one, other, again, alias] = identities[..] else {
        panic!("{identities:?}")
    };
    assert_ne!(one, other);
    assert_eq!([again, alias], [one; 2]);
}
