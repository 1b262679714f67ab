//! Matchings of least cost, by the Hungarian method with potentials (H. Kuhn, 1955).

use crate::search::{Cost, UNREACHABLE};

/// Maximum number of tokens.
pub const MAX_TOKENS: usize = 64;

/// Replaces unreachable costs, so that sums of potentials do not overflow.
const FORBIDDEN: i64 = 1 << 40;

/// The buffers of one matching. Index 0 of goals is a dummy.
pub struct Matcher {
    token_potentials: [i64; MAX_TOKENS],
    goal_potentials: [i64; MAX_TOKENS + 1],
    /// For each goal, its token plus 1, or 0 if it is free; for the dummy, the token to be matched.
    token_of: [usize; MAX_TOKENS + 1],
    previous: [usize; MAX_TOKENS + 1],
    slack: [i64; MAX_TOKENS + 1],
}

impl Default for Matcher {
    fn default() -> Self {
        Matcher {
            token_potentials: [0; MAX_TOKENS],
            goal_potentials: [0; MAX_TOKENS + 1],
            token_of: [0; MAX_TOKENS + 1],
            previous: [0; MAX_TOKENS + 1],
            slack: [0; MAX_TOKENS + 1],
        }
    }
}

impl Matcher {
    /// Returns the least cost of a perfect matching of `count` tokens and as many goals, or
    /// [`UNREACHABLE`] if no perfect matching exists. `row(token)` has the token's cost to each goal.
    pub fn least_cost<'a>(mut self, count: usize, row: impl Fn(usize) -> &'a [Cost]) -> Cost {
        for token in 0..count {
            self.add(token, count, &row);
        }
        let total = -self.goal_potentials[0];
        if total >= FORBIDDEN { UNREACHABLE } else { Cost::try_from(total).unwrap_or(UNREACHABLE - 1) }
    }

    /// Matches another token along a shortest augmenting path.
    fn add<'a>(&mut self, token: usize, count: usize, row: &impl Fn(usize) -> &'a [Cost]) {
        self.token_of[0] = token + 1;
        self.slack[..=count].fill(i64::MAX);
        let (mut last, mut is_visited) = (0, [false; MAX_TOKENS + 1]);
        while self.token_of[last] != 0 {
            is_visited[last] = true;
            let token = self.token_of[last] - 1;
            let costs = row(token);
            let (mut least, mut next) = (i64::MAX, 0);
            for goal in (1..=count).filter(|&goal| !is_visited[goal]) {
                let cost = if costs[goal - 1] == UNREACHABLE { FORBIDDEN } else { costs[goal - 1].into() };
                let reduced = cost - self.token_potentials[token] - self.goal_potentials[goal];
                if reduced < self.slack[goal] {
                    (self.slack[goal], self.previous[goal]) = (reduced, last);
                }
                if self.slack[goal] < least {
                    (least, next) = (self.slack[goal], goal);
                }
            }
            for (goal, &is_visited) in is_visited[..=count].iter().enumerate() {
                if is_visited {
                    self.token_potentials[self.token_of[goal] - 1] += least;
                    self.goal_potentials[goal] -= least;
                } else {
                    self.slack[goal] -= least;
                }
            }
            last = next;
        }
        while last != 0 {
            let before = self.previous[last];
            self.token_of[last] = self.token_of[before];
            last = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least cost over all permutations.
    fn by_permutations(rows: &[Vec<Cost>], used: u32) -> Cost {
        let Some((row, rest)) = rows.split_first() else { return 0 };
        let free = row.iter().enumerate().filter(|(goal, cost)| used >> goal & 1 == 0 && **cost != UNREACHABLE);
        let costs = free.map(|(goal, &cost)| cost.saturating_add(by_permutations(rest, used | 1 << goal)));
        costs.min().unwrap_or(UNREACHABLE)
    }

    #[test]
    fn matchings_cost_as_little_as_the_best_permutation() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut impossible = 0;
        for _ in 0..2_000 {
            let count = random.usize(0..6);
            let mut cost = |_| if random.u32(0..3) == 0 { UNREACHABLE } else { random.u32(0..9) };
            let rows: Vec<Vec<Cost>> = (0..count).map(|_| (0..count).map(&mut cost).collect()).collect();
            let expected = by_permutations(&rows, 0);
            impossible += usize::from(expected == UNREACHABLE);
            let found = Matcher::default().least_cost(count, |token| &rows[token]);
            assert_eq!(found, expected, "seed {seed}: {rows:?}");
        }
        assert!(impossible > 100, "seed {seed}");
    }
}
