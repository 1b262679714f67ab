//! Draws atoms of `draw` in the terminal, and says how large the SVG of the same drawing is.

use asp::parse_term;
use base::diagnostic::Failure;
use base::stop::CancelToken;
use base::style::Style;
use drawing::Drawing;

/// A square of two areas with a path through it.
const ATOMS: [&str; 10] = [
    "draw(given(1,1,2))",
    "draw(found(1,2,1))",
    "draw(found(2,1,1))",
    "draw(given(2,2,2))",
    "draw(fill(2,2,gray))",
    "draw(border(1,1,1,2,thick))",
    "draw(border(2,1,2,2,thick))",
    "draw(found(3,1,3))",
    "draw(found(3,2,3))",
    "draw(line(3,1,3,2))",
];

fn main() -> Result<(), Failure> {
    let atoms: Vec<_> = ATOMS.into_iter().filter_map(parse_term).collect();
    let (drawing, warnings) = Drawing::of(&atoms, "these atoms")?;
    for warning in warnings {
        eprintln!("{warning}");
    }
    print!("{}", drawing.text(&Style::default()));
    let svg = drawing.picture("Two areas", &CancelToken::new()).svg();
    println!("as SVG: {} bytes", svg.len());
    Ok(())
}
