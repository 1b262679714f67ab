//! The results of the cubes of a search, as one result.
//!
//! The cubes of a split are the leaves of a binary tree. A cube that was split again has a result, too,
//! that it gave up; the results of its parts replace it.

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostic::Failure;
use base::ending::Verdict;
use base::stop::StopReason;
use base::words::{count, sanitize};
use serde_json::{Value, json};

use crate::cubes::{Cube, CubeLiteral, invalid};
use crate::merged_counts::{CubeCount, MergedCount};

/// Keys that all results of a split have in common.
const COMMON_KEYS: [&str; 7] = ["puzzle", "engine", "encoding", "rules", "projected", "projection", "consequences"];

/// The result of a search that was split.
pub struct MergedCubes {
    /// The keys that all results have in common.
    common: serde_json::Map<String, Value>,
    program: String,
    /// The number of cubes, of those that were not split again.
    cubes: usize,
    /// The cubes whose search was given up, or ended before all was known, with the least known costs as
    /// bound.
    pub open: Vec<Cube>,
    /// The cubes without a result.
    missing: Vec<Cube>,
    /// The known answers; if costs are minimised, the best of them.
    answers: Vec<Value>,
    /// The least costs, if costs are minimised.
    costs: Option<Vec<i64>>,
    /// The number of answers, if they are counted and not listed.
    counted: Option<MergedCount>,
}

/// The result of a cube.
struct CubeResult<'a> {
    /// The file, and the number in it.
    name: &'a str,
    /// All answers of the cube are known, or the best one, or their number.
    is_complete: bool,
    answers: &'a [Value],
    /// Answers that cost more were not sought.
    at_most: Option<Vec<i64>>,
    /// The number of answers, if they are counted and not listed.
    counted: Option<CubeCount>,
}

/// Returns true if a report is the result of a cube.
pub fn is_of_cube(report: &Value) -> bool {
    report.get("cube").is_some()
}

/// Merges the results of cubes, each with its name for messages.
///
/// # Errors
/// A result is not that of a cube of the same split, or contradicts another.
pub fn merge_cubes(reports: &[(String, Value)]) -> Result<MergedCubes, Failure> {
    let mut results: BTreeMap<Vec<CubeLiteral>, CubeResult<'_>> = BTreeMap::new();
    let mut first: Option<(Cube, &Value)> = None;
    for (name, report) in reports {
        let cube = cube_of(name, report)?;
        if let Some(error) = report["error"].as_str() {
            return Err(invalid(
                name,
                format!("the cube {} has no result: {}", words(&cube.literals), sanitize(error)),
            ));
        }
        let (first_cube, common) = first.get_or_insert_with(|| (cube.clone(), report));
        if cube.program != first_cube.program {
            let text = format!("expected a result for the program {}, found {}", first_cube.program, cube.program);
            return Err(invalid(name, text));
        }
        if cube.is_counted != first_cube.is_counted {
            return Err(invalid(name, "either all results count answers or none does"));
        }
        if let Some(key) = COMMON_KEYS.iter().find(|key| report[**key] != common[**key]) {
            let (expected, found) = (&common[*key], &report[*key]);
            return Err(invalid(
                name,
                format!("expected \"{key}\": {expected}, as in the first result, found {found}"),
            ));
        }
        if !report["consequences"].is_null() {
            return Err(invalid(name, "what answers have in common (--enum-mode) cannot be merged"));
        }
        let result = if cube.is_counted {
            let counted = CubeCount::of(name, report)?;
            CubeResult { name, is_complete: counted.is_exact(), answers: &[], at_most: None, counted: Some(counted) }
        } else {
            CubeResult { at_most: cube.at_most, ..result_of(name, report)? }
        };
        match results.get(&cube.literals) {
            Some(before) if contradicts(before, &result) => {
                return Err(invalid(name, format!("contradicts {} about the same cube", before.name)));
            }
            Some(before) if before.is_complete || !result.is_complete => {}
            _ => drop(results.insert(cube.literals, result)),
        }
    }
    let Some((Cube { program, is_counted, .. }, first)) = first else {
        return Err(invalid("merge", "there are no results"));
    };
    reject_contradictions(&results)?;
    let mut tree = Tree {
        program: &program,
        is_counted,
        results: &results,
        cubes: 0,
        open: Vec::new(),
        missing: Vec::new(),
        known: Vec::new(),
    };
    tree.visit()?;
    let Tree { cubes, mut open, missing, known, .. } = tree;
    let is_projected = first["projected"] == true || first["puzzle"] != "program";
    let (answers, costs) = best_answers(distinct(&known, is_projected))?;
    let counts: Vec<&CubeCount> = known
        .iter()
        .filter(|(_, is_replaced)| !is_replaced)
        .filter_map(|(result, _)| result.counted.as_ref())
        .collect();
    let counted = is_counted.then(|| MergedCount::of(&counts, missing.is_empty()));
    // The other cubes were searched within the bounds.
    let bounded = known.iter().filter(|(result, is_replaced)| !is_replaced && result.at_most.is_some());
    for (result, _) in bounded.filter(|(result, _)| result.is_impossible()) {
        if !answers.iter().any(|answer| result.is_within_bound(answer)) {
            let text = "has a bound of the costs, and no result has an answer within it; expected all results";
            return Err(invalid(result.name, text));
        }
    }
    open.iter_mut().for_each(|cube| cube.at_most.clone_from(&costs));
    let common = COMMON_KEYS.iter().filter(|key| !first[**key].is_null());
    let common = common.map(|key| ((*key).to_owned(), first[*key].clone())).collect();
    Ok(MergedCubes { common, program: program.clone(), cubes, open, missing, answers, costs, counted })
}

