//! The commands `bot`, `engine` and `arena`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use noughts_protocol::{Outcome, Position};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::output::CLOSED_PIPE;
use super::tasks::identity::IdentityTask;
use crate::bot::{self, BotError, BotGameResult, BotOptions, BotReport};
use crate::cli;
use crate::connection::server_url::ServerUrl;
use crate::engines::arena::{self, ArenaGame, ArenaOptions, ArenaReport, MatchResult};
use crate::engines::engine_server::{self, EngineOptions};
use crate::engines::player_engine::SearchPool;
use crate::engines::player_engine::child_process::EngineError;
use crate::engines::player_engine::{EngineResources, EngineSpec, PlayerEngine};
use crate::facts::{Exit, Notification};
use crate::i18n::Texts;
use crate::io::identity_store::IdentityStore;
use crate::io::terminal::{Signal, Signals};
use crate::settings::Ui;
use crate::ui::json;

/// Maximum number of bot reports that wait to be printed. The games wait while the queue is full.
const MAX_QUEUED_REPORTS: usize = 16;
/// Number of failures of each program in an arena that are printed with their positions. The table names the last
/// failure.
const MAX_DETAILED_FAILURES: u32 = 3;

/// Runs a bot until it has played its games or a signal arrives. Prints each game and a summary. The first signal
/// retires the bot after its current games; the second signal ends it.
pub(super) async fn run_bot(
    args: cli::BotArgs,
    server: ServerUrl,
    ui: Ui,
    identity: Option<IdentityStore>,
    texts: Texts,
) -> anyhow::Result<Exit> {
    let engine_spec = match args.engine_spec() {
        Ok(engine_spec) => engine_spec,
        Err(error) => {
            print_to_stderr(&texts.cli_error(texts.error(&error)));
            return Ok(Exit::Usage);
        }
    };
    let (policy, search_pool) = (args.policy(), SearchPool::new(args.threads.count()));
    if let Some(rules) = policy
        .rules
        .iter()
        .find(|rules| !engine_spec.can_play(rules))
    {
        print_to_stderr(&texts.engine_rejects_rules(rules));
        return Ok(Exit::Usage);
    }
    let limits = args.memory.limits();
    let resources = EngineResources {
        searcher: Arc::new(search_pool.clone()),
        process_limits: limits,
    };
    let mut signals = Signals::listen().context(texts.cannot_install_signals())?;
    // An engine that cannot start would lose every game, so it is checked first.
    let check = async {
        let mut engine = PlayerEngine::new(&engine_spec, &resources);
        let reported_name = engine.query_name(&policy.rules[0]).await?;
        engine.end().await;
        Ok(reported_name)
    };
    let checked = tokio::select! {
        biased;
        number = signals.end() => return Ok(Exit::Signal(number)),
        checked = check => checked,
    };
    let reported_name = match checked {
        Ok(reported_name) => reported_name,
        Err(error) => {
            let start = Position::new(policy.rules[0]);
            print_failure(texts, &engine_spec, &error, &start);
            return Ok(Exit::Usage);
        }
    };
    let (server, join) = match args.join {
        Some(invite) => (invite.server.unwrap_or(server), Some(invite.room)),
        None => (server, None),
    };
    let name = match (args.name, &engine_spec) {
        (Some(name), _) => name,
        (None, EngineSpec::Level(level)) => crate::i18n::bot_name(*level)
            .parse()
            .context("a bot's name")?,
        (None, EngineSpec::Program(program)) => {
            crate::i18n::engine_name(reported_name.as_deref().or(program.name()))
        }
    };
    print_to_stderr(&texts.bot_started(&name, &server));
    let identity = match identity {
        Some(store) => IdentityTask::load(store).await,
        None => Ok(IdentityTask::default()),
    };
    let identity = identity.context(texts.cannot_use_identity())?;
    if ui == Ui::Json {
        writeln!(io::stdout(), "{}", json::hello())?;
    }
    let mut printer = BotPrinter {
        engine_spec: engine_spec.clone(),
        ui,
        texts,
        tally: [0; 3],
    };
    let (report_tx, mut report_rx) = mpsc::channel(MAX_QUEUED_REPORTS);
    let (retire, shutdown) = (CancellationToken::new(), CancellationToken::new());
    let options = BotOptions {
        engine_spec,
        identity_secret: identity.secret_for(&server),
        process_limits: limits,
        move_time: Duration::from_millis(args.move_time_ms),
        join,
        max_games: args.games,
        send_remarks: args.send_evaluations,
        retire: retire.clone(),
        shutdown: shutdown.clone(),
        reports: Some(report_tx),
        ..BotOptions::new(server.clone(), name, args.level, policy)
    };
    let mut running = std::pin::pin!(bot::run(options, search_pool));
    let mut exit = Exit::Done;
    let result = loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End(number) if retire.is_cancelled() => {
                    // No timeout is needed here, because leaving the rooms has its own timeouts.
                    exit = Exit::Signal(number);
                    shutdown.cancel();
                }
                Signal::End(number) => {
                    exit = Exit::Signal(number);
                    retire.cancel();
                    print_to_stderr(texts.bot_retiring());
                }
                Signal::Continued => {}
            },
            Some(report) = report_rx.recv() => if !printer.print(&report) {
                exit = CLOSED_PIPE;
                shutdown.cancel();
            },
            ended = &mut running => break ended,
        }
    };
    while let Ok(report) = report_rx.try_recv() {
        printer.print(&report);
    }
    let exit = bot_exit(result, exit, &server, texts);
    printer.print_summary(exit);
    Ok(exit)
}

