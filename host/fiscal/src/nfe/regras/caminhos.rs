//! From a path of the layout to the path of the request that became it.

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

/// Official path, sorted, and where it comes from.
const TABELA: &[(&str, &str)] = &[
    ("agropecuario", "agropecuario"),
    ("autXML", "autorizados_xml[{autXML}]"),
    ("cana", "cana"),
    ("cana/deduc", "cana.deducoes[{deduc}]"),
    ("cana/forDia", "cana.fornecimentos[{forDia}]"),
    ("cana/qTotAnt", "cana.total_anterior"),
    ("cana/qTotGer", "cana.total_geral"),
    ("cana/qTotMes", "cana.total_mes"),
    ("cana/ref", "cana.mes"),
    ("cana/safra", "cana.safra"),
    ("cana/vFor", "cana.valor_fornecimento"),
    ("cana/vLiqFor", "cana.valor_liquido"),
    ("cana/vTotDed", "cana.valor_deducoes"),
    ("cobr", "cobranca"),
    ("cobr/dup", "cobranca.duplicatas[{dup}]"),
    ("cobr/dup/dVenc", "cobranca.duplicatas[{dup}].vencimento"),
    ("cobr/dup/nDup", "cobranca.duplicatas[{dup}].numero"),
    ("cobr/dup/vDup", "cobranca.duplicatas[{dup}].valor"),
    ("cobr/fat", "cobranca.fatura"),
    ("cobr/fat/nFat", "cobranca.fatura.numero"),
    ("cobr/fat/vDesc", "cobranca.fatura.desconto"),
    ("cobr/fat/vLiq", "cobranca.fatura.valor_liquido"),
    ("cobr/fat/vOrig", "cobranca.fatura.valor_original"),
    ("compra", "compra"),
    ("compra/xCont", "compra.contrato"),
    ("compra/xNEmp", "compra.empenho"),
    ("compra/xPed", "compra.pedido"),
    ("dest", "{quem}"),
    ("dest/CNPJ", "{quem}.cpf_cnpj"),
    ("dest/CPF", "{quem}.cpf_cnpj"),
    ("dest/IE", "{quem}.ie"),
    ("dest/IM", "{quem}.im"),
    ("dest/ISUF", "{quem}.suframa"),
    ("dest/email", "{quem}.email"),
    ("dest/enderDest", "{quem}.endereco"),
    ("dest/enderDest/CEP", "{quem}.endereco.cep"),
    ("dest/enderDest/UF", "{quem}.endereco.uf"),
    ("dest/enderDest/cMun", "{quem}.endereco.codigo_ibge"),
    ("dest/enderDest/cPais", "{quem}.endereco.codigo_pais"),
    ("dest/enderDest/fone", "{quem}.telefone"),
    ("dest/enderDest/nro", "{quem}.endereco.numero"),
    ("dest/enderDest/xBairro", "{quem}.endereco.bairro"),
    ("dest/enderDest/xCpl", "{quem}.endereco.complemento"),
    ("dest/enderDest/xLgr", "{quem}.endereco.logradouro"),
    ("dest/enderDest/xMun", "{quem}.endereco.cidade"),
    ("dest/enderDest/xPais", "{quem}.endereco.pais"),
    ("dest/idEstrangeiro", "{quem}.documento_estrangeiro"),
    ("dest/indIEDest", "{quem}.indicador_ie"),
    ("dest/xNome", "{quem}.nome"),
    ("det", "itens[{det}]"),
    ("det/DFeReferenciado", "itens[{det}].documento_referenciado"),
    (
        "det/DFeReferenciado/chaveAcesso",
        "itens[{det}].documento_referenciado.chave",
    ),
    (
        "det/DFeReferenciado/nItem",
        "itens[{det}].documento_referenciado.item",
    ),
    ("det/imposto", "itens[{det}].impostos"),
    ("det/imposto/COFINS", "itens[{det}].impostos.cofins"),
    ("det/imposto/COFINSST", "itens[{det}].impostos.cofins_st"),
    (
        "det/imposto/COFINSST/indSomaCOFINSST",
        "itens[{det}].impostos.cofins_st.compoe_total",
    ),
    (
        "det/imposto/COFINSST/indSomaPISST",
        "itens[{det}].impostos.cofins_st.compoe_total",
    ),
    (
        "det/imposto/COFINSST/pCOFINS",
        "itens[{det}].impostos.cofins_st.aliquota",
    ),
    (
        "det/imposto/COFINSST/pPIS",
        "itens[{det}].impostos.cofins_st.aliquota",
    ),
    (
        "det/imposto/COFINSST/qBCProd",
        "itens[{det}].impostos.cofins_st.quantidade",
    ),
    (
        "det/imposto/COFINSST/vAliqProd",
        "itens[{det}].impostos.cofins_st.aliquota_unidade",
    ),
    (
        "det/imposto/COFINSST/vBC",
        "itens[{det}].impostos.cofins_st.base",
    ),
    (
        "det/imposto/COFINSST/vCOFINS",
        "itens[{det}].impostos.cofins_st.valor",
    ),
    (
        "det/imposto/COFINSST/vPIS",
        "itens[{det}].impostos.cofins_st.valor",
    ),
    ("det/imposto/IBSCBS", "itens[{det}].impostos.ibs_cbs"),
    (
        "det/imposto/IBSCBS/CST",
        "itens[{det}].impostos.ibs_cbs.cst",
    ),
    (
        "det/imposto/IBSCBS/cClassTrib",
        "itens[{det}].impostos.ibs_cbs.cclass_trib",
    ),
    (
        "det/imposto/IBSCBS/gAjusteCompet",
        "itens[{det}].impostos.ibs_cbs.ajuste_competencia",
    ),
    (
        "det/imposto/IBSCBS/gCredPresIBSZFM",
        "itens[{det}].impostos.ibs_cbs.credito_presumido_zfm",
    ),
    (
        "det/imposto/IBSCBS/gCredPresOper",
        "itens[{det}].impostos.ibs_cbs.credito_presumido",
    ),
    (
        "det/imposto/IBSCBS/gEstornoCred",
        "itens[{det}].impostos.ibs_cbs.estorno_credito",
    ),
    (
        "det/imposto/IBSCBS/gIBSCBSMono",
        "itens[{det}].impostos.ibs_cbs.mono",
    ),
    (
        "det/imposto/IBSCBS/gTransfCred",
        "itens[{det}].impostos.ibs_cbs.transferencia_credito",
    ),
    (
        "det/imposto/IBSCBS/indDoacao",
        "itens[{det}].impostos.ibs_cbs.doacao",
    ),
    ("det/imposto/ICMS", "itens[{det}].impostos.icms"),
    ("det/imposto/ICMSUFDest", "itens[{det}].impostos.icms.difal"),
    (
        "det/imposto/ICMSUFDest/pFCPUFDest",
        "itens[{det}].impostos.icms.difal.aliquota_fcp",
    ),
    (
        "det/imposto/ICMSUFDest/pICMSInter",
        "itens[{det}].impostos.icms.difal.aliquota_interestadual",
    ),
    (
        "det/imposto/ICMSUFDest/pICMSUFDest",
        "itens[{det}].impostos.icms.difal.aliquota_interna",
    ),
    (
        "det/imposto/ICMSUFDest/vBCFCPUFDest",
        "itens[{det}].impostos.icms.difal.base_fcp",
    ),
    (
        "det/imposto/ICMSUFDest/vBCUFDest",
        "itens[{det}].impostos.icms.difal.base",
    ),
    (
        "det/imposto/ICMSUFDest/vFCPUFDest",
        "itens[{det}].impostos.icms.difal.valor_fcp",
    ),
    (
        "det/imposto/ICMSUFDest/vICMSUFDest",
        "itens[{det}].impostos.icms.difal.valor",
    ),
    ("det/imposto/II", "itens[{det}].impostos.ii"),
    ("det/imposto/II/vBC", "itens[{det}].impostos.ii.base"),
    (
        "det/imposto/II/vDespAdu",
        "itens[{det}].impostos.ii.despesas_aduaneiras",
    ),
    ("det/imposto/II/vII", "itens[{det}].impostos.ii.valor"),
    ("det/imposto/II/vIOF", "itens[{det}].impostos.ii.iof"),
    ("det/imposto/IPI", "itens[{det}].impostos.ipi"),
    (
        "det/imposto/IPI/CNPJProd",
        "itens[{det}].impostos.ipi.cnpj_produtor",
    ),
    (
        "det/imposto/IPI/cEnq",
        "itens[{det}].impostos.ipi.enquadramento",
    ),
    ("det/imposto/IPI/cSelo", "itens[{det}].impostos.ipi.selo"),
    (
        "det/imposto/IPI/qSelo",
        "itens[{det}].impostos.ipi.quantidade_selo",
    ),
    ("det/imposto/IS", "itens[{det}].impostos.is"),
    ("det/imposto/IS/CSTIS", "itens[{det}].impostos.is.cst"),
    (
        "det/imposto/IS/adRemIS",
        "itens[{det}].impostos.is.aliquota_unidade",
    ),
    (
        "det/imposto/IS/cClassTribIS",
        "itens[{det}].impostos.is.cclass_trib",
    ),
    ("det/imposto/IS/pIS", "itens[{det}].impostos.is.aliquota"),
    (
        "det/imposto/IS/qTrib",
        "itens[{det}].impostos.is.quantidade",
    ),
    ("det/imposto/IS/uTrib", "itens[{det}].impostos.is.unidade"),
    ("det/imposto/IS/vBCIS", "itens[{det}].impostos.is.base"),
    ("det/imposto/IS/vIS", "itens[{det}].impostos.is.valor"),
    ("det/imposto/ISSQN", "itens[{det}].impostos.issqn"),
    (
        "det/imposto/ISSQN/cListServ",
        "itens[{det}].impostos.issqn.item_lista_servico",
    ),
    (
        "det/imposto/ISSQN/cMun",
        "itens[{det}].impostos.issqn.municipio_incidencia",
    ),
    (
        "det/imposto/ISSQN/cMunFG",
        "itens[{det}].impostos.issqn.municipio",
    ),
    (
        "det/imposto/ISSQN/cPais",
        "itens[{det}].impostos.issqn.codigo_pais",
    ),
    (
        "det/imposto/ISSQN/cServico",
        "itens[{det}].impostos.issqn.codigo_servico",
    ),
    (
        "det/imposto/ISSQN/indISS",
        "itens[{det}].impostos.issqn.exigibilidade",
    ),
    (
        "det/imposto/ISSQN/indIncentivo",
        "itens[{det}].impostos.issqn.incentivo",
    ),
    (
        "det/imposto/ISSQN/nProcesso",
        "itens[{det}].impostos.issqn.numero_processo",
    ),
    (
        "det/imposto/ISSQN/vAliq",
        "itens[{det}].impostos.issqn.aliquota",
    ),
    ("det/imposto/ISSQN/vBC", "itens[{det}].impostos.issqn.base"),
    (
        "det/imposto/ISSQN/vDeducao",
        "itens[{det}].impostos.issqn.deducao",
    ),
    (
        "det/imposto/ISSQN/vDescCond",
        "itens[{det}].impostos.issqn.desconto_condicionado",
    ),
    (
        "det/imposto/ISSQN/vDescIncond",
        "itens[{det}].impostos.issqn.desconto_incondicionado",
    ),
    (
        "det/imposto/ISSQN/vISSQN",
        "itens[{det}].impostos.issqn.valor",
    ),
    (
        "det/imposto/ISSQN/vISSRet",
        "itens[{det}].impostos.issqn.iss_retido",
    ),
    (
        "det/imposto/ISSQN/vOutro",
        "itens[{det}].impostos.issqn.outras_retencoes",
    ),
    ("det/imposto/PIS", "itens[{det}].impostos.pis"),
    ("det/imposto/PISST", "itens[{det}].impostos.pis_st"),
    (
        "det/imposto/PISST/indSomaCOFINSST",
        "itens[{det}].impostos.pis_st.compoe_total",
    ),
    (
        "det/imposto/PISST/indSomaPISST",
        "itens[{det}].impostos.pis_st.compoe_total",
    ),
    (
        "det/imposto/PISST/pCOFINS",
        "itens[{det}].impostos.pis_st.aliquota",
    ),
    (
        "det/imposto/PISST/pPIS",
        "itens[{det}].impostos.pis_st.aliquota",
    ),
    (
        "det/imposto/PISST/qBCProd",
        "itens[{det}].impostos.pis_st.quantidade",
    ),
    (
        "det/imposto/PISST/vAliqProd",
        "itens[{det}].impostos.pis_st.aliquota_unidade",
    ),
    ("det/imposto/PISST/vBC", "itens[{det}].impostos.pis_st.base"),
    (
        "det/imposto/PISST/vCOFINS",
        "itens[{det}].impostos.pis_st.valor",
    ),
    (
        "det/imposto/PISST/vPIS",
        "itens[{det}].impostos.pis_st.valor",
    ),
    (
        "det/imposto/vTotTrib",
        "itens[{det}].impostos.valor_aproximado",
    ),
    ("det/impostoDevol", "itens[{det}].devolucao"),
    ("det/impostoDevol/IPI", "itens[{det}].devolucao.valor_ipi"),
    (
        "det/impostoDevol/pDevol",
        "itens[{det}].devolucao.percentual",
    ),
    ("det/infAdProd", "itens[{det}].informacoes"),
    ("det/obsItem", "itens[{det}].observacao_contribuinte"),
    (
        "det/obsItem/obsCont",
        "itens[{det}].observacao_contribuinte",
    ),
    ("det/obsItem/obsFisco", "itens[{det}].observacao_fisco"),
    ("det/prod", "itens[{det}]"),
    ("det/prod/CEST", "itens[{det}].cest"),
    ("det/prod/CFOP", "itens[{det}].cfop"),
    ("det/prod/CNPJFab", "itens[{det}].cnpj_fabricante"),
    ("det/prod/DI", "itens[{det}].importacoes[{DI}]"),
    (
        "det/prod/DI/CNPJ",
        "itens[{det}].importacoes[{DI}].cpf_cnpj_terceiro",
    ),
    (
        "det/prod/DI/CPF",
        "itens[{det}].importacoes[{DI}].cpf_cnpj_terceiro",
    ),
    (
        "det/prod/DI/UFDesemb",
        "itens[{det}].importacoes[{DI}].uf_desembaraco",
    ),
    (
        "det/prod/DI/UFTerceiro",
        "itens[{det}].importacoes[{DI}].uf_terceiro",
    ),
    (
        "det/prod/DI/adi",
        "itens[{det}].importacoes[{DI}].adicoes[{adi}]",
    ),
    (
        "det/prod/DI/adi/cFabricante",
        "itens[{det}].importacoes[{DI}].adicoes[{adi}].codigo_fabricante",
    ),
    (
        "det/prod/DI/adi/nAdicao",
        "itens[{det}].importacoes[{DI}].adicoes[{adi}].numero",
    ),
    (
        "det/prod/DI/adi/nDraw",
        "itens[{det}].importacoes[{DI}].adicoes[{adi}].drawback",
    ),
    (
        "det/prod/DI/adi/nSeqAdic",
        "itens[{det}].importacoes[{DI}].adicoes[{adi}].sequencia",
    ),
    (
        "det/prod/DI/adi/vDescDI",
        "itens[{det}].importacoes[{DI}].adicoes[{adi}].desconto",
    ),
    (
        "det/prod/DI/cExportador",
        "itens[{det}].importacoes[{DI}].codigo_exportador",
    ),
    ("det/prod/DI/dDI", "itens[{det}].importacoes[{DI}].data"),
    (
        "det/prod/DI/dDesemb",
        "itens[{det}].importacoes[{DI}].data_desembaraco",
    ),
    ("det/prod/DI/nDI", "itens[{det}].importacoes[{DI}].numero"),
    (
        "det/prod/DI/tpIntermedio",
        "itens[{det}].importacoes[{DI}].intermediacao",
    ),
    (
        "det/prod/DI/tpViaTransp",
        "itens[{det}].importacoes[{DI}].via_transporte",
    ),
    (
        "det/prod/DI/vAFRMM",
        "itens[{det}].importacoes[{DI}].valor_afrmm",
    ),
    (
        "det/prod/DI/xLocDesemb",
        "itens[{det}].importacoes[{DI}].local_desembaraco",
    ),
    ("det/prod/EXTIPI", "itens[{det}].ex_tipi"),
    ("det/prod/NCM", "itens[{det}].ncm"),
    ("det/prod/NVE", "itens[{det}].nve"),
    ("det/prod/arma", "itens[{det}].armas[{arma}]"),
    (
        "det/prod/arma/descr",
        "itens[{det}].armas[{arma}].descricao",
    ),
    ("det/prod/arma/nCano", "itens[{det}].armas[{arma}].cano"),
    ("det/prod/arma/nSerie", "itens[{det}].armas[{arma}].serie"),
    ("det/prod/arma/tpArma", "itens[{det}].armas[{arma}].tipo"),
    ("det/prod/cBarra", "itens[{det}].codigo_barras"),
    (
        "det/prod/cBarraTrib",
        "itens[{det}].codigo_barras_tributavel",
    ),
    ("det/prod/cBenef", "itens[{det}].cbenef"),
    ("det/prod/cEAN", "itens[{det}].gtin"),
    ("det/prod/cEANTrib", "itens[{det}].gtin_tributavel"),
    ("det/prod/cProd", "itens[{det}].codigo"),
    ("det/prod/comb", "itens[{det}].combustivel"),
    ("det/prod/comb/CIDE", "itens[{det}].combustivel.cide"),
    (
        "det/prod/comb/CIDE/qBCProd",
        "itens[{det}].combustivel.cide.base",
    ),
    (
        "det/prod/comb/CIDE/vAliqProd",
        "itens[{det}].combustivel.cide.aliquota",
    ),
    (
        "det/prod/comb/CIDE/vCIDE",
        "itens[{det}].combustivel.cide.valor",
    ),
    ("det/prod/comb/CODIF", "itens[{det}].combustivel.codif"),
    (
        "det/prod/comb/UFCons",
        "itens[{det}].combustivel.uf_consumo",
    ),
    (
        "det/prod/comb/cProdANP",
        "itens[{det}].combustivel.codigo_anp",
    ),
    (
        "det/prod/comb/descANP",
        "itens[{det}].combustivel.descricao_anp",
    ),
    (
        "det/prod/comb/encerrante",
        "itens[{det}].combustivel.encerrante",
    ),
    (
        "det/prod/comb/encerrante/nBico",
        "itens[{det}].combustivel.encerrante.bico",
    ),
    (
        "det/prod/comb/encerrante/nBomba",
        "itens[{det}].combustivel.encerrante.bomba",
    ),
    (
        "det/prod/comb/encerrante/nTanque",
        "itens[{det}].combustivel.encerrante.tanque",
    ),
    (
        "det/prod/comb/encerrante/vEncFin",
        "itens[{det}].combustivel.encerrante.final",
    ),
    (
        "det/prod/comb/encerrante/vEncIni",
        "itens[{det}].combustivel.encerrante.inicial",
    ),
    (
        "det/prod/comb/origComb",
        "itens[{det}].combustivel.origens[{origComb}]",
    ),
    (
        "det/prod/comb/origComb/cUFOrig",
        "itens[{det}].combustivel.origens[{origComb}].uf",
    ),
    (
        "det/prod/comb/origComb/indImport",
        "itens[{det}].combustivel.origens[{origComb}].importado",
    ),
    (
        "det/prod/comb/origComb/pOrig",
        "itens[{det}].combustivel.origens[{origComb}].percentual",
    ),
    (
        "det/prod/comb/pBio",
        "itens[{det}].combustivel.percentual_biodiesel",
    ),
    (
        "det/prod/comb/pGLP",
        "itens[{det}].combustivel.percentual_glp",
    ),
    (
        "det/prod/comb/pGNi",
        "itens[{det}].combustivel.percentual_gas_importado",
    ),
    (
        "det/prod/comb/pGNn",
        "itens[{det}].combustivel.percentual_gas_nacional",
    ),
    (
        "det/prod/comb/qTemp",
        "itens[{det}].combustivel.quantidade_temperatura",
    ),
    (
        "det/prod/comb/vPart",
        "itens[{det}].combustivel.valor_partida",
    ),
    (
        "det/prod/detExport",
        "itens[{det}].exportacoes[{detExport}]",
    ),
    (
        "det/prod/detExport/exportInd",
        "itens[{det}].exportacoes[{detExport}]",
    ),
    (
        "det/prod/detExport/exportInd/chNFe",
        "itens[{det}].exportacoes[{detExport}].chave",
    ),
    (
        "det/prod/detExport/exportInd/nRE",
        "itens[{det}].exportacoes[{detExport}].registro_exportacao",
    ),
    (
        "det/prod/detExport/exportInd/qExport",
        "itens[{det}].exportacoes[{detExport}].quantidade",
    ),
    (
        "det/prod/detExport/nDraw",
        "itens[{det}].exportacoes[{detExport}].drawback",
    ),
    (
        "det/prod/gCred",
        "itens[{det}].creditos_presumidos[{gCred}]",
    ),
    (
        "det/prod/gCred/cCredPresumido",
        "itens[{det}].creditos_presumidos[{gCred}].codigo",
    ),
    (
        "det/prod/gCred/pCredPresumido",
        "itens[{det}].creditos_presumidos[{gCred}].aliquota",
    ),
    (
        "det/prod/gCred/vCredPresumido",
        "itens[{det}].creditos_presumidos[{gCred}].valor",
    ),
    ("det/prod/indBemMovelUsado", "itens[{det}].bem_movel_usado"),
    ("det/prod/indEscala", "itens[{det}].escala_relevante"),
    ("det/prod/indTot", "itens[{det}].compoe_total"),
    ("det/prod/infProdEmb", "itens[{det}].embalagem"),
    (
        "det/prod/infProdEmb/qVolEmb",
        "itens[{det}].embalagem.volume",
    ),
    ("det/prod/infProdEmb/uEmb", "itens[{det}].embalagem.unidade"),
    (
        "det/prod/infProdEmb/xEmb",
        "itens[{det}].embalagem.descricao",
    ),
    ("det/prod/med", "itens[{det}].medicamento"),
    (
        "det/prod/med/cProdANVISA",
        "itens[{det}].medicamento.codigo_anvisa",
    ),
    ("det/prod/med/vPMC", "itens[{det}].medicamento.preco_maximo"),
    (
        "det/prod/med/xMotivoIsencao",
        "itens[{det}].medicamento.motivo_isencao",
    ),
    ("det/prod/nFCI", "itens[{det}].fci"),
    ("det/prod/nItemPed", "itens[{det}].pedido.item"),
    ("det/prod/nRECOPI", "itens[{det}].recopi"),
    ("det/prod/qCom", "itens[{det}].quantidade"),
    ("det/prod/qTrib", "itens[{det}].quantidade_tributavel"),
    ("det/prod/rastro", "itens[{det}].rastreios[{rastro}]"),
    (
        "det/prod/rastro/cAgreg",
        "itens[{det}].rastreios[{rastro}].codigo_agregacao",
    ),
    (
        "det/prod/rastro/dFab",
        "itens[{det}].rastreios[{rastro}].data_fabricacao",
    ),
    (
        "det/prod/rastro/dVal",
        "itens[{det}].rastreios[{rastro}].data_validade",
    ),
    (
        "det/prod/rastro/nLote",
        "itens[{det}].rastreios[{rastro}].lote",
    ),
    (
        "det/prod/rastro/qLote",
        "itens[{det}].rastreios[{rastro}].quantidade",
    ),
    (
        "det/prod/tpCredPresIBSZFM",
        "itens[{det}].credito_presumido_zfm",
    ),
    ("det/prod/uCom", "itens[{det}].unidade"),
    ("det/prod/uTrib", "itens[{det}].unidade_tributavel"),
    ("det/prod/vDesc", "itens[{det}].desconto"),
    ("det/prod/vFrete", "itens[{det}].frete"),
    ("det/prod/vOutro", "itens[{det}].outras_despesas"),
    ("det/prod/vProd", "itens[{det}].valor_bruto"),
    ("det/prod/vSeg", "itens[{det}].seguro"),
    ("det/prod/vUnCom", "itens[{det}].valor_unitario"),
    ("det/prod/vUnTrib", "itens[{det}].valor_unitario_tributavel"),
    ("det/prod/veicProd", "itens[{det}].veiculo_novo"),
    (
        "det/prod/veicProd/CMT",
        "itens[{det}].veiculo_novo.capacidade_tracao",
    ),
    ("det/prod/veicProd/VIN", "itens[{det}].veiculo_novo.vin"),
    (
        "det/prod/veicProd/anoFab",
        "itens[{det}].veiculo_novo.ano_fabricacao",
    ),
    (
        "det/prod/veicProd/anoMod",
        "itens[{det}].veiculo_novo.ano_modelo",
    ),
    (
        "det/prod/veicProd/cCor",
        "itens[{det}].veiculo_novo.codigo_cor",
    ),
    (
        "det/prod/veicProd/cCorDENATRAN",
        "itens[{det}].veiculo_novo.codigo_cor_denatran",
    ),
    (
        "det/prod/veicProd/cMod",
        "itens[{det}].veiculo_novo.codigo_modelo",
    ),
    (
        "det/prod/veicProd/chassi",
        "itens[{det}].veiculo_novo.chassi",
    ),
    (
        "det/prod/veicProd/cilin",
        "itens[{det}].veiculo_novo.cilindradas",
    ),
    (
        "det/prod/veicProd/condVeic",
        "itens[{det}].veiculo_novo.condicao",
    ),
    (
        "det/prod/veicProd/dist",
        "itens[{det}].veiculo_novo.distancia_eixos",
    ),
    (
        "det/prod/veicProd/espVeic",
        "itens[{det}].veiculo_novo.especie",
    ),
    (
        "det/prod/veicProd/lota",
        "itens[{det}].veiculo_novo.lotacao",
    ),
    (
        "det/prod/veicProd/nMotor",
        "itens[{det}].veiculo_novo.motor",
    ),
    (
        "det/prod/veicProd/nSerie",
        "itens[{det}].veiculo_novo.serie",
    ),
    (
        "det/prod/veicProd/pesoB",
        "itens[{det}].veiculo_novo.peso_bruto",
    ),
    (
        "det/prod/veicProd/pesoL",
        "itens[{det}].veiculo_novo.peso_liquido",
    ),
    (
        "det/prod/veicProd/pot",
        "itens[{det}].veiculo_novo.potencia",
    ),
    (
        "det/prod/veicProd/tpComb",
        "itens[{det}].veiculo_novo.tipo_combustivel",
    ),
    (
        "det/prod/veicProd/tpOp",
        "itens[{det}].veiculo_novo.tipo_operacao",
    ),
    (
        "det/prod/veicProd/tpPint",
        "itens[{det}].veiculo_novo.tipo_pintura",
    ),
    (
        "det/prod/veicProd/tpRest",
        "itens[{det}].veiculo_novo.restricao",
    ),
    (
        "det/prod/veicProd/tpVeic",
        "itens[{det}].veiculo_novo.tipo_veiculo",
    ),
    ("det/prod/veicProd/xCor", "itens[{det}].veiculo_novo.cor"),
    ("det/prod/xPed", "itens[{det}].pedido.numero"),
    ("det/prod/xProd", "itens[{det}].descricao"),
    ("det/vItem", "itens[{det}]"),
    ("emit", "perfil_fiscal"),
    ("emit/CNAE", "perfil_fiscal.cnae"),
    ("emit/CNPJ", "perfil_fiscal.cnpj"),
    ("emit/CPF", "perfil_fiscal.cnpj"),
    ("emit/CRT", "perfil_fiscal.regime"),
    ("emit/IE", "perfil_fiscal.ie"),
    ("emit/IEST", "perfil_fiscal.ie_substituto"),
    ("emit/IM", "perfil_fiscal.im"),
    ("emit/ISUFEmit", "perfil_fiscal.suframa"),
    ("emit/enderEmit", "perfil_fiscal.endereco"),
    ("emit/enderEmit/CEP", "perfil_fiscal.endereco.cep"),
    ("emit/enderEmit/UF", "perfil_fiscal.endereco.uf"),
    ("emit/enderEmit/cMun", "perfil_fiscal.endereco.codigo_ibge"),
    ("emit/enderEmit/cPais", "perfil_fiscal.endereco.codigo_pais"),
    ("emit/enderEmit/fone", "perfil_fiscal.telefone"),
    ("emit/enderEmit/nro", "perfil_fiscal.endereco.numero"),
    ("emit/enderEmit/xBairro", "perfil_fiscal.endereco.bairro"),
    ("emit/enderEmit/xCpl", "perfil_fiscal.endereco.complemento"),
    ("emit/enderEmit/xLgr", "perfil_fiscal.endereco.logradouro"),
    ("emit/enderEmit/xMun", "perfil_fiscal.endereco.cidade"),
    ("emit/enderEmit/xPais", "perfil_fiscal.endereco.pais"),
    ("emit/xFant", "perfil_fiscal.nome_fantasia"),
    ("emit/xNome", "perfil_fiscal.razao_social"),
    ("entrega", "entrega"),
    ("entrega/CEP", "entrega.endereco.cep"),
    ("entrega/CNPJ", "entrega.cpf_cnpj"),
    ("entrega/CPF", "entrega.cpf_cnpj"),
    ("entrega/IE", "entrega.ie"),
    ("entrega/UF", "entrega.endereco.uf"),
    ("entrega/cMun", "entrega.endereco.codigo_ibge"),
    ("entrega/cPais", "entrega.endereco.codigo_pais"),
    ("entrega/email", "entrega.email"),
    ("entrega/fone", "entrega.telefone"),
    ("entrega/nro", "entrega.endereco.numero"),
    ("entrega/xBairro", "entrega.endereco.bairro"),
    ("entrega/xCpl", "entrega.endereco.complemento"),
    ("entrega/xLgr", "entrega.endereco.logradouro"),
    ("entrega/xMun", "entrega.endereco.cidade"),
    ("entrega/xNome", "entrega.nome"),
    ("entrega/xPais", "entrega.endereco.pais"),
    ("exporta", "exportacao"),
    ("exporta/UFSaidaPais", "exportacao.uf_embarque"),
    ("exporta/xLocDespacho", "exportacao.local_despacho"),
    ("exporta/xLocExporta", "exportacao.local_embarque"),
    ("ide", "natureza_operacao"),
    ("ide/NFref", "referencias[{NFref}]"),
    ("ide/NFref/refCTe", "referencias[{NFref}].chave"),
    ("ide/NFref/refECF", "referencias[{NFref}].cupom"),
    ("ide/NFref/refECF/mod", "referencias[{NFref}].cupom.modelo"),
    ("ide/NFref/refECF/nCOO", "referencias[{NFref}].cupom.coo"),
    (
        "ide/NFref/refECF/nECF",
        "referencias[{NFref}].cupom.numero_ecf",
    ),
    ("ide/NFref/refNF", "referencias[{NFref}].nota_papel"),
    (
        "ide/NFref/refNF/AAMM",
        "referencias[{NFref}].nota_papel.mes",
    ),
    (
        "ide/NFref/refNF/CNPJ",
        "referencias[{NFref}].nota_papel.cnpj",
    ),
    ("ide/NFref/refNF/cUF", "referencias[{NFref}].nota_papel.uf"),
    (
        "ide/NFref/refNF/mod",
        "referencias[{NFref}].nota_papel.modelo",
    ),
    (
        "ide/NFref/refNF/nNF",
        "referencias[{NFref}].nota_papel.numero",
    ),
    (
        "ide/NFref/refNF/serie",
        "referencias[{NFref}].nota_papel.serie",
    ),
    ("ide/NFref/refNFP", "referencias[{NFref}].nota_produtor"),
    (
        "ide/NFref/refNFP/AAMM",
        "referencias[{NFref}].nota_produtor.mes",
    ),
    (
        "ide/NFref/refNFP/CNPJ",
        "referencias[{NFref}].nota_produtor.cpf_cnpj",
    ),
    (
        "ide/NFref/refNFP/CPF",
        "referencias[{NFref}].nota_produtor.cpf_cnpj",
    ),
    (
        "ide/NFref/refNFP/IE",
        "referencias[{NFref}].nota_produtor.ie",
    ),
    (
        "ide/NFref/refNFP/cUF",
        "referencias[{NFref}].nota_produtor.uf",
    ),
    (
        "ide/NFref/refNFP/mod",
        "referencias[{NFref}].nota_produtor.modelo",
    ),
    (
        "ide/NFref/refNFP/nNF",
        "referencias[{NFref}].nota_produtor.numero",
    ),
    (
        "ide/NFref/refNFP/serie",
        "referencias[{NFref}].nota_produtor.serie",
    ),
    ("ide/NFref/refNFe", "referencias[{NFref}].chave"),
    ("ide/NFref/refNFeSig", "referencias[{NFref}].chave_sigilosa"),
    ("ide/cIndOp", "indicador_operacao"),
    ("ide/cMunFG", "municipio_fato_gerador"),
    ("ide/cMunFGIBS", "municipio_fato_gerador_ibs"),
    ("ide/dPrevEntrega", "data_previsao_entrega"),
    ("ide/dhEmi", "data_emissao"),
    ("ide/dhSaiEnt", "data_saida"),
    ("ide/finNFe", "finalidade"),
    ("ide/gCompraGov", "compra_governamental"),
    ("ide/gCompraGov/pRedutor", "compra_governamental.redutor"),
    (
        "ide/gCompraGov/refDFeAnt",
        "compra_governamental.referencias",
    ),
    ("ide/gCompraGov/tpEnteGov", "compra_governamental.tipo_ente"),
    (
        "ide/gCompraGov/tpOperGov",
        "compra_governamental.tipo_operacao",
    ),
    ("ide/gPagAntecipado", "pagamentos_antecipados"),
    ("ide/idDest", "destino_operacao"),
    ("ide/indFinal", "consumidor_final"),
    ("ide/indIntermed", "intermediador"),
    ("ide/indPres", "presenca"),
    ("ide/nNF", "numero"),
    ("ide/natOp", "natureza_operacao"),
    ("ide/serie", "serie"),
    ("ide/tpNF", "tipo_operacao"),
    ("ide/tpNFCredito", "tipo_nota_credito"),
    ("ide/tpNFDebito", "tipo_nota_debito"),
    ("infAdic/infAdFisco", "informacoes_fisco"),
    ("infAdic/infCpl", "informacoes_complementares"),
    ("infAdic/obsCont", "observacoes_contribuinte[{obsCont}]"),
    ("infAdic/obsFisco", "observacoes_fisco[{obsFisco}]"),
    ("infAdic/procRef", "processos[{procRef}]"),
    ("infAdic/procRef/indProc", "processos[{procRef}].origem"),
    ("infAdic/procRef/nProc", "processos[{procRef}].numero"),
    ("infAdic/procRef/tpAto", "processos[{procRef}].tipo_ato"),
    ("infIntermed", "intermediador"),
    ("infIntermed/CNPJ", "intermediador.cnpj"),
    ("infIntermed/idCadIntTran", "intermediador.identificador"),
    ("infRespTec", "responsavel_tecnico"),
    ("infRespTec/CNPJ", "responsavel_tecnico.cnpj"),
    ("infRespTec/email", "responsavel_tecnico.email"),
    ("infRespTec/fone", "responsavel_tecnico.telefone"),
    ("infRespTec/hashCSRT", "responsavel_tecnico.csrt"),
    ("infRespTec/idCSRT", "responsavel_tecnico.id_csrt"),
    ("infRespTec/xContato", "responsavel_tecnico.contato"),
    ("pag", "pagamentos"),
    ("pag/detPag", "pagamentos[{detPag}]"),
    ("pag/detPag/CNPJPag", "pagamentos[{detPag}].cnpj_pagador"),
    ("pag/detPag/UFPag", "pagamentos[{detPag}].uf_pagador"),
    ("pag/detPag/card", "pagamentos[{detPag}].cartao"),
    (
        "pag/detPag/card/CNPJ",
        "pagamentos[{detPag}].cartao.cnpj_credenciadora",
    ),
    (
        "pag/detPag/card/CNPJReceb",
        "pagamentos[{detPag}].cartao.cnpj_recebedor",
    ),
    (
        "pag/detPag/card/cAut",
        "pagamentos[{detPag}].cartao.autorizacao",
    ),
    (
        "pag/detPag/card/idTermPag",
        "pagamentos[{detPag}].cartao.terminal",
    ),
    (
        "pag/detPag/card/tBand",
        "pagamentos[{detPag}].cartao.bandeira",
    ),
    (
        "pag/detPag/card/tpIntegra",
        "pagamentos[{detPag}].cartao.integrado",
    ),
    ("pag/detPag/dPag", "pagamentos[{detPag}].data"),
    ("pag/detPag/indPag", "pagamentos[{detPag}].indicador"),
    ("pag/detPag/tPag", "pagamentos[{detPag}].forma"),
    ("pag/detPag/vPag", "pagamentos[{detPag}].valor"),
    ("pag/detPag/xPag", "pagamentos[{detPag}].descricao"),
    ("pag/vTroco", "troco"),
    ("retirada", "retirada"),
    ("retirada/CEP", "retirada.endereco.cep"),
    ("retirada/CNPJ", "retirada.cpf_cnpj"),
    ("retirada/CPF", "retirada.cpf_cnpj"),
    ("retirada/IE", "retirada.ie"),
    ("retirada/UF", "retirada.endereco.uf"),
    ("retirada/cMun", "retirada.endereco.codigo_ibge"),
    ("retirada/cPais", "retirada.endereco.codigo_pais"),
    ("retirada/email", "retirada.email"),
    ("retirada/fone", "retirada.telefone"),
    ("retirada/nro", "retirada.endereco.numero"),
    ("retirada/xBairro", "retirada.endereco.bairro"),
    ("retirada/xCpl", "retirada.endereco.complemento"),
    ("retirada/xLgr", "retirada.endereco.logradouro"),
    ("retirada/xMun", "retirada.endereco.cidade"),
    ("retirada/xNome", "retirada.nome"),
    ("retirada/xPais", "retirada.endereco.pais"),
    ("total", "itens"),
    ("total/ISSQNtot", "servicos"),
    ("total/ISSQNtot/cRegTrib", "servicos.regime_especial"),
    ("total/ISSQNtot/dCompet", "servicos.data_competencia"),
    ("total/retTrib", "retencoes"),
    ("total/retTrib/vBCIRRF", "retencoes.base_irrf"),
    ("total/retTrib/vBCRetPrev", "retencoes.base_previdencia"),
    ("total/retTrib/vIRRF", "retencoes.irrf"),
    ("total/retTrib/vRetCOFINS", "retencoes.cofins"),
    ("total/retTrib/vRetCSLL", "retencoes.csll"),
    ("total/retTrib/vRetPIS", "retencoes.pis"),
    ("total/retTrib/vRetPrev", "retencoes.previdencia"),
    ("transp", "transporte"),
    ("transp/balsa", "transporte.balsa"),
    ("transp/modFrete", "transporte.modalidade_frete"),
    ("transp/reboque", "transporte.reboques[{reboque}]"),
    ("transp/reboque/RNTC", "transporte.reboques[{reboque}].rntc"),
    ("transp/reboque/UF", "transporte.reboques[{reboque}].uf"),
    (
        "transp/reboque/placa",
        "transporte.reboques[{reboque}].placa",
    ),
    ("transp/retTransp", "transporte.retencao_icms"),
    ("transp/retTransp/CFOP", "transporte.retencao_icms.cfop"),
    (
        "transp/retTransp/cMunFG",
        "transporte.retencao_icms.municipio",
    ),
    (
        "transp/retTransp/pICMSRet",
        "transporte.retencao_icms.aliquota",
    ),
    ("transp/retTransp/vBCRet", "transporte.retencao_icms.base"),
    (
        "transp/retTransp/vICMSRet",
        "transporte.retencao_icms.valor",
    ),
    (
        "transp/retTransp/vServ",
        "transporte.retencao_icms.valor_servico",
    ),
    ("transp/transporta", "transporte.transportador"),
    (
        "transp/transporta/CNPJ",
        "transporte.transportador.cpf_cnpj",
    ),
    ("transp/transporta/CPF", "transporte.transportador.cpf_cnpj"),
    ("transp/transporta/IE", "transporte.transportador.ie"),
    ("transp/transporta/UF", "transporte.transportador.uf"),
    (
        "transp/transporta/xEnder",
        "transporte.transportador.endereco",
    ),
    ("transp/transporta/xMun", "transporte.transportador.cidade"),
    ("transp/transporta/xNome", "transporte.transportador.nome"),
    ("transp/vagao", "transporte.vagao"),
    ("transp/veicTransp", "transporte.veiculo"),
    ("transp/veicTransp/RNTC", "transporte.veiculo.rntc"),
    ("transp/veicTransp/UF", "transporte.veiculo.uf"),
    ("transp/veicTransp/placa", "transporte.veiculo.placa"),
    ("transp/vol", "transporte.volumes[{vol}]"),
    ("transp/vol/esp", "transporte.volumes[{vol}].especie"),
    (
        "transp/vol/lacres",
        "transporte.volumes[{vol}].lacres[{lacres}]",
    ),
    ("transp/vol/marca", "transporte.volumes[{vol}].marca"),
    ("transp/vol/nVol", "transporte.volumes[{vol}].numeracao"),
    ("transp/vol/pesoB", "transporte.volumes[{vol}].peso_bruto"),
    ("transp/vol/pesoL", "transporte.volumes[{vol}].peso_liquido"),
    ("transp/vol/qVol", "transporte.volumes[{vol}].quantidade"),
];

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
