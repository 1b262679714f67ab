//! Trips as text: a summary, then each trip with all its configurations.
//!
//! ```text
//! Of 72 configurations, 4 win and 68 lose; none cycles.
//!
//! Win through 10 nodes: 211R* (3 configurations)
//!   a b e g p1l j l r z t
//!           red 2→1
//!   Gate 2 is never reached, so its colour does not matter.
//! ```

use std::fmt::Write;

use anstyle::{Ansi256Color, AnsiColor, Style as Ansi};
use base::ending::{Uniqueness, Verdict};
use base::stop::OutputGrace;
use base::style::Style;
use num_bigint::BigUint;
use picture::Rgb;
use prover::Certification;
use puzzle::job::Rules;
use puzzle::{RunResult, UnsolvableCause, native};
use rustc_hash::FxHashMap;

use super::drawing;
use crate::Rail;
use crate::engines::clingo;
use crate::network::{Kind, Network, NodeId};
use crate::trips::tally::RailProof;
use crate::trips::{Outcome, Trip, configuration_text};

/// Maximum width of the lines of a trip, in columns.
const WIDTH: usize = 80;

/// The common parameters of the functions that write trips.
struct WriteContext<'a> {
    network: &'a Network,
    style: &'a Style,
    /// The terminal style of each colour.
    colors: Vec<Ansi>,
    deadline: OutputGrace<'a>,
}

/// Returns the whole output, which is truncated if the job is cancelled or out of time.
pub fn page(known: &RunResult<Rail>, style: &Style) -> String {
    let (network, trips) = (&known.board().network, known.answers());
    let mut page = String::new();
    let bold = Ansi::new().bold();
    // With `--unique`, the verdict, which precedes this text, already mentions the certificate.
    let certified = known
        .proof()
        .certificate
        .as_ref()
        .filter(|_| !known.job.question.is_unique || known.unique() == Uniqueness::Unknown);
    let certified = certified.map_or(String::new(), Certification::words);
    let _ = writeln!(page, "{}", style.paint(bold, &(summary(known) + &certified)));
    if style.quiet {
        return page;
    }
    page += &known.proof().cause.as_ref().map_or(String::new(), UnsolvableCause::lines);
    let colors = drawing::palette(network).into_iter().map(ansi).collect();
    let context = WriteContext { network, style, colors, deadline: known.job.stop.output_grace() };
    let mut written = 0;
    for group in groups(trips) {
        page.push('\n');
        if let Some(reason) = context.deadline.check_truncated() {
            let more =
                native::count(known.found - written as u64, "more trip was found, but", "more trips were found, but");
            let _ = writeln!(page, "… and {more} not written: {}.", reason.words());
            break;
        }
        write_group(&mut page, &context, &group);
        written += group.len();
    }
    let tally = &known.proof().tally;
    let number: u64 = Outcome::ALL.into_iter().map(|outcome| tally.trips(outcome)).sum();
    if known.complete && tally.trips(Outcome::Win) + tally.trips(Outcome::Loss) > 0 {
        let distinct = native::count(number, "distinct trip", "distinct trips");
        let line = match known.job.rules {
            Rules::BuiltIn(_) => Some(format!(
                "All configurations are accounted for: {distinct}. Every trip shown was replayed by the rules."
            )),
            _ if known.proof().configurations_without_trip() == BigUint::ZERO => {
                Some(format!("All configurations are accounted for {}: {distinct}.", known.job.rules.attribution()))
            }
            _ => None,
        };
        let line = line.map(|line| format!("\n{}\n", style.paint(Ansi::new().dimmed(), &line)));
        page.push_str(&line.unwrap_or_default());
    }
    page
}

/// Groups trips with the same outcome and nodes. Groups are in the order of their first trips. The
/// levers of the trips in a group may differ.
fn groups(trips: &[Trip]) -> Vec<Vec<&Trip>> {
    let mut groups: Vec<Vec<&Trip>> = Vec::new();
    let mut index = FxHashMap::default();
    for trip in trips {
        let group = *index.entry((trip.outcome, &trip.nodes)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(trip);
    }
    groups
}

/// Joins words with commas, and the last two with `last`: "a, b and c".
fn join(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [first @ .., word] => format!("{} {last} {word}", first.join(", ")),
    }
}

/// Formats the counts by outcome: "4 win and 68 lose; none cycles". `missing` is the number of
/// configurations without a trip.
fn counts(proof: &RailProof, missing: &BigUint) -> String {
    let verbs = [("wins", "win"), ("loses", "lose"), ("cycles", "cycle"), ("gets stuck", "get stuck")];
    let (mut some, mut none) = (Vec::new(), Vec::new());
    for (outcome, (one, many)) in Outcome::ALL.into_iter().zip(verbs) {
        let number = proof.tally.configurations(outcome);
        if number != BigUint::ZERO {
            some.push(native::count(number, one, many));
        } else if outcome != Outcome::Stuck {
            none.push(one.to_owned());
        }
    }
    if *missing != BigUint::ZERO {
        some.push(native::count(missing, "has no trip", "have no trip"));
    }
    let mut text = join(&some, "and");
    if !none.is_empty() {
        text += if some.is_empty() { "none " } else { "; none " };
        text += &join(&none, "or");
    }
    text
}