/// Returns the exit code of a bot that has ended, and reports why it failed.
fn bot_exit(result: Result<(), BotError>, exit: Exit, server: &ServerUrl, texts: Texts) -> Exit {
    match result {
        Ok(()) => exit,
        Err(BotError::Connection(reason)) => {
            print_to_stderr(&texts.close_reason(&reason, server));
            Exit::from(&reason)
        }
        Err(BotError::Rejected(reject)) => {
            let rejected = Notification::Rejected {
                asked: None,
                reject,
            };
            print_to_stderr(&texts.notification(&rejected));
            Exit::Rejected
        }
        Err(BotError::Engine(error)) => {
            print_to_stderr(&texts.engine_abandoned(&error));
            Exit::Failed
        }
    }
}

/// Prints a bot's results to stdout, and the failures of its program to stderr.
struct BotPrinter {
    engine_spec: EngineSpec,
    ui: Ui,
    texts: Texts,
    /// Games won, drawn and lost.
    tally: [u32; 3],
}

impl BotPrinter {
    /// Prints a report. Returns `false` if the reader of stdout has closed the pipe.
    fn print(&mut self, report: &BotReport) -> bool {
        match report {
            BotReport::EngineFailed(error, position) => {
                print_failure(self.texts, &self.engine_spec, error, position);
                true
            }
            BotReport::GameEnded(result) => self.print_game(result),
        }
    }

    fn print_game(&mut self, result: &BotGameResult) -> bool {
        let winner = result.outcome.winner();
        let is_counted = result.outcome != Outcome::Aborted;
        if is_counted {
            self.tally[match winner {
                Some(seat) if seat == result.seat => 0,
                None => 1,
                Some(_) => 2,
            }] += 1;
        }
        let line = match self.ui {
            Ui::Json => json::bot_game(result),
            Ui::Auto | Ui::Full | Ui::Line if is_counted => {
                let players = result.players.each_ref().map(|player| {
                    let name = player.as_ref().map(|player| player.name.to_string());
                    name.unwrap_or_default()
                });
                let number = self.tally.iter().sum();
                self.texts
                    .game_line(number, &players, &result.position, winner)
            }
            Ui::Auto | Ui::Full | Ui::Line => return true,
        };
        writeln!(io::stdout(), "{line}").is_ok()
    }

    /// Prints the last lines. The program ends anyway, even if the reader of stdout has closed the pipe.
    fn print_summary(&self, exit: Exit) {
        let [won, drawn, lost] = self.tally;
        let lines = match self.ui {
            Ui::Json => vec![json::bot_summary(self.tally), json::end(exit)],
            Ui::Auto | Ui::Full | Ui::Line => {
                vec![self.texts.bot_summary(drawn, won + drawn + lost, lost, won)]
            }
        };
        for line in lines {
            if let Err(error) = writeln!(io::stdout(), "{line}") {
                tracing::debug!(%error, "cannot print summary");
                return;
            }
        }
    }
}

fn print_failure(texts: Texts, engine_spec: &EngineSpec, error: &EngineError, position: &Position) {
    print_to_stderr(
        &texts
            .program_failure(engine_spec, error, position)
            .join("\n"),
    );
}

