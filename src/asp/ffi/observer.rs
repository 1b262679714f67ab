//! Observers of a ground program: the functions that clingo calls while it grounds.
//!
//! No panic leaves them: it waits in the [`PanicSlot`] of the control until the call that grounds has left clingo, which
//! learns that its observer failed.

use std::any::Any;
use std::ffi::c_void;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use clingo_sys as sys;

use super::{Symbol, items, stop};
use crate::asp::ffi::Truth;
use crate::asp::ground::{Observer, Piece};

/// The panic of an observer, until it can go on.
#[derive(Default)]
pub struct PanicSlot(Mutex<Option<Box<dyn Any + Send>>>);

impl PanicSlot {
    pub fn take(&self) -> Option<Box<dyn Any + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, panic: Box<dyn Any + Send>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
    }
}

/// The data that the callbacks below receive.
pub struct Observed<O> {
    pub observer: Arc<Mutex<O>>,
    pub panic: Arc<PanicSlot>,
}

/// Tells an observer a piece; says whether clingo may go on.
///
/// # Safety
/// `data` is an `Observed<O>`.
unsafe fn tell<'a, O: Observer>(data: *mut c_void, piece: impl FnOnce() -> Piece<'a>) -> bool {
    // SAFETY: the caller's promise.
    let Observed { observer, panic } = unsafe { &*data.cast::<Observed<O>>() };
    let noted =
        catch_unwind(AssertUnwindSafe(|| observer.lock().unwrap_or_else(PoisonError::into_inner).note(piece())));
    match noted {
        Ok(ControlFlow::Continue(())) => true,
        Ok(ControlFlow::Break(())) => stop(c"stopped"),
        Err(payload) => {
            panic.put(payload);
            stop(c"panicked")
        }
    }
}

/// # Safety
/// As many items are there as `size` says.
unsafe fn weighted(weighted: *const sys::clingo_weighted_literal, size: usize) -> Vec<(i32, i32)> {
    // SAFETY: the caller's promise.
    unsafe { items(weighted, size) }.iter().map(|item| (item.literal, item.weight)).collect()
}

unsafe extern "C" fn rule<O: Observer>(
    is_choice: bool,
    head: *const u32,
    heads: usize,
    body: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: clingo passes arrays of these sizes, and the data that was registered.
    unsafe { tell::<O>(data, || Piece::Rule { is_choice, head: items(head, heads), body: items(body, size) }) }
}

unsafe extern "C" fn weight_rule<O: Observer>(
    is_choice: bool,
    head: *const u32,
    heads: usize,
    bound: i32,
    body: *const sys::clingo_weighted_literal,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let body = weighted(body, size);
        tell::<O>(data, || Piece::WeightRule { is_choice, head: items(head, heads), bound, body: &body })
    }
}

unsafe extern "C" fn minimize<O: Observer>(
    priority: i32,
    literals: *const sys::clingo_weighted_literal,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let literals = weighted(literals, size);
        tell::<O>(data, || Piece::Minimize { priority, literals: &literals })
    }
}

unsafe extern "C" fn external<O: Observer>(atom: u32, value: sys::clingo_external_type_t, data: *mut c_void) -> bool {
    let value = match value as u32 {
        sys::clingo_external_type_e_clingo_external_type_free => Some(Truth::Free),
        sys::clingo_external_type_e_clingo_external_type_true => Some(Truth::True),
        sys::clingo_external_type_e_clingo_external_type_false => Some(Truth::False),
        _ => None,
    };
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::External(atom, value)) }
}

unsafe extern "C" fn edge<O: Observer>(
    from: i32,
    to: i32,
    condition: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::Edge { from, to, condition: items(condition, size) }) }
}

unsafe extern "C" fn output_atom<O: Observer>(symbol: sys::clingo_symbol_t, atom: u32, data: *mut c_void) -> bool {
    let condition = i32::try_from(atom).ok().filter(|atom| *atom > 0);
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::Output(Symbol(symbol), condition.as_slice())) }
}

unsafe extern "C" fn output_term<O: Observer>(
    symbol: sys::clingo_symbol_t,
    condition: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::Output(Symbol(symbol), items(condition, size))) }
}

unsafe extern "C" fn assume<O: Observer>(literals: *const i32, size: usize, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::Assume(items(literals, size))) }
}

unsafe extern "C" fn project<O: Observer>(atoms: *const u32, size: usize, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::Project(items(atoms, size))) }
}

unsafe extern "C" fn theory_atom<O: Observer>(atom: u32, _: u32, _: *const u32, _: usize, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::TheoryAtom(atom)) }
}

unsafe extern "C" fn theory_atom_with_guard<O: Observer>(
    atom: u32,
    _: u32,
    _: *const u32,
    _: usize,
    _: u32,
    _: u32,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe { tell::<O>(data, || Piece::TheoryAtom(atom)) }
}

const NONE: sys::clingo_ground_program_observer = sys::clingo_ground_program_observer {
    init_program: None,
    begin_step: None,
    end_step: None,
    rule: None,
    weight_rule: None,
    minimize: None,
    project: None,
    output_atom: None,
    output_term: None,
    external: None,
    assume: None,
    heuristic: None,
    acyc_edge: None,
    theory_term_number: None,
    theory_term_string: None,
    theory_term_compound: None,
    theory_element: None,
    theory_atom: None,
    theory_atom_with_guard: None,
};

/// Callbacks that pass on every statement.
pub fn all<O: Observer>() -> sys::clingo_ground_program_observer {
    sys::clingo_ground_program_observer {
        rule: Some(rule::<O>),
        weight_rule: Some(weight_rule::<O>),
        project: Some(project::<O>),
        output_atom: Some(output_atom::<O>),
        output_term: Some(output_term::<O>),
        external: Some(external::<O>),
        assume: Some(assume::<O>),
        acyc_edge: Some(edge::<O>),
        theory_atom: Some(theory_atom::<O>),
        theory_atom_with_guard: Some(theory_atom_with_guard::<O>),
        ..of_costs::<O>()
    }
}

/// The callback for minimise statements alone.
pub fn of_costs<O: Observer>() -> sys::clingo_ground_program_observer {
    sys::clingo_ground_program_observer { minimize: Some(minimize::<O>), ..NONE }
}
