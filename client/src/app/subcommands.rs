//! The commands of the program, except `bot`, `engine`, `arena` and `doctor`, and the record files that they read and
//! write.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use futures::StreamExt;
use noughts_protocol::{PlayerKind, Record, RoomId};

#[cfg(feature = "mcp")]
use crate::app::mcp;
use crate::app::output::{
    self, CLOSED_PIPE, Output, can_report_background, check_colors, check_glyphs,
    has_light_background, has_palette, is_dumb_terminal, is_remote_terminal, print,
};
use crate::app::{AppOptions, doctor, engines, identity, play, tasks};
use crate::cli::{self, Cli, CliCommand, Versus, definition};
use crate::connection::server_url::ServerUrl;
use crate::engines::engine_server::EngineOptions;
use crate::facts::doctor::ColorCheck;
use crate::facts::{Exit, Failure, FormKind, Notification};
use crate::game_link::{is_game_link, parse_game_link};
use crate::i18n::Texts;
use crate::input::Keymap;
use crate::io::identity_store::IdentityStore;
use crate::io::io_error::LocalizableIoError;
use crate::io::last_choices;
use crate::io::own_games::{OwnGameFilter, OwnGameStore};
use crate::io::saved_games::{SavedGame, SavedGameStore};
use crate::io::terminal::{self, TerminalGuard, TerminalProbe};
use crate::model::local_game::{LocalPlayerSpec, LocalSetup};
use crate::model::{Appearance, Form, FormResult, Mode, Model, SessionGoal};
use crate::puzzle;
use crate::settings::{BoardPrinting, MotionMode, Setting, Settings, Theme, Ui, effective};
use crate::update::InitialAction;

