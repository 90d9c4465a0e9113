//! Labels of the screens.

use noughts_protocol::{Name, Offer, Phase, RoomRef};

use super::Words;
use crate::model::{Entry, FieldId, Purpose, Question};
use crate::server_url::{Invite, ServerUrl};
use crate::unfinished::Unfinished;

impl Words {
    /// What this program is called.
    pub fn program(self) -> &'static str {
        "noughts"
    }

    /// What this program is.
    pub fn tagline(self) -> &'static str {
        "Any k-in-a-row game, with anyone."
    }

    /// An entry of the home screen, and what it is.
    pub fn entry(self, entry: Entry, unfinished: &[Unfinished]) -> (&'static str, String) {
        let (name, what) = match entry {
            Entry::Continue(place) => {
                return (
                    "Continue",
                    unfinished.get(place).map_or_else(String::new, |game| self.to_continue(game)),
                );
            }
            Entry::Quick => ("Quick play", "anyone, the same game"),
            Entry::Private => ("Private game", "a friend with a code"),
            Entry::Join => ("Join", "by a friend's code"),
            Entry::Watch => ("Watch", "public rooms"),
            Entry::Local => ("Play here", "two here, no network"),
            Entry::Bot => ("Play the bot", "here, no network"),
            Entry::Quit => ("Quit", ""),
        };
        (name, what.to_owned())
    }

    /// The title of a form.
    pub fn purpose(self, purpose: Purpose) -> &'static str {
        match purpose {
            Purpose::Quick => "Quick play",
            Purpose::Private => "Private game",
            Purpose::Join => "Join a game",
            Purpose::Local => "Play here",
            Purpose::Bot => "Play the bot",
        }
    }

    /// A field of a form.
    pub fn field(self, id: FieldId) -> &'static str {
        match id {
            FieldId::Server => "Server",
            FieldId::Name => "Your name",
            FieldId::Rules => "Game",
            FieldId::Clock => "Clock",
            FieldId::Seat => "Your mark",
            FieldId::Invite => "Code",
            FieldId::First => "First player",
            FieldId::Second => "Second player",
            FieldId::Lot => "X goes to",
            FieldId::Keys => "Digits",
        }
    }

    /// What may stand in a field.
    pub fn field_help(self, id: FieldId) -> &'static str {
        match id {
            FieldId::Server => "a host, host:port or ws:// address",
            FieldId::Name => "1 to 24 columns",
            FieldId::Rules => "a name, or sizes and line as in 15x15:5 or 7x6:4+gravity",
            FieldId::Clock => "minutes+seconds a move, as in 5+3, or none",
            FieldId::Seat => "X begins",
            FieldId::Invite => "the code or address that a friend gave you",
            FieldId::First | FieldId::Second => "a name, or bot:easy, bot:medium, bot:hard, bot:perfect",
            FieldId::Lot => "the one who begins: first or second player, or drawn by lot",
            FieldId::Keys => "reading: 1 2 3 on top; numpad: 7 8 9 on top",
        }
    }

    /// What to type to take the seat in a room: the exact line.
    pub fn join_line(self, server: &ServerUrl, room: RoomRef) -> String {
        let server = (*server != ServerUrl::default()).then(|| server.clone());
        let invite = Invite { server, room }.to_string();
        format!("noughts join {invite}")
    }

    /// Where a room is in its life.
    pub fn phase(self, phase: Phase) -> &'static str {
        match phase {
            Phase::Waiting => "waiting",
            Phase::Playing => "playing",
            Phase::Over => "over",
            Phase::Closed => "closed",
        }
    }

    /// A question, without how to answer it.
    pub fn question(self, question: Question) -> &'static str {
        match question {
            Question::Leave => "A game is on. Leave it?",
            Question::Resign => "Give the game up?",
        }
    }

    /// The screen is too small.
    pub fn too_small(self, columns: u16, rows: u16) -> [String; 2] {
        ["Too small.".to_owned(), format!("{columns}x{rows}, 30x10 needed.")]
    }

    /// The full screen was asked for where there is none.
    pub fn no_terminal(self) -> &'static str {
        "The full screen needs a terminal at both ends; --ui line works everywhere."
    }

    /// While the first connection comes about.
    pub fn connecting(self, server: &ServerUrl) -> String {
        format!("Connecting to {server} ...")
    }

    /// While one waits to be paired.
    pub fn waiting(self) -> &'static str {
        "Waiting for an opponent."
    }

    /// Under the code of a room.
    pub fn invite_labels(self) -> [&'static str; 2] {
        ["Code", "A friend joins with"]
    }

    /// The list of rooms, when there are none.
    pub fn no_rooms(self) -> &'static str {
        "No public rooms."
    }

    /// The heading over those who wait.
    pub fn seeks_heading(self) -> &'static str {
        "Waiting to be paired:"
    }

    /// How to join from a list in line mode.
    pub fn lobby_help(self) -> &'static str {
        "A number joins, w and a number watches, r fetches the list again, q leaves."
    }

    /// How to choose in line mode.
    pub fn menu_help(self) -> &'static str {
        "Type a number."
    }

    /// Whose turn it is.
    pub fn your_move(self) -> &'static str {
        "Your move."
    }

    /// That the other is to move.
    pub fn to_move(self, name: &str) -> String {
        format!("{name} is to move.")
    }

    /// That a bot here thinks.
    pub fn thinks(self, name: &str) -> String {
        format!("{name} thinks.")
    }

    /// That a move is on its way.
    pub fn on_its_way(self, cell: &str) -> String {
        format!("{cell} is on its way.")
    }

    /// The state of the line, with a sign.
    pub fn line_online(self) -> &'static str {
        "+ online"
    }

    /// The same with the own lag.
    pub fn line_lag(self, ms: u32) -> String {
        format!("+ lag {ms} ms")
    }

    /// The line is down.
    pub fn line_offline(self, attempt: u32, in_ms: u64) -> String {
        if in_ms == 0 {
            format!("! offline, attempt {attempt} ...")
        } else {
            format!("! offline, attempt {attempt} in {}", self.seconds(in_ms))
        }
    }

    /// The line is gone.
    pub fn line_ended(self) -> &'static str {
        "! connection ended"
    }

    /// No line is needed.
    pub fn line_local(self) -> &'static str {
        "this terminal"
    }

    /// Labels of the panel.
    pub fn panel(self, label: Label) -> &'static str {
        match label {
            Label::You => "you",
            Label::Free => "(free)",
            Label::Score => "Score",
            Label::Last => "Last",
            Label::Lag => "Lag",
            Label::Layer => "Layer",
            Label::Cursor => "Cursor",
            Label::Move => "Move",
            Label::Game => "Game",
            Label::Room => "Room",
            Label::Watchers => "Watch",
            Label::Claim => "w claims the win.",
            Label::Rematch => "r plays again.",
            Label::RematchAsked => "You propose a rematch.",
            Label::Answer => "a accept  x decline",
            Label::Proposed => "You propose",
            Label::More => "more",
        }
    }

    /// That somebody proposes something.
    pub fn proposes(self, name: &str, offer: Offer) -> String {
        format!("{name} proposes {}.", self.offer(offer))
    }

    /// That a list goes on below.
    pub fn more_below(self) -> &'static str {
        "More below."
    }

    /// That a bot can be called, in line mode.
    pub fn bot_hint(self) -> &'static str {
        "Type bot to play a bot here, or q to leave."
    }

    /// That a bot has begun its work.
    pub fn bot_begins(self, name: &Name, server: &ServerUrl) -> String {
        format!("{name} plays on {server} until Ctrl-C.")
    }

    /// A record without a result.
    pub fn unfinished(self) -> &'static str {
        "Not finished."
    }

    /// How long somebody has left to return.
    pub fn left_to_return(self, ms: u64) -> String {
        format!("{} left to return", self.seconds(ms))
    }
}

/// The labels of the panel beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    You,
    Free,
    Score,
    Last,
    Lag,
    Layer,
    Cursor,
    Move,
    Game,
    Room,
    Watchers,
    Claim,
    Rematch,
    RematchAsked,
    Answer,
    Proposed,
    More,
}
