//! No two modules of a crate use each other, directly or through others.
//!
//! An edge runs from the module that names an item to the module that defines it; a re-export is followed to the
//! definition and does not count as an edge.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use crate::source_tree::{self, CRATES, SourceModule};

/// Maximum number of re-exports between a name and its definition.
const MAX_REEXPORTS: usize = 8;

#[test]
fn modules_do_not_use_each_other_in_circles() {
    let mut cycles = Vec::new();
    for (name, root_file) in CRATES {
        let graph = ModuleGraph::new(&source_tree::modules(root_file));
        assert!(!graph.edges.is_empty(), "no uses were found in {name}");
        cycles.extend(
            graph
                .cycles()
                .iter()
                .map(|cycle| format!("{name}: {cycle}")),
        );
    }
    assert!(
        cycles.is_empty(),
        "{} groups of modules use each other:\n{}",
        cycles.len(),
        cycles.join("\n\n")
    );
}

#[test]
fn a_cycle_is_found_through_a_reexport_and_a_macro() {
    let module = |path: &[&str], text: &str| SourceModule {
        path: path.iter().map(ToString::to_string).collect(),
        file: path.join("/").into(),
        items: syn::parse_file(text).expect("the example is Rust").items,
    };
    let graph = ModuleGraph::new(&[
        module(&[], "mod a; mod b; mod c;"),
        module(&["a"], "pub use inner::A; mod inner;"),
        module(&["a", "inner"], "use crate::b::B; pub struct A(B);"),
        module(&["b"], "pub struct B; fn f() { log!(crate::a::A::new()); }"),
        module(&["c"], "use crate::b::B; struct C(B);"),
    ]);
    assert_eq!(graph.cycles().len(), 1);
    assert!(
        graph.cycles()[0].contains("a::inner"),
        "{:?}",
        graph.cycles()
    );
}

type ModulePath = Vec<String>;

/// The uses between modules: for each pair of modules, one example.
struct ModuleGraph {
    names: Vec<String>,
    edges: BTreeMap<(usize, usize), String>,
}

/// The declarations and imports of one module.
#[derive(Default)]
struct Scope {
    /// Names in scope by `use`, with their paths as written.
    imports: HashMap<String, ModulePath>,
    /// The imports that are visible to other modules.
    reexports: BTreeSet<String>,
    /// Paths that the module names, as written.
    paths: Vec<ModulePath>,
}

impl ModuleGraph {
    fn new(modules: &[SourceModule]) -> ModuleGraph {
        let index: HashMap<&[String], usize> = modules
            .iter()
            .enumerate()
            .map(|(number, module)| (module.path.as_slice(), number))
            .collect();
        let scopes: Vec<Scope> = modules.iter().map(Scope::of_module).collect();
        let resolver = Resolver {
            modules,
            index: &index,
            scopes: &scopes,
        };
        let mut edges = BTreeMap::new();
        for (from, scope) in scopes.iter().enumerate() {
            for path in &scope.paths {
                if let Some(to) = resolver.defining_module(from, path, MAX_REEXPORTS)
                    && to != from
                {
                    edges.entry((from, to)).or_insert_with(|| path.join("::"));
                }
            }
        }
        let names = modules
            .iter()
            .map(|module| module.path.join("::"))
            .map(root_or)
            .collect();
        ModuleGraph { names, edges }
    }

