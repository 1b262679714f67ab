//! Windows of other programs, to play at them: pictures of their pixels, clicks and keys.
//!
//! | file | contents |
//! |---|---|
//! | `image.rs` | images, their parts, and PNG files |
//! | `screen.rs` | the trait [`Screen`]: what can be done with a window |
//! | `x11.rs` | [`Window`], a window of an X server |
//! | `win32.rs` | the same on Windows |
//!
//! A [`Screen`] can also be a picture in memory, for tests of what reads it.
//!
//! `examples/differences.rs` writes and reads PNG files, and compares their parts.

#![cfg_attr(not(windows), forbid(unsafe_code))]

mod image;
mod screen;
#[cfg(windows)]
mod win32;
#[cfg(not(windows))]
mod x11;

/// Timeout for a program to show its window: the first start of Wine takes most of a minute.
const START_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(90);

pub use image::{Color, Image, Rectangle};
pub use screen::{Screen, wrong};
#[cfg(windows)]
pub use win32::Window;
#[cfg(not(windows))]
pub use x11::Window;
