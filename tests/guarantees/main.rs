//! Checks each guarantee against a good server, where it must pass, and against a server with an injected
//! fault, where it must fail with the expected message. A test that cannot fail proves nothing.

mod codes;
mod connections;
mod history;
mod release_binaries;
mod seats;
mod slow_clients;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_server::testing::{InjectedFault, InjectedFaults};
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::WAIT_TIMEOUT;

/// Checks a server with these faults; panics if the guarantee is violated.
type GuaranteeCheck = fn(InjectedFaults) -> LocalBoxFuture<'static, ()>;

/// A fault and the check that detects it.
struct Mutation {
    /// Number of the guarantee.
    guarantee: u8,
    check: GuaranteeCheck,
    /// Part of the message of the failed check.
    expected_message: &'static str,
}

/// Returns the check that detects a fault.
fn mutation_for(fault: InjectedFault) -> Mutation {
    let (guarantee, check, expected_message): (u8, GuaranteeCheck, _) = match fault {
        InjectedFault::BroadcastBeforeCommit => (
            1,
            history::sent_events_are_stored,
            "sent before it was stored",
        ),
        InjectedFault::RepeatDuplicateRequests => (
            2,
            history::a_repeated_request_is_applied_once,
            "executed again",
        ),
        InjectedFault::DropBroadcasts => {
            (3, history::all_clients_see_one_history, ", expected event")
        }
        InjectedFault::PersistFirstEventOnly => (4, history::state_is_the_replay, "not the replay"),
        InjectedFault::AcceptAnyToken => (5, seats::a_seat_needs_its_token, "took the seat"),
        InjectedFault::LeakTokensToSpectators => {
            (5, seats::no_secret_leaks, "leaked to another client")
        }
        InjectedFault::LogTokens => (5, seats::no_secret_leaks, "in the log output"),
        InjectedFault::SkipTurnCheck => (6, seats::bad_input_changes_nothing, "is not rejected"),
        InjectedFault::IgnoreDisconnects => (
            6,
            seats::bad_input_changes_nothing,
            "resources of disconnected clients remain",
        ),
        InjectedFault::GapOnResume => (
            7,
            seats::a_resumed_player_misses_nothing,
            ", expected event",
        ),
        InjectedFault::ResumeWithoutSnapshot => (
            7,
            seats::a_resumed_player_misses_nothing,
            ", expected event",
        ),
        InjectedFault::ForfeitOnDisconnect => (
            7,
            seats::a_resumed_player_misses_nothing,
            "a briefly absent player has lost",
        ),
        InjectedFault::ShareSeats => (
            8,
            seats::the_newest_connection_has_the_seat,
            "two connections have the seat",
        ),
        InjectedFault::BlockOnSlowClients => (
            9,
            slow_clients::a_non_reading_client_delays_no_other_client,
            "clients wait for a client",
        ),
        InjectedFault::UnboundedSendQueue => (
            9,
            slow_clients::unread_messages_are_not_retained,
            "are retained",
        ),
        InjectedFault::IgnoreMissingPongs => (
            10,
            connections::a_dead_connection_is_detected,
            "was not detected",
        ),
        InjectedFault::WrongCloseCode => (11, codes::every_close_has_its_code, "closed with"),
        InjectedFault::WrongRejectCode => (11, codes::every_reject_has_its_code, "rejected as"),
        InjectedFault::AcceptUnmaskedFrames => {
            (12, codes::bad_frames_close_the_connection, "unmasked")
        }
        InjectedFault::OmitRestartNotice => (
            13,
            connections::a_shutdown_notifies_everyone,
            "was not notified",
        ),
        InjectedFault::ShowUncommitted => (
            14,
            history::an_event_that_is_not_stored_is_rejected,
            "sent without being stored",
        ),
        InjectedFault::IgnoreCorruption => (
            15,
            history::corruption_is_reported,
            "corruption is not reported",
        ),
        InjectedFault::ChargeOutageOnReplay => (
            16,
            history::replay_does_not_depend_on_the_clock,
            "different remaining time",
        ),
        InjectedFault::NeverCheckpoint => (18, history::a_start_reads_few_events, "events to read"),
    };
    Mutation {
        guarantee,
        check,
        expected_message,
    }
}

