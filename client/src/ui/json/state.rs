//! How things stand, whole: a program may forget all that it has read before.

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Kind, Name, Offer, Phase, Rules, Seat, Status, TimeControl};
use serde::Serialize;

use super::told::{Ending, board, texts};
use crate::model::{Model, Screen, Stage, Table};

/// The state of the program, as far as it concerns whoever drives it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename = "state")]
pub(super) struct State {
    screen: &'static str,
    connection: Connection,
    game: Option<Standing>,
}

/// A state: of the program, or of one of several games with its room.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stated {
    #[serde(flatten)]
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
}

impl Stated {
    /// How everything stands now: the program first.
    pub fn all(model: &Model) -> Vec<Stated> {
        let mut all = vec![Stated { state: State::of(model), room: None }];
        match &model.screen {
            Screen::Grid(grid) => all.extend(grid.games.iter().enumerate().map(|(place, game)| Stated {
                state: State::of(&game.model),
                room: Some(game.label(place)),
            })),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Table(_)
            | Screen::Replay(_) => {}
        }
        all
    }

    /// Whether nothing is different but what time alone has changed: clocks, countdowns and lags are told
    /// with the next change.
    pub fn stands_as(&self, other: &Stated) -> bool {
        self.room == other.room && self.state.still() == other.state.still()
    }
}

/// The line to the server.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Connection {
    /// None is needed here.
    None,
    Connecting,
    Online,
    Offline {
        attempt: u32,
        retry_in_ms: u64,
    },
    Ended,
}

/// A game and the room around it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Standing {
    /// The id of the room on a server.
    room: Option<String>,
    /// The code of a private room.
    code: Option<String>,
    rules: Rules,
    clock: Option<TimeControl>,
    number: u32,
    phase: Phase,
    /// The one seat of this program; none for a spectator, and when several sit here.
    seat: Option<Seat>,
    players: [Option<Sitting>; 2],
    ply: usize,
    moves: Vec<String>,
    board: Vec<String>,
    turn: Option<Seat>,
    your_move: bool,
    /// The cells that may be marked now.
    free: Vec<String>,
    pending: Option<String>,
    left_ms: Option<[u64; 2]>,
    offers: Vec<Proposal>,
    may_claim: bool,
    result: Option<Ending>,
    score: Tally,
    watching: u32,
}

/// Whoever holds a seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Sitting {
    name: Name,
    bot: bool,
    presence: Presence,
    claim_in_ms: Option<u64>,
    lag_ms: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Proposal {
    seat: Seat,
    offer: Offer,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Tally {
    wins: [u32; 2],
    drawn: u32,
}

impl State {
    /// How things stand now.
    fn of(model: &Model) -> State {
        let screen = match &model.screen {
            Screen::Home { .. } => "home",
            Screen::Form(_) => "form",
            Screen::Waiting => "waiting",
            Screen::Lobby(_) => "lobby",
            Screen::Table(_) => "table",
            Screen::Replay(_) => "replay",
            Screen::Grid(_) => "grid",
        };
        let connection = match model.session.as_ref().map(|session| &session.stage) {
            None => Connection::None,
            Some(Stage::Connecting) => Connection::Connecting,
            Some(Stage::Asked | Stage::Seeking | Stage::There) => Connection::Online,
            Some(Stage::Offline { attempt, at }) => {
                Connection::Offline { attempt: *attempt, retry_in_ms: at.saturating_sub(model.now) }
            }
            Some(Stage::Ended(_)) => Connection::Ended,
        };
        State { screen, connection, game: model.table().map(|table| Standing::of(table, model.now)) }
    }

    /// The same with all that time changes left out.
    fn still(&self) -> State {
        let mut still = self.clone();
        if let Connection::Offline { retry_in_ms, .. } = &mut still.connection {
            *retry_in_ms = 0;
        }
        if let Some(game) = &mut still.game {
            game.left_ms = None;
            for player in game.players.iter_mut().flatten() {
                player.claim_in_ms = None;
                player.lag_ms = None;
            }
        }
        still
    }
}

impl Standing {
    fn of(table: &Table, now: u64) -> Standing {
        let (game, room, rules) = (&table.game, table.room(), *table.game.rules());
        let position = game.position();
        // The move that ends the game comes before the event that says so.
        let playing = game.phase() == Phase::Playing && position.status() == Status::Ongoing;
        let free: Vec<Cell> = if playing { position.legal_moves().collect() } else { Vec::new() };
        let offered = |offer| game.offered(offer).map(|seat| Proposal { seat, offer });
        Standing {
            room: room.map(|room| room.id.to_string()),
            code: room.and_then(|room| room.code).map(|code| code.to_string()),
            rules,
            clock: game.control(),
            number: game.number(),
            phase: game.phase(),
            seat: table.own_seat(),
            players: Seat::ALL.map(|seat| Sitting::of(table, seat, now)),
            ply: position.ply(),
            moves: texts(position.moves(), &rules),
            board: board(position),
            turn: playing.then(|| position.turn()),
            your_move: playing && table.may_move() && table.pending.is_none(),
            free: texts(&free, &rules),
            pending: table.pending.map(|pending| rules.cell_text(pending.cell)),
            left_ms: table.left(now),
            offers: Offer::ALL.into_iter().filter_map(offered).collect(),
            may_claim: table.may_claim(now),
            result: game.outcome().map(|outcome| Ending::of(outcome, &rules)),
            score: Tally { wins: game.score().wins, drawn: game.score().draws },
            watching: room.map_or(0, |room| room.watching),
        }
    }
}

impl Sitting {
    fn of(table: &Table, seat: Seat, now: u64) -> Option<Sitting> {
        let player = table.game.player(seat)?;
        let room = table.room();
        let attendance = room.map(|room| room.attendance[seat.index()]);
        Some(Sitting {
            name: player.name.clone(),
            bot: player.kind == Kind::Bot,
            presence: attendance.map_or(Presence::Here, |attendance| attendance.presence),
            claim_in_ms: attendance.and_then(|there| there.claim_at).map(|at| at.saturating_sub(now)),
            lag_ms: room.and_then(|room| room.lag[seat.index()]),
        })
    }
}
