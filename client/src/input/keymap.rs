//! Which key does what, and where. The help screens are made from this table.

mod rebind;

use std::borrow::Cow;

use super::{Key, layout};

pub use rebind::KeymapError;

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The cursor goes this far right and down.
    Step(i8, i8),
    /// The cursor goes to another layer: along the third dimension.
    Layer(i8),
    /// The cursor goes along the fourth dimension; on a board of three, the third.
    Deep(i8),
    /// Marks the cell under the cursor.
    Place,
    /// Marks the cell with this number.
    Digit(u8),
    /// Shows the lines through the cursor, or no longer.
    Guide,
    /// Opens the command line.
    Command,
    /// Shows the keys.
    Help,
    /// Goes away from here.
    Leave,
    /// Closes whatever is open.
    Close,
    /// Shows what each free cell is worth.
    Values,
    /// Tells where the game was lost.
    Review,
    /// Says yes to the other's proposal.
    Accept,
    /// Says no to it.
    Decline,
    /// Plays again.
    Again,
    /// Brings a bot into one's own room.
    Bot,
    /// Claims the win over a player who did not return.
    Claim,
    /// The entry or field before.
    Previous,
    /// The entry or field after.
    Next,
    /// The option before, or the screenful.
    Less,
    /// The option after, or the screenful.
    More,
    /// Takes what is selected.
    Choose,
    /// Watches what is selected.
    Watch,
    /// Watches all games that are on, side by side.
    WatchAll,
    /// Fetches the list again, or tries again.
    Refresh,
    /// The very first.
    First,
    /// The very last.
    Last,
    /// Yes to a question.
    Yes,
    /// No to a question.
    No,
    /// Ends the program at once.
    Interrupt,
    /// Stops the program until the shell lets it go on.
    Suspend,
    /// Draws the whole screen again.
    Redraw,
}

/// What is in front of the player, as far as keys are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// The home screen.
    Home,
    /// Fields to fill in.
    Form,
    /// The list of rooms.
    Lobby,
    /// Waiting for a server or an opponent.
    Waiting,
    /// Waiting in a room of one's own.
    OwnRoom,
    /// A game is on.
    Playing,
    /// The game is over.
    Over,
    /// Somebody else's game.
    Watching,
    /// Several games of others.
    Grid,
    /// A record is shown.
    Replay,
    /// A question is open.
    Question,
    /// Help is open.
    Help,
}

impl Context {
    /// All of them.
    pub const ALL: [Context; 12] = [
        Context::Home,
        Context::Form,
        Context::Lobby,
        Context::Waiting,
        Context::OwnRoom,
        Context::Playing,
        Context::Over,
        Context::Watching,
        Context::Grid,
        Context::Replay,
        Context::Question,
        Context::Help,
    ];
}

/// Some keys and what they do in some contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// None: everywhere.
    contexts: &'static [Context],
    /// The keys.
    pub keys: Cow<'static, [Key]>,
    /// What each of them does.
    pub action: Action,
}

/// All bindings, as the player has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
    /// The actions that the player has given keys.
    rebound: Vec<&'static str>,
}

use Action as A;
use Context as C;
use Key::Char as K;

/// Where there is a board.
const BOARD: &[Context] = &[C::Playing, C::Watching, C::Over];
/// Where the arrows do nothing but move the cursor.
const OWN_BOARD: &[Context] = &[C::Playing, C::Over];
/// Where entries lie one above the other.
const LISTS: &[Context] = &[C::Home, C::Lobby, C::Help];
const TABLE: &[Context] = &[C::Playing, C::Over, C::Watching, C::OwnRoom];
const LEAVING: &[Context] =
    &[C::Home, C::Lobby, C::Waiting, C::OwnRoom, C::Playing, C::Over, C::Watching, C::Grid, C::Replay];
const HELPED: &[Context] =
    &[C::Home, C::Lobby, C::Waiting, C::OwnRoom, C::Playing, C::Over, C::Watching, C::Grid, C::Replay];
const CLOSING: &[Context] = &[
    C::Form,
    C::Lobby,
    C::Waiting,
    C::OwnRoom,
    C::Playing,
    C::Over,
    C::Watching,
    C::Grid,
    C::Replay,
    C::Help,
];

const fn bind(contexts: &'static [Context], keys: &'static [Key], action: Action) -> Binding {
    Binding { contexts, keys: Cow::Borrowed(keys), action }
}

