//! Tables for `update`: what is pressed, typed or received, and what comes of it.
//!
//! `Player` is the only caller of `update` here: it feeds messages in and keeps what was told and sent.
//! `Host` makes what a server would send, from the same fold of events.

pub(crate) mod grid;
mod here;
mod keep;
mod keys;
mod lines;
mod online;
mod room;

use std::time::Duration;

use noughts_protocol::wire::{Body, Command, Lobby, Message, Notice, Reject, RejectCode, You};
use noughts_protocol::{
    By, Code, Event, Game, Kind, Name, Player as Holder, RequestId, RoomId, Rules, Seat, Seq, Snapshot,
    Stamped, TimeControl,
};

use super::{Effect, Errand, Msg, Start, begin, update};
use crate::connection::{News, Welcome};
use crate::engine::Level;
use crate::input::{DigitOrder, Input, Key};
use crate::lang::Lang;
use crate::model::{Bell, Exit, Glyphs, Goal, Look, Mode, Model, Plan, Settings, Theme};
use crate::server_url::ServerUrl;
use crate::ui;
use crate::unfinished::{Found, Unfinished};
use crate::words::Words;

pub(crate) fn settings() -> Settings {
    Settings {
        server: ServerUrl::local(),
        name: "Ann".parse().unwrap(),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        seat: None,
        level: Level::Easy,
        keys: DigitOrder::Reading,
        lang: Lang::En,
        theme: Theme::Ansi,
        glyphs: Glyphs::Auto,
        bell: Bell::Bell,
    }
}

/// The room of all these tests.
pub(crate) fn room() -> RoomId {
    "k7qf3mzx".parse().unwrap()
}

/// Somebody with a terminal.
pub(crate) struct Player {
    pub(crate) model: Model,
    /// What was told, as line mode words it, or JSON mode.
    pub(crate) told: Vec<String>,
    /// What was sent, as JSON without ids.
    pub(crate) sent: Vec<String>,
    /// Everything else that was to be done.
    pub(crate) effects: Vec<Effect>,
    pub(crate) quit: Option<Exit>,
    /// What there is to continue.
    unfinished: Vec<Unfinished>,
    requests: u64,
}

impl Player {
    pub(crate) fn new(mode: Mode, start: Start) -> Player {
        Player::with(mode, settings(), start)
    }

    pub(crate) fn with(mode: Mode, settings: Settings, start: Start) -> Player {
        Player::beginning(mode, settings, start, Vec::new())
    }

    /// One who was killed in these games.
    pub(crate) fn killed(mode: Mode, start: Start, unfinished: Vec<Unfinished>) -> Player {
        Player::beginning(mode, settings(), start, unfinished)
    }

    fn beginning(mode: Mode, settings: Settings, start: Start, unfinished: Vec<Unfinished>) -> Player {
        let model = Model::new(
            mode,
            Look { color: true, unicode: true, theme: Theme::Ansi },
            Words::default(),
            settings,
            1,
        );
        let mut player = Player {
            model,
            told: Vec::new(),
            sent: Vec::new(),
            effects: Vec::new(),
            quit: None,
            unfinished,
            requests: 0,
        };
        let effects = begin(&mut player.model, start);
        player.keep(effects);
        player
    }

    /// One who has just been let in by a server, and asked for this.
    pub(crate) fn online(mode: Mode, goal: Goal) -> Player {
        let plan = Plan::Online(ServerUrl::local(), "Ann".parse().unwrap(), goal);
        let mut player = Player::new(mode, Start::Plan(plan));
        player.hear(News::Online { welcome: welcome() });
        player
    }

    /// One who plays X in a room of this host.
    pub(crate) fn seated(mode: Mode, host: &Host) -> Player {
        let mut player =
            Player::online(mode, Goal::Seek { rules: *host.game.rules(), clock: None, seat: None });
        player.message(host.snapshot(Some(Seat::X)));
        player
    }

    pub(crate) fn feed(&mut self, msg: Msg) {
        let effects = update(&mut self.model, msg);
        self.keep(effects);
    }

