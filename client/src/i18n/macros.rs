//! Macros for texts in all languages, checked at compile time.
//!
//! ```text
//! tr!(self, "leave", "выйти", "离开", "離開")                      // a text as it stands
//! trf!(self, "{who} leaves.", "{who} выходит.", "{who} 离开。", "{who} 離開。") // with values in it
//! translations!("столбец заполнен", "这一列已满", "這一行已滿") // the English is a `Display`
//! ```
//!
//! A missing text, a text in the wrong script, or a character of ambiguous width is a compile error. Terminals
//! draw `…`, `—`, `×`, `«»` and box-drawing characters one or two columns wide. Cyrillic letters are ambiguous,
//! too, but narrow wherever Russian is used.

mod scripts;

/// Selects the text in the language of a `Texts`: a `&'static str`.
macro_rules! tr {
    ($texts:expr, $en:literal, $ru:literal, $hans:literal, $hant:literal $(,)?) => {{
        const _: () = $crate::i18n::macros::check_texts($en, $ru, $hans, $hant);
        match $texts.lang() {
            $crate::i18n::lang::Lang::En => $en,
            $crate::i18n::lang::Lang::Ru => $ru,
            $crate::i18n::lang::Lang::Hans => $hans,
            $crate::i18n::lang::Lang::Hant => $hant,
        }
    }};
}

/// Formats the text in the language of a `Texts`, with captured arguments as in `format!`: a `String`.
macro_rules! trf {
    ($texts:expr, $en:literal, $ru:literal, $hans:literal, $hant:literal $(,)?) => {{
        const _: () = $crate::i18n::macros::check_texts($en, $ru, $hans, $hant);
        match $texts.lang() {
            $crate::i18n::lang::Lang::En => format!($en),
            $crate::i18n::lang::Lang::Ru => format!($ru),
            $crate::i18n::lang::Lang::Hans => format!($hans),
            $crate::i18n::lang::Lang::Hant => format!($hant),
        }
    }};
}

/// Checks the [`Translations`] of a text whose English is elsewhere, such as the `Display` of an error.
macro_rules! translations {
    ($ru:literal, $hans:literal, $hant:literal $(,)?) => {{
        const _: () = $crate::i18n::macros::check_texts("English", $ru, $hans, $hant);
        $crate::i18n::macros::Translations {
            ru: $ru,
            hans: $hans,
            hant: $hant,
        }
    }};
}

pub(crate) use {tr, translations, trf};

/// A text in all languages except English.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Translations {
    pub ru: &'static str,
    pub hans: &'static str,
    pub hant: &'static str,
}

/// Scripts found in a text, outside of placeholders.
#[derive(Clone, Copy)]
struct ScriptCheck {
    latin: bool,
    cyrillic: bool,
    chinese: bool,
    simplified: bool,
    traditional: bool,
    /// Number of placeholders.
    values: u32,
    /// Whether the text has a character that no text may contain.
    other: bool,
}

/// Checks at compile time that each text is in its own script.
pub(crate) const fn check_texts(en: &str, ru: &str, hans: &str, hant: &str) {
    let (en, ru, hans, hant) = (
        scan_scripts(en),
        scan_scripts(ru),
        scan_scripts(hans),
        scan_scripts(hant),
    );
    assert!(
        !en.cyrillic && !en.chinese && !en.other,
        "the English text has characters of another script"
    );
    assert!(
        !ru.chinese && !ru.other,
        "the Russian text has characters of another script"
    );
    assert!(
        !hans.cyrillic && !hans.other,
        "the Simplified Chinese text has characters of another script"
    );
    assert!(
        !hant.cyrillic && !hant.other,
        "the Traditional Chinese text has characters of another script"
    );
    // Russian plurals are one additional placeholder.
    assert!(
        ru.cyrillic || !en.latin || ru.values > en.values,
        "the Russian text has no Russian in it"
    );
    assert!(
        hans.chinese || !en.latin,
        "the Simplified Chinese text has no Chinese in it"
    );
    assert!(
        !hans.traditional,
        "the Simplified Chinese text has traditional characters"
    );
    assert!(
        !hant.simplified,
        "the Traditional Chinese text has simplified characters"
    );
    assert!(
        hant.chinese || !en.latin,
        "the Traditional Chinese text has no Chinese in it"
    );
}

