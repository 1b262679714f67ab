//! Tests the architecture described in `CONTRIBUTING.md` against the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file of a crate without comments.
struct Source {
    file: PathBuf,
    /// The path of its module, such as `rail`, `network`, `lines`.
    module: Vec<String>,
    tokens: Vec<TokenTree>,
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns all files below a folder with an extension, sorted.
pub(super) fn files(folder: &Path, extension: &str) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = BTreeSet::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|of_file| of_file == extension) {
            found.insert(path);
        }
    }
    found
}

/// Returns the crates of the workspace by name, each with its folder of sources. The root package is
/// the crate `asp_solve`.
pub(super) fn crates() -> BTreeMap<String, PathBuf> {
    let mut all = BTreeMap::from([("asp_solve".to_owned(), PathBuf::from("src"))]);
    for entry in std::fs::read_dir("crates").expect("the folder of crates") {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        all.insert(name, folder.join("src"));
    }
    all
}

/// Returns the files of all crates.
fn sources() -> Vec<Source> {
    let source = |name: &str, root: &Path, file: PathBuf| {
        let inside = file.strip_prefix(root).expect("a source").with_extension("");
        let path = inside.iter().map(|part| part.to_string_lossy().into_owned());
        let mut module: Vec<String> = [name.to_owned()].into_iter().chain(path).collect();
        module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        let tokens: TokenStream = read(&file).parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Source { file, module, tokens: tokens.into_iter().collect() }
    };
    let of_crate = |(name, root): (String, PathBuf)| {
        let files = files(&root, "rs").into_iter().filter(|file| *file != Path::new("src/main.rs"));
        files.map(|file| source(&name, &root, file)).collect::<Vec<_>>()
    };
    crates().into_iter().flat_map(of_crate).collect()
}

/// Returns the packages on which a crate depends. Dependencies of its tests alone are left out.
fn dependencies(name: &str) -> BTreeSet<String> {
    let path = if name == "asp_solve" {
        PathBuf::from("Cargo.toml")
    } else {
        Path::new("crates").join(name).join("Cargo.toml")
    };
    let manifest: toml::Table = read(&path).parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let listed = manifest.get("dependencies").and_then(toml::Value::as_table);
    listed.into_iter().flat_map(toml::Table::keys).cloned().collect()
}

/// Returns all packages that a crate depends on through crates of this workspace.
fn all_dependencies(name: &str) -> BTreeSet<String> {
    let crates = crates();
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for package in dependencies(&name) {
            if found.insert(package.clone()) && crates.contains_key(&package) {
                open.push(package);
            }
        }
    }
    found
}

fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == name)
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(one), TokenTree::Punct(two), ..] if one.as_char() == ':' && two.as_char() == ':')
}

/// Collects every path that begins with `crate`, `super` or `self`; the first part of each is the
/// name of the crate.
fn paths(tokens: &[TokenTree], module: &[String], found: &mut BTreeSet<Vec<String>>) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            // A visibility such as `pub(super)` is no path.
            TokenTree::Ident(ident)
                if is_colons(&tokens[at + 1..]) && !is_colons(&tokens[at.saturating_sub(2)..at]) =>
            {
                let base = match &*ident.to_string() {
                    "crate" => &module[..1],
                    "super" => &module[..module.len() - 1],
                    "self" => module,
                    _ => continue,
                };
                follow_path(&tokens[at + 1..], base.to_vec(), found);
            }
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut module = module.to_vec();
                if let [.., word, TokenTree::Ident(name)] = &tokens[..at]
                    && is_ident(Some(word), "mod")
                {
                    module.push(name.to_string());
                }
                paths(&inside, &module, found);
            }
            _ => {}
        }
    }
}

/// Follows a path into each branch of a group.
fn follow_path(tokens: &[TokenTree], mut path: Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    match tokens.get(2).filter(|_| is_colons(tokens)) {
        Some(TokenTree::Ident(ident)) => {
            match &*ident.to_string() {
                "super" => drop(path.pop()),
                name => path.push(name.to_owned()),
            }
            follow_path(&tokens[3..], path, found);
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            for branch in inside.split(is_comma) {
                let Some(TokenTree::Ident(name)) = branch.first() else { continue };
                follow_path(&branch[1..], path.iter().cloned().chain([name.to_string()]).collect(), found);
            }
        }
        _ => drop(found.insert(path)),
    }
}

