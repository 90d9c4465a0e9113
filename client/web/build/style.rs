//! Shortens a style sheet by removing comments and redundant white space.

/// Removes comments and white space. Quoted texts stay as they are.
pub(crate) fn shorten_style(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    let mut has_space = false;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("/*") {
            rest = &rest[rest.find("*/").map_or(rest.len(), |end| end + 2)..];
            has_space = true;
            continue;
        }
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            has_space = true;
            continue;
        }
        let length = match first {
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ => first.len_utf8(),
        };
        let is_bound =
            text.ends_with(['{', '}', ';', ',', ':']) || matches!(first, '{' | '}' | ';' | ',');
        if has_space && !is_bound && !text.is_empty() {
            text.push(' ');
        }
        if first == '}' && text.ends_with(';') {
            text.pop();
        }
        text.push_str(&rest[..length]);
        rest = &rest[length..];
        has_space = false;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_without_a_meaning_is_left_out() {
        let source = "/* Tokens */\n:root {\n  --a: 4px;\n  --b: calc(1px + var(--a) - 2px);\n}\n\n.a > .b :hover, .c:hover {\n  content: \"a  /* b\";\n  margin: 0 auto;\n}\n@media (min-width: 900px) and (hover) { a { b: c } }\n";
        let expected = ":root{--a:4px;--b:calc(1px + var(--a) - 2px)}.a > .b :hover,.c:hover{content:\"a  /* b\";margin:0 auto}@media (min-width:900px) and (hover){a{b:c}}";
        assert_eq!(shorten_style(source), expected);
    }
}
