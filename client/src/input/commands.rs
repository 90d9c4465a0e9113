//! The table of commands. A row has the effect of a key, its contexts, its name in the settings, and the words of line
//! mode and JSON mode.
//!
//! The footer, the help, typed words, JSON words and the names in the settings file follow from the rows. A new command
//! needs a row here, its effect (`update::player_input`), and its text in each language (`keys.ftl`).

use std::borrow::Cow;

use noughts_protocol::wire::{Claim, Phrase};
use noughts_protocol::{Cell, Offer, Rules};
use serde::Serialize;

use super::Key;
use super::command_arguments::{self as arguments, ScanTarget};
use crate::engine::Level;
use crate::i18n::lang::Lang;

use Action as A;
use Key::Char as K;
use KeyContext as C;

/// Meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Moves the cursor right and down by these amounts. Among several games, moves the focus.
    MoveCursor(i8, i8),
    /// Moves the cursor along the third dimension.
    MoveLayer(i8),
    /// Moves the cursor along the fourth dimension, or along the third if there are only three.
    MoveDepth(i8),
    /// Plays the cell under the cursor.
    PlayCursor,
    /// Plays the cell with this digit.
    PlayDigit(u8),
    /// Shows or hides the lines through the cursor.
    ToggleGuideLines,
    /// Opens the menu of the game in progress. At an earlier position, returns to the game.
    Menu,
    OpenPrompt,
    Help,
    /// Leaves the screen.
    Leave,
    /// Closes the help or the form. Elsewhere, leaves the screen.
    Close,
    /// Opens the analysis of the finished game. In an analysis, shows the next mistake.
    Review,
    /// Offers a draw. Claims a draw if the opponent is gone.
    OfferDraw,
    /// Asks to take back the last move.
    Takeback,
    Resign,
    /// Writes the record of the game to a file.
    Save,
    /// Among several games, switches between keeping finished games and replacing them with running games.
    Hold,
    /// Accepts the opponent's offer.
    Accept,
    /// Declines the opponent's offer.
    Decline,
    Rematch,
    /// Leaves the finished game and looks for another opponent.
    NextOpponent,
    /// Shows the command that lets others watch the game.
    ShowInvite,
    /// Leaves the lobby and opens a room.
    NewRoom,
    /// Invites a bot into the player's room.
    InviteBot,
    /// Starts the puzzle of the day.
    Puzzle,
    /// Claims the win against an absent opponent.
    Claim,
    /// Selects the previous item, field or move.
    Previous,
    /// Selects the next item, field or move.
    Next,
    /// Selects the previous option or page.
    PreviousOption,
    /// Selects the next option or page.
    NextOption,
    /// Activates the selected item.
    Choose,
    /// Activates the item of the home menu with this number.
    ChooseNumber(u8),
    /// Watches the selected room.
    Watch,
    /// Watches all games in progress side by side.
    WatchAll,
    /// Deletes the selected game from the player's own games.
    /// Shows the profile of the opponent.
    Profile,
    Delete,
    /// Refreshes the room list, or reconnects a watched game.
    Refresh,
    /// Shows the first position.
    First,
    /// Shows the last position.
    Last,
    Yes,
    No,
    /// Ends the program and keeps the seat, so that the game can be resumed.
    KeepSeat,
    /// Copies the link that opens the player's room in a browser, or the link to a finished game.
    CopyLink,
    /// Copies the command that joins the player's room.
    CopyCommand,
    /// Opens the menu of phrases.
    Say,
    /// Says the phrase with this index.
    SayPhrase(u8),
    /// Hides or shows the other players' phrases in this room.
    Mute,
    /// Ends the program. While a game is in progress, asks once.
    Interrupt,
    /// Suspends the process.
    Suspend,
    /// Redraws the whole screen.
    Redraw,
}

impl Action {
    /// Returns the name in the settings file and in the texts.
    pub fn name(self) -> &'static str {
        DEFAULT_BINDINGS
            .iter()
            .find(|binding| binding.action == self)
            .map_or("", |binding| binding.name)
    }
}

