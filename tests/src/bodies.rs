//! One builder per body; a test changes only what it is about.

use serde_json::{Value, json};

/// A note the national simulator authorizes.
pub fn nfse() -> Value {
    json!({
        "tomador": {
            "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda",
            "endereco": { "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200" }
        },
        "servico": { "descricao": "Desenvolvimento de software", "codigo_tributacao_nacional": "010101", "item_lista_servico": "1.01" },
        "valores": { "servico": 1500.00, "iss": { "aliquota": 2 } }
    })
}

/// The note with some members changed: `with(nfse(), "/valores/servico", 10)`.
///
/// # Panics
/// The pointer's parent is not an object of the body.
pub fn with(mut body: Value, pointer: &str, value: impl Into<Value>) -> Value {
    let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
    body.pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .expect("an object")
        .insert(key.to_owned(), value.into());
    body
}