fn cube_of(name: &str, report: &Value) -> Result<Cube, Failure> {
    let cube = report.get("cube").ok_or_else(|| invalid(name, "expected the result of a cube, with a key \"cube\""))?;
    serde_json::from_value(cube.clone()).map_err(|error| invalid(name, format!("\"cube\": {error}")))
}

fn result_of<'a>(name: &'a str, report: &'a Value) -> Result<CubeResult<'a>, Failure> {
    let answers = report["answers"].as_array().ok_or_else(|| invalid(name, "expected a list at \"answers\""))?;
    let is_complete =
        report["complete"].as_bool().ok_or_else(|| invalid(name, "expected true or false at \"complete\""))?;
    let is_consistent = match report["verdict"].as_str() {
        Some("solved") => !answers.is_empty(),
        Some("impossible") => answers.is_empty() && is_complete,
        Some("gave-up") => !is_complete,
        _ => return Err(invalid(name, "expected solved, impossible or gave-up at \"verdict\"")),
    };
    if !is_consistent {
        return Err(invalid(name, "its verdict contradicts its answers"));
    }
    Ok(CubeResult { name, is_complete, answers, at_most: None, counted: None })
}

/// Returns true if not both of two results about the same cube can be right.
fn contradicts(one: &CubeResult<'_>, other: &CubeResult<'_>) -> bool {
    let have_both = !one.answers.is_empty() && !other.answers.is_empty();
    one.excludes_one_of(other)
        || other.excludes_one_of(one)
        || have_both && one.is_complete && other.is_complete && one.answers.len() != other.answers.len()
        || one.counted.as_ref().zip(other.counted.as_ref()).is_some_and(|(one, other)| one.contradicts(other))
}

/// Rejects answers in a part of a cube that has none.
fn reject_contradictions(results: &BTreeMap<Vec<CubeLiteral>, CubeResult<'_>>) -> Result<(), Failure> {
    for (literals, result) in results.iter().filter(|(_, result)| !result.answers.is_empty()) {
        let mut around = (0..literals.len()).filter_map(|end| results.get(&literals[..end]));
        if let Some(other) = around.find(|other| other.excludes_one_of(result)) {
            return Err(invalid(result.name, format!("contradicts {} about a cube that contains its own", other.name)));
        }
    }
    Ok(())
}

