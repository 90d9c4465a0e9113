//! The table of key bindings. The help screens are generated from it.

mod rebind;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{Key, keyboard_layout};

pub(crate) use rebind::KeymapError;

/// Meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Moves the cursor right and down by these amounts; among several games, moves the focus.
    MoveCursor(i8, i8),
    /// Moves the cursor along the third dimension.
    MoveLayer(i8),
    /// Moves the cursor along the fourth dimension; with three dimensions, along the third.
    MoveDepth(i8),
    /// Plays a move on the cell under the cursor.
    PlayCursor,
    /// Plays a move on the cell with this digit.
    PlayDigit(u8),
    /// Shows or hides the lines through the cursor.
    ToggleGuideLines,
    OpenPrompt,
    Help,
    /// Leaves the screen.
    Leave,
    /// Closes the help or the form; elsewhere, leaves the screen.
    Close,
    /// Evaluates the free cells.
    ShowValues,
    /// Opens the analysis of the finished game; in an analysis, shows the next mistake.
    Review,
    /// Offers a draw; claims one if the opponent is gone.
    OfferDraw,
    /// Asks to take back the last move.
    Takeback,
    Resign,
    /// Writes the record of the game to a file.
    Save,
    /// Draws the board with smaller cells, and after the smallest with the largest.
    Zoom,
    /// Shows the list of all moves.
    AllMoves,
    /// Steps through a record by itself, or stops that.
    Autoplay,
    /// Accepts the opponent's proposal.
    Accept,
    /// Declines the opponent's proposal.
    Decline,
    Rematch,
    /// Leaves the finished game and looks for another opponent.
    NextOpponent,
    /// Leaves the local game for the opponent who was found meanwhile.
    MeetOpponent,
    /// Shows the command that lets others watch the game.
    ShowInvite,
    /// Invites a bot into the player's room.
    InviteBot,
    /// Claims the win over an absent opponent.
    Claim,
    /// Previous item, field or move.
    Previous,
    /// Next item, field or move.
    Next,
    /// Previous option or page.
    PreviousOption,
    /// Next option or page.
    NextOption,
    /// Chooses the selected item.
    Choose,
    /// Chooses the item of the home menu with this number.
    ChooseNumber(u8),
    /// Watches the selected room.
    Watch,
    /// Watches all games in progress side by side.
    WatchAll,
    /// Refreshes the room list, or reconnects a watched game.
    Refresh,
    /// First position.
    First,
    /// Last position.
    Last,
    Yes,
    No,
    /// Ends the program and keeps the seat, so that the game can be resumed.
    KeepSeat,
    /// Copies the link of the player's room for a browser.
    CopyLink,
    /// Copies the command that joins the player's room.
    CopyCommand,
    /// Opens the menu of phrases.
    Say,
    /// Says the phrase with this index.
    SayPhrase(u8),
    /// Hides or shows the phrases of the other players in this room.
    Mute,
    /// Ends the program; asks once while a game is in progress.
    Interrupt,
    /// Suspends the process.
    Suspend,
    /// Redraws the whole screen.
    Redraw,
}

/// Context in which a key is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyContext {
    /// The home menu.
    Home,
    Form,
    /// The list of games, whose letters are those of a filter.
    GamePicker,
    /// The room list.
    Lobby,
    /// Waiting for a server or an opponent.
    Waiting,
    /// Waiting in the player's own room.
    OwnRoom,
    /// The player has a seat in a game in progress.
    Playing,
    GameOver,
    /// A game without a seat of the player.
    Watching,
    /// Several watched games.
    MultiWatch,
    /// Stepping through a record.
    Replay,
    /// Trying moves on a record.
    Analysis,
    /// A yes/no question.
    Confirmation,
    /// The menu of phrases.
    Say,
    /// The list of all moves.
    Moves,
    Help,
}