#[test]
fn imports_in_groups_and_test_modules_are_found() {
    let text = "use crate::{asp::{self, Symbol}, words}; // crate::cli
        mod tests { use super::*; fn f() { super::super::stop::x(\"crate::cli\"); } }";
    let tokens: TokenStream = text.parse().expect("tokens");
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = BTreeSet::new();
    paths(&tokens, &["this".to_owned(), "report".to_owned()], &mut found);
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["this::asp::Symbol", "this::asp::self", "this::report", "this::stop::x", "this::words"]);
}

#[test]
fn the_list_of_crates_is_complete_and_in_order() {
    let text = read(Path::new("CONTRIBUTING.md"));
    let list = text.lines().skip_while(|line| *line != "## The crates").skip_while(|line| *line != "```text").skip(1);
    let layers = list.take_while(|line| *line != "```").enumerate();
    let layers: BTreeMap<String, usize> =
        layers.flat_map(|(layer, names)| names.split(", ").map(move |name| (name.to_owned(), layer))).collect();
    let crates = crates();
    assert_eq!(layers.keys().collect::<Vec<_>>(), crates.keys().collect::<Vec<_>>(), "crates, and those in the list");
    for name in crates.keys() {
        for package in dependencies(name).iter().filter(|package| crates.contains_key(*package)) {
            assert!(layers[package] > layers[name], "{name} depends on {package}, which is not below it");
        }
    }
}

#[test]
fn stand_alone_crates_do_not_depend_on_clingo() {
    for name in ["base", "ground", "certificate", "prover", "statespace", "picture"] {
        let all = all_dependencies(name);
        assert!(!all.contains("clingo") && !all.contains("clingo-sys"), "{name}: {all:?}");
    }
    assert!(all_dependencies("asp").contains("clingo"));
    assert_eq!(all_dependencies("certificate"), BTreeSet::from(["ground".to_owned()]));
    assert_eq!(all_dependencies("ground"), BTreeSet::new());
}

#[test]
fn no_puzzle_depends_on_another() {
    const PUZZLES: [&str; 5] = ["pencil", "minesweeper", "rail", "paths", "games"];
    // Games that files define use headers and boards of pencil puzzles, and the language server knows
    // these headers.
    const SHARED: [(&str, &str); 2] = [("games", "pencil"), ("lsp", "pencil")];
    for name in crates().keys().filter(|name| *name != "asp_solve") {
        for puzzle in PUZZLES.iter().filter(|puzzle| dependencies(name).contains(**puzzle)) {
            assert!(SHARED.contains(&(name.as_str(), *puzzle)), "{name} depends on {puzzle}");
        }
    }
}

/// All other crates forbid unsafe code; that of windows does on all systems but Windows, whose interface
/// is unsafe functions.
#[test]
fn only_the_crate_of_clingo_has_unsafe_code() {
    let python = ("python".to_owned(), PathBuf::from("python/src"));
    for (name, folder) in crates().into_iter().filter(|(name, _)| name != "asp").chain([python]) {
        let line = match name.as_str() {
            "screen" => "\n#![cfg_attr(not(windows), forbid(unsafe_code))]\n",
            _ => "\n#![forbid(unsafe_code)]\n",
        };
        assert!(read(&folder.join("lib.rs")).contains(line), "{name}");
    }
}

/// An item that a file imports: its path, and its name in the file.
struct Import {
    path: Vec<String>,
    name: String,
}

/// A file of a crate, with what is needed to follow names through re-exports.
struct FileModule {
    source: Source,
    /// Its tokens without `pub use` declarations.
    body: Vec<TokenTree>,
    reexports: Vec<Import>,
    /// All other imports at the top level, which child modules can name too.
    private_imports: Vec<Import>,
    /// Names declared at the top level.
    items: BTreeSet<String>,
}

/// The files by the paths of their modules.
type FileModules = BTreeMap<Vec<String>, FileModule>;

fn file_modules() -> FileModules {
    let sources: Vec<Source> = sources();
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|source| source.module.clone()).collect();
    let with_key = |source: Source| (source.module.clone(), FileModule::new(source, &modules));
    sources.into_iter().map(with_key).collect()
}

impl FileModule {
    fn new(source: Source, modules: &BTreeSet<Vec<String>>) -> Self {
        const DECLARATIONS: [&str; 9] =
            ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];
        let mut module = FileModule {
            body: Vec::new(),
            reexports: Vec::new(),
            private_imports: Vec::new(),
            items: BTreeSet::new(),
            source,
        };
        let tokens = &module.source.tokens;
        let is_semicolon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
        let mut at = 0;
        while at < tokens.len() {
            if is_ident(tokens.get(at), "use") {
                let end = at + tokens[at..].iter().position(is_semicolon).expect("the end of a use declaration");
                let visibility = usize::from(matches!(tokens[..at].last(), Some(TokenTree::Group(_))));
                let is_public = at > visibility && is_ident(tokens.get(at - visibility - 1), "pub");
                let mut found = Vec::new();
                use_tree(&tokens[at + 1..end], &module.source.module, modules, &mut found);
                if is_public {
                    module.reexports.extend(found);
                } else {
                    module.private_imports.extend(found);
                    module.body.extend_from_slice(&tokens[at..=end]);
                }
                at = end + 1;
                continue;
            }
            if let (TokenTree::Ident(word), Some(TokenTree::Ident(name))) = (&tokens[at], tokens.get(at + 1))
                && DECLARATIONS.contains(&&*word.to_string())
            {
                module.items.insert(name.to_string());
            }
            module.body.push(tokens[at].clone());
            at += 1;
        }
        module
    }
}

