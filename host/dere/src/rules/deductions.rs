//! D-1121: deductions by fiscal document, or of a property bought of a person.
//!
//! Source: `infoDeducoes` of `evtRelDeducoes` v0_0_1.

use super::operation::EXCLUSION;
use super::rule;
use super::values::{at_most, equals, exactly_if};
use crate::group::Group;
use markup::field::Fields;
use markup::ids::Cpf;
use rust_decimal::Decimal;
use std::collections::HashSet;

/// `tpOper`: one document is corrected after the month was closed.
const CORRECTION: &str = "4";
/// `finEvt`: a record is added.
const ADDED: &str = "1";
/// `tpDFe` whose items are told where only a part is deducted.
const WITH_ITEMS: [&str; 3] = ["01", "03", "04"];

/// What the whole event says to each deduction.
struct Frame {
    month: String,
    /// A record that is there already is changed or removed.
    of_another: bool,
}

pub fn check(event: &Group<'_>, faults: &mut Fields) {
    let operation = event.child("ideEvento").map(|head| head.value("tpOper"));
    let operation = operation.unwrap_or_default();
    let list = event.child("infoDeducoes");
    let Some(list) = list else {
        if operation != EXCLUSION {
            faults.add(
                event.at("infoDeducoes"),
                rule::MANDATORY,
                format!("Falta infoDeducoes, que vai com tpOper {operation}."),
                "Informe as deduções.",
            );
        }
        return;
    };
    if operation == EXCLUSION {
        faults.add(
            list.place(),
            rule::FORBIDDEN,
            "infoDeducoes não vai na exclusão (tpOper 3).",
            "Retire infoDeducoes.",
        );
        return;
    }
    let purpose = list.text("finEvt");
    exactly_if(
        &list,
        "finEvt",
        operation == CORRECTION,
        "tpOper é 4 (retificação após o fechamento)",
        faults,
    );
    let corrected = operation == CORRECTION && purpose.as_deref().is_some_and(|to| to != ADDED);
    let period = event.child("idePeriodo");
    let frame = Frame {
        month: period
            .map(|period| period.value("perApur"))
            .unwrap_or_default(),
        of_another: corrected,
    };
    let mut keys = HashSet::new();
    for deduction in list.items("infoDeducao") {
        one(&deduction, &frame, faults);
        let document = deduction.child("infoDFe");
        let key = document
            .as_ref()
            .and_then(|document| document.text("chDFe"));
        if let (Some(document), Some(key)) = (document, key)
            && !keys.insert(key)
        {
            faults.add(
                document.at("chDFe"),
                rule::REPEATED,
                "A chave já está em outra dedução deste evento.",
                "Deixe cada documento fiscal uma vez só.",
            );
        }
    }
}

fn one(deduction: &Group<'_>, frame: &Frame, faults: &mut Fields) {
    let document = deduction.child("infoDFe");
    let property = deduction.child("infoImovel");
    if let (Some(_), Some(property)) = (&document, &property) {
        faults.add(
            property.place(),
            rule::FORBIDDEN,
            "infoDFe e infoImovel não vão na mesma dedução.",
            "Deixe só um dos dois; use outra dedução para o outro.",
        );
    }
    if let Some(property) = &property
        && Cpf::parse(&property.value("CPFAlien")).is_err()
    {
        faults.add(
            property.at("CPFAlien"),
            rule::CPF,
            "CPFAlien não é um CPF: os dígitos verificadores não conferem.",
            "Confira o CPF de quem vendeu o imóvel.",
        );
    }
    if let Some(document) = &document {
        named(document, frame, faults);
    }
    let first = document
        .as_ref()
        .is_some_and(|document| document.value("dtEmi").starts_with(&frame.month));
    if let Some(amounts) = deduction.child("detDeducao") {
        let when = "o documento fiscal foi emitido no período de apuração";
        exactly_if(&amounts, "vDedTotal", first, when, faults);
        at_most(&amounts, "vDedTotal", "vOper", faults);
        at_most(&amounts, "vDed", "vDedTotal", faults);
        items(deduction, document.as_ref(), &amounts, first, faults);
    }
}

/// The document is named by its own key, or by that of the record that is
/// corrected.
fn named(document: &Group<'_>, frame: &Frame, faults: &mut Fields) {
    let when = "tpOper é 4 e finEvt não é 1";
    exactly_if(document, "chDFeRetif", frame.of_another, when, faults);
    let own = !document.has("chDFeRetif");
    for name in ["tpDFe", "chDFe"] {
        exactly_if(document, name, own, "chDFeRetif não é informado", faults);
    }
}

/// The items of the document: their amounts and sums.
fn items(
    deduction: &Group<'_>,
    document: Option<&Group<'_>>,
    amounts: &Group<'_>,
    first: bool,
    faults: &mut Fields,
) {
    let items = deduction.items("itemDFe");
    let total = amounts.amount("vDedTotal");
    let partial = total.is_some_and(|total| total < amounts.amount_or_zero("vOper"));
    let kind = document.map(|document| document.value("tpDFe"));
    let told = kind.is_some_and(|kind| WITH_ITEMS.contains(&kind.as_str()));
    if first && partial && told && items.is_empty() {
        faults.add(
            deduction.at("itemDFe"),
            rule::MANDATORY,
            "Falta itemDFe: só uma parte do documento fiscal é dedutível.",
            "Informe os itens que são deduzidos.",
        );
    }
    if items.is_empty() {
        return;
    }
    for item in &items {
        exactly_if(
            item,
            "vItemDedTotal",
            total.is_some(),
            "vDedTotal é informado",
            faults,
        );
        at_most(item, "vItemDedTotal", "vItem", faults);
        at_most(item, "vItemDed", "vItemDedTotal", faults);
    }
    let sum = |name: &str| -> Decimal { items.iter().map(|item| item.amount_or_zero(name)).sum() };
    equals(
        amounts,
        "vDed",
        sum("vItemDed"),
        "a soma de vItemDed",
        faults,
    );
    if first {
        let formula = "a soma de vItemDedTotal";
        equals(amounts, "vDedTotal", sum("vItemDedTotal"), formula, faults);
    }
}
