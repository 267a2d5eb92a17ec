//! What an operation asks for beside it: reason, process, receipt.
//!
//! Source: `ideEvento` of `evtBalancete` v1_0_1, `evtAplicResTec` v1_0_0 and
//! `evtRelDeducoes` v0_0_1.

use super::rule;
use crate::group::Group;
use crate::period::of_receipt;
use markup::field::Fields;

/// Whether the schema also forbids what the operation does not ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    Yes,
    No,
}

/// `tpOper` that removes an event.
pub const EXCLUSION: &str = "3";
/// `tpOper` that changes an event.
const CHANGE: &str = "2";
/// `motExcl`: decided by a court or an authority.
const DECIDED: &str = "1";

pub fn check(event: &Group<'_>, strict: Strict, faults: &mut Fields) {
    let Some(head) = event.child("ideEvento") else {
        return;
    };
    let operation = head.value("tpOper");
    let reason = head.text("motExcl");
    if operation == EXCLUSION && reason.is_none() {
        faults.add(
            head.at("motExcl"),
            rule::MANDATORY,
            "Falta motExcl: a exclusão (tpOper 3) diz o motivo.",
            "Informe motExcl: 1, 2, 3 ou 9.",
        );
    }
    if strict == Strict::Yes && operation != EXCLUSION && reason.is_some() {
        faults.add(
            head.at("motExcl"),
            rule::FORBIDDEN,
            "motExcl só vai na exclusão (tpOper 3).",
            "Retire motExcl.",
        );
    }
    if reason.as_deref() == Some(DECIDED) && !head.has("nrProc") {
        faults.add(
            head.at("nrProc"),
            rule::MANDATORY,
            "Falta nrProc: motExcl 1 é de uma determinação judicial ou administrativa.",
            "Informe o número do processo.",
        );
    }
    receipt(event, &head, &operation, strict, faults);
}

fn receipt(
    event: &Group<'_>,
    head: &Group<'_>,
    operation: &str,
    strict: Strict,
    faults: &mut Fields,
) {
    let of_another = matches!(operation, CHANGE | EXCLUSION);
    match head.text("nrRecibo") {
        None if of_another => faults.add(
            head.at("nrRecibo"),
            rule::MANDATORY,
            format!("Falta nrRecibo: tpOper {operation} se refere a um evento já recebido."),
            "Informe o recibo do evento que é alterado ou excluído.",
        ),
        Some(_) if strict == Strict::Yes && !of_another => faults.add(
            head.at("nrRecibo"),
            rule::FORBIDDEN,
            format!("nrRecibo não vai com tpOper {operation}."),
            "Retire nrRecibo.",
        ),
        Some(receipt) => same_month(event, &receipt, head.at("nrRecibo"), faults),
        None => {}
    }
}

/// A receipt names the month of the event it is of.
pub fn same_month(event: &Group<'_>, receipt: &str, place: String, faults: &mut Fields) {
    let month = event
        .child("idePeriodo")
        .map(|period| period.value("perApur"));
    if of_receipt(receipt) != month {
        faults.add(
            place,
            rule::DIFFERENT,
            "O recibo é de outro período: os caracteres 6 a 11 são o ano e o mês.",
            "Informe o recibo de um evento do mesmo período.",
        );
    }
}
