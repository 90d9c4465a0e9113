//! What is wrong with a command line, in the player's language.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use noughts_protocol::RulesError;
use noughts_protocol::clock::TimeControlError;
use noughts_protocol::id::IdError;
use noughts_protocol::player::NameError;

use super::NumberError;
use crate::bot::policy::ClocksError;
use crate::engine::LevelError;
use crate::lang::LangError;
use crate::model::FieldError;
use crate::server_url::{InviteError, ServerUrlError};
use crate::thinker::SpecError;
use crate::words::{Heading, Words, shown};

/// All that is to be printed for an error of clap. None for help and version, which print themselves, and
/// for what was wrong with this program rather than with its command line.
#[expect(clippy::wildcard_enum_match_arm, reason = "clap may get more kinds: those say it in English")]
pub fn complaint(words: Words, error: &clap::Error) -> Option<String> {
    let text = |kind: ContextKind| error.get(kind).map(said).unwrap_or_default();
    let number = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::Number(number)) => *number,
        Some(_) | None => 0,
    };
    // What was typed may have been pasted, and this goes to the terminal as it is.
    let argument = shown(&text(ContextKind::InvalidArg));
    let value = shown(&text(ContextKind::InvalidValue));
    let what = match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => words.no_value(&argument),
        ErrorKind::InvalidValue => words.wrong_value(&argument, &value, None),
        ErrorKind::ValueValidation => {
            let why = error.source().and_then(|why| because(words, why));
            words.wrong_value(&argument, &value, why.as_deref())
        }
        ErrorKind::UnknownArgument => words.unknown_argument(&argument),
        ErrorKind::InvalidSubcommand => words.unknown_command(&shown(&text(ContextKind::InvalidSubcommand))),
        ErrorKind::MissingRequiredArgument => words.missing(&argument),
        ErrorKind::ArgumentConflict => words.conflict(&argument, &text(ContextKind::PriorArg)),
        ErrorKind::TooFewValues => {
            words.too_few(&argument, number(ContextKind::MinValues), number(ContextKind::ActualNumValues))
        }
        ErrorKind::TooManyValues => words.too_many(&argument, &value),
        ErrorKind::InvalidUtf8 => words.no_text().to_owned(),
        _ => return None,
    };
    let mut lines = vec![words.complaint(&what)];
    let choices = text(ContextKind::ValidValue);
    if !choices.is_empty() {
        lines.push(format!("  {}", words.choices(&choices)));
    }
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        let meant = text(kind);
        if !meant.is_empty() {
            lines.push(words.perhaps(&meant));
        }
    }
    if let Some(usage) = error.get(ContextKind::Usage) {
        let usage = said(usage);
        let usage = usage.strip_prefix("Usage:").unwrap_or(&usage).trim().to_owned();
        lines.extend([String::new(), format!("{}: {usage}", words.heading(Heading::Usage))]);
    }
    lines.extend([String::new(), words.try_help().to_owned(), String::new()]);
    Some(lines.join("\n"))
}

/// A piece of the context as text.
#[expect(clippy::wildcard_enum_match_arm, reason = "clap may get more of them; none has a text")]
fn said(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Why a value will not do, by its type.
fn because(words: Words, why: &(dyn Error + 'static)) -> Option<String> {
    let text = if let Some(error) = why.downcast_ref::<RulesError>() {
        words.rules_error(*error)
    } else if let Some(error) = why.downcast_ref::<TimeControlError>() {
        words.clock_error(*error)
    } else if let Some(error) = why.downcast_ref::<NameError>() {
        words.name_error(*error)
    } else if let Some(error) = why.downcast_ref::<ServerUrlError>() {
        words.server_error(*error)
    } else if let Some(error) = why.downcast_ref::<InviteError>() {
        words.invite_error(*error)
    } else if let Some(error) = why.downcast_ref::<FieldError>() {
        words.field_fault(*error)
    } else if let Some(error) = why.downcast_ref::<LevelError>() {
        words.level_error(*error)
    } else if let Some(error) = why.downcast_ref::<ClocksError>() {
        words.clocks_error(*error)
    } else if let Some(error) = why.downcast_ref::<SpecError>() {
        words.spec_error(*error)
    } else if let Some(error) = why.downcast_ref::<LangError>() {
        words.lang_error(*error)
    } else if why.is::<IdError>() {
        words.room_error()
    } else if let Some(error) = why.downcast_ref::<NumberError>() {
        return Some(words.number_error(*error));
    } else {
        return None;
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use std::ffi::OsString;

    fn complain(line: &str, lang: Lang) -> String {
        let words = Words::new(lang);
        let arguments = line.split(' ').map(OsString::from).collect();
        let error = crate::cli::read(arguments, words).expect_err(line);
        complaint(words, &error).unwrap_or_else(|| panic!("{line}: {error}"))
    }

    #[test]
    fn what_is_wrong_is_told_in_every_language() {
        for line in [
            "noughts play --rules 3x3",
            "noughts play --rules 7:3+gravity",
            "noughts play --clock fast",
            "noughts play --name \u{1b}[2J",
            "noughts play ftp://example.org",
            "noughts play --seat z",
            "noughts play --seat",
            "noughts play --private --public",
            "noughts play --private --private",
            "noughts play --vs Ann",
            "noughts play --sead x",
            "noughts play a b",
            "noughts pley",
            "noughts join",
            "noughts join no-such",
            "noughts continue no-such",
            "noughts bot --count 0",
            "noughts bot --games -1",
            "noughts bot --clock 5+3..1+0",
            "noughts bot --level brutal",
            "noughts arena level:easy",
            "noughts arena level:easy Ann",
            "noughts local --x bot:brutal",
            "noughts completions csh",
            "noughts --lang xx",
        ] {
            let english = complain(line, Lang::En);
            assert!(english.is_ascii() && english.starts_with("error: "), "{line}: {english}");
            for lang in [Lang::Ru, Lang::Hans, Lang::Hant] {
                let text = complain(line, lang);
                for word in ["error", "value '", "argument", "expected", "Usage", "is "] {
                    assert!(!text.contains(word), "{line}: {text}");
                }
                let said = text.lines().next().unwrap_or_default();
                assert!(!said.is_ascii() && !said.contains('\u{1b}'), "{line}: {text}");
            }
        }
    }

    #[test]
    fn the_reason_comes_from_the_typed_error() {
        let text = complain("noughts play --rules 3x3x3x3x3:3", Lang::Hans);
        assert!(text.contains("棋盘有一到四维"), "{text}");
        let text = complain("noughts bot --count 65", Lang::Ru);
        assert!(text.contains("нужно целое число от 1 до 64"), "{text}");
    }
}
