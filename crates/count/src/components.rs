//! Components of what a partial assignment leaves of a formula.

use super::propagation::Propagation;

/// Unassigned variables that clauses connect, and the clauses of three literals or more that are not
/// satisfied.
///
/// In all these clauses, the literals of other variables are false. The numbers of the variables and
/// clauses thus determine what is left, and with it the count. Clauses of two literals are not
/// listed: one with an unassigned variable is not satisfied by the other, else propagation would
/// have assigned both.
#[derive(Clone)]
pub struct Component {
    /// In ascending order.
    pub variables: Vec<u32>,
    pub clauses: Vec<u32>,
}

impl Component {
    /// Estimates the memory of a component on the stack of the search, in bytes: its numbers, its key in
    /// the cache, and the keys of the components into which it splits.
    pub fn bytes(&self) -> usize {
        const BYTES_PER_NUMBER: usize = 12;
        (self.variables.len() + self.clauses.len()) * BYTES_PER_NUMBER
    }
}

/// Finds components.
pub struct Components {
    /// By variable: the long clauses that contain it.
    occurrences: Vec<Vec<u32>>,
    /// By variable and by clause: the last search that visited it.
    visited_variables: Vec<u32>,
    visited_clauses: Vec<u32>,
    search: u32,
}

impl Components {
    pub fn new(variables: usize, propagation: &Propagation) -> Self {
        let mut occurrences = vec![Vec::new(); variables];
        let clauses = propagation.clauses.len();
        for clause in 0..clauses as u32 {
            for literal in propagation.clauses.literals(clause) {
                occurrences[literal.variable() as usize].push(clause);
            }
        }
        Components { occurrences, visited_variables: vec![0; variables], visited_clauses: vec![0; clauses], search: 0 }
    }

    /// Starts a new search, which visits each variable once.
    pub fn start(&mut self) {
        if self.search == u32::MAX {
            self.visited_variables.fill(0);
            self.visited_clauses.fill(0);
            self.search = 0;
        }
        self.search += 1;
    }

    /// Returns the component of a variable; `None` if it is assigned or was visited in this search.
    pub fn component_of(&mut self, variable: u32, propagation: &Propagation) -> Option<Component> {
        let is_new = |visited: &mut u32, search| std::mem::replace(visited, search) != search;
        let search = self.search;
        if propagation.is_assigned(variable) || !is_new(&mut self.visited_variables[variable as usize], search) {
            return None;
        }
        let mut variables = vec![variable];
        let mut clauses = Vec::new();
        let mut at = 0;
        while let Some(&variable) = variables.get(at) {
            at += 1;
            let mut visit = |variable: u32| {
                if !propagation.is_assigned(variable) && is_new(&mut self.visited_variables[variable as usize], search)
                {
                    variables.push(variable);
                }
            };
            let literal = ground::Literal::positive(variable);
            for implied in [literal, !literal].iter().flat_map(|&literal| &propagation.clauses.implied[literal]) {
                visit(implied.variable());
            }
            for &clause in &self.occurrences[variable as usize] {
                if !is_new(&mut self.visited_clauses[clause as usize], search) {
                    continue;
                }
                let literals = propagation.clauses.literals(clause);
                if literals.iter().any(|&literal| propagation.is_true(literal)) {
                    continue;
                }
                literals.iter().for_each(|literal| visit(literal.variable()));
                clauses.push(clause);
            }
        }
        variables.sort_unstable();
        clauses.sort_unstable();
        Some(Component { variables, clauses })
    }

    /// Returns the long clauses that contain a variable.
    pub fn clauses_with(&self, variable: u32) -> &[u32] {
        &self.occurrences[variable as usize]
    }
}
