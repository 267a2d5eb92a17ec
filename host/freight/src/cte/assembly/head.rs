//! What the document says that no member of the request has: identification,
//! the version of the modal, numbers of lists.

use crate::cte::work::Work;
use crate::document::{child, moment};
use crate::places::place;
use markup::tree::{ElementContent, Node};
use rust_decimal::Decimal;

/// The rest of `ide`, beside what the table has written.
pub(super) fn ide(work: &Work<'_>, tree: &mut Node, digit: u8) {
    let frame = work.frame;
    let order = &work.order;
    let mut more = vec![
        Node::field("cUF", format!("{:02}", work.uf.codigo)),
        Node::field("cCT", format!("{:08}", frame.c_ct)),
        Node::field("mod", "57"),
        Node::field("serie", frame.serie.to_string()),
        Node::field("nCT", frame.number.to_string()),
        Node::field("dhEmi", moment(frame.dh_emi)),
        Node::field("tpImp", "1"),
        Node::field("tpEmis", frame.tp_emis.to_string()),
        Node::field("cDV", digit.to_string()),
        Node::field("tpAmb", frame.ambiente.codigo()),
        Node::field("procEmi", "0"),
        Node::field("verProc", frame.ver_proc.clone()),
    ];
    for (code, name, uf) in [
        (&order.municipio_envio, "xMunEnv", "UFEnv"),
        (&order.municipio_inicio, "xMunIni", "UFIni"),
        (&order.municipio_fim, "xMunFim", "UFFim"),
    ] {
        if let Some(place) = place(code.as_deref()) {
            more.push(Node::field(name, place.name));
            more.push(Node::field(uf, place.uf));
        }
    }
    if let Some(contingency) = &frame.contingency {
        more.push(Node::field("dhCont", moment(contingency.since)));
        more.push(Node::field("xJust", contingency.reason.clone()));
    }
    if let Some(ide) = child(tree, "ide") {
        more.into_iter().for_each(|node| ide.put(node));
    }
}

/// `indSN`, which has one value alone.
pub(super) fn simples(tree: &mut Node) {
    let icms = child(tree, "imp").and_then(|taxes| child(taxes, "ICMS"));
    if let Some(group) = icms.and_then(|icms| child(icms, "ICMSSN")) {
        group.put(Node::field("indSN", "1"));
    }
}

/// `versaoModal`.
pub(super) fn modal(tree: &mut Node) {
    let modal = child(tree, "infCTeNorm").and_then(|normal| child(normal, "infModal"));
    if let Some(modal) = modal {
        modal
            .attributes
            .push(("versaoModal".into(), "4.00".to_owned()));
    }
}

/// An `idDocAnt` is of papers or of electronic documents, so one that has both
/// becomes two.
pub(super) fn earlier(tree: &mut Node) {
    let earlier = child(tree, "infCTeNorm").and_then(|normal| child(normal, "docAnt"));
    let Some(ElementContent::Children(emitters)) = earlier.map(|node| &mut node.content) else {
        return;
    };
    for emitter in emitters {
        let Some(both) = child(emitter, "idDocAnt") else {
            continue;
        };
        let ElementContent::Children(documents) = &mut both.content else {
            continue;
        };
        let (papers, keys): (Vec<Node>, Vec<Node>) = std::mem::take(documents)
            .into_iter()
            .partition(|document| document.name == "idDocAntPap");
        match (papers.is_empty(), keys.is_empty()) {
            (true, _) => *documents = keys,
            (false, true) => *documents = papers,
            (false, false) => {
                *documents = papers;
                emitter.put(Node::group("idDocAnt").children(keys));
            }
        }
    }
}

/// `nPag`, counted from 1.
pub(super) fn payments(tree: &mut Node) {
    let Some(ElementContent::Children(payments)) =
        child(tree, "pgtoVinc").map(|node| &mut node.content)
    else {
        return;
    };
    for (position, payment) in payments.iter_mut().enumerate() {
        let number = position.saturating_add(1).to_string();
        payment.attributes.push(("nPag".into(), number));
    }
}

/// `IBSCBS`, and the document's total that goes with it.
pub(super) fn reform(tree: &mut Node, reform: Node, total: Decimal) {
    if let Some(taxes) = child(tree, "imp") {
        taxes.put(reform);
        taxes.put(Node::field("vTotDFe", crate::writing::fixed(total, 2, 2)));
    }
}
