//! Addresses of penpa-edit: boards, a player's marks and solutions, in both directions.
//!
//! | file | contents |
//! |---|---|
//! | `file.rs` | the text in an address |
//! | `points.rs` | the numbers of cells, corners and sides |
//! | `drawing.rs` | the elements of a drawing |
//! | `look.rs` | how signs look: the paragraph `Penpa` of a header |
//! | `reading.rs`, `writing.rs` | a drawing as a board, and a board as a drawing |
//! | `lists.rs` | header lines with cells: cages, thermometers |
//! | `solution.rs` | solutions and marks |

mod drawing;
mod file;
mod lists;
mod look;
mod points;
mod reading;
mod solution;
mod writing;

use asp::{Symbol, signature_of, syntax};

use super::super::board::GridBoard;
use super::super::header::Header;
use drawing::DrawnElements;
use file::DrawingFile;
use lists::{read_rules, take_diagonals, take_lines};
use look::{GridLines, SignLooks};
use points::PointNumbering;
use reading::DrawingReader;
use solution::SolutionLists;
use writing::{draw, grid_modes};

/// A drawing in an address.
#[derive(Debug, Default)]
pub struct PenpaDrawing {
    file: DrawingFile,
    /// True if a solver has drawn the second layer, not the author.
    is_played: bool,
}

/// The puzzle of a drawing: its name, its header and those of its variants.
pub struct DrawnPuzzle<'a> {
    pub name: &'a str,
    pub header: &'a Header,
    /// The names and headers of variants.
    pub variants: Vec<(&'a str, &'a Header)>,
}

/// A solution in an address.
#[derive(Debug, Clone)]
pub struct EmbeddedSolution {
    lists: SolutionLists,
    numbering: PointNumbering,
    /// True if parts of the solution may be missing, as in an author's drawing.
    is_partial: bool,
}

impl DrawnPuzzle<'_> {
    fn looks(&self) -> Result<SignLooks, String> {
        SignLooks::of(self.header, self.variants.iter().map(|(_, header)| *header))
    }
}

impl PenpaDrawing {
    /// Reads the parts `p` and `a` of an address. `is_played` is true for the copy of a solver.
    pub fn read(packed: &str, solution: Option<&str>, is_played: bool) -> Result<Self, String> {
        let file = DrawingFile::read(packed, solution)?;
        file.board()?;
        let drawing = PenpaDrawing { file, is_played };
        drawing.solution()?;
        Ok(drawing)
    }

