//! IBS and CBS of the sale, by its classification and the year's rates.

use super::facts::Facts;
use super::output::{Lack, StepOut, TaxOut};
use super::rates::{of_table, percent};
use crate::ibs_cbs::{Duty, duty};
use data::Validity;
use data::class_trib::{self, ClassTrib};
use data::rates::{self, Year};
use fiscal::taxes::Impossible;
use fiscal::taxes::ibs_cbs::{Taxation, Values, Which, base_step, tax, taxation};
use rust_decimal::Decimal;
use time::{Date, Month};

/// CRT of the regular regime.
const NORMAL: u8 = 3;

/// Taxes inside of the price, which are no part of the base, and the IS, which
/// is.
pub(super) struct Inside {
    pub icms: Result<Decimal, Lack>,
    pub fcp: Decimal,
    /// Of the note, not of the recipient's own books.
    pub difal: Result<Decimal, Lack>,
    pub fcp_difal: Result<Decimal, Lack>,
    pub pis: Result<Decimal, Lack>,
    pub cofins: Result<Decimal, Lack>,
    pub selective: Result<Decimal, Lack>,
}

/// IBS of the state, IBS of the municipality and CBS.
///
/// # Errors
/// Numbers that the formulas do not take.
pub(super) fn ibs_cbs(facts: &Facts, inside: Inside) -> Result<[TaxOut; 3], Impossible> {
    let all = |tax: TaxOut| Ok([tax.clone(), tax.clone(), tax]);
    if duty(NORMAL, facts.day) == Duty::Optional {
        let reason = "IBS e CBS começam em 2026.";
        let ground = "LC 214/2025, arts. 343 e 346";
        return all(TaxOut::not_due("ibs_cbs_antes_de_2026", reason, ground));
    }
    if facts.in_simples() {
        let reason = "No Simples Nacional IBS e CBS estão no DAS, salvo opção pelo regime regular.";
        let ground = "LC 123/2006, art. 13; LC 214/2025, art. 41";
        return all(TaxOut::not_due("ibs_cbs_no_das", reason, ground));
    }
    let Some(class) = facts.class else {
        let lack = Lack::new(candidates(&facts.ncm), &["cclass_trib"]);
        return all(TaxOut::without_table(lack));
    };
    let reductions = match of_class(class) {
        Charged::Rates(reductions) => reductions,
        Charged::Not(tax) => return all(tax),
    };
    let values = match values(facts, inside) {
        Ok(values) => values,
        Err(lack) => return all(TaxOut::without_table(lack)),
    };
    let (base, of_base) = base_step(facts.day, &values)?;
    let one = |which| {
        of_tax(
            facts,
            class,
            reductions,
            which,
            base,
            &of_base.clone().into(),
        )
    };
    Ok([one(Which::IbsUf)?, one(Which::IbsMun)?, one(Which::Cbs)?])
}

/// Which classifications the goods may have: a person decides.
fn candidates(ncm: &str) -> String {
    let listed = data::ibs_cbs::by_ncm(ncm);
    let mut named: Vec<String> = listed
        .iter()
        .filter(|item| !item.classes().is_empty())
        .map(|item| {
            let classes = item.classes();
            let codes: Vec<&str> = classes.iter().map(|class| class.codigo).collect();
            format!("{} ({})", item.annex, codes.join(", "))
        })
        .collect();
    named.dedup();
    match named.is_empty() {
        true => "A tributação depende da classificação da operação; o NCM não está nos anexos de redução da LC 214/2025.".to_owned(),
        false => {
            let named = named.join("; ");
            format!("A tributação depende da classificação da operação; o NCM está em anexos da LC 214/2025: {named}.")
        }
    }
}

/// What a classification leaves of the rates.
#[derive(Clone, Copy)]
struct Reductions {
    zero: bool,
    ibs: Decimal,
    cbs: Decimal,
}

/// What is charged of a classification.
enum Charged {
    /// The year's rates, less something.
    Rates(Reductions),
    /// Nothing, or rates that no table has.
    Not(TaxOut),
}

