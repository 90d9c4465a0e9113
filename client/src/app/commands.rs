//! The commands: what each begins, and with which view.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use futures::StreamExt;
use noughts_protocol::{Name, RoomId};

use super::view::View;
use super::{Places, config, doctor, engines, help, play, record};
use crate::checkup::{Colors, Grid};
use crate::cli::{self, Cli, ColorChoice, Command, Ui, definition, spoken};
use crate::input::Keymap;
use crate::local::{Lot, Setup, SideSpec};
use crate::model::{
    Exit, FieldId, Form, Glyphs, Goal, Look, Mode, Model, Note, Plan, Purpose, Settings, Theme,
};
use crate::terminal::{self, Guard, Width};
use crate::unfinished::{Store, Unfinished};
use crate::update::Start;
use crate::words::{Cannot, Words};

/// Does what the command line says.
///
/// # Errors
/// What the system refused.
pub async fn run(cli: Cli, words: Words) -> anyhow::Result<Exit> {
    let chosen = config::choose(cli);
    if let Some(mistake) = &chosen.mistake
        && !matches!(chosen.cli.command, Some(Command::Doctor { .. }))
    {
        writeln!(io::stderr(), "{}", words.unread_settings(mistake))?;
        return Ok(Exit::Usage);
    }
    // The file may say in which language.
    let words = chosen.cli.view.lang.map_or(words, Words::new);
    let settings = match cli::settings(&chosen.cli.view, |name| chosen.variable(name)) {
        Ok(settings) => settings,
        Err((variable, error)) => {
            writeln!(io::stderr(), "{variable}: {}", words.field_error(error))?;
            return Ok(Exit::Usage);
        }
    };
    if let Some(Command::Config { question }) = chosen.cli.command {
        return config::tell(question, &chosen, &settings, words);
    }
    if let Some(Command::Doctor { server }) = &chosen.cli.command {
        let state = games(&chosen.cli.view).map(|store| store.folder().to_owned());
        return doctor::doctor(server.clone(), &chosen, &settings, state, words).await;
    }
    let cli = chosen.cli;
    let shown = Shown { view: cli.view, words, keymap: chosen.preferences.keymap, config: chosen.path };
    let Some(command) = cli.command else {
        if !terminal::is_terminal() {
            // Nobody is there to choose from a menu.
            io::stderr().write_all(help::plain(words).as_bytes())?;
            return Ok(Exit::Usage);
        }
        return shown.show(settings, Start::Home).await;
    };
    match command {
        Command::Play(args) => {
            let (server, goal) = (args.server.server.clone(), goal(&args));
            online(&shown, settings, server, args.who.name, goal).await
        }
        Command::Join(args) => {
            let server = args.invite.server.unwrap_or(args.server);
            online(&shown, settings, server, args.who.name, Goal::Join(args.invite.room)).await
        }
        Command::Watch(args) => watch(&shown, settings, args).await,
        Command::Continue { room } => unfinished(&shown, settings, room).await,
        Command::List(args) => {
            let plan = Start::Plan(Plan::Online(args.server, settings.name.clone(), Goal::List));
            let look = Look { color: false, unicode: false, theme: Theme::Mono };
            let (mode, view) = match shown.view.ui {
                Ui::Json => (Mode::Json, View::json()?),
                Ui::Auto | Ui::Full | Ui::Line => (Mode::Line { person: false }, View::Line),
            };
            let model = Model::new(mode, look, words, settings, rand::random());
            play(model, view, futures::stream::pending().boxed(), plan, Places::default()).await
        }
        Command::Bot(args) => engines::bot(args, words).await,
        Command::Arena(args) => engines::arena(args, shown.view.ui, words).await,
        Command::Engine(args) => engines::engine(args, words).await,
        Command::Local(args) => {
            let start = local(args, &settings);
            if let Start::Plan(Plan::Here(setup)) = &start
                && !setup.is_known_to_all()
            {
                writeln!(io::stderr(), "{}", words.engine_cannot(&setup.rules))?;
                return Ok(Exit::Usage);
            }
            shown.show(settings, start).await
        }
        Command::Replay { file, review } => match record::read(&file) {
            Ok(record) => {
                let start = if review { Start::Review(record) } else { Start::Replay(record) };
                shown.show(settings, start).await
            }
            Err(note) => shown.refuse(&note),
        },
        // Answered above: they need no more than the settings.
        Command::Config { .. } | Command::Doctor { .. } => Ok(Exit::Done),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut spoken(definition(words), words), "noughts", &mut script);
            print(&script)
        }
        Command::Man => print(help::manual(words)?.as_bytes()),
    }
}

