//! All calls into clingo's C interface, behind safe types.
//!
//! This file and its submodules contain all `unsafe` code of the library, except for one line of
//! `cache.rs`, which maps a file; the command also has an allocator (`objects.rs`).
//!
//! The crate `clingo` provides the linked library and its version. Its controls and symbols are not
//! used, because several of their functions cannot be called soundly. Each is avoided here by
//! construction:
//!
//! | item of the crate | defect | here |
//! |---|---|---|
//! | `control()` | message limit 0: warnings vanish | [`Control::new`] always has a logger |
//! | `control_with_context()` | the logger's address is taken before it is moved: crash at the first message | the log has its address before clingo sees it, and outlives the control |
//! | the observer it registers | slices from null pointers | [`Control::observe`] reads nothing if the size is zero |
//! | `Model::context()` | null pointer | not offered |
//! | `SolveHandle::wait` without `ASYNC` | a C++ exception crosses Rust: abort | answers come by a callback; [`Interrupter`] ends the search from another thread |
//! | interrupts in single-shot mode | ignored, unless solving is `ASYNC` | [`Control::solve`] is then `ASYNC`, and waits for the end |
//! | `all_models()`, `optimal_models()` | panic when the solver fails | every call returns a `Result` |
//! | handles without `Drop` | the control stays locked | the handle is closed before `solve` returns, on every path |
//! | `Symbol: From<u64>` | any number becomes a symbol, which clingo dereferences | only this file creates a [`Symbol`] |
//! | `Symbol`'s `Display` | panics on strings that are not UTF-8 | [`text_of`] replaces invalid sequences |
//!
//! A Rust panic inside a callback is caught there, and resumed after the C++ frames have returned.
//!
//! All symbols of the process are in one table. Versions of clingo before 5.8.1 grow the table
//! without a lock. With those versions, every call that can create a symbol holds [`SYMBOLS`];
//! newer versions lock the table.

pub mod ast;
mod call;
mod observer;
mod order;
mod symbol;

use std::any::Any;
use std::cell::Cell;
use std::ffi::{CStr, CString, OsString, c_char, c_void};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

use base::diagnostic::{Place, Position};
use clingo_sys as sys;
use ground::{GroundProgram, Truth, holds_in};
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::call::CallError;
use self::call::{ALLOCATION_FAILED, CallResult, check, fail, last_error, nul_byte, slice_or_empty};
use self::observer::{ObserverData, PanicSlot};
use self::order::SymbolBuffer;
pub use self::symbol::{Symbol, SymbolType, function_of, id_of, signature_of, text_of};
use super::costs::Costs;
use super::observation::Observer;
use super::syntax::Signature;

/// A message of clingo: the code of its kind, and its text as the clingo command prints it.
pub type RawMessage = (i32, String);

static SYMBOLS: Mutex<()> = Mutex::new(());

/// Returns clingo's version: major, minor, revision.
pub fn version() -> (i32, i32, i32) {
    clingo::version()
}

thread_local! {
    /// True if this thread holds [`SYMBOLS`]. A function that the grounder calls creates symbols
    /// while `ground` holds the lock.
    static HOLDS: Cell<bool> = const { Cell::new(false) };
}