/// Prints a line to stderr. If that fails, the games continue.
fn print_to_stderr(line: &str) {
    if let Err(error) = writeln!(io::stderr(), "{line}") {
        tracing::debug!(%error, "cannot write to stderr");
    }
}

/// Serves as an engine on stdin and stdout until the manager ends it.
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

/// Plays matches between engines. Prints each game, then a table with the result of each pair of engines.
pub(super) async fn run_arena(args: cli::ArenaArgs, ui: Ui, texts: Texts) -> anyhow::Result<Exit> {
    let players = match args.players() {
        Ok(players) => players,
        Err(error) => {
            print_to_stderr(&texts.cli_error(texts.error(&error)));
            return Ok(Exit::Usage);
        }
    };
    if players.len() < 2 {
        print_to_stderr(texts.arena_needs_players());
        return Ok(Exit::Usage);
    }
    for spec in &players {
        if let Some(rules) = args.rules.iter().find(|rules| !spec.can_play(rules)) {
            print_to_stderr(&texts.engine_rejects_rules(rules));
            return Ok(Exit::Usage);
        }
    }
    let resources = EngineResources {
        searcher: Arc::new(SearchPool::new(args.jobs)),
        process_limits: args.memory.limits(),
    };
    let options = ArenaOptions {
        players,
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
    let mut printer = ArenaPrinter {
        ui,
        texts,
        is_closed: false,
        games: 0,
        failures: BTreeMap::new(),
        matches: Vec::new(),
    };
    if ui == Ui::Json {
        printer.print_line(&json::hello());
    }
    let mut exit = Exit::Done;
    {
        let mut playing = std::pin::pin!(arena::run(&options, &resources, &stop, |report| {
            printer.print(report);
            if printer.is_closed {
                stop.cancel();
            }
        }));
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
    }
    printer.print_end(exit);
    Ok(if printer.is_closed { CLOSED_PIPE } else { exit })
}

/// Prints the games of an arena to stdout, and the first failures of each program to stderr.
struct ArenaPrinter {
    ui: Ui,
    texts: Texts,
    /// Whether the reader of stdout has closed the pipe.
    is_closed: bool,
    /// Number of printed games.
    games: u32,
    /// Number of failures printed for each program.
    failures: BTreeMap<String, u32>,
    /// The matches that the table at the end lists.
    matches: Vec<MatchResult>,
}

impl ArenaPrinter {
    fn print(&mut self, report: &ArenaReport) {
        match (report, self.ui) {
            (ArenaReport::Game(game), _) => self.print_game(game),
            (ArenaReport::Match(result), Ui::Json) => {
                self.print_line(&json::match_result(result));
            }
            (ArenaReport::Match(result), Ui::Auto | Ui::Full | Ui::Line) => {
                self.matches.push(result.clone());
            }
        }
    }

    fn print_game(&mut self, game: &ArenaGame) {
        self.games += 1;
        if let Some((seat, error)) = &game.failure {
            let program = &game.players[seat.index()];
            let printed = self.failures.entry(program.to_string()).or_default();
            if *printed < MAX_DETAILED_FAILURES {
                *printed += 1;
                print_failure(self.texts, program, error, &game.position);
            }
        }
        let line = match self.ui {
            Ui::Json => json::arena_game(game),
            Ui::Auto | Ui::Full | Ui::Line => {
                let players = game.players.each_ref();
                let players = players.map(|player| self.texts.engine_label(player));
                let line =
                    self.texts
                        .game_line(self.games, &players, &game.position, game.winner());
                match &game.failure {
                    Some((seat, _)) => self.texts.game_with_failure(line, &players[seat.index()]),
                    None => line,
                }
            }
        };
        self.print_line(&line);
    }

    /// Prints the table of the matches, or the last line in JSON mode.
    fn print_end(&mut self, exit: Exit) {
        let text = match self.ui {
            Ui::Json => json::end(exit),
            Ui::Auto | Ui::Full | Ui::Line => {
                format!("\n{}", self.texts.arena_table(&self.matches).join("\n"))
            }
        };
        self.print_line(&text);
    }

    fn print_line(&mut self, line: &str) {
        if let Err(error) = writeln!(io::stdout(), "{line}") {
            tracing::debug!(%error, "cannot print line");
            self.is_closed = true;
        }
    }
}
