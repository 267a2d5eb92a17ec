//! Values the national system computes: ISSQN and the 2026 test of IBS/CBS.

use rust_decimal::{Decimal, RoundingStrategy};

use super::dps::Dps;

/// A number of hundredths: 180 is 1.80.
pub(super) const fn hundredths(n: u32) -> Decimal {
    Decimal::from_parts(n, 0, 0, false, 2)
}

/// ISSQN rate of every simulated municipality, percent: the highest the law
/// allows (LC 116/2003 art. 8).
const RATE: Decimal = hundredths(500);

/// Values of the note (`TCValoresNFSe`).
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub calculated_deduction: Option<Decimal>,
    /// tpBM and vCalcBM.
    pub benefit: Option<(u8, Option<Decimal>)>,
    pub base: Option<Decimal>,
    pub rate: Option<Decimal>,
    pub iss: Option<Decimal>,
    pub withheld: Option<Decimal>,
    pub net: Decimal,
}

pub(super) fn round(value: Decimal) -> Decimal {
    value.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

/// Two decimals, as the layout wants amounts.
pub(super) fn money(value: Decimal) -> String {
    format!("{:.2}", round(value))
}

/// Computes the values. Rules E1302, E1303, E1307 and E1311: for MEI, untaxed
/// services, special regimes and suspended tax only the net value is given.
pub(super) fn values(dps: &Dps<'_>) -> Values {
    let service = dps.money("valores/vServPrest/vServ");
    let unconditional = dps.money("valores/vDescCondIncond/vDescIncond");
    let conditional = dps.money("valores/vDescCondIncond/vDescCond");
    let federal = ["vRetCP", "vRetIRRF", "vRetCSLL"]
        .iter()
        .map(|f| dps.money(&format!("valores/trib/tribFed/{f}")))
        .sum::<Decimal>();
    let mut out = Values::default();
    let only_net = dps.simples() == "2"
        || dps.taxation() != "1"
        || dps.special_regime()
        || dps.has("valores/trib/tribMun/exigSusp");
    let mut iss_withheld = Decimal::ZERO;
    if !only_net {
        let deduction = deduction(dps, service, &mut out);
        let benefit = benefit(dps, service, &mut out);
        let base = round(
            (service - unconditional - deduction - reimbursed(dps) - benefit).max(Decimal::ZERO),
        );
        out.base = Some(base);
        let rate = rate(dps);
        if let Some(rate) = rate {
            let iss = round(base * rate / Decimal::ONE_HUNDRED);
            out.rate = Some(rate);
            out.iss = Some(iss);
            if dps.withheld() {
                iss_withheld = iss;
            }
        }
    }
    let withheld = round(federal + iss_withheld);
    if withheld > Decimal::ZERO && !only_net {
        out.withheld = Some(withheld);
    }
    out.net = round(service - conditional - unconditional - withheld);
    out
}

/// With the ISSQN inside the Simples payment there is no rate on the note,
/// unless the customer withholds it: then the provider informs the rate.
fn rate(dps: &Dps<'_>) -> Option<Decimal> {
    let informed = dps.amount("valores/trib/tribMun/pAliq");
    let inside_simples = dps.simples() == "3" && dps.get("prest/regTrib/regApTribSN") == "1";
    if inside_simples { informed } else { Some(RATE) }
}

fn deduction(dps: &Dps<'_>, service: Decimal, out: &mut Values) -> Decimal {
    const GROUP: &str = "valores/vDedRed";
    if let Some(value) = dps.amount(&format!("{GROUP}/vDR")) {
        return value;
    }
    let calculated = if let Some(percent) = dps.amount(&format!("{GROUP}/pDR")) {
        round(service * percent / Decimal::ONE_HUNDRED)
    } else if let Some(list) = dps.inf.at(&format!("{GROUP}/documentos")) {
        list.elements()
            .filter_map(|d| d.text_at("vDeducaoReducao"))
            .filter_map(|t| t.parse::<Decimal>().ok())
            .sum()
    } else {
        return Decimal::ZERO;
    };
    out.calculated_deduction = Some(calculated);
    calculated
}

fn benefit(dps: &Dps<'_>, service: Decimal, out: &mut Values) -> Decimal {
    const GROUP: &str = "valores/trib/tribMun/BM";
    if let Some(value) = dps.amount(&format!("{GROUP}/vRedBCBM")) {
        out.benefit = Some((3, None));
        return value;
    }
    let Some(percent) = dps.amount(&format!("{GROUP}/pRedBCBM")) else {
        return Decimal::ZERO;
    };
    let value = round(service * percent / Decimal::ONE_HUNDRED);
    out.benefit = Some((2, Some(value)));
    value
}

/// Sum of the values that belong to third parties (gReeRepRes).
fn reimbursed(dps: &Dps<'_>) -> Decimal {
    let Some(group) = dps.inf.at("IBSCBS/valores/gReeRepRes") else {
        return Decimal::ZERO;
    };
    group
        .elements()
        .filter_map(|d| d.text_at("vlrReeRepRes"))
        .filter_map(|t| t.parse::<Decimal>().ok())
        .sum()
}

/// Values of IBS and CBS.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Consumption {
    pub base: Decimal,
    pub reimbursed: Option<Decimal>,
    pub rates: Shares,
    /// Deferred parts, when the group gDif is informed.
    pub deferred: Option<Shares>,
    pub values: Shares,
    pub total: Decimal,
}