impl CubeResult<'_> {
    /// Returns true if its cube was found to have no answer within its bound.
    fn is_impossible(&self) -> bool {
        self.is_complete && self.answers.is_empty() && self.counted.is_none()
    }

    /// Returns true if its cube was found to have no answer within its bound, and `other` has one.
    fn excludes_one_of(&self, other: &CubeResult<'_>) -> bool {
        self.is_impossible() && other.answers.iter().any(|answer| self.is_within_bound(answer))
    }

    fn is_within_bound(&self, answer: &Value) -> bool {
        self.at_most.as_ref().is_none_or(|bound| costs_of(answer) <= *bound)
    }
}

/// The tree of the cubes, from the top.
struct Tree<'a> {
    program: &'a str,
    is_counted: bool,
    results: &'a BTreeMap<Vec<CubeLiteral>, CubeResult<'a>>,
    cubes: usize,
    open: Vec<Cube>,
    missing: Vec<Cube>,
    /// The results whose answers count, each with true if it was replaced by the results of parts.
    known: Vec<(&'a CubeResult<'a>, bool)>,
}

impl Tree<'_> {
    /// Visits all cubes.
    fn visit(&mut self) -> Result<(), Failure> {
        let mut todo = vec![Vec::new()];
        while let Some(cube) = todo.pop() {
            let result = self.results.get(&cube);
            let parts = self.results.range(cube.clone()..).map(|(literals, _)| literals);
            let parts =
                parts.take_while(|literals| literals.starts_with(&cube)).filter(|literals| literals.len() > cube.len());
            let atoms: BTreeSet<&str> = parts.map(|literals| &*literals[cube.len()].atom).collect();
            let atoms: Vec<&str> = atoms.into_iter().collect();
            match (result, &atoms[..]) {
                (Some(result), _) if result.is_complete => {
                    self.cubes += 1;
                    self.known.push((result, false));
                }
                (result, [atom]) => {
                    self.known.extend(result.map(|result| (result, true)));
                    for is_true in [false, true] {
                        let literal = CubeLiteral { atom: (*atom).to_owned(), is_true };
                        todo.push(cube.iter().cloned().chain([literal]).collect());
                    }
                }
                (result, []) => {
                    self.cubes += 1;
                    self.known.extend(result.map(|result| (result, false)));
                    let list = if result.is_some() { &mut self.open } else { &mut self.missing };
                    list.push(Cube {
                        program: self.program.to_owned(),
                        literals: cube,
                        at_most: None,
                        is_counted: self.is_counted,
                    });
                }
                (_, [one, other, ..]) => {
                    let text = format!("the cube {} is split by two atoms, {one} and {other}", words(&cube));
                    return Err(invalid("merge", text));
                }
            }
        }
        Ok(())
    }
}

/// Returns the answers of the results. Cubes have no answers in common, unless two that differ in hidden
/// atoms count as one; but an answer of a cube that was split is also one of its parts.
fn distinct<'a>(known: &[(&'a CubeResult<'a>, bool)], is_projected: bool) -> Vec<&'a Value> {
    let mut seen = BTreeSet::new();
    let mut answers = Vec::new();
    for is_replaced in [false, true] {
        for (result, _) in known.iter().filter(|(_, replaced)| *replaced == is_replaced) {
            let text = |answer: &Value| answer["atoms"].to_string();
            let new = result.answers.iter().filter(|answer| {
                let is_new = seen.insert(text(answer));
                is_new || !is_projected && !is_replaced
            });
            answers.extend(new);
        }
    }
    answers
}

/// If the results minimise costs, returns the answers of the least costs, and these costs; otherwise all.
fn best_answers(answers: Vec<&Value>) -> Result<(Vec<Value>, Option<Vec<i64>>), Failure> {
    let is_optimal = |answer: &&Value| answer["optimal"] == true;
    let has_optimum = answers.iter().any(is_optimal);
    let least = answers.iter().map(|answer| costs_of(answer)).min().filter(|costs| !costs.is_empty() && has_optimum);
    let best = answers.into_iter().filter(|answer| least.as_ref().is_none_or(|least| costs_of(answer) == *least));
    Ok((best.cloned().collect(), least))
}

fn costs_of(answer: &Value) -> Vec<i64> {
    serde_json::from_value(answer["costs"].clone()).unwrap_or_default()
}

