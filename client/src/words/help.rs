//! What keys and typed commands are for.

use super::Words;
use crate::input::typed::Word;
use crate::input::{Action, Context};

impl Words {
    /// What an action does, in the list of keys. Actions with the same text share a row there.
    pub fn action(self, action: Action, context: Context) -> &'static str {
        match action {
            Action::Step(..) => "move the cursor",
            Action::Layer(_) => "the layer before or after",
            Action::Deep(_) => "along the third dimension, or the fourth",
            Action::Place => "mark the cell",
            Action::Digit(_) => "mark the cell or column with this number, on small boards",
            Action::Guide => "show the lines through the cursor, or hide them",
            Action::Command => "type a command or a cell",
            Action::Help => "this help",
            Action::Leave if context == Context::Home => "quit",
            Action::Leave => "leave",
            Action::Close if context == Context::Help => "close the help",
            Action::Close => "go back",
            Action::Values => "what each free cell is worth; not on a server",
            Action::Review => "where the game was lost",
            Action::Accept => "accept what is proposed",
            Action::Decline => "decline it, or take back your own proposal",
            Action::Again => "play again",
            Action::Bot => "let a bot come and play you",
            Action::Claim => "claim the win when the other did not return",
            Action::Previous | Action::Next => match context {
                Context::Replay => "one move back or on",
                Context::Form => "another field",
                Context::Home
                | Context::Lobby
                | Context::Waiting
                | Context::OwnRoom
                | Context::Playing
                | Context::Over
                | Context::Watching
                | Context::Question
                | Context::Help => "up or down",
            },
            Action::Less | Action::More if context == Context::Help => "a screenful up or down",
            Action::Less | Action::More => "another choice",
            Action::Choose => match context {
                Context::Form => "begin",
                Context::Lobby => "join, or watch when both seats are taken",
                Context::Home
                | Context::Waiting
                | Context::OwnRoom
                | Context::Playing
                | Context::Over
                | Context::Watching
                | Context::Replay
                | Context::Question
                | Context::Help => "choose",
            },
            Action::Watch => "watch",
            Action::Refresh => "fetch the list again",
            Action::First | Action::Last => "the first or last position",
            Action::Yes => "yes",
            Action::No => "no",
            Action::Interrupt => "end the program at once",
            Action::Suspend => "stop the program until fg",
            Action::Redraw => "draw the screen again",
        }
    }

    /// The same in a word or two, for the last line of the screen. Empty: not worth a place there.
    pub fn hint(self, action: Action) -> &'static str {
        match action {
            Action::Place => "mark",
            Action::Command => "type",
            Action::Help => "help",
            Action::Leave => "leave",
            Action::Close => "back",
            Action::Accept => "accept",
            Action::Decline => "decline",
            Action::Again => "play again",
            Action::Bot => "play a bot",
            Action::Claim => "claim the win",
            Action::Choose => "go",
            Action::Watch => "watch",
            Action::Refresh => "refresh",
            Action::Next => "next",
            Action::Previous => "previous",
            Action::More => "choose",
            Action::Yes => "yes",
            Action::No => "no",
            Action::Step(..)
            | Action::Layer(_)
            | Action::Deep(_)
            | Action::Digit(_)
            | Action::Guide
            | Action::Values
            | Action::Review
            | Action::Less
            | Action::First
            | Action::Last
            | Action::Interrupt
            | Action::Suspend
            | Action::Redraw => "",
        }
    }

    /// What a typed command does.
    pub fn word(self, word: Word) -> &'static str {
        match word {
            Word::Board => "the board",
            Word::Scan => "read out row 8; s h reads column h, s 2,3 row 2 of layer 3",
            Word::Mine => "where your marks are",
            Word::Last => "the last move",
            Word::Clocks => "the clocks",
            Word::Opponent => "who the other is, and whether there",
            Word::Draw => "propose a draw",
            Word::Undo => "propose to take back your last move",
            Word::Rematch => "propose to play again",
            Word::Accept => "say yes",
            Word::Decline => "say no",
            Word::Resign => "give the game up",
            Word::Claim => "end the game when the other did not return",
            Word::Flag => "point out that the other's time is over",
            Word::Bot => "let a bot come, while you wait in your room",
            Word::Values => "what each free cell is worth; not on a server",
            Word::Review => "what each move of the finished game was worth, and where it was lost",
            Word::Keys => "how digits number the cells",
            Word::Save => "write the game to a file, for noughts replay",
            Word::Help => "this help",
            Word::Quit => "leave",
        }
    }

    /// The moves, among the typed commands.
    pub fn moves_help(self) -> [(&'static str, &'static str); 3] {
        [
            ("h8", "mark column h, row 8"),
            ("8 8", "the same by numbers; 3,2,1 where there are layers"),
            ("5", "the cell or column with this number, on small boards"),
        ]
    }

    /// The headings of the help.
    pub fn help_headings(self) -> [&'static str; 2] {
        ["Keys", "Typed, after : or in line mode"]
    }
}
