//! IBS and CBS of an operation (LC 214/2025, NT 2025.002): base, effective
//! rates, and what a classification says of both.
//!
//! Amounts are rounded half to even, as the calculator of the RFB does.

use super::money::{HUNDRED, by_hundred, even, f2, f4, times, variable};
use super::step::{Charge, Impossible, Step, amount, charge, inside, part, shown};
use data::class_trib::{AliquotaKind, ClassTrib, Cst};
use rust_decimal::Decimal;
use time::Date;

const BASE: &str = "LC 214/2025, art. 12; NT 2025.002, UB16-10";

/// Amounts of the item the base is made of, in reais. What does not apply
/// stays zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    pub v_prod: Decimal,
    pub v_serv: Decimal,
    pub v_frete: Decimal,
    pub v_seg: Decimal,
    pub v_outro: Decimal,
    pub v_ii: Decimal,
    pub v_desc: Decimal,
    pub v_pis: Decimal,
    pub v_cofins: Decimal,
    pub v_icms: Decimal,
    pub v_icms_uf_dest: Decimal,
    pub v_fcp: Decimal,
    pub v_fcp_uf_dest: Decimal,
    pub v_icms_mono: Decimal,
    pub v_issqn: Decimal,
    pub v_is: Decimal,
}

impl Values {
    fn added(&self) -> [Decimal; 7] {
        [
            self.v_prod,
            self.v_serv,
            self.v_frete,
            self.v_seg,
            self.v_outro,
            self.v_ii,
            self.v_is,
        ]
    }

    fn taken_off(&self) -> [Decimal; 9] {
        [
            self.v_desc,
            self.v_pis,
            self.v_cofins,
            self.v_icms,
            self.v_icms_uf_dest,
            self.v_fcp,
            self.v_fcp_uf_dest,
            self.v_icms_mono,
            self.v_issqn,
        ]
    }
}

/// Base of IBS and CBS by the formula in force on the date (UB16-10), two
/// decimals; never below zero.
///
/// The rule itself is marked "implementação futura" and NT 2026.008 takes it
/// away: the base is then a matter of LC 214/2025, art. 12 alone, which this
/// formula follows.
pub fn base(data: Date, values: &Values) -> Decimal {
    match Formula::at(data) {
        Formula::Nt2025002 => base_nt_2025_002(values),
    }
}

/// The base, with its step.
///
/// # Errors
/// Negative or too large numbers.
pub fn base_step(data: Date, values: &Values) -> Result<(Decimal, Step), Impossible> {
    for value in values.added().into_iter().chain(values.taken_off()) {
        amount("value", value)?;
    }
    let base = base(data, values);
    let written = |values: &[Decimal], sign: &str| {
        let values = values.iter().filter(|value| !value.is_zero());
        values
            .map(|value| format!("{sign}{}", f2(*value)))
            .collect::<String>()
    };
    let added = written(&values.added(), " + ");
    let taken_off = written(&values.taken_off(), " - ");
    let sum = added.trim_start_matches(" + ");
    let formula = format!("{sum}{taken_off} = {}", f2(base));
    Ok((base, Step::new("ibs_cbs_base", formula, BASE)))
}

/// Versions of the base's formula.
enum Formula {
    Nt2025002,
}

impl Formula {
    /// One so far; PIS and COFINS are simply zero once they are gone (2027),
    /// ICMS and ISSQN once they are (2033).
    fn at(_data: Date) -> Formula {
        Formula::Nt2025002
    }
}

/// UB16-10: what the operation is worth, less the taxes inside of the price,
/// plus the IS.
fn base_nt_2025_002(values: &Values) -> Decimal {
    let total = |values: &[Decimal]| {
        values
            .iter()
            .fold(Decimal::ZERO, |total, value| total.saturating_add(*value))
    };
    let base = total(&values.added()).saturating_sub(total(&values.taken_off()));
    two_places(base.max(Decimal::ZERO))
}

/// Two decimals, half to even.
pub fn two_places(value: Decimal) -> Decimal {
    even(value, 2)
}

/// Four decimals, half to even.
pub fn four_places(value: Decimal) -> Decimal {
    even(value, 4)
}

/// Percent of an amount, two decimals.
pub fn percent_of(value: Decimal, p: Decimal) -> Decimal {
    two_places(by_hundred(times(value, p)))
}

