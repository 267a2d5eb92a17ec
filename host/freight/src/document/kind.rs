//! Which transport document an XML is.

use markup::xml::{Document, Element};

/// A transport document or an event of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Cte,
    Mdfe,
    CteEvent,
    MdfeEvent,
}

/// Elements and kinds, documents before their events: a file may join both.
const KINDS: [(&str, Kind); 4] = [
    ("CTe", Kind::Cte),
    ("MDFe", Kind::Mdfe),
    ("eventoCTe", Kind::CteEvent),
    ("eventoMDFe", Kind::MdfeEvent),
];

/// What an XML is, and its element. It may be in any namespace: one that lacks its
/// own is told of by the reader.
pub fn kind<'d>(doc: &'d Document<'d>) -> Option<(Kind, Element<'d>)> {
    KINDS.iter().find_map(|(name, kind)| {
        let found = doc.elements().find(|element| element.name() == *name)?;
        Some((*kind, found))
    })
}
