//! What a note says of its operation, held against itself: purpose, parties,
//! regime, and what a model does not carry. The same rules the pre-flight
//! ([`compose::rules`]) holds a request against, here over anybody's XML.

use rust_decimal::{Decimal, RoundingStrategy};

use super::nota::{Item, text, value};
use super::{Findings, Nota};
use crate::nfe::ibs_cbs_alone::Operation;
use crate::nfe::reading::check::items::CENT;

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    let nfce = nota.model() == 65;
    receiver(nota, nfce, findings);
    references(nota, findings);
    let forbidden = forbidden(nota);
    for item in &nota.items {
        only_ibs_cbs(item, forbidden, findings);
        regime(nota, item, findings);
        if nota.purpose(&["1"]) {
            icms(item, findings);
        }
    }
    invoice(nota, findings);
    payments(nota, nfce, findings);
    if nfce {
        consumer(nota, findings);
    } else if matches!(ide(nota, "tpImp").as_deref(), Some("4" | "5")) {
        findings.error(
            "infNFe/ide/tpImp",
            "710",
            "O formato do DANFE é de NFC-e, e a nota é NF-e.",
            "Use tpImp 1 (retrato), 2 (paisagem), 3 ou 6 (simplificado).",
        );
    }
}

fn ide(nota: &Nota<'_>, name: &str) -> Option<String> {
    nota.text(&["ide", name]).map(|text| text.into_owned())
}

fn receiver(nota: &Nota<'_>, nfce: bool, findings: &mut Findings) {
    let Some(dest) = nota.inf.child("dest").filter(|_| !nfce) else {
        return;
    };
    let indicator = text(dest, &["indIEDest"]);
    if indicator.as_deref() == Some("1") && text(dest, &["IE"]).is_none() {
        findings.error(
            "infNFe/dest/IE",
            "232",
            "O destinatário é contribuinte (indIEDest 1) e a inscrição estadual não foi informada.",
            "Informe a IE do destinatário, ou corrija indIEDest.",
        );
    }
    if indicator.as_deref() == Some("9")
        && ide(nota, "indFinal").as_deref() == Some("0")
        && ide(nota, "tpNF").as_deref() == Some("1")
        && ide(nota, "idDest").as_deref() != Some("3")
    {
        findings.error(
            "infNFe/ide/indFinal",
            "696",
            "O destinatário não é contribuinte (indIEDest 9): a operação é com consumidor final.",
            "Informe indFinal 1, ou a inscrição do destinatário com indIEDest 1.",
        );
    }
}

fn references(nota: &Nota<'_>, findings: &mut Findings) {
    let in_nota = nota.inf.find(&["ide", "NFref"]).is_some();
    let no_item = nota
        .items
        .iter()
        .any(|item| item.det.child("DFeReferenciado").is_some());
    let (codigo, which) = if nota.purpose(&["4"]) {
        ("321", "de devolução")
    } else if nota.purpose(&["2"]) {
        ("254", "complementar")
    } else {
        return;
    };
    if !in_nota && !no_item {
        findings.error(
            "infNFe/ide/NFref",
            codigo,
            format!("A nota {which} não diz a que documento se refere."),
            "Informe a chave do documento em NFref, ou no item em DFeReferenciado.",
        );
    }
}

