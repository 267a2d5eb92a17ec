//! Totals of a document to which `inf_nfe` gave a part: what the hub adds up
//! itself agrees by construction, what the caller wrote may not.

use crate::context::Contexto;
use markup::tree::Elemento;
use rust_decimal::Decimal;

/// Total, where it comes from in an item, rejection. `*` is the one group of
/// a tax, whose name changes with the CST.
const SOMAS: [(&str, &[&str], &str); 18] = [
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
const SO_DE_MERCADORIA: [&str; 3] = ["vProd", "vPIS", "vCOFINS"];
/// Exempt, not taxed, suspended: their `vICMS` is not charged (N17).
const SEM_COBRANCA: [&str; 3] = ["40", "41", "50"];

pub(super) fn totals(ctx: &mut Contexto<'_>, raiz: &Elemento) {
    if ctx.pedido.inf_nfe.is_none() {
        return;
    }
    for (nome, caminho, rejeicao) in SOMAS {
        let dado = valor(raiz, &["total", "ICMSTot", nome]);
        let itens = raiz
            .lista()
            .iter()
            .filter(|elemento| elemento.nome == "det");
        let soma = itens
            .filter(|det| conta(det, nome))
            .try_fold(Decimal::ZERO, |soma, det| {
                soma.checked_add(valor(det, caminho)?)
            });
        // What is no number is told by the layout.
        let (Some(dado), Some(soma)) = (dado, soma) else {
            continue;
        };
        if dado != soma {
            ctx.campos.add_value(
                format!("inf_nfe.total.ICMSTot.{nome}"),
                "total_divergente",
                &dado.to_string(),
                format!("O total {nome} é {dado} e os itens somam {soma} (rejeição {rejeicao})."),
                format!("Informe {soma}, ou corrija os itens em inf_nfe.det."),
            );
        }
    }
}

/// Does an item count in a total?
fn conta(det: &Elemento, total: &str) -> bool {
    let servico = det.caminho(&["imposto", "ISSQN"]).is_some();
    let compoe = det.valor(&["prod", "indTot"]) != Some("0");
    match total {
        "vProd" if !compoe => false,
        "vICMS" => {
            let grupo = det.caminho(&["imposto", "ICMS"]);
            let grupo = grupo.and_then(|icms| icms.lista().first());
            let cst = grupo.and_then(|grupo| grupo.valor(&["CST"]));
            !cst.is_some_and(|cst| SEM_COBRANCA.contains(&cst))
        }
        _ => !(servico && SO_DE_MERCADORIA.contains(&total)),
    }
}

/// Number at a path: zero when absent, none when it is no number.
fn valor(raiz: &Elemento, caminho: &[&str]) -> Option<Decimal> {
    let mut onde = raiz;
    for nome in caminho {
        let filho = match *nome {
            "*" => onde.lista().first(),
            nome => onde.busca(nome),
        };
        match filho {
            Some(filho) => onde = filho,
            None => return Some(Decimal::ZERO),
        }
    }
    onde.texto()?.parse().ok()
}
