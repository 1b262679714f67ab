//! Ends the process, whatever its threads do, without leaving temporary files behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use parking_lot::{Mutex, MutexGuard};

use super::terminal;

/// Temporary files that must not be left behind, whichever thread exits the process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The temporary files that are removed at the end.
pub fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock()
}

/// Held by the thread that exits the process; others block.
static LEAVING: Mutex<()> = Mutex::new(());

/// Calls `handler` on Ctrl-C, unless another handler was set before.
#[cfg(not(target_family = "wasm"))]
pub fn on_interrupt(handler: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(handler);
}

/// Does nothing, since WebAssembly has no signals.
#[cfg(target_family = "wasm")]
pub fn on_interrupt(_handler: impl FnMut() + Send + 'static) {}

/// Exits on Ctrl-C, printing "interrupted" last.
pub fn leave_interrupted() -> ! {
    let _leaving = LEAVING.lock();
    terminal::print_line("interrupted");
    clean_up_and_leave(3)
}

/// Exits the process at once, whatever its threads do, and removes temporary files.
pub fn leave(code: i32) -> ! {
    let _leaving = LEAVING.lock();
    clean_up_and_leave(code)
}

fn clean_up_and_leave(code: i32) -> ! {
    let _cleared = terminal::try_clear_progress();
    for path in unfinished().iter() {
        // The file may just have been renamed.
        let _ = fs::remove_file(path);
    }
    asp::leave(code)
}
