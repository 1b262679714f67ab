//! `asp-solve generate NAME`: states of a board whose shortest solution provably has a given number
//! of moves.
//!
//! If the states reachable from a board are few enough, all are explored, and a state is chosen by
//! its distance from the goal. Otherwise the generator makes random walks: backwards from a goal
//! (as many moves as requested, then more) and forwards from the board. It solves the last state of
//! each walk; if the solution is too long, it makes the first moves of the solution. Without a
//! request, the walks from the goal become longer until the last state of one cannot be solved within
//! the node limit, and the state with the longest solution is taken.

use std::path::PathBuf;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::StopReason;
use base::style::Style;
use base::words::count;
use clap::Args;
use puzzle::generated::{Generated, GeneratedBoard};
use puzzle::job::{Job, Sources};
use puzzle::one_player::{OnePlayer, Plan};
use puzzle::values::{Range, range};
use puzzle::{Console, Describe, Encoding, OpenBoard, OptionDeclaration, Tool, ToolInput, ToolOutput, native};
use rustc_hash::FxHashSet;
use statespace::search::{Limits, Outcome, StateGraph, UNREACHABLE};

use super::board::{PlanningBoard, PlanningGame};
use super::search::{GameHeuristic, explore_all, find_best};

/// Limits of a full exploration.
pub(super) const MAX_STATES: u64 = 5_000_000;
const MAX_MEMORY: u64 = 2 << 30;
/// Above this number of states, a full exploration is only tried after random walks have failed.
const FEW_STATES: u64 = 200_000;
/// Number of walks of each kind.
const WALKS: usize = 25;
/// Difference in length between successive walks from the board.
const WALK_INCREMENT: usize = 20;
/// The lengths of the walks from a goal if no number of moves is requested.
const SCRAMBLES: [usize; 7] = [4, 6, 9, 13, 19, 28, 40];
/// Node limit of the search that solves the last state of a walk.
const NODES: u64 = 1_000_000;

#[derive(Clone)]
pub struct GenerateGame(pub PlanningGame);

#[derive(Debug, Clone, Default, Args)]
pub struct GameGeneratorOptions {
    /// The board whose states are searched [default: the one that ships]
    #[arg(long, value_name = "FILE")]
    board: Option<PathBuf>,
    /// Moves of the shortest solution, or its cost if moves have costs: a number, or MIN..MAX
    /// [default: as many as possible; on a board with too many states to explore, those of a random
    /// scramble]
    #[arg(long, value_name = "N", value_parser = range::<u32>)]
    moves: Option<Range<u32>>,
    /// Include a shortest solution, in lines that begin with %
    #[arg(long)]
    solution: bool,
}

/// Limits of a full exploration of `states` states.
pub(super) fn limits(job: &Job, states: u64) -> Limits {
    let job_limits = native::limits(job);
    Limits {
        memory: Some(job_limits.memory.map_or(MAX_MEMORY, |memory| memory.min(MAX_MEMORY))),
        ..job_limits.within(states)
    }
}