/// Runs the command that the command line names.
///
/// # Errors
/// Returns an error if the system fails, for example if the terminal cannot be used.
pub async fn run(mut cli: Cli, texts: Texts) -> anyhow::Result<Exit> {
    let env = |name: &str| std::env::var(name).ok();
    let effective = effective::load(&cli, env);
    if let Some(error) = &effective.settings_error
        && !matches!(cli.command, Some(CliCommand::Doctor { .. }))
    {
        writeln!(io::stderr(), "{}", texts.settings_file_error(error))?;
        return Ok(Exit::Usage);
    }
    let settings = match effective.settings(env) {
        Ok(settings) => settings,
        Err((origin, error)) => {
            writeln!(io::stderr(), "{origin}: {}", texts.field_error(error))?;
            return Ok(Exit::Usage);
        }
    };
    let texts = settings.lang.texts();
    if let Some(CliCommand::Config { query }) = cli.command {
        return match effective::describe(query, &effective, &settings, texts) {
            Ok(text) => print(text.as_bytes()),
            Err(error) => {
                writeln!(io::stderr(), "{}", texts.settings_file_error(&error))?;
                Ok(Exit::Failed)
            }
        };
    }
    if let Some(CliCommand::Doctor { address }) = cli.command {
        let state_dir =
            state_folder(&cli.global).map(|state| SavedGameStore::new(&state).folder().to_owned());
        let server = effective.origin(Setting::Server).map(|_| &settings.server);
        let server = address.or_else(|| server.cloned());
        return doctor::run(server, &effective, &settings, state_dir, texts).await;
    }
    if let Some(CliCommand::Bot(args)) = &mut cli.command {
        args.fill_in(&effective, &settings);
    }
    let has_rules = cli.flag(Setting::Rules).is_some();
    let is_bot = matches!(
        &cli.command,
        Some(
            CliCommand::Play(cli::PlayArgs { is_bot: true, .. })
                | CliCommand::Join(cli::JoinArgs { is_bot: true, .. })
        )
    );
    #[cfg(feature = "mcp")]
    let is_bot = is_bot || matches!(cli.command, Some(CliCommand::Mcp(_)));
    let launcher = UiLauncher {
        is_bot,
        global: cli.global,
        texts,
        keymap: effective.keymap,
        settings_path: effective.path,
    };
    let Some(command) = cli.command else {
        if !terminal::is_terminal() {
            // The home menu needs a person at a terminal.
            io::stderr().write_all(output::plain_help(texts).as_bytes())?;
            return Ok(Exit::Usage);
        }
        return launcher.run_ui(settings, InitialAction::Home).await;
    };
    match command {
        CliCommand::Play(args) => {
            let server = args.server.server_or(&settings.server);
            let goal = session_goal(&args, &settings);
            run_online(&launcher, settings, server, goal).await
        }
        CliCommand::Join(args) => {
            let Some(invite) = args.invite else {
                return run_join_form(&launcher, settings).await;
            };
            let server = invite.server.unwrap_or(settings.server.clone());
            run_online(&launcher, settings, server, SessionGoal::Join(invite.room)).await
        }
        CliCommand::Watch(args) => Box::pin(run_watch(&launcher, settings, args)).await,
        CliCommand::Identity(args) => {
            let state = state_folder(&launcher.global);
            identity::run(&args, state, settings.glyphs, texts)
        }
        CliCommand::Continue { room } => run_continue(&launcher, settings, room).await,
        CliCommand::List(args) => {
            let start = InitialAction::Apply(FormResult::Server(
                args.server_or(&settings.server),
                settings.name.clone(),
                SessionGoal::List,
            ));
            let (mode, output) = match settings.ui {
                Ui::Json => (Mode::Json, Output::json()?),
                Ui::Auto | Ui::Full | Ui::Line => (Mode::Line { interactive: false }, Output::Line),
            };
            let model = Model::new(mode, Appearance::PLAIN, settings, rand::random());
            play(
                model,
                output,
                futures::stream::pending().boxed(),
                start,
                AppOptions::default(),
            )
            .await
        }
        CliCommand::Bot(args) => {
            let server = args.server.server_or(&settings.server);
            let identity = launcher.global.state_dir.as_deref().map(IdentityStore::new);
            engines::run_bot(args, server, settings.ui, identity, texts).await
        }
        CliCommand::Arena(args) => engines::run_arena(args, settings.ui, texts).await,
        CliCommand::Engine(args) => {
            let (level, rules) = (args.level, settings.rules);
            engines::run_engine(EngineOptions { level, rules }, texts).await
        }
        #[cfg(feature = "mcp")]
        CliCommand::Mcp(args) => {
            let server = args.server_or(&settings.server);
            let game_loop: mcp::GameLoop = Box::new(move |settings, reporter, inputs, start| {
                launcher.play_for_assistant(settings, reporter, inputs, start)
            });
            Box::pin(mcp::run(game_loop, settings, server)).await
        }
        CliCommand::Local(args) => {
            let start = local_initial_action(args, has_rules, &settings);
            if let InitialAction::Apply(FormResult::Local(setup)) = &start
                && !setup.is_playable()
            {
                writeln!(io::stderr(), "{}", texts.engine_rejects_rules(&setup.rules))?;
                return Ok(Exit::Usage);
            }
            launcher.run_ui(settings, start).await
        }
        CliCommand::Puzzle => launcher.run_ui(settings, InitialAction::Puzzle).await,
        CliCommand::Games(filter) => launcher.list_own_games(settings.ui, filter),
        CliCommand::Analyse { file, review } => match read(&file) {
            Ok(record) => {
                let start = if review {
                    InitialAction::Review(record)
                } else {
                    InitialAction::Analysis(record)
                };
                launcher.run_ui(settings, start).await
            }
            Err(notification) => launcher.exit_with_notification(settings.ui, &notification),
        },
        // `run` has already handled these commands.
        CliCommand::Config { .. } | CliCommand::Doctor { .. } => Ok(Exit::Done),
        CliCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut definition(texts), "noughts", &mut script);
            print(&script)
        }
        CliCommand::Man => print(output::manual_page(texts)?.as_bytes()),
    }
}

fn session_goal(args: &cli::PlayArgs, settings: &Settings) -> SessionGoal {
    let (rules, clock, seat) = (settings.rules, settings.clock, args.seat.seat());
    let bot = match args.vs {
        Some(Versus::Bot(level)) => Some(level),
        Some(Versus::Anyone) | None => None,
    };
    if args.private || args.public || bot.is_some() {
        SessionGoal::Create {
            rules,
            clock,
            seat,
            public: args.public,
            bot,
        }
    } else {
        // A bot plays everybody. A person asks for people, unless the command line asks for everybody.
        let is_for_all = args.is_bot || args.vs == Some(Versus::Anyone);
        SessionGoal::Seek {
            rules,
            clock,
            seat,
            opponents: (!is_for_all).then_some(PlayerKind::Person),
        }
    }
}

