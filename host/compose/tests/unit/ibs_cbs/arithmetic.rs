//! Amounts: worked examples, formulas of the rules, rounding, odd inputs.

use super::{DAYS, complete, context, d, item, le, regras, today};
use compose::ibs_cbs::presence::Class;
use compose::ibs_cbs::{
    CredPresOperation, GovPurchase, Model, Sums, TribRegular, Values, ZfmAlc, arithmetic, base,
    group, normal, totals, v_item,
};
use markup::field::Fields;
use rust_decimal::Decimal;
use time::macros::date;

#[test]
fn worked_examples() {
    let Some(examples) = judges::examples("ibs_cbs_2026") else {
        return;
    };
    assert!(examples.len() >= 5);
    for [input, output] in examples {
        let read_from = |object: &serde_json::Value, name: &str| {
            object
                .get(name)
                .and_then(|v| v.as_str())
                .unwrap_or("0")
                .to_owned()
        };
        let codigo = read_from(&input, "cclasstrib");
        let class = data::class_trib::get(&codigo).expect("a classification");
        assert_eq!(
            class.p_red_ibs,
            d(&read_from(&input, "p_red_pct")),
            "{codigo}"
        );
        let mut item = item(&codigo);
        item.values = Values {
            v_prod: d(&read_from(&input, "valor_produto")),
            v_desc: d(&read_from(&input, "desconto")),
            v_icms: d(&read_from(&input, "v_icms")),
            v_pis: d(&read_from(&input, "v_pis")),
            v_cofins: d(&read_from(&input, "v_cofins")),
            ..Values::default()
        };
        // Some of the examples are services, which an NF-e does not admit: the
        // arithmetic is asked directly.
        let lines = Class {
            cst: data::class_trib::cst(class.cst()).expect("a CST"),
            class,
        };
        let mut sums = Sums::default();
        let mut fields = Fields::default();
        let group = normal::group(&today(Model::Nfe), &item, &lines, &mut sums, &mut fields)
            .expect("a group");
        assert_eq!(le(&group, "vBC"), read_from(&output, "base"));
        assert_eq!(le(&group, "gIBSUF/vIBSUF"), read_from(&output, "v_ibs_uf"));
        assert_eq!(
            le(&group, "gIBSMun/vIBSMun"),
            read_from(&output, "v_ibs_mun")
        );
        assert_eq!(le(&group, "gCBS/vCBS"), read_from(&output, "v_cbs"));
        if lines.cst.g_red {
            assert_eq!(
                le(&group, "gIBSUF/gRed/pAliqEfet"),
                read_from(&output, "ibs_uf_efetiva_pct")
            );
            assert_eq!(
                le(&group, "gCBS/gRed/pAliqEfet"),
                read_from(&output, "cbs_efetiva_pct")
            );
        }
    }
}

#[test]
fn a_plain_sale_of_2026() {
    let group = group(&today(Model::Nfe), &item("000001")).expect("a group");
    let e = &group.element;
    assert_eq!(le(e, "gIBSCBS/vBC"), "1000.00");
    assert_eq!(le(e, "gIBSCBS/gIBSUF/pIBSUF"), "0.1000");
    assert_eq!(le(e, "gIBSCBS/gIBSUF/vIBSUF"), "1.00");
    assert_eq!(le(e, "gIBSCBS/gIBSMun/pIBSMun"), "0.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/pCBS"), "0.9000");
    assert_eq!(le(e, "gIBSCBS/gCBS/vCBS"), "9.00");
    assert_eq!(le(e, "gIBSCBS/vIBS"), "1.00");
}