/// Context that determines the meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyContext {
    /// The home menu.
    Home,
    Form,
    /// The list of games. Letters are the text of a filter.
    GamePicker,
    /// The room list.
    Lobby,
    /// The list of the player's own games.
    OwnGames,
    /// Waiting for a server or an opponent.
    Waiting,
    /// Waiting in the player's own room.
    OwnRoom,
    /// The player has a seat in a game in progress.
    Playing,
    GameOver,
    /// A game where the player has no seat.
    Watching,
    /// Several watched games.
    MultiWatch,
    /// Trying out moves in a record.
    Analysis,
    /// A yes/no question.
    Confirmation,
    /// The menu of a game in progress.
    Menu,
    /// The menu of phrases.
    Say,
    Help,
}

impl KeyContext {
    pub const ALL: [KeyContext; 16] = [
        KeyContext::Home,
        KeyContext::Form,
        KeyContext::GamePicker,
        KeyContext::Lobby,
        KeyContext::OwnGames,
        KeyContext::Waiting,
        KeyContext::OwnRoom,
        KeyContext::Playing,
        KeyContext::GameOver,
        KeyContext::Watching,
        KeyContext::MultiWatch,
        KeyContext::Analysis,
        KeyContext::Confirmation,
        KeyContext::Menu,
        KeyContext::Say,
        KeyContext::Help,
    ];

    /// Returns whether characters are text.
    pub(crate) fn has_text_input(self) -> bool {
        matches!(self, KeyContext::Form | KeyContext::GamePicker)
    }
}

/// Keys with the same action in the same contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyBinding {
    /// The name of the action in the settings file.
    pub(super) name: &'static str,
    /// Contexts of the binding. Empty means all contexts.
    pub(super) contexts: &'static [KeyContext],
    pub keys: Cow<'static, [Key]>,
    pub action: Action,
}

/// Contexts with a board.
const BOARD_CONTEXTS: &[KeyContext] = &[C::Playing, C::Watching, C::GameOver, C::Analysis];
/// Contexts with a cursor that makes moves or tries them out.
const CURSOR_CONTEXTS: &[KeyContext] = &[C::Playing, C::Analysis];
/// Contexts without a cursor. All arrow keys are free there.
pub(super) const STEP_CONTEXTS: &[KeyContext] = &[C::GameOver, C::Watching];
/// Contexts with a list of moves.
pub(super) const MOVE_LIST_CONTEXTS: &[KeyContext] =
    &[C::Playing, C::GameOver, C::Watching, C::Analysis];
/// Contexts with a vertical list.
const LIST_CONTEXTS: &[KeyContext] = &[
    C::Home,
    C::Lobby,
    C::OwnGames,
    C::Waiting,
    C::Menu,
    C::Say,
    C::Help,
];
/// Contexts that take characters as text.
const TEXT_CONTEXTS: &[KeyContext] = &[C::Form, C::GamePicker];
/// Contexts of whole screens, which have a help and can be left.
const SCREEN_CONTEXTS: &[KeyContext] = &[
    C::Home,
    C::Lobby,
    C::OwnGames,
    C::Waiting,
    C::OwnRoom,
    C::Playing,
    C::GameOver,
    C::Watching,
    C::MultiWatch,
    C::Analysis,
];
const CLOSE_CONTEXTS: &[KeyContext] = &[
    C::Form,
    C::GamePicker,
    C::Lobby,
    C::OwnGames,
    C::Waiting,
    C::OwnRoom,
    C::GameOver,
    C::Watching,
    C::MultiWatch,
    C::Analysis,
    C::Menu,
    C::Say,
    C::Help,
];

const fn key(
    name: &'static str,
    contexts: &'static [KeyContext],
    keys: &'static [Key],
    action: Action,
) -> KeyBinding {
    KeyBinding {
        name,
        contexts,
        keys: Cow::Borrowed(keys),
        action,
    }
}

