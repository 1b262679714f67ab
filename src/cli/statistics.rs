//! Statistics as text: clingo's as the table that `clingo --stats` prints, others as lines
//! `path: value`. The keys of both are in JSON.

use std::fmt::Write as _;
use std::time::Duration;

use puzzle::AnyRunResult;
use serde_json::{Map, Value};

/// Renders the statistics of a run.
pub fn text(conclusion: &AnyRunResult, elapsed: Duration) -> String {
    let mut out = String::new();
    let mut rest = conclusion.statistics.clone();
    if rest.pointer("/clingo/solving/solvers/choices").is_some() {
        out += &ClingoTable(&rest["clingo"].take()).text();
    }
    lines("", &rest, &mut out);
    let _ = writeln!(out, "seconds: {:.3}", elapsed.as_secs_f64());
    out
}

/// Renders a value as lines `path: value`, without zeros.
fn lines(path: &str, value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                lines(&if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, value, out);
            }
        }
        Value::Array(items) if items.len() > 1 && items.iter().all(Value::is_object) => {
            let _ = writeln!(out, "{path}:");
            table(items, out);
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                lines(&format!("{path}.{index}"), value, out);
            }
        }
        value if value.as_f64() == Some(0.0) || value.is_null() => {}
        value => drop(writeln!(out, "{path}: {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))),
    }
}

/// Renders objects that have the same keys as a table.
fn table(items: &[Value], out: &mut String) {
    let keys: Vec<&String> = items[0].as_object().into_iter().flat_map(Map::keys).collect();
    for key in &keys {
        let _ = write!(out, "{key:>17}");
    }
    out.push('\n');
    for item in items {
        for key in &keys {
            let _ = write!(out, "{:>17}", item[key.as_str()].to_string());
        }
        out.push('\n');
    }
}

/// The statistics of clasp, laid out as by its class `TextOutput`.
struct ClingoTable<'a>(&'a Value);

