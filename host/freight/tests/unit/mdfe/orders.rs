//! Requests the tests begin with: one of each modal.

use compose::frame::Ambiente;
use freight::mdfe::frame::Frame;
use freight::mdfe::order::Pedido;
use serde_json::{Value, json};
use time::macros::datetime;

/// Words of the modals, as the API has them.
pub const MODAIS: [&str; 4] = ["rodoviario", "aereo", "aquaviario", "ferroviario"];

/// Keys with right check digits, of nobody's documents.
pub const NFE: &str = crate::cte::orders::NFE;
pub const CTE: &str = crate::cte::orders::CTE;
pub const MDFE: &str = crate::event::kinds::MDFE;

pub fn frame() -> Frame {
    Frame {
        ambiente: Ambiente::Producao,
        serie: 1,
        number: 7,
        c_mdf: 31_415_926,
        dh_emi: datetime!(2026-11-20 10:15:00 -3),
        tp_emis: 1,
        ver_proc: "hub".to_owned(),
    }
}

/// A trip from Belo Horizonte to Curitiba through São Paulo, for others, with
/// the documents of two cities.
pub fn order() -> Value {
    let other_cte = "31261111222333000181570010000000101314159269";
    json!({
        "uf_inicio": "MG", "uf_fim": "PR",
        "carregamento": [{ "codigo_ibge": "3106200" }],
        "percurso": ["SP"],
        "inicio_viagem": "2026-11-20T14:00:00-03:00",
        "veiculo": {
            "codigo_interno": "12", "placa": "ABC1D23", "renavam": "12345678901", "tara": 8000,
            "capacidade_kg": 15000, "capacidade_m3": 60, "tipo_rodado": "cavalo_mecanico",
            "tipo_carroceria": "nao_aplicavel", "uf": "MG"
        },
        "reboques": [{
            "placa": "DEF4567", "renavam": "987654321", "tara": 7000, "capacidade_kg": 25000,
            "tipo_carroceria": "fechada", "uf": "MG",
            "proprietario": {
                "cpf_cnpj": "11444777000161", "rntrc": "12345678", "nome": "Reboques Exemplo Ltda",
                "ie": "110042490114", "uf": "SP", "tipo": "outros"
            }
        }],
        "condutores": [
            { "nome": "Motorista Exemplo", "cpf": "52998224725" },
            { "nome": "Ajudante Exemplo", "cpf": "11144477735" }
        ],
        "rodoviario": {
            "rntrc": "12345678",
            "ciot": [{ "codigo": "123456789012", "cpf_cnpj": "11444777000161" }],
            "vale_pedagio": {
                "dispositivos": [{
                    "cnpj_fornecedor": "11444777000161", "cpf_cnpj_pagador": "12345678000195",
                    "numero_compra": "123", "valor": "150.00", "tipo": "tag"
                }],
                "categoria": "5_eixos"
            },
            "contratantes": [{
                "nome": "Contratante Exemplo Ltda", "cpf_cnpj": "12345678000195", "contrato": "C-1",
                "valor_contrato": "10000.00"
            }],
            "pagamentos": [{
                "nome": "Contratante Exemplo Ltda", "cpf_cnpj": "12345678000195",
                "componentes": [
                    { "tipo": "frete", "valor": "1350.00" },
                    { "tipo": "outros", "valor": "150.00", "descricao": "Descarga" }
                ],
                "valor": "1500.00", "alto_desempenho": true, "forma": "a_prazo",
                "adiantamento": "500.00", "antecipa_adiantamento": true,
                "parcelas": [{ "numero": "001", "vencimento": "2026-12-20", "valor": "1000.00" }],
                "antecipacao": "permite", "banco": "001", "agencia": "1234"
            }],
            "agendamento_porto": "A1", "lacres": ["L1", "L2"]
        },
        "documentos": [
            { "codigo_ibge_descarga": "4106902", "ctes": [{ "chave": CTE }] },
            { "codigo_ibge_descarga": "4115200", "ctes": [{ "chave": other_cte, "reentrega": true }] }
        ],
        "seguro": [{
            "responsavel": "contratante", "cpf_cnpj": "12345678000195", "seguradora": "Seguradora Exemplo",
            "cnpj_seguradora": "11444777000161", "apolice": "AP-1", "averbacoes": ["AV1", "AV2"]
        }],
        "produto_predominante": {
            "tipo_carga": "carga_geral", "descricao": "Cafe torrado", "gtin": "SEM GTIN", "ncm": "09012100",
            "lotacao": { "carregamento": { "cep": "30130010" }, "descarregamento": { "cep": "80010000" } }
        },
        "carga": { "valor": "250000.00", "unidade": "kg", "peso": "12500.5" },
        "lacres": ["M1"],
        "autorizados_xml": ["11444777000161", "52998224725"],
        "informacoes_fisco": "Regime especial",
        "observacoes": "Carga seca"
    })
}

/// The same trip by another modal.
pub fn order_by(modal: &str) -> Value {
    let mut order = order();
    order["modal"] = json!(modal);
    if modal == "rodoviario" {
        return order;
    }
    let body = order.as_object_mut().expect("a body");
    for name in ["rodoviario", "veiculo", "reboques", "condutores"] {
        body.remove(name);
    }
    order[modal] = match modal {
        "aereo" => json!({
            "nacionalidade": "PT", "matricula": "ABC", "voo": "AB1234", "aerodromo_embarque": "CNF",
            "aerodromo_destino": "CWB", "data_voo": "2026-11-21"
        }),
        "aquaviario" => json!({
            "irin": "PP1234", "tipo_embarcacao": "01", "codigo_embarcacao": "E1", "embarcacao": "Navio Exemplo",
            "viagem": "12", "porto_embarque": "BRSSZ", "porto_destino": "BRPNG", "porto_transbordo": "BRRIG",
            "navegacao": "cabotagem",
            "terminais_carregamento": [{ "codigo": "T1", "nome": "Terminal A" }],
            "terminais_descarregamento": [{ "codigo": "T2", "nome": "Terminal B" }],
            "comboio": [{ "codigo": "C1", "balsa": "Balsa 1" }],
            "unidades_carga_vazias": [{ "identificacao": "ABCU1234567", "tipo": "container" }],
            "unidades_transporte_vazias": [{ "identificacao": "ABC1D23", "tipo": "carreta" }],
            "mmsi": "710000000"
        }),
        _ => json!({
            "prefixo": "K12", "liberacao": "2026-11-20T12:00:00-03:00", "origem": "BHZ", "destino": "CWB",
            "quantidade_vagoes": "1",
            "vagoes": [{
                "peso_calculo": "50.500", "peso": "48.250", "tipo": "HFD", "serie": "HFD", "numero": "123456",
                "sequencia": "1", "tonelada_util": "45.125"
            }]
        }),
    };
    order
}

/// Own cargo in an own vehicle, as short as a request gets.
pub fn own_cargo() -> Value {
    json!({
        "uf_inicio": "MG", "uf_fim": "MG",
        "carregamento": [{ "codigo_ibge": "3106200" }],
        "veiculo": { "placa": "abc-1d23", "tara": 4000 },
        "condutores": [{ "nome": "Motorista Exemplo", "cpf": "529.982.247-25" }],
        "documentos": [{ "codigo_ibge_descarga": "3106705", "chaves": [NFE] }],
        "carga": { "valor": "1000", "peso_kg": "250" }
    })
}

pub fn read(order: Value) -> Pedido {
    serde_json::from_value(order).expect("a request")
}
