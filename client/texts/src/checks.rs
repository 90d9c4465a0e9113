//! Checks of the texts, which the build and the tests run.

use crate::page_modules::{self, PREFIX};
use crate::rust::{argument_names, arguments};
use crate::scripts::{is_simplified, is_traditional};
use crate::{Catalogue, LANGUAGES, Language, Message, Part, Pattern, Script};

impl Catalogue {
    /// Returns what is wrong with the texts. For the build, a missing translation is not an error, see
    /// [`Catalogue::missing`].
    #[must_use]
    pub fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        for message in &self.messages {
            let is_page = message.name.starts_with(PREFIX);
            let texts = LANGUAGES.iter().zip(&message.patterns);
            for ((language, pattern), _) in texts.zip(&message.has_own).filter(|(_, own)| **own) {
                let problems = [
                    script_problem(language, pattern, &message.patterns[0], is_page),
                    argument_problem(message, pattern, is_page),
                    plural_problem(language, pattern),
                    (is_page && !page_modules::is_supported(pattern))
                        .then(|| "the page cannot show this choice".to_owned()),
                ];
                for problem in problems.into_iter().flatten() {
                    errors.push(format!(
                        "{}/{}.ftl: {}: {problem}",
                        language.tag, message.area, message.name
                    ));
                }
            }
            if message.area.starts_with("page") && !is_page {
                errors.push(format!(
                    "{}: names of the page begin with {PREFIX}",
                    message.name
                ));
            }
            if message.name.contains('.') && !arguments(message).is_empty() {
                errors.push(format!("{}: an attribute has no arguments", message.name));
            }
        }
        errors
    }
}

/// Calls a function for each text of a pattern.
fn for_each_text(pattern: &Pattern, function: &mut impl FnMut(&str)) {
    for part in pattern {
        match part {
            Part::Text(text) => function(text),
            Part::Argument(_) | Part::SpaceAfter(_) | Part::SpaceBefore(_) => {}
            Part::Plural { forms, .. } => {
                for form in forms {
                    for_each_text(&form.pattern, function);
                }
            }
        }
    }
}

/// Scripts that occur in a text.
#[derive(Default)]
struct Scripts {
    has_latin: bool,
    has_cyrillic: bool,
    has_chinese: bool,
    simplified: Option<char>,
    traditional: Option<char>,
    /// A character that terminals draw one or two columns wide.
    ambiguous: Option<char>,
}

fn scripts(pattern: &Pattern) -> Scripts {
    let mut scripts = Scripts::default();
    for_each_text(pattern, &mut |text| {
        for letter in text.chars() {
            match letter {
                'a'..='z' | 'A'..='Z' => scripts.has_latin = true,
                '\n' | ' '..='~' => {}
                'а'..='я' | 'А'..='Я' | 'ё' | 'Ё' => scripts.has_cyrillic = true,
                '\u{4e00}'..='\u{9fff}' => {
                    scripts.has_chinese = true;
                    if is_simplified(letter) {
                        scripts.simplified = Some(letter);
                    }
                    if is_traditional(letter) {
                        scripts.traditional = Some(letter);
                    }
                }
                // Chinese punctuation is always two columns wide.
                '、' | '。' | '《'..='」' | '！' | '（' | '）' | '，' | '：' | '；' | '？' =>
                    {}
                _ => scripts.ambiguous = Some(letter),
            }
        }
    });
    scripts
}

/// Returns an error if a text is not in its language's script, or if terminals differ in how wide they draw it.
/// Cyrillic letters have an ambiguous width too, but are narrow wherever Russian is used.
fn script_problem(
    language: &Language,
    pattern: &Pattern,
    english: &Pattern,
    is_page: bool,
) -> Option<String> {
    let found = scripts(pattern);
    if let Some(letter) = found.ambiguous.filter(|_| !is_page) {
        return Some(format!("terminals draw {letter:?} with different widths"));
    }
    let (is_foreign, has_own) = match language.script {
        Script::Latin => (found.has_cyrillic || found.has_chinese, true),
        Script::Cyrillic => (found.has_chinese, found.has_cyrillic),
        Script::SimplifiedChinese | Script::TraditionalChinese => {
            (found.has_cyrillic, found.has_chinese)
        }
    };
    if is_foreign {
        return Some("has letters of another script".to_owned());
    }
    let is_foreign_chinese = match language.script {
        Script::SimplifiedChinese => found.traditional,
        Script::TraditionalChinese => found.simplified,
        Script::Latin | Script::Cyrillic => None,
    };
    if let Some(letter) = is_foreign_chinese {
        return Some(format!("{letter} belongs to the other Chinese script"));
    }
    // A translation may consist of arguments that replace the words of the English text.
    let is_untranslated = found.has_latin || argument_names(pattern).is_empty();
    (scripts(english).has_latin && !has_own && is_untranslated)
        .then(|| "is not translated".to_owned())
}

