//! Pencil puzzles that are defined by a logic program, without any Rust: one file each, in the
//! folder `puzzles/` of a folder of encodings.
//!
//! The comment at the top of the file describes the puzzle and the notation of its boards. All
//! puzzles share one text format for boards ([`GridBoard`](board::GridBoard)). A board can also be
//! read from a link to a site on which it can be played ([`Link`](link::Link)). The `draw` atoms
//! that the program derives become a picture ([`Drawing`](drawing::Drawing)). clingo (crate `asp`)
//! solves a board; the steps of a solution, its explanations and play come from `explain` and `play`.
//!
//! ```
//! use pencil::LogicPuzzle;
//! use puzzle::Run;
//! use puzzle::job::Job;
//!
//! let board = Job::of("https://puzz.link/p?slither/4/4/dgdh2c71").unique();
//! let result = Run::new(LogicPuzzle::named("slither")?, board)?.solve()?;
//! assert_eq!((result.answers().len(), result.complete()), (1, true));
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `builtin.rs` | the embedded files |
//! | `definition.rs` | the definitions of puzzles, and catalogues of them |
//! | `recognise.rs` | which puzzle a text is a board of |
//! | `read.rs` | the board of a document in any notation |
//! | `validate.rs` | checks of a board against the header |
//! | `solve.rs` | solves a board with clingo |
//! | `wrong_marks.rs` | marks of a player that differ from the solution |
//! | `present.rs` | results as texts, JSON, pictures, pages and links |
//! | `answer_table.rs` | the table of answers on a page |
//! | `puzzle_impl.rs` | the implementation of the trait of puzzles |
//! | `header.rs` | the comment at the top of the file |
//! | `board.rs` | a board, and its conversion to facts |
//! | `lines.rs` | the lines of texts, and addresses in one line |
//! | `text.rs` | reads and writes boards as texts |
//! | `signs.rs` | the signs that are allowed on a puzzle's boards |
//! | `square.rs` | squares of numbers in any pasted layout |
//! | `sized.rs` | grids with a size line |
//! | `written.rs` | boards in which every character is a cell |
//! | `link.rs`, `codecs/`, `steps/`, `cursor.rs` | boards in links of puzz.link and its relatives |
//! | `links.txt` | formats of links whose rules are not included |
//! | `editors/` | drawings in addresses of penpa-edit, SudokuPad and f-puzzles |
//! | `files/` | boards and marks in files of puzz.link |
//! | `fields.rs` | strict reading of JSON from other programs |
//! | `game_id.rs` | boards in game ids of sgt-puzzles |
//! | `generate.rs`, `areas.rs` | generation of boards and their areas |
//! | `shared.rs` | ground programs shared by boards of a batch |

#![forbid(unsafe_code)]

mod answer_table;
mod areas;
pub mod board;
mod builtin;
pub mod codecs;
mod cursor;
mod definition;
mod editors;
mod fields;
pub mod files;
pub mod game_id;
mod generate;
mod header;
mod lines;
pub mod link;
mod present;
mod puzzle_impl;
mod read;
mod recognise;
mod shared;
pub mod signs;
mod sized;
mod solve;
mod square;
pub mod steps;
pub mod text;
mod validate;
mod written;
mod wrong_marks;

pub use builtin::{FOLDER, FOLDERS, GAMES_FOLDER, builtin_folders, builtin_text, shared_files};
pub use definition::{Catalogue, LogicPuzzle};
pub use header::Header;
pub use lines::title_line;
pub use puzzle_impl::Engine;
pub use recognise::{
    goes_with, is_link_or_id, is_program, recognise_named, recognise_rules, reject_unknown_letters,
    reject_unreadable_boards,
};
pub use solve::{Answer, LogicProof, PuzzleBoard, drawn_run};
