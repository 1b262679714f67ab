//! Compiles clingo's C++ sources without the program `cmake`.
//!
//! clingo-sys's build script uses the crate `cmake` to configure and build the source tree that it
//! carries. This package has the same name and the same four methods, so `[patch.crates-io]` can
//! put it in place of that crate; the build script itself stays as published. For these five static
//! libraries cmake would only fill in two headers and call the compiler for about eighty files.
//!
//! The source tree that is compiled is, in this order of preference:
//!
//! 1. the directory that the environment variable `CLINGO_SOURCE_DIR` names (the root of a clingo
//!    release), unchanged;
//! 2. clingo 5.8.2, unpacked by cargo from the registry archive that `build/clingo/Cargo.lock` pins
//!    by its checksum, with the archive's own patches, which fix defects that clingo's next release
//!    fixes too, with the patches in `patches`, and with one line changed for speed;
//! 3. if cargo has not fetched that archive and cannot, the older tree that clingo-sys carries;
//!    `build/main.rs` warns, and the archive is tried again after cargo has fetched anything.
//!
//! A crate that depends on `asp-solve` needs its own `[patch.crates-io]` line to use this package,
//! since cargo applies only the patches of the outermost workspace; see "From Rust" in
//! `docs/building.md`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};

/// The folder of the archive in `build/clingo/Cargo.toml`, as `cargo vendor --versioned-dirs` names
/// it.
const ARCHIVE: &str = "clingox-sys-508.2.0-beta.5";

macro_rules! patches {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../patches/", $name, ".patch")))),*]
    };
}

/// Name and text of the patches that correct wrong or doubled answers, in the order in which they
/// apply. The first lines of each describe the defect.
const PATCHES: [(&str, &str); 16] = patches![
    "kinds-of-supports",
    "unused-variables",
    "heads-of-aggregates",
    "choices-in-components",
    "self-blocked-rules",
    "goals-of-aggregates",
    "heads-during-classification",
    "removed-bodies-of-disjunctions",
    "negated-bodies",
    "equivalent-goals",
    "atoms-of-earlier-steps",
    "unknown-upper-bounds",
    "empty-choices",
    "numbers-of-dropped-atoms",
    "equivalent-conditions",
    "visited-watches",
];

/// A static library: its name, and the folders that hold its `.cc` and `.cpp` files.
struct Library {
    name: &'static str,
    folders: &'static [&'static str],
}

/// The C++ standard that all five libraries are compiled with.
const STANDARD: &str = "gnu++14";

const LIBRARIES: [Library; 5] = [
    Library { name: "potassco", folders: &["clasp/libpotassco/src"] },
    Library { name: "clasp", folders: &["clasp/src"] },
    Library { name: "reify", folders: &["libreify/src"] },
    Library { name: "gringo", folders: &["libgringo/src", "libgringo/gen/src"] },
    Library { name: "clingo", folders: &["libclingo/src"] },
];

/// Include folders below the source tree; folders that a release lacks are skipped.
const INCLUDES: [&str; 12] = [
    "clasp",
    "clasp/libpotassco",
    "libreify",
    "libgringo",
    "libgringo/gen/src",
    "libclingo",
    "third_party/hopscotch-map/include",
    "third_party/optional/include",
    "third_party/ordered-map/include",
    "third_party/sparse-map/include",
    "third_party/variant/include",
    "third_party/wide-integer",
];

/// The part of `cmake::Config` that clingo-sys's build script uses.
pub struct Config {
    bundled: PathBuf,
}

