//! Reads the board of a document in any notation.

use std::collections::BTreeSet;

use asp::syntax;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::{Document, Notation};
use base::words::did_you_mean;
use drawing::draws;
use explain::Boards;
use puzzle::job::{Job, Show};
use puzzle::saved::SavedGame;

use super::board::{self, ClueLocation, ClueRanges, GridBoard, SIDES};
use super::definition::{LogicPuzzle, Variant, link_format};
use super::lines::TextLine;
use super::recognise::{abbreviated, is_program};
use super::sized::{self, SizedFormat};
use super::solve::PuzzleBoard;
use super::written::WrittenNotation;
use super::{editors, files, game_id, lines, link, square};

impl LogicPuzzle {
    pub(super) fn parse_board(&self, job: &Job) -> Result<PuzzleBoard, Failure> {
        let mut instance = Vec::new();
        let mut grid = None;
        for document in &job.sources.documents {
            let Some((board, places)) = self.read_board(document)? else {
                instance.push(document.clone());
                continue;
            };
            if grid.is_some() {
                let text = format!("{}: expected one board, found a second one", document.name);
                return Err(Diagnostic::error(Code::InvalidInstance, text).into());
            }
            self.check_board(&board, &places, document, &job.sources.encodings)?;
            // Custom rules may read any input.
            if job.rules.has_builtin_name() {
                self.check_no_unread_input(&board, &places, document)?;
            }
            instance.push(Document::in_memory(document.name.clone(), board.facts()));
            grid = Some(board);
        }
        let encoding = job.sources.encodings.clone();
        let program = asp::Program { instance, encoding, ..asp::Program::default() };
        let wants_picture = matches!(job.output.show, Show::Pictures | Show::Page);
        let is_drawn = wants_picture || !job.drawing.programs.is_empty() || program.documents().any(draws);
        Ok(PuzzleBoard { grid, is_drawn, is_of_puzzle: !self.definition.is_program, ..PuzzleBoard::from(program) })
    }

