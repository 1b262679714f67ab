//! Keys that do not depend on the numbers of variables.
//!
//! Two components are isomorphic if renaming the variables of one makes the other. They have equally
//! many models, so that one count serves for both. If two rows of a Latin square are filled, for
//! example, exchanging columns or values makes isomorphic components.
//!
//! A key renumbers the variables of a component and describes it completely: the role of each
//! variable, and all clauses without their false literals. If two components have the same key, they
//! are isomorphic, whatever the new numbers are. These numbers only decide how many isomorphic
//! components get equal keys. They follow from colors that do not depend on the old numbers:
//!
//! 1. The first color of a variable is its role.
//! 2. The colors of a variable's neighbors in clauses change its color, until no further variables
//!    get different colors (color refinement).
//! 3. If two variables still have the same color, one of them gets a new color, and step 2 is repeated.
//!
//! The choice of step 3 is arbitrary. It makes no difference if a symmetry of the component maps each
//! candidate to each other one, as in most puzzles. Otherwise some isomorphic components are missed.
//!
//! A key costs as much as dozens of decisions. [`Trials`] decides when it is worth trying.

use ground::Literal;

use super::cache::{Key, write_ascending, write_number};
use super::components::Component;
use super::formula::Role;
use super::propagation::Propagation;

/// Maximum number of neighbors that the refinement for one key visits.
const MAX_WORK: u64 = 10_000_000;

/// A component with its variables numbered from 0. A literal is twice the number of its variable, plus
/// one if it is negative.
struct Graph {
    roles: Vec<Role>,
    /// By variable, one after the other: twice the other literal of each clause of two literals, plus 1 if
    /// the variable is negative in the clause.
    edges: Vec<u32>,
    /// By variable: its first edge; then the number of all edges.
    first_edge: Vec<usize>,
    /// The literals of the other clauses that are not false.
    clauses: Vec<Vec<u32>>,
    colors: Vec<u64>,
    /// The number of rounds of refinement so far.
    rounds: u64,
}

/// Returns a number that looks random.
#[inline]
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ (number >> 29)
}

/// Returns the contribution of a neighbor to a color; `mark` has the signs in their clause.
#[inline]
fn marked(color: u64, mark: u32) -> u64 {
    mix(color.wrapping_add(u64::from(mark)))
}

/// Returns the literal with the new number of its variable.
#[inline]
fn renamed(literal: Literal, number_of: &[u32]) -> u32 {
    number_of[literal.variable() as usize] * 2 + u32::from(literal.is_negated())
}

impl Graph {
    fn of(component: &Component, propagation: &Propagation, roles: &[Role], number_of: &mut [u32]) -> Self {
        for (number, &variable) in (0..).zip(&component.variables) {
            number_of[variable as usize] = number;
        }
        let roles: Vec<Role> = component.variables.iter().map(|&variable| roles[variable as usize]).collect();
        let is_open = |literal: &Literal| !propagation.is_assigned(literal.variable());
        let mut edges = Vec::new();
        let mut first_edge = vec![0];
        for &variable in &component.variables {
            let positive = Literal::positive(variable);
            for (literal, is_negated) in [(positive, 0), (!positive, 1)] {
                let others = propagation.clauses.implied[!literal].iter().copied().filter(is_open);
                edges.extend(others.map(|other| renamed(other, number_of) * 2 + is_negated));
            }
            first_edge.push(edges.len());
        }
        let open_literals = |&clause: &u32| {
            let literals = propagation.clauses.literals(clause).iter().copied().filter(is_open);
            literals.map(|literal| renamed(literal, number_of)).collect()
        };
        let clauses = component.clauses.iter().map(open_literals).collect();
        let colors = roles.iter().map(|&role| mix(role as u64 + 1)).collect();
        Graph { roles, edges, first_edge, clauses, colors, rounds: 0 }
    }

    fn edges_of(&self, variable: usize) -> &[u32] {
        &self.edges[self.first_edge[variable]..self.first_edge[variable + 1]]
    }

    /// Gives all variables different colors. Returns false if that takes too long.
    fn color(&mut self) -> bool {
        let neighbors = self.edges.len() + self.clauses.iter().map(Vec::len).sum::<usize>();
        let mut different = 0;
        loop {
            let sorted = self.sorted_colors();
            let groups = sorted.chunk_by(PartialEq::eq);
            let now = groups.clone().count();
            if now == self.roles.len() {
                return true;
            }
            if self.rounds * neighbors as u64 > MAX_WORK {
                return false;
            }
            if now == different {
                let shared = groups.filter(|group| group.len() > 1).min_by_key(|group| (group.len(), group[0]));
                self.separate(shared.expect("two variables have the same color")[0]);
            }
            different = now;
            self.refine();
        }
    }

    fn sorted_colors(&self) -> Vec<u64> {
        let mut sorted = self.colors.clone();
        sorted.sort_unstable();
        sorted
    }

    /// Gives one variable of a color a new one.
    fn separate(&mut self, color: u64) {
        let first = self.colors.iter_mut().find(|other| **other == color);
        *first.expect("the color of a variable") = mix(!color);
    }