/// The default bindings. The first match applies.
#[rustfmt::skip]
pub(super) const DEFAULT_BINDINGS: &[KeyBinding] = &[
    key("left", &[C::MultiWatch], &[Key::Left, K('h')], A::MoveCursor(-1, 0)),
    key("down", &[C::MultiWatch], &[Key::Down, K('j')], A::MoveCursor(0, 1)),
    key("up", &[C::MultiWatch], &[Key::Up, K('k')], A::MoveCursor(0, -1)),
    key("right", &[C::MultiWatch], &[Key::Right, K('l')], A::MoveCursor(1, 0)),
    key("previous", &[C::MultiWatch], &[Key::BackTab], A::Previous),
    key("next", &[C::MultiWatch], &[Key::Tab], A::Next),
    key("left", CURSOR_CONTEXTS, &[Key::Left, K('h')], A::MoveCursor(-1, 0)),
    key("down", BOARD_CONTEXTS, &[Key::Down, K('j')], A::MoveCursor(0, 1)),
    key("up", BOARD_CONTEXTS, &[Key::Up, K('k')], A::MoveCursor(0, -1)),
    key("right", CURSOR_CONTEXTS, &[Key::Right, K('l')], A::MoveCursor(1, 0)),
    key("previous-layer", BOARD_CONTEXTS, &[K('[')], A::MoveLayer(-1)),
    key("next-layer", BOARD_CONTEXTS, &[K(']')], A::MoveLayer(1)),
    key("previous-depth", BOARD_CONTEXTS, &[Key::PageUp], A::MoveDepth(-1)),
    key("next-depth", BOARD_CONTEXTS, &[Key::PageDown], A::MoveDepth(1)),
    key("choose", &[C::GameOver], &[Key::Enter, K(' ')], A::Choose),
    key("rematch", &[C::GameOver], &[K('r')], A::Rematch),
    key("next-opponent", &[C::GameOver], &[K('n')], A::NextOpponent),
    key("place", CURSOR_CONTEXTS, &[Key::Enter, K(' ')], A::PlayCursor),
    key("digit-1", CURSOR_CONTEXTS, &[K('1')], A::PlayDigit(1)),
    key("digit-2", CURSOR_CONTEXTS, &[K('2')], A::PlayDigit(2)),
    key("digit-3", CURSOR_CONTEXTS, &[K('3')], A::PlayDigit(3)),
    key("digit-4", CURSOR_CONTEXTS, &[K('4')], A::PlayDigit(4)),
    key("digit-5", CURSOR_CONTEXTS, &[K('5')], A::PlayDigit(5)),
    key("digit-6", CURSOR_CONTEXTS, &[K('6')], A::PlayDigit(6)),
    key("digit-7", CURSOR_CONTEXTS, &[K('7')], A::PlayDigit(7)),
    key("digit-8", CURSOR_CONTEXTS, &[K('8')], A::PlayDigit(8)),
    key("digit-9", CURSOR_CONTEXTS, &[K('9')], A::PlayDigit(9)),
    key("previous", MOVE_LIST_CONTEXTS, &[K(',')], A::Previous),
    key("next", MOVE_LIST_CONTEXTS, &[K('.')], A::Next),
    key("previous", STEP_CONTEXTS, &[Key::Left], A::Previous),
    key("next", STEP_CONTEXTS, &[Key::Right], A::Next),
    key("previous", &[C::GameOver], &[K('h')], A::Previous),
    key("next", &[C::GameOver], &[K('l')], A::Next),
    key("left", &[C::Watching], &[K('h')], A::MoveCursor(-1, 0)),
    key("right", &[C::Watching], &[K('l')], A::MoveCursor(1, 0)),
    key("first", &[C::Home, C::Lobby, C::OwnGames], &[Key::Home], A::First),
    key("last", &[C::Home, C::Lobby, C::OwnGames], &[Key::End], A::Last),
    key("previous-option", &[C::OwnGames], &[Key::PageUp], A::PreviousOption),
    key("next-option", &[C::OwnGames], &[Key::PageDown], A::NextOption),
    key("first", MOVE_LIST_CONTEXTS, &[Key::Home], A::First),
    key("last", MOVE_LIST_CONTEXTS, &[Key::End], A::Last),
    key("draw", &[C::Playing], &[K('=')], A::OfferDraw),
    key("takeback", &[C::Playing], &[K('t')], A::Takeback),
    key("resign", &[C::Playing], &[K('R')], A::Resign),
    key("guide", &[C::Playing, C::Watching], &[K('g')], A::ToggleGuideLines),
    key("hold", &[C::MultiWatch], &[K('p')], A::Hold),
    key("review", &[C::GameOver, C::Analysis], &[K('e')], A::Review),
    key("save", &[C::GameOver, C::Watching, C::OwnGames], &[K('S')], A::Save),
    key("accept", &[C::Playing, C::GameOver, C::Analysis], &[K('a')], A::Accept),
    key("decline", &[C::Playing, C::GameOver, C::Analysis], &[K('x')], A::Decline),
    key("claim", &[C::Playing], &[K('w')], A::Claim),
    key("invite", &[C::Playing, C::GameOver, C::Watching], &[K('i')], A::ShowInvite),
    key("puzzle", &[C::Home], &[K('p')], A::Puzzle),
    key("bot", &[C::OwnRoom, C::Home, C::Waiting, C::Lobby, C::Playing], &[K('b')], A::InviteBot),
    key("new-room", &[C::Lobby], &[K('n')], A::NewRoom),
    key("copy-link", &[C::OwnRoom], &[K('c')], A::CopyLink),
    key("copy-link", &[C::Playing, C::GameOver, C::Analysis, C::OwnGames], &[K('y')], A::CopyLink),
    key("copy-command", &[C::OwnRoom], &[K('t')], A::CopyCommand),
    key("invite", &[C::OwnRoom, C::Waiting], &[K('i')], A::ShowInvite),
    key("previous", LIST_CONTEXTS, &[Key::Up, K('k')], A::Previous),
    key("next", LIST_CONTEXTS, &[Key::Down, K('j')], A::Next),
    key("previous", TEXT_CONTEXTS, &[Key::Up, Key::BackTab], A::Previous),
    key("next", TEXT_CONTEXTS, &[Key::Down, Key::Tab], A::Next),
    key("previous-option", &[C::GamePicker], &[Key::PageUp], A::PreviousOption),
    key("next-option", &[C::GamePicker], &[Key::PageDown], A::NextOption),
    key("previous-option", &[C::Form], &[Key::Left], A::PreviousOption),
    key("next-option", &[C::Form], &[Key::Right], A::NextOption),
    key("choose", &[C::Home, C::Lobby, C::OwnGames, C::Waiting, C::MultiWatch], &[Key::Enter, K(' ')], A::Choose),
    key("choose", TEXT_CONTEXTS, &[Key::Enter], A::Choose),
    key("entry-0", &[C::Home], &[K('0')], A::ChooseNumber(0)),
    key("entry-1", &[C::Home], &[K('1')], A::ChooseNumber(1)),
    key("entry-2", &[C::Home], &[K('2')], A::ChooseNumber(2)),
    key("entry-3", &[C::Home], &[K('3')], A::ChooseNumber(3)),
    key("entry-4", &[C::Home], &[K('4')], A::ChooseNumber(4)),
    key("entry-5", &[C::Home], &[K('5')], A::ChooseNumber(5)),
    key("entry-6", &[C::Home], &[K('6')], A::ChooseNumber(6)),
    key("entry-7", &[C::Home], &[K('7')], A::ChooseNumber(7)),
    key("entry-8", &[C::Home], &[K('8')], A::ChooseNumber(8)),
    key("entry-9", &[C::Home], &[K('9')], A::ChooseNumber(9)),
    key("previous-option", &[C::Help], &[Key::PageUp], A::PreviousOption),
    key("next-option", &[C::Help], &[Key::PageDown, K(' ')], A::NextOption),
    key("watch", &[C::Waiting, C::Lobby], &[K('w')], A::Watch),
    key("watch-all", &[C::Lobby], &[K('g')], A::WatchAll),
    key("profile", &[C::GameOver, C::OwnGames], &[K('o')], A::Profile),
    key("delete", &[C::OwnGames], &[Key::Delete, K('d')], A::Delete),
    key("refresh", &[C::Home, C::Lobby, C::MultiWatch], &[K('r')], A::Refresh),
    key("yes", &[C::Confirmation], &[K('y'), K('д')], A::Yes),
    // Enter and Esc choose the safe answer.
    key("no", &[C::Confirmation], &[K('n'), K('н'), Key::Enter, Key::Esc, K('q')], A::No),
    key("keep-seat", &[C::Confirmation], &[K('k')], A::KeepSeat),
    key("say", &[C::Playing, C::GameOver], &[K('s')], A::Say),
    key("phrase-1", &[C::Say], &[K('1')], A::SayPhrase(0)),
    key("phrase-2", &[C::Say], &[K('2')], A::SayPhrase(1)),
    key("phrase-3", &[C::Say], &[K('3')], A::SayPhrase(2)),
    key("phrase-4", &[C::Say], &[K('4')], A::SayPhrase(3)),
    key("phrase-5", &[C::Say], &[K('5')], A::SayPhrase(4)),
    key("phrase-6", &[C::Say], &[K('6')], A::SayPhrase(5)),
    key("phrase-7", &[C::Say], &[K('7')], A::SayPhrase(6)),
    key("phrase-8", &[C::Say], &[K('8')], A::SayPhrase(7)),
    key("phrase-9", &[C::Say], &[K('9')], A::SayPhrase(8)),
    key("phrase-10", &[C::Say], &[K('0')], A::SayPhrase(9)),
    key("phrase-11", &[C::Say], &[K('+')], A::SayPhrase(10)),
    key("phrase-12", &[C::Say], &[K('-')], A::SayPhrase(11)),
    key("mute", &[C::Say, C::Watching], &[K('m')], A::Mute),
    key("choose", &[C::Say], &[Key::Enter, K(' ')], A::Choose),
    key("choose", &[C::Menu], &[Key::Enter, K(' ')], A::Choose),
    key("menu", &[C::Playing], &[Key::Esc, K('m')], A::Menu),
    key("command", CURSOR_CONTEXTS, &[K(':')], A::OpenPrompt),
    key("help", SCREEN_CONTEXTS, &[K('?'), Key::F1], A::Help),
    key("close", &[C::Help], &[K('?'), Key::F1, K('q'), Key::Enter], A::Close),
    key("close", &[C::Say], &[K('q'), K('s')], A::Close),
    key("close", CLOSE_CONTEXTS, &[Key::Esc], A::Close),
    key("close", &[C::Menu], &[K('m')], A::Close),
    key("leave", SCREEN_CONTEXTS, &[K('q'), K('й'), K('в')], A::Leave),
    // An empty list of contexts means all contexts.
    key("interrupt", &[], &[Key::Ctrl('c')], A::Interrupt),
    key("suspend", &[], &[Key::Ctrl('z')], A::Suspend),
    key("redraw", &[], &[Key::Ctrl('l')], A::Redraw),
];

