//! What an adapter may use. Every value has its reason in the hub's
//! `config.default.toml`.

use serde::Deserialize;

/// Limits of one step of one adapter, and of one flow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Time a step may compute, in milliseconds of epoch time.
    pub step_ms: u64,
    /// Time `describe` may compute when a component is loaded, in milliseconds
    /// of epoch time.
    pub describe_ms: u64,
    /// Linear memory of an instance, in bytes.
    pub memory_bytes: usize,
    /// Core instances and memories of one component (JavaScript and Python
    /// components are made of several).
    pub instances: usize,
    pub memories: usize,
    /// State between two steps, in bytes.
    pub state_bytes: usize,
    /// Body of one request, in bytes.
    pub request_bytes: usize,
    /// Body of one answer, in bytes.
    pub response_bytes: usize,
    /// Steps of one flow.
    pub steps: u32,
    /// Longest pause between two steps, in milliseconds; longer ones are cut.
    pub pause_ms: u64,
    /// Signatures one step may ask for.
    pub signatures: u32,
    /// Log lines one step may write, and the length kept of each.
    pub log_lines: u32,
    pub log_chars: usize,
    /// Bytes one call may copy out of the adapter, into an import or as its
    /// result; many texts may share one piece of its memory, so this bounds
    /// the host where `memory_bytes` does not.
    pub transfer_bytes: usize,
    /// Size of a component file, in bytes.
    pub component_bytes: usize,
    /// Instances that may exist at the same moment.
    pub pool: u32,
    /// Adapters that compute at the same time, and how many of these may be
    /// the same component: the others keep their places.
    pub computing: usize,
    pub computing_each: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            step_ms: 250,
            describe_ms: 5_000,
            memory_bytes: 32 << 20,
            instances: 64,
            memories: 8,
            state_bytes: 256 << 10,
            request_bytes: 2 << 20,
            response_bytes: 8 << 20,
            steps: 64,
            pause_ms: 3_600_000,
            signatures: 128,
            log_lines: 64,
            log_chars: 500,
            transfer_bytes: 16 << 20,
            component_bytes: 8 << 20,
            pool: 64,
            computing: 16,
            computing_each: 4,
        }
    }
}
