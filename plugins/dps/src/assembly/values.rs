//! valores: price, discounts, deductions and taxes.

use super::{regime, tributacao};
use crate::assembly::group::Group;
use crate::assembly::party::only_digits;
use crate::description::{Aliquota, aliquota};
use crate::layout;
use sdk::nfse::{
    ApuracaoSimples, Dps, Exigibilidade, Iss, ModoTributos, OpcaoSimples, RegimeEspecial, Retencao,
    Retencoes, Tributacao, TributosAproximados,
};
use sdk::{Context, Decimal, FieldError};

/// Completes valores.
pub fn values(g: &mut Group, dps: &Dps, ctx: &Context, errors: &mut Vec<FieldError>) {
    let valores = &dps.valores;
    let documents = valores.deducoes.as_ref().map(|d| d.documentos.as_slice());
    if documents.is_some_and(|documents| !documents.is_empty()) {
        // Documents, or else a percentage, or else an amount. Of percentage
        // and amount the layout takes one; the writer refuses both.
        g.within("vDedRed", |deduction| {
            deduction.take("pDR");
            deduction.take("vDR");
        });
    }
    g.within("trib", |trib| {
        trib.within("tribMun", |group| municipal(group, dps, ctx, errors));
        let federal = valores.retencoes.as_ref();
        let federal = federal.map(|given| self::federal(given, dps, ctx, errors));
        trib.optional_group("tribFed", federal);
        let total = total(valores.tributos_aproximados.as_ref(), dps, errors);
        trib.group("totTrib", total);
    });
}

/// Completes tribMun.
fn municipal(g: &mut Group, dps: &Dps, ctx: &Context, errors: &mut Vec<FieldError>) {
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let taxation = tributacao(dps);
    let code = |name: &str, word| layout::code(&format!("valores.trib.tribMun.{name}"), word);
    g.text("tribISSQN", code("tribISSQN", taxation.word()));
    if taxation == Tributacao::Imunidade {
        // Mandatory here and only here (E0592).
        match &iss.imunidade {
            Some(immunity) => g.text("tpImunidade", immunity),
            None => errors.push(FieldError::new(
                "valores.iss.imunidade",
                "obrigatorio",
                "Informe o tipo de imunidade, de 1 a 5.",
            )),
        }
    }
    let suspension = match iss.exigibilidade {
        Some(Exigibilidade::SuspensaJudicial) => Some("1"),
        Some(Exigibilidade::SuspensaAdministrativa) => Some("2"),
        _ => None,
    };
    if let Some(kind) = suspension {
        let case = iss.numero_processo.as_deref();
        let mut suspended = Group::default();
        suspended.text("tpSusp", kind);
        suspended.optional("nProcesso", case.map(only_digits).as_deref());
        g.group("exigSusp", suspended);
    }
    // The table has written it where the content has the group.
    if !g.has("tpRetISSQN") {
        g.text("tpRetISSQN", code("tpRetISSQN", iss.retencao.word()));
    }
    if let Some(rate) = iss.aliquota.filter(|_| aliquota_permitida(dps, ctx, &iss)) {
        g.money("pAliq", rate, "valores.iss.aliquota", errors);
    }
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
fn federal(retencoes: &Retencoes, dps: &Dps, ctx: &Context, errors: &mut Vec<FieldError>) -> Group {
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
        return Group::default();
    }
    let mut piscofins = Group::default();
    piscofins.optional("CST", retencoes.cst_pis_cofins.as_deref());
    piscofins.positive(
        "vBCPisCofins",
        retencoes.base_pis_cofins,
        &campo("base_pis_cofins"),
        errors,
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
            piscofins.money(nome_aliquota, aliquota, &campo(nome_campo), errors);
            // The server multiplies again and compares (E0694, E0696).
            if let Some(valor) = base.checked_mul(aliquota.percent_to_fraction()) {
                piscofins.money(nome_valor, valor.rounded(2), &campo(nome_campo), errors);
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
        piscofins.positive("vPis", Some(pis), &campo("pis"), errors);
        piscofins.positive("vCofins", Some(cofins), &campo("cofins"), errors);
    }
    // CSLL alone needs no PIS/COFINS group.
    let so_csll = piscofins.is_empty() && pis.is_zero() && cofins.is_zero();
    if !so_csll || retencoes.tipo_retencao_pis_cofins.is_some() {
        piscofins.optional("tpRetPisCofins", tipo);
    }
    let mut g = Group::default();
    g.optional_group("piscofins", Some(piscofins));
    g.positive("vRetCP", retencoes.inss, &campo("inss"), errors);
    g.positive("vRetIRRF", retencoes.ir, &campo("ir"), errors);
    g.positive("vRetCSLL", Some(sociais), &campo("csll"), errors);
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
fn total(tributos: Option<&TributosAproximados>, dps: &Dps, errors: &mut Vec<FieldError>) -> Group {
    let vazio = TributosAproximados::default();
    let tributos = tributos.unwrap_or(&vazio);
    let mut g = Group::default();
    let partes = |g: &mut Group, grupo: &str, nomes: [&str; 3], errors: &mut Vec<FieldError>| {
        let mut dentro = Group::default();
        for (nome, valor, campo) in [
            (nomes[0], tributos.federal, "federal"),
            (nomes[1], tributos.estadual, "estadual"),
            (nomes[2], tributos.municipal, "municipal"),
        ] {
            dentro.money(
                nome,
                valor.unwrap_or_default(),
                &format!("valores.tributos_aproximados.{campo}"),
                errors,
            );
        }
        g.group(grupo, dentro);
    };
    match tributos.modo {
        ModoTributos::Valores => partes(
            &mut g,
            "vTotTrib",
            ["vTotTribFed", "vTotTribEst", "vTotTribMun"],
            errors,
        ),
        ModoTributos::Percentuais => partes(
            &mut g,
            "pTotTrib",
            ["pTotTribFed", "pTotTribEst", "pTotTribMun"],
            errors,
        ),
        ModoTributos::Simples => {
            let campo = "valores.tributos_aproximados.percentual";
            match tributos.percentual {
                Some(percentual) => g.money("pTotTribSN", percentual, campo, errors),
                None => errors.push(FieldError::new(
                    campo,
                    "obrigatorio",
                    "Informe a alíquota nominal do Simples Nacional.",
                )),
            }
        }
        ModoTributos::NaoInformado if regime(dps).0 == OpcaoSimples::MeEpp && !tem_total(dps) => {
            // E0712: ME/EPP may not leave it uninformed.
            errors.push(FieldError::new(
                "valores.tributos_aproximados",
                "obrigatorio",
                "ME/EPP do Simples Nacional deve informar os tributos aproximados: modo \"simples\" com o percentual nominal.",
            ));
        }
        ModoTributos::NaoInformado => g.text("indTotTrib", "0"),
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
