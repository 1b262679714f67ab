//! The railway in play: levers and gates are set by clicks, and the trolley starts.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::engines::simulation::simulate;
use super::network::{Kind, Network, NodeId};
use super::trips::{GateRule, Leaf, Outcome, Pattern, Trip, configuration_text, replay};
use super::{Board, disagree};
use crate::diagnostic::{Diagnostic, Failure};
use crate::picture::Point;
use crate::played::{Asks, Game, Move, PATIENCE, Place, Played, Rectangle, State, no_such_move};
use crate::stop::Stop;
use crate::words::count;

pub struct Ridden {
    board: Arc<Board>,
    /// Where each node is drawn.
    at: Vec<Point>,
    rules: GateRule,
    stop: Stop,
    /// All that one can do.
    moves: Vec<(Set, Move)>,
    /// The trips that win, found when first asked for, and whether these are all.
    wins: Option<(Vec<Trip>, bool)>,
}

/// What a move sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Start(NodeId),
    Lever { color: usize, state: usize },
    Gate { gate: usize, color: usize },
    Go,
    Back,
}

/// How everything stands.
struct Setting {
    start: NodeId,
    levers: Vec<usize>,
    gates: Vec<usize>,
    has_gone: bool,
}

/// How far around a node a click is meant for it.
const NEAR: f64 = 18.0;

impl Ridden {
    pub fn new(board: &Arc<Board>, rules: GateRule, stop: &Stop) -> Result<Self, Failure> {
        let network = &board.network;
        let mut moves = vec![
            (Set::Go, Move::new("go", "the trolley starts").on_key("g")),
            (Set::Back, Move::new("back", "the trolley goes back to where it came in").on_key("g")),
        ];
        for &node in &network.starts {
            let name = &network.nodes[node].name;
            moves.push((
                Set::Start(node),
                Move::new(format!("start {name}"), format!("the trolley comes in at {name}")),
            ));
        }
        for (color, lever) in network.colors.iter().enumerate() {
            let name = &lever.name;
            for (state, label) in lever.states.iter().enumerate().filter(|_| lever.fixed.is_none()) {
                let words = format!("the lever of {name} at {label}");
                moves.push((Set::Lever { color, state }, Move::new(format!("lever {name} {label}"), words)));
            }
            for gate in network.free_gates().filter(|_| !lever.is_own) {
                let label = &network.gates[gate];
                let words = format!("gate {label} in {name}");
                moves.push((Set::Gate { gate, color }, Move::new(format!("gate {label} {name}"), words)));
            }
        }
        let at = board.tracks(stop).map_or_else(|| board.laid(stop).at.clone(), |tracks| tracks.at.clone());
        Ok(Ridden { board: board.clone(), at, rules, stop: stop.clone(), moves, wins: None })
    }

    fn named(&self, set: Set) -> Move {
        let named = self.moves.iter().find(|(known, _)| *known == set);
        named.map(|(_, named)| named.clone()).expect("all that can be set is a move")
    }

    fn after(&self, moves: &[String]) -> Result<Setting, Failure> {
        let network = &self.board.network;
        let first = |of: Vec<Option<usize>>, least: usize| of.into_iter().map(|value| value.unwrap_or(least)).collect();
        let Pattern { levers, gates } = Pattern::any(network);
        let color = network.gate_colors().next().unwrap_or(0);
        let (start, levers, gates) = (network.starts[0], first(levers, 0), first(gates, color));
        let mut now = Setting { start, levers, gates, has_gone: false };
        for name in moves {
            let known = self.moves.iter().find(|(_, known)| known.name == *name);
            let (set, _) = known.ok_or_else(|| no_such_move(name))?;
            match *set {
                Set::Start(node) => now.start = node,
                Set::Lever { color, state } => now.levers[color] = state,
                Set::Gate { gate, color } => now.gates[gate] = color,
                Set::Go | Set::Back => {}
            }
            now.has_gone = *set == Set::Go;
        }
        Ok(now)
    }

