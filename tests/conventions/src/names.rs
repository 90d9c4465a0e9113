//! Names of public types and of predicates, and words that no name and no message has any more.

use std::collections::BTreeMap;
use std::fs;

use syn::visit::Visit;

use crate::source_tree::{self, CRATES};

/// Public type names that occur more than once, each with the reason.
const REPEATED_TYPE_NAMES: &[(&str, &str)] = &[];

/// Names that were replaced, and their replacements: types, fields and members of messages.
const RETIRED_NAMES: &[(&str, &str)] = &[
    ("PartyKey", "Party"),
    ("party_key", "party"),
    ("answerer", "acceptor"),
    ("back_in_ms", "retry_after_ms"),
    ("elo_between", "elo_interval"),
    ("may_claim", "can_claim"),
    ("Connectivity", "SeatPresence"),
    ("connectivity", "presence"),
    ("MemberId", "ConnectionId"),
    ("next_member_id", "next_connection_id"),
    ("RoomStore", "LogState"),
    ("Membership", "LiveNodes"),
];

/// Values of messages that were replaced. Texts for people may have these words.
const RETIRED_VALUES: &[(&str, &str)] = &[
    ("crowd", "spectators"),
    ("human", "person"),
    ("worth", "evaluation"),
];

#[test]
fn a_retired_name_does_not_return() {
    let mut found = Vec::new();
    let kinds = ["rs", "js", "mjs", "ts", "py", "sh", "json", "jsonl"];
    let sources = kinds.map(source_tree::files_of).concat();
    for file in sources.into_iter().chain(source_tree::pages()) {
        if file.ends_with("conventions/src/names.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file is readable");
        for (name, replacement) in RETIRED_NAMES {
            if is_word_of(name, &text) {
                found.push(format!("{}: {name}: {replacement}", file.display()));
            }
        }
        for (value, replacement) in RETIRED_VALUES {
            if text.contains(&format!("\"{value}\"")) {
                found.push(format!("{}: \"{value}\": {replacement}", file.display()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} retired names:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn a_public_type_name_occurs_once_in_the_workspace() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, root_file) in CRATES {
        for module in source_tree::modules(root_file) {
            let public_types = module
                .items
                .iter()
                .filter_map(public_type)
                .collect::<Vec<_>>();
            for name in public_types {
                places
                    .entry(name)
                    .or_default()
                    .push(module.file.display().to_string());
            }
        }
    }
    let repeated: Vec<String> = places
        .iter()
        .filter(|(name, files)| {
            files.len() > 1
                && !REPEATED_TYPE_NAMES
                    .iter()
                    .any(|(allowed, _)| allowed == name)
        })
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(
        repeated.is_empty(),
        "{} public type names occur twice:\n{}",
        repeated.len(),
        repeated.join("\n")
    );
    let unused: Vec<&str> = REPEATED_TYPE_NAMES
        .iter()
        .filter(|(allowed, _)| places.get(*allowed).is_none_or(|files| files.len() < 2))
        .map(|(allowed, _)| *allowed)
        .collect();
    assert!(
        unused.is_empty(),
        "allowed to repeat, but unique: {unused:?}"
    );
}

#[test]
fn predicates_return_bool_and_change_nothing() {
    let mut faults = Vec::new();
    for file in source_tree::rust_files() {
        let mut predicates = Predicates::default();
        predicates.visit_file(&source_tree::parse(&file));
        faults.extend(
            predicates
                .faults
                .iter()
                .map(|fault| format!("{}: {fault}", file.display())),
        );
    }
    assert!(
        faults.is_empty(),
        "{} misnamed predicates:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

fn is_word_of(word: &str, text: &str) -> bool {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .any(|found| found == word)
}

fn public_type(item: &syn::Item) -> Option<String> {
    let (visibility, name) = match item {
        syn::Item::Struct(item) => (&item.vis, &item.ident),
        syn::Item::Enum(item) => (&item.vis, &item.ident),
        syn::Item::Trait(item) => (&item.vis, &item.ident),
        syn::Item::Type(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    let is_public = match visibility {
        syn::Visibility::Public(_) => true,
        syn::Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
        syn::Visibility::Inherited => false,
    };
    is_public.then(|| name.to_string())
}

/// Functions named `is_*`, `has_*` or `can_*` that are not `&self -> bool`.
#[derive(Default)]
struct Predicates {
    faults: Vec<String>,
}

impl<'ast> Visit<'ast> for Predicates {
    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let name = signature.ident.to_string();
        if !["is_", "has_", "can_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            return;
        }
        let returns_bool = matches!(
            &signature.output,
            syn::ReturnType::Type(_, output) if matches!(&**output, syn::Type::Path(path) if path.path.is_ident("bool"))
        );
        let changes_self = signature
            .receiver()
            .is_some_and(|receiver| receiver.mutability.is_some());
        if !returns_bool {
            self.faults.push(format!("{name} does not return bool"));
        }
        if changes_self {
            self.faults.push(format!("{name} takes &mut self"));
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        // The name of a test is a sentence, so it is not checked.
        if !item.attrs.iter().any(|attribute| {
            attribute
                .path()
                .segments
                .last()
                .is_some_and(|last| last.ident == "test")
        }) {
            syn::visit::visit_item_fn(self, item);
        }
    }
}
