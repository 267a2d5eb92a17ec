//! The group `Valores`.

use super::ibs_cbs;
use super::tags::Tags;
use crate::message::{plain, tax};
use crate::options::{IbsCbsPlace, Options};
use crate::version::LayoutVersion;
use rps::Fields;
use rps::amounts::{assess, taxes, withheld};

use sdk::Decimal;
use sdk::nfse::table::RPS_VALUES;
use sdk::nfse::{Dps, Valores};

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