/// Returns the actions that the footer names in a context, the most useful first. The footer leaves out keys without an
/// effect. For the digits of the cells, it names only the last digit.
pub(crate) fn footer_actions(context: KeyContext) -> &'static [Action] {
    match context {
        C::Home => &[A::Choose, A::InviteBot, A::Help, A::Leave],
        C::Form => &[A::Choose, A::Close, A::Next, A::NextOption],
        C::GamePicker => &[A::Choose, A::Next, A::Close],
        C::Lobby => &[
            A::Choose,
            A::NewRoom,
            A::WatchAll,
            A::InviteBot,
            A::Leave,
            A::Help,
            A::Refresh,
        ],
        C::OwnGames => &[
            A::Choose,
            A::Profile,
            A::CopyLink,
            A::Save,
            A::Delete,
            A::Leave,
            A::Help,
        ],
        C::Waiting => &[
            A::Choose,
            A::InviteBot,
            A::Watch,
            A::ShowInvite,
            A::Leave,
            A::Help,
        ],
        C::OwnRoom => &[
            A::CopyLink,
            A::CopyCommand,
            A::ShowInvite,
            A::InviteBot,
            A::Leave,
            A::Help,
        ],
        C::Playing => &[
            A::Accept,
            A::Decline,
            A::Claim,
            A::InviteBot,
            A::PlayDigit(9),
            A::PlayCursor,
            A::MoveLayer(1),
            A::Last,
            A::Previous,
            A::Menu,
            A::Help,
        ],
        C::GameOver => &[
            A::Choose,
            A::NextOpponent,
            A::Review,
            A::Previous,
            A::Say,
            A::Profile,
            A::Help,
            A::Leave,
        ],
        C::Watching => &[A::Last, A::Previous, A::ShowInvite, A::Help, A::Leave],
        C::MultiWatch => &[A::Choose, A::Next, A::Hold, A::Leave, A::Help],
        C::Analysis => &[
            A::Accept,
            A::Decline,
            A::PlayCursor,
            A::Previous,
            A::Review,
            A::Help,
            A::Close,
        ],
        C::Confirmation => &[A::No, A::Yes, A::KeepSeat],
        C::Menu => &[A::Choose, A::Close],
        C::Say => &[A::Choose, A::Mute, A::Close],
        C::Help => &[A::Close, A::Next],
    }
}

