//! Requests the tests begin with: one of each modal.

use compose::emitter::{Emitter, Regime};
use compose::frame::Ambiente;
use freight::cte::frame::Frame;
use freight::cte::order::Pedido;
use serde_json::{Value, json};
use time::macros::datetime;

/// Words of the modals, as the API has them.
pub const MODAIS: [&str; 6] = [
    "rodoviario",
    "aereo",
    "aquaviario",
    "ferroviario",
    "dutoviario",
    "multimodal",
];

/// Keys with right check digits, of nobody's documents.
pub const NFE: &str = "31261111222333000181550010000000071314159266";
pub const CTE: &str = "31261111222333000181570010000000091271828180";

pub fn emitter() -> Emitter {
    Emitter {
        cpf_cnpj: "11222333000181".to_owned(),
        razao_social: "Transportes Exemplo Ltda".to_owned(),
        nome_fantasia: Some("Exemplo Cargas".to_owned()),
        ie: Some("0623079040081".to_owned()),
        regime: Regime::Normal,
        telefone: Some("(31) 3333-4444".to_owned()),
        endereco: serde_json::from_value(json!({
            "cep": "30130-010", "logradouro": "Avenida Central", "numero": "100", "bairro": "Centro",
            "codigo_ibge": "3106200", "cidade": "Belo Horizonte", "uf": "MG"
        }))
        .expect("an address"),
        ..Emitter::default()
    }
}

pub fn frame() -> Frame {
    Frame {
        ambiente: Ambiente::Producao,
        serie: 1,
        number: 7,
        c_ct: 31_415_926,
        dh_emi: datetime!(2026-11-20 10:15:00 -3),
        tp_emis: 1,
        ver_proc: "hub".to_owned(),
        contingency: None,
    }
}

fn party(cnpj: &str, name: &str, ibge: &str, city: &str, uf: &str) -> Value {
    let ie = match uf {
        "SP" => "110042490114",
        _ => "0623079040081",
    };
    json!({
        "cpf_cnpj": cnpj, "ie": ie, "nome": name, "telefone": "3133334444",
        "email": "carga@exemplo.example",
        "endereco": {
            "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "complemento": "Loja 2",
            "bairro": "Centro", "codigo_ibge": ibge, "cidade": city, "uf": uf
        }
    })
}

/// A service from Belo Horizonte to São Paulo, by road.
pub fn order() -> Value {
    json!({
        "modal": "rodoviario",
        "cfop": "6353",
        "natureza_operacao": "Transporte a estabelecimento comercial",
        "municipio_inicio": "3106200",
        "municipio_fim": "3550308",
        "tomador": { "papel": "remetente" },
        "caracteristica_transporte": "FRACIONADO",
        "fluxo": { "origem": "BHZ", "passagens": ["RAO"], "destino": "GRU", "rota": "R1" },
        "entrega": { "data": { "tipo": "ate_a_data", "data": "2026-12-01" } },
        "observacoes": "Carga seca",
        "observacoes_contribuinte": [{ "campo": "Motorista", "texto": "A definir" }],
        "remetente": party("12345678000195", "Remetente Exemplo Ltda", "3106200", "Belo Horizonte", "MG"),
        "destinatario": party("11444777000161", "Destino Exemplo Ltda", "3550308", "São Paulo", "SP"),
        "valores": {
            "prestacao": "1500.00",
            "componentes": [{ "nome": "FRETE PESO", "valor": "1400.00" }, { "nome": "PEDAGIO", "valor": "100.00" }]
        },
        "icms": { "cst": "00", "aliquota": "12.00" },
        "carga": {
            "valor": "25000.00", "produto": "Cafe torrado",
            "quantidades": [
                { "unidade": "kg", "tipo": "PESO BRUTO", "quantidade": "1250.5" },
                { "unidade": "unidade", "tipo": "CAIXA", "quantidade": "50" }
            ],
            "valor_averbacao": "25000.00"
        },
        "documentos": { "nfe": [{ "chave": NFE, "data_previsao_entrega": "2026-12-01" }] },
        "rodoviario": { "rntrc": "12345678" }
    })
}

/// The same service by another modal.
pub fn order_by(modal: &str) -> Value {
    let mut order = order();
    order["modal"] = json!(modal);
    order.as_object_mut().expect("a body").remove("rodoviario");
    order[modal] = match modal {
        "rodoviario" => json!({
            "rntrc": "12345678",
            "ordens_coleta": [{
                "serie": "1", "numero": "12", "data_emissao": "2026-11-19", "cnpj": "11222333000181",
                "codigo_interno": "7", "ie": "0623079040081", "uf": "MG", "telefone": "3133334444"
            }]
        }),
        "aereo" => json!({
            "minuta": "000012345", "numero_operacional": "95712345678", "data_previsao": "2026-11-22",
            "dimensoes": "0100X0050X0040", "manuseio": ["01", "99"],
            "tarifa": { "classe": "geral", "codigo": "TG1", "valor": "12.50" },
            "perigosos": [{ "numero_onu": "1203", "embalagens": "2", "quantidade": "10", "unidade": "litros" }]
        }),
        "aquaviario" => json!({
            "base_afrmm": "1500.00", "valor_afrmm": "120.00", "navio": "Navio Exemplo",
            "balsas": ["Balsa 1"], "viagem": "12", "direcao": "sul", "irin": "PP1234",
            "navegacao": "cabotagem"
        }),
        "ferroviario" => json!({
            "trafego": "mutuo", "fluxo": "F123",
            "trafego_mutuo": {
                "responsavel_faturamento": "origem", "emitente": "origem", "valor_frete": "900.00",
                "chave_origem": CTE,
                "ferrovias": [{
                    "cnpj": "11444777000161", "codigo_interno": "9", "ie": "110042490114",
                    "nome": "Ferrovia Exemplo SA",
                    "endereco": {
                        "cep": "01001000", "logradouro": "Praca da Se", "numero": "1", "bairro": "Centro",
                        "codigo_ibge": "3550308", "uf": "SP"
                    }
                }]
            }
        }),
        "dutoviario" => json!({
            "tarifa": "0.125", "data_inicio": "2026-11-01", "data_fim": "2026-11-30",
            "classe": "gasoduto", "contratacao": "ponto_a_ponto", "contrato": "C-1"
        }),
        _ => json!({
            "cotm": "COTM123",
            "seguro": { "seguradora": "Seguros Exemplo", "cnpj": "11444777000161", "apolice": "AP1", "averbacao": "AV1" }
        }),
    };
    order
}

pub fn read(order: Value) -> Pedido {
    serde_json::from_value(order).expect("a request")
}
