//! `asp-solve rate` and `why` for games: `rate` explores all states, and `why` explains why the goal
//! cannot be reached, or why a move is not legal.

use std::fmt::Write;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::words::{count, thousands};
use explain::{Explanation, NativeFinding, NativeReport, Part, PartKind};
use puzzle::job::Job;
use puzzle::native::{self, PathProof};
use puzzle::one_player::{ExplainBoard, OnePlayer};
use puzzle::{Describe, document_names};
use serde_json::{Value, json};
use statespace::search::UNREACHABLE;

use super::board::{PlanningBoard, PlanningGame};
use super::generate;
use super::search::explore_all;

impl ExplainBoard<PlanningGame> for PlanningGame {
    /// Names a cause if the fluents alone prove that the goal is unreachable. Otherwise the proof
    /// is that the search has explored all states.
    fn explain_unsolvable(&self, board: &PlanningBoard, stop: &CancelToken) -> Result<Option<PathProof>, Failure> {
        // The board was searched before, so its states are known to fit.
        let Ok(task) = board.search_task(stop) else { return Ok(None) };
        Ok(board
            .obstacle(&task, stop)
            .map(|words| PathProof::unsolvable(Some(words.join("; ")), unmet_parts(&words), false)))
    }

    fn rate(&self, board: &PlanningBoard, job: &Job) -> Result<Option<Explanation>, Failure> {
        rate(self, board, job).map(Some)
    }

    fn reason(&self, board: &PlanningBoard, asked: &str) -> Result<Option<Explanation>, Failure> {
        reason(board, asked).map(Some)
    }
}

/// The words as parts of an explanation.
fn unmet_parts(words: &[String]) -> Vec<Part> {
    words.iter().map(|words| Part::new(PartKind::Rule, words, words.clone())).collect()
}

/// Explores all reachable states: their number, the number of dead ends, and the distances from the
/// goal.
fn rate(game: &PlanningGame, board: &PlanningBoard, job: &Job) -> Result<Explanation, Failure> {
    let job_limits = native::limits(job);
    let limits = generate::limits(job, generate::MAX_STATES);
    let graph = match explore_all(&*board.search_task(&job.stop)?, &limits) {
        Ok(graph) => graph,
        Err((reason, states)) => {
            // Do not report the default limit as a user limit.
            let is_default_limit = match reason {
                StopReason::NodeLimit => job_limits.nodes != limits.nodes,
                StopReason::MemoryLimit => job_limits.memory != limits.memory,
                _ => false,
            };
            let reason = if is_default_limit { StopReason::TooManyStates } else { reason };
            let words = if is_default_limit { String::new() } else { format!("{}; ", reason.words()) };
            let text = format!("Gave up: {words}more than {} can be reached.\n", count(states - 1, "state", "states"));
            let json = json!({ "schema": 1, "puzzle": game.name(), "instance": document_names(&job.sources.documents), "complete": false });
            return Ok(explanation(Verdict::GaveUp(reason), text, json, Vec::new()));
        }
    };
    let states = graph.distances.len();
    let goals = graph.goals;
    let dead_ends = graph.distances.iter().filter(|&&distance| distance == UNREACHABLE).count();
    let farthest = graph.farthest();
    let cost = |cost: u32| game.words(board).cost(cost.into());
    let mut text = format!(
        "{} can be reached; {}.\n",
        count(states, "state", "states"),
        match goals {
            0 => "none of them is a goal".to_owned(),
            1 => "one of them is a goal".to_owned(),
            goals => format!("{} of them are goals", thousands(goals)),
        }
    );
    if let Some(farthest) = farthest {
        let _ = match graph.distances[0] {
            UNREACHABLE => writeln!(text, "From the start the goal cannot be reached."),
            start => writeln!(
                text,
                "The shortest solution has {}; from the farthest state it takes {farthest}.",
                cost(start)
            ),
        };
        let _ = match dead_ends {
            0 => writeln!(text, "The goal can be reached from all of them: no move leads into a dead end."),
            1 => writeln!(text, "From one the goal can no longer be reached."),
            dead_ends => writeln!(text, "From {} the goal can no longer be reached.", thousands(dead_ends)),
        };
    }
    let layers: Vec<String> = graph.layers.iter().map(thousands).collect();
    let _ = writeln!(text, "By moves from the start: {}.", layers.join("; "));
    let known = |distance: u32| (distance != UNREACHABLE).then_some(distance);
    let json = json!({
        "schema": 1, "puzzle": game.name(), "instance": document_names(&job.sources.documents), "complete": true,
        "states": states, "layers": graph.layers, "goals": goals, "dead_ends": dead_ends,
        "cost": known(graph.distances[0]), "farthest": farthest,
    });
    let verdict = if graph.distances[0] == UNREACHABLE { Verdict::Impossible } else { Verdict::Solved };
    Ok(explanation(verdict, text, json, Vec::new()))
}

/// Explains why a move is not legal at the start.
fn reason(board: &PlanningBoard, name_of_move: &str) -> Result<Explanation, Failure> {
    let game = &board.game;
    let term = asp::parse_term(name_of_move);
    let Some(action) = game.ground.moves.iter().position(|&name| Some(name) == term) else {
        let known: Vec<String> = game.ground.moves.iter().map(|&name| asp::to_text(name)).collect();
        let near = base::words::did_you_mean(name_of_move, known.iter().map(String::as_str));
        let example = match known.first() {
            Some(first) => format!("moves are named as in the JSON of a solution, for instance {first}"),
            None => "it has no moves".to_owned(),
        };
        return Err(Diagnostic::error(Code::UnknownName, format!("{name_of_move} is not a move of this board{near}"))
            .help(example)
            .into());
    };
    let unmet = game.ground.replay.unmet_conditions(&board.state, action as u32);
    let description = game.display.describe_move(action as u32);
    let name = asp::to_text(game.ground.moves[action]);
    if unmet.is_empty() {
        let text = format!("{name} can be made: {description}.\n");
        let json = json!({ "schema": 1, "verdict": "not-the-cause", "move": name, "causes": [] });
        return Ok(explanation(Verdict::Impossible, text, json, Vec::new()));
    }
    let words = board.describe_conditions(&unmet);
    let lines: String = words.iter().map(|words| format!("  - {words}\n")).collect();
    let text = format!("{name} ({description}) cannot be made:\n{lines}");
    let json = json!({ "schema": 1, "verdict": "unsatisfiable", "move": name, "causes": [words] });
    Ok(explanation(Verdict::Solved, text, json, vec![unmet_parts(&words)]))
}

fn explanation(verdict: Verdict, text: String, json: Value, causes: Vec<Vec<Part>>) -> Explanation {
    NativeReport { verdict, text, finding: NativeFinding::Other { json, causes }, page: None }.into()
}
