//! The rules of the D-1121, each provoked.

use super::sample::{KEY, deductions, faults, with, without};
use serde_json::{Value, json};

const FIRST: &str = "/infoDeducoes/infoDeducao/0";

fn refused(data: &Value, place: &str, rule: &str) {
    let found = faults("D-1121", data);
    let place = format!("dados.{place}");
    assert_eq!(found, [(place, rule.to_owned())], "{rule}");
}

/// The first deduction with another value.
fn changed(name: &str, value: Value) -> Value {
    with(deductions(), &format!("{FIRST}/{name}"), value)
}

fn of_first(name: &str) -> String {
    format!("infoDeducoes.infoDeducao[0].{name}")
}

#[test]
fn the_event_has_deductions_unless_it_removes_them() {
    let receipt = "1121-202610-0000000000000000001";
    let removed = json!({ "tpOper": "3", "motExcl": "9", "nrRecibo": receipt });
    refused(
        &with(deductions(), "/ideEvento", removed.clone()),
        "infoDeducoes",
        "vedado",
    );
    assert_eq!(faults("D-1121", &json!({ "ideEvento": removed })), []);
    refused(&json!({}), "infoDeducoes", "obrigatorio");
    let included = with(deductions(), "/ideEvento", json!({ "motExcl": "2" }));
    refused(&included, "ideEvento.motExcl", "vedado");
    let included = with(deductions(), "/ideEvento", json!({ "nrRecibo": receipt }));
    refused(&included, "ideEvento.nrRecibo", "vedado");
}

#[test]
fn a_correction_says_its_purpose_and_its_document() {
    let corrected = with(deductions(), "/ideEvento", json!({ "tpOper": "4" }));
    refused(&corrected, "infoDeducoes.finEvt", "obrigatorio");
    let added = with(corrected, "/infoDeducoes/finEvt", json!("1"));
    assert_eq!(faults("D-1121", &added), []);
    let changed = with(added, "/infoDeducoes/finEvt", json!("2"));
    refused(&changed, &of_first("infoDFe.chDFeRetif"), "obrigatorio");
    let document = json!({ "chDFeRetif": KEY, "dtEmi": "2026-10-07", "tpAtiv": "06" });
    let named = with(changed, &format!("{FIRST}/infoDFe"), document.clone());
    assert_eq!(faults("D-1121", &named), []);
    let twice = with(named, &format!("{FIRST}/infoDFe/chDFe"), KEY.into());
    refused(&twice, &of_first("infoDFe.chDFe"), "vedado");
    refused(
        &with(deductions(), "/infoDeducoes/finEvt", json!("1")),
        "infoDeducoes.finEvt",
        "vedado",
    );
    let foreign = with(deductions(), &format!("{FIRST}/infoDFe"), document);
    refused(&foreign, &of_first("infoDFe.chDFeRetif"), "vedado");
}

#[test]
fn a_deduction_is_of_a_document_or_a_property() {
    let both = changed("infoImovel", json!({ "CPFAlien": "52998224725" }));
    refused(&both, &of_first("infoImovel"), "vedado");
    let nobody = with(
        deductions(),
        "/infoDeducoes/infoDeducao/1/infoImovel/CPFAlien",
        json!("52998224724"),
    );
    refused(
        &nobody,
        "infoDeducoes.infoDeducao[1].infoImovel.CPFAlien",
        "cpf_invalido",
    );
    for name in ["tpDFe", "chDFe"] {
        let silent = without(deductions(), &format!("{FIRST}/infoDFe/{name}"));
        refused(
            &silent,
            &of_first(&format!("infoDFe.{name}")),
            "obrigatorio",
        );
    }
}

#[test]
fn a_document_is_there_once() {
    let mut data = deductions();
    let first = data.pointer(FIRST).expect("a deduction").clone();
    let list = data.pointer_mut("/infoDeducoes/infoDeducao");
    list.and_then(Value::as_array_mut)
        .expect("a list")
        .push(first);
    refused(
        &data,
        "infoDeducoes.infoDeducao[2].infoDFe.chDFe",
        "repetido",
    );
}

