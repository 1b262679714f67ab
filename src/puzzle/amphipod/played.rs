//! The amphipods in play: one is clicked, and then where it is to go.

use super::burrow::{Burrow, Kind, name};
use super::text::{self, CELL};
use super::{Amphipod, Move, Place, Plan};
use crate::picture::Picture;
use crate::played::{self, Rectangle};
use crate::puzzle::native;
use crate::puzzle::playing::Stand;

#[derive(Clone)]
pub struct Walked {
    pub burrow: Burrow,
    pub energy: u64,
    /// Who was clicked.
    pub picked: Option<Place>,
}

impl Walked {
    fn rooms(&self) -> usize {
        self.burrow.rooms.len()
    }

    /// Where somebody can go.
    fn ways(&self, kind: Kind, from: Place) -> Vec<Move> {
        let stops = (0..self.burrow.hallway.len()).map(Place::Stop);
        let levels = (0..self.burrow.depth).map(|level| Place::Room(usize::from(kind), level));
        let ways = stops.chain(levels).map(|to| Move { kind, from, to });
        ways.filter(|&way| way.to != from && self.burrow.clone().make(way).is_ok()).collect()
    }

    fn told(&self, way: &Move) -> played::Move {
        let [from, to] = [way.from, way.to].map(|place| place.at(self.rooms()));
        let [who, _, _, to_words] = text::told(self.rooms(), way);
        let energy = way.energy(self.rooms());
        let name = format!("{who} {},{} to {},{}", from[0], from[1], to[0], to[1]);
        played::Move::new(name, format!("{who} goes to {to_words}, for {energy}"))
    }

    fn at(&self, place: Place) -> Rectangle {
        let [row, column] = place.at(self.rooms());
        [CELL * column as f64, CELL * row as f64, CELL, CELL]
    }

    fn pick(&self, kind: Kind, place: Place) -> played::Move {
        let ([row, column], who) = (place.at(self.rooms()), name(kind));
        let words = if self.picked == Some(place) { format!("{who} stays") } else { format!("{who} is to go") };
        played::Move::new(format!("pick {row},{column}"), words)
    }
}

impl Stand for Walked {
    type Puzzle = Amphipod;

    fn puzzle(&self) -> Amphipod {
        Amphipod
    }

    fn board(&self) -> Burrow {
        self.burrow.clone()
    }

    fn picture(&self) -> Picture {
        let picture = text::picture(&self.burrow, &Plan(Vec::new()));
        Picture { title: "amphipod".to_owned(), captions: Vec::new(), ..picture }
    }

    fn places(&self) -> Vec<played::Place> {
        let mut places = Vec::new();
        for (kind, place) in self.burrow.everybody() {
            let ways = self.ways(kind, place);
            let [_, words, ..] = text::told(self.rooms(), &Move { kind, from: place, to: place });
            let mut options: Vec<played::Move> = ways.iter().map(|way| self.told(way)).collect();
            if !ways.is_empty() {
                options.insert(0, self.pick(kind, place));
            }
            let words = format!("{}, {words}", name(kind));
            let next = (!options.is_empty()).then_some(0);
            places.push(played::Place { at: self.at(place), words, options, next, ..played::Place::default() });
            for way in ways.iter().filter(|_| self.picked == Some(place)) {
                let [.., to] = text::told(self.rooms(), way);
                let (at, options) = (self.at(way.to), vec![self.told(way)]);
                places.push(played::Place { at, words: to, options, next: Some(0), ..played::Place::default() });
            }
        }
        places
    }

    fn moves(&self) -> Vec<played::Move> {
        Vec::new()
    }

    fn marked(&self) -> Vec<Rectangle> {
        self.picked.map(|place| self.at(place)).into_iter().collect()
    }

    fn after(&self, name: &str) -> Option<Self> {
        for (kind, place) in self.burrow.everybody() {
            if self.pick(kind, place).name == name {
                let picked = (self.picked != Some(place)).then_some(place);
                return Some(Walked { picked, ..self.clone() });
            }
            if let Some(way) = self.ways(kind, place).into_iter().find(|way| self.told(way).name == name) {
                let mut burrow = self.burrow.clone();
                burrow.put(way);
                return Some(Walked { burrow, energy: self.energy + way.energy(self.rooms()), picked: None });
            }
        }
        None
    }

    fn is_won(&self) -> bool {
        self.burrow.is_organised()
    }

    fn paid(&self) -> u64 {
        self.energy
    }

    fn left(&self, plan: &Plan) -> (u64, Option<String>) {
        (plan.energy(&self.burrow), plan.0.first().map(|way| self.told(way).name))
    }

    fn cost(&self, cost: u64) -> String {
        native::count(cost, "unit of energy", "units of energy")
    }
}