/// What the calculator of the RFB (offline module V0059) answers, as a public
/// project recorded it: classification, base, the three amounts and, where there
/// is one, the regular taxation with its amounts.
#[test]
fn the_calculator_of_the_rfb_says_the_same() {
    type Regular = Option<(&'static str, [&'static str; 3])>;
    let cases: [(&str, &str, [&str; 3], Regular); 8] = [
        ("200035", "19095.00", ["7.64", "0.00", "68.74"], None),
        ("200010", "5044.66", ["0.00", "0.00", "0.00"], None),
        ("200013", "15675.00", ["0.00", "0.00", "0.00"], None),
        ("200002", "3115.00", ["0.00", "0.00", "0.00"], None),
        (
            "200022",
            "26293.90",
            ["0.00"; 3],
            Some(("000004", ["26.29", "0.00", "236.65"])),
        ),
        (
            "550004",
            "18475.00",
            ["0.00"; 3],
            Some(("200009", ["0.00", "0.00", "0.00"])),
        ),
        (
            "550005",
            "13705.00",
            ["0.00"; 3],
            Some(("200053", ["0.00", "0.00", "0.00"])),
        ),
        (
            "200024",
            "8115.00",
            ["0.00"; 3],
            Some(("000005", ["8.12", "0.00", "73.04"])),
        ),
    ];
    for (codigo, base, values, regular) in cases {
        let mut item = item(codigo);
        item.base = Some(d(base));
        item.trib_regular = regular.map(|(class, _)| TribRegular {
            cst: class[..3].to_owned(),
            c_class_trib: class.to_owned(),
        });
        let group = group(&today(Model::Nfe), &item).expect("a group");
        let le = |name: &str| le(&group.element, &format!("gIBSCBS/{name}"));
        let computed = [le("gIBSUF/vIBSUF"), le("gIBSMun/vIBSMun"), le("gCBS/vCBS")];
        assert_eq!(computed, values, "{codigo}");
        if let Some((_, values)) = regular {
            let computed = ["vTribRegIBSUF", "vTribRegIBSMun", "vTribRegCBS"]
                .map(|name| le(&format!("gTribRegular/{name}")));
            assert_eq!(computed, values, "{codigo}");
        }
    }
    // 1925.00 at 0.1 % and 0.05 %, 16485.89 at nothing: halves go to the even cent.
    assert_eq!(arithmetic::percent_of(d("1925.00"), d("0.10")), d("1.92"));
    assert_eq!(arithmetic::percent_of(d("1925.00"), d("0.05")), d("0.96"));
    assert_eq!(arithmetic::percent_of(d("1925.00"), d("8.75")), d("168.44"));
}

#[test]
fn halves_go_to_the_even_cent() {
    // 0.1 % of 25.00 is 0.025, of 35.00 is 0.035.
    for (base, v) in [
        ("25", "0.02"),
        ("35", "0.04"),
        ("45", "0.04"),
        ("55", "0.06"),
    ] {
        let mut item = item("000001");
        item.base = Some(d(base));
        let group = group(&today(Model::Nfe), &item).expect("a group");
        assert_eq!(le(&group.element, "gIBSCBS/gIBSUF/vIBSUF"), v, "{base}");
    }
}

#[test]
fn the_base_leaves_out_the_taxes_inside_of_the_price() {
    let values = Values {
        v_prod: d("100"),
        v_serv: d("10"),
        v_frete: d("5"),
        v_seg: d("4"),
        v_outro: d("3"),
        v_ii: d("2"),
        v_is: d("1"),
        v_desc: d("6"),
        v_pis: d("0.65"),
        v_cofins: d("3"),
        v_icms: d("18"),
        v_icms_uf_dest: d("1"),
        v_fcp: d("2"),
        v_fcp_uf_dest: d("1"),
        v_icms_mono: d("0.35"),
        v_issqn: d("5"),
    };
    let today = date!(2026 - 11 - 20);
    assert_eq!(base(today, &values), d("88.00"));
    let nothing = Values {
        v_desc: d("1"),
        ..Values::default()
    };
    assert_eq!(base(today, &nothing), Decimal::ZERO);
}