const fn scan_scripts(text: &str) -> ScriptCheck {
    let bytes = text.as_bytes();
    let mut scripts = ScriptCheck {
        latin: false,
        cyrillic: false,
        chinese: false,
        simplified: false,
        traditional: false,
        values: 0,
        other: false,
    };
    let (mut offset, mut depth) = (0, 0);
    while offset < bytes.len() {
        let (letter, length) = decode_char(bytes, offset);
        match letter {
            0x7b => {
                depth += 1;
                scripts.values += 1;
            }
            0x7d => depth -= 1,
            0x41..=0x5a | 0x61..=0x7a if depth == 0 => scripts.latin = true,
            0x0a | 0x20..=0x7e => {}
            0x410..=0x44f | 0x401 | 0x451 => scripts.cyrillic = true,
            0x4e00..=0x9fff => {
                scripts.chinese = true;
                scripts.simplified |= scripts::is_simplified(letter);
                scripts.traditional |= scripts::is_traditional(letter);
            }
            // Chinese punctuation is always two columns wide.
            0x3001
            | 0x3002
            | 0x300a..=0x300d
            | 0xff01
            | 0xff08
            | 0xff09
            | 0xff0c
            | 0xff1a
            | 0xff1b
            | 0xff1f => {}
            _ => scripts.other = true,
        }
        offset += length;
    }
    scripts
}

/// Decodes the character at an offset of well-formed UTF-8. Returns it and its length in bytes.
const fn decode_char(bytes: &[u8], offset: usize) -> (u32, usize) {
    let first = bytes[offset] as u32;
    let (mut letter, length) = match first {
        0..0x80 => (first, 1),
        0x80..0xe0 => (first & 0x1f, 2),
        0xe0..0xf0 => (first & 0x0f, 3),
        _ => (first & 0x07, 4),
    };
    let mut next = 1;
    while next < length {
        letter = (letter << 6) | (bytes[offset + next] & 0x3f) as u32;
        next += 1;
    }
    (letter, length)
}

/// Selects the Russian plural form: `one` for 1 and 21, `few` for 2 to 4 and 22 to 24, `many` for all others.
pub(crate) fn russian_plural(
    count: u64,
    one: &'static str,
    few: &'static str,
    many: &'static str,
) -> &'static str {
    match (count % 10, count % 100) {
        (_, 11..=14) => many,
        (1, _) => one,
        (2..=4, _) => few,
        (_, _) => many,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn russian_plural_has_three_forms() {
        for (count, expected) in [
            (0, "ходов"),
            (1, "ход"),
            (2, "хода"),
            (4, "хода"),
            (5, "ходов"),
            (11, "ходов"),
            (12, "ходов"),
            (21, "ход"),
            (24, "хода"),
            (111, "ходов"),
            (121, "ход"),
        ] {
            assert_eq!(
                russian_plural(count, "ход", "хода", "ходов"),
                expected,
                "{count}"
            );
        }
    }

    #[test]
    fn a_text_of_another_language_is_rejected() {
        let fails = |texts: [&'static str; 4]| {
            let [en, ru, hans, hant] = texts;
            std::panic::catch_unwind(|| check_texts(en, ru, hans, hant)).is_err()
        };
        assert!(!fails(["leave", "выйти", "离开", "離開"]));
        assert!(!fails([
            "{name}: {0}.",
            "{name}: {0}.",
            "{name}：{0}。",
            "{name}：{0}。"
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
            ["say \"{0}\"", "«{0}» скажи", "说", "說"],
        ] {
            assert!(fails(wrong), "{wrong:?}");
        }
    }
}
