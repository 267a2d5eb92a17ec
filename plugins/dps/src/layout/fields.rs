//! Paths of the layout in the words of the API, for error messages.

/// (start of the official path, path in the API). The longest match wins;
/// what follows it is kept.
const CAMINHOS: &[(&str, &str)] = &[
    ("dhEmi", "data_emissao"),
    ("dCompet", "data_competencia"),
    ("serie", "identificacao.serie"),
    ("nDPS", "identificacao.numero"),
    ("cLocEmi", "codigo_municipio_emissor"),
    ("subst", "substitui"),
    ("subst.chSubstda", "substitui.chave"),
    ("subst.cMotivo", "substitui.motivo"),
    ("subst.xMotivo", "substitui.justificativa"),
    ("prest", "emitente"),
    ("prest.CNPJ", "emitente.documento"),
    ("prest.CPF", "emitente.documento"),
    ("prest.IM", "emitente.inscricao_municipal"),
    ("prest.fone", "emitente.telefone"),
    ("prest.email", "emitente.email"),
    ("prest.regTrib", "regime"),
    ("toma", "tomador"),
    ("interm", "intermediario"),
    ("IBSCBS", "ibs_cbs"),
    ("IBSCBS.dest", "ibs_cbs.destinatario"),
    ("IBSCBS.cIndOp", "ibs_cbs.codigo_indicador_operacao"),
    ("IBSCBS.tpOper", "ibs_cbs.tipo_operacao"),
    ("IBSCBS.tpEnteGov", "ibs_cbs.ente_governamental"),
    ("IBSCBS.gRefNFSe.refNFSe", "ibs_cbs.notas_referenciadas"),
    ("IBSCBS.valores.trib.gIBSCBS.CST", "ibs_cbs.cst"),
    (
        "IBSCBS.valores.trib.gIBSCBS.cClassTrib",
        "ibs_cbs.cclass_trib",
    ),
    (
        "IBSCBS.valores.trib.gIBSCBS.cCredPres",
        "ibs_cbs.credito_presumido",
    ),
    (
        "IBSCBS.valores.trib.gIBSCBS.gTribRegular.CSTReg",
        "ibs_cbs.tributacao_regular.cst",
    ),
    (
        "IBSCBS.valores.trib.gIBSCBS.gTribRegular.cClassTribReg",
        "ibs_cbs.tributacao_regular.cclass_trib",
    ),
    (
        "IBSCBS.valores.trib.gIBSCBS.gDif.pDifUF",
        "ibs_cbs.diferimento.uf",
    ),
    (
        "IBSCBS.valores.trib.gIBSCBS.gDif.pDifMun",
        "ibs_cbs.diferimento.municipio",
    ),
    (
        "IBSCBS.valores.trib.gIBSCBS.gDif.pDifCBS",
        "ibs_cbs.diferimento.cbs",
    ),
    ("serv", "servico"),
    (
        "serv.locPrest.cLocPrestacao",
        "servico.codigo_municipio_prestacao",
    ),
    (
        "serv.locPrest.cPaisPrestacao",
        "servico.codigo_pais_prestacao",
    ),
    ("serv.cServ.cTribNac", "servico.codigo_tributacao_nacional"),
    ("serv.cServ.cTribMun", "servico.codigo_tributacao_municipio"),
    ("serv.cServ.xDescServ", "servico.descricao"),
    ("serv.cServ.cNBS", "servico.codigo_nbs"),
    ("serv.cServ.cIntContrib", "servico.codigo_interno"),
    ("serv.comExt", "exportacao"),
    ("serv.comExt.mdPrestacao", "exportacao.modo_prestacao"),
    ("serv.comExt.vincPrest", "exportacao.vinculo"),
    ("serv.comExt.tpMoeda", "exportacao.moeda"),
    ("serv.comExt.vServMoeda", "exportacao.valor_moeda"),
    ("serv.comExt.mecAFComexP", "exportacao.mecanismo_prestador"),
    ("serv.comExt.mecAFComexT", "exportacao.mecanismo_tomador"),
    (
        "serv.comExt.movTempBens",
        "exportacao.movimentacao_temporaria",
    ),
    ("serv.comExt.nDI", "exportacao.di"),
    ("serv.comExt.nRE", "exportacao.re"),
    ("serv.obra", "obra"),
    ("serv.obra.inscImobFisc", "obra.inscricao_imobiliaria"),
    ("serv.obra.cObra", "obra.codigo"),
    ("serv.obra.cCIB", "obra.cib"),
    ("serv.atvEvento", "evento"),
    ("serv.atvEvento.xNome", "evento.nome"),
    ("serv.atvEvento.dtIni", "evento.inicio"),
    ("serv.atvEvento.dtFim", "evento.fim"),
    ("serv.atvEvento.idAtvEvt", "evento.identificacao"),
    ("serv.infoCompl.idDocTec", "obra.art"),
    ("serv.infoCompl.xInfComp", "informacoes_complementares"),
    ("valores.vServPrest.vServ", "valores.servico"),
    ("valores.vServPrest.vReceb", "valores.recebido"),
    (
        "valores.vDescCondIncond.vDescIncond",
        "valores.desconto_incondicionado",
    ),
    (
        "valores.vDescCondIncond.vDescCond",
        "valores.desconto_condicionado",
    ),
    ("valores.vDedRed", "valores.deducoes"),
    ("valores.vDedRed.pDR", "valores.deducoes.percentual"),
    ("valores.vDedRed.vDR", "valores.deducoes.valor"),
    (
        "valores.vDedRed.documentos.docDedRed",
        "valores.deducoes.documentos",
    ),
    ("valores.trib.tribMun", "valores.iss"),
    ("valores.trib.tribMun.tribISSQN", "valores.iss.tributacao"),
    ("valores.trib.tribMun.tpImunidade", "valores.iss.imunidade"),
    ("valores.trib.tribMun.exigSusp", "valores.iss.exigibilidade"),
    (
        "valores.trib.tribMun.exigSusp.nProcesso",
        "valores.iss.numero_processo",
    ),
    ("valores.trib.tribMun.BM", "valores.iss.beneficio_municipal"),
    (
        "valores.trib.tribMun.BM.nBM",
        "valores.iss.beneficio_municipal.numero",
    ),
    (
        "valores.trib.tribMun.BM.vRedBCBM",
        "valores.iss.beneficio_municipal.valor_reducao",
    ),
    (
        "valores.trib.tribMun.BM.pRedBCBM",
        "valores.iss.beneficio_municipal.percentual_reducao",
    ),
    ("valores.trib.tribMun.tpRetISSQN", "valores.iss.retencao"),
    ("valores.trib.tribMun.pAliq", "valores.iss.aliquota"),
    ("valores.trib.tribFed", "valores.retencoes"),
    (
        "valores.trib.tribFed.piscofins.CST",
        "valores.retencoes.cst_pis_cofins",
    ),
    (
        "valores.trib.tribFed.piscofins.vBCPisCofins",
        "valores.retencoes.base_pis_cofins",
    ),
    (
        "valores.trib.tribFed.piscofins.pAliqPis",
        "valores.retencoes.aliquota_pis",
    ),
    (
        "valores.trib.tribFed.piscofins.pAliqCofins",
        "valores.retencoes.aliquota_cofins",
    ),
    (
        "valores.trib.tribFed.piscofins.vPis",
        "valores.retencoes.pis",
    ),
    (
        "valores.trib.tribFed.piscofins.vCofins",
        "valores.retencoes.cofins",
    ),
    (
        "valores.trib.tribFed.piscofins.tpRetPisCofins",
        "valores.retencoes.tipo_retencao_pis_cofins",
    ),
    ("valores.trib.tribFed.vRetCP", "valores.retencoes.inss"),
    ("valores.trib.tribFed.vRetIRRF", "valores.retencoes.ir"),
    ("valores.trib.tribFed.vRetCSLL", "valores.retencoes.csll"),
    ("valores.trib.totTrib", "valores.tributos_aproximados"),
    (
        "valores.trib.totTrib.pTotTribSN",
        "valores.tributos_aproximados.percentual",
    ),
    (
        "valores.trib.totTrib.vTotTrib.vTotTribFed",
        "valores.tributos_aproximados.federal",
    ),
    (
        "valores.trib.totTrib.vTotTrib.vTotTribEst",
        "valores.tributos_aproximados.estadual",
    ),
    (
        "valores.trib.totTrib.vTotTrib.vTotTribMun",
        "valores.tributos_aproximados.municipal",
    ),
    (
        "valores.trib.totTrib.pTotTrib.pTotTribFed",
        "valores.tributos_aproximados.federal",
    ),
    (
        "valores.trib.totTrib.pTotTrib.pTotTribEst",
        "valores.tributos_aproximados.estadual",
    ),
    (
        "valores.trib.totTrib.pTotTrib.pTotTribMun",
        "valores.tributos_aproximados.municipal",
    ),
];