/// Groups the note may not have, by what it is for.
fn forbidden(nota: &Nota<'_>) -> &'static [&'static str] {
    let text = |caminho: &[&str]| nota.text(caminho).unwrap_or_default();
    let operation = Operation {
        purpose: &text(&["ide", "finNFe"]),
        debit: &text(&["ide", "tpNFDebito"]),
        credit: &text(&["ide", "tpNFCredito"]),
        government: &text(&["ide", "gCompraGov", "tpOperGov"]),
        year: nota.day.year(),
    };
    operation.forbidden()
}

fn only_ibs_cbs(item: &Item<'_>, forbidden: &[&str], findings: &mut Findings) {
    for name in forbidden {
        let (parent, caminho) = match *name {
            "impostoDevol" => (Some(item.det), item.caminho.clone()),
            _ => (item.tax, format!("{}/imposto", item.caminho)),
        };
        if parent.is_some_and(|parent| parent.child(name).is_some()) {
            findings.error(
                format!("{caminho}/{name}"),
                "1001",
                format!("A nota de débito, de crédito ou de recebimento de compra governamental só leva IBS e CBS, e o item tem {name}."),
                "Retire o grupo do item, ou corrija a finalidade e o tipo da nota.",
            );
        }
    }
}

/// CSOSN belongs to CRT 1 and 4; fuels taxed once have a CST in every regime.
fn regime(nota: &Nota<'_>, item: &Item<'_>, findings: &mut Findings) {
    let (Some(crt), Some(icms)) = (nota.text(&["emit", "CRT"]), item.icms) else {
        return;
    };
    let simples = matches!(&*crt, "1" | "4");
    let caminho = |name: &str| format!("{}/imposto/ICMS/{}/{name}", item.caminho, icms.name());
    if let Some(cst) = text(icms, &["CST"])
        && simples
        && !matches!(&*cst, "02" | "15" | "53" | "61")
    {
        findings
            .error(
                caminho("CST"),
                "590",
                format!("O item tem CST, e o emitente é do Simples Nacional (CRT {crt})."),
                "Informe CSOSN, ou corrija o CRT do emitente.",
            )
            .value(&cst);
    }
    if let Some(csosn) = text(icms, &["CSOSN"])
        && !simples
    {
        findings
            .error(
                caminho("CSOSN"),
                "591",
                format!("O item tem CSOSN, e o emitente não é do Simples Nacional (CRT {crt})."),
                "Informe CST, ou corrija o CRT do emitente.",
            )
            .value(&csosn);
    }
}

/// ICMS = base × rate, where nothing is deferred (N17-10).
fn icms(item: &Item<'_>, findings: &mut Findings) {
    let Some(icms) = item.icms else { return };
    if !matches!(icms.name(), "ICMS00" | "ICMS10" | "ICMS20" | "ICMS70")
        || icms.child("vICMS").is_none()
    {
        return;
    }
    let (Some(base), Some(rate), Some(said)) = (
        value(icms, &["vBC"]),
        value(icms, &["pICMS"]),
        value(icms, &["vICMS"]),
    ) else {
        return;
    };
    let Some(product) = base.checked_mul(rate) else {
        return;
    };
    let right = (product / Decimal::ONE_HUNDRED)
        .round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    if (right - said).abs() > CENT {
        findings
            .error(
                format!("{}/imposto/ICMS/{}/vICMS", item.caminho, icms.name()),
                "528",
                format!("vICMS é {said}, mas vBC × pICMS dá {right}."),
                "Corrija vICMS, vBC ou pICMS.",
            )
            .value(&said.to_string());
    }
}

/// NT 2016.002 wants the invoice whole.
fn invoice(nota: &Nota<'_>, findings: &mut Findings) {
    let Some(cobr) = nota.inf.child("cobr") else {
        return;
    };
    let missing = ["nFat", "vOrig", "vLiq"]
        .into_iter()
        .find(|name| text(cobr, &["fat", name]).is_none());
    if let Some(missing) = missing {
        findings.error(
            format!("infNFe/cobr/fat/{missing}"),
            "905",
            format!("A cobrança não tem {missing} da fatura."),
            "Informe a fatura inteira (nFat, vOrig, vLiq), ou retire o grupo cobr.",
        );
    }
}

fn payments(nota: &Nota<'_>, nfce: bool, findings: &mut Findings) {
    let all = nota.inf.find_all(&["pag", "detPag"]);
    for (position, payment) in all.into_iter().enumerate() {
        let caminho = format!("infNFe/pag/detPag[{}]", position + 1);
        match text(payment, &["tPag"]).as_deref() {
            Some("99") if text(payment, &["xPag"]).is_none() => {
                findings.error(
                    format!("{caminho}/xPag"),
                    "441",
                    "O meio de pagamento 99 (outros) não está descrito.",
                    "Descreva o pagamento em xPag.",
                );
            }
            Some("90") if nfce => {
                findings.error(
                    format!("{caminho}/tPag"),
                    "899",
                    "A NFC-e não admite venda sem pagamento (tPag 90).",
                    "Informe a forma de pagamento real.",
                );
            }
            _ => {}
        }
    }
}

/// What the note to a consumer does not carry.
fn consumer(nota: &Nota<'_>, findings: &mut Findings) {
    let presence = ide(nota, "indPres");
    let delivery = presence.as_deref() == Some("4");
    let frete = nota.text(&["transp", "modFrete"]);
    let outside = |value: &Option<String>, admitted: &[&str]| {
        value
            .as_deref()
            .is_some_and(|value| !admitted.contains(&value))
    };
    for (wrong, caminho, codigo, message, correction) in [
        (
            ide(nota, "dhSaiEnt").is_some(),
            "infNFe/ide/dhSaiEnt",
            "705",
            "A NFC-e não leva data de saída.",
            "Retire dhSaiEnt.",
        ),
        (
            outside(&ide(nota, "tpImp"), &["4", "5"]),
            "infNFe/ide/tpImp",
            "709",
            "O formato do DANFE não é de NFC-e.",
            "Use tpImp 4 (DANFE NFC-e) ou 5 (mensagem eletrônica).",
        ),
        (
            outside(&presence, &["1", "4", "5"]),
            "infNFe/ide/indPres",
            "717",
            "A NFC-e é de operação presencial, ou de entrega em domicílio.",
            "Use indPres 1, 4 ou 5, ou emita NF-e.",
        ),
        (
            !delivery && frete.is_some_and(|frete| frete != "9"),
            "infNFe/transp/modFrete",
            "753",
            "A NFC-e não leva frete, fora da entrega em domicílio.",
            "Use modFrete 9, ou emita NF-e.",
        ),
    ] {
        if wrong {
            findings.error(caminho, codigo, message, correction);
        }
    }
}
