//! The group `Valores`.

use super::ibs_cbs;
use super::tags::Tags;
use crate::message::fields::Fields;
use crate::message::{plain, tax};
use crate::options::{IbsCbsPlace, Options};
use crate::version::LayoutVersion;
use sdk::Decimal;
use sdk::nfse::table::RPS_VALUES;
use sdk::nfse::{Dps, Exigibilidade, ModoTributos, Retencao, Valores};

/// Amounts that the layouts ask for and the content does not have itself.
struct Assessed {
    deductions: Decimal,
    base: Decimal,
    /// None when no rate was given or no tax is due.
    iss: Option<Decimal>,
    net: Decimal,
}

/// `Valores` of every version. Zeros are left out, because some cities refuse
/// them, but those the system wants (`zeros`).
pub fn values(t: &mut Tags, options: &Options, dps: &Dps, fields: &mut Fields) {
    let values = &dps.valores;
    let assessed = assess(values, fields);
    let is_withheld = withheld(values);
    if options.ibs_cbs == IbsCbsPlace::Values {
        ibs_cbs::refuse(dps, fields);
    }
    let code = &mut |t: &mut Tags, name: &str, fields: &mut Fields| match name {
        "ValorDeducoes" => {
            let deductions = Some(assessed.deductions);
            optional(t, options, name, "valores.deducoes", deductions, fields);
        }
        "IssRetido" => t.leaf(name, tax::yes_no(is_withheld)),
        "ValorIss" => optional(
            t,
            options,
            name,
            "valores.iss.aliquota",
            assessed.iss,
            fields,
        ),
        "ValorIssRetido" => {
            let withheld = assessed.iss.filter(|_| is_withheld);
            optional(t, options, name, "valores.iss.aliquota", withheld, fields);
        }
        "ValTotTributos" => {
            let total = taxes(values);
            optional(
                t,
                options,
                name,
                "valores.tributos_aproximados",
                total,
                fields,
            );
        }
        "BaseCalculo" => t.leaf(name, &fields.value("valores.deducoes", assessed.base)),
        "Aliquota" => aliquota(t, options, values, fields),
        "ValorLiquidoNfse" => {
            t.leaf(name, &fields.value("valores.retencoes", assessed.net));
        }
        of_group => ibs_cbs::code(t, of_group, options, dps, fields),
    };
    t.group("Valores", &[], |t| {
        plain::write(t, RPS_VALUES, options, dps, fields, code);
    });
}

/// The tax is withheld by somebody.
pub fn withheld(values: &Valores) -> bool {
    let iss = values.iss.as_ref();
    iss.is_some_and(|iss| iss.retencao != Retencao::NaoRetido)
}

fn assess(values: &Valores, fields: &mut Fields) -> Assessed {
    let hundred = Decimal::new(100, 0).unwrap_or_default();
    let iss = values.iss.clone().unwrap_or_default();
    if iss.beneficio_municipal.is_some() {
        fields.error(
            "valores.iss.beneficio_municipal",
            "sem_equivalente",
            "O leiaute da prefeitura não tem campo para benefício municipal; informe a redução em valores.deducoes.",
        );
    }
    let unconditional = values.desconto_incondicionado.unwrap_or_default();
    let deductions = deductions(values);
    let base = values.servico - deductions - unconditional;
    let due = matches!(
        tax::exigibility(&iss),
        Exigibilidade::Exigivel
            | Exigibilidade::SuspensaJudicial
            | Exigibilidade::SuspensaAdministrativa
    );
    let iss_value = iss
        .aliquota
        .filter(|_| due)
        .filter(|aliquota| !aliquota.is_negative() && *aliquota <= hundred)
        .and_then(|aliquota| base.checked_mul(aliquota.percent_to_fraction()))
        .map(|value| value.rounded(2));
    let mut net = values.servico
        - unconditional
        - values.desconto_condicionado.unwrap_or_default()
        - federal(values);
    if withheld(values) {
        net = net - iss_value.unwrap_or_default();
    }
    Assessed {
        deductions,
        base,
        iss: iss_value,
        net,
    }
}

/// By value, by percentage of the price, or the sum of the documents.
fn deductions(values: &Valores) -> Decimal {
    let Some(deductions) = &values.deducoes else {
        return Decimal::ZERO;
    };
    if let Some(value) = deductions.valor {
        return value;
    }
    if let Some(percent) = deductions.percentual {
        let value = values.servico.checked_mul(percent.percent_to_fraction());
        return value.unwrap_or_default().rounded(2);
    }
    deductions.documentos.iter().map(|d| d.valor_deducao).sum()
}

fn federal(values: &Valores) -> Decimal {
    let Some(r) = &values.retencoes else {
        return Decimal::ZERO;
    };
    [r.pis, r.cofins, r.inss, r.ir, r.csll, r.outras]
        .into_iter()
        .flatten()
        .sum()
}

/// The approximate burden in R$, where it was given in R$.
fn taxes(values: &Valores) -> Option<Decimal> {
    let taxes = values.tributos_aproximados.as_ref()?;
    if taxes.modo != ModoTributos::Valores {
        return None;
    }
    let parts = [taxes.federal, taxes.estadual, taxes.municipal];
    Some(parts.into_iter().flatten().sum())
}

/// `Aliquota`: a fraction with four decimals or a percentage with two, four
/// where 2.00 to 2.02 allow it and the rate needs them.
fn aliquota(t: &mut Tags, options: &Options, values: &Valores, fields: &mut Fields) {
    let given = values.iss.as_ref().and_then(|iss| iss.aliquota);
    let zero = options.writes_zero("Aliquota").then_some(Decimal::ZERO);
    let Some(aliquota) = given.or(zero) else {
        return;
    };
    let text = if options.rate_as_fraction {
        aliquota.percent_to_fraction().fixed(4)
    } else if options.version < LayoutVersion::V203 && !options.version.first() {
        aliquota.fixed(2).or_else(|| aliquota.fixed(4))
    } else {
        aliquota.fixed(2)
    };
    let fits =
        Decimal::new(100, 0).is_some_and(|hundred| aliquota < hundred) && !aliquota.is_negative();
    match text {
        Some(text) if fits => t.leaf("Aliquota", &text),
        _ => fields.error(
            "valores.iss.aliquota",
            "valor",
            "O leiaute da prefeitura aceita a alíquota em percentual, menor que 100, com até duas casas decimais.",
        ),
    }
}

fn optional(
    t: &mut Tags,
    options: &Options,
    name: &str,
    field: &str,
    value: Option<Decimal>,
    fields: &mut Fields,
) {
    let value = value.unwrap_or_default();
    if !value.is_zero() || options.writes_zero(name) {
        let text = fields.value(field, value);
        t.leaf(name, &text);
    }
}