/// The lock for calls that create symbols, if the linked clingo needs one.
struct SymbolsLock(#[expect(dead_code, reason = "held until it is dropped")] MutexGuard<'static, ()>);

fn symbols_lock() -> Option<SymbolsLock> {
    (version() < (5, 8, 1) && !HOLDS.replace(true)).then(|| SymbolsLock(SYMBOLS.lock()))
}

impl Drop for SymbolsLock {
    fn drop(&mut self) {
        HOLDS.set(false);
    }
}

/// Returns a function over `arguments`; without arguments a constant. `None` if `name` has a NUL
/// byte.
pub fn function(name: &str, arguments: &[Symbol]) -> Option<Symbol> {
    let _lock = symbols_lock();
    let name = CString::new(name).ok()?;
    let (arguments, size) = (arguments.as_ptr().cast::<sys::clingo_symbol_t>(), arguments.len());
    let mut symbol = 0;
    // SAFETY: the name and the arguments live through the call; `Symbol` is transparent.
    unsafe { sys::clingo_symbol_create_function(name.as_ptr(), arguments, size, true, &mut symbol) }
        .then_some(Symbol(symbol))
}

/// Returns a string symbol. `None` if `text` has a NUL byte.
pub fn string(text: &str) -> Option<Symbol> {
    let _lock = symbols_lock();
    let text = CString::new(text).ok()?;
    let mut symbol = 0;
    // SAFETY: `text` ends with NUL and lives through the call.
    unsafe { sys::clingo_symbol_create_string(text.as_ptr(), &mut symbol) }.then_some(Symbol(symbol))
}

/// Returns an integer symbol.
pub fn number(value: i32) -> Symbol {
    let mut symbol = 0;
    // SAFETY: the call writes the symbol.
    unsafe { sys::clingo_symbol_create_number(value, &mut symbol) };
    Symbol(symbol)
}

/// Parses a ground term, as in `-c name=term`.
pub fn parse_term(text: &str) -> Option<Symbol> {
    let _lock = symbols_lock();
    let text = CString::new(text).ok()?;
    let mut symbol = 0;
    // SAFETY: `text` ends with NUL and lives through the call; the logger takes no data.
    unsafe { sys::clingo_parse_term(text.as_ptr(), Some(ignore_message), null_mut(), 0, &mut symbol) }
        .then_some(Symbol(symbol))
}

/// A logger that ignores messages. Without a logger, clingo would print its first message.
unsafe extern "C" fn ignore_message(_: i32, _: *const c_char, _: *mut c_void) {}

/// Exits the process at once, without destructors, since a thread may still be grounding inside
/// clingo.
pub fn leave(code: i32) -> ! {
    unsafe extern "C" {
        safe fn _exit(code: i32) -> !;
    }
    _exit(code)
}

#[cfg(unix)]
unsafe extern "C" {
    /// `None` as the handler restores the default action.
    fn signal(number: i32, handler: Option<extern "C" fn(i32)>) -> usize;
}

/// Runs the clingo command and returns its exit code. It handles signals, reads and writes the
/// standard streams, and may exit the process, so call it as the only task of the process.
pub fn main(arguments: Vec<OsString>) -> i32 {
    #[cfg(unix)]
    {
        /// SIGPIPE (write to a closed pipe). Rust ignores it, but clingo relies on it to end.
        const SIGPIPE: i32 = 13;
        // SAFETY: restores the default action.
        unsafe { signal(SIGPIPE, None) };
    }
    let whole = |argument: OsString| CString::new(argument.into_encoded_bytes()).expect("no system passes a NUL byte");
    let arguments: Vec<CString> = arguments.into_iter().map(whole).collect();
    let addresses: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    // If no callbacks are set, then the name, the version, the messages and the output are those of
    // the clingo command.
    let mut application = sys::clingo_application_t {
        program_name: None,
        version: None,
        message_limit: None,
        main: None,
        logger: None,
        printer: None,
        register_options: None,
        validate_options: None,
    };
    // SAFETY: the application and the arguments, which end with NUL, live through the call, which
    // catches its exceptions.
    unsafe { sys::clingo_main(&mut application, addresses.as_ptr(), addresses.len(), null_mut()) }
}

/// Returns true if the process was started without standard output.
///
/// Rust opens the null device in its place before `main`, and clingo's streams do not reveal it.
/// The descriptor is therefore checked before either starts.
pub fn is_output_closed() -> bool {
    OUTPUT_IS_CLOSED.load(atomic::Ordering::Relaxed)
}

static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the system calls the functions of this section one after the other before `main`; this
// one needs nothing that `main` sets up.
#[unsafe(link_section = ".init_array")]
static PROBE_OUTPUT: extern "C" fn() = probe_output;

#[cfg(target_os = "linux")]
extern "C" fn probe_output() {
    const OUTPUT: i32 = 1;
    const F_GETFD: i32 = 1;
    unsafe extern "C" {
        fn fcntl(file: i32, command: i32, ...) -> i32;
    }
    // SAFETY: this command of `fcntl` reads the flags of a descriptor and takes no argument.
    let is_open = unsafe { fcntl(OUTPUT, F_GETFD) } != -1;
    OUTPUT_IS_CLOSED.store(!is_open, atomic::Ordering::Relaxed);
}

/// Notes that an allocation failed, so that [`install_signal_handlers`] attributes a subsequent
/// abort to the memory limit.
pub fn note_failed_allocation() {
    ALLOCATION_FAILED.store(true, atomic::Ordering::Relaxed);
}

/// Sets the stack size in bytes of threads that clingo starts, which compare deeply nested terms
/// recursively. Without it, glibc grants what `ulimit -s` says, usually eight megabytes, and so do
/// versions before 2.18, which lack the function. On other systems, the linker sets the size.
pub fn set_thread_stack(bytes: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::{CStr, c_char};

        /// Has room for glibc's `pthread_attr_t`, which takes at most 64 bytes.
        type Attributes = [u64; 16];
        type SetDefault = unsafe extern "C" fn(attributes: *const Attributes) -> i32;
        const SET_DEFAULT: &CStr = c"pthread_setattr_default_np";
        const ANY_LIBRARY: *mut c_void = std::ptr::null_mut();
        unsafe extern "C" {
            fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
            fn pthread_attr_init(attributes: *mut Attributes) -> i32;
            fn pthread_attr_setstacksize(attributes: *mut Attributes, bytes: usize) -> i32;
            fn pthread_attr_destroy(attributes: *mut Attributes) -> i32;
        }
        // SAFETY: the name ends with a zero byte.
        let address = unsafe { dlsym(ANY_LIBRARY, SET_DEFAULT.as_ptr()) };
        if address.is_null() {
            return;
        }
        // SAFETY: glibc's function has this type.
        let set_default: SetDefault = unsafe { std::mem::transmute(address) };
        let mut attributes: Attributes = [0; 16];
        // SAFETY: the attributes are initialised first and destroyed last. If a call fails, threads have
        // the usual stack.
        unsafe {
            pthread_attr_init(&mut attributes);
            if pthread_attr_setstacksize(&mut attributes, bytes) == 0 {
                set_default(&attributes);
            }
            pthread_attr_destroy(&mut attributes);
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = bytes;
}

/// Installs signal handlers.
///
/// - A division that crashes clingo (-2147483648 by -1, in values that only the grounder computes)
///   exits with a message and code 2 instead of a bare signal.
/// - Writing to a file that has reached the file size limit is an ordinary error.
/// - If the memory of the process is limited (`ulimit -v`), an abort after a failed allocation
///   exits with code 3. Any other abort prints that it is a defect and terminates the process as
///   usual.
#[cfg_attr(target_family = "wasm", expect(unused_variables, reason = "WebAssembly has no signals"))]
pub fn install_signal_handlers(is_memory_limited: bool) {
    #[cfg(unix)]
    {
        /// These numbers are the same on every Unix.
        const SIGFPE: i32 = 8;
        const SIGABRT: i32 = 6;
        /// SIGXFSZ (file size limit). Without it, the write fails with an ordinary error.
        const SIGXFSZ: i32 = 25;
        extern "C" fn do_nothing(_: i32) {}
        unsafe extern "C" {
            fn write(file: i32, bytes: *const c_void, length: usize) -> isize;
            safe fn raise(number: i32) -> i32;
        }
        extern "C" fn on_division(_: i32) {
            // SAFETY: `write` and `_exit` are async-signal-safe; the text is static.
            unsafe { write(2, DIVISION_ERROR.as_ptr().cast(), DIVISION_ERROR.len()) };
            leave(2)
        }
        extern "C" fn on_abort(_: i32) {
            let has_no_memory = ALLOCATION_FAILED.load(atomic::Ordering::Relaxed);
            let text = if has_no_memory {
                "gave up: the memory limit was reached\n"
            } else {
                "error: the process was aborted; this is a defect of asp-solve\n"
            };
            // SAFETY: as above.
            unsafe { write(2, text.as_ptr().cast(), text.len()) };
            if has_no_memory {
                leave(3);
            }
            // SAFETY: restores the default action; the signal is delivered when this handler
            // returns.
            unsafe { signal(SIGABRT, None) };
            raise(SIGABRT);
        }
        if is_memory_limited {
            // SAFETY: after the handler, the default action terminates the process.
            unsafe { signal(SIGABRT, Some(on_abort)) };
        }
        // SAFETY: the handler never returns to the instruction that failed.
        unsafe { signal(SIGFPE, Some(on_division)) };
        // SAFETY: the handler does nothing.
        unsafe { signal(SIGXFSZ, Some(do_nothing)) };
    }
    #[cfg(windows)]
    {
        const EXCEPTION_INT_DIVIDE_BY_ZERO: u32 = 0xC000_0094;
        const EXCEPTION_INT_OVERFLOW: u32 = 0xC000_0095;
        const EXCEPTION_CONTINUE_SEARCH: i32 = 0;
        /// Windows' `EXCEPTION_POINTERS`. Its first field points to a record that starts with the
        /// code.
        #[repr(C)]
        struct ExceptionPointers {
            record: *const u32,
            context: *const c_void,
        }
        type Handler = unsafe extern "system" fn(*const ExceptionPointers) -> i32;
        unsafe extern "system" {
            fn AddVectoredExceptionHandler(is_first: u32, handler: Handler) -> *mut c_void;
        }
        unsafe extern "system" fn on_exception(exception: *const ExceptionPointers) -> i32 {
            // SAFETY: Windows passes pointers that are valid during the call.
            let code = unsafe { *(*exception).record };
            if matches!(code, EXCEPTION_INT_DIVIDE_BY_ZERO | EXCEPTION_INT_OVERFLOW) {
                eprint!("{DIVISION_ERROR}");
                leave(2);
            }
            EXCEPTION_CONTINUE_SEARCH
        }
        // The memory of a process is limited from outside only on Unix.
        let _ = is_memory_limited;
        // SAFETY: the handler reads only the code of the exception; for the codes above, it never
        // returns to the instruction that failed.
        unsafe { AddVectoredExceptionHandler(1, on_exception) };
    }
}

#[cfg(any(unix, windows))]
const DIVISION_ERROR: &str = "error: the program divides -2147483648 by -1, which exceeds 32 bits and crashes clingo\n";

/// Receives an answer, in clingo's thread. `Break` ends the search.
pub type ModelCallback<'f> = &'f mut (dyn FnMut(&mut Model<'_>) -> ControlFlow<()> + Send);

/// The messages that clingo logs.
type Log = Mutex<Vec<RawMessage>>;

/// A clingo control. It is not shared between threads, since clingo allows one call at a time.
pub struct Control {
    raw: NonNull<sys::clingo_control_t>,
    /// clingo keeps its address. The contents of an `Arc` may be accessed while the `Arc` is moved;
    /// the contents of a `Box` may not.
    log: Arc<Log>,
    interrupter: Interrupter,
    ground: Option<Arc<Mutex<GroundProgram>>>,
    /// The minimise statements, recorded from the start because clingo reports costs in 32 bits.
    costs: Arc<Mutex<Costs>>,
    /// clingo keeps their addresses, like that of the log.
    observers: Vec<Arc<dyn Send + Sync>>,
    panic: Arc<PanicSlot>,
    /// The program is solved once, and clasp may simplify it as if no rules followed.
    is_single_shot: bool,
}

// SAFETY: a control is not bound to the thread that created it, and `&mut self` serialises the
// calls.
unsafe impl Send for Control {}

/// Ends the current or the next `solve` of a control from any thread.
#[derive(Clone)]
pub struct Interrupter(Arc<Mutex<ControlAddress>>);

struct ControlAddress(Option<NonNull<sys::clingo_control_t>>);

// SAFETY: the address is used for `clingo_control_interrupt` only, which is documented as
// thread-safe, and under a lock that the destructor of the control acquires before the address
// becomes invalid.
unsafe impl Send for ControlAddress {}

impl Interrupter {
    pub fn interrupt(&self) {
        if let Some(raw) = self.0.lock().0 {
            // SAFETY: the address is valid while it is in the mutex; see `Drop for Control`.
            unsafe { sys::clingo_control_interrupt(raw.as_ptr()) };
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.interrupter.0.lock().0 = None;
        let _lock = symbols_lock();
        // SAFETY: `clingo_control_new` has created the control, which is freed once; the log is
        // dropped later.
        unsafe { sys::clingo_control_free(self.raw.as_ptr()) };
    }
}

unsafe extern "C" fn log_message(code: i32, message: *const c_char, log: *mut c_void) {
    // SAFETY: `log` is the log of the control that logs, alive until the control is freed.
    let log = unsafe { &*log.cast::<Log>() };
    // SAFETY: clingo passes text that ends with NUL.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    log.lock().push((code, text));
}

fn c_string(text: &str) -> CallResult<CString> {
    CString::new(text).map_err(|_| nul_byte())
}

/// A program part to ground: its name and the values of its parameters.
pub type GroundPart<'a> = (&'a str, &'a [Symbol]);

/// A function call (`@name(…)`) during grounding.
pub struct FunctionCall<'a> {
    pub name: &'a str,
    pub arguments: &'a [Symbol],
    location: &'a sys::clingo_location_t,
}

impl FunctionCall<'_> {
    pub fn place(&self) -> Place {
        // SAFETY: clingo made the location, and its names live as long as clingo's table of names.
        unsafe { place(self.location) }
    }
}

/// # Safety
/// The names of the location's files are strings that end with NUL.
unsafe fn place(location: &sys::clingo_location_t) -> Place {
    // SAFETY: guaranteed by the caller.
    let file = unsafe { CStr::from_ptr(location.begin_file) }.to_string_lossy().into_owned();
    let start = Position { line: location.begin_line, column: location.begin_column };
    Place { file, start, end: Position { line: location.end_line, column: location.end_column }, label: String::new() }
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SolveResult {
    pub satisfiable: bool,
    pub unsatisfiable: bool,
    pub exhausted: bool,
    pub interrupted: bool,
}

impl SolveResult {
    /// Converts clingo's result. clasp also reports "unsatisfiable" and "exhausted" when it is
    /// interrupted while adding assumptions; both are then ignored.
    fn of(bits: u32) -> Self {
        let has = |bit: u32| bits & bit != 0;
        let interrupted = has(sys::clingo_solve_result_e_clingo_solve_result_interrupted);
        SolveResult {
            satisfiable: has(sys::clingo_solve_result_e_clingo_solve_result_satisfiable),
            unsatisfiable: !interrupted && has(sys::clingo_solve_result_e_clingo_solve_result_unsatisfiable),
            exhausted: !interrupted && has(sys::clingo_solve_result_e_clingo_solve_result_exhausted),
            interrupted,
        }
    }
}

/// An atom of the ground program.
struct SymbolicAtom {
    symbol: Symbol,
    /// The program literal. All facts share one.
    literal: i32,
    is_fact: bool,
    is_external: bool,
}

impl Control {
    /// Creates a control. `arguments` are options of the clingo command for grounding and solving;
    /// `message_limit` is the number of messages after which clingo drops further ones.
    pub fn new(arguments: &[String], message_limit: u32) -> Result<Self, (CallError, Vec<RawMessage>)> {
        let _lock = symbols_lock();
        let log = Arc::<Log>::default();
        let is_single_shot = arguments.iter().any(|argument| argument == "--single-shot");
        let fail = |error: CallError, log: &Log| (error, std::mem::take(&mut *log.lock()));
        let arguments: Vec<CString> = match arguments.iter().map(|argument| c_string(argument)).collect() {
            Ok(arguments) => arguments,
            Err(error) => return Err(fail(error, &log)),
        };
        let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        let mut raw = null_mut();
        let data = Arc::as_ptr(&log).cast_mut().cast::<c_void>();
        // SAFETY: the arguments live through the call; the log lives as long as this control.
        let created = unsafe {
            sys::clingo_control_new(pointers.as_ptr(), pointers.len(), Some(log_message), data, message_limit, &mut raw)
        };
        match NonNull::new(raw) {
            Some(raw) if created => {
                let interrupter = Interrupter(Arc::new(Mutex::new(ControlAddress(Some(raw)))));
                let (costs, panic) = (Arc::<Mutex<Costs>>::default(), Arc::default());
                let (observers, ground) = (Vec::new(), None);
                let mut control = Control { raw, log, interrupter, ground, costs, observers, panic, is_single_shot };
                match control.register(control.costs.clone(), &observer::costs_only::<Costs>()) {
                    Ok(()) => Ok(control),
                    Err(error) => Err((error, control.take_messages())),
                }
            }
            _ => Err(fail(last_error(), &log)),
        }
    }

    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Returns the messages since the last call of this function.
    pub fn take_messages(&mut self) -> Vec<RawMessage> {
        std::mem::take(&mut *self.log.lock())
    }

    /// Starts to record the ground program. It is complete when solving has begun.
    pub fn observe(&mut self) -> CallResult<Arc<Mutex<GroundProgram>>> {
        if let Some(ground) = &self.ground {
            return Ok(ground.clone());
        }
        let ground = Arc::<Mutex<GroundProgram>>::default();
        self.observe_by(ground.clone())?;
        self.ground = Some(ground.clone());
        Ok(ground)
    }

    /// Starts to pass each statement of the ground program to an observer. A panic of the observer
    /// is resumed when the interrupted call has returned from clingo.
    pub fn observe_by<O: Observer + 'static>(&mut self, observer: Arc<Mutex<O>>) -> CallResult<()> {
        self.register(observer, &observer::all_statements::<O>())
    }

    fn register<O: Observer + 'static>(
        &mut self,
        observer: Arc<Mutex<O>>,
        functions: &sys::clingo_ground_program_observer,
    ) -> CallResult<()> {
        let observed = Arc::new(ObserverData { observer, panic: self.panic.clone() });
        let data = Arc::as_ptr(&observed).cast_mut().cast::<c_void>();
        // SAFETY: clingo copies the functions, which read an `ObserverData<O>`; the data lives as
        // long as this control.
        check(unsafe { sys::clingo_control_register_observer(self.raw.as_ptr(), functions, false, data) })?;
        self.observers.push(observed);
        Ok(())
    }

    /// Returns the result of a call that may have notified observers. If an observer panicked,
    /// resumes its panic instead.
    fn observed<T>(&self, result: CallResult<T>) -> CallResult<T> {
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
        result
    }

    /// Parses a file. Messages name it as `path` does.
    pub fn load(&mut self, path: &Path) -> CallResult<()> {
        let _lock = symbols_lock();
        // On Unix a name is any sequence of bytes. Elsewhere clingo expects UTF-8, and these bytes
        // are UTF-8 if the name is valid Unicode.
        let path = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| nul_byte())?;
        // SAFETY: `path` ends with NUL and lives through the call.
        self.observed(check(unsafe { sys::clingo_control_load(self.raw.as_ptr(), path.as_ptr()) }))
    }

    /// Parses text into the part `base` (until its first `#program`). Messages name it `<block>`.
    pub fn add(&mut self, text: &str) -> CallResult<()> {
        let _lock = symbols_lock();
        let text = c_string(text)?;
        // SAFETY: both strings live through the call; there are no parameters.
        let added = unsafe { sys::clingo_control_add(self.raw.as_ptr(), c"base".as_ptr(), null(), 0, text.as_ptr()) };
        self.observed(check(added))
    }

    /// Adds ground atoms as facts, without text.
    pub fn add_facts(&mut self, facts: &[Symbol]) -> CallResult<()> {
        let _lock = symbols_lock();
        let mut backend = null_mut();
        // SAFETY: the control is valid; the backend is used only between begin and end.
        let added = unsafe {
            check(sys::clingo_control_backend(self.raw.as_ptr(), &mut backend))?;
            check(sys::clingo_backend_begin(backend))?;
            let added = facts.iter().try_for_each(|&fact| {
                let (mut symbol, mut atom) = (fact.0, 0);
                check(sys::clingo_backend_add_atom(backend, &mut symbol, &mut atom))?;
                check(sys::clingo_backend_rule(backend, false, &atom, 1, null(), 0))
            });
            let ended = check(sys::clingo_backend_end(backend));
            added.and(ended)
        };
        self.observed(added)
    }

    /// Adds the constraint that `literals` do not hold together.
    pub fn forbid(&mut self, literals: &[i32]) -> CallResult<()> {
        let mut backend = null_mut();
        // SAFETY: the control is valid; the backend is used only between begin and end; the
        // literals live through the call.
        let added = unsafe {
            check(sys::clingo_control_backend(self.raw.as_ptr(), &mut backend))?;
            check(sys::clingo_backend_begin(backend))?;
            let (body, size) = (literals.as_ptr(), literals.len());
            let added = check(sys::clingo_backend_rule(backend, false, null(), 0, body, size));
            let ended = check(sys::clingo_backend_end(backend));
            added.and(ended)
        };
        self.observed(added)
    }

    /// Adds constraints that each of `literals` holds. The observed program records them as assumptions,
    /// not as rules.
    pub fn require(&mut self, literals: &[i32]) -> CallResult<()> {
        let count = self.ground.as_ref().map(|ground| ground.lock().rules.len());
        literals.iter().try_for_each(|&literal| self.forbid(&[-literal]))?;
        if let (Some(ground), Some(count)) = (&self.ground, count) {
            let mut ground = ground.lock();
            ground.rules.truncate(count);
            ground.assumed.extend_from_slice(literals);
        }
        Ok(())
    }

    /// Removes the assumptions of earlier searches from the observed program.
    pub fn forget_assumptions(&mut self) {
        if let Some(ground) = &self.ground {
            ground.lock().assumed.clear();
        }
    }

    /// Grounds parts. Calls `evaluate` for the values of each function call (`@name(…)`); the
    /// instance of a rule is dropped if one of its calls has no values. `Break` ends the grounding
    /// with an error. Grounding cannot be interrupted.
    pub fn ground_calling<F>(&mut self, parts: &[GroundPart<'_>], evaluate: F) -> CallResult<()>
    where
        F: FnMut(&FunctionCall<'_>) -> ControlFlow<(), Vec<Symbol>>,
    {
        struct Callback<F> {
            evaluate: F,
            panic: Option<Box<dyn Any + Send>>,
        }
        unsafe extern "C" fn on_call<F>(
            location: *const sys::clingo_location_t,
            name: *const c_char,
            arguments: *const sys::clingo_symbol_t,
            size: usize,
            data: *mut c_void,
            return_values: sys::clingo_symbol_callback_t,
            return_data: *mut c_void,
        ) -> bool
        where
            F: FnMut(&FunctionCall<'_>) -> ControlFlow<(), Vec<Symbol>>,
        {
            // SAFETY: `data` is the `Callback` of the running `ground_calling`. The location, the
            // name, which ends with NUL, and the `size` arguments live through this call; `Symbol`
            // is transparent.
            let (callback, call) = unsafe {
                let (name, arguments) = (CStr::from_ptr(name), slice_or_empty(arguments.cast::<Symbol>(), size));
                let call = FunctionCall { name: name.to_str().unwrap_or_default(), arguments, location: &*location };
                (&mut *data.cast::<Callback<F>>(), call)
            };
            let values = match catch_unwind(AssertUnwindSafe(|| (callback.evaluate)(&call))) {
                Ok(ControlFlow::Continue(values)) => values,
                Ok(ControlFlow::Break(())) => return fail(c"stopped"),
                Err(panic) => {
                    callback.panic = Some(panic);
                    return fail(c"panicked");
                }
            };
            match return_values {
                // SAFETY: clingo copies the symbols, which live through the call; `Symbol` is
                // transparent.
                Some(return_values) if !values.is_empty() => unsafe {
                    return_values(values.as_ptr().cast(), values.len(), return_data)
                },
                _ => true,
            }
        }
        let mut callback = Callback { evaluate, panic: None };
        // SAFETY: the callback outlives the call and has the type that `on_call` reads.
        let grounded = unsafe { self.ground_with(parts, Some(on_call::<F>), (&raw mut callback).cast::<c_void>()) };
        if let Some(panic) = callback.panic {
            resume_unwind(panic);
        }
        self.observed(grounded)
    }

    /// # Safety
    /// `data` has the type that `callback` reads, and lives through the call.
    unsafe fn ground_with(
        &mut self,
        parts: &[GroundPart<'_>],
        callback: sys::clingo_ground_callback_t,
        data: *mut c_void,
    ) -> CallResult<()> {
        let _lock = symbols_lock();
        let names: Vec<CString> = parts.iter().map(|(name, _)| c_string(name)).collect::<CallResult<_>>()?;
        let values: Vec<Vec<sys::clingo_symbol_t>> =
            parts.iter().map(|(_, values)| values.iter().map(|value| value.0).collect()).collect();
        let raw: Vec<sys::clingo_part> = names
            .iter()
            .zip(&values)
            .map(|(name, values)| sys::clingo_part { name: name.as_ptr(), params: values.as_ptr(), size: values.len() })
            .collect();
        // SAFETY: names and values live through the call; the rest is guaranteed by the caller.
        check(unsafe { sys::clingo_control_ground(self.raw.as_ptr(), raw.as_ptr(), raw.len(), callback, data) })
    }

    /// Solves under assumptions (program literals), calling `on_model` in clingo's thread for each
    /// answer until it breaks.
    ///
    /// Returns the result and, if the assumptions are jointly unsatisfiable, an unsatisfiable core.
    pub fn solve(&mut self, assumptions: &[i32], on_model: ModelCallback<'_>) -> CallResult<(SolveResult, Vec<i32>)> {
        struct Callback<'f> {
            on_model: ModelCallback<'f>,
            costs: &'f Mutex<Costs>,
            buffer: SymbolBuffer,
            panic: Option<Box<dyn Any + Send>>,
        }
        unsafe extern "C" fn on_event(kind: u32, event: *mut c_void, data: *mut c_void, go_on: *mut bool) -> bool {
            if kind != sys::clingo_solve_event_type_e_clingo_solve_event_type_model {
                return true;
            }
            let Some(model) = NonNull::new(event.cast::<sys::clingo_model_t>()) else { return true };
            // SAFETY: `data` is the `Callback` of the running `solve`, whose thread waits; clingo calls
            // back one thread at a time, and what a `ModelCallback` captures may change threads.
            let callback = unsafe { &mut *data.cast::<Callback<'_>>() };
            let source = Source::Clingo { raw: model, costs: callback.costs };
            let mut view = Model { source, buffer: &mut callback.buffer };
            let flow = match catch_unwind(AssertUnwindSafe(|| (callback.on_model)(&mut view))) {
                Ok(flow) => flow,
                Err(panic) => {
                    callback.panic = Some(panic);
                    ControlFlow::Break(())
                }
            };
            // SAFETY: clingo passes a valid pointer.
            unsafe { *go_on = flow.is_continue() };
            true
        }

        self.update_frozen()?;
        // In single-shot mode, clasp can be interrupted only if it searches in a thread of its own.
        // WebAssembly has none, and its clasp polls.
        let mode = if self.is_single_shot && !cfg!(target_family = "wasm") {
            sys::clingo_solve_mode_e_clingo_solve_mode_async
        } else {
            0
        };
        let mut callback = Callback { on_model, costs: &self.costs, buffer: SymbolBuffer::default(), panic: None };
        let mut handle = null_mut();
        let mut bits = 0;
        let mut core = Vec::new();
        // SAFETY: `callback` outlives the handle, which is closed below on every path.
        let solved = unsafe {
            check(sys::clingo_control_solve(
                self.raw.as_ptr(),
                mode,
                assumptions.as_ptr(),
                assumptions.len(),
                Some(on_event),
                (&raw mut callback).cast::<c_void>(),
                &mut handle,
            ))
            .and_then(|()| {
                let result = check(sys::clingo_solve_handle_get(handle, &mut bits));
                if result.is_ok() && bits & sys::clingo_solve_result_e_clingo_solve_result_unsatisfiable != 0 {
                    core = core_of(handle);
                }
                result.and(check(sys::clingo_solve_handle_close(handle)))
            })
        };
        if let Some(panic) = callback.panic {
            resume_unwind(panic);
        }
        self.observed(solved)?;
        Ok((SolveResult::of(bits), core))
    }

    /// Completes the program without searching, so that observers have received all of it.
    pub fn prepare(&mut self) -> CallResult<()> {
        self.update_frozen()?;
        let mut handle = null_mut();
        let mode = sys::clingo_solve_mode_e_clingo_solve_mode_yield;
        // SAFETY: no callback; the handle is closed at once, before it begins a search.
        let prepared = unsafe {
            check(sys::clingo_control_solve(self.raw.as_ptr(), mode, null(), 0, None, null_mut(), &mut handle))
                .and_then(|()| check(sys::clingo_solve_handle_close(handle)))
        };
        self.observed(prepared)
    }

    /// Returns the program literal of an atom, if the atom occurs in the ground program.
    pub fn literal(&self, atom: Symbol) -> Option<i32> {
        let atoms = self.atoms().ok()?;
        let (mut place, mut valid, mut literal) = (0, false, 0);
        // SAFETY: the iterator is used only if it is valid for these atoms.
        unsafe {
            check(sys::clingo_symbolic_atoms_find(atoms, atom.0, &mut place)).ok()?;
            check(sys::clingo_symbolic_atoms_is_valid(atoms, place, &mut valid)).ok()?;
            if !valid {
                return None;
            }
            check(sys::clingo_symbolic_atoms_literal(atoms, place, &mut literal)).ok()?;
        }
        // Atoms whose rules have unsatisfiable bodies have no literal.
        (literal != 0).then_some(literal)
    }

    /// Records in the observed program which of its external atoms clasp treats as external, since
    /// clasp drops rules that support themselves. Must precede a search, which merges equivalent
    /// atoms.
    fn update_frozen(&self) -> CallResult<()> {
        let Some(ground) = &self.ground else { return Ok(()) };
        let mut ground = ground.lock();
        if ground.externals.is_empty() {
            return Ok(());
        }
        let mut external = FxHashSet::default();
        self.for_each_atom(None, |atom| {
            external.extend(atom.is_external.then_some(atom.literal.unsigned_abs()));
            ControlFlow::Continue(())
        })?;
        ground.update_frozen(|atom| external.contains(&atom));
        Ok(())
    }

    /// Returns all atoms of the ground program, each with true if it is a fact.
    pub fn known_atoms(&self) -> CallResult<Vec<(Symbol, bool)>> {
        let mut found = Vec::new();
        self.for_each_atom(None, |atom| {
            found.push((atom.symbol, atom.is_fact));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Returns the external atoms with their numbers.
    pub fn external_atoms(&self) -> CallResult<FxHashMap<Symbol, u32>> {
        let mut found = FxHashMap::default();
        self.for_each_atom(None, |atom| {
            found.extend(atom.is_external.then_some((atom.symbol, atom.literal.unsigned_abs())));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Returns the atoms of a predicate in the ground program, at most `limit`.
    pub fn atoms_of(&self, predicate: &Signature, limit: usize) -> CallResult<Vec<Symbol>> {
        let (mut signature, mut found) = (0, Vec::new());
        let Signature { is_positive, name, arity } = predicate;
        let text = c_string(name)?;
        // SAFETY: the name lives through the call; the result is written on success.
        check(unsafe { sys::clingo_signature_create(text.as_ptr(), *arity as u32, *is_positive, &mut signature) })?;
        self.for_each_atom(Some(signature), |atom| {
            found.push(atom.symbol);
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found)
    }

    /// Returns the program literals of all named atoms.
    pub fn known_literals(&self) -> CallResult<Vec<i32>> {
        let mut found = Vec::new();
        self.for_each_atom(None, |atom| {
            found.push(atom.literal);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Calls `visit` for each atom of a predicate, or for all atoms, until it breaks.
    fn for_each_atom(
        &self,
        signature: Option<sys::clingo_signature_t>,
        mut visit: impl FnMut(SymbolicAtom) -> ControlFlow<()>,
    ) -> CallResult<()> {
        let atoms = self.atoms()?;
        let (mut place, mut valid) = (0, false);
        let signature = signature.as_ref().map_or(null(), std::ptr::from_ref);
        // SAFETY: the iterator is read only while clingo reports it as valid, and no call changes
        // the atoms meanwhile.
        unsafe {
            check(sys::clingo_symbolic_atoms_begin(atoms, signature, &mut place))?;
            loop {
                check(sys::clingo_symbolic_atoms_is_valid(atoms, place, &mut valid))?;
                if !valid {
                    return Ok(());
                }
                let mut atom = SymbolicAtom { symbol: Symbol(0), literal: 0, is_fact: false, is_external: false };
                check(sys::clingo_symbolic_atoms_symbol(atoms, place, &mut atom.symbol.0))?;
                check(sys::clingo_symbolic_atoms_literal(atoms, place, &mut atom.literal))?;
                check(sys::clingo_symbolic_atoms_is_fact(atoms, place, &mut atom.is_fact))?;
                check(sys::clingo_symbolic_atoms_is_external(atoms, place, &mut atom.is_external))?;
                if visit(atom).is_break() {
                    return Ok(());
                }
                check(sys::clingo_symbolic_atoms_next(atoms, place, &mut place))?;
            }
        }
    }

    fn atoms(&self) -> CallResult<*const sys::clingo_symbolic_atoms_t> {
        let mut atoms = null();
        // SAFETY: the control is valid; the result belongs to it.
        check(unsafe { sys::clingo_control_symbolic_atoms(self.raw.as_ptr(), &mut atoms) })?;
        Ok(atoms)
    }

    /// Returns the predicates of all atoms of the ground program, and those that only occur in
    /// bodies.
    pub fn signatures(&self) -> CallResult<Vec<Signature>> {
        let (atoms, mut size) = (self.atoms()?, 0);
        // SAFETY: the atoms belong to this control; the buffer has room for `size` signatures. A
        // name ends with NUL and lives as long as the process.
        unsafe {
            check(sys::clingo_symbolic_atoms_signatures_size(atoms, &mut size))?;
            let mut signatures = vec![0; size];
            check(sys::clingo_symbolic_atoms_signatures(atoms, signatures.as_mut_ptr(), size))?;
            let signature = |signature: sys::clingo_signature_t| {
                let name = CStr::from_ptr(sys::clingo_signature_name(signature)).to_string_lossy();
                let arity = sys::clingo_signature_arity(signature) as usize;
                Signature { is_positive: sys::clingo_signature_is_positive(signature), ..Signature::new(name, arity) }
            };
            Ok(signatures.into_iter().map(signature).collect())
        }
    }

    /// Returns the number of theory atoms that the last grounding created. clingo drops them when
    /// solving begins.
    pub fn theory_atoms(&self) -> CallResult<usize> {
        let (mut atoms, mut size) = (null(), 0);
        // SAFETY: the control is valid; the result belongs to it and is used at once.
        unsafe {
            check(sys::clingo_control_theory_atoms(self.raw.as_ptr(), &mut atoms))?;
            check(sys::clingo_theory_atoms_size(atoms, &mut size))?;
        }
        Ok(size)
    }

    /// Sets the value of an external atom. Atoms that do not occur in the ground program are
    /// ignored.
    pub fn assign_external(&mut self, atom: Symbol, value: Truth) -> CallResult<()> {
        let Some(literal) = self.literal(atom) else { return Ok(()) };
        let value = match value {
            Truth::False => sys::clingo_truth_value_e_clingo_truth_value_false,
            Truth::True => sys::clingo_truth_value_e_clingo_truth_value_true,
            Truth::Free => sys::clingo_truth_value_e_clingo_truth_value_free,
        };
        // SAFETY: the literal belongs to this control.
        self.observed(check(unsafe { sys::clingo_control_assign_external(self.raw.as_ptr(), literal, value as i32) }))
    }

    /// Releases an external atom, which is false from now on.
    pub fn release_external(&mut self, atom: Symbol) -> CallResult<()> {
        let Some(literal) = self.literal(atom) else { return Ok(()) };
        // SAFETY: the literal belongs to this control.
        self.observed(check(unsafe { sys::clingo_control_release_external(self.raw.as_ptr(), literal) }))
    }

    /// Returns the value of the program's `#const` of this name, if it exists.
    pub fn constant(&self, name: &str) -> CallResult<Option<Symbol>> {
        let name = c_string(name)?;
        let (mut exists, mut value) = (false, 0);
        // SAFETY: `name` lives through the calls; the value is read only if the constant exists.
        unsafe {
            check(sys::clingo_control_has_const(self.raw.as_ptr(), name.as_ptr(), &mut exists))?;
            if !exists {
                return Ok(None);
            }
            check(sys::clingo_control_get_const(self.raw.as_ptr(), name.as_ptr(), &mut value))?;
        }
        Ok(Some(Symbol(value)))
    }

    /// Returns the value of an option of the solver, for instance `solve.opt_mode`.
    pub fn setting(&self, key: &str) -> CallResult<String> {
        let key = c_string(key)?;
        let (mut configuration, mut root, mut entry, mut size) = (null_mut(), 0, 0, 0);
        // SAFETY: the configuration belongs to the control; `key` lives through the calls.
        unsafe {
            check(sys::clingo_control_configuration(self.raw.as_ptr(), &mut configuration))?;
            check(sys::clingo_configuration_root(configuration, &mut root))?;
            check(sys::clingo_configuration_map_at(configuration, root, key.as_ptr(), &mut entry))?;
            check(sys::clingo_configuration_value_get_size(configuration, entry, &mut size))?;
            let mut value = vec![0_u8; size];
            check(sys::clingo_configuration_value_get(configuration, entry, value.as_mut_ptr().cast(), size))?;
            value.truncate(size.saturating_sub(1));
            Ok(String::from_utf8_lossy(&value).into_owned())
        }
    }

    /// Sets an option of the solver for subsequent searches.
    pub fn set(&mut self, key: &str, value: &str) -> CallResult<()> {
        let (key, value) = (c_string(key)?, c_string(value)?);
        let (mut configuration, mut root, mut entry) = (null_mut(), 0, 0);
        // SAFETY: the configuration belongs to the control; `key` and `value` live through the
        // calls.
        unsafe {
            check(sys::clingo_control_configuration(self.raw.as_ptr(), &mut configuration))?;
            check(sys::clingo_configuration_root(configuration, &mut root))?;
            check(sys::clingo_configuration_map_at(configuration, root, key.as_ptr(), &mut entry))?;
            check(sys::clingo_configuration_value_set(configuration, entry, value.as_ptr()))
        }
    }

    /// Returns the solver's statistics at a path of names, as a tree of objects, arrays and numbers.
    pub fn statistics(&self, path: &[&CStr]) -> CallResult<serde_json::Value> {
        let (mut statistics, mut key) = (null(), 0);
        // SAFETY: the statistics belong to the control, which is not used meanwhile. The call fails if
        // an object has no entry of this name.
        unsafe {
            check(sys::clingo_control_statistics(self.raw.as_ptr(), &mut statistics))?;
            check(sys::clingo_statistics_root(statistics, &mut key))?;
            for name in path {
                check(sys::clingo_statistics_map_at(statistics, key, name.as_ptr(), &mut key))?;
            }
            statistics_below(statistics, key)
        }
    }
}

/// # Safety
/// `handle` is open and its result is available.
unsafe fn core_of(handle: *mut sys::clingo_solve_handle_t) -> Vec<i32> {
    let (mut core, mut size) = (null(), 0);
    // SAFETY: guaranteed by the caller; the core is valid until the handle is closed and copied
    // here.
    unsafe {
        if sys::clingo_solve_handle_core(handle, &mut core, &mut size) && !core.is_null() {
            std::slice::from_raw_parts(core, size).to_vec()
        } else {
            Vec::new()
        }
    }
}

/// # Safety
/// `key` is a key of `statistics`.
unsafe fn statistics_below(statistics: *const sys::clingo_statistics_t, key: u64) -> CallResult<serde_json::Value> {
    let mut kind = 0;
    let mut size = 0;
    // SAFETY: guaranteed by the caller; each key below comes from clingo.
    unsafe {
        check(sys::clingo_statistics_type(statistics, key, &mut kind))?;
        match kind as u32 {
            sys::clingo_statistics_type_e_clingo_statistics_type_value => {
                let mut value = 0.0;
                check(sys::clingo_statistics_value_get(statistics, key, &mut value))?;
                Ok(json_number(value))
            }
            sys::clingo_statistics_type_e_clingo_statistics_type_array => {
                check(sys::clingo_statistics_array_size(statistics, key, &mut size))?;
                let items = (0..size).map(|index| {
                    let mut child = 0;
                    check(sys::clingo_statistics_array_at(statistics, key, index, &mut child))?;
                    statistics_below(statistics, child)
                });
                items.collect::<CallResult<Vec<_>>>().map(Into::into)
            }
            sys::clingo_statistics_type_e_clingo_statistics_type_map => {
                check(sys::clingo_statistics_map_size(statistics, key, &mut size))?;
                let entries = (0..size).map(|index| {
                    let (mut name, mut child) = (null(), 0);
                    check(sys::clingo_statistics_map_subkey_name(statistics, key, index, &mut name))?;
                    check(sys::clingo_statistics_map_at(statistics, key, name, &mut child))?;
                    let name = CStr::from_ptr(name).to_string_lossy().into_owned();
                    Ok((name, statistics_below(statistics, child)?))
                });
                entries.collect::<CallResult<serde_json::Map<_, _>>>().map(Into::into)
            }
            _ => Ok(serde_json::Value::Null),
        }
    }
}

/// Formats whole numbers without a fraction.
fn json_number(value: f64) -> serde_json::Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { (value as i64).into() } else { value.into() }
}

/// The order of an answer's atoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The order in which the clingo command prints them; differs between builds of clingo.
    AsFound,
    /// clingo's order of terms.
    Sorted,
}

/// An answer, valid inside the callback only.
pub struct Model<'a> {
    source: Source<'a>,
    buffer: &'a mut SymbolBuffer,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Clingo { raw: NonNull<sys::clingo_model_t>, costs: &'a Mutex<Costs> },
    Stored(&'a StoredModel),
}

/// An answer of a solver other than clingo.
#[derive(Debug, Default)]
pub struct StoredModel {
    pub shown: Vec<Symbol>,
    pub atoms: Vec<Symbol>,
    /// The true atoms of the ground program.
    pub holding: FxHashSet<u32>,
    pub costs: Vec<i64>,
    /// The priorities of the costs, highest first.
    pub priorities: Vec<i32>,
    pub number: u64,
    pub is_optimal: bool,
}

impl StoredModel {
    /// Calls `on_model` with a view of the answer.
    pub fn show<T>(&self, on_model: impl FnOnce(&mut Model<'_>) -> T) -> T {
        on_model(&mut Model { source: Source::Stored(self), buffer: &mut SymbolBuffer::default() })
    }
}

impl Model<'_> {
    /// Returns the shown atoms and terms.
    pub fn shown(&mut self, order: Order) -> CallResult<impl ExactSizeIterator<Item = Symbol> + '_> {
        self.symbols_of(sys::clingo_show_type_e_clingo_show_type_shown, order)
    }

    /// Returns all true atoms, shown or not.
    pub fn atoms(&mut self) -> CallResult<impl ExactSizeIterator<Item = Symbol> + '_> {
        self.symbols_of(sys::clingo_show_type_e_clingo_show_type_atoms, Order::AsFound)
    }

    fn symbols_of(
        &mut self,
        show: sys::clingo_show_type_bitset_t,
        order: Order,
    ) -> CallResult<impl ExactSizeIterator<Item = Symbol> + '_> {
        let symbols = &mut self.buffer.symbols;
        match self.source {
            Source::Clingo { raw, .. } => {
                let mut size = 0;
                // SAFETY: the model is valid in the callback; the buffer has room for `size`
                // symbols.
                unsafe {
                    check(sys::clingo_model_symbols_size(raw.as_ptr(), show, &mut size))?;
                    symbols.resize(size, 0);
                    check(sys::clingo_model_symbols(raw.as_ptr(), show, symbols.as_mut_ptr(), size))?;
                }
            }
            Source::Stored(known) => {
                let is_shown = show == sys::clingo_show_type_e_clingo_show_type_shown;
                let stored = if is_shown { &known.shown } else { &known.atoms };
                symbols.clear();
                symbols.extend(stored.iter().map(|symbol| symbol.0));
            }
        }
        if order == Order::Sorted {
            self.buffer.sort();
        }
        Ok(self.buffer.symbols.iter().map(|&symbol| Symbol(symbol)))
    }

    /// Returns true if a program literal holds.
    pub fn holds(&self, literal: i32) -> CallResult<bool> {
        let raw = match self.source {
            Source::Clingo { raw, .. } => raw,
            Source::Stored(known) => return Ok(holds_in(literal, |atom| known.holding.contains(&atom))),
        };
        let mut holds = false;
        // SAFETY: the model is valid in the callback; numbers of no atom are false.
        check(unsafe { sys::clingo_model_is_true(raw.as_ptr(), literal, &mut holds) })?;
        Ok(holds)
    }

    /// Returns the atoms of a ground program that are true.
    pub fn true_atoms(&self, ground: &GroundProgram) -> CallResult<FxHashSet<u32>> {
        let mut true_atoms = FxHashSet::default();
        for atom in ground.atoms() {
            if self.holds(atom as i32)? {
                true_atoms.insert(atom);
            }
        }
        Ok(true_atoms)
    }

    /// Returns the atoms of a ground program that are true, in ascending order, as claims list
    /// them.
    pub fn sorted_true_atoms(&self, ground: &GroundProgram) -> CallResult<Vec<u32>> {
        let mut true_atoms: Vec<u32> = self.true_atoms(ground)?.into_iter().collect();
        true_atoms.sort_unstable();
        Ok(true_atoms)
    }

    /// Returns the costs of each priority, highest first; empty without optimisation.
    pub fn costs(&self) -> CallResult<Vec<i64>> {
        let (raw, costs) = match self.source {
            Source::Clingo { raw, costs } => (raw, costs),
            Source::Stored(known) => return Ok(known.costs.clone()),
        };
        let mut size = 0;
        // SAFETY: the model is valid in the callback; the buffer has room for `size` costs.
        let by_clingo = unsafe {
            check(sys::clingo_model_cost_size(raw.as_ptr(), &mut size))?;
            let mut by_clingo = vec![0; size];
            check(sys::clingo_model_cost(raw.as_ptr(), by_clingo.as_mut_ptr(), size))?;
            by_clingo
        };
        costs.lock().of_answer(by_clingo, |literal| self.holds(literal))
    }

    /// Returns the priorities of the program's costs, highest first.
    pub fn priorities(&self) -> Vec<i32> {
        match self.source {
            Source::Clingo { costs, .. } => costs.lock().priorities(),
            Source::Stored(known) => known.priorities.clone(),
        }
    }

    /// Returns the answer's number, from 1. Counting restarts when `--opt-mode=optN` has proven the
    /// optimum.
    pub fn number(&self) -> CallResult<u64> {
        let raw = match self.source {
            Source::Clingo { raw, .. } => raw,
            Source::Stored(known) => return Ok(known.number),
        };
        let mut number = 0;
        // SAFETY: the model is valid in the callback.
        check(unsafe { sys::clingo_model_number(raw.as_ptr(), &mut number) })?;
        Ok(number)
    }

    /// Returns true if clingo has proven that no answer costs less (with `--opt-mode=optN`).
    pub fn optimality_proven(&self) -> CallResult<bool> {
        let raw = match self.source {
            Source::Clingo { raw, .. } => raw,
            Source::Stored(known) => return Ok(known.is_optimal),
        };
        let mut proven = false;
        // SAFETY: the model is valid in the callback.
        check(unsafe { sys::clingo_model_optimality_proven(raw.as_ptr(), &mut proven) })?;
        Ok(proven)
    }
}

#[cfg(test)]
mod tests {
    use super::symbol::{MAX_RECURSION_DEPTH, compare};
    use super::*;

    #[test]
    fn an_interrupted_search_proves_nothing() {
        let all = 0b1111;
        let interrupted = SolveResult::of(all & !sys::clingo_solve_result_e_clingo_solve_result_satisfiable);
        assert_eq!(interrupted, SolveResult { interrupted: true, ..SolveResult::default() });
        let whole = SolveResult::of(all & !sys::clingo_solve_result_e_clingo_solve_result_interrupted);
        assert_eq!((whole.satisfiable, whole.unsatisfiable, whole.exhausted), (true, true, true));
    }

    #[test]
    fn answers_are_sorted_by_ranks_as_by_comparisons() {
        let mut random = 1_u64;
        let mut buffer = SymbolBuffer::default();
        let mut times_ranked = 0;
        for answer in 0..2_000 {
            // Later answers have other symbols too.
            let symbols = (0..30 + answer / 100).filter_map(|index| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let name = ["p", "q", ""][index % 3];
                let symbol = function(name, &[number((random >> 40) as i32 % 3), number(index as i32)])?;
                (random >> 60 > 7).then_some(symbol.0)
            });
            buffer.symbols = symbols.collect();
            // An answer may show a symbol twice.
            buffer.symbols.extend(buffer.symbols.first().copied());
            let mut expected = buffer.symbols.clone();
            expected.sort_by(|&a, &b| compare(a, b));
            times_ranked += usize::from(buffer.has_ranks());
            buffer.sort();
            assert_eq!(buffer.symbols, expected);
        }
        assert!((500..2_000).contains(&times_ranked), "{times_ranked}");
    }

    /// Appends the symbol by clingo's own function.
    fn text_by_clingo(symbol: Symbol, out: &mut Vec<u8>) {
        let mut size = 0;
        // SAFETY: symbols are valid for the life of the process; `size` is written.
        if !unsafe { sys::clingo_symbol_to_string_size(symbol.0, &mut size) } || size == 0 {
            return;
        }
        let start = out.len();
        out.resize(start + size, 0);
        // SAFETY: the buffer has room for `size` bytes, including the terminating NUL.
        if unsafe { sys::clingo_symbol_to_string(symbol.0, out[start..].as_mut_ptr().cast::<c_char>(), size) } {
            out.truncate(start + size - 1);
        } else {
            out.truncate(start);
        }
    }

    #[test]
    fn symbols_are_formatted_as_by_clingo() {
        let terms = [
            "0",
            "-7",
            "-2147483648",
            "#inf",
            "#sup",
            "a",
            "-a",
            "_a'",
            "()",
            "(1,)",
            "(1,2)",
            "((),)",
            "-f(1)",
            "f(-1,g(#inf),\"x\")",
            "\"\"",
            "\"a\\nb\\\\c\\\"d'e\tü\"",
            "f((a,b),((1,2),))",
            "(\"a\",)",
        ];
        let mut symbols: Vec<Symbol> =
            terms.iter().map(|term| parse_term(term).unwrap_or_else(|| panic!("{term} is no term"))).collect();
        // Names that no program can have.
        let mut nested = symbols[0];
        symbols.extend(["", "é", "a b"].iter().filter_map(|name| function(name, &[nested])));
        for _ in 0..2 * MAX_RECURSION_DEPTH {
            nested = function("f", &[nested]).expect("a term");
            symbols.push(nested);
        }
        for symbol in symbols {
            let (mut ours, mut of_clingo) = (b"before ".to_vec(), b"before ".to_vec());
            text_of(symbol, &mut ours);
            text_by_clingo(symbol, &mut of_clingo);
            assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&of_clingo));
        }
    }
}
