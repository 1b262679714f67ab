//! Interactive play: the player sets levers and gates by clicks, then starts the trolley.

use std::ops::ControlFlow;
use std::sync::Arc;

use ::play::{Game, GameState, GameView, Move, Place, PlayQuery, QUERY_TIME_LIMIT, Rectangle, no_such_move};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use base::words::{capitalized, count};
use picture::Point;
use puzzle::job::Job;
use puzzle::{Playable, unsupported_rules};

use super::Rail;
use super::board::RailBoard;
use super::encodings::gate_rules;
use super::engines::simulation::simulate;
use super::network::{Kind, Network, NodeId};
use super::trips::replay::check_failure;
use super::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, configuration_text, replay};

pub struct RailGame {
    board: Arc<RailBoard>,
    /// The position of each node in the picture.
    positions: Vec<Point>,
    rules: GateRule,
    stop: CancelToken,
    /// Each input, with the move that triggers it.
    moves: Vec<(Input, Move)>,
    /// The winning trips, computed on first use, with true if there are no others.
    wins: Option<(Vec<Trip>, bool)>,
}

impl Playable<Rail> for Rail {
    fn game(&self, board: &Arc<RailBoard>, job: &Job) -> Result<Box<dyn Game>, Failure> {
        let rules = gate_rules(&job.rules).ok_or_else(|| unsupported_rules("play", &job.rules))?;
        Ok(Box::new(RailGame::new(board, rules, &job.stop)?))
    }
}

/// The effect of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Start(NodeId),
    Lever { color: usize, state: usize },
    Gate { gate: usize, color: usize },
    Go,
    Back,
}

/// The current choices of the player.
struct Setting {
    start: NodeId,
    levers: Vec<usize>,
    gates: Vec<usize>,
    has_started: bool,
}

/// The distance from a node within which a click hits it, in pixels.
const CLICK_RADIUS: f64 = 18.0;

impl RailGame {
    pub fn new(board: &Arc<RailBoard>, rules: GateRule, stop: &CancelToken) -> Result<Self, Failure> {
        let network = &board.network;
        let mut moves = vec![
            (Input::Go, Move::new("go", "start the trolley").on_key("g")),
            (Input::Back, Move::new("back", "take the trolley back to the start").on_key("g")),
        ];
        for &node in &network.starts {
            let name = &network.nodes[node].name;
            moves.push((
                Input::Start(node),
                Move::new(format!("start {name}"), format!("let the trolley start at {name}")),
            ));
        }
        for (color, lever) in network.colors.iter().enumerate() {
            let name = &lever.name;
            for (state, label) in lever.states.iter().enumerate().filter(|_| lever.fixed.is_none()) {
                let words = match lever.is_own {
                    true => format!("set the lever of {name} to {label}"),
                    false => format!("set the {name} lever to {label}"),
                };
                moves.push((Input::Lever { color, state }, Move::new(format!("lever {name} {label}"), words)));
            }
            for gate in network.free_gates().filter(|_| !lever.is_own) {
                let label = &network.gates[gate];
                let words = format!("paint gate {label} {name}");
                moves.push((Input::Gate { gate, color }, Move::new(format!("gate {label} {name}"), words)));
            }
        }
        let positions = board.tracks(stop).map_or_else(|| board.laid(stop).at.clone(), |tracks| tracks.at.clone());
        Ok(RailGame { board: board.clone(), positions, rules, stop: stop.clone(), moves, wins: None })
    }