/// A parsed command of line mode or JSON mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextCommand {
    /// Plays a move on this cell.
    Move(Cell),
    /// Prints the board.
    Board,
    /// Lists a row or a column.
    Scan(ScanTarget),
    Marks,
    /// Prints the last move.
    Last,
    /// Prints the clocks.
    Clocks,
    /// Prints the name and the presence of the opponent.
    Opponent,
    /// Prints the command that lets others watch the game.
    Invite,
    /// Prints the link to the finished game.
    Link,
    /// Lists the commands.
    Help,
    Resign,
    /// Ends a game before both players have moved.
    Abort,
    Offer(Offer),
    /// Accepts this offer, or the only offer.
    Accept(Option<Offer>),
    /// Declines this offer, or the only offer.
    Decline(Option<Offer>),
    /// Claims a result in a game that the opponent has abandoned.
    Claim(Claim),
    /// Reports that the opponent's time is up.
    Flag,
    InviteBot(Option<Level>),
    /// Says a phrase.
    Say(Phrase),
    /// Hides or shows the other players' phrases.
    Mute,
    /// Evaluates the free cells.
    Values,
    /// Evaluates each move of the finished game.
    Review,
    /// Shows the profile of the opponent: of the game on the screen, or of the game with this one-based number in a list.
    Profile(Option<usize>),
    /// Writes the record to this file.
    Save(String),
    Leave,
    /// Fills in the current field of a form. An empty text keeps the field's value.
    Answer(String),
    /// Deletes one of the player's own games by its one-based number in the list.
    Delete(usize),
    /// Chooses a menu item or a listed room by its one-based number. With `watch`, watches the room instead of entering
    /// it.
    Choose {
        number: usize,
        watch: bool,
    },
    /// Watches all listed games in progress.
    WatchAll,
    /// Refreshes the room list.
    Refresh,
}

