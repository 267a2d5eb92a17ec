//! Amounts of a CT-e: the price and its parts, ICMS and its share.

use crate::document::check::Judged;
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::nota::{number, reais, value};
use fiscal::taxes::money::percent_of;
use markup::xml::Element;
use rust_decimal::Decimal;

/// How far an amount may be from the calculated one, reais (MOC CT-e 4.00, rule
/// of rejection 675).
const TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// The same of a sum of amounts that were rounded one by one.
const TOLERANCE_OF_SUMS: Decimal = Decimal::from_parts(2, 0, 0, false, 2);
/// Highest price of a service.
const HIGHEST_TOTAL: Decimal = Decimal::from_parts(999_999_999, 0, 0, false, 2);

pub(super) fn check(cte: &Judged<'_>, findings: &mut Findings) {
    price(cte, findings);
    icms(cte, findings);
    share(cte, findings);
}

/// `vPrest`: the price, what is to be received of it, its components.
fn price(cte: &Judged<'_>, findings: &mut Findings) {
    let read = |name: &str| value(cte.inf, &["vPrest", name]);
    let (Some(total), Some(receivable)) = (read("vTPrest"), read("vRec")) else {
        return;
    };
    if receivable > total {
        findings
            .error(
                cte.at("vPrest/vRec"),
                "531",
                format!(
                    "O valor a receber, {}, passa do valor da prestação, {}.",
                    reais(receivable),
                    reais(total)
                ),
                "Informe em vRec até o valor da prestação.",
            )
            .value(&receivable.to_string());
    }
    if total > HIGHEST_TOTAL {
        findings
            .error(
                cte.at("vPrest/vTPrest"),
                "650",
                format!("O valor da prestação vai até {}.", reais(HIGHEST_TOTAL)),
                "Confira o valor, ou divida a prestação.",
            )
            .value(&total.to_string());
    }
    let parts = cte.inf.find_all(&["vPrest", "Comp"]);
    let mut sum = Decimal::ZERO;
    for part in &parts {
        let Some(more) = value(*part, &["vComp"]).and_then(|more| sum.checked_add(more)) else {
            return;
        };
        sum = more;
    }
    if !parts.is_empty() && sum != total {
        findings
            .aviso(
                cte.at("vPrest/Comp"),
                "componentes_divergem",
                format!(
                    "A soma dos componentes é {}, e o valor da prestação, {}.",
                    reais(sum),
                    reais(total)
                ),
                "Confira os componentes e vTPrest.",
            )
            .value(&sum.to_string());
    }
}

/// Groups of ICMS that have a base: names of base, rate and amount.
const TAXED: [(&str, [&str; 3]); 5] = [
    ("ICMS00", ["vBC", "pICMS", "vICMS"]),
    ("ICMS20", ["vBC", "pICMS", "vICMS"]),
    ("ICMS60", ["vBCSTRet", "pICMSSTRet", "vICMSSTRet"]),
    ("ICMS90", ["vBC", "pICMS", "vICMS"]),
    (
        "ICMSOutraUF",
        ["vBCOutraUF", "pICMSOutraUF", "vICMSOutraUF"],
    ),
];

/// The tax is base times rate.
fn icms(cte: &Judged<'_>, findings: &mut Findings) {
    let groups = cte.inf.find(&["imp", "ICMS"]);
    let Some(group) = groups.and_then(|groups| groups.children().next()) else {
        return;
    };
    let Some((_, fields)) = TAXED.iter().find(|(name, _)| *name == group.name()) else {
        return;
    };
    let [Some(base), Some(rate), Some(amount)] = fields.map(|field| value(group, &[field])) else {
        return;
    };
    let computed = percent_of(base, rate);
    if (computed - amount).abs() <= TOLERANCE {
        return;
    }
    let [base_name, rate_name, name] = *fields;
    let place = format!("{}/{name}", cte.place(group));
    let message = format!(
        "{name} é {}, mas {base_name} × {rate_name} dá {}.",
        reais(amount),
        reais(computed)
    );
    let correction = format!("Corrija {name}, {base_name} ou {rate_name}.");
    // What was retained before may have been retained by another rule.
    let placed = match group.name() {
        "ICMS60" => findings.aviso(place, "675", message, correction),
        _ => findings.error(place, "675", message, correction),
    };
    placed.value(&amount.to_string());
}

/// `ICMSUFFim`: the difference between two rates, and the fund, of one base.
fn share(cte: &Judged<'_>, findings: &mut Findings) {
    let Some(group) = cte.inf.find(&["imp", "ICMSUFFim"]) else {
        return;
    };
    let Some([base, fund_rate, inner, between, fund, end, start]) = amounts(group) else {
        return;
    };
    let difference = (inner - between).max(Decimal::ZERO);
    let shares = [
        (
            "vICMSUFFim",
            "vICMSUFFim e vICMSUFIni somam",
            percent_of(base, difference),
            end + start,
        ),
        (
            "vFCPUFFim",
            "vFCPUFFim tem",
            percent_of(base, fund_rate),
            fund,
        ),
    ];
    for (name, told, computed, amount) in shares {
        if (computed - amount).abs() > TOLERANCE_OF_SUMS {
            findings
                .aviso(
                    format!("{}/{name}", cte.place(group)),
                    "partilha_diverge",
                    format!(
                        "{told} {}, e a base pelas alíquotas dá {}.",
                        reais(amount),
                        reais(computed)
                    ),
                    "Confira a base e as alíquotas de ICMSUFFim.",
                )
                .value(&amount.to_string());
        }
    }
}

/// Numbers of `ICMSUFFim`; none where one of them is no number.
fn amounts(group: Element<'_>) -> Option<[Decimal; 7]> {
    let read = |name: &str| number(&group.text_at(&[name]).unwrap_or_default());
    Some([
        read("vBCUFFim")?,
        read("pFCPUFFim")?,
        read("pICMSUFFim")?,
        read("pICMSInter")?,
        read("vFCPUFFim")?,
        read("vICMSUFFim")?,
        read("vICMSUFIni")?,
    ])
}
