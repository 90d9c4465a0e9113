//! Splits JavaScript into tokens, and joins tokens to the shortest text.

use std::error::Error;

/// Kind of token. A template literal is a sequence of texts around its expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    Text,
    Pattern,
    Punctuator,
}

/// A token without the comments and white space before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    /// Whether the source has a line break before the token.
    pub(crate) is_on_new_line: bool,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != TokenKind::Text
    }

    /// Returns how the token changes the nesting of brackets, and of expressions in template literals.
    pub(crate) fn nesting(&self) -> i32 {
        match (self.kind, self.text.as_str()) {
            (TokenKind::Punctuator, "{" | "(" | "[") => 1,
            (TokenKind::Punctuator, "}" | ")" | "]") => -1,
            (TokenKind::Text, text) => {
                i32::from(text.ends_with("${")) - i32::from(text.starts_with('}'))
            }
            _ => 0,
        }
    }
}

/// Punctuators. A longer punctuator comes before its prefixes.
const PUNCTUATORS: [&str; 34] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**", "#",
];
/// Words that a regular expression may follow: a slash after them begins it.
const OPERATOR_WORDS: [&str; 13] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "await",
    "instanceof",
];

/// Splits a module into tokens.
///
/// # Errors
/// Returns an error if a text, a comment or a regular expression does not end, or if a slash could be either a division
/// or the start of a regular expression.
pub(crate) fn split_tokens(source: &str) -> Result<Vec<Token>, Box<dyn Error>> {
    let mut tokens: Vec<Token> = Vec::new();
    // For each open expression in a template literal, the nesting of braces inside it.
    let mut templates: Vec<usize> = Vec::new();
    let mut rest = source;
    let mut is_on_new_line = true;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            is_on_new_line |= first == '\n';
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or("a comment does not end")?;
            is_on_new_line |= rest[..end].contains('\n');
            rest = &rest[end + 2..];
            continue;
        }
        let is_template_end = first == '}' && templates.last() == Some(&0);
        let (kind, length) = match first {
            '"' | '\'' => (TokenKind::Text, text_length(rest, first)?),
            '`' => (TokenKind::Text, template_length(rest)?),
            '}' if is_template_end => (TokenKind::Text, template_length(rest)?),
            '0'..='9' => (TokenKind::Number, word_length(rest, true)),
            '/' if check_pattern_start(tokens.last())? => {
                (TokenKind::Pattern, pattern_length(rest)?)
            }
            _ if is_word_character(first) => (TokenKind::Word, word_length(rest, false)),
            _ => (TokenKind::Punctuator, punctuator_length(rest, first)),
        };
        let (text, after) = rest.split_at(length);
        if is_template_end {
            templates.pop();
        }
        match (kind, text) {
            (TokenKind::Text, text) if text.ends_with("${") && !text.starts_with(['"', '\'']) => {
                templates.push(0);
            }
            (TokenKind::Punctuator, "{") => {
                if let Some(depth) = templates.last_mut() {
                    *depth += 1;
                }
            }
            (TokenKind::Punctuator, "}") => {
                if let Some(depth) = templates.last_mut() {
                    *depth -= 1;
                }
            }
            _ => {}
        }
        tokens.push(Token {
            kind,
            text: text.to_owned(),
            is_on_new_line,
        });
        is_on_new_line = false;
        rest = after;
    }
    Ok(tokens)
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

fn word_length(rest: &str, is_number: bool) -> usize {
    rest.find(|next| !(is_word_character(next) || is_number && next == '.'))
        .unwrap_or(rest.len())
}

fn punctuator_length(rest: &str, first: char) -> usize {
    PUNCTUATORS
        .iter()
        .find(|text| rest.starts_with(**text))
        .map_or(first.len_utf8(), |text| text.len())
}

fn text_length(rest: &str, quote: char) -> Result<usize, Box<dyn Error>> {
    let mut is_escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => break,
            _ if next == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err("a text does not end".into())
}

/// Returns the length of a part of a template literal, up to the end of the literal or its next expression.
fn template_length(rest: &str) -> Result<usize, Box<dyn Error>> {
    let mut is_escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '`' => return Ok(at + 1),
            '$' if rest[at..].starts_with("${") => return Ok(at + 2),
            _ => {}
        }
    }
    Err("a template literal does not end".into())
}

fn pattern_length(rest: &str) -> Result<usize, Box<dyn Error>> {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            '\n' => break,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return Ok(at + 1 + word_length(&rest[at + 1..], false)),
            _ => {}
        }
    }
    Err("a regular expression does not end".into())
}

/// Returns whether a slash after this token begins a regular expression.
fn check_pattern_start(before: Option<&Token>) -> Result<bool, Box<dyn Error>> {
    let Some(before) = before else {
        return Ok(true);
    };
    match before.kind {
        TokenKind::Word => Ok(OPERATOR_WORDS.contains(&before.text.as_str())),
        TokenKind::Number | TokenKind::Pattern => Ok(false),
        TokenKind::Text => Ok(before.text.ends_with("${")),
        TokenKind::Punctuator if before.is("}") => {
            Err("a slash after } is ambiguous: use parentheses".into())
        }
        TokenKind::Punctuator => Ok(!matches!(before.text.as_str(), ")" | "]" | "++" | "--")),
    }
}

/// Returns the shortest text with the same meaning. Line breaks stay where they may end a statement.
pub(crate) fn join_tokens(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut before: Option<&Token> = None;
    for (index, token) in tokens.iter().enumerate() {
        if is_superfluous(before, token, tokens.get(index + 1)) {
            continue;
        }
        if let Some(before) = before {
            if token.is_on_new_line && is_statement_end(before) && is_statement_start(token) {
                text.push('\n');
            } else if needs_space(before, token) {
                text.push(' ');
            }
        }
        text.push_str(&token.text);
        before = Some(token);
    }
    text
}

