//! Codes against the dated tables of [`data`].

use data::cfop::Ambito;
use data::situations::Codigos;

use super::nota::{Item, texto};
use super::{Achados, Nota};
use crate::nfe::reading::check::items::ou_vazio;
use crate::nfe::reading::check::validity::Regras;

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    let sentido = ou_vazio(nota.texto(&["ide", "tpNF"]));
    let destino = ou_vazio(nota.texto(&["ide", "idDest"]));
    for item in &nota.itens {
        ncm(nota, item, achados);
        cfop(item, &sentido, &destino, achados);
        situacoes(item, achados);
        if nota.regras >= Regras::Fatura {
            cest(item, achados);
        }
    }
}

fn ncm(nota: &Nota<'_>, item: &Item<'_>, achados: &mut Achados) {
    // 00 stands for services and adjustments (MOC I05).
    let conhecida = nota.regras >= Regras::Ncm;
    let Some(ncm) = item
        .prod("NCM")
        .filter(|ncm| conhecida && ncm != "00" && ncm != "00000000")
    else {
        return;
    };
    if data::ncm::valido(&ncm, nota.dia) {
        return;
    }
    let mensagem = match data::ncm::get(&ncm) {
        Some(linha) if linha.is_item() => "O NCM existe, mas não vigorava na data de emissão.",
        Some(_) => "O NCM está incompleto: são 8 dígitos.",
        None => "O NCM não existe na tabela.",
    };
    achados
        .erro(
            format!("{}/prod/NCM", item.caminho),
            "778",
            mensagem,
            "Confira o código na tabela NCM vigente (Siscomex).",
        )
        .valor(&ncm);
}

fn cfop(item: &Item<'_>, sentido: &str, destino: &str, achados: &mut Achados) {
    let Some(codigo) = item.prod("CFOP") else {
        return;
    };
    let onde = format!("{}/prod/CFOP", item.caminho);
    let Some(cfop) = data::cfop::por_texto(&codigo) else {
        achados
            .erro(
                onde,
                "cfop_inexistente",
                "O CFOP não existe na tabela.",
                "Procure o CFOP da operação na tabela.",
            )
            .valor(&codigo);
        return;
    };
    match (sentido, cfop.is_entrada()) {
        ("1", true) => {
            achados
                .erro(
                    onde.clone(),
                    "518",
                    "CFOP de entrada em nota de saída.",
                    "Use um CFOP que comece com 5, 6 ou 7.",
                )
                .valor(&codigo);
        }
        ("0", false) => {
            achados
                .erro(
                    onde.clone(),
                    "519",
                    "CFOP de saída em nota de entrada.",
                    "Use um CFOP que comece com 1, 2 ou 3.",
                )
                .valor(&codigo);
        }
        _ => {}
    }
    let (esperado, rejeicao, nome) = match cfop.ambito() {
        Ambito::Interna => ("1", "733", "dentro do estado"),
        Ambito::Interestadual => ("2", "732", "interestadual"),
        Ambito::Exterior => ("3", "731", "com o exterior"),
    };
    if !destino.is_empty() && destino != esperado {
        achados
            .erro(
                onde,
                rejeicao,
                format!("O CFOP é de operação {nome}, mas idDest é {destino}."),
                "Acerte o CFOP do item ou o idDest da nota.",
            )
            .valor(&codigo);
    }
}

fn situacoes(item: &Item<'_>, achados: &mut Achados) {
    let mut codigo = |tabela: Codigos, onde: String, valor: Option<std::borrow::Cow<'_, str>>| {
        if let Some(valor) = valor
            && tabela.get(&valor).is_none()
        {
            achados
                .erro(
                    format!("{}/imposto/{onde}", item.caminho),
                    "cst_inexistente",
                    "O código não existe na tabela do imposto.",
                    "Consulte a tabela de CST ou CSOSN.",
                )
                .valor(&valor);
        }
    };
    if let Some(icms) = item.icms {
        let grupo = icms.name();
        codigo(
            Codigos::Icms,
            format!("ICMS/{grupo}/CST"),
            texto(icms, &["CST"]),
        );
        codigo(
            Codigos::Csosn,
            format!("ICMS/{grupo}/CSOSN"),
            texto(icms, &["CSOSN"]),
        );
        codigo(
            Codigos::Origem,
            format!("ICMS/{grupo}/orig"),
            texto(icms, &["orig"]),
        );
    }
    for (imposto, tabela) in [
        ("IPI", Codigos::Ipi),
        ("PIS", Codigos::PisCofins),
        ("COFINS", Codigos::PisCofins),
    ] {
        let grupo = item.imposto.and_then(|todos| todos.child(imposto));
        let dentro =
            grupo.and_then(|grupo| grupo.children().find(|filho| filho.child("CST").is_some()));
        if let Some(dentro) = dentro {
            codigo(
                tabela,
                format!("{imposto}/{}/CST", dentro.name()),
                texto(dentro, &["CST"]),
            );
        }
    }
}

fn cest(item: &Item<'_>, achados: &mut Achados) {
    let Some(codigo) = item.prod("CEST") else {
        return;
    };
    let onde = format!("{}/prod/CEST", item.caminho);
    match data::cest::get(&codigo) {
        None => achados
            .aviso(
                onde,
                "cest_inexistente",
                "O CEST não existe na tabela do Convênio ICMS 142/2018.",
                "Confira o CEST do produto.",
            )
            .valor(&codigo),
        Some(cest) => {
            if item.prod("NCM").is_some_and(|ncm| !cest.abrange(&ncm)) {
                achados
                    .aviso(
                        onde,
                        "cest_ncm",
                        "O CEST não é deste NCM.",
                        "Confira o CEST e o NCM do produto.",
                    )
                    .valor(&codigo);
            }
        }
    }
}
