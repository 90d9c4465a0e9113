//! Each promise of the server, held against a good server and against one that breaks it on purpose. The
//! same check passes on the one and fails on the other, and says what it saw: a test that cannot fail
//! proves nothing.

mod codes;
mod history;
mod lines;
mod program;
mod seats;
mod slow;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_server::fault::{Fault, Faults};
use noughts_tests::server::{Server, Setup};
use noughts_tests::wait::LIMIT;

/// Looks at a server with these faults, and panics if it keeps a promise badly.
type Check = fn(Faults) -> LocalBoxFuture<'static, ()>;

/// How a fault is seen.
struct Proof {
    /// The number of the promise.
    promise: u8,
    check: Check,
    /// What the check then says.
    says: &'static str,
}

/// One row a fault: which check sees it, and what that says of it.
fn proof(fault: Fault) -> Proof {
    let (promise, check, says): (u8, Check, _) = match fault {
        Fault::TellBeforeCommit => (1, history::told_is_stored, "told before it was stored"),
        Fault::ForgetAnswers => (2, history::sent_again_is_done_once, "done again"),
        Fault::LoseBroadcasts => (3, history::all_see_one_history, "was next"),
        Fault::StoreFirstOnly => (4, history::state_is_the_replay, "not the replay"),
        Fault::TakeAnyToken => (5, seats::only_its_token_takes_a_seat, "took the seat"),
        Fault::TellTokens => (5, seats::no_secret_gets_out, "told to somebody else"),
        Fault::LogTokens => (5, seats::no_secret_gets_out, "in the log lines"),
        Fault::TrustTheMover => (6, seats::bad_input_changes_nothing, "is not refused"),
        Fault::KeepGhosts => (6, seats::bad_input_changes_nothing, "is left of those"),
        Fault::GapOnResume => (7, seats::who_resumes_misses_nothing, "was next"),
        Fault::TailWithoutView => (7, seats::who_resumes_misses_nothing, "was next"),
        Fault::ForfeitAtOnce => (7, seats::who_resumes_misses_nothing, "has lost already"),
        Fault::ShareSeats => (8, seats::the_newest_line_has_the_seat, "two lines have the seat"),
        Fault::WaitForTheSlow => (9, slow::who_does_not_read_delays_nobody, "the others wait"),
        Fault::EndlessOutbox => (9, slow::what_is_not_read_is_not_kept, "waits in memory"),
        Fault::IgnoreSilence => (10, lines::a_dead_line_is_noticed, "nobody has noticed"),
        Fault::CloseWithAnyCode => (11, codes::every_close_has_its_code, "closed with"),
        Fault::RejectWithAnyCode => (11, codes::every_refusal_has_its_code, "refused as"),
        Fault::TakeUnmasked => (12, codes::bad_frames_end_the_line, "unmasked"),
        Fault::RestartInSilence => (13, lines::all_are_told_to_come_back, "was not told"),
        Fault::ShowUnstored => (14, history::what_is_not_stored_is_refused, "shown and not stored"),
        Fault::SkipDamage => (15, history::damage_is_named, "damage is passed over"),
        Fault::ReplayByTheClock => (16, history::another_clock_changes_nothing, "another time left"),
        Fault::NeverTakeImages => (18, history::a_start_reads_little, "events to read"),
    };
    Proof { promise, check, says }
}

/// What a check says, if it has something to say.
async fn judge(check: Check, faults: Faults) -> Result<(), String> {
    let judged = AssertUnwindSafe(check(faults)).catch_unwind().await;
    judged.map_err(|panic| match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (None, Some(text)) => (*text).to_owned(),
        (None, None) => "a panic without words".to_owned(),
    })
}

/// The promise is kept by a good server, and each fault against it is seen for what it is.
async fn prove(promise: u8) {
    let of_this = |fault: &Fault| proof(*fault).promise == promise;
    let mut faults = Fault::ALL.into_iter().filter(of_this).peekable();
    assert!(faults.peek().is_some(), "nothing shows that P{promise} is looked at");
    for fault in faults {
        let Proof { check, says, .. } = proof(fault);
        assert_eq!(judge(check, Faults::NONE).await, Ok(()), "a good server breaks P{promise}");
        match judge(check, Faults::of(fault)).await {
            Ok(()) => panic!("{fault:?} is not seen"),
            Err(seen) => assert!(seen.contains(says), "{fault:?} is seen as something else: {seen}"),
        }
    }
}

/// How long to wait for what a good server does at once, and one with these faults may never do. A good one
/// has all the time that a busy machine may need; of a bad one it is known that the wait is in vain.
fn patience(faults: Faults) -> Duration {
    if faults == Faults::NONE { LIMIT } else { Duration::from_secs(2) }
}

/// A server with these faults, and whatever else the check wants.
async fn server(faults: Faults, change: impl FnOnce(&mut Setup)) -> Server {
    let mut setup = Setup::default();
    setup.limits.faults = faults;
    change(&mut setup);
    Server::with(setup).await
}

#[tokio::test]
async fn p1_what_is_told_is_stored() {
    prove(1).await;
}

#[tokio::test]
async fn p2_what_is_sent_again_is_done_once() {
    prove(2).await;
}

#[tokio::test]
async fn p3_all_see_one_history() {
    prove(3).await;
}

#[tokio::test]
async fn p4_state_is_the_replay_of_the_log() {
    prove(4).await;
}

#[tokio::test]
async fn p5_a_seat_is_its_holders_and_no_secret_gets_out() {
    prove(5).await;
}

#[tokio::test]
async fn p6_bad_input_changes_nothing() {
    prove(6).await;
}

#[tokio::test]
async fn p7_who_resumes_misses_nothing_and_forfeits_nothing() {
    prove(7).await;
}

#[tokio::test]
async fn p8_a_seat_has_one_line() {
    prove(8).await;
}

#[tokio::test]
async fn p9_who_does_not_read_delays_nobody_and_fills_nothing() {
    prove(9).await;
}

#[tokio::test]
async fn p10_a_dead_line_is_noticed() {
    prove(10).await;
}

#[tokio::test]
async fn p11_every_close_and_every_refusal_has_its_code() {
    prove(11).await;
}

#[tokio::test]
async fn p12_bad_frames_end_the_line() {
    prove(12).await;
}

#[tokio::test]
async fn p13_a_stop_tells_everyone() {
    prove(13).await;
}

#[tokio::test]
async fn p14_what_is_not_stored_is_refused() {
    prove(14).await;
}

#[tokio::test]
async fn p15_damage_is_named() {
    prove(15).await;
}

#[tokio::test]
async fn p16_another_clock_changes_nothing() {
    prove(16).await;
}

#[tokio::test]
async fn p18_a_start_reads_little() {
    prove(18).await;
}