/// Ends of paths inside a person, an address or a document.
const FINAIS: &[(&str, &str)] = &[
    ("end.endNac.cMun", "endereco.codigo_ibge"),
    ("end.endNac.CEP", "endereco.cep"),
    ("end.endNac", "endereco"),
    ("end.endExt.cPais", "endereco.codigo_pais"),
    ("end.endExt.cEndPost", "endereco.codigo_postal"),
    ("end.endExt.xCidade", "endereco.cidade"),
    ("end.endExt.xEstProvReg", "endereco.estado"),
    ("end.CEP", "endereco.cep"),
    ("end.xLgr", "endereco.logradouro"),
    ("end.nro", "endereco.numero"),
    ("end.xCpl", "endereco.complemento"),
    ("end.xBairro", "endereco.bairro"),
    ("end", "endereco"),
    ("CNPJ", "cpf_cnpj"),
    ("CPF", "cpf_cnpj"),
    ("NIF", "nif"),
    ("IM", "im"),
    ("xNome", "nome"),
    ("fone", "telefone"),
    ("chNFSe", "chave_nfse"),
    ("chNFe", "chave_nfe"),
    ("nDoc", "numero"),
    ("tpDedRed", "tipo"),
    ("xDescOutDed", "descricao"),
    ("dtEmiDoc", "data_emissao"),
    ("vDedutivelRedutivel", "valor_dedutivel"),
    ("vDeducaoReducao", "valor_deducao"),
];

