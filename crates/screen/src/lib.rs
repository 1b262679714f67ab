//! Windows of other programs, to play at them: pictures of their pixels, clicks and keys.
//!
//! | file | contents |
//! |---|---|
//! | `image.rs` | images, their parts, and PNG files |
//! | `screen.rs` | the trait [`Screen`]: what can be done with a window |
//! | `x11.rs` | [`Window`], a window of an X server |
//!
//! A [`Screen`] can also be a picture in memory, for tests of what reads it.
//!
//! `examples/differences.rs` writes and reads PNG files, and compares their parts.

#![forbid(unsafe_code)]

mod image;
mod screen;
mod x11;

pub use image::{Color, Image, Rectangle};
pub use screen::{Screen, wrong};
pub use x11::Window;
