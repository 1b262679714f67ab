//! Tests that the README and `docs/figures.md` agree with the measured data.

#[path = "../../../benches/figures/mod.rs"]
mod data;

use serde_json::json;

/// `cargo bench --bench figures` renders them.
#[test]
fn texts_and_curves_are_rendered_from_the_data() {
    let rows = data::rows();
    let texts = data::TEXTS.map(|name| {
        let text = std::fs::read_to_string(data::path(name)).expect(name);
        let rendered = data::rendered(&text, &rows);
        assert!(rendered.contains("<!-- figures"), "{name} has no figures");
        (name.to_owned(), rendered)
    });
    for (name, rendered) in texts.into_iter().chain(data::chart::pictures(&rows)) {
        let found = std::fs::read_to_string(data::path(&name)).unwrap_or_default();
        assert!(found == rendered, "{name} is not what the data says; `cargo bench --bench figures` renders it");
    }
}

#[test]
fn numbers_are_shown_to_three_digits() {
    let shown = [0.000_012_34, 0.0783, 1.005, 12.34, 123.6, 1234.5, 9_876_543.2].map(data::significant);
    assert_eq!(shown, ["0.0000123", "0.0783", "1.00", "12.3", "124", "1,234", "9,876,543"]);
}

#[test]
fn a_table_of_curves_has_the_largest_sizes() {
    let row = |name: &str, end: &[&str]| {
        let mut row = json!({"table": "sizes", "row": name, "x": "cells", "points": [[10.0, 0.5, 10.0], [1e6, 2.56, 99.5]], "by": "", "on": "", "machine": ""});
        ["end", "beyond"].into_iter().zip(end).for_each(|(key, end)| row[key] = json!(end));
        row
    };
    let rows =
        [row("endless", &[]), row("given", &["too large"]), row("late", &["too large", "time: more than 5 s at 2"])];
    let text = data::rendered("<!-- figures\n[[sizes]]\n-->\n<!-- /figures -->", &rows);
    let expected = [
        "| | cells | seconds | MB | end |",
        "| endless | 1,000,000 | 2.56 | 99.5 | – |",
        "| given | 1,000,000 | 2.56 | 99.5 | too large |",
        "| late | 1,000,000 | 2.56 | 99.5 | time: more than 5 s at 2 |",
    ];
    for line in expected {
        assert!(text.contains(line), "{text}");
    }
}
