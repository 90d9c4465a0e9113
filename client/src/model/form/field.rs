//! Initial texts, options and checks of form fields, and the list of games that a form opens, with its filter.

use std::num::NonZeroU16;

use noughts_protocol::{Rules, Seat};

use crate::connection::server_url::{Invite, ServerUrl};
use crate::engine::Level;
use crate::engines::player_engine::EngineSpec;
use crate::facts::{FieldId, FormField, FormFieldError, FormKind};
use crate::i18n::Texts;
use crate::input::TextInput;
use crate::model::local_game::LocalPlayerSpec;
use crate::settings::Settings;

const SEAT_OPTIONS: [&str; 3] = ["random", "X", "O"];
const SEAT_ASSIGNMENT_OPTIONS: [&str; 3] = ["first", "second", "random"];

/// Stores the text of a valid field in the settings.
///
/// # Errors
/// Returns an error if the text is not a value of the setting.
pub(super) fn store_field_value(
    settings: &mut Settings,
    id: FieldId,
    text: &str,
) -> Result<(), FormFieldError> {
    match id {
        FieldId::Setting(setting) => return (setting.entry().set)(settings, text),
        FieldId::Seat => settings.seat = text.parse().ok(),
        FieldId::FirstPlayer => {
            if let Ok(LocalPlayerSpec::Person(name)) = text.parse() {
                settings.name = name;
            }
        }
        FieldId::Opponent => {
            if let LocalPlayerSpec::Bot(EngineSpec::Level(level)) = parse_opponent(text)? {
                settings.level = level;
            }
        }
        FieldId::Port | FieldId::Invite | FieldId::SecondPlayer | FieldId::SeatAssignment => {}
    }
    Ok(())
}

/// Parses the opponent of a local game: a level, with or without `bot:`, or an engine.
///
/// # Errors
/// Returns an error if the text is neither a level nor an engine.
pub(super) fn parse_opponent(text: &str) -> Result<LocalPlayerSpec, FormFieldError> {
    if let Ok(level) = text.parse::<Level>() {
        return Ok(LocalPlayerSpec::Bot(EngineSpec::Level(level)));
    }
    match text.parse()? {
        bot @ LocalPlayerSpec::Bot(_) => Ok(bot),
        LocalPlayerSpec::Person(_) => Err(FormFieldError::BadLevel),
    }
}

impl FormField {
    /// Creates a field that is filled in with the current settings.
    pub(super) fn new(id: FieldId, kind: FormKind, settings: &Settings) -> FormField {
        let bots =
            || Level::ALL.map(|level| LocalPlayerSpec::Bot(EngineSpec::Level(level)).to_string());
        let (text, options, is_free_text) = match id {
            FieldId::Setting(setting) => {
                let entry = setting.entry();
                (
                    (entry.text)(settings),
                    (entry.options)(),
                    entry.is_free_text,
                )
            }
            FieldId::Port => (ServerUrl::DEFAULT_PORT.to_string(), Vec::new(), true),
            FieldId::Seat => {
                let options = SEAT_OPTIONS.map(str::to_owned);
                let seat = match kind {
                    // A newcomer gets the first move.
                    FormKind::Bot => Some(settings.seat.unwrap_or(Seat::X)),
                    FormKind::Quick
                    | FormKind::Private
                    | FormKind::Host
                    | FormKind::Join
                    | FormKind::Local
                    | FormKind::Settings => settings.seat,
                };
                let seat = seat.map(|seat| seat.to_string());
                (seat.unwrap_or(options[0].clone()), options.into(), false)
            }
            FieldId::Invite => (String::new(), Vec::new(), true),
            FieldId::FirstPlayer => {
                let name = settings.name.to_string();
                (
                    name.clone(),
                    [name].into_iter().chain(bots()).collect(),
                    true,
                )
            }
            FieldId::SecondPlayer => {
                let friend = settings.lang.texts().second_player().to_string();
                (
                    friend.clone(),
                    [friend].into_iter().chain(bots()).collect(),
                    true,
                )
            }
            FieldId::Opponent => {
                let level = LocalPlayerSpec::Bot(EngineSpec::Level(settings.level));
                (level.to_string(), bots().into(), false)
            }
            FieldId::SeatAssignment => {
                let options = SEAT_ASSIGNMENT_OPTIONS.map(str::to_owned);
                (options[0].clone(), options.into(), false)
            }
        };
        FormField {
            id,
            input: TextInput::new(text),
            options,
            is_free_text,
        }
    }