/// Returns an error if a text has an argument that no other text has, because its name must be a mistake. On the page,
/// all texts have the same arguments.
fn argument_problem(message: &Message, pattern: &Pattern, is_page: bool) -> Option<String> {
    let (english, own) = (
        argument_names(&message.patterns[0]),
        argument_names(pattern),
    );
    let is_lonely = |name: &&str| {
        let texts = message.patterns.iter();
        !english.contains(name)
            && texts
                .filter(|text| argument_names(text).contains(name))
                .count()
                == 1
    };
    if let Some(name) = own.iter().find(|name| is_lonely(name)) {
        return Some(format!("no other text has {{ ${name} }}"));
    }
    match english.difference(&own).next() {
        Some(name) if is_page => Some(format!("{{ ${name} }} is missing")),
        Some(_) | None => None,
    }
}

/// Returns an error if a choice by a number lacks a plural category of the language.
fn plural_problem(language: &Language, pattern: &Pattern) -> Option<String> {
    pattern.iter().find_map(|part| match part {
        Part::Plural {
            is_ordinal: false,
            forms,
            ..
        } => {
            let missing = language
                .plurals
                .categories()
                .iter()
                .find(|category| !forms.iter().any(|form| form.key == **category))?;
            Some(format!("the form [{missing}] is missing"))
        }
        Part::Plural { .. }
        | Part::Text(_)
        | Part::Argument(_)
        | Part::SpaceAfter(_)
        | Part::SpaceBefore(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(sources: [&str; 4]) -> Vec<String> {
        Catalogue::parse("game", sources).unwrap().errors()
    }

    #[test]
    fn a_text_of_another_language_is_rejected() {
        let rejects = |texts: [&str; 4]| {
            let sources = texts.map(|text| format!("leave = {text}\n"));
            !errors(sources.each_ref().map(String::as_str)).is_empty()
        };
        assert!(!rejects(["leave", "выйти", "离开", "離開"]));
        assert!(!rejects([
            "{ $a }: .",
            "{ $a }: .",
            "{ $a }：。",
            "{ $a }：。"
        ]));
        for wrong in [
            ["leave", "leave", "离开", "離開"],
            ["leave", "выйти", "leave", "離開"],
            ["leave", "выйти", "离开", "leave"],
            ["выйти", "выйти", "离开", "離開"],
            ["leave", "离开", "离开", "離開"],
            ["leave", "выйти", "離開", "離開"],
            ["leave", "выйти", "离开", "离开"],
            ["leave ...", "выйти…", "离开", "離開"],
            ["a - b", "а — б", "离开", "離開"],
            ["say \"{ $a }\"", "«{ $a }» скажи", "说", "說"],
            ["say { $a }", "скажи { $b }", "说", "說"],
        ] {
            assert!(rejects(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn each_plural_category_of_a_language_has_a_form() {
        let choice = |forms: &str| format!("moves = {{ $n ->\n{forms}\n }}\n");
        let english = choice("[one] move\n *[other] moves");
        let russian = choice("[one] ход\n [few] хода\n *[many] ходов");
        let chinese = ["moves = 步\n"; 2];
        let [hans, hant] = chinese;
        assert_eq!(
            errors([&english, &russian, hans, hant]),
            Vec::<String>::new()
        );
        let wrong = choice("[one] ход\n *[many] ходов");
        let problem = "ru/game.ftl: moves: the form [few] is missing";
        assert_eq!(errors([&english, &wrong, hans, hant]), [problem]);
    }
}
