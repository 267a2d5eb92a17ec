//! Limits, and how numbers are written. The formulas are `fiscal::taxes::ibs_cbs`.

pub use fiscal::taxes::ibs_cbs::{percent_of, reduced};

use fiscal::taxes::ibs_cbs::four_places;
pub(super) use fiscal::taxes::ibs_cbs::two_places;
use rust_decimal::Decimal;

use super::{Context, Item};
use crate::ibs_cbs::input::{MonoRate, MonoTax, Tax, Withheld};
use markup::decimal;
use markup::field::Fields;
use std::fmt::Display;

/// Most an amount may be: thirteen digits before the point (`TDec1302RTC`).
const MAX_VALUE: i64 = 9_999_999_999_999;
/// Most a rate per unit may be: three digits (`TDec_0302_04RTC`).
const MAX_AD_REM: i64 = 999;
/// Most a quantity may be: eleven digits (`TDec1104RTC`).
const MAX_QUANTITY: i64 = 99_999_999_999;

/// An amount as written: `1234.50`.
pub(super) fn value(value: Decimal) -> String {
    decimal::with_places(two_places(value), 2)
}

/// A rate or percentage as written: `0.1000`.
pub fn rate(value: Decimal) -> String {
    decimal::with_places(four_places(value), 4)
}

/// A quantity as written: four decimals.
pub(super) fn quantity(value: Decimal) -> String {
    rate(value)
}

/// Is everything the item and its circumstances bring within what the layout holds? Also keeps the
/// arithmetic far from the ends of the type.
pub(super) fn limits(context: &Context, item: &Item, fields: &mut Fields) {
    let mut judge = Judge { fields };
    let reducer = context.gov_purchase.map(|purchase| purchase.p_redutor);
    judge.percent("compra_governamental.redutor", reducer);
    let reference = &context.reference;
    judge.percent("referencia.ibs_uf", reference.ibs_uf);
    judge.percent("referencia.ibs_mun", reference.ibs_mun);
    judge.percent("referencia.cbs", reference.cbs);
    let v = &item.values;
    for (name, value) in [
        ("valores.v_prod", v.v_prod),
        ("valores.v_serv", v.v_serv),
        ("valores.v_frete", v.v_frete),
        ("valores.v_seg", v.v_seg),
        ("valores.v_outro", v.v_outro),
        ("valores.v_ii", v.v_ii),
        ("valores.v_desc", v.v_desc),
        ("valores.v_pis", v.v_pis),
        ("valores.v_cofins", v.v_cofins),
        ("valores.v_icms", v.v_icms),
        ("valores.v_icms_uf_dest", v.v_icms_uf_dest),
        ("valores.v_fcp", v.v_fcp),
        ("valores.v_fcp_uf_dest", v.v_fcp_uf_dest),
        ("valores.v_icms_mono", v.v_icms_mono),
        ("valores.v_issqn", v.v_issqn),
        ("valores.v_is", v.v_is),
    ] {
        judge.value(name, Some(value));
    }
    judge.value("base", item.base);
    for (name, tax) in [
        ("ibs_uf", &item.ibs_uf),
        ("ibs_mun", &item.ibs_mun),
        ("cbs", &item.cbs),
    ] {
        judge.tax(name, tax);
    }
    if let Some(mono) = &item.mono {
        judge.mono("mono.ibs", &mono.ibs);
        judge.mono("mono.cbs", &mono.cbs);
    }
    let pairs = [
        ("transferencia_credito", item.credit_transfer),
        ("estorno_credito", item.reversal),
        (
            "ajuste_competencia",
            item.period_adjustment.as_ref().map(|a| a.values),
        ),
    ];
    for (name, pair) in pairs {
        judge.value(format_args!("{name}.ibs"), pair.map(|pair| pair.ibs));
        judge.value(format_args!("{name}.cbs"), pair.map(|pair| pair.cbs));
    }
    if let Some(credit) = &item.cred_pres {
        judge.value("credito_presumido.base", credit.base);
        judge.percent("credito_presumido.aliquota_ibs", credit.p_ibs);
        judge.percent("credito_presumido.aliquota_cbs", credit.p_cbs);
    }
    let zfm = item.cred_pres_zfm.as_ref().map(|zfm| zfm.value);
    judge.value("credito_presumido_zfm.valor", zfm);
}