#[test]
fn the_whole_deduction_is_said_in_the_month_of_the_document() {
    let silent = without(deductions(), &format!("{FIRST}/detDeducao/vDedTotal"));
    let found = faults("D-1121", &silent);
    assert!(found.contains(&(
        format!("dados.{}", of_first("detDeducao.vDedTotal")),
        "obrigatorio".to_owned()
    )));
    // A later month: neither it nor that of the items.
    let mut later = changed("infoDFe/dtEmi", json!("2026-09-30"));
    let found = faults("D-1121", &later);
    assert_eq!(
        found,
        [(
            format!("dados.{}", of_first("detDeducao.vDedTotal")),
            "vedado".to_owned()
        )]
    );
    later = without(later, &format!("{FIRST}/detDeducao/vDedTotal"));
    for item in 0..2 {
        later = without(later, &format!("{FIRST}/itemDFe/{item}/vItemDedTotal"));
    }
    assert_eq!(faults("D-1121", &later), []);
    let property = with(
        deductions(),
        "/infoDeducoes/infoDeducao/1/detDeducao/vDedTotal",
        json!("1500.00"),
    );
    refused(
        &property,
        "infoDeducoes.infoDeducao[1].detDeducao.vDedTotal",
        "vedado",
    );
}

#[test]
fn amounts_bound_one_another() {
    let above = changed("detDeducao/vOper", json!("799.99"));
    refused(&above, &of_first("detDeducao.vDedTotal"), "acima_do_limite");
    let found = faults("D-1121", &changed("detDeducao/vDed", json!("800.01")));
    let place = format!("dados.{}", of_first("detDeducao.vDed"));
    assert_eq!(
        found,
        [
            (place.clone(), "acima_do_limite".to_owned()),
            (place, "diverge".to_owned())
        ]
    );
    let item = changed("itemDFe/0/vItem", json!("499.99"));
    refused(
        &item,
        &of_first("itemDFe[0].vItemDedTotal"),
        "acima_do_limite",
    );
    let item = changed("itemDFe/0/vItemDed", json!("500.01"));
    let found = faults(
        "D-1121",
        &with(item, &format!("{FIRST}/detDeducao/vDed"), json!("500.01")),
    );
    let place = format!("dados.{}", of_first("itemDFe[0].vItemDed"));
    assert_eq!(found, [(place, "acima_do_limite".to_owned())]);
}

#[test]
fn items_come_to_the_amounts_of_the_document() {
    let sum = changed("itemDFe/1/vItemDedTotal", json!("300.01"));
    refused(&sum, &of_first("detDeducao.vDedTotal"), "diverge");
    let sum = changed("itemDFe/1/vItemDed", json!("0.01"));
    refused(&sum, &of_first("detDeducao.vDed"), "diverge");
    let none = without(deductions(), &format!("{FIRST}/itemDFe"));
    refused(&none, &of_first("itemDFe"), "obrigatorio");
    // A service has no items, and what is deducted as a whole needs none.
    let service = with(none.clone(), &format!("{FIRST}/infoDFe/tpDFe"), json!("02"));
    assert_eq!(faults("D-1121", &service), []);
    let whole = with(
        none,
        &format!("{FIRST}/detDeducao/vDedTotal"),
        json!("1000.00"),
    );
    assert_eq!(faults("D-1121", &whole), []);
    let silent = without(deductions(), &format!("{FIRST}/itemDFe/0/vItemDedTotal"));
    let found = faults("D-1121", &silent);
    let place = format!("dados.{}", of_first("itemDFe[0].vItemDedTotal"));
    assert!(
        found.contains(&(place, "obrigatorio".to_owned())),
        "{found:?}"
    );
}
