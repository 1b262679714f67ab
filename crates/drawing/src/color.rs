//! Parses colours in the notation of Graphviz.

use asp::functions::SVG_COLOR;
use picture::Rgb;

/// Colour schemes of ColorBrewer (Cynthia Brewer, Pennsylvania State University), each with its
/// colours in order of rank. Ranks start at 1.
const SCHEMES: [(&str, &str); 23] = [
    ("blues9", "f7fbff deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b"),
    ("greens9", "f7fcf5 e5f5e0 c7e9c0 a1d99b 74c476 41ab5d 238b45 006d2c 00441b"),
    ("greys9", "ffffff f0f0f0 d9d9d9 bdbdbd 969696 737373 525252 252525 000000"),
    ("oranges9", "fff5eb fee6ce fdd0a2 fdae6b fd8d3c f16913 d94801 a63603 7f2704"),
    ("purples9", "fcfbfd efedf5 dadaeb bcbddc 9e9ac8 807dba 6a51a3 54278f 3f007d"),
    ("reds9", "fff5f0 fee0d2 fcbba1 fc9272 fb6a4a ef3b2c cb181d a50f15 67000d"),
    ("bugn9", "f7fcfd e5f5f9 ccece6 99d8c9 66c2a4 41ae76 238b45 006d2c 00441b"),
    ("bupu9", "f7fcfd e0ecf4 bfd3e6 9ebcda 8c96c6 8c6bb1 88419d 810f7c 4d004b"),
    ("gnbu9", "f7fcf0 e0f3db ccebc5 a8ddb5 7bccc4 4eb3d3 2b8cbe 0868ac 084081"),
    ("orrd9", "fff7ec fee8c8 fdd49e fdbb84 fc8d59 ef6548 d7301f b30000 7f0000"),
    ("pubu9", "fff7fb ece7f2 d0d1e6 a6bddb 74a9cf 3690c0 0570b0 045a8d 023858"),
    ("pubugn9", "fff7fb ece2f0 d0d1e6 a6bddb 67a9cf 3690c0 02818a 016c59 014636"),
    ("purd9", "f7f4f9 e7e1ef d4b9da c994c7 df65b0 e7298a ce1256 980043 67001f"),
    ("rdpu9", "fff7f3 fde0dd fcc5c0 fa9fb5 f768a1 dd3497 ae017e 7a0177 49006a"),
    ("ylgn9", "ffffe5 f7fcb9 d9f0a3 addd8e 78c679 41ab5d 238443 006837 004529"),
    ("ylgnbu9", "ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58"),
    ("ylorbr9", "ffffe5 fff7bc fee391 fec44f fe9929 ec7014 cc4c02 993404 662506"),
    ("ylorrd9", "ffffcc ffeda0 fed976 feb24c fd8d3c fc4e2a e31a1c bd0026 800026"),
    ("set19", "e41a1c 377eb8 4daf4a 984ea3 ff7f00 ffff33 a65628 f781bf 999999"),
    ("set312", "8dd3c7 ffffb3 bebada fb8072 80b1d3 fdb462 b3de69 fccde5 d9d9d9 bc80bd ccebc5 ffed6f"),
    ("paired12", "a6cee3 1f78b4 b2df8a 33a02c fb9a99 e31a1c fdbf6f ff7f00 cab2d6 6a3d9a ffff99 b15928"),
    ("pastel19", "fbb4ae b3cde3 ccebc5 decbe4 fed9a6 ffffcc e5d8bd fddaec f2f2f2"),
    ("dark28", "1b9e77 d95f02 7570b3 e7298a 66a61e e6ab02 a6761d 666666"),
];

/// Parses the first colour of a list: a CSS or X11 name, `#rrggbb`, `#rrggbbaa`, a rank in the
/// colour scheme `scheme`, or `/scheme/rank`.
pub fn color(text: &str, scheme: Option<&str>) -> Option<Rgb> {
    let first = text.split([':', ';']).next()?.trim();
    let text = if first.starts_with('#') { first.split_whitespace().next()? } else { first };
    if text == SVG_COLOR {
        return Some(Rgb(0x11, 0x11, 0x11));
    }
    let (scheme, text) = match text.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
        Some((named, rank)) => (Some(named).filter(|named| !named.is_empty()), rank),
        None => (scheme, text),
    };
    if let (Some(scheme), Ok(rank)) = (scheme, text.parse::<usize>()) {
        let (_, colors) = SCHEMES.iter().find(|(name, _)| *name == scheme)?;
        return Rgb::by_name(&format!("#{}", colors.split(' ').nth(rank.checked_sub(1)?)?));
    }
    if let Some((color, opacity)) =
        text.split_at_checked(7).filter(|(color, rest)| color.starts_with('#') && rest.len() == 2)
    {
        let opacity = f64::from(u8::from_str_radix(opacity, 16).ok()?) / 255.0;
        return Some(Rgb(0xff, 0xff, 0xff).mix(Rgb::by_name(color)?, opacity));
    }
    let letters = text.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let shade = text[letters.len()..].parse::<u32>().ok().filter(|_| !text.starts_with('#'));
    match (letters.to_lowercase().as_str(), shade) {
        ("gray" | "grey", Some(percent @ 0..=100)) => {
            let level = (f64::from(percent) * 2.55).round() as u8;
            Some(Rgb(level, level, level))
        }
        // X11 defines another grey than CSS.
        ("gray" | "grey", None) => Some(Rgb(0xc0, 0xc0, 0xc0)),
        // Numbered shades of a name become darker with the number.
        (name, Some(rank @ 1..=4)) => {
            let darker = [0.0, 0.07, 0.2, 0.455][rank as usize - 1];
            Some(Rgb::by_name(name)?.mix(Rgb(0, 0, 0), darker))
        }
        _ => Rgb::by_name(text),
    }
}
