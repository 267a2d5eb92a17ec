//! What is written is accepted by the official schemas: the engine's tables
//! always, libxml2 where it and the schemas are at hand.

use super::orders::{CTE, MODAIS, emitter, frame, order, order_by, read};
use crate::signing::{held, judge, signed};
use freight::cte::NAMESPACE;
use freight::cte::assembly::validate;
use freight::cte::frame::layout;
use serde_json::{Value, json};

fn written(order: Value) -> String {
    let cte = validate(&read(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{e:#?}"));
    cte.write(&frame()).expect("the layout takes it").xml
}

/// One request for each kind, service and group that the layout has a form of
/// its own for.
pub(super) fn variants() -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = MODAIS
        .iter()
        .map(|modal| ((*modal).to_owned(), order_by(modal)))
        .collect();
    let mut add = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut order = order();
        change(&mut order);
        all.push((name.to_owned(), order));
    };
    add("complementar", &|order| {
        order["tipo"] = json!("complementar");
        order["complementados"] = json!([CTE]);
        for name in ["carga", "documentos", "rodoviario"] {
            order.as_object_mut().expect("a body").remove(name);
        }
    });
    add("substituicao", &|order| {
        order["tipo"] = json!("substituicao");
        order["substituicao"] = json!({ "chave": CTE, "altera_tomador": true });
    });
    add("redespacho", &|order| {
        order["servico"] = json!("redespacho");
        order["documentos_anteriores"] = json!([{
            "cpf_cnpj": "11444777000161", "ie": "110042490114", "uf": "SP", "nome": "Outra Transportes Ltda",
            "papel": [{ "tipo": "11", "serie": "1", "numero": "12", "data_emissao": "2026-11-18" }],
            "eletronicos": [CTE]
        }]);
    });
    add("vinculado", &|order| {
        order["servico"] = json!("vinculado_multimodal");
        order["ctes_multimodal"] = json!([CTE]);
        order["expedidor"] = order["remetente"].clone();
        order["recebedor"] = order["destinatario"].clone();
        order.as_object_mut().expect("a body").remove("documentos");
    });
    add("outro tomador", &|order| {
        order["tomador"] = order["destinatario"].clone();
        order["tomador"]["cpf_cnpj"] = json!("44555666000181");
        order["tomador"]["papel"] = json!("outro");
        order["tomador"]["nome_fantasia"] = json!("Destino");
    });
    add("exterior", &|order| {
        order["municipio_fim"] = json!("9999999");
        order["cfop"] = json!("7358");
        order["destinatario"] = json!({
            "nome": "Foreign Example", "endereco": {
                "logradouro": "Main Street", "bairro": "Center", "codigo_pais": "2496", "pais": "ESTADOS UNIDOS"
            }
        });
    });
    add("notas em papel", &|order| {
        order["documentos"] = json!({ "nf": [{
            "romaneio": "1", "pedido": "2", "modelo": "01", "serie": "1", "numero": "77",
            "data_emissao": "2026-11-18", "base_icms": "0", "valor_icms": "0", "base_st": "0", "valor_st": "0",
            "valor_produtos": "100", "valor": "100", "cfop": "5102", "peso": "12.5",
            "unidades_transporte": [{
                "tipo": "rodoviario_reboque", "identificacao": "ABC1D23", "lacres": ["L1"],
                "unidades_carga": [{ "tipo": "pallet", "identificacao": "P1", "quantidade_rateada": "10" }],
                "quantidade_rateada": "12.5"
            }]
        }] });
    });
    add("outros documentos", &|order| {
        order["documentos"] = json!({ "outros": [{ "tipo": "outros", "descricao": "Ordem", "numero": "1", "valor": "10" }] });
    });
    add("cobranca e veiculos", &|order| {
        order["cobranca"] = json!({
            "fatura": { "numero": "7", "valor_original": "1500", "valor_liquido": "1500" },
            "duplicatas": [{ "numero": "001", "vencimento": "2026-12-20", "valor": "1500" }]
        });
        order["veiculos_novos"] = json!([{
            "chassi": "9BWZZZ377VT004251", "codigo_cor": "1", "cor": "AZUL", "codigo_modelo": "123456",
            "valor": "80000", "frete": "900"
        }]);
        order["entrega"] = json!({
            "data": { "inicio": "2026-12-01", "fim": "2026-12-03" }, "hora": { "inicio": "08:00:00", "fim": "12:00:00" }
        });
        order["autorizados_xml"] = json!(["44555666000181", "52998224725"]);
        order["responsavel_tecnico"] = json!({
            "cnpj": "11444777000161", "contato": "Suporte", "email": "suporte@exemplo.example",
            "telefone": "1133334444", "id_csrt": "1", "csrt": "ABC"
        });
        order["observacoes_fisco"] = json!([{ "campo": "Regime", "texto": "Especial" }]);
        order["tributos_aproximados"] = json!("200");
    });
    add("ibs e cbs", &|order| {
        order["ibs_cbs"] = json!({ "cst": "000", "cclass_trib": "000001" });
        order["icms_uf_fim"] = json!({ "aliquota_interna": "18", "aliquota_fcp": "2" });
    });
    for (cst, more) in [
        ("20", json!({ "reducao": "20", "aliquota": "12" })),
        (
            "40",
            json!({ "valor_desonerado": "180", "codigo_beneficio": "SP123456" }),
        ),
        ("51", json!({})),
        ("60", json!({ "aliquota": "12", "credito": "36" })),
        ("90", json!({ "aliquota": "12", "reducao": "10" })),
        ("90", json!({ "aliquota": "12", "grupo": "icms_outra_uf" })),
    ] {
        add(&format!("icms {cst} {more}"), &|order| {
            order["icms"] = more.clone();
            order["icms"]["cst"] = json!(cst);
        });
    }
    all
}

#[test]
fn every_modal_is_accepted_by_the_layout() {
    let layout = layout().expect("a layout");
    for (name, order) in variants() {
        let xml = signed(&written(order));
        let errors = layout.validate(&xml);
        assert!(errors.is_empty(), "{name}: {errors:#?}\n{xml}");
    }
}

#[test]
fn libxml2_accepts_every_modal() {
    let Some(schemas) = judges::shared("schemas/cte/nfelib-3.2.0") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (name, order)) in variants().into_iter().enumerate() {
        let xml = signed(&written(order));
        let file = folder.path().join(format!("{number}.xml"));
        judge(&schemas.join("cte_v4.00.xsd"), &file, &xml, &name);
        if let Some((schema, part)) = modal(&xml) {
            judge(&schemas.join(schema), &file, &part, &name);
        }
    }
}

/// The group of the modal as a document, and the file that describes it.
fn modal(xml: &str) -> Option<(&'static str, String)> {
    let (name, part) = held(xml, "infModal", NAMESPACE)?;
    let schema = match name.as_str() {
        "rodo" => "cteModalRodoviario_v4.00.xsd",
        "aereo" => "cteModalAereo_v4.00.xsd",
        "aquav" => "cteModalAquaviario_v4.00.xsd",
        "ferrov" => "cteModalFerroviario_v4.00.xsd",
        "duto" => "cteModalDutoviario_v4.00.xsd",
        _ => "cteMultiModal_v4.00.xsd",
    };
    Some((schema, part))
}
