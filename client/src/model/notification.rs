//! Something to tell the player, complete in itself: the views word it, each in its own way.

use std::time::Duration;

use noughts_protocol::wire::{OpenSeek, Presence, Reject, RoomListing};
use noughts_protocol::{
    Cell, MatchScore, Name, Offer, Outcome, Player, Position, RecordError, RoomCloseReason, RoomRef, Rules,
    Seat, TimeControl,
};

use super::{EngineEvaluation, Exit, FormField, FormFieldError, FormKind, PendingRequest};
use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::engine::Level;
use crate::engines::analysis::{GameReview, MoveValues};
use crate::engines::player_engine::child_process::EngineError;
use crate::input::{DigitOrder, KeyContext, TextCommandError};
use crate::io::io_error::LocalizableIoError;
use crate::saved_games::{SavedGame, SavedGameError};
use crate::server_url::ServerUrl;
use crate::settings::file::SettingsFileError;

/// Somebody at the board, as one speaks of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerRef {
    /// The seat.
    pub seat: Seat,
    /// The name.
    pub name: Name,
    /// Whether it is the player at this terminal, and no other sits here too.
    pub you: bool,
}

/// Who is to move now, as far as it is worth saying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextMove {
    /// The player at this terminal.
    You,
    /// One of several at this terminal.
    Local(PlayerRef),
    /// Somebody else, or nobody.
    Other,
}

/// A thing to tell.
#[derive(Clone, Debug)]
pub enum Notification {
    /// The line is being opened.
    Connecting(ServerUrl),
    /// The server has welcomed us.
    Connected { server: ServerUrl, name: Name },
    /// The line is lost.
    Disconnected { reason: DisconnectReason, retry_in: Duration },
    /// The line is back.
    Reconnected,
    /// The line is gone for good.
    Terminated { reason: TerminationReason, server: ServerUrl },
    /// The room is gone while we were away.
    RoomUnavailable,
    /// The server is about to restart.
    Restarting { back_in: Duration },
    /// We wait to be paired.
    Seeking { rules: Rules, clock: Option<TimeControl> },
    /// We wait in our own room: what to tell a friend.
    Invite { server: ServerUrl, room: RoomRef, rules: Rules, clock: Option<TimeControl> },
    /// A bot is on its way.
    BotInvited(Level),
    /// It cannot come.
    BotFailed,
    /// We are in a room where a game is on already.
    Joined {
        rules: Rules,
        clock: Option<TimeControl>,
        players: [Option<Player>; 2],
        you: Option<Seat>,
        next: NextMove,
    },
    /// The public rooms.
    Rooms { rooms: Vec<RoomListing>, seeks: Vec<OpenSeek>, is_selectable: bool },
    /// Somebody sat down.
    Seated(PlayerRef),
    /// A game begins.
    Started { number: u32, rules: Rules, players: [PlayerRef; 2], next: NextMove },
    /// So many games are watched at once: how to go on.
    WatchingSeveral(usize),
    /// How to go on, for one who types.
    Hint,
    /// A mark was placed.
    Moved { who: PlayerRef, cell: Cell, rules: Rules, next: NextMove },
    /// Something is proposed.
    Offered { who: PlayerRef, offer: Offer },
    /// It is off the table.
    Declined { who: PlayerRef, offer: Offer },
    /// Moves were taken back.
    TakenBack { plies: u8, next: NextMove },
    /// The game is over.
    GameOver { outcome: Outcome, rules: Rules, players: [PlayerRef; 2], score: MatchScore },
    /// The program of somebody else that plays here did something wrong.
    EngineFailed(EngineError),
    /// Something is being found out.
    AnalysisStarted,
    /// The value of each free cell.
    Values(MoveValues),
    /// What each move was worth.
    Review(GameReview),
    /// Whether to play again.
    PlayAgain,
    /// The room is no more.
    Closed(RoomCloseReason),
    /// Somebody went or came back.
    Presence { who: PlayerRef, presence: Presence, claim_in: Option<Duration> },
    /// The absent one's time to return is over.
    Claimable(PlayerRef),
    /// So many watch.
    SpectatorCount(u32),
    /// What a player's program thinks.
    Evaluation { who: PlayerRef, evaluation: EngineEvaluation, rules: Rules },
    /// The server said no.
    Rejected { request: Option<PendingRequest>, reject: Reject },
    /// The request did not even leave.
    SendFailed(SendError),
    /// A move that the board does not allow, seen on this side.
    Illegal { reject: Reject, cell: String },
    /// It makes no sense now.
    Unavailable(Unavailable),
    /// It was not understood.
    InvalidCommand { text: String, error: TextCommandError },
    /// A field of a form is to be filled in.
    FieldPrompt { kind: FormKind, field: FormField },
    /// A field was filled in wrongly.
    FieldInvalid(FormFieldError),
    /// Nothing more will be read, so we leave.
    InputEnded,
    /// How cells are numbered from now on.
    DigitOrderChanged(DigitOrder),
    /// The language has changed: this is said in the new one.
    LanguageChanged,
    /// The game was written to a file.
    FileSaved(String),
    /// It was not.
    FileSaveFailed { path: String, error: LocalizableIoError },
    /// Settings were written to this file.
    SettingsSaved(String),
    /// They were not.
    SettingsSaveFailed(SettingsFileError),
    /// A record could not be read.
    RecordInvalid { path: String, error: RecordError },
    /// A file could not be read.
    FileReadFailed { path: String, error: LocalizableIoError },
    /// The whole record of a game, move by move.
    Record { players: [String; 2], position: Position, outcome: Option<Outcome> },
    /// The program ends, by this.
    Exiting(Exit),
    /// An answer to a question of the player.
    QueryAnswer(QueryAnswer),
    /// The menu of the home screen, with what there is to continue.
    Menu { saved_games: Vec<SavedGame> },
    /// There is a game to continue.
    SavedGameAvailable(Box<SavedGame>),
    /// The server does not know it any more, or there is none.
    NoSavedGame,
    /// It is not to be had.
    ResumeFailed(SavedGameError),
    /// The game that is played cannot be kept: whoever kills this program ends it.
    SaveGameFailed(SavedGameError),
    /// So many files were no games, and are gone.
    CorruptFilesDeleted(usize),
}

