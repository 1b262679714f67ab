//! Renders `docs/figures.jsonl` as curves and as the text between marks in the README and in
//! `docs/figures.md`.
//!
//! `cargo bench --bench figures`. To repeat the measurements, run the benches with `-- --record`
//! first, each on an otherwise idle machine:
//!
//! ```sh
//! for bench in search minesweeper generator simulation growth profile; do cargo bench --bench $bench -- --record; done
//! CLINGO="python3 -m clingo" cargo bench --bench puzzles -- --record
//! cargo bench --bench minesweeper -- play 20000 --record && CLINGO="python3 -m clingo" cargo bench --bench against_clingo -- --record
//! cargo bench --bench figures
//! ```

#[path = "figures/mod.rs"]
mod figures;

fn main() {
    let rows = figures::rows();
    std::fs::create_dir_all(figures::path("docs/figures")).expect("the project's folder can be written to");
    for (name, picture) in figures::chart::pictures(&rows) {
        std::fs::write(figures::path(&name), picture).expect("the picture can be written");
    }
    for name in figures::TEXTS {
        let text = std::fs::read_to_string(figures::path(name)).expect("the text is there");
        std::fs::write(figures::path(name), figures::rendered(&text, &rows)).expect("the text can be written");
    }
}