/// A command with its names and its argument.
#[derive(Debug)]
pub struct CommandEntry {
    /// English names, the preferred name first; empty for a command that only JSON mode has.
    pub names: &'static [&'static str],
    /// Names in Russian and in both Chinese scripts. All names are accepted in every language. The help lists the names
    /// in the current language.
    localized: [&'static [&'static str]; 3],
    /// Placeholder for the argument; empty for a command without an argument.
    pub argument: &'static str,
    /// The word in JSON mode, and the field with the argument. The word is empty for a command that only line mode has.
    pub(super) json: (&'static str, &'static str),
    /// Parses the argument. Returns `None` if it is invalid.
    pub(super) parse: fn(&str, Option<&Rules>) -> Option<TextCommand>,
}

impl PartialEq for CommandEntry {
    fn eq(&self, other: &CommandEntry) -> bool {
        self.name() == other.name()
    }
}

impl Eq for CommandEntry {}

impl CommandEntry {
    /// Returns the preferred English name, or else the word in JSON mode.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or(self.json.0)
    }

    /// Returns the names in a language other than English, the preferred name first.
    pub fn localized_names(&self, lang: Lang) -> &'static [&'static str] {
        match lang {
            Lang::En => &[],
            Lang::Ru => self.localized[0],
            Lang::Hans => self.localized[1],
            Lang::Hant => self.localized[2],
        }
    }

    /// Returns whether this is a name of the command in any language.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains(&name) || self.localized.iter().any(|names| names.contains(&name))
    }
}