impl Notification {
    /// Whether this is about the program and its line rather than about the game: then it goes to
    /// stderr in line mode, so that stdout has nothing but the game.
    pub fn is_diagnostic(&self) -> bool {
        matches!(
            self,
            Notification::Connecting(_)
                | Notification::Connected { .. }
                | Notification::Disconnected { .. }
                | Notification::Reconnected
                | Notification::Terminated { .. }
                | Notification::RoomUnavailable
                | Notification::Restarting { .. }
                | Notification::Rejected { request: Some(PendingRequest::Goal), .. }
                | Notification::InputEnded
                | Notification::SavedGameAvailable(_)
                | Notification::NoSavedGame
                | Notification::ResumeFailed(_)
                | Notification::SaveGameFailed(_)
                | Notification::CorruptFilesDeleted(_)
                | Notification::Exiting(_)
        )
    }

    /// Whether the full screen shows this by nothing but the notice.
    pub fn is_status_only(&self) -> bool {
        match self {
            Notification::Connecting(_)
            | Notification::Connected { .. }
            | Notification::Seeking { .. }
            | Notification::Invite { .. }
            | Notification::Rooms { .. }
            | Notification::Started { .. }
            | Notification::Seated(_)
            | Notification::Moved { .. }
            | Notification::GameOver { .. }
            | Notification::WatchingSeveral(_)
            | Notification::Hint
            | Notification::PlayAgain
            | Notification::Offered { .. }
            | Notification::Presence { .. }
            | Notification::Claimable(_)
            | Notification::SpectatorCount(_)
            | Notification::Evaluation { .. }
            | Notification::FieldInvalid(_)
            | Notification::FieldPrompt { .. }
            | Notification::Record { .. }
            | Notification::Menu { .. }
            | Notification::Joined { .. }
            | Notification::Disconnected { .. }
            | Notification::Reconnected
            | Notification::RoomUnavailable
            | Notification::Closed(_)
            | Notification::Exiting(_) => false,
            Notification::Terminated { .. }
            | Notification::Restarting { .. }
            | Notification::BotInvited(_)
            | Notification::BotFailed
            | Notification::Declined { .. }
            | Notification::TakenBack { .. }
            | Notification::Rejected { .. }
            | Notification::SendFailed(_)
            | Notification::Illegal { .. }
            | Notification::Unavailable(_)
            | Notification::InvalidCommand { .. }
            | Notification::InputEnded
            | Notification::DigitOrderChanged(_)
            | Notification::LanguageChanged
            | Notification::FileSaved(_)
            | Notification::FileSaveFailed { .. }
            | Notification::SettingsSaved(_)
            | Notification::SettingsSaveFailed(_)
            | Notification::RecordInvalid { .. }
            | Notification::FileReadFailed { .. }
            | Notification::SavedGameAvailable(_)
            | Notification::NoSavedGame
            | Notification::ResumeFailed(_)
            | Notification::SaveGameFailed(_)
            | Notification::CorruptFilesDeleted(_)
            | Notification::EngineFailed(_)
            | Notification::AnalysisStarted
            | Notification::Values(_)
            | Notification::Review(_)
            | Notification::QueryAnswer(_) => true,
        }
    }
}