/// Prints a whole text. That nobody reads it to its end is no fault.
pub(super) fn print(text: &[u8]) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(super::CLOSED_PIPE),
        result => Ok(result.map(|()| Exit::Done)?),
    }
}

fn goal(args: &cli::Play) -> Goal {
    let (rules, clock, seat) = (args.game.rules, args.game.clock, args.seat.seat());
    let bot = args.vs.map(|versus| versus.0);
    if args.private || args.public || bot.is_some() {
        Goal::Create { rules, clock, seat, public: args.public, bot }
    } else {
        Goal::Seek { rules, clock, seat }
    }
}

/// Watches a game; several side by side.
async fn watch(shown: &Shown, mut settings: Settings, args: cli::Watch) -> anyhow::Result<Exit> {
    let default = args.server;
    let games: Vec<_> = args
        .invites
        .into_iter()
        .map(|invite| (invite.server.unwrap_or_else(|| default.clone()), invite.room))
        .collect();
    if let [(server, room)] = &games[..] {
        return online(shown, settings, server.clone(), args.who.name, Goal::Watch(*room)).await;
    }
    settings.name = args.who.name.unwrap_or(settings.name);
    shown.show(settings, Start::Watch(games)).await
}

async fn online(
    shown: &Shown,
    mut settings: Settings,
    server: crate::server_url::ServerUrl,
    name: Option<Name>,
    goal: Goal,
) -> anyhow::Result<Exit> {
    if let Some(name) = name {
        settings.name = name;
    }
    let plan = Plan::Online(server, settings.name.clone(), goal);
    shown.show(settings, Start::Plan(plan)).await
}

/// Goes on with a game, if there is one.
async fn unfinished(shown: &Shown, settings: Settings, room: Option<RoomId>) -> anyhow::Result<Exit> {
    let found = games(&shown.view).map(|store| store.find()).transpose();
    let found = found.context(shown.words.cannot(Cannot::Continue))?.unwrap_or_default();
    if found.damaged > 0 && shown.view.ui != Ui::Json {
        writeln!(io::stderr(), "{}", shown.words.note(&Note::Damaged(found.damaged)))?;
    }
    let wanted = |game: &Unfinished| room.is_none_or(|room| game.room == room);
    match found.games.into_iter().find(wanted) {
        Some(game) => shown.show(settings, Start::Continue(game)).await,
        None => shown.refuse(&Note::NothingToContinue),
    }
}

/// What a game on this terminal begins with: a form for what the flags leave open, if there is somebody
/// to fill it in.
fn local(args: cli::Local, settings: &Settings) -> Start {
    let lot = match args.first {
        Some(cli::First::Random) => Lot::Random,
        Some(cli::First::X) | None => Lot::AsGiven,
    };
    let rules = args.rules.unwrap_or(settings.rules);
    let complete = args.x.is_some() && args.o.is_some();
    if complete || !io::stdin().is_terminal() {
        let words = Words::new(settings.lang);
        let x = args.x.unwrap_or_else(|| SideSpec::Person(words.first_player()));
        let o = args.o.unwrap_or_else(|| SideSpec::Person(words.second_player()));
        return Start::Plan(Plan::Here(Setup { rules, sides: [x, o], lot }));
    }
    let mut form = Form::new(Purpose::Local, &Settings { rules, ..settings.clone() });
    for field in &mut form.fields {
        let text = match field.id {
            FieldId::First => args.x.as_ref().map(SideSpec::to_string),
            FieldId::Second => args.o.as_ref().map(SideSpec::to_string),
            FieldId::Lot => (lot == Lot::Random).then(|| "random".to_owned()),
            FieldId::Server
            | FieldId::Name
            | FieldId::Rules
            | FieldId::Clock
            | FieldId::Seat
            | FieldId::Invite
            | FieldId::Keys
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs
            | FieldId::Bell => None,
        };
        if let Some(text) = text {
            field.edit.set(text);
        }
    }
    Start::Form(form)
}

/// Where games to continue are kept.
fn games(view: &cli::View) -> Option<Store> {
    let chosen = view.state.as_ref().map(|folder| Store::at(folder.join("games")));
    chosen.or_else(Store::of_platform)
}