impl KeyContext {
    pub const ALL: [KeyContext; 16] = [
        KeyContext::Home,
        KeyContext::Form,
        KeyContext::GamePicker,
        KeyContext::Lobby,
        KeyContext::Waiting,
        KeyContext::OwnRoom,
        KeyContext::Playing,
        KeyContext::GameOver,
        KeyContext::Watching,
        KeyContext::MultiWatch,
        KeyContext::Replay,
        KeyContext::Analysis,
        KeyContext::Confirmation,
        KeyContext::Say,
        KeyContext::Moves,
        KeyContext::Help,
    ];

    /// Whether characters are text.
    pub(crate) fn has_text_input(self) -> bool {
        matches!(self, KeyContext::Form | KeyContext::GamePicker)
    }
}

/// Keys with the same action in the same contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyBinding {
    /// Empty: all contexts.
    contexts: &'static [KeyContext],
    pub keys: Cow<'static, [Key]>,
    pub action: Action,
}

/// All key bindings, including the changes of the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Keymap {
    bindings: Vec<KeyBinding>,
    /// The actions whose keys the player has changed.
    rebound_actions: Vec<&'static str>,
}

use Action as A;
use Key::Char as K;
use KeyContext as C;

/// Contexts with a board.
const BOARD_CONTEXTS: &[KeyContext] = &[C::Playing, C::Watching, C::GameOver, C::Analysis];
/// Contexts in which the player tries or makes moves with a cursor.
const CURSOR_CONTEXTS: &[KeyContext] = &[C::Playing, C::Analysis];
/// Contexts in which the cursor can be moved to scroll a board.
const SCROLL_CONTEXTS: &[KeyContext] = &[C::Playing, C::Watching, C::Analysis];
/// Contexts without a cursor, in which all arrows are free.
const STEP_CONTEXTS: &[KeyContext] = &[C::GameOver, C::Watching, C::Replay];
/// Contexts with a list of moves.
pub(super) const MOVE_LIST_CONTEXTS: &[KeyContext] =
    &[C::Playing, C::GameOver, C::Watching, C::Replay, C::Analysis];
/// Contexts with a vertical list.
const LIST_CONTEXTS: &[KeyContext] = &[C::Home, C::Lobby, C::Say, C::Help];
/// Contexts in which characters are text.
const TEXT_CONTEXTS: &[KeyContext] = &[C::Form, C::GamePicker];
const ROOM_CONTEXTS: &[KeyContext] = &[C::Playing, C::GameOver, C::Watching, C::OwnRoom];
const LEAVE_CONTEXTS: &[KeyContext] = &[
    C::Home,
    C::Lobby,
    C::Waiting,
    C::OwnRoom,
    C::Playing,
    C::GameOver,
    C::Watching,
    C::MultiWatch,
    C::Replay,
    C::Analysis,
];
const HELP_CONTEXTS: &[KeyContext] = &[
    C::Home,
    C::Lobby,
    C::Waiting,
    C::OwnRoom,
    C::Playing,
    C::GameOver,
    C::Watching,
    C::MultiWatch,
    C::Replay,
    C::Analysis,
];
const CLOSE_CONTEXTS: &[KeyContext] = &[
    C::Form,
    C::GamePicker,
    C::Lobby,
    C::Waiting,
    C::OwnRoom,
    C::Playing,
    C::GameOver,
    C::Watching,
    C::MultiWatch,
    C::Replay,
    C::Analysis,
    C::Say,
    C::Moves,
    C::Help,
];

const fn bind(contexts: &'static [KeyContext], keys: &'static [Key], action: Action) -> KeyBinding {
    KeyBinding { contexts, keys: Cow::Borrowed(keys), action }
}

