//! Something to tell the player, complete in itself: the views word it, each in its own way.

use std::time::Duration;

use noughts_protocol::wire::{Listing, OpenSeek, Presence, Reject};
use noughts_protocol::{
    Cell, Closing, Name, Offer, Outcome, Player, Position, RecordError, RoomRef, Rules, Score, Seat,
    TimeControl,
};

use super::{Ask, Exit, Field, FieldError, Purpose, Thinks};
use crate::connection::{Ended, Offline, SendError};
use crate::engine::Level;
use crate::input::{Context, DigitOrder, TypedError};
use crate::preferences::file::ReadError;
use crate::server_url::ServerUrl;
use crate::study::{Review, Values};
use crate::system::SystemError;
use crate::thinker::child::Fault;
use crate::unfinished::{TakeError, Unfinished};

/// Somebody at the board, as one speaks of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The seat.
    pub seat: Seat,
    /// The name.
    pub name: Name,
    /// Whether it is the player at this terminal, and no other sits here too.
    pub you: bool,
}

/// Who is to move now, as far as it is worth saying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The player at this terminal.
    You,
    /// One of several at this terminal.
    Here(Who),
    /// Somebody else, or nobody.
    Other,
}

/// A thing to tell.
#[derive(Clone, Debug)]
pub enum Note {
    /// The line is being opened.
    Connecting(ServerUrl),
    /// The server has welcomed us.
    Connected { server: ServerUrl, name: Name },
    /// The line is lost.
    Offline { why: Offline, retry_in: Duration },
    /// The line is back.
    Back,
    /// The line is gone for good.
    Ended { ended: Ended, server: ServerUrl },
    /// The room is gone while we were away.
    RoomGone,
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
        next: Next,
    },
    /// The public rooms.
    Rooms { rooms: Vec<Listing>, seeks: Vec<OpenSeek>, to_choose: bool },
    /// Somebody sat down.
    Seated(Who),
    /// A game begins.
    Started { number: u32, rules: Rules, players: [Who; 2], next: Next },
    /// So many games are watched at once: how to go on.
    Several(usize),
    /// How to go on, for one who types.
    Hint,
    /// A mark was placed.
    Moved { who: Who, cell: Cell, rules: Rules, next: Next },
    /// Something is proposed.
    Offered { who: Who, offer: Offer },
    /// It is off the table.
    Declined { who: Who, offer: Offer },
    /// Moves were taken back.
    TakenBack { plies: u8, next: Next },
    /// The game is over.
    Over { outcome: Outcome, rules: Rules, players: [Who; 2], score: Score },
    /// The program of somebody else that plays here did something wrong.
    EngineFailed(Fault),
    /// Something is being found out.
    Studying,
    /// The value of each free cell.
    Values(Values),
    /// What each move was worth.
    Review(Review),
    /// Whether to play again.
    PlayAgain,
    /// The room is no more.
    Closed(Closing),
    /// Somebody went or came back.
    Presence { who: Who, presence: Presence, claim_in: Option<Duration> },
    /// The absent one's time to return is over.
    Claimable(Who),
    /// So many watch.
    Watching(u32),
    /// What a player's program thinks.
    Thinks { who: Who, thinks: Thinks, rules: Rules },
    /// The server said no.
    Refused { ask: Option<Ask>, reject: Reject },
    /// The request did not even leave.
    Unsent(SendError),
    /// A move that the board does not allow, seen on this side.
    Illegal { reject: Reject, cell: String },
    /// It makes no sense now.
    NotNow(NotNow),
    /// It was not understood.
    Unreadable { text: String, error: TypedError },
    /// A field of a form is to be filled in.
    Asked { purpose: Purpose, field: Field },
    /// A field was filled in wrongly.
    Field(FieldError),
    /// Nothing more will be read, so we leave.
    InputEnded,
    /// How cells are numbered from now on.
    Keys(DigitOrder),
    /// The language has changed: this is said in the new one.
    Speaks,
    /// The game was written to a file.
    Saved(String),
    /// It was not.
    NotSaved { path: String, error: SystemError },
    /// Settings were written to this file.
    SettingsSaved(String),
    /// They were not.
    SettingsNotSaved(ReadError),
    /// A record could not be read.
    BadRecord { path: String, error: RecordError },
    /// A file could not be read.
    NotRead { path: String, error: SystemError },
    /// The whole record of a game, move by move.
    Record { players: [String; 2], position: Position, outcome: Option<Outcome> },
    /// The program ends, by this.
    Bye(Exit),
    /// An answer to a question of the player.
    Answer(Answer),
    /// The menu of the home screen, with what there is to continue.
    Menu { unfinished: Vec<Unfinished> },
    /// There is a game to continue.
    MayContinue(Box<Unfinished>),
    /// The server does not know it any more, or there is none.
    NothingToContinue,
    /// It is not to be had.
    NotContinued(TakeError),
    /// The game that is played cannot be kept: whoever kills this program ends it.
    NotKept(TakeError),
    /// So many files were no games, and are gone.
    Damaged(usize),
}