/// All of them; the first that fits counts.
const BINDINGS: &[Binding] = &[
    bind(&[C::Watching], &[Key::Left], A::Previous),
    bind(&[C::Watching], &[Key::Right], A::Next),
    bind(&[C::Watching], &[Key::Home], A::First),
    bind(&[C::Watching], &[Key::End], A::Last),
    bind(&[C::Watching], &[K('h')], A::Step(-1, 0)),
    bind(&[C::Watching], &[K('l')], A::Step(1, 0)),
    bind(&[C::Grid], &[Key::Left, K('h')], A::Step(-1, 0)),
    bind(&[C::Grid], &[Key::Down, K('j')], A::Step(0, 1)),
    bind(&[C::Grid], &[Key::Up, K('k')], A::Step(0, -1)),
    bind(&[C::Grid], &[Key::Right, K('l')], A::Step(1, 0)),
    bind(&[C::Grid], &[Key::BackTab], A::Previous),
    bind(&[C::Grid], &[Key::Tab], A::Next),
    bind(OWN_BOARD, &[Key::Left, K('h')], A::Step(-1, 0)),
    bind(BOARD, &[Key::Down, K('j')], A::Step(0, 1)),
    bind(BOARD, &[Key::Up, K('k')], A::Step(0, -1)),
    bind(OWN_BOARD, &[Key::Right, K('l')], A::Step(1, 0)),
    bind(BOARD, &[K('y')], A::Step(-1, -1)),
    bind(BOARD, &[K('u')], A::Step(1, -1)),
    bind(BOARD, &[K('b')], A::Step(-1, 1)),
    bind(BOARD, &[K('n')], A::Step(1, 1)),
    bind(BOARD, &[K('[')], A::Layer(-1)),
    bind(BOARD, &[K(']')], A::Layer(1)),
    bind(BOARD, &[Key::PageUp], A::Deep(-1)),
    bind(BOARD, &[Key::PageDown], A::Deep(1)),
    bind(&[C::Over], &[Key::Enter, K('r')], A::Again),
    bind(&[C::Playing], &[Key::Enter, K(' ')], A::Place),
    bind(&[C::Playing], &[K('1')], A::Digit(1)),
    bind(&[C::Playing], &[K('2')], A::Digit(2)),
    bind(&[C::Playing], &[K('3')], A::Digit(3)),
    bind(&[C::Playing], &[K('4')], A::Digit(4)),
    bind(&[C::Playing], &[K('5')], A::Digit(5)),
    bind(&[C::Playing], &[K('6')], A::Digit(6)),
    bind(&[C::Playing], &[K('7')], A::Digit(7)),
    bind(&[C::Playing], &[K('8')], A::Digit(8)),
    bind(&[C::Playing], &[K('9')], A::Digit(9)),
    bind(BOARD, &[K('g')], A::Guide),
    bind(&[C::Playing, C::Replay], &[K('v')], A::Values),
    bind(&[C::Over, C::Replay], &[K('e')], A::Review),
    bind(&[C::Playing, C::Over], &[K('a')], A::Accept),
    bind(&[C::Playing, C::Over], &[K('x')], A::Decline),
    bind(&[C::Playing], &[K('w')], A::Claim),
    bind(&[C::OwnRoom, C::Home], &[K('b')], A::Bot),
    bind(LISTS, &[Key::Up, K('k')], A::Previous),
    bind(LISTS, &[Key::Down, K('j')], A::Next),
    bind(&[C::Form], &[Key::Up, Key::BackTab], A::Previous),
    bind(&[C::Form], &[Key::Down, Key::Tab], A::Next),
    bind(&[C::Form], &[Key::Left], A::Less),
    bind(&[C::Form], &[Key::Right], A::More),
    bind(&[C::Home, C::Lobby, C::Grid], &[Key::Enter, K(' ')], A::Choose),
    bind(&[C::Form], &[Key::Enter], A::Choose),
    bind(&[C::Help], &[Key::PageUp], A::Less),
    bind(&[C::Help], &[Key::PageDown, K(' ')], A::More),
    bind(&[C::Lobby], &[K('w')], A::Watch),
    bind(&[C::Lobby], &[K('g')], A::WatchAll),
    bind(&[C::Lobby, C::Grid], &[K('r')], A::Refresh),
    bind(&[C::Replay], &[Key::Left, Key::Up, K('h'), K('k'), Key::Backspace], A::Previous),
    bind(&[C::Replay], &[Key::Right, Key::Down, K('l'), K('j'), K(' '), Key::Enter], A::Next),
    bind(&[C::Replay], &[Key::Home], A::First),
    bind(&[C::Replay], &[Key::End], A::Last),
    bind(&[C::Question], &[K('y'), Key::Enter], A::Yes),
    bind(&[C::Question], &[K('n'), Key::Esc, K('q')], A::No),
    bind(TABLE, &[K(':')], A::Command),
    bind(HELPED, &[K('?')], A::Help),
    bind(&[C::Help], &[K('?'), K('q'), Key::Enter], A::Close),
    bind(CLOSING, &[Key::Esc], A::Close),
    bind(LEAVING, &[K('q'), K('й'), K('в')], A::Leave),
    // These work everywhere.
    bind(&[], &[Key::Ctrl('c')], A::Interrupt),
    bind(&[], &[Key::Ctrl('z')], A::Suspend),
    bind(&[], &[Key::Ctrl('l')], A::Redraw),
];

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap { bindings: BINDINGS.to_vec(), rebound: Vec::new() }
    }
}

