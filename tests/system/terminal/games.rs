//! Games on real terminals, played key by key.

use std::time::Duration;

use noughts_protocol::wire::{Message, RequestBody, SessionRequest};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::pty::Pty;

/// Presses the keys of moves in turn, X first, each when it is the player's turn.
async fn play_keys(players: &[Pty; 2], moves: &[&str]) {
    for (ply, keys) in moves.iter().enumerate() {
        players[ply % 2].play_key(keys).await;
    }
}

#[tokio::test]
async fn two_terminals_play_a_game_and_a_rematch() {
    let server = TestServer::start().await;
    let players = Pty::start_players([&server.url(); 2], &[]).await;
    play_keys(&players, &["1", "4", "2", "5", "3"]).await;
    for player in &players {
        player.wait_for_text("row 1-2-3").await;
        // The screen shows the three marks of the winning line.
        player.wait_for_count("*    X    *", 3).await;
    }
    let [ann, bob] = &players;
    ann.wait_for_text("YOU WIN").await;
    bob.wait_for_text("YOU LOST").await;
    bob.wait_for_text("Ann 1 - 0 you").await;
    ann.send_keys("r");
    bob.wait_for_text("OFFERS A REMATCH").await;
    bob.send_keys("a");
    // The seats are swapped: Bob has X and moves first.
    bob.wait_for_text("YOUR MOVE").await;
    ann.wait_for_text("Bob to move").await;
    bob.wait_for_text("X  Bob (you)").await;
    ann.wait_for_text("O  Ann (you)").await;
    bob.send_keys("5");
    ann.wait_for_text("YOUR MOVE").await;
    // Leaving asks for confirmation; the opponent is notified. Before both have moved, no player loses.
    ann.send_keys("q");
    ann.wait_for_text("Abort and leave").await;
    ann.send_keys("n");
    ann.wait_for_text_gone("Abort and leave").await;
    ann.send_keys("q");
    ann.wait_for_text("Abort and leave").await;
    ann.send_keys("y");
    bob.wait_for_text("Ann left").await;
    assert_eq!(ann.wait_for_exit().await, 0);
    ann.wait_until_restored().await;
}

#[tokio::test]
async fn a_friend_joins_with_the_shown_command() {
    let server = TestServer::start().await;
    let ann = Pty::spawn_noughts(&[
        "play",
        &server.url(),
        "--name",
        "Ann",
        "--private",
        "--seat",
        "x",
    ]);
    ann.wait_for_text("Your friend types").await;
    let join_command = ann
        .wait_until("the input line", |pty| {
            pty.screen_text()
                .lines()
                .map(str::trim)
                .find(|line| line.starts_with("noughts join "))
                .map(str::to_owned)
        })
        .await;
    let words: Vec<&str> = join_command.split_whitespace().skip(1).collect();
    let bob = Pty::spawn_noughts(&[&words[..], &["--name", "Bob"]].concat());
    let players = [ann, bob];
    play_keys(&players, &["5", "1", "3", "2", "7"]).await;
    for player in &players {
        player.wait_for_text("anti-diagonal 3-5-7").await;
    }
}

#[tokio::test]
async fn a_mark_is_placed_by_arrows_by_a_click_and_by_name() {
    let server = TestServer::start().await;
    let players = Pty::start_players([&server.url(); 2], &["--rules", "5x5:4"]).await;
    let [ann, bob] = &players;
    // Moves the cursor to the corner, with more steps than the board has.
    ann.send_keys(&"\x1b[D".repeat(5));
    ann.send_keys(&"\x1b[A".repeat(5));
    ann.send_keys("\r");
    for player in &players {
        player.wait_for_text("1.   a5").await;
    }
    bob.send_keys(":c3\r");
    for player in &players {
        player.wait_for_text("a5     c3").await;
    }
    // The position of column b in the ruler below the frame.
    let (row, column) = ann
        .wait_until("the ruler", |pty| pty.find("a     b     c"))
        .await;
    ann.click(row + 2, column + 6);
    for player in &players {
        player.wait_for_text("3.   b5").await;
    }
}

#[tokio::test]
async fn illegal_actions_are_reported_and_change_nothing() {
    let server = TestServer::start().await;
    let players = Pty::start_players([&server.url(); 2], &[]).await;
    let [ann, bob] = &players;
    bob.send_keys("5");
    bob.wait_for_text("Not your turn yet.").await;
    ann.send_keys("5");
    bob.wait_for_text("YOUR MOVE").await;
    bob.send_keys("5");
    bob.wait_for_text("5 is taken.").await;
    bob.wait_for_text("YOUR MOVE").await;
    bob.send_keys(":z9\r");
    bob.wait_for_text("z9").await;
    bob.send_keys("1");
    ann.wait_for_text("1.   5     1").await;
}

