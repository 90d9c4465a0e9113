//! All sequences of an opponent's moves against the bot on 3×3, over the connection layer.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;
use crate::engine::{self, SearchLimits, SearchResult};
use crate::engines::player_engine::{SearchRequest, Searcher};

/// Built-in search without a clock and with a fixed seed, so that the bot repeats its moves in repeated positions.
/// Caches results by position.
#[derive(Debug, Default)]
struct DeterministicSearcher(Mutex<HashMap<Vec<Cell>, Option<SearchResult>>>);

impl Searcher for DeterministicSearcher {
    fn search(&self, request: SearchRequest) -> BoxFuture<'static, Option<SearchResult>> {
        let never = AtomicBool::new(false);
        let SearchRequest {
            position, level, ..
        } = request;
        let mut known = self.0.lock().unwrap();
        let report = known.entry(position.moves().to_vec()).or_insert_with(|| {
            engine::best_move(
                &position,
                level,
                SearchLimits::default(),
                1,
                &|| Duration::ZERO,
                &never,
            )
        });
        std::future::ready(report.clone()).boxed()
    }
}

/// Enumerates all sequences of choices. The number of options depends on the previous choices.
#[derive(Default)]
struct ChoiceSequence {
    /// Current choice and number of options at each depth.
    choices: Vec<(usize, usize)>,
    at: usize,
}

impl ChoiceSequence {
    fn choose(&mut self, count: usize) -> usize {
        if self.at == self.choices.len() {
            self.choices.push((0, count));
        }
        let (choice, known) = self.choices[self.at];
        assert_eq!(known, count, "the same sequence is repeated");
        self.at += 1;
        choice
    }

    /// Advances to the next sequence. Returns `false` after the last sequence.
    fn advance(&mut self) -> bool {
        assert_eq!(self.at, self.choices.len(), "the same sequence is repeated");
        self.at = 0;
        while let Some((choice, count)) = self.choices.pop() {
            if choice + 1 < count {
                self.choices.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

/// Plays every sequence of moves against a bot in this seat. Returns the numbers of games that the bot won, drew and
/// lost.
async fn play_every_sequence(rules: &str, level: Level, bot_seat: Seat) -> [u32; 3] {
    let (pipe, mut calls) = pipe_server();
    let shutdown = CancellationToken::new();
    let join = BotTarget::Join(RoomRef::Id(room_id()));
    let worker = worker(
        pipe,
        join,
        Behaviour::for_invited_bot(None),
        BotShared::new(),
        shutdown.clone(),
    );
    let resources = EngineResources {
        searcher: Arc::new(DeterministicSearcher::default()),
        process_limits: child_process::ProcessLimits::default(),
    };
    let bot = tokio::spawn(
        Worker {
            engine_spec: EngineSpec::Level(level),
            resources,
            ..worker
        }
        .run(),
    );
    let mut peer = calls.accept_and_welcome().await;
    let (id, _) = peer.next_session_request().await;
    let mut fake_room = FakeRoom::new(rules, None, bot_seat);
    peer.send(fake_room.snapshot_message(Some(id))).await;
    let (mut results, mut sequence) = ([0; 3], ChoiceSequence::default());
    loop {
        while fake_room.game.phase() == Phase::Playing {
            if fake_room.game.position().turn() == fake_room.bot_seat {
                fake_room.expect_bot_move(&mut peer).await;
            } else {
                let cells: Vec<Cell> = fake_room.game.position().legal_moves().collect();
                let cell = cells[sequence.choose(cells.len())];
                fake_room.play_move(&mut peer, cell, None).await;
            }
        }
        let won = fake_room
            .game
            .outcome()
            .unwrap()
            .winner()
            .map(|winner| winner == fake_room.bot_seat);
        results[won.map_or(1, |won| if won { 0 } else { 2 })] += 1;
        if !sequence.advance() {
            break;
        }
        // A rematch swaps the seats. Two rematches, the first resigned immediately, restore them.
        for between in [true, false] {
            let id = fake_room.offer_rematch(&mut peer).await;
            let game = fake_room.game.number() + 1;
            let started = fake_room.apply_event(Event::Started { game }, Some(id));
            peer.send(started).await;
            if between {
                let winner = fake_room.bot_seat;
                fake_room
                    .end_game(&mut peer, Outcome::Resigned { winner })
                    .await;
            }
        }
    }
    shutdown.cancel();
    expect_leave(&mut peer).await;
    assert!(bot.await.unwrap().is_ok());
    results
}

#[tokio::test(start_paused = true)]
async fn the_bot_never_loses_on_3x3() {
    for rules in ["3x3:3", "3x3:3+misere"] {
        for seat in Seat::ALL {
            let [won, drawn, lost] = play_every_sequence(rules, Level::Perfect, seat).await;
            assert_eq!(lost, 0, "{rules} as {seat}: won {won}, drawn {drawn}");
            assert!(
                won > 0 && won + drawn > 50,
                "{rules} as {seat}: {won}, {drawn}"
            );
        }
    }
}
