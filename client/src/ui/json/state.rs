//! The complete state of the program, so that a reader does not have to remember earlier lines.

use noughts_protocol::wire::Presence;
use noughts_protocol::{
    Cell, Identity, Name, Offer, Phase, PlayerKind, Rules, Seat, Status, TimeControl,
};
use serde::Serialize;

use crate::facts::Ending;
use crate::facts::json_members::{board_rows, cell_texts};
use crate::model::{GameView, Model, Screen, Stage};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename = "state")]
pub(super) struct ProgramState {
    screen: &'static str,
    connection: JsonConnection,
    game: Option<JsonGame>,
}

/// State of the program, or of one of several watched games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JsonState {
    #[serde(flatten)]
    state: ProgramState,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
}

impl JsonState {
    /// Collects the current states. The program's own state comes first.
    pub(crate) fn collect_all(model: &Model) -> Vec<JsonState> {
        let mut all = vec![JsonState {
            state: ProgramState::from_model(model),
            room: None,
        }];
        if let Some(multi_watch) = model.screen.as_multi_watch() {
            all.extend(
                multi_watch
                    .games
                    .iter()
                    .enumerate()
                    .map(|(index, game)| JsonState {
                        state: ProgramState::from_model(&game.model),
                        room: Some(game.label(index)),
                    }),
            );
        }
        all
    }

    /// Returns the displayed game of the program itself.
    #[cfg(feature = "mcp")]
    pub(crate) fn game(&self) -> Option<&JsonGame> {
        self.state.game.as_ref()
    }

    /// Returns whether only clocks, countdowns and round-trip times differ. They are printed with the next change of
    /// another kind.
    pub(crate) fn is_unchanged_from(&self, other: &JsonState) -> bool {
        self.room == other.room && self.state.without_clocks() == other.state.without_clocks()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum JsonConnection {
    /// The program needs no connection.
    None,
    Connecting,
    Online,
    Offline {
        attempt: u32,
        retry_in_ms: u64,
    },
    Ended,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JsonGame {
    room: Option<String>,
    code: Option<String>,
    pub(crate) rules: Rules,
    pub(crate) clock: Option<TimeControl>,
    number: u32,
    pub(crate) phase: Phase,
    /// Seat of this program; null for a spectator, and if both seats are local.
    pub(crate) seat: Option<Seat>,
    pub(crate) players: [Option<JsonSeat>; 2],
    ply: usize,
    moves: Vec<String>,
    board: Vec<String>,
    pub(crate) turn: Option<Seat>,
    pub(crate) your_move: bool,
    pub(crate) free: Vec<String>,
    pub(crate) pending: Option<String>,
    pub(crate) left_ms: Option<[u64; 2]>,
    pub(crate) offers: Vec<JsonOffer>,
    pub(crate) can_claim: bool,
    result: Option<Ending>,
    score: JsonScore,
    spectators: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JsonSeat {
    pub(crate) name: Name,
    pub(crate) bot: bool,
    presence: Presence,
    claim_in_ms: Option<u64>,
    lag_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Identity>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JsonOffer {
    pub(crate) seat: Seat,
    pub(crate) offer: Offer,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct JsonScore {
    wins: [u32; 2],
    draws: u32,
}

impl ProgramState {
    fn from_model(model: &Model) -> ProgramState {
        let screen = match &model.screen {
            Screen::Home { .. } => "home",
            Screen::Form(_) => "form",
            Screen::Waiting => "waiting",
            Screen::Lobby(_) => "lobby",
            Screen::OwnGames(games) if games.profile.is_some() => "profile",
            Screen::OwnGames(_) => "own_games",
            Screen::Game(_) => "game",
            Screen::Analysis(_) => "analysis",
            Screen::MultiWatch(_) => "multi_watch",
        };
        let connection = match model.session.as_ref().map(|session| &session.stage) {
            None => JsonConnection::None,
            Some(Stage::Connecting) => JsonConnection::Connecting,
            Some(Stage::GoalRequested | Stage::Seeking | Stage::Ready) => JsonConnection::Online,
            Some(Stage::Reconnecting { attempt, retry_at }) => JsonConnection::Offline {
                attempt: *attempt,
                retry_in_ms: retry_at.saturating_sub(model.now),
            },
            Some(Stage::Terminated(_)) => JsonConnection::Ended,
        };
        ProgramState {
            screen,
            connection,
            game: model
                .game_view()
                .map(|view| JsonGame::from_view(view, model.now)),
        }
    }

    /// Returns a copy without values that change with time.
    fn without_clocks(&self) -> ProgramState {
        let mut copy = self.clone();
        if let JsonConnection::Offline { retry_in_ms, .. } = &mut copy.connection {
            *retry_in_ms = 0;
        }
        if let Some(game) = &mut copy.game {
            game.left_ms = None;
            for player in game.players.iter_mut().flatten() {
                player.claim_in_ms = None;
                player.lag_ms = None;
            }
        }
        copy
    }
}

impl JsonGame {
    fn from_view(game_view: &GameView, now: u64) -> JsonGame {
        let (game, room, rules) = (&game_view.game, game_view.room(), *game_view.game.rules());
        let position = game.position();
        // The last move arrives before the event that ends the game.
        let playing = game.phase() == Phase::Playing && position.status() == Status::Ongoing;
        let free_cells: Vec<Cell> = if playing {
            position.legal_moves().collect()
        } else {
            Vec::new()
        };
        let open_offer = |offer| game.offered_by(offer).map(|seat| JsonOffer { seat, offer });
        JsonGame {
            room: room.map(|room| room.id.to_string()),
            code: room.and_then(|room| room.code).map(|code| code.to_string()),
            rules,
            clock: game.control(),
            number: game.number(),
            phase: game.phase(),
            seat: game_view.own_seat(),
            players: Seat::ALL.map(|seat| JsonSeat::from_view(game_view, seat, now)),
            ply: position.ply(),
            moves: cell_texts(position.moves(), &rules),
            board: board_rows(position),
            turn: playing.then(|| position.turn()),
            your_move: playing && game_view.can_move() && game_view.pending_move.is_none(),
            free: cell_texts(&free_cells, &rules),
            pending: game_view
                .pending_move
                .map(|pending| rules.cell_text(pending.cell)),
            left_ms: game_view.time_left(now),
            offers: Offer::ALL.into_iter().filter_map(open_offer).collect(),
            can_claim: game_view.can_claim(now),
            result: game
                .outcome()
                .cloned()
                .map(|outcome| Ending { outcome, rules }),
            score: JsonScore {
                wins: game.score().wins,
                draws: game.score().draws,
            },
            spectators: room.map_or(0, |room| room.spectators),
        }
    }
}

impl JsonSeat {
    fn from_view(game_view: &GameView, seat: Seat, now: u64) -> Option<JsonSeat> {
        let player = game_view.game.player(seat)?;
        let room = game_view.room();
        let presence = room.map(|room| room.presence[seat.index()]);
        Some(JsonSeat {
            name: player.name.clone(),
            bot: player.kind == PlayerKind::Bot,
            presence: presence.map_or(Presence::Connected, |attendance| attendance.presence),
            claim_in_ms: presence
                .and_then(|presence| presence.claim_at)
                .map(|at| at.saturating_sub(now)),
            lag_ms: room.and_then(|room| room.lag[seat.index()]),
            identity: player.identity,
        })
    }
}
