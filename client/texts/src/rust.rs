//! Generates the code for the terminal client: a method of `Texts` for each message, and a table for each message with
//! attributes.

use std::collections::{BTreeMap, BTreeSet};

use crate::page_modules::PREFIX;
use crate::{Catalogue, LANGUAGES, Message, Part, Pattern};

/// Returns a module with the enum of the languages and the texts. The module expects `Texts`, `Table`, `Piece`, `Value`
/// and `PluralRule` in its scope.
///
/// A method's arguments are in alphabetical order, so that a different word order does not change the calls.
#[must_use]
pub fn generate(catalogue: &Catalogue) -> String {
    let mut code = languages();
    code.push_str("\nimpl Texts {\n");
    let mut tables: BTreeMap<&str, BTreeMap<&str, &Message>> = BTreeMap::new();
    for message in &catalogue.messages {
        if message.name.starts_with(PREFIX) || message.name.starts_with('-') {
            continue;
        }
        match message.name.split_once('.') {
            Some((table, word)) => {
                tables.entry(table).or_default().insert(word, message);
            }
            None => write_method(&mut code, message),
        }
    }
    code.push_str("}\n");
    for (table, words) in tables {
        let name = table.replace('-', "_").to_uppercase();
        code += &format!("\npub(crate) static {name}: Table = Table(&[\n");
        for (word, message) in words {
            code += &format!("({word:?}, {}),\n", plain_texts(message));
        }
        code.push_str("]);\n");
    }
    code
}

/// Writes the texts of a message without arguments as an array of string literals.
fn plain_texts(message: &Message) -> String {
    let texts = message
        .patterns
        .iter()
        .map(|pattern| match pattern.as_slice() {
            [Part::Text(text)] => text.as_str(),
            _ => "",
        });
    format!("{:?}", texts.collect::<Vec<_>>())
}

fn write_method(code: &mut String, message: &Message) {
    let name = message.name.replace('-', "_");
    for line in message.comment.iter().flat_map(|comment| comment.lines()) {
        *code += &format!("/// {line}\n");
    }
    let arguments = arguments(message);
    if arguments.is_empty() {
        let texts = plain_texts(message);
        *code +=
            &format!("pub(crate) fn {name}(self) -> &'static str {{ self.select(&{texts}) }}\n");
        return;
    }
    let (mut parameters, mut values) = (String::new(), String::new());
    for (argument, is_number) in &arguments {
        let (kind, value) = if *is_number {
            ("impl TryInto<u64>", "Value::number")
        } else {
            ("impl Display", "Value::Text")
        };
        let reference = if *is_number { "" } else { "&" };
        parameters += &format!(", {argument}: {kind}");
        values += &format!("{value}({reference}{argument}), ");
    }
    let names: Vec<&str> = arguments.keys().copied().collect();
    let patterns: Vec<String> = message
        .patterns
        .iter()
        .map(|pattern| pieces(pattern, &names))
        .collect();
    *code += &format!(
        "pub(crate) fn {name}(self{parameters}) -> String {{ self.format(&[{}], &[{values}]) }}\n",
        patterns.join(", ")
    );
}

/// Returns the arguments of a message, and for each argument whether it is a number that chooses a form.
pub(crate) fn arguments(message: &Message) -> BTreeMap<&str, bool> {
    let mut arguments = BTreeMap::new();
    for pattern in &message.patterns {
        collect_arguments(pattern, &mut arguments);
    }
    arguments
}

/// Returns the names of the arguments of a pattern.
pub(crate) fn argument_names(pattern: &Pattern) -> BTreeSet<&str> {
    let mut arguments = BTreeMap::new();
    collect_arguments(pattern, &mut arguments);
    arguments.into_keys().collect()
}

fn collect_arguments<'a>(pattern: &'a Pattern, arguments: &mut BTreeMap<&'a str, bool>) {
    for part in pattern {
        match part {
            Part::Text(_) => {}
            Part::Argument(name) | Part::SpaceAfter(name) | Part::SpaceBefore(name) => {
                arguments.entry(name).or_insert(false);
            }
            Part::Plural {
                argument, forms, ..
            } => {
                arguments.insert(argument, true);
                for form in forms {
                    collect_arguments(&form.pattern, arguments);
                }
            }
        }
    }
}

fn pieces(pattern: &Pattern, names: &[&str]) -> String {
    let index = |name: &String| {
        names
            .iter()
            .position(|argument| argument == name)
            .unwrap_or_default()
    };
    let pieces = pattern.iter().map(|part| match part {
        Part::Text(text) => format!("Piece::Text({text:?})"),
        Part::Argument(name) => format!("Piece::Argument({})", index(name)),
        Part::SpaceAfter(name) => format!("Piece::SpaceAfter({})", index(name)),
        Part::SpaceBefore(name) => format!("Piece::SpaceBefore({})", index(name)),
        Part::Plural {
            argument,
            is_ordinal,
            forms,
        } => {
            let forms: String = forms
                .iter()
                .map(|form| format!("({:?}, {}), ", key(form), pieces(&form.pattern, names)))
                .collect();
            format!(
                "Piece::Plural({}, {is_ordinal}, &[{forms}])",
                index(argument)
            )
        }
    });
    format!("&[{}]", pieces.collect::<Vec<_>>().join(", "))
}

/// Returns the key of a form. The key of the default form is empty.
fn key(form: &crate::Form) -> &str {
    if form.is_default { "" } else { &form.key }
}

/// Writes the enum of the languages. The first language is the default.
fn languages() -> String {
    let (mut variants, mut all, mut tags, mut rules) =
        (String::new(), String::new(), String::new(), String::new());
    for (at, language) in LANGUAGES.iter().enumerate() {
        let (variant, tag) = (language.variant, language.tag);
        let default = if at == 0 { "#[default] " } else { "" };
        variants += &format!("{default}{variant}, ");
        all += &format!("Lang::{variant}, ");
        tags += &format!("Lang::{variant} => {tag:?}, ");
        rules += &format!("Lang::{variant} => PluralRule::{:?}, ", language.plurals);
    }
    format!(
        "/// Language of the user interface.\n\
         #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]\n\
         pub enum Lang {{ {variants}}}\n\
         impl Lang {{\n\
         pub const ALL: [Lang; {}] = [{all}];\n\
         /// Returns the BCP 47 tag.\n\
         pub fn as_str(self) -> &'static str {{ match self {{ {tags}}} }}\n\
         fn plural_rule(self) -> PluralRule {{ match self {{ {rules}}} }}\n\
         }}\n",
        LANGUAGES.len()
    )
}
