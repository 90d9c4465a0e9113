use std::time::{Duration, SystemTime};

use noughts_protocol::Identity;
use noughts_protocol::wire::{FinishedListing, GameCounts, GameId, PlayerProfile, RulesCounts};

use super::identity::room_with_recognised_opponent;
use super::*;
use crate::facts::archive::{ArchiveAnswer, ArchiveFailure, ArchiveQuestion};
use crate::game_link::parse_game_link;
use crate::io::io_error::LocalizableIoError;
use crate::io::own_games::{OwnGame, OwnGameList};
use crate::model::Screen;

/// Returns won games against these opponents. The player played X.
pub(crate) fn own_games(opponents: &[&str]) -> OwnGameList {
    let game = |(index, opponent): (usize, &&str)| {
        let record = format!(
            "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"{opponent}\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n"
        );
        let record: noughts_protocol::Record = record.parse().unwrap();
        OwnGame {
            outcome: record.outcome.clone().unwrap(),
            record,
            seat: Some(Seat::X),
            server: Some("wss://play.example.org/ws".parse().unwrap()),
            ended_at: SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_840_000),
            path: format!("/state/finished/{index}.txt").into(),
        }
    };
    OwnGameList {
        games: opponents.iter().enumerate().map(game).collect(),
        damaged: Vec::new(),
    }
}

/// Creates a player who has the list of these games on the screen.
pub(crate) fn in_own_games(mode: Mode, opponents: &[&str]) -> TestPlayer {
    let mut player = TestPlayer::new(mode, InitialAction::Home);
    match mode {
        Mode::Full => player.type_letters("7"),
        Mode::Line { .. } | Mode::Json => player.type_line("8"),
    }
    assert!(matches!(
        player.effects[..],
        [Effect::ListOwnGames, Effect::AskArchive { .. }]
    ));
    player.feed(Msg::OwnGamesListed(Ok(own_games(opponents))));
    player
}

fn copied(player: &TestPlayer) -> &str {
    let copied = player.effects.iter().rev().find_map(|effect| {
        if let Effect::Copy(text) = effect {
            Some(text.as_str())
        } else {
            None
        }
    });
    copied.expect("a text was copied")
}

#[test]
fn a_finished_game_of_the_player_is_kept_once() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1", "a3"]);
    assert!(player.finished.is_empty(), "the game is not over");
    player.receive_message(host.end_on_board());
    player.receive_message(host.offer(Seat::O, Offer::Rematch));
    // The client enters the same room again, after a reconnect.
    player.receive_message(host.snapshot(Some(Seat::X)));
    let [game] = &player.finished[..] else {
        panic!("{:?}", player.finished);
    };
    assert_eq!(game.seat, Some(Seat::X));
    assert_eq!(game.room, Some((room_id(), 1)));
    assert_eq!(game.server, Some(ServerUrl::local()));
    assert_eq!(game.record.moves.len(), 5);
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::O }));
    assert_eq!(player.finished.len(), 2);
}

#[test]
fn a_watched_and_an_aborted_game_are_not_kept() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1", "a3"]);
    player.receive_message(host.end_on_board());
    assert!(player.finished.is_empty());
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_message(host.end(Outcome::Aborted));
    assert!(player.finished.is_empty());
    // The operator of the server may end a game at any time.
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1"]);
    player.receive_message(host.end(Outcome::Aborted));
    assert_eq!(player.finished.len(), 1);
}

#[test]
fn a_game_that_the_player_leaves_is_kept_as_resigned() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1"]);
    player.type_letters("qy");
    let mut outcomes = player.finished.iter().map(|game| &game.record.outcome);
    let resigned = Some(Outcome::Resigned { winner: Seat::O });
    assert_eq!((outcomes.next(), outcomes.next()), (Some(&resigned), None));
}

#[test]
fn a_game_of_two_people_has_no_own_seat_and_no_server() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("51238");
    let game = player.finished.pop().unwrap();
    assert!(player.finished.is_empty());
    assert_eq!((game.seat, game.room, &game.server), (None, None, &None));
    player.type_letters("y");
    assert!(copied(&player).starts_with("#r/"));
    assert_eq!(parse_game_link(copied(&player)).as_ref(), Ok(&game.record));
}

