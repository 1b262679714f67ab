//! Explains why an atom holds in every answer, in none, or only in some, and how such answers
//! differ.
//!
//! Two queries decide the case: is there an answer with the atom, and is there one without it? If
//! the atom holds in every answer because of the facts alone, its derivation is shown. If it
//! otherwise holds in all answers or in none, that follows from some parts of the program: no
//! answer satisfies these parts and the opposite truth value. The smallest such set of parts is
//! shown. If the atom holds only in some answers, two answers are shown that differ as little as
//! possible.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use asp::tree::{Literal, Term};
use asp::{ADDED_PREFIX, Signature, Symbol, function_of, is_deep, predicate_of, sort_by_symbols, to_text};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};

use super::cause::{AssumptionOracle, SubsetResult, cheapest_mcs, smallest_mus};
use super::derivation::{Derivation, DerivationTree};
use super::{Blame, ExplainContext, ExplainInput, ExplainQuery, Part, Phrase, RelaxedProgram, parse_literal};

/// The result for an atom.
#[derive(Debug, Clone)]
pub struct AtomReport {
    pub atom: Symbol,
    pub finding: AtomFinding,
}

#[derive(Debug, Clone)]
pub enum AtomFinding {
    GaveUp(StopReason),
    /// The program has no answer.
    NoAnswer,
    /// The atom holds in every answer because of the facts.
    Derived(DerivationTree),
    /// The atom holds in every answer, or in none if not `holds`, because of these parts.
    Entailed {
        holds: bool,
        parts: Vec<Part>,
        /// True if it is proven that no fewer parts suffice.
        is_least: bool,
        /// True if every part is needed.
        is_minimal: bool,
    },
    /// The atom is not a fact, and these rules, all for its predicate, cannot derive it.
    Underivable(Vec<Part>),
    /// The atom holds in some answers only.
    Undecided(AnswerPair),
}

/// An answer with an atom, and one without it that differs little.
#[derive(Debug, Clone)]
pub struct AnswerPair {
    pub with: Vec<Symbol>,
    pub without: Vec<Symbol>,
    /// The other query atoms in which the answers differ; true if an atom holds in the second.
    pub differences: Vec<(Symbol, bool)>,
    /// The differences in words.
    pub words: Vec<Phrase>,
    /// True if it is proven that no answer without the atom differs less from the first.
    pub is_least: bool,
    /// The derivation of the atom in the first answer.
    pub tree: DerivationTree,
}

impl AtomReport {
    pub fn verdict(&self) -> Verdict {
        match self.finding {
            AtomFinding::GaveUp(reason) => Verdict::GaveUp(reason),
            AtomFinding::NoAnswer => Verdict::Impossible,
            _ => Verdict::Solved,
        }
    }
}

/// Explains the atom that the text `asked` contains.
pub fn explain(
    source: &ExplainInput,
    asked: &str,
    question: &ExplainQuery,
    context: &ExplainContext<'_>,
) -> Result<AtomReport, Failure> {
    let (atom, _) = parse_literal(asked).ok_or_else(|| {
        let text = format!("{asked} is neither a file nor an atom such as queen(1,4) or not queen(1,4)");
        Failure::from(Diagnostic::error(Code::Usage, text))
    })?;
    let blamed = match &question.blame[..] {
        [] => &[Blame::Facts, Blame::Constraints],
        blamed => blamed,
    };
    let mut relaxed = RelaxedProgram::new(source, blamed, context.settings, context.stop)?;
    check_predicate(&mut relaxed, atom)?;
    let enforced: Vec<usize> = (0..relaxed.len()).collect();
    let literal = relaxed.literal(atom);
    let with = literal.map_or(Ok(None), |literal| relaxed.model(&enforced, &[literal]))?;
    let negation: Vec<i32> = literal.iter().map(|literal| -literal).collect();
    let without = relaxed.model(&enforced, &negation)?;
    if let Some(reason) = context.stop.requested() {
        return Ok(AtomReport { atom, finding: AtomFinding::GaveUp(reason) });
    }
    let mut query = AtomQuery { source, question, context, relaxed, atom, ground_facts: OnceCell::new() };
    let finding = match (with, without) {
        (None, None) => AtomFinding::NoAnswer,
        (Some(answer), None) if query.is_ground_fact()? => AtomFinding::Derived(query.tree(&answer)?),
        (Some(_), None) => query.entailed(true, negation)?,
        (None, Some(_)) => match literal {
            Some(literal) => query.entailed(false, vec![literal])?,
            None => query.underivable()?,
        },
        (Some(with), Some(_)) => query.undecided(with, negation)?,
    };
    Ok(AtomReport { atom, finding })
}

