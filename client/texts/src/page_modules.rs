//! The texts of the browser page: messages with names that begin with `page-`. The page loads the texts in
//! `page-screens.ftl` after the first screen. Texts that the page shares with the terminal are references in the
//! English files.

use crate::{Catalogue, LANGUAGES, Message, Part, Pattern};

/// Prefix of the names of the page's messages.
pub(crate) const PREFIX: &str = "page-";

/// Area of the texts that the first screen does not need.
const LATER_AREA: &str = "page-screens";

/// Returns the JavaScript files with the texts, by their path in the page.
#[must_use]
pub fn texts(catalogue: &Catalogue) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (is_later, folder) in [(false, "i18n/"), (true, "i18n/screens/")] {
        for (at, language) in LANGUAGES.iter().enumerate() {
            let messages = catalogue.messages.iter();
            let properties: String = messages
                .filter(|message| message.name.starts_with(PREFIX))
                .filter(|message| (message.area == LATER_AREA) == is_later)
                .map(|message| property(message, &message.patterns[at]))
                .collect();
            let path = format!("{folder}{}.js", language.tag.to_lowercase());
            files.push((path, format!("export default {{\n{properties}}};\n")));
        }
    }
    files
}

/// Returns the tag and the native name of each language, as properties of a JavaScript object.
#[must_use]
pub fn language_list(catalogue: &Catalogue) -> String {
    let mut messages = catalogue.messages.iter();
    let names = messages
        .find(|message| message.name == "language-name")
        .map_or(&[][..], |message| &message.patterns);
    let properties = LANGUAGES.iter().zip(names).map(|(language, name)| {
        let tag = language.tag.to_lowercase();
        format!("  {}: {},\n", property_name(&tag), quote(&text(name)))
    });
    properties.collect()
}

/// Returns the name of a property, quoted only if necessary.
fn property_name(name: &str) -> String {
    let is_plain = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// Returns a text as a property.
fn property(message: &Message, pattern: &[Part]) -> String {
    let key = property_name(message.name.strip_prefix(PREFIX).unwrap_or(&message.name));
    let value = match pattern {
        [Part::Plural { forms, .. }] => {
            let forms: Vec<String> = forms
                .iter()
                .map(|form| format!("{}: {}", form.key, quote(&text(&form.pattern))))
                .collect();
            format!("{{ {} }}", forms.join(", "))
        }
        parts => quote(&text(parts)),
    };
    format!("{key}: {value},\n")
}

/// Returns a text with its values in braces, which the page replaces.
fn text(pattern: &[Part]) -> String {
    let parts = pattern.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Argument(name) => format!("{{{name}}}"),
        Part::SpaceAfter(name) => format!("{{{name}}} "),
        Part::SpaceBefore(name) => format!(" {{{name}}}"),
        // On the page a choice is always a whole text; `checks` rejects other texts.
        Part::Plural { .. } => String::new(),
    });
    parts.collect()
}

/// Returns a string literal of JavaScript.
fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}

/// Returns whether the page can show a text. A choice by a number must be the whole text and use the value `n`.
pub(crate) fn is_supported(pattern: &Pattern) -> bool {
    let is_choice = |part: &Part| matches!(part, Part::Plural { .. });
    match pattern.as_slice() {
        [
            Part::Plural {
                argument, forms, ..
            },
        ] => argument == "n" && forms.iter().all(|form| !form.pattern.iter().any(is_choice)),
        parts => !parts.iter().any(is_choice),
    }
}
