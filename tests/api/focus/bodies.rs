//! Bodies in the published shapes.

use super::CNPJ;
use crate::common::BELO_HORIZONTE;
use serde_json::{Value, json};
use tests::TestApp;

fn now(app: &TestApp) -> String {
    base::when::format(base::when::local(app.app.now_ms(), "MG"))
}

/// Two bags of coffee.
fn item() -> Value {
    json!({
        "numero_item": 1, "codigo_produto": "SKU1", "descricao": "Café torrado 1 kg",
        "codigo_ncm": 9012100, "cfop": 5102, "unidade_comercial": "UN",
        "quantidade_comercial": 2, "valor_unitario_comercial": 18.9,
        "unidade_tributavel": "UN", "quantidade_tributavel": 2,
        "valor_unitario_tributavel": 18.9, "valor_bruto": 37.8,
        "icms_origem": 0, "icms_situacao_tributaria": "00", "icms_modalidade_base_calculo": 3,
        "icms_base_calculo": 37.8, "icms_aliquota": 18, "icms_valor": 6.8,
        "pis_situacao_tributaria": "01", "pis_base_calculo": 37.8,
        "pis_aliquota_porcentual": 1.65, "pis_valor": 0.62,
        "cofins_situacao_tributaria": "01", "cofins_base_calculo": 37.8,
        "cofins_aliquota_porcentual": 7.6, "cofins_valor": 2.87
    })
}

pub fn nfe(app: &TestApp) -> Value {
    json!({
        "natureza_operacao": "Venda de mercadoria", "data_emissao": now(app),
        "tipo_documento": 1, "finalidade_emissao": 1, "local_destino": 1, "consumidor_final": 1,
        "presenca_comprador": 1, "cnpj_emitente": "11.222.333/0001-81",
        "inscricao_estadual_emitente": "0623079040081", "nome_emitente": "Empresa de Teste Ltda",
        "nome_destinatario": "Cliente Exemplo Ltda", "cnpj_destinatario": "12345678000195",
        "indicador_inscricao_estadual_destinatario": 9,
        "logradouro_destinatario": "Rua da Bahia", "numero_destinatario": 1000,
        "bairro_destinatario": "Centro", "municipio_destinatario": "Belo Horizonte",
        "uf_destinatario": "MG", "cep_destinatario": 30140071, "pais_destinatario": "Brasil",
        "valor_frete": 0, "valor_seguro": 0, "valor_produtos": 37.8, "valor_total": 37.8,
        "modalidade_frete": 9,
        "items": [item()],
        "formas_pagamento": [{ "forma_pagamento": "17", "valor_pagamento": 37.8 }]
    })
}

pub fn nfce(app: &TestApp) -> Value {
    json!({
        "cnpj_emitente": CNPJ, "data_emissao": now(app), "natureza_operacao": "Venda ao consumidor",
        "indicador_inscricao_estadual_destinatario": "9", "presenca_comprador": "1",
        "modalidade_frete": "9", "local_destino": "1",
        "items": [{
            "numero_item": "1", "codigo_ncm": "09012100", "codigo_produto": "1",
            "descricao": "Café", "cfop": "5102", "unidade_comercial": "UN",
            "quantidade_comercial": "1.00", "valor_unitario_comercial": "18.90",
            "valor_bruto": "18.90", "icms_origem": "0", "icms_situacao_tributaria": "00",
            "icms_aliquota": "18.00"
        }],
        "formas_pagamento": [{ "forma_pagamento": "01", "valor_pagamento": "20.00" }],
        "valor_troco": "1.10"
    })
}

pub fn nfse(app: &TestApp) -> Value {
    json!({
        "data_emissao": now(app), "natureza_operacao": "1", "optante_simples_nacional": false,
        "prestador": {
            "cnpj": CNPJ, "inscricao_municipal": "12345", "codigo_municipio": BELO_HORIZONTE
        },
        "tomador": {
            "cnpj": "12345678000195", "razao_social": "Cliente Exemplo Ltda",
            "endereco": {
                "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
                "codigo_municipio": BELO_HORIZONTE, "uf": "MG", "cep": "30140071"
            }
        },
        "servico": {
            "valor_servicos": 1500.0, "aliquota": 2, "iss_retido": false,
            "item_lista_servico": "010101", "discriminacao": "Desenvolvimento de software"
        }
    })
}

pub fn national(app: &TestApp) -> Value {
    json!({
        "data_emissao": now(app), "data_competencia": &now(app)[..10],
        "codigo_municipio_emissora": 3106200, "cnpj_prestador": CNPJ,
        "inscricao_municipal_prestador": "12345", "codigo_opcao_simples_nacional": 1,
        "regime_especial_tributacao": 0,
        "cnpj_tomador": "12345678000195", "razao_social_tomador": "Cliente Exemplo Ltda",
        "codigo_municipio_tomador": 3106200, "cep_tomador": "30140071",
        "logradouro_tomador": "Rua da Bahia", "numero_tomador": "1000", "bairro_tomador": "Centro",
        "codigo_municipio_prestacao": 3106200, "codigo_tributacao_nacional_iss": "010101",
        "descricao_servico": "Desenvolvimento de software", "valor_servico": 1500.0,
        "tributacao_iss": 1, "tipo_retencao_iss": 1
    })
}
