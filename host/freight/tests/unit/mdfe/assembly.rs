//! What is calculated and completed.

use super::orders::{CTE, MDFE, NFE, frame, order, own_cargo, read};
use crate::cte::orders::emitter;
use compose::emitter::Emitter;
use freight::mdfe::assembly::{Mdfe, build, validate};
use markup::tree::Node;
use serde_json::{Value, json};

fn made(order: Value) -> Mdfe {
    validate(&read(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn vehicle(mdfe: &Mdfe) -> &Node {
    mdfe.tree
        .caminho(&["infModal", "rodo", "veicTracao"])
        .expect("a vehicle")
}

#[test]
fn key_and_totals_are_those_of_the_document() {
    let mdfe = made(order());
    let chave = mdfe.chave.to_string();
    assert!(
        chave.starts_with("31261111222333000181580010000000071314159"),
        "{chave}"
    );
    assert_eq!(mdfe.total_value.to_string(), "250000.00");
    assert_eq!(mdfe.documents, (2, 0, 0));
    assert_eq!(mdfe.tree.value(&["tot", "qCTe"]), Some("2"));
    assert_eq!(mdfe.tree.value(&["tot", "qNFe"]), None);
    assert_eq!(mdfe.tree.value(&["tot", "qCarga"]), Some("12500.5000"));
    let id = mdfe.tree.attributes.iter().find(|(name, _)| name == "Id");
    assert_eq!(id.map(|(_, id)| id.clone()), Some(mdfe.chave.id()));
}

#[test]
fn a_short_request_is_completed() {
    let mdfe = made(own_cargo());
    let tree = &mdfe.tree;
    for (path, value) in [
        (&["ide", "tpEmit"][..], "2"),
        (&["ide", "modal"], "1"),
        (&["ide", "infMunCarrega", "xMunCarrega"], "Belo Horizonte"),
        (&["infDoc", "infMunDescarga", "xMunDescarga"], "Betim"),
        (&["infDoc", "infMunDescarga", "infNFe", "chNFe"], NFE),
        (&["tot", "cUnid"], "01"),
        (&["tot", "qCarga"], "250.0000"),
        (&["tot", "qNFe"], "1"),
    ] {
        assert_eq!(tree.value(path), Some(value), "{path:?}");
    }
    let vehicle = vehicle(&mdfe);
    for (name, value) in [
        ("placa", "ABC1D23"),
        ("tara", "4000"),
        ("tpRod", "06"),
        ("tpCar", "00"),
    ] {
        assert_eq!(vehicle.value(&[name]), Some(value), "{name}");
    }
    assert_eq!(vehicle.value(&["condutor", "CPF"]), Some("52998224725"));
}

#[test]
fn a_document_s_model_tells_where_it_stands() {
    let mut order = order();
    order["modal"] = json!("aquaviario");
    let body = order.as_object_mut().expect("a body");
    for name in ["rodoviario", "veiculo", "reboques", "condutores"] {
        body.remove(name);
    }
    order["documentos"] = json!([{ "codigo_ibge_descarga": "4106902", "chaves": [CTE, MDFE] }]);
    let mdfe = build(&read(order), &emitter(), &frame()).expect("an MDF-e");
    assert_eq!(mdfe.documents, (1, 0, 1));
    let city = mdfe.tree.caminho(&["infDoc", "infMunDescarga"]);
    let city = city.expect("a city");
    assert_eq!(city.value(&["infCTe", "chCTe"]), Some(CTE));
    assert_eq!(city.value(&["infMDFeTransp", "chMDFe"]), Some(MDFE));
}

#[test]
fn who_carries_own_cargo_may_be_without_a_state_registration() {
    let emitter = Emitter {
        ie: None,
        ..emitter()
    };
    assert!(validate(&read(own_cargo()), &emitter, &frame()).is_ok());
    let told = validate(&read(order()), &emitter, &frame()).expect_err("a carrier has one");
    assert_eq!(
        told.first().map(|field| field.campo.as_str()),
        Some("perfil_fiscal.ie")
    );
}

#[test]
fn a_payment_s_value_is_the_sum_of_its_parts() {
    let mut order = order();
    let payment = &mut order["rodoviario"]["pagamentos"][0];
    let payment = payment.as_object_mut().expect("a payment");
    for name in ["valor", "forma"] {
        payment.remove(name);
    }
    payment["parcelas"] = json!([
        { "vencimento": "2026-12-20", "valor": "1000.00" },
        { "vencimento": "2027-01-20", "valor": "500.00" }
    ]);
    let mdfe = made(order);
    let payment = mdfe
        .tree
        .caminho(&["infModal", "rodo", "infANTT", "infPag"])
        .expect("a payment");
    assert_eq!(payment.value(&["vContrato"]), Some("1500.00"));
    assert_eq!(payment.value(&["indPag"]), Some("1"));
    let numbers: Vec<&str> = payment
        .list()
        .iter()
        .filter_map(|part| part.value(&["nParcela"]))
        .collect();
    assert_eq!(numbers, ["001", "002"]);
}

#[test]
fn what_was_validated_is_built_for_another_number() {
    let request = read(order());
    validate(&request, &emitter(), &frame()).expect("an MDF-e");
    let mut taken = frame();
    taken.number = 123_456;
    let mdfe = build(&request, &emitter(), &taken).expect("an MDF-e");
    assert_eq!(mdfe.tree.value(&["ide", "nMDF"]), Some("123456"));
    assert_eq!(mdfe.chave.number(), 123_456);
}

#[test]
fn what_may_be_refused_later_is_a_notice() {
    let notices = |change: &dyn Fn(&mut Value)| {
        let mut order = own_cargo();
        change(&mut order);
        let places: Vec<String> = made(order)
            .notices
            .iter()
            .map(|notice| notice.campo.clone())
            .collect();
        places
    };
    assert_eq!(notices(&|_| {}), ["produto_predominante"]);
    assert_eq!(
        notices(&|order| order["carga"]["valor"] = json!("0")),
        ["carga.valor", "produto_predominante"]
    );
}
