//! Localized usage errors.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::NumberError;
use crate::i18n::{Texts, sanitize};

/// Translates a clap error. Returns `None` for help and version, which clap prints, and for errors in the command
/// definition.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "clap may add kinds; those are printed in English"
)]
pub(crate) fn localized_error(texts: Texts, error: &clap::Error) -> Option<String> {
    let context_value = |kind: ContextKind| error.get(kind).map(context_text).unwrap_or_default();
    let number = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::Number(number)) => *number,
        Some(_) | None => 0,
    };
    // The typed text may have been pasted, and would reach the terminal unescaped.
    let argument = sanitize(&context_value(ContextKind::InvalidArg));
    let value = sanitize(&context_value(ContextKind::InvalidValue));
    let message = match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => texts.missing_value(&argument),
        ErrorKind::InvalidValue => texts.invalid_value(&argument, &value, None),
        ErrorKind::ValueValidation => {
            let reason = error
                .source()
                .and_then(|source| value_error_text(texts, source));
            texts.invalid_value(&argument, &value, reason.as_deref())
        }
        ErrorKind::UnknownArgument => texts.unknown_argument(&argument),
        ErrorKind::InvalidSubcommand => {
            texts.unknown_command(sanitize(&context_value(ContextKind::InvalidSubcommand)))
        }
        ErrorKind::MissingRequiredArgument => texts.missing_argument(&argument),
        ErrorKind::ArgumentConflict => {
            texts.conflicting_arguments(&argument, &context_value(ContextKind::PriorArg))
        }
        ErrorKind::TooFewValues => texts.too_few_values(
            &argument,
            number(ContextKind::ActualNumValues),
            number(ContextKind::MinValues),
        ),
        ErrorKind::TooManyValues => texts.too_many_values(&argument, &value),
        ErrorKind::InvalidUtf8 => texts.not_utf8().to_owned(),
        _ => return None,
    };
    let mut lines = vec![texts.cli_error(&message)];
    let choices = context_value(ContextKind::ValidValue);
    if !choices.is_empty() {
        lines.push(format!("  {}", texts.possible_values(&choices)));
    }
    for kind in [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ] {
        let suggestion = context_value(kind);
        if !suggestion.is_empty() {
            lines.push(texts.suggestion(&suggestion));
        }
    }
    if let Some(usage) = error.get(ContextKind::Usage) {
        let usage = context_text(usage);
        let usage = usage
            .strip_prefix("Usage:")
            .unwrap_or(&usage)
            .trim()
            .to_owned();
        lines.extend([String::new(), format!("{}: {usage}", texts.heading_usage())]);
    }
    lines.extend([String::new(), texts.help_hint().to_owned(), String::new()]);
    Some(lines.join("\n"))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "clap may add kinds; none of them is printed"
)]
fn context_text(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Translates the typed error of a value parser.
fn value_error_text(texts: Texts, source: &(dyn Error + 'static)) -> Option<String> {
    match source.downcast_ref::<NumberError>() {
        Some(error) => Some(texts.number_error(*error)),
        None => texts.known_error(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::lang::Lang;
    use std::ffi::OsString;

    fn localized(line: &str, lang: Lang) -> String {
        let texts = Texts::new(lang);
        let arguments = line.split(' ').map(OsString::from).collect();
        let error = crate::cli::parse_args(arguments, texts).expect_err(line);
        localized_error(texts, &error).unwrap_or_else(|| panic!("{line}: {error}"))
    }

    #[test]
    fn errors_are_localized() {
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
            "noughts analyse",
            "noughts join no-such",
            "noughts continue no-such",
            "noughts bot --count 0",
            "noughts bot --games -1",
            "noughts bot --clock 5+3..1+0",
            "noughts bot --level brutal",
            "noughts arena brutal",
            "noughts local --x bot:brutal",
            "noughts completions csh",
            "noughts --lang xx",
            "noughts play --vs bot --private",
            "noughts bot --level hard -- x",
            "noughts watch k7qf3mzx 00000000 11111111 22222222 33333333 44444444 55555555",
        ] {
            let english = localized(line, Lang::En);
            assert!(
                english.is_ascii() && english.starts_with("error: "),
                "{line}: {english}"
            );
            for lang in [Lang::Ru, Lang::Hans, Lang::Hant] {
                let text = localized(line, lang);
                for word in ["error", "value '", "argument", "expected", "Usage", "is "] {
                    assert!(!text.contains(word), "{line}: {text}");
                }
                let first_line = text.lines().next().unwrap_or_default();
                assert!(
                    !first_line.is_ascii() && !first_line.contains('\u{1b}'),
                    "{line}: {text}"
                );
            }
        }
    }

    #[test]
    fn reason_comes_from_typed_error() {
        let text = localized("noughts play --rules 3x3x3x3x3:3", Lang::Hans);
        assert!(text.contains("棋盘为 1 到 4 维"), "{text}");
        let text = localized("noughts bot --count 65", Lang::Ru);
        assert!(text.contains("нужно целое число от 1 до 64"), "{text}");
    }
}
