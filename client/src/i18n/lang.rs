//! Languages and their selection.
//!
//! Precedence: `--lang`, `NOUGHTS_LANG`, the settings file, then the locale (`LC_ALL`, `LC_MESSAGES`, `LANG`).
//! All inputs are arguments: this module reads neither the environment nor files.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

pub(crate) use crate::i18n::messages::Lang;
use crate::settings::Setting;

/// Error for a text that does not name a supported language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown_language")]
pub struct LangError;

/// Environment variable with the path of the settings file.
pub(crate) const CONFIG_VARIABLE: &str = "NOUGHTS_CONFIG";

impl Lang {
    /// Returns the language's name in the language itself.
    pub fn own_name(self) -> &'static str {
        self.texts().language_name()
    }

    /// Returns the language of the locale. `env` looks up a variable. Empty variables count as unset.
    ///
    /// Returns English for unsupported languages and for encodings other than UTF-8.
    pub fn from_locale(env: impl Fn(&str) -> Option<String>) -> Lang {
        let first = |names: [&str; 3]| {
            names
                .into_iter()
                .filter_map(&env)
                .find(|value| !value.is_empty())
        };
        let encoding = first(["LC_ALL", "LC_CTYPE", "LANG"]).unwrap_or_default();
        if !supports_unicode(&encoding) {
            return Lang::En;
        }
        let locale = first(["LC_ALL", "LC_MESSAGES", "LANG"]).unwrap_or_default();
        locale.parse().unwrap_or_default()
    }

    /// Returns the language for help and errors before the command line is parsed. `env` looks up a variable; `file`
    /// reads the language from the settings file at a path, or at the default path. Invalid values are ignored here,
    /// and reported when the command line is parsed.
    pub fn detect(
        arguments: &[OsString],
        env: impl Fn(&str) -> Option<String>,
        file: impl FnOnce(Option<String>) -> Option<Lang>,
    ) -> Lang {
        let flag_or_variable = |flag, variable| {
            flag_value(arguments, flag).or_else(|| env(variable).filter(|value| !value.is_empty()))
        };
        let selected = match flag_or_variable("--lang", Setting::Lang.entry().variable) {
            Some(text) => text.parse().ok(),
            None => file(flag_or_variable("--config", CONFIG_VARIABLE)),
        };
        selected.unwrap_or_else(|| Lang::from_locale(&env))
    }
}

/// Returns the value of the last flag of this name.
fn flag_value(arguments: &[OsString], name: &str) -> Option<String> {
    let flags = || {
        arguments
            .iter()
            .take_while(|argument| *argument != "--")
            .filter_map(|argument| argument.to_str())
    };
    let separate = flags()
        .zip(flags().skip(1))
        .filter(|(flag, _)| *flag == name)
        .map(|(_, value)| value);
    let joined = flags().filter_map(|flag| flag.strip_prefix(name)?.strip_prefix('='));
    joined.chain(separate).last().map(str::to_owned)
}

