//! Joins the page's modules into a few files.
//!
//! This replaces a bundler, because esbuild needs npm, and swc, oxc and rolldown would add more than 140 crates to the
//! build of a server. Gain: a first visit of 8 requests and 27 KB instead of 18 requests and 55 KB (2026-11-22,
//! `tests/results/page.md`). Invariant: top-level names are unique and differ from names of the browser, so that
//! modules share one scope; imports have no cycles. Tests: below; `browser/play.mjs` runs the joined form,
//! `logic.test.mjs` the modules.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;

use crate::tokens::{Token, TokenKind, join_tokens, split_tokens};

type Failure = Box<dyn Error>;

/// A module without its imports and the word `export`.
#[derive(Debug, Default)]
struct Module {
    /// Imported modules and names, in the order of the source.
    imports: Vec<(String, Vec<String>)>,
    /// Modules that this module loads with `import()`.
    loads: Vec<String>,
    exports: BTreeSet<String>,
    names: Vec<String>,
    body: Vec<Token>,
    /// Whether the module depends on its URL, because it uses `import.meta` or an `import()` with a computed path.
    depends_on_path: bool,
}

/// A file of the joined page.
#[derive(Debug, Default)]
struct Chunk {
    /// Modules in the order of evaluation.
    modules: Vec<String>,
    imports: BTreeMap<String, BTreeSet<String>>,
    exports: BTreeSet<String>,
}

/// Joins modules. A module without an importer becomes a file with all modules that it imports. A module that is loaded
/// with `import()` becomes another file, with the modules that no earlier file contains.
///
/// # Errors
/// Returns an error if a module uses a form that cannot be joined or imports an unknown module or name, or if two
/// modules declare the same name.
pub(crate) fn join_modules(
    sources: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut modules = BTreeMap::new();
    for (path, source) in sources {
        let module = read_module(path, source).map_err(|error| format!("{path}: {error}"))?;
        modules.insert(path.clone(), module);
    }
    let imported: BTreeSet<&String> = modules
        .values()
        .flat_map(|module| {
            module
                .imports
                .iter()
                .map(|(path, _)| path)
                .chain(&module.loads)
        })
        .collect();
    let mut files = BTreeMap::new();
    for root in modules.keys().filter(|path| !imported.contains(path)) {
        for (path, text) in join_root(&modules, root)? {
            if files.insert(path.clone(), text).is_some() {
                return Err(format!("{path} is loaded by two documents or workers").into());
            }
        }
    }
    Ok(files)
}

fn join_root(
    modules: &BTreeMap<String, Module>,
    root: &str,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut chunks: BTreeMap<String, Chunk> = BTreeMap::new();
    let mut homes: HashMap<String, String> = HashMap::new();
    let mut entries = vec![root.to_owned()];
    let mut at = 0;
    while let Some(entry) = entries.get(at).cloned() {
        at += 1;
        if homes.contains_key(&entry) {
            continue;
        }
        let mut chunk = Chunk::default();
        add_module(
            modules,
            &entry,
            &mut homes,
            &entry,
            &mut chunk.modules,
            &mut Vec::new(),
        )?;
        entries.extend(
            chunk
                .modules
                .iter()
                .flat_map(|path| modules[path].loads.iter().cloned()),
        );
        chunks.insert(entry, chunk);
    }
    check_names(modules, &homes)?;
    let mut exports: Vec<(String, BTreeSet<String>)> = Vec::new();
    for (path, home) in &homes {
        let module = &modules[path];
        if module.depends_on_path && folder_of(path) != folder_of(home) {
            return Err(format!("{path} uses its own path, but is joined into {home}").into());
        }
        for (target, names) in &module.imports {
            let unknown = names
                .iter()
                .find(|name| !modules[target].exports.contains(*name));
            if let Some(name) = unknown {
                return Err(format!("{path}: {target} does not export {name}").into());
            }
            let target_home = &homes[target];
            if target_home != home {
                exports.push((target_home.clone(), names.iter().cloned().collect()));
                let chunk = chunks.get_mut(home).ok_or("no file")?;
                chunk
                    .imports
                    .entry(target_home.clone())
                    .or_default()
                    .extend(names.iter().cloned());
            }
        }
        exports.extend(
            module
                .loads
                .iter()
                .map(|target| (homes[target].clone(), modules[target].exports.clone())),
        );
    }
    for (home, names) in exports {
        chunks
            .get_mut(&home)
            .ok_or("no file")?
            .exports
            .extend(names);
    }
    Ok(chunks
        .iter()
        .map(|(path, chunk)| (path.clone(), chunk_text(modules, &homes, path, chunk)))
        .collect())
}

