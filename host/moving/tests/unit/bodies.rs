//! Bodies that the tests change in one place.

use serde_json::{Value, json};

/// Two bags of coffee.
fn item() -> Value {
    json!({
        "numero_item": 1, "codigo_produto": "SKU1", "descricao": "Café torrado 1 kg",
        "codigo_ncm": 9012100, "cfop": 5102, "unidade_comercial": "UN",
        "quantidade_comercial": 2, "valor_unitario_comercial": "18.9000000000",
        "valor_bruto": 37.80, "inclui_no_total": "1",
        "icms_origem": 0, "icms_situacao_tributaria": "00",
        "icms_modalidade_base_calculo": 3, "icms_base_calculo": 37.8,
        "icms_aliquota": 18, "icms_valor": "6.80",
        "pis_situacao_tributaria": "01", "pis_base_calculo": 37.8,
        "pis_aliquota_porcentual": 1.65, "pis_valor": 0.62,
        "cofins_situacao_tributaria": "01", "cofins_base_calculo": 37.8,
        "cofins_aliquota_porcentual": 7.6, "cofins_valor": 2.87
    })
}

/// An NF-e within Minas Gerais.
pub fn nfe() -> Value {
    json!({
        "natureza_operacao": "Venda de mercadoria", "data_emissao": "2026-10-05T10:15:00",
        "tipo_documento": 1, "finalidade_emissao": "1", "local_destino": 1,
        "consumidor_final": 1, "presenca_comprador": 2, "serie": "1",
        "cnpj_emitente": "11.222.333/0001-81", "inscricao_estadual_emitente": "062.307.904/0081",
        "regime_tributario_emitente": 3, "uf_emitente": "MG",
        "nome_destinatario": "Cliente Exemplo Ltda", "cnpj_destinatario": "12345678000195",
        "indicador_inscricao_estadual_destinatario": 9,
        "logradouro_destinatario": "Rua da Bahia", "numero_destinatario": 1000,
        "bairro_destinatario": "Centro", "municipio_destinatario": "Belo Horizonte",
        "uf_destinatario": "MG", "cep_destinatario": 30140071,
        "valor_frete": 0.0, "valor_produtos": 37.8, "valor_total": "37.80", "modalidade_frete": 9,
        "items": [item()],
        "formas_pagamento": [{ "forma_pagamento": "17", "valor_pagamento": 37.8 }]
    })
}

/// An NFC-e of a consumer who does not say who they are.
pub fn nfce() -> Value {
    json!({
        "cnpj_emitente": "11222333000181", "data_emissao": "2026-10-05T10:15:00-03:00",
        "indicador_inscricao_estadual_destinatario": "9", "presenca_comprador": "1",
        "modalidade_frete": "9", "local_destino": "1",
        "items": [{
            "numero_item": "1", "codigo_ncm": "09012100", "codigo_produto": "1",
            "descricao": "Café", "cfop": "5102", "unidade_comercial": "UN",
            "quantidade_comercial": "1.00", "valor_unitario_comercial": "18.90",
            "valor_bruto": "18.90", "icms_origem": "0", "icms_situacao_tributaria": "102"
        }],
        "formas_pagamento": [{ "forma_pagamento": "01", "valor_pagamento": "20.00" }],
        "valor_troco": "1.10"
    })
}

/// An NFS-e of a city.
pub fn nfse() -> Value {
    json!({
        "data_emissao": "2026-10-05T10:15:00-0300", "natureza_operacao": "1",
        "optante_simples_nacional": false,
        "prestador": {
            "cnpj": "11222333000181", "inscricao_municipal": "12345", "codigo_municipio": 3106200
        },
        "tomador": {
            "cnpj": "12345678000195", "razao_social": "Cliente Exemplo Ltda",
            "email": "cliente@example.com",
            "endereco": {
                "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
                "codigo_municipio": "3106200", "uf": "MG", "cep": "30140071"
            }
        },
        "servico": {
            "valor_servicos": 1500.0, "aliquota": 2, "valor_iss": 30, "base_calculo": 1500,
            "iss_retido": "false", "item_lista_servico": "0101",
            "codigo_municipio": "3106200", "discriminacao": "Desenvolvimento de software"
        }
    })
}

/// An NFS-e of the national environment.
pub fn national() -> Value {
    json!({
        "data_emissao": "2026-10-05T10:15:00-0300", "data_competencia": "2026-10-05",
        "codigo_municipio_emissora": 3106200, "cnpj_prestador": "11222333000181",
        "inscricao_municipal_prestador": "12345", "codigo_opcao_simples_nacional": 1,
        "regime_especial_tributacao": 0,
        "cnpj_tomador": "12345678000195", "razao_social_tomador": "Cliente Exemplo Ltda",
        "codigo_municipio_prestacao": 3106200, "codigo_tributacao_nacional_iss": "010101",
        "descricao_servico": "Desenvolvimento de software", "valor_servico": 1500.0,
        "tributacao_iss": 1, "tipo_retencao_iss": 1
    })
}

/// The body with a member changed.
pub fn with(mut body: Value, pointer: &str, value: impl Into<Value>) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let parent = body.pointer_mut(parent).and_then(Value::as_object_mut);
    parent
        .expect("an object")
        .insert(name.to_owned(), value.into());
    body
}