/// Returns the first sentence of the output.
fn summary(known: &RunResult<Rail>) -> String {
    let (proof, rules) = (known.proof(), known.rules());
    let missing = proof.configurations_without_trip();
    let is_custom = !rules.is_builtin();
    let counts = counts(proof, if is_custom && known.complete { &missing } else { &BigUint::ZERO });
    let all = number_of(&proof.all);
    match known.verdict {
        Verdict::GaveUp(_) if proof.all == BigUint::ZERO => {
            format!("{} {} found so far.", known.verdict.gave_up_words(), native::count(known.found, "trip", "trips"))
        }
        Verdict::GaveUp(_) => format!("{} So far, of {all}, {counts}.", known.verdict.gave_up_words()),
        _ if is_custom && known.complete && missing == proof.all => {
            clingo::missing_trips_message(&missing, &proof.all, rules)
        }
        _ if is_custom && known.complete => {
            format!("Of {all}, {counts} ({}).", rules.attribution())
        }
        _ if known.complete && proof.counts_all => format!("Of {all}, {counts}."),
        Verdict::Impossible => format!("No such trip (proven for {all})."),
        _ => {
            let shown = native::count(known.found, "trip", "trips");
            let by = if is_custom { format!(" {}", rules.attribution()) } else { String::new() };
            if known.complete {
                format!("{shown}, and no others of this kind (proven for {all}).")
            } else {
                let advice = known.job.output.style.advice(" (-n 0 finds them all)");
                format!("{shown}{by}; there may be more{advice}.")
            }
        }
    }
}

fn number_of(number: &BigUint) -> String {
    native::count(number, "configuration", "configurations")
}

fn write_group(page: &mut String, context: &WriteContext<'_>, group: &[&Trip]) {
    let WriteContext { network, style, .. } = context;
    let first = group[0];
    let steps = first.nodes.len();
    let (name, color) = match first.outcome {
        Outcome::Win => ("Win", AnsiColor::Green),
        Outcome::Loss => ("Loss", AnsiColor::Red),
        Outcome::Cycle => ("Cycle", AnsiColor::Magenta),
        Outcome::Stuck => ("Stuck", AnsiColor::Yellow),
    };
    let title =
        style.paint(color.on_default().bold(), &format!("{name} through {}", native::count(steps, "node", "nodes")));
    let configurations: Vec<String> = group.iter().map(|trip| painted_configuration(context, trip)).collect();
    let number = number_of(&group.iter().map(|trip| trip.configurations(network)).sum());
    let from =
        if network.starts.len() > 1 { format!(" from {}", network.nodes[first.nodes[0]].name) } else { String::new() };
    let _ = writeln!(page, "{title}{from}: {} ({number})", configurations.join(" "));
    let changes = first.lever_changes(network);
    write_trip(page, context, first, &changes);
    for (trip, configuration) in group.iter().zip(&configurations).skip(1) {
        let other_changes = trip.lever_changes(network);
        if other_changes != changes && context.deadline.is_over().is_none() {
            let _ = writeln!(page, "  or, with {configuration}:");
            write_trip(page, context, trip, &other_changes);
        }
    }
    if first.outcome == Outcome::Cycle {
        let back = first.nodes.iter().position(|node| Some(node) == first.nodes.last()).map_or(1, |step| step + 1);
        let _ = writeln!(
            page,
            "  Back at {} with the same lever states as in an earlier step ({back} or later): the trip never ends.",
            network.nodes[first.nodes[steps - 1]].name
        );
    }
    for line in open_lines(network, group) {
        let _ = writeln!(page, "  {}", style.paint(Ansi::new().dimmed(), &line));
    }
}

/// Returns sentences that explain the signs `*` in the configurations.
fn open_lines(network: &Network, group: &[&Trip]) -> Vec<String> {
    let all = |open: &dyn Fn(&Trip) -> bool| group.iter().all(|trip| open(trip));
    let gates: Vec<String> = network
        .free_gates()
        .filter(|&gate| all(&|trip| trip.gates[gate].is_none()))
        .map(|gate| network.gates[gate].to_string())
        .collect();
    let levers: Vec<String> = (0..network.colors.len())
        .filter(|&color| all(&|trip| trip.levers[color].is_none()))
        .map(|color| network.colors[color].name.to_string())
        .collect();
    // A trip can get stuck at a gate, which it then reaches but does not cross.
    let not_crossed = if group[0].outcome == Outcome::Stuck { "not crossed" } else { "never reached" };
    let mut lines = Vec::new();
    match &gates[..] {
        [] => {}
        [gate] => lines.push(format!("Gate {gate} is {not_crossed}, so its colour does not matter.")),
        _ => {
            let gates = join(&gates, "and");
            lines.push(format!("Gates {gates} are {not_crossed}, so their colours do not matter."));
        }
    }
    match &levers[..] {
        [] => {}
        [lever] => {
            lines.push(format!("No fork on the way uses the lever of {lever}, so its state does not matter."));
        }
        _ => {
            let levers = join(&levers, "and");
            lines.push(format!("No fork on the way uses the levers of {levers}, so their states do not matter."));
        }
    }
    lines
}

