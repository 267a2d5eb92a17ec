//! IBS and CBS (NT 2025.002): items, totals W34 to W60. Numbers of the cStat
//! moved between versions of the note; those of v1.40 to v1.52, second-hand.

use rust_decimal::Decimal;

use super::nota::{Item, number, reais, text, value};
use super::{Findings, Nota};
use crate::nfe::reading::check::items::CENT;
use crate::nfe::reading::check::totals::{differs, sum};
use crate::nfe::reading::check::validity::Regras;
use markup::xml::Element;

/// A total of `IBSCBSTot`: its path there, the cStat, the path in `IBSCBS`.
const SUMS: [(&[&str], &str, &[&str]); 12] = [
    (&["vBCIBSCBS"], "1076", &["gIBSCBS", "vBC"]),
    (
        &["gIBS", "gIBSUF", "vDif"],
        "1077",
        &["gIBSCBS", "gIBSUF", "gDif", "vDif"],
    ),
    (
        &["gIBS", "gIBSUF", "vDevTrib"],
        "1078",
        &["gIBSCBS", "gIBSUF", "gDevTrib", "vDevTrib"],
    ),
    (
        &["gIBS", "gIBSUF", "vIBSUF"],
        "1080",
        &["gIBSCBS", "gIBSUF", "vIBSUF"],
    ),
    (
        &["gIBS", "gIBSMun", "vDif"],
        "1081",
        &["gIBSCBS", "gIBSMun", "gDif", "vDif"],
    ),
    (
        &["gIBS", "gIBSMun", "vDevTrib"],
        "1082",
        &["gIBSCBS", "gIBSMun", "gDevTrib", "vDevTrib"],
    ),
    (
        &["gIBS", "gIBSMun", "vIBSMun"],
        "1084",
        &["gIBSCBS", "gIBSMun", "vIBSMun"],
    ),
    (
        &["gIBS", "vCredPres"],
        "1086",
        &["gCredPresOper", "gIBSCredPres", "vCredPres"],
    ),
    (
        &["gCBS", "vCredPres"],
        "1087",
        &["gCredPresOper", "gCBSCredPres", "vCredPres"],
    ),
    (
        &["gCBS", "vDif"],
        "1088",
        &["gIBSCBS", "gCBS", "gDif", "vDif"],
    ),
    (
        &["gCBS", "vDevTrib"],
        "1089",
        &["gIBSCBS", "gCBS", "gDevTrib", "vDevTrib"],
    ),
    (&["gCBS", "vCBS"], "1091", &["gIBSCBS", "gCBS", "vCBS"]),
];

/// Totals of the single phase and the cStat. What is charged ahead or was
/// charged before has totals of its own (`vIBSMonoReten`, `vIBSMonoRet`).
const MONO_SUMS: [(&str, &str); 2] = [("vIBSMono", "1092"), ("vCBSMono", "1093")];

/// A tax of an item: group, rate, amount, cStat.
const TAXES: [(&str, &str, &str, &str); 3] = [
    ("gIBSUF", "pIBSUF", "vIBSUF", "1041"),
    ("gIBSMun", "pIBSMun", "vIBSMun", "1052"),
    ("gCBS", "pCBS", "vCBS", "1069"),
];

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    let mut any = false;
    let government = nota.inf.find(&["ide", "gCompraGov"]).is_some();
    for item in &nota.items {
        if let Some(group) = ibs_cbs(item) {
            any = true;
            classification(nota, item, group, findings);
            // Sales to government reduce rates in ways the item does not show.
            if !government {
                taxes(item, group, findings);
            }
        }
    }
    let total = nota.inf.find(&["total", "IBSCBSTot"]);
    match (any, total) {
        (true, None) => {
            findings.error(
                "infNFe/total/IBSCBSTot",
                "1119",
                "Há itens com IBS e CBS, mas falta o total deles.",
                "Inclua o grupo IBSCBSTot.",
            );
        }
        (false, Some(_)) => {
            findings.error(
                "infNFe/total/IBSCBSTot",
                "1118",
                "Há total de IBS e CBS, mas nenhum item os tem.",
                "Retire o grupo IBSCBSTot.",
            );
        }
        (true, Some(total)) => totals(nota, total, findings),
        (false, None) => {}
    }
    if let Some(said) = text(nota.inf, &["total", "vNFTot"]) {
        let summed = sum(nota.items.iter(), |item| value(item.det, &["vItem"]));
        differs(("", "vNFTot"), "1094", summed, number(&said), findings);
    }
}

fn ibs_cbs<'d>(item: &Item<'d>) -> Option<Element<'d>> {
    item.tax?.child("IBSCBS")
}