    /// The trip of a setting, which was replayed.
    fn trip(&self, now: &Setting) -> Result<Trip, Failure> {
        let levers: Vec<Option<usize>> = now.levers.iter().copied().map(Some).collect();
        let gates: Vec<Option<usize>> = now.gates.iter().copied().map(Some).collect();
        let pattern = Pattern { levers: levers.clone(), gates: gates.clone() };
        let mut found = None;
        let mut take = |leaf: &Leaf<'_>| {
            let trip = (leaf.trip)();
            found = found.take().or((trip.nodes[0] == now.start).then_some(trip));
            Ok(ControlFlow::Continue(()))
        };
        simulate(&self.board.network, self.rules, &pattern, &self.stop, &mut take)?;
        let trip = found.ok_or_else(|| Diagnostic::error("the trip was not found in time"))?;
        replay::check(&self.board.network, &trip).map_err(disagree)?;
        Ok(Trip { levers, gates, ..trip })
    }

    /// The trolley before it starts: a trip that has not gone anywhere.
    fn standing(&self, now: &Setting) -> Trip {
        Trip {
            nodes: vec![now.start],
            outcome: Outcome::Stuck,
            levers: now.levers.iter().copied().map(Some).collect(),
            gates: now.gates.iter().copied().map(Some).collect(),
            rules: self.rules,
            told: None,
        }
    }

    fn places(&self, now: &Setting, levers: &[Vec<Point>]) -> Vec<Place> {
        let Network { colors, nodes, starts, .. } = &self.board.network;
        let around = |(x, y): Point, near: f64| -> Rectangle { [x - near, y - near, 2.0 * near, 2.0 * near] };
        let place = |at: Rectangle, words: String, options: Vec<Move>, set: usize| {
            let next = Some((set + 1) % options.len().max(1)).filter(|_| !options.is_empty());
            Place { at, words, options, next, ..Place::default() }
        };
        let of_lever = |at: Rectangle, what: &str, color: usize| {
            let states = &colors[color].states;
            let options = (0..states.len()).map(|state| self.named(Set::Lever { color, state })).collect();
            let words = format!("{what}lever of {} at {}", colors[color].name, states[now.levers[color]]);
            place(at, words, options, now.levers[color])
        };
        let mut places = Vec::new();
        for (id, node) in nodes.iter().enumerate() {
            let at = around(self.at[id], NEAR);
            match &node.kind {
                _ if starts.len() > 1 && starts.contains(&id) => {
                    let words = format!("start {}", node.name);
                    places.push(place(at, words, vec![self.named(Set::Start(id))], 0));
                }
                Kind::Fork { color, .. } if colors[*color].fixed.is_none() => {
                    places.push(of_lever(at, &format!("fork {}, ", node.name), *color))
                }
                Kind::Gate { gate, .. } if self.board.network.sets[*gate].is_none() => {
                    let set = now.gates[*gate];
                    let words =
                        format!("{}, gate {} in {}", node.name, self.board.network.gates[*gate], colors[set].name);
                    let known: Vec<usize> = self.board.network.gate_colors().collect();
                    let option = |&color: &usize| self.named(Set::Gate { gate: *gate, color });
                    let set = known.iter().position(|&color| color == set).unwrap_or(0);
                    places.push(place(at, words, known.iter().map(option).collect(), set));
                }
                _ => {}
            }
        }
        for (color, points) in levers.iter().enumerate() {
            let (Some(first), Some(last), None) = (points.first(), points.last(), colors[color].fixed) else {
                continue;
            };
            let at = [first.0 - NEAR, first.1 - 11.0, 2.0 * NEAR, last.1 - first.1 + 22.0];
            places.push(of_lever(at, "", color));
        }
        places
    }

    /// The trips that win, as far as they are found in time, and whether these are all.
    fn wins(&mut self) -> Result<(Vec<Trip>, bool), Failure> {
        if let Some(known) = &self.wins {
            return Ok(known.clone());
        }
        let soon = self.stop.by(std::time::Instant::now().checked_add(PATIENCE));
        let mut wins = Vec::new();
        let mut take = |leaf: &Leaf<'_>| {
            if leaf.outcome == Outcome::Win {
                wins.push((leaf.trip)());
            }
            Ok(ControlFlow::Continue(()))
        };
        let any = Pattern::any(&self.board.network);
        let (_, end) = simulate(&self.board.network, self.rules, &any, &soon.stop, &mut take)?;
        let found = (wins, end.is_complete());
        // What was found under a cancelled token is not all that can be found in time.
        if self.stop.requested().is_none() {
            self.wins = Some(found.clone());
        }
        Ok(found)
    }

    /// What the nearest win asks for.
    fn tell(&mut self, now: &Setting, asks: Asks, played: &mut Played) -> Result<(), Failure> {
        let (wins, are_all) = self.wins()?;
        let changes = |trip: &Trip| -> Vec<Set> {
            let start = (trip.nodes[0] != now.start).then_some(Set::Start(trip.nodes[0]));
            let lever = |(color, state): (usize, &Option<usize>)| {
                state.filter(|state| *state != now.levers[color]).map(|state| Set::Lever { color, state })
            };
            let gate = |(gate, color): (usize, &Option<usize>)| {
                color.filter(|color| *color != now.gates[gate]).map(|color| Set::Gate { gate, color })
            };
            let levers = trip.levers.iter().enumerate().filter_map(lever);
            start.into_iter().chain(levers).chain(trip.gates.iter().enumerate().filter_map(gate)).collect()
        };
        let Some(nearest) = wins.iter().map(changes).min_by_key(Vec::len) else {
            let known = if are_all {
                "No setting of levers and gates wins."
            } else {
                "No setting that wins was found in time."
            };
            played.because = Some(known.to_owned());
            if asks == Asks::Hint {
                played.moves.clear();
                played.state = if are_all { State::Stuck } else { played.state };
            }
            return Ok(());
        };
        let least = if are_all { "" } else { " at the most" };
        let left = match nearest.len() {
            0 => "As everything stands, the trolley arrives.".to_owned(),
            changes => format!("{} from a win{least}.", count(changes, "change", "changes")),
        };
        match asks {
            Asks::Nothing => {}
            Asks::Mistake if now.has_gone => played.words += &format!(" The setting was wrong: {left}"),
            Asks::Mistake => played.words += " No mistake: nothing is lost before the trolley starts.",
            Asks::Distance => played.distance = Some(left),
            Asks::Hint => {
                let next = self.named(nearest.first().copied().unwrap_or(Set::Go));
                played.because = Some(format!("{}: {left}", next.words));
                let has = |place: &&Place| place.options.contains(&next);
                played.marked = played.places.iter().filter(has).map(|place| place.at).collect();
                played.moves = vec![next];
            }
        }
        Ok(())
    }
}