/// Returns whether a token is redundant before the closing bracket that follows it: a comma after the last item, or the
/// semicolon of the last statement. A comma after a comma is an item of an array, and a semicolon after `)` may be the
/// body of a loop.
fn is_superfluous(before: Option<&Token>, token: &Token, after: Option<&Token>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    if token.is(",") {
        return [")", "]", "}"].iter().any(|end| after.is(end))
            && !before.is(",")
            && !before.is("[");
    }
    token.is(";") && after.is("}") && ![")", "else", "do", ";"].iter().any(|text| before.is(text))
}

/// Returns whether a statement without a semicolon may end with this token, so that a line break after it matters. The
/// formatter writes a semicolon after `)` and `}` at the end of a statement. If the semicolon is missing, the joined
/// file has a syntax error.
fn is_statement_end(token: &Token) -> bool {
    match token.kind {
        TokenKind::Punctuator => matches!(token.text.as_str(), "]" | "++" | "--"),
        TokenKind::Text => !token.text.ends_with("${"),
        TokenKind::Word | TokenKind::Number | TokenKind::Pattern => true,
    }
}

/// Returns whether a statement may begin with this token, so that a line break before it matters.
fn is_statement_start(token: &Token) -> bool {
    match token.kind {
        TokenKind::Punctuator => {
            matches!(
                token.text.as_str(),
                "{" | "(" | "[" | "++" | "--" | "+" | "-" | "!" | "~" | "#" | "*" | "..."
            )
        }
        TokenKind::Text => !token.text.starts_with('}'),
        TokenKind::Word | TokenKind::Number | TokenKind::Pattern => true,
    }
}

/// Returns whether two tokens need a space between them, because they would otherwise be read as different tokens.
fn needs_space(before: &Token, token: &Token) -> bool {
    let is_word = |token: &Token| {
        matches!(
            token.kind,
            TokenKind::Word | TokenKind::Number | TokenKind::Pattern
        )
    };
    if is_word(before) && is_word(token) {
        return true;
    }
    let (Some(last), Some(first)) = (before.text.chars().last(), token.text.chars().next()) else {
        return false;
    };
    matches!(
        (last, first),
        ('+', '+') | ('-', '-') | ('/', '/' | '*') | ('<', '!')
    ) || (before.kind == TokenKind::Number && first == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shorten(source: &str) -> String {
        join_tokens(&split_tokens(source).unwrap())
    }

    #[test]
    fn comments_and_white_space_are_left_out() {
        assert_eq!(
            shorten(
                "/** Adds. */\nconst a = (b, c) => {\n  // Sum.\n  return b + c; /* end */\n};\n"
            ),
            "const a=(b,c)=>{return b+c};"
        );
        assert_eq!(
            shorten("a + +b; a - -b; a++ + ++b; 1 .x; a in b"),
            "a+ +b;a- -b;a++ + ++b;1 .x;a in b"
        );
        assert_eq!(
            shorten("class A {\n  #x = 1;\n  get y() { return this.#x; }\n}"),
            "class A{#x=1;get y(){return this.#x}}"
        );
    }

    #[test]
    fn a_comma_or_semicolon_before_a_closing_bracket_is_left_out_unless_it_has_a_meaning() {
        assert_eq!(
            shorten("a(\n  b,\n  [c, d,],\n  { e, f: g, },\n);"),
            "a(b,[c,d],{e,f:g});"
        );
        assert_eq!(
            shorten("[,]; [a,,]; { while (b); } { for (;;) c; }"),
            "[,];[a,,];{while(b);}{for(;;)c}"
        );
    }

    #[test]
    fn texts_templates_and_regular_expressions_are_kept() {
        for source in [
            r#""// no comment \" ' ` /*";"#,
            "'a\\'b // c';",
            "`a  // ${b}  ${`c ${ {d:1}.d }`} /* e */`;",
            r#"x=/[/\]"]+\/\/ '/gu;"#,
            "return/ +/.test(a);",
        ] {
            let joined = shorten(source);
            assert_eq!(shorten(&joined), joined);
            let without = |text: &str| text.replace([' ', '\n'], "");
            assert_eq!(without(&joined), without(source));
        }
        assert_eq!(
            shorten("`a  ${ b  +  `c  ${ {d : 1} .d }` }  e`"),
            "`a  ${b+`c  ${{d:1}.d}`}  e`"
        );
        assert_eq!(
            shorten("a = b / c / d; (a) / 2 /* x */ / 3; e[0] / f"),
            "a=b/c/d;(a)/2/3;e[0]/f"
        );
    }

    #[test]
    fn a_line_break_stays_where_it_may_end_a_statement() {
        assert_eq!(
            shorten("a = b\nc = d\n++e\nreturn\nf"),
            "a=b\nc=d\n++e\nreturn\nf"
        );
        assert_eq!(
            shorten("a = b +\n  c\n  && d;\ne(\n  1,\n  2,\n);\nif (f) {\n}\ng()"),
            "a=b+c&&d;e(1,2);if(f){}g()"
        );
        assert_eq!(shorten("a\n  .b()\n  ?.c\n? d\n: e"), "a.b()?.c?d:e");
    }

    #[test]
    fn a_source_that_does_not_end_is_rejected() {
        for source in ["\"a", "'a\nb'", "`a ${b}", "/* a", "x = /a[/]", "} / a"] {
            assert!(split_tokens(source).is_err(), "{source}");
        }
    }
}