/// Collects the imports of a use declaration. Paths into other crates are skipped.
fn use_tree(tokens: &[TokenTree], module: &[String], modules: &BTreeSet<Vec<String>>, found: &mut Vec<Import>) {
    let Some(TokenTree::Ident(first)) = tokens.first() else { return };
    let (base, rest) = match &*first.to_string() {
        "crate" => (module[..1].to_vec(), &tokens[1..]),
        "super" => (module[..module.len() - 1].to_vec(), &tokens[1..]),
        "self" => (module.to_vec(), &tokens[1..]),
        name => {
            let child: Vec<String> = module.iter().cloned().chain([name.to_owned()]).collect();
            if !modules.contains(&child) {
                return;
            }
            (child, &tokens[1..])
        }
    };
    follow_use(rest, base, found);
}

fn follow_use(tokens: &[TokenTree], mut path: Vec<String>, found: &mut Vec<Import>) {
    match tokens.get(2).filter(|_| is_colons(tokens)) {
        Some(TokenTree::Ident(ident)) => {
            match &*ident.to_string() {
                "super" => drop(path.pop()),
                "self" => {}
                name => path.push(name.to_owned()),
            }
            follow_use(&tokens[3..], path, found);
        }
        Some(TokenTree::Group(group)) => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            let colons: Vec<TokenTree> = tokens[..2].to_vec();
            for branch in inside.split(is_comma).filter(|branch| !branch.is_empty()) {
                follow_use(&[&colons[..], branch].concat(), path.clone(), found);
            }
        }
        Some(TokenTree::Punct(_)) => {
            path.push("*".to_owned());
            found.push(Import { name: "*".to_owned(), path });
        }
        _ => {
            let renamed = tokens.get(1).filter(|_| is_ident(tokens.first(), "as")).map(TokenTree::to_string);
            let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
            found.push(Import { name, path });
        }
    }
}

/// Returns the module that declares the item of a path, through re-exports.
fn declaring_module(path: &[String], modules: &FileModules, depth: usize) -> Option<Vec<String>> {
    let length = (1..=path.len()).rev().find(|&length| modules.contains_key(&path[..length]))?;
    let module = &modules[&path[..length]];
    let here = Some(path[..length].to_vec());
    let Some(name) = path.get(length).filter(|name| !module.items.contains(*name) && depth > 0) else { return here };
    for import in module.reexports.iter().chain(&module.private_imports) {
        if import.name == *name {
            let whole: Vec<String> = import.path.iter().chain(&path[length + 1..]).cloned().collect();
            return declaring_module(&whole, modules, depth - 1);
        }
    }
    for glob in module.reexports.iter().filter(|import| import.name == "*") {
        let whole: Vec<String> = glob.path[..glob.path.len() - 1].iter().chain([name]).cloned().collect();
        let declaring = declaring_module(&whole, modules, depth - 1);
        if declaring.as_ref().is_some_and(|found| modules[found].items.contains(name)) {
            return declaring;
        }
    }
    here
}

/// Collects the paths that begin with a child module of `module`.
fn child_paths(tokens: &[TokenTree], module: &[String], modules: &FileModules, found: &mut BTreeSet<Vec<String>>) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                child_paths(&inside, module, modules, found);
            }
            TokenTree::Ident(ident)
                if is_colons(&tokens[at + 1..]) && !is_colons(&tokens[at.saturating_sub(2)..at]) =>
            {
                let child: Vec<String> = module.iter().cloned().chain([ident.to_string()]).collect();
                if modules.contains_key(&child) {
                    follow_path(&tokens[at + 1..], child, found);
                }
            }
            _ => {}
        }
    }
}