#[test]
fn a_failure_to_keep_a_game_is_reported() {
    let mut player = TestPlayer::new(INTERACTIVE, InitialAction::Home);
    let full: LocalizableIoError = std::io::Error::from(std::io::ErrorKind::StorageFull).into();
    player.feed(Msg::GameKept(Err(full)));
    assert_eq!(
        player.last_output(),
        "This game is not kept among your games: disk full."
    );
}

#[test]
fn the_list_analyses_exports_and_deletes() {
    let mut player = in_own_games(Mode::Full, &["Bob", "Cid"]);
    player.press(&[Key::Down]);
    player.type_letters("y");
    assert!(copied(&player).starts_with("https://play.example.org:443/#r/"));
    player.type_letters("S");
    assert!(matches!(
        player.effects.last(),
        Some(Effect::SaveFile { .. })
    ));
    player.press(&[Key::Enter]);
    let analysis = player.model.screen.as_analysis().unwrap();
    assert_eq!(analysis.record.players[1], "Cid");
    assert_eq!(analysis.own_seat, Some(Seat::X));
    player.type_letters("q");
    let games = player.model.screen.as_own_games().unwrap();
    assert_eq!(games.selected, 1);
    player.type_letters("dn");
    player.press(&[Key::Delete]);
    player.type_letters("y");
    let Some(Effect::DeleteOwnGame(path)) = player.effects.last() else {
        panic!("{:?}", player.effects);
    };
    assert_eq!(path.to_str(), Some("/state/finished/1.txt"));
    player.feed(Msg::OwnGamesListed(Ok(own_games(&["Bob"]))));
    let games = player.model.screen.as_own_games().unwrap();
    assert_eq!(games.selected_game().unwrap().record.players[1], "Bob");
    player.type_letters("q");
    assert!(player.model.screen.is_home());
}

#[test]
fn the_link_to_an_offline_game_names_the_server_of_the_settings() {
    let mut player = in_own_games(Mode::Full, &[]);
    let mut offline = own_games(&["Bob"]);
    offline.games[0].server = None;
    player.feed(Msg::OwnGamesListed(Ok(offline)));
    player.type_letters("y");
    assert!(copied(&player).starts_with("#r/"), "on this computer");
    player.model.settings.server = "wss://games.example.org/ws".parse().unwrap();
    player.type_letters("y");
    assert!(copied(&player).starts_with("https://games.example.org:443/#r/"));
}

#[test]
fn page_keys_move_by_a_screen() {
    let mut player = in_own_games(Mode::Full, &["Bob"; 50]);
    let selected = |player: &TestPlayer| player.model.screen.as_own_games().unwrap().selected;
    player.press(&[Key::PageDown]);
    let page = selected(&player);
    assert!((10..24).contains(&page), "{page}");
    player.press(&[Key::PageDown; 9]);
    assert_eq!(selected(&player), 49);
    player.press(&[Key::PageUp]);
    assert_eq!(selected(&player), 49 - page);
}

#[test]
fn line_mode_lists_prints_and_deletes_by_number() {
    let mut player = in_own_games(INTERACTIVE, &["Bob", "Cid"]);
    let listed = player.take_output();
    let row = "   2  2026-11-28  Tic-tac-toe  Cid       won     5";
    assert!(listed.iter().any(|line| line == row), "{listed:#?}");
    player.type_line("2");
    assert!(player.take_output().contains(&"O: Cid".to_owned()));
    player.expect_output("d 1", &["Delete this game? y or n."]);
    player.type_line("n");
    assert!(!matches!(
        player.effects.last(),
        Some(Effect::DeleteOwnGame(_))
    ));
    player.type_line("d 1");
    player.type_line("y");
    assert!(matches!(
        player.effects.last(),
        Some(Effect::DeleteOwnGame(_))
    ));
    player.take_output();
    // The command uses the game that was printed last.
    player.type_line("2");
    player.take_output();
    player.type_line("link");
    let output = player.take_output();
    let (_, link) = output[0].split_once("game: ").unwrap();
    assert_eq!(parse_game_link(link).unwrap().players[1], "Cid");
    player.type_line("save kept.txt");
    let Some(Effect::SaveFile { path, text }) = player.effects.last() else {
        panic!("{:?}", player.effects);
    };
    assert_eq!((path.as_str(), text.contains("Cid")), ("kept.txt", true));
    player.type_line("help");
    assert!(
        player
            .take_output()
            .iter()
            .any(|line| line.contains("link"))
    );
    player.expect_output("3", &["Type one of the numbers."]);
    player.type_line("q");
    assert!(matches!(player.model.screen, Screen::Home { .. }));
}

