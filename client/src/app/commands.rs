//! The commands: what each begins, and with which view.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use futures::StreamExt;
use noughts_protocol::{Name, Record, RoomId};

use super::view::View;
use super::{engines, play};
use crate::cli::{self, Cli, ColorChoice, Command, Glyphs, Ui, definition, spoken};
use crate::local::{Lot, Setup, SideSpec};
use crate::model::{Exit, FieldId, Form, Goal, Look, Mode, Model, Note, Plan, Purpose, Settings};
use crate::terminal::{self, Guard};
use crate::unfinished::{Store, Unfinished};
use crate::update::Start;
use crate::words::{Cannot, Words};

/// Does what the command line says.
///
/// # Errors
/// What the system refused.
pub async fn run(cli: Cli, words: Words) -> anyhow::Result<Exit> {
    let env = |name: &str| std::env::var(name).ok();
    let settings = match cli::settings(&cli.view, env) {
        Ok(settings) => settings,
        Err((variable, error)) => {
            writeln!(io::stderr(), "{variable}: {}", words.field_error(error))?;
            return Ok(Exit::Usage);
        }
    };
    let Some(command) = cli.command else {
        if !terminal::is_terminal() {
            // Nobody is there to choose from a menu.
            write!(io::stderr(), "{}", spoken(definition(words), words).render_help())?;
            return Ok(Exit::Usage);
        }
        return show(&cli.view, words, settings, Start::Home).await;
    };
    match command {
        Command::Play(args) => {
            let (server, goal) = (args.server.server.clone(), goal(&args));
            online(&cli.view, words, settings, server, args.who.name, goal).await
        }
        Command::Join(args) => {
            let server = args.invite.server.unwrap_or(args.server);
            online(&cli.view, words, settings, server, args.who.name, Goal::Join(args.invite.room)).await
        }
        Command::Watch(args) => {
            let server = args.invite.server.unwrap_or(args.server);
            online(&cli.view, words, settings, server, args.who.name, Goal::Watch(args.invite.room)).await
        }
        Command::Continue { room } => unfinished(&cli.view, words, settings, room).await,
        Command::List(args) => {
            let plan = Start::Plan(Plan::Online(args.server, settings.name.clone(), Goal::List));
            let look = Look { color: false, unicode: false };
            let (mode, view) = match cli.view.ui {
                Ui::Json => (Mode::Json, View::json()?),
                Ui::Auto | Ui::Full | Ui::Line => (Mode::Line { person: false }, View::Line),
            };
            let model = Model::new(mode, look, words, settings, rand::random());
            play(model, view, futures::stream::pending().boxed(), plan, None).await
        }
        Command::Bot(args) => engines::bot(args, words).await,
        Command::Arena(args) => engines::arena(args, words).await,
        Command::Engine(args) => engines::engine(args, words).await,
        Command::Local(args) => {
            let start = local(args, &settings);
            show(&cli.view, words, settings, start).await
        }
        Command::Replay { file, review } => match read_record(&file) {
            Ok(record) => {
                let start = if review { Start::Review(record) } else { Start::Replay(record) };
                show(&cli.view, words, settings, start).await
            }
            Err(note) => refuse(&cli.view, words, &note),
        },
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut spoken(definition(words), words), "noughts", &mut script);
            print(&script)
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(spoken(definition(words), words)).render(&mut page)?;
            print(manual(&String::from_utf8_lossy(&page), words).as_bytes())
        }
    }
}

/// The manual page with headings in the language of its texts.
fn manual(page: &str, words: Words) -> String {
    let line = |line: &str| match line.strip_prefix(".SH ") {
        Some(heading) => format!(".SH {}\n", words.section(heading)),
        None => format!("{line}\n"),
    };
    page.lines().map(line).collect()
}

