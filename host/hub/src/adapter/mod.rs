//! `hub adapter …`: what contributors and operators do with adapters.

pub mod build;
pub mod conformance;
pub mod contradictions;
pub mod inspect;
pub mod inspection;
pub mod javascript;
pub mod player;
pub mod record;
pub mod scaffold;
pub mod source;

use flow::{Loaded, Runtime};
use std::path::Path;
use std::sync::Arc;

/// Loads a component file outside of the catalog, without a cache.
///
/// # Errors
/// The file cannot be read, or the sandbox refuses it.
pub fn load(runtime: &Runtime, file: &Path) -> anyhow::Result<Arc<Loaded>> {
    let limit = u64::try_from(runtime.limits().component_bytes).unwrap_or(u64::MAX);
    let bytes = flow::component::bounded::read(file, limit)
        .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    let loaded = runtime
        .load(&bytes, None)
        .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    Ok(Arc::new(loaded))
}
