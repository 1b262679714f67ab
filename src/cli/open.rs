//! Opens a job as a board.

use base::diagnostic::Failure;
use puzzle::job::Job;
use puzzle::{AnyPuzzle, AnyRun};

/// Opens a job. If a custom program draws, it gets the answer sets of the puzzle's logic program.
pub fn open(entry: &dyn AnyPuzzle, job: Job) -> Result<Box<dyn AnyRun>, Failure> {
    let is_drawn = !job.drawing.programs.is_empty() && !entry.about().has_options_for_answer_sets;
    let run = entry.open(job)?;
    if is_drawn { pencil::drawn_run(&*run) } else { Ok(run) }
}
