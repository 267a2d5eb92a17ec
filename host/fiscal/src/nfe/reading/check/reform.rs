//! IBS and CBS (NT 2025.002): items, totals W34 to W60. Numbers of the cStat
//! moved between versions of the note; those of v1.40 to v1.52, second-hand.

use rust_decimal::Decimal;

use super::nota::{Item, numero, reais, texto, valor};
use super::{Achados, Nota};
use crate::nfe::reading::check::items::CENTAVO;
use crate::nfe::reading::check::totals::{difere, soma};
use crate::nfe::reading::check::validity::Regras;
use markup::xml::Element;

/// A total of `IBSCBSTot`: its path there, the cStat, the path in `IBSCBS`.
const SOMAS: [(&[&str], &str, &[&str]); 12] = [
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
const SOMAS_MONO: [(&str, &str); 2] = [("vIBSMono", "1092"), ("vCBSMono", "1093")];

/// A tax of an item: group, rate, amount, cStat.
const TRIBUTOS: [(&str, &str, &str, &str); 3] = [
    ("gIBSUF", "pIBSUF", "vIBSUF", "1041"),
    ("gIBSMun", "pIBSMun", "vIBSMun", "1052"),
    ("gCBS", "pCBS", "vCBS", "1069"),
];

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    let mut algum = false;
    let governo = nota.inf.find(&["ide", "gCompraGov"]).is_some();
    for item in &nota.itens {
        if let Some(grupo) = ibs_cbs(item) {
            algum = true;
            classificacao(nota, item, grupo, achados);
            // Sales to government reduce rates in ways the item does not show.
            if !governo {
                tributos(item, grupo, achados);
            }
        }
    }
    let total = nota.inf.find(&["total", "IBSCBSTot"]);
    match (algum, total) {
        (true, None) => {
            achados.erro(
                "infNFe/total/IBSCBSTot",
                "1119",
                "Há itens com IBS e CBS, mas falta o total deles.",
                "Inclua o grupo IBSCBSTot.",
            );
        }
        (false, Some(_)) => {
            achados.erro(
                "infNFe/total/IBSCBSTot",
                "1118",
                "Há total de IBS e CBS, mas nenhum item os tem.",
                "Retire o grupo IBSCBSTot.",
            );
        }
        (true, Some(total)) => totais(nota, total, achados),
        (false, None) => {}
    }
    if let Some(dito) = texto(nota.inf, &["total", "vNFTot"]) {
        let somado = soma(nota.itens.iter(), |item| valor(item.det, &["vItem"]));
        difere(("", "vNFTot"), "1094", somado, numero(&dito), achados);
    }
}

fn ibs_cbs<'d>(item: &Item<'d>) -> Option<Element<'d>> {
    item.imposto?.child("IBSCBS")
}

fn classificacao(nota: &Nota<'_>, item: &Item<'_>, grupo: Element<'_>, achados: &mut Achados) {
    let onde = format!("{}/imposto/IBSCBS", item.caminho);
    let (Some(cst), Some(classe)) = (texto(grupo, &["CST"]), texto(grupo, &["cClassTrib"])) else {
        return;
    };
    if data::class_trib::cst(&cst).is_none() {
        achados
            .erro(
                format!("{onde}/CST"),
                "1020",
                "O CST do IBS e da CBS não existe na tabela.",
                "Consulte a tabela de CST.",
            )
            .valor(&cst);
    }
    match data::class_trib::get(&classe) {
        None => {
            achados
                .erro(
                    format!("{onde}/cClassTrib"),
                    "1023",
                    "A classificação tributária não existe na tabela.",
                    "Consulte a tabela de cClassTrib.",
                )
                .valor(&classe);
        }
        Some(linha) if linha.cst() != cst => {
            achados
                .erro(
                    format!("{onde}/cClassTrib"),
                    "1024",
                    format!(
                        "A classificação é do CST {}, não do informado.",
                        linha.cst()
                    ),
                    "Acerte o CST ou a classificação.",
                )
                .valor(&classe);
        }
        // Notes of 2025 carried the group before the law was in force.
        Some(linha) if !linha.em_vigor(nota.dia) && nota.regras >= Regras::Reforma => {
            achados
                .erro(
                    format!("{onde}/cClassTrib"),
                    "1023",
                    "A classificação tributária não vigorava na data de emissão.",
                    "Consulte a tabela de cClassTrib.",
                )
                .valor(&classe);
        }
        Some(_) => {}
    }
}

