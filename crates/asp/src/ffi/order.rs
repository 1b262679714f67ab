//! Sorts the symbols of one answer after the other.

use clingo_sys as sys;
use rustc_hash::FxHashMap;

use super::symbol::compare;

/// How many times as many symbols as are known are sorted by comparing them before their ranks are
/// stored. Programs with few answers then store none.
const COMPARED_BEFORE_RANKED: usize = 16;

/// The symbols of an answer; the buffer is reused. Later answers of a search are sorted by the
/// ranks of symbols, since clingo compares terms slowly.
#[derive(Default)]
pub struct SymbolBuffer {
    pub symbols: Vec<sys::clingo_symbol_t>,
    /// The known symbols in clingo's order.
    known: Vec<sys::clingo_symbol_t>,
    /// Their indices there.
    ranks: FxHashMap<sys::clingo_symbol_t, u32>,
    ranked: Vec<(u32, sys::clingo_symbol_t)>,
    /// Symbols without ranks in answers since the ranks were stored.
    unranked: Vec<sys::clingo_symbol_t>,
    /// How many symbols were sorted by comparing them since the ranks were stored.
    compared: usize,
}

impl SymbolBuffer {
    /// Sorts the symbols by clingo's order of terms.
    pub fn sort(&mut self) {
        if self.has_ranks() {
            if !self.ranked.is_sorted() {
                self.ranked.sort_unstable();
                self.symbols.clear();
                self.symbols.extend(self.ranked.iter().map(|&(_, symbol)| symbol));
            }
            return;
        }
        self.symbols.sort_unstable_by(|&a, &b| compare(a, b));
        if self.compared > 0 {
            let has_no_rank = |symbol: &&sys::clingo_symbol_t| !self.ranks.contains_key(symbol);
            self.unranked.extend(self.symbols.iter().filter(has_no_rank));
        }
        self.compared += self.symbols.len();
        if self.compared > COMPARED_BEFORE_RANKED * (self.known.len() + self.symbols.len()) {
            self.store_ranks();
        }
    }

    /// Looks up the ranks of the symbols. Returns false if one has none.
    pub fn has_ranks(&mut self) -> bool {
        self.ranked.clear();
        if self.ranks.is_empty() {
            return false;
        }
        for symbol in &self.symbols {
            let Some(&rank) = self.ranks.get(symbol) else { return false };
            self.ranked.push((rank, *symbol));
        }
        true
    }

    fn store_ranks(&mut self) {
        self.unranked.sort_unstable();
        self.unranked.dedup();
        self.known.append(&mut self.unranked);
        self.known.sort_unstable_by(|&a, &b| compare(a, b));
        self.ranks = self.known.iter().copied().zip(0..).collect();
        self.compared = 0;
    }
}
