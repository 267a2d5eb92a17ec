//! What a classification requires and forbids, and who may inform at all.

use super::*;

#[test]
fn codes_have_to_exist_and_fit() {
    let contexto = hoje(Modelo::Nfe);
    let com = |cst: &str, classe: &str| Item {
        cst: cst.to_owned(),
        c_class_trib: classe.to_owned(),
        ..item("000001")
    };
    assert_eq!(regras(&contexto, &com("999", "000001")), ["UB13-10"]);
    assert_eq!(regras(&contexto, &com("000", "999999")), ["UB14-10"]);
    assert_eq!(regras(&contexto, &com("", "é")), ["UB13-10", "UB14-10"]);
    assert_eq!(regras(&contexto, &com("000", "200003")), ["UB14-20"]);
    assert_eq!(
        regras(&contexto, &com("200", "200052")),
        ["UB14-25"],
        "a service"
    );
    assert_eq!(
        regras(&contexto, &com("220", "220001")),
        ["UB14-10"],
        "over since 2026-01-02"
    );
    assert_eq!(regras(&hoje(Modelo::Nfce), &item("550001")), ["UB14-25"]);
}

#[test]
fn simples_does_not_inform_before_2027() {
    for crt in [1, 2, 4] {
        let mut contexto = hoje(Modelo::Nfce);
        contexto.crt = crt;
        assert_eq!(regras(&contexto, &item("000001")), ["UB12-10"]);
        assert_eq!(exigencia(crt, date!(2027 - 01 - 03)), Exigencia::Vedado);
        assert_eq!(
            exigencia(crt, date!(2027 - 01 - 04)),
            Exigencia::DevidoSemRejeicao
        );
    }
    assert_eq!(exigencia(3, date!(2025 - 12 - 31)), Exigencia::Facultativo);
    assert_eq!(
        exigencia(3, date!(2026 - 01 - 01)),
        Exigencia::DevidoSemRejeicao
    );
}

/// A classification, what is taken away, and the rule that misses it.
type Tira = (&'static str, fn(&mut Item), &'static str);

/// Every group that a classification requires is missed when it is away.
#[test]
fn what_is_required_is_missed() {
    let tira: [Tira; 8] = [
        ("510001", |i| i.ibs_uf.p_dif = None, "UB22-20"),
        ("510001", |i| i.ibs_mun.p_dif = None, "UB40-10"),
        ("515001", |i| i.cbs.p_dif = None, "UB59-10"),
        ("550001", |i| i.trib_regular = None, "UB68-10"),
        ("800002", |i| i.transf_cred = None, "UB13-45"),
        ("811002", |i| i.ajuste_compet = None, "UB112-20"),
        ("410026", |i| i.estorno = None, "UB116-20"),
        ("810001", |i| i.cred_pres_zfm = None, "UB131-30"),
    ];
    for (codigo, tira, regra) in tira {
        let mut contexto = hoje(Modelo::Nfe);
        let mut item = completo(&mut contexto, codigo);
        assert_eq!(regras(&contexto, &item), [""; 0], "{codigo}");
        tira(&mut item);
        assert_eq!(regras(&contexto, &item), [regra], "{codigo}");
    }
    let mut contexto = contexto(Modelo::Nfe, date!(2027 - 03 - 01));
    let mut item = completo(&mut contexto, "620001");
    item.mono = None;
    assert_eq!(regras(&contexto, &item), ["UB13-40"]);
}

/// Every group that a classification does not have is refused, all at once.
#[test]
fn what_is_forbidden_is_refused() {
    let mut contexto = hoje(Modelo::Nfe);
    let par = Par {
        ibs: d("1"),
        cbs: d("1"),
    };
    let mut item = item("000001");
    item.ibs_uf.p_dif = Some(d("1"));
    item.ibs_mun.p_dif = Some(d("1"));
    item.cbs.p_dif = Some(d("1"));
    item.ibs_uf.reducao = Some(d("60"));
    item.trib_regular = Some(TribRegular::default());
    item.mono = Some(Monofasia::default());
    item.transf_cred = Some(par);
    item.ajuste_compet = Some(AjusteCompet::default());
    item.estorno = Some(par);
    item.cred_pres = Some(CredPresOper {
        codigo: "99".to_owned(),
        ..CredPresOper::default()
    });
    item.cred_pres_zfm = Some(CredPresZfm::default());
    let recusa = regras(&contexto, &item);
    for regra in [
        "UB22-10", "UB40-20", "UB59-20", "UB26-10", "UB68-11", "UB13-39", "UB13-44", "UB112-10",
        "UB116-10", "UB120-20", "UB122-10", "UB131-20",
    ] {
        assert!(recusa.iter().any(|r| r == regra), "{regra}: {recusa:?}");
    }
    // An exempt operation has neither rates nor tax given back.
    let mut isento = super::item("410004");
    isento.ibs_uf.aliquota = Some(d("0.1"));
    isento.cbs.p_dev = Some(d("1"));
    assert_eq!(regras(&contexto, &isento), ["UB13-20", "UB13-20"]);
    contexto.modelo = Modelo::Nfce;
    let mut cupom = super::item("000001");
    cupom.cred_pres = Some(CredPresOper::default());
    cupom.estorno = Some(par);
    cupom.cbs.p_dev = Some(d("1"));
    assert_eq!(regras(&contexto, &cupom), ["UB62-10", "UB116", "UB120-10"]);
}

