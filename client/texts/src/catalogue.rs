//! Reads the files of all languages and resolves references between messages.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::{fs, iter};

use fluent_syntax::ast;
use fluent_syntax::unicode::unescape_unicode_to_string;

use crate::LANGUAGES;

type Failure = Box<dyn Error>;

/// A text after its references were resolved.
pub type Pattern = Vec<Part>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Argument(String),
    /// An argument with a blank after it, unless it ends with a wide character: `SPACE_AFTER($name)`.
    SpaceAfter(String),
    /// An argument with a blank before it, unless it begins with a wide character: `SPACE_BEFORE($name)`.
    SpaceBefore(String),
    Plural {
        argument: String,
        /// Whether the categories are ordinal: 1st, 2nd.
        is_ordinal: bool,
        forms: Vec<Form>,
    },
}

/// A form of a choice by a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// A plural category or a number.
    pub key: String,
    pub is_default: bool,
    pub pattern: Pattern,
}

#[derive(Clone, Debug)]
pub struct Message {
    /// Name of the file without its extension: `game`.
    pub area: String,
    /// `say-heading`, or `phrase.hello` for an attribute.
    pub name: String,
    /// Comment of the English message.
    pub comment: Option<String>,
    /// The texts in the order of [`LANGUAGES`]. The English text replaces a missing translation.
    pub patterns: Vec<Pattern>,
    /// Whether the files of each language have the message, in the same order.
    pub has_own: Vec<bool>,
    /// Whether the English text consists of references and names, which are the same in all languages.
    pub is_shared: bool,
}

/// All messages, in the order of the English files.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub messages: Vec<Message>,
}

/// The files of one language, by area.
type Files = BTreeMap<String, ast::Resource<String>>;
/// A text in a file: name, pattern and comment.
type NamedText<'a> = (
    String,
    &'a ast::Pattern<String>,
    Option<&'a ast::Comment<String>>,
);
/// The patterns in one language, by name.
type Patterns<'a> = BTreeMap<String, &'a ast::Pattern<String>>;

impl Catalogue {
    /// Reads the folders of all languages.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or parsed, if a name occurs twice, or if a translation or a reference
    /// has no English text.
    pub fn read(folder: &Path) -> Result<Catalogue, Failure> {
        let mut languages = Vec::new();
        for language in LANGUAGES {
            languages.push(read_files(&folder.join(language.tag))?);
        }
        Catalogue::new(&languages)
    }

    fn new(languages: &[Files]) -> Result<Catalogue, Failure> {
        let mut patterns = Vec::new();
        for files in languages {
            patterns.push(patterns_of(files)?);
        }
        let (english, translations) = patterns.split_first().ok_or("no languages")?;
        for (language, names) in iter::zip(&LANGUAGES[1..], translations) {
            if let Some(name) = names.keys().find(|name| !english.contains_key(*name)) {
                return Err(format!("{}: {name} has no English text", language.tag).into());
            }
        }
        let mut catalogue = Catalogue::default();
        for (area, resource) in &languages[0] {
            for (name, english_pattern, comment) in texts_of(resource) {
                let mut resolved = Vec::new();
                for names in &patterns {
                    let resolver = Resolver { names, english };
                    let pattern = resolver.resolve(&name, &mut Vec::new());
                    resolved.push(pattern.map_err(|error| format!("{name}: {error}"))?);
                }
                let has_own = patterns.iter().map(|names| names.contains_key(&name));
                catalogue.messages.push(Message {
                    area: area.clone(),
                    comment: comment.map(|comment| comment.content.join("\n")),
                    patterns: resolved,
                    has_own: has_own.collect(),
                    is_shared: is_shared(english_pattern),
                    name,
                });
            }
        }
        Ok(catalogue)
    }

    /// Reads texts in memory, one per language, as the file `area.ftl`.
    ///
    /// # Errors
    /// Returns an error as [`Catalogue::read`] does.
    #[cfg(test)]
    pub(crate) fn parse(area: &str, sources: [&str; 4]) -> Result<Catalogue, Failure> {
        let mut languages = Vec::new();
        for source in sources {
            languages.push([(area.to_owned(), parse_file(area, source)?)].into());
        }
        Catalogue::new(&languages)
    }

