//! Tells the person who builds when the older clingo had to be taken; see `build/cmake`.

fn main() {
    println!("cargo:rerun-if-changed=build/main.rs");
    if let Ok(reason) = std::env::var("DEP_CLINGO_OLDER_BECAUSE") {
        println!(
            "cargo:warning=clingo 5.8.2 could not be fetched ({reason}); built with the older clingo that clingo-sys \
             carries, which has known defects. CLINGO_SOURCE_DIR names another source tree."
        );
    }
}
