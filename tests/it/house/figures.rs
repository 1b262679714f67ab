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
fn a_curve_has_its_law_and_its_size_limit_for_an_hour() {
    let row = |name: &str, sizes: &[f64], seconds: fn(f64) -> f64| {
        let points: Vec<[f64; 3]> = sizes.iter().map(|&size| [size, 0.001 + seconds(size), 10.0]).collect();
        json!({"table": "laws", "row": name, "x": "size", "base": [0.001, 10.0], "points": points, "by": "", "on": "", "machine": ""})
    };
    let rows = [
        row("square", &[10.0, 20.0, 40.0, 80.0, 160.0], |size| 1e-4 * size * size),
        row("threefold", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], |size| 1e-3 * 3_f64.powf(size)),
        row("flat", &[1.0, 2.0, 3.0, 4.0], |_| 1e-3),
    ];
    let text = data::rendered("<!-- figures\n[[laws]]\n-->\n<!-- /figures -->", &rows);
    let expected = [
        "| square | n<sup>2.00 ± 0.00</sup> | – | 160: 2.56 s, 10.0 MB | 6,000 (time) |",
        "| threefold | (3.00 ± 0.00)<sup>n</sup> | – | 8: 6.56 s, 10.0 MB | 14 (time) |",
        "| flat | – | – | 4: 0.00200 s, 10.0 MB | – |",
    ];
    for line in expected {
        assert!(text.contains(line), "{text}");
    }
}
