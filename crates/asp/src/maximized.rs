//! The priorities that a program maximises.
//!
//! gringo turns `#maximize` into `#minimize` with negated weights, so that only the text of a
//! program shows which costs are negated values.

use std::collections::BTreeMap;

use super::syntax::{self, Token};

/// The priorities that a program maximises, and does not minimise as well.
#[derive(Debug, Clone, Default)]
pub struct MaximizedPriorities {
    /// For each constant priority, whether all of its terms are maximised
    constant: BTreeMap<i32, bool>,
    /// The same for priorities that are not constant: those may be any
    other: Option<bool>,
}

impl MaximizedPriorities {
    /// Finds the priorities of the program that consists of `texts`.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found = MaximizedPriorities::default();
        for text in texts.into_iter().filter(|text| syntax::minimises(text)) {
            found.read(text);
        }
        found
    }

    /// Returns for each of these priorities whether it is maximised.
    pub fn select(&self, priorities: &[i32]) -> Vec<bool> {
        let only_maximizes = self.other != Some(false) && self.constant.values().all(|&is_maximized| is_maximized);
        let is_maximized = |priority| match self.other {
            None => self.constant.get(priority) == Some(&true),
            Some(_) => only_maximizes,
        };
        priorities.iter().map(is_maximized).collect()
    }

    fn read(&mut self, text: &str) {
        let mut tokens = syntax::tokens(text);
        while let Some(token) = tokens.next() {
            let (is_maximized, opening, closing) = match token.text {
                "#maximize" | "#maximise" => (true, "{", "}"),
                "#minimize" | "#minimise" => (false, "{", "}"),
                ":~" => (false, "[", "]"),
                _ => continue,
            };
            let list = tokens.by_ref().skip_while(|token| token.text != opening).skip(1);
            let list: Vec<Token<'_>> = list.take_while(|token| token.text != closing).collect();
            // The empty list has no priority.
            for element in list.split(|token| token.text == ";").filter(|element| !element.is_empty()) {
                self.add(is_maximized, element);
            }
        }
    }

    /// Adds the priority of a tuple `weight@priority, …`.
    fn add(&mut self, is_maximized: bool, element: &[Token<'_>]) {
        let mut depth = 0;
        let weight = element.iter().take_while(|token| {
            match token.text {
                "(" | "|" if depth == 0 || token.text == "(" => depth += 1,
                ")" | "|" => depth -= 1,
                _ => {}
            }
            depth != 0 || ![",", ":"].contains(&token.text)
        });
        let weight: Vec<&str> = weight.map(|token| token.text).collect();
        // Elsewhere `@` begins the name of a function.
        let is_separator = |&at: &usize| at > 0 && weight[at] == "@" && is_end_of_term(weight[at - 1]);
        let priority = match (0..weight.len()).rev().find(is_separator) {
            Some(at) => weight[at + 1..].concat().parse().ok(),
            None => Some(0),
        };
        let all = match priority {
            Some(priority) => self.constant.entry(priority).or_insert(true),
            None => self.other.get_or_insert(true),
        };
        *all &= is_maximized;
    }
}

fn is_end_of_term(token: &str) -> bool {
    token.ends_with(|last: char| syntax::is_word(last) || matches!(last, ')' | '|' | '"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maximized(text: &str) -> Vec<i32> {
        let priorities = [2, 1, 0, -1];
        let selected = MaximizedPriorities::of([text]).select(&priorities);
        priorities
            .into_iter()
            .zip(selected)
            .filter_map(|(priority, is_maximized)| is_maximized.then_some(priority))
            .collect()
    }

    #[test]
    fn a_priority_is_maximized_if_all_its_terms_are() {
        assert_eq!(maximized("#maximize {X : p(X)}."), [0]);
        assert_eq!(maximized("#maximise {X@2,X : p(X); f(1,2)@-1 : q}. #minimize {1@1 : p(X)}."), [2, -1]);
        assert_eq!(maximized("#maximize {X@1 : p(X)}. #minimize {1@1 : p(X)}."), [0; 0]);
        assert_eq!(maximized("#maximize {X@1 : p(X)}. :~ p(X). [X@2,X]"), [1]);
        assert_eq!(maximized("#maximize {@f(X) : p(X)}. :~ p(X), #sum {1,X : q} > 2. [(1,2)@2]"), [0]);
        assert_eq!(maximized("% #maximize {X : p(X)}.\n#minimize {}. p(\"#maximize {1}\")."), [0; 0]);
    }

    #[test]
    fn a_priority_that_is_a_variable_may_be_any() {
        assert_eq!(maximized("#maximize {X@P,X : p(X,P)}."), [2, 1, 0, -1]);
        assert_eq!(maximized("#maximize {X@P,X : p(X,P)}. #minimize {1@1 : p(X)}."), [0; 0]);
        assert_eq!(maximized("#maximize {X@1 : p(X)}. #minimize {1@P : p(P)}."), [0; 0]);
    }
}
