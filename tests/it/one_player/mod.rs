//! Puzzles whose answer is the best plan for a goal, and their searches.

mod all_optimal_plans;
mod amphipod;
mod brute_force;
mod external_puzzles;
mod game;
mod pages;
mod pictures;
mod planning;
mod search_engines;
mod taquin;
