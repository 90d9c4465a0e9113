//! A bot's decisions in a game, without connections and searches.

use noughts_protocol::Seq;
use noughts_protocol::wire::{Claim, EngineRemark, Reject, RejectCode};
use tokio::time::Instant;

use super::super::game::{BotGame, BotGameAction};
use super::*;
use crate::engine::{Evaluation, SearchResult};
use crate::engines::player_engine::BestMove;

/// Creates the game of a bot in a room of the fake server.
fn bot_game(fake_room: &FakeRoom, behaviour: Behaviour) -> BotGame {
    let Message::Snapshot { state, .. } = fake_room.snapshot_message(None) else {
        unreachable!()
    };
    let budget = Duration::from_secs(10);
    BotGame::new(
        room_id(),
        fake_room.bot_seat,
        &state,
        behaviour,
        budget,
        0,
        Instant::now(),
    )
    .expect("the snapshot is consistent")
}

fn paired_game(fake_room: &FakeRoom) -> BotGame {
    bot_game(fake_room, Behaviour::for_paired_game(None))
}

fn receive(game: &mut BotGame, message: &Message) {
    game.on_message(message, Instant::now());
}

fn receive_reject(game: &mut BotGame, id: RequestId, reject: impl Into<Reject>) {
    let (re, reject) = (Some(id), reject.into());
    receive(game, &Message::Reject { re, reject });
}

fn receive_presence(
    game: &mut BotGame,
    fake_room: &FakeRoom,
    presence: Presence,
    claim_in_ms: Option<u64>,
) {
    receive(game, &fake_room.opponent_presence(presence, claim_in_ms));
}

fn next_action(game: &BotGame) -> BotGameAction {
    game.next_action(Instant::now())
}

/// Returns whether the bot does nothing until this time or the next message.
fn waits(game: &BotGame, until: Option<Instant>) -> bool {
    matches!(game.next_action(Instant::now()), BotGameAction::Wait(at) if at == until)
}

fn request_id(number: u64) -> RequestId {
    RequestId::new(number).unwrap()
}

/// Returns the next command; fails on any other action.
fn next_request(game: &BotGame) -> RoomCommand {
    match game.next_action(Instant::now()) {
        BotGameAction::Send(command) => command,
        other @ (BotGameAction::Wait(_)
        | BotGameAction::SendRemark(_)
        | BotGameAction::Sync(_)
        | BotGameAction::Search(..)
        | BotGameAction::Leave) => {
            panic!("not a command: {other:?}")
        }
    }
}

/// Creates a chosen move. A move with a score comes from the built-in search.
fn best_move(cell: Cell, score: Option<Evaluation>) -> BestMove {
    let pv = vec![cell, Cell::new(0)];
    BestMove {
        cell,
        report: score.map(|score| SearchResult {
            best: cell,
            score,
            exact: true,
            depth: 2,
            nodes: 9,
            pv,
        }),
    }
}

