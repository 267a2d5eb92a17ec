//! From a core module to a component: what `hub adapter build` does after
//! cargo.

use wit_component::ComponentEncoder;

/// Wraps a core module built for wasm32-unknown-unknown, whose custom
/// section names its world, as a component.
///
/// # Errors
/// The module is not one, or imports something the contract does not have.
pub fn componentize(module: &[u8]) -> Result<Vec<u8>, String> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| format!("{error:#}"))
}
