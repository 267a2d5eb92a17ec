//! One builder per body; a test changes only what it is about.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

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

/// A CT-e by road from Belo Horizonte to São Paulo that the simulated SEFAZ
/// authorizes.
pub fn cte() -> Value {
    let party = |cnpj: &str, ie: &str, name: &str, ibge: &str, uf: &str| {
        json!({
            "cpf_cnpj": cnpj, "ie": ie, "nome": name,
            "endereco": {
                "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
                "codigo_ibge": ibge, "uf": uf
            }
        })
    };
    json!({
        "modal": "rodoviario", "cfop": "6353", "natureza_operacao": "Transporte a estabelecimento comercial",
        "municipio_inicio": "3106200", "municipio_fim": "3550308",
        "tomador": { "papel": "remetente" },
        "remetente": party("12345678000195", "0623079040081", "Remetente Exemplo Ltda", "3106200", "MG"),
        "destinatario": party("11444777000161", "110042490114", "Destino Exemplo Ltda", "3550308", "SP"),
        "valores": { "prestacao": "1500.00", "componentes": [{ "nome": "FRETE PESO", "valor": "1500.00" }] },
        "icms": { "cst": "00", "aliquota": "12.00" },
        "carga": {
            "valor": "25000.00", "produto": "Café torrado",
            "quantidades": [{ "unidade": "kg", "tipo": "PESO BRUTO", "quantidade": "1250.5" }]
        },
        "documentos": { "nfe": [{ "chave": "31261112345678000195550010000000071314159267" }] },
        "rodoviario": { "rntrc": "12345678" }
    })
}

/// A plate that no other document of the tests has: a vehicle has one open
/// MDF-e (rejection 611).
pub fn plate() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("TST{}A{:02}", next / 100 % 10, next % 100)
}

/// An MDF-e by road from Belo Horizonte to Curitiba, of the company's own cargo,
/// by a vehicle of its own.
pub fn mdfe() -> Value {
    json!({
        "uf_inicio": "MG", "uf_fim": "PR", "percurso": ["SP"],
        "carregamento": [{ "codigo_ibge": "3106200" }],
        "veiculo": {
            "placa": plate(), "renavam": "12345678901", "tara": 8000, "tipo_rodado": "truck",
            "tipo_carroceria": "fechada", "uf": "MG"
        },
        "condutores": [{ "nome": "Motorista Exemplo", "cpf": "52998224725" }],
        "documentos": [{ "codigo_ibge_descarga": "4106902", "chaves": ["31261111222333000181550010000000071314159266"] }],
        "produto_predominante": {
            "tipo_carga": "carga_geral", "descricao": "Café torrado", "ncm": "09012100",
            "lotacao": { "carregamento": { "cep": "30130010" }, "descarregamento": { "cep": "80010000" } }
        },
        "carga": { "valor": "250000.00", "unidade": "kg", "peso": "12500.5" }
    })
}

/// An MDF-e of the company's own cargo within Minas Gerais whose NF-e are added
/// after it was issued.
pub fn mdfe_loaded_later() -> Value {
    let within = [
        ("/uf_fim", json!("MG")),
        ("/percurso", json!([])),
        (
            "/documentos",
            json!([{ "codigo_ibge_descarga": "3170206" }]),
        ),
        ("/carga_posterior", json!(true)),
        (
            "/carga",
            json!({ "valor": "0", "unidade": "kg", "peso_kg": "0" }),
        ),
    ];
    let body = within
        .into_iter()
        .fold(mdfe(), |body, (pointer, value)| with(body, pointer, value));
    let mut body = with(body, "/produto_predominante/lotacao", Value::Null);
    if let Some(product) = body["produto_predominante"].as_object_mut() {
        product.remove("lotacao");
    }
    body
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