    /// Checks the text.
    ///
    /// # Errors
    /// Returns why the text is invalid.
    pub fn check(&self) -> Result<(), FormFieldError> {
        let text = self.input.text().trim();
        match self.id {
            FieldId::Setting(setting) => (setting.entry().set)(&mut Settings::default(), text),
            FieldId::Port => text
                .parse::<NonZeroU16>()
                .map(drop)
                .map_err(|_| FormFieldError::BadPort),
            FieldId::Invite => text
                .parse::<Invite>()
                .map(drop)
                .map_err(FormFieldError::BadInvite),
            FieldId::FirstPlayer | FieldId::SecondPlayer => {
                text.parse::<LocalPlayerSpec>().map(drop)
            }
            FieldId::Opponent => parse_opponent(text).map(drop),
            FieldId::Seat if text.parse::<Seat>().is_ok() => Ok(()),
            FieldId::Seat | FieldId::SeatAssignment => {
                let is_known = self
                    .options
                    .iter()
                    .any(|option| option.eq_ignore_ascii_case(text));
                if is_known {
                    Ok(())
                } else {
                    Err(FormFieldError::BadOption)
                }
            }
        }
    }
}

/// Sizes that fill the filter when the player asks for a board of another size.
const EXAMPLE_SIZES: &str = "9x9:5";

/// An entry of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameEntry {
    /// A named game, or a board with the sizes in the filter.
    Game(Rules),
    /// A board with sizes that have not been typed yet.
    OwnSizes,
}

/// Lengths of a line that the list offers for sizes without a length.
const SUGGESTED_LINES: [u8; 3] = [3, 4, 5];

/// The list, while it covers the form.
#[derive(Clone, Debug)]
pub(crate) struct GamePicker {
    /// Part of a name, or sizes.
    pub filter: TextInput,
    /// Index of the selected entry.
    pub selected: usize,
    /// Whether closing the list leads back to the form. Otherwise it also leaves the form.
    pub returns_to_form: bool,
}

impl GamePicker {
    /// Opens the list with this game selected. The sizes of a game without a name fill the filter.
    pub(crate) fn new(rules: &Rules, returns_to_form: bool) -> GamePicker {
        let selected = named_games().position(|(_, named)| named == *rules);
        let filter = if selected.is_some() {
            String::new()
        } else {
            rules.to_string()
        };
        GamePicker {
            filter: TextInput::new(filter),
            selected: selected.unwrap_or(0),
            returns_to_form,
        }
    }

    /// Returns the entries that match the filter.
    pub(crate) fn entries(&self, texts: Texts) -> Vec<GameEntry> {
        let typed = self.filter.text().trim().to_lowercase();
        let stated = typed.parse::<Rules>().ok();
        let is_match = |name: &str, rules: &Rules| {
            let texts = [
                name.to_owned(),
                rules.to_string(),
                texts.rules(rules).to_lowercase(),
            ];
            stated == Some(*rules) || texts.iter().any(|text| text.contains(&typed))
        };
        let own = |rules: &Rules| rules.name().is_none();
        let stated_own = stated.filter(own).map(GameEntry::Game);
        let suggested = SUGGESTED_LINES.map(|line| format!("{typed}:{line}").parse().ok());
        let suggested = suggested
            .into_iter()
            .flatten()
            .filter(|rules| typed.contains('x') && own(rules));
        let named = named_games().filter(|(name, rules)| is_match(name, rules));
        let named = named.map(|(_, rules)| GameEntry::Game(rules));
        stated_own
            .into_iter()
            .chain(named)
            .chain(suggested.map(GameEntry::Game))
            .chain(typed.is_empty().then_some(GameEntry::OwnSizes))
            .collect()
    }