const ANN: &str = "3n8kxw2tq9v7c3hmr5eyb1dz6g";
const BOB: &str = "5k7qf3mzxw2tq9v7c3hmr5eyb1";

fn identity(text: &str) -> Identity {
    text.parse().unwrap()
}

/// Returns a game on a server that Ann has lost against Bob with O.
fn listing(game: u64) -> FinishedListing {
    let player = |name: &str, id| Player {
        identity: Some(identity(id)),
        ..Player::guest(name.parse().unwrap(), PlayerKind::Person)
    };
    FinishedListing {
        game: GameId(game),
        room: room_id(),
        number: u32::try_from(game).unwrap(),
        ended: 1_795_840_000_000,
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        players: [player("Bob", BOB), player("Ann", ANN)],
        result: "X line".parse().unwrap(),
        moves: 5,
    }
}

fn profile_of_bob() -> Box<PlayerProfile> {
    let counts = GameCounts {
        wins: 3,
        draws: 0,
        losses: 1,
    };
    Box::new(PlayerProfile {
        player: listing(1).players[0].clone(),
        first_seen: 1_795_740_000_000,
        rules: vec![RulesCounts {
            rules: "3x3:3".parse().unwrap(),
            counts,
        }],
        against_you: Some(counts),
        games: vec![listing(2), listing(1)],
    })
}

impl TestPlayer {
    /// Receives the answer to the last question to a server.
    fn receive_answer(&mut self, answer: Result<ArchiveAnswer, ArchiveFailure>) {
        let asked = self.effects.iter().rev().find_map(|effect| {
            if let Effect::AskArchive { server, question } = effect {
                Some((server.clone(), *question))
            } else {
                None
            }
        });
        let (server, question) = asked.expect("a question was asked");
        self.feed(Msg::ArchiveAnswered {
            server,
            question,
            answer,
        });
    }
}

/// Creates a player who keeps game 1 of a room; the server has games 1 and 2.
pub(crate) fn with_server_games(mode: Mode) -> TestPlayer {
    let mut player = in_own_games(mode, &[]);
    let mut kept = own_games(&["Bob"]);
    kept.games[0].path = "/state/finished/20261128T120000.000Z-k7qf3mzx-1-O.txt".into();
    player.feed(Msg::OwnGamesListed(Ok(kept)));
    let games = vec![listing(2), listing(1)];
    player.receive_answer(Ok(ArchiveAnswer::OwnGames(games, Some(identity(ANN)))));
    player
}

#[test]
fn games_that_only_the_server_has_follow_the_kept_games() {
    let mut player = with_server_games(Mode::Full);
    let games = player.model.screen.as_own_games().unwrap();
    assert_eq!(games.row_count(), 2);
    assert_eq!(games.on_server[0].listing.game, GameId(2));
    // The link and the deletion need a game that this computer keeps.
    player.press(&[Key::End, Key::Delete]);
    assert!(player.model.overlay.is_none());
    player.press(&[Key::Enter]);
    let question = ArchiveQuestion::Game(GameId(2));
    assert!(
        matches!(player.effects.last(), Some(Effect::AskArchive { question: asked, .. }) if *asked == question)
    );
    let record = own_games(&["Bob"]).games.remove(0).record;
    player.receive_answer(Ok(ArchiveAnswer::Game(Box::new(record))));
    let analysis = player.model.screen.as_analysis().unwrap();
    assert_eq!(analysis.own_seat, Some(Seat::O));
    player.type_letters("q");
    assert_eq!(player.model.screen.as_own_games().unwrap().selected, 1);
}