    /// Returns the possible names of the puzzle: its tags, the kind of its grid, its title and the
    /// words of its title.
    pub fn names(&self) -> Vec<String> {
        let DrawingFile { kind, title, tags, .. } = &self.file;
        let mut names = Vec::new();
        for tag in tags {
            names.push(tag.clone());
            names.extend(tag.split(|sign: char| !sign.is_alphanumeric() && sign != ' ').map(str::to_owned));
        }
        // Tags of Sudokus name their variants.
        names.extend((kind != "square").then(|| kind.clone()));
        names.extend((kind == "square" && tags.iter().any(|tag| tag == "classic")).then(|| "sudoku".to_owned()));
        names.push(title.clone());
        let words: Vec<&str> = title.split(|sign: char| !sign.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
        names.extend(words.windows(2).map(|pair| pair.concat()));
        names.extend(words.into_iter().map(str::to_owned));
        names.retain(|name| !name.trim().is_empty());
        names
    }

    /// Interprets the drawing as a board of a puzzle, with the player's marks.
    pub fn board(&self, puzzle: &DrawnPuzzle<'_>) -> Result<GridBoard, String> {
        let looks = puzzle.looks()?;
        let mut drawing = DrawnElements::of_puzzle(&self.file)?;
        let reads = |name: &str| puzzle.header.inputs().contains(&name);
        if reads("sign") && !reads("corner") && !reads("between") {
            drawing.move_from_corners();
        }
        let mut lines = GridBoard::of_size(drawing.size.0, drawing.size.1);
        let headers: Vec<&Header> =
            [puzzle.header].into_iter().chain(puzzle.variants.iter().map(|(_, header)| *header)).collect();
        read_rules(&mut lines, &self.file.rules, &headers);
        let mentioned = format!("{} {} {}", self.file.title, self.file.tags.join(" "), self.file.rules).to_lowercase();
        take_lines(&mut drawing, &mut lines, &looks, &mentioned)?;
        let names: Vec<&str> =
            if puzzle.variants.is_empty() { Vec::new() } else { vec!["diagonal_down", "diagonal_up"] };
        take_diagonals(&mut drawing, &mut lines, &names)?;
        reject_lines(&drawing)?;
        check_tags(&self.file, puzzle)?;
        let mut board =
            DrawingReader { drawing: &drawing, header: puzzle.header, headers: &headers, looks: &looks }.board()?;
        board.header.extend(lines.header);
        if let Some(player) = DrawnElements::of_player(&self.file)?.filter(|_| self.is_played) {
            board.player_marks = solution::marks(&player, puzzle.header);
        }
        Ok(board)
    }

    /// Returns the solution in the address, or what the author has drawn of it.
    pub fn solution(&self) -> Result<Option<EmbeddedSolution>, String> {
        let (numbering, _) = self.file.board()?;
        let lists = solution::read(&self.file)?;
        let is_partial = lists.is_none();
        let lists = lists.or_else(|| solution::drawn(&self.file).filter(|_| !self.is_played));
        Ok(lists.map(|lists| EmbeddedSolution { lists, numbering, is_partial }))
    }
}

impl EmbeddedSolution {
    /// Returns a description of the first difference to an answer, or `None` if they are equal.
    pub fn difference(&self, atoms: &[Symbol], board: &GridBoard) -> Option<String> {
        let (ours, _) = solution::lists(atoms, board, self.numbering, false);
        let [theirs, ours] = solution::comparable(&self.lists, &ours, board, self.numbering);
        let difference = solution::difference(&theirs, &ours, self.numbering, self.is_partial)?;
        match difference {
            Ok(difference) => Some(difference),
            Err(()) if self.is_partial => None,
            Err(()) => Some("it is written in another way, and cannot be compared".to_owned()),
        }
    }
}

/// Fails if lines are drawn in the puzzle, which no puzzle has.
fn reject_lines(drawing: &DrawnElements) -> Result<(), String> {
    let line = drawing.lines.keys().next().map(|(from, _)| ("a line", *from));
    let bar = drawing.bars.first().map(|(from, _)| ("a bar", *from));
    let cross = drawing.crosses.first().map(|at| ("a cross", *at));
    match line.or(bar).or(cross) {
        Some((what, at)) => Err(reading::not_read(what, at)),
        None => Ok(()),
    }
}

/// Fails if a tag of a Sudoku names a variant that does not exist, or of which nothing is drawn.
fn check_tags(file: &DrawingFile, puzzle: &DrawnPuzzle<'_>) -> Result<(), String> {
    const PLAIN: [&str; 4] = ["classic", "sudoku", "noconflict", "irregular"];
    if file.kind != "sudoku" {
        return Ok(());
    }
    let is_known = |tag: &&String| {
        PLAIN.contains(&tag.as_str())
            || tag.as_str() == puzzle.name
            || puzzle.variants.iter().any(|(name, _)| tag.as_str() == *name || name.starts_with(tag.as_str()))
    };
    match file.tags.iter().find(|tag| !is_known(tag)) {
        Some(tag) => Err(format!("a Sudoku with the unsupported tag `{tag}`")),
        None => Ok(()),
    }
}

/// Returns an address of penpa-edit with a board. With the atoms of an answer, the page checks the
/// answer of its user.
///
/// # Errors
/// Fails if the drawing cannot express the whole board.
pub fn address(board: &GridBoard, puzzle: &DrawnPuzzle<'_>, answer: Option<&[Symbol]>) -> Result<String, String> {
    let looks = puzzle.looks()?;
    let about = (puzzle.header.title.as_str(), puzzle.header.rules.as_str());
    let (mut file, numbering) = draw(board, &looks, about, puzzle.name)?;
    let read = PenpaDrawing { file, is_played: false }.board(puzzle);
    let comparable = |board: &GridBoard| {
        let mut board = GridBoard { puzzle: None, link: None, player_marks: Default::default(), ..board.clone() };
        board.header = board.header.into_iter().flat_map(|line| lists::as_drawn(line, &looks)).collect();
        board.grids.retain(|_, grid| !grid.is_empty());
        board
    };
    match read {
        Ok(read) if comparable(&read) == comparable(board) => {}
        Ok(_) => return Err("the board has more than a drawing of penpa-edit can express".to_owned()),
        Err(what) => return Err(format!("the drawing of the board cannot be read: {what}")),
    }
    (file, _) = draw(board, &looks, about, puzzle.name)?;
    let mut checks = Vec::new();
    if let Some(atoms) = answer {
        let has_frame = matches!(looks.grid, GridLines::Solid | GridLines::Dashed);
        let shown: Vec<&str> =
            puzzle.header.lines("Output").iter().filter_map(|line| syntax::predicates(line).next()).collect();
        let is_shown = |atom: &Symbol| signature_of(*atom).is_some_and(|(name, _)| shown.contains(&name));
        let atoms: Vec<Symbol> = atoms.iter().copied().filter(is_shown).collect();
        let (lists, names) = solution::lists(&atoms, board, numbering, has_frame);
        file.solution = solution::to_json(&lists);
        checks = names;
    }
    Ok(file.address(grid_modes(looks.grid), &checks))
}
