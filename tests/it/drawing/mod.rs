//! Tests of drawings and pictures.

mod draw_terms;
mod page_in_browser;
pub mod pictures;