#[test]
fn line_mode_lists_games_of_the_server_with_the_next_numbers() {
    let mut player = with_server_games(INTERACTIVE);
    let listed = player.take_output();
    let row = "   2  2026-11-28  Tic-tac-toe  Bob·5k7qf3  lost    5";
    assert!(listed.iter().any(|line| line == row), "{listed:#?}");
    player.type_line("2");
    let record = own_games(&["Bob"]).games.remove(0).record;
    player.receive_answer(Ok(ArchiveAnswer::Game(Box::new(record))));
    assert!(player.take_output().contains(&"O: Bob".to_owned()));
}

/// Creates a player who has opened a profile from the list.
pub(crate) fn in_profile() -> TestPlayer {
    let mut player = with_server_games(Mode::Full);
    // The opponent of the kept game is a guest.
    player.type_letters("o");
    assert!(player.model.notification.is_some());
    player.press(&[Key::End]);
    player.type_letters("o");
    player.receive_answer(Ok(ArchiveAnswer::Profile(profile_of_bob())));
    player
}

#[test]
fn a_profile_opened_from_the_list_returns_to_it() {
    let mut player = in_profile();
    let games = player.model.screen.as_own_games().unwrap();
    assert!(games.profile.as_ref().unwrap().profile.is_some());
    player.press(&[Key::Enter]);
    let record = own_games(&["Bob"]).games.remove(0).record;
    player.receive_answer(Ok(ArchiveAnswer::Game(Box::new(record))));
    assert_eq!(player.model.screen.as_analysis().unwrap().own_seat, None);
    player.type_letters("q");
    assert!(
        player
            .model
            .screen
            .as_own_games()
            .unwrap()
            .profile
            .is_some()
    );
    player.type_letters("q");
    let games = player.model.screen.as_own_games().unwrap();
    assert!(games.profile.is_none() && games.row_count() == 2);
    player.type_letters("q");
    assert!(player.model.screen.is_home());
}

#[test]
fn a_profile_opened_after_a_game_returns_to_it_also_for_the_rematch() {
    for is_rematch in [false, true] {
        let mut host = room_with_recognised_opponent("Bob");
        let mut player = TestPlayer::seated(Mode::Full, &host);
        player.type_letters("o");
        assert!(player.model.game_view().is_some(), "the game is not over");
        player.receive_message(host.end(Outcome::Resigned { winner: Seat::O }));
        player.type_letters("o");
        assert_eq!(player.model.waiting_opponent(), None);
        player.receive_answer(Ok(ArchiveAnswer::Profile(profile_of_bob())));
        assert_eq!(player.model.screen.as_own_games().unwrap().row_count(), 2);
        if is_rematch {
            player.receive_message(host.apply_event(Event::Started { game: 2 }));
        } else {
            player.type_letters("q");
        }
        assert!(player.is_in_room(), "{is_rematch}");
        assert!(player.model.background.is_none());
    }
}

#[test]
fn line_mode_and_json_mode_print_a_profile_and_keep_the_game() {
    for (mode, failure) in [
        (INTERACTIVE, "cannot send this now"),
        (Mode::Json, "no_answer"),
    ] {
        let mut host = room_with_recognised_opponent("Bob");
        let mut player = TestPlayer::seated(mode, &host);
        player.receive_message(host.end(Outcome::Resigned { winner: Seat::O }));
        player.take_output();
        player.type_line("profile");
        player.receive_answer(Ok(ArchiveAnswer::Profile(profile_of_bob())));
        let printed = player.take_output().join("\n");
        assert!(printed.contains("Bob"), "{printed}");
        assert!(player.is_in_room());
        player.type_line("profile");
        player.receive_answer(Err(ArchiveFailure::NoAnswer));
        let printed = player.take_output().join("\n");
        assert!(printed.contains(failure), "{printed}");
    }
}
