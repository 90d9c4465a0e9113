//! What a player has to know, as the screen shows it.

use noughts_protocol::wire::{RejectCode, Score};
use noughts_protocol::{Cell, Closing, Seq};

use super::*;
use crate::local::{Lot, Setup};

#[test]
fn a_spectator_behind_the_game() {
    let mut host = Host::playing("3x3:3", Some("10s+0"));
    let watch = Goal::Watch("k7qf3mzx".parse().unwrap());
    let mut player = Player::online(Mode::Full, watch);
    player.message(host.snapshot(None));
    for cell in ["b2", "a1", "c1", "b1"] {
        player.message(host.moves(cell));
    }
    player.press(&[Key::Left, Key::Left]);
    check("behind", player.model);
}

#[test]
fn connecting() {
    let plan = Plan::Online(ServerUrl::local(), "Ann".parse().unwrap(), seek());
    check("connecting", Player::new(Mode::Full, Start::Plan(plan)).model);
}

#[test]
fn waiting() {
    let mut host = Host::waiting("connect4", Some("5+3"));
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let goal = Goal::Create { rules: *host.game.rules(), clock: None, seat: None, public: false, bot: None };
    let server: ServerUrl = "games.example.org".parse().unwrap();
    let mut player = Player::new(Mode::Full, Start::Plan(Plan::Online(server, "Ann".parse().unwrap(), goal)));
    player.message(host.snapshot(Some(Seat::X)));
    check("waiting", player.model);
}

#[test]
fn pending_move_and_refusal() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.letters("3");
    player.press(&[Key::Down]);
    player.letters("2");
    check("pending", player.model);
}

#[test]
fn proposal_and_absence() {
    let (mut player, mut host) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.message(host.happens(Event::Offered { seat: Seat::O, offer: Offer::Draw }));
    let presence = Presence::Away;
    player.message(notice(Notice::Presence { seat: Seat::O, presence, claim_in_ms: Some(45_000) }));
    check("proposal", player.model);
}

#[test]
fn offline() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.hear(News::Offline {
        attempt: 3,
        retry_in: std::time::Duration::from_secs(4),
        why: Offline::Silent,
    });
    check("offline", player.model);
}

#[test]
fn result() {
    let (mut player, mut host) =
        playing("gomoku", None, &["h8", "a1", "i9", "b1", "j10", "c1", "k11", "d1", "l12"]);
    let outcome = host.game.position().outcome().unwrap();
    player.message(host.happens(Event::Ended { outcome, left: None }));
    player.message(host.happens(Event::Offered { seat: Seat::O, offer: Offer::Rematch }));
    check("result", player.model);
}

#[test]
fn watching() {
    let mut host = Host::waiting("3x3:3", None);
    host.happens(seated(Seat::O, "Deep Three", Kind::Bot));
    host.happens(Event::Started { game: 1 });
    let mut player = Player::online(Mode::Full, Goal::Watch("k7qf3mzx".parse().unwrap()));
    player.message(host.snapshot(None));
    player.message(host.moves("b2"));
    let line = [Cell::new(0), Cell::new(1)].to_vec();
    player.message(notice(Notice::Remark { seat: Seat::O, seq: Seq::new(5), score: Score::Win(5), line }));
    check("watching", player.model);
}

#[test]
fn question_and_command_line() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.letters("q");
    check("question", player.model);
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.letters(":resi");
    check("command_line", player.model);
}

/// In the second game of a series, with little time left, and with some who watch.
#[test]
fn series() {
    let (mut player, mut host) = playing("3x3:3", Some("10s+0"), &["b2", "a1", "c1", "b1", "a3"]);
    let outcome = host.game.position().outcome().unwrap();
    player.message(host.happens(Event::Ended { outcome, left: Some([9000, 8000]) }));
    player.message(host.happens(Event::Started { game: 2 }));
    player.message(host.moves("b2"));
    player.message(notice(Notice::Lag { ms: [Some(1240), None] }));
    player.message(notice(Notice::Crowd { watching: 3 }));
    player.wait(2500);
    check("series", player.model);
}

#[test]
fn own_proposal() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.message(host.happens(Event::Offered { seat: Seat::X, offer: Offer::Takeback }));
    check("own_proposal", player.model);
}

#[test]
fn opponents_who_left_or_stay_away() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    let is = |presence, claim_in_ms| notice(Notice::Presence { seat: Seat::O, presence, claim_in_ms });
    player.message(is(Presence::Left, Some(10_000)));
    player.wait(2_000);
    check("left", player.model);
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.message(is(Presence::Away, Some(3_000)));
    player.wait(3_000);
    check("claimable", player.model);
}

#[test]
fn restarting() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.message(Message::Restarting { back_in_ms: 2_000 });
    check("restarting", player.model);
}

#[test]
fn a_bot_that_thinks() {
    let sides = ["Ann".parse().unwrap(), "bot:hard".parse().unwrap()];
    let setup = Setup { rules: "gomoku".parse().unwrap(), sides, lot: Lot::AsGiven };
    let mut player = Player::new(Mode::Full, Start::Plan(Plan::Here(setup)));
    player.press(&[Key::Enter]);
    check("thinks", player.model);
}

/// A refusal that takes more than a row.
#[test]
fn refused() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.letters("3");
    player.refused(RejectCode::Unavailable);
    check("refused", player.model);
}

#[test]
fn gone() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.message(host.happens(Event::Closed { closing: Closing::Deserted }));
    check("closed", player.model);
}
