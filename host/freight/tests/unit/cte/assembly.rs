//! What is calculated and completed.

use super::orders::{emitter, frame, order, read};
use compose::emitter::Regime;
use compose::frame::Ambiente;
use freight::cte::assembly::{Cte, build, validate};
use serde_json::{Value, json};

fn made(order: Value) -> Cte {
    validate(&read(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{e:#?}"))
}

#[test]
fn key_and_totals_are_those_of_the_document() {
    let cte = made(order());
    let chave = cte.chave.to_string();
    assert!(
        chave.starts_with("31261111222333000181570010000000071314159"),
        "{chave}"
    );
    assert_eq!(cte.total_value.to_string(), "1500.00");
    assert_eq!(cte.receivable.to_string(), "1500.00");
    assert_eq!(cte.icms.to_string(), "180.00");
    let id = cte.tree.attributes.iter().find(|(name, _)| name == "Id");
    assert_eq!(id.map(|(_, id)| id.clone()), Some(cte.chave.id()));
}

#[test]
fn icms_is_base_times_rate() {
    for (icms, base, value) in [
        (
            json!({ "cst": "00", "aliquota": "12" }),
            "1500.00",
            "180.00",
        ),
        (
            json!({ "cst": "20", "aliquota": "12", "reducao": "20" }),
            "1200.00",
            "144.00",
        ),
        (
            json!({ "cst": "90", "aliquota": "7", "base": "1000.10" }),
            "1000.10",
            "70.01",
        ),
    ] {
        let mut order = order();
        order["icms"] = icms.clone();
        let cte = made(order);
        let group = cte.tree.caminho(&["imp", "ICMS"]).expect("ICMS");
        let group = group.list().first().expect("a group");
        assert_eq!(group.value(&["vBC"]), Some(base), "{icms}");
        assert_eq!(group.value(&["vICMS"]), Some(value), "{icms}");
    }
}

#[test]
fn the_simples_has_a_group_of_its_own() {
    let mut emitter = emitter();
    emitter.regime = Regime::SimplesNacional;
    let mut order = order();
    order.as_object_mut().expect("a body").remove("icms");
    let cte = validate(&read(order), &emitter, &frame()).expect("a CT-e");
    assert_eq!(
        cte.tree.value(&["imp", "ICMS", "ICMSSN", "indSN"]),
        Some("1")
    );
    assert_eq!(cte.tree.value(&["emit", "CRT"]), Some("1"));
}

#[test]
fn the_state_of_destination_gets_the_difference() {
    let mut order = order();
    order["icms_uf_fim"] = json!({ "aliquota_interna": "18", "aliquota_fcp": "2" });
    let cte = made(order);
    let group = cte.tree.caminho(&["imp", "ICMSUFFim"]).expect("a group");
    for (name, value) in [
        ("vBCUFFim", "1500.00"),
        ("pICMSInter", "12.00"),
        ("vICMSUFFim", "90.00"),
        ("vFCPUFFim", "30.00"),
        ("vICMSUFIni", "0.00"),
    ] {
        assert_eq!(group.value(&[name]), Some(value), "{name}");
    }
}

#[test]
fn ibs_and_cbs_leave_icms_out_of_their_base() {
    let mut order = order();
    order["ibs_cbs"] = json!({ "cst": "000", "cclass_trib": "000001" });
    let cte = made(order);
    let taxes = cte.tree.caminho(&["imp"]).expect("taxes");
    assert_eq!(taxes.value(&["IBSCBS", "gIBSCBS", "vBC"]), Some("1320.00"));
    assert_eq!(
        taxes.value(&["IBSCBS", "gIBSCBS", "gCBS", "vCBS"]),
        Some("11.88")
    );
    assert_eq!(taxes.value(&["vTotDFe"]), Some("1500.00"));
}

#[test]
fn homologation_has_its_name_for_everybody() {
    let mut frame = frame();
    frame.ambiente = Ambiente::Homologacao;
    let cte = validate(&read(order()), &emitter(), &frame).expect("a CT-e");
    for role in ["rem", "dest"] {
        let name = cte.tree.value(&[role, "xNome"]).expect("a name");
        assert!(name.contains("HOMOLOGACAO - SEM VALOR FISCAL"), "{name}");
    }
    assert_eq!(cte.tree.value(&["ide", "tpAmb"]), Some("2"));
}

#[test]
fn what_was_validated_is_built_for_another_number() {
    let request = read(order());
    validate(&request, &emitter(), &frame()).expect("a CT-e");
    let mut taken = frame();
    taken.number = 123_456;
    let cte = build(&request, &emitter(), &taken).expect("a CT-e");
    assert_eq!(cte.tree.value(&["ide", "nCT"]), Some("123456"));
    assert_eq!(cte.chave.number(), 123_456);
}

#[test]
fn a_sum_of_components_that_differs_is_a_notice() {
    let mut order = order();
    order["valores"]["componentes"][0]["valor"] = json!("1");
    let cte = made(order);
    assert_eq!(cte.notices.len(), 1);
    assert_eq!(cte.notices[0].campo, "valores.componentes");
}