/// A typed command: names in English, Russian and both Chinese scripts, argument, word and field in JSON mode, parser.
macro_rules! typed {
    ($en:expr, $ru:expr, $hans:expr, $hant:expr, $argument:expr, $json:expr, $parse:expr) => {
        CommandEntry {
            names: &$en,
            localized: [&$ru, &$hans, &$hant],
            argument: $argument,
            json: $json,
            parse: $parse,
        }
    };
}

/// Returns a command that only JSON mode has.
const fn json(
    word: &'static str,
    field: &'static str,
    parse: fn(&str, Option<&Rules>) -> Option<TextCommand>,
) -> CommandEntry {
    CommandEntry {
        names: &[],
        localized: [&[], &[], &[]],
        argument: "",
        json: (word, field),
        parse,
    }
}

/// Parser of a command without an argument.
macro_rules! plain {
    ($command:expr) => {
        |argument, _| argument.is_empty().then_some($command)
    };
}

/// Parser of a command with an argument that is parsed from text.
macro_rules! with {
    ($parse:expr, $command:expr) => {
        |argument, _| $parse(argument).map($command)
    };
}

/// All commands, in the order of the help.
#[rustfmt::skip]
pub(crate) const COMMANDS: &[CommandEntry] = &[
    typed!(["b", "board"], ["доска"], ["棋盘"], ["棋盤"], "", ("board", ""), plain!(TextCommand::Board)),
    typed!(["s", "scan"], ["строка"], ["读"], ["讀"], "8", ("scan", "what"),
        |argument, rules| arguments::parse_scan(argument, rules?).map(TextCommand::Scan)),
    typed!(["p", "marks"], ["мои"], ["我的"], ["我的"], "", ("marks", ""), plain!(TextCommand::Marks)),
    typed!(["l", "last"], ["последний"], ["上一手"], ["上一手"], "", ("last", ""), plain!(TextCommand::Last)),
    typed!(["c", "clocks", "clock"], ["часы", "время"], ["时间"], ["時間"], "", ("clocks", ""), plain!(TextCommand::Clocks)),
    typed!(["o", "opponent"], ["соперник"], ["对手"], ["對手"], "", ("opponent", ""), plain!(TextCommand::Opponent)),
    typed!(["profile"], ["профиль"], ["资料"], ["資料"], "[N]", ("profile", "number"),
        with!(arguments::parse_optional_number, TextCommand::Profile)),
    typed!(["invite", "code"], ["код"], ["邀请码"], ["邀請碼"], "", ("", ""), plain!(TextCommand::Invite)),
    typed!(["link"], ["ссылка"], ["链接"], ["連結"], "", ("link", ""), plain!(TextCommand::Link)),
    typed!(["draw"], ["ничья"], ["和棋", "求和", "提和"], ["和棋", "求和", "提和"], "", ("", ""), plain!(TextCommand::Offer(Offer::Draw))),
    typed!(["undo", "takeback"], ["назад", "вернуть"], ["悔棋"], ["悔棋"], "", ("", ""), plain!(TextCommand::Offer(Offer::Takeback))),
    typed!(["accept", "yes", "y"], ["да", "д", "принять"], ["是", "接受", "同意"], ["是", "接受", "同意"],
        "[draw|undo|rematch]", ("accept", "offer"), with!(parse_optional_offer, TextCommand::Accept)),
    typed!(["decline", "no", "n"], ["нет", "н", "отклонить"], ["否", "拒绝", "不"], ["否", "拒絕", "不"],
        "[draw|undo|rematch]", ("decline", "offer"), with!(parse_optional_offer, TextCommand::Decline)),
    typed!(["rematch", "again", "r"], ["реванш", "ещё", "еще"], ["再来", "再来一局"], ["再來", "再來一局"],
        "", ("", ""), plain!(TextCommand::Offer(Offer::Rematch))),
    typed!(["resign"], ["сдаюсь", "сдаться"], ["认输"], ["認輸"], "", ("resign", ""), plain!(TextCommand::Resign)),
    typed!(["claim"], ["присудить"], ["判"], ["判"], "win|draw", ("claim", "result"), with!(arguments::parse_claim, TextCommand::Claim)),
    typed!(["flag"], ["флаг"], ["超时"], ["超時"], "", ("flag", ""), plain!(TextCommand::Flag)),
    typed!(["bot"], ["бот"], ["机器人"], ["機器人"], "[1-8|easy|perfect]", ("bot", "level"),
        with!(arguments::parse_optional_level, TextCommand::InviteBot)),
    typed!(["say"], ["сказать", "фраза"], ["说"], ["說"], "N", ("say", "phrase"), with!(arguments::parse_phrase, TextCommand::Say)),
    typed!(["mute"], ["тихо"], ["静音"], ["靜音"], "", ("mute", ""), plain!(TextCommand::Mute)),
    typed!(["values", "hint"], ["оценка"], ["评估"], ["評估"], "", ("values", ""), plain!(TextCommand::Values)),
    typed!(["review"], ["разбор"], ["复盘"], ["覆盤", "復盤"], "", ("review", ""), plain!(TextCommand::Review)),
    typed!(["save"], ["запись"], ["保存"], ["儲存"], "FILE", ("save", "path"),
        |path, _| (!path.is_empty()).then(|| TextCommand::Save(path.to_owned()))),
    typed!(["help", "?"], ["помощь", "справка"], ["帮助"], ["說明", "幫助"], "", ("help", ""), plain!(TextCommand::Help)),
    typed!(["q", "quit", "exit", "leave"], ["выход", "в", "й"], ["退出", "离开"], ["退出", "離開"],
        "", ("quit", ""), plain!(TextCommand::Leave)),
    json("abort", "", plain!(TextCommand::Abort)),
    json("offer", "offer", with!(parse_offer, TextCommand::Offer)),
    json("answer", "text", |text, _| Some(TextCommand::Answer(text.to_owned()))),
    json("choose", "number", with!(arguments::parse_number, |number| TextCommand::Choose { number, watch: false })),
    json("watch", "number", with!(arguments::parse_number, |number| TextCommand::Choose { number, watch: true })),
    json("watch_all", "", plain!(TextCommand::WatchAll)),
    json("refresh", "", plain!(TextCommand::Refresh)),
    json("delete", "number", with!(arguments::parse_number, TextCommand::Delete)),
];

/// Parses the name of an offer in any language.
fn parse_offer(argument: &str) -> Option<Offer> {
    let entry = COMMANDS.iter().find(|entry| entry.has_name(argument))?;
    match (entry.parse)("", None) {
        Some(TextCommand::Offer(offer)) => Some(offer),
        Some(_) | None => None,
    }
}

/// Parses the name of an offer. An empty text means the only offer.
fn parse_optional_offer(argument: &str) -> Option<Option<Offer>> {
    if argument.is_empty() {
        Some(None)
    } else {
        parse_offer(argument).map(Some)
    }
}
