//! Tests of `update`: from input and messages to the resulting output, requests and effects.
//!
//! [`TestPlayer`] is the only caller of `update`. It feeds messages and records the results. [`TestRoom`] creates a
//! server's messages with the protocol's fold.

mod background_session;
mod event_effects;
mod host;
pub(crate) mod identity;
mod keys;
mod line_mode;
mod local_game;
mod mouse;
pub(crate) mod multi_watch;
mod online;
pub(crate) mod own_games;
mod preview;
mod pushed_lobby;
mod saved_game;
mod stale_input;
pub(crate) mod test_lobby;
mod test_room;

use std::time::Duration;

use noughts_protocol::wire::{
    Message, Notice, OwnRole, Presence, Reject, RejectCode, RequestBody, RoomCommand, RoomListing,
    SessionRequest,
};
use noughts_protocol::{
    Cell, Event, EventRecord, Game, Name, Offer, Outcome, Phase, Player, PlayerKind, RequestId,
    RequestRef, ResumeToken, RoomCloseReason, RoomCode, RoomId, Rules, Seat, Seq, Snapshot,
    TimeControl,
};

use super::{Effect, GameEffect, InitialAction, Msg, initial_effects, update};
use crate::connection::server_url::ServerUrl;
use crate::connection::{ConnectionEvent, DisconnectReason, TerminationReason, Welcome};
use crate::engine::Level;
use crate::facts::Exit;
use crate::i18n::lang::Lang;
use crate::input::{DigitOrder, Input, Key, KeyContext};
use crate::io::own_games::FinishedOwnGame;
use crate::io::saved_games::{SavedGame, SavedGameList};
use crate::model::local_game::{LocalSetup, SeatAssignment};
use crate::model::{Appearance, Form, FormResult, GameView, Mode, Model, Session, SessionGoal};
use crate::settings::{BoardPrinting, Settings, Theme};
use crate::ui;

pub(crate) use test_room::TestRoom;

pub(crate) fn settings() -> Settings {
    Settings {
        name: "Ann".parse().unwrap(),
        board: BoardPrinting::Never,
        level: Level::Easy,
        ..Settings::default()
    }
}

pub(crate) fn room_id() -> RoomId {
    "k7qf3mzx".parse().unwrap()
}

/// A model, and a record of its output, requests and effects.
pub(crate) struct TestPlayer {
    pub(crate) model: Model,
    /// The notifications, as line mode or JSON mode prints them.
    pub(crate) output: Vec<String>,
    /// The requests as JSON without ids.
    pub(crate) sent: Vec<String>,
    /// All other effects.
    pub(crate) effects: Vec<Effect>,
    pub(crate) quit: Option<Exit>,
    /// The finished games that were passed to the store.
    pub(crate) finished: Vec<FinishedOwnGame>,
    /// The resumable games in the store.
    saved_games: Vec<SavedGame>,
    requests: u64,
}

impl TestPlayer {
    pub(crate) fn new(mode: Mode, start: InitialAction) -> TestPlayer {
        TestPlayer::with_settings(mode, settings(), start)
    }

    pub(crate) fn with_settings(
        mode: Mode,
        settings: Settings,
        start: InitialAction,
    ) -> TestPlayer {
        TestPlayer::with_options(mode, settings, start, Vec::new())
    }

    /// Creates a player who has these resumable games.
    pub(crate) fn with_saved_games(
        mode: Mode,
        start: InitialAction,
        saved_games: Vec<SavedGame>,
    ) -> TestPlayer {
        TestPlayer::with_options(mode, settings(), start, saved_games)
    }

    fn with_options(
        mode: Mode,
        settings: Settings,
        start: InitialAction,
        saved_games: Vec<SavedGame>,
    ) -> TestPlayer {
        let model = Model::new(
            mode,
            Appearance {
                color: true,
                has_palette: false,
                unicode: true,
                theme: Theme::Auto,
                has_light_background: false,
            },
            settings,
            1,
        );
        let mut player = TestPlayer {
            model,
            output: Vec::new(),
            sent: Vec::new(),
            effects: Vec::new(),
            quit: None,
            finished: Vec::new(),
            saved_games,
            requests: 0,
        };
        let effects = initial_effects(&mut player.model, start);
        player.collect(effects);
        player
    }

