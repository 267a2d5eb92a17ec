//! /api/v1/chaves

mod create;
mod delete;
mod list;
pub mod record;
mod rotacionar;

use base::errors::Failure;
use gate::Call;
use gate::docs::Built;
use store::tables::api_keys::ApiKey;

pub fn built() -> Vec<Built> {
    vec![
        list::built(),
        create::built(),
        rotacionar::built(),
        delete::built(),
    ]
}

/// The key that asks.
fn creator(call: &Call) -> Result<&ApiKey, Failure> {
    let known = call.key.as_ref().map(|known| &known.key);
    known.ok_or_else(|| anyhow::anyhow!("keys without a key").into())
}