impl Config {
    /// Takes the caller's source tree as a path relative to the caller's manifest.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Config { bundled: env_path("CARGO_MANIFEST_DIR").join(path) }
    }

    /// Ignored: the options are fixed here (static, threads, no Python, no Lua).
    pub fn define(&mut self, _name: &str, _value: &str) -> &mut Self {
        self
    }

    /// Ignored: `cargo build -vv` always shows the compiler's commands.
    pub fn very_verbose(&mut self, _value: bool) -> &mut Self {
        self
    }

    /// Compiles the five libraries to `$OUT_DIR/lib` and returns `$OUT_DIR`.
    pub fn build(&mut self) -> PathBuf {
        let out = env_path("OUT_DIR");
        println!("cargo:rerun-if-env-changed=CLINGO_SOURCE_DIR");
        println!("cargo:rerun-if-env-changed=CLINGO_BUILD_CACHE");
        let source = self.source_tree(&out);
        if !source.starts_with(&out) {
            println!("cargo:rerun-if-changed={}", source.display());
        }
        println!("cargo:release={}", clingo_version(&source));

        let headers = out.join("headers");
        let lib = out.join("lib");
        let cache =
            std::env::var_os("CLINGO_BUILD_CACHE").filter(|value| !value.is_empty() && source.starts_with(&out));
        let cache = cache.map(|folder| PathBuf::from(folder).join(key()));
        link_runtime(&lib);
        if cache.as_ref().is_some_and(|cache| copy_libraries(cache, &lib)) {
            return out;
        }
        configure(&source, &headers);
        compile(&source, &headers, &lib);
        if let Some(cache) = cache {
            // Rename at the end, because another build may use this folder at any moment.
            let temporary = cache.with_extension(std::process::id().to_string());
            if copy_libraries(&lib, &temporary) {
                let _ = fs::rename(&temporary, &cache);
            }
        }
        out
    }

    fn source_tree(&self, out: &Path) -> PathBuf {
        if let Some(chosen) = std::env::var_os("CLINGO_SOURCE_DIR").filter(|value| !value.is_empty()) {
            let chosen = PathBuf::from(chosen);
            assert!(
                chosen.join("libclingo/clingo.h").is_file(),
                "CLINGO_SOURCE_DIR is {}, which is not the root of a clingo source tree: it has no libclingo/clingo.h",
                chosen.display()
            );
            return chosen;
        }
        unpack_archive(out).unwrap_or_else(|reason| {
            // Cargo hides warnings of registry packages, so the main package's build script reports
            // this one.
            println!("cargo:older_because={reason}");
            println!("cargo:rerun-if-changed={}", cargo_home().join("registry/cache").display());
            println!("cargo:rerun-if-env-changed=CARGO_NET_OFFLINE");
            self.bundled.clone()
        })
    }
}

fn env_path(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name} for a build script")))
}

/// Returns the target triple.
fn target() -> String {
    std::env::var("TARGET").expect("cargo sets TARGET for a build script")
}

fn cargo_home() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default().join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

/// Lets cargo locate or download, verify and unpack the archive below `out`, and applies its
/// patches. The error is the last line that cargo printed.
///
/// The manifests are embedded, because a shared target directory can outlive the checkout that
/// built this package.
fn unpack_archive(out: &Path) -> Result<PathBuf, String> {
    let package = out.join("archive");
    let vendored = out.join("source");
    write(&package.join("Cargo.toml"), include_str!("../../clingo/Cargo.toml"));
    write(&package.join("Cargo.lock"), include_str!("../../clingo/Cargo.lock"));
    write(&package.join("src/lib.rs"), include_str!("../../clingo/src/lib.rs"));
    let vendor = |options: &[&str]| {
        // Patches apply only to pristine files.
        let _ = fs::remove_dir_all(&vendored);
        let output = Command::new(env_path("CARGO"))
            .args(["vendor", "--locked", "--versioned-dirs", "--manifest-path"])
            .arg(package.join("Cargo.toml"))
            .args(options)
            .arg(&vendored)
            .output()
            .map_err(|error| error.to_string())?;
        let messages = String::from_utf8_lossy(&output.stderr);
        let last = messages.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
        if output.status.success() { Ok(()) } else { Err(last.trim().to_owned()) }
    };
    // Try without the network first: the archive may be fetched already.
    vendor(&["--offline"]).or_else(|_| vendor(&[]))?;
    let archive = vendored.join(ARCHIVE);
    let tree = archive.join("clingo");
    if !tree.join("libclingo/clingo.h").is_file() {
        return Err(format!("{ARCHIVE} has no clingo/libclingo/clingo.h"));
    }
    let mut patches = Vec::new();
    collect(&archive.join("patches"), &["patch"], &mut patches);
    patches.sort();
    for patch in &patches {
        apply(&patch.display().to_string(), &read(patch), &tree);
    }
    for (name, patch) in PATCHES {
        apply(name, patch, &tree);
    }
    make_location_static(&tree);
    if is_wasm() {
        poll_while_solving(&tree);
    }
    Ok(tree)
}