    /// Returns the names of the messages without a translation, and the languages that lack it.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let messages = self.messages.iter().filter(|message| !message.is_shared);
        let missing = messages.flat_map(|message| {
            iter::zip(LANGUAGES, &message.has_own)
                .filter(|(_, has_own)| !**has_own)
                .map(|(language, _)| {
                    format!("{}/{}.ftl: {}", language.tag, message.area, message.name)
                })
        });
        missing.collect()
    }
}

fn read_files(folder: &Path) -> Result<Files, Failure> {
    let mut files = Files::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "ftl") {
            continue;
        }
        let area = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .ok_or("a file name is not UTF-8")?
            .to_owned();
        let source = fs::read_to_string(&path)?;
        let resource = parse_file(&path.display().to_string(), &source)?;
        files.insert(area, resource);
    }
    Ok(files)
}

fn parse_file(path: &str, source: &str) -> Result<ast::Resource<String>, Failure> {
    fluent_syntax::parser::parse(source.to_owned()).map_err(|(_, errors)| {
        let error = &errors[0];
        let line = 1 + source[..error.pos.start].matches('\n').count();
        format!("{path}, line {line}: {error}").into()
    })
}

/// Returns the texts of a file with their names and comments. The name of a term begins with a hyphen. A term has no
/// text of its own in the programs, but other texts refer to it.
fn texts_of(resource: &ast::Resource<String>) -> Vec<NamedText<'_>> {
    let mut texts = Vec::new();
    for entry in &resource.body {
        match entry {
            ast::Entry::Message(message) => {
                let (id, comment) = (&message.id.name, message.comment.as_ref());
                texts.extend(
                    message
                        .value
                        .iter()
                        .map(|value| (id.clone(), value, comment)),
                );
                texts.extend(message.attributes.iter().map(|attribute| {
                    let name = format!("{id}.{}", attribute.id.name);
                    (name, &attribute.value, comment)
                }));
            }
            ast::Entry::Term(term) => {
                texts.push((format!("-{}", term.id.name), &term.value, None));
            }
            ast::Entry::Comment(_)
            | ast::Entry::GroupComment(_)
            | ast::Entry::ResourceComment(_)
            | ast::Entry::Junk { .. } => {}
        }
    }
    texts
}

fn patterns_of(files: &Files) -> Result<Patterns<'_>, Failure> {
    let mut patterns = Patterns::new();
    for (name, pattern, _) in files.values().flat_map(texts_of) {
        if patterns.insert(name.clone(), pattern).is_some() {
            return Err(format!("{name} occurs twice").into());
        }
    }
    Ok(patterns)
}

/// Returns whether an English text consists only of references to messages and of names in quotes, so that it needs no
/// translation.
fn is_shared(pattern: &ast::Pattern<String>) -> bool {
    let mut has_reference = false;
    let has_words = pattern.elements.iter().any(|element| match element {
        ast::PatternElement::TextElement { value } => value.contains(char::is_alphabetic),
        ast::PatternElement::Placeable { expression } => match expression {
            ast::Expression::Inline(inline) => {
                has_reference |= !matches!(inline, ast::InlineExpression::VariableReference { .. });
                false
            }
            ast::Expression::Select { .. } => true,
        },
    });
    has_reference && !has_words
}

/// Resolves references in one language.
struct Resolver<'a> {
    names: &'a Patterns<'a>,
    english: &'a Patterns<'a>,
}

