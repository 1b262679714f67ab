//! Images of a screen, their parts, and PNG files.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::io_error;

pub type Color = [u8; 3];

/// An RGB image; pixels are stored row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Color>,
}

/// A part of an image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangle {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Rectangle {
    /// Returns the indices of the pixels of a row, in an image of the given width.
    fn row(self, row: usize, width: usize) -> std::ops::Range<usize> {
        let first = (self.top + row) * width + self.left;
        first..first + self.width
    }
}

impl Image {
    pub fn part(&self, rectangle: Rectangle) -> Image {
        let rows = (0..rectangle.height).flat_map(|row| &self.pixels[rectangle.row(row, self.width)]);
        Image { width: rectangle.width, height: rectangle.height, pixels: rows.copied().collect() }
    }

    /// Returns true if a part is identical in another image of the same size.
    pub fn part_equals(&self, other: &Image, part: Rectangle) -> bool {
        let same = |row| self.pixels[part.row(row, self.width)] == other.pixels[part.row(row, self.width)];
        (0..part.height).all(same)
    }

    pub fn read(path: &Path) -> Result<Image, Failure> {
        let error = |what: String| {
            Failure::from(Diagnostic::error(Code::UnreadableFile, format!("{}: {what}", path.display())))
        };
        let file = File::open(path).map_err(|io| error(format!("cannot be read: {}", io_error(&io))))?;
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let invalid_image = |png_error: png::DecodingError| error(format!("not a PNG image: {png_error}"));
        let mut reader = decoder.read_info().map_err(invalid_image)?;
        let size = reader.output_buffer_size().ok_or_else(|| error("the image is too large".to_owned()))?;
        let mut bytes = vec![0; size];
        let frame = reader.next_frame(&mut bytes).map_err(invalid_image)?;
        let samples = frame.color_type.samples();
        let color = |pixel: &[u8]| if samples < 3 { [pixel[0]; 3] } else { [pixel[0], pixel[1], pixel[2]] };
        let pixels = bytes[..frame.buffer_size()].chunks_exact(samples).map(color).collect();
        Ok(Image { width: frame.width as usize, height: frame.height as usize, pixels })
    }

    pub fn write(&self, to: impl std::io::Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(to, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(self.pixels.as_flattened())
    }
}