/// The default bindings; the first match applies.
const DEFAULT_BINDINGS: &[KeyBinding] = &[
    bind(&[C::MultiWatch], &[Key::Left, K('h')], A::MoveCursor(-1, 0)),
    bind(&[C::MultiWatch], &[Key::Down, K('j')], A::MoveCursor(0, 1)),
    bind(&[C::MultiWatch], &[Key::Up, K('k')], A::MoveCursor(0, -1)),
    bind(&[C::MultiWatch], &[Key::Right, K('l')], A::MoveCursor(1, 0)),
    bind(&[C::MultiWatch], &[Key::BackTab], A::Previous),
    bind(&[C::MultiWatch], &[Key::Tab], A::Next),
    bind(CURSOR_CONTEXTS, &[Key::Left, K('h')], A::MoveCursor(-1, 0)),
    bind(BOARD_CONTEXTS, &[Key::Down, K('j')], A::MoveCursor(0, 1)),
    bind(BOARD_CONTEXTS, &[Key::Up, K('k')], A::MoveCursor(0, -1)),
    bind(CURSOR_CONTEXTS, &[Key::Right, K('l')], A::MoveCursor(1, 0)),
    bind(SCROLL_CONTEXTS, &[K('y')], A::MoveCursor(-1, -1)),
    bind(SCROLL_CONTEXTS, &[K('u')], A::MoveCursor(1, -1)),
    bind(SCROLL_CONTEXTS, &[K('b')], A::MoveCursor(-1, 1)),
    bind(SCROLL_CONTEXTS, &[K('n')], A::MoveCursor(1, 1)),
    bind(BOARD_CONTEXTS, &[K('[')], A::MoveLayer(-1)),
    bind(BOARD_CONTEXTS, &[K(']')], A::MoveLayer(1)),
    bind(BOARD_CONTEXTS, &[Key::PageUp], A::MoveDepth(-1)),
    bind(BOARD_CONTEXTS, &[Key::PageDown], A::MoveDepth(1)),
    bind(&[C::GameOver], &[Key::Enter, K(' ')], A::Choose),
    bind(&[C::Playing, C::GameOver, C::Analysis], &[Key::Tab], A::MeetOpponent),
    bind(&[C::GameOver], &[K('r')], A::Rematch),
    bind(&[C::GameOver], &[K('n')], A::NextOpponent),
    bind(CURSOR_CONTEXTS, &[Key::Enter, K(' ')], A::PlayCursor),
    bind(CURSOR_CONTEXTS, &[K('1')], A::PlayDigit(1)),
    bind(CURSOR_CONTEXTS, &[K('2')], A::PlayDigit(2)),
    bind(CURSOR_CONTEXTS, &[K('3')], A::PlayDigit(3)),
    bind(CURSOR_CONTEXTS, &[K('4')], A::PlayDigit(4)),
    bind(CURSOR_CONTEXTS, &[K('5')], A::PlayDigit(5)),
    bind(CURSOR_CONTEXTS, &[K('6')], A::PlayDigit(6)),
    bind(CURSOR_CONTEXTS, &[K('7')], A::PlayDigit(7)),
    bind(CURSOR_CONTEXTS, &[K('8')], A::PlayDigit(8)),
    bind(CURSOR_CONTEXTS, &[K('9')], A::PlayDigit(9)),
    bind(MOVE_LIST_CONTEXTS, &[K(',')], A::Previous),
    bind(MOVE_LIST_CONTEXTS, &[K('.')], A::Next),
    bind(STEP_CONTEXTS, &[Key::Left, K('h')], A::Previous),
    bind(STEP_CONTEXTS, &[Key::Right, K('l')], A::Next),
    bind(MOVE_LIST_CONTEXTS, &[Key::Home], A::First),
    bind(MOVE_LIST_CONTEXTS, &[Key::End], A::Last),
    bind(&[C::Playing], &[K('=')], A::OfferDraw),
    bind(&[C::Playing], &[K('t')], A::Takeback),
    bind(&[C::Playing], &[K('R')], A::Resign),
    bind(&[C::Playing, C::Watching], &[K('g')], A::ToggleGuideLines),
    bind(MOVE_LIST_CONTEXTS, &[K('z')], A::Zoom),
    bind(MOVE_LIST_CONTEXTS, &[K('m')], A::AllMoves),
    bind(&[C::Replay, C::MultiWatch], &[K('p')], A::Autoplay),
    bind(&[C::Moves], &[Key::Up, K(','), Key::Left, K('k')], A::Previous),
    bind(&[C::Moves], &[Key::Down, K('.'), Key::Right, K('j')], A::Next),
    bind(&[C::Moves], &[Key::Home], A::First),
    bind(&[C::Moves], &[Key::End], A::Last),
    bind(&[C::Moves], &[Key::Enter, K(' '), K('m'), K('q')], A::Choose),
    bind(&[C::Playing, C::Replay, C::Analysis], &[K('v')], A::ShowValues),
    bind(&[C::GameOver, C::Replay, C::Analysis], &[K('e')], A::Review),
    bind(&[C::GameOver], &[K('S')], A::Save),
    bind(&[C::Playing, C::GameOver], &[K('a')], A::Accept),
    bind(&[C::Playing, C::GameOver], &[K('x')], A::Decline),
    bind(&[C::Playing], &[K('w')], A::Claim),
    bind(&[C::Playing, C::GameOver, C::Watching], &[K('i')], A::ShowInvite),
    bind(&[C::OwnRoom, C::Home, C::Waiting], &[K('b')], A::InviteBot),
    bind(&[C::OwnRoom], &[K('c')], A::CopyLink),
    bind(&[C::OwnRoom], &[K('t')], A::CopyCommand),
    bind(&[C::OwnRoom, C::Waiting], &[K('i')], A::ShowInvite),
    bind(LIST_CONTEXTS, &[Key::Up, K('k')], A::Previous),
    bind(LIST_CONTEXTS, &[Key::Down, K('j')], A::Next),
    bind(TEXT_CONTEXTS, &[Key::Up, Key::BackTab], A::Previous),
    bind(TEXT_CONTEXTS, &[Key::Down, Key::Tab], A::Next),
    bind(&[C::GamePicker], &[Key::PageUp], A::PreviousOption),
    bind(&[C::GamePicker], &[Key::PageDown], A::NextOption),
    bind(&[C::Form], &[Key::Left], A::PreviousOption),
    bind(&[C::Form], &[Key::Right], A::NextOption),
    bind(&[C::Home, C::Lobby, C::MultiWatch], &[Key::Enter, K(' ')], A::Choose),
    bind(TEXT_CONTEXTS, &[Key::Enter], A::Choose),
    bind(&[C::Home], &[K('0')], A::ChooseNumber(0)),
    bind(&[C::Home], &[K('1')], A::ChooseNumber(1)),
    bind(&[C::Home], &[K('2')], A::ChooseNumber(2)),
    bind(&[C::Home], &[K('3')], A::ChooseNumber(3)),
    bind(&[C::Home], &[K('4')], A::ChooseNumber(4)),
    bind(&[C::Home], &[K('5')], A::ChooseNumber(5)),
    bind(&[C::Home], &[K('6')], A::ChooseNumber(6)),
    bind(&[C::Home], &[K('7')], A::ChooseNumber(7)),
    bind(&[C::Home], &[K('8')], A::ChooseNumber(8)),
    bind(&[C::Help], &[Key::PageUp], A::PreviousOption),
    bind(&[C::Help], &[Key::PageDown, K(' ')], A::NextOption),
    bind(&[C::Lobby, C::Waiting], &[K('w')], A::Watch),
    bind(&[C::Lobby], &[K('g'), K('t')], A::WatchAll),
    bind(&[C::Home, C::Lobby, C::MultiWatch], &[K('r')], A::Refresh),
    bind(&[C::Replay], &[Key::Up, K('k'), Key::Backspace], A::Previous),
    bind(&[C::Replay], &[Key::Down, K('j'), K(' '), Key::Enter], A::Next),
    bind(&[C::Confirmation], &[K('y'), K('д')], A::Yes),
    // The safe answer.
    bind(&[C::Confirmation], &[K('n'), K('н'), Key::Enter, Key::Esc, K('q')], A::No),
    bind(&[C::Confirmation], &[K('k')], A::KeepSeat),
    bind(&[C::Playing, C::GameOver], &[K('s')], A::Say),
    bind(&[C::Say], &[K('1')], A::SayPhrase(0)),
    bind(&[C::Say], &[K('2')], A::SayPhrase(1)),
    bind(&[C::Say], &[K('3')], A::SayPhrase(2)),
    bind(&[C::Say], &[K('4')], A::SayPhrase(3)),
    bind(&[C::Say], &[K('5')], A::SayPhrase(4)),
    bind(&[C::Say], &[K('6')], A::SayPhrase(5)),
    bind(&[C::Say], &[K('7')], A::SayPhrase(6)),
    bind(&[C::Say], &[K('8')], A::SayPhrase(7)),
    bind(&[C::Say], &[K('9')], A::SayPhrase(8)),
    bind(&[C::Say], &[K('0')], A::SayPhrase(9)),
    bind(&[C::Say], &[K('+')], A::SayPhrase(10)),
    bind(&[C::Say], &[K('-')], A::SayPhrase(11)),
    bind(&[C::Say], &[K('m')], A::Mute),
    bind(&[C::Say], &[Key::Enter, K(' ')], A::Choose),
    bind(ROOM_CONTEXTS, &[K(':')], A::OpenPrompt),
    bind(HELP_CONTEXTS, &[K('?'), Key::F1], A::Help),
    bind(&[C::Help], &[K('?'), Key::F1, K('q'), Key::Enter], A::Close),
    bind(&[C::Say], &[K('q'), K('s')], A::Close),
    bind(CLOSE_CONTEXTS, &[Key::Esc], A::Close),
    bind(LEAVE_CONTEXTS, &[K('q'), K('й'), K('в')], A::Leave),
    // All contexts.
    bind(&[], &[Key::Ctrl('c')], A::Interrupt),
    bind(&[], &[Key::Ctrl('z')], A::Suspend),
    bind(&[], &[Key::Ctrl('l')], A::Redraw),
];

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap { bindings: DEFAULT_BINDINGS.to_vec(), rebound_actions: Vec::new() }
    }
}