impl Tool for GenerateGame {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a state of a board from which the shortest solution has a given number of moves"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<GameGeneratorOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Seed
    }

    fn encoding(&self) -> Option<&Encoding> {
        self.0.about().encodings.first()
    }

    fn board(&self, job: &Job) -> Result<Option<PathBuf>, Failure> {
        Ok(job.tool_options::<GameGeneratorOptions>()?.board.clone())
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<GameGeneratorOptions>()?;
        let name = self.0.name();
        let documents = match &job.sources.documents[..] {
            [] => {
                let missing = || {
                    Diagnostic::error(
                        Code::MissingInstance,
                        format!("there is no built-in board of {name}; name one with --board FILE"),
                    )
                };
                let builtin = self.0.example().ok_or_else(missing)?;
                vec![Document::in_memory(builtin.file_name, builtin.text)]
            }
            given => given.to_vec(),
        };
        let job = Job { sources: Sources { documents, ..job.sources.clone() }, ..job.clone() };
        let board = self.0.parse(&job)?;
        let mut random = fastrand::Rng::with_seed(job.seed);
        let (least, most) = options.moves.as_ref().map_or((None, None), |moves| (moves.least, moves.most));
        let cost_range = (least, most.unwrap_or(UNREACHABLE - 1));
        let task = &*board.search_task(&job.stop)?;
        let generated = match explore_all(task, &limits(&job, least.map_or(MAX_STATES, |_| FEW_STATES))) {
            Ok(graph) => self.pick_state(&graph, &board, cost_range, &mut random, &job)?,
            Err((StopReason::NodeLimit | StopReason::MemoryLimit, _)) => {
                match self.walk_randomly(&board, cost_range, &mut random, &job, console)? {
                    failed @ (Generated::Best(_, StopReason::Unproven) | Generated::None(StopReason::Unproven))
                        if least.is_some() =>
                    {
                        match explore_all(task, &limits(&job, MAX_STATES)) {
                            Ok(graph) => self.pick_state(&graph, &board, cost_range, &mut random, &job)?,
                            Err(_) => failed,
                        }
                    }
                    walked => walked,
                }
            }
            Err((reason, _)) => Generated::None(reason),
        };
        let ((state, plan, origin), reason) = match generated.best() {
            Ok(best) => best,
            Err(reason) => return Ok(ToolOutput::incomplete("no state was solved", String::new(), reason)),
        };
        let lack = reason.map(|reason| {
            let least = least.unwrap_or(1);
            (format!("the best solution found costs {}, not {least}", self.0.cost(&state, &plan)), reason)
        });
        let moves = self.0.words(&state).cost(self.0.cost(&state, &plan));
        let game = &state.game;
        let steps = (1..).zip(&plan.0).map(|(step, &action)| format!("{step}. {}", game.display.describe_move(action)));
        let solution = if options.solution { steps.collect() } else { Vec::new() };
        let drawn = game.display.drawing(std::slice::from_ref(&state.state))?.text(&Style::default());
        let mut lines: Vec<String> = drawn.lines().map(|line| format!("% {line}")).collect();
        lines.extend(self.board_facts(&job)?);
        lines.extend(
            state.state.iter().map(|&fluent| format!("start({}).", asp::to_text(game.ground.fluents[fluent as usize]))),
        );
        let generated_board = GeneratedBoard {
            puzzle: &self.0,
            board: &state,
            plan: &plan,
            what: format!("A state of {}. {origin}", self.instance_names(&job)),
            proven: format!("Its shortest solution has {moves} (proven by search)"),
            solution,
            lines,
        };
        generated_board.output(job.seed, lack)
    }
}

/// A state, a shortest solution, and a sentence about how the state was found.
type GeneratedState = (PlanningBoard, Plan<u32>, String);

/// The minimum cost of a solution, if given, and the maximum.
type CostRange = (Option<u32>, u32);

