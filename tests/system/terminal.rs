//! Games between people at real terminals: what both see, key by key.

use std::time::Duration;

use noughts_protocol::wire::{Body, Lobby, Message};
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;

/// Two at their terminals, paired: X, then O.
async fn two(server: &Server, more: &[&str]) -> [Pty; 2] {
    let url = server.url();
    let sit = |name, seat| {
        let own = ["play", url.as_str(), "--name", name, "--seat", seat];
        Pty::noughts(&[&own, more].concat())
    };
    let ann = sit("Ann", "x");
    ann.sees("Waiting for an opponent.").await;
    let bob = sit("Bob", "o");
    ann.sees("Your move.").await;
    bob.sees("Ann is to move.").await;
    [ann, bob]
}

/// Presses the keys of moves in turn, X first, each once it is one's own turn.
async fn take_turns(players: &[Pty; 2], moves: &[&str]) {
    for (ply, keys) in moves.iter().enumerate() {
        players[ply % 2].sees("Your move.").await;
        players[ply % 2].keys(keys);
        players[ply % 2].sees_no_more("Your move.").await;
    }
}

#[tokio::test]
async fn two_terminals_play_to_a_line_that_both_see_and_play_again() {
    let server = Server::start().await;
    let players = two(&server, &[]).await;
    take_turns(&players, &["1", "4", "2", "5", "3"]).await;
    for player in &players {
        player.sees("Row: a1 b1 c1").await;
        let marks = player.text().matches("*X*").count();
        assert_eq!(marks, 3, "the winning line on\n{}", player.text());
    }
    let [ann, bob] = &players;
    ann.sees("You (X) win.").await;
    bob.sees("Ann (X) wins.").await;
    bob.sees("Ann 1, you 0").await;
    ann.keys("r");
    bob.sees("Ann proposes a rematch.").await;
    bob.keys("a");
    // The seats are swapped: Bob has X and begins.
    bob.sees("Your move.").await;
    ann.sees("Bob is to move.").await;
    bob.sees("X  Bob (you)").await;
    ann.sees("O  Ann (you)").await;
    bob.keys("5");
    ann.sees("Your move.").await;
    // Leaving a game is asked about, told to the other, and ends well.
    ann.keys("q");
    ann.sees("A game is on. Leave it?").await;
    ann.keys("n");
    ann.sees_no_more("Leave it?").await;
    ann.keys("q");
    ann.sees("Leave it?").await;
    ann.keys("y");
    bob.sees("has left").await;
    assert_eq!(ann.ended().await, 0);
    ann.given_back().await;
}

#[tokio::test]
async fn a_friend_joins_with_the_line_on_the_screen() {
    let server = Server::start().await;
    let ann = Pty::noughts(&["play", &server.url(), "--name", "Ann", "--private", "--seat", "x"]);
    ann.sees("A friend joins with").await;
    let line = ann
        .until("the line to type", |pty| {
            pty.text().lines().find(|line| line.starts_with("noughts join ")).map(str::to_owned)
        })
        .await;
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let bob = Pty::noughts(&[&words[..], &["--name", "Bob"]].concat());
    let players = [ann, bob];
    take_turns(&players, &["5", "1", "3", "2", "7"]).await;
    for player in &players {
        player.sees("Other diagonal: c1 b2 a3").await;
    }
}

#[tokio::test]
async fn a_mark_is_placed_by_arrows_by_a_click_and_by_name() {
    let server = Server::start().await;
    let players = two(&server, &["--rules", "5x5:4"]).await;
    let [ann, bob] = &players;
    // From wherever the cursor is to the corner, in more steps than the board has.
    ann.keys(&"\x1b[D".repeat(5));
    ann.keys(&"\x1b[A".repeat(5));
    ann.keys("\r");
    for player in &players {
        player.sees("Last   X a1").await;
    }
    bob.keys(":c3\r");
    for player in &players {
        player.sees("Last   O c3").await;
    }
    // Under the b of the ruler, in the row below it.
    let (row, column) = ann.until("the ruler", |pty| pty.find("a   b   c")).await;
    ann.click(row + 1, column + 4);
    for player in &players {
        player.sees("Last   X b1").await;
    }
}