/// Asks a person for the code of a room, and joins it.
async fn run_join_form(launcher: &UiLauncher, settings: Settings) -> anyhow::Result<Exit> {
    if !io::stdin().is_terminal() {
        return launcher.exit_without_code();
    }
    let form = Form::new(FormKind::Join, &settings);
    launcher.run_ui(settings, InitialAction::Form(form)).await
}

/// Watches one game, or several side by side. Without a code, the player chooses from the list of rooms.
async fn run_watch(
    launcher: &UiLauncher,
    settings: Settings,
    args: cli::WatchArgs,
) -> anyhow::Result<Exit> {
    let default = settings.server.clone();
    if args.invites.is_empty() && !args.tv {
        if !io::stdin().is_terminal() {
            return launcher.exit_without_code();
        }
        return run_online(launcher, settings, default, SessionGoal::Browse).await;
    }
    let games: Vec<_> = args
        .invites
        .into_iter()
        .map(|invite| {
            (
                invite.server.unwrap_or_else(|| default.clone()),
                invite.room,
            )
        })
        .collect();
    if args.tv {
        return launcher
            .run_ui(settings, InitialAction::Tv(default, games))
            .await;
    }
    if let [(server, room)] = &games[..] {
        let goal = SessionGoal::Watch(*room);
        return run_online(launcher, settings, server.clone(), goal).await;
    }
    launcher.run_ui(settings, InitialAction::Watch(games)).await
}

async fn run_online(
    launcher: &UiLauncher,
    settings: Settings,
    server: ServerUrl,
    goal: SessionGoal,
) -> anyhow::Result<Exit> {
    let plan = FormResult::Server(server, settings.name.clone(), goal);
    launcher.run_ui(settings, InitialAction::Apply(plan)).await
}

/// Resumes the saved game in `room`, or else the first saved game.
async fn run_continue(
    launcher: &UiLauncher,
    settings: Settings,
    room: Option<RoomId>,
) -> anyhow::Result<Exit> {
    let list = state_folder(&launcher.global)
        .map(|state| SavedGameStore::new(&state).list())
        .transpose();
    let list = list
        .context(launcher.texts.cannot_list_saved_games())?
        .unwrap_or_default();
    if list.corrupt > 0 && settings.ui != Ui::Json {
        writeln!(
            io::stderr(),
            "{}",
            launcher.texts.notification(&Notification::Damaged {
                files: list.corrupt
            })
        )?;
    }
    let is_wanted = |game: &SavedGame| room.is_none_or(|room| game.room == room);
    match (list.games.into_iter().find(is_wanted), room) {
        (Some(game), _) => {
            launcher
                .run_ui(settings, InitialAction::Continue(game))
                .await
        }
        // The game may have begun on another device.
        (None, Some(room)) => {
            let server = settings.server.clone();
            run_online(launcher, settings, server, SessionGoal::Return(room)).await
        }
        (None, None) => launcher
            .exit_with_notification(settings.ui, &Notification::NothingToContinue { game: None }),
    }
}

/// Starts a local game. Without flags, a form asks for the game and the players if stdin is a terminal.
fn local_initial_action(
    args: cli::LocalArgs,
    has_rules: bool,
    settings: &Settings,
) -> InitialAction {
    let is_chosen = has_rules || args.x.is_some() || args.o.is_some() || args.first.is_some();
    if is_chosen || !io::stdin().is_terminal() {
        let texts = settings.lang.texts();
        let x = args
            .x
            .unwrap_or_else(|| LocalPlayerSpec::Person(texts.first_player()));
        let o = args
            .o
            .unwrap_or_else(|| LocalPlayerSpec::Person(texts.second_player()));
        return InitialAction::Apply(FormResult::Local(LocalSetup {
            rules: settings.rules,
            players: [x, o],
            seat_assignment: args.first.unwrap_or_default(),
        }));
    }
    InitialAction::Form(Form::new(FormKind::Local, settings))
}

/// Returns the folder of games and secrets; `None` if the platform has no place for it.
fn state_folder(global: &cli::GlobalArgs) -> Option<PathBuf> {
    let platform_default = || {
        let directories = directories::ProjectDirs::from("", "", "noughts")?;
        let state = directories
            .state_dir()
            .unwrap_or_else(|| directories.data_local_dir());
        Some(state.to_owned())
    };
    global.state_dir.clone().or_else(platform_default)
}

/// Starts the loop with the output that the flags and the terminal allow.
struct UiLauncher {
    global: cli::GlobalArgs,
    texts: Texts,
    keymap: Keymap,
    settings_path: Option<PathBuf>,
    /// Whether a program plays instead of a person.
    is_bot: bool,
}

