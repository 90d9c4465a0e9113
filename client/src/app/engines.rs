//! The commands `bot`, `engine` and `arena`.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::output::CLOSED_PIPE;
use crate::bot::{self, BotError, BotOptions};
use crate::cli;
use crate::connection::server_url::ServerUrl;
use crate::engines::arena::{self, ArenaOptions};
use crate::engines::engine_server::{self, EngineOptions};
use crate::engines::player_engine::SearchPool;
use crate::engines::player_engine::{EngineResources, EngineSpec, PlayerEngine};
use crate::facts::{Exit, Notification};
use crate::i18n::Texts;
use crate::io::terminal::{Signal, Signals};
use crate::settings::Ui;
use crate::ui::json;

/// Maximum number of engine errors that wait to be printed; further errors are only logged.
const MAX_QUEUED_ERRORS: usize = 16;

/// Runs a bot until it has played its games or a signal arrives. The first signal retires the bot after its games; the
/// second one ends it.
pub(super) async fn run_bot(
    args: cli::BotArgs,
    server: ServerUrl,
    texts: Texts,
) -> anyhow::Result<Exit> {
    let (engine_spec, policy, search_pool) = (
        args.engine_spec(),
        args.policy(),
        SearchPool::new(args.threads.count()),
    );
    if let Some(rules) = policy
        .rules
        .iter()
        .find(|rules| !engine_spec.can_play(rules))
    {
        writeln!(io::stderr(), "{}", texts.engine_rejects_rules(rules))?;
        return Ok(Exit::Usage);
    }
    let limits = args.memory.limits();
    let resources = EngineResources {
        searcher: Arc::new(search_pool.clone()),
        process_limits: limits,
    };
    // An engine that cannot start would lose game after game, so check it first.
    let mut engine = PlayerEngine::new(&engine_spec, &resources);
    let reported_name = match engine.query_name(&policy.rules[0]).await {
        Ok(reported_name) => reported_name,
        Err(error) => {
            writeln!(io::stderr(), "{}", texts.engine_error(&error))?;
            return Ok(Exit::Usage);
        }
    };
    engine.end().await;
    let (server, join) = match args.join {
        Some(invite) => (invite.server.unwrap_or(server), Some(invite.room)),
        None => (server, None),
    };
    let name = match (args.name, &engine_spec) {
        (Some(name), _) => name,
        (None, EngineSpec::Level(level)) => crate::i18n::bot_name(*level)
            .parse()
            .context("a bot's name")?,
        (None, EngineSpec::Engine(_)) => crate::i18n::engine_name(reported_name.as_deref()),
    };
    writeln!(io::stderr(), "{}", texts.bot_started(&name, &server))?;
    let (error_tx, mut error_rx) = mpsc::channel(MAX_QUEUED_ERRORS);
    let (retire, shutdown) = (CancellationToken::new(), CancellationToken::new());
    let options = BotOptions {
        engine_spec,
        process_limits: limits,
        move_time: Duration::from_millis(args.move_time_ms),
        join,
        max_games: args.games,
        send_remarks: args.send_evaluations,
        retire: retire.clone(),
        shutdown: shutdown.clone(),
        engine_errors: Some(error_tx),
        ..BotOptions::new(server.clone(), name, args.level, policy)
    };
    let mut signals = Signals::listen().context(texts.cannot_install_signals())?;
    let mut running = std::pin::pin!(bot::run(options, search_pool));
    let mut exit = Exit::Done;
    let result = loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End(number) if retire.is_cancelled() => {
                    // Leaving the rooms has its own time limits.
                    exit = Exit::Signal(number);
                    shutdown.cancel();
                }
                Signal::End(number) => {
                    exit = Exit::Signal(number);
                    retire.cancel();
                    writeln!(io::stderr(), "{}", texts.bot_retiring())?;
                }
                Signal::Continued => {}
            },
            error = error_rx.recv(), if !error_rx.is_closed() => if let Some(error) = error {
                writeln!(io::stderr(), "{}", texts.engine_error(&error))?;
            },
            ended = &mut running => break ended,
        }
    };
    match result {
        Ok(()) => Ok(exit),
        Err(BotError::Connection(reason)) => {
            writeln!(io::stderr(), "{}", texts.close_reason(&reason, &server))?;
            Ok(Exit::from(&reason))
        }
        Err(BotError::Rejected(reject)) => {
            writeln!(
                io::stderr(),
                "{}",
                texts.notification(&Notification::Rejected {
                    asked: None,
                    reject
                })
            )?;
            Ok(Exit::Refused)
        }
        Err(BotError::Engine(error)) => {
            writeln!(io::stderr(), "{}", texts.engine_abandoned(&error))?;
            Ok(Exit::Failed)
        }
    }
}

/// Serves as an engine on stdin and stdout until the other program ends it.
pub(super) async fn run_engine(options: EngineOptions, texts: Texts) -> anyhow::Result<Exit> {
    let mut signals = Signals::listen().context(texts.cannot_install_signals())?;
    let mut ended = engine_server::start(options, io::stdin(), io::stdout());
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End(number) => return Ok(Exit::Signal(number)),
                Signal::Continued => {}
            },
            result = &mut ended => return match result.context("the engine has ended without a result")? {
                Ok(()) => Ok(Exit::Done),
                Err(crate::io::line_reader::LineReaderError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                    Ok(CLOSED_PIPE)
                }
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Plays matches between engines, and prints the result of each pair as a line or a JSON object.
pub(super) async fn run_arena(args: cli::ArenaArgs, ui: Ui, texts: Texts) -> anyhow::Result<Exit> {
    for spec in &args.players {
        if let Some(rules) = args.rules.iter().find(|rules| !spec.can_play(rules)) {
            writeln!(io::stderr(), "{}", texts.engine_rejects_rules(rules))?;
            return Ok(Exit::Usage);
        }
    }
    let resources = EngineResources {
        searcher: Arc::new(SearchPool::new(args.jobs)),
        process_limits: args.memory.limits(),
    };
    let options = ArenaOptions {
        players: args.players,
        rules: args.rules,
        pairs: args.games.div_ceil(2),
        move_time: Duration::from_millis(args.move_time_ms),
        nodes: args.nodes,
        opening_plies: args.opening_plies,
        balanced_openings: args.balanced_openings,
        seed: args.seed,
        jobs: args.jobs,
    };
    let mut signals = Signals::listen().context(texts.cannot_install_signals())?;
    let stop = CancellationToken::new();
    let heading = match ui {
        Ui::Json => json::hello(),
        Ui::Auto | Ui::Full | Ui::Line => texts.arena_heading(),
    };
    writeln!(io::stdout(), "{heading}")?;
    let mut playing = std::pin::pin!(arena::run(&options, &resources, &stop, |result| {
        let rows = match ui {
            Ui::Json => vec![json::match_result(result)],
            Ui::Auto | Ui::Full | Ui::Line => texts.match_result(result),
        };
        if rows
            .iter()
            .try_for_each(|line| writeln!(io::stdout(), "{line}"))
            .is_err()
        {
            // The reader has closed the pipe.
            stop.cancel();
        }
    }));
    let mut exit = Exit::Done;
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End(number) => {
                    exit = Exit::Signal(number);
                    stop.cancel();
                }
                Signal::Continued => {}
            },
            () = &mut playing => break,
        }
    }
    if ui == Ui::Json {
        writeln!(io::stdout(), "{}", json::end(exit))?;
    }
    Ok(exit)
}
