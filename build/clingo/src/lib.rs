//! Empty: this package exists for its lock file alone.