    /// Returns the selected entry; `None` if no game matches the filter.
    pub(crate) fn selected_entry(&self, texts: Texts) -> Option<GameEntry> {
        let entries = self.entries(texts);
        entries
            .get(self.selected.min(entries.len().checked_sub(1)?))
            .copied()
    }

    /// Moves the selection down by this number of rows. It stops at the ends.
    pub(crate) fn move_selection(&mut self, texts: Texts, rows: isize) {
        let last = self.entries(texts).len().saturating_sub(1);
        self.selected = self
            .selected
            .min(last)
            .saturating_add_signed(rows)
            .min(last);
    }

    /// Edits the filter. If the filter changes, its first match is selected.
    pub(crate) fn edit_filter(&mut self, edit: impl FnOnce(&mut TextInput)) {
        let before = self.filter.text().to_owned();
        edit(&mut self.filter);
        if self.filter.text() != before {
            self.selected = 0;
        }
    }

    /// Fills the filter with example sizes. Typing replaces them.
    pub(crate) fn suggest_sizes(&mut self) {
        self.filter.set(EXAMPLE_SIZES);
        self.selected = 0;
    }
}

fn named_games() -> impl Iterator<Item = (&'static str, Rules)> {
    Rules::NAMED
        .iter()
        .filter_map(|(name, text)| Some((*name, text.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::lang::Lang;

    fn names(lang: Lang, typed: &str) -> Vec<String> {
        let mut picker = GamePicker::new(&"3x3:3".parse().unwrap(), true);
        picker.filter.set(typed);
        let name = |entry| match entry {
            GameEntry::Game(rules) => rules.to_string(),
            GameEntry::OwnSizes => "own".to_owned(),
        };
        picker.entries(lang.texts()).into_iter().map(name).collect()
    }

    #[test]
    fn the_filter_knows_names_of_the_language_typed_names_and_sizes() {
        assert_eq!(names(Lang::En, "CONNECT"), ["7x6:4+gravity"]);
        assert_eq!(names(Lang::Ru, "гомоку 1"), ["15x15:5", "19x19:5"]);
        assert_eq!(
            names(Lang::Hans, "四子棋"),
            ["7x6:4+gravity", "4x4x4:4+gravity"]
        );
        assert_eq!(names(Lang::Hans, "connect4"), ["7x6:4+gravity"]);
        assert_eq!(names(Lang::En, "19x19"), ["19x19:5", "19x19:3", "19x19:4"]);
        assert_eq!(names(Lang::En, "9X9"), ["9x9:3", "9x9:4", "9x9:5"]);
        assert_eq!(names(Lang::En, "9x9:5+exact"), ["9x9:5+exact"]);
        assert_eq!(names(Lang::En, "chess"), Vec::<String>::new());
        let all = names(Lang::En, "");
        assert_eq!(
            (all.len(), all.last().unwrap().as_str()),
            (Rules::NAMED.len() + 1, "own")
        );
    }

    #[test]
    fn the_current_game_is_selected_and_own_sizes_stand_in_the_filter() {
        let texts = Lang::En.texts();
        for text in ["connect4", "tesseract", "9x9:4"] {
            let rules: Rules = text.parse().unwrap();
            let picker = GamePicker::new(&rules, true);
            assert_eq!(
                picker.selected_entry(texts),
                Some(GameEntry::Game(rules)),
                "{text}"
            );
        }
    }

    #[test]
    fn the_selection_stops_at_the_ends() {
        let texts = Lang::En.texts();
        let mut picker = GamePicker::new(&"3x3:3".parse().unwrap(), true);
        picker.move_selection(texts, -5);
        assert_eq!(picker.selected, 0);
        picker.move_selection(texts, 100);
        assert_eq!(picker.selected_entry(texts), Some(GameEntry::OwnSizes));
        picker.suggest_sizes();
        assert_eq!(
            picker.selected_entry(texts),
            Some(GameEntry::Game("9x9:5".parse().unwrap()))
        );
    }
}
