//! What the README and `docs/figures.md` say was measured is what the data says.

#[path = "../../benches/figures/mod.rs"]
mod figures;

/// As cargo is told to: `cargo bench --bench figures`.
#[test]
fn texts_and_curves_are_rendered_from_the_data() {
    let rows = figures::rows();
    let texts = figures::TEXTS.map(|name| {
        let text = std::fs::read_to_string(figures::path(name)).expect(name);
        let rendered = figures::rendered(&text, &rows);
        assert!(rendered.contains("<!-- figures"), "{name} has no figures");
        (name.to_owned(), rendered)
    });
    for (name, rendered) in texts.into_iter().chain(figures::chart::pictures(&rows)) {
        let found = std::fs::read_to_string(figures::path(&name)).unwrap_or_default();
        assert!(found == rendered, "{name} is not what the data says; `cargo bench --bench figures` renders it");
    }
}

#[test]
fn numbers_are_shown_to_three_digits() {
    let shown = [0.000_012_34, 0.0783, 1.005, 12.34, 123.6, 1234.5, 9_876_543.2].map(figures::significant);
    assert_eq!(shown, ["0.0000123", "0.0783", "1.00", "12.3", "124", "1,234", "9,876,543"]);
}
