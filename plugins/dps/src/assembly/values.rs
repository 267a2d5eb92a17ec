//! valores: price, discounts, deductions and taxes.

use super::{regime, tributacao};
use crate::assembly::group::Grupo;
use crate::description::{Aliquota, aliquota};
use sdk::nfse::{
    ApuracaoSimples, Deducoes, Dps, Exigibilidade, Iss, ModoTributos, OpcaoSimples, RegimeEspecial,
    Retencao, Retencoes, Tributacao, TributosAproximados,
};
use sdk::{Context, Decimal, FieldError};

pub fn values(dps: &Dps, ctx: &Context, erros: &mut Vec<FieldError>) -> Grupo {
    let valores = &dps.valores;
    let mut preco = Grupo::default();
    preco.valor_positivo("vReceb", valores.recebido, "valores.recebido", erros);
    preco.valor("vServ", valores.servico, "valores.servico", erros);
    let mut descontos = Grupo::default();
    descontos.valor_positivo(
        "vDescIncond",
        valores.desconto_incondicionado,
        "valores.desconto_incondicionado",
        erros,
    );
    descontos.valor_positivo(
        "vDescCond",
        valores.desconto_condicionado,
        "valores.desconto_condicionado",
        erros,
    );

    let mut tributos = Grupo::default();
    tributos.group("tribMun", municipal(dps, ctx, erros));
    tributos.opcional_grupo(
        "tribFed",
        valores
            .retencoes
            .as_ref()
            .map(|r| federal(r, dps, ctx, erros)),
    );
    tributos.group(
        "totTrib",
        total(valores.tributos_aproximados.as_ref(), dps, erros),
    );

    let mut g = Grupo::default();
    g.group("vServPrest", preco);
    g.opcional_grupo("vDescCondIncond", Some(descontos));
    g.opcional_grupo(
        "vDedRed",
        valores
            .deducoes
            .as_ref()
            .map(|deducoes| self::deducoes(deducoes, erros)),
    );
    g.group("trib", tributos);
    g
}

/// Documents, or else a percentage, or else an amount.
fn deducoes(deducoes: &Deducoes, erros: &mut Vec<FieldError>) -> Grupo {
    let mut g = Grupo::default();
    if !deducoes.documentos.is_empty() {
        let documentos = deducoes
            .documentos
            .iter()
            .enumerate()
            .map(|(indice, documento)| {
                let campo = |nome: &str| format!("valores.deducoes.documentos[{indice}].{nome}");
                let mut d = Grupo::default();
                d.opcional("chNFSe", documento.chave_nfse.as_deref());
                d.opcional("chNFe", documento.chave_nfe.as_deref());
                d.opcional("nDoc", documento.numero.as_deref());
                d.texto("tpDedRed", &documento.tipo);
                d.opcional("xDescOutDed", documento.descricao.as_deref());
                d.texto("dtEmiDoc", &documento.data_emissao);
                d.valor(
                    "vDedutivelRedutivel",
                    documento.valor_dedutivel,
                    &campo("valor_dedutivel"),
                    erros,
                );
                d.valor(
                    "vDeducaoReducao",
                    documento.valor_deducao,
                    &campo("valor_deducao"),
                    erros,
                );
                d
            });
        let documentos = documentos.collect();
        let mut lista = Grupo::default();
        lista.lista("docDedRed", documentos);
        g.group("documentos", lista);
        return g;
    }
    g.valor_positivo(
        "pDR",
        deducoes.percentual,
        "valores.deducoes.percentual",
        erros,
    );
    // The layout takes one of the two; the writer refuses both.
    g.valor_positivo("vDR", deducoes.valor, "valores.deducoes.valor", erros);
    g
}