fn contains_ident(tokens: &[TokenTree], name: &str) -> bool {
    tokens.iter().any(|token| match token {
        TokenTree::Group(group) => contains_ident(&group.stream().into_iter().collect::<Vec<_>>(), name),
        token => is_ident(Some(token), name),
    })
}

/// Returns the modules whose items a file uses. A re-export alone is no use.
fn used_modules(file: &FileModule, modules: &FileModules) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    paths(&file.body, &file.source.module, &mut found);
    child_paths(&file.body, &file.source.module, modules, &mut found);
    let used = file.reexports.iter().filter(|import| contains_ident(&file.body, &import.name));
    found.extend(used.map(|import| import.path.clone()));
    let mut used: BTreeSet<Vec<String>> = found.iter().filter_map(|path| declaring_module(path, modules, 10)).collect();
    used.remove(&file.source.module);
    used
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let modules = file_modules();
    let mut graph = DiGraph::new();
    let nodes: BTreeMap<&Vec<String>, _> = modules.keys().map(|module| (module, graph.add_node(module))).collect();
    for (module, file) in &modules {
        for used in used_modules(file, &modules) {
            graph.add_edge(nodes[module], nodes[&used], ());
        }
    }
    assert!(graph.edge_count() > 1_000, "{}", graph.edge_count());
    let mut circles = Vec::new();
    for circle in petgraph::algo::tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1) {
        let name = |node| modules[graph[node]].source.file.display();
        let imports =
            graph.edge_references().filter(|edge| circle.contains(&edge.source()) && circle.contains(&edge.target()));
        let imports: Vec<String> =
            imports.map(|edge| format!("  {} uses {}", name(edge.source()), name(edge.target()))).collect();
        circles.push(format!("{} files:\n{}", circle.len(), imports.join("\n")));
    }
    assert!(circles.is_empty(), "{} circles:\n{}", circles.len(), circles.join("\n"));
}

/// Returns the names of native puzzles.
fn puzzles() -> BTreeSet<String> {
    asp_solve::builtin::registry().natives().iter().map(|entry| entry.name().to_owned()).collect()
}

/// Collects the words of names and literals, and each name or literal as a whole. Help texts are
/// comments and are skipped.
fn words(tokens: &[TokenTree], found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                if !is_ident(inside.first(), "doc") {
                    words(&inside, found);
                }
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let text = token.to_string().to_lowercase();
                found.extend(text.split(|sign: char| !sign.is_alphanumeric()).map(str::to_owned));
                found.insert(text);
            }
            TokenTree::Punct(_) => {}
        }
    }
}

#[test]
fn the_command_names_no_puzzle() {
    // Names of puzzles that are also words of the command.
    const COMMON: [&str; 6] = ["context", "game", "lits", "logic", "program", "view"];
    // Features of a single puzzle, and tools that only some puzzles have.
    const OWN: [&str; 7] = ["railway", "trip", "lever", "gate", "mine", "burrow", "tile"];
    const TOOLS: [&str; 3] = ["\"expand\"", "\"rate\"", "\"repair\""];
    let folder = Path::new("asp/puzzles");
    let programs = files(folder, "lp").into_iter().filter(|file| file.parent() == Some(folder));
    let programs = programs.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
    let named: BTreeSet<String> = puzzles()
        .into_iter()
        .chain(programs)
        .chain(OWN.into_iter().chain(TOOLS).map(str::to_owned))
        .filter(|name| !COMMON.contains(&name.as_str()))
        .collect();
    assert!(named.len() > 25, "{named:?}");
    let sources = sources();
    let of_command: Vec<&Source> =
        sources.iter().filter(|source| source.module.get(1).is_some_and(|folder| folder == "cli")).collect();
    assert!(of_command.len() > 20);
    let mut wrong = Vec::new();
    for Source { file, tokens, .. } in of_command {
        let mut found = BTreeSet::new();
        words(tokens, &mut found);
        let is_named = |word: &&String| {
            named.contains(*word) || word.strip_suffix('s').is_some_and(|singular| named.contains(singular))
        };
        wrong.extend(found.iter().filter(is_named).map(|word| format!("{}: {word}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
