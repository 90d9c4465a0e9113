//! Checks each guarantee against a good server, where it must pass, and against a server with an injected
//! fault, where it must fail with the expected message. A test that cannot fail proves nothing.

mod codes;
mod connections;
mod history;
mod release_features;
mod seats;
mod slow_clients;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_server::testing::InjectedFault;
use noughts_tests::faults::{Fault, LimitFault, LogFault, WireFault};
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::WAIT_TIMEOUT;

/// Checks a guarantee of a server with this fault, or without a fault. Panics if the server violates the guarantee.
type GuaranteeCheck = fn(Option<Fault>) -> LocalBoxFuture<'static, ()>;

/// Runs a check; returns the message of its panic.
async fn run_check(check: GuaranteeCheck, fault: Option<Fault>) -> Result<(), String> {
    let result = AssertUnwindSafe(check(fault)).catch_unwind().await;
    result.map_err(
        |panic| match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
            (Some(text), _) => text.clone(),
            (None, Some(text)) => (*text).to_owned(),
            (None, None) => "a panic without a message".to_owned(),
        },
    )
}

/// Runs a check on a good server, where it must pass, and on a server with each of these faults, where it must fail
/// with a message that contains the text.
async fn verify(check: GuaranteeCheck, faults: &[(Fault, &str)]) {
    assert_eq!(
        run_check(check, None).await,
        Ok(()),
        "a good server violates the guarantee"
    );
    for (fault, expected_message) in faults {
        match run_check(check, Some(*fault)).await {
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

/// Returns the timeout for steps that a good server completes immediately: long for a good server on a busy machine,
/// short for a faulty server that may never complete them.
fn wait_timeout(fault: Option<Fault>) -> Duration {
    if fault.is_none() {
        WAIT_TIMEOUT
    } else {
        Duration::from_secs(1)
    }
}

/// Starts a server with a fault and configured limits.
async fn start_server(
    fault: Option<Fault>,
    configure: impl FnOnce(&mut TestServerOptions),
) -> TestServer {
    let mut options = TestServerOptions {
        fault,
        ..TestServerOptions::default()
    };
    configure(&mut options);
    TestServer::start_with(options).await
}

#[tokio::test]
async fn p1_what_is_sent_is_stored() {
    verify(
        history::sent_events_are_stored,
        &[(
            Fault::Log(LogFault::BroadcastBeforeCommit),
            "sent before it was stored",
        )],
    )
    .await;
}

#[tokio::test]
async fn p2_a_repeated_request_is_applied_once() {
    verify(
        history::a_repeated_request_is_applied_once,
        &[(
            Fault::Room(InjectedFault::RepeatDuplicateRequests),
            "executed again",
        )],
    )
    .await;
}

#[tokio::test]
async fn p3_all_clients_see_one_history() {
    verify(
        history::all_clients_see_one_history,
        &[(Fault::Wire(WireFault::DropBroadcasts), ", expected event")],
    )
    .await;
}

#[tokio::test]
async fn p4_state_is_the_replay_of_the_log() {
    verify(
        history::state_is_the_replay,
        &[(
            Fault::Log(LogFault::PersistFirstEventOnly),
            "not the replay",
        )],
    )
    .await;
}

#[tokio::test]
async fn p5_a_seat_needs_its_token_and_no_secret_leaks() {
    verify(
        seats::a_seat_needs_its_token,
        &[(Fault::Wire(WireFault::AcceptAnyToken), "took the seat")],
    )
    .await;
    verify(
        seats::no_secret_leaks,
        &[
            (
                Fault::Wire(WireFault::LeakTokensToSpectators),
                "leaked to another client",
            ),
            (Fault::Wire(WireFault::LogTokens), "in the log output"),
        ],
    )
    .await;
}

#[tokio::test]
async fn p6_bad_input_changes_nothing() {
    verify(
        seats::bad_input_changes_nothing,
        &[
            (Fault::Room(InjectedFault::SkipTurnCheck), "is not rejected"),
            (
                Fault::Room(InjectedFault::IgnoreDisconnects),
                "resources of disconnected clients remain",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn p7_a_resumed_player_misses_and_forfeits_nothing() {
    verify(
        seats::a_resumed_player_misses_nothing,
        &[
            (Fault::Wire(WireFault::GapOnResume), ", expected event"),
            (
                Fault::Wire(WireFault::ResumeWithoutSnapshot),
                ", expected event",
            ),
            (
                Fault::Limit(LimitFault::ForfeitOnDisconnect),
                "a briefly absent player has lost",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn p8_a_seat_has_one_connection() {
    verify(
        seats::the_newest_connection_has_the_seat,
        &[(
            Fault::Room(InjectedFault::ShareSeats),
            "two connections have the seat",
        )],
    )
    .await;
}

#[tokio::test]
async fn p9_a_non_reading_client_delays_no_other_client_and_fills_no_memory() {
    verify(
        slow_clients::a_non_reading_client_delays_no_other_client,
        &[(
            Fault::Wire(WireFault::BlockOnSlowClients),
            "clients wait for a client",
        )],
    )
    .await;
    verify(
        slow_clients::unread_messages_are_not_retained,
        &[(Fault::Limit(LimitFault::UnboundedSendQueue), "are retained")],
    )
    .await;
}

#[tokio::test]
async fn p10_a_dead_connection_is_detected() {
    verify(
        connections::a_dead_connection_is_detected,
        &[(Fault::Limit(LimitFault::SendNoPings), "was not detected")],
    )
    .await;
}

#[tokio::test]
async fn p11_every_close_and_every_reject_has_its_code() {
    verify(
        codes::every_close_has_its_code,
        &[(Fault::Wire(WireFault::WrongCloseCode), "closed with")],
    )
    .await;
    verify(
        codes::every_reject_has_its_code,
        &[(Fault::Wire(WireFault::WrongRejectCode), "rejected as")],
    )
    .await;
}

#[tokio::test]
async fn p12_bad_frames_close_the_connection() {
    verify(
        codes::bad_frames_close_the_connection,
        &[(Fault::Wire(WireFault::AcceptUnmaskedFrames), "unmasked")],
    )
    .await;
}

#[tokio::test]
async fn p13_a_shutdown_notifies_everyone() {
    verify(
        connections::a_shutdown_notifies_everyone,
        &[(
            Fault::Wire(WireFault::OmitRestartNotice),
            "was not notified",
        )],
    )
    .await;
}

#[tokio::test]
async fn p14_an_event_that_is_not_stored_is_rejected() {
    verify(
        history::an_event_that_is_not_stored_is_rejected,
        &[(
            Fault::Log(LogFault::ShowUncommitted),
            "sent without being stored",
        )],
    )
    .await;
}

#[tokio::test]
async fn p15_corruption_is_reported() {
    verify(
        history::corruption_is_reported,
        &[(
            Fault::Log(LogFault::IgnoreCorruption),
            "corruption is not reported",
        )],
    )
    .await;
}

#[tokio::test]
async fn p16_replay_does_not_depend_on_the_clock() {
    verify(
        history::replay_does_not_depend_on_the_clock,
        &[(
            Fault::Log(LogFault::ChargeOutageOnReplay),
            "different remaining time",
        )],
    )
    .await;
}

#[tokio::test]
async fn p17_a_start_reads_few_events() {
    verify(
        history::a_start_reads_few_events,
        &[(Fault::Log(LogFault::NeverCheckpoint), "events to read")],
    )
    .await;
}
