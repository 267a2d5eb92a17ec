//! From a path of the layout to the path of the request that became it.

use std::sync::LazyLock;

/// The place in the request of an official path such as
/// `infNFe/det[2]/prod/NCM`; by the longest part that is known. What the
/// request has no field for is told under `inf_nfe`.
pub(super) fn do_pedido(oficial: &str, recebedor: &str) -> String {
    let sem_raiz = oficial.strip_prefix("infNFe/").unwrap_or(oficial);
    let (nomes, indices) = separa(sem_raiz);
    // The longest known beginning: a problem inside of it is told there.
    for quantos in (1..=nomes.len()).rev() {
        let inicio = nomes.get(..quantos).unwrap_or_default();
        if let Some(modelo) = conhecido(inicio) {
            return preenche(modelo, &indices, recebedor);
        }
    }
    format!("inf_nfe.{}", nomes.join("."))
}

/// Names without positions, and the positions of those that repeat, from 0.
fn separa(caminho: &str) -> (Vec<&str>, Vec<(&str, usize)>) {
    let mut nomes = Vec::new();
    let mut indices = Vec::new();
    for parte in caminho.split('/').take(12) {
        match parte.split_once('[') {
            Some((nome, resto)) => {
                let posicao = resto.trim_end_matches(']').parse::<usize>().unwrap_or(1);
                indices.push((nome, posicao.saturating_sub(1)));
                nomes.push(nome);
            }
            None => nomes.push(parte),
        }
    }
    (nomes, indices)
}

/// `{det}` becomes the position of that element, `{quem}` the recipient's name
/// in the request.
fn preenche(modelo: &str, indices: &[(&str, usize)], recebedor: &str) -> String {
    let mut texto = modelo.replace("{quem}", recebedor);
    for (nome, posicao) in indices {
        texto = texto.replacen(&format!("{{{nome}}}"), &posicao.to_string(), 1);
    }
    // An element of which there is only one may come without position.
    while let (Some(de), Some(ate)) = (texto.find('{'), texto.find('}')) {
        if de > ate {
            break;
        }
        texto.replace_range(de..=ate, "0");
    }
    texto
}

fn conhecido(nomes: &[&str]) -> Option<&'static str> {
    // The groups of ICMS, IPI, PIS and COFINS differ by CST: their members
    // have one name each.
    if let ["det", "imposto", tributo, _, resto @ ..] = nomes {
        let nome = match *tributo {
            "ICMS" => Some(resto),
            "IPI" | "PIS" | "COFINS" if !resto.is_empty() => Some(resto),
            _ => None,
        };
        if let Some(resto) = nome {
            return tributos(tributo, resto.first().copied().unwrap_or_default());
        }
    }
    let junto = nomes.join("/");
    TABELA
        .binary_search_by(|(oficial, _)| (*oficial).cmp(junto.as_str()))
        .ok()
        .and_then(|lugar| TABELA.get(lugar))
        .map(|(_, pedido)| *pedido)
}

