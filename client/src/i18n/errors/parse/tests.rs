use std::borrow::Cow;

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::id::IdError;
use noughts_protocol::player::NameError;
use noughts_protocol::record::RecordErrorKind;
use noughts_protocol::{CellError, MoveError, RulesError};

use super::*;
use crate::bot::policy::ParseClocksError;
use crate::connection::server_url::{InviteError, ServerUrlError};
use crate::engine::LevelError;
use crate::engines::player_engine::ParseEngineSpecError;
use crate::facts::FormFieldError;
use crate::i18n::lang::{Lang, LangError};

/// Checks that the English text is the `Display`, and that each translation is another text.
fn check<E: Display + Copy>(errors: &[E], text: impl Fn(Texts, E) -> Cow<'static, str>) {
    for &error in errors {
        let english = text(Texts::new(Lang::En), error);
        assert_eq!(english, error.to_string());
        let [russian, hans, hant] =
            [Lang::Ru, Lang::Hans, Lang::Hant].map(|lang| text(Texts::new(lang), error));
        let is_cyrillic = |letter: char| ('а'..='я').contains(&letter);
        let is_chinese = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
        assert!(russian.contains(is_cyrillic), "{english}: {russian}");
        for chinese in [&hans, &hant] {
            assert!(
                chinese.contains(is_chinese) && !chinese.contains(is_cyrillic),
                "{english}: {chinese}"
            );
        }
    }
}

fn translated(texts: Texts, error: impl Display) -> Cow<'static, str> {
    let english = error.to_string();
    texts
        .translated_error(&error)
        .unwrap_or_else(|| panic!("{english} has no text"))
        .into()
}

const SERVER_URL_ERRORS: [ServerUrlError; 4] = [
    ServerUrlError::Syntax,
    ServerUrlError::Scheme,
    ServerUrlError::Port,
    ServerUrlError::Parts,
];
const NAME_ERRORS: [NameError; 3] = [NameError::Empty, NameError::TooLong, NameError::Character];
const RULES_ERRORS: [RulesError; 12] = [
    RulesError::Empty,
    RulesError::TooLong,
    RulesError::Syntax,
    RulesError::UnknownName,
    RulesError::Dimensions,
    RulesError::Side,
    RulesError::Cells,
    RulesError::Line,
    RulesError::UnknownFlag,
    RulesError::RepeatedFlag,
    RulesError::GravityNeedsRows,
    RulesError::Incompatible,
];
const CLOCK_ERRORS: [TimeControlError; 3] = [
    TimeControlError::Syntax,
    TimeControlError::Base,
    TimeControlError::Increment,
];
const CELL_ERRORS: [CellError; 3] = [
    CellError::Syntax,
    CellError::Dimensions,
    CellError::OffBoard,
];
const MOVE_ERRORS: [MoveError; 4] = [
    MoveError::OffBoard,
    MoveError::Taken,
    MoveError::ColumnFull,
    MoveError::GameOver,
];

#[test]
fn english_errors_are_their_display_and_all_are_translated() {
    check(&SERVER_URL_ERRORS, translated);
    check(&SERVER_URL_ERRORS.map(InviteError::Server), translated);
    check(&[InviteError::Room], translated);
    check(&NAME_ERRORS, translated);
    check(&RULES_ERRORS, translated);
    check(&CLOCK_ERRORS, translated);
    check(&CELL_ERRORS, translated);
    check(&MOVE_ERRORS, translated);
    check(&[LevelError], translated);
    check(&[LangError], translated);
    check(&[ParseClocksError], translated);
    check(&[ParseEngineSpecError], translated);
    check(&[IdError], translated);
    check(&[NumberError { min: 1, max: 64 }], |texts, error| {
        texts.number_error(error).into()
    });
}

#[test]
fn english_record_errors_are_their_display_and_all_are_translated() {
    let verdict_error = "nobody"
        .parse::<noughts_protocol::outcome::Verdict>()
        .unwrap_err();
    let mut kinds = vec![
        RecordErrorKind::TooLong,
        RecordErrorKind::Tag,
        RecordErrorKind::RepeatedTag,
        RecordErrorKind::NoRules,
        RecordErrorKind::Result(verdict_error),
        RecordErrorKind::Number,
        RecordErrorKind::Mismatch,
    ];
    kinds.extend(RULES_ERRORS.map(RecordErrorKind::Rules));
    kinds.extend(CLOCK_ERRORS.map(RecordErrorKind::Clock));
    kinds.extend(CELL_ERRORS.map(RecordErrorKind::Cell));
    kinds.extend(MOVE_ERRORS.map(RecordErrorKind::Move));
    let errors: Vec<RecordError> = kinds
        .into_iter()
        .map(|kind| RecordError { line: 7, kind })
        .collect();
    check(&errors, |texts, error| texts.record_error(&error).into());
    let russian = Texts::new(Lang::Ru).record_error(&errors[0]);
    assert_eq!(russian, "строка 7: запись длиннее 32 КиБ");
}

#[test]
fn plain_errors_of_fields_are_translated() {
    let errors = [
        FormFieldError::BadPort,
        FormFieldError::BadLevel,
        FormFieldError::BadEngine,
        FormFieldError::UnknownGame,
        FormFieldError::BadOption,
        FormFieldError::BadName(NameError::Empty),
    ];
    check(&errors, translated);
}