/// Returns whether a locale's encoding is UTF-8 or unspecified. `C` and `POSIX` are ASCII.
fn supports_unicode(locale: &str) -> bool {
    let locale = locale.split('@').next().unwrap_or_default();
    match locale.split_once('.') {
        Some((_, charset)) => matches!(charset.to_ascii_lowercase().as_str(), "utf-8" | "utf8"),
        None => !matches!(locale, "C" | "POSIX"),
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Lang {
    type Err = LangError;

    /// Parses a tag such as `zh-TW`, or a locale name such as `zh_TW.UTF-8`.
    fn from_str(text: &str) -> Result<Lang, LangError> {
        let tag = text
            .split(['.', '@'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let mut parts = tag.split(['-', '_']);
        match parts.next().unwrap_or_default() {
            "c" | "posix" => Ok(Lang::En),
            "zh" => {
                let traditional = match parts.next() {
                    // The script precedes the region and takes priority.
                    Some("hant" | "tw" | "hk" | "mo") => true,
                    Some(_) | None => false,
                };
                Ok(if traditional { Lang::Hant } else { Lang::Hans })
            }
            language => Lang::ALL
                .into_iter()
                .find(|lang| lang.as_str() == language)
                .ok_or(LangError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_tags_and_locales_parse() {
        for lang in Lang::ALL {
            assert_eq!(lang.to_string().parse(), Ok(lang));
        }
        for (text, expected) in [
            ("EN_gb", Ok(Lang::En)),
            ("C", Ok(Lang::En)),
            ("C.UTF-8", Ok(Lang::En)),
            ("ru_RU.UTF-8", Ok(Lang::Ru)),
            ("ru_UA.UTF-8@cyrillic", Ok(Lang::Ru)),
            ("zh", Ok(Lang::Hans)),
            ("zh_CN.UTF-8", Ok(Lang::Hans)),
            ("zh-SG", Ok(Lang::Hans)),
            ("zh_Hans_HK", Ok(Lang::Hans)),
            ("zh-TW", Ok(Lang::Hant)),
            ("zh_HK.UTF-8", Ok(Lang::Hant)),
            ("zh-MO", Ok(Lang::Hant)),
            ("zh-Hant-CN", Ok(Lang::Hant)),
            ("de_DE.UTF-8", Err(LangError)),
            ("russian", Err(LangError)),
            ("", Err(LangError)),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
    }

    fn check(arguments: &[&str], variables: &[(&str, &str)], expected: Lang) {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let env = |name: &str| {
            variables
                .iter()
                .find(|(variable, _)| *variable == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let no_file = |_| None;
        assert_eq!(
            Lang::detect(&arguments, env, no_file),
            expected,
            "{arguments:?} {variables:?}"
        );
    }

    #[test]
    fn settings_file_ranks_between_flags_and_locale() {
        // In this test the name of the file also stands for its contents.
        let file = |path: Option<String>| path?.parse().ok();
        for (line, variables, expected) in [
            ("noughts", &[("LANG", "ru_RU.UTF-8")][..], Lang::Ru),
            (
                "noughts --config zh",
                &[("LANG", "ru_RU.UTF-8")],
                Lang::Hans,
            ),
            (
                "noughts --config=zh play",
                &[("NOUGHTS_CONFIG", "ru")],
                Lang::Hans,
            ),
            (
                "noughts",
                &[("NOUGHTS_CONFIG", "ru"), ("NOUGHTS_LANG", "")],
                Lang::Ru,
            ),
            (
                "noughts",
                &[("NOUGHTS_CONFIG", "ru"), ("NOUGHTS_LANG", "zh-TW")],
                Lang::Hant,
            ),
            ("noughts --lang en", &[("NOUGHTS_CONFIG", "ru")], Lang::En),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let env = |name: &str| {
                variables
                    .iter()
                    .find(|(variable, _)| *variable == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(
                Lang::detect(&arguments, env, file),
                expected,
                "{line} {variables:?}"
            );
        }
    }

    #[test]
    fn flags_and_variables_rank_before_locale() {
        let russian = ("LANG", "ru_RU.UTF-8");
        check(&["noughts"], &[], Lang::En);
        check(&["noughts"], &[russian], Lang::Ru);
        check(
            &["noughts"],
            &[russian, ("LC_MESSAGES", "zh_TW.UTF-8")],
            Lang::Hant,
        );
        check(&["noughts"], &[russian, ("LC_MESSAGES", "")], Lang::Ru);
        check(
            &["noughts"],
            &[
                russian,
                ("LC_MESSAGES", "zh_TW.UTF-8"),
                ("LC_ALL", "zh_CN.utf8"),
            ],
            Lang::Hans,
        );
        check(&["noughts"], &[russian, ("NOUGHTS_LANG", "en")], Lang::En);
        check(
            &["noughts", "--lang", "zh-TW", "list"],
            &[russian, ("NOUGHTS_LANG", "en")],
            Lang::Hant,
        );
        check(&["noughts", "list", "--lang=zh"], &[russian], Lang::Hans);
        check(&["noughts", "--", "--lang=zh"], &[russian], Lang::Ru);
        check(&["noughts", "--lang", "xx"], &[russian], Lang::Ru);
    }

    #[test]
    fn non_unicode_locale_gets_english() {
        for locale in ["ru_RU.KOI8-R", "zh_CN.GB18030", "ru_RU.ISO-8859-5@x"] {
            check(&["noughts"], &[("LANG", locale)], Lang::En);
        }
        check(
            &["noughts"],
            &[("LC_CTYPE", "C"), ("LANG", "ru_RU.UTF-8")],
            Lang::En,
        );
        check(
            &["noughts"],
            &[("LC_CTYPE", "C"), ("NOUGHTS_LANG", "ru")],
            Lang::Ru,
        );
        check(
            &["noughts"],
            &[("LC_CTYPE", "C.UTF-8"), ("LANG", "ru_RU")],
            Lang::Ru,
        );
    }
}
