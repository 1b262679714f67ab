//! Searches for an answer of one program, the holder, that another program rejects.
//!
//! clingo solves the holder with the rules of [`RejectionProgram`], which derive that the other
//! program rejects the answer. If these rules depend on a guess, each answer is tested with the
//! other program. If that accepts it, the guess of its answer set becomes a further condition.

use std::ops::ControlFlow;

use asp::{Settings, Solver, Symbol, ground_text};
use base::diagnostic::{Code, Failure};
use base::document::Document;
use base::stop::CancelToken;
use base::words::count;
use certificate::Claim;
use ground::{GroundProgram, GroundRule, ShownTerms};
use prover::{Certification, CertifyMode, RejectionProgram, TRUE};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of literals of both programs together.
const MAX_LITERALS: usize = 3_000_000;

/// A ground program with the values that its answers are compared by.
#[derive(Default)]
pub struct ComparedProgram {
    pub ground: GroundProgram,
    /// The literals of the compared terms; [`TRUE`] for facts. Other terms are never derived.
    pub compared: FxHashMap<Symbol, i32>,
    /// The literals of all atoms.
    pub named: FxHashMap<Symbol, i32>,
}

/// The result of a search for an answer that the other program rejects.
pub enum RejectionSearch {
    /// The other program accepts all answers of the holder. Contains the certificate, if one was
    /// requested.
    AllAccepted(Option<Certification>),
    /// The terms of a rejected answer.
    Rejected(Vec<Symbol>),
    /// The reason why the search has no result.
    Undecided(String),
}

impl ComparedProgram {
    fn literals(&self) -> usize {
        self.ground.rules.iter().map(|rule| rule.head.len() + rule.body.len()).sum()
    }

    /// Requires these costs, highest priority first, instead of minimising.
    ///
    /// # Errors
    /// The reason if the costs cannot be required.
    pub fn require_costs(&mut self, costs: &[i64]) -> Result<(), String> {
        let levels = std::mem::take(&mut self.ground.costs);
        for (items, &cost) in levels.values().zip(costs.iter().rev()) {
            for (sign, above) in [(1, cost + 1), (-1, 1 - cost)] {
                self.ground.rules.push(sum_constraint(items, sign, above)?);
            }
        }
        Ok(())
    }

    /// Returns the terms of the answer set with these true atoms.
    fn terms(&self, true_atoms: &FxHashSet<u32>) -> Vec<Symbol> {
        let holds = |literal: i32| literal == TRUE || true_atoms.contains(&literal.unsigned_abs()) == (literal > 0);
        let mut terms: Vec<Symbol> =
            self.compared.iter().filter(|(_, literal)| holds(**literal)).map(|(&term, _)| term).collect();
        terms.sort();
        terms
    }
}

/// Returns the constraint that the sum of `sign` times the weights is less than `above`.
fn sum_constraint(items: &[(i32, i32)], sign: i64, above: i64) -> Result<GroundRule, String> {
    let mut bound = above;
    let mut body = Vec::new();
    for &(literal, weight) in items {
        let weight = i64::from(weight) * sign;
        // w * a = w - w * (not a)
        bound -= weight.min(0);
        let literal = if weight < 0 { -literal } else { literal };
        body.push((literal, i32::try_from(weight.abs()).map_err(|_| "a cost is too large")?));
    }
    let bound = i32::try_from(bound.max(0)).map_err(|_| "the costs are too large")?;
    Ok(GroundRule { is_choice: false, head: Vec::new(), body, bound: Some(bound) })
}

/// Searches for an answer of `holder` that `other` rejects.
pub fn find_rejected(
    holder: &ComparedProgram,
    other: &ComparedProgram,
    settings: &Settings,
    certify: CertifyMode,
    stop: &CancelToken,
) -> Result<RejectionSearch, Failure> {
    if holder.literals() + other.literals() > MAX_LITERALS {
        return Ok(RejectionSearch::Undecided("the ground programs are too large for a search".to_owned()));
    }
    let of = |program: &ComparedProgram, term: &Symbol| program.compared.get(term).copied().unwrap_or(-TRUE);
    let only_other = other.compared.keys().filter(|term| !holder.compared.contains_key(term));
    let shared: Vec<(i32, i32)> =
        holder.compared.keys().chain(only_other).map(|term| (of(holder, term), of(other, term))).collect();
    let rejection = match RejectionProgram::new(&holder.ground, &other.ground, &shared) {
        Ok(rejection) => rejection,
        Err(why) => return Ok(RejectionSearch::Undecided(why)),
    };
    match (Search { holder, other, settings, stop, rejection }).run(certify) {
        Err(failure) if failure.code() == Some(Code::RejectedAnswer) => {
            Ok(RejectionSearch::Undecided("an answer that the search found does not pass the check".to_owned()))
        }
        result => result,
    }
}

struct Search<'a> {
    holder: &'a ComparedProgram,
    other: &'a ComparedProgram,
    settings: &'a Settings,
    stop: &'a CancelToken,
    rejection: RejectionProgram,
}

