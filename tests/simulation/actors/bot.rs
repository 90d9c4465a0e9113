//! Bot: an ordinary client with a searcher that takes a random time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts::engine::{self, Level, SearchLimits, SearchResult};
use noughts::testing::{
    BotError, BotOptions, ClientRng as LinkChance, Clocks, ConnectionHandle, Policy, SearchRequest,
    Searcher, TerminationReason, run_bot_with,
};
use noughts_tests::lock::lock;
use noughts_tests::rng::SeededRng;
use tokio::time::sleep;

use crate::actors::player::options;
use crate::network::SimConnector;
use crate::plan::{PlannedGame, SimMachine};
use crate::sim_state::SimState;

pub(crate) const NAME: &str = "Bot";

/// Plays games with these rules until it is stopped.
pub(crate) async fn run(sim_state: Arc<SimState>, game: PlannedGame) {
    let shutdown = sim_state.bot_stop.clone();
    while !shutdown.is_cancelled() {
        let searcher = SimSearcher(Mutex::new(SeededRng::new(sim_state.fresh_seed())));
        let connection = options(NAME);
        let clocks = game
            .clock
            .map_or(Clocks::None, |clock| Clocks::Between(clock, clock));
        let policy = Policy {
            clocks,
            ..Policy::new(game.rules)
        };
        let options = BotOptions {
            shutdown: shutdown.clone(),
            ..BotOptions::new(connection.url, connection.hello.name, Level::Easy, policy)
        };
        let connector_state = Arc::clone(&sim_state);
        let open = move |options| {
            let connector = SimConnector {
                sim_state: Arc::clone(&connector_state),
                actor: NAME,
                machine: SimMachine::North,
            };
            ConnectionHandle::with_connector(
                options,
                connector,
                LinkChance::from_seed(connector_state.fresh_seed()),
            )
        };
        match Box::pin(run_bot_with(options, open, Arc::new(searcher))).await {
            Ok(())
            | Err(BotError::Connection(
                TerminationReason::CannotConnect(_) | TerminationReason::Http(503),
            )) => {}
            Err(error) => sim_state.record_violation(NAME, format_args!("{error}")),
        }
        sleep(Duration::from_millis(500)).await;
    }
    sim_state.mark_done(NAME);
}

/// Evaluates a few positions immediately and then waits for a random thinking time.
#[derive(Debug)]
struct SimSearcher(Mutex<SeededRng>);

impl Searcher for SimSearcher {
    fn search(&self, request: SearchRequest) -> BoxFuture<'static, Option<SearchResult>> {
        let mut rng = lock(&self.0);
        let (pause, seed) = (
            Duration::from_millis(rng.random_range(1, 300)),
            rng.next_u64(),
        );
        async move {
            sleep(pause).await;
            if request.stop.load(Ordering::Relaxed) {
                return None;
            }
            let limits = SearchLimits {
                nodes: Some(100),
                ..SearchLimits::default()
            };
            engine::best_move(
                &request.position,
                request.level,
                limits,
                seed,
                &|| Duration::ZERO,
                &request.stop,
            )
        }
        .boxed()
    }
}
