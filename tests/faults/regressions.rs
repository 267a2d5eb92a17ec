//! Holes that were found, and stay closed.
