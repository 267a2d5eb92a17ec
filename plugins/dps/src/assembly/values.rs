//! valores: price, discounts, deductions and taxes.

use super::{regime, taxation};
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
    let values = &dps.valores;
    let documents = values.deducoes.as_ref().map(|d| d.documentos.as_slice());
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
        let federal = values.retencoes.as_ref();
        let federal = federal.map(|given| self::federal(given, dps, ctx, errors));
        trib.optional_group("tribFed", federal);
        let total = total(values.tributos_aproximados.as_ref(), dps, errors);
        trib.group("totTrib", total);
    });
}

/// Completes tribMun.
fn municipal(g: &mut Group, dps: &Dps, ctx: &Context, errors: &mut Vec<FieldError>) {
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let taxation = taxation(dps);
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
    if let Some(rate) = iss.aliquota.filter(|_| rate_permitted(dps, ctx, &iss)) {
        g.money("pAliq", rate, "valores.iss.aliquota", errors);
    }
}

/// Where the national rules let `pAliq` be informed. The server knows the
/// rate of an active municipality and refuses a note that repeats it.
fn rate_permitted(dps: &Dps, ctx: &Context, iss: &Iss) -> bool {
    let (option, assessment, special) = regime(dps);
    if taxation(dps) != Tributacao::Tributavel // E0602
        || special != RegimeEspecial::Nenhum // E0604
        || option == OpcaoSimples::Mei
    // E0600
    {
        return false;
    }
    let by_simples = assessment == Some(ApuracaoSimples::FederaisEMunicipalPeloSn);
    match aliquota(ctx) {
        Aliquota::Never => false,
        // ISS inside Simples Nacional: exactly when withheld (E0621, E0625,
        // E0628, E0631), active municipality or not.
        _ if by_simples => iss.retencao != Retencao::NaoRetido,
        Aliquota::Always => true,
        Aliquota::Automatic => false, // E0617, E0635
    }
}

/// tribFed. Amounts are withholdings, except the own PIS/COFINS that base and
/// rates give.
fn federal(
    withholdings: &Retencoes,
    dps: &Dps,
    ctx: &Context,
    errors: &mut Vec<FieldError>,
) -> Group {
    let field = |name: &str| format!("valores.retencoes.{name}");
    let withheld = |value: Option<Decimal>| value.unwrap_or_default();
    let (pis, cofins, csll) = (
        withheld(withholdings.pis),
        withheld(withholdings.cofins),
        withheld(withholdings.csll),
    );
    let without_federal = ctx.emitente.documento.len() == 11 || regime(dps).0 == OpcaoSimples::Mei; // E0675, E0676
    if without_federal && nothing_withheld(withholdings) {
        return Group::default();
    }
    let mut piscofins = Group::default();
    piscofins.optional("CST", withholdings.cst_pis_cofins.as_deref());
    piscofins.positive(
        "vBCPisCofins",
        withholdings.base_pis_cofins,
        &field("base_pis_cofins"),
        errors,
    );
    if let Some(base) = withholdings.base_pis_cofins.filter(|base| !base.is_zero()) {
        for (aliquota, rate_name, value_name, field_name) in [
            (
                withholdings.aliquota_pis,
                "pAliqPis",
                "vPis",
                "aliquota_pis",
            ),
            (
                withholdings.aliquota_cofins,
                "pAliqCofins",
                "vCofins",
                "aliquota_cofins",
            ),
        ] {
            let Some(aliquota) = aliquota else { continue };
            piscofins.money(rate_name, aliquota, &field(field_name), errors);
            // The server multiplies again and compares (E0694, E0696).
            if let Some(value) = base.checked_mul(aliquota.percent_to_fraction()) {
                piscofins.money(value_name, value.rounded(2), &field(field_name), errors);
            }
        }
    }
    let kind = withholding_kind(withholdings, pis, cofins, csll);
    // Codes 3 to 9 came with NT 007: vRetCSLL then holds the three
    // contributions together. Before, it was CSLL alone; with 0 it is
    // forbidden (E0720).
    let social = match kind {
        Some("0") => Decimal::ZERO,
        Some("1" | "2") => csll,
        _ => pis + cofins + csll,
    };
    if kind == Some("1") && piscofins_without_values(withholdings) {
        piscofins.positive("vPis", Some(pis), &field("pis"), errors);
        piscofins.positive("vCofins", Some(cofins), &field("cofins"), errors);
    }
    // CSLL alone needs no PIS/COFINS group.
    let csll_only = piscofins.is_empty() && pis.is_zero() && cofins.is_zero();
    if !csll_only || withholdings.tipo_retencao_pis_cofins.is_some() {
        piscofins.optional("tpRetPisCofins", kind);
    }
    let mut g = Group::default();
    g.optional_group("piscofins", Some(piscofins));
    g.positive("vRetCP", withholdings.inss, &field("inss"), errors);
    g.positive("vRetIRRF", withholdings.ir, &field("ir"), errors);
    g.positive("vRetCSLL", Some(social), &field("csll"), errors);
    g
}

