//! The built-in encodings of railways.

use super::trips::GateRule;
use crate::job::Rules;
use crate::puzzle::{BuiltinFile, Encoding, rules};

const RAILWAY: BuiltinFile = rules::builtin_file!("rail/railway.lp");
const STATES: BuiltinFile = rules::builtin_file!("rail/states.lp");
pub const DYNAMIC_GATE: Encoding =
    Encoding { name: "dynamic-gate", files: &[rules::builtin_file!("rail/dynamic_gate.lp"), RAILWAY] };
pub const NO_GATE: Encoding = Encoding { name: "no-gate", files: &[rules::builtin_file!("rail/no_gate.lp"), RAILWAY] };
pub const TRACKS: Encoding = Encoding { name: "tracks", files: &[RAILWAY, rules::builtin_file!("rail/tracks.lp")] };
pub const REPAIR: Encoding =
    Encoding { name: "repair", files: &[RAILWAY, STATES, rules::builtin_file!("rail/repair.lp")] };

/// Returns the gate rule of the built-in encodings, or `None` for custom rules.
pub fn gate_rules(rules: &Rules) -> Option<GateRule> {
    match rules {
        Rules::BuiltIn(name) if *name == NO_GATE.name => Some(GateRule::NoGate),
        Rules::BuiltIn(_) => Some(GateRule::DynamicGate),
        Rules::Custom(_) => None,
    }
}
