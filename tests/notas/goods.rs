//! Goods with a group of their own.

use crate::bench::{item, nfce, nfe, normal, sale, simples};
use serde_json::{Value, json};

fn with(field: &str, value: Value) -> Value {
    let mut item = item();
    item[field] = value;
    item
}

#[test]
fn fuel_with_everything() {
    let mut gasoline = with(
        "combustivel",
        json!({
            "codigo_anp": "320102001", "descricao_anp": "GASOLINA C COMUM", "uf_consumo": "SP", "codif": "123456789",
            "quantidade_temperatura": 10.5, "percentual_biodiesel": 12.5,
            "cide": { "base": 2, "aliquota": 0.1, "valor": 0.2 },
            "encerrante": { "bico": "1", "bomba": "2", "tanque": "3", "inicial": 100, "final": 102 },
            "origens": [{ "importado": false, "uf": "SP", "percentual": 70 }, { "importado": true, "uf": "BA", "percentual": 30 }]
        }),
    );
    gasoline["ncm"] = json!("27101259");
    gasoline["cfop"] = json!("5656");
    gasoline["unidade"] = json!("L");
    gasoline["impostos"] = json!({ "icms": { "cst": "61", "mono": { "aliquota": 1.4527 } },
        "pis": { "cst": "04" }, "cofins": { "cst": "04" } });
    let proof = nfe(&normal(), &sale(vec![gasoline.clone()]));
    assert_eq!(proof.value("total/ICMSTot/qBCMonoRet"), "2.00");
    assert_eq!(proof.value("total/ICMSTot/vICMSMonoRet"), "2.91");
    let mut by_station = sale(vec![gasoline]);
    by_station
        .as_object_mut()
        .map(|members| members.remove("destinatario"));
    nfce(&simples(), &by_station);
}

#[test]
fn gas_with_its_parts() {
    let mut lpg = with(
        "combustivel",
        json!({ "codigo_anp": "210203001", "percentual_glp": 60,
        "percentual_gas_nacional": 20.5, "percentual_gas_importado": 19.5, "valor_partida": 3.1 }),
    );
    lpg["ncm"] = json!("27111910");
    nfe(&normal(), &sale(vec![lpg]));
}

#[test]
fn medicine_vehicle_weapon_paper() {
    let mut medicine = with(
        "medicamento",
        json!({ "codigo_anvisa": "1234567890123", "preco_maximo": 19.9 }),
    );
    medicine["rastreios"] = json!([{ "lote": "L1", "quantidade": 0.5, "data_fabricacao": "2026-01-10",
        "data_validade": "2028-02-29", "codigo_agregacao": "77" }]);
    nfe(&normal(), &sale(vec![medicine]));
    nfe(
        &normal(),
        &sale(vec![with(
            "medicamento",
            json!({ "codigo_anvisa": "isento",
        "motivo_isencao": "RDC 1", "preco_maximo": 0 }),
        )]),
    );
    nfe(
        &normal(),
        &sale(vec![with(
            "veiculo_novo",
            json!({
        "tipo_operacao": "1", "chassi": "9BWZZZ377VT004251", "codigo_cor": "01", "cor": "Prata", "potencia": "120",
        "cilindradas": "1600", "peso_liquido": "1100", "peso_bruto": "1500", "serie": "123456789", "tipo_combustivel": "16",
        "motor": "ABC123", "capacidade_tracao": "10", "distancia_eixos": "2600", "ano_modelo": "2027",
        "ano_fabricacao": "2026", "tipo_pintura": "M", "tipo_veiculo": "06", "especie": "1", "vin": "N", "condicao": "1",
        "codigo_modelo": "123456", "codigo_cor_denatran": "10", "lotacao": "5", "restricao": "0" }),
        )]),
    );
    nfe(
        &normal(),
        &sale(vec![with(
            "armas",
            json!([
        { "tipo": "0", "serie": "S1", "cano": "C1", "descricao": "Pistola" },
        { "tipo": "1", "serie": "S2", "cano": "C2", "descricao": "Fuzil" } ]),
        )]),
    );
    nfe(
        &normal(),
        &sale(vec![with("recopi", json!("20260101123456789012"))]),
    );
}

#[test]
fn everything_else_an_item_has() {
    let mut item = item();
    for (field, value) in [
        ("gtin", json!("7891910000197")),
        ("codigo_barras", json!("INT-001")),
        ("nve", json!(["AA0001", "bb0002"])),
        ("escala_relevante", json!(false)),
        ("cnpj_fabricante", json!(crate::bench::cnpj("445566770001"))),
        (
            "creditos_presumidos",
            json!([{ "codigo": "SP000001", "aliquota": 2, "valor": 0.2 }]),
        ),
        ("ex_tipi", json!("001")),
        ("unidade_tributavel", json!("KG")),
        ("quantidade_tributavel", json!(3)),
        ("frete", json!(1)),
        ("seguro", json!("0.50")),
        ("desconto", json!(0.48)),
        ("outras_despesas", json!(1.1)),
        ("fci", json!("b01f70af-10bf-4b1f-848c-65ff57f616fe")),
        ("pedido", json!({ "numero": "PC-1", "item": "10" })),
        ("informacoes", json!("Lote\n especial – “A”")),
        (
            "observacao_contribuinte",
            json!({ "campo": "cor", "texto": "azul" }),
        ),
        ("observacao_fisco", json!({ "campo": "x", "texto": "y" })),
        (
            "embalagem",
            json!({ "descricao": "CAIXA", "volume": 12, "unidade": "CX" }),
        ),
    ] {
        item[field] = value;
    }
    let proof = nfe(&normal(), &sale(vec![item]));
    assert_eq!(proof.value("total/ICMSTot/vNF"), "12.10");
    assert_eq!(proof.no_item(1, "prod/vUnTrib"), "3.3266666667");
    assert_eq!(proof.no_item(1, "infAdProd"), "Lote especial - \"A\"");
    assert!(
        proof
            .nota
            .notices
            .iter()
            .any(|aviso| aviso.campo == "itens[0].informacoes")
    );
}