/// A query about one atom.
struct AtomQuery<'a> {
    source: &'a ExplainInput,
    question: &'a ExplainQuery,
    context: &'a ExplainContext<'a>,
    relaxed: RelaxedProgram,
    atom: Symbol,
    /// The atoms that are facts of the ground program, computed on first use.
    ground_facts: OnceCell<HashSet<Symbol>>,
}

/// The answer that differs least from another answer.
struct NearestAnswer {
    answer: Vec<Symbol>,
    /// Indices of the query atoms in which the two answers differ.
    differ: BTreeSet<usize>,
    /// True if it is proven that no answer differs less.
    is_least: bool,
}

/// Grounds the unmodified program and returns the atoms that are facts of the ground program: they
/// hold in every answer.
pub fn ground_facts(source: &ExplainInput, context: &ExplainContext<'_>) -> Result<HashSet<Symbol>, Failure> {
    let mut unmodified = RelaxedProgram::new(source, &[], context.settings, context.stop)?;
    let known = unmodified.known_atoms()?;
    Ok(known.into_iter().filter(|(.., is_fact)| *is_fact).map(|(atom, ..)| atom).collect())
}

/// Builds a derivation tree for each atom in `asked`, with as many derivations of an atom as the
/// query requests causes. Muted atoms and the atoms in `given` are not explained in them.
pub fn derivation_trees(
    relaxed: &RelaxedProgram,
    asked: &[Symbol],
    answer: &[Symbol],
    given: &HashSet<Symbol>,
    question: &ExplainQuery,
    context: &ExplainContext<'_>,
) -> Result<Vec<DerivationTree>, Failure> {
    let statements = relaxed.statements();
    let last_step = relaxed.last_step();
    let mut derivation = Derivation::of(statements, last_step, answer, asked, context.settings, context.stop)?;
    derivation.mute(relaxed.words(), answer)?;
    let most = if question.causes == 0 { usize::MAX } else { question.causes as usize };
    let tree = |&atom: &Symbol| DerivationTree::of(&derivation, atom, &|atom| given.contains(&atom), most, relaxed);
    asked.iter().map(tree).collect()
}