/// Formats a cube for a message.
fn words(literals: &[CubeLiteral]) -> String {
    let literals: Vec<String> = literals.iter().map(ToString::to_string).collect();
    if literals.is_empty() { "of everything".to_owned() } else { format!("`{}`", literals.join(", ")) }
}

impl MergedCubes {
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && self.missing.is_empty()
    }

    pub fn verdict(&self) -> Verdict {
        if let Some(counted) = &self.counted {
            return counted.verdict();
        }
        match (self.answers.is_empty(), self.is_complete()) {
            (false, _) => Verdict::Solved,
            (true, true) => Verdict::Impossible,
            (true, false) => Verdict::GaveUp(StopReason::Unproven),
        }
    }

    pub fn json(&self) -> Value {
        let mut object = self.common.clone();
        object.insert("schema".to_owned(), json!(1));
        let literals = |cubes: &[Cube]| cubes.iter().map(|cube| json!(cube.literals)).collect::<Value>();
        let is_counted = self.is_complete() && self.costs.is_none();
        let more = json!({
            "program": self.program,
            "cubes": self.cubes,
            "open": literals(&self.open),
            "missing": literals(&self.missing),
            "answers": self.answers,
            "count": is_counted.then_some(self.answers.len()),
            "costs": self.costs,
            "verdict": self.verdict().name(),
            "complete": self.is_complete(),
        });
        object.extend(more.as_object().cloned().unwrap_or_default());
        if let Some(counted) = &self.counted {
            object.remove("answers");
            object.extend(counted.json().as_object().cloned().unwrap_or_default());
        }
        Value::Object(object)
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        let cubes = count(self.cubes as u64, "cube", "cubes");
        let open = self.open_words();
        if let Some(counted) = &self.counted {
            let noun =
                if self.common.get("puzzle").is_some_and(|name| name != "program") { "solution" } else { "answer" };
            return counted.text(noun, &cubes, &open);
        }
        let atoms = |answer: &Value| {
            let atoms = answer["atoms"].as_array().map(Vec::as_slice).unwrap_or_default();
            let atoms: Vec<&str> = atoms.iter().filter_map(Value::as_str).collect();
            if atoms.is_empty() { "(no atoms)".to_owned() } else { sanitize(&atoms.join(" ")) }
        };
        for (number, answer) in (1..).zip(&self.answers) {
            text += &format!("Answer {number}\n  {}\n", atoms(answer));
        }
        let proven = match self.common.get("rules") {
            Some(rules) if rules == "custom" => "by custom rules, by",
            _ => "proven by",
        };
        let noun = if self.common.get("rules").is_some() { ["solution", "solutions"] } else { ["answer", "answers"] };
        let answers = count(self.answers.len() as u64, noun[0], noun[1]);
        let costs = self.costs.as_ref().map(|costs| {
            let costs = costs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!("cost {costs}")
        });
        text += &match (self.answers.len(), self.is_complete(), costs) {
            (0, true, _) => format!("There is no {} ({proven} {cubes}).\n", noun[0]),
            (0, false, _) => format!("Not known: {open}.\n"),
            (_, true, Some(costs)) => format!("Optimal, {costs} ({proven} {cubes}).\n"),
            (_, false, Some(costs)) => format!("At best {costs} so far: {open}.\n"),
            (1, true, None) => format!("{answers}, and no other ({proven} {cubes}).\n"),
            (_, true, None) => format!("{answers}, and no others ({proven} {cubes}).\n"),
            (_, false, None) => format!("{answers}; there may be others: {open}.\n"),
        };
        text
    }

    /// "3 of 64 cubes are open, such as `not a`, and 1 has no result"
    fn open_words(&self) -> String {
        let of = count(self.cubes as u64, "cube", "cubes");
        let words = |cubes: &[Cube], verbs: [&str; 2]| {
            let first = cubes.first()?;
            let verb = verbs[usize::from(cubes.len() != 1)];
            Some(format!("{} of {of} {verb}, such as {}", cubes.len(), sanitize(&words(&first.literals))))
        };
        let open = words(&self.open, ["is open", "are open"]);
        let missing = words(&self.missing, ["has no result", "have no result"]);
        open.into_iter().chain(missing).collect::<Vec<_>>().join("; ")
    }
}