fn classification(nota: &Nota<'_>, item: &Item<'_>, group: Element<'_>, findings: &mut Findings) {
    let place = format!("{}/imposto/IBSCBS", item.caminho);
    let (Some(cst), Some(class)) = (text(group, &["CST"]), text(group, &["cClassTrib"])) else {
        return;
    };
    if data::class_trib::cst(&cst).is_none() {
        findings
            .error(
                format!("{place}/CST"),
                "1020",
                "O CST do IBS e da CBS não existe na tabela.",
                "Consulte a tabela de CST.",
            )
            .value(&cst);
    }
    match data::class_trib::get(&class) {
        None => {
            findings
                .error(
                    format!("{place}/cClassTrib"),
                    "1023",
                    "A classificação tributária não existe na tabela.",
                    "Consulte a tabela de cClassTrib.",
                )
                .value(&class);
        }
        Some(line) if line.cst() != cst => {
            findings
                .error(
                    format!("{place}/cClassTrib"),
                    "1024",
                    format!("A classificação é do CST {}, não do informado.", line.cst()),
                    "Acerte o CST ou a classificação.",
                )
                .value(&class);
        }
        // Notes of 2025 carried the group before the law was in force.
        Some(line) if !line.in_force(nota.day) && nota.regras >= Regras::Reforma => {
            findings
                .error(
                    format!("{place}/cClassTrib"),
                    "1023",
                    "A classificação tributária não vigorava na data de emissão.",
                    "Consulte a tabela de cClassTrib.",
                )
                .value(&class);
        }
        Some(_) => {}
    }
}

/// UB35-10 and its like: base times rate, less what is deferred or given back.
fn taxes(item: &Item<'_>, group: Element<'_>, findings: &mut Findings) {
    let Some(group) = group.child("gIBSCBS") else {
        return;
    };
    let hundred = Decimal::from(100);
    for (name, aliquota, field, codigo) in TAXES {
        let Some(tax) = group.child(name) else {
            continue;
        };
        let aliquota = match tax.child("gRed") {
            Some(reduction) => value(reduction, &["pAliqEfet"]),
            None => value(tax, &[aliquota]),
        };
        let parts = (
            value(group, &["vBC"]),
            aliquota,
            value(tax, &["gDif", "vDif"]),
            value(tax, &["gDevTrib", "vDevTrib"]),
            value(tax, &[field]),
        );
        let (Some(base), Some(aliquota), Some(deferred), Some(returned), Some(said)) = parts else {
            continue;
        };
        let Some(gross) = base.checked_mul(aliquota) else {
            continue;
        };
        let due = gross / hundred - deferred - returned;
        if (due - said).abs() > CENT {
            findings
                .error(
                    format!("{}/imposto/IBSCBS/gIBSCBS/{name}/{field}", item.caminho),
                    codigo,
                    format!("{field} é {}, mas a base vezes a alíquota, menos diferimento e devolução, dá {}.", reais(said), reais(due.round_dp(2))),
                    "Recalcule o tributo do item.",
                )
                .value(&said.to_string());
        }
    }
}

fn totals(nota: &Nota<'_>, total: Element<'_>, findings: &mut Findings) {
    for (no_total, codigo, no_item) in SUMS {
        let summed = sum(nota.items.iter(), |item| {
            item.tax
                .and_then(|tax| tax.child("IBSCBS"))
                .map_or(Some(Decimal::ZERO), |group| value(group, no_item))
        });
        // An absent group totals nothing, and so must its items.
        differs(
            ("IBSCBSTot", &no_total.join("/")),
            codigo,
            summed,
            value(total, no_total),
            findings,
        );
    }
    for (field, codigo) in MONO_SUMS {
        let summed = sum(nota.items.iter(), |item| single_phase(item, field));
        differs(
            ("IBSCBSTot", &format!("gMono/{field}")),
            codigo,
            summed,
            value(total, &["gMono", field]),
            findings,
        );
    }
    if let Some(ibs) = total.child("gIBS") {
        let parts = (
            value(ibs, &["gIBSUF", "vIBSUF"]),
            value(ibs, &["gIBSMun", "vIBSMun"]),
            value(ibs, &["vIBS"]),
        );
        if let (Some(state), Some(municipality), Some(said)) = parts
            && state + municipality != said
            // Presumed credit of used goods comes off the item's vIBS.
            && sum(nota.items.iter(), ibs_of_item) != Some(said)
        {
            findings
                .error(
                    "infNFe/total/IBSCBSTot/gIBS/vIBS",
                    "1085",
                    format!(
                        "O total do IBS é {}, mas estado e município somam {}.",
                        reais(said),
                        reais(state + municipality)
                    ),
                    "vIBS = vIBSUF + vIBSMun.",
                )
                .value(&said.to_string());
        }
    }
}

/// Amounts of that name in the item's groups of the single phase, which stand
/// elsewhere in each package of schemas.
fn single_phase(item: &Item<'_>, field: &str) -> Option<Decimal> {
    let Some(group) = ibs_cbs(item).and_then(|group| group.child("gIBSCBSMono")) else {
        return Some(Decimal::ZERO);
    };
    group
        .descendants_or_self()
        .filter(|element| element.name() == field)
        .try_fold(Decimal::ZERO, |sum, element| {
            sum.checked_add(number(element.text().trim())?)
        })
}

fn ibs_of_item(item: &Item<'_>) -> Option<Decimal> {
    ibs_cbs(item).map_or(Some(Decimal::ZERO), |group| {
        value(group, &["gIBSCBS", "vIBS"])
    })
}
