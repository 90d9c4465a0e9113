//! Boards of every kind.

use super::*;

#[test]
fn small_board() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2", "a1"]);
    player.press(&[Key::Right]);
    player.receive_message(notice_message(Notice::Lag { ms: [Some(23), Some(140)] }));
    player.receive_message(notice_message(Notice::Spectators { spectators: 2 }));
    check("small_board", player.model);
}

#[test]
fn connect4() {
    let (mut player, _) = playing("connect4", None, &["d1", "d1", "c1", "d1"]);
    player.press(&[Key::Left]);
    check("connect4", player.model);
}

#[test]
fn gomoku() {
    let (mut player, _) = playing("gomoku", Some("10+0"), &["h8", "i9", "i8", "g8"]);
    player.press(&[Key::Right, Key::Right, Key::Down]);
    check("gomoku", player.model);
}

#[test]
fn gomoku19() {
    let (mut player, _) = playing("gomoku19", None, &["j10", "k10", "k11", "i9"]);
    player.press(&[Key::Right, Key::Down]);
    player.type_letters("g");
    check("gomoku19", player.model);
}

#[test]
fn qubic() {
    let (mut player, _) = playing("qubic", None, &["2,2,2", "3,2,2", "2,2,1", "4,4,4"]);
    player.type_letters("]");
    check("qubic", player.model);
}

#[test]
fn tesseract() {
    let (player, _) = playing("tesseract", None, &["2,2,2,2", "1,1,1,1"]);
    check("tesseract", player.model);
}

#[test]
fn scrolled() {
    let (mut player, _) = playing("25x25:5", Some("5+3"), &["m13", "n13"]);
    player.type_letters("nnnnnnnn");
    check("scrolled", player.model);
}