impl ClingoTable<'_> {
    fn text(&self) -> String {
        let sections = [self.summary(), self.search(), self.problem()];
        let sections = sections.map(|rows| rows.iter().map(|(key, value)| row(key, value)).collect::<String>());
        sections.join("\n") + "\n"
    }

    /// The number at a path; 0 if there is none.
    fn at(&self, path: &str) -> f64 {
        self.0.pointer(path).and_then(Value::as_f64).unwrap_or(0.0)
    }

    fn summary(&self) -> Vec<(&str, String)> {
        let of = |key: &str| self.at(&format!("/summary/{key}"));
        let more = if of("exhausted") == 0.0 { "+" } else { "" };
        let times = format!(
            "{:.3}s (Solving: {:.2}s 1st Model: {:.2}s Unsat: {:.2}s)",
            of("times/total"),
            of("times/solve"),
            of("times/sat"),
            of("times/unsat")
        );
        vec![
            ("Models", format!("{}{more}", of("models/enumerated"))),
            ("Calls", (of("call") + 1.0).to_string()),
            ("Time", times),
            ("CPU Time", format!("{:.3}s", of("times/cpu"))),
        ]
    }

    fn search(&self) -> Vec<(&str, String)> {
        let of = |key: &str| self.at(&format!("/solving/solvers/{key}"));
        let extra = |key: &str| self.at(&format!("/solving/solvers/extra/{key}"));
        let analyzed = of("conflicts_analyzed");
        let mut restarts = padded(of("restarts"));
        if of("restarts") > 0.0 {
            let average = ratio(analyzed, of("restarts"));
            let _ = write!(restarts, " (Average: {average:.2} Last: {}", of("restarts_last"));
            let _ = write!(restarts, " Blocked: {})", of("restarts_blocked"));
        }
        let mut rows = vec![
            ("Choices", padded(of("choices"))),
            ("Conflicts", format!("{} (Analyzed: {analyzed})", padded(of("conflicts")))),
            ("Restarts", restarts),
        ];
        if extra("hcc_tests") > 0.0 {
            let (tests, partial) = (extra("hcc_tests"), extra("hcc_partial"));
            rows.push(("Stab. Tests", format!("{} (Full: {} Partial: {partial})", padded(tests), tests - partial)));
        }
        if extra("models") > 0.0 {
            rows.push(("Model-Level", format!("{:<8.1}", ratio(extra("models_level"), extra("models")))));
        }
        let paths = extra("guiding_paths");
        let length = ratio(extra("guiding_paths_lits"), paths);
        let splits = extra("splits");
        rows.push(("Problems", format!("{} (Average Length: {length:.2} Splits: {splits})", padded(paths))));
        let lemmas = extra("lemmas");
        rows.push(("Lemmas", format!("{} (Deleted: {})", padded(lemmas), extra("lemmas_deleted"))));
        for (name, key) in [("  Binary", "lemmas_binary"), ("  Ternary", "lemmas_ternary")] {
            let number = extra(key);
            rows.push((name, format!("{} (Ratio: {:6.2}%)", padded(number), percent(number, lemmas))));
        }
        for (name, key) in [("  Conflict", "conflict"), ("  Loop", "loop"), ("  Other", "other")] {
            let number = extra(&format!("lemmas_{key}"));
            let length = ratio(extra(&format!("lits_{key}")), number);
            let share = percent(number, lemmas);
            rows.push((name, format!("{} (Average Length: {length:6.1} Ratio: {share:6.2}%)", padded(number))));
        }
        rows.extend(self.jumps());
        rows
    }

    fn jumps(&self) -> [(&'static str, String); 3] {
        let of = |key: &str| self.at(&format!("/solving/solvers/extra/jumps/{key}"));
        let (jumps, bounded) = (of("jumps"), of("jumps_bounded"));
        let (levels, bounded_levels) = (of("levels"), of("levels_bounded"));
        let executed_levels = levels - bounded_levels;
        let executed_share = if levels == 0.0 { 0.0 } else { percent(executed_levels, levels) };
        let cells = |number: f64, average: f64, max: f64, sum: f64| {
            format!("{} (Average: {average:5.2} Max: {max:3} Sum: {sum:6}", padded(number))
        };
        let all = cells(jumps, ratio(levels, jumps), of("max"), levels);
        let executed = cells(jumps - bounded, ratio(executed_levels, jumps), of("max_executed"), executed_levels);
        let cut = cells(bounded, ratio(bounded_levels, bounded), of("max_bounded"), bounded_levels);
        [
            ("Backjumps", format!("{all})")),
            ("  Executed", format!("{executed} Ratio: {executed_share:6.2}%)")),
            ("  Bounded", format!("{cut} Ratio: {:6.2}%)", 100.0 - executed_share)),
        ]
    }

    fn problem(&self) -> Vec<(&str, String)> {
        let lp = |key: &str| self.at(&format!("/problem/lp/{key}"));
        let generator = |key: &str| self.at(&format!("/problem/generator/{key}"));
        // The number after preprocessing, and the one before if it differs.
        let both = |after: f64, before: f64| match after == before {
            true => padded(after),
            false => format!("{} (Original: {before})", padded(after)),
        };
        let mut rows = vec![("Rules", both(lp("rules_tr"), lp("rules")))];
        let kinds = [
            ("  Choice", "rules_choice", "rules_tr_choice"),
            ("  Minimize", "rules_minimize", "rules_tr_minimize"),
            ("  Acyc", "rules_acyc", "rules_tr_acyc"),
            ("  Heuristic", "rules_heuristic", "rules_tr_heuristic"),
        ];
        let present = kinds.into_iter().filter(|(_, before, _)| lp(before) > 0.0);
        rows.extend(present.map(|(name, before, after)| (name, both(lp(after), lp(before)))));
        let auxiliary = lp("atoms_aux");
        rows.push((
            "Atoms",
            match auxiliary == 0.0 {
                true => padded(lp("atoms")),
                false => {
                    let original = lp("atoms") - auxiliary;
                    format!("{} (Original: {original} Auxiliary: {auxiliary})", padded(lp("atoms")))
                }
            },
        ));
        if lp("disjunctions") > 0.0 {
            rows.push(("Disjunctions", padded(lp("disjunctions"))));
        }
        rows.push(("Bodies", both(lp("bodies_tr"), lp("bodies"))));
        let kinds = [("  Sum", "sum_bodies", "sum_bodies_tr"), ("  Count", "count_bodies", "count_bodies_tr")];
        let present = kinds.into_iter().filter(|(_, before, _)| lp(before) > 0.0);
        rows.extend(present.map(|(name, before, after)| (name, both(lp(after), lp(before)))));
        if lp("eqs") > 0.0 {
            let [atoms, bodies, other] = ["eqs_atom", "eqs_body", "eqs_other"].map(lp);
            let kinds = format!("Atom=Atom: {atoms} Body=Body: {bodies} Other: {other}");
            rows.push(("Equivalences", format!("{} ({kinds})", padded(lp("eqs")))));
        }
        rows.push((
            "Tight",
            match lp("sccs") {
                0.0 => "Yes".to_owned(),
                sccs => {
                    let [hard, nodes, gammas] = ["sccs_non_hcf", "ufs_nodes", "gammas"].map(lp);
                    format!("{:<8} (SCCs: {sccs} Non-Hcfs: {hard} Nodes: {nodes} Gammas: {gammas})", "No")
                }
            },
        ));
        let [eliminated, frozen] = ["vars_eliminated", "vars_frozen"].map(generator);
        let variables = padded(generator("vars"));
        rows.push(("Variables", format!("{variables} (Eliminated: {eliminated:4} Frozen: {frozen:4})")));
        let kinds = ["constraints_binary", "constraints_ternary", "constraints"].map(generator);
        let all: f64 = kinds.iter().sum();
        let [binary, ternary, other] = kinds.map(|number| percent(number, all));
        let shares = format!("Binary: {binary:5.1}% Ternary: {ternary:5.1}% Other: {other:5.1}%");
        rows.push(("Constraints", format!("{} ({shares})", padded(all))));
        if generator("acyc_edges") > 0.0 {
            rows.push(("Acyc-Edges", padded(generator("acyc_edges"))));
        }
        rows
    }
}

fn row(key: &str, value: &str) -> String {
    format!("{key:<13}: {}\n", value.trim_end())
}

fn padded(number: f64) -> String {
    format!("{number:<8}")
}

fn ratio(number: f64, all: f64) -> f64 {
    if all == 0.0 { 0.0 } else { number / all }
}

fn percent(number: f64, all: f64) -> f64 {
    100.0 * ratio(number, all)
}
