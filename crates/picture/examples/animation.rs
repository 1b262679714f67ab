//! Writes an animated SVG: a trolley takes a bend. `cargo run -p picture --example animation >
//! trolley.svg`

use picture::{Curve, Look, PALETTE, Paint, Picture, Sprite};

fn main() {
    let bend = Curve(vec![(0.0, 0.0), (60.0, 0.0), (100.0, 40.0), (100.0, 100.0)]);
    let track = Look::Curve { curve: bend.clone(), width: 4.0, is_dashed: false, has_arrow: false };
    let stop = |name: &str, place| Sprite::still(Look::Disc { radius: 12.0 }, Paint::White, name, place);
    let mut trolley = Sprite::moving(
        Look::Tile { width: 22.0, height: 16.0 },
        Paint::Color(PALETTE[0].1),
        "1",
        vec![(0.0, 0.0), (100.0, 100.0)],
    );
    trolley.paths = vec![bend];
    let picture = Picture {
        title: "A trolley takes a bend".to_owned(),
        sprites: vec![
            Sprite::still(track, Paint::Grey, "", (0.0, 0.0)),
            stop("a", (0.0, 0.0)),
            stop("b", (100.0, 100.0)),
            trolley,
        ],
        captions: vec!["in a".to_owned(), "in b".to_owned()],
    };
    print!("{}", picture.svg());
}
