//! The CT-e as it is read for printing.

use super::DacteError;
use crate::element::Node;
use markup::xml::{Document, Element};

/// Longest text of one field. The layout's longest is `xObs` with 2,000.
const MAX_TEXT: usize = 20_000;

/// One CT-e: the parts every block needs.
#[derive(Clone, Copy)]
pub(super) struct Cte<'d> {
    pub inf: Node<'d>,
    pub ide: Node<'d>,
    pub emit: Node<'d>,
    /// `infCTeNorm`; absent of a complementary CT-e.
    pub normal: Node<'d>,
    /// `infProt`, if the CT-e came with its protocol.
    pub protocol: Node<'d>,
    /// `infCTeSupl`.
    pub supplement: Node<'d>,
    /// 44 positions as in the `Id`, or whatever stands there.
    pub chave: &'d str,
    /// The document itself says that it was cancelled.
    pub cancelled: bool,
}

impl<'d> Cte<'d> {
    /// The only CT-e of a document.
    ///
    /// # Errors
    /// No CT-e inside, more than one, or a text that is too long.
    pub fn read(doc: &'d Document<'d>) -> Result<Cte<'d>, DacteError> {
        let root = doc.root();
        let mut found = root
            .descendants_or_self()
            .filter(|element| element.name() == "infCte");
        let inf = found.next().ok_or(DacteError::NoCte)?;
        match found.count() {
            0 => {}
            more => return Err(DacteError::SeveralCte(more + 1)),
        }
        if inf
            .descendants_or_self()
            .any(|element| element.text().len() > MAX_TEXT)
        {
            return Err(DacteError::Long);
        }
        let supplement = inf.parent().and_then(|cte| cte.child("infCTeSupl"));
        let inf = Node::from(inf);
        let id = inf.attribute("Id");
        let chave = id.strip_prefix("CTe").unwrap_or(id);
        // The protocol of another CT-e says nothing about this one.
        let protocol = root.descendants_or_self().find(|element| {
            element.name() == "infProt"
                && matches!(&*Node::from(*element).t("chCTe"), other if other.is_empty() || other == chave)
        });
        let protocol = Node::maybe(protocol);
        let cancelled =
            matches!(&*protocol.t("cStat"), "101" | "135") || has_cancellation(root, chave);
        Ok(Cte {
            inf,
            ide: inf.node("ide"),
            emit: inf.node("emit"),
            normal: inf.node("infCTeNorm"),
            protocol,
            supplement: Node::maybe(supplement),
            chave,
            cancelled,
        })
    }

    pub fn homologacao(&self) -> bool {
        self.ide.t("tpAmb") != "1"
    }

    /// Is there a protocol that says the use was authorized, or a bare one that
    /// does not say?
    pub fn authorized(&self) -> bool {
        !self.protocol.t("nProt").is_empty()
            && matches!(&*self.protocol.t("cStat"), "" | "100" | "101" | "150")
    }

    /// The group of the modal inside of `infModal`.
    pub fn modal(&self) -> Node<'d> {
        self.normal.node("infModal").first()
    }

    /// Who pays, with the address.
    pub fn payer(&self) -> (Node<'d>, Node<'d>) {
        let role = self.ide.node("toma3").t("toma");
        let (party, address) = match &*role {
            "0" => ("rem", "enderReme"),
            "1" => ("exped", "enderExped"),
            "2" => ("receb", "enderReceb"),
            "3" => ("dest", "enderDest"),
            _ => {
                let other = self.ide.node("toma4");
                return (other, other.node("enderToma"));
            }
        };
        let party = self.inf.node(party);
        (party, party.node(address))
    }
}

/// Is there an event beside the CT-e that cancelled it, with the authority's yes
/// (134 or 135)?
fn has_cancellation(root: Element<'_>, chave: &str) -> bool {
    let mut events = root
        .descendants_or_self()
        .filter(|element| element.name() == "procEventoCTe");
    events.any(|proc| {
        let proc = Node::from(proc);
        let event = proc.node("eventoCTe").node("infEvento");
        let result = proc.node("retEventoCTe").node("infEvento");
        event.t("tpEvento") == "110111"
            && event.t("chCTe") == chave
            && matches!(&*result.t("cStat"), "134" | "135" | "136")
    })
}
