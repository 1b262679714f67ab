//! Tests images: PNG files keep every pixel, and parts are compared pixel by pixel.

use std::path::PathBuf;

use base::diagnostic::{Code, Failure};
use screen::{Image, Rectangle};

fn file(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the file is written");
    path
}

fn random_image(width: usize, height: usize) -> Image {
    let mut random = fastrand::Rng::with_seed(1);
    let pixels = (0..width * height).map(|_| std::array::from_fn(|_| random.u8(..))).collect();
    Image { width, height, pixels }
}

#[test]
fn a_png_file_keeps_every_pixel() {
    let folder = tempfile::tempdir().expect("a folder");
    for (width, height) in [(1, 1), (7, 3), (64, 48)] {
        let image = random_image(width, height);
        let mut bytes = Vec::new();
        image.write(&mut bytes).expect("memory can be written");
        assert_eq!(Image::read(&file(&folder, "image.png", &bytes)).expect("a PNG file"), image);
    }
}

#[test]
fn a_gray_picture_with_transparency_has_colours() {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::GrayscaleAlpha);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&[10, 255, 200, 0])).expect("it is encoded");
    let folder = tempfile::tempdir().expect("a folder");
    let image = Image::read(&file(&folder, "gray.png", &bytes)).expect("a PNG file");
    assert_eq!(image, Image { width: 2, height: 1, pixels: vec![[10; 3], [200; 3]] });
}

#[test]
fn one_changed_pixel_changes_exactly_the_parts_that_contain_it() {
    let image = random_image(9, 7);
    let mut other = image.clone();
    let (x, y) = (4, 2);
    other.pixels[y * 9 + x][1] ^= 1;
    for (left, top) in (0..7).flat_map(|left| (0..5).map(move |top| (left, top))) {
        let part = Rectangle { left, top, width: 3, height: 3 };
        let contains_it = (left..left + 3).contains(&x) && (top..top + 3).contains(&y);
        assert_eq!(image.part_equals(&other, part), !contains_it, "{part:?}");
        assert_eq!(image.part(part) == other.part(part), !contains_it, "{part:?}");
    }
}

#[test]
fn a_file_that_is_no_image_is_an_error_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(&folder, "text.png", b"no picture");
    for (path, words) in [(path, "not a PNG image"), (folder.path().join("none.png"), "cannot be read")] {
        let Failure(errors) = Image::read(&path).expect_err("no image");
        let name = path.display().to_string();
        assert_eq!(errors[0].code, Code::UnreadableFile);
        assert!(errors[0].message.starts_with(&name) && errors[0].message.contains(words), "{}", errors[0].message);
    }
}