fn search_time(game: &BotGame) -> Option<Duration> {
    match game.next_action(Instant::now()) {
        BotGameAction::Search(_, move_time) => Some(move_time),
        BotGameAction::Wait(_)
        | BotGameAction::Send(_)
        | BotGameAction::SendRemark(_)
        | BotGameAction::Sync(_)
        | BotGameAction::Leave => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_draw_is_accepted_late_unless_the_evaluation_is_better() {
    const LATE: &[u16] = &[4, 0, 1, 7, 2, 6];
    for (moves, score, expected) in [
        (LATE, None, false),
        (LATE, Some(Evaluation::Draw), true),
        (LATE, Some(Evaluation::Estimate(0)), true),
        (LATE, Some(Evaluation::Estimate(-5)), true),
        (LATE, Some(Evaluation::Loss(4)), true),
        (LATE, Some(Evaluation::Estimate(5)), false),
        (LATE, Some(Evaluation::Win(4)), false),
        (&LATE[..2], Some(Evaluation::Draw), false),
        (&LATE[..5], Some(Evaluation::Loss(4)), false),
    ] {
        let mut fake_room = FakeRoom::new("3x3:3", None, Seat::X);
        let mut game = paired_game(&fake_room);
        for (ply, &cell) in moves.iter().enumerate() {
            let (cell, seat) = (Cell::new(cell), Seat::ALL[ply % 2]);
            if let Some(score) = score.filter(|_| seat == Seat::X) {
                game.on_search_result(game.board_seq(), &best_move(cell, Some(score)));
            }
            receive(&mut game, &fake_room.move_event(seat, cell));
        }
        receive(&mut game, &fake_room.opponent_offer(Offer::Draw));
        let offer = Offer::Draw;
        let answer = if expected {
            RoomCommand::Accept { offer }
        } else {
            RoomCommand::Decline { offer }
        };
        assert_eq!(
            next_request(&game),
            answer,
            "{score:?} after {} moves",
            moves.len()
        );
        game.on_sent(request_id(1));
        assert!(waits(&game, None), "one request at a time");
    }
}

#[tokio::test(start_paused = true)]
async fn a_takeback_is_accepted_only_without_a_clock() {
    for (clock, expected) in [
        (
            None,
            RoomCommand::Accept {
                offer: Offer::Takeback,
            },
        ),
        (
            Some("5+3"),
            RoomCommand::Decline {
                offer: Offer::Takeback,
            },
        ),
    ] {
        let mut fake_room =
            FakeRoom::new("3x3:3", clock.map(|clock| clock.parse().unwrap()), Seat::O);
        let mut game = paired_game(&fake_room);
        let left = fake_room.game.left(0);
        receive(
            &mut game,
            &fake_room.apply_event(
                Event::Moved {
                    seat: Seat::X,
                    cell: Cell::new(0),
                    left,
                },
                None,
            ),
        );
        receive(&mut game, &fake_room.opponent_offer(Offer::Takeback));
        assert_eq!(next_request(&game), expected, "{clock:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_win_over_an_absent_opponent_is_claimed_after_the_grace_period() {
    let fake_room = FakeRoom::new("3x3:3", None, Seat::O);
    let mut game = paired_game(&fake_room);
    assert!(waits(&game, None));
    let away = Instant::now();
    game.on_message(
        &fake_room.opponent_presence(Presence::Disconnected, Some(60_000)),
        away,
    );
    assert!(waits(&game, Some(away + Duration::from_secs(60))));
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(
        next_request(&game),
        RoomCommand::Claim { result: Claim::Win }
    );
    game.on_sent(request_id(1));
    let reject = Reject::new(RejectCode::NotClaimable).wait_ms(3_000);
    receive_reject(&mut game, request_id(1), reject);
    assert!(waits(&game, Some(Instant::now() + Duration::from_secs(3))));
    receive_presence(&mut game, &fake_room, Presence::Connected, None);
    tokio::time::advance(Duration::from_secs(3)).await;
    assert!(waits(&game, None));
}

#[tokio::test(start_paused = true)]
async fn the_search_time_follows_the_clock() {
    let fake_room = FakeRoom::new("15x15:5", Some("30s+0".parse().unwrap()), Seat::X);
    let game = paired_game(&fake_room);
    let initial = search_time(&game).expect("the bot is to move");
    assert!((1_000..2_000).contains(&initial.as_millis()), "{initial:?}");
    tokio::time::advance(Duration::from_secs(25)).await;
    let late = search_time(&game).expect("the bot is to move");
    assert!(late < Duration::from_millis(300), "{late:?}");
    tokio::time::advance(Duration::from_secs(25)).await;
    assert!(search_time(&game).expect("the bot is to move") < Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn a_rejected_move_is_retried_later_or_synced() {
    let fake_room = FakeRoom::new("3x3:3", None, Seat::X);
    let mut game = paired_game(&fake_room);
    let cell = Cell::new(4);
    game.on_search_result(game.board_seq(), &best_move(cell, Some(Evaluation::Draw)));
    assert_eq!(next_request(&game), fake_room.move_command(cell));
    game.on_sent(request_id(1));
    receive_reject(&mut game, request_id(1), RejectCode::Busy);
    assert!(matches!(next_action(&game), BotGameAction::Wait(Some(_))));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(
        next_request(&game),
        fake_room.move_command(cell),
        "the same move again"
    );
    game.on_sent(request_id(2));
    // The bot has missed an event.
    let reject = Reject::new(RejectCode::Stale).at_seq(Seq::new(9));
    receive_reject(&mut game, request_id(2), reject);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(
        matches!(game.next_action(Instant::now()), BotGameAction::Sync(seq) if seq == fake_room.game.seq())
    );
}

#[tokio::test(start_paused = true)]
async fn a_gap_is_synced_once_and_closed() {
    let mut fake_room = FakeRoom::new("3x3:3", None, Seat::O);
    let mut game = paired_game(&fake_room);
    let before = fake_room.game.seq();
    let mut missed = Vec::new();
    for (seat, cell) in [(Seat::X, 0), (Seat::O, 4), (Seat::X, 8)] {
        let Message::Events { events, .. } = fake_room.move_event(seat, Cell::new(cell)) else {
            unreachable!()
        };
        missed.extend(events);
    }
    let last = Message::Events {
        re: None,
        room: room_id(),
        events: missed[2..].to_vec(),
    };
    receive(&mut game, &last);
    assert!(matches!(game.next_action(Instant::now()), BotGameAction::Sync(seq) if seq == before));
    game.on_sync_sent(request_id(1));
    receive(&mut game, &last);
    assert!(waits(&game, None), "the sync has been sent already");
    receive(
        &mut game,
        &Message::Events {
            re: Some(request_id(1)),
            room: room_id(),
            events: missed,
        },
    );
    assert!(
        search_time(&game).is_some(),
        "the gap is closed, and the bot is to move"
    );
    receive(&mut game, &last);
    assert!(search_time(&game).is_some(), "duplicate events are ignored");
}

#[tokio::test(start_paused = true)]
async fn contradictory_events_make_the_bot_leave() {
    let fake_room = FakeRoom::new("3x3:3", None, Seat::O);
    let mut game = paired_game(&fake_room);
    // The event is invalid, because O cannot move first.
    let event = Event::Moved {
        seat: Seat::O,
        cell: Cell::new(0),
        left: None,
    };
    let record = EventRecord {
        seq: fake_room.game.seq().next(),
        at: 0,
        by: None,
        event,
    };
    receive(
        &mut game,
        &Message::Events {
            re: None,
            room: room_id(),
            events: vec![record],
        },
    );
    assert!(matches!(next_action(&game), BotGameAction::Leave));
}

#[tokio::test(start_paused = true)]
async fn after_a_game_the_bot_waits_for_a_rematch() {
    for (behaviour, wait) in [
        (Behaviour::for_paired_game(None), 20),
        (Behaviour::for_invited_bot(None), 600),
    ] {
        let mut fake_room = FakeRoom::new("3x3:3", None, Seat::O);
        let mut game = bot_game(&fake_room, behaviour);
        let ended = fake_room.apply_event(ended(Outcome::Agreed), None);
        receive(&mut game, &ended);
        assert_eq!(game.finished_games(), 1);
        let until = Instant::now() + Duration::from_secs(wait);
        assert!(waits(&game, Some(until)));
        // A disconnected player may return, but a player who left does not.
        receive_presence(&mut game, &fake_room, Presence::Disconnected, None);
        assert!(waits(&game, Some(until)));
        assert!(matches!(game.next_action(until), BotGameAction::Leave));
        receive(&mut game, &fake_room.opponent_offer(Offer::Rematch));
        assert_eq!(
            next_request(&game),
            RoomCommand::Accept {
                offer: Offer::Rematch
            }
        );
        receive_presence(&mut game, &fake_room, Presence::Left, None);
        assert!(matches!(next_action(&game), BotGameAction::Leave));
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_that_ended_during_a_disconnect_counts() {
    let mut fake_room = FakeRoom::new("3x3:3", None, Seat::O);
    let mut game = bot_game(&fake_room, Behaviour::for_paired_game(Some(1)));
    fake_room.apply_event(ended(Outcome::Agreed), None);
    receive(&mut game, &fake_room.snapshot_message(None));
    assert_eq!(game.finished_games(), 1);
    assert!(
        matches!(game.next_action(Instant::now()), BotGameAction::Leave),
        "the bot has finished its games"
    );
}

#[tokio::test(start_paused = true)]
async fn a_move_against_a_person_takes_a_minimum_time() {
    let behaviour = Behaviour::for_paired_game(None).with_min_move_time(Duration::from_millis(300));
    let cell = Cell::new(4);
    for (clock, kind, pause) in [
        (None, PlayerKind::Person, 300),
        (None, PlayerKind::Bot, 0),
        (Some("5+0"), PlayerKind::Person, 300),
        // With little time left, the pause is shorter.
        (Some("10s+0"), PlayerKind::Person, 100),
    ] {
        let clock: Option<TimeControl> = clock.map(|clock| clock.parse().unwrap());
        let fake_room = FakeRoom::new("3x3:3", clock, Seat::X).with_opponent_kind(kind);
        let mut game = bot_game(&fake_room, behaviour);
        let from = Instant::now();
        game.on_search_result(game.board_seq(), &best_move(cell, None));
        if pause > 0 {
            let until = from + Duration::from_millis(pause);
            assert!(waits(&game, Some(until)), "{clock:?}");
            tokio::time::advance(Duration::from_millis(pause)).await;
        }
        assert!(
            matches!(next_request(&game), RoomCommand::Move { .. }),
            "{clock:?} {kind:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn resigning_applies_to_one_game_only() {
    let mut fake_room = FakeRoom::new("3x3:3", None, Seat::X);
    let mut game = paired_game(&fake_room);
    game.resign();
    assert_eq!(next_request(&game), RoomCommand::Resign);
    let resigned = ended(Outcome::Resigned { winner: Seat::O });
    receive(&mut game, &fake_room.apply_event(resigned, None));
    assert!(
        matches!(
            game.next_action(Instant::now()),
            BotGameAction::Wait(Some(_))
        ),
        "the bot waits for a rematch"
    );
    receive(
        &mut game,
        &fake_room.apply_event(Event::Started { game: 2 }, None),
    );
    receive(&mut game, &fake_room.move_event(Seat::X, Cell::new(0)));
    assert!(search_time(&game).is_some());
}

#[tokio::test(start_paused = true)]
async fn spectators_receive_each_evaluation_once() {
    let spectators = |spectators| Message::Notice {
        room: room_id(),
        notice: Notice::Spectators { count: spectators },
    };
    let (now, cell) = (Instant::now(), Cell::new(4));
    for (remarks_enabled, watching, own, expected) in [
        (true, 1, true, true),
        (true, 0, true, false),
        (false, 1, true, false),
        (true, 1, false, false),
    ] {
        let fake_room = FakeRoom::new("3x3:3", None, Seat::X);
        let mut game = bot_game(
            &fake_room,
            Behaviour::for_paired_game(None).with_remarks(remarks_enabled),
        );
        receive(&mut game, &spectators(watching));
        // An external engine reports no evaluation.
        game.on_search_result(
            game.board_seq(),
            &best_move(cell, own.then_some(Evaluation::Win(5))),
        );
        if expected {
            let BotGameAction::SendRemark(remark) = game.next_action(now) else {
                panic!("{:?}", game.next_action(now))
            };
            let pv = vec![cell, Cell::new(0)];
            assert_eq!(
                remark,
                EngineRemark {
                    seq: fake_room.game.seq(),
                    evaluation: Evaluation::Win(5),
                    pv
                }
            );
            game.on_remark_sent(Some(request_id(1)));
            // The bot does not wait for the response, and a rejection changes nothing.
            game.on_request_lost(request_id(1), now);
            receive_reject(&mut game, request_id(1), RejectCode::RateLimited);
        }
        assert_eq!(next_request(&game), fake_room.move_command(cell));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_remarks_receives_only_one() {
    let (mut fake_room, now) = (FakeRoom::new("3x3:3", None, Seat::X), Instant::now());
    let mut game = bot_game(
        &fake_room,
        Behaviour::for_paired_game(None).with_remarks(true),
    );
    receive(
        &mut game,
        &Message::Notice {
            room: room_id(),
            notice: Notice::Spectators { count: 1 },
        },
    );
    game.on_search_result(
        game.board_seq(),
        &best_move(Cell::new(4), Some(Evaluation::Draw)),
    );
    assert!(matches!(
        game.next_action(now),
        BotGameAction::SendRemark(_)
    ));
    game.on_remark_sent(Some(request_id(1)));
    receive_reject(&mut game, request_id(1), RejectCode::UnknownType);
    for (seat, cell) in [(Seat::X, 4), (Seat::O, 0)] {
        receive(&mut game, &fake_room.move_event(seat, Cell::new(cell)));
    }
    game.on_search_result(
        game.board_seq(),
        &best_move(Cell::new(1), Some(Evaluation::Draw)),
    );
    assert!(matches!(next_request(&game), RoomCommand::Move { .. }));
}