#[tokio::test]
async fn a_resized_screen_keeps_working() {
    let server = TestServer::start().await;
    let players = Pty::start_players([&server.url(); 2], &["--rules", "15x15:5"]).await;
    let [ann, bob] = &players;
    for (rows, columns, shown) in [
        (12, 40, "YOUR MOVE"),
        (40, 120, "YOUR MOVE"),
        (5, 20, "Terminal too small:"),
        (24, 80, "YOUR MOVE"),
    ] {
        ann.resize(rows, columns);
        ann.wait_for_text(shown).await;
    }
    ann.send_keys(":h8\r");
    bob.wait_for_text("1.   h8").await;
}

#[tokio::test]
async fn continuous_resizing_does_not_end_the_game() {
    let server = TestServer::start().await;
    let players = Pty::start_players([&server.url(); 2], &["--rules", "15x15:5"]).await;
    let [ann, bob] = &players;
    for step in 0..400 {
        ann.resize(10 + step * 7 % 31, 30 + step * 11 % 91);
        // Now and then sends a key and pauses, so that the program draws between two sizes.
        if step % 3 == 0 {
            ann.send_keys("l");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    // The terminal becomes larger than before, so that the last line is drawn only at this size.
    ann.resize(50, 130);
    ann.wait_until("the keys in the last line", |pty| {
        pty.find("? keys").filter(|(row, _)| *row == 49)
    })
    .await;
    ann.send_keys(":h8\r");
    bob.wait_for_text("1.   h8").await;
}

#[tokio::test]
async fn a_terminal_watches_a_game_to_its_end() {
    let server = TestServer::start().await;
    let players = Pty::start_players([&server.url(); 2], &[]).await;
    let room = {
        let mut spectator = server.connect_client("Fan").await;
        let Ok(Message::Rooms { rooms, .. }) = spectator
            .request(RequestBody::Session(SessionRequest::List))
            .await
        else {
            panic!("no list")
        };
        rooms[0].room.to_string()
    };
    let watcher = Pty::spawn_noughts(&[
        "watch",
        &format!("{}#{room}", server.url()),
        "--name",
        "Eve",
    ]);
    watcher.wait_for_text("Ann to move").await;
    play_keys(&players, &["1", "4", "2", "5", "3"]).await;
    watcher.wait_for_text("row 1-2-3").await;
    watcher.wait_for_text("Ann WINS").await;
}

/// Number of columns of a 3x3 board on a screen of 80 columns. The panel is to the right of the board.
const BOARD_COLUMNS: usize = 44;

/// Returns whether this digit is shown in a free cell, with the cursor on it or not.
fn is_free(pty: &Pty, digit: char) -> bool {
    let screen = pty.screen_text();
    // Rows of cells are recognised by the lines of the board.
    let rows = screen.lines().filter(|line| line.contains('\u{2502}'));
    rows.map(|line| line.chars().take(BOARD_COLUMNS).collect::<String>())
        .any(|board| {
            board
                .split(['\u{2502}', '\u{2551}', '>', '<', ' '])
                .any(|cell| cell == digit.to_string())
        })
}

#[tokio::test]
async fn a_local_bot_joins_and_plays() {
    let server = TestServer::start().await;
    let ann = Pty::spawn_noughts(&[
        "play",
        &server.url(),
        "--name",
        "Ann",
        "--vs",
        "bot:hard",
        "--seat",
        "x",
    ]);
    ann.wait_for_text("Bot hard").await;
    let over = |pty: &Pty| pty.screen_text().contains("Score");
    // The bot wins against a player who always takes the first free cell.
    while !over(&ann) {
        ann.wait_until("my turn", |pty| {
            (pty.screen_text().contains("YOUR MOVE") || over(pty)).then_some(())
        })
        .await;
        if let Some(free) = ('1'..='9')
            .find(|digit| is_free(&ann, *digit))
            .filter(|_| !over(&ann))
        {
            ann.send_keys(&free.to_string());
            ann.wait_until("the mark", |pty| (!is_free(pty, free)).then_some(()))
                .await;
            ann.wait_until("the bot", |pty| {
                (!pty.screen_text().contains("Bot hard is to move.")).then_some(())
            })
            .await;
        }
    }
    assert!(
        !ann.screen_text().contains("YOU WIN"),
        "the bot lost to the first free cell: {ann:?}"
    );
}

#[tokio::test]
async fn watch_and_join_without_a_room_open_the_list_and_the_form() {
    let server = TestServer::start().await;
    let mut ann = server.connect_client("Ann").await;
    ann.create("3x3:3", None, None, true).await;
    let list = Pty::spawn_noughts(&["watch", "--server", &server.url()]);
    list.wait_for_text("Ann").await;
    list.wait_for_text("Enter join").await;
    let form = Pty::spawn_noughts(&["join", "--server", &server.url()]);
    form.wait_for_text("> Code").await;
}