/// Says what is out of bounds.
struct Judge<'a> {
    fields: &'a mut Fields,
}

impl Judge<'_> {
    fn value(&mut self, field: impl Display, value: Option<Decimal>) {
        self.range(field, value, MAX_VALUE, 2);
    }

    fn percent(&mut self, field: impl Display, value: Option<Decimal>) {
        self.range(field, value, 100, 4);
    }

    fn tax(&mut self, name: &str, tax: &Tax) {
        self.percent(format_args!("{name}.aliquota"), tax.aliquota);
        self.percent(format_args!("{name}.reducao"), tax.reduction);
        self.percent(format_args!("{name}.diferimento"), tax.p_dif);
        self.percent(format_args!("{name}.percentual_devolvido"), tax.p_dev);
        self.value(format_args!("{name}.valor_devolvido"), tax.v_dev);
    }

    fn mono(&mut self, name: &str, mono: &MonoTax) {
        for (rate, suffix) in [(mono.default, ""), (mono.withholding, "_retencao")] {
            match rate {
                Some(MonoRate::AdRem { quantity, ad_rem }) => {
                    self.quantity(format_args!("{name}.quantidade{suffix}"), quantity);
                    self.ad_rem(format_args!("{name}.aliquota{suffix}"), ad_rem);
                }
                Some(MonoRate::AdValorem { base, p, p_mun }) => {
                    self.value(format_args!("{name}.base{suffix}"), Some(base));
                    self.percent(format_args!("{name}.aliquota{suffix}"), Some(p));
                    self.percent(format_args!("{name}.aliquota_mun"), Some(p_mun));
                }
                None => {}
            }
        }
        match mono.withheld {
            Some(Withheld::AdRem { quantity, ad_rem }) => {
                self.quantity(format_args!("{name}.quantidade_retido"), quantity);
                self.ad_rem(format_args!("{name}.aliquota_retido"), ad_rem);
            }
            Some(Withheld::Value(value)) => {
                self.value(format_args!("{name}.valor_retido"), Some(value))
            }
            None => {}
        }
        self.percent(format_args!("{name}.diferimento"), mono.p_dif);
        if let Some(bio) = mono.bio {
            self.quantity(
                format_args!("{name}.quantidade_biocombustivel"),
                bio.quantity,
            );
            self.value(format_args!("{name}.valor_diferenca"), Some(bio.value));
        }
    }

    fn quantity(&mut self, field: impl Display, value: Decimal) {
        self.range(field, Some(value), MAX_QUANTITY, 4);
    }

    fn ad_rem(&mut self, field: impl Display, value: Decimal) {
        self.range(field, Some(value), MAX_AD_REM, 4);
    }

    fn range(&mut self, field: impl Display, value: Option<Decimal>, max: i64, decimals: u32) {
        // Most are absent or zero.
        let Some(value) = value.filter(|value| !value.is_zero()) else {
            return;
        };
        let fits = match value.scale() <= decimals {
            // The rule: digits are compared as they stand. The limits have room for the places.
            true => {
                let most = (0..value.scale()).fold(max, |most, _| most * 10);
                value.mantissa() <= i128::from(most)
            }
            false => value <= Decimal::from(max) && value.normalize().scale() <= decimals,
        };
        if value.is_sign_positive() && fits {
            return;
        }
        self.fields.add_value(
            field.to_string(),
            "fora_da_faixa",
            &value.to_string(),
            "O número não cabe no leiaute.",
            format!("Informe de 0 a {max}, com até {decimals} casas decimais."),
        );
    }
}