/// A variable of the environment that says something.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether the terminal is called dumb, or nothing.
pub(super) fn is_dumb() -> bool {
    variable("TERM").is_none_or(|term| term == "dumb")
}

/// Whether there are colours, and who says so.
pub(super) fn colors(view: &cli::View) -> Colors {
    match view.color {
        ColorChoice::Never => Colors::Unwanted,
        ColorChoice::Always | ColorChoice::Auto if view.theme == Theme::Mono => Colors::Unwanted,
        ColorChoice::Always => Colors::Yes,
        ColorChoice::Auto if variable("NO_COLOR").is_some() => Colors::NoColor,
        ColorChoice::Auto if is_dumb() => Colors::Dumb,
        ColorChoice::Auto => Colors::Yes,
    }
}

/// With what the grid is drawn, as far as that is known without the terminal. None: it is to be asked.
pub(super) fn grid(glyphs: Glyphs) -> Option<Grid> {
    match glyphs {
        Glyphs::Unicode => Some(Grid::Chosen { unicode: true }),
        Glyphs::Ascii => Some(Grid::Chosen { unicode: false }),
        Glyphs::Auto if is_dumb() || !is_utf8(variable) => Some(Grid::NoUtf8),
        Glyphs::Auto if !terminal::is_terminal() => Some(Grid::NotAsked),
        Glyphs::Auto => None,
    }
}

/// How everything is shown, whatever it is.
struct Shown {
    view: cli::View,
    words: Words,
    keymap: Keymap,
    /// The settings file.
    config: Option<PathBuf>,
}

impl Shown {
    /// Tells why nothing begins at all.
    fn refuse(&self, note: &Note) -> anyhow::Result<Exit> {
        match self.view.ui {
            Ui::Json => {
                let mut view = View::json()?;
                view.tell(self.words, None, note)?;
                view.end(Exit::Usage)?;
            }
            Ui::Auto | Ui::Full | Ui::Line => writeln!(io::stderr(), "{}", self.words.note(note))?,
        }
        Ok(Exit::Usage)
    }

    /// Shows something, on the full screen, line by line or as objects, to its end.
    async fn show(&self, settings: Settings, start: Start) -> anyhow::Result<Exit> {
        let view = &self.view;
        let line = Mode::Line { person: io::stdin().is_terminal() };
        let mode = match view.ui {
            Ui::Full => Mode::Full,
            Ui::Line => line,
            Ui::Json => Mode::Json,
            Ui::Auto if terminal::is_terminal() && !is_dumb() => Mode::Full,
            Ui::Auto => line,
        };
        // The theme may change while the program runs; whether the terminal has colours does not.
        let color = matches!(colors(&cli::View { theme: Theme::Ansi, ..view.clone() }), Colors::Yes);
        let look = Look { color, unicode: false, theme: settings.theme };
        let mut model = Model::new(mode, look, self.words, settings, rand::random());
        model.keymap = self.keymap.clone();
        let places = Places { store: games(&self.view), config: self.config.clone() };
        match mode {
            Mode::Full => {}
            Mode::Line { .. } => return play(model, View::Line, terminal::lines(), start, places).await,
            Mode::Json => return play(model, View::json()?, terminal::lines(), start, places).await,
        }
        if !terminal::is_terminal() {
            writeln!(io::stderr(), "{}", self.words.no_terminal())?;
            return Ok(Exit::Usage);
        }
        let guard = Guard::take().context(self.words.cannot(Cannot::Terminal))?;
        let inputs = match grid(view.glyphs) {
            Some(grid) => {
                model.look.unicode = grid.has_lines();
                terminal::full()
            }
            None => {
                let width = Width::ask().context(self.words.cannot(Cannot::Terminal))?;
                match width.soon().await {
                    Some(heard) => {
                        model.look.unicode = heard.narrow.unwrap_or(false);
                        terminal::full_behind(heard)
                    }
                    // It is not waited for: ASCII is right everywhere.
                    None => terminal::full_after(width),
                }
            }
        };
        model.size = crossterm::terminal::size().unwrap_or(model.size);
        play(model, View::full(guard)?, inputs, start, places).await
    }
}

/// Whether the locale says that the terminal takes UTF-8.
fn is_utf8(env: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env).unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
