//! The counts of components.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::components::Component;

/// The numbers of a component's variables and clauses. Keys are complete, so that no two components
/// are taken for one.
#[derive(PartialEq, Eq, Hash)]
pub struct Key(Box<[u8]>);

/// Bytes of a table entry besides the bytes of its key and of its count.
const ENTRY_BYTES: usize = 80;

struct Entry {
    count: BigUint,
    /// The time of the last use.
    used: u64,
}

/// Counts by component, within a limit of memory.
pub struct Cache {
    entries: FxHashMap<Key, Entry>,
    bytes: usize,
    max_bytes: usize,
    time: u64,
    pub hits: u64,
}

impl Key {
    /// Writes the differences of successive numbers, which mostly take a byte each.
    pub fn of(component: &Component) -> Self {
        let mut bytes = Vec::with_capacity(component.variables.len() + component.clauses.len() + 8);
        write_ascending(&mut bytes, component.variables.iter().copied());
        // No difference of variables is 0.
        bytes.push(0);
        write_ascending(&mut bytes, component.clauses.iter().map(|clause| clause + 1));
        Key(bytes.into())
    }

    /// Makes a key of a complete description that begins with 0.
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        Key(bytes.into())
    }

    pub fn bytes(&self) -> usize {
        self.0.len() + ENTRY_BYTES
    }
}

pub fn write_ascending(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    let mut last = 0;
    for number in numbers {
        write_number(bytes, number - std::mem::replace(&mut last, number));
    }
}

pub fn write_number(bytes: &mut Vec<u8>, number: u32) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn count_bytes(count: &BigUint) -> usize {
    count.bits() as usize / 8 + 8
}

impl Cache {
    pub fn new(max_bytes: usize) -> Self {
        Cache { entries: FxHashMap::default(), bytes: 0, max_bytes, time: 0, hits: 0 }
    }

    pub fn get(&mut self, key: &Key) -> Option<&BigUint> {
        self.time += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.time;
        self.hits += 1;
        Some(&entry.count)
    }

    pub fn insert(&mut self, key: Key, count: BigUint) {
        self.bytes += key.bytes() + count_bytes(&count);
        self.entries.insert(key, Entry { count, used: self.time });
        if self.bytes > self.max_bytes {
            self.evict();
        }
    }

    /// Removes the half that was not used for longest.
    fn evict(&mut self) {
        let mut times: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
        if times.is_empty() {
            return;
        }
        let middle = times.len() / 2;
        let (_, &mut median, _) = times.select_nth_unstable(middle);
        self.entries.retain(|_, entry| entry.used > median);
        self.bytes = self.entries.iter().map(|(key, entry)| key.bytes() + count_bytes(&entry.count)).sum();
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