#[test]
fn the_note_s_own_example_of_a_sale_to_government() {
    // NT 2025.002, UB28-10: 10 %, less 40 %, less 5 %.
    let p = arithmetic::reduced(arithmetic::reduced(d("10"), d("40")), d("5"));
    assert_eq!(arithmetic::rate(p), "5.7000");

    let mut context = today(Model::Nfe);
    context.gov_purchase = Some(GovPurchase { p_redutor: d("5") });
    let reduced_group = group(&context, &item("200034")).expect("a group");
    let e = &reduced_group.element;
    assert_eq!(le(e, "gIBSCBS/gCBS/gRed/pRedAliq"), "60.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/gRed/pAliqEfet"), "0.3420");
    assert_eq!(le(e, "gIBSCBS/gTribCompraGov/vTribCBS"), "3.42");
    // A CST without reduction carries the group with zero (UB26-20).
    let full = group(&context, &item("000001")).expect("a group");
    assert_eq!(le(&full.element, "gIBSCBS/gIBSUF/gRed/pRedAliq"), "0.0000");
    assert_eq!(le(&full.element, "gIBSCBS/gIBSUF/gRed/pAliqEfet"), "0.0950");
}

#[test]
fn a_deferred_tax_is_not_due() {
    let mut context = today(Model::Nfe);
    let mut item = complete(&mut context, "515001");
    let whole = group(&context, &item).expect("a group");
    let e = &whole.element;
    assert_eq!(le(e, "gIBSCBS/gCBS/gRed/pAliqEfet"), "0.3600");
    assert_eq!(le(e, "gIBSCBS/gCBS/gDif/vDif"), "3.60");
    assert_eq!(le(e, "gIBSCBS/gCBS/vCBS"), "0.00");
    item.cbs.p_dif = Some(d("25"));
    let part = group(&context, &item).expect("a group");
    assert_eq!(le(&part.element, "gIBSCBS/gCBS/gDif/vDif"), "0.90");
    assert_eq!(le(&part.element, "gIBSCBS/gCBS/vCBS"), "2.70");
}

#[test]
fn a_suspended_tax_shows_what_it_would_be() {
    let mut context = today(Model::Nfe);
    let mut item = complete(&mut context, "550001");
    let group = group(&context, &item).expect("a group");
    let e = &group.element;
    assert_eq!(le(e, "gIBSCBS/gCBS/pCBS"), "0.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/vCBS"), "0.00");
    assert_eq!(le(e, "gIBSCBS/gTribRegular/pAliqEfetRegCBS"), "0.9000");
    assert_eq!(le(e, "gIBSCBS/gTribRegular/vTribRegCBS"), "9.00");
    item.cbs.aliquota = Some(d("0.9"));
    assert_eq!(regras(&context, &item), ["UB56-10"]);
}

#[test]
fn cbs_given_back() {
    let mut with_percent = item("000001");
    with_percent.cbs.p_dev = Some(d("20"));
    let returned = group(&today(Model::Nfe), &with_percent).expect("a group");
    assert_eq!(
        le(&returned.element, "gIBSCBS/gCBS/gDevTrib/vDevTrib"),
        "1.80"
    );
    assert_eq!(le(&returned.element, "gIBSCBS/gCBS/vCBS"), "7.20");
    assert_eq!(returned.sums.v_dev_cbs, d("1.80"));

    let mut with_value = item("000001");
    with_value.ibs_uf.v_dev = Some(d("0.40"));
    let old = context(Model::Nfe, date!(2026 - 03 - 02));
    let returned = group(&old, &with_value).expect("a group");
    assert_eq!(le(&returned.element, "gIBSCBS/gIBSUF/vIBSUF"), "0.60");
    with_value.ibs_uf.v_dev = Some(d("1.40"));
    assert_eq!(regras(&old, &with_value), ["UB35-10"]);
}

#[test]
fn years_without_a_rate_say_so() {
    let mut context = context(Model::Nfe, date!(2027 - 02 - 01));
    assert_eq!(regras(&context, &item("000001")), ["aliquota_indefinida"]);
    context.reference.cbs = Some(d("8.8"));
    // What the law fixed is not for the installation to change.
    context.reference.ibs_uf = Some(d("7"));
    let group = group(&context, &item("000001")).expect("a group");
    assert_eq!(le(&group.element, "gIBSCBS/gIBSUF/pIBSUF"), "0.0500");
    assert_eq!(le(&group.element, "gIBSCBS/gIBSMun/vIBSMun"), "0.50");
    assert_eq!(le(&group.element, "gIBSCBS/gCBS/vCBS"), "88.00");
    context.data = date!(2029 - 01 - 02);
    assert_eq!(
        regras(&context, &item("000001")),
        ["aliquota_indefinida"],
        "the IBS of the municipality; the two others are configured"
    );
}

