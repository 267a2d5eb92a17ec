//! What the document says that no member of the request has: identification,
//! the version of the modal, totals.

use crate::document::{child, moment};
use crate::mdfe::work::Work;
use markup::tree::Node;

/// The rest of `ide`, beside what the table has written.
pub(super) fn ide(work: &Work<'_>, tree: &mut Node, digit: u8) {
    let frame = work.frame;
    let more = [
        Node::field("cUF", format!("{:02}", work.uf.codigo)),
        Node::field("tpAmb", frame.ambiente.codigo()),
        Node::field("mod", "58"),
        Node::field("serie", frame.serie.to_string()),
        Node::field("nMDF", frame.number.to_string()),
        Node::field("cMDF", format!("{:08}", frame.c_mdf)),
        Node::field("cDV", digit.to_string()),
        Node::field("dhEmi", moment(frame.dh_emi)),
        Node::field("tpEmis", frame.tp_emis.to_string()),
        Node::field("procEmi", "0"),
        Node::field("verProc", frame.ver_proc.clone()),
    ];
    if let Some(ide) = child(tree, "ide") {
        more.into_iter().for_each(|node| ide.put(node));
    }
}

/// `versaoModal`.
pub(super) fn modal(tree: &mut Node) {
    if let Some(modal) = child(tree, "infModal") {
        modal
            .attributes
            .push(("versaoModal".into(), "3.00".to_owned()));
    }
}

/// `qCTe`, `qNFe`, `qMDFe`: documents of all cities.
pub(super) fn totals(work: &Work<'_>, tree: &mut Node) {
    let (ctes, nfes, mdfes) = work.order.counts();
    let Some(totals) = child(tree, "tot") else {
        return;
    };
    for (name, count) in [("qCTe", ctes), ("qNFe", nfes), ("qMDFe", mdfes)] {
        if count > 0 {
            totals.put(Node::field(name, count.to_string()));
        }
    }
}
