//! Pictures as PNG: the first frame of an SVG in pixels.
//!
//! The fonts in `fonts/` are part of the program, so that a picture is the same on every system.
//! They were made from DejaVu Sans 2.37 by `pyftsubset --no-hinting --layout-features=''`. The
//! system's fonts are read only for characters that they lack.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Group, Node, Options, Tree, fontdb};

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
    fonts.set_sans_serif_family(FAMILY);
    let mut tree = parsed(svg, fonts.clone())?;
    if missing_text(tree.root()).is_some() {
        fonts.load_system_fonts();
        tree = parsed(svg, fonts)?;
        if let Some(text) = missing_text(tree.root()) {
            return Err(format!("no font of this system has the characters of `{text}`"));
        }
    }
    let [width, height] = [tree.size().width(), tree.size().height()].map(|size| (f64::from(size) * scale).ceil());
    let too_large = || format!("{width} × {height} pixels are too many; a smaller --scale makes fewer");
    if width * height > MAX_PIXELS {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new((width as u32).max(1), (height as u32).max(1)).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

fn parsed(svg: &str, fonts: fontdb::Database) -> Result<Tree, String> {
    let options = Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| error.to_string())
}

/// Returns a text of which no font has a character.
fn missing_text(group: &Group) -> Option<String> {
    group.children().iter().find_map(|node| match node {
        Node::Group(group) => missing_text(group),
        Node::Text(text) => {
            let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
            glyphs.find(|glyph| glyph.id.0 == 0).map(|glyph| glyph.text.clone())
        }
        _ => None,
    })
}
