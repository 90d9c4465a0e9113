//! What a bot does next at a table: no sockets, no thinking.

use noughts_protocol::wire::{Claim, Reject, RejectCode, Remark};
use noughts_protocol::{Offer, Outcome, Seq};
use tokio::time::Instant;

use super::super::table::{Step, Table};
use super::*;
use crate::engine::{Report, Score};
use crate::thinker::Choice;

/// A table at which the bot has the seat of the referee's choice.
fn table(referee: &Referee, manners: Manners) -> Table {
    let Message::Snapshot { state, .. } = referee.snapshot(None) else { unreachable!() };
    let budget = Duration::from_secs(10);
    Table::new(room(), referee.bot, &state, manners, budget, 0, Instant::now()).expect("a good snapshot")
}

fn id(number: u64) -> RequestId {
    RequestId::new(number).unwrap()
}

fn offered(referee: &mut Referee, offer: Offer) -> Message {
    referee.happens(Event::Offered { seat: referee.bot.other(), offer }, None)
}

/// What is asked next; fails on any other step.
fn asks(table: &Table) -> Command {
    match table.next(Instant::now()) {
        Step::Ask(command) => command,
        other @ (Step::Wait(_) | Step::Tell(_) | Step::Sync(_) | Step::Think(..) | Step::Leave) => {
            panic!("asks nothing: {other:?}")
        }
    }
}

/// A move that was chosen, by our own search if it has a score.
fn choice(cell: Cell, score: Option<Score>) -> Choice {
    let line = vec![cell, Cell::new(0)];
    Choice { cell, report: score.map(|score| Report { best: cell, score, depth: 2, nodes: 9, line }) }
}

