//! A game, and a state of it with its search task.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use pencil::LogicPuzzle;
use statespace::cache::Cache;
use statespace::planning::{SearchTask, Task, TooLarge, UnsolvableGoal};

use super::display::GameDisplay;
use super::read::GameAtoms;
use super::replay::{FluentSet, UnmetCondition};

/// A game, defined by its file.
#[derive(Clone)]
pub struct PlanningGame(pub LogicPuzzle);

/// A game after grounding.
pub struct GroundedGame {
    pub program: asp::Program,
    pub ground: GameAtoms,
    pub display: GameDisplay,
    pub cache: Cache,
}

#[derive(Clone)]
pub struct PlanningBoard {
    pub game: Arc<GroundedGame>,
    /// The fluents that hold.
    pub state: FluentSet,
    /// The search task from this state, once its preprocessing has completed.
    task: Arc<OnceLock<Arc<SearchTask>>>,
}

/// Boards of one game differ only in the state.
impl PartialEq for PlanningBoard {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl Eq for PlanningBoard {}

impl Hash for PlanningBoard {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

impl PlanningBoard {
    pub fn of(game: Arc<GroundedGame>, state: FluentSet) -> PlanningBoard {
        PlanningBoard { game, state, task: Arc::default() }
    }

    /// Returns the preprocessed search task. Preprocessing that was cut short by a cancellation is
    /// not cached.
    ///
    /// # Errors
    /// Fails if a state needs too many words, or if preprocessing was cancelled before it could
    /// pack the state.
    pub fn search_task(&self, stop: &CancelToken) -> Result<Arc<SearchTask>, Failure> {
        let make = || {
            let task = Task { start: self.state.iter().copied().collect(), ..self.game.ground.task.clone() };
            let made = SearchTask::of(task, stop).map_err(|TooLarge { words }| {
                Diagnostic::error(
                    Code::Stopped,
                    match stop.requested() {
                        Some(reason) => format!("the game was not prepared: {}", reason.words()),
                        None => format!("a state takes {words} words of 64 bits; the maximum is 64"),
                    },
                )
            })?;
            Ok(Arc::new(made.with_cache(self.game.cache.clone())))
        };
        stop.cached(&self.task, make).map(Cow::into_owned)
    }

    /// Explains why the goal cannot be reached, if this can be shown without a search.
    pub fn obstacle(&self, task: &SearchTask, stop: &CancelToken) -> Option<Vec<String>> {
        let display = &self.game.display;
        let fluent = |(fluent, holds)| display.describe_fluent(fluent, holds);
        match task.unsolvable_goal() {
            Some(UnsolvableGoal::Never(one, holds)) => {
                Some(vec![format!("the goal requires: {}; no moves achieve it", fluent((one, holds)))])
            }
            Some(UnsolvableGoal::Exclude(one, other)) => {
                Some(vec![format!("the goal requires: {}; {}; no moves achieve both", fluent(one), fluent(other))])
            }
            None => task.invariant(stop).and_then(|invariant| {
                let (start, goal) = self.game.ground.replay.excludes_goal(&self.state, &invariant)?;
                Some(display.describe_invariant(&invariant, start, goal))
            }),
        }
    }

    /// The board after a sequence of legal moves.
    pub fn after(&self, moves: &[u32]) -> PlanningBoard {
        let replay = &self.game.ground.replay;
        let state = moves.iter().fold(self.state.clone(), |state, &action| replay.after(&state, action).0);
        PlanningBoard::of(self.game.clone(), state)
    }

    /// The predecessors of this board.
    pub fn before(&self) -> Vec<PlanningBoard> {
        let replay = &self.game.ground.replay;
        let all = 0..self.game.ground.moves.len() as u32;
        let states = all.filter_map(|action| replay.before(&self.state, action));
        states.map(|state| PlanningBoard::of(self.game.clone(), state)).collect()
    }

    pub fn move_name(&self, action: u32) -> String {
        asp::to_text(self.game.ground.moves[action as usize])
    }

    /// Describes unmet conditions of a move or of the goal.
    pub fn describe_conditions(&self, unmet: &[UnmetCondition]) -> Vec<String> {
        unmet.iter().map(|condition| self.game.display.describe_fluent(condition.fluent, condition.holds)).collect()
    }
}