#[test]
fn rates_and_reductions_are_the_law_s() {
    let contexto = hoje(Modelo::Nfe);
    let mut item = item("200034");
    item.cbs.reducao = Some(d("60.00"));
    item.cbs.aliquota = Some(d("0.90"));
    assert_eq!(regras(&contexto, &item), [""; 0]);
    item.cbs.reducao = Some(d("50"));
    assert_eq!(regras(&contexto, &item), ["UB65-10"]);
    item.cbs.reducao = None;
    item.cbs.aliquota = Some(d("1.0"));
    assert_eq!(regras(&contexto, &item), ["UB56-10"]);
    // A return carries the rates of what is given back.
    let mut devolucao = contexto.clone();
    devolucao.finalidade.fin_nfe = 4;
    assert_eq!(regras(&devolucao, &item), [""; 0]);
}

#[test]
fn some_classifications_belong_to_one_kind_of_note() {
    for codigo in [
        "800001", "800002", "811001", "811002", "811003", "810001", "410030", "620005",
    ] {
        let mut contexto = hoje(Modelo::Nfe);
        let item = completo(&mut contexto, codigo);
        assert_eq!(regras(&contexto, &item), [""; 0], "{codigo}");
        contexto.finalidade = Finalidade::default();
        let recusa = regras(&contexto, &item);
        assert!(
            recusa.iter().any(|r| r == "UB14-60" || r == "UB14-40"),
            "{codigo}: {recusa:?}"
        );
    }
    let mut contexto = hoje(Modelo::Nfe);
    contexto.finalidade = Finalidade {
        fin_nfe: 6,
        tp_nf_debito: Some(2),
        tp_nf_credito: None,
    };
    assert_eq!(regras(&contexto, &item("000001")), ["UB14-70"]);
}

#[test]
fn what_is_not_modelled_is_refused() {
    let mut contexto = contexto(Modelo::Nfe, date!(2029 - 02 - 01));
    contexto.compra_gov = Some(CompraGov { p_redutor: d("0") });
    assert_eq!(regras(&contexto, &item("000001")), ["lc214_art_473"]);
}

#[test]
fn months_are_months() {
    let mut contexto = hoje(Modelo::Nfe);
    let mut item = completo(&mut contexto, "811002");
    for (mes, serve) in [
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
        item.ajuste_compet.as_mut().expect("set").compet = mes.to_owned();
        assert_eq!(regras(&contexto, &item).is_empty(), serve, "{mes}");
    }
}

#[test]
fn credits_have_their_days() {
    let mut contexto = contexto(Modelo::Nfe, date!(2027 - 02 - 01));
    contexto.referencia.cbs = Some(d("8.8"));
    let mut item = item("000003");
    item.cred_pres = Some(CredPresOper {
        codigo: "5".to_owned(),
        p_cbs: Some(d("11.6")),
        ..CredPresOper::default()
    });
    assert_eq!(regras(&contexto, &item), [""; 0]);
    let credito = item.cred_pres.as_mut().expect("set");
    credito.p_ibs = Some(d("1"));
    credito.cond_sus = true;
    assert_eq!(regras(&contexto, &item), ["UB123-10", "UB130-10"]);
    item.cred_pres.as_mut().expect("set").p_cbs = None;
    assert!(regras(&contexto, &item).contains(&"UB127-20".to_owned()));
    item.cred_pres = Some(CredPresOper {
        codigo: "5".to_owned(),
        p_cbs: Some(d("11.6")),
        ..CredPresOper::default()
    });
    contexto.data = date!(2026 - 12 - 31);
    assert_eq!(regras(&contexto, &item), ["UB127-10"], "in force from 2027");
}

#[test]
fn before_010f_both_single_phase_taxes_share_a_quantity() {
    let mut contexto = contexto(Modelo::Nfe, date!(2026 - 09 - 15));
    let mut item = completo(&mut contexto, "620001");
    assert_eq!(regras(&contexto, &item), [""; 0]);
    let mono = item.mono.as_mut().expect("set");
    mono.cbs.padrao = Some(TaxaMono::AdRem {
        quantidade: d("1"),
        ad_rem: d("0.1"),
    });
    assert_eq!(regras(&contexto, &item), ["UB84a-10"]);
    item.mono.as_mut().expect("set").cbs.padrao = Some(TaxaMono::AdValorem {
        base: d("1"),
        p: d("1"),
        p_mun: d("0"),
    });
    assert_eq!(regras(&contexto, &item), ["UB84a-10"]);
}