/// Adds a module after the modules that it imports.
fn add_module(
    modules: &BTreeMap<String, Module>,
    path: &str,
    homes: &mut HashMap<String, String>,
    home: &str,
    order: &mut Vec<String>,
    importers: &mut Vec<String>,
) -> Result<(), Failure> {
    if importers.iter().any(|importer| importer == path) {
        return Err(format!(
            "modules import each other: {} and {path}",
            importers.join(", ")
        )
        .into());
    }
    if homes.contains_key(path) {
        return Ok(());
    }
    let module = modules
        .get(path)
        .ok_or_else(|| format!("no module {path}, imported by {importers:?}"))?;
    importers.push(path.to_owned());
    for (target, _) in &module.imports {
        add_module(modules, target, homes, home, order, importers)?;
    }
    importers.pop();
    homes.insert(path.to_owned(), home.to_owned());
    order.push(path.to_owned());
    Ok(())
}

fn check_names(
    modules: &BTreeMap<String, Module>,
    homes: &HashMap<String, String>,
) -> Result<(), Failure> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for path in modules.keys().filter(|path| homes.contains_key(*path)) {
        for name in &modules[path].names {
            if let Some(owner) = owners.insert(name, path) {
                return Err(format!("{owner} and {path} declare {name}").into());
            }
        }
    }
    Ok(())
}

fn chunk_text(
    modules: &BTreeMap<String, Module>,
    homes: &HashMap<String, String>,
    path: &str,
    chunk: &Chunk,
) -> String {
    let list = |names: &BTreeSet<String>| {
        names
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(",")
    };
    let mut text = String::new();
    for (target, names) in &chunk.imports {
        text += &format!(
            "import{{{}}}from\"{}\";",
            list(names),
            relative_path(path, target)
        );
    }
    for name in &chunk.modules {
        let mut body = modules[name].body.clone();
        for index in 0..body.len().saturating_sub(2) {
            let is_load = body[index].is("import")
                && body[index + 1].is("(")
                && body[index + 2].kind == TokenKind::Text;
            if is_load && let Some(target) = text_value(&body[index + 2]) {
                let target = &homes[&resolve_path(name, target)];
                body[index + 2].text = format!("\"{}\"", relative_path(path, target));
            }
        }
        text += &join_tokens(&body);
        text.push('\n');
    }
    if !chunk.exports.is_empty() {
        text += &format!("export{{{}}};\n", list(&chunk.exports));
    }
    text
}

fn read_module(path: &str, source: &str) -> Result<Module, Failure> {
    let tokens = split_tokens(source)?;
    let mut module = Module::default();
    let mut depth = 0;
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let is =
            |offset: usize, text: &str| tokens.get(at + offset).is_some_and(|token| token.is(text));
        if token.is("import") && is(1, "(") {
            match tokens
                .get(at + 2)
                .filter(|_| is(3, ")"))
                .and_then(text_value)
            {
                Some(target) => module.loads.push(resolve_path(path, target)),
                None => module.depends_on_path = true,
            }
        } else if token.is("import") && is(1, ".") {
            module.depends_on_path = true;
        } else if depth == 0 && token.is("import") {
            at = read_import(path, &tokens, at, &mut module)?;
            continue;
        } else if depth == 0 && token.is("export") && !is(1, "default") {
            let name =
                declared_name(&tokens, at + 1)?.ok_or("this form of export cannot be joined")?;
            module.exports.insert(name);
            at += 1;
            continue;
        } else if depth == 0
            && let Some(name) = declared_name(&tokens, at)?
        {
            module.names.push(name);
        }
        depth += token.nesting();
        module.body.push(token.clone());
        at += 1;
    }
    Ok(module)
}

