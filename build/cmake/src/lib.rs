//! Compiles clingo's C++ sources without the program `cmake`.
//!
//! clingo-sys's build script asks the crate `cmake` to configure and build the source tree that it carries. This package
//! has the same name and answers the same four calls, so that `[patch.crates-io]` puts it in that crate's place; the
//! build script itself stays as it was published. All that cmake would do for these five static libraries is to fill in
//! two headers and call the compiler for some eighty files.
//!
//! Which source tree is compiled, in this order:
//!
//! 1. the directory that the environment variable `CLINGO_SOURCE_DIR` names (the root of a clingo release);
//! 2. clingo 5.8.2, unpacked by cargo from the registry archive that `build/clingo/Cargo.lock` names by its check sum;
//! 3. where cargo cannot fetch that archive (an offline build), the older tree that clingo-sys carries; `build/main.rs` warns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The archive of `build/clingo/Cargo.toml`, as `cargo vendor --versioned-dirs` names its folder.
const ARCHIVE: &str = "clingox-sys-508.2.0-beta.5";

/// One static library: its name, the folders that hold its `.cc` and `.cpp` files, and the C++ standard it is written in.
struct Library {
    name: &'static str,
    folders: &'static [&'static str],
    standard: &'static str,
}

const LIBRARIES: [Library; 5] = [
    Library { name: "potassco", folders: &["clasp/libpotassco/src"], standard: "gnu++11" },
    Library { name: "clasp", folders: &["clasp/src"], standard: "gnu++11" },
    Library { name: "reify", folders: &["libreify/src"], standard: "c++14" },
    Library { name: "gringo", folders: &["libgringo/src", "libgringo/gen/src"], standard: "c++14" },
    Library { name: "clingo", folders: &["libclingo/src"], standard: "c++14" },
];

/// Header folders below the source tree; those that a release does not have are left out.
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
    /// `path`: the source tree that the caller carries, relative to its own folder.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Config { bundled: env_path("CARGO_MANIFEST_DIR").join(path) }
    }

    /// Options are fixed here (static, threads, no Python, no Lua), so this changes nothing.
    pub fn define(&mut self, _name: &str, _value: &str) -> &mut Self {
        self
    }

    /// The compiler's commands are always shown to `cargo build -vv`, so this changes nothing.
    pub fn very_verbose(&mut self, _value: bool) -> &mut Self {
        self
    }

    /// Compiles the five libraries to `$OUT_DIR/lib` and returns `$OUT_DIR`.
    pub fn build(&mut self) -> PathBuf {
        let out = env_path("OUT_DIR");
        println!("cargo:rerun-if-env-changed=CLINGO_SOURCE_DIR");
        let source = self.source_tree(&out);
        if !source.starts_with(&out) {
            println!("cargo:rerun-if-changed={}", source.display());
        }

        let headers = out.join("headers");
        configure(&source, &headers);
        for library in &LIBRARIES {
            compile(library, &source, &headers, &out.join("lib"));
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
            // Cargo hides warnings of packages from a registry: the main package's build script hands this one on.
            println!("cargo:older_because={reason}");
            self.bundled.clone()
        })
    }
}

fn env_path(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name} for a build script")))
}

/// Has cargo download, check and unpack the archive below `out`; the error is the last line that cargo printed.
///
/// What names it is in here, not looked up: clones that share a target folder share this package as the first of them has
/// compiled it, and that clone may be gone.
fn unpack_archive(out: &Path) -> Result<PathBuf, String> {
    let (package, vendored) = (out.join("archive"), out.join("source"));
    write(&package.join("Cargo.toml"), include_str!("../../clingo/Cargo.toml"));
    write(&package.join("Cargo.lock"), include_str!("../../clingo/Cargo.lock"));
    write(&package.join("src/lib.rs"), include_str!("../../clingo/src/lib.rs"));
    let output = Command::new(env_path("CARGO"))
        .args(["vendor", "--locked", "--versioned-dirs", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg(&vendored)
        .output()
        .map_err(|error| error.to_string())?;
    let tree = vendored.join(ARCHIVE).join("clingo");
    if output.status.success() && tree.join("libclingo/clingo.h").is_file() {
        return Ok(tree);
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    Err(messages.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message").trim().to_owned())
}

/// Writes the two headers that cmake would fill in.
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
}

/// The version in the line `project(CLASP VERSION 3.4.1 LANGUAGES CXX)` of clasp's own build file.
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

fn compile(library: &Library, source: &Path, headers: &Path, lib: &Path) {
    let mut files = Vec::new();
    for folder in library.folders {
        collect_sources(&source.join(folder), &mut files);
    }
    files.sort();
    assert!(!files.is_empty(), "{} has no sources for the library {}", source.display(), library.name);
    cc::Build::new()
        .cpp(true)
        // The libraries name the C++ runtime in clingo-sys's build script, after all of them.
        .cpp_link_stdlib(None)
        .std(library.standard)
        // A clingo without optimisation is six to eight times slower, so that debug builds get it too.
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .define("NDEBUG", None)
        .define("CLINGO_NO_VISIBILITY", None)
        .define("CLINGO_BUILD_LIBRARY", None)
        .define("CLINGO_MAP_TYPE", "0")
        .include(headers)
        .includes(INCLUDES.iter().map(|folder| source.join(folder)).filter(|folder| folder.is_dir()))
        .files(files)
        .cargo_metadata(false)
        .out_dir(lib)
        .compile(library.name);
}

fn collect_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder entry can be read").path();
        if path.is_dir() {
            collect_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "cc" || extension == "cpp") {
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