fn thinks(table: &Table) -> Option<Duration> {
    match table.next(Instant::now()) {
        Step::Think(_, allowance) => Some(allowance),
        Step::Wait(_) | Step::Ask(_) | Step::Tell(_) | Step::Sync(_) | Step::Leave => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_draw_is_welcome_when_it_is_not_better_off() {
    for (score, expected) in [
        (None, false),
        (Some(Score::Draw), true),
        (Some(Score::Estimate(0)), true),
        (Some(Score::Estimate(-5)), true),
        (Some(Score::Loss(4)), true),
        (Some(Score::Estimate(5)), false),
        (Some(Score::Win(4)), false),
    ] {
        let mut referee = Referee::new("3x3:3", None, Seat::X);
        let mut table = table(&referee, Manners::of_paired(None));
        let cell = Cell::new(4);
        if let Some(score) = score {
            table.decides(table.board_seq(), &choice(cell, Some(score)));
            table.hears(
                &referee.happens(Event::Moved { seat: Seat::X, cell, left: None }, None),
                Instant::now(),
            );
        }
        table.hears(&offered(&mut referee, Offer::Draw), Instant::now());
        let offer = Offer::Draw;
        let answer = if expected { Command::Accept { offer } } else { Command::Decline { offer } };
        assert_eq!(asks(&table), answer, "{score:?}");
        table.has_asked(id(1));
        assert!(matches!(table.next(Instant::now()), Step::Wait(None)), "asks once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_takeback_is_for_friendly_games() {
    for (clock, expected) in [
        (None, Command::Accept { offer: Offer::Takeback }),
        (Some("5+3"), Command::Decline { offer: Offer::Takeback }),
    ] {
        let mut referee = Referee::new("3x3:3", clock.map(|clock| clock.parse().unwrap()), Seat::O);
        let mut table = table(&referee, Manners::of_paired(None));
        let left = referee.game.left(0);
        table.hears(
            &referee.happens(Event::Moved { seat: Seat::X, cell: Cell::new(0), left }, None),
            Instant::now(),
        );
        table.hears(&offered(&mut referee, Offer::Takeback), Instant::now());
        assert_eq!(asks(&table), expected, "{clock:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_absent_opponent_is_waited_for_and_then_the_game_is_claimed() {
    let referee = Referee::new("3x3:3", None, Seat::O);
    let mut table = table(&referee, Manners::of_paired(None));
    assert!(matches!(table.next(Instant::now()), Step::Wait(None)));
    let away = Instant::now();
    table.hears(&referee.other_is(Presence::Away, Some(60_000)), away);
    assert!(matches!(table.next(away), Step::Wait(Some(at)) if at == away + Duration::from_secs(60)));
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(asks(&table), Command::Claim { result: Claim::Win });
    table.has_asked(id(1));
    let reject = Reject::new(RejectCode::NotClaimable).wait_ms(3_000);
    table.hears(&Message::Reject { re: Some(id(1)), reject }, Instant::now());
    assert!(
        matches!(table.next(Instant::now()), Step::Wait(Some(at)) if at == Instant::now() + Duration::from_secs(3))
    );
    table.hears(&referee.other_is(Presence::Here, None), Instant::now());
    tokio::time::advance(Duration::from_secs(3)).await;
    assert!(matches!(table.next(Instant::now()), Step::Wait(None)));
}

#[tokio::test(start_paused = true)]
async fn thinking_keeps_to_what_the_clock_has_left() {
    let referee = Referee::new("15x15:5", Some("30s+0".parse().unwrap()), Seat::X);
    let table = table(&referee, Manners::of_paired(None));
    let at_first = thinks(&table).expect("its turn");
    assert!((1_000..2_000).contains(&at_first.as_millis()), "{at_first:?}");
    tokio::time::advance(Duration::from_secs(25)).await;
    let late = thinks(&table).expect("its turn");
    assert!(late < Duration::from_millis(300), "{late:?}");
    tokio::time::advance(Duration::from_secs(25)).await;
    assert!(thinks(&table).expect("its turn") < Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn a_refused_move_is_not_insisted_on() {
    let referee = Referee::new("3x3:3", None, Seat::X);
    let mut table = table(&referee, Manners::of_paired(None));
    let cell = Cell::new(4);
    table.decides(table.board_seq(), &choice(cell, Some(Score::Draw)));
    assert_eq!(asks(&table), Command::Move { cell, seq: referee.game.seq() });
    table.has_asked(id(1));
    table.hears(&Message::Reject { re: Some(id(1)), reject: RejectCode::Busy.into() }, Instant::now());
    assert!(matches!(table.next(Instant::now()), Step::Wait(Some(_))));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(asks(&table), Command::Move { cell, seq: referee.game.seq() }, "the same again");
    table.has_asked(id(2));
    // Something has happened that it has not heard of.
    let reject = Reject::new(RejectCode::Stale).at_seq(Seq::new(9));
    table.hears(&Message::Reject { re: Some(id(2)), reject }, Instant::now());
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(matches!(table.next(Instant::now()), Step::Sync(seq) if seq == referee.game.seq()));
}

#[tokio::test(start_paused = true)]
async fn a_gap_is_asked_about_once_and_closed() {
    let mut referee = Referee::new("3x3:3", None, Seat::O);
    let mut table = table(&referee, Manners::of_paired(None));
    let before = referee.game.seq();
    let mut missed = Vec::new();
    for (seat, cell) in [(Seat::X, 0), (Seat::O, 4), (Seat::X, 8)] {
        let Message::Events { events, .. } =
            referee.happens(Event::Moved { seat, cell: Cell::new(cell), left: None }, None)
        else {
            unreachable!()
        };
        missed.extend(events);
    }
    let last = Message::Events { re: None, room: room(), events: missed[2..].to_vec() };
    table.hears(&last, Instant::now());
    assert!(matches!(table.next(Instant::now()), Step::Sync(seq) if seq == before));
    table.has_synced(id(1));
    table.hears(&last, Instant::now());
    assert!(matches!(table.next(Instant::now()), Step::Wait(None)), "asked already");
    table.hears(&Message::Events { re: Some(id(1)), room: room(), events: missed }, Instant::now());
    assert!(thinks(&table).is_some(), "all is known again, and it is its turn");
    table.hears(&last, Instant::now());
    assert!(thinks(&table).is_some(), "what is known already is passed over");
}

#[tokio::test(start_paused = true)]
async fn what_makes_no_sense_is_left() {
    let referee = Referee::new("3x3:3", None, Seat::O);
    let mut table = table(&referee, Manners::of_paired(None));
    // O cannot move first.
    let event = Event::Moved { seat: Seat::O, cell: Cell::new(0), left: None };
    let stamped = Stamped { seq: referee.game.seq().next(), at: 0, by: None, event };
    table.hears(&Message::Events { re: None, room: room(), events: vec![stamped] }, Instant::now());
    assert!(matches!(table.next(Instant::now()), Step::Leave));
}

#[tokio::test(start_paused = true)]
async fn after_a_game_it_stays_for_a_while() {
    for (manners, wait) in [(Manners::of_paired(None), 20), (Manners::of_guest(None), 600)] {
        let mut referee = Referee::new("3x3:3", None, Seat::O);
        let mut table = table(&referee, manners);
        let ended = referee.happens(Event::Ended { outcome: Outcome::Agreed, left: None }, None);
        table.hears(&ended, Instant::now());
        assert_eq!(table.finished(), 1);
        let until = Instant::now() + Duration::from_secs(wait);
        assert!(matches!(table.next(Instant::now()), Step::Wait(Some(at)) if at == until));
        // A player whose line is down may come back; one that has left will not.
        table.hears(&referee.other_is(Presence::Away, None), Instant::now());
        assert!(matches!(table.next(Instant::now()), Step::Wait(Some(at)) if at == until));
        assert!(matches!(table.next(until), Step::Leave));
        table.hears(&offered(&mut referee, Offer::Rematch), Instant::now());
        assert_eq!(asks(&table), Command::Accept { offer: Offer::Rematch });
        table.hears(&referee.other_is(Presence::Left, None), Instant::now());
        assert!(matches!(table.next(Instant::now()), Step::Leave));
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_that_ended_unseen_counts() {
    let mut referee = Referee::new("3x3:3", None, Seat::O);
    let mut table = table(&referee, Manners::of_paired(Some(1)));
    referee.happens(Event::Ended { outcome: Outcome::Agreed, left: None }, None);
    table.hears(&referee.snapshot(None), Instant::now());
    assert_eq!(table.finished(), 1);
    assert!(matches!(table.next(Instant::now()), Step::Leave), "it has played enough");
}

#[tokio::test(start_paused = true)]
async fn a_person_is_not_answered_like_an_echo() {
    let manners = Manners::of_paired(None).with_pause(Duration::from_millis(300));
    let cell = Cell::new(4);
    for (clock, kind, pause) in [
        (None, Kind::Human, 300),
        (None, Kind::Bot, 0),
        (Some("5+0"), Kind::Human, 300),
        // With little time it is not wasted on manners.
        (Some("10s+0"), Kind::Human, 100),
    ] {
        let clock: Option<TimeControl> = clock.map(|clock| clock.parse().unwrap());
        let referee = Referee::new("3x3:3", clock, Seat::X).against(kind);
        let mut table = table(&referee, manners);
        let from = Instant::now();
        table.decides(table.board_seq(), &choice(cell, None));
        if pause > 0 {
            let until = from + Duration::from_millis(pause);
            assert!(matches!(table.next(from), Step::Wait(Some(at)) if at == until), "{clock:?}");
            tokio::time::advance(Duration::from_millis(pause)).await;
        }
        assert!(matches!(asks(&table), Command::Move { .. }), "{clock:?} {kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_that_is_given_up_is_given_up_once_and_not_the_next() {
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    let mut table = table(&referee, Manners::of_paired(None));
    table.gives_up();
    assert_eq!(asks(&table), Command::Resign);
    let resigned = Event::Ended { outcome: Outcome::Resigned { winner: Seat::O }, left: None };
    table.hears(&referee.happens(resigned, None), Instant::now());
    assert!(matches!(table.next(Instant::now()), Step::Wait(Some(_))), "it may play again");
    table.hears(&referee.happens(Event::Started { game: 2 }, None), Instant::now());
    table.hears(
        &referee.happens(Event::Moved { seat: Seat::X, cell: Cell::new(0), left: None }, None),
        Instant::now(),
    );
    assert!(thinks(&table).is_some());
}

#[tokio::test(start_paused = true)]
async fn those_who_watch_are_told_once_what_it_thinks() {
    let crowd = |watching| Message::Notice { room: room(), notice: Notice::Crowd { watching } };
    let (now, cell) = (Instant::now(), Cell::new(4));
    for (tells, watching, own, expected) in
        [(true, 1, true, true), (true, 0, true, false), (false, 1, true, false), (true, 1, false, false)]
    {
        let referee = Referee::new("3x3:3", None, Seat::X);
        let mut table = table(&referee, Manners::of_paired(None).with_telling(tells));
        table.hears(&crowd(watching), now);
        // A program of somebody else keeps to itself what it thinks.
        table.decides(table.board_seq(), &choice(cell, own.then_some(Score::Win(5))));
        if expected {
            let Step::Tell(remark) = table.next(now) else { panic!("{:?}", table.next(now)) };
            let line = vec![cell, Cell::new(0)];
            assert_eq!(remark, Remark { seq: referee.game.seq(), score: Score::Win(5), line });
            table.has_told(Some(id(1)));
            // Its answer is not waited for, and what becomes of it changes nothing.
            table.has_lost(id(1), now);
            table.hears(&Message::Reject { re: Some(id(1)), reject: RejectCode::RateLimited.into() }, now);
        }
        assert_eq!(asks(&table), Command::Move { cell, seq: referee.game.seq() });
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_remarks_is_told_nothing_more() {
    let (mut referee, now) = (Referee::new("3x3:3", None, Seat::X), Instant::now());
    let mut table = table(&referee, Manners::of_paired(None).with_telling(true));
    table.hears(&Message::Notice { room: room(), notice: Notice::Crowd { watching: 1 } }, now);
    table.decides(table.board_seq(), &choice(Cell::new(4), Some(Score::Draw)));
    assert!(matches!(table.next(now), Step::Tell(_)));
    table.has_told(Some(id(1)));
    table.hears(&Message::Reject { re: Some(id(1)), reject: RejectCode::UnknownType.into() }, now);
    for (seat, cell) in [(Seat::X, 4), (Seat::O, 0)] {
        table.hears(&referee.happens(Event::Moved { seat, cell: Cell::new(cell), left: None }, None), now);
    }
    table.decides(table.board_seq(), &choice(Cell::new(1), Some(Score::Draw)));
    assert!(matches!(asks(&table), Command::Move { .. }));
}
