//! Output formats.

use explain::PictureUse;

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// What the clingo command prints
    Asp,
    /// What the clingo command prints with --outf=2
    ClingoJson,
    /// One line for each answer: values separated by tabs, or atoms by blanks
    Lines,
    /// An animated picture
    Svg,
    /// A Graphviz graph
    Dot,
    /// The board as a puzz.link address; nothing is solved
    Url,
    /// The board as a SudokuPad address; nothing is solved
    #[value(name = "sudokupad")]
    SudokuPad,
    /// The board as an address of penpa-edit, with a solution if --answer chooses one
    Penpa,
    /// The board as a file of puzz.link; with --answer, solved
    Pzprv3,
    /// A page in one file
    Html,
}

impl Format {
    /// Returns true for the formats that print answer sets as clingo does, with clingo's exit
    /// codes.
    pub fn is_answer_sets(self) -> bool {
        matches!(self, Format::Asp | Format::ClingoJson)
    }

    /// All formats.
    pub fn all() -> &'static [Format] {
        clap::ValueEnum::value_variants()
    }

    /// The value of `--format`.
    pub fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self).expect("every format can be asked for");
        value.get_name().to_owned()
    }

    /// Returns true for formats that show the board.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Svg | Format::Dot | Format::Html) || self.is_board()
    }

    /// Returns true for notations of boards in other programs.
    pub fn is_board(self) -> bool {
        matches!(self, Format::Url | Format::SudokuPad | Format::Penpa | Format::Pzprv3)
    }

    /// Returns true for formats that show one answer, which `--answer` chooses.
    pub fn shows_answer(self) -> bool {
        matches!(self, Format::Svg | Format::Dot | Format::Html | Format::Penpa | Format::Pzprv3)
    }

    /// Returns true if only the board is written, and nothing is solved. `answer` is the number of
    /// the chosen answer.
    pub fn is_board_only(self, answer: Option<usize>) -> bool {
        self.is_board() && (!self.shows_answer() || answer.unwrap_or(0) == 0)
    }

    /// The use of an explanation's picture in this format.
    pub fn picture_use(self) -> Option<PictureUse> {
        match self {
            Format::Html => Some(PictureUse::Page),
            Format::Svg => Some(PictureUse::Image),
            _ => None,
        }
    }
}