    fn keep(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Tell(note) = &effect
                && self.model.mode == Mode::Json
            {
                self.told.extend(ui::json::told(None, note));
            } else if let Effect::Tell(note) = &effect {
                self.told.extend(ui::line::lines(self.model.words, note));
            } else if let Effect::FindUnfinished = effect {
                let games = self.unfinished.clone();
                self.feed(Msg::Unfinished(Found { games, damaged: 0 }));
            } else if let Effect::Of { place, errand } = effect {
                self.keep_errand(place, errand);
            } else if let Effect::Quit(exit) = effect {
                self.quit = Some(exit);
            } else if let Effect::Send { body, ask } = effect {
                self.sent.push(serde_json::to_string(&body).unwrap());
                self.requests += 1;
                if let Some(ask) = ask {
                    let id = RequestId::new(self.requests).unwrap();
                    self.feed(Msg::Sent { ask, id });
                }
            } else {
                self.effects.push(effect);
            }
        }
    }

    /// The same for one of several games.
    fn keep_errand(&mut self, place: usize, errand: Errand) {
        match errand {
            Errand::Tell { room, note } if self.model.mode == Mode::Json => {
                self.told.extend(ui::json::told(Some(&room), &note));
            }
            Errand::Tell { room, note } => {
                let lines = ui::line::lines(self.model.words, &note);
                self.told.extend(lines.iter().map(|line| format!("{room}: {line}")));
            }
            Errand::Send { body, ask } => {
                self.sent.push(serde_json::to_string(&body).unwrap());
                self.requests += 1;
                if let Some(ask) = ask {
                    let id = RequestId::new(self.requests).unwrap();
                    self.feed(Msg::Of { place, msg: Box::new(Msg::Sent { ask, id }) });
                }
            }
            errand @ (Errand::Connect { .. } | Errand::Disconnect) => {
                self.effects.push(Effect::Of { place, errand });
            }
        }
    }

    /// One of several games hears something of its line.
    pub(crate) fn hear_of(&mut self, place: usize, news: News) {
        self.feed(Msg::Of { place, msg: Box::new(Msg::News(Box::new(news))) });
    }

    pub(crate) fn hear(&mut self, news: News) {
        self.feed(Msg::News(Box::new(news)));
    }

    pub(crate) fn message(&mut self, message: Message) {
        self.hear(News::Message(message));
    }

    pub(crate) fn press(&mut self, keys: &[Key]) {
        for &key in keys {
            self.feed(Msg::Input(Input::Key(key)));
        }
    }

    pub(crate) fn letters(&mut self, letters: &str) {
        self.press(&letters.chars().map(Key::Char).collect::<Vec<_>>());
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.feed(Msg::Input(Input::Line(line.to_owned())));
    }

    pub(crate) fn wait(&mut self, ms: u64) {
        self.model.now += ms;
        self.feed(Msg::Tick);
    }

    /// The id of the last request.
    pub(crate) fn last_id(&self) -> RequestId {
        RequestId::new(self.requests).unwrap()
    }

    /// The last request is refused.
    pub(crate) fn refused(&mut self, code: RejectCode) {
        let re = Some(self.last_id());
        self.message(Message::Reject { re, reject: Reject::new(code) });
    }

    /// What was told since the last look.
    pub(crate) fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }
}

pub(crate) fn welcome() -> Welcome {
    let limits = r#"{"message_bytes":4096,"burst":20,"per_second":10,"ping_ms":15000,"grace_ms":60000,
        "left_grace_ms":10000,"tail":256,"outbox":64}"#;
    Welcome {
        version: 1,
        server: "test".to_owned(),
        name: "Ann".parse().unwrap(),
        limits: serde_json::from_str(limits).unwrap(),
    }
}

/// A server's side of one room.
pub(crate) struct Host {
    pub(crate) game: Game,
    at: u64,
    pub(crate) code: Option<Code>,
}

impl Host {
    /// A room where Ann waits with X.
    pub(crate) fn waiting(rules: &str, clock: Option<&str>) -> Host {
        let rules: Rules = rules.parse().unwrap();
        let clock: Option<TimeControl> = clock.map(|clock| clock.parse().unwrap());
        let opened = Event::Opened { rules, clock, public: true };
        let at = 1_000_000;
        let game = Game::open(&Stamped { seq: Seq::new(1), at, by: None, event: opened }).unwrap();
        let mut host = Host { game, at, code: None };
        host.happens(seated(Seat::X, "Ann", Kind::Human));
        host
    }

    /// A room where Ann plays X and Bob O.
    pub(crate) fn playing(rules: &str, clock: Option<&str>) -> Host {
        let mut host = Host::waiting(rules, clock);
        host.happens(seated(Seat::O, "Bob", Kind::Human));
        host.happens(Event::Started { game: 1 });
        host
    }

    pub(crate) fn snapshot(&self, seat: Option<Seat>) -> Message {
        let you = You { seat, token: None, code: self.code };
        Message::Snapshot { re: None, room: room(), you, state: self.state() }
    }

    pub(crate) fn state(&self) -> Snapshot {
        self.game.snapshot(self.at)
    }

    /// An event, as the server sends it.
    pub(crate) fn happens(&mut self, event: Event) -> Message {
        self.answers(event, None)
    }

    /// An event that answers a request.
    pub(crate) fn answers(&mut self, event: Event, by: Option<By>) -> Message {
        let stamped = Stamped { seq: self.game.seq().next(), at: self.at, by, event };
        self.game.apply(&stamped).unwrap();
        Message::Events { re: None, room: room(), events: vec![stamped] }
    }

    /// The seat to move marks a cell.
    pub(crate) fn moves(&mut self, cell: &str) -> Message {
        let cell = self.game.rules().parse_cell(cell).unwrap();
        let cell = self.game.position().landing(cell).unwrap();
        let seat = self.game.position().turn();
        let left = self.game.clock().map(|clock| clock.after_move(seat, self.at));
        self.happens(Event::Moved { seat, cell, left })
    }

    pub(crate) fn later(&mut self, ms: u64) {
        self.at += ms;
    }
}

pub(crate) fn seated(seat: Seat, name: &str, kind: Kind) -> Event {
    let name: Name = name.parse().unwrap();
    Event::Seated { seat, player: Holder { name, kind } }
}

pub(crate) fn notice(notice: Notice) -> Message {
    Message::Notice { room: room(), notice }
}

/// Everything of a line mode player that a script drives.
pub(crate) const SCRIPT: Mode = Mode::Line { person: false };
/// A person in line mode.
pub(crate) const PERSON: Mode = Mode::Line { person: true };

pub(crate) fn seek() -> Goal {
    Goal::Seek { rules: "3x3:3".parse().unwrap(), clock: None, seat: None }
}

/// JSON of a command, as it is sent.
fn json(command: Command) -> String {
    serde_json::to_string(&Body::Command(command)).unwrap()
}

fn lobby(lobby: Lobby) -> String {
    serde_json::to_string(&Body::Lobby(lobby)).unwrap()
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
