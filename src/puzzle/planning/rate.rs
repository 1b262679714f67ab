//! `asp-solve rate` and `why` for games: explores all states, and explains why a move is not legal.

use std::fmt::Write;

use serde_json::json;

use super::search::explore_all;
use super::{PlanningBoard, PlanningGame, generate};
use crate::asp;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::Verdict;
use crate::job::Job;
use crate::puzzle::native;
use crate::puzzle::one_player::OnePlayer;
use crate::puzzle::{Puzzle, document_names};
use crate::search::UNREACHABLE;
use crate::stop::StopReason;
use crate::why::Explanation;
use crate::words::{count, thousands};

/// Explores all reachable states: their number, the number of dead ends, and the distances from the
/// goal.
pub fn rate(game: PlanningGame, board: &PlanningBoard, job: &Job) -> Result<Explanation, Failure> {
    let own = native::limits(job);
    let limits = generate::limits(job, generate::MAX_STATES);
    let whole = match explore_all(&*board.search_task(&job.stop)?, &limits) {
        Ok(whole) => whole,
        Err((reason, states)) => {
            // Do not report the default limit as a user limit.
            let is_own = match reason {
                StopReason::NodeLimit => own.nodes != limits.nodes,
                StopReason::MemoryLimit => own.memory != limits.memory,
                _ => false,
            };
            let reason = if is_own { StopReason::TooManyStates } else { reason };
            let words = if is_own { String::new() } else { format!("{}; ", reason.words()) };
            let text = format!("Gave up: {words}more than {} can be reached.\n", count(states - 1, "state", "states"));
            let json = json!({ "schema": 1, "puzzle": Puzzle::about(&game).name, "instance": document_names(&job.documents), "complete": false });
            return Ok(Explanation { text, json, verdict: Some(Verdict::GaveUp(reason)), ..Explanation::default() });
        }
    };
    let states = whole.distances.len();
    let goals = whole.goals;
    let dead = whole.distances.iter().filter(|&&far| far == UNREACHABLE).count();
    let farthest = whole.farthest();
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
        let _ = match whole.distances[0] {
            UNREACHABLE => writeln!(text, "From the start the goal cannot be reached."),
            start => writeln!(
                text,
                "The shortest solution has {}; from the farthest state it takes {farthest}.",
                cost(start)
            ),
        };
        let _ = match dead {
            0 => writeln!(text, "The goal can be reached from all of them: no move leads into a dead end."),
            1 => writeln!(text, "From one the goal can no longer be reached."),
            dead => writeln!(text, "From {} the goal can no longer be reached.", thousands(dead)),
        };
    }
    let layers: Vec<String> = whole.layers.iter().map(thousands).collect();
    let _ = writeln!(text, "By moves from the start: {}.", layers.join("; "));
    let known = |far: u32| (far != UNREACHABLE).then_some(far);
    let json = json!({
        "schema": 1, "puzzle": Puzzle::about(&game).name, "instance": document_names(&job.documents), "complete": true,
        "states": states, "layers": whole.layers, "goals": goals, "dead_ends": dead,
        "cost": known(whole.distances[0]), "farthest": farthest,
    });
    let verdict = if whole.distances[0] == UNREACHABLE { Verdict::Impossible } else { Verdict::Solved };
    Ok(Explanation { text, json, verdict: Some(verdict), ..Explanation::default() })
}

/// Explains why a move is not legal at the start.
pub fn reason(board: &PlanningBoard, asked: &str) -> Result<Explanation, Failure> {
    let game = &board.game;
    let term = asp::parse_term(asked);
    let Some(action) = game.ground.moves.iter().position(|&name| Some(name) == term) else {
        let known: Vec<String> = game.ground.moves.iter().map(|&name| asp::to_text(name)).collect();
        let near = crate::words::did_you_mean(asked, known.iter().map(String::as_str));
        let example = match known.first() {
            Some(first) => format!("moves are named as in the JSON of a solution, for instance {first}"),
            None => "it has no moves".to_owned(),
        };
        return Err(Diagnostic::error(Code::UnknownName, format!("{asked} is not a move of this board{near}")).help(example).into());
    };
    let against = game.ground.replay.unmet_conditions(&board.state, action as u32);
    let description = game.shown.describe_move(action as u32);
    let name = asp::to_text(game.ground.moves[action]);
    Ok(match &against[..] {
        [] => Explanation {
            text: format!("{name} can be made: {description}.\n"),
            json: json!({ "schema": 1, "verdict": "not-the-cause", "move": name, "causes": [] }),
            verdict: Some(Verdict::Impossible),
            ..Explanation::default()
        },
        lacks => {
            let words = board.describe_conditions(lacks);
            let lines: String = words.iter().map(|words| format!("  - {words}\n")).collect();
            Explanation {
                text: format!("{name} ({description}) cannot be made:\n{lines}"),
                json: json!({ "schema": 1, "verdict": "unsatisfiable", "move": name, "causes": [words] }),
                verdict: Some(Verdict::Solved),
                ..Explanation::default()
            }
        }
    })
}