/// Prints a whole text. That nobody reads it to its end is no fault.
fn print(text: &[u8]) -> anyhow::Result<Exit> {
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

async fn online(
    view: &cli::View,
    words: Words,
    mut settings: Settings,
    server: crate::server_url::ServerUrl,
    name: Option<Name>,
    goal: Goal,
) -> anyhow::Result<Exit> {
    if let Some(name) = name {
        settings.name = name;
    }
    let plan = Plan::Online(server, settings.name.clone(), goal);
    show(view, words, settings, Start::Plan(plan)).await
}

/// Tells why nothing begins at all.
fn refuse(view: &cli::View, words: Words, note: &Note) -> anyhow::Result<Exit> {
    match view.ui {
        Ui::Json => {
            let mut view = View::json()?;
            view.tell(words, note)?;
            view.end(Exit::Usage)?;
        }
        Ui::Auto | Ui::Full | Ui::Line => writeln!(io::stderr(), "{}", words.note(note))?,
    }
    Ok(Exit::Usage)
}

/// Where games to continue are kept.
fn store(view: &cli::View) -> Option<Store> {
    let chosen = view.state.as_ref().map(|folder| Store::at(folder.join("games")));
    chosen.or_else(Store::of_platform)
}

/// Goes on with a game, if there is one.
async fn unfinished(
    view: &cli::View,
    words: Words,
    settings: Settings,
    room: Option<RoomId>,
) -> anyhow::Result<Exit> {
    let found = store(view).map(|store| store.find()).transpose();
    let found = found.context(words.cannot(Cannot::Continue))?.unwrap_or_default();
    if found.damaged > 0 && view.ui != Ui::Json {
        writeln!(io::stderr(), "{}", words.note(&Note::Damaged(found.damaged)))?;
    }
    let wanted = |game: &Unfinished| room.is_none_or(|room| game.room == room);
    match found.games.into_iter().find(wanted) {
        Some(game) => show(view, words, settings, Start::Continue(game)).await,
        None => refuse(view, words, &Note::NothingToContinue),
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
        let person = |name: &str| SideSpec::Person(name.parse().expect("a name"));
        let x = args.x.unwrap_or_else(|| person(crate::words::FIRST_PLAYER));
        let o = args.o.unwrap_or_else(|| person(crate::words::SECOND_PLAYER));
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
            | FieldId::Keys => None,
        };
        if let Some(text) = text {
            field.edit.set(text);
        }
    }
    Start::Form(form)
}

/// Shows something, on the full screen or line by line, to its end.
async fn show(view: &cli::View, words: Words, settings: Settings, start: Start) -> anyhow::Result<Exit> {
    let env = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let dumb = env("TERM").is_none_or(|term| term == "dumb");
    let line = Mode::Line { person: io::stdin().is_terminal() };
    let mode = match view.ui {
        Ui::Full => Mode::Full,
        Ui::Line => line,
        Ui::Json => Mode::Json,
        Ui::Auto if terminal::is_terminal() && !dumb => Mode::Full,
        Ui::Auto => line,
    };
    let color = match view.color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => env("NO_COLOR").is_none() && !dumb,
    };
    let mut model = Model::new(mode, Look { color, unicode: false }, words, settings, rand::random());
    match mode {
        Mode::Full => {}
        Mode::Line { .. } => return play(model, View::Line, terminal::lines(), start, store(view)).await,
        Mode::Json => return play(model, View::json()?, terminal::lines(), start, store(view)).await,
    }
    if !terminal::is_terminal() {
        writeln!(io::stderr(), "{}", words.no_terminal())?;
        return Ok(Exit::Usage);
    }
    let guard = Guard::take().context(words.cannot(Cannot::Terminal))?;
    model.look.unicode = match view.glyphs {
        Glyphs::Unicode => true,
        Glyphs::Ascii => false,
        Glyphs::Auto => !dumb && is_utf8(env) && terminal::draws_lines_narrow(),
    };
    model.size = crossterm::terminal::size().unwrap_or(model.size);
    play(model, View::full(guard)?, terminal::full(), start, store(view)).await
}

/// Whether the locale says that the terminal takes UTF-8.
fn is_utf8(env: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env).unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Reads a record, or says why that cannot be.
fn read_record(file: &Path) -> Result<Record, Box<Note>> {
    use std::io::Read;
    let path = file.display().to_string();
    let mut text = String::new();
    // One byte more than a record may have: the parser then says that it is too long.
    let limit = Record::MAX_TEXT as u64 + 1;
    let read = std::fs::File::open(file).and_then(|opened| opened.take(limit).read_to_string(&mut text));
    match read {
        Ok(_) => text.parse().map_err(|error| Box::new(Note::BadRecord { path, error })),
        Err(error) => Err(Box::new(Note::NotRead { path, error: error.into() })),
    }
}
