//! Bodies of issuing operations. Companies stand in Belo Horizonte, as that of
//! `hub up` and those of `hub load fill` do.

use crate::people::person;
use serde_json::{Value, json};

/// Customers of one load.
const PERSONS: u64 = 50_000;
const CITY: &str = "3106200";

/// An amount from 10.01 up that is a note's own, in cents.
fn cents(number: u64) -> u64 {
    1_001 + number.wrapping_mul(7_919) % 900_000
}

fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn party(number: u64) -> Value {
    let person = person(number % PERSONS);
    json!({
        "cpf_cnpj": person.documento, "nome": person.nome,
        "endereco": { "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": CITY }
    })
}

/// A service note with a reference of its own.
pub fn nfse(reference: &str, number: u64) -> Value {
    json!({
        "referencia": reference,
        "tomador": party(number),
        "servico": { "descricao": "Desenvolvimento de software", "codigo_tributacao_nacional": "010101" },
        "valores": { "servico": money(cents(number)) }
    })
}

/// A product note of one to ten items.
pub fn nfe(reference: &str, number: u64) -> Value {
    let items = number % 10 + 1;
    let each = cents(number);
    let item = |place: u64| {
        json!({
            "codigo": format!("SKU{}", place + 1), "descricao": format!("Café torrado em pacote {}", place + 1),
            "ncm": "09012100", "quantidade": 1, "valor_unitario": money(each)
        })
    };
    let mut party = party(number);
    party["indicador_ie"] = json!("9");
    party["endereco"]["uf"] = json!("MG");
    json!({
        "referencia": reference,
        "natureza_operacao": "Venda de mercadoria",
        "destinatario": party,
        "itens": (0..items).map(item).collect::<Vec<_>>(),
        "pagamentos": [{ "forma": "pix", "valor": money(each * items) }]
    })
}

/// The cancellation of a service note.
pub fn cancellation(id: &str) -> Value {
    json!({ "ref": id, "codigo_motivo": "1", "justificativa": "Serviço não prestado, nota de teste de carga" })
}
