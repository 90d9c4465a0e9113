//! Texts over several lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A text over as many lines of so many columns as it takes, broken where its language breaks lines:
/// between words, and between Chinese characters, though no line begins with a stop or a comma.
pub(crate) fn wrapped(text: &str, columns: u16) -> Vec<String> {
    let columns = usize::from(columns);
    let mut lines = vec![String::new()];
    for piece in pieces(text) {
        let mut piece = piece;
        loop {
            let line = lines.last_mut().expect("there is a first line");
            // Blanks at the end of a line need no room.
            if line.width() + piece.trim_end_matches(' ').width() <= columns {
                line.push_str(piece);
                break;
            }
            if !line.is_empty() {
                lines.push(String::new());
                continue;
            }
            // What is longer than a line is cut.
            let cut = cut(piece, columns);
            line.push_str(&piece[..cut]);
            piece = &piece[cut..];
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

/// What stays together, each piece with the blanks behind it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        while let Some((index, letter)) = letters.next() {
            let Some(&(_, next)) = letters.peek() else { break };
            let breaks = match (letter, next) {
                (_, ' ') => false,
                (' ', _) => true,
                (_, next) if closes(next) => false,
                (letter, _) if opens(letter) => false,
                (letter, next) => is_wide(letter) || is_wide(next),
            };
            if breaks {
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

/// No line begins with it.
fn closes(letter: char) -> bool {
    matches!(
        letter,
        '，' | '。'
            | '、'
            | '；'
            | '：'
            | '？'
            | '！'
            | '）'
            | '」'
            | '》'
            | ','
            | '.'
            | ';'
            | ':'
            | '?'
            | '!'
            | ')'
            | ']'
    )
}

/// No line ends with it.
fn opens(letter: char) -> bool {
    matches!(letter, '（' | '「' | '《' | '(' | '[')
}

/// How many bytes of a text fit into so many columns: one character at least.
fn cut(text: &str, columns: usize) -> usize {
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
        assert_eq!(wrapped(text, width), expected, "{text:?} in {width} columns");
    }

    #[test]
    fn words_stay_whole() {
        check("You win. Row: a1 b1", 8, &["You win.", "Row: a1", "b1"]);
        check("Last   O a1", 11, &["Last   O a1"]);
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check("", 5, &[""]);
    }

    #[test]
    fn chinese_is_broken_anywhere_but_before_a_stop() {
        check("轮到你。", 8, &["轮到你。"]);
        check("轮到你。", 7, &["轮到", "你。"]);
        check("Bob (O) 落子 b2。轮到你。", 12, &["Bob (O) 落子", "b2。轮到你。"]);
        check("横行：a1 b1", 9, &["横行：a1", "b1"]);
    }

    #[test]
    fn no_line_is_too_wide_wherever_it_is_broken() {
        let text = "你 (X) 获胜。横行：a1 b1 c1。Победа: Вы (X). verylongwordwithoutanyblank";
        for width in 2..60 {
            for line in wrapped(text, width) {
                assert!(line.width() <= usize::from(width), "{line:?} in {width} columns");
            }
        }
    }
}
