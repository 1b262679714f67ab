//! Minesweeper, and its bot on real windows.

mod boards;
mod custom_rules;
mod unknown_total;
mod variants;
mod wide;
mod window;