impl Search<'_> {
    fn run(mut self, certify: CertifyMode) -> Result<RejectionSearch, Failure> {
        self.add_guess_by_name();
        let mut solver = self.solver()?;
        let mut judge = self.solver()?;
        add_rules(&mut judge, "rules", &self.other.ground.rules, &self.other.ground.edges)?;
        for number in 1.. {
            let edges = if number == 1 { &self.holder.ground.edges[..] } else { &[] };
            add_rules(&mut solver, &format!("guess{number}"), &std::mem::take(&mut self.rejection.rules), edges)?;
            let true_atoms = match first_answer(&mut solver, &[])? {
                FirstAnswer::Found(true_atoms) => true_atoms,
                FirstAnswer::None => return self.all_accepted(&mut solver, certify),
                FirstAnswer::Unknown => break,
            };
            let terms = self.holder.terms(&true_atoms);
            match self.accepting_atoms(&mut judge, &terms)? {
                FirstAnswer::Unknown => break,
                FirstAnswer::None => return Ok(RejectionSearch::Rejected(terms)),
                FirstAnswer::Found(_) if self.rejection.guessed().is_empty() => {
                    return Ok(RejectionSearch::Undecided("the search contradicts itself".to_owned()));
                }
                FirstAnswer::Found(atoms) => {
                    self.rejection.add_guess(|atom| if atoms.contains(&atom) { TRUE } else { -TRUE });
                }
            }
        }
        let guessed = self.rejection.guessed().len();
        Ok(RejectionSearch::Undecided(match guessed {
            0 => "the time ran out".to_owned(),
            _ => format!(
                "the time ran out ({} of the program do not depend on the answer)",
                count(guessed, "atom", "atoms")
            ),
        }))
    }

    /// Adds a first guess: the values of the atoms of the holder that have the same name.
    fn add_guess_by_name(&mut self) {
        let names: FxHashMap<i32, Symbol> =
            self.other.named.iter().map(|(&symbol, &literal)| (literal, symbol)).collect();
        let holder = &self.holder.named;
        self.rejection
            .add_guess(|atom| names.get(&(atom as i32)).and_then(|name| holder.get(name)).copied().unwrap_or(-TRUE));
    }

    fn solver(&self) -> Result<Solver, Failure> {
        let options = self.settings.options.iter().cloned().chain(["--opt-mode=ignore".to_owned()]).collect();
        let settings =
            Settings { models: Some(1), check: true, options, constants: Vec::new(), ..self.settings.clone() };
        Solver::new(&settings, self.stop)
    }

    /// Returns the true atoms of an answer set of the other program with these terms.
    fn accepting_atoms(&self, judge: &mut Solver, terms: &[Symbol]) -> Result<FirstAnswer, Failure> {
        let mut assumptions = Vec::new();
        for (term, &literal) in &self.other.compared {
            let is_true = terms.binary_search(term).is_ok();
            match literal {
                TRUE if is_true => {}
                TRUE => return Ok(FirstAnswer::None),
                _ => assumptions
                    .extend(ground_text::atom(literal.unsigned_abs()).map(|atom| (atom, is_true == (literal > 0)))),
            }
        }
        if terms.iter().any(|term| !self.other.compared.contains_key(term)) {
            return Ok(FirstAnswer::None);
        }
        first_answer(judge, &assumptions)
    }

    fn all_accepted(&self, solver: &mut Solver, certify: CertifyMode) -> Result<RejectionSearch, Failure> {
        let certified = certify.is_requested().then(|| {
            let ground = solver.control().observe()?;
            let ground = ground.lock();
            Ok::<_, Failure>(prover::certify(
                &ground,
                &ShownTerms::new(),
                &Claim::default(),
                "all",
                certify,
                self.stop,
            )?)
        });
        Ok(RejectionSearch::AllAccepted(certified.transpose()?))
    }
}

/// The result of a search for one answer.
enum FirstAnswer {
    /// The true atoms.
    Found(FxHashSet<u32>),
    None,
    /// The search was interrupted, or clingo is known to lose answers.
    Unknown,
}

fn first_answer(solver: &mut Solver, assumptions: &[(Symbol, bool)]) -> Result<FirstAnswer, Failure> {
    let mut true_atoms = Ok(FxHashSet::default());
    let solved = solver.solve(assumptions, |model| {
        let number = |symbol: Symbol| symbol.arguments().ok()?.first()?.number().ok();
        true_atoms = model.atoms().map(|atoms| atoms.filter_map(number).map(|number| number as u32).collect());
        ControlFlow::Break(())
    })?;
    Ok(match solved.result {
        result if result.satisfiable => FirstAnswer::Found(true_atoms?),
        result if result.unsatisfiable && solver.known_defect().is_none() => FirstAnswer::None,
        _ => FirstAnswer::Unknown,
    })
}

/// Adds rules and edges as a program part.
fn add_rules(
    solver: &mut Solver,
    part: &str,
    rules: &[GroundRule],
    edges: &[(i32, i32, Vec<i32>)],
) -> Result<(), Failure> {
    let mut text = format!("#defined {}/1.\n#program {part}.\n", ground_text::ATOM);
    edges.iter().for_each(|edge| ground_text::write_edge(&mut text, edge));
    rules.iter().for_each(|rule| ground_text::write_rule(&mut text, rule));
    solver.add(&Document::in_memory(part, text))?;
    solver.ground(&[(part, &[])])
}