/// Runs a check; returns the message of its panic.
async fn run_check(check: GuaranteeCheck, faults: InjectedFaults) -> Result<(), String> {
    let result = AssertUnwindSafe(check(faults)).catch_unwind().await;
    result.map_err(
        |panic| match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
            (Some(text), _) => text.clone(),
            (None, Some(text)) => (*text).to_owned(),
            (None, None) => "a panic without a message".to_owned(),
        },
    )
}

/// Checks one guarantee on a good server and with each fault against it.
async fn verify_guarantee(guarantee: u8) {
    let targets_guarantee = |fault: &InjectedFault| mutation_for(*fault).guarantee == guarantee;
    let mut faults = InjectedFault::ALL
        .into_iter()
        .filter(targets_guarantee)
        .peekable();
    assert!(faults.peek().is_some(), "no fault tests P{guarantee}");
    for fault in faults {
        let Mutation {
            check,
            expected_message,
            ..
        } = mutation_for(fault);
        assert_eq!(
            run_check(check, InjectedFaults::NONE).await,
            Ok(()),
            "a good server violates P{guarantee}"
        );
        match run_check(check, InjectedFaults::from_fault(fault)).await {
            Ok(()) => panic!("{fault:?} is not detected"),
            Err(message) => {
                assert!(
                    message.contains(expected_message),
                    "{fault:?} is detected by another message: {message}"
                );
            }
        }
    }
}

/// Timeout for steps that a good server completes at once: long for a good server on a busy machine, short
/// for a faulty one that may never complete them.
fn wait_timeout(faults: InjectedFaults) -> Duration {
    if faults == InjectedFaults::NONE {
        WAIT_TIMEOUT
    } else {
        Duration::from_secs(2)
    }
}

/// Starts a server with faults and configured limits.
async fn start_server(
    faults: InjectedFaults,
    configure: impl FnOnce(&mut TestServerOptions),
) -> TestServer {
    let mut options = TestServerOptions::default();
    options.limits.faults = faults;
    configure(&mut options);
    TestServer::start_with(options).await
}

#[tokio::test]
async fn p1_what_is_sent_is_stored() {
    verify_guarantee(1).await;
}

#[tokio::test]
async fn p2_a_repeated_request_is_applied_once() {
    verify_guarantee(2).await;
}

#[tokio::test]
async fn p3_all_clients_see_one_history() {
    verify_guarantee(3).await;
}

#[tokio::test]
async fn p4_state_is_the_replay_of_the_log() {
    verify_guarantee(4).await;
}

#[tokio::test]
async fn p5_a_seat_needs_its_token_and_no_secret_leaks() {
    verify_guarantee(5).await;
}

#[tokio::test]
async fn p6_bad_input_changes_nothing() {
    verify_guarantee(6).await;
}

#[tokio::test]
async fn p7_a_resumed_player_misses_and_forfeits_nothing() {
    verify_guarantee(7).await;
}

#[tokio::test]
async fn p8_a_seat_has_one_connection() {
    verify_guarantee(8).await;
}

#[tokio::test]
async fn p9_a_non_reading_client_delays_no_other_client_and_fills_no_memory() {
    verify_guarantee(9).await;
}

#[tokio::test]
async fn p10_a_dead_connection_is_detected() {
    verify_guarantee(10).await;
}

#[tokio::test]
async fn p11_every_close_and_every_reject_has_its_code() {
    verify_guarantee(11).await;
}

#[tokio::test]
async fn p12_bad_frames_close_the_connection() {
    verify_guarantee(12).await;
}

#[tokio::test]
async fn p13_a_shutdown_notifies_everyone() {
    verify_guarantee(13).await;
}

#[tokio::test]
async fn p14_an_event_that_is_not_stored_is_rejected() {
    verify_guarantee(14).await;
}

#[tokio::test]
async fn p15_corruption_is_reported() {
    verify_guarantee(15).await;
}

#[tokio::test]
async fn p16_replay_does_not_depend_on_the_clock() {
    verify_guarantee(16).await;
}

#[tokio::test]
async fn p18_a_start_reads_few_events() {
    verify_guarantee(18).await;
}
