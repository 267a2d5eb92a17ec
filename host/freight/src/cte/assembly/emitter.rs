//! `emit`: what a CT-e has beside the parts of all documents.

use crate::cte::work::Work;
use crate::document::{self, digits};
use markup::tree::Node;

pub(super) fn emit(work: &mut Work<'_>) -> Node {
    let emitter = work.emitter;
    let end = work.end().map_or("", |place| place.uf);
    let substitute = emitter.ie_substituto.iter().find(|ie| ie.uf == end);
    document::emit(&mut work.fields, emitter, work.uf.abbreviation, true)
        .with_if("IEST", substitute.map(|ie| digits(&ie.ie)))
        .with("CRT", emitter.regime.crt())
        .with_if("ISUFEmit", emitter.suframa.as_deref().map(digits))
}