impl Note {
    /// Whether this is about the program and its line rather than about the game: then it goes to
    /// stderr in line mode, so that stdout has nothing but the game.
    pub fn is_message(&self) -> bool {
        matches!(
            self,
            Note::Connecting(_)
                | Note::Connected { .. }
                | Note::Offline { .. }
                | Note::Back
                | Note::Ended { .. }
                | Note::RoomGone
                | Note::Restarting { .. }
                | Note::Refused { ask: Some(Ask::Goal), .. }
                | Note::InputEnded
                | Note::MayContinue(_)
                | Note::NothingToContinue
                | Note::NotContinued(_)
                | Note::NotKept(_)
                | Note::Damaged(_)
                | Note::Bye(_)
        )
    }

    /// Whether the full screen shows this by nothing but the notice.
    pub fn is_notice(&self) -> bool {
        match self {
            Note::Connecting(_)
            | Note::Connected { .. }
            | Note::Seeking { .. }
            | Note::Invite { .. }
            | Note::Rooms { .. }
            | Note::Started { .. }
            | Note::Seated(_)
            | Note::Moved { .. }
            | Note::Over { .. }
            | Note::Several(_)
            | Note::Hint
            | Note::PlayAgain
            | Note::Offered { .. }
            | Note::Presence { .. }
            | Note::Claimable(_)
            | Note::Watching(_)
            | Note::Thinks { .. }
            | Note::Field(_)
            | Note::Asked { .. }
            | Note::Record { .. }
            | Note::Menu { .. }
            | Note::Joined { .. }
            | Note::Offline { .. }
            | Note::Back
            | Note::RoomGone
            | Note::Closed(_)
            | Note::Bye(_) => false,
            Note::Ended { .. }
            | Note::Restarting { .. }
            | Note::BotInvited(_)
            | Note::BotFailed
            | Note::Declined { .. }
            | Note::TakenBack { .. }
            | Note::Refused { .. }
            | Note::Unsent(_)
            | Note::Illegal { .. }
            | Note::NotNow(_)
            | Note::Unreadable { .. }
            | Note::InputEnded
            | Note::Keys(_)
            | Note::Speaks
            | Note::Saved(_)
            | Note::NotSaved { .. }
            | Note::SettingsSaved(_)
            | Note::SettingsNotSaved(_)
            | Note::BadRecord { .. }
            | Note::NotRead { .. }
            | Note::MayContinue(_)
            | Note::NothingToContinue
            | Note::NotContinued(_)
            | Note::NotKept(_)
            | Note::Damaged(_)
            | Note::EngineFailed(_)
            | Note::Studying
            | Note::Values(_)
            | Note::Review(_)
            | Note::Answer(_) => true,
        }
    }
}

/// An answer to a question of the player.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The board.
    Board { position: Position, keys: DigitOrder },
    /// A row or column: its name, and what lies on it.
    Scan { name: ScanName, cells: Vec<(Cell, Option<Seat>)>, rules: Rules },
    /// The marks of a seat.
    Marks { who: Who, cells: Vec<Cell>, rules: Rules },
    /// The last move; none before the first.
    Last(Option<(Who, Cell, Rules)>),
    /// The clocks; none without.
    Clocks(Option<[(Who, u64); 2]>),
    /// The opponent: who, what kind, whether there, and the lag in milliseconds.
    Opponent { who: Who, bot: bool, presence: Presence, lag: Option<u32> },
    /// What can be typed.
    Help(Context),
}

/// What was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanName {
    /// A row, from 0.
    Row(u8),
    /// A column, from 0.
    Column(u8),
}

/// Why something makes no sense now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotNow {
    /// The move before it is still on its way.
    Pending,
    /// Only players may.
    Watching,
    /// There is no board.
    NoBoard,
    /// Nothing is proposed.
    NoOffer,
    /// More than one thing is proposed.
    WhichOffer,
    /// No game is on.
    NoGame,
    /// A game is on.
    GameOn,
    /// A bot moves now.
    BotMoves,
    /// The bot does not want a draw.
    BotPlaysOn,
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
    YesOrNo,
    /// A number from the list is asked for.
    Number,
    /// No game that is watched is in this room.
    NoRoom,
    /// Whether to leave the game that is on.
    LeaveQuestion,
    /// There is no one opponent.
    NoOpponent,
    /// No field, menu or list waits for such an answer.
    NothingAsked,
    /// The move was meant for another position.
    Moved,
}