/// `toma.end.endNac.CEP` is `tomador.endereco.cep`. What the API has no name
/// for can only come from `inf_dps`, and is named by it.
pub fn campo_da_api(caminho: &str) -> String {
    let encontrado = CAMINHOS
        .iter()
        .filter_map(|(oficial, api)| {
            let resto = caminho.strip_prefix(oficial)?;
            (resto.is_empty() || resto.starts_with(['.', '['])).then_some((
                oficial.len(),
                *api,
                resto,
            ))
        })
        .max_by_key(|(tamanho, _, _)| *tamanho);
    let Some((_, api, resto)) = encontrado else {
        return format!("inf_dps.{caminho}");
    };
    if resto.is_empty() {
        return api.to_owned();
    }
    // "[3].tpDedRed" or ".xNome"
    let (indice, fim) = match resto
        .strip_prefix('[')
        .and_then(|dentro| dentro.split_once(']'))
    {
        Some((indice, fim)) => (format!("[{indice}]"), fim),
        None => (String::new(), resto),
    };
    let fim = fim.trim_start_matches('.');
    if fim.is_empty() {
        return format!("{api}{indice}");
    }
    match FINAIS.iter().find(|(oficial, _)| *oficial == fim) {
        Some((_, nome)) => format!("{api}{indice}.{nome}"),
        None if fim == "email" => format!("{api}{indice}.email"),
        None => format!("inf_dps.{caminho}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_layout_have_names_in_the_api() {
        for (oficial, api) in [
            ("toma.end.endNac.CEP", "tomador.endereco.cep"),
            ("toma.CNPJ", "tomador.cpf_cnpj"),
            ("interm.email", "intermediario.email"),
            ("IBSCBS.dest.xNome", "ibs_cbs.destinatario.nome"),
            ("serv.cServ.xDescServ", "servico.descricao"),
            ("serv.obra.end.xLgr", "obra.endereco.logradouro"),
            ("serv.obra.cObra", "obra.codigo"),
            (
                "valores.vDedRed.documentos.docDedRed[3].tpDedRed",
                "valores.deducoes.documentos[3].tipo",
            ),
            (
                "valores.trib.totTrib.vTotTrib",
                "inf_dps.valores.trib.totTrib.vTotTrib",
            ),
            (
                "IBSCBS.gRefNFSe.refNFSe[1]",
                "ibs_cbs.notas_referenciadas[1]",
            ),
            ("chNFSeRej", "inf_dps.chNFSeRej"),
            ("series", "inf_dps.series"),
        ] {
            assert_eq!(campo_da_api(oficial), api);
        }
    }
}
