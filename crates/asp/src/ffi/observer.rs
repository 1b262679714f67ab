//! Callbacks that clingo calls for each statement of the ground program.
//!
//! No panic leaves a callback. It is stored in the [`PanicSlot`] of the control and resumed when
//! the grounding call has returned from clingo; clingo receives an error.

use std::any::Any;
use std::ffi::c_void;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use clingo_sys as sys;
use ground::Truth;
use parking_lot::Mutex;

use super::call::{fail, slice_or_empty};
use super::symbol::Symbol;
use crate::observation::{AspifStatement, Observer};

/// Holds the panic of an observer until it can be resumed.
#[derive(Default)]
pub struct PanicSlot(Mutex<Option<Box<dyn Any + Send>>>);

impl PanicSlot {
    pub fn take(&self) -> Option<Box<dyn Any + Send>> {
        self.0.lock().take()
    }

    fn put(&self, panic: Box<dyn Any + Send>) {
        *self.0.lock() = Some(panic);
    }
}

/// The data of the callbacks below.
pub struct ObserverData<O> {
    pub observer: Arc<Mutex<O>>,
    pub panic: Arc<PanicSlot>,
}

/// Passes a statement to an observer. Returns false if clingo must stop.
///
/// # Safety
/// `data` is an `ObserverData<O>`.
unsafe fn notify<'a, O: Observer>(data: *mut c_void, statement: impl FnOnce() -> AspifStatement<'a>) -> bool {
    // SAFETY: guaranteed by the caller.
    let ObserverData { observer, panic } = unsafe { &*data.cast::<ObserverData<O>>() };
    let result = catch_unwind(AssertUnwindSafe(|| observer.lock().on_statement(statement())));
    match result {
        Ok(ControlFlow::Continue(())) => true,
        Ok(ControlFlow::Break(())) => fail(c"stopped"),
        Err(payload) => {
            panic.put(payload);
            fail(c"panicked")
        }
    }
}

/// # Safety
/// `weighted` points to `size` items, unless `size` is 0.
unsafe fn weighted(weighted: *const sys::clingo_weighted_literal, size: usize) -> Vec<(i32, i32)> {
    // SAFETY: guaranteed by the caller.
    unsafe { slice_or_empty(weighted, size) }.iter().map(|item| (item.literal, item.weight)).collect()
}

unsafe extern "C" fn rule<O: Observer>(
    is_choice: bool,
    head: *const u32,
    heads: usize,
    body: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: clingo passes arrays of these sizes, and the registered data.
    unsafe {
        notify::<O>(data, || AspifStatement::Rule {
            is_choice,
            head: slice_or_empty(head, heads),
            body: slice_or_empty(body, size),
        })
    }
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
        notify::<O>(data, || AspifStatement::WeightRule {
            is_choice,
            head: slice_or_empty(head, heads),
            bound,
            body: &body,
        })
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
        notify::<O>(data, || AspifStatement::Minimize { priority, literals: &literals })
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
    unsafe { notify::<O>(data, || AspifStatement::External(atom, value)) }
}

unsafe extern "C" fn edge<O: Observer>(
    from: i32,
    to: i32,
    condition: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe { notify::<O>(data, || AspifStatement::Edge { from, to, condition: slice_or_empty(condition, size) }) }
}

unsafe extern "C" fn output_atom<O: Observer>(symbol: sys::clingo_symbol_t, atom: u32, data: *mut c_void) -> bool {
    let condition = i32::try_from(atom).ok().filter(|atom| *atom > 0);
    // SAFETY: as above.
    unsafe { notify::<O>(data, || AspifStatement::Output(Symbol(symbol), condition.as_slice())) }
}

unsafe extern "C" fn output_term<O: Observer>(
    symbol: sys::clingo_symbol_t,
    condition: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as above.
    unsafe { notify::<O>(data, || AspifStatement::Output(Symbol(symbol), slice_or_empty(condition, size))) }
}

unsafe extern "C" fn assume<O: Observer>(literals: *const i32, size: usize, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { notify::<O>(data, || AspifStatement::Assume(slice_or_empty(literals, size))) }
}

unsafe extern "C" fn project<O: Observer>(atoms: *const u32, size: usize, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { notify::<O>(data, || AspifStatement::Project(slice_or_empty(atoms, size))) }
}

unsafe extern "C" fn theory_atom<O: Observer>(atom: u32, _: u32, _: *const u32, _: usize, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { notify::<O>(data, || AspifStatement::TheoryAtom(atom)) }
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
    unsafe { notify::<O>(data, || AspifStatement::TheoryAtom(atom)) }
}

const EMPTY: sys::clingo_ground_program_observer = sys::clingo_ground_program_observer {
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

/// Returns callbacks for all statements.
pub fn all_statements<O: Observer>() -> sys::clingo_ground_program_observer {
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
        ..costs_only::<O>()
    }
}

/// Returns the callback for minimize statements only.
pub fn costs_only<O: Observer>() -> sys::clingo_ground_program_observer {
    sys::clingo_ground_program_observer { minimize: Some(minimize::<O>), ..EMPTY }
}
