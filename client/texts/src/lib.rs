//! The texts of Noughts, in Project Fluent's format: one folder per language, one file per area.
//!
//! ```text
//!  en/*.ftl ─┐                          ┌── rust::generate ────── methods of `Texts` in the terminal client
//!  ru/*.ftl ─┼── Catalogue::read ───────┤
//!   ...     ─┘   resolves references    └── page_modules::texts ─ modules of the browser page, one per language
//! ```
//!
//! Build scripts use this crate. Nothing is parsed when a program starts, and a missing message or argument is a
//! compile error. [`Catalogue::missing`] and [`Catalogue::errors`] are for the test: they name what a translator has to
//! mend. `README.md` beside this crate is the page for translators.
//!
//! ```
//! use std::path::Path;
//!
//! use noughts_texts::{Catalogue, page_modules, rust};
//!
//! let catalogue = Catalogue::read(Path::new("."))?;
//! assert!(rust::generate(&catalogue).contains("fn language_name(self)"));
//! let page = page_modules::texts(&catalogue);
//! assert!(page.iter().any(|(path, module)| path == "i18n/ru.js" && module.starts_with("export default {")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Alternatives (2026-11-27): `i18n-embed-fl` checks names at compile time too, but embeds the files and parses them at
//! every start, with `fluent-bundle`, `rust-embed` and locale data in the program. `fluent-static` generates functions,
//! but also formats with `fluent-bundle` at run time, requires an older `fluent-syntax`, and does not support the page.
//! CLDR's plural rules for whole numbers take ten lines for these languages, but `intl_pluralrules` would add the
//! tables of all languages and a parser for language tags.

pub mod page_modules;
pub mod rust;

mod catalogue;
mod checks;
mod scripts;

pub use catalogue::{Catalogue, Form, Message, Part, Pattern};

/// Script of a language. The checks of its texts use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Latin,
    Cyrillic,
    SimplifiedChinese,
    TraditionalChinese,
}

/// A language that has a folder of texts.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// BCP 47 tag, and name of the folder.
    pub tag: &'static str,
    /// Variant of the client's `Lang`.
    pub variant: &'static str,
    pub script: Script,
    pub plurals: PluralRule,
}

/// CLDR's rule for the plural forms of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluralRule {
    /// One form for 1, and another form for all other numbers.
    English,
    /// Three forms, depending on the last digits.
    Russian,
    /// One form for all numbers.
    Chinese,
}

impl PluralRule {
    /// Returns the plural categories of whole numbers.
    #[must_use]
    pub const fn categories(self) -> &'static [&'static str] {
        match self {
            PluralRule::English => &["one", "other"],
            PluralRule::Russian => &["one", "few", "many"],
            PluralRule::Chinese => &["other"],
        }
    }
}

/// All languages, English first because it replaces missing texts.
pub const LANGUAGES: &[Language] = &[
    Language {
        tag: "en",
        variant: "En",
        script: Script::Latin,
        plurals: PluralRule::English,
    },
    Language {
        tag: "ru",
        variant: "Ru",
        script: Script::Cyrillic,
        plurals: PluralRule::Russian,
    },
    Language {
        tag: "zh-Hans",
        variant: "Hans",
        script: Script::SimplifiedChinese,
        plurals: PluralRule::Chinese,
    },
    Language {
        tag: "zh-Hant",
        variant: "Hant",
        script: Script::TraditionalChinese,
        plurals: PluralRule::Chinese,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_text_is_translated_and_correct() {
        let catalogue = Catalogue::read(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(
            catalogue.messages.len() > 900,
            "{}",
            catalogue.messages.len()
        );
        assert_eq!(catalogue.missing(), Vec::<String>::new(), "not translated");
        assert_eq!(catalogue.errors(), Vec::<String>::new());
    }

    #[test]
    fn the_page_names_each_language_in_that_language() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let catalogue = Catalogue::read(folder).unwrap();
        noughts_golden::check_part(
            folder.join("../web/page/i18n.js"),
            "languages",
            &page_modules::language_list(&catalogue),
        );
    }
}
