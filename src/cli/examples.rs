//! `asp-solve examples`: the boards inside the program.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::{count, did_you_mean};
use puzzle::Example;

use super::args::Examples;
use super::output;
use super::puzzles::{board_names, further_boards, groups, registry, section};

/// Prints a board, writes all boards, or lists them, and returns the exit code.
pub fn examples(args: &Examples) -> i32 {
    let text = match (&args.name, &args.dir) {
        (Some(name), _) => find(name).map(|example| example.text.to_owned()),
        (None, Some(folder)) => write_into(folder),
        (None, None) => Ok(list_of_boards()),
    };
    match text {
        Ok(text) => args.output_args.conclude(&text, || 0),
        Err(failure) => args.output_args.fail(&failure, &[]),
    }
}

/// Finds a board by the name of its puzzle, or by the name of its file with or without the
/// extension.
fn find(name: &str) -> Result<Example, Failure> {
    let puzzle = registry().by_any_name(name);
    if let Some(example) = puzzle.and_then(|entry| entry.example()) {
        return Ok(example);
    }
    let file = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name);
    let is_file = |example: &Example| example.file_name == file || stem(example) == file;
    if let Some(example) = Example::all().find(is_file) {
        return Ok(example);
    }
    let error = match puzzle {
        Some(_) => Diagnostic::error(Code::UnknownName, format!("the program contains no board of {name}")),
        None => {
            let near = did_you_mean(name, board_names());
            Diagnostic::error(Code::UnknownName, format!("there is no board {name}{near}"))
                .help("`asp-solve examples` lists all boards")
        }
    };
    Err(error.into())
}

fn stem(example: &Example) -> &'static str {
    example.file_name.split_once('.').map_or(example.file_name, |(stem, _)| stem)
}

/// Lists the puzzles that have a board, and the further boards.
fn list_of_boards() -> String {
    let mut out = String::new();
    for (heading, entries) in groups() {
        let with_board = entries.iter().filter(|entry| entry.example().is_some());
        let names: Vec<&str> = with_board.map(|entry| entry.name()).collect();
        let _ = writeln!(out, "{}", section(heading, &names));
    }
    let _ = writeln!(out, "{}", section("Further boards", &further_boards()));
    out + "asp-solve examples NAME prints a board, and asp-solve examples NAME | asp-solve - solves it.\n\
           asp-solve examples --dir instances writes all boards into a folder.\n"
}

/// Writes all boards into a folder, except over files that differ.
fn write_into(folder: &Path) -> Result<String, Failure> {
    fs::create_dir_all(folder).map_err(|error| output::cannot_write(folder, &error))?;
    let mut num_written = 0;
    let mut kept = Vec::new();
    for example in Example::all() {
        let path = folder.join(example.file_name);
        if fs::read_to_string(&path).is_ok_and(|text| text != example.text) {
            kept.push(example.file_name);
        } else {
            output::save(&path, example.text)?;
            num_written += 1;
        }
    }
    let mut text = format!("Wrote {} to {}.\n", count(num_written, "board", "boards"), folder.display());
    if !kept.is_empty() {
        let _ = writeln!(text, "Kept {}, which differ from the boards of the program.", kept.join(", "));
    }
    Ok(text)
}