fn nothing_withheld(withholdings: &Retencoes) -> bool {
    let values = [
        withholdings.pis,
        withholdings.cofins,
        withholdings.csll,
        withholdings.inss,
        withholdings.ir,
    ];
    values.into_iter().flatten().all(|value| value.is_zero())
}

fn piscofins_without_values(withholdings: &Retencoes) -> bool {
    withholdings.base_pis_cofins.is_none_or(Decimal::is_zero)
}

/// tpRetPisCofins: the code given, or the one of what is withheld.
fn withholding_kind(
    withholdings: &Retencoes,
    pis: Decimal,
    cofins: Decimal,
    csll: Decimal,
) -> Option<&str> {
    if let Some(kind) = withholdings.tipo_retencao_pis_cofins.as_deref() {
        return Some(kind);
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
fn total(taxes: Option<&TributosAproximados>, dps: &Dps, errors: &mut Vec<FieldError>) -> Group {
    let empty = TributosAproximados::default();
    let taxes = taxes.unwrap_or(&empty);
    let mut g = Group::default();
    let parts = |g: &mut Group, group: &str, names: [&str; 3], errors: &mut Vec<FieldError>| {
        let mut inside = Group::default();
        for (name, value, field) in [
            (names[0], taxes.federal, "federal"),
            (names[1], taxes.estadual, "estadual"),
            (names[2], taxes.municipal, "municipal"),
        ] {
            inside.money(
                name,
                value.unwrap_or_default(),
                &format!("valores.tributos_aproximados.{field}"),
                errors,
            );
        }
        g.group(group, inside);
    };
    match taxes.modo {
        ModoTributos::Valores => parts(
            &mut g,
            "vTotTrib",
            ["vTotTribFed", "vTotTribEst", "vTotTribMun"],
            errors,
        ),
        ModoTributos::Percentuais => parts(
            &mut g,
            "pTotTrib",
            ["pTotTribFed", "pTotTribEst", "pTotTribMun"],
            errors,
        ),
        ModoTributos::Simples => {
            let field = "valores.tributos_aproximados.percentual";
            match taxes.percentual {
                Some(percent) => g.money("pTotTribSN", percent, field, errors),
                None => errors.push(FieldError::new(
                    field,
                    "obrigatorio",
                    "Informe a alíquota nominal do Simples Nacional.",
                )),
            }
        }
        ModoTributos::NaoInformado if regime(dps).0 == OpcaoSimples::MeEpp && !has_total(dps) => {
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
fn has_total(dps: &Dps) -> bool {
    let trib = dps
        .inf_dps
        .as_ref()
        .and_then(|extra| extra.get("valores"))
        .and_then(|values| values.get("trib"));
    trib.and_then(|trib| trib.get("totTrib")).is_some()
}
