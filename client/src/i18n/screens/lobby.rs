//! Texts of the home menu, of the lobby, and of the screen with several games.

use noughts_protocol::wire::LobbyCounts;

use crate::facts::{FormKind, MenuItem};
use crate::i18n::messages::{MENU_HINT, OWN_GAME_RESULT};
use crate::i18n::{Texts, word};
use crate::input::Key;
use crate::io::own_games::OwnGameResult;
use crate::io::saved_games::SavedGame;
use crate::puzzle::{PuzzleGame, PuzzleResult, PuzzleState, PuzzleTask};

impl Texts {
    /// Returns the name and the description of a home screen entry.
    pub fn menu_item(self, entry: MenuItem, saved_games: &[SavedGame]) -> (&'static str, String) {
        let name = match entry {
            MenuItem::Continue(_) | MenuItem::Return(_) => self.menu_continue(),
            MenuItem::Again => self.menu_again(),
            MenuItem::Join => self.menu_join(),
            MenuItem::Watch => self.menu_watch(),
            MenuItem::Puzzle => self.puzzle_menu(),
            MenuItem::OwnGames => self.menu_own_games(),
            MenuItem::Quit => self.menu_quit(),
            MenuItem::Quick => self.form_title(FormKind::Quick),
            MenuItem::Private => self.form_title(FormKind::Private),
            MenuItem::Host => self.form_title(FormKind::Host),
            MenuItem::Local => self.form_title(FormKind::Local),
            MenuItem::Bot => self.form_title(FormKind::Bot),
            MenuItem::Settings => self.form_title(FormKind::Settings),
        };
        let description = match entry {
            MenuItem::Continue(index) => {
                let game = saved_games.get(index);
                game.map_or_else(String::new, |game| self.saved_game(game))
            }
            // The model describes these entries, because only the model knows their games.
            MenuItem::Again | MenuItem::Return(_) => String::new(),
            MenuItem::Quick
            | MenuItem::Private
            | MenuItem::Join
            | MenuItem::Watch
            | MenuItem::Local
            | MenuItem::Bot
            | MenuItem::Puzzle
            | MenuItem::OwnGames
            | MenuItem::Settings
            | MenuItem::Host
            | MenuItem::Quit => self.keyed(&MENU_HINT, &word(&entry)).to_owned(),
        };
        (name, description)
    }

    /// Says what the server offers for a menu entry; `None` for an entry without numbers.
    pub fn menu_counts(self, item: MenuItem, counts: LobbyCounts) -> Option<String> {
        let LobbyCounts { waiting, games, .. } = counts;
        let text = match item {
            MenuItem::Quick => self.menu_count_quick(waiting),
            MenuItem::Watch => self.menu_count_watch(games),
            MenuItem::Continue(_)
            | MenuItem::Return(_)
            | MenuItem::Again
            | MenuItem::Private
            | MenuItem::Host
            | MenuItem::Join
            | MenuItem::Local
            | MenuItem::Bot
            | MenuItem::Puzzle
            | MenuItem::OwnGames
            | MenuItem::Settings
            | MenuItem::Quit => return None,
        };
        Some(text)
    }

    /// Describes the puzzle of the day, or the streak once it is solved.
    pub(crate) fn puzzle_entry(self, game: &PuzzleGame) -> String {
        let PuzzleTask {
            rules, seat, moves, ..
        } = game.task();
        match game.progress.state {
            PuzzleState::Solved => self.puzzle_done(game.progress.streak),
            PuzzleState::GivenUp => self.puzzle_failed().to_owned(),
            PuzzleState::Open => self.puzzle_task(self.short_rules(&rules), moves, seat),
        }
    }

    /// Returns the end of a puzzle, with the solution if the player has not found it.
    pub(crate) fn puzzle_result(self, result: &PuzzleResult) -> String {
        match result.solved {
            true if result.streak > 1 => {
                let tries = self.puzzle_solved(result.mistakes + 1);
                format!("{tries} {}", self.puzzle_streak(result.streak))
            }
            true => self.puzzle_solved(result.mistakes + 1),
            false => self.puzzle_given_up(self.join_list(&result.moves)),
        }
    }

    /// Returns the result of a puzzle as a line to share.
    pub(crate) fn puzzle_shared(self, result: &PuzzleResult) -> String {
        let PuzzleTask {
            date, rules, moves, ..
        } = &result.task;
        let end = match result.solved {
            true => self.puzzle_result(result),
            false => String::new(),
        };
        let line = self.puzzle_share(date, self.short_rules(rules), *moves, end);
        line.trim_end().to_owned()
    }

    /// Labels the server and the player's name.
    pub fn home_labels(self) -> [&'static str; 2] {
        [self.home_server(), self.home_you()]
    }

    /// Says that a server does not answer, and when the next attempt is made.
    pub fn server_offline(self, left_ms: u64) -> String {
        self.server_retry(self.seconds(left_ms))
    }
}

impl Texts {
    /// Says how many other players wait, and how many are in games.
    pub fn who_else(self, counts: LobbyCounts) -> String {
        let others = counts.waiting.saturating_sub(1);
        self.who_else_numbers(counts.games.saturating_mul(2), others)
    }

    /// Says how many connections and games the server has.
    pub fn lobby_counts(self, counts: LobbyCounts) -> String {
        let LobbyCounts {
            persons,
            bots,
            games,
            ..
        } = counts;
        self.lobby_numbers(bots, games, persons)
    }

    /// Headings of the list of seeks: player, game, clock, the player's own mark, waiting time.
    pub fn seek_columns(self) -> [&'static str; 5] {
        [
            self.column_player(),
            self.column_game(),
            self.column_clock(),
            self.column_you_play(),
            self.column_waiting(),
        ]
    }

    /// Headings of the list of rooms: players, game, clock, number of spectators, status.
    pub fn room_columns(self) -> [&'static str; 5] {
        [
            self.column_players(),
            self.column_game(),
            self.column_clock(),
            self.column_spectators(),
            self.column_status(),
        ]
    }

    /// Headings of the list of the player's own games: date, game, opponent, result, number of moves.
    pub fn own_game_columns(self) -> [&'static str; 5] {
        [
            self.column_date(),
            self.column_game(),
            self.column_opponent(),
            self.column_result(),
            self.column_moves(),
        ]
    }

    /// Names the result of one of the player's own games in a list.
    pub fn own_game_result(self, result: OwnGameResult) -> &'static str {
        self.keyed(&OWN_GAME_RESULT, &word(&result))
    }

    /// Returns the title of the waiting screen.
    pub fn waiting_title(self, is_seek: bool) -> &'static str {
        match is_seek {
            true => self.waiting_title_seek(),
            false => self.waiting_title_connect(),
        }
    }
}

impl Texts {
    /// Returns the title of the screen with several games.
    pub fn watching_title(self, count: usize) -> String {
        self.watching_games(self.games_watched(count))
    }

    /// Names the key that shows a game alone.
    pub fn shows_alone(self, key: Key) -> String {
        self.key_shows_alone(self.key(key))
    }

    /// Returns the line-mode help for several games.
    pub fn multi_watch_help(self, count: usize) -> String {
        self.several_games_help(self.games_watched(count))
    }
}
