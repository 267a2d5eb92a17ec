//! Dates that cannot be.

use time::{Date, Duration};

use super::{Achados, Nota};

pub(super) fn confere(nota: &Nota<'_>, hoje: Date, achados: &mut Achados) {
    let emissao = nota.momento(&["ide", "dhEmi"]);
    if let Some(emissao) = emissao
        && emissao.date() > hoje.saturating_add(Duration::days(1))
    {
        achados
            .erro(
                "infNFe/ide/dhEmi",
                "703",
                "A nota foi emitida no futuro.",
                "Acerte o relógio e a data de emissão.",
            )
            .valor(&emissao.date().to_string());
    }
    if let (Some(emissao), Some(saida)) = (emissao, nota.momento(&["ide", "dhSaiEnt"])) {
        if saida < emissao && nota.texto(&["ide", "tpNF"]).as_deref() == Some("1") {
            achados
                .erro(
                    "infNFe/ide/dhSaiEnt",
                    "506",
                    "A saída é anterior à emissão.",
                    "Informe a saída a partir da emissão, ou deixe em branco.",
                )
                .valor(&saida.date().to_string());
        }
        if saida - emissao > Duration::days(30) {
            achados
                .erro(
                    "infNFe/ide/dhSaiEnt",
                    "504",
                    "A saída é mais de 30 dias depois da emissão.",
                    "Confira a data de saída.",
                )
                .valor(&saida.date().to_string());
        }
    }
    for (posicao, parcela) in nota.inf.find_all(&["cobr", "dup"]).into_iter().enumerate() {
        let Some(vence) = parcela.text_at(&["dVenc"]) else {
            continue;
        };
        // Both as AAAA-MM-DD, which sort as they are.
        if emissao.is_some_and(|emissao| *vence < *emissao.date().to_string()) {
            achados
                .erro(
                    format!("infNFe/cobr/dup[{}]/dVenc", posicao + 1),
                    "900",
                    "A parcela vence antes da emissão.",
                    "Confira o vencimento.",
                )
                .valor(&vence);
        }
    }
    for item in &nota.itens {
        let Some(prod) = item.prod else { continue };
        for (posicao, lote) in prod.find_all(&["rastro"]).into_iter().enumerate() {
            let (fabricado, vale) = (lote.text_at(&["dFab"]), lote.text_at(&["dVal"]));
            if let (Some(fabricado), Some(vale)) = (fabricado, vale)
                && vale < fabricado
            {
                achados
                    .erro(
                        format!("{}/prod/rastro[{}]/dVal", item.caminho, posicao + 1),
                        "870",
                        "O lote vence antes de ser fabricado.",
                        "Confira as datas do lote.",
                    )
                    .valor(&vale);
            }
        }
    }
}
