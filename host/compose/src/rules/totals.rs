//! Totals of a document to which `inf_nfe` gave a part: what the hub adds up
//! itself agrees by construction, what the caller wrote may not.

use crate::context::Context;
use markup::tree::Node;
use rust_decimal::Decimal;

/// Total, where it comes from in an item, rejection. `*` is the one group of
/// a tax, whose name changes with the CST.
const SUMS: [(&str, &[&str], &str); 18] = [
    ("vBC", &["imposto", "ICMS", "*", "vBC"], "531"),
    ("vICMS", &["imposto", "ICMS", "*", "vICMS"], "532"),
    ("vICMSDeson", &["imposto", "ICMS", "*", "vICMSDeson"], "795"),
    ("vBCST", &["imposto", "ICMS", "*", "vBCST"], "533"),
    ("vST", &["imposto", "ICMS", "*", "vICMSST"], "534"),
    ("vFCPST", &["imposto", "ICMS", "*", "vFCPST"], "862"),
    ("vFCPSTRet", &["imposto", "ICMS", "*", "vFCPSTRet"], "859"),
    (
        "vFCPUFDest",
        &["imposto", "ICMSUFDest", "vFCPUFDest"],
        "798",
    ),
    (
        "vICMSUFDest",
        &["imposto", "ICMSUFDest", "vICMSUFDest"],
        "799",
    ),
    ("vProd", &["prod", "vProd"], "564"),
    ("vFrete", &["prod", "vFrete"], "535"),
    ("vSeg", &["prod", "vSeg"], "536"),
    ("vDesc", &["prod", "vDesc"], "537"),
    ("vII", &["imposto", "II", "vII"], "601"),
    ("vIPI", &["imposto", "IPI", "IPITrib", "vIPI"], "538"),
    ("vPIS", &["imposto", "PIS", "*", "vPIS"], "602"),
    ("vCOFINS", &["imposto", "COFINS", "*", "vCOFINS"], "603"),
    ("vOutro", &["prod", "vOutro"], "604"),
];
/// Amounts of a service are totals of their own (W17).
const GOODS_ONLY: [&str; 3] = ["vProd", "vPIS", "vCOFINS"];
/// Exempt, not taxed, suspended: their `vICMS` is not charged (N17).
const WITHOUT_CHARGE: [&str; 3] = ["40", "41", "50"];

pub(super) fn totals(ctx: &mut Context<'_>, root: &Node) {
    if ctx.request.inf_nfe.is_none() {
        return;
    }
    for (name, caminho, rejection) in SUMS {
        let stated = value(root, &["total", "ICMSTot", name]);
        let items = root.list().iter().filter(|element| element.name == "det");
        let sum = items
            .filter(|det| conta(det, name))
            .try_fold(Decimal::ZERO, |sum, det| {
                sum.checked_add(value(det, caminho)?)
            });
        // What is no number is told by the layout.
        let (Some(stated), Some(sum)) = (stated, sum) else {
            continue;
        };
        if stated != sum {
            ctx.fields.add_value(
                format!("inf_nfe.total.ICMSTot.{name}"),
                "total_divergente",
                &stated.to_string(),
                format!("O total {name} é {stated} e os itens somam {sum} (rejeição {rejection})."),
                format!("Informe {sum}, ou corrija os itens em inf_nfe.det."),
            );
        }
    }
}

/// Does an item count in a total?
fn conta(det: &Node, total: &str) -> bool {
    let service = det.caminho(&["imposto", "ISSQN"]).is_some();
    let composes = det.value(&["prod", "indTot"]) != Some("0");
    match total {
        "vProd" if !composes => false,
        "vICMS" => {
            let group = det.caminho(&["imposto", "ICMS"]);
            let group = group.and_then(|icms| icms.list().first());
            let cst = group.and_then(|group| group.value(&["CST"]));
            !cst.is_some_and(|cst| WITHOUT_CHARGE.contains(&cst))
        }
        _ => !(service && GOODS_ONLY.contains(&total)),
    }
}

/// Number at a path: zero when absent, none when it is no number.
fn value(root: &Node, caminho: &[&str]) -> Option<Decimal> {
    let mut place = root;
    for name in caminho {
        let child = match *name {
            "*" => place.list().first(),
            name => place.find(name),
        };
        match child {
            Some(child) => place = child,
            None => return Some(Decimal::ZERO),
        }
    }
    place.text()?.parse().ok()
}
