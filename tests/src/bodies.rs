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

/// An NF-e within Minas Gerais the simulated SEFAZ authorizes.
pub fn nfe() -> Value {
    json!({
        "natureza_operacao": "Venda de mercadoria",
        "destinatario": {
            "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda", "indicador_ie": "9",
            "endereco": { "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200", "uf": "MG" }
        },
        "itens": [{ "codigo": "SKU1", "descricao": "Café torrado 1 kg", "ncm": "09012100", "quantidade": 2, "valor_unitario": 18.90 }],
        "pagamentos": [{ "forma": "pix", "valor": 37.80 }]
    })
}

/// An NFC-e the simulated SEFAZ authorizes.
pub fn nfce() -> Value {
    json!({
        "itens": [{ "descricao": "Café", "ncm": "09012100", "quantidade": 1, "valor_unitario": 18.9 }],
        "pagamentos": [{ "forma": "dinheiro", "valor": 20 }], "troco": 1.1
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

/// A form by hand: name, file name, bytes.
pub fn multipart(parts: &[(&str, Option<&str>, &[u8])]) -> (String, Vec<u8>) {
    let boundary = "limite-entre-as-partes";
    let mut body = Vec::new();
    for (name, file, bytes) in parts {
        let file = file.map_or(String::new(), |file| format!("; filename=\"{file}\""));
        body.extend_from_slice(
            format!(
                "--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n"
            )
            .as_bytes(),
        );
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}