/// What is left of a rate after a reduction by percent; not rounded.
pub fn reduced(p: Decimal, reduction: Decimal) -> Decimal {
    by_hundred(times(p, HUNDRED - reduction))
}

/// UB28-10, UB47-10, UB66-10: four decimals. `reducer` is that of a sale to
/// government.
pub fn effective_rate(p: Decimal, reduction: Decimal, reducer: Decimal) -> Decimal {
    four_places(reduced(reduced(p, reduction), reducer))
}

/// base x rate x percentage, not rounded.
pub fn share_of_tax(v_bc: Decimal, p: Decimal, share: Decimal) -> Decimal {
    by_hundred(times(by_hundred(times(v_bc, p)), share))
}

/// One of the three taxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    IbsUf,
    IbsMun,
    Cbs,
}

impl Which {
    fn rules(self) -> [&'static str; 2] {
        match self {
            Which::IbsUf => ["ibs_uf_aliquota_efetiva", "ibs_uf"],
            Which::IbsMun => ["ibs_mun_aliquota_efetiva", "ibs_mun"],
            Which::Cbs => ["cbs_aliquota_efetiva", "cbs"],
        }
    }

    fn rows(self) -> [&'static str; 2] {
        match self {
            Which::IbsUf => ["NT 2025.002, UB28-10", "NT 2025.002, UB35-10"],
            Which::IbsMun => ["NT 2025.002, UB47-10", "NT 2025.002, UB54-10"],
            Which::Cbs => ["NT 2025.002, UB66-10", "NT 2025.002, UB67-10"],
        }
    }
}

/// One of the taxes: nominal rate, its reduction, and the amount. The rate of
/// the charge is the effective one.
///
/// # Errors
/// Negative or too large numbers, a rate of 100 % or more.
pub fn tax(
    which: Which,
    base: Decimal,
    nominal: Decimal,
    reduction: Decimal,
) -> Result<Charge, Impossible> {
    let base = amount("base", base)?;
    let nominal = inside("nominal", nominal)?;
    let reduction = part("reduction", reduction)?;
    let rate = effective_rate(nominal, reduction, Decimal::ZERO);
    let [effective, rule] = which.rules();
    let [effective_ground, ground] = which.rows();
    let mut steps = Vec::new();
    if !reduction.is_zero() {
        let rates = format!("{} x (1 - {})", shown(nominal), shown(reduction));
        let formula = format!("{rates} = {}%", f4(rate));
        steps.push(Step::new(effective, formula, effective_ground));
    }
    let value = percent_of(base, rate);
    let of = format!("{} x {}%", f2(base), variable(rate, 2, 4));
    steps.push(Step::new(rule, format!("{of} = {}", f2(value)), ground));
    charge(base, rate, value, steps)
}

/// What a classification does to the tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taxation {
    /// The year's rates, less these percentages of them.
    Usual { ibs: Decimal, cbs: Decimal },
    /// Suspended or conditional: rates of zero, with what would be due beside
    /// them (`gTribRegular`).
    Zero,
    /// Nothing is charged, and the group has no amounts: exempt, immune.
    Outside,
    /// Charged once in the chain, by unit.
    SinglePhase,
    /// Rates of the law for these goods alone.
    OwnRates,
    /// A part of the tax that the item names is put off.
    Deferred,
    /// A base that the law reduces.
    ReducedBase,
}

/// What the indicators of a classification and its CST say.
pub fn taxation(class: &ClassTrib, cst: &Cst) -> Taxation {
    let own = matches!(
        class.kind,
        AliquotaKind::Fixed | AliquotaKind::SectoralUniform | AliquotaKind::NationalUniform
    );
    match cst {
        cst if cst.g_mono => Taxation::SinglePhase,
        cst if !cst.g_ibs_cbs => Taxation::Outside,
        _ if class.trib_regular => Taxation::Zero,
        cst if cst.g_dif => Taxation::Deferred,
        _ if own => Taxation::OwnRates,
        cst if cst.reduces_base || class.kind == AliquotaKind::WithoutAliquota => {
            Taxation::ReducedBase
        }
        cst if cst.g_red => Taxation::Usual {
            ibs: class.p_red_ibs,
            cbs: class.p_red_cbs,
        },
        _ => Taxation::Usual {
            ibs: Decimal::ZERO,
            cbs: Decimal::ZERO,
        },
    }
}