impl GenerateGame {
    fn instance_names(&self, job: &Job) -> String {
        job.sources.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns a shortest solution, if the search finds one within `nodes` nodes.
    fn solve_optimally(
        &self,
        board: &PlanningBoard,
        job: &Job,
        nodes: Option<u64>,
    ) -> Result<Option<Plan<u32>>, Failure> {
        let job_limits = native::limits(job);
        let limits = nodes.map_or(job_limits.clone(), |nodes| job_limits.within(nodes));
        let engine = self.0.default_engine(board, job);
        let searched = find_best(&*board.search_task(&job.stop)?, engine, false, GameHeuristic::Auto, &limits);
        Ok(match searched.outcome {
            Outcome::Solved(plan) if plan.optimal => Some(Plan(plan.moves)),
            _ => None,
        })
    }

    /// Picks a random state among those at a requested distance from a goal, by default the
    /// farthest.
    fn pick_state(
        &self,
        graph: &StateGraph<u32>,
        board: &PlanningBoard,
        (least, most): CostRange,
        random: &mut fastrand::Rng,
        job: &Job,
    ) -> Result<Generated<GeneratedState>, Failure> {
        let Some(farthest) = graph.farthest() else {
            return Err(Diagnostic::error(
                Code::NoSolution,
                format!("{}: its goal cannot be reached", self.instance_names(job)),
            )
            .into());
        };
        let least = least.unwrap_or(farthest.min(most));
        let candidates: Vec<usize> =
            (0..graph.distances.len()).filter(|&state| (least..=most).contains(&graph.distances[state])).collect();
        let Some(&state) = random.choice(&candidates) else {
            let text = format!("--moves {least}: no state of {} needs that many", self.instance_names(job));
            let most = format!("from the farthest one it takes {farthest}");
            return Err(Diagnostic::error(Code::Usage, text).help(most).into());
        };
        let distance = graph.distances[state];
        let state = board.after(&graph.moves_to(state));
        let states = count(graph.distances.len(), "state", "states");
        let origin = format!("All {states} that can be reached were explored");
        let plan = self.solve_optimally(&state, job, None)?;
        if let Some(cost) =
            plan.as_ref().map(|plan| self.0.cost(&state, plan)).filter(|&cost| cost != u64::from(distance))
        {
            let text =
                format!("two searches disagree: one finds a distance of {distance} from the goal, the other {cost}");
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        Ok(match plan {
            Some(plan) => Generated::Done((state, plan, origin)),
            None => Generated::None(job.stop.requested().unwrap_or(StopReason::Unproven)),
        })
    }

    /// Makes walks of increasing length until the last state of one has the requested cost.
    fn walk_randomly(
        &self,
        board: &PlanningBoard,
        (least, most): CostRange,
        random: &mut fastrand::Rng,
        job: &Job,
        console: &mut Console<'_>,
    ) -> Result<Generated<GeneratedState>, Failure> {
        let goal = match board.search_task(&job.stop)?.goal_state() {
            Some(fluents) => Some(PlanningBoard::of(board.game.clone(), fluents.into_iter().collect())),
            None => self.solve_optimally(board, job, Some(NODES))?.map(|plan| board.after(&plan.0)),
        };
        let from_goal = goal.as_ref().map(|goal| {
            let lengths: Vec<usize> = match least.map(|least| least as usize) {
                Some(least) => (0..WALKS).map(|walk| least + walk * (1 + least / 4)).collect(),
                None => SCRAMBLES.to_vec(),
            };
            lengths.into_iter().map(move |length| (goal, length, true))
        });
        let from_board = (0..WALKS).map(|walk| (board, walk * WALK_INCREMENT, false));
        let mut longest: Option<(u64, GeneratedState)> = None;
        let best_of = |longest: Option<(u64, GeneratedState)>, reason| {
            Generated::of(longest.map(|(_, state)| state), |_| false, reason)
        };
        for (number, (begin, length, goes_back)) in from_goal.into_iter().flatten().chain(from_board).enumerate() {
            (console.progress)(number as u64, 2 * WALKS as u64);
            let is_scramble = least.is_none() && goes_back;
            let has_scramble = least.is_none() && longest.is_some();
            match job.stop.requested() {
                Some(reason) if !has_scramble => return Ok(best_of(longest, reason)),
                None if is_scramble || !has_scramble => {}
                _ => break,
            }
            let mut state = begin.clone();
            let mut visited = FxHashSet::from_iter([begin.state.clone()]);
            for _ in 0..length {
                let next: Vec<PlanningBoard> = match goes_back {
                    // Revisiting a state would shorten the walk.
                    true => state.before().into_iter().filter(|state| !visited.contains(&state.state)).collect(),
                    false => self.0.moves(&state).iter().map(|&action| state.after(&[action])).collect(),
                };
                let Some(next) = random.choice(next) else { break };
                state = next;
                visited.insert(state.state.clone());
            }
            let Some(plan) = self.solve_optimally(&state, job, Some(NODES))? else {
                if has_scramble {
                    break;
                }
                continue;
            };
            // A suffix of a shortest solution is a shortest solution of the state where it begins.
            // Take the longest suffix within the maximum cost.
            let rest = |made: usize| Plan(plan.0[made..].to_vec());
            let Some(made) = (0..=plan.0.len()).find(|&made| self.0.cost(&state, &rest(made)) <= most.into()) else {
                continue;
            };
            let origin = match (goes_back, length) {
                (true, _) => {
                    format!("{} to a goal were taken back at random", count(visited.len() - 1, "move", "moves"))
                }
                (false, 0) if made == 0 => "It is the start of the board".to_owned(),
                (false, 0) => {
                    format!(
                        "The first moves of a shortest solution of the board were made: {}",
                        count(made, "move", "moves")
                    )
                }
                (false, _) => format!("{} were made at random", count(length, "move", "moves")),
            };
            let rest = rest(made);
            let cost = self.0.cost(&state, &rest);
            let generated = (state.after(&plan.0[..made]), rest, origin);
            // A longer scramble is better, up to the maximum.
            let enough = if is_scramble { most } else { least.unwrap_or(1) };
            if cost >= enough.into() {
                return Ok(Generated::Done(generated));
            }
            if cost > 0 && longest.as_ref().is_none_or(|best| best.0 < cost) {
                longest = Some((cost, generated));
            }
        }
        Ok(match longest {
            Some((_, scramble)) if least.is_none() => Generated::Done(scramble),
            longest => best_of(longest, StopReason::Unproven),
        })
    }

    /// The facts of the board except its start.
    fn board_facts(&self, job: &Job) -> Result<Vec<String>, Failure> {
        let mut lines = vec![format!("puzzle({}).", self.0.name())];
        for document in &job.sources.documents {
            let text = self.0.0.facts_from(document)?;
            lines.extend(
                text.lines()
                    .filter(|line| !["start(", "puzzle("].iter().any(|fact| line.trim_start().starts_with(fact)))
                    .map(str::to_owned),
            );
        }
        Ok(lines)
    }
}
