//! Box-drawing characters.

/// The weight of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stroke {
    #[default]
    None,
    Light,
    Heavy,
    Double,
}

/// Light and heavy lines, indexed by the weights of the arms up, right, down and left in base 3.
const BOXES: &str =
    concat!(" ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳", "╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈", "╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋",);
/// Horizontal double lines, vertical double lines, and both, indexed by the four arms in base 2.
const DOUBLES: [&str; 3] = [" │═╘││╒╞═╛═╧╕╡╤╪", " ║─╙║║╓╟─╜─╨╖╢╥╫", " ║═╚║║╔╠═╝═╩╗╣╦╬"];

/// Returns the character whose arms up, right, down and left have the weights `arms`.
pub fn joined(arms: [Stroke; 4]) -> char {
    let [up, right, down, left] = arms;
    let is_double = |first: Stroke, second: Stroke| first == Stroke::Double || second == Stroke::Double;
    let table = match (is_double(up, down), is_double(left, right)) {
        (false, false) => {
            let index = arms.into_iter().fold(0, |index, arm| 3 * index + arm as usize);
            return BOXES.chars().nth(index).unwrap_or(' ');
        }
        (false, true) => DOUBLES[0],
        (true, false) => DOUBLES[1],
        (true, true) => DOUBLES[2],
    };
    let index = arms.into_iter().rev().fold(0, |index, arm| 2 * index + usize::from(arm != Stroke::None));
    table.chars().nth(index).unwrap_or(' ')
}
