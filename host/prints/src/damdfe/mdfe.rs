//! The MDF-e as it is read for printing.

use super::DamdfeError;
use crate::element::Node;
use markup::xml::{Document, Element};

/// Longest text of one field. The layout's longest is `infCpl` with 5,000.
const MAX_TEXT: usize = 20_000;

/// One MDF-e: the parts every block needs.
#[derive(Clone, Copy)]
pub(super) struct Mdfe<'d> {
    pub inf: Node<'d>,
    pub ide: Node<'d>,
    pub emit: Node<'d>,
    /// `infProt`, if the MDF-e came with its protocol.
    pub protocol: Node<'d>,
    /// `infMDFeSupl`.
    pub supplement: Node<'d>,
    /// 44 positions as in the `Id`, or whatever stands there.
    pub chave: &'d str,
    /// The document itself says that it was cancelled.
    pub cancelled: bool,
    /// The document itself says that the transport ended.
    pub closed: bool,
}

impl<'d> Mdfe<'d> {
    /// The only MDF-e of a document.
    ///
    /// # Errors
    /// No MDF-e inside, more than one, or a text that is too long.
    pub fn read(doc: &'d Document<'d>) -> Result<Mdfe<'d>, DamdfeError> {
        let root = doc.root();
        let mut found = root
            .descendants_or_self()
            .filter(|element| element.name() == "infMDFe" && element.child("ide").is_some());
        let inf = found.next().ok_or(DamdfeError::NoMdfe)?;
        match found.count() {
            0 => {}
            more => return Err(DamdfeError::SeveralMdfe(more + 1)),
        }
        if inf
            .descendants_or_self()
            .any(|element| element.text().len() > MAX_TEXT)
        {
            return Err(DamdfeError::Long);
        }
        let supplement = inf.parent().and_then(|mdfe| mdfe.child("infMDFeSupl"));
        let inf = Node::from(inf);
        let id = inf.attribute("Id");
        let chave = id.strip_prefix("MDFe").unwrap_or(id);
        // The protocol of another MDF-e says nothing about this one.
        let protocol = root.descendants_or_self().find(|element| {
            element.name() == "infProt"
                && matches!(&*Node::from(*element).t("chMDFe"), other if other.is_empty() || other == chave)
        });
        let protocol = Node::maybe(protocol);
        Ok(Mdfe {
            inf,
            ide: inf.node("ide"),
            emit: inf.node("emit"),
            protocol,
            supplement: Node::maybe(supplement),
            chave,
            cancelled: protocol.t("cStat") == "101" || has_event(root, chave, "110111"),
            closed: protocol.t("cStat") == "132" || has_event(root, chave, "110112"),
        })
    }

    pub fn homologacao(&self) -> bool {
        self.ide.t("tpAmb") != "1"
    }

    pub fn in_contingency(&self) -> bool {
        self.ide.t("tpEmis") == "2"
    }

    /// Is there a protocol that says the use was authorized, or a bare one that
    /// does not say?
    pub fn authorized(&self) -> bool {
        !self.protocol.t("nProt").is_empty()
            && matches!(&*self.protocol.t("cStat"), "" | "100" | "101" | "132")
    }

    /// The group of the modal inside of `infModal`.
    pub fn modal(&self) -> Node<'d> {
        self.inf.node("infModal").first()
    }
}

/// Is there such an event beside the MDF-e, with the authority's yes (134 to
/// 136)?
fn has_event(root: Element<'_>, chave: &str, kind: &str) -> bool {
    let mut events = root
        .descendants_or_self()
        .filter(|element| element.name() == "procEventoMDFe");
    events.any(|proc| {
        let proc = Node::from(proc);
        let event = proc.node("eventoMDFe").node("infEvento");
        let result = proc.node("retEventoMDFe").node("infEvento");
        event.t("tpEvento") == kind
            && event.t("chMDFe") == chave
            && matches!(&*result.t("cStat"), "134" | "135" | "136")
    })
}