/// Parses `import { a, b } from "path";`. Returns the index after it.
fn read_import(
    path: &str,
    tokens: &[Token],
    at: usize,
    module: &mut Module,
) -> Result<usize, Failure> {
    let mut names = Vec::new();
    let mut end = at + 2;
    let problem = "only import { names } from \"path\"; can be joined";
    if !tokens.get(at + 1).is_some_and(|token| token.is("{")) {
        return Err(problem.into());
    }
    while let Some(token) = tokens.get(end).filter(|token| !token.is("}")) {
        if token.kind == TokenKind::Word && !token.is("as") {
            names.push(token.text.clone());
        } else if !token.is(",") {
            return Err(problem.into());
        }
        end += 1;
    }
    let target = tokens.get(end + 2).and_then(text_value).ok_or(problem)?;
    module.imports.push((resolve_path(path, target), names));
    let is_closed = tokens.get(end + 3).is_some_and(|token| token.is(";"));
    Ok(end + 3 + usize::from(is_closed))
}

/// Returns the name that the declaration at this index declares, if any.
///
/// # Errors
/// Returns an error if the declaration declares several names.
fn declared_name(tokens: &[Token], at: usize) -> Result<Option<String>, Failure> {
    let is_function = |at: usize| tokens.get(at).is_some_and(|token| token.is("function"));
    let name_at = match tokens.get(at).map(|token| token.text.as_str()) {
        Some("async") if is_function(at + 1) => at + 2,
        Some("function" | "class" | "const" | "let") => at + 1,
        _ => return Ok(None),
    };
    // Whether a declaration begins with this token.
    let is_start = at == 0 || !is_expression_before(&tokens[at - 1]);
    if !is_start {
        return Ok(None);
    }
    let name = tokens
        .get(name_at)
        .filter(|token| token.kind == TokenKind::Word)
        .ok_or("no name is declared")?;
    if tokens[at].is("const") || tokens[at].is("let") {
        let mut depth = 0;
        for token in &tokens[name_at..] {
            if depth == 0 && token.is(";") {
                break;
            }
            if depth == 0 && token.is(",") {
                return Err(format!("{} is declared with other names", name.text).into());
            }
            depth += token.nesting();
        }
    }
    Ok(Some(name.text.clone()))
}

/// Returns whether the token after this token continues an expression or a declaration.
fn is_expression_before(token: &Token) -> bool {
    match token.kind {
        TokenKind::Punctuator => !matches!(token.text.as_str(), ";" | "}" | ")"),
        TokenKind::Word => token.is("async"),
        TokenKind::Number | TokenKind::Text | TokenKind::Pattern => false,
    }
}

/// Returns the contents of a quoted text without escapes.
fn text_value(token: &Token) -> Option<&str> {
    let inner = token.text.strip_prefix('"')?.strip_suffix('"')?;
    (token.kind == TokenKind::Text && !inner.contains('\\')).then_some(inner)
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the path of an imported module.
fn resolve_path(importer: &str, target: &str) -> String {
    let mut folders: Vec<&str> = folder_of(importer)
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            part => folders.push(part),
        }
    }
    folders.join("/")
}