    /// Creates a player who has connected and requested this goal.
    pub(crate) fn online(mode: Mode, goal: SessionGoal) -> TestPlayer {
        let mut player = TestPlayer::connecting(mode, ServerUrl::local(), goal);
        player.connect();
        player
    }

    /// Creates a player who connects to a server for this goal.
    pub(crate) fn connecting(mode: Mode, server: ServerUrl, goal: SessionGoal) -> TestPlayer {
        let form_result = FormResult::Server(server, "Ann".parse().unwrap(), goal);
        TestPlayer::new(mode, InitialAction::Apply(form_result))
    }

    /// Creates a player in a local game between these players. Each is a name or the level of a bot.
    pub(crate) fn local(mode: Mode, rules: &str, players: [&str; 2]) -> TestPlayer {
        let setup = LocalSetup {
            rules: rules.parse().unwrap(),
            players: players.map(|player| player.parse().unwrap()),
            seat_assignment: SeatAssignment::AsGiven,
        };
        TestPlayer::new(mode, InitialAction::Apply(FormResult::Local(setup)))
    }

    /// Creates a spectator in this host's room.
    pub(crate) fn watching(mode: Mode, host: &TestRoom) -> TestPlayer {
        let goal = SessionGoal::Watch("k7qf3mzx".parse().unwrap());
        let mut player = TestPlayer::online(mode, goal);
        player.receive_message(host.snapshot(None));
        player
    }

    /// Creates a player who plays X in this host's room.
    pub(crate) fn seated(mode: Mode, host: &TestRoom) -> TestPlayer {
        let mut player = TestPlayer::online(mode, seek_goal_for(*host.game.rules()));
        player.receive_message(host.snapshot(Some(Seat::X)));
        player
    }

    pub(crate) fn feed(&mut self, msg: Msg) {
        let effects = update(&mut self.model, msg);
        self.collect(effects);
    }