fn is_wasm() -> bool {
    target().starts_with("wasm32-")
}

/// Lets clasp call the program at intervals while it solves, since WebAssembly has no other thread
/// that could interrupt it.
fn poll_while_solving(tree: &Path) {
    let file = tree.join("clasp/src/solve_algorithms.cpp");
    let replace = |text: String, from: &str, to: &str| {
        assert!(text.contains(from), "{}: {from} is not there", file.display());
        text.replace(from, to)
    };
    let text = replace(read(&file), ", term_(-1)", ", term_(0)");
    let handler = "struct InterruptHandler : public MessageHandler {";
    let text =
        replace(text, handler, &format!("extern \"C\" void asp_solve_poll();\n{handler}\n\tunsigned calls = 0;"));
    let from = "{ return InterruptHandler::handleMessages(); }";
    let to = "{ if (++calls % 256 == 0) { asp_solve_poll(); } return InterruptHandler::handleMessages(); }";
    write(&file, &replace(text, from, to));
}

/// Turns the parser's initial location into a static variable. Each entry on the parser's stack
/// starts as a location in the file `<undef>`, whose name is looked up twice under a lock, which
/// costs a tenth of the time of a small puzzle.
fn make_location_static(tree: &Path) {
    const PLACE: &str = "Location(\"<undef>\", 0, 0, \"<undef>\", 0, 0)";
    let grammar = tree.join("libgringo/gen/src/input/nongroundgrammar/grammar.hh");
    let (text, static_location) =
        (read(&grammar), format!("Location([] {{ static Location const one{}; return one; }}())", &PLACE[8..]));
    assert!(text.contains(PLACE), "{}: {PLACE} is not there", grammar.display());
    write(&grammar, &text.replace(PLACE, &static_location));
}

/// Applies a patch in the format of `git diff`. The archive is pinned by its checksum, so a patch
/// that fits once always fits.
fn apply(name: &str, patch: &str, tree: &Path) {
    let broken = |what: &dyn std::fmt::Display| -> ! { panic!("{name}: {what}") };
    for change in PatchSet::parse(patch, ParseOptions::gitdiff()) {
        let change = change.unwrap_or_else(|error| broken(&error));
        let FileOperation::Modify { modified, .. } = change.operation().strip_prefix(1) else {
            broken(&"creates or removes a file");
        };
        let file = tree.join(&*modified);
        let hunks = change.patch().as_text().unwrap_or_else(|| broken(&"is not a text"));
        let patched = diffy::apply(&read(&file), hunks).unwrap_or_else(|error| broken(&error));
        write(&file, &patched);
    }
}

/// Cache key: a hash of everything that the archive's compiled libraries depend on, after the target
/// of a build for another platform.
fn key() -> String {
    let compiler = compiler().get_compiler();
    let version = compiler.to_command().arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), ARCHIVE, PATCHES, compiler.path(), compiler.args(), version).hash(&mut hasher);
    let hash = format!("{:016x}", hasher.finish());
    if std::env::var("HOST").is_ok_and(|host| host == target()) { hash } else { format!("{}-{hash}", target()) }
}

