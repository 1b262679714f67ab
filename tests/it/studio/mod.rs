//! Tests of the studio and of games in play.

mod in_browser;
mod play;
mod server;
mod static_page;
