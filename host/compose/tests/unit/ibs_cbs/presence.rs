//! What a classification requires and forbids, and who may inform at all.

use super::{complete, context, d, item, regras, today};
use compose::ibs_cbs::{
    CredPresOperation, CredPresZfm, Duty, GovPurchase, Item, Model, MonoRate, Pair,
    PeriodAdjustment, Purpose, SinglePhase, TribRegular, duty,
};
use time::macros::date;

#[test]
fn codes_have_to_exist_and_fit() {
    let context = today(Model::Nfe);
    let with = |cst: &str, class: &str| Item {
        cst: cst.to_owned(),
        c_class_trib: class.to_owned(),
        ..item("000001")
    };
    assert_eq!(regras(&context, &with("999", "000001")), ["UB13-10"]);
    assert_eq!(regras(&context, &with("000", "999999")), ["UB14-10"]);
    assert_eq!(regras(&context, &with("", "é")), ["UB13-10", "UB14-10"]);
    assert_eq!(regras(&context, &with("000", "200003")), ["UB14-20"]);
    assert_eq!(
        regras(&context, &with("200", "200052")),
        ["UB14-25"],
        "a service"
    );
    assert_eq!(
        regras(&context, &with("220", "220001")),
        ["UB14-10"],
        "over since 2026-01-02"
    );
    assert_eq!(regras(&today(Model::Nfce), &item("550001")), ["UB14-25"]);
}

#[test]
fn simples_does_not_inform_before_2027() {
    for crt in [1, 2, 4] {
        let mut context = today(Model::Nfce);
        context.crt = crt;
        assert_eq!(regras(&context, &item("000001")), ["UB12-10"]);
        assert_eq!(duty(crt, date!(2027 - 01 - 03)), Duty::Forbidden);
        assert_eq!(duty(crt, date!(2027 - 01 - 04)), Duty::DueWithoutRejection);
    }
    assert_eq!(duty(3, date!(2025 - 12 - 31)), Duty::Optional);
    assert_eq!(duty(3, date!(2026 - 01 - 01)), Duty::DueWithoutRejection);
}

/// A classification, what is taken away, and the rule that misses it.
type Removal = (&'static str, fn(&mut Item), &'static str);

/// Every group that a classification requires is missed when it is away.
#[test]
fn what_is_required_is_missed() {
    let remove: [Removal; 8] = [
        ("510001", |i| i.ibs_uf.p_dif = None, "UB22-20"),
        ("510001", |i| i.ibs_mun.p_dif = None, "UB40-10"),
        ("515001", |i| i.cbs.p_dif = None, "UB59-10"),
        ("550001", |i| i.trib_regular = None, "UB68-10"),
        ("800002", |i| i.credit_transfer = None, "UB13-45"),
        ("811002", |i| i.period_adjustment = None, "UB112-20"),
        ("410026", |i| i.reversal = None, "UB116-20"),
        ("810001", |i| i.cred_pres_zfm = None, "UB131-30"),
    ];
    for (codigo, remove, rule) in remove {
        let mut context = today(Model::Nfe);
        let mut item = complete(&mut context, codigo);
        assert_eq!(regras(&context, &item), [""; 0], "{codigo}");
        remove(&mut item);
        assert_eq!(regras(&context, &item), [rule], "{codigo}");
    }
    let mut context = context(Model::Nfe, date!(2027 - 03 - 01));
    let mut item = complete(&mut context, "620001");
    item.mono = None;
    assert_eq!(regras(&context, &item), ["UB13-40"]);
}

/// Every group that a classification does not have is refused, all at once.
#[test]
fn what_is_forbidden_is_refused() {
    let mut context = today(Model::Nfe);
    let pair = Pair {
        ibs: d("1"),
        cbs: d("1"),
    };
    let mut item = item("000001");
    item.ibs_uf.p_dif = Some(d("1"));
    item.ibs_mun.p_dif = Some(d("1"));
    item.cbs.p_dif = Some(d("1"));
    item.ibs_uf.reduction = Some(d("60"));
    item.trib_regular = Some(TribRegular::default());
    item.mono = Some(SinglePhase::default());
    item.credit_transfer = Some(pair);
    item.period_adjustment = Some(PeriodAdjustment::default());
    item.reversal = Some(pair);
    item.cred_pres = Some(CredPresOperation {
        codigo: "99".to_owned(),
        ..CredPresOperation::default()
    });
    item.cred_pres_zfm = Some(CredPresZfm::default());
    let refusal = regras(&context, &item);
    for rule in [
        "UB22-10", "UB40-20", "UB59-20", "UB26-10", "UB68-11", "UB13-39", "UB13-44", "UB112-10",
        "UB116-10", "UB120-20", "UB122-10", "UB131-20",
    ] {
        assert!(refusal.iter().any(|r| r == rule), "{rule}: {refusal:?}");
    }
    // An exempt operation has neither rates nor tax given back.
    let mut exempt = super::item("410004");
    exempt.ibs_uf.aliquota = Some(d("0.1"));
    exempt.cbs.p_dev = Some(d("1"));
    assert_eq!(regras(&context, &exempt), ["UB13-20", "UB13-20"]);
    context.model = Model::Nfce;
    let mut coupon = super::item("000001");
    coupon.cred_pres = Some(CredPresOperation::default());
    coupon.reversal = Some(pair);
    coupon.cbs.p_dev = Some(d("1"));
    assert_eq!(regras(&context, &coupon), ["UB62-10", "UB116", "UB120-10"]);
}