/// Links the C++ runtime statically if GNU's compiler has it as an archive, which halves the
/// start-up time, since no symbols of a shared runtime need to be resolved; and a program for
/// Windows then needs no library beside it. Elsewhere the shared runtime is linked, which clingo-sys
/// names.
fn link_runtime(lib: &Path) {
    if !target().ends_with("-linux-gnu") && !target().ends_with("-windows-gnu") {
        return;
    }
    // Other compilers may find the archive too, but their own library is another one.
    if !has_gnu_library(lib) {
        return;
    }
    let Some(archive) = compiler_file("libstdc++.a") else { return };
    if fs::create_dir_all(lib).is_ok() && fs::copy(archive, lib.join("libcxx_runtime.a")).is_ok() {
        println!("cargo:rustc-link-lib=static=cxx_runtime");
    }
    // The compiler that links may be the one with the other model of threads (see `compiler`), whose
    // library of exceptions does not fit.
    if target().ends_with("-windows-gnu")
        && let Some(folder) = compiler_file("libgcc_eh.a").as_deref().and_then(Path::parent)
    {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}

/// Returns true if the compiler uses GNU's library of C++, whose headers define this macro.
fn has_gnu_library(lib: &Path) -> bool {
    let file = lib.join("library.cc");
    write(&file, "#include <cstddef>\n__GLIBCXX__\n");
    let expanded = compiler().file(file).try_expand();
    expanded.is_ok_and(|text| !String::from_utf8_lossy(&text).trim_end().ends_with("__GLIBCXX__"))
}

/// Returns the path of a file that belongs to the compiler.
fn compiler_file(name: &str) -> Option<PathBuf> {
    let output = compiler().get_compiler().to_command().arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    // A compiler without the file echoes the bare name.
    (path.is_absolute() && path.is_file()).then_some(path)
}

/// Copies the five libraries, and returns true if all of them exist.
fn copy_libraries(from: &Path, to: &Path) -> bool {
    let names = || LIBRARIES.iter().map(|library| format!("lib{}.a", library.name));
    fs::create_dir_all(to).is_ok() && names().all(|name| fs::copy(from.join(&name), to.join(&name)).is_ok())
}

fn clingo_version(source: &Path) -> String {
    let text = read(&source.join("libclingo/clingo.h"));
    let stated = text.split_once("#define CLINGO_VERSION \"").and_then(|(_, rest)| rest.split('"').next());
    stated.expect("libclingo/clingo.h states clingo's version").to_owned()
}

/// Writes the two headers that cmake would configure, and one for file systems that distinguish
/// `Windows.h`, which clingo includes, from `windows.h`, which MinGW has.
fn configure(source: &Path, headers: &Path) {
    let (major, minor, patch) = clasp_version(source);
    let config = read(&source.join("clasp/clasp/config.h.in"))
        .replace("@CLASP_VERSION_STRING@", &format!("{major}.{minor}.{patch}"))
        .replace("@CLASP_VERSION@", &format!("{major}.{minor}.{patch}"))
        .replace("@CLASP_VERSION_MAJOR@", &major)
        .replace("@CLASP_VERSION_MINOR@", &minor)
        .replace("@CLASP_VERSION_PATCH@", &patch)
        .replace("#cmakedefine01 CLASP_HAS_THREADS", "#define CLASP_HAS_THREADS 1")
        .replace("@CLASP_USE_STD_VECTOR@", "0")
        .replace("@CLASP_DEFINE_ATOMIC@", "namespace mt { using std::atomic; }")
        .replace("@CLASP_ATOMIC_TYPE@", "std::atomic");
    write(&headers.join("clasp/config.h"), &config);
    let paths = read(&source.join("libgringo/src/input/clingopath.hh.in")).replace("@CLINGO_CLINGOPATH@", "");
    write(&headers.join("input/clingopath.hh"), &paths);
    if target().contains("-windows-") && !cfg!(windows) {
        write(&headers.join("Windows.h"), "#include <windows.h>\n");
    }
}

/// Returns clasp's version from the line `project(CLASP VERSION 3.4.1 LANGUAGES CXX)` of its build
/// file.
fn clasp_version(source: &Path) -> (String, String, String) {
    let text = read(&source.join("clasp/CMakeLists.txt"));
    let version = text
        .split_once("project(CLASP VERSION ")
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .expect("clasp/CMakeLists.txt states clasp's version");
    let mut numbers = version.split('.').map(str::to_owned);
    let mut next = || numbers.next().unwrap_or_else(|| "0".to_owned());
    (next(), next(), next())
}

/// Compiles the files of all libraries in parallel, largest first, so that no core is left waiting
/// for the last file; then archives each library.
fn compile(source: &Path, headers: &Path, lib: &Path) {
    let includes: Vec<PathBuf> =
        INCLUDES.iter().map(|folder| source.join(folder)).filter(|folder| folder.is_dir()).collect();
    let files: Vec<Vec<PathBuf>> = LIBRARIES.iter().map(|library| sources(library, source)).collect();
    let units: Vec<Vec<PathBuf>> =
        LIBRARIES.iter().zip(&files).map(|(library, files)| units(library.name, files, lib)).collect();
    let build = |files: &[Vec<PathBuf>]| {
        let mut all: Vec<(usize, &PathBuf)> =
            (0..).zip(files).flat_map(|(library, files)| files.iter().map(move |file| (library, file))).collect();
        all.sort_by_key(|(_, file)| std::cmp::Reverse(size(file)));
        let objects = compiler()
            .std(STANDARD)
            .include(headers)
            .includes(&includes)
            .files(all.iter().map(|(_, file)| file))
            .out_dir(lib)
            .try_compile_intermediates()?;
        for (number, library) in LIBRARIES.iter().enumerate() {
            let library_objects = all.iter().zip(&objects).filter(|((library, _), _)| *library == number);
            compiler().out_dir(lib).objects(library_objects.map(|(_, object)| object)).try_compile(library.name)?;
        }
        Ok::<(), cc::Error>(())
    };
    let result = build(&units).or_else(|_| build(&files));
    result.unwrap_or_else(|error| panic!("clingo: {error}"));
}

/// Returns the source files of a library, sorted by name.
fn sources(library: &Library, source: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in library.folders {
        collect(&source.join(folder), &["cc", "cpp"], &mut files);
    }
    files.sort();
    assert!(!files.is_empty(), "{} has no sources for the library {}", source.display(), library.name);
    files
}

/// Returns the size of a file plus the sizes of the files that it includes by absolute path.
fn size(file: &Path) -> u64 {
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |data| data.len());
    let text = fs::read_to_string(file).unwrap_or_default();
    let included = text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
    bytes(file) + included.map(|path| bytes(Path::new(path))).sum::<u64>()
}