impl Keymap {
    /// The bindings of a context, in the order in which help shows them.
    pub fn bindings(&self, context: Context) -> impl Iterator<Item = &Binding> {
        let works =
            move |binding: &&Binding| binding.contexts.is_empty() || binding.contexts.contains(&context);
        self.bindings.iter().filter(works)
    }

    /// What a key does: by the character that it gives, then by its place on the keyboard. In a form a
    /// character is text, whatever it is bound to elsewhere.
    pub fn action(&self, context: Context, key: Key) -> Option<Action> {
        if context == Context::Form && matches!(key, Key::Char(_)) {
            return None;
        }
        let find = |key: Key| {
            self.bindings(context).find(|binding| binding.keys.contains(&key)).map(|found| found.action)
        };
        find(key).or_else(|| {
            let Key::Char(letter) = key else { return None };
            find(Key::Char(layout::positional(letter)?))
        })
    }

    /// A key to name for an action: a letter rather than a key with a name.
    pub fn letter(&self, context: Context, action: Action) -> Option<Key> {
        let bindings = self.bindings(context).filter(|binding| binding.action == action);
        let mut keys = bindings.flat_map(|binding| binding.keys.iter()).copied();
        keys.find(|key| matches!(key, Key::Char(letter) if *letter != ' '))
            .or_else(|| self.key(context, action))
    }

    /// The first key of an action in a context, if it has one.
    pub fn key(&self, context: Context, action: Action) -> Option<Key> {
        let mut bindings = self.bindings(context).filter(|binding| binding.action == action);
        bindings.find_map(|binding| binding.keys.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(context: Context, key: Key, expected: Option<Action>) {
        assert_eq!(Keymap::default().action(context, key), expected, "{key} in {context:?}");
    }

    #[test]
    fn the_produced_character_comes_before_its_place() {
        // `в` stands on the key `d`, which is unbound; as itself it leaves.
        check(C::Playing, K('в'), Some(A::Leave));
        check(C::Playing, K('й'), Some(A::Leave));
        check(C::Playing, K('d'), None);
        check(C::Playing, K('р'), Some(A::Step(-1, 0)));
        check(C::Playing, K('Ж'), Some(A::Command));
        check(C::Question, K('н'), Some(A::Yes));
    }

    #[test]
    fn a_key_means_what_its_place_in_the_game_means() {
        check(C::OwnRoom, K('b'), Some(A::Bot));
        check(C::Playing, K('b'), Some(A::Step(-1, 1)));
        check(C::Over, Key::Enter, Some(A::Again));
        check(C::Watching, Key::Enter, None);
        check(C::Form, K('q'), None);
        check(C::Help, K('q'), Some(A::Close));
        check(C::Question, K('q'), Some(A::No));
    }

    #[test]
    fn ctrl_c_works_everywhere() {
        for context in
            [C::Home, C::Form, C::Lobby, C::Waiting, C::OwnRoom, C::Playing, C::Over, C::Help, C::Question]
        {
            check(context, Key::Ctrl('c'), Some(A::Interrupt));
        }
    }

    #[test]
    fn no_key_has_two_meanings_in_a_context() {
        assert_eq!(Keymap::default().check(), Ok(()));
        // In each context an action's keys are told once.
        for context in Context::ALL {
            let keymap = Keymap::default();
            let keys: Vec<Key> =
                keymap.bindings(context).flat_map(|binding| binding.keys.iter()).copied().collect();
            for (place, key) in keys.iter().enumerate() {
                assert!(!keys[..place].contains(key), "{key} twice in {context:?}");
            }
        }
    }
}