/// One number for each of the three taxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    pub uf: Decimal,
    pub mun: Decimal,
    pub fed: Decimal,
}

/// The test year: CBS 0.9 %, IBS 0.1 % for the state (LC 214/2025 art. 343 and
/// 346). CST 400 and 410 (exempt, not taxed) have no rate; reductions by
/// cClassTrib are not simulated.
pub(super) fn consumption(dps: &Dps<'_>, values: &Values) -> Option<Consumption> {
    let group = dps.inf.child("IBSCBS")?;
    let class = group.at("valores/trib/gIBSCBS")?;
    let untaxed = matches!(class.text_at("CST").as_deref(), Some("400" | "410"));
    let reimbursed = reimbursed(dps);
    let service = dps.money("valores/vServPrest/vServ");
    let base = round(
        (service
            - dps.money("valores/vDescCondIncond/vDescIncond")
            - reimbursed
            - values.iss.unwrap_or_default()
            - dps.money("valores/trib/tribFed/piscofins/vPis")
            - dps.money("valores/trib/tribFed/piscofins/vCofins"))
        .max(Decimal::ZERO),
    );
    let rates = if untaxed {
        Shares {
            uf: Decimal::ZERO,
            mun: Decimal::ZERO,
            fed: Decimal::ZERO,
        }
    } else {
        Shares {
            uf: hundredths(10),
            mun: Decimal::ZERO,
            fed: hundredths(90),
        }
    };
    let full = Shares {
        uf: round(base * rates.uf / Decimal::ONE_HUNDRED),
        mun: round(base * rates.mun / Decimal::ONE_HUNDRED),
        fed: round(base * rates.fed / Decimal::ONE_HUNDRED),
    };
    let deferred = class.child("gDif").map(|g| {
        let part = |name: &str, value: Decimal| {
            let percent = g
                .text_at(name)
                .and_then(|t| t.parse::<Decimal>().ok())
                .unwrap_or_default();
            round(value * percent / Decimal::ONE_HUNDRED).min(value)
        };
        Shares {
            uf: part("pDifUF", full.uf),
            mun: part("pDifMun", full.mun),
            fed: part("pDifCBS", full.fed),
        }
    });
    let less = |value: Decimal, pick: fn(&Shares) -> Decimal| {
        value - deferred.as_ref().map(pick).unwrap_or_default()
    };
    Some(Consumption {
        base,
        reimbursed: (reimbursed > Decimal::ZERO).then_some(reimbursed),
        rates,
        values: Shares {
            uf: less(full.uf, |d| d.uf),
            mun: less(full.mun, |d| d.mun),
            fed: less(full.fed, |d| d.fed),
        },
        deferred,
        // In 2026 the new taxes are not added to the price.
        total: values.net,
    })
}