impl UiLauncher {
    /// Reports why a command cannot start, and returns the exit status.
    fn exit_with_notification(&self, ui: Ui, notification: &Notification) -> anyhow::Result<Exit> {
        match ui {
            Ui::Json => {
                let mut output = Output::json()?;
                output.print_notification(self.texts, None, notification)?;
                output.print_end(Exit::Usage)?;
            }
            Ui::Auto | Ui::Full | Ui::Line => {
                writeln!(io::stderr(), "{}", self.texts.notification(notification))?;
            }
        }
        Ok(Exit::Usage)
    }

    /// Prints the player's own games.
    fn list_own_games(&self, ui: Ui, filter: OwnGameFilter) -> anyhow::Result<Exit> {
        let list = state_folder(&self.global)
            .map(|state| OwnGameStore::new(&state).list())
            .transpose();
        let list = list.context(self.texts.cannot_list_own_games())?;
        let list = list.unwrap_or_default();
        let damage = Notification::damaged_games(&list);
        let games = list.games.into_iter().filter(|game| filter.matches(game));
        let listed = Notification::OwnGames {
            games: games.collect(),
            is_selectable: false,
        };
        let mut output = match ui {
            Ui::Json => Output::json()?,
            Ui::Auto | Ui::Full | Ui::Line => Output::Line,
        };
        for notification in [Some(listed), damage].into_iter().flatten() {
            match output.print_notification(self.texts, None, &notification) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(CLOSED_PIPE),
                result => result?,
            }
        }
        output.print_end(Exit::Done)?;
        Ok(Exit::Done)
    }

    /// Reports that the command needs a room code. Only a person at a terminal can be asked for one.
    fn exit_without_code(&self) -> anyhow::Result<Exit> {
        let error = self
            .texts
            .cli_error(self.texts.missing_argument("CODE|URL"));
        writeln!(io::stderr(), "{error}\n\n{}", self.texts.help_hint())?;
        Ok(Exit::Usage)
    }

    /// Returns the paths of the player's files for a kind of output.
    fn app_options(&self, mode: Mode) -> AppOptions {
        let state = state_folder(&self.global);
        // A script has an identity only if it names a folder for it: two scripts of one person may play each other.
        let has_identity = !mode.is_script() || self.global.state_dir.is_some();
        let identity = state.as_deref().filter(|_| has_identity);
        AppOptions {
            is_bot: self.is_bot,
            identity: identity.map(IdentityStore::new),
            state,
            settings_path: self.settings_path.clone(),
        }
    }

    /// Runs the loop for an assistant, with the commands of JSON mode.
    #[cfg(feature = "mcp")]
    fn play_for_assistant(
        &self,
        settings: Settings,
        reporter: mcp::SessionReporter,
        inputs: mcp::AssistantInputs,
        start: InitialAction,
    ) -> futures::future::BoxFuture<'static, anyhow::Result<Exit>> {
        let mode = Mode::Json;
        let model = Model::new(mode, Appearance::PLAIN, settings, rand::random());
        let output = Output::Assistant(reporter);
        play(model, output, inputs, start, self.app_options(mode))
    }

    /// Runs the loop from an initial action to its end.
    async fn run_ui(&self, settings: Settings, start: InitialAction) -> anyhow::Result<Exit> {
        let line_mode = Mode::Line {
            interactive: io::stdin().is_terminal(),
        };
        let mode = match settings.ui {
            Ui::Full => Mode::Full,
            Ui::Line => line_mode,
            Ui::Json => Mode::Json,
            Ui::Auto if terminal::is_terminal() && !is_dumb_terminal() => Mode::Full,
            Ui::Auto => line_mode,
        };
        // The player can change the theme while the program runs, but the terminal either has colours or has none.
        let color = check_colors() == ColorCheck::Yes;
        let has_light_background = has_light_background();
        let appearance = Appearance {
            color,
            has_palette: color && has_palette(),
            unicode: false,
            theme: settings.theme,
            has_light_background,
        };
        let (glyphs, theme) = (settings.glyphs, settings.theme);
        let state = state_folder(&self.global);
        let mut model = Model::new(mode, appearance, settings, rand::random());
        model.today = puzzle::day_of(tasks::wall_clock());
        let folder = state.as_deref();
        let known = folder.map(last_choices::load).unwrap_or_default();
        if mode.is_script() {
            // A script takes its name and level from flags, but the progress with the puzzle belongs to the player.
            model.last_choices.puzzle = known.puzzle;
        } else {
            model.use_last_choices(known.clone());
            let drawn = model.last_choices.name.clone();
            if let Some(folder) = folder.filter(|_| drawn != known.name)
                && let Err(error) = last_choices::update(folder, |choices| choices.name = drawn)
            {
                tracing::warn!(%error, "cannot save drawn name");
            }
        }
        model.keymap = self.keymap.clone();
        if model.settings.board == BoardPrinting::Auto {
            let is_terminal = terminal::is_terminal();
            model.settings.board = if is_terminal {
                BoardPrinting::Always
            } else {
                BoardPrinting::Never
            };
        }
        if model.settings.motion == MotionMode::Auto {
            model.settings.motion = if is_remote_terminal() {
                MotionMode::Off
            } else {
                MotionMode::On
            };
        }
        let options = self.app_options(mode);
        match mode {
            Mode::Full => {}
            Mode::Line { .. } => {
                return play(model, Output::Line, terminal::line_inputs(), start, options).await;
            }
            Mode::Json => {
                return play(
                    model,
                    Output::json()?,
                    terminal::line_inputs(),
                    start,
                    options,
                )
                .await;
            }
        }
        if !terminal::is_terminal() {
            writeln!(io::stderr(), "{}", self.texts.no_terminal())?;
            return Ok(Exit::Usage);
        }
        let guard = TerminalGuard::acquire().context(self.texts.cannot_acquire_terminal())?;
        let glyph_check = check_glyphs(glyphs);
        let asks_background = theme == Theme::Auto && can_report_background();
        let inputs = if let (Some(glyph_check), false) = (&glyph_check, asks_background) {
            model.appearance.unicode = glyph_check.has_box_drawing();
            terminal::full_screen_inputs()
        } else {
            let mut probe = TerminalProbe::start(glyph_check.is_none(), asks_background)
                .context(self.texts.cannot_acquire_terminal())?;
            let reply = probe.wait_briefly().await;
            let is_narrow = reply.as_ref().and_then(|reply| reply.narrow);
            // The terminal has not answered yet. ASCII works everywhere.
            model.appearance.unicode =
                glyph_check.map_or(is_narrow.unwrap_or(false), |check| check.has_box_drawing());
            match reply {
                Some(reply) => {
                    // Sets the theme now, so that the first frame has the right colours.
                    let reported = reply.has_light_background;
                    model.appearance.has_light_background =
                        reported.unwrap_or(model.appearance.has_light_background);
                    terminal::full_screen_inputs_after_reply(reply)
                }
                None => terminal::full_screen_inputs_after_probe(probe),
            }
        };
        model.size = crossterm::terminal::size().unwrap_or(model.size);
        play(model, Output::full(guard)?, inputs, start, options).await
    }
}

