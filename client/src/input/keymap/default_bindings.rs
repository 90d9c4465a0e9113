//! The default keys of every action, by context.

use std::borrow::Cow;

use super::binding::{Action, KeyBinding, KeyContext};
use crate::input::Key;

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
const TEXT_CONTEXTS: &[KeyContext] = &[C::Form, C::GamePicker, C::LobbyFilter];
const ROOM_CONTEXTS: &[KeyContext] = &[C::Playing, C::GameOver, C::Watching, C::OwnRoom];
/// Contexts of whole screens, which have a help and are left.
const SCREEN_CONTEXTS: &[KeyContext] = &[
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
    C::LobbyFilter,
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
    KeyBinding {
        contexts,
        keys: Cow::Borrowed(keys),
        action,
    }
}

/// The default bindings; the first match applies.
pub(super) const DEFAULT_BINDINGS: &[KeyBinding] = &[
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
    bind(
        &[C::Playing, C::GameOver, C::Analysis],
        &[Key::Tab],
        A::MeetOpponent,
    ),
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
    bind(&[C::Home, C::Lobby], &[Key::Home], A::First),
    bind(&[C::Home, C::Lobby], &[Key::End], A::Last),
    bind(MOVE_LIST_CONTEXTS, &[Key::Home], A::First),
    bind(MOVE_LIST_CONTEXTS, &[Key::End], A::Last),
    bind(&[C::Playing], &[K('=')], A::OfferDraw),
    bind(&[C::Playing], &[K('t')], A::Takeback),
    bind(&[C::Playing], &[K('R')], A::Resign),
    bind(&[C::Playing, C::Watching], &[K('g')], A::ToggleGuideLines),
    bind(MOVE_LIST_CONTEXTS, &[K('z')], A::Zoom),
    bind(MOVE_LIST_CONTEXTS, &[K('f')], A::TurnBoard),
    bind(&[C::Lobby], &[K('f')], A::Filter),
    bind(MOVE_LIST_CONTEXTS, &[K('m')], A::AllMoves),
    bind(&[C::Replay, C::MultiWatch], &[K('p')], A::Autoplay),
    bind(
        &[C::Moves],
        &[Key::Up, K(','), Key::Left, K('k')],
        A::Previous,
    ),
    bind(
        &[C::Moves],
        &[Key::Down, K('.'), Key::Right, K('j')],
        A::Next,
    ),
    bind(&[C::Moves], &[Key::Home], A::First),
    bind(&[C::Moves], &[Key::End], A::Last),
    bind(
        &[C::Moves],
        &[Key::Enter, K(' '), K('m'), K('q')],
        A::Choose,
    ),
    bind(
        &[C::Playing, C::Replay, C::Analysis],
        &[K('v')],
        A::ShowValues,
    ),
    bind(&[C::GameOver, C::Replay, C::Analysis], &[K('e')], A::Review),
    bind(&[C::GameOver], &[K('S')], A::Save),
    bind(
        &[C::Playing, C::GameOver, C::Analysis],
        &[K('a')],
        A::Accept,
    ),
    bind(
        &[C::Playing, C::GameOver, C::Analysis],
        &[K('x')],
        A::Decline,
    ),
    bind(&[C::Playing], &[K('w')], A::Claim),
    bind(
        &[C::Playing, C::GameOver, C::Watching],
        &[K('i')],
        A::ShowInvite,
    ),
    bind(
        &[C::OwnRoom, C::Home, C::Waiting, C::Lobby],
        &[K('b')],
        A::InviteBot,
    ),
    bind(&[C::Lobby], &[K('n')], A::NewRoom),
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
    bind(
        &[C::Home, C::Lobby, C::MultiWatch],
        &[Key::Enter, K(' ')],
        A::Choose,
    ),
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
    bind(&[C::Home], &[K('9')], A::ChooseNumber(9)),
    bind(&[C::Help], &[Key::PageUp], A::PreviousOption),
    bind(&[C::Help], &[Key::PageDown, K(' ')], A::NextOption),
    bind(&[C::Lobby, C::Waiting], &[K('w')], A::Watch),
    bind(&[C::Lobby], &[K('g'), K('t')], A::WatchAll),
    bind(&[C::Home, C::Lobby, C::MultiWatch], &[K('r')], A::Refresh),
    bind(
        &[C::Replay],
        &[Key::Up, K('k'), Key::Backspace],
        A::Previous,
    ),
    bind(
        &[C::Replay],
        &[Key::Down, K('j'), K(' '), Key::Enter],
        A::Next,
    ),
    bind(&[C::Confirmation], &[K('y'), K('д')], A::Yes),
    // The safe answer.
    bind(
        &[C::Confirmation],
        &[K('n'), K('н'), Key::Enter, Key::Esc, K('q')],
        A::No,
    ),
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
    bind(SCREEN_CONTEXTS, &[K('?'), Key::F1], A::Help),
    bind(&[C::Help], &[K('?'), Key::F1, K('q'), Key::Enter], A::Close),
    bind(&[C::Say], &[K('q'), K('s')], A::Close),
    bind(CLOSE_CONTEXTS, &[Key::Esc], A::Close),
    bind(SCREEN_CONTEXTS, &[K('q'), K('й'), K('в')], A::Leave),
    // All contexts.
    bind(&[], &[Key::Ctrl('c')], A::Interrupt),
    bind(&[], &[Key::Ctrl('z')], A::Suspend),
    bind(&[], &[Key::Ctrl('l')], A::Redraw),
];
