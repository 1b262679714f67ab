//! The characters that draw boxes.

/// How thick a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Weight {
    #[default]
    None,
    Light,
    Heavy,
    Double,
}

/// Light and heavy ones in the order of weights upwards, to the right, downwards, and to the left.
const BOXES: &str =
    concat!(" ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳", "╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈", "╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋",);
/// Double from left to right, double from top to bottom, and both, in binary order of the four directions.
const DOUBLES: [&str; 3] = [" │═╘││╒╞═╛═╧╕╡╤╪", " ║─╙║║╓╟─╜─╨╖╢╥╫", " ║═╚║║╔╠═╝═╩╗╣╦╬"];

/// The character whose arms upwards, to the right, downwards and to the left have these weights.
pub fn joined(arms: [Weight; 4]) -> char {
    let [up, right, down, left] = arms;
    let is_double = |one: Weight, other: Weight| one == Weight::Double || other == Weight::Double;
    let table = match (is_double(up, down), is_double(left, right)) {
        (false, false) => {
            let index = arms.into_iter().fold(0, |index, arm| 3 * index + arm as usize);
            return BOXES.chars().nth(index).unwrap_or(' ');
        }
        (false, true) => DOUBLES[0],
        (true, false) => DOUBLES[1],
        (true, true) => DOUBLES[2],
    };
    let index = arms.into_iter().rev().fold(0, |index, arm| 2 * index + usize::from(arm != Weight::None));
    table.chars().nth(index).unwrap_or(' ')
}