/// Generates unity files that each include up to four sources of one folder, since reading the same
/// headers repeatedly takes a third of the time. The files of the syntax tree (`astv2…`) define the
/// same names and are compiled separately.
fn units(library: &str, files: &[PathBuf], out: &Path) -> Vec<PathBuf> {
    const MAX_FILES_PER_UNIT: usize = 4;
    let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (separate, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|file| name(file).starts_with("astv2"));
    let unit = |(number, files): (usize, &[PathBuf])| {
        let path = out.join(format!("{library}-{number}.cc"));
        write(&path, &files.iter().map(|file| format!("#include \"{}\"\n", file.display())).collect::<String>());
        path
    };
    let folders = others.chunk_by(|one, other| one.parent() == other.parent());
    folders.flat_map(|files| files.chunks(MAX_FILES_PER_UNIT)).enumerate().map(unit).chain(separate).collect()
}

/// Returns the compiler settings that all five libraries share.
fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        // clingo-sys's build script links the C++ runtime after all of the libraries.
        .cpp_link_stdlib(None)
        // Unoptimised, clingo is six to eight times slower, so debug builds optimise it too.
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .define("NDEBUG", None)
        .define("CLINGO_NO_VISIBILITY", None)
        .define("CLINGO_BUILD_LIBRARY", None)
        .define("CLINGO_MAP_TYPE", "0")
        .cargo_metadata(false);
    if let Some(compiler) = posix_threads(&build) {
        build.compiler(compiler);
    }
    build
}

/// Returns the MinGW compiler with POSIX threads if `build` would choose the one with Windows' own,
/// whose C++ library has no `std::thread` in the versions that Debian and Ubuntu have.
fn posix_threads(build: &cc::Build) -> Option<&'static Path> {
    static COMPILER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let choose = || {
        let chosen = target().ends_with("-windows-gnu").then(|| build.get_compiler())?;
        let output = chosen.to_command().arg("-v").output().ok()?;
        let mut other = chosen.path().as_os_str().to_owned();
        other.push("-posix");
        let is_usable = String::from_utf8_lossy(&output.stderr).contains("Thread model: win32")
            && Command::new(&other).arg("--version").output().is_ok_and(|output| output.status.success());
        is_usable.then(|| other.into())
    };
    COMPILER.get_or_init(choose).as_deref()
}

/// Collects all files below a folder that have one of the extensions.
fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder entry can be read").path();
        if path.is_dir() {
            collect(&path, extensions, files);
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|expected| extension == *expected)) {
            files.push(path);
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a generated header has a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
