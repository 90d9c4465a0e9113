//! Other keyboard layouts and input methods: returns the Latin key for a character.

/// Letters of the Russian layout with the Latin keys in the same places, and full-width signs of Chinese input methods
/// with their ASCII signs.
const OTHER_CHARACTERS: &[(char, char)] = &[
    ('й', 'q'),
    ('ц', 'w'),
    ('у', 'e'),
    ('к', 'r'),
    ('е', 't'),
    ('н', 'y'),
    ('г', 'u'),
    ('ш', 'i'),
    ('щ', 'o'),
    ('з', 'p'),
    ('х', '['),
    ('ъ', ']'),
    ('ф', 'a'),
    ('ы', 's'),
    ('в', 'd'),
    ('а', 'f'),
    ('п', 'g'),
    ('р', 'h'),
    ('о', 'j'),
    ('л', 'k'),
    ('д', 'l'),
    ('ж', ';'),
    ('э', '\''),
    ('я', 'z'),
    ('ч', 'x'),
    ('с', 'c'),
    ('м', 'v'),
    ('и', 'b'),
    ('т', 'n'),
    ('ь', 'm'),
    ('б', ','),
    ('ю', '.'),
    ('Ж', ':'),
    ('Х', '{'),
    ('Ъ', '}'),
    ('，', ','),
    ('。', '.'),
    ('？', '?'),
    ('：', ':'),
    ('＝', '='),
    ('【', '['),
    ('】', ']'),
];

/// Returns the character of the same key on a Latin keyboard; `None` for a letter of an unknown layout.
pub(crate) fn latin_key(letter: char) -> Option<char> {
    let plain = |letter: char| {
        OTHER_CHARACTERS
            .iter()
            .find(|(cyrillic, _)| *cyrillic == letter)
            .map(|(_, latin)| *latin)
    };
    plain(letter).or_else(|| {
        let lower = letter
            .to_lowercase()
            .next()
            .filter(|&lower| lower != letter)?;
        plain(lower).map(|latin| latin.to_ascii_uppercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_map_to_the_key_at_the_same_place() {
        for (letter, latin) in [
            ('р', Some('h')),
            ('Р', Some('H')),
            ('Ж', Some(':')),
            ('h', None),
            ('明', None),
            ('？', Some('?')),
        ] {
            assert_eq!(latin_key(letter), latin, "{letter}");
        }
    }
}
