//! Writes two pictures of a board as PNG files, reads them again, and prints the cells that differ.

use std::fs::File;

use base::diagnostic::Failure;
use screen::{Color, Image, Rectangle, wrong};

const SIDE: usize = 8;
const CELLS: usize = 4;
const COVERED: Color = [160, 160, 170];
const OPEN: Color = [230, 230, 225];

/// Returns a picture of a board; `is_open` says which cells are open, by row and column.
fn board(is_open: impl Fn(usize, usize) -> bool) -> Image {
    let width = SIDE * CELLS;
    let color = |pixel: usize| if is_open(pixel / width / SIDE, pixel % width / SIDE) { OPEN } else { COVERED };
    Image { width, height: width, pixels: (0..width * width).map(color).collect() }
}

fn main() -> Result<(), Failure> {
    let folder = std::env::temp_dir();
    let mut images = Vec::new();
    let boards = [board(|row, _| row == 0), board(|row, column| row == 0 || (row, column) == (2, 3))];
    for (name, image) in ["before.png", "after.png"].into_iter().zip(boards) {
        let path = folder.join(format!("{}-{name}", std::process::id()));
        let file = File::create(&path).map_err(|error| wrong(error.to_string()))?;
        image.write(file).map_err(|error| wrong(error.to_string()))?;
        images.push(Image::read(&path)?);
        std::fs::remove_file(&path).map_err(|error| wrong(error.to_string()))?;
    }
    for cell in 0..CELLS * CELLS {
        let (row, column) = (cell / CELLS, cell % CELLS);
        let part = Rectangle { left: column * SIDE, top: row * SIDE, width: SIDE, height: SIDE };
        if !images[0].part_equals(&images[1], part) {
            let [before, after] = [&images[0], &images[1]].map(|image| image.part(part).pixels[0]);
            println!("row {}, column {}: {before:?} became {after:?}", row + 1, column + 1);
        }
    }
    Ok(())
}