/// tribMun.
fn municipal(dps: &Dps, ctx: &Context, erros: &mut Vec<FieldError>) -> Grupo {
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let tributacao = tributacao(dps);
    let mut g = Grupo::default();
    g.texto(
        "tribISSQN",
        match tributacao {
            Tributacao::Tributavel => "1",
            Tributacao::Imunidade => "2",
            Tributacao::Exportacao => "3",
            Tributacao::NaoIncidencia => "4",
        },
    );
    if tributacao == Tributacao::Imunidade {
        // Mandatory here and only here (E0592).
        match &iss.imunidade {
            Some(imunidade) => g.texto("tpImunidade", imunidade),
            None => erros.push(FieldError::new(
                "valores.iss.imunidade",
                "obrigatorio",
                "Informe o tipo de imunidade, de 1 a 5.",
            )),
        }
    }
    let suspensao = match iss.exigibilidade {
        Some(Exigibilidade::SuspensaJudicial) => Some("1"),
        Some(Exigibilidade::SuspensaAdministrativa) => Some("2"),
        _ => None,
    };
    if let Some(tipo) = suspensao {
        let mut suspensa = Grupo::default();
        suspensa.texto("tpSusp", tipo);
        suspensa.opcional(
            "nProcesso",
            iss.numero_processo
                .as_deref()
                .map(crate::assembly::party::so_digitos)
                .as_deref(),
        );
        g.group("exigSusp", suspensa);
    }
    if let Some(beneficio) = &iss.beneficio_municipal {
        let campo = "valores.iss.beneficio_municipal";
        let mut bm = Grupo::default();
        bm.texto("nBM", &beneficio.numero);
        bm.valor_positivo(
            "vRedBCBM",
            beneficio.valor_reducao,
            &format!("{campo}.valor_reducao"),
            erros,
        );
        bm.valor_positivo(
            "pRedBCBM",
            beneficio.percentual_reducao,
            &format!("{campo}.percentual_reducao"),
            erros,
        );
        g.group("BM", bm);
    }
    g.texto(
        "tpRetISSQN",
        match iss.retencao {
            Retencao::NaoRetido => "1",
            Retencao::Tomador => "2",
            Retencao::Intermediario => "3",
        },
    );
    if let Some(percentual) = iss.aliquota.filter(|_| aliquota_permitida(dps, ctx, &iss)) {
        g.valor("pAliq", percentual, "valores.iss.aliquota", erros);
    }
    g
}

/// Where the national rules let `pAliq` be informed. The server knows the
/// rate of an active municipality and refuses a note that repeats it.
fn aliquota_permitida(dps: &Dps, ctx: &Context, iss: &Iss) -> bool {
    let (opcao, apuracao, especial) = regime(dps);
    if tributacao(dps) != Tributacao::Tributavel // E0602
        || especial != RegimeEspecial::Nenhum // E0604
        || opcao == OpcaoSimples::Mei
    // E0600
    {
        return false;
    }
    let pelo_simples = apuracao == Some(ApuracaoSimples::FederaisEMunicipalPeloSn);
    match aliquota(ctx) {
        Aliquota::Nunca => false,
        // ISS inside Simples Nacional: exactly when withheld (E0621, E0625,
        // E0628, E0631), active municipality or not.
        _ if pelo_simples => iss.retencao != Retencao::NaoRetido,
        Aliquota::Sempre => true,
        Aliquota::Automatica => false, // E0617, E0635
    }
}

/// tribFed. Amounts are withholdings, except the own PIS/COFINS that base and
/// rates give.
fn federal(retencoes: &Retencoes, dps: &Dps, ctx: &Context, erros: &mut Vec<FieldError>) -> Grupo {
    let campo = |nome: &str| format!("valores.retencoes.{nome}");
    let retido = |valor: Option<Decimal>| valor.unwrap_or_default();
    let (pis, cofins, csll) = (
        retido(retencoes.pis),
        retido(retencoes.cofins),
        retido(retencoes.csll),
    );
    let algum = [
        retencoes.pis,
        retencoes.cofins,
        retencoes.csll,
        retencoes.inss,
        retencoes.ir,
    ]
    .iter()
    .any(|valor| valor.is_some_and(|valor| !valor.is_zero()));
    let sem_federais = ctx.emitente.documento.len() == 11 || regime(dps).0 == OpcaoSimples::Mei; // E0675, E0676
    if sem_federais && !algum {
        return Grupo::default();
    }
    let mut piscofins = Grupo::default();
    piscofins.opcional("CST", retencoes.cst_pis_cofins.as_deref());
    piscofins.valor_positivo(
        "vBCPisCofins",
        retencoes.base_pis_cofins,
        &campo("base_pis_cofins"),
        erros,
    );
    if let Some(base) = retencoes.base_pis_cofins.filter(|base| !base.is_zero()) {
        for (aliquota, nome_aliquota, nome_valor, nome_campo) in [
            (retencoes.aliquota_pis, "pAliqPis", "vPis", "aliquota_pis"),
            (
                retencoes.aliquota_cofins,
                "pAliqCofins",
                "vCofins",
                "aliquota_cofins",
            ),
        ] {
            let Some(aliquota) = aliquota else { continue };
            piscofins.valor(nome_aliquota, aliquota, &campo(nome_campo), erros);
            // The server multiplies again and compares (E0694, E0696).
            if let Some(valor) = base.checked_mul(aliquota.percent_to_fraction()) {
                piscofins.valor(nome_valor, valor.rounded(2), &campo(nome_campo), erros);
            }
        }
    }
    let tipo = tipo_retencao(retencoes, pis, cofins, csll);
    // Codes 3 to 9 came with NT 007: vRetCSLL then holds the three
    // contributions together. Before, it was CSLL alone; with 0 it is
    // forbidden (E0720).
    let sociais = match tipo {
        Some("0") => Decimal::ZERO,
        Some("1" | "2") => csll,
        _ => pis + cofins + csll,
    };
    if tipo == Some("1") && piscofins_sem_valores(retencoes) {
        piscofins.valor_positivo("vPis", Some(pis), &campo("pis"), erros);
        piscofins.valor_positivo("vCofins", Some(cofins), &campo("cofins"), erros);
    }
    // CSLL alone needs no PIS/COFINS group.
    let so_csll = piscofins.vazio() && pis.is_zero() && cofins.is_zero();
    if !so_csll || retencoes.tipo_retencao_pis_cofins.is_some() {
        piscofins.opcional("tpRetPisCofins", tipo);
    }
    let mut g = Grupo::default();
    g.opcional_grupo("piscofins", Some(piscofins));
    g.valor_positivo("vRetCP", retencoes.inss, &campo("inss"), erros);
    g.valor_positivo("vRetIRRF", retencoes.ir, &campo("ir"), erros);
    g.valor_positivo("vRetCSLL", Some(sociais), &campo("csll"), erros);
    g
}

