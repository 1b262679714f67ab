//! Pictures as PNG: the first frame of an SVG in pixels.
//!
//! The fonts in `fonts/` are part of the program, so that a picture is the same on every system.
//! They were made from DejaVu Sans 2.37 by `pyftsubset --no-hinting --layout-features=''`. The
//! system's fonts are read only for characters that they lack.

use std::collections::BTreeSet;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb, roxmltree};
use ttf_parser::Face;

const FAMILY: &str = "DejaVu Sans";
const FONTS: [&[u8]; 2] = [include_bytes!("fonts/DejaVuSans.ttf"), include_bytes!("fonts/DejaVuSans-Bold.ttf")];
/// Maximum number of pixels, which take four bytes each.
const MAX_PIXELS: f64 = 100_000_000.0;

/// Renders the first frame of an SVG, with `scale` pixels for each of its units.
///
/// # Errors
/// Neither the built-in fonts nor the system's have a character, or there are too many pixels.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, String> {
    let mut fonts = fontdb::Database::new();
    for font in FONTS {
        fonts.load_font_data(font.to_vec());
    }
    let used = used_characters(svg)?;
    if missing_character(&used, &fonts).is_some() {
        fonts.load_system_fonts();
        if let Some(missing) = missing_character(&used, &fonts) {
            return Err(format!("no font of this system has the character `{missing}`"));
        }
    }
    // The configuration of the system's fonts gives this family a font that may not exist; then all
    // text would vanish.
    fonts.set_sans_serif_family(FAMILY);
    let options = Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|size| (f64::from(size) * scale).ceil());
    let too_large = || format!("{width} × {height} pixels are too many; a smaller --scale makes fewer");
    if width * height > MAX_PIXELS {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new((width as u32).max(1), (height as u32).max(1)).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

/// Returns the characters of the texts in the picture.
fn used_characters(svg: &str) -> Result<BTreeSet<char>, String> {
    let document = roxmltree::Document::parse(svg).map_err(|error| error.to_string())?;
    let texts = document.descendants().filter(|node| node.has_tag_name("text") || node.has_tag_name("tspan"));
    let letters = texts.flat_map(|node| node.children()).filter_map(|child| child.text());
    Ok(letters.flat_map(str::chars).filter(|letter| !letter.is_whitespace()).collect())
}

/// Returns a character that no font has. The renderer would leave it out without an error.
fn missing_character(used: &BTreeSet<char>, fonts: &fontdb::Database) -> Option<char> {
    let mut missing = used.clone();
    for font in fonts.faces() {
        fonts.with_face_data(font.id, |data, index| {
            if let Ok(face) = Face::parse(data, index) {
                missing.retain(|&letter| face.glyph_index(letter).is_none());
            }
        });
    }
    missing.first().copied()
}
