//! Warns if the older clingo bundled with clingo-sys is compiled; see `build/cmake`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(reason) = std::env::var("DEP_CLINGO_OLDER_BECAUSE") {
        println!(
            "cargo:warning=clingo 5.8.2 is not fetched and could not be ({reason}); built with the older clingo that \
             clingo-sys carries, which has known defects. `cargo fetch --manifest-path build/clingo/Cargo.toml` fetches it; \
             CLINGO_SOURCE_DIR names another source tree."
        );
    } else if std::env::var_os("DEP_CLINGO_RELEASE").is_none() {
        // Cargo shows this only if the package is a path dependency; at run time
        // `asp_solve::clingo_version` gives the version.
        println!(
            "cargo:warning=built by cmake with the older clingo that clingo-sys carries, which has known defects. This line \
             in Cargo.toml, below [patch.crates-io], builds clingo 5.8.2 and needs no cmake: cmake = {{ path = \"{}\" }}",
            std::path::Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default())
                .join("../../build/cmake")
                .display()
        );
    }
}
