//! A tree we built as the canonical text of its layout.

use base::errors::{Failure, Refusal};
use fiscal::nfe::event::{Kind, layout_name, place_in_request};
use markup::field::{Field, of_layout};
use markup::layout::{Layout, LayoutError};
use markup::tree::Node;

/// Canonical text of a tree we built. `place` says where in the request an official
/// path comes from.
///
/// # Errors
/// 422 with what the layout has no place for.
pub fn write(layout: &str, tree: &Node, place: impl Fn(&str) -> String) -> Result<String, Failure> {
    let layout =
        Layout::get(layout).ok_or_else(|| anyhow::anyhow!("layout {layout} is not compiled in"))?;
    let written = layout.write(tree).map_err(|errors| told(errors, place))?;
    Ok(written.xml)
}

/// The same of an event whose request has the fields of its kind beside the others, in
/// no member of their own.
///
/// # Errors
/// As [`write`].
pub fn write_event(kind: &Kind, tree: &Node) -> Result<String, Failure> {
    write(&layout_name(kind), tree, |official| {
        let place = place_in_request(kind, official);
        match place.strip_prefix("dados.") {
            Some(own) => own.to_owned(),
            None => place,
        }
    })
}

/// What the layout says of a tree, as the API tells it: by the official names.
pub fn refusal(errors: Vec<LayoutError>) -> Refusal {
    told(errors, of_layout)
}

fn told(errors: Vec<LayoutError>, place: impl Fn(&str) -> String) -> Refusal {
    let field = |error: LayoutError| Field {
        campo: place(&error.caminho),
        codigo: error.regra.to_owned(),
        mensagem: error.mensagem,
        correcao: error.correcao,
        valor: error.valor,
    };
    Refusal::fields(errors.into_iter().map(field).collect())
}
