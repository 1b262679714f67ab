//! `asp-solve rate` and `why` of games: all states of a board, and why a move cannot be made.

use std::fmt::Write;

use serde_json::json;

use super::search::whole;
use super::{Board, Planning, generate};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Verdict;
use crate::job::Job;
use crate::puzzle::native;
use crate::puzzle::one_player::OnePlayer;
use crate::puzzle::{Puzzle, names};
use crate::search::UNREACHABLE;
use crate::stop::Reason;
use crate::why::Told;
use crate::words::{count, thousands};

/// All states that can be reached: how many there are, from how many the goal is out of reach, and the distances.
pub fn rate(game: Planning, board: &Board, job: &Job) -> Result<Told, Failure> {
    let (own, limits) = (native::limits(job), generate::limits(job, generate::MOST_STATES));
    let whole = match whole(&*board.prepared(&job.stop)?, &limits) {
        Ok(whole) => whole,
        Err((reason, states)) => {
            // A limit that nobody gave is not called one.
            let is_own = match reason {
                Reason::NodeLimit => own.nodes != limits.nodes,
                Reason::MemoryLimit => own.memory != limits.memory,
                _ => false,
            };
            let reason = if is_own { Reason::States } else { reason };
            let words = if is_own { String::new() } else { format!("{}; ", reason.words()) };
            let text = format!("Gave up: {words}more than {} can be reached.\n", count(states - 1, "state", "states"));
            let json = json!({ "schema": 1, "puzzle": Puzzle::about(&game).name, "instance": names(&job.documents), "complete": false });
            return Ok(Told { text, json, verdict: Some(Verdict::GaveUp(reason)), ..Told::default() });
        }
    };
    let (states, goals) = (whole.distances.len(), whole.goals);
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
        "schema": 1, "puzzle": Puzzle::about(&game).name, "instance": names(&job.documents), "complete": true,
        "states": states, "layers": whole.layers, "goals": goals, "dead_ends": dead,
        "cost": known(whole.distances[0]), "farthest": farthest,
    });
    let verdict = if whole.distances[0] == UNREACHABLE { Verdict::Impossible } else { Verdict::Solved };
    Ok(Told { text, json, verdict: Some(verdict), ..Told::default() })
}

/// Why a move cannot be made at the start.
pub fn reason(board: &Board, asked: &str) -> Result<Told, Failure> {
    let game = &board.game;
    let term = asp::parse_term(asked);
    let Some(action) = game.ground.moves.iter().position(|&name| Some(name) == term) else {
        let known: Vec<String> = game.ground.moves.iter().map(|&name| asp::to_text(name)).collect();
        let near = crate::words::did_you_mean(asked, known.iter().map(String::as_str));
        let example = match known.first() {
            Some(first) => format!("moves are named as in the JSON of a solution, for instance {first}"),
            None => "it has no moves".to_owned(),
        };
        return Err(Diagnostic::error(format!("{asked} is not a move of this board{near}")).help(example).into());
    };
    let against = game.ground.replay.against(&board.state, action as u32);
    let told = game.shown.of_move(action as u32);
    let name = asp::to_text(game.ground.moves[action]);
    Ok(match &against[..] {
        [] => Told {
            text: format!("{name} can be made: {told}.\n"),
            json: json!({ "schema": 1, "verdict": "not-the-cause", "move": name, "causes": [] }),
            verdict: Some(Verdict::Impossible),
            ..Told::default()
        },
        lacks => {
            let words = board.lacks(lacks);
            let lines: String = words.iter().map(|words| format!("  - {words}\n")).collect();
            Told {
                text: format!("{name} ({told}) cannot be made:\n{lines}"),
                json: json!({ "schema": 1, "verdict": "unsatisfiable", "move": name, "causes": [words] }),
                verdict: Some(Verdict::Solved),
                ..Told::default()
            }
        }
    })
}
