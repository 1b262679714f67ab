//! Minesweeper, and its bot at real windows.

mod boards;
mod custom_rules;
mod variants;
mod wide;
mod window;
