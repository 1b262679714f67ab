//! Puzzles whose answer is the best plan for a goal, and their searches.

mod all_optimal_plans;
mod amphipod;
mod brute_force;
mod game;
mod external_puzzles;
mod planning;
mod search_engines;
mod taquin;
