//! Parses the steps of a header.

use super::super::board::{Clue, GRIDS, SIDES};
use super::super::codecs::{self, Codec, Key};
use super::format_step::FormatStep;
use super::places::Places;

/// Splits a text into words, quoted strings and punctuation.
pub(in super::super) fn tokens(text: &str) -> Result<Vec<&str>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let length = match first {
            '"' => 2 + rest[1..].find('"').ok_or("a quote without its end")?,
            _ if is_word(first) => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Takes the arguments in brackets from the front of `tokens`, split at commas. Returns no
/// arguments if there is no bracket.
pub(in super::super) fn take_brackets<'a>(tokens: &mut &[&'a str]) -> Result<Vec<Vec<&'a str>>, String> {
    let Some(rest) = tokens.strip_prefix(&["("]) else { return Ok(Vec::new()) };
    let end = rest.iter().position(|&token| token == ")").ok_or("a bracket without its end")?;
    *tokens = &rest[end + 1..];
    Ok(rest[..end].split(|&token| token == ",").map(<[_]>::to_vec).collect())
}

pub(in super::super) fn quoted(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

/// Parses a step. `tokens` are those after its arguments.
pub(super) fn parse_step(name: &str, arguments: &[Vec<&str>], tokens: &mut &[&str]) -> Result<FormatStep, String> {
    let mut words = arguments.iter().map(|argument| argument.concat());
    Ok(match name {
        "borders" => FormatStep::Borders,
        "fences" => FormatStep::Fences,
        "cages" => FormatStep::Cages,
        "crossings" => FormatStep::Crossings,
        "blocks" => FormatStep::Blocks,
        "slash" => FormatStep::Mark('/'),
        "comma" => FormatStep::Mark(','),
        "compared" => FormatStep::Comparisons,
        "bank" => FormatStep::Bank,
        "bricks" => FormatStep::Bricks,
        "triangles" => FormatStep::Triangles,
        "curves" => FormatStep::Curves,
        "text" => FormatStep::Text(words.next().ok_or("expected text(NAME)")?),
        "cell" => {
            let word = words.next().unwrap_or_default();
            FormatStep::Cell(Clue::text(quoted(&word).ok_or("expected cell(\"SIGN\")")?))
        }
        "end" => FormatStep::End,
        "header" => parse_header_step(&words.next().ok_or("expected header(NAME)")?)?,
        "point" => FormatStep::Point(words.next().ok_or("expected point(NAME)")?),
        "decimals" => FormatStep::Decimals(parse_places(tokens)?),
        _ => FormatStep::Signs(parse_codec(name, arguments)?, parse_places(tokens)?),
    })
}

/// Parses `stars`, or `stars=1` with a default.
fn parse_header_step(word: &str) -> Result<FormatStep, String> {
    let Some((name, default)) = word.split_once('=') else { return Ok(FormatStep::Header(word.to_owned(), None)) };
    let default = default.parse().map_err(|_| format!("expected a number, found `{default}`"))?;
    Ok(FormatStep::Header(name.to_owned(), Some(default)))
}

fn parse_codec(name: &str, arguments: &[Vec<&str>]) -> Result<Codec, String> {
    let mut codec = Codec::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = codecs::SCHEMES.iter().map(|entry| entry.0).collect();
        let known = format!(
            "{}, borders, fences, cages, crossings, header, point, cell, text, curves, bank, blocks, bricks, triangles, slash, comma, compared, \
             end, decimals, flags, wanted, unlike",
            names.join(", ")
        );
        format!("`{name}` is not a codec; known codecs and steps are {known}")
    })?;
    for argument in arguments {
        let wrong = || format!("`{}` is not a sign for {name}: \"?\", 1 = \"o\", \".\" = \"#\"", argument.concat());
        match argument[..] {
            ["short"] => codec.is_short = true,
            [sign] => codec.signs.push(quoted(sign).ok_or_else(wrong)?.to_owned()),
            [key, "=", sign] => {
                let sign = quoted(sign).ok_or_else(wrong)?;
                let character = |text: &str| text.chars().next().filter(|_| text.chars().count() == 1);
                match quoted(key) {
                    _ if key == "run" => codec.run = Some(Clue::text(sign)),
                    _ if key == "gap" => {
                        codec.gap = Some(character(sign).filter(|gap| gap.is_digit(36)).ok_or_else(wrong)?);
                    }
                    Some(key) => codec.keys.push((Key::Character(character(key).ok_or_else(wrong)?), Clue::text(sign))),
                    None => codec.keys.push((Key::Number(key.parse().map_err(|_| wrong())?), Clue::text(sign))),
                }
            }
            _ => return Err(wrong()),
        }
    }
    Ok(codec)
}

fn parse_places(tokens: &mut &[&str]) -> Result<Places, String> {
    let Some((&"of", rest)) = tokens.split_first() else { return Ok(Places::Cells) };
    let (&name, rest) = rest.split_first().ok_or("expected a place after `of`")?;
    *tokens = rest;
    let side = |words: &Vec<&str>| {
        let side = SIDES.iter().position(|side| words[..] == [*side]);
        side.ok_or_else(|| format!("`{}` is not a side; sides are {}", words.concat(), SIDES.join(", ")))
    };
    if let Some(mark) = quoted(name) {
        return Ok(Places::Placeholders(Clue::text(mark)));
    }
    let grid = GRIDS.iter().find(|grid| **grid == name);
    let sides: Vec<usize> = take_brackets(tokens)?.iter().map(side).collect::<Result<_, _>>()?;
    match name {
        "areas" => Ok(Places::Areas),
        "shaded" => Ok(Places::Shaded),
        "holes" => Ok(Places::Holes),
        "bricks" => Ok(Places::Bricks),
        "triangles" => Ok(Places::Triangles),
        "sides" => Ok(Places::Sides),
        "cells" if !sides.is_empty() => Ok(Places::CellsAround(sides)),
        "twice" if !sides.is_empty() => Ok(Places::Twice(sides)),
        "edges" => Ok(Places::Edges),
        "inner" => Ok(Places::Inner),
        "around" if !sides.is_empty() => Ok(Places::Around(sides)),
        "seconds" if !sides.is_empty() => Ok(Places::Seconds(sides)),
        "lists" if !sides.is_empty() => Ok(Places::Lists(sides)),
        _ => grid.map(|grid| Places::Grid(grid)).ok_or_else(|| {
            let grids = GRIDS.join(", ");
            format!(
                "`of {name}`: expected areas, holes, shaded, edges, sides, inner, bricks, triangles, {grids}, a sign, or cells, around, \
                 twice, seconds or lists(top, left)"
            )
        }),
    }
}
