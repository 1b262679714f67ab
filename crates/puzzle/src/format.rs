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

    /// The value of `--format`.
    pub fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self).expect("every format can be asked for");
        value.get_name().to_owned()
    }

    /// Returns true for formats that show the board.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Svg | Format::Dot | Format::Html) || self.is_board()
    }

    /// Returns true for notations of boards. Boards in them are not solved, unless an answer is
    /// chosen.
    pub fn is_board(self) -> bool {
        matches!(self, Format::Url | Format::Pzprv3)
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