impl Game for Ridden {
    fn look(&mut self, moves: &[String], asks: Asks) -> Result<Played, Failure> {
        let now = self.after(moves)?;
        let trip = if now.has_gone { self.trip(&now)? } else { self.standing(&now) };
        let (mut picture, levers) = self.board.trip_picture(&trip, &self.stop);
        let setting = configuration_text(&self.board.network, &trip.levers, &trip.gates);
        if !now.has_gone {
            (picture.title, picture.captions) = (setting.clone(), Vec::new());
        }
        let (state, words) = match trip.outcome {
            _ if !now.has_gone => (State::Open, format!("Levers and gates stand at {setting}.")),
            Outcome::Win => (State::Won, "The trolley arrives.".to_owned()),
            Outcome::Loss => (State::Lost, "The trolley comes out where it should not.".to_owned()),
            Outcome::Cycle => (State::Lost, "The trolley goes round and round.".to_owned()),
            Outcome::Stuck => (State::Stuck, "The trolley is stuck.".to_owned()),
        };
        let mut played = Played {
            places: self.places(&now, &levers),
            moves: vec![self.named(if now.has_gone { Set::Back } else { Set::Go })],
            picture: Some(picture),
            words,
            state,
            ..Played::default()
        };
        if asks != Asks::Nothing && state != State::Won {
            self.tell(&now, asks, &mut played)?;
        }
        Ok(played)
    }
}