/// Returns the path that a file uses to import another file.
fn relative_path(importer: &str, target: &str) -> String {
    let ups = importer.matches('/').count();
    if ups == 0 {
        format!("./{target}")
    } else {
        format!("{}{target}", "../".repeat(ups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(sources: &[(&str, &str)]) -> Result<BTreeMap<String, String>, String> {
        let sources = sources
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        join_modules(&sources).map_err(|error| error.to_string())
    }

    const RULES: (&str, &str) = (
        "core/rules.js",
        "export const MAX = 4;\nexport function parse(text) { return text; }\n",
    );

    #[test]
    fn a_module_stands_after_those_that_it_imports() {
        let files = join(&[
            (
                "app.js",
                "import { read } from \"./io/storage.js\";\nimport { MAX } from \"./core/rules.js\";\nread(MAX);\n",
            ),
            RULES,
            (
                "io/storage.js",
                "import { parse } from \"../core/rules.js\";\nexport const read = (x) => parse(x);\n",
            ),
        ]);
        let expected = "const MAX=4;function parse(text){return text}\nconst read=(x)=>parse(x);\nread(MAX);\n";
        assert_eq!(
            files,
            Ok([("app.js".to_owned(), expected.to_owned())].into())
        );
    }

    #[test]
    fn a_loaded_module_becomes_a_file_that_imports_from_those_before_it() {
        let files = join(&[
            ("app.js", "import { MAX } from \"./core/rules.js\";\nconst load = () => [import(\"./game/game.js\"), import(\"./watch.js\")];\nload(MAX);\n"),
            RULES,
            ("game/game.js", "import { parse } from \"../core/rules.js\";\nimport { Board } from \"./board.js\";\nexport const play = () => parse(new Board());\n"),
            ("game/board.js", "export class Board {}\n"),
            ("watch.js", "import { Board } from \"./game/board.js\";\nexport const watch = () => new Board();\n"),
        ])
        .unwrap();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["app.js", "game/game.js", "watch.js"]);
        assert!(
            files["app.js"].ends_with("load(MAX);\nexport{parse};\n"),
            "{}",
            files["app.js"]
        );
        assert!(files["app.js"].contains("import(\"./game/game.js\"),import(\"./watch.js\")"));
        assert_eq!(
            files["game/game.js"],
            "import{parse}from\"../app.js\";class Board{}\nconst play=()=>parse(new Board());\nexport{Board,play};\n"
        );
        assert_eq!(
            files["watch.js"],
            "import{Board}from\"./game/game.js\";const watch=()=>new Board();\nexport{watch};\n"
        );
    }

    #[test]
    fn a_worker_has_its_own_copies() {
        let files = join(&[
            ("app.js", "import { MAX } from \"./core/rules.js\";\nMAX;\n"),
            RULES,
            (
                "worker.js",
                "import { MAX } from \"./core/rules.js\";\npostMessage(MAX);\n",
            ),
            ("i18n/en.js", "export default { play: \"Play\" };\n"),
        ])
        .unwrap();
        assert!(files["worker.js"].starts_with("const MAX=4;"));
        assert_eq!(files["i18n/en.js"], "export default{play:\"Play\"};\n");
    }

    #[test]
    fn what_cannot_be_joined_is_rejected() {
        for (source, problem) in [
            ("import rules from \"./core/rules.js\";", "can be joined"),
            (
                "import { MAX as M } from \"./core/rules.js\";",
                "can be joined",
            ),
            (
                "import { OTHER } from \"./core/rules.js\";",
                "does not export OTHER",
            ),
            ("import { MAX } from \"./rules.js\";", "no module rules.js"),
            (
                "import { MAX } from \"./core/rules.js\";\nconst parse = MAX;",
                "declare parse",
            ),
            ("const a = 1, b = 2;", "with other names"),
            ("const { a } = b;", "no name"),
            ("export { a };", "cannot be joined"),
        ] {
            let error = join(&[("app.js", source), RULES]).unwrap_err();
            assert!(error.contains(problem), "{source}: {error}");
        }
        let cycle = [
            ("a.js", "import { b } from \"./b.js\";\nexport const a = 1;"),
            ("b.js", "import { a } from \"./a.js\";\nexport const b = 1;"),
            ("app.js", "import { a } from \"./a.js\";"),
        ];
        assert!(join(&cycle).unwrap_err().contains("import each other"));
        let moved = [
            ("app.js", "import { load } from \"./texts/load.js\";"),
            (
                "texts/load.js",
                "export const load = (x) => import(`./${x}.js`);",
            ),
        ];
        assert!(join(&moved).unwrap_err().contains("its own path"));
    }
}
