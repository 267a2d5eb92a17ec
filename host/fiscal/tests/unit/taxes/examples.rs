//! The worked examples of the official material.

use super::{d, ends_in, explained};
use fiscal::taxes::burden::{Rates, burden};
use fiscal::taxes::difal::{self, Difal};
use fiscal::taxes::ibs_cbs::{self, Taxation, Values, Which};
use fiscal::taxes::icms::{self, Own};
use fiscal::taxes::money;
use fiscal::taxes::pis_cofins::{self, Contribution, Regime};
use fiscal::taxes::substitution::{self, Basis, Substitution};
use rust_decimal::Decimal;
use serde_json::Value;
use time::macros::date;

/// Each row of a topic: input and output.
fn each(topic: &str, least: usize, test: impl Fn(&Value, &Value)) {
    let Some(examples) = judges::examples(topic) else {
        return;
    };
    assert!(examples.len() >= least, "{topic}: {}", examples.len());
    for [input, output] in &examples {
        test(input, output);
    }
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} of {object}"))
}

fn n(object: &Value, name: &str) -> Decimal {
    d(text(object, name))
}

/// The output has this member, and it is this amount.
fn expect(output: &Value, name: &str, value: Decimal) {
    assert_eq!(money::f2(value), text(output, name), "{name} of {output}");
}

#[test]
fn icms_inside_and_outside() {
    each("icms_proprio", 4, |input, output| {
        let charge = icms::own(&Own {
            value: n(input, "valor"),
            rate: n(input, "aliquota_pct"),
            without_tax: text(input, "modo") == "por_dentro",
            ..Own::default()
        })
        .expect("a charge");
        expect(output, "base_calculo", charge.base);
        expect(output, "icms", charge.value);
        ends_in(&charge);
    });
}

#[test]
fn a_margin_is_adjusted_as_the_states_print_it() {
    each("mva_ajustada", 8, |input, output| {
        let (margin, step) = substitution::adjusted_margin(
            n(input, "mva_original_pct"),
            n(input, "aliq_inter_pct"),
            n(input, "aliq_interna_pct"),
        )
        .expect("a margin");
        expect(output, "mva_ajustada_pct", margin);
        explained(&[step]);
    });
}

#[test]
fn substitution_by_margin() {
    each("icms_st", 4, |input, output| {
        let (inter, internal) = (n(input, "aliq_inter_pct"), n(input, "aliq_interna_pct"));
        let (margin, _) =
            substitution::adjusted_margin(n(input, "mva_original_pct"), inter, internal)
                .expect("a margin");
        let price = n(input, "valor_produto") + n(input, "frete");
        let own = icms::own(&Own {
            value: price,
            rate: inter,
            ..Own::default()
        })
        .expect("a charge");
        let fund = n(input, "fcp_st_pct");
        let due = substitution::substitution(&Substitution {
            basis: Basis::Margin {
                operation: price + n(input, "ipi"),
                margin,
            },
            reduction: Decimal::ZERO,
            rate: internal,
            own: own.value,
            fcp: Some(fund).filter(|rate| !rate.is_zero()),
            own_fcp: Decimal::ZERO,
        })
        .expect("a charge");
        expect(output, "mva_aplicada_pct", margin);
        expect(output, "icms_proprio", own.value);
        expect(output, "base_st", due.icms.base);
        expect(output, "icms_st", due.icms.value);
        assert_eq!(due.fcp.is_some(), !output["fcp_st"].is_null(), "{output}");
        if let Some(fcp) = due.fcp {
            expect(output, "fcp_st", fcp.value);
            ends_in(&fcp);
        }
        ends_in(&due.icms);
    });
}

fn difal_of(input: &Value) -> Difal {
    Difal {
        operation: n(input, "valor_operacao"),
        inter: n(input, "aliq_inter_pct"),
        internal: n(input, "aliq_interna_pct"),
        fcp: Some(n(input, "fcp_pct")).filter(|rate| !rate.is_zero()),
    }
}

fn expect_difal(output: &Value, due: &difal::Due) {
    expect(output, "icms_origem", due.origin);
    expect(output, "base_destino", due.icms.base);
    expect(output, "difal", due.icms.value);
    assert_eq!(due.fcp.is_some(), !output["fcp"].is_null(), "{output}");
    if let Some(fcp) = &due.fcp {
        expect(output, "fcp", fcp.value);
        ends_in(fcp);
    }
    ends_in(&due.icms);
}

