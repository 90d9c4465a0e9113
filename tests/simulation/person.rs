//! A player: a program with the product's own connection, and a script in place of the person. It wants a
//! game, plays it by chance, and goes on where it was after every trouble, also that of its own machine.

mod hear;
mod play;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts::connection::{Chance as LinkChance, Ended, Link, News, Options, Retry};
use noughts_protocol::wire::{self, Body, Hello, Message, Presence, RejectCode};
use noughts_protocol::{Event, Game, Kind, RequestId, ResumeToken, RoomId, Seat};
use noughts_tests::chance::Chance;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::accounts::Accounts;
use crate::network::{Dialler, PORT, SERVER};
use crate::plan::{Place, Wanted};
use crate::world::World;

/// How a person comes to a game.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Errand {
    /// Opens a private room and tells its code by telephone.
    Host(Wanted),
    /// Waits for that call.
    Guest,
    /// Is paired in the lobby.
    Seek(Wanted),
}

/// What a person's program has on disk: it survives the program.
#[derive(Debug, Default)]
struct Papers {
    seat: Option<(RoomId, ResumeToken)>,
    done: bool,
}

/// A person at a machine.
#[derive(Clone)]
pub(crate) struct Person {
    world: Arc<World>,
    name: &'static str,
    place: Place,
    errand: Errand,
    papers: Arc<Mutex<Papers>>,
}

/// No answer takes this long on a line that is there: longer than a dead line goes unnoticed and a seat
/// is taken again.
const OVERDUE: Duration = Duration::from_secs(40);

impl Person {
    pub(crate) fn new(world: &Arc<World>, name: &'static str, place: Place, errand: Errand) -> Person {
        Person { world: Arc::clone(world), name, place, errand, papers: Arc::default() }
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the program again whenever it ends, until all is done.
    pub(crate) async fn live(self) {
        let mut older = JoinSet::new();
        while !self.papers().done {
            if let Some(link) = Program::start(&self).run().await {
                // The person opens another window and goes on there; this one stays open.
                self.world.notes.count("second windows");
                older.spawn(self.clone().lets_go(link));
            } else {
                sleep(Duration::from_millis(500)).await;
            }
        }
        older.join_all().await;
    }

    /// A window that nobody looks at loses its seat to the newer one, unless its line or its room ends
    /// before.
    async fn lets_go(self, mut link: Link) {
        let let_go = timeout(OVERDUE, async {
            while let Some(news) = link.next().await {
                match news {
                    News::Ended(Ended::Replaced) | News::Offline { .. } => return,
                    News::Message(Message::Events { events, .. })
                        if events.iter().any(|event| matches!(event.event, Event::Closed { .. })) =>
                    {
                        return;
                    }
                    // The room was no more when it came back.
                    News::Message(Message::Reject { reject, .. })
                        if reject.code == RejectCode::UnknownRoom =>
                    {
                        return;
                    }
                    News::Ended(ended) => {
                        return self.world.breach(self.name, format_args!("an old window ended: {ended}"));
                    }
                    News::Message(_) | News::Lost(_) | News::Connecting { .. } | News::Online { .. } => {}
                }
            }
        });
        if let_go.await.is_err() {
            self.world.breach(self.name, format_args!("two windows have one seat"));
        }
        link.close().await;
    }
}

/// What every program of the simulation connects with.
pub(crate) fn options(name: &str) -> Options {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name: name.parse().expect("a short name"),
        kind: Kind::Human,
        client: None,
        party: None,
    };
    let url = format!("ws://{SERVER}:{PORT}/ws").parse().expect("an address");
    Options { url, hello, retry: Retry::For(Duration::from_secs(600)) }
}

/// The room as the program knows it.
struct View {
    room: RoomId,
    seat: Seat,
    game: Game,
    other: Presence,
    /// When the absence of the other may be claimed.
    claim_at: Option<Instant>,
    changed: Instant,
}

struct Program<'a> {
    person: &'a Person,
    link: Link,
    accounts: Accounts,
    chance: Chance,
    online_since: Option<Instant>,
    view: Option<View>,
    /// The request to be in a room, or in none.
    way: Option<RequestId>,
    /// The lobby has it.
    seeking: bool,
    /// The one command under way.
    command: Option<RequestId>,
    next: Instant,
}

/// Whether a program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goes {
    On,
    /// It stays open, and another one is started.
    Aside,
    Down,
}

impl<'a> Program<'a> {
    fn start(person: &'a Person) -> Program<'a> {
        let world = &person.world;
        let seed = world.fresh_seed();
        world.note(person.name, format_args!("starts"));
        let dialler = Dialler { world: Arc::clone(world), who: person.name, place: person.place };
        Program {
            person,
            link: Link::over(options(person.name), dialler, LinkChance::from_seed(seed)),
            accounts: Accounts::new(Arc::clone(world), person.name),
            chance: Chance::new(seed),
            online_since: None,
            view: None,
            way: None,
            seeking: false,
            command: None,
            next: Instant::now(),
        }
    }

    /// Runs to its end, or until the person turns to another window: then the link of this one is left.
    async fn run(mut self) -> Option<Link> {
        loop {
            tokio::select! {
                biased;
                news = self.link.next() => {
                    if news.is_none_or(|news| self.hears(news) == Goes::Down) {
                        return None;
                    }
                }
                () = sleep_until(self.next) => {
                    let pause = if self.world().is_finishing() { 20 } else { self.chance.between(20, 400) };
                    self.next = Instant::now() + Duration::from_millis(pause);
                    match self.acts() {
                        Goes::On => {}
                        Goes::Aside => return Some(self.link),
                        Goes::Down => {
                            self.person.papers().done = true;
                            self.link.close().await;
                            self.person.world.done(self.person.name);
                            return None;
                        }
                    }
                }
            }
        }
    }

    fn world(&self) -> &'a Arc<World> {
        &self.person.world
    }

    fn breach(&self, what: std::fmt::Arguments<'_>) {
        self.world().breach(self.person.name, what);
    }

    pub(super) fn send(&mut self, body: Body) -> Option<RequestId> {
        let id = self.link.send(body.clone()).ok()?;
        self.accounts.asks(id, &body);
        Some(id)
    }
}
