//! Lists the heads by which boards that do not name their puzzle are recognised, for each embedded
//! file that has any, so that recognising a text parses no other header. `src/builtin.rs` includes
//! the list.

use std::path::Path;

/// The heads in the order of the list.
const HEADS: [&str; 4] = ["Plain", "Known by", "Line", "Game"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name| std::env::var(name).expect("cargo sets the variables of build scripts");
    let encodings = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../asp");
    let mut files = Vec::new();
    for folder in ["games", "puzzles"] {
        let path = encodings.join(folder);
        println!("cargo:rerun-if-changed={}", path.display());
        for entry in std::fs::read_dir(&path).expect("the encodings are in the folder asp") {
            let file = entry.expect("the folder can be read").path();
            if file.extension().is_some_and(|extension| extension == "lp") {
                let name = file.file_name().expect("it has an extension").to_string_lossy();
                let text = std::fs::read_to_string(&file).expect("an encoding is text");
                files.push((format!("{folder}/{name}"), heads(&text)));
            }
        }
    }
    files.retain(|(_, heads)| !heads.is_empty());
    files.sort();
    let list: String = files.iter().map(|(path, heads)| format!("({path:?}, &{heads:?}),\n")).collect();
    let output = Path::new(&variable("OUT_DIR")).join("unnamed_heads.rs");
    std::fs::write(output, format!("&[{list}]")).expect("the folder of the build takes files");
}

/// Returns the heads in the header of a text.
fn heads(text: &str) -> Vec<&'static str> {
    let lines = || text.lines().map_while(|line| line.strip_prefix("%"));
    let has = |head: &str| {
        lines().any(|line| {
            let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
            line.strip_prefix(head).is_some_and(|rest| rest.starts_with("  "))
        })
    };
    HEADS.into_iter().filter(|head| has(head)).collect()
}
