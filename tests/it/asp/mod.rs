//! Programs, as clingo runs them: the driver, its checks, and what ships in `asp/`.

pub mod answer_set_checker;
mod clingo_driver;
mod costs;
mod drawn_answers;
mod encodings;
mod lints;
mod notices;
mod own_rules;
mod program_runs;
mod steps;
mod unsound_corners;