impl AtomQuery<'_> {
    /// Returns true if the atom is a fact of the ground program.
    fn is_ground_fact(&self) -> Result<bool, Failure> {
        Ok(self.ground_facts()?.contains(&self.atom))
    }

    /// Returns the facts of the ground program. It is grounded on the first call only.
    fn ground_facts(&self) -> Result<&HashSet<Symbol>, Failure> {
        if let Some(given) = self.ground_facts.get() {
            return Ok(given);
        }
        let given = ground_facts(self.source, self.context)?;
        Ok(self.ground_facts.get_or_init(|| given))
    }

    fn tree(&self, answer: &[Symbol]) -> Result<DerivationTree, Failure> {
        let mut trees =
            derivation_trees(&self.relaxed, &[self.atom], answer, self.ground_facts()?, self.question, self.context)?;
        Ok(trees.remove(0))
    }

    /// Explains by the smallest set of parts that contradicts `negation` why the atom holds in every
    /// answer, or if not `holds`, in none.
    fn entailed(&mut self, holds: bool, negation: Vec<i32>) -> Result<AtomFinding, Failure> {
        let relaxed = &mut self.relaxed;
        let groups = (0..relaxed.len()).map(|part| relaxed.assumptions(part).to_vec()).collect();
        let enough = self.context.stop.child_until(self.question.deadline);
        let mut oracle = AssumptionOracle { relaxed, always: negation, groups };
        let (parts, is_least, is_minimal) = match smallest_mus(&mut oracle, &enough.token)? {
            SubsetResult::Parts { parts, is_least, is_minimal } => (parts, is_least, is_minimal),
            SubsetResult::NotTheCause | SubsetResult::Satisfiable => (Vec::new(), true, true),
            SubsetResult::GaveUp(reason) => return Ok(AtomFinding::GaveUp(reason)),
        };
        Ok(AtomFinding::Entailed { holds, parts: self.relaxed.parts(&parts)?, is_least, is_minimal })
    }

    /// Returns the rules for the predicate of an atom that no rule can derive, whichever of the
    /// blamed facts hold.
    fn underivable(&self) -> Result<AtomFinding, Failure> {
        let statements = self.relaxed.statements().iter().enumerate();
        let asked_name = function_of(self.atom).map(|(is_positive, name, _)| (is_positive, name));
        let is_of_predicate = |(head, _): &(&Literal, _)| head.positive_atom().and_then(Term::name) == asked_name;
        let of_predicate = statements.filter(|(_, statement)| statement.heads().iter().any(is_of_predicate));
        let rules: Vec<(usize, Vec<Symbol>)> = of_predicate
            .filter(|(_, statement)| !statement.is_fact())
            .map(|(number, _)| (number, Vec::new()))
            .collect();
        Ok(AtomFinding::Underivable(self.relaxed.instances(&rules)?))
    }

    /// Finds two answers: one with the atom, and one without it that differs from the first as
    /// little as possible.
    fn undecided(&mut self, mut with: Vec<Symbol>, negation: Vec<i32>) -> Result<AtomFinding, Failure> {
        let query_atoms: Vec<(Symbol, i32)> =
            self.relaxed.query_atoms().iter().copied().filter(|(atom, _)| *atom != self.atom).collect();
        let enough = self.context.stop.child_until(self.question.deadline);
        let mut nearest = match self.nearest(&query_atoms, &with, &negation, &enough.token)? {
            Ok(nearest) => nearest,
            Err(reason) => return Ok(AtomFinding::GaveUp(reason)),
        };
        // Alternately replace the answer with the atom and the one without it by the nearest to the
        // other, as long as their distance decreases.
        let with_atom: Vec<i32> = negation.iter().map(|literal| -literal).collect();
        while !nearest.differ.is_empty() && enough.token.requested().is_none() {
            let Ok(nearer) = self.nearest(&query_atoms, &nearest.answer, &with_atom, &enough.token)? else { break };
            if nearer.differ.len() >= nearest.differ.len() {
                break;
            }
            let Ok(back) = self.nearest(&query_atoms, &nearer.answer, &negation, &enough.token)? else { break };
            (with, nearest) = (nearer.answer, back);
        }
        let NearestAnswer { answer: without, differ, is_least } = nearest;
        let tree = self.tree(&with)?;
        let holding: HashSet<Symbol> = with.iter().copied().collect();
        let atoms: Vec<Symbol> = differ.iter().map(|&place| query_atoms[place].0).collect();
        let differences: Vec<(Symbol, bool)> = atoms.iter().map(|&atom| (atom, !holding.contains(&atom))).collect();
        let words = self.relaxed.words().of_literals(&differences)?;
        let shown = |answer: &[Symbol]| -> Vec<Symbol> {
            let is_query_atom =
                |atom: &&Symbol| **atom == self.atom || query_atoms.iter().any(|(known, _)| known == *atom);
            let mut shown: Vec<Symbol> = answer.iter().filter(is_query_atom).copied().collect();
            sort_by_symbols(&mut shown, |&atom| is_deep(atom), |&atom| atom);
            shown
        };
        let (with, without) = (shown(&with), shown(&without));
        Ok(AtomFinding::Undecided(AnswerPair { with, without, differences, words, is_least, tree }))
    }

    /// Returns the answer in which `literals` hold that differs from the answer `to` in the fewest
    /// query atoms, or the reason why none was found.
    fn nearest(
        &mut self,
        query_atoms: &[(Symbol, i32)],
        to: &[Symbol],
        literals: &[i32],
        enough: &CancelToken,
    ) -> Result<Result<NearestAnswer, StopReason>, Failure> {
        let holding: HashSet<Symbol> = to.iter().copied().collect();
        let same_value =
            |&(atom, literal): &(Symbol, i32)| vec![if holding.contains(&atom) { literal } else { -literal }];
        let groups: Vec<Vec<i32>> = query_atoms.iter().map(same_value).collect();
        let relaxed = &mut self.relaxed;
        let enforced = (0..relaxed.len()).flat_map(|part| relaxed.assumptions(part));
        let always: Vec<i32> = enforced.chain(literals).copied().collect();
        let mut oracle = AssumptionOracle { relaxed, always: always.clone(), groups: groups.clone() };
        let (differ, is_least) = match cheapest_mcs(&mut oracle, &vec![1; groups.len()], enough)? {
            SubsetResult::Parts { parts, is_least, .. } => (parts, is_least),
            // The answers differ in no other query atom.
            SubsetResult::Satisfiable | SubsetResult::NotTheCause => (Vec::new(), true),
            SubsetResult::GaveUp(reason) => return Ok(Err(reason)),
        };
        let differ: BTreeSet<usize> = differ.into_iter().collect();
        let unchanged =
            (0..groups.len()).filter(|place| !differ.contains(place)).flat_map(|place| groups[place].clone());
        let assumed: Vec<i32> = always.into_iter().chain(unchanged).collect();
        let answer = self.relaxed.model(&[], &assumed)?;
        let reason = || self.context.stop.requested().unwrap_or(StopReason::Unproven);
        Ok(answer.map(|answer| NearestAnswer { answer, differ, is_least }).ok_or_else(reason))
    }
}