#[test]
fn difal_over_one_base_and_over_two() {
    each("difal_base_unica", 4, |input, output| {
        expect_difal(output, &difal::single_base(&difal_of(input)).expect("due"));
    });
    each("difal_base_dupla", 4, |input, output| {
        expect_difal(output, &difal::double_base(&difal_of(input)).expect("due"));
    });
}

#[test]
fn the_fund_over_a_base() {
    each("fcp", 3, |input, output| {
        let charge = icms::fcp(n(input, "base"), n(input, "fcp_pct")).expect("a charge");
        expect(output, "fcp", charge.value);
        ends_in(&charge);
    });
}

#[test]
fn contributions_without_the_icms() {
    each("pis_cofins_sem_icms", 4, |input, output| {
        let regime = match text(input, "regime") {
            "cumulativo" => Regime::Cumulative,
            "nao_cumulativo" => Regime::NonCumulative,
            other => panic!("{other}"),
        };
        let value = n(input, "valor");
        let icms = icms::own(&Own {
            value,
            rate: n(input, "aliq_icms_pct"),
            ..Own::default()
        })
        .expect("a charge");
        expect(output, "icms", icms.value);
        for (of, name) in [(Contribution::Pis, "pis"), (Contribution::Cofins, "cofins")] {
            let charge = pis_cofins::general(of, regime, value, icms.value).expect("a charge");
            expect(output, "base", charge.base);
            expect(output, name, charge.value);
            ends_in(&charge);
        }
    });
}

#[test]
fn ibs_and_cbs_of_2026() {
    each("ibs_cbs_2026", 5, |input, output| {
        let values = Values {
            v_prod: n(input, "valor_produto"),
            v_desc: n(input, "desconto"),
            v_icms: n(input, "v_icms"),
            v_pis: n(input, "v_pis"),
            v_cofins: n(input, "v_cofins"),
            ..Values::default()
        };
        let day = date!(2026 - 11 - 20);
        let (base, step) = ibs_cbs::base_step(day, &values).expect("a base");
        explained(&[step]);
        expect(output, "base", base);
        let class = data::class_trib::get(text(input, "cclasstrib")).expect("a class");
        let cst = data::class_trib::cst(class.cst()).expect("a CST");
        let Taxation::Usual { ibs, cbs } = ibs_cbs::taxation(class, cst) else {
            panic!("{class:?}");
        };
        assert_eq!((ibs, cbs), (n(input, "p_red_pct"), n(input, "p_red_pct")));
        let year = data::rates::of_year(day.year()).expect("2026");
        for (which, nominal, reduction, rate, value) in [
            (
                Which::IbsUf,
                year.ibs_uf,
                ibs,
                Some("ibs_uf_efetiva_pct"),
                "v_ibs_uf",
            ),
            (Which::IbsMun, year.ibs_mun, ibs, None, "v_ibs_mun"),
            (Which::Cbs, year.cbs, cbs, Some("cbs_efetiva_pct"), "v_cbs"),
        ] {
            let nominal = nominal.expect("a rate");
            let charge = ibs_cbs::tax(which, base, nominal, reduction).expect("a charge");
            expect(output, value, charge.value);
            if let Some(rate) = rate {
                assert_eq!(money::f4(charge.rate), text(output, rate));
            }
            ends_in(&charge);
        }
    });
}

#[test]
fn approximate_burden() {
    each("ibpt", 4, |input, output| {
        // The rates are in the text of the source; the table is not here.
        let (federal, state, municipal) = match text(input, "codigo") {
            "22030000" => ("14.17", "22.00", "0.00"),
            "19053100" => ("13.45", "18.00", "0.00"),
            "0101" => ("13.45", "0.00", "3.90"),
            "0107" => ("13.45", "0.00", "2.95"),
            other => panic!("{other}"),
        };
        let rates = Rates {
            federal: d(federal),
            state: d(state),
            municipal: d(municipal),
        };
        let burden = burden(n(input, "valor"), &rates).expect("a burden");
        expect(output, "federal", burden.federal);
        expect(output, "estadual", burden.state);
        expect(output, "municipal", burden.municipal);
        expect(output, "total", burden.value);
        explained(&burden.steps);
    });
}
