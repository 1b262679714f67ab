//! Minesweeper, and its bot at real windows.

mod boards;
mod variants;
mod wide;
mod window;
