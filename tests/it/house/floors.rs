//! Tests the architecture described in `CONTRIBUTING.md` against the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file of a room without comments.
struct Source {
    file: PathBuf,
    /// The path of its module, such as `puzzle`, `rail`, `network`.
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

/// Returns the files of all rooms. `lib.rs` and files of the command alone belong to no room.
fn sources() -> Vec<Source> {
    let root = Path::new("src");
    let of_room = files(root, "rs")
        .into_iter()
        .filter(|file| !["src/lib.rs", "src/main.rs", "src/objects.rs"].map(Path::new).contains(&&**file));
    let source = |file: PathBuf| {
        let inside = file.strip_prefix(root).expect("a source").with_extension("");
        let mut module: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| last == "mod");
        let tokens: TokenStream = read(&file).parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Source { file, module, tokens: tokens.into_iter().collect() }
    };
    of_room.map(source).collect()
}

/// Returns the rooms with the numbers of their floors from the top.
fn floors() -> BTreeMap<String, usize> {
    let text = read(Path::new("CONTRIBUTING.md"));
    let list = text.lines().skip_while(|line| *line != "## The floors").skip_while(|line| *line != "```text").skip(1);
    let floors = list.take_while(|line| *line != "```").enumerate();
    floors.flat_map(|(floor, rooms)| rooms.split(", ").map(move |room| (room.to_owned(), floor))).collect()
}

fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == name)
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(one), TokenTree::Punct(two), ..] if one.as_char() == ':' && two.as_char() == ':')
}

/// Collects every path that begins with `crate`, `super` or `self`, relative to the root of the
/// crate.
fn paths(tokens: &[TokenTree], module: &[String], found: &mut BTreeSet<Vec<String>>) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            // A visibility such as `pub(super)` is no path.
            TokenTree::Ident(ident)
                if is_colons(&tokens[at + 1..]) && !is_colons(&tokens[at.saturating_sub(2)..at]) =>
            {
                let base = match &*ident.to_string() {
                    "crate" => &[][..],
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

/// Returns the paths that a file imports from other rooms.
fn imports(source: &Source) -> Vec<Vec<String>> {
    let mut found = BTreeSet::new();
    paths(&source.tokens, &source.module, &mut found);
    found.into_iter().filter(|path| path.first().is_some_and(|room| *room != source.module[0])).collect()
}

#[test]
fn imports_in_groups_and_test_modules_are_found() {
    let text = "use crate::{asp::{self, Symbol}, words}; // crate::cli
        mod tests { use super::*; fn f() { super::super::stop::x(\"crate::cli\"); } }";
    let tokens: TokenStream = text.parse().expect("tokens");
    let source =
        Source { file: PathBuf::new(), module: vec!["report".to_owned()], tokens: tokens.into_iter().collect() };
    let found: Vec<String> = imports(&source).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["asp::Symbol", "asp::self", "stop::x", "words"]);
}

/// This excludes import cycles between rooms.
#[test]
fn rooms_import_only_from_lower_floors() {
    let floors = floors();
    let sources = sources();
    let rooms: BTreeSet<&String> = sources.iter().map(|source| &source.module[0]).collect();
    assert_eq!(rooms, floors.keys().collect(), "the rooms, and those in CONTRIBUTING.md");
    let mut upwards = Vec::new();
    let mut downwards = 0;
    for source in &sources {
        for path in imports(source) {
            match floors.get(&path[0]) {
                Some(floor) if *floor > floors[&source.module[0]] => downwards += 1,
                Some(_) => upwards.push(format!("{}: {} is not below it", source.file.display(), path.join("::"))),
                None => upwards.push(format!("{}: {} is in no room", source.file.display(), path.join("::"))),
            }
        }
    }
    assert!(downwards > 500, "{downwards}");
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}

/// An item that a file imports: its path, and its name in the file.
struct Import {
    path: Vec<String>,
    name: String,
}

/// A file of a room, with what is needed to follow names through re-exports.
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
        "crate" => (Vec::new(), &tokens[1..]),
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

/// Returns the names of the folders of puzzles.
fn puzzles() -> BTreeSet<String> {
    let folders =
        sources().into_iter().filter(|source| source.module[0] == "puzzle" && source.file.ends_with("mod.rs"));
    let names: BTreeSet<String> = folders.filter_map(|source| source.module.get(1).cloned()).collect();
    assert!(names.len() > 5, "{names:?}");
    names
}

#[test]
fn no_puzzle_imports_another() {
    // Puzzles that are programs use the runner of programs, and games use headers and boards of
    // pencil puzzles.
    const SHARED: [(&str, &str); 2] = [("", "program"), ("planning", "logic")];
    let puzzles = puzzles();
    for source in sources().iter().filter(|source| source.module[0] == "puzzle" && source.module.len() > 1) {
        let own = &source.module[1];
        let mut found = BTreeSet::new();
        paths(&source.tokens, &source.module, &mut found);
        for path in found.iter().filter(|path| path.len() > 1 && path[0] == "puzzle" && puzzles.contains(own)) {
            let is_shared = SHARED.iter().any(|(user, shared)| path[1] == *shared && own.starts_with(user));
            let is_another = puzzles.contains(&path[1]) && path[1] != *own && !is_shared;
            assert!(!is_another, "{}: {}", source.file.display(), path.join("::"));
        }
    }
}

#[test]
fn the_list_of_built_in_puzzles_is_the_only_one_and_the_framework_does_not_use_it() {
    // Puzzles that files define are part of the framework.
    const OF_FILES: [&str; 2] = ["logic", "planning"];
    let puzzles = puzzles();
    let in_puzzle = |source: &&Source| source.module[0] == "puzzle" && source.module.len() > 1;
    let mut of_list = BTreeSet::new();
    for source in sources().iter().filter(in_puzzle) {
        let own = source.module[1].as_str();
        let mut found = BTreeSet::new();
        paths(&source.tokens, &source.module, &mut found);
        for path in found.into_iter().filter(|path| path.len() > 1 && path[0] == "puzzle" && path[1] != own) {
            let is_native = puzzles.contains(&path[1]) && !OF_FILES.contains(&path[1].as_str());
            if own == "builtin" && is_native {
                of_list.insert(path[1].clone());
                continue;
            }
            assert!(!is_native && path[1] != "builtin", "{}: {}", source.file.display(), path.join("::"));
        }
    }
    assert_eq!(of_list.len(), puzzles.len() - OF_FILES.len(), "{of_list:?}");
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
    const COMMON: [&str; 5] = ["context", "game", "logic", "program", "view"];
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
    let of_command: Vec<&Source> = sources.iter().filter(|source| source.module[0] == "cli").collect();
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