impl Keymap {
    /// The bindings of a context, in the order of the help.
    pub(crate) fn bindings(&self, context: KeyContext) -> impl Iterator<Item = &KeyBinding> {
        let is_active =
            move |binding: &&KeyBinding| binding.contexts.is_empty() || binding.contexts.contains(&context);
        self.bindings.iter().filter(is_active)
    }

    /// Returns the action of a key: by its character, or else by the Latin key at the same place of the keyboard. A
    /// question knows characters only, because `н` ("нет") stands on the key `y`. Where characters are text, they have
    /// no action.
    pub(crate) fn action(&self, context: KeyContext, key: Key) -> Option<Action> {
        if context.has_text_input() && matches!(key, Key::Char(_)) {
            return None;
        }
        let find = |key: Key| {
            self.bindings(context).find(|binding| binding.keys.contains(&key)).map(|found| found.action)
        };
        find(key).or_else(|| {
            let Key::Char(letter) = key else { return None };
            if context == KeyContext::Confirmation {
                return None;
            }
            find(Key::Char(keyboard_layout::latin_key(letter)?))
        })
    }

    /// A key to name for an action: a letter rather than a key with a name.
    pub(crate) fn letter_key(&self, context: KeyContext, action: Action) -> Option<Key> {
        let bindings = self.bindings(context).filter(|binding| binding.action == action);
        let mut keys = bindings.flat_map(|binding| binding.keys.iter()).copied();
        keys.find(|key| matches!(key, Key::Char(letter) if *letter != ' '))
            .or_else(|| self.first_key(context, action))
    }

    /// The first key of an action in a context, if it has one.
    pub(crate) fn first_key(&self, context: KeyContext, action: Action) -> Option<Key> {
        let mut bindings = self.bindings(context).filter(|binding| binding.action == action);
        bindings.find_map(|binding| binding.keys.first().copied())
    }
}
