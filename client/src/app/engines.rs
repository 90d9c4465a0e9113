//! The commands for programs that play.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Signals;
use crate::arena::{self, ArenaOptions};
use crate::bot::{self, BotError, BotOptions};
use crate::cli::{self, Ui};
use crate::model::{Exit, Note};
use crate::serve::{self, EngineOptions};
use crate::terminal::Signal;
use crate::thinker::threads::Threads;
use crate::thinker::{Means, Spec, Thinker};
use crate::ui::json;
use crate::words::{Cannot, Words};

/// Faults of engines that wait to be told: more are in the log.
const FAULTS: usize = 16;

/// Plays as a bot until it has played its games or a signal comes.
pub(super) async fn bot(args: cli::Bot, words: Words) -> anyhow::Result<Exit> {
    let (thinks, policy, threads) = (args.thinks(), args.policy(), Threads::new(args.threads.count()));
    if let Some(rules) = policy.rules.iter().find(|rules| !thinks.can_play(rules)) {
        writeln!(io::stderr(), "{}", words.engine_cannot(rules))?;
        return Ok(Exit::Usage);
    }
    let limits = args.memory.limits();
    let means = Means { own: Arc::new(threads.clone()), limits };
    // An engine that does not even start would give up one game after the other.
    let mut thinker = Thinker::new(&thinks, &means);
    let introduced = match thinker.introduce(&policy.rules[0]).await {
        Ok(introduced) => introduced,
        Err(fault) => {
            writeln!(io::stderr(), "{}", words.engine_failed(&fault))?;
            return Ok(Exit::Usage);
        }
    };
    thinker.end().await;
    let (server, join) = match args.join {
        Some(invite) => (invite.server.unwrap_or(args.server.server), Some(invite.room)),
        None => (args.server.server, None),
    };
    let name = match (args.name, &thinks) {
        (Some(name), _) => name,
        (None, Spec::Level(level)) => crate::words::bot_name(*level).parse().context("a bot's name")?,
        (None, Spec::Engine(_)) => crate::words::engine_name(introduced.as_deref()),
    };
    writeln!(io::stderr(), "{}", words.bot_begins(&name, &server))?;
    let (tell, mut faults) = mpsc::channel(FAULTS);
    let (retire, shutdown) = (CancellationToken::new(), CancellationToken::new());
    let options = BotOptions {
        thinks,
        instead: args.instead,
        limits,
        budget: Duration::from_millis(args.budget),
        join,
        games: args.games,
        tells_watchers: args.tell_watchers,
        retire: retire.clone(),
        shutdown: shutdown.clone(),
        faults: Some(tell),
        ..BotOptions::new(server.clone(), name, args.level, policy)
    };
    let mut signals = Signals::listen().context(words.cannot(Cannot::Listen))?;
    let mut running = std::pin::pin!(bot::run(options, threads));
    let mut exit = Exit::Done;
    let ended = loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End(number) if retire.is_cancelled() => {
                    // It leaves its rooms, which has limits of its own.
                    exit = Exit::Signal(number);
                    shutdown.cancel();
                }
                Signal::End(number) => {
                    exit = Exit::Signal(number);
                    retire.cancel();
                    writeln!(io::stderr(), "{}", words.bot_retires())?;
                }
                Signal::Continued => {}
            },
            fault = faults.recv(), if !faults.is_closed() => if let Some(fault) = fault {
                writeln!(io::stderr(), "{}", words.engine_failed(&fault))?;
            },
            ended = &mut running => break ended,
        }
    };
    match ended {
        Ok(()) => Ok(exit),
        Err(BotError::Ended(ended)) => {
            writeln!(io::stderr(), "{}", words.ended(&ended, &server))?;
            Ok(Exit::from(&ended))
        }
        Err(BotError::Refused(reject)) => {
            writeln!(io::stderr(), "{}", words.note(&Note::Refused { ask: None, reject }))?;
            Ok(Exit::Refused)
        }
        Err(BotError::Engine(fault)) => {
            writeln!(io::stderr(), "{}", words.engine_given_up(&fault))?;
            Ok(Exit::Failed)
        }
    }
}

/// Thinks for another program until that ends it.
pub(super) async fn engine(args: cli::Engine, words: Words) -> anyhow::Result<Exit> {
    let options = EngineOptions { level: args.level, rules: args.rules };
    let mut signals = Signals::listen().context(words.cannot(Cannot::Listen))?;
    let mut serving = std::pin::pin!(serve::serve(options, tokio::io::stdin(), tokio::io::stdout()));
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End(number) => return Ok(Exit::Signal(number)),
                Signal::Continued => {}
            },
            ended = &mut serving => return match ended {
                Ok(()) => Ok(Exit::Done),
                Err(crate::lines::LinesError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                    Ok(super::CLOSED_PIPE)
                }
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Lets programs play each other, and prints one line for each two in each game; for programs, one object.
pub(super) async fn arena(args: cli::Arena, ui: Ui, words: Words) -> anyhow::Result<Exit> {
    for spec in &args.players {
        if let Some(rules) = args.rules.iter().find(|rules| !spec.can_play(rules)) {
            writeln!(io::stderr(), "{}", words.engine_cannot(rules))?;
            return Ok(Exit::Usage);
        }
    }
    let means = Means { own: Arc::new(Threads::new(args.at_once)), limits: args.memory.limits() };
    let options = ArenaOptions {
        players: args.players,
        rules: args.rules,
        pairs: args.games.div_ceil(2),
        budget: Duration::from_millis(args.budget),
        nodes: args.nodes,
        opening: args.opening,
        even: args.even,
        seed: args.seed,
        at_once: args.at_once,
    };
    let mut signals = Signals::listen().context(words.cannot(Cannot::Listen))?;
    let stop = CancellationToken::new();
    let first = match ui {
        Ui::Json => json::hello(),
        Ui::Auto | Ui::Full | Ui::Line => words.arena_heading(),
    };
    writeln!(io::stdout(), "{first}")?;
    let mut playing = std::pin::pin!(arena::run(&options, &means, &stop, |meeting| {
        let lines = match ui {
            Ui::Json => vec![json::meeting(meeting)],
            Ui::Auto | Ui::Full | Ui::Line => words.meeting(meeting),
        };
        if lines.iter().try_for_each(|line| writeln!(io::stdout(), "{line}")).is_err() {
            // Nobody reads the rest.
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