fn tributos(tributo: &str, campo: &str) -> Option<&'static str> {
    Some(match (tributo, campo) {
        ("ICMS", "orig") => "itens[{det}].origem",
        ("ICMS", "CST") => "itens[{det}].impostos.icms.cst",
        ("ICMS", "CSOSN") => "itens[{det}].impostos.icms.csosn",
        ("ICMS", "modBC") => "itens[{det}].impostos.icms.modalidade_bc",
        ("ICMS", "pRedBC") => "itens[{det}].impostos.icms.reducao",
        ("ICMS", "cBenefRBC") => "itens[{det}].impostos.icms.cbenef_reducao",
        ("ICMS", "vBC") => "itens[{det}].impostos.icms.base",
        ("ICMS", "pICMS") => "itens[{det}].impostos.icms.aliquota",
        ("ICMS", "vICMS") => "itens[{det}].impostos.icms.valor",
        ("ICMS", "vICMSOp") => "itens[{det}].impostos.icms.diferimento.valor_operacao",
        ("ICMS", "pDif") => "itens[{det}].impostos.icms.diferimento.percentual",
        ("ICMS", "vICMSDif") => "itens[{det}].impostos.icms.diferimento.valor",
        ("ICMS", "vBCFCP") => "itens[{det}].impostos.icms.fcp.base",
        ("ICMS", "pFCP") => "itens[{det}].impostos.icms.fcp.aliquota",
        ("ICMS", "vFCP") => "itens[{det}].impostos.icms.fcp.valor",
        ("ICMS", "modBCST") => "itens[{det}].impostos.icms.st.modalidade_bc",
        ("ICMS", "pMVAST") => "itens[{det}].impostos.icms.st.mva",
        ("ICMS", "pRedBCST") => "itens[{det}].impostos.icms.st.reducao",
        ("ICMS", "vBCST") => "itens[{det}].impostos.icms.st.base",
        ("ICMS", "pICMSST") => "itens[{det}].impostos.icms.st.aliquota",
        ("ICMS", "vICMSST") => "itens[{det}].impostos.icms.st.valor",
        ("ICMS", "vICMSSTDeson") => "itens[{det}].impostos.icms.st.desonerado.valor",
        ("ICMS", "motDesICMSST") => "itens[{det}].impostos.icms.st.desonerado.motivo",
        ("ICMS", "vBCFCPST" | "pFCPST" | "vFCPST") => "itens[{det}].impostos.icms.fcp_st",
        ("ICMS", "vICMSDeson") => "itens[{det}].impostos.icms.desonerado.valor",
        ("ICMS", "motDesICMS") => "itens[{det}].impostos.icms.desonerado.motivo",
        ("ICMS", "indDeduzDeson") => "itens[{det}].impostos.icms.desonerado.deduz",
        ("ICMS", "pCredSN" | "vCredICMSSN") => "itens[{det}].impostos.icms.credito_sn",
        ("ICMS", "pBCOp") => "itens[{det}].impostos.icms.percentual_base_operacao",
        ("ICMS", "UFST") => "itens[{det}].impostos.icms.uf_st",
        ("ICMS", "vBCSTRet" | "pST" | "vICMSSubstituto" | "vICMSSTRet") => {
            "itens[{det}].impostos.icms.retido"
        }
        ("ICMS", "vBCFCPSTRet" | "pFCPSTRet" | "vFCPSTRet") => {
            "itens[{det}].impostos.icms.retido.fcp"
        }
        ("ICMS", "pRedBCEfet" | "vBCEfet" | "pICMSEfet" | "vICMSEfet") => {
            "itens[{det}].impostos.icms.efetivo"
        }
        ("ICMS", "vBCSTDest" | "vICMSSTDest") => "itens[{det}].impostos.icms.st_destino",
        ("ICMS", nome)
            if nome.contains("Mono") || nome.contains("adRem") || nome.contains("AdRem") =>
        {
            "itens[{det}].impostos.icms.mono"
        }
        ("ICMS", _) => "itens[{det}].impostos.icms",
        ("IPI", "CST") => "itens[{det}].impostos.ipi.cst",
        ("IPI", "vBC") => "itens[{det}].impostos.ipi.base",
        ("IPI", "pIPI") => "itens[{det}].impostos.ipi.aliquota",
        ("IPI", "vIPI") => "itens[{det}].impostos.ipi.valor",
        ("IPI", "qUnid") => "itens[{det}].impostos.ipi.quantidade",
        ("IPI", "vUnid") => "itens[{det}].impostos.ipi.valor_unidade",
        ("IPI", _) => "itens[{det}].impostos.ipi",
        ("PIS", "CST") => "itens[{det}].impostos.pis.cst",
        ("PIS", "vBC") => "itens[{det}].impostos.pis.base",
        ("PIS", "pPIS") => "itens[{det}].impostos.pis.aliquota",
        ("PIS", "vPIS") => "itens[{det}].impostos.pis.valor",
        ("PIS", _) => "itens[{det}].impostos.pis",
        ("COFINS", "CST") => "itens[{det}].impostos.cofins.cst",
        ("COFINS", "vBC") => "itens[{det}].impostos.cofins.base",
        ("COFINS", "pCOFINS") => "itens[{det}].impostos.cofins.aliquota",
        ("COFINS", "vCOFINS") => "itens[{det}].impostos.cofins.valor",
        ("COFINS", _) => "itens[{det}].impostos.cofins",
        _ => return None,
    })
}

/// Official path and the place in the request it comes from, sorted by the
/// former (layout 4.00 and [`fiscal::nfe::order`], by hand).
static TABELA: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    include_str!("paths.tsv")
        .lines()
        .filter_map(|linha| linha.split_once('\t'))
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABELA.windows(2).all(|par| par[0].0 < par[1].0));
    }

    #[test]
    fn official_paths_read_as_the_request() {
        for (oficial, pedido) in [
            ("infNFe/det[2]/prod/NCM", "itens[1].ncm"),
            (
                "infNFe/det[990]/imposto/ICMS/ICMS00/pICMS",
                "itens[989].impostos.icms.aliquota",
            ),
            (
                "infNFe/det[1]/imposto/IPI/IPITrib/vIPI",
                "itens[0].impostos.ipi.valor",
            ),
            (
                "infNFe/det[1]/imposto/IPI/cEnq",
                "itens[0].impostos.ipi.enquadramento",
            ),
            (
                "infNFe/det[1]/imposto/PIS/PISOutr/pPIS",
                "itens[0].impostos.pis.aliquota",
            ),
            (
                "infNFe/det[1]/imposto/IBSCBS/gIBSCBS/vBC",
                "itens[0].impostos.ibs_cbs",
            ),
            (
                "infNFe/dest/enderDest/xLgr",
                "consumidor.endereco.logradouro",
            ),
            (
                "infNFe/pag/detPag[3]/card/cAut",
                "pagamentos[2].cartao.autorizacao",
            ),
            ("infNFe/pag/detPag/vPag", "pagamentos[0].valor"),
            (
                "infNFe/det[3]/prod/DI[2]/adi[4]/nDraw",
                "itens[2].importacoes[1].adicoes[3].drawback",
            ),
            ("infNFe/emit/xNome", "perfil_fiscal.razao_social"),
            ("infNFe/infSolicNFF/xSolic", "inf_nfe.infSolicNFF.xSolic"),
            ("", "inf_nfe."),
        ] {
            assert_eq!(do_pedido(oficial, "consumidor"), pedido);
        }
    }
}