#[test]
fn used_goods_bring_a_credit_that_comes_off_the_ibs() {
    let mut context = context(Model::Nfe, date!(2027 - 02 - 01));
    context.reference.cbs = Some(d("8.8"));
    let mut item = item("000001");
    item.used_movable_good = true;
    item.cred_pres = Some(CredPresOperation {
        base: Some(d("600")),
        codigo: "4".to_owned(),
        p_ibs: Some(d("0.1")),
        p_cbs: Some(d("8.8")),
        suspensive: false,
    });
    let with_credit = group(&context, &item).expect("a group");
    let e = &with_credit.element;
    assert_eq!(le(e, "gIBSCBS/vIBS"), "0.40", "0.50 + 0.50 - 0.60");
    assert_eq!(le(e, "gCredPresOper/cCredPres"), "04");
    assert_eq!(le(e, "gCredPresOper/gCBSCredPres/vCredPres"), "52.80");
    item.values.v_prod = d("10");
    item.base = Some(d("1000"));
    assert_eq!(regras(&context, &item), ["UB129-10"]);
    item.cred_pres.as_mut().expect("a credit").base = Some(d("100000"));
    let refusal = regras(&context, &item);
    assert!(refusal.contains(&"UB54a-10".to_owned()), "{refusal:?}");
}

#[test]
fn an_area_without_cbs_shows_what_it_would_be() {
    let mut item = item("200023");
    item.zfm_alc = Some(ZfmAlc {
        kind: 1,
        processo: Some("123456789".to_owned()),
    });
    let in_area = group(&today(Model::Nfe), &item).expect("a group");
    let e = &in_area.element;
    assert_eq!(le(e, "gIBSCBS/gCBS/pCBS"), "0.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/gALCZFMCBS/vTribRegCBS"), "9.00");
    let old = context(Model::Nfe, date!(2026 - 07 - 15));
    assert_eq!(regras(&old, &item), ["UB66a"]);
}

#[test]
fn single_phase_amounts_are_quantity_times_rate() {
    for (_, data) in DAYS {
        let mut context = context(Model::Nfe, data);
        let item = complete(&mut context, "620002");
        let group = group(&context, &item).expect("a group");
        // 1234.5678 x 0.1234 = 152.3456…, standard and withheld.
        let sums = group.sums;
        assert_eq!(sums.v_mono.ibs, d("152.35"));
        assert_eq!(sums.v_mono_withholding.cbs, d("152.35"));
        assert_eq!(sums.v_tot_mono.ibs, d("304.70"));
        assert_eq!(le(&group.element, "gIBSCBSMono/vTotCBSMonoItem"), "304.70");
        // What was charged before is shown and not part of the item's total.
        let item = complete(&mut context, "620006");
        let withheld = compose::ibs_cbs::group(&context, &item).expect("a group");
        assert_eq!(withheld.sums.v_tot_mono.ibs, Decimal::ZERO);
        assert_eq!(withheld.sums.v_mono_ret.ibs, d("12.34"));
    }
}

/// Repeatable numbers (xorshift).
struct Data(u64);

