//! Puzzles whose answer is the best plan for a goal, and their searches.

mod all_of_the_best;
mod amphipod;
mod brute_force;
mod game;
mod own;
mod planning;
mod search_engines;
mod taquin;
