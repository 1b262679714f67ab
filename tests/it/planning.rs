//! One-player games that are logic programs: random ones against a search of this test's own, and those that ship against
//! their published values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::common::{asp_solve, json};