fn piscofins_sem_valores(retencoes: &Retencoes) -> bool {
    retencoes.base_pis_cofins.is_none_or(Decimal::is_zero)
}

/// tpRetPisCofins: the code given, or the one of what is withheld.
fn tipo_retencao(
    retencoes: &Retencoes,
    pis: Decimal,
    cofins: Decimal,
    csll: Decimal,
) -> Option<&str> {
    if let Some(tipo) = retencoes.tipo_retencao_pis_cofins.as_deref() {
        return Some(tipo);
    }
    match (!pis.is_zero(), !cofins.is_zero(), !csll.is_zero()) {
        (false, false, false) => None,
        (true, true, true) => Some("3"),
        (true, true, false) => Some("4"),
        (true, false, false) => Some("5"),
        (false, true, false) => Some("6"),
        (false, true, true) => Some("7"),
        (false, false, true) => Some("8"),
        (true, false, true) => Some("9"),
    }
}

/// totTrib: exactly one form.
fn total(tributos: Option<&TributosAproximados>, dps: &Dps, erros: &mut Vec<FieldError>) -> Grupo {
    let vazio = TributosAproximados::default();
    let tributos = tributos.unwrap_or(&vazio);
    let mut g = Grupo::default();
    let partes = |g: &mut Grupo, grupo: &str, nomes: [&str; 3], erros: &mut Vec<FieldError>| {
        let mut dentro = Grupo::default();
        for (nome, valor, campo) in [
            (nomes[0], tributos.federal, "federal"),
            (nomes[1], tributos.estadual, "estadual"),
            (nomes[2], tributos.municipal, "municipal"),
        ] {
            dentro.valor(
                nome,
                valor.unwrap_or_default(),
                &format!("valores.tributos_aproximados.{campo}"),
                erros,
            );
        }
        g.group(grupo, dentro);
    };
    match tributos.modo {
        ModoTributos::Valores => partes(
            &mut g,
            "vTotTrib",
            ["vTotTribFed", "vTotTribEst", "vTotTribMun"],
            erros,
        ),
        ModoTributos::Percentuais => partes(
            &mut g,
            "pTotTrib",
            ["pTotTribFed", "pTotTribEst", "pTotTribMun"],
            erros,
        ),
        ModoTributos::Simples => {
            let campo = "valores.tributos_aproximados.percentual";
            match tributos.percentual {
                Some(percentual) => g.valor("pTotTribSN", percentual, campo, erros),
                None => erros.push(FieldError::new(
                    campo,
                    "obrigatorio",
                    "Informe a alíquota nominal do Simples Nacional.",
                )),
            }
        }
        ModoTributos::NaoInformado if regime(dps).0 == OpcaoSimples::MeEpp && !tem_total(dps) => {
            // E0712: ME/EPP may not leave it uninformed.
            erros.push(FieldError::new(
                "valores.tributos_aproximados",
                "obrigatorio",
                "ME/EPP do Simples Nacional deve informar os tributos aproximados: modo \"simples\" com o percentual nominal.",
            ));
        }
        ModoTributos::NaoInformado => g.texto("indTotTrib", "0"),
    }
    g
}

/// Whether `inf_dps` brings its own totTrib.
fn tem_total(dps: &Dps) -> bool {
    let trib = dps
        .inf_dps
        .as_ref()
        .and_then(|extra| extra.get("valores"))
        .and_then(|valores| valores.get("trib"));
    trib.and_then(|trib| trib.get("totTrib")).is_some()
}
