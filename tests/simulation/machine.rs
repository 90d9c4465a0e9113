//! The bot, an ordinary client that thinks in no time but as long as chance wants.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts::bot::policy::{Clocks, Policy};
use noughts::bot::{self, BotError, BotOptions};
use noughts::connection::{Chance as LinkChance, Ended, Link};
use noughts::engine::{self, Level, Limits, Report};
use noughts::thinker::question::{Question, Think};
use noughts_tests::chance::Chance;
use tokio::time::sleep;

use crate::network::Dialler;
use crate::person::options;
use crate::plan::{Place, Wanted};
use crate::world::World;

/// The bot's name.
pub(crate) const NAME: &str = "Bot";

/// Plays whoever wants this game until it is told to stop.
pub(crate) async fn live(world: Arc<World>, wanted: Wanted) {
    let shutdown = world.bot_stop.clone();
    while !shutdown.is_cancelled() {
        let mind = Mind(Mutex::new(Chance::new(world.fresh_seed())));
        let connection = options(NAME);
        let clocks = wanted.clock.map_or(Clocks::None, |clock| Clocks::Between(clock, clock));
        let policy = Policy { clocks, ..Policy::of(wanted.rules) };
        let options = BotOptions {
            shutdown: shutdown.clone(),
            ..BotOptions::new(connection.url, connection.hello.name, Level::Easy, policy)
        };
        let opener = Arc::clone(&world);
        let open = move |options| {
            let dialler = Dialler { world: Arc::clone(&opener), who: NAME, place: Place::North };
            Link::over(options, dialler, LinkChance::from_seed(opener.fresh_seed()))
        };
        match Box::pin(bot::run_over(options, open, Arc::new(mind))).await {
            Ok(()) | Err(BotError::Ended(Ended::CannotConnect(_) | Ended::Http(503))) => {}
            Err(error) => world.breach(NAME, format_args!("{error}")),
        }
        sleep(Duration::from_millis(500)).await;
    }
    world.done(NAME);
}

/// Looks at a few positions, which takes no time, and then waits as if it had taken some.
#[derive(Debug)]
struct Mind(Mutex<Chance>);

impl Think for Mind {
    fn think(&self, question: Question) -> BoxFuture<'static, Option<Report>> {
        let mut chance = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (pause, seed) = (Duration::from_millis(chance.between(1, 300)), chance.number());
        async move {
            sleep(pause).await;
            if question.stop.load(Ordering::Relaxed) {
                return None;
            }
            let limits = Limits { nodes: Some(100), ..Limits::default() };
            engine::choose(
                &question.position,
                question.level,
                limits,
                seed,
                &|| Duration::ZERO,
                &question.stop,
            )
        }
        .boxed()
    }
}