#[test]
fn rates_and_reductions_are_the_law_s() {
    let context = today(Model::Nfe);
    let mut item = item("200034");
    item.cbs.reduction = Some(d("60.00"));
    item.cbs.aliquota = Some(d("0.90"));
    assert_eq!(regras(&context, &item), [""; 0]);
    item.cbs.reduction = Some(d("50"));
    assert_eq!(regras(&context, &item), ["UB65-10"]);
    item.cbs.reduction = None;
    item.cbs.aliquota = Some(d("1.0"));
    assert_eq!(regras(&context, &item), ["UB56-10"]);
    // A return carries the rates of what is given back.
    let mut goods_return = context.clone();
    goods_return.purpose.fin_nfe = 4;
    assert_eq!(regras(&goods_return, &item), [""; 0]);
}

#[test]
fn some_classifications_belong_to_one_kind_of_note() {
    for codigo in [
        "800001", "800002", "811001", "811002", "811003", "810001", "410030", "620005",
    ] {
        let mut context = today(Model::Nfe);
        let item = complete(&mut context, codigo);
        assert_eq!(regras(&context, &item), [""; 0], "{codigo}");
        context.purpose = Purpose::default();
        let refusal = regras(&context, &item);
        assert!(
            refusal.iter().any(|r| r == "UB14-60" || r == "UB14-40"),
            "{codigo}: {refusal:?}"
        );
    }
    let mut context = today(Model::Nfe);
    context.purpose = Purpose {
        fin_nfe: 6,
        tp_nf_debito: Some(2),
        tp_nf_credito: None,
    };
    assert_eq!(regras(&context, &item("000001")), ["UB14-70"]);
}

#[test]
fn what_is_not_modelled_is_refused() {
    let mut context = context(Model::Nfe, date!(2029 - 02 - 01));
    context.gov_purchase = Some(GovPurchase { p_redutor: d("0") });
    assert_eq!(regras(&context, &item("000001")), ["lc214_art_473"]);
}

#[test]
fn months_are_months() {
    let mut context = today(Model::Nfe);
    let mut item = complete(&mut context, "811002");
    for (month, serve) in [
        ("2025-01", true),
        ("2026-11", true),
        ("2026-12", false),
        ("2024-12", false),
        ("2026-13", false),
        ("2026-1", false),
        ("+026-01", false),
        ("2026", false),
        ("ááá-á", false),
    ] {
        item.period_adjustment.as_mut().expect("set").period = month.to_owned();
        assert_eq!(regras(&context, &item).is_empty(), serve, "{month}");
    }
}

#[test]
fn credits_have_their_days() {
    let mut context = context(Model::Nfe, date!(2027 - 02 - 01));
    context.reference.cbs = Some(d("8.8"));
    let mut item = item("000003");
    item.cred_pres = Some(CredPresOperation {
        codigo: "5".to_owned(),
        p_cbs: Some(d("11.6")),
        ..CredPresOperation::default()
    });
    assert_eq!(regras(&context, &item), [""; 0]);
    let credit = item.cred_pres.as_mut().expect("set");
    credit.p_ibs = Some(d("1"));
    credit.suspensive = true;
    assert_eq!(regras(&context, &item), ["UB123-10", "UB130-10"]);
    item.cred_pres.as_mut().expect("set").p_cbs = None;
    assert!(regras(&context, &item).contains(&"UB127-20".to_owned()));
    item.cred_pres = Some(CredPresOperation {
        codigo: "5".to_owned(),
        p_cbs: Some(d("11.6")),
        ..CredPresOperation::default()
    });
    context.data = date!(2026 - 12 - 31);
    assert_eq!(regras(&context, &item), ["UB127-10"], "in force from 2027");
}

#[test]
fn before_010f_both_single_phase_taxes_share_a_quantity() {
    let mut context = context(Model::Nfe, date!(2026 - 09 - 15));
    let mut item = complete(&mut context, "620001");
    assert_eq!(regras(&context, &item), [""; 0]);
    let mono = item.mono.as_mut().expect("set");
    mono.cbs.default = Some(MonoRate::AdRem {
        quantity: d("1"),
        ad_rem: d("0.1"),
    });
    assert_eq!(regras(&context, &item), ["UB84a-10"]);
    item.mono.as_mut().expect("set").cbs.default = Some(MonoRate::AdValorem {
        base: d("1"),
        p: d("1"),
        p_mun: d("0"),
    });
    assert_eq!(regras(&context, &item), ["UB84a-10"]);
}