    /// Says what to click before the trolley starts.
    fn usage(&self) -> &'static str {
        let network = &self.board.network;
        let has_levers = network.colors.iter().any(|lever| lever.fixed.is_none());
        match (has_levers, network.free_gates().next().is_some()) {
            (true, true) => {
                "Click a lever, or a fork of its colour, to move the lever. Click a gate to change its colour. \
                 Then start the trolley."
            }
            (true, false) => "Click a lever, or a fork of its colour, to move the lever. Then start the trolley.",
            (false, true) => "Click a gate to change its colour. Then start the trolley.",
            (false, false) => "Start the trolley.",
        }
    }

    fn move_for(&self, input: Input) -> Move {
        let entry = self.moves.iter().find(|(known, _)| *known == input);
        entry.map(|(_, entry)| entry.clone()).expect("all that can be set is a move")
    }

    fn setting_after(&self, moves: &[String]) -> Result<Setting, Failure> {
        let network = &self.board.network;
        let with_default = |values: Vec<Option<usize>>, default: usize| {
            values.into_iter().map(|value| value.unwrap_or(default)).collect()
        };
        let Pattern { levers, gates } = Pattern::any(network);
        let color = network.gate_colors().next().unwrap_or(0);
        let (start, levers, gates) = (network.starts[0], with_default(levers, 0), with_default(gates, color));
        let mut setting = Setting { start, levers, gates, has_started: false };
        for name in moves {
            let entry = self.moves.iter().find(|(_, entry)| entry.name == *name);
            let (input, _) = entry.ok_or_else(|| no_such_move(name))?;
            match *input {
                Input::Start(node) => setting.start = node,
                Input::Lever { color, state } => setting.levers[color] = state,
                Input::Gate { gate, color } => setting.gates[gate] = color,
                Input::Go | Input::Back => {}
            }
            setting.has_started = *input == Input::Go;
        }
        Ok(setting)
    }

    /// Returns the trip of a setting, which is checked by replay.
    fn trip(&self, now: &Setting) -> Result<Trip, Failure> {
        let levers: Vec<Option<usize>> = now.levers.iter().copied().map(Some).collect();
        let gates: Vec<Option<usize>> = now.gates.iter().copied().map(Some).collect();
        let pattern = Pattern { levers: levers.clone(), gates: gates.clone() };
        let mut found = None;
        let mut take = |leaf: &LazyTrip<'_>| {
            let trip = (leaf.build)();
            found = found.take().or((trip.nodes[0] == now.start).then_some(trip));
            Ok(ControlFlow::Continue(()))
        };
        simulate(&self.board.network, self.rules, &pattern, &self.stop, &mut take)?;
        let trip = found.ok_or_else(|| Diagnostic::error(Code::Stopped, "the trip was not found in time"))?;
        replay::check(&self.board.network, &trip).map_err(check_failure)?;
        Ok(Trip { levers, gates, ..trip })
    }

    /// Returns the trip of a trolley that has not started yet: only the start.
    fn initial_trip(&self, now: &Setting) -> Trip {
        Trip {
            nodes: vec![now.start],
            outcome: Outcome::Stuck,
            levers: now.levers.iter().copied().map(Some).collect(),
            gates: now.gates.iter().copied().map(Some).collect(),
            rules: self.rules,
            reported_levers: None,
        }
    }

    fn places(&self, now: &Setting, levers: &[Vec<Point>]) -> Vec<Place> {
        let Network { colors, nodes, starts, .. } = &self.board.network;
        let around = |(x, y): Point, radius: f64| -> Rectangle { [x - radius, y - radius, 2.0 * radius, 2.0 * radius] };
        let place = |at: Rectangle, words: String, options: Vec<Move>, set: usize| {
            let next = Some((set + 1) % options.len().max(1)).filter(|_| !options.is_empty());
            Place { at, words, options, next, ..Place::default() }
        };
        let lever_place = |at: Rectangle, what: &str, color: usize| {
            let states = &colors[color].states;
            let options = (0..states.len()).map(|state| self.move_for(Input::Lever { color, state })).collect();
            let words = format!("{what}lever of {} at {}", colors[color].name, states[now.levers[color]]);
            place(at, words, options, now.levers[color])
        };
        let mut places = Vec::new();
        for (id, node) in nodes.iter().enumerate() {
            let at = around(self.positions[id], CLICK_RADIUS);
            match &node.kind {
                _ if starts.len() > 1 && starts.contains(&id) => {
                    let words = format!("start {}", node.name);
                    places.push(place(at, words, vec![self.move_for(Input::Start(id))], 0));
                }
                Kind::Fork { color, .. } if colors[*color].fixed.is_none() => {
                    places.push(lever_place(at, &format!("fork {}, ", node.name), *color))
                }
                Kind::Gate { gate, .. } if self.board.network.sets[*gate].is_none() => {
                    let set = now.gates[*gate];
                    let words =
                        format!("{}, gate {} in {}", node.name, self.board.network.gates[*gate], colors[set].name);
                    let gate_colors: Vec<usize> = self.board.network.gate_colors().collect();
                    let option = |&color: &usize| self.move_for(Input::Gate { gate: *gate, color });
                    let set = gate_colors.iter().position(|&color| color == set).unwrap_or(0);
                    places.push(place(at, words, gate_colors.iter().map(option).collect(), set));
                }
                _ => {}
            }
        }
        for (color, points) in levers.iter().enumerate() {
            let (Some(first), Some(last), None) = (points.first(), points.last(), colors[color].fixed) else {
                continue;
            };
            // The name above the lever and the labels of its states are part of the target.
            let at = [first.0 - 36.0, first.1 - 34.0, 72.0, last.1 - first.1 + 52.0];
            places.push(lever_place(at, "", color));
        }
        places
    }

    /// Returns the winning trips that are found within the time limit, with true if there are no
    /// others.
    fn wins(&mut self) -> Result<(Vec<Trip>, bool), Failure> {
        if let Some(known) = &self.wins {
            return Ok(known.clone());
        }
        let limited_stop = self.stop.child_until(std::time::Instant::now().checked_add(QUERY_TIME_LIMIT));
        let mut wins = Vec::new();
        let mut take = |leaf: &LazyTrip<'_>| {
            if leaf.outcome == Outcome::Win {
                wins.push((leaf.build)());
            }
            Ok(ControlFlow::Continue(()))
        };
        let any = Pattern::any(&self.board.network);
        let (_, end) = simulate(&self.board.network, self.rules, &any, &limited_stop.token, &mut take)?;
        let found = (wins, end.is_complete());
        // The result of a cancelled search may be incomplete without need, so it is not cached.
        if self.stop.requested().is_none() {
            self.wins = Some(found.clone());
        }
        Ok(found)
    }

    /// Adds to `view` what `query` asks about the nearest win: a hint, the distance to it, or
    /// whether a move was a mistake.
    fn describe_nearest_win(&mut self, now: &Setting, query: PlayQuery, view: &mut GameView) -> Result<(), Failure> {
        let (wins, are_all) = self.wins()?;
        let changes = |trip: &Trip| -> Vec<Input> {
            let start = (trip.nodes[0] != now.start).then_some(Input::Start(trip.nodes[0]));
            let lever = |(color, state): (usize, &Option<usize>)| {
                state.filter(|state| *state != now.levers[color]).map(|state| Input::Lever { color, state })
            };
            let gate = |(gate, color): (usize, &Option<usize>)| {
                color.filter(|color| *color != now.gates[gate]).map(|color| Input::Gate { gate, color })
            };
            let levers = trip.levers.iter().enumerate().filter_map(lever);
            start.into_iter().chain(levers).chain(trip.gates.iter().enumerate().filter_map(gate)).collect()
        };
        let Some(nearest) = wins.iter().map(changes).min_by_key(Vec::len) else {
            let message = if are_all {
                "No setting of levers and gates wins."
            } else {
                "No setting that wins was found in time."
            };
            view.explanation = Some(message.to_owned());
            if query == PlayQuery::Hint {
                view.moves.clear();
                view.state = if are_all { GameState::Stuck } else { view.state };
            }
            return Ok(());
        };
        let bound_text = if are_all { "" } else { " at most" };
        let distance_text = match nearest.len() {
            0 => "With the current levers and gates the trolley wins.".to_owned(),
            changes => format!("{}{bound_text} away from a win.", count(changes, "change", "changes")),
        };
        match query {
            PlayQuery::Nothing => {}
            PlayQuery::Mistake if now.has_started => view.words += &format!(" The setting was wrong: {distance_text}"),
            PlayQuery::Mistake => view.words += " No mistake: nothing is lost before the trolley starts.",
            PlayQuery::Distance => view.distance = Some(distance_text),
            PlayQuery::Hint => {
                let next = self.move_for(nearest.first().copied().unwrap_or(Input::Go));
                let action = capitalized(&next.words);
                view.explanation = Some(match nearest[..] {
                    [] => format!("{action}: with the current levers and gates it wins."),
                    [_] => format!("{action}: then the trolley wins."),
                    _ => format!("{action}: this setting is {distance_text}"),
                });
                let has_option = |place: &&Place| place.options.contains(&next);
                view.marked = view.places.iter().filter(has_option).map(|place| place.at).collect();
                if !view.moves.contains(&next) {
                    view.moves.insert(0, next);
                }
            }
        }
        Ok(())
    }
}

