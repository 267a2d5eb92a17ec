//! The note as it is read for printing.

use super::DanfeError;
pub(super) use crate::element::Node;
use markup::xml::{Document, Element};

/// Longest text of one field. The layout's longest is `infCpl` with 5,000.
const MAX_TEXT: usize = 20_000;
/// Items; the layout admits 990.
const MAX_ITEMS: usize = 2_000;
/// Payments, and instalments: the layout admits 100 and 120.
const MAX_INSTALLMENTS: usize = 1_000;

/// One note: the parts every printout needs.
#[derive(Clone, Copy)]
pub struct Nota<'d> {
    pub(super) inf: Node<'d>,
    pub(super) ide: Node<'d>,
    pub(super) emit: Node<'d>,
    pub(super) dest: Node<'d>,
    pub(super) total: Node<'d>,
    /// `infProt`, if the note came with its protocol.
    pub(super) prot: Node<'d>,
    pub(super) supl: Node<'d>,
    /// 44 positions as in the `Id`, or whatever stands there.
    pub(super) chave: &'d str,
    /// The document itself says that the note was cancelled.
    pub(super) cancelled: bool,
}

/// Events that cancel a note: by its issuer, and by substitution (NFC-e).
const CANCELLATIONS: [&str; 2] = ["110111", "110112"];

/// Is there an event beside the note that cancelled it, with the authority's yes
/// (135, 136, or 155 late)?
fn has_cancellation(root: Element<'_>, chave: &str) -> bool {
    let mut events = root
        .descendants_or_self()
        .filter(|element| element.name() == "procEventoNFe");
    events.any(|proc| {
        let proc = Node::from(proc);
        let event = proc.node("evento").node("infEvento");
        let result = proc.node("retEvento").node("infEvento");
        CANCELLATIONS.contains(&&*event.t("tpEvento"))
            && event.t("chNFe") == chave
            && matches!(&*result.t("cStat"), "135" | "136" | "155")
    })
}

impl<'d> Nota<'d> {
    /// The only note of a document.
    ///
    /// # Errors
    /// No note inside, more than one, or more of something than is laid out.
    pub fn read(doc: &'d Document<'d>) -> Result<Nota<'d>, DanfeError> {
        let root = doc.root();
        let mut notas = root
            .descendants_or_self()
            .filter(|element| element.name() == "infNFe");
        let inf = notas.next().ok_or(DanfeError::NoNota)?;
        match notas.count() {
            0 => {}
            more => return Err(DanfeError::SeveralNotas(more + 1)),
        }
        limit(inf)?;
        let supl = inf.parent().and_then(|nfe| nfe.child("infNFeSupl"));
        let inf = Node::from(inf);
        let id = inf.attribute("Id");
        let chave = id.strip_prefix("NFe").unwrap_or(id);
        // The protocol of another note says nothing about this one.
        let prot = root.descendants_or_self().find(|element| {
            element.name() == "infProt"
                && matches!(&*Node::from(*element).t("chNFe"), other if other.is_empty() || other == chave)
        });
        let prot = Node::maybe(prot);
        // A protocol of today, asked for anew, has the note's present state.
        let cancelled =
            matches!(&*prot.t("cStat"), "101" | "151" | "155") || has_cancellation(root, chave);
        Ok(Nota {
            inf,
            ide: inf.node("ide"),
            emit: inf.node("emit"),
            dest: inf.node("dest"),
            total: inf.node("total"),
            prot,
            supl: Node::maybe(supl),
            chave,
            cancelled,
        })
    }

    pub(super) fn items(self) -> impl Iterator<Item = Node<'d>> {
        self.inf.all("det")
    }

    /// Lines of payment: `detPag`; up to layout 3.10 each `pag` is one.
    pub(super) fn payments(self) -> Vec<Node<'d>> {
        payment_lines(self.inf)
    }

    pub(super) fn homologacao(self) -> bool {
        self.ide.t("tpAmb") != "1"
    }

    /// Is there a protocol that says the use was authorized (100, 150) or a
    /// bare one that does not say?
    pub(super) fn authorized(self) -> bool {
        !self.prot.t("nProt").is_empty()
            && matches!(
                &*self.prot.t("cStat"),
                "" | "100" | "150" | "101" | "151" | "155"
            )
    }

    /// Use denied, until NT 2024.001 took that away.
    pub(super) fn denied(self) -> bool {
        matches!(&*self.prot.t("cStat"), "110" | "301" | "302" | "303")
    }
}

fn payment_lines(inf: Node<'_>) -> Vec<Node<'_>> {
    let mut lines = Vec::new();
    for pag in inf.all("pag") {
        if pag.node("tPag").exists() {
            lines.push(pag);
        }
        lines.extend(pag.all("detPag"));
    }
    lines
}

/// Bounds what is going to be laid out.
fn limit(inf: Element<'_>) -> Result<(), DanfeError> {
    let items = inf.children().filter(|e| e.name() == "det").count();
    let duplicates = Node::from(inf).node("cobr").all("dup").count();
    if duplicates.max(payment_lines(Node::from(inf)).len()) > MAX_INSTALLMENTS {
        return Err(DanfeError::Long);
    }
    let along = |element: Element<'_>| element.text().len() > MAX_TEXT;
    if items > MAX_ITEMS || inf.descendants_or_self().any(along) {
        return Err(DanfeError::Long);
    }
    Ok(())
}
