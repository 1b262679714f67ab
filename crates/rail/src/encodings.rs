//! The built-in encodings of railways.

use puzzle::Encoding;
use puzzle::job::Rules;

use super::trips::GateRule;

pub const DYNAMIC_GATE: Encoding = puzzle::builtin_encoding!("dynamic-gate", "rail/dynamic_gate.lp", "rail/railway.lp");
pub const NO_GATE: Encoding = puzzle::builtin_encoding!("no-gate", "rail/no_gate.lp", "rail/railway.lp");
pub const TRACKS: Encoding = puzzle::builtin_encoding!("tracks", "rail/railway.lp", "rail/tracks.lp");
pub const REPAIR: Encoding = puzzle::builtin_encoding!("repair", "rail/railway.lp", "rail/states.lp", "rail/repair.lp");

/// Returns the gate rule of the built-in encodings, or `None` for custom rules.
pub fn gate_rules(rules: &Rules) -> Option<GateRule> {
    match rules {
        Rules::BuiltIn(name) if *name == NO_GATE.name => Some(GateRule::NoGate),
        Rules::BuiltIn(_) => Some(GateRule::DynamicGate),
        Rules::Custom(_) => None,
    }
}