/// Reads a record from a file or from a link to a game.
pub(super) fn read(file: &Path) -> Result<Record, Box<Notification>> {
    use std::io::Read;
    let path = file.display().to_string();
    if is_game_link(&path) && !file.exists() {
        return parse_game_link(&path)
            .map_err(|error| Box::new(Notification::Failed(Failure::BadLink { error })));
    }
    let mut text = String::new();
    // One byte beyond the limit lets the parser report a record that is too long.
    let limit = Record::MAX_TEXT as u64 + 1;
    let read =
        std::fs::File::open(file).and_then(|opened| opened.take(limit).read_to_string(&mut text));
    match read {
        Ok(_) => text
            .parse()
            .map_err(|error| Box::new(Notification::Failed(Failure::BadRecord { path, error }))),
        Err(error) => Err(Box::new(Notification::Failed(Failure::NotRead {
            path,
            error: error.into(),
        }))),
    }
}

/// Writes a record to a new file. An existing file is not overwritten.
pub(super) async fn save(path: &str, text: String) -> Result<(), LocalizableIoError> {
    let path = std::path::PathBuf::from(path);
    let written = tokio::task::spawn_blocking(move || {
        use std::io::Write;
        let mut file = std::fs::File::create_new(path)?;
        file.write_all(text.as_bytes())
    });
    match written.await {
        Ok(result) => result.map_err(LocalizableIoError::from),
        Err(error) => Err(LocalizableIoError::other(error.to_string())),
    }
}