#[tokio::test]
async fn what_may_not_be_done_is_said_and_changes_nothing() {
    let server = Server::start().await;
    let players = two(&server, &[]).await;
    let [ann, bob] = &players;
    bob.keys("5");
    bob.sees("not your turn").await;
    ann.keys("5");
    bob.sees("Your move.").await;
    bob.keys("5");
    bob.sees("b2").await;
    bob.sees("Your move.").await;
    bob.keys(":z9\r");
    bob.sees("z9").await;
    bob.keys("1");
    ann.sees("Last   O a1").await;
}

#[tokio::test]
async fn a_screen_that_changes_its_size_goes_on() {
    let server = Server::start().await;
    let players = two(&server, &["--rules", "15x15:5"]).await;
    let [ann, bob] = &players;
    for (rows, columns, shown) in
        [(12, 40, "Your move."), (40, 120, "Your move."), (5, 20, "Too small."), (24, 80, "Your move.")]
    {
        ann.resize(rows, columns);
        ann.sees(shown).await;
    }
    ann.keys(":h8\r");
    bob.sees("Last   X h8").await;
}

#[tokio::test]
async fn a_window_that_is_dragged_does_not_end_the_game() {
    let server = Server::start().await;
    let players = two(&server, &["--rules", "15x15:5"]).await;
    let [ann, bob] = &players;
    for step in 0..400 {
        ann.resize(10 + step * 7 % 31, 30 + step * 11 % 91);
        // Now and then the program comes to draw in between.
        if step % 3 == 0 {
            ann.keys("l");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    // Larger than all before: what stands in its last line was drawn for it.
    ann.resize(50, 130);
    ann.until("the keys in the last line", |pty| pty.find("? help").filter(|(row, _)| *row == 49)).await;
    ann.keys(":h8\r");
    bob.sees("Last   X h8").await;
}

#[tokio::test]
async fn a_terminal_watches_a_game_to_its_end() {
    let server = Server::start().await;
    let players = two(&server, &[]).await;
    let room = {
        let mut fan = server.peer("Fan").await;
        let Ok(Message::Rooms { rooms, .. }) = fan.ask(Body::Lobby(Lobby::List)).await else {
            panic!("no list")
        };
        rooms[0].room.to_string()
    };
    let watcher = Pty::noughts(&["watch", &format!("{}#{room}", server.url()), "--name", "Eve"]);
    watcher.sees("Ann is to move.").await;
    take_turns(&players, &["1", "4", "2", "5", "3"]).await;
    watcher.sees("Row: a1 b1 c1").await;
    watcher.sees("Ann (X) wins.").await;
}

/// Whether this digit stands in a free cell, with the cursor on it or not.
fn is_free(pty: &Pty, digit: char) -> bool {
    let cell = [format!(" {digit} "), format!(">{digit}<")];
    pty.text().lines().filter(|line| line.contains('│')).any(|line| {
        // Behind the number of the row, and before the panel beside the board.
        let board: String = line.chars().skip(2).take(11).collect();
        board.split('│').any(|shown| cell.contains(&format!("{shown: <3}")))
    })
}

#[tokio::test]
async fn a_bot_of_ones_own_is_called_and_plays() {
    let server = Server::start().await;
    let ann = Pty::noughts(&["play", &server.url(), "--name", "Ann", "--vs", "bot:hard", "--seat", "x"]);
    ann.sees("Bot hard").await;
    let over = |pty: &Pty| pty.text().contains("Score");
    // Whoever plays badly against this one loses: the first free cell each time.
    while !over(&ann) {
        ann.until("my turn", |pty| (pty.text().contains("Your move.") || over(pty)).then_some(())).await;
        if let Some(free) = ('1'..='9').find(|digit| is_free(&ann, *digit)).filter(|_| !over(&ann)) {
            ann.keys(&free.to_string());
            ann.until("the mark", |pty| (!is_free(pty, free)).then_some(())).await;
            ann.until("the bot", |pty| (!pty.text().contains("Bot hard is to move.")).then_some(())).await;
        }
    }
    assert!(!ann.text().contains("You (X) win."), "the bot lost to the first free cell: {ann:?}");
}
