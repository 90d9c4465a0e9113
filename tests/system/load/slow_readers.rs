//! Slow readers delay no other client, and receive the messages that they need to continue.

use std::time::Duration;

use noughts_protocol::wire::{Message, OwnRole, Request, RoomCommand, SessionRequest};
use noughts_protocol::{Cell, Game, Offer, RequestId, RoomId, Seat};
use noughts_server::ServerLimits;
use noughts_tests::client::game_setup::{pair_players, room_ref, untimed_view};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::{AppendFailure, FailingStore};
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::{wait_until, with_timeout};

const SEND_QUEUE: usize = 8;
/// Longer than any test waits, even on a busy machine.
const LONG_TIMEOUT: Duration = Duration::from_secs(600);

/// Sets a small send queue and this write timeout. The ping interval exceeds the test: a client that does not read
/// could not answer a second ping.
fn limit_sending(limits: &mut ServerLimits, write_timeout: Duration) {
    limits.send_queue = SEND_QUEUE;
    limits.write_timeout = write_timeout;
    limits.ping_interval = LONG_TIMEOUT;
}

async fn start_server(write_timeout: Duration) -> TestServer {
    TestServer::start_with_limits(|limits| limit_sending(limits, write_timeout)).await
}

/// Exchanges a draw offer and its refusal. Each round causes two events for both players.
async fn exchange_offers(x: &mut TestClient, o: &mut TestClient, rounds: usize) {
    for _ in 0..rounds {
        x.offer(Offer::Draw).await.expect("no offer is pending");
        o.wait_until_seq(x.game().seq()).await;
        o.send_command(RoomCommand::Decline { offer: Offer::Draw })
            .await
            .expect("an offer is pending");
        x.wait_until_seq(o.game().seq()).await;
        for client in [&mut *x, &mut *o] {
            while client.take_buffered(|_| true).is_some() {}
        }
    }
}

/// Connection that reads on demand and folds the messages.
struct SlowReader {
    raw: RawWebSocket,
    room_and_role: Option<(RoomId, OwnRole)>,
    game: Option<Game>,
    /// Snapshots after the first.
    skipped_snapshots: usize,
}

impl SlowReader {
    async fn connect(server: &TestServer, lobby: SessionRequest) -> SlowReader {
        let mut raw = RawWebSocket::connect_with_small_buffer(server.address()).await;
        raw.upgrade().await;
        raw.greet().await;
        raw.write_request(&Request::lobby(
            RequestId::new(1).expect("fits the type"),
            lobby,
        ))
        .await;
        let mut slow_reader = SlowReader {
            raw,
            room_and_role: None,
            game: None,
            skipped_snapshots: 0,
        };
        while slow_reader.game.is_none() {
            slow_reader.read_message().await;
        }
        slow_reader
    }

    async fn read_message(&mut self) {
        match self.raw.next_message().await {
            Message::Snapshot {
                state, room, role, ..
            } => {
                self.skipped_snapshots += usize::from(self.game.is_some());
                self.room_and_role = Some((room, role));
                let game = Game::from_snapshot(&state).expect("a snapshot");
                if let Some(before) = &self.game {
                    assert!(game.seq() >= before.seq(), "a snapshot of the past");
                }
                self.game = Some(game);
            }
            Message::Events { events, .. } => {
                let game = self.game.as_mut().expect("the first message is a snapshot");
                for event in &events {
                    assert_eq!(event.seq, game.seq().next(), "events have a gap");
                    game.apply(event).expect("the event follows");
                }
            }
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Reject { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. } => {}
        }
    }

    fn game(&self) -> &Game {
        self.game.as_ref().expect("seen")
    }

    async fn read_up_to(&mut self, game: &Game) {
        with_timeout(("the snapshot at", game.seq()), async {
            while self.game().seq() < game.seq() {
                self.read_message().await;
            }
        })
        .await;
        assert_eq!(untimed_view(self.game()), untimed_view(game));
    }
}

#[tokio::test]
async fn a_lagging_spectator_gets_a_snapshot_and_then_events() {
    let server = start_server(LONG_TIMEOUT).await;
    let [mut x, mut o] = pair_players(&server, "5x5:5", None).await;
    let mut slow_reader = SlowReader::connect(
        &server,
        SessionRequest::Watch {
            room: room_ref(&x),
            remarks: false,
        },
    )
    .await;
    slow_reader.raw.fill_send_queue(&server).await;
    // The players do not wait for the slow reader.
    exchange_offers(&mut x, &mut o, 50).await;
    slow_reader.read_up_to(x.game()).await;
    assert!(slow_reader.skipped_snapshots > 0, "no event was skipped");
    // The spectator then follows the game again.
    x.play(0).await.expect("legal");
    o.wait_until_seq(x.game().seq()).await;
    o.play(1).await.expect("legal");
    slow_reader.read_up_to(o.game()).await;
    assert_eq!(
        server.metric(r#"noughts_closes_total{code="4200"}"#).await,
        0
    );
}

#[tokio::test]
async fn a_due_snapshot_is_sent_after_a_store_outage() {
    let log = FailingStore::new();
    let mut setup = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    limit_sending(&mut setup.limits, LONG_TIMEOUT);
    let server = TestServer::start_with(setup).await;
    let [mut x, mut o] = pair_players(&server, "5x5:5", None).await;
    let mut slow_reader = SlowReader::connect(
        &server,
        SessionRequest::Watch {
            room: room_ref(&x),
            remarks: false,
        },
    )
    .await;
    slow_reader.raw.fill_send_queue(&server).await;
    exchange_offers(&mut x, &mut o, 20).await;
    // From now on, the room cannot rebuild its state.
    log.fail_loads(true);
    log.fail_next_appends(&[AppendFailure::StoredOutcomeUnknown]);
    let (seq, appends) = (x.game().seq(), log.append_count());
    let id = x.next_request_id();
    x.send(&Request::command(
        id,
        RoomCommand::Move {
            cell: Cell::new(0),
            seq,
        },
    ))
    .await;
    wait_until("the append", async || {
        (log.append_count() > appends).then_some(())
    })
    .await;
    // Reading the whole queue requests a snapshot.
    while tokio::time::timeout(Duration::from_millis(300), slow_reader.read_message())
        .await
        .is_ok()
    {}
    log.fail_loads(false);
    // The move was stored and is the response once the log can be read.
    x.wait_for_response(id, Some(Seat::X))
        .await
        .expect("it was stored");
    slow_reader.read_up_to(x.game()).await;
}