/// UB35-10 and its like: base times rate, less what is deferred or given back.
fn tributos(item: &Item<'_>, grupo: Element<'_>, achados: &mut Achados) {
    let Some(grupo) = grupo.child("gIBSCBS") else {
        return;
    };
    let cem = Decimal::from(100);
    for (nome, aliquota, campo, codigo) in TRIBUTOS {
        let Some(tributo) = grupo.child(nome) else {
            continue;
        };
        let aliquota = match tributo.child("gRed") {
            Some(reducao) => valor(reducao, &["pAliqEfet"]),
            None => valor(tributo, &[aliquota]),
        };
        let partes = (
            valor(grupo, &["vBC"]),
            aliquota,
            valor(tributo, &["gDif", "vDif"]),
            valor(tributo, &["gDevTrib", "vDevTrib"]),
            valor(tributo, &[campo]),
        );
        let (Some(base), Some(aliquota), Some(diferido), Some(devolvido), Some(dito)) = partes
        else {
            continue;
        };
        let Some(bruto) = base.checked_mul(aliquota) else {
            continue;
        };
        let devido = bruto / cem - diferido - devolvido;
        if (devido - dito).abs() > CENTAVO {
            achados
                .erro(
                    format!("{}/imposto/IBSCBS/gIBSCBS/{nome}/{campo}", item.caminho),
                    codigo,
                    format!("{campo} é {}, mas a base vezes a alíquota, menos diferimento e devolução, dá {}.", reais(dito), reais(devido.round_dp(2))),
                    "Recalcule o tributo do item.",
                )
                .valor(&dito.to_string());
        }
    }
}

fn totais(nota: &Nota<'_>, total: Element<'_>, achados: &mut Achados) {
    for (no_total, codigo, no_item) in SOMAS {
        let somado = soma(nota.itens.iter(), |item| {
            item.imposto
                .and_then(|imposto| imposto.child("IBSCBS"))
                .map_or(Some(Decimal::ZERO), |grupo| valor(grupo, no_item))
        });
        // An absent group totals nothing, and so must its items.
        difere(
            ("IBSCBSTot", &no_total.join("/")),
            codigo,
            somado,
            valor(total, no_total),
            achados,
        );
    }
    for (campo, codigo) in SOMAS_MONO {
        let somado = soma(nota.itens.iter(), |item| monofasico(item, campo));
        difere(
            ("IBSCBSTot", &format!("gMono/{campo}")),
            codigo,
            somado,
            valor(total, &["gMono", campo]),
            achados,
        );
    }
    if let Some(ibs) = total.child("gIBS") {
        let partes = (
            valor(ibs, &["gIBSUF", "vIBSUF"]),
            valor(ibs, &["gIBSMun", "vIBSMun"]),
            valor(ibs, &["vIBS"]),
        );
        if let (Some(estado), Some(municipio), Some(dito)) = partes
            && estado + municipio != dito
            // Presumed credit of used goods comes off the item's vIBS.
            && soma(nota.itens.iter(), ibs_do_item) != Some(dito)
        {
            achados
                .erro(
                    "infNFe/total/IBSCBSTot/gIBS/vIBS",
                    "1085",
                    format!(
                        "O total do IBS é {}, mas estado e município somam {}.",
                        reais(dito),
                        reais(estado + municipio)
                    ),
                    "vIBS = vIBSUF + vIBSMun.",
                )
                .valor(&dito.to_string());
        }
    }
}

/// Amounts of that name in the item's groups of the single phase, which stand
/// elsewhere in each package of schemas.
fn monofasico(item: &Item<'_>, campo: &str) -> Option<Decimal> {
    let Some(grupo) = ibs_cbs(item).and_then(|grupo| grupo.child("gIBSCBSMono")) else {
        return Some(Decimal::ZERO);
    };
    grupo
        .descendants_or_self()
        .filter(|elemento| elemento.name() == campo)
        .try_fold(Decimal::ZERO, |soma, elemento| {
            soma.checked_add(numero(elemento.text().trim())?)
        })
}

fn ibs_do_item(item: &Item<'_>) -> Option<Decimal> {
    ibs_cbs(item).map_or(Some(Decimal::ZERO), |grupo| {
        valor(grupo, &["gIBSCBS", "vIBS"])
    })
}
