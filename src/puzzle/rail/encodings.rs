//! The built-in encodings of railways.

use super::trips::GateRule;
use crate::job::Rules;
use crate::puzzle::{Encoding, rules};

pub const DYNAMIC_GATE: Encoding = rules::builtin_encoding!("dynamic-gate", "rail/dynamic_gate.lp", "rail/railway.lp");
pub const NO_GATE: Encoding = rules::builtin_encoding!("no-gate", "rail/no_gate.lp", "rail/railway.lp");
pub const TRACKS: Encoding = rules::builtin_encoding!("tracks", "rail/railway.lp", "rail/tracks.lp");
pub const REPAIR: Encoding = rules::builtin_encoding!("repair", "rail/railway.lp", "rail/states.lp", "rail/repair.lp");

/// Returns the gate rule of the built-in encodings, or `None` for custom rules.
pub fn gate_rules(rules: &Rules) -> Option<GateRule> {
    match rules {
        Rules::BuiltIn(name) if *name == NO_GATE.name => Some(GateRule::NoGate),
        Rules::BuiltIn(_) => Some(GateRule::DynamicGate),
        Rules::Custom(_) => None,
    }
}