    fn collect(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Notify(notification) = &effect
                && self.model.mode == Mode::Json
            {
                self.output.extend(ui::json::event(None, notification));
            } else if let Effect::Notify(notification) = &effect {
                self.output.extend(ui::line_mode::notification_lines(
                    self.model.lang().texts(),
                    notification,
                ));
            } else if let Effect::ListSavedGames = effect {
                let games = self.saved_games.clone();
                self.feed(Msg::SavedGamesListed(SavedGameList {
                    games,
                    ..SavedGameList::default()
                }));
            } else if let Effect::SaveLastGame(_) | Effect::SavePuzzleProgress(_) = effect {
                // The model contains these choices.
            } else if let Effect::KeepGame(game) = effect {
                self.finished.push(*game);
            } else if let Effect::ForGame { index, effect } = effect {
                self.collect_game_effect(index, effect);
            } else if let Effect::Quit(exit) = effect {
                self.quit = Some(exit);
            } else if let Effect::Send { body, request: ask } = effect {
                self.sent.push(serde_json::to_string(&body).unwrap());
                self.requests += 1;
                if let Some(ask) = ask {
                    let id = RequestId::new(self.requests).unwrap();
                    self.feed(Msg::Sent { request: ask, id });
                }
            } else {
                self.effects.push(effect);
            }
        }
    }

    /// Records an effect of a watched game.
    fn collect_game_effect(&mut self, index: usize, effect: GameEffect) {
        match effect {
            GameEffect::Notify { room, notification } if self.model.mode == Mode::Json => {
                self.output
                    .extend(ui::json::event(Some(&room), &notification));
            }
            GameEffect::Notify { room, notification } => {
                let lines =
                    ui::line_mode::notification_lines(self.model.lang().texts(), &notification);
                self.output
                    .extend(lines.iter().map(|line| format!("{room}: {line}")));
            }
            GameEffect::Send { body, request: ask } => {
                self.sent.push(serde_json::to_string(&body).unwrap());
                self.requests += 1;
                if let Some(ask) = ask {
                    let id = RequestId::new(self.requests).unwrap();
                    self.feed(Msg::ForGame {
                        index,
                        msg: Box::new(Msg::Sent { request: ask, id }),
                    });
                }
            }
            errand @ (GameEffect::Connect { .. } | GameEffect::Disconnect) => {
                self.effects.push(Effect::ForGame {
                    index,
                    effect: errand,
                });
            }
        }
    }

    /// Feeds a connection event to a watched game.
    pub(crate) fn receive_for_game(&mut self, index: usize, event: ConnectionEvent) {
        self.feed(Msg::ForGame {
            index,
            msg: Box::new(Msg::Connection(Box::new(event))),
        });
    }

    pub(crate) fn receive(&mut self, event: ConnectionEvent) {
        self.feed(Msg::Connection(Box::new(event)));
    }

    pub(crate) fn receive_message(&mut self, message: Message) {
        self.receive(ConnectionEvent::Message(message));
    }

    /// Receives a message for the watched game with this index.
    pub(crate) fn receive_for_place(&mut self, place: usize, message: Message) {
        self.receive_for_game(place, multi_watch::message_event_for(place, message));
    }

    /// Receives moves by both players.
    pub(crate) fn receive_moves(&mut self, host: &mut TestRoom, cells: &[&str]) {
        for cell in cells {
            self.receive_message(host.play(cell));
        }
    }

    pub(crate) fn connect(&mut self) {
        self.receive(ConnectionEvent::Connected { welcome: welcome() });
    }

    pub(crate) fn disconnect(&mut self, attempt: u32, retry_seconds: u64) {
        self.receive(ConnectionEvent::Disconnected {
            attempt,
            retry_in: secs(retry_seconds),
            reason: DisconnectReason::Silent,
        });
    }

    pub(crate) fn terminate(&mut self, reason: TerminationReason) {
        self.receive(ConnectionEvent::Terminated(reason));
    }

    /// Receives the positive response to the last request.
    pub(crate) fn confirm_last(&mut self) {
        self.receive_message(Message::Done {
            re: self.last_id(),
            seq: None,
        });
    }

    pub(crate) fn view(&self) -> &GameView {
        self.model.game_view().expect("a game is shown")
    }

    pub(crate) fn ply(&self) -> usize {
        self.view().game.position().ply()
    }

    pub(crate) fn is_in_room(&self) -> bool {
        let view = self.model.game_view();
        view.is_some_and(|view| view.room().is_some())
    }

    pub(crate) fn is_in_local_game(&self) -> bool {
        let view = self.model.game_view();
        view.is_some_and(|view| view.room().is_none())
    }

    pub(crate) fn session(&self) -> &Session {
        self.model.session.as_ref().expect("a session is open")
    }

    pub(crate) fn form(&self) -> &Form {
        self.model.screen.as_form().expect("a form is open")
    }

    /// Returns the text in the form's field with this index.
    pub(crate) fn field_text(&self, index: usize) -> &str {
        self.form().fields[index].input.text()
    }

    pub(crate) fn last_sent(&self) -> &str {
        self.sent.last().expect("a request was sent")
    }

    pub(crate) fn last_output(&self) -> &str {
        self.output.last().expect("a line was printed")
    }

    /// Counts the effects that are not recorded elsewhere.
    pub(crate) fn count_effects(&self, is_counted: fn(&Effect) -> bool) -> usize {
        let effects = self.effects.iter();
        effects.filter(|effect| is_counted(effect)).count()
    }

    pub(crate) fn press(&mut self, keys: &[Key]) {
        for &key in keys {
            self.feed(Msg::Input(Input::Key(key)));
        }
    }

    pub(crate) fn type_letters(&mut self, letters: &str) {
        self.press(&letters.chars().map(Key::Char).collect::<Vec<_>>());
    }

    /// Types a command on the command line of the full screen.
    pub(crate) fn type_command(&mut self, command: &str) {
        self.type_letters(&format!(":{command}"));
        self.press(&[Key::Enter]);
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        self.feed(Msg::Input(Input::Line(line.to_owned())));
    }

    /// Types a line and checks the output since the last check.
    pub(crate) fn expect_output(&mut self, line: &str, expected: &[&str]) {
        self.type_line(line);
        assert_eq!(self.take_output(), expected, "{line}");
    }

    pub(crate) fn advance(&mut self, ms: u64) {
        self.model.now += ms;
        self.feed(Msg::Tick);
    }

    pub(crate) fn last_id(&self) -> RequestId {
        RequestId::new(self.requests).unwrap()
    }

    /// Rejects the last request.
    pub(crate) fn reject_last(&mut self, code: RejectCode) {
        self.reject(self.requests, code);
    }

    /// Rejects the request with this id, which the connection itself may have sent.
    pub(crate) fn reject(&mut self, id: u64, code: RejectCode) {
        self.receive_message(Message::Reject {
            re: RequestId::new(id),
            reject: Reject::new(code),
        });
    }

    /// Returns the output since the last call.
    pub(crate) fn take_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }
}