fn of_class(class: &'static ClassTrib) -> Charged {
    let without = |reason| Charged::Not(TaxOut::without_table(Lack::new(reason, &[])));
    let Some(cst) = class_trib::cst(class.cst()) else {
        return without("O CST da classificação não está na tabela.");
    };
    let rates = |zero, ibs, cbs| Charged::Rates(Reductions { zero, ibs, cbs });
    match taxation(class, cst) {
        Taxation::Usual { ibs, cbs } => rates(false, ibs, cbs),
        Taxation::Zero => rates(true, Decimal::ZERO, Decimal::ZERO),
        Taxation::Outside => {
            let mut tax = TaxOut::not_due("cclass_trib", class.name, ground(class));
            tax.trilha = vec![row(class)];
            Charged::Not(tax)
        }
        Taxation::SinglePhase => without(
            "A tributação é monofásica, em reais por unidade; as alíquotas não estão carregadas.",
        ),
        Taxation::OwnRates => {
            without("A classificação tem alíquotas próprias, que não estão carregadas.")
        }
        Taxation::Deferred => {
            without("A classificação tem diferimento, cujo percentual é da operação.")
        }
        Taxation::ReducedBase => {
            without("A classificação tem base própria, cujo redutor é da operação.")
        }
    }
}

fn ground(class: &ClassTrib) -> String {
    match class.lc214.is_empty() {
        true => "LC 214/2025".to_owned(),
        false => format!("LC 214/2025, {}", class.lc214),
    }
}

fn row(class: &'static ClassTrib) -> StepOut {
    let name = class.name.trim_end_matches('.');
    let reductions = match (class.p_red_ibs, class.p_red_cbs) {
        (ibs, cbs) if ibs.is_zero() && cbs.is_zero() => String::new(),
        (ibs, cbs) => format!(
            "; redução de {} do IBS e {} da CBS",
            percent(ibs),
            percent(cbs)
        ),
    };
    let formula = format!("{}: {name}{reductions}", class.codigo);
    let source = of_table("class_trib", &ground(class));
    StepOut::new("cclass_trib", formula, source).valid(class.validity)
}

fn values(facts: &Facts, inside: Inside) -> Result<Values, Lack> {
    let amounts = &facts.amounts;
    Ok(Values {
        v_prod: amounts.goods,
        v_frete: amounts.frete,
        v_seg: amounts.insurance,
        v_outro: amounts.other,
        v_desc: amounts.discount,
        v_pis: inside.pis?,
        v_cofins: inside.cofins?,
        v_icms: inside.icms?,
        v_icms_uf_dest: inside.difal?,
        v_fcp: inside.fcp,
        v_fcp_uf_dest: inside.fcp_difal?,
        v_is: inside.selective?,
        ..Values::default()
    })
}

fn of_tax(
    facts: &Facts,
    class: &'static ClassTrib,
    reductions: Reductions,
    which: Which,
    base: Decimal,
    of_base: &StepOut,
) -> Result<TaxOut, Impossible> {
    let year = rates::of_year(facts.day.year());
    let (name, rule) = match which {
        Which::IbsUf => ("IBS do estado", "ibs_uf_aliquota"),
        Which::IbsMun => ("IBS do município", "ibs_mun_aliquota"),
        Which::Cbs => ("CBS", "cbs_aliquota"),
    };
    let rate = year.and_then(|year| match which {
        Which::IbsUf => year.ibs_uf,
        Which::IbsMun => year.ibs_mun,
        Which::Cbs => year.cbs,
    });
    let mut before = vec![row(class), of_base.clone()];
    let nominal = match (reductions.zero, year.zip(rate)) {
        (true, _) => Decimal::ZERO,
        (false, Some((year, rate))) => {
            before.push(of_year(year, rule, rate));
            rate
        }
        (false, None) => {
            let day = facts.day.year();
            let reason =
                format!("A alíquota de {name} para {day} ainda não está fixada na tabela.");
            return Ok(TaxOut::without_table(Lack::new(reason, &[])));
        }
    };
    let reduction = match which {
        Which::Cbs => reductions.cbs,
        _ => reductions.ibs,
    };
    let charge = tax(which, base, nominal, reduction)?;
    Ok(TaxOut::calculated(before, charge))
}

fn of_year(year: &Year, rule: &'static str, rate: Decimal) -> StepOut {
    let validity = Validity {
        start: Date::from_calendar_date(year.of, Month::January, 1).ok(),
        end: Date::from_calendar_date(year.until, Month::December, 31).ok(),
    };
    let source = of_table("ibs_cbs_aliquotas", year.source);
    StepOut::new(rule, percent(rate), source).valid(validity)
}
