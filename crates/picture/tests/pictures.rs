//! Tests the size and the SVG of pictures, and that the colours of the palette differ visibly.

use std::collections::BTreeSet;

use base::stop::CancelToken;
use picture::graph::layout::layered;
use picture::graph::{Arc, Graph, Node, Site};
use picture::page::{Page, with_nonce};
use picture::{Look, Paint, Picture, Rgb, Sprite};

fn disc(label: &str, places: &[(f64, f64)]) -> Sprite {
    Sprite::moving(Look::Disc { radius: 12.0 }, Paint::Accent, label, places.to_vec())
}

#[test]
fn light_colours_of_ranks_differ_and_have_dark_letters() {
    let colors: BTreeSet<Rgb> = (0..10).map(Rgb::light_of_rank).collect();
    assert_eq!(colors.len(), 10);
    assert!(colors.iter().all(|color| color.ink() == "#111"));
}

#[test]
fn the_view_contains_each_sprite_in_each_frame() {
    let sprites = vec![disc("a", &[(0.0, 0.0), (100.0, -30.0)]), disc("b", &[(-50.0, 70.0)])];
    let (left, top, width, height) = Picture { title: String::new(), sprites, captions: Vec::new() }.view();
    assert!(left <= -62.0 && top <= -42.0, "{left} {top}");
    assert!(left + width >= 112.0 && top + height >= 82.0, "{left} {top} {width} {height}");
}

#[test]
fn only_sprites_that_move_are_animated() {
    let captions = vec!["start".to_owned(), "end".to_owned()];
    let picture = |places: &[(f64, f64)]| {
        let sprites = vec![disc("a", places), disc("b", &[(0.0, 80.0)])];
        Picture { title: "A move".to_owned(), sprites, captions: captions.clone() }
    };
    assert_eq!(picture(&[(0.0, 0.0), (60.0, 0.0)]).svg().matches("<animateTransform").count(), 1);
    assert_eq!(picture(&[(0.0, 0.0)]).svg().matches("<animateTransform").count(), 0);
    let last = picture(&[(0.0, 0.0), (60.0, 0.0)]).last_frame();
    assert_eq!((last.sprites[0].places.clone(), last.captions), (vec![(60.0, 0.0)], vec!["end".to_owned()]));
}

#[test]
fn long_captions_are_wrapped_and_keep_their_line_breaks() {
    let picture = |caption: &str| Picture {
        title: String::new(),
        sprites: vec![disc("a", &[(0.0, 0.0)])],
        captions: vec![caption.to_owned()],
    };
    let lines = |caption: &str| picture(caption).svg().matches("<tspan").count();
    assert_eq!((lines("a short one"), lines("two\nlines"), lines("")), (0, 2, 0));
    assert!(lines(&"some words ".repeat(20)) > 4);
    let width = |caption: &str| {
        let svg = picture(caption).svg();
        svg.split(" width=\"").nth(1).and_then(|rest| rest.split('"').next()?.parse::<f64>().ok()).expect("a width")
    };
    assert!(width(&"some words ".repeat(20)) <= 280.0);
    assert!(width(&"w".repeat(60)) > 500.0, "a long word is not cut off");
}

/// A text that would end its element if it were not escaped.
const HOSTILE: &str = "</script></style></title>\"'&<b>";

#[test]
fn texts_are_escaped_in_pictures_and_pages() {
    let sprites = vec![disc(HOSTILE, &[(0.0, 0.0)]).hint(HOSTILE)];
    let picture = Picture { title: HOSTILE.to_owned(), sprites, captions: vec![HOSTILE.to_owned()] };
    assert!(!picture.svg().contains("<b>") && !picture.svg().contains("</script>"));
    let empty = Page::of_text("", "").html();
    let mut page = Page::of_text(HOSTILE, HOSTILE);
    page.columns = vec![HOSTILE.to_owned()];
    page.add(&picture);
    for end in ["</script", "</style", "</title", "<b>"] {
        assert_eq!(page.html().matches(end).count(), empty.matches(end).count(), "{end}");
    }
    assert_eq!(
        with_nonce(&empty, "n").matches(" nonce=\"n\"").count(),
        ["<script", "<style"].map(|tag| empty.matches(tag).count()).iter().sum::<usize>()
    );
}

#[test]
fn layered_layouts_put_the_end_of_an_arc_below_its_start() {
    for seed in 0..20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(2..12);
        let node = |number: usize| Node { id: number.to_string(), name: number.to_string(), ..Node::default() };
        let arcs: Vec<Arc> = (1..count).map(|to| Arc { from: random.usize(..to), to, ..Arc::default() }).collect();
        let sites = (0..count).map(|node| Site { nodes: vec![node], ..Site::default() }).collect();
        let graph = Graph { nodes: (0..count).map(node).collect(), arcs, sites, ..Graph::default() };
        let places = layered(&graph, &CancelToken::new()).places;
        for arc in &graph.arcs {
            assert!(places[arc.from].1 < places[arc.to].1, "seed {seed}: {places:?}");
        }
        let distinct: BTreeSet<String> = places.iter().map(|place| format!("{place:?}")).collect();
        assert_eq!(distinct.len(), count, "seed {seed}: {places:?}");
    }
}