impl Data {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn every_amount_is_what_the_rules_recalculate() {
    let classes: Vec<&str> = data::class_trib::all()
        .iter()
        .filter(|class| {
            class.nfe && data::class_trib::cst(class.cst()).is_some_and(|c| c.g_ibs_cbs)
        })
        .map(|class| class.codigo)
        .collect();
    let mut given = Data(0xC0DE);
    let cent = Decimal::new(1, 2);
    for round in 0..2000_usize {
        let codigo = classes[round % classes.len()];
        let mut context = today(Model::Nfe);
        if round % 5 == 0 {
            context.gov_purchase = Some(GovPurchase {
                p_redutor: Decimal::new(given.below(100_000) as i64, 3),
            });
        }
        let mut item = complete(&mut context, codigo);
        item.values.v_prod = Decimal::new(given.below(10_000_000_000) as i64, 2);
        for tax in [&mut item.ibs_uf, &mut item.ibs_mun, &mut item.cbs] {
            if tax.p_dif.is_some() {
                tax.p_dif = Some(Decimal::new(given.below(1_000_001) as i64, 4));
            }
        }
        let group = group(&context, &item).expect("a group");
        let e = group.element.find("gIBSCBS").expect("gIBSCBS");
        let n = |caminho: &str| le(e, caminho).parse::<Decimal>().unwrap_or_default();
        let v_bc = n("vBC");
        for (g, p, v) in [
            ("gIBSUF", "pIBSUF", "vIBSUF"),
            ("gIBSMun", "pIBSMun", "vIBSMun"),
            ("gCBS", "pCBS", "vCBS"),
        ] {
            let at = |name: &str| n(&format!("{g}/{name}"));
            let has_reduction = e.caminho(&[g, "gRed"]).is_some();
            let aliquota = if has_reduction {
                at("gRed/pAliqEfet")
            } else {
                at(p)
            };
            let hundred = Decimal::ONE_HUNDRED;
            let dif = v_bc * aliquota * at("gDif/pDif") / hundred / hundred;
            assert!((at("gDif/vDif") - dif).abs() <= cent, "{codigo}: vDif");
            let right = v_bc * aliquota / hundred - at("gDif/vDif") - at("gDevTrib/vDevTrib");
            assert!((at(v) - right).abs() <= cent, "{codigo}: {v} {right}");
            assert!(!at(v).is_sign_negative());
        }
        assert_eq!(
            n("vIBS"),
            n("gIBSUF/vIBSUF") + n("gIBSMun/vIBSMun"),
            "{codigo}"
        );
    }
}

#[test]
fn the_largest_amount_has_any_number_of_zeros_behind_it() {
    for (base, fits) in [
        ("9999999999999", true),
        ("9999999999999.0", true),
        ("9999999999999.00", true),
        ("9999999999999.0000", true),
        ("9999999999999.01", false),
        ("9999999999999.0001", false),
        ("999999999999.99", true),
        ("999999999999.990", true),
        ("999999999999.999", false),
        ("10000000000000.00", false),
        ("0.01", true),
        ("0.0100", true),
    ] {
        let mut with_base = item("000001");
        with_base.base = Some(d(base));
        let expected: &[&str] = if fits { &[] } else { &["fora_da_faixa"] };
        assert_eq!(regras(&today(Model::Nfe), &with_base), expected, "{base}");
    }
}

#[test]
fn numbers_the_layout_does_not_hold_are_refused_and_never_panic() {
    for absurd in [
        Decimal::MAX,
        Decimal::MIN,
        d("-0.01"),
        d("0.001"),
        d("10000000000000"),
    ] {
        let mut with_base = item("000001");
        with_base.base = Some(absurd);
        assert_eq!(regras(&today(Model::Nfe), &with_base), ["fora_da_faixa"]);
        let mut with_value = item("000001");
        with_value.values.v_prod = absurd;
        with_value.values.v_icms = absurd;
        assert!(regras(&today(Model::Nfe), &with_value).len() == 2);
        let mut government = today(Model::Nfe);
        government.gov_purchase = Some(GovPurchase { p_redutor: absurd });
        government.reference.cbs = Some(absurd);
        assert!(
            regras(&government, &item("000001"))
                .iter()
                .all(|r| r == "fora_da_faixa")
        );
        let absurd_values = Values {
            v_prod: absurd,
            v_serv: absurd,
            v_desc: absurd,
            v_icms: absurd,
            ..Values::default()
        };
        base(date!(2026 - 01 - 01), &absurd_values);
        let sums = Sums {
            informed: true,
            v_bc: absurd,
            v_ibs: absurd,
            ..Sums::default()
        };
        totals([&sums, &sums, &sums]);
        v_item(date!(2027 - 01 - 01), absurd, &sums, absurd);
    }
}
