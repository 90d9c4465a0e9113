//! Line breaking.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Wraps a text to a width in columns. Breaks between words and between Chinese characters, but not before a period or
/// a comma.
pub(crate) fn wrap_text(text: &str, columns: u16) -> Vec<String> {
    let columns = usize::from(columns);
    let mut lines = vec![String::new()];
    for piece in pieces(text) {
        let mut piece = piece;
        loop {
            let line = lines.last_mut().expect("there is a first line");
            // Trailing blanks do not count.
            if line.width() + piece.trim_end_matches(' ').width() <= columns {
                line.push_str(piece);
                break;
            }
            if !line.is_empty() {
                lines.push(String::new());
                continue;
            }
            // A piece that is longer than a line is split.
            let split = split_index(piece, columns);
            line.push_str(&piece[..split]);
            piece = &piece[split..];
            if piece.is_empty() {
                break;
            }
            lines.push(String::new());
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end_matches(' ').len());
    }
    lines
}

/// Splits a text into unbreakable pieces, each with its trailing blanks.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        while let Some((index, letter)) = letters.next() {
            let Some(&(_, next)) = letters.peek() else {
                break;
            };
            let is_break = match (letter, next) {
                (_, ' ') => false,
                (' ', _) => true,
                (_, next) if is_closing_punctuation(next) => false,
                (letter, _) if is_opening_punctuation(letter) => false,
                (letter, next) => is_wide(letter) || is_wide(next),
            };
            if is_break {
                let (piece, after) = rest.split_at(index + letter.len_utf8());
                rest = after;
                return Some(piece);
            }
        }
        (!rest.is_empty()).then(|| std::mem::take(&mut rest))
    })
}

fn is_wide(letter: char) -> bool {
    letter.width() == Some(2)
}

/// Returns whether a line must not start with this character.
fn is_closing_punctuation(letter: char) -> bool {
    "，。、；：？！）」》,.;:?!)]".contains(letter)
}

/// Returns whether a line must not end with this character.
fn is_opening_punctuation(letter: char) -> bool {
    "（「《([".contains(letter)
}

/// Returns the number of bytes that fit into a width in columns, but at least one character.
fn split_index(text: &str, columns: usize) -> usize {
    let mut end = 0;
    for (index, letter) in text.char_indices() {
        let next = index + letter.len_utf8();
        if end > 0 && text[..next].width() > columns {
            break;
        }
        end = next;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, width: u16, expected: &[&str]) {
        assert_eq!(
            wrap_text(text, width),
            expected,
            "{text:?} in {width} columns"
        );
    }

    #[test]
    fn words_are_not_split() {
        check("You win. Row: a1 b1", 8, &["You win.", "Row: a1", "b1"]);
        check("Last   O a1", 11, &["Last   O a1"]);
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check("", 5, &[""]);
    }

    #[test]
    fn chinese_breaks_anywhere_but_before_punctuation() {
        check("轮到你。", 8, &["轮到你。"]);
        check("轮到你。", 7, &["轮到", "你。"]);
        check(
            "Bob (O) 落子 b2。轮到你。",
            12,
            &["Bob (O) 落子", "b2。轮到你。"],
        );
        check("横行：a1 b1", 9, &["横行：a1", "b1"]);
    }

    #[test]
    fn wrapped_rows_fit_the_width() {
        let text = "你 (X) 获胜。横行：a1 b1 c1。Победа: Вы (X). verylongwordwithoutanyblank";
        for width in 2..60 {
            for line in wrap_text(text, width) {
                assert!(
                    line.width() <= usize::from(width),
                    "{line:?} in {width} columns"
                );
            }
        }
    }
}
