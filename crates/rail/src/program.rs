//! The logic program of an instance.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use certificate::Certificate;
use explain::ExplainInput;
use puzzle::job::Job;
use puzzle::{ClingoProgram, CountedProgram};

use super::Rail;
use super::board::{RailBoard, RailOptions};
use super::engines::clingo;
use super::network::instance::instance_program;
use super::solve;
use super::trips::Outcome;

impl ClingoProgram<Rail> for Rail {
    fn program(&self, board: &RailBoard, job: &Job) -> Result<asp::Program, Failure> {
        let mut program = instance_program(&board.facts, &job.sources.documents);
        program.encoding = job.sources.encodings.clone();
        if !job.options::<RailOptions>().outcome.is_empty() {
            program.additions.push(Document::in_memory("<outcome>", clingo::constraint(&board.accepted)));
        }
        if job.options::<RailOptions>().configuration.is_some() {
            let text = "--configuration works with the formats text and json; for answer sets, write a constraint in an encoding";
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        Ok(program)
    }

    /// Restricts the program to the outcomes that count as answers.
    fn source(&self, board: &RailBoard, job: &Job) -> Result<ExplainInput, Failure> {
        let mut program = self.program(board, job)?;
        if board.accepted[..] != Outcome::ALL {
            program.additions.push(Document::in_memory("<outcome>", clingo::constraint(&board.accepted)));
        }
        Ok(program.into())
    }

    fn counted(&self, board: &RailBoard, job: &Job) -> Result<CountedProgram, Failure> {
        Ok(CountedProgram { program: self.source(board, job)?.program, is_projected: false })
    }

    /// Accepts certificates for two programs: one that enumerates all trips, and one that is
    /// restricted to the shown outcomes.
    fn certificate_difference(
        &self,
        board: &RailBoard,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        let program = instance_program(&board.facts, &job.sources.documents);
        let mut first = None;
        for outcomes in [&[][..], &board.shown] {
            let question = solve::trip_query(board, &program, outcomes, job);
            match clingo::certificate_difference(&question, certificate)? {
                None => return Ok(None),
                difference => first = first.or(difference),
            }
        }
        Ok(first)
    }
}
