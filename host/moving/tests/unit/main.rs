//! Tests of the crate's parts. The bodies are written in Focus NFe's published shapes,
//! with generated numbers.

mod answers;
mod bodies;
mod national;
mod product;
mod service;
mod tables;

use moving::kind::Kind;
use moving::orders::{Fault, Issuer, Order, order};
use serde_json::{Map, Value, json};

/// A company of Belo Horizonte.
fn issuer() -> Issuer {
    let perfil = serde_json::from_value(json!({
        "razao_social": "Empresa de Teste Ltda", "ie": "0623079040081", "im": "12345",
        "regime": "normal",
        "endereco": {
            "cep": "30130010", "logradouro": "Avenida Central", "numero": "100",
            "bairro": "Centro", "codigo_ibge": "3106200"
        }
    }));
    Issuer {
        cnpj: "11222333000181".to_owned(),
        perfil: perfil.expect("a profile"),
    }
}

fn object(body: &Value) -> &Map<String, Value> {
    body.as_object().expect("an object")
}

/// The order that a body is.
fn ordered(kind: Kind, body: &Value) -> Order {
    match order(kind, object(body), &issuer()) {
        Ok(order) => order,
        Err(faults) => panic!("{faults:?}"),
    }
}

/// Names of the members that are wrong.
fn wrong(kind: Kind, body: &Value) -> Vec<String> {
    let faults = order(kind, object(body), &issuer()).expect_err("faults");
    faults
        .into_iter()
        .map(|Fault { field, .. }| field)
        .collect()
}