impl Game for RailGame {
    fn view_after(&mut self, moves: &[String], query: PlayQuery) -> Result<GameView, Failure> {
        let now = self.setting_after(moves)?;
        let trip = if now.has_started { self.trip(&now)? } else { self.initial_trip(&now) };
        let (mut picture, levers) = self.board.trip_picture(&trip, &self.stop);
        let setting = configuration_text(&self.board.network, &trip.levers, &trip.gates);
        if !now.has_started {
            (picture.title, picture.captions) = (setting.clone(), Vec::new());
        }
        let (state, words) = match trip.outcome {
            _ if !now.has_started => (GameState::Open, format!("Levers and gates stand at {setting}.")),
            Outcome::Win => (GameState::Won, "The trolley arrives.".to_owned()),
            Outcome::Loss => (GameState::Lost, "The trolley comes out at the wrong place.".to_owned()),
            Outcome::Cycle => (GameState::Lost, "The trolley goes round and round.".to_owned()),
            Outcome::Stuck => (GameState::Stuck, "The trolley is stuck.".to_owned()),
        };
        let mut view = GameView {
            places: self.places(&now, &levers),
            moves: vec![self.move_for(if now.has_started { Input::Back } else { Input::Go })],
            picture: Some(picture),
            words,
            state,
            usage: (!now.has_started).then_some(self.usage()),
            ..GameView::default()
        };
        if query != PlayQuery::Nothing && state != GameState::Won {
            self.describe_nearest_win(&now, query, &mut view)?;
        }
        Ok(view)
    }
}
