//! What is written is accepted by the official schemas: the engine's tables
//! always, libxml2 where it and the schemas are at hand.

use super::orders::{CTE, MDFE, MODAIS, frame, order, order_by, own_cargo, read};
use crate::cte::orders::emitter;
use crate::signing::{held, judge, signed};
use freight::mdfe::NAMESPACE;
use freight::mdfe::assembly::validate;
use freight::mdfe::frame::layout;
use serde_json::{Value, json};

fn written(name: &str, order: Value) -> String {
    let mdfe =
        validate(&read(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
    mdfe.write(&frame(), None).expect("the layout takes it").xml
}

/// One request for each modal and group that the layout has a form of its own
/// for.
pub(super) fn variants() -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = MODAIS
        .iter()
        .map(|modal| ((*modal).to_owned(), order_by(modal)))
        .collect();
    all.push(("carga própria".to_owned(), own_cargo()));
    let mut add = |name: &str, begin: Value, change: &dyn Fn(&mut Value)| {
        let mut order = begin;
        change(&mut order);
        all.push((name.to_owned(), order));
    };
    add("documentos com tudo", order(), &|order| {
        order["documentos"][0]["ctes"] = json!([{
            "chave": CTE, "segundo_codigo_barras": "123456789012345678901234567890123456", "reentrega": true,
            "unidades_transporte": [{
                "tipo": "rodoviario_reboque", "identificacao": "ABC1D23", "lacres": ["L1"],
                "unidades_carga": [{ "tipo": "pallet", "identificacao": "P1", "quantidade_rateada": "10" }],
                "quantidade_rateada": "12.5"
            }],
            "perigosos": [{
                "numero_onu": "1203", "nome": "Gasolina", "classe_risco": "3", "grupo_embalagem": "II",
                "quantidade": "10 L", "volumes": "2 tambores"
            }],
            "volumes_total": "10", "volumes_parcial": "4",
            "prestacao_parcial": true, "nfes_entregues": [super::orders::NFE]
        }]);
    });
    add("manifesto transportado", order_by("aquaviario"), &|order| {
        order["documentos"] =
            json!([{ "codigo_ibge_descarga": "4106902", "mdfes": [{ "chave": MDFE }] }]);
    });
    add("globalizado", own_cargo(), &|order| {
        order["tipo_emitente"] = json!("cte_globalizado");
        for name in ["rodoviario", "seguro", "produto_predominante"] {
            order[name] = self::order()[name].clone();
        }
    });
    add("pagamento por pix", order(), &|order| {
        let payment = &mut order["rodoviario"]["pagamentos"][0];
        let payment = payment.as_object_mut().expect("a payment");
        for name in [
            "banco",
            "agencia",
            "parcelas",
            "antecipacao",
            "adiantamento",
            "antecipa_adiantamento",
        ] {
            payment.remove(name);
        }
        payment.remove("cpf_cnpj");
        payment.insert("forma".to_owned(), json!("a_vista"));
        payment.insert("pix".to_owned(), json!("pix@exemplo.example"));
        payment.insert("id_estrangeiro".to_owned(), json!("PASS12345"));
    });
    add("veículo de pessoa física", own_cargo(), &|order| {
        order["tipo_transportador"] = json!("tac");
        order["veiculo"]["proprietario"] = json!({
            "cpf_cnpj": "52998224725", "rntrc": "12345678", "nome": "Transportador Exemplo",
            "tipo": "tac_independente"
        });
        for name in ["rodoviario", "produto_predominante"] {
            order[name] = self::order()[name].clone();
        }
    });
    add("coordenadas", order(), &|order| {
        order["produto_predominante"]["lotacao"]["carregamento"] =
            json!({ "latitude": "-19.921700", "longitude": "-43.933300" });
    });
    add("carga posterior", own_cargo(), &|order| {
        order["carga_posterior"] = json!(true);
        order["canal_verde"] = json!(true);
        order["documentos"][0]
            .as_object_mut()
            .expect("a city")
            .remove("chaves");
    });
    add("responsável técnico", own_cargo(), &|order| {
        order["responsavel_tecnico"] = json!({
            "cnpj": "11444777000161", "contato": "Suporte", "email": "suporte@exemplo.example",
            "telefone": "1133334444", "id_csrt": "1", "csrt": "ABC"
        });
    });
    all
}

#[test]
fn every_modal_is_accepted_by_the_layout() {
    let layout = layout().expect("a layout");
    for (name, order) in variants() {
        let xml = signed(&written(&name, order));
        let errors = layout.validate(&xml);
        assert!(errors.is_empty(), "{name}: {errors:#?}\n{xml}");
    }
}

#[test]
fn a_changed_document_is_refused_by_the_layout() {
    let layout = layout().expect("a layout");
    let xml = signed(&written("rodoviario", order()));
    for (right, wrong) in [
        ("<UFIni>MG</UFIni>", ""),
        ("<mod>58</mod>", "<mod>57</mod>"),
        ("<rodo>", "<rodo><outro>1</outro>"),
        ("<tpRod>03</tpRod>", "<tpRod>09</tpRod>"),
        ("<placa>ABC1D23</placa>", "<placa>ABC-1D23</placa>"),
        ("<cUnid>01</cUnid>", "<cUnid>03</cUnid>"),
        ("versaoModal=\"3.00\"", "versaoModal=\"\""),
        ("<qCarga>12500.5000</qCarga>", "<qCarga>12500.5</qCarga>"),
    ] {
        let changed = xml.replacen(right, wrong, 1);
        assert_ne!(changed, xml, "{right}");
        assert!(!layout.validate(&changed).is_empty(), "{wrong}");
    }
}

#[test]
fn libxml2_accepts_every_modal() {
    let Some(schemas) = judges::shared("schemas/mdfe/nfelib-3.2.0") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (name, order)) in variants().into_iter().enumerate() {
        let xml = signed(&written(&name, order));
        let file = folder.path().join(format!("{number}.xml"));
        judge(&schemas.join("mdfe_v3.00.xsd"), &file, &xml, &name);
        let (group, part) = held(&xml, "infModal", NAMESPACE).expect("a group");
        let schema = match group.as_str() {
            "rodo" => "mdfeModalRodoviario_v3.00.xsd",
            "aereo" => "mdfeModalAereo_v3.00.xsd",
            "aquav" => "mdfeModalAquaviario_v3.00.xsd",
            _ => "mdfeModalFerroviario_v3.00.xsd",
        };
        judge(&schemas.join(schema), &file, &part, &name);
    }
}
