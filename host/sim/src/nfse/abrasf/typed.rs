//! Elements with one more around their content, named after its type.

use crate::xml::Element;

/// The element itself, or the only one in it where that is named after its
/// type: some systems write `<Servico><tcDadosServico>`.
pub(super) fn holder(element: &Element) -> &Element {
    let mut inside = element.elements();
    match (inside.next(), inside.next()) {
        (Some(only), None) if only.name.starts_with("tc") => only,
        _ => element,
    }
}
