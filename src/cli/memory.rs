//! How much memory there is, and how much of it is used.

use std::sync::OnceLock;

use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Returns half of the memory that is available to this process: the default limit of searches that
/// store states. Returns 2 GB if the system does not report the available memory.
pub fn half_of_memory() -> u64 {
    const UNKNOWN: u64 = 4_000_000_000;
    static HALF: OnceLock<u64> = OnceLock::new();
    *HALF.get_or_init(|| {
        let system = System::new().ok().map(|mut system| {
            system.refresh_memory();
            system
        });
        let free = system.as_ref().map(System::available_memory).filter(|&free| free > 0);
        // A container or cgroup may be limited to less memory than the machine has.
        let in_group = system.and_then(|mut system| {
            let pid = sysinfo::get_current_pid().ok()?;
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, ProcessRefreshKind::nothing());
            let limits = [system.process(pid).and_then(Process::cgroup_limits), system.cgroup_limits()];
            limits.into_iter().flatten().map(|limits| limits.free_memory).min()
        });
        free.unwrap_or(UNKNOWN).min(in_group.unwrap_or(u64::MAX)).min(address_space()) / 2
    })
}

/// The memory use of the process relative to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryState {
    Enough,
    Short,
    /// The remaining memory is reserved for the report.
    Spent,
}

impl MemoryState {
    /// Compares the memory in use with `limit` minus a reserve, since memory grows while the
    /// watcher sleeps and the report needs some.
    pub fn now(limit: u64) -> Self {
        let reserve = (limit / 10).max(12 << 20).min(limit / 4);
        match memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64) {
            used if used > limit - reserve / 2 => MemoryState::Spent,
            used if used > limit - reserve => MemoryState::Short,
            _ => MemoryState::Enough,
        }
    }
}

/// Returns the address space limit of the process in bytes.
#[cfg(unix)]
pub fn address_space() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::As).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
pub fn address_space() -> u64 {
    u64::MAX
}
