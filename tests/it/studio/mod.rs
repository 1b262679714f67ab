//! The studio, and boards that are played.

mod in_browser;
mod play;
mod server;
