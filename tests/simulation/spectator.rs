//! A spectator: looks for a public room, watches it, and asks for what is not for spectators.

use std::sync::Arc;
use std::time::Duration;

use noughts::connection::{Chance as LinkChance, Ended, Link, News};
use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode};
use noughts_protocol::{Event, Game, Phase, RequestId, ResumeToken, RoomId, RoomRef};
use noughts_tests::chance::Chance;
use tokio::time::{Instant, sleep, sleep_until};

use crate::accounts::Accounts;
use crate::network::Dialler;
use crate::person::options;
use crate::plan::Place;
use crate::world::World;

/// Watches until everybody comes to an end.
pub(crate) async fn live(world: Arc<World>, name: &'static str, place: Place) {
    while !world.who_is_done().contains(name) {
        Watcher::start(&world, name, place).run().await;
        sleep(Duration::from_millis(700)).await;
    }
}

struct Watcher<'a> {
    world: &'a Arc<World>,
    name: &'static str,
    link: Link,
    accounts: Accounts,
    chance: Chance,
    online: bool,
    watching: Option<(RoomId, Game)>,
    /// The request under way.
    asked: Option<RequestId>,
    next: Instant,
}

impl<'a> Watcher<'a> {
    fn start(world: &'a Arc<World>, name: &'static str, place: Place) -> Watcher<'a> {
        let seed = world.fresh_seed();
        let dialler = Dialler { world: Arc::clone(world), who: name, place };
        Watcher {
            world,
            name,
            link: Link::over(options(name), dialler, LinkChance::from_seed(seed)),
            accounts: Accounts::new(Arc::clone(world), name),
            chance: Chance::new(seed),
            online: false,
            watching: None,
            asked: None,
            next: Instant::now(),
        }
    }

    async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                news = self.link.next() => match news {
                    None | Some(News::Ended(Ended::CannotConnect(_) | Ended::Http(503))) => return,
                    Some(News::Ended(ended)) => return self.breach(format_args!("the link ended: {ended}")),
                    Some(News::Connecting { .. }) => {}
                    Some(News::Online { .. }) => self.online = true,
                    Some(News::Offline { .. }) => self.online = false,
                    Some(News::Lost(id)) => {
                        self.accounts.lost(id);
                        self.asked.take_if(|asked| *asked == id);
                    }
                    Some(News::Message(message)) => self.hears(message),
                },
                () = sleep_until(self.next) => {
                    self.next = Instant::now() + Duration::from_millis(self.chance.between(50, 900));
                    if self.online && self.asked.is_none() {
                        if self.world.is_finishing() {
                            self.link.close().await;
                            return self.world.done(self.name);
                        }
                        self.acts();
                    }
                }
            }
        }
    }

    fn breach(&self, what: std::fmt::Arguments<'_>) {
        self.world.breach(self.name, what);
    }

    fn ask(&mut self, body: Body) {
        if let Ok(id) = self.link.send(body.clone()) {
            self.accounts.asks(id, &body);
            self.asked = Some(id);
        }
    }

    fn acts(&mut self) {
        match (&self.watching, self.chance.below(10)) {
            // A seat for a guess: nobody is to have it.
            (None, 0) => {
                let token = ResumeToken::from_bits(u128::from(self.chance.number()));
                if let Some(room) = self.world.disk.rooms().keys().next_back().copied() {
                    self.world.notes.count("tokens guessed");
                    self.ask(Body::Lobby(Lobby::Resume { room, token, seq: None }));
                }
            }
            (None, _) => self.ask(Body::Lobby(Lobby::List)),
            (Some(_), 0) => self.ask(Body::Lobby(Lobby::Leave)),
            (Some(_), 1) => self.ask(Body::Command(Command::Resign)),
            (Some(_), _) => {}
        }
    }

    fn answered(&mut self, id: RequestId) -> bool {
        self.accounts.answered(id);
        self.asked.take_if(|asked| *asked == id).is_some()
    }

    fn hears(&mut self, message: Message) {
        match message {
            Message::Welcome { .. } | Message::Restarting { .. } | Message::Notice { .. } => {}
            Message::Done { re, .. } => {
                self.answered(re);
                self.watching = None;
            }
            Message::Reject { re, reject } => {
                if re.is_some_and(|re| self.answered(re)) && reject.code == RejectCode::NotAPlayer {
                    self.world.notes.count("spectators refused");
                }
                #[expect(clippy::wildcard_enum_match_arm, reason = "every other refusal is a failure")]
                match reject.code {
                    RejectCode::UnknownRoom | RejectCode::NotInRoom => self.watching = None,
                    // It may ask again.
                    RejectCode::NotAPlayer
                    | RejectCode::Busy
                    | RejectCode::Unavailable
                    | RejectCode::Draining
                    | RejectCode::RoomFull => {}
                    code => self.breach(format_args!("refused: {code}")),
                }
            }
            Message::Rooms { re, rooms, .. } => {
                self.answered(re);
                if !rooms.is_empty() && self.watching.is_none() {
                    let room = self.chance.pick(&rooms).room;
                    self.ask(Body::Lobby(Lobby::Watch { room: RoomRef::Id(room), remarks: false }));
                }
            }
            Message::Snapshot { re, room, you, state } => {
                re.map(|re| self.answered(re));
                if you.seat.is_some() || you.token.is_some() || you.code.is_some() {
                    self.breach(format_args!("a spectator is told {you:?}"));
                }
                let Ok(game) = Game::from_snapshot(&state) else { return };
                self.world.notes.count("views of spectators");
                self.watching = Some((room, game)).filter(|(_, game)| game.phase() != Phase::Closed);
            }
            Message::Events { room, events, .. } => {
                for event in events {
                    let Some((_, game)) = self.watching.as_mut().filter(|(known, _)| *known == room) else {
                        return self.breach(format_args!("hears of room {room}, which it does not watch"));
                    };
                    if let Err(error) = game.apply(&event) {
                        return self.breach(format_args!("{error}: {event:?}"));
                    }
                    if matches!(event.event, Event::Closed { .. }) {
                        self.watching = None;
                    }
                }
            }
        }
    }
}
