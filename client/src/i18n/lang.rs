//! The languages of this program, and which of them a player gets.
//!
//! A choice that was made for this program counts first: `--lang`, then `NOUGHTS_LANG`, then the settings file.
//! Without one the locale decides, as `LC_ALL`, `LC_MESSAGES` and `LANG` tell it. Everything is passed in;
//! nothing here reads the environment or a file.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

/// A language that every text is there in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Russian.
    Ru,
    /// Chinese in simplified characters.
    Hans,
    /// Chinese in traditional characters.
    Hant,
}

/// A text names none of the languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the languages are en, ru, zh-Hans and zh-Hant")]
pub struct LangError;

/// The variable that chooses a language for this program alone.
pub const VARIABLE: &str = "NOUGHTS_LANG";
/// The variable that names the settings file.
pub const CONFIG_VARIABLE: &str = "NOUGHTS_CONFIG";

impl Lang {
    /// All of them.
    pub const ALL: [Lang; 4] = [Lang::En, Lang::Ru, Lang::Hans, Lang::Hant];

    /// The name, as typed: a tag of BCP 47.
    pub fn as_str(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Ru => "ru",
            Lang::Hans => "zh-Hans",
            Lang::Hant => "zh-Hant",
        }
    }

    /// What its speakers call it.
    pub fn own_name(self) -> &'static str {
        match self {
            Lang::En => "English",
            Lang::Ru => "русский",
            Lang::Hans => "简体中文",
            Lang::Hant => "繁體中文",
        }
    }

    /// The language of the locale. `env` looks a variable up; an empty one is as good as none.
    ///
    /// English where the locale's encoding cannot show another language, and for languages that are not
    /// among these.
    pub fn from_locale(env: impl Fn(&str) -> Option<String>) -> Lang {
        let first = |names: [&str; 3]| names.into_iter().filter_map(&env).find(|value| !value.is_empty());
        let encoding = first(["LC_ALL", "LC_CTYPE", "LANG"]).unwrap_or_default();
        if !supports_unicode(&encoding) {
            return Lang::En;
        }
        let locale = first(["LC_ALL", "LC_MESSAGES", "LANG"]).unwrap_or_default();
        locale.parse().unwrap_or_default()
    }

    /// The language to speak before the command line is understood: its help and its complaints need one.
    /// `env` looks a variable up, and `file` the language in the settings file, which may be named by then.
    /// What cannot be read here is complained about later, with everything else.
    pub fn detect(
        arguments: &[OsString],
        env: impl Fn(&str) -> Option<String>,
        file: impl FnOnce(Option<String>) -> Option<Lang>,
    ) -> Lang {
        let given = |flag, variable| {
            flag_value(arguments, flag).or_else(|| env(variable).filter(|value| !value.is_empty()))
        };
        let chosen = match given("--lang", VARIABLE) {
            Some(text) => text.parse().ok(),
            None => file(given("--config", CONFIG_VARIABLE)),
        };
        chosen.unwrap_or_else(|| Lang::from_locale(&env))
    }
}

/// What stands behind the last flag of this name.
fn flag_value(arguments: &[OsString], name: &str) -> Option<String> {
    let flags =
        || arguments.iter().take_while(|argument| *argument != "--").filter_map(|argument| argument.to_str());
    let separate = flags().zip(flags().skip(1)).filter(|(flag, _)| *flag == name).map(|(_, value)| value);
    let joined = flags().filter_map(|flag| flag.strip_prefix(name)?.strip_prefix('='));
    joined.chain(separate).last().map(str::to_owned)
}

/// Whether a locale's encoding has all characters: UTF-8, or none that is named. `C` and `POSIX` are ASCII.
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

    /// Reads a tag as in `zh-TW`, or the name of a locale as in `zh_TW.UTF-8`.
    fn from_str(text: &str) -> Result<Lang, LangError> {
        let tag = text.split(['.', '@']).next().unwrap_or_default().to_ascii_lowercase();
        let mut parts = tag.split(['-', '_']);
        match parts.next().unwrap_or_default() {
            "en" | "c" | "posix" => Ok(Lang::En),
            "ru" => Ok(Lang::Ru),
            "zh" => {
                let traditional = match parts.next() {
                    // The script is named before the region and outweighs it.
                    Some("hant" | "tw" | "hk" | "mo") => true,
                    Some(_) | None => false,
                };
                Ok(if traditional { Lang::Hant } else { Lang::Hans })
            }
            _ => Err(LangError),
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

    /// The one place that chooses: arguments and variables in, a language out.
    fn check(arguments: &[&str], variables: &[(&str, &str)], expected: Lang) {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let env = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        };
        let none = |_| None;
        assert_eq!(Lang::detect(&arguments, env, none), expected, "{arguments:?} {variables:?}");
    }

    #[test]
    fn settings_file_ranks_between_flags_and_locale() {
        // A file called by its language has it.
        let file = |path: Option<String>| path?.parse().ok();
        for (line, variables, expected) in [
            ("noughts", &[("LANG", "ru_RU.UTF-8")][..], Lang::Ru),
            ("noughts --config zh", &[("LANG", "ru_RU.UTF-8")], Lang::Hans),
            ("noughts --config=zh play", &[("NOUGHTS_CONFIG", "ru")], Lang::Hans),
            ("noughts", &[("NOUGHTS_CONFIG", "ru"), ("NOUGHTS_LANG", "")], Lang::Ru),
            ("noughts", &[("NOUGHTS_CONFIG", "ru"), ("NOUGHTS_LANG", "zh-TW")], Lang::Hant),
            ("noughts --lang en", &[("NOUGHTS_CONFIG", "ru")], Lang::En),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let env = |name: &str| {
                variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Lang::detect(&arguments, env, file), expected, "{line} {variables:?}");
        }
    }

    #[test]
    fn flags_and_variables_rank_before_locale() {
        let russian = ("LANG", "ru_RU.UTF-8");
        check(&["noughts"], &[], Lang::En);
        check(&["noughts"], &[russian], Lang::Ru);
        check(&["noughts"], &[russian, ("LC_MESSAGES", "zh_TW.UTF-8")], Lang::Hant);
        check(&["noughts"], &[russian, ("LC_MESSAGES", "")], Lang::Ru);
        check(&["noughts"], &[russian, ("LC_MESSAGES", "zh_TW.UTF-8"), ("LC_ALL", "zh_CN.utf8")], Lang::Hans);
        check(&["noughts"], &[russian, ("NOUGHTS_LANG", "en")], Lang::En);
        check(&["noughts", "--lang", "zh-TW", "list"], &[russian, ("NOUGHTS_LANG", "en")], Lang::Hant);
        check(&["noughts", "list", "--lang=zh"], &[russian], Lang::Hans);
        check(&["noughts", "--", "--lang=zh"], &[russian], Lang::Ru);
        check(&["noughts", "--lang", "xx"], &[russian], Lang::Ru);
    }

    #[test]
    fn non_unicode_locale_gets_english() {
        for locale in ["ru_RU.KOI8-R", "zh_CN.GB18030", "ru_RU.ISO-8859-5@x"] {
            check(&["noughts"], &[("LANG", locale)], Lang::En);
        }
        check(&["noughts"], &[("LC_CTYPE", "C"), ("LANG", "ru_RU.UTF-8")], Lang::En);
        check(&["noughts"], &[("LC_CTYPE", "C"), ("NOUGHTS_LANG", "ru")], Lang::Ru);
        check(&["noughts"], &[("LC_CTYPE", "C.UTF-8"), ("LANG", "ru_RU")], Lang::Ru);
    }
}
