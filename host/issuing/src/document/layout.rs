//! A tree we built as the canonical text of its layout.

use base::errors::{Failure, Refusal};
use markup::field::Field;
use markup::layout::{Layout, LayoutError};

/// Canonical text of a tree we built.
///
/// # Errors
/// 422 with what the layout has no place for.
pub fn write(layout: &str, tree: &markup::tree::Node) -> Result<String, Failure> {
    let layout =
        Layout::get(layout).ok_or_else(|| anyhow::anyhow!("layout {layout} is not compiled in"))?;
    let written = layout.write(tree).map_err(refusal)?;
    Ok(written.xml)
}

/// What the layout says of a tree, as the API tells it.
pub fn refusal(errors: Vec<LayoutError>) -> Refusal {
    let field = |error: LayoutError| Field {
        campo: error.caminho,
        codigo: error.regra.to_owned(),
        mensagem: error.mensagem,
        correcao: error.correcao,
        valor: error.valor,
    };
    Refusal::fields(errors.into_iter().map(field).collect())
}