    pub(super) fn mentioned_variants(&self, documents: &[Document]) -> Vec<&'static str> {
        let mut mentioned = BTreeSet::new();
        for document in documents.iter().filter(|_| !self.definition.variants.is_empty()) {
            match self.read_board(document) {
                Ok(Some((board, _))) => {
                    mentioned.extend(board.header.iter().map(|(name, _)| name.clone()).chain(board.grids.into_keys()));
                    let sides = SIDES.iter().zip(&board.around).filter(|(_, clues)| !clues.is_empty());
                    mentioned.extend(sides.map(|(side, _)| (*side).to_owned()));
                    let named = board.header.into_iter().filter(|(name, _)| name == "variant");
                    mentioned.extend(named.flat_map(|(_, words)| words).map(|word| word.to_string()));
                }
                Ok(None) => {
                    let facts = syntax::statements(&document.text).into_iter().filter(|statement| statement.is_fact);
                    for (fact, name) in
                        facts.filter_map(|fact| Some((document.text[fact.range].to_owned(), fact.head?.0)))
                    {
                        mentioned.extend(
                            fact.split('"').skip(1).step_by(2).filter(|_| name == "variant").map(str::to_owned),
                        );
                        mentioned.insert(name.to_owned());
                    }
                }
                // Errors are reported when the board is read to be solved.
                Err(_) => {}
            }
        }
        mentioned.remove("variant");
        let own_inputs = self.definition.header.inputs();
        let is_mentioned = |variant: &&Variant| {
            variant.names().any(|name| mentioned.contains(name))
                || variant.header.inputs().iter().any(|input| mentioned.contains(*input) && !own_inputs.contains(input))
        };
        self.definition.variants.iter().filter(is_mentioned).map(|variant| variant.name).collect()
    }

    /// Returns warnings about ignored parts of links, saved games and plain squares.
    pub(super) fn input_warnings(&self, documents: &[Document]) -> Result<Vec<Diagnostic>, Failure> {
        let mut warnings = Vec::new();
        for document in documents {
            if link::link_type(&document.text).is_some() {
                warnings.extend(self.links()?.and_then(|link| link.read_with_warning(document).ok()?.1));
            }
            if self.read_square(document).is_some() {
                warnings.extend(self.ignored_entries(document));
            }
            if let Some(Ok(drawn)) = editors::read(&document.text) {
                let warning = |what: &String| {
                    let text = format!("{}: {what}", abbreviated(&document.name));
                    Diagnostic::warning(Code::IgnoredInput, text)
                };
                warnings.extend(drawn.ignored.iter().map(warning));
            }
            let Some(saved) = SavedGame::of(document)? else { continue };
            let unread = saved.marks(self.definition.header.lines("Marks")).unread;
            if !unread.is_empty() {
                let letters = unread.iter().map(|letters| abbreviated(letters)).collect::<Vec<_>>().join("`, `");
                let text =
                    format!("{}: moves of this saved game are ignored: `{letters}`", abbreviated(&document.name));
                warnings.push(Diagnostic::warning(Code::InvalidInstance, text));
            }
        }
        Ok(warnings)
    }

    /// Returns a warning for each line around a plain square that is probably not prose.
    fn ignored_entries(&self, document: &Document) -> Vec<Diagnostic> {
        let definition = &self.definition;
        let headers = [&definition.header].into_iter().chain(definition.variants.iter().map(|variant| &variant.header));
        let inputs: BTreeSet<&str> = headers.flat_map(|header| header.inputs()).collect();
        let inputs = Vec::from_iter(inputs);
        let name = &self.name;
        let warning = |line: TextLine<'_>| {
            let entry = line.text.split_whitespace().next().unwrap_or_default().trim_end_matches([':', '=']);
            let near = did_you_mean(entry, inputs.iter().copied());
            let text = format!("this line is ignored: {name} has no entry {entry}{near}");
            let place = Place::of_range(&document.name, &document.text, line.range());
            Diagnostic::warning(Code::IgnoredInput, text).at(Some(place))
        };
        square::ignored_entries(&document.text, &inputs).into_iter().map(warning).collect()
    }

    /// Reads the board of a document. Returns `None` if the document has facts or rules.
    pub fn read(&self, document: &Document) -> Result<Option<GridBoard>, Failure> {
        Ok(self.read_board(document)?.map(|(board, _)| board))
    }

    /// Returns the facts of a board in any notation.
    pub fn facts_from(&self, document: &Document) -> Result<String, Failure> {
        Ok(self.read_board(document)?.map_or_else(|| document.text.to_string(), |(board, _)| board.facts()))
    }

    /// Maps the name of each document that is a board to its clues: for each line of the board's
    /// facts, the place and the description of the clue that the line states, if any.
    pub fn located_clues(&self, documents: &[Document]) -> Result<Boards, Failure> {
        let mut clues = Boards::new();
        for document in documents {
            let Some((board, places)) = self.read_board(document)? else { continue };
            let text = &document.text;
            // The clues of a link have no places of their own, so they get the whole line.
            let whole = lines::only_line(text).map_or(0..text.len(), |line| line.offset..line.offset + line.text.len());
            let place = |clue: &ClueLocation| {
                let range = places.get(clue).cloned().unwrap_or_else(|| whole.clone());
                (Place::of_range(&document.name, text, range), board.describe(clue))
            };
            let mut lines = Vec::new();
            board.facts_with_clues(|clue| lines.push(clue.as_ref().map(place)));
            clues.insert(document.name.clone(), lines);
        }
        Ok(clues)
    }

    /// Reads the board of a document and the ranges of its clues. Returns `None` if the document
    /// has facts or rules. The ranges are empty for links and game ids.
    pub(super) fn read_board(&self, document: &Document) -> Result<Option<(GridBoard, ClueRanges)>, Failure> {
        if self.definition.is_program {
            return Ok(None);
        }
        let name = &*self.name;
        if let Some(kind) = files::file_type(&document.text) {
            return self.read_file(&kind, document).map(Some);
        }
        if !document.name.ends_with(".lp") && sized::looks_sized(document) {
            return self.read_sized(document).map(Some).map_err(|wrong| self.with_format_hint(wrong));
        }
        if self.has_only_rows(document) {
            let read = self.read_square(document).map_or_else(|| self.read_text(document), Ok);
            return read.map(Some).map_err(|wrong| self.with_format_hint(wrong));
        }
        if let Some(drawn) = editors::read(&document.text) {
            let wrong = |what| Diagnostic::error(Code::InvalidLink, format!("{}: {what}", abbreviated(&document.name)));
            return Ok(Some((
                drawn.and_then(|drawn| self.board_from_drawing(&drawn)).map_err(wrong)?,
                ClueRanges::new(),
            )));
        }
        if let Some(kind) = link::link_type(&document.text) {
            return Ok(Some((self.read_link(kind, document)?, ClueRanges::new())));
        }
        let saved = SavedGame::of(document)?;
        if saved.is_some() || game_id::looks_like(&document.text) {
            return Ok(Some((self.read_game(document, saved.as_ref())?, ClueRanges::new())));
        }
        if let Some(read) = self.read_square(document) {
            return Ok(Some(read));
        }
        if document.notation() != Notation::Program {
            let text = format!("{}: expected a board of {name}, found JSON or Graphviz", document.name);
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        let is_board = || !document.name.ends_with(".lp") && GridBoard::looks_like_one_of(document, &self.signs());
        if is_program(document) && !is_board() {
            Ok(None)
        } else {
            self.read_text(document).map(Some).map_err(|wrong| self.with_format_hint(wrong))
        }
    }

    /// Reads a grid with a size line: as the header says, or as that of a variant. If none fits,
    /// the error is that of the format that reads most of the text.
    fn read_sized(&self, document: &Document) -> Result<(GridBoard, ClueRanges), Failure> {
        let own_format = self.notation_from_header("Sized", SizedFormat::parse)?.unwrap_or_else(SizedFormat::usual);
        let of_variants = self.definition.variants.iter().filter_map(|variant| {
            let paragraph = variant.header.paragraph("Sized")?;
            Some(SizedFormat::parse(&paragraph).map_err(|error| {
                let text = format!("{}: Sized  {paragraph}: {error}", variant.path);
                Failure::from(Diagnostic::error(Code::InvalidInstance, text))
            }))
        });
        let mut furthest: Option<(usize, Failure)> = None;
        for format in [Ok(own_format)].into_iter().chain(of_variants) {
            let read = format?.read(document);
            let error = match read {
                Ok((board, places)) => match self.check_signs(&board, &places, document) {
                    Ok(()) => return Ok((board, places)),
                    Err(failure) => (document.text.len(), failure),
                },
                Err(error) => (error.1.start, board::failure(document, error)),
            };
            if furthest.as_ref().is_none_or(|(at, _)| *at < error.0) {
                furthest = Some(error);
            }
        }
        let none = || board::failure(document, ("expected a size line and rows".to_owned(), 0..0));
        Err(furthest.map_or_else(none, |(_, failure)| failure))
    }

    /// Reads the board of a file of puzz.link of type `kind`.
    fn read_file(&self, kind: &str, document: &Document) -> Result<(GridBoard, ClueRanges), Failure> {
        if !self.is_named(kind) {
            let text = format!("{}: expected a file of {}, found one of {kind}", document.name, self.name);
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        let format = self.file_format()?.ok_or_else(|| {
            let text = format!("{}: files of the type `{kind}` are not supported", document.name);
            Diagnostic::error(Code::InvalidInstance, text)
        })?;
        format.read(document, self.links()?.as_ref())
    }

    /// Reads the board of a link of type `kind`.
    fn read_link(&self, kind: &str, document: &Document) -> Result<GridBoard, Failure> {
        let name = &*self.name;
        // Custom rules need not describe links of known types.
        let link = match self.links()? {
            Some(link) => Some(link),
            None => link_format(kind)?,
        };
        let link = link.ok_or_else(|| {
            Diagnostic::error(
                Code::InvalidLink,
                format!("{}: {name} does not support links: the header of its file has no Link", document.name),
            )
        })?;
        if !link.names().iter().any(|known| known == kind) {
            let text =
                format!("{}: expected a link of {}, found one of {kind}", document.name, link.names().join(" or "));
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        link.read(document)
    }

    /// Reads the board of a game id, or of a saved game, with the player's marks.
    fn read_game(&self, document: &Document, saved: Option<&SavedGame>) -> Result<GridBoard, Failure> {
        let name = &*self.name;
        let id = saved.map(|saved| Document::in_memory(document.name.clone(), saved.id.as_str()));
        let document_of_id = id.as_ref().unwrap_or(document);
        let has_none =
            || format!("{}: {name} does not support game ids: the header of its file has no Game", document.name);
        let game =
            self.game_format(&document_of_id.text)?.ok_or_else(|| Diagnostic::error(Code::InvalidLink, has_none()))?;
        let in_file = |mut wrong: Failure| {
            if let Some(saved) = saved {
                for place in wrong.0.iter_mut().flat_map(|wrong| &mut wrong.labels) {
                    *place = saved.place_in(document, place);
                }
            }
            wrong
        };
        let with_help = |mut wrong: Failure| {
            let parameters = document_of_id.text.trim().split(':').next().unwrap_or_default();
            let of_game = format!("{}:{parameters}", game.name);
            let other = self.catalogue.find_alias(&of_game).filter(|other| *other.name != *name);
            let help = other.map(|other| format!("-p {} reads it", other.name));
            if let Some(last) = wrong.0.last_mut() {
                last.help = help;
            }
            wrong
        };
        let mut board = game.read(document_of_id).map_err(in_file).map_err(with_help)?;
        if let Some(saved) = saved {
            if !self.is_game_name(&saved.game) {
                let text = format!("{}: expected a saved game of {name}, found one of {}", document.name, saved.game);
                return Err(Diagnostic::error(Code::InvalidInstance, text).into());
            }
            board.player_marks = saved.marks(self.definition.header.lines("Marks")).literals;
        }
        Ok(board)
    }

    /// Adds a hint about the format of boards to an error.
    fn with_format_hint(&self, mut wrong: Failure) -> Failure {
        if let Some(last) = wrong.0.last_mut().filter(|_| !self.definition.encodings.is_empty()) {
            let name = &*self.name;
            let sample = if self.offers_generate() { "generate" } else { "list" };
            last.help.get_or_insert_with(|| format!("`asp-solve {sample} {name}` shows how a board is written"));
        }
        wrong
    }

    fn board_from_drawing(&self, drawn: &editors::EditorBoard) -> Result<GridBoard, String> {
        if let Some(drawing) = &drawn.penpa {
            return drawing.board(&self.drawn_puzzle());
        }
        let addresses = self.definition.variants.iter().flat_map(|variant| variant.header.lines("Address"));
        drawn.board(&addresses.map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns true if a drawing is a board of the puzzle.
    pub(super) fn can_be_drawn_as(&self, drawn: &editors::EditorBoard) -> bool {
        let document = Document::in_memory("the drawing", "");
        let board = self.board_from_drawing(drawn);
        board.is_ok_and(|board| {
            let places = ClueRanges::new();
            self.check_board(&board, &places, &document, &[]).is_ok()
                && self.check_no_unread_input(&board, &places, &document).is_ok()
        })
    }

    /// The puzzle as drawings of penpa-edit need it.
    pub(super) fn drawn_puzzle(&self) -> editors::DrawnPuzzle<'_> {
        let definition = &**self.definition;
        let variants = definition.variants.iter().map(|variant| (variant.name, &variant.header)).collect();
        editors::DrawnPuzzle { name: &self.name, header: &definition.header, variants }
    }

    /// Returns the solution in an address of an editor, if there is one.
    pub(super) fn embedded_solution(&self, document: &Document) -> Option<editors::EmbeddedSolution> {
        let drawn = editors::read(&document.text)?.ok()?;
        drawn.penpa?.solution().ok()?
    }

    /// Returns true if the puzzle's boards are plain squares of numbers, which are recognised even
    /// if they do not name the puzzle.
    pub(super) fn is_plain_square(&self) -> bool {
        self.definition.header.paragraph("Plain").is_some_and(|plain| plain.starts_with("square"))
    }

    /// Reads a plain square of numbers in any layout. Returns `None` if the document is something
    /// else, or if the puzzle has other boards.
    pub(super) fn read_square(&self, document: &Document) -> Option<(GridBoard, ClueRanges)> {
        if !self.is_plain_square() || is_program(document) {
            return None;
        }
        let variant_inputs: BTreeSet<&str> =
            self.definition.variants.iter().flat_map(|variant| variant.header.inputs()).collect();
        // A line that belongs to a variant must not be skipped as prose.
        let is_of_variant =
            |line: &str| line.split_whitespace().next().is_some_and(|word| variant_inputs.contains(word));
        let lines = || document.text.lines();
        // If a drawing has areas other than the standard boxes, its lines are not just a frame.
        let has_custom_areas = || {
            let drawn = GridBoard::read_with_signs(document, &self.signs(), &self.catalogue).map(|(board, _)| board);
            drawn.is_ok_and(|board| {
                let count = board.areas.values().collect::<BTreeSet<_>>().len();
                let standard = board::numbered(&editors::standard_boxes(board.rows));
                board.rows == board.columns && (2..board.areas.len()).contains(&count) && board.areas != standard
            })
        };
        if lines().any(is_of_variant) || lines().any(|line| line.starts_with('+')) && has_custom_areas() {
            None
        } else {
            square::read(document)
        }
    }

    /// Returns true if a text consists only of rows of the puzzle's signs. Such rows can look like
    /// a link, a game id or a rule.
    fn has_only_rows(&self, document: &Document) -> bool {
        let signs = self.signs();
        let mut lines = lines::lines(&document.text).filter(|line| !line.text.is_empty()).peekable();
        !document.name.ends_with(".lp") && lines.peek().is_some() && lines.all(|line| signs.is_row(line.text))
    }

    /// Reads a text board according to the paragraphs `Rows` and `Lists` of the header.
    fn read_text(&self, document: &Document) -> Result<(GridBoard, ClueRanges), Failure> {
        let header = &self.definition.header;
        let lists = header.paragraph("Lists").unwrap_or_default();
        let lists = || lists.split(',').map(str::trim).filter(|name| !name.is_empty());
        if let Some(line) = lines::lines(&document.text).find(|line| lists().any(|name| name == line.text.trim())) {
            let text = format!("nothing follows `{}`", line.text.trim());
            let range = line.offset..line.offset + line.text.len();
            return Err(Diagnostic::error(Code::InvalidInstance, text)
                .at(Some(Place::of_range(&document.name, &document.text, range)))
                .into());
        }
        let (mut board, mut places) = match WrittenNotation::of(header).filter(|_| WrittenNotation::is_of(header)) {
            Some(notation) => notation.read(document)?,
            None => GridBoard::read_with_signs(document, &self.signs(), &self.catalogue)?,
        };
        for name in lists() {
            board.number_words(name, &mut places);
        }
        Ok((board, places))
    }
}