impl Resolver<'_> {
    /// Returns the text of a message. `path` contains the messages that refer to it.
    fn resolve(&self, name: &str, path: &mut Vec<String>) -> Result<Pattern, Failure> {
        if path.iter().any(|earlier| earlier == name) {
            return Err(format!("{name} refers to itself").into());
        }
        let pattern = self
            .names
            .get(name)
            .or_else(|| self.english.get(name))
            .ok_or_else(|| format!("no message {name}"))?;
        path.push(name.to_owned());
        let parts = self.pattern(pattern, path);
        path.pop();
        parts
    }

    fn pattern(
        &self,
        pattern: &ast::Pattern<String>,
        path: &mut Vec<String>,
    ) -> Result<Pattern, Failure> {
        let mut parts = Pattern::new();
        for element in &pattern.elements {
            match element {
                ast::PatternElement::TextElement { value } => {
                    parts.push(Part::Text(value.clone()));
                }
                ast::PatternElement::Placeable { expression } => {
                    parts.extend(self.expression(expression, path)?);
                }
            }
        }
        Ok(join_texts(parts))
    }

    fn expression(
        &self,
        expression: &ast::Expression<String>,
        path: &mut Vec<String>,
    ) -> Result<Pattern, Failure> {
        match expression {
            ast::Expression::Inline(inline) => self.inline(inline, path),
            ast::Expression::Select { selector, variants } => {
                let (argument, is_ordinal) = number_argument(selector)?;
                let mut forms = Vec::new();
                for variant in variants {
                    let (ast::VariantKey::Identifier { name: key }
                    | ast::VariantKey::NumberLiteral { value: key }) = &variant.key;
                    forms.push(Form {
                        key: key.clone(),
                        is_default: variant.default,
                        pattern: self.pattern(&variant.value, path)?,
                    });
                }
                forms.sort_by_key(|form| form.is_default);
                Ok(vec![Part::Plural {
                    argument,
                    is_ordinal,
                    forms,
                }])
            }
        }
    }

    fn inline(
        &self,
        inline: &ast::InlineExpression<String>,
        path: &mut Vec<String>,
    ) -> Result<Pattern, Failure> {
        match inline {
            ast::InlineExpression::StringLiteral { value } => Ok(vec![Part::Text(
                unescape_unicode_to_string(value).into_owned(),
            )]),
            ast::InlineExpression::NumberLiteral { value } => Ok(vec![Part::Text(value.clone())]),
            ast::InlineExpression::VariableReference { id } => {
                Ok(vec![Part::Argument(id.name.clone())])
            }
            ast::InlineExpression::MessageReference { id, attribute } => {
                let name = match attribute {
                    Some(attribute) => format!("{}.{}", id.name, attribute.name),
                    None => id.name.clone(),
                };
                self.resolve(&name, path)
            }
            ast::InlineExpression::FunctionReference { id, arguments } => {
                let [argument] = arguments.positional.as_slice() else {
                    return Err(format!("{} takes one value", id.name).into());
                };
                apply_function(&id.name, self.inline(argument, path)?)
            }
            ast::InlineExpression::Placeable { expression } => self.expression(expression, path),
            ast::InlineExpression::TermReference { id, .. } => {
                self.resolve(&format!("-{}", id.name), path)
            }
        }
    }
}

/// Returns the number of a choice, and whether the choice uses ordinal categories.
fn number_argument(selector: &ast::InlineExpression<String>) -> Result<(String, bool), Failure> {
    let problem = "a choice is by $number or by NUMBER($number, type: \"ordinal\")";
    match selector {
        ast::InlineExpression::VariableReference { id } => Ok((id.name.clone(), false)),
        ast::InlineExpression::FunctionReference { id, arguments } if id.name == "NUMBER" => {
            match arguments.positional.as_slice() {
                [ast::InlineExpression::VariableReference { id }] => Ok((id.name.clone(), true)),
                _ => Err(problem.into()),
            }
        }
        ast::InlineExpression::StringLiteral { .. }
        | ast::InlineExpression::NumberLiteral { .. }
        | ast::InlineExpression::FunctionReference { .. }
        | ast::InlineExpression::MessageReference { .. }
        | ast::InlineExpression::TermReference { .. }
        | ast::InlineExpression::Placeable { .. } => Err(problem.into()),
    }
}

/// Applies one of the functions that `README.md` describes.
fn apply_function(name: &str, mut value: Pattern) -> Result<Pattern, Failure> {
    match (name, value.as_mut_slice()) {
        ("SPACE_AFTER", [Part::Argument(argument)]) => {
            Ok(vec![Part::SpaceAfter(std::mem::take(argument))])
        }
        ("SPACE_BEFORE", [Part::Argument(argument)]) => {
            Ok(vec![Part::SpaceBefore(std::mem::take(argument))])
        }
        ("CAPITAL", [Part::Text(text), ..]) => {
            let mut letters = text.chars();
            let first: String = letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .collect();
            *text = first + letters.as_str();
            Ok(value)
        }
        ("CAPITAL", [Part::Argument(_), ..]) => Ok(value),
        ("LOWER", [Part::Text(text)]) => {
            *text = text.to_lowercase();
            Ok(value)
        }
        _ => Err(format!("{name} does not apply to this value").into()),
    }
}

fn join_texts(parts: Pattern) -> Pattern {
    let mut joined = Pattern::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
            (_, part) => joined.push(part),
        }
    }
    joined
}