/// An answer to a question of the player.
#[derive(Clone, Debug)]
pub enum QueryAnswer {
    /// The board.
    Board { position: Position, digit_order: DigitOrder },
    /// A row or column: its name, and what lies on it.
    Scan { name: ScanLabel, cells: Vec<(Cell, Option<Seat>)>, rules: Rules },
    /// The marks of a seat.
    Marks { who: PlayerRef, cells: Vec<Cell>, rules: Rules },
    /// The last move; none before the first.
    Last(Option<(PlayerRef, Cell, Rules)>),
    /// The clocks; none without.
    Clocks(Option<[(PlayerRef, u64); 2]>),
    /// The opponent: who, what kind, whether there, and the lag in milliseconds.
    Opponent { who: PlayerRef, bot: bool, presence: Presence, lag: Option<u32> },
    /// What can be typed.
    Help(KeyContext),
}

/// What was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanLabel {
    /// A row, from 0.
    Row(u8),
    /// A column, from 0.
    Column(u8),
}

/// Why something makes no sense now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// The move before it is still on its way.
    MovePending,
    /// Only players may.
    Watching,
    /// There is no board.
    NoBoard,
    /// Nothing is proposed.
    NoPendingOffer,
    /// More than one thing is proposed.
    AmbiguousOffer,
    /// No game is on.
    NoGame,
    /// A game is on.
    GameInProgress,
    /// A bot moves now.
    BotToMove,
    /// The bot does not want a draw.
    BotDeclinesDraw,
    /// Only while one waits in one's own room.
    NotWaiting,
    /// The line is down.
    Offline,
    /// There is nothing to take back.
    NothingToTakeBack,
    /// Only in a game on this terminal.
    LocalOnly,
    /// Nobody is to be claimed from.
    NotClaimable,
    /// A yes or a no is asked for.
    ConfirmationRequired,
    /// A number from the list is asked for.
    NumberRequired,
    /// No game that is watched is in this room.
    UnknownRoom,
    /// Whether to leave the game that is on.
    LeaveConfirmation,
    /// There is no one opponent.
    NoOpponent,
    /// No field, menu or list waits for such an answer.
    NothingPrompted,
    /// The move was meant for another position.
    PositionChanged,
}