fn painted_configuration(context: &WriteContext<'_>, trip: &Trip) -> String {
    let WriteContext { network, style, .. } = context;
    let text = configuration_text(network, &trip.levers, &trip.gates);
    if !style.color || text.chars().count() != network.colors.len() + network.free_gates().count() {
        return text;
    }
    let colors = (0..network.colors.len()).map(Some).chain(network.free_gates().map(|gate| trip.gates[gate]));
    text.chars()
        .zip(colors)
        .map(|(letter, color)| match color {
            Some(color) => style.paint(context.colors[color], &letter.to_string()),
            None => letter.to_string(),
        })
        .collect()
}

/// Writes the nodes of a trip and, below each gate, the lever change of its crossing.
fn write_trip(page: &mut String, context: &WriteContext<'_>, trip: &Trip, changes: &[(usize, usize, String)]) {
    let WriteContext { network, style, .. } = context;
    let mut changes = changes.iter().peekable();
    let name = |node: NodeId| network.nodes[node].name.as_str();
    let mut step = 0;
    while step < trip.nodes.len() {
        if step > 0
            && let Some(reason) = context.deadline.check_truncated()
        {
            let more = native::count(trip.nodes.len() - step, "more node", "more nodes");
            let _ = writeln!(page, "  … and {more}, not written: {}.", reason.words());
            break;
        }
        let (mut line, mut columns, mut width) = (String::from("  "), Vec::new(), 2);
        let begin = step;
        while step < trip.nodes.len() && (step == begin || width + name(trip.nodes[step]).chars().count() <= WIDTH) {
            let node = trip.nodes[step];
            columns.push(width);
            width += name(node).chars().count() + 1;
            line.push_str(&style.paint(paint_of_node(context, trip, node), name(node)));
            line.push(' ');
            step += 1;
        }
        let _ = writeln!(page, "{}", line.trim_end());
        while changes.peek().is_some_and(|change| change.0 < step) {
            let (mut line, mut at) = (String::new(), 0);
            let fits =
                |change: &&(usize, usize, String), at| change.0 < step && (at == 0 || columns[change.0 - begin] > at);
            while let Some((step, color, words)) = changes.next_if(|change| fits(change, at)) {
                let column = columns[step - begin];
                line.push_str(&" ".repeat(column - at));
                line.push_str(&style.paint(context.colors[*color], words));
                at = column + words.chars().count();
            }
            let _ = writeln!(page, "{line}");
        }
    }
}

fn paint_of_node(context: &WriteContext<'_>, trip: &Trip, node: NodeId) -> Ansi {
    match &context.network.nodes[node].kind {
        Kind::Fork { color, .. } => context.colors[*color],
        Kind::Gate { gate, .. } => trip.gates[*gate].map_or(Ansi::new(), |color| context.colors[color]).invert(),
        Kind::Target => AnsiColor::Green.on_default().bold(),
        Kind::Loss => AnsiColor::Red.on_default().bold(),
        Kind::DeadEnd => Ansi::new().bold(),
    }
}

/// Returns the terminal colour that is nearest to `rgb`. Dark colours are lightened and light ones
/// are darkened, since the background may be dark or light.
fn ansi(mut rgb: Rgb) -> Ansi {
    while rgb.luminance() < 0.12 {
        rgb = rgb.mix(Rgb(255, 255, 255), 0.1);
    }
    while rgb.luminance() > 0.3 {
        // The weakest part decreases most, so that the hue remains.
        let most = f64::from(rgb.0.max(rgb.1).max(rgb.2));
        let darker = |part: u8| (0.95 * f64::from(part) - 0.1 * (most - f64::from(part))).max(0.0) as u8;
        rgb = Rgb(darker(rgb.0), darker(rgb.1), darker(rgb.2));
    }
    // The 6×6×6 colour cube with levels 0, 95, 135, …, 255.
    let level = |part: u8| if part < 48 { 0 } else { (part.max(76) - 35) / 40 };
    let index = 16 + 36 * level(rgb.0) + 6 * level(rgb.1) + level(rgb.2);
    Ansi::new().fg_color(Some(Ansi256Color(index).into()))
}