/// Rejects an atom whose predicate does not occur in the program, and suggests the nearest one.
fn check_predicate(relaxed: &mut RelaxedProgram, atom: Symbol) -> Result<(), Failure> {
    let Some(predicate) = predicate_of(atom) else { return Ok(()) };
    let mut predicates: BTreeSet<Signature> =
        relaxed.known_atoms()?.into_iter().filter_map(|(atom, ..)| predicate_of(atom)).collect();
    for statement in relaxed.statements() {
        let heads = statement.heads().into_iter().map(|(head, _)| head);
        let atoms = heads.chain(&statement.body).filter_map(Literal::atom);
        predicates.extend(atoms.flat_map(Term::signatures));
    }
    predicates.retain(|predicate| !predicate.name.starts_with(ADDED_PREFIX));
    if predicates.contains(&predicate) {
        return Ok(());
    }
    let name = predicate.signed();
    let distance = |other: &&Signature| {
        (strsim::damerau_levenshtein(&other.signed(), &name), other.arity.abs_diff(predicate.arity))
    };
    let nearest = predicates.iter().min_by_key(distance).filter(|other| distance(other).0 <= 2.min(name.len() / 2));
    let error = Diagnostic::error(
        Code::UnknownName,
        format!("the program has no predicate {predicate}, as in {}", to_text(atom)),
    );
    Err(match nearest {
        Some(nearest) => error.help(format!("did you mean {nearest}?")),
        None => error,
    }
    .into())
}
