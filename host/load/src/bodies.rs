//! Bodies of issuing operations. Companies stand in Belo Horizonte, as that of
//! `hub up` and those of `hub load fill` do.

use crate::people::{Person, person};
use serde_json::{Value, json};

/// Customers of one load.
const PERSONS: u64 = 50_000;
/// IBGE code of Belo Horizonte, whose notes go to the national system.
pub const CITY: &str = "3106200";

/// An amount from 10.01 up that is a note's own, in cents.
fn cents(number: u64) -> u64 {
    1_001 + number.wrapping_mul(7_919) % 900_000
}

fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn party(person: &Person, city: &str) -> Value {
    json!({
        "cpf_cnpj": person.documento, "nome": person.name,
        "endereco": { "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": city }
    })
}

/// A service note with a reference of its own.
pub fn nfse(reference: &str, number: u64) -> Value {
    service(reference, &person(number % PERSONS), cents(number), CITY)
}

/// A service note for somebody, in a city.
pub fn service(reference: &str, to: &Person, cents: u64, city: &str) -> Value {
    let mut body = json!({
        "referencia": reference,
        "tomador": party(to, city),
        "servico": { "descricao": "Desenvolvimento de software", "codigo_tributacao_nacional": "010101", "item_lista_servico": "1.01" },
        "valores": { "servico": money(cents), "iss": { "aliquota": 2 } }
    });
    if city != CITY {
        body["servico"]["cnae"] = json!("6201501");
    }
    body
}

/// The same, which the national system refuses (rule E0713: this burden is only for companies
/// of the Simples Nacional).
pub fn refused(reference: &str, to: &Person, cents: u64) -> Value {
    let mut body = service(reference, to, cents, CITY);
    body["valores"]["tributos_aproximados"] = json!({ "modo": "simples", "percentual": 6 });
    body
}

/// A product note of one to ten items.
pub fn nfe(reference: &str, number: u64) -> Value {
    product(
        reference,
        &person(number % PERSONS),
        cents(number),
        number % 10 + 1,
    )
}

/// A product note for somebody, of so many items of a price.
pub fn product(reference: &str, to: &Person, each: u64, items: u64) -> Value {
    let item = |place: u64| {
        json!({
            "codigo": format!("SKU{}", place + 1), "descricao": format!("Café torrado em pacote {}", place + 1),
            "ncm": "09012100", "quantidade": 1, "valor_unitario": money(each)
        })
    };
    let mut party = party(to, CITY);
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

/// The cancellation of a note by its id.
pub fn cancellation(id: &str) -> Value {
    json!({ "ref": id, "codigo_motivo": "servico_nao_prestado", "justificativa": "Serviço não prestado, nota de teste de carga" })
}