pub(crate) fn welcome() -> Welcome {
    let limits = r#"{"message_bytes":4096,"burst":20,"per_second":10,"ping_ms":15000,"grace_ms":60000,
        "left_grace_ms":10000,"resume_events":256,"send_queue":64}"#;
    Welcome {
        version: 1,
        server: "test".to_owned(),
        name: "Ann".parse().unwrap(),
        identity: None,
        own_rooms: vec![],
        limits: serde_json::from_str(limits).unwrap(),
        address: None,
    }
}

pub(crate) fn seated_event(seat: Seat, name: &str, kind: PlayerKind) -> Event {
    let name: Name = name.parse().unwrap();
    Event::Seated {
        seat,
        player: Player::guest(name, kind),
    }
}

pub(crate) fn notice_message(notice: Notice) -> Message {
    Message::Notice {
        room: room_id(),
        notice,
    }
}

/// Line mode driven by a script.
pub(crate) const SCRIPT: Mode = Mode::Line { interactive: false };
/// Line mode driven by a person.
pub(crate) const INTERACTIVE: Mode = Mode::Line { interactive: true };

/// Returns a message about the presence of the opponent, who plays O.
pub(crate) fn opponent_presence(presence: Presence, claim_in_ms: Option<u64>) -> Message {
    notice_message(Notice::Presence {
        seat: Seat::O,
        presence,
        claim_in_ms,
    })
}

pub(crate) fn seek_goal() -> SessionGoal {
    seek_goal_for("3x3:3".parse().unwrap())
}

pub(crate) fn seek_goal_for(rules: Rules) -> SessionGoal {
    SessionGoal::Seek {
        rules,
        clock: None,
        seat: None,
        opponents: Some(PlayerKind::Person),
    }
}

/// Returns the goal to wait in the player's own room.
pub(crate) fn create_goal(rules: Rules, public: bool) -> SessionGoal {
    SessionGoal::Create {
        rules,
        clock: None,
        seat: None,
        public,
        bot: None,
    }
}

/// Returns the JSON of a move that follows the event with this number.
fn move_json(cell: u16, seq: u64) -> String {
    command_json(RoomCommand::Move {
        cell: Cell::new(cell),
        seq: Seq::new(seq),
    })
}

/// Returns the JSON of a command.
fn command_json(command: RoomCommand) -> String {
    serde_json::to_string(&RequestBody::Command(command)).unwrap()
}

fn lobby_json(lobby: SessionRequest) -> String {
    serde_json::to_string(&RequestBody::Session(lobby)).unwrap()
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Returns all keys that have an action, except the keys that leave or suspend.
fn bound_keys(player: &TestPlayer) -> Vec<Key> {
    let bindings = KeyContext::ALL
        .into_iter()
        .flat_map(|context| player.model.keymap.bindings(context));
    bindings
        .flat_map(|binding| binding.keys.to_vec())
        .filter(|key| !matches!(key, Key::Char('q' | 'й' | 'в') | Key::Esc | Key::Ctrl(_)))
        .collect()
}

/// Types every command that only a player may give.
fn type_player_commands(player: &mut TestPlayer) {
    for command in [
        "a1",
        "5",
        "resign",
        "draw",
        "undo",
        "rematch",
        "accept",
        "decline",
        "claim win",
        "flag",
        "bot",
    ] {
        player.type_command(command);
    }
}

/// Returns a room for the room list.
fn listing(room: &str, phase: Phase) -> RoomListing {
    RoomListing {
        room: room.parse().unwrap(),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        players: [None, None],
        phase,
        moves: 0,
        spectators: 0,
        open_seat: None,
    }
}
