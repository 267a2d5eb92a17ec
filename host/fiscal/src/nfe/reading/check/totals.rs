//! Totals against the items, the amount of the note, its payments.

use rust_decimal::Decimal;

use super::nota::{Item, reais, text, value};
use super::{Findings, Nota};

/// A total of `ICMSTot`: its field, the cStat, what each item adds.
type Sum = (&'static str, &'static str, fn(&Item<'_>) -> Option<Decimal>);

const SUMS: [Sum; 26] = [
    ("vBC", "531", |item| item.icms("vBC")),
    ("vICMS", "532", |item| item.icms("vICMS")),
    ("vICMSDeson", "795", |item| item.icms("vICMSDeson")),
    ("vFCPUFDest", "798", |item| {
        item.tax(&["ICMSUFDest", "vFCPUFDest"])
    }),
    ("vICMSUFDest", "799", |item| {
        item.tax(&["ICMSUFDest", "vICMSUFDest"])
    }),
    ("vICMSUFRemet", "800", |item| {
        item.tax(&["ICMSUFDest", "vICMSUFRemet"])
    }),
    ("vBCST", "533", |item| item.icms("vBCST")),
    ("vST", "534", |item| item.icms("vICMSST")),
    ("vFCPST", "862", |item| item.icms("vFCPST")),
    ("vFCPSTRet", "859", |item| item.icms("vFCPSTRet")),
    ("qBCMono", "total_difere", |item| item.icms("qBCMono")),
    ("vICMSMono", "967", |item| item.icms("vICMSMono")),
    ("qBCMonoReten", "total_difere", |item| {
        item.icms("qBCMonoReten")
    }),
    ("vICMSMonoReten", "968", |item| item.icms("vICMSMonoReten")),
    ("qBCMonoRet", "744", |item| item.icms("qBCMonoRet")),
    ("vICMSMonoRet", "969", |item| item.icms("vICMSMonoRet")),
    ("vProd", "564", |item| {
        only_if(
            item.composes_total() && !item.is_service(),
            item.value("vProd"),
        )
    }),
    ("vFrete", "535", |item| item.value("vFrete")),
    ("vSeg", "536", |item| item.value("vSeg")),
    ("vDesc", "537", |item| item.value("vDesc")),
    ("vII", "601", |item| item.tax(&["II", "vII"])),
    ("vIPI", "538", |item| item.tax(&["IPI", "IPITrib", "vIPI"])),
    ("vIPIDevol", "863", |item| {
        value(item.det, &["impostoDevol", "IPI", "vIPIDevol"])
    }),
    ("vPIS", "602", |item| {
        only_if(!item.is_service(), item.contribution("PIS", "vPIS"))
    }),
    ("vCOFINS", "603", |item| {
        only_if(!item.is_service(), item.contribution("COFINS", "vCOFINS"))
    }),
    ("vOutro", "604", |item| item.value("vOutro")),
];

/// The same of `ISSQNtot`, over services.
const ISS_SUMS: [Sum; 5] = [
    ("vServ", "605", |item| {
        only_if(item.composes_total(), item.value("vProd"))
    }),
    ("vBC", "606", |item| item.tax(&["ISSQN", "vBC"])),
    ("vISS", "607", |item| item.tax(&["ISSQN", "vISSQN"])),
    ("vPIS", "608", |item| item.contribution("PIS", "vPIS")),
    ("vCOFINS", "609", |item| {
        item.contribution("COFINS", "vCOFINS")
    }),
];

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    if let Some(total) = nota.inf.find(&["total", "ICMSTot"]) {
        for (field, codigo, addend) in SUMS {
            let sum = sum(nota.items.iter(), addend);
            differs(
                ("ICMSTot", field),
                codigo,
                sum,
                value(total, &[field]),
                findings,
            );
        }
        fcp(nota, total, findings);
        let approximate = sum(nota.items.iter(), |item| item.tax(&["vTotTrib"]));
        if let (Some(sum), Some(said)) = (approximate, value(total, &["vTotTrib"]))
            && sum != said
        {
            findings.aviso(
                "infNFe/total/ICMSTot/vTotTrib",
                "685",
                format!(
                    "O total de tributos aproximados é {}, mas os itens somam {}.",
                    reais(said),
                    reais(sum)
                ),
                "Some vTotTrib dos itens.",
            );
        }
        nota_value(nota, total, findings);
        payments(nota, findings);
    }
    if let Some(total) = nota.inf.find(&["total", "ISSQNtot"]) {
        for (field, codigo, addend) in ISS_SUMS {
            let sum = sum(nota.items.iter().filter(|item| item.is_service()), addend);
            differs(
                ("ISSQNtot", field),
                codigo,
                sum,
                value(total, &[field]),
                findings,
            );
        }
    }
    billing(nota, findings);
}

/// W04h. Where the fund is deferred, whether its total is what was put off or
/// what is due (`vFCPEfet`) is not confirmed: either will do.
fn fcp(nota: &Nota<'_>, total: markup::xml::Element<'_>, findings: &mut Findings) {
    let said = value(total, &["vFCP"]);
    let due = sum(nota.items.iter(), |item| {
        let postponed = item.icms.and_then(|icms| icms.child("vFCPEfet"));
        item.icms(if postponed.is_some() {
            "vFCPEfet"
        } else {
            "vFCP"
        })
    });
    if due != said {
        let full = sum(nota.items.iter(), |item| item.icms("vFCP"));
        differs(("ICMSTot", "vFCP"), "861", full, said, findings);
    }
}

/// Sum over items; none where one has no amount the schema would take.
pub(super) fn sum<'i, 'd: 'i>(
    items: impl Iterator<Item = &'i Item<'d>>,
    addend: impl Fn(&Item<'_>) -> Option<Decimal>,
) -> Option<Decimal> {
    items
        .map(addend)
        .try_fold(Decimal::ZERO, |sum, addend| sum.checked_add(addend?))
}

pub(super) fn differs(
    (group, field): (&str, &str),
    codigo: &'static str,
    sum: Option<Decimal>,
    said: Option<Decimal>,
    findings: &mut Findings,
) {
    let (Some(sum), Some(said)) = (sum, said) else {
        return;
    };
    if sum != said {
        let place = if group.is_empty() {
            format!("infNFe/total/{field}")
        } else {
            format!("infNFe/total/{group}/{field}")
        };
        findings
            .error(
                place,
                codigo,
                format!(
                    "O total {field} é {}, mas os itens somam {}.",
                    reais(said),
                    reais(sum)
                ),
                format!(
                    "Corrija {field} do total ou dos itens: a diferença é {}.",
                    reais(said - sum)
                ),
            )
            .value(&said.to_string());
    }
}

/// W16-10: what the amount of the note is made of.
fn nota_value(nota: &Nota<'_>, total: markup::xml::Element<'_>, findings: &mut Findings) {
    const ADDED: [&str; 10] = [
        "vProd",
        "vST",
        "vFCPST",
        "vICMSMonoReten",
        "vFrete",
        "vSeg",
        "vOutro",
        "vII",
        "vIPI",
        "vIPIDevol",
    ];
    let summed = ADDED.iter().try_fold(Decimal::ZERO, |sum, field| {
        sum.checked_add(value(total, &[field])?)
    });
    let services = nota
        .inf
        .find(&["total", "ISSQNtot"])
        .map_or(Some(Decimal::ZERO), |total| value(total, &["vServ"]));
    let relieved = value(total, &["vICMSDeson"]);
    let parts = (
        summed,
        services,
        pis_cofins_st(nota),
        value(total, &["vDesc"]),
        relieved,
        relieved_that_deducts(nota),
        value(total, &["vNF"]),
    );
    let (
        Some(summed),
        Some(services),
        Some(st),
        Some(discount),
        Some(relieved),
        Some(deducted),
        Some(said),
    ) = parts
    else {
        return;
    };
    // Each below 10^15, ten of them: no overflow.
    let without_relieved = summed + services + st - discount;
    // Whether the exempted ICMS comes off the total is the state's choice
    // (NT 2023.004 marks it by item): any of the three is somebody's rule.
    let accepted = [
        without_relieved - relieved,
        without_relieved - deducted,
        without_relieved,
    ];
    if accepted.contains(&said) {
        return;
    }
    let message = format!(
        "O valor da nota é {}, mas as parcelas dão {}.",
        reais(said),
        reais(without_relieved - deducted)
    );
    let correction = "vNF = vProd - vDesc - vICMSDeson (se deduz) + vST + vFCPST + vICMSMonoReten + vFrete + vSeg + vOutro + vII + vIPI + vIPIDevol + vServ + PIS/COFINS-ST que compõem o total.";
    // Direct billing of vehicles and imports have exceptions by state.
    let exception = nota.items.iter().any(|item| {
        item.prod("CFOP").is_some_and(|cfop| cfop.starts_with('3'))
            || item
                .prod
                .is_some_and(|prod| text(prod, &["veicProd", "tpOp"]).as_deref() == Some("2"))
    });
    let place = "infNFe/total/ICMSTot/vNF";
    let placed = if exception {
        findings.aviso(place, "610", message, correction)
    } else {
        findings.error(place, "610", message, correction)
    };
    placed.value(&said.to_string());
}

/// PIS and COFINS of substitution that compose the total (NT 2020.005).
fn pis_cofins_st(nota: &Nota<'_>) -> Option<Decimal> {
    sum(nota.items.iter(), |item| {
        let one = |group: &str, indicator: &str, field: &str| {
            let group = item.tax.and_then(|tax| tax.child(group));
            match group {
                Some(group) if text(group, &[indicator]).as_deref() == Some("1") => {
                    value(group, &[field])
                }
                _ => Some(Decimal::ZERO),
            }
        };
        one("PISST", "indSomaPISST", "vPIS")?.checked_add(one(
            "COFINSST",
            "indSomaCOFINSST",
            "vCOFINS",
        )?)
    })
}

/// Exempted ICMS of the items that say it comes off the total (NT 2023.004).
fn relieved_that_deducts(nota: &Nota<'_>) -> Option<Decimal> {
    sum(nota.items.iter(), |item| {
        let deducts = item
            .icms
            .and_then(|icms| text(icms, &["indDeduzDeson"]))
            .is_some_and(|value| value == "1");
        only_if(deducts, item.icms("vICMSDeson"))
    })
}

/// YA: what was paid is the note's amount and the change.
fn payments(nota: &Nota<'_>, findings: &mut Findings) {
    let details = nota.inf.find_all(&["pag", "detPag"]);
    let without_value = |form: &str| form == "90" || form == "91";
    let postponed = details
        .iter()
        .any(|detail| text(*detail, &["tPag"]).is_some_and(|form| without_value(&form)));
    // No payment, or a later one; adjusting and returning notes have none.
    if details.is_empty() || postponed {
        return;
    }
    let paid = details.iter().try_fold(Decimal::ZERO, |sum, detail| {
        sum.checked_add(value(*detail, &["vPag"])?)
    });
    let total = value(nota.inf, &["total", "ICMSTot", "vNF"]);
    let change = value(nota.inf, &["pag", "vTroco"]);
    let (Some(paid), Some(total), Some(change)) = (paid, total, change) else {
        return;
    };
    if paid < total {
        // YA03-10 is each state's choice for an NF-e: a rural sale is paid
        // without what the buyer withholds (Funrural).
        let place = "infNFe/pag/detPag/vPag";
        let message = format!(
            "Os pagamentos somam {}, menos que a nota, de {}.",
            reais(paid),
            reais(total)
        );
        let correction = "Complete os pagamentos ou corrija os valores.";
        let placed = match nota.model() {
            65 => findings.error(place, "865", message, correction),
            _ => findings.aviso(place, "865", message, correction),
        };
        placed.value(&paid.to_string());
    }
    let right = (paid - total).max(Decimal::ZERO);
    if paid > total && change.is_zero() {
        findings.error(
            "infNFe/pag/vTroco",
            "866",
            format!(
                "Os pagamentos somam {}, mais que a nota, de {}, sem troco.",
                reais(paid),
                reais(total)
            ),
            format!("Informe troco de {}.", reais(paid - total)),
        );
    } else if right != change {
        findings
            .error(
                "infNFe/pag/vTroco",
                "869",
                format!(
                    "O troco é {}, mas deveria ser {}.",
                    reais(change),
                    reais(right)
                ),
                "O troco é a soma dos pagamentos menos o valor da nota.",
            )
            .value(&change.to_string());
    }
}

fn billing(nota: &Nota<'_>, findings: &mut Findings) {
    let Some(invoice) = nota.inf.find(&["cobr", "fat"]) else {
        return;
    };
    let (Some(original), Some(discount), Some(net)) = (
        value(invoice, &["vOrig"]),
        value(invoice, &["vDesc"]),
        value(invoice, &["vLiq"]),
    ) else {
        return;
    };
    if text(invoice, &["vOrig"]).is_some()
        && text(invoice, &["vLiq"]).is_some()
        && original - discount != net
    {
        findings
            .error(
                "infNFe/cobr/fat/vLiq",
                "902",
                format!(
                    "O valor líquido é {}, mas original menos desconto dá {}.",
                    reais(net),
                    reais(original - discount)
                ),
                "Corrija os valores da fatura.",
            )
            .value(&net.to_string());
    }
    let installments = nota.inf.find_all(&["cobr", "dup"]);
    let sum = installments.iter().try_fold(Decimal::ZERO, |sum, addend| {
        sum.checked_add(value(*addend, &["vDup"])?)
    });
    if let Some(sum) = sum
        && !installments.is_empty()
        && text(invoice, &["vLiq"]).is_some()
        && sum != net
    {
        findings
            .error(
                "infNFe/cobr/dup/vDup",
                "851",
                format!(
                    "As parcelas somam {}, mas a fatura é de {}.",
                    reais(sum),
                    reais(net)
                ),
                "Distribua o valor líquido entre as parcelas.",
            )
            .value(&sum.to_string());
    }
}

fn only_if(condition: bool, value: Option<Decimal>) -> Option<Decimal> {
    if condition {
        value
    } else {
        Some(Decimal::ZERO)
    }
}