    /// Mixes the colors of a variable's neighbors into its own color, for each variable.
    fn refine(&mut self) {
        self.rounds += 1;
        let mut sums = vec![0_u64; self.colors.len()];
        for (variable, sum) in sums.iter_mut().enumerate() {
            for edge in self.edges_of(variable) {
                *sum = sum.wrapping_add(marked(self.colors[(edge >> 2) as usize], edge & 3));
            }
        }
        for clause in &self.clauses {
            let mut color = clause.len() as u64;
            for literal in clause {
                color = color.wrapping_add(marked(self.colors[(literal >> 1) as usize], literal & 1));
            }
            for literal in clause {
                let sum = &mut sums[(literal >> 1) as usize];
                *sum = sum.wrapping_add(marked(!color, literal & 1));
            }
        }
        for (color, sum) in self.colors.iter_mut().zip(sums) {
            *color = mix(mix(*color).wrapping_add(sum));
        }
    }

    /// Describes the component with its variables in the order of their colors.
    fn describe(mut self) -> Key {
        let mut order: Vec<usize> = (0..self.colors.len()).collect();
        order.sort_unstable_by_key(|&variable| self.colors[variable]);
        let mut place_of = vec![0_u32; order.len()];
        for (place, &variable) in (0..).zip(&order) {
            place_of[variable] = place;
        }
        // No other key begins with 0.
        let mut bytes = vec![0];
        write_number(&mut bytes, order.len() as u32);
        for (place, &variable) in (0..).zip(&order) {
            bytes.push(self.roles[variable] as u8);
            let edges = self.edges_of(variable).iter().map(|edge| place_of[(edge >> 2) as usize] * 4 + (edge & 3));
            // The other edges are listed with the neighbors before.
            let mut edges: Vec<u32> = edges.filter(|edge| edge >> 2 > place).collect();
            edges.sort_unstable();
            write_number(&mut bytes, edges.len() as u32);
            write_ascending(&mut bytes, edges.into_iter());
        }
        for clause in &mut self.clauses {
            clause.iter_mut().for_each(|literal| *literal = place_of[(*literal >> 1) as usize] * 2 + (*literal & 1));
            clause.sort_unstable();
        }
        self.clauses.sort_unstable();
        self.clauses.dedup();
        for clause in self.clauses {
            write_number(&mut bytes, clause.len() as u32);
            write_ascending(&mut bytes, clause.into_iter());
        }
        Key::of_bytes(bytes)
    }
}

/// What keys have cost and saved. A decision costs the number of variables of its component, and so
/// does a round of refinement.
#[derive(Clone, Copy, Default)]
struct Balance {
    /// The number of finished searches.
    searches: u64,
    /// The cost of the searches.
    searched: u64,
    /// The cost of the keys.
    spent: u64,
    /// The cost of the searches that isomorphic components made unnecessary.
    saved: u64,
}

/// The keys of components of one size may cost the searches of such components divided by this.
const PART_BY_SIZE: u64 = 16;
/// At the start, all keys may cost the whole search divided by this,
const PART_AT_START: u64 = 10;
/// and later the whole search divided by this, besides the grant.
const PART_LATER: u64 = 64;
/// The cost of the decisions of about a hundredth of a second.
const GRANT: u64 = 50_000;
/// The rounds of refinement that take as long as the rest of a key.
const OTHER_ROUNDS: u64 = 2;

/// Makes keys of components where searches are long, or where keys have saved more than they cost.
pub struct Trials {
    /// By number of variables.
    by_size: Vec<Balance>,
    /// The balance of the whole search.
    whole: Balance,
    /// By variable: its number in the component of the last key.
    number_of: Vec<u32>,
}

impl Trials {
    pub fn new(variables: usize) -> Self {
        let by_size = vec![Balance::default(); variables];
        Trials { by_size, whole: Balance::default(), number_of: vec![0; variables] }
    }

    /// Returns the key of a component if it is worth trying.
    pub fn key(&mut self, component: &Component, propagation: &Propagation, roles: &[Role]) -> Option<Key> {
        let size = component.variables.len();
        if !self.is_worthwhile(size) {
            return None;
        }
        let mut graph = Graph::of(component, propagation, roles, &mut self.number_of);
        let is_colored = graph.color();
        let cost = (graph.rounds + OTHER_ROUNDS) * size as u64;
        self.whole.spent += cost;
        self.by_size[size].spent += cost;
        is_colored.then(|| graph.describe())
    }

    fn is_worthwhile(&self, size: usize) -> bool {
        let Balance { searched, spent, saved, .. } = self.by_size[size];
        let is_worth_its_size = spent <= saved + searched / PART_BY_SIZE;
        let Balance { searched, spent, saved, .. } = self.whole;
        is_worth_its_size && spent <= saved + (searched / PART_AT_START).min(GRANT + searched / PART_LATER)
    }

    /// Records a decision in a component.
    pub fn decided(&mut self, size: usize) {
        self.whole.searched += size as u64;
    }

    /// Records the end of the search of a component.
    pub fn searched(&mut self, size: usize, cost: u64) {
        self.by_size[size].searches += 1;
        self.by_size[size].searched += cost;
    }

    /// Records that an isomorphic component made a search unnecessary.
    pub fn found(&mut self, size: usize) {
        let saved = self.by_size[size].searched / self.by_size[size].searches.max(1);
        self.by_size[size].saved += saved;
        self.whole.saved += saved;
    }

    /// Returns the cost of all decisions so far.
    pub fn cost(&self) -> u64 {
        self.whole.searched
    }
}