    /// Returns one text for each group of modules that reach each other, with the uses inside the group.
    fn cycles(&self) -> Vec<String> {
        let count = self.names.len();
        let mut reaches = vec![BTreeSet::new(); count];
        for (start, reached) in reaches.iter_mut().enumerate() {
            let mut open = vec![start];
            while let Some(from) = open.pop() {
                for (&(_, to), _) in self.edges.range((from, 0)..=(from, usize::MAX)) {
                    if reached.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        let mut grouped = BTreeSet::new();
        let mut cycles = Vec::new();
        for start in 0..count {
            if grouped.contains(&start) || !reaches[start].contains(&start) {
                continue;
            }
            let group: Vec<usize> = (0..count)
                .filter(|&other| reaches[start].contains(&other) && reaches[other].contains(&start))
                .collect();
            grouped.extend(group.iter().copied());
            let uses: Vec<String> = self
                .edges
                .iter()
                .filter(|((from, to), _)| group.contains(from) && group.contains(to))
                .map(|((from, to), path)| {
                    format!("  {} -> {} by {path}", self.names[*from], self.names[*to])
                })
                .collect();
            cycles.push(format!("{} modules\n{}", group.len(), uses.join("\n")));
        }
        cycles
    }
}

fn root_or(name: String) -> String {
    if name.is_empty() {
        "crate".to_owned()
    } else {
        name
    }
}

/// Finds where names are defined.
struct Resolver<'a> {
    modules: &'a [SourceModule],
    index: &'a HashMap<&'a [String], usize>,
    scopes: &'a [Scope],
}

impl Resolver<'_> {
    /// Returns the module that defines the item that `path` names in the module `from`. Returns `None` for an item of
    /// another crate, and for a path that names a module.
    fn defining_module(
        &self,
        from: usize,
        path: &[String],
        reexports_left: usize,
    ) -> Option<usize> {
        let absolute = self.absolute(from, path, reexports_left)?;
        self.follow(&absolute, reexports_left)
    }

    fn absolute(&self, from: usize, path: &[String], reexports_left: usize) -> Option<ModulePath> {
        let own = &self.modules[from].path;
        let (first, rest) = path.split_first()?;
        let join = |base: &[String], rest: &[String]| [base, rest].concat();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some(join(own, rest)),
            "super" => {
                let mut base = own.clone();
                let mut rest = path;
                while let Some(("super", tail)) =
                    rest.split_first().map(|(word, tail)| (word.as_str(), tail))
                {
                    base.pop()?;
                    rest = tail;
                }
                Some(join(&base, rest))
            }
            child
                if self
                    .index
                    .contains_key(join(own, &[child.to_owned()]).as_slice()) =>
            {
                Some(join(own, path))
            }
            alias => {
                let imported = self.scopes[from].imports.get(alias)?;
                if imported == path || reexports_left == 0 {
                    return None;
                }
                let base = self.absolute(from, imported, reexports_left - 1)?;
                Some(join(&base, rest))
            }
        }
    }

    fn follow(&self, path: &[String], reexports_left: usize) -> Option<usize> {
        let mut depth = 0;
        while depth < path.len() && self.index.contains_key(&path[..=depth]) {
            depth += 1;
        }
        let module = *self.index.get(&path[..depth])?;
        let name = path.get(depth)?;
        if reexports_left == 0 {
            return Some(module);
        }
        let scope = &self.scopes[module];
        if scope.reexports.contains(name) {
            let target = [scope.imports[name].as_slice(), &path[depth + 1..]].concat();
            return self.defining_module(module, &target, reexports_left - 1);
        }
        Some(module)
    }
}

impl Scope {
    fn of_module(module: &SourceModule) -> Scope {
        let mut scope = Scope::default();
        for item in &module.items {
            scope.visit_item(item);
        }
        scope
    }

    fn add_use(&mut self, prefix: &[String], tree: &syn::UseTree, is_reexport: bool) {
        let mut path = prefix.to_vec();
        match tree {
            syn::UseTree::Path(segment) => {
                path.push(segment.ident.to_string());
                self.add_use(&path, &segment.tree, is_reexport);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(&path, tree, is_reexport);
                }
            }
            syn::UseTree::Glob(_) if is_reexport => {}
            syn::UseTree::Glob(_) => {
                path.push("*".to_owned());
                self.paths.push(path);
            }
            syn::UseTree::Name(name) => {
                self.add_import(path, &name.ident, &name.ident, is_reexport);
            }
            syn::UseTree::Rename(rename) => {
                self.add_import(path, &rename.ident, &rename.rename, is_reexport);
            }
        }
    }

    fn add_import(
        &mut self,
        mut path: ModulePath,
        name: &syn::Ident,
        alias: &syn::Ident,
        is_reexport: bool,
    ) {
        let name = name.to_string();
        let alias = if name == "self" {
            path.last().cloned().unwrap_or_default()
        } else {
            alias.to_string()
        };
        if name != "self" {
            path.push(name);
        }
        if is_reexport {
            self.reexports.insert(alias.clone());
        } else {
            self.paths.push(path.clone());
        }
        self.imports.insert(alias, path);
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_token_path(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.end_token_path(&mut path);
                    colons = 0;
                    self.add_tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.end_token_path(&mut path);
                    colons = 0;
                }
            }
        }
        self.end_token_path(&mut path);
    }

    fn end_token_path(&mut self, path: &mut Vec<String>) {
        if path.len() > 1 {
            self.paths.push(std::mem::take(path));
        }
        path.clear();
    }
}

impl<'ast> Visit<'ast> for Scope {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !source_tree::is_test_only(attributes(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_use(&[], &item.tree, is_reexport);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.paths.push(
                path.segments
                    .iter()
                    .map(|segment| segment.ident.to_string())
                    .collect(),
            );
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add_tokens(call.tokens.clone());
        syn::visit::visit_macro(self, call);
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
